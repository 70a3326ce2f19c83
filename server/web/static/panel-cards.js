// Small cards of the panel: joining, the lag, the end of a match.

import { button, element } from "./elements.js";
import { ask } from "./server.js";

/** For a phone that may only look: the code on the display lets it play. */
export function joinCard(panel) {
  const code = element("input", "code");
  code.autocomplete = "off";
  code.autocapitalize = "characters";
  code.spellcheck = false;
  code.maxLength = 12;
  code.setAttribute("aria-label", panel.say("code"));
  const card = element("form", "card join", element("h2", "", panel.say("join")), element("p", "", panel.say("join_how")), code);
  const go = element("button", "wide main", panel.say("join_go"));
  go.type = "submit";
  card.append(go);
  card.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    try {
      panel.session = await ask(`/api/tables/${encodeURIComponent(panel.table)}/join`, { body: { code: code.value }, language: panel.language });
      panel.show(panel.state);
    } catch (error) {
      panel.complain(error);
    } finally {
      go.disabled = false;
    }
  });
  return card;
}

/** Who has won the lag; the camera may tell it too. */
export function lagCard(panel) {
  const sides = panel.state.match.players;
  return element("section", "card lag", element("h2", "", panel.say("lag_who")),
    element("div", "two", ...sides.map((side) => button("wide main", side.name, () => panel.give("lag", { winner: firstOf(panel, side) })))));
}

function firstOf(panel, side) {
  return panel.state.controls.members.find((member) => side.name === member || side.name.startsWith(`${member}+`)) ?? side.name;
}

/** The match is over. */
export function overCard(panel) {
  const { offer } = panel.state;
  return element("section", "card over", element("h2", "", panel.state.headline),
    offer ? element("p", "offered", panel.say("offered", { game: offer.game_name })) : null,
    element("div", "two",
      button("wide main", panel.say("rematch"), () => panel.give("rematch")),
      button("wide", panel.say("new_match"), () => {
        panel.wish = "start";
        panel.showWork();
      })));
}
