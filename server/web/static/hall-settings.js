// The settings of the hall file that staff may change: what is wrong is said by the server, nothing is written then.

import { button, element, field } from "./elements.js";

const LANGUAGES = [["", ""], ["ru", "Русский"], ["en", "English"], ["fi", "Suomi"]];

function text(value, options = {}) {
  const made = element("input");
  made.value = value;
  made.autocomplete = "off";
  Object.assign(made, options);
  return made;
}

function select(pairs, value) {
  const made = element("select", "", ...pairs.map(([name, label]) => new Option(label, name)));
  made.value = value;
  return made;
}

/** The fields of one table; `read` gives back what was entered. */
function tableFields(table, games, say, remove) {
  const inputs = {
    id: text(table.id, { readOnly: table.id !== "" }),
    name: text(table.name),
    source: text(table.source, { spellcheck: false }),
    table_file: text(table.table_file, { spellcheck: false }),
    game: select(games.map((game) => [game.name, game.text]), table.game),
    players: text(table.players.join(", ")),
    sensors: text(table.sensors, { spellcheck: false }),
    ask_below: text(String(table.ask_below), { type: "number", min: 0, max: 1, step: 0.05 }),
  };
  const box = element("fieldset", "settings-table", element("legend", "", table.name || say("new_table")),
    ...Object.entries(inputs).map(([name, input]) => field(say(`setting.${name}`), input)), button("wide danger", say("remove_table"), remove));
  const read = () => ({
    ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value.trim()])),
    players: inputs.players.value.split(",").map((name) => name.trim()).filter(Boolean),
    ask_below: Number(inputs.ask_below.value),
  });
  return { box, read };
}

/** The sheet in which the settings are changed. */
export async function showSettings(page) {
  const { say, tell, open, note } = page;
  const [settings, games] = await Promise.all([tell("/api/hall/settings"), tell("/api/games")]);
  if (!settings || !games) return;
  const language = select(LANGUAGES.map(([name, label]) => [name, label || say("language_auto")]), settings.language ?? "");
  const address = text(settings.public_url, { type: "url", placeholder: "http://hall.lan:8080" });
  const place = element("div", "settings-tables");
  const tables = [];
  const add = (table) => {
    const made = tableFields(table, games, say, () => {
      tables.splice(tables.indexOf(made), 1);
      made.box.remove();
    });
    tables.push(made);
    place.append(made.box);
    return made;
  };
  settings.tables.forEach(add);
  const fresh = { id: "", name: "", source: "", table_file: "", game: "kaisa", players: [], sensors: "", ask_below: 0.8 };
  const save = button("wide main", say("save"), async () => {
    const wished = { version: settings.version, language: language.value || null, public_url: address.value.trim(), tables: tables.map((one) => one.read()) };
    const saved = await tell("/api/hall/settings", wished, { method: "PUT" });
    if (!saved) return;
    open(say("settings"), element("p", "", say("saved")), element("p", "", say("reopen_how")),
      button("wide main", say("reopen"), async () => {
        if (await tell("/api/hall/reopen", {})) note(say("reopening"));
      }));
  });
  open(say("settings"), field(say("setting.language"), language), field(say("setting.public_url"), address), place,
    button("wide", say("add_table"), () => add(fresh).box.querySelector("input").focus()), save);
}
