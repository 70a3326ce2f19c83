// One stroke: its drawing, why it counts so, other readings for one tap, removing and inserting.

import { button, element, ruleLink } from "./elements.js";
import { evidence } from "./panel-evidence.js";
import { handSheet } from "./panel-hand.js";

export async function strokeSheet(panel, number) {
  let stroke;
  try {
    stroke = await panel.ask(`strokes/${number}`);
  } catch (error) {
    panel.complain(error);
    return;
  }
  const fix = async (path, body) => {
    if (await panel.give(path, body)) panel.closeSheet();
  };
  const parts = [evidence(panel, number)];
  for (const reason of stroke.ruling?.reasons ?? []) {
    parts.push(element("p", "reason", `${reason.text} `, reason.rule ? ruleLink("rule-link", panel.say("rule"), reason.rule) : ""));
  }
  if (panel.allowed) {
    if (stroke.alternatives.length > 0) {
      parts.push(element("h3", "", panel.say("otherwise")));
      parts.push(element("div", "answers", ...stroke.alternatives.map((other) => button("wide", [
        element("span", "", other.text, element("em", "", other.outcome)),
        element("small", "", other.probability === null ? "" : `${Math.round(other.probability * 100)} %`),
      ], () => fix("correct", { stroke: number, shot: other.shot })))));
    }
    parts.push(element("h3", "", panel.say("change")), element("div", "answers",
      button("wide", panel.say("by_hand_instead"), () => handSheet(panel, { stroke: number })),
      button("wide", panel.say("insert_before"), () => handSheet(panel, { before: number })),
      button("wide danger", panel.say("remove"), () => fix("correct", { stroke: number, remove: true }))));
  }
  const seen = element("details", "seen", element("summary", "", panel.say("seen")));
  seen.append(element("ol", "", ...stroke.events.map((line) => element("li", "", line))));
  parts.push(seen);
  panel.openSheet(`${number}. ${stroke.ruling?.title ?? ""} ${stroke.ruling?.points_text ?? ""}`, ...parts);
}

export async function strokesSheet(panel) {
  try {
    const strokes = await panel.ask("strokes");
    panel.openSheet(panel.say("all_strokes"), ...strokes.reverse().map((ruling) => panel.strokeButton(ruling)));
  } catch (error) {
    panel.complain(error);
  }
}
