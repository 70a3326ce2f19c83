// The players' panel: what people may do now, always in reach of a thumb; live over the WebSocket.

import { ballIcon } from "./balls.js";
import { Connection, liveAddress } from "./connection.js";
import { button, element, Words } from "./elements.js";
import { callPicker } from "./panel-call.js";
import { handSheet } from "./panel-hand.js";
import { lagCard, overCard, joinCard } from "./panel-cards.js";
import { moreSheet, refereeSheet } from "./panel-referee.js";
import { questionCard } from "./panel-question.js";
import { startCard } from "./panel-start.js";
import { strokeSheet, strokesSheet } from "./panel-stroke.js";
import { ask } from "./server.js";
import { TableView } from "./table-view.js";

const byId = (id) => document.getElementById(id);
const SHOWN = 4;

class Panel {
  constructor() {
    this.table = document.body.dataset.table;
    this.language = document.body.dataset.language;
    this.words = new Words(document.body.dataset.words);
    this.view = new TableView(byId("table-view"));
    this.state = null;
    this.session = null;
    this.connected = false;
    this.workKey = null;
    this.wish = null; // "start": people want a new match though one is there
  }

  say(id, parameters) {
    return this.words.say(`panel.${id}`, parameters);
  }

  get allowed() {
    return this.session?.tables.includes(this.table) ?? false;
  }

  ask(path, body) {
    return ask(`/api/tables/${encodeURIComponent(this.table)}/${path}`, { body, language: this.language });
  }

  /** Give a command; true when it was carried out. */
  async give(path, body = {}) {
    try {
      this.show(await this.ask(path, body));
      return true;
    } catch (error) {
      this.complain(error);
      return false;
    }
  }

  /** Undo or redo what is shown now; a second tap, or somebody else's, does not go further than was seen. */
  turn(path) {
    return this.give(path, { after: this.state.controls.entries });
  }

  complain(error) {
    const toast = byId("toast");
    toast.textContent = error.status ? error.message : this.say("not_sent");
    toast.hidden = false;
    clearTimeout(this.toastTimer);
    this.toastTimer = setTimeout(() => (toast.hidden = true), 6000);
    if (error.status === 403) this.askWhoIAm();
  }

  async askWhoIAm() {
    try {
      this.session = await ask("/api/session", { language: this.language });
    } catch {
      setTimeout(() => this.askWhoIAm(), 2000);
      return;
    }
    if (this.state) this.show(this.state);
  }

  openSheet(title, ...content) {
    const sheet = byId("sheet");
    const heading = element("h2", "", title);
    heading.id = "sheet-title";
    const close = button("close", "✕", () => sheet.close());
    close.setAttribute("aria-label", this.say("close"));
    sheet.replaceChildren(element("div", "sheet-head", heading, close), element("div", "sheet-body", ...content));
    if (!sheet.open) sheet.showModal();
    sheet.scrollTop = 0;
  }

  closeSheet() {
    byId("sheet").close();
  }

  showStatus() {
    const health = this.state?.health ?? { state: "failed", text: "" };
    document.body.dataset.connected = this.connected ? "yes" : "no";
    document.body.dataset.fresh = this.connected ? "yes" : "no";
    document.body.dataset.health = health.state;
    const said = this.connected ? health.text : this.say("connection_lost");
    if (byId("status-text").textContent !== said) byId("status-text").textContent = said;
    for (const id of ["undo", "redo", "by-hand", "referee", "more"]) byId(id).disabled = !this.canPress(id);
  }

  canPress(id) {
    const controls = this.state?.controls;
    if (!this.connected || !this.allowed || !controls) return false;
    if (id === "undo") return controls.can_undo;
    if (id === "redo") return controls.can_redo;
    if (id === "more") return true;
    return controls.due !== "start" && (controls.due !== "nothing" || id === "referee");
  }

