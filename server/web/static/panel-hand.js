// A stroke by hand: for one that was not seen, or was seen wrongly. Nothing, one ball or more fell; the rest follows.

import { button, choice, element, toggle } from "./elements.js";
import { ballButtons, pocketButtons } from "./panel-call.js";

export function handSheet(panel, place) {
  const order = { hit: [], potted: [], cue_ball: "stayed", called: true };
  const balls = panel.state.controls.balls;
  const title = place.stroke !== undefined ? panel.say("hand_instead", { stroke: place.stroke })
    : place.before !== undefined ? panel.say("hand_before", { stroke: place.before }) : panel.say("hand_now");
  const hit = new Set();
  const fallen = new Map();
  const pots = element("div", "pots");

  const showPots = () => pots.replaceChildren(...[...fallen.values()].map((pot) =>
    element("div", "pot", element("p", "", panel.words.ball(pot.ball)),
      pocketButtons(panel, pot.pocket, (pocket) => (pot.pocket = pocket)),
      toggle(panel.say("bank"), pot.bank, (on) => (pot.bank = on)))));

  const send = async () => {
    order.hit = [...hit];
    order.potted = [...fallen.values()];
    if (order.potted.some((pot) => pot.pocket === null)) {
      panel.complain({ status: 1, message: panel.say("which_pocket") });
      return;
    }
    if (await panel.give("by-hand", { ...order, ...place })) panel.closeSheet();
  };

  const parts = [
    element("h3", "", panel.say("hand_hit")),
    ballButtons(panel, balls, hit, (name) => {
      if (!hit.delete(name)) hit.add(name);
    }),
    element("h3", "", panel.say("hand_potted")),
    ballButtons(panel, balls, fallen, (name) => {
      if (!fallen.delete(name)) fallen.set(name, { ball: name, pocket: null, bank: false });
      showPots();
    }),
    pots,
    element("h3", "", panel.say("hand_cue_ball")),
    choice(panel.say("hand_cue_ball"), ["stayed", "potted", "off_table"].map((value) => ({ value, text: panel.say(`cue_${value}`) })),
      "stayed", (value) => (order.cue_ball = value)),
  ];
  if (panel.state.controls.call !== "none") parts.push(toggle(panel.say("as_called"), true, (on) => (order.called = on)));
  parts.push(button("wide main", panel.say("enter_stroke"), send));
  panel.openSheet(title, ...parts);
}
