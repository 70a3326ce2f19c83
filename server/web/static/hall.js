// The staff's page: every table at a glance, what needs help first, and the quick remedies.

import { button, element, Words } from "./elements.js";
import { ask } from "./server.js";

const EVERY_MS = 1000;
const OLD_MS = 3000;
const byId = (id) => document.getElementById(id);
const { language } = document.body.dataset;
const words = new Words(document.body.dataset.words);
const say = (id, parameters) => words.say(`hall.${id}`, parameters);
let session = null;
let heardAt = -Infinity;
const cards = new Map();

function complain(error) {
  const toast = byId("toast");
  toast.textContent = error.status ? error.message : words.say("panel.not_sent");
  toast.hidden = false;
  clearTimeout(complain.timer);
  complain.timer = setTimeout(() => (toast.hidden = true), 6000);
}

function openSheet(title, ...content) {
  const sheet = byId("sheet");
  const heading = element("h2", "", title);
  heading.id = "sheet-title";
  const close = button("close", "✕", () => sheet.close());
  close.setAttribute("aria-label", say("close"));
  sheet.replaceChildren(element("div", "sheet-head", heading, close), element("div", "sheet-body", ...content));
  if (!sheet.open) sheet.showModal();
}

async function tell(path, body) {
  try {
    const said = await ask(path, { body, language });
    look();
    return said;
  } catch (error) {
    complain(error);
    return null;
  }
}

function loginCard() {
  const pin = element("input", "pin");
  pin.type = "password";
  pin.inputMode = "numeric";
  pin.autocomplete = "current-password";
  pin.setAttribute("aria-label", say("pin"));
  const go = element("button", "wide main", say("log_in"));
  go.type = "submit";
  const card = element("form", "card login", element("h2", "", say("login")), element("p", "", say("login_how")), pin, go);
  card.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    const found = await tell("/api/staff/login", { pin: pin.value });
    go.disabled = false;
    pin.value = "";
    if (found) become(found);
  });
  return card;
}

function become(found) {
  session = found;
  byId("log-out").hidden = !session.is_staff || !session.has_pin;
  byId("records").hidden = !session.is_staff;
  byId("login").replaceChildren(...(session.is_staff ? [] : [loginCard()]));
  cards.clear();
  byId("tables").replaceChildren();
  if (session.is_staff) look();
}

const path = (table, rest) => `/api/tables/${encodeURIComponent(table)}/${rest}`;

function tableCard(state) {
  const { table, match, health } = state;
  const question = state.pending[0];
  const card = element("article", `card table${question ? " asks" : ""}`);
  card.dataset.table = table.id;
  card.dataset.health = health.state;
  card.append(element("div", "table-head", element("h2", "", table.name), element("span", "table-game", match?.game_name ?? say("no_match")),
    element("span", "status-lamp")));
  card.lastChild.lastChild.setAttribute("role", "img");
  card.lastChild.lastChild.setAttribute("aria-label", health.text);
  if (health.state !== "ok") {
    card.append(...health.reasons.map((reason) => element("p", "trouble", reason)));
    if (health.detail) card.append(element("p", "detail", health.detail));
  }
  for (const player of match?.players ?? []) {
    card.append(element("p", `line${player.is_shooting ? " shooting" : ""}`, element("span", "", player.name), element("b", "", String(player.score).replace("-", "−"))));
  }
  card.append(element("p", "table-facts", state.headline));
  if (question) {
    card.append(element("div", "asked", element("p", "", question.text),
      element("div", "answers", ...question.choices.slice(0, 3).map((choice) => button("wide", choice.text, () => tell(path(table.id, "answer"), { to: question.kind, value: choice.value, stroke: question.stroke }))))));
  }
  const last = state.rulings.at(-1);
  if (last) card.append(element("p", "last", `${say("last")}: ${last.title} ${last.points_text} ${last.reasons[0]?.text ?? ""}`));
  card.append(tools(state));
  return card;
}

function tools(state) {
  const { table } = state;
  const undo = button("tool", say("undo"), () => tell(path(table.id, "undo"), { after: state.controls.entries }));
  undo.disabled = !state.controls.can_undo;
  undo.title = state.controls.undo_text ?? "";
  const display = link(say("display"), `/display/${encodeURIComponent(table.id)}?lang=${language}`);
  display.addEventListener("click", async (event) => {
    event.preventDefault();
    const code = await tell(path(table.id, "code"));
    if (code) window.open(`${display.href}&key=${code.display_key}`, "_blank", "noopener");
  });
  return element("div", "tools", undo, link(say("panel"), `/table/${encodeURIComponent(table.id)}?lang=${language}`), display,
    button("tool", say("log"), () => showLog(table)), button("tool", say("code"), () => showCode(table)));
}

