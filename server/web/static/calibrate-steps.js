// What each step of the wizard shows: a question or two, the traffic light, and one main button.

import { button, choice, element, field } from "./elements.js";

const SIZES = [[3550, 1775, "12"], [2840, 1420, "10"], [2540, 1270, "9"], [2240, 1120, "8"]];
const BALLS = [68, 61.5, 60.3, 57.2];
const MOST_REASONS = 3;
const OPPOSITE = { left: "right", right: "left", top: "bottom", bottom: "top" };

const small = (row) => {
  row.dataset.small = "";
  return row;
};
const light = (kind, ...children) => element("div", `light ${kind}`, element("i"), element("div", "", ...children));
const busy = (text) => element("div", "busy", element("i"), element("p", "", text));
/** The main button under the thumb, the others in a row below it. */
const actions = (main, ...others) => element("div", "step-actions", main, element("div", "others", ...others));

function number(value, onChange) {
  const made = element("input");
  made.type = "number";
  made.inputMode = "decimal";
  made.min = "1";
  made.step = "any";
  made.value = value;
  made.addEventListener("change", () => onChange(Number(made.value)));
  return made;
}

export function tableStep(wizard) {
  const { say, size, state } = wizard;
  const options = SIZES.map(([length, width, feet]) => ({ value: `${length}x${width}`, text: say("feet", { feet }) }));
  const isOther = !options.some(({ value }) => value === size.choice);
  const parts = [element("h2", "", say("which_table")),
    small(choice(say("size"), [...options, { value: "other", text: say("other") }], isOther ? "other" : size.choice, (value) => {
      const [length, width] = value.split("x").map(Number);
      Object.assign(size, { choice: value }, value === "other" ? {} : { length_mm: length, width_mm: width });
      wizard.refresh();
    }))];
  if (!isOther) parts.push(element("p", "hint", say("nose_to_nose", { length: size.length_mm, width: size.width_mm })));
  if (isOther) {
    parts.push(field(say("length"), number(size.length_mm, (value) => (size.length_mm = value))),
      field(say("width"), number(size.width_mm, (value) => (size.width_mm = value))));
  }
  parts.push(element("h3", "", say("ball_size")),
    small(choice(say("ball_size"), [...new Set([...BALLS, size.ball_mm])].map((value) => ({ value, text: `${value} mm` })), size.ball_mm, (value) => (size.ball_mm = value))),
    element("h3", "", say("pockets")),
    small(choice(say("pockets"), ["auto", "six", "none"].map((value) => ({ value, text: say(`pockets_${value}`) })), size.pockets, (value) => (size.pockets = value))),
    element("p", "hint", say("before_measuring")));
  const go = button("wide main", say("find"), () => {
    wizard.house = null;
    return wizard.measure({ corners: null });
  });
  return [...parts, actions(go), ...viewChoice(wizard), ...inPlay(state), ...storedFold(wizard, state)];
}

function inPlay({ in_play: seen }) {
  return seen ? [light(seen.light, element("p", "", seen.text))] : [];
}

function viewChoice({ say, state, view }) {
  if (state.views < 2) return [];
  const other = element("a", "wide link", say("other_camera", { number: view === 0 ? 2 : 1 }));
  other.href = `?view=${view === 0 ? 1 : 0}`;
  return [other];
}

function storedFold(wizard, state) {
  if (state.stored.length === 0) return [];
  const { say, language } = wizard;
  const moment = (text) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(text));
  const fold = element("details", "fold", element("summary", "", say("stored")));
  fold.open = wizard.isStoredOpen;
  fold.addEventListener("toggle", () => (wizard.isStoredOpen = fold.open));
  for (const one of state.stored) {
    const said = element("div", "stored", element("span", `dot ${one.light ?? "none"}`), element("p", "", one.date ? moment(one.date) : "", element("small", "", one.text)));
    if (one.number === 0) said.append(element("em", "", say("present")));
    else said.append(button("chip", say("bring_back"), () => wizard.restore(one.number)));
    fold.append(said);
  }
  return [fold];
}

export function outlineStep(wizard) {
  const { say, state, corners } = wizard;
  const { proposal } = state;
  const back = button("wide quiet", say("back"), () => wizard.go(0));
  if (state.doing === "measure") return [busy(say("measuring"))];
  if (corners) {
    return [element("h2", "", say("drag_title")), element("p", "hint", say("drag_how")),
      actions(button("wide main", say("measure_corners"), () => wizard.measure({ corners: wizard.corners })),
        button("wide quiet", say("cancel"), () => wizard.stopDragging()))];
  }
  const drag = (kind) => button(`wide ${kind}`, say("drag"), () => wizard.startDragging());
  const again = button("wide quiet", say("again"), () => wizard.measure());
  if (!proposal) {
    return [light("refuse", element("h2", "", say("nothing_found")), element("p", "", state.failure)),
      element("p", "hint", say("show_corners")), actions(drag("main"), again, back)];
  }
  const parts = [verdict(proposal), ...proposal.doubts.map((doubt) => element("p", "doubt", doubt))];
  if (proposal.light === "refuse") return [...parts, actions(drag("main"), again, back)];
  if (proposal.asks_house && !wizard.house) return [...parts, houseQuestion(wizard, proposal), actions(drag(""), again, back)];
  return [...parts, actions(button("wide main", say("outline_right"), () => wizard.go(2)), drag(""), again, back)];
}

