// Commands to the server, and what it refuses.

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Ask or tell the server something; a refusal is thrown as one sentence. */
export async function ask(path, { body, method, language, text }) {
  const address = new URL(path, location.href);
  if (language) address.searchParams.set("lang", language);
  const options = { method: method ?? (body === undefined ? "GET" : "POST"), signal: AbortSignal.timeout(8000) };
  if (body !== undefined) {
    options.headers = { "Content-Type": text ? "text/plain; charset=utf-8" : "application/json" };
    options.body = text ? body : JSON.stringify(body);
  }
  const answer = await fetch(address, options);
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, said.detail ?? `${answer.status}`);
  return said;
}
