// A call: tap a ball, tap a pocket, and switch the bank on. It is sent as soon as it is whole.

import { ballIcon } from "./balls.js";
import { element, toggle } from "./elements.js";

const TOP = ["FL", "ML", "RL"];
const BOTTOM = ["FR", "MR", "RR"];

/** Buttons for balls; `chosen` is a set of names that `onTap(name)` may change. */
export function ballButtons(panel, names, chosen, onTap) {
  const row = element("div", "balls");
  row.classList.toggle("many", names.length > 6);
  const buttons = names.map((name) => {
    const one = element("button", "ball-button", ballIcon(name));
    one.type = "button";
    one.setAttribute("aria-label", panel.words.ball(name));
    one.setAttribute("aria-pressed", String(chosen.has(name)));
    one.addEventListener("click", () => {
      onTap(name);
      buttons.forEach((other, index) => other.setAttribute("aria-pressed", String(chosen.has(names[index]))));
    });
    return one;
  });
  row.append(...buttons);
  return row;
}

/** The six pockets around a small table, as they lie on the display; `onTap(pocket)`. */
export function pocketButtons(panel, chosen, onTap) {
  const made = new Map();
  const one = (name) => {
    const pocket = element("button", "pocket-button", panel.words.say(`pocket.${name}`));
    pocket.type = "button";
    pocket.setAttribute("aria-pressed", String(name === chosen));
    pocket.addEventListener("click", () => {
      for (const [other, its] of made) its.setAttribute("aria-pressed", String(other === name));
      onTap(name);
    });
    made.set(name, pocket);
    return pocket;
  };
  const cloth = element("div", "small-cloth", element("span", "", panel.say("house")));
  return element("div", "pockets", ...TOP.map(one), cloth, ...BOTTOM.map(one));
}

/** The card; `send(call)` is given {ball, pocket, bank}, as far as the game asks for them. */
export function callPicker(panel, { title, said, isDue, send }) {
  const parts = panel.state.controls.call;
  const wantsPocket = parts.includes("pocket");
  const wantsBank = parts.includes("bank");
  const call = { ball: said?.ball ?? null, pocket: said?.pocket ?? null, bank: said?.bank ?? false };
  const chosen = new Set(call.ball ? [call.ball] : []);
  const tell = () => {
    if (call.ball === null || (wantsPocket && call.pocket === null)) return;
    const whole = { ball: call.ball };
    if (wantsPocket) whole.pocket = call.pocket;
    if (wantsBank) whole.bank = call.bank;
    send(whole);
  };
  const card = element("section", "card call", element("h2", "", title));
  card.classList.toggle("due-now", isDue);
  card.append(ballButtons(panel, panel.state.controls.balls, chosen, (name) => {
    chosen.clear();
    chosen.add(name);
    call.ball = name;
    tell();
  }));
  if (wantsPocket) {
    card.append(pocketButtons(panel, call.pocket, (pocket) => {
      call.pocket = pocket;
      tell();
    }));
  }
  if (wantsBank) {
    card.append(toggle(panel.say("bank"), call.bank, (on) => {
      call.bank = on;
      tell();
    }));
  }
  card.append(element("p", "said", said?.text ?? panel.say("not_called")));
  return card;
}