function verdict(proposal) {
  return light(proposal.light, element("h2", "", proposal.headline), ...proposal.reasons.slice(0, MOST_REASONS).map((reason) => element("p", "", reason)));
}

function houseQuestion(wizard, proposal) {
  const { say } = wizard;
  const choose = (side) => button("wide", say(`house_${side}`), () => {
    wizard.house = side;
    return side === proposal.front ? wizard.refresh() : wizard.measure();
  });
  return element("div", "house", element("h3", "", say("which_house")), element("div", "two", choose(proposal.front), choose(OPPOSITE[proposal.front])));
}

export function coloursStep(wizard) {
  const { say, state } = wizard;
  const { proposal } = state;
  if (state.doing) return [busy(say("learning"))];
  if (!proposal) return lost(wizard);
  const swatches = proposal.colours.map(({ name, srgb }) => {
    const dot = element("i");
    dot.style.background = `rgb(${srgb.map(Math.round).join(" ")})`;
    return element("li", "", dot, name);
  });
  const refusal = state.failed === "colours" ? state.failure : proposal.colours_text;
  return [element("h2", "", say("colours_title")), element("ul", "swatches", ...swatches), element("p", "hint", refusal),
    element("p", "", say("colours_how")),
    actions(button("wide main", say("next"), () => wizard.go(3)), button("wide", say("learn_again"), () => wizard.learnColours()),
      button("wide quiet", say("back"), () => wizard.go(1)))];
}

export function ballStep(wizard) {
  const { say, state, place } = wizard;
  const { proposal, checks } = state;
  if (state.doing) return [busy(say("looking"))];
  if (!proposal) return lost(wizard);
  const results = new Map(checks.map((check) => [check.place, check]));
  const places = choice(say("where"), proposal.places.map((one) => ({ value: one.place, text: one.name })), place, (value) => wizard.choose(value));
  for (const [index, one] of proposal.places.entries()) {
    const check = results.get(one.place);
    if (check) places.children[index].append(element("span", `dot ${check.light}`));
  }
  const name = proposal.places.find((one) => one.place === place)?.name;
  const parts = [element("h2", "", say("ball_title"))];
  if (state.failed === "ball") parts.push(light("refuse", element("p", "", state.failure)));
  else if (results.has(place)) parts.push(light(results.get(place).light, element("p", "", results.get(place).text)));
  else parts.push(element("p", "hint", name ? say("put_ball", { place: name }) : say("choose_place")));
  parts.push(places);
  const next = button(checks.length > 0 ? "wide main" : "wide", say(checks.length > 0 ? "next" : "skip"), () => wizard.go(4));
  const look = button(checks.length > 0 ? "wide" : "wide main", say("look"), () => wizard.look());
  look.disabled = !place;
  return [...parts, actions(...(checks.length > 0 ? [next, look] : [look, next]), button("wide quiet", say("back"), () => wizard.go(2)))];
}

export function saveStep(wizard) {
  const { say, state } = wizard;
  const { proposal } = state;
  if (!proposal) return lost(wizard);
  const figures = element("dl", "figures");
  for (const { name, error_mm } of proposal.places) {
    if (error_mm !== null) figures.append(element("dt", "", name), element("dd", "", `${error_mm.toFixed(1)} mm`));
  }
  const parts = [verdict(proposal), ...state.checks.map((check) => light(check.light, element("p", "", check.text))),
    element("h3", "", say("figures")), figures,
    element("p", "hint", say("evidence", { px: proposal.rms_px.toFixed(2), marks: proposal.marks, share: Math.round(proposal.coverage * 100) }))];
  if (state.is_saved) {
    const hall = element("a", "wide main link", say("to_hall"));
    hall.href = `/hall?lang=${wizard.language}`;
    return [light("pass", element("h2", "", say("saved"))), ...parts.slice(1), actions(hall, button("wide quiet", say("once_more"), () => wizard.go(0))), ...storedFold(wizard, state)];
  }
  const save = button("wide main", say("save"), () => wizard.save());
  save.disabled = proposal.light === "refuse" || !state.can_save;
  if (!state.can_save) parts.push(element("p", "hint", say("no_file")));
  return [...parts, actions(save, button("wide quiet", say("back"), () => wizard.go(3))), ...storedFold(wizard, state)];
}

function lost(wizard) {
  return [element("p", "hint", wizard.say("measure_first")), actions(button("wide main", wizard.say("back"), () => wizard.go(0)))];
}
