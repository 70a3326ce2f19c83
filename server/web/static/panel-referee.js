// What only people see: fouls and the like; and what is done rarely: conceding, a new match.

import { ballButtons } from "./panel-call.js";
import { button, choice, element } from "./elements.js";

const FOULS = ["touch", "push", "double_hit", "wrong_ball", "moving_balls", "feet", "butt", "not_as_called", "prompting", "hit_person"];
const AGREED = ["draw", "stalemate_warning"];

export function refereeSheet(panel) {
  const { members } = panel.state.controls;
  const order = { by: panel.state.match.shooter ?? members[0], when: "during" };
  const send = async (type) => {
    const body = FOULS.includes(type) ? { type, by: order.by, when: order.when } : { type };
    if (await panel.give("referee", body)) panel.closeSheet();
  };
  const word = (type) => panel.words.say(`kind.${type}`);
  panel.openSheet(panel.say("referee"),
    element("h3", "", panel.say("who")),
    choice(panel.say("who"), members.map((name) => ({ value: name, text: name })), order.by, (name) => (order.by = name)),
    choice(panel.say("when"), ["before", "during", "after"].map((value) => ({ value, text: panel.say(`when_${value}`) })), order.when,
      (value) => (order.when = value)),
    element("div", "answers two-columns", ...FOULS.map((type) => button("wide", word(type), () => send(type)))),
    ...fellByItself(panel),
    element("h3", "", panel.say("agreed")),
    element("div", "answers two-columns", ...AGREED.map((type) => button("wide", word(type), () => send(type)))));
}

/** A ball that nobody's stroke drove into its pocket. */
function fellByItself(panel) {
  const { balls, cue_ball: cue } = panel.state.controls;
  return [element("h3", "", panel.words.say("kind.fell_by_itself")), ballButtons(panel, [...balls, cue].filter(Boolean), new Set(), async (ball) => {
    if (await panel.give("referee", { type: "fell_by_itself", ball })) panel.closeSheet();
  })];
}

export function moreSheet(panel) {
  const { controls, match } = panel.state;
  const parts = [];
  if (match && controls.due !== "nothing") {
    parts.push(element("h3", "", panel.say("concede")));
    parts.push(element("div", "answers", ...controls.members.map((name) => sure(panel, "wide danger", panel.say("concedes", { player: name }), async () => {
      if (await panel.give("concede", { by: name })) panel.closeSheet();
    }))));
  }
  parts.push(element("h3", "", panel.say("match")));
  const begin = () => {
    panel.wish = "start";
    panel.closeSheet();
    panel.showWork();
    window.scrollTo({ top: 0 });
  };
  const again = async () => {
    if (await panel.give("rematch")) panel.closeSheet();
  };
  const isOn = match && controls.due !== "nothing";
  if (match) parts.push(isOn ? sure(panel, "wide", panel.say("rematch"), again) : button("wide", panel.say("rematch"), again));
  parts.push(button("wide", panel.say("new_match"), begin));
  if (isOn) {
    parts.push(button("wide", panel.say("put_aside"), async () => {
      if (await panel.give("aside")) panel.closeSheet();
    }));
  }
  const display = element("a", "wide link", panel.say("to_display"));
  display.href = `/display/${encodeURIComponent(panel.table)}?lang=${panel.language}`;
  parts.push(display);
  panel.openSheet(panel.say("more"), ...parts);
}

/** A button that asks once more before it does something grave. */
function sure(panel, className, text, work) {
  let asked = false;
  const made = button(className, text, async () => {
    if (asked) {
      await work();
      return;
    }
    asked = true;
    made.textContent = panel.say("really", { what: text });
    setTimeout(() => {
      asked = false;
      made.textContent = text;
    }, 4000);
  });
  return made;
}
