// Scores, questions, what is due, and why: plain elements, made anew only when they say something else.

import { ballIcon } from "./balls.js";
import { element, ruleLink } from "./elements.js";

/** Remember what an element shows; true when that has changed. */
function isNew(place, shown) {
  const key = JSON.stringify(shown);
  if (place.shownKey === key) return false;
  place.shownKey = key;
  return true;
}

export function showPlayers(place, match) {
  const players = match?.players ?? [];
  if (!isNew(place, [players, match?.shooter])) return;
  const before = new Map([...place.children].map((card) => [card.dataset.name, card.dataset.score]));
  place.dataset.count = players.length;
  place.replaceChildren(...players.map((player) => playerCard(place, player, before)));
}

function playerCard(place, player, before) {
  const card = element("article", "player");
  card.dataset.name = player.name;
  card.dataset.score = player.score;
  card.classList.toggle("shooting", player.is_shooting);
  const longestWord = Math.max(...player.name.split(/[\s+-]+/).map((word) => word.length));
  card.classList.toggle("long-name", player.name.length > 14);
  card.classList.toggle("long-word", longestWord > 14);
  card.classList.toggle("won", player.has_won);
  card.classList.toggle("changed", before.has(player.name) && before.get(player.name) !== String(player.score));
  const name = element("h2", "player-name");
  if (player.cue_ball) name.append(ballIcon(player.cue_ball));
  name.append(element("span", "", player.name));
  const facts = element("p", "player-facts");
  const known = [[place.dataset.target, player.target], [place.dataset.series, player.series], [place.dataset.plays, player.shooter]];
  for (const [label, value] of known) {
    if (value === null || value === undefined) continue;
    const fact = element("span", "", `${label} `);
    fact.append(element("b", "", String(value)));
    facts.append(fact);
  }
  if (player.handicap) facts.append(element("span", "player-handicap", player.handicap));
  if (player.note) facts.append(element("span", "player-place", player.note));
  card.append(name, element("p", "player-score", String(player.score).replace("-", "−")), facts);
  return card;
}

export function showQuestions(card, list, questions) {
  if (!isNew(list, questions)) return;
  card.hidden = questions.length === 0;
  list.replaceChildren(...questions.map((question) => {
    const item = element("li", "", question.text);
    if (question.choices.length > 0) {
      const choices = element("p", "choices");
      choices.append(...question.choices.slice(0, 5).map((choice) => element("span", "choice", choice.text)));
      item.append(choices);
    }
    return item;
  }));
}

export function showDue(card, list, due) {
  if (!isNew(list, due)) return;
  card.hidden = due.length === 0;
  list.replaceChildren(...due.map((words) => element("li", "", words)));
}

export function showRulings(list, rulings) {
  if (!isNew(list, rulings)) return;
  if (rulings.length === 0) {
    list.replaceChildren(element("li", "empty", list.dataset.empty));
    return;
  }
  list.replaceChildren(...rulings.slice(-3).reverse().map((ruling, age) => rulingItem(ruling, age ? "" : list.dataset.rule)));
}

function rulingItem(ruling, ruleWord) {
  const item = element("li", "ruling");
  const head = element("p", "ruling-head");
  head.append(element("span", "", ruling.title));
  if (ruling.points_text) {
    head.append(element("span", `ruling-points ${ruling.points_text.includes("−") ? "minus" : "plus"}`, ruling.points_text));
  }
  item.append(head);
  for (const reason of ruling.reasons) {
    const line = element("p", "ruling-reason", `${reason.text} `);
    if (reason.rule) line.append(ruleLink("ruling-rule", ruleWord, reason.rule));
    item.append(line);
  }
  return item;
}
