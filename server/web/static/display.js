// The board across the room: puts a table's messages onto the page.

import { Connection, liveAddress } from "./connection.js";
import { showDue, showPlayers, showQuestions, showRulings } from "./score-view.js";
import { TableView } from "./table-view.js";

const body = document.body;
const byId = (id) => document.getElementById(id);
const view = new TableView(byId("table-view"));
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
    else if (message.type === "heartbeat") hear(message);
  },
  onFresh(nowConnected) {
    connected = nowConnected;
    showStatus();
  },
});
