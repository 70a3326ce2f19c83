// The board across the room: puts a table's messages onto the page.

import { MatchClock } from "./clock.js";
import { Connection, liveAddress } from "./connection.js";
import { SoFar } from "./so-far.js";
import { showDue, showPlayers, showQuestions, showRulings } from "./score-view.js";
import { TableView } from "./table-view.js";

const body = document.body;
const byId = (id) => document.getElementById(id);
const view = new TableView(byId("table-view"));
const clock = new MatchClock(byId("clock"), byId("clock-name"), byId("clock-time"));
const soFar = new SoFar(byId("so-far"), byId("so-far-balls"));
let connected = false;
let health = { state: "failed", text: "" };
let fresh = false;

function showStatus() {
  body.dataset.connected = connected ? "yes" : "no";
  body.dataset.fresh = connected && fresh ? "yes" : "no";
  body.dataset.health = health.state;
  const words = connected ? health.text : byId("status").dataset.lost;
  if (byId("status-text").textContent !== words) byId("status-text").textContent = words;
}

function hear(news) {
  health = news.health;
  fresh = news.is_fresh;
  showStatus();
}

/** What a screen reader says: the score, the last ruling, who plays; only when that is another sentence. */
function speak(state) {
  const last = state.rulings.at(-1);
  const score = (state.match?.players ?? []).map((player) => `${player.name} ${player.score}`).join(", ");
  const said = [score, last ? `${last.title} ${last.points_text}. ${last.reasons.map((reason) => reason.text).join(". ")}` : "",
    ...state.pending.map((question) => question.text), state.headline, ...state.due].filter(Boolean).join(". ");
  if (byId("spoken").textContent !== said) byId("spoken").textContent = said;
}

function showState(state) {
  view.showTable(state.table);
  byId("table-name").textContent = state.table.name;
  byId("marker").textContent = state.table.marker ?? "";
  byId("marker").hidden = !state.table.marker;
  byId("game").textContent = state.match?.game_name ?? "";
  byId("headline").textContent = state.headline;
  showPlayers(byId("players"), state.match);
  showQuestions(byId("question"), byId("question-list"), state.pending);
  showDue(byId("due"), byId("due-list"), state.due);
  showRulings(byId("ruling-list"), state.rulings);
  view.showPaths(state.paths);
  view.showDuePlaces(state.due_places);
  clock.show(state.clock);
  speak(state);
  body.dataset.match = state.match ? "yes" : "no";
  if (state.positions) view.showPlaces(state.positions.t_s, state.positions.balls);
  hear(state);
}

// The join code changes when a match is over for a while: the picture is asked for anew.
const join = byId("join");
const joinAddress = join.getAttribute("src");
setInterval(() => {
  if (connected) join.src = `${joinAddress}${joinAddress.includes("?") ? "&" : "?"}t=${Date.now()}`;
}, 60_000);

new Connection(liveAddress(body.dataset.table, body.dataset.language), {
  onMessage(message) {
    if (message.type === "state") showState(message);
    else if (message.type === "positions") view.showPlaces(message.t_s, message.balls);
    else if (message.type === "event") soFar.hear(message);
    else if (message.type === "heartbeat") hear(message);
  },
  onFresh(nowConnected) {
    connected = nowConnected;
    showStatus();
  },
});
