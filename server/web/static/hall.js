// The staff's page: every table at a glance, what needs help first, and the quick remedies.

import { button, element, Words } from "./elements.js";
import { grid, moment, showMatches, showPlayers } from "./hall-records.js";
import { showSettings } from "./hall-settings.js";
import { loginCard } from "./login.js";
import { ask } from "./server.js";

const EVERY_MS = 1000;
const KEPT_EVERY_MS = 5000;
const OLD_MS = 3000;
const byId = (id) => document.getElementById(id);
const { language } = document.body.dataset;
const words = new Words(document.body.dataset.words);
const say = (id, parameters) => words.say(`hall.${id}`, parameters);
let session = null;
let heardAt = -Infinity;
let keptAt = -Infinity;
const toast = byId("toast");
const cards = new Map();
const kept = new Map();

function note(text) {
  (byId("sheet").open ? byId("sheet") : document.body).append(toast); // an open sheet would hide it
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(note.timer);
  note.timer = setTimeout(() => (toast.hidden = true), 6000);
}

function complain(error) {
  note(error.status ? error.message : words.say("panel.not_sent"));
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

async function tell(path, body, options = {}) {
  try {
    const said = await ask(path, { body, language, ...options });
    look();
    return said;
  } catch (error) {
    complain(error);
    return null;
  }
}

async function logIn(pin) {
  const found = await tell("/api/staff/login", { pin });
  if (found) become(found);
}

function become(found) {
  session = found;
  byId("log-out").hidden = !session.is_staff || !session.has_pin;
  for (const id of ["records", "players", "settings", "diagnostics"]) byId(id).hidden = !session.is_staff;
  byId("login").replaceChildren(...(session.is_staff ? [] : [loginCard(say, logIn)]));
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
  if (last) card.append(element("p", "last", `${say("last")}: ${[last.title, last.points_text, last.reasons[0]?.text].filter(Boolean).join(" · ")}`));
  const keeping = kept.get(table.id);
  if (keeping?.calibration) card.append(calibrationLine(keeping.calibration));
  card.append(tools(state));
  return card;
}

function calibrationLine({ verdict, date, worst_mm: worst, reasons }) {
  const facts = [say(`verdict.${verdict}`)];
  if (date) facts.push(new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(date)));
  if (worst !== null) facts.push(`±${new Intl.NumberFormat(language, { style: "unit", unit: "millimeter", maximumFractionDigits: 1 }).format(worst)}`);
  const line = element("p", verdict === "pass" ? "detail" : "trouble", `${say("calibration")}: ${facts.join(" · ")}`);
  line.title = reasons.join("; ");
  return line;
}

function switcher(table) {
  const isStopped = kept.get(table.id)?.is_stopped ?? false;
  return button("tool", say(isStopped ? "start" : "stop"), async () => {
    const now = await tell(path(table.id, isStopped ? "start" : "stop"), {});
    if (now) kept.set(table.id, now);
  });
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
    button("tool", say("log"), () => showLog(table)), button("tool", say("code"), () => showCode(table)),
    link(say("calibrate"), `/calibrate/${encodeURIComponent(table.id)}?lang=${language}`), switcher(table));
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

async function showLog(table) {
  const entries = await tell(path(table.id, "log"));
  if (!entries) return;
  const rows = entries.reverse().map((entry) => {
    const row = element("tr", entry.is_taken_back ? "taken-back" : "", ...[moment(entry.at, language), entry.what, entry.who ?? "", entry.why ?? ""].map((cell) => element("td", "", cell)));
    return row;
  });
  openSheet(`${table.name} · ${say("log")}`, grid([say("when"), say("what"), say("who"), say("why")], rows));
}

function isBusy() {
  return document.activeElement?.closest?.(".table")?.matches(":focus-within") && document.activeElement.matches(":active");
}

function show(states) {
  const place = byId("tables");
  for (const state of states) {
    const key = JSON.stringify([state.table, state.match, state.health, state.pending, state.headline, state.controls, state.rulings.at(-1), kept.get(state.table.id)]);
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

async function lookAfter() {
  if (performance.now() - keptAt < KEPT_EVERY_MS) return;
  keptAt = performance.now();
  const hall = await ask("/api/hall", { language });
  for (const table of hall.tables) kept.set(table.id, table);
  byId("settings").hidden = !hall.has_settings;
}

async function look() {
  try {
    await lookAfter();
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
const page = { say, tell, open: openSheet, note, language };
byId("records").addEventListener("click", () => showMatches(page));
byId("players").addEventListener("click", () => showPlayers(page));
byId("settings").addEventListener("click", () => showSettings(page));
begin();
setInterval(() => {
  if (session?.is_staff) look();
}, EVERY_MS);
setInterval(watchAge, 500);
