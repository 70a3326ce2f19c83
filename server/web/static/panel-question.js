// A question: the most probable answer first and largest, the drawing of the stroke beside it.

import { button, element } from "./elements.js";
import { ballButtons, callPicker } from "./panel-call.js";
import { evidence } from "./panel-evidence.js";
import { strokeSheet } from "./panel-stroke.js";

export function questionCard(panel, question) {
  const give = (value) => panel.give("answer", { to: question.kind, value, stroke: question.stroke });
  const card = element("section", "card question", element("h2", "", panel.say("question")), element("p", "asked", question.text));
  const answers = element("div", "answers");
  question.choices.forEach((choice, index) => {
    const odds = choice.probability === null ? "" : `${Math.round(choice.probability * 100)} %`;
    answers.append(button(index === 0 ? "wide main" : "wide", [element("span", "", choice.text), element("small", "", odds)], () => give(choice.value)));
  });
  const beside = element("div", "asked-beside", answers);
  if (question.stroke !== null) beside.append(evidence(panel, question.stroke));
  card.append(beside);
  if (question.kind === "call") {
    if (panel.state.controls.call !== "none") {
      card.append(callPicker(panel, { title: panel.say("other_call"), said: null, isDue: false, send: give }));
    }
  } else if (question.is_open && question.kind === "put_back") {
    card.append(ballSet(panel, question, give));
  } else if (question.is_open && question.kind !== "layout") {
    card.append(ballButtons(panel, panel.state.controls.balls, new Set(), (name) => give(name)));
  }
  if (question.stroke !== null) card.append(button("wide quiet", panel.say("look_closer"), () => strokeSheet(panel, question.stroke)));
  return card;
}

/** Several balls as one answer. */
function ballSet(panel, question, give) {
  const first = question.choices[0]?.value;
  const chosen = new Set(Array.isArray(first) ? first : []);
  return element("div", "", ballButtons(panel, panel.state.controls.gone, chosen, (name) => {
    if (!chosen.delete(name)) chosen.add(name);
  }), button("wide", panel.say("done"), () => give([...chosen])));
}
