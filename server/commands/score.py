"""`cuemarker score`: shot records to rulings."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from scoring.match import MatchState
    from scoring.setup import Format
    from scoring.shots import Shot
    from scoring.table import Table


@click.command(
    epilog="Example: cuemarker score match/shots.jsonl --game kaisa --players Anna,Boris",
    short_help="Turn shot records into rulings.",
)
@click.argument("shots", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--game", required=True, help="The game that is played, for example kaisa.")
@click.option("--players", required=True, help="The players in order of play: A,B; members of a pair joined: A,B+C.")
@click.option(
    "--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the rules; may be repeated."
)
@click.option(
    "--format", "form", type=click.Choice(("singles", "pair-1", "pair-2")), default="singles", show_default=True
)
@click.option(
    "--table",
    "table_path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The table file; else the table.toml beside SHOTS, else a table of 3550 by 1775 mm.",
)
def score(shots: Path, game: str, players: str, options: tuple[str, ...], form: str, table_path: Path | None) -> None:
    """Turn the shot records of SHOTS (JSON Lines; - reads standard input) into rulings, one JSON line each.

    A first record with two strikes is the lag. A stroke that waits for an answer says so under `pending`; the answer
    may stand in the next record, and later lines tell what it changed.
    """
    from scoring.commands import Entry, PlayShot, StartMatch
    from scoring.errors import ScoringError
    from scoring.games import GAMES
    from scoring.match import NO_MATCH, apply
    from scoring.options import options_of
    from scoring.setup import Beginning, Phase, Setup, Side

    if game not in GAMES:
        message = f"no game is called {game!r} (known: {', '.join(GAMES)})"
        raise click.BadParameter(message, param_hint="--game")
    table = _table(shots, table_path)
    try:
        given = dict(_option(option) for option in options)
        options_of(game, given)
        sides = tuple(Side(tuple(side.split("+"))) for side in players.split(","))
        setup = Setup(game=game, sides=sides, format=cast("Format", form), options=given, table=table)
        apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup)))
    except ScoringError as error:
        raise click.UsageError(str(error)) from error
    read = _read(shots)
    lag = bool(read) and sum(event.kind == "strike" for event in read[0][1].events) == len(sides)
    beginning = Beginning(phase=Phase.LAG if lag else Phase.OPENING)
    state = apply(NO_MATCH, Entry(seq=1, what=StartMatch(setup, beginning)))
    for line, shot in read:
        known = state
        try:
            state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
        except ScoringError as error:
            message = f"{shots}: line {line}: {error}"
            raise ScoringError(message) from error
        _print_changed(known, state)


def _print_changed(known: "MatchState", state: "MatchState") -> None:
    """Print the strokes that an entry added or ruled anew."""
    from server.rulings_json import ruling_to_json

    before = {record.number: record for record in known.records}
    for record in state.records:
        if before.get(record.number) != record:
            click.echo(json.dumps(ruling_to_json(state, record), ensure_ascii=False))


def _table(shots: Path, table_path: Path | None) -> "Table":
    """The table that was played on: where house and spots are depends on its size."""
    from scoring.table import Table

    beside = shots.parent / "table.toml"
    path = table_path or (beside if str(shots) != "-" and beside.is_file() else None)
    if path is None:
        return Table()
    from calibration.store import load_table_file

    return load_table_file(path).table


def _option(text: str) -> tuple[str, str | int | bool]:
    """One option of the rules: NAME=VALUE, where true, false and numbers mean themselves."""
    name, equals, value = text.partition("=")
    if not equals:
        message = f"{text!r} must be written NAME=VALUE"
        raise click.BadParameter(message, param_hint="--option")
    if value in ("true", "false"):
        return name, value == "true"
    return name, int(value) if value.isdecimal() else value


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object whose keys are all different."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        message = f"the key {next(key for key in keys if keys.count(key) > 1)} is written twice"
        raise ValueError(message)
    return mapping


def _read(path: Path) -> list[tuple[int, "Shot"]]:
    """The shot records with their line numbers; a ScoringError names the line that cannot be read."""
    from scoring.errors import ScoringError
    from scoring.notation import shot_from_json

    try:
        content = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{path}: not UTF-8 text: {error.reason}"
        raise ScoringError(message) from error
    read: list[tuple[int, Shot]] = []
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            document = json.loads(line, object_pairs_hook=_each_key_once)
        except json.JSONDecodeError as error:
            message = f"{path}: line {number}: not JSON: {error.msg} at column {error.colno}"
            raise ScoringError(message) from error
        except (ValueError, RecursionError) as error:  # a key twice, a number of thousands of digits, too deep a nest
            message = f"{path}: line {number}: not readable JSON: {error}"
            raise ScoringError(message) from error
        read.append((number, shot_from_json(document, where=f"{path}: line {number}")))
    return read