  show(state) {
    this.state = state;
    this.view.showTable(state.table);
    byId("table-name").textContent = state.table.name;
    byId("marker").textContent = state.table.marker ?? "";
    byId("marker").hidden = !state.table.marker;
    byId("game").textContent = state.match?.game_name ?? "";
    byId("headline").textContent = state.match ? state.headline : "";
    byId("undo-what").textContent = state.controls.undo_text ?? "";
    byId("players").replaceChildren(...(state.match?.players ?? []).map((player) => this.score(player)));
    byId("due").replaceChildren(...state.due.map((said) => element("li", "", said)));
    const shown = state.rulings.slice(-SHOWN).reverse();
    byId("strokes").replaceChildren(...shown.map((ruling) => element("li", "", this.strokeButton(ruling))));
    byId("strokes-card").hidden = shown.length === 0;
    if (shown.length > 0 && state.match.strokes > shown.length) {
      byId("strokes").append(element("li", "", button("wide quiet", this.say("all_strokes"), () => strokesSheet(this))));
    }
    this.view.showPaths(state.paths);
    this.view.showDuePlaces(state.due_places);
    if (state.positions) this.view.showPlaces(state.positions.t_s, state.positions.balls);
    this.showWork();
    this.showStatus();
  }

  score(player) {
    const name = element("h2", "score-name", element("span", "", player.name));
    if (player.cue_ball) name.prepend(ballIcon(player.cue_ball));
    const facts = [];
    if (player.target !== null) facts.push(`${this.say("target")} ${player.target}`);
    if (player.series) facts.push(`${this.say("series")} ${player.series}`);
    if (player.shooter) facts.push(player.shooter);
    if (player.note) facts.push(player.note);
    const card = element("article", "score", name, element("p", "score-points", String(player.score).replace("-", "−")),
      element("p", "score-facts", facts.join(" · ")));
    card.classList.toggle("shooting", player.is_shooting);
    card.classList.toggle("won", player.has_won);
    card.classList.toggle("long-word", player.name.split(/[\s+-]+/).some((word) => word.length > 11));
    return card;
  }

  strokeButton(ruling) {
    const head = element("span", "stroke-head", element("b", "", `${ruling.stroke}. ${ruling.title}`),
      element("b", ruling.points_text.includes("−") ? "minus" : "plus", ruling.points_text));
    const reasons = ruling.reasons.map((reason) => element("span", "stroke-reason", reason.text));
    return button("stroke", [head, ...reasons], () => strokeSheet(this, ruling.stroke));
  }

  /** The one card that is about what to do now; made anew only when that is another thing. */
  showWork() {
    const { state, allowed } = this;
    const due = this.wish === "start" ? "start" : state.controls.due;
    const key = JSON.stringify([this.session !== null, allowed, due, state.pending, state.controls.call, state.controls.balls,
      due === "call" || due === "stroke" ? [state.match?.call, state.match?.shooter, state.match?.strokes] : null, state.match?.winner,
      due === "start" || due === "nothing" ? [state.offer?.game, state.put_aside] : null]);
    if (key === this.workKey) return;
    this.workKey = key;
    byId("work").replaceChildren(...this.work(due));
    document.body.dataset.due = due;
  }

  work(due) {
    if (!this.session) return [];
    if (!this.allowed) return [joinCard(this)];
    if (due === "start") return [startCard(this)];
    if (due === "answer") return this.state.pending.map((question) => questionCard(this, question));
    if (due === "lag") return [lagCard(this)];
    if (due === "nothing") return [overCard(this)];
    if (this.state.controls.call === "none") return [];
    const { match } = this.state;
    return [callPicker(this, { title: this.say("call_of", { player: match.shooter }), said: match.call, isDue: due === "call",
      send: (call) => this.give("call", call) })];
  }
}

const panel = new Panel();
byId("sheet").addEventListener("close", () => byId("sheet").replaceChildren());
byId("undo").addEventListener("click", () => panel.turn("undo"));
byId("redo").addEventListener("click", () => panel.turn("redo"));
byId("by-hand").addEventListener("click", () => handSheet(panel, {}));
byId("referee").addEventListener("click", () => refereeSheet(panel));
byId("more").addEventListener("click", () => moreSheet(panel));
panel.showStatus();
panel.askWhoIAm();

new Connection(liveAddress(panel.table, panel.language), {
  onMessage(message) {
    if (message.type === "state") panel.show(message);
    else if (message.type === "positions") panel.view.showPlaces(message.t_s, message.balls);
    else if (message.type === "heartbeat" && panel.state) {
      panel.state.health = message.health;
      panel.showStatus();
    }
  },
  onFresh(connected) {
    panel.connected = connected;
    panel.showStatus();
  },
});