function link(text, address) {
  const made = element("a", "tool", text);
  made.href = address;
  return made;
}

async function showCode(table) {
  const code = await tell(path(table.id, "code"));
  if (!code) return;
  const picture = element("img", "qr");
  picture.src = `/display/${encodeURIComponent(table.id)}/join.svg?t=${Date.now()}`;
  picture.alt = say("code");
  openSheet(`${table.name} · ${say("code")}`, picture, element("p", "code-shown", code.is_needed ? code.code : "·"),
    button("wide", say("new_code"), async () => {
      if (await tell(path(table.id, "code"), {})) await showCode(table);
    }));
}

function moment(text) {
  return text === null ? "" : new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" }).format(new Date(text));
}

function grid(heads, rows) {
  const made = element("table", "log", element("thead", "", element("tr", "", ...heads.map((head) => element("th", "", head)))), element("tbody", "", ...rows));
  return element("div", "scroll", made);
}

async function showLog(table) {
  const entries = await tell(path(table.id, "log"));
  if (!entries) return;
  const rows = entries.reverse().map((entry) => {
    const row = element("tr", entry.is_taken_back ? "taken-back" : "", ...[moment(entry.at), entry.what, entry.who ?? "", entry.why ?? ""].map((cell) => element("td", "", cell)));
    return row;
  });
  openSheet(`${table.name} · ${say("log")}`, grid([say("when"), say("what"), say("who"), say("why")], rows));
}

async function showRecords() {
  const matches = await tell("/api/matches");
  if (!matches) return;
  const rows = matches.map((match) => {
    const cells = [moment(match.started), match.table_name, match.game_name, Object.entries(match.scores).map(([name, points]) => `${name} ${points}`).join(" · "), [match.winner ?? ""].flat().join(", ")];
    const files = element("td");
    for (const kind of ["txt", "json", "csv"]) {
      const one = element("a", "", kind.toUpperCase());
      one.href = `/api/matches/${encodeURIComponent(match.table)}/${match.number}.${kind}?lang=${language}`;
      files.append(one, " ");
    }
    return element("tr", "", ...cells.map((cell) => element("td", "", cell)), files);
  });
  const all = link(`${say("export")} CSV`, "/api/matches.csv");
  openSheet(say("records"), rows.length === 0 ? element("p", "", say("no_records"))
    : grid([say("started"), say("table"), say("game"), say("score"), say("winner"), say("record")], rows), all);
}

function isBusy() {
  return document.activeElement?.closest?.(".table")?.matches(":focus-within") && document.activeElement.matches(":active");
}

function show(states) {
  const place = byId("tables");
  for (const state of states) {
    const key = JSON.stringify([state.match, state.health, state.pending, state.headline, state.controls, state.rulings.at(-1)]);
    const old = cards.get(state.table.id);
    if (old?.key === key || (old && isBusy())) continue;
    const made = tableCard(state);
    if (old) old.card.replaceWith(made);
    else place.append(made);
    cards.set(state.table.id, { key, card: made });
  }
  const needing = states.filter((state) => state.health.state !== "ok" || state.pending.length > 0);
  byId("status-text").textContent = needing.length === 0 ? say("all_well") : say("need_help", { count: needing.length });
  document.body.dataset.health = needing.some((state) => state.health.state === "failed") ? "failed" : needing.length > 0 ? "degraded" : "ok";
}

async function look() {
  try {
    show(await ask("/api/tables", { language }));
    heardAt = performance.now();
  } catch (error) {
    if (error.status) complain(error);
  }
}

function watchAge() {
  const fresh = performance.now() - heardAt < OLD_MS;
  document.body.dataset.fresh = fresh || !session?.is_staff ? "yes" : "no";
  if (!fresh && session?.is_staff) byId("status-text").textContent = say("connection_lost");
}

async function begin() {
  try {
    become(await ask("/api/session", { language }));
  } catch {
    setTimeout(begin, 2000);
  }
}

byId("log-out").addEventListener("click", async () => {
  const found = await tell("/api/staff/logout", {});
  if (found) become(found);
});
byId("sheet").addEventListener("close", () => byId("sheet").replaceChildren());
byId("records").addEventListener("click", showRecords);
begin();
setInterval(() => {
  if (session?.is_staff) look();
}, EVERY_MS);
setInterval(watchAge, 500);
