// The hall's matches and players: lists, files to keep, and a match that is brought from elsewhere.

import { button, element } from "./elements.js";

const KINDS = ["txt", "json", "csv"];

/** A moment in the page's language. */
export function moment(text, language) {
  return text === null ? "" : new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" }).format(new Date(text));
}

/** A table that scrolls by itself when it is too wide. */
export function grid(heads, rows) {
  const made = element("table", "log", element("thead", "", element("tr", "", ...heads.map((head) => element("th", "", head)))), element("tbody", "", ...rows));
  return element("div", "scroll", made);
}

function link(text, address) {
  const made = element("a", "tool", text);
  made.href = address;
  return made;
}

function importer({ say, tell, openMatches, note }) {
  const file = element("input");
  file.type = "file";
  file.accept = ".txt,.json,.csv";
  file.hidden = true;
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    const taken = await tell("/api/matches/import", await chosen.text(), { text: true });
    file.value = "";
    if (!taken) return;
    await openMatches();
    note(say(taken.is_new ? "import_done" : "import_known"));
  });
  return element("span", "", button("tool", say("import"), () => file.click()), file);
}

/** All matches, each with its files. */
export async function showMatches(page) {
  const { say, tell, open, language } = page;
  const matches = await tell("/api/matches");
  if (!matches) return;
  const rows = matches.map((match) => {
    const scores = Object.entries(match.scores).map(([name, points]) => `${name} ${points}`).join(" · ");
    const cells = [moment(match.started, language), match.table_name, match.game_name, scores, [match.winner ?? ""].flat().join(", ")];
    const files = element("td");
    for (const kind of KINDS) {
      const one = element("a", "", kind.toUpperCase());
      one.href = `/api/matches/${encodeURIComponent(match.table)}/${match.number}.${kind}?lang=${language}`;
      files.append(one, " ");
    }
    return element("tr", "", ...cells.map((cell) => element("td", "", cell)), files);
  });
  const tools = element("div", "tools", link(`${say("export")} CSV`, "/api/matches.csv"), importer({ ...page, openMatches: () => showMatches(page) }));
  open(say("records"), rows.length === 0 ? element("p", "", say("no_records"))
    : grid([say("started"), say("table"), say("game"), say("score"), say("winner"), say("record")], rows), tools);
}

/** Everybody's statistics, over one game or all. */
export async function showPlayers(page, game = "") {
  const { say, tell, open, language } = page;
  const query = game ? `?game=${game}` : "";
  const [players, games] = await Promise.all([tell(`/api/players${query}`), tell("/api/games")]);
  if (!players || !games) return;
  const choose = element("select", "", new Option(say("all_games"), ""), ...games.map(({ name, text }) => new Option(text, name)));
  choose.value = game;
  choose.setAttribute("aria-label", say("game"));
  choose.addEventListener("change", () => showPlayers(page, choose.value));
  const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const share = new Intl.NumberFormat(language, { style: "percent" });
  const rows = players.map((one) => element("tr", "", ...[one.name, one.matches, one.won, one.strokes, one.points, number.format(one.points_per_stroke),
    one.highest_series, one.fouls, share.format(one.carom_rate)].map((cell) => element("td", "", String(cell)))));
  const heads = ["player", "matches", "won", "strokes_played", "points", "points_per_stroke", "highest_series", "fouls", "caroms"].map((id) => say(id));
  open(say("players"), choose, rows.length === 0 ? element("p", "", say("no_records")) : grid(heads, rows),
    element("div", "tools", link(`${say("export")} CSV`, `/api/players.csv${query}`)));
}
