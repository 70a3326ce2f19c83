// Starting a match: game, line-up, names, who opens, handicap, options with the book's defaults.

import { ballButtons } from "./panel-call.js";
import { button, choice, element, field, several, toggle } from "./elements.js";
import { ask } from "./server.js";

const KEPT = "cuemarker.names";
const NUMBERS = Array.from({ length: 15 }, (_, index) => String(index + 1));

export function startCard(panel) {
  const card = element("section", "card start", element("h2", "", panel.say("new_match")));
  if (panel.state.match) {
    card.append(button("wide quiet", panel.say("back"), () => {
      panel.wish = null;
      panel.showWork();
    }));
  }
  const { offer, put_aside: aside } = panel.state;
  if (offer) card.append(element("p", "offered", panel.say("offered", { game: offer.game_name })));
  if (aside) {
    const score = Object.entries(aside.scores).map(([name, points]) => `${name} ${points}`).join(" : ");
    card.append(button("wide", element("span", "", panel.say("resume"), element("em", "", `${aside.game_name} · ${score}`)), () => panel.give("resume")));
  }
  const place = element("div", "start-form");
  card.append(place);
  ask("/api/games", { language: panel.language }).then((games) => new StartForm(panel, place, games).showAll(), (error) => panel.complain(error));
  return card;
}

class StartForm {
  constructor(panel, place, games) {
    this.panel = panel;
    this.place = place;
    this.games = games;
    this.names = kept();
    const wished = panel.state.offer?.game ?? panel.state.match?.game;
    this.game = games.find((game) => game.name === wished) ?? games.find((game) => game.name === "kaisa") ?? games[0];
    this.lineUp = this.game.line_ups[0];
    this.opens = "lag";
    this.given = {};
    this.handicap = {};
  }

  showAll() {
    const { panel } = this;
    const choose = (name) => {
      this.game = this.games.find((game) => game.name === name);
      this.lineUp = this.game.line_ups[0];
      this.given = {};
      this.handicap = {};
      this.showAll();
    };
    this.place.replaceChildren(
      choice(panel.say("game"), this.games.map((game) => ({ value: game.name, text: game.text })), this.game.name, choose),
      choice(panel.say("line_up"), this.game.line_ups.map((one, index) => ({ value: index, text: one.text })), this.game.line_ups.indexOf(this.lineUp), (index) => {
        this.lineUp = this.game.line_ups[index];
        this.handicap = {};
        this.showAll();
      }),
      element("div", "names", ...this.nameFields()),
      element("h3", "", panel.say("who_opens")),
      this.openers(),
      ...this.options(),
      ...this.handicaps(),
      button("wide main start-button", panel.say("start"), () => this.start()),
    );
  }

  get count() {
    return this.lineUp.sides.reduce((sum, size) => sum + size, 0);
  }

  nameOf(index) {
    return (this.names[index] ?? "").trim() || this.panel.say("player", { number: index + 1 });
  }

  /** Names by side, as the server wants them. */
  sides() {
    let index = 0;
    return this.lineUp.sides.map((size) => {
      const members = Array.from({ length: size }, () => this.nameOf(index++));
      return size === 1 ? members[0] : members;
    });
  }

  nameFields() {
    return Array.from({ length: this.count }, (_, index) => {
      const input = element("input");
      input.maxLength = 40;
      input.autocomplete = "off";
      input.value = this.names[index] ?? "";
      input.placeholder = this.panel.say("player", { number: index + 1 });
      input.addEventListener("input", () => (this.names[index] = input.value));
      return field(this.panel.say("player", { number: index + 1 }), input);
    });
  }

  openers() {
    const sides = this.lineUp.sides.map((_, index) => ({ value: index, text: this.panel.say("side_opens", { number: index + 1 }) }));
    return choice(this.panel.say("who_opens"), [{ value: "lag", text: this.panel.say("lag") }, ...sides], this.opens, (value) => (this.opens = value));
  }

  handicaps() {
    const kinds = this.game.handicaps;
    if (kinds.length === 0) return [];
    const place = element("details", "fold", element("summary", "", this.panel.say("handicap")));
    this.lineUp.sides.forEach((_, side) => {
      const mine = (this.handicap[side] ??= {});
      place.append(element("h4", "", this.panel.say("side", { number: side + 1 })));
      if (kinds.includes("points")) place.append(number(this.panel.say("handicap_points"), 0, (value) => (mine.points = value)));
      if (kinds.includes("caroms")) place.append(toggle(this.panel.say("handicap_caroms"), false, (on) => (mine.caroms = on)));
      if (kinds.includes("off_table")) {
        place.append(number(this.panel.say("handicap_credit"), 0, (value) => (mine.credit = value)));
        const off = new Set(mine.off_table ?? []);
        place.append(element("p", "", this.panel.say("handicap_off_table")), ballButtons(this.panel, NUMBERS, off, (name) => {
          if (!off.delete(name)) off.add(name);
          mine.off_table = [...off];
        }));
      }
    });
    return [place];
  }

  options() {
    const rows = (options) => options.map((option) => this.option(option));
    const main = this.game.options.filter((option) => option.is_main);
    const others = this.game.options.filter((option) => !option.is_main);
    const more = element("details", "fold", element("summary", "", this.panel.say("all_rules")), ...rows(others));
    return [element("details", "fold", element("summary", "", this.panel.say("rules")), ...rows(main), more)];
  }

  option(option) {
    const set = (value) => {
      if (JSON.stringify(value) === JSON.stringify(option.default) || value.length === 0) delete this.given[option.name];
      else this.given[option.name] = value;
    };
    const now = this.given[option.name] ?? option.default;
    if (option.kind === "flag") return toggle(option.text, now, set);
    if (option.kind === "number") return number(option.text, now, set);
    if (option.kind === "list") {
      return element("div", "option", element("p", "", option.text, option.is_ordered ? ` ${this.panel.say("in_order")}` : ""),
        several(option.text, option.choices, now, option.is_ordered, set));
    }
    return element("div", "option", element("p", "", option.text), choice(option.text, option.choices, now, set));
  }

  async start() {
    const players = this.sides();
    const body = { game: this.game.name, players, format: this.lineUp.format, options: this.given, handicap: {} };
    if (this.opens === "lag") body.lag = true;
    else body.first = [players[this.opens]].flat()[0];
    players.forEach((side, index) => {
      const mine = Object.fromEntries(Object.entries(this.handicap[index] ?? {}).filter(([, value]) => value && value.length !== 0));
      if (Object.keys(mine).length > 0) body.handicap[[side].flat().join("+")] = mine;
    });
    keep(this.names);
    this.panel.wish = null;
    if (!(await this.panel.give("match", body))) this.panel.wish = this.panel.state.match ? "start" : null;
  }
}

function number(label, value, onChange) {
  const input = element("input");
  input.type = "number";
  input.inputMode = "numeric";
  input.min = "0";
  input.max = "999";
  input.value = String(value);
  input.addEventListener("input", () => {
    const given = Number.parseInt(input.value, 10);
    if (given >= 0) onChange(given);
  });
  return field(label, input);
}

function kept() {
  try {
    const names = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(names) ? names.slice(0, 4).map(String) : [];
  } catch {
    return [];
  }
}

function keep(names) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(names));
  } catch {
    // a browser that keeps nothing asks for the names again
  }
}
