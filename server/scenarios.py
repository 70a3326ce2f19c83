"""Scenario files: worked examples of the rules as YAML, read strictly (contract, section 4)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

import yaml

from scoring.balls import Ball
from scoring.commands import Entry, PlayShot, StartMatch
from scoring.errors import ScoringError
from scoring.events import HouseLine, Strike
from scoring.fields import Fields, ball, fields_of, flag, listed, number, text, whole, word_of
from scoring.games import game_named
from scoring.layout import Layout
from scoring.match import NO_MATCH, MatchState, apply
from scoring.notation import shot_from_json
from scoring.options import options_of
from scoring.setup import Beginning, Format, Handicap, Phase, Setup, Side, Streaks
from scoring.shots import Shot
from scoring.table import Point, Spot, Table

EXPECTED = frozenset(
    (
        *("scores", "shooter", "respot", "in_hand", "winner", "foul", "rules", "pending"),
        *("left", "target", "placings", "put_back"),
    )
)
"""What an entry of `expect` may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One worked example: a match, its shots, and for each shot what must come out, as it was written."""

    id: str
    setup: Setup
    beginning: Beginning
    shots: tuple[Shot, ...]
    expect: tuple[Mapping[str, object], ...]


class _Strict(yaml.SafeLoader):
    """A safe loader that refuses a key which is written twice."""


def _mapping(loader: _Strict, node: yaml.MappingNode) -> dict[object, object]:
    """Read a mapping, each key once."""
    seen: set[object] = set()
    for key, _ in node.value:
        name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else None
        if name is not None and name in seen:
            problem = f"the key {key.value} is written twice"
            raise yaml.constructor.ConstructorError(problem=problem, problem_mark=key.start_mark)
        seen.add(name)
    return dict(loader.construct_mapping(node, deep=True))


_Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def scenario_from_text(content: str) -> Scenario:
    """Read a scenario; a ScoringError says in one line what is wrong with it."""
    try:
        document = yaml.load(content, _Strict)  # noqa: S506  a safe loader
    except RecursionError as error:
        message = "not readable as YAML: it is nested too deeply"
        raise ScoringError(message) from error
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        where = f"line {place.line + 1}: " if place else ""
        message = f"not readable as YAML: {where}{getattr(error, 'problem', None) or 'broken text'}"
        raise ScoringError(message) from error
    return _scenario(fields_of(document, "scenario"))


def scenario_from_file(path: Path) -> Scenario:
    """Read a scenario file."""
    try:
        return scenario_from_text(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        message = f"cannot be read: {reason}"
        raise ScoringError(message) from error


def _scenario(fields: Fields) -> Scenario:
    """The whole document."""
    name = fields.need("id", _name)
    game = fields.need("game", text)
    game_named(game)
    sides = fields.need("players", _sides)
    fields.get("notes", text)
    setup = Setup(
        game=game,
        sides=sides,
        format=fields.get("format", _format) or "singles",
        options=fields.get("options", lambda value, _: _options(game, value)) or {},
        table=fields.get("table", _table) or Table(),
        handicaps=fields.get("handicap", lambda value, where: _handicaps(value, where, sides)) or (),
    )
    given = fields.get("before", fields_of)
    shots, said = fields.need("shots", _shots)
    beginning = _beginning(given, setup, said or _phase_shown(given, shots))
    expect = fields.need("expect", _expectations)
    fields.finish()
    if len(expect) != len(shots):
        message = f"expect has {len(expect)} entries for {len(shots)} shots: give one for each shot, {{}} for nothing"
        raise ScoringError(message)
    return Scenario(id=name, setup=setup, beginning=beginning, shots=shots, expect=expect)


def _name(value: object, where: str) -> str:
    """A scenario's id: a text, or a bare number."""
    return str(value) if isinstance(value, int) else text(value, where)


def _player(value: object, where: str) -> str:
    """A player's name."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text(value, where)


def _sides(value: object, where: str) -> tuple[Side, ...]:
    """The sides: a name each, or a list of names that share an account."""
    sides: list[Side] = []
    for given in listed(value, where):
        members = listed(given, where) if isinstance(given, list | tuple) else [given]
        sides.append(Side(tuple(_player(member, where) for member in members)))
    return tuple(sides)


def _format(value: object, where: str) -> Format:
    """How pairs play."""
    if value not in get_args(Format):
        message = f"{where}: must be one of {', '.join(get_args(Format))}, not {value!r}"
        raise ScoringError(message)
    return cast("Format", value)


def _options(game: str, value: object) -> dict[str, bool | int | str | tuple[str, ...] | tuple[int, ...]]:
    """The options as they were written, checked by name and value."""
    given = dict(fields_of(value, "options").mapping)
    options_of(game, given)
    return given


def _table(value: object, where: str) -> Table:
    """The table's size in mm."""
    fields = fields_of(value, where)
    plain = Table()
    length, width, ball_mm = (fields.get(key, number) for key in ("length", "width", "ball"))
    fields.finish()
    try:
        return Table(
            length_mm=length or plain.length_mm, width_mm=width or plain.width_mm, ball_mm=ball_mm or plain.ball_mm
        )
    except ValueError as error:
        message = f"{where}: {error}"
        raise ScoringError(message) from error


def _side_index(sides: tuple[Side, ...], name: str, where: str) -> int:
    """The side that an account or a player's name means."""
    for index, side in enumerate(sides):
        if name == side.name or name in side.members:
            return index
    message = f"{where}: {name!r} does not play (players: {', '.join(side.name for side in sides)})"
    raise ScoringError(message)


def _handicaps(value: object, where: str, sides: tuple[Side, ...]) -> tuple[Handicap, ...]:
    """What each side was given."""
    handicaps = [Handicap()] * len(sides)
    for name, given in fields_of(value, where).mapping.items():
        fields = fields_of(given, f"{where}.{name}")
        handicaps[_side_index(sides, str(name), where)] = Handicap(
            credit=fields.get("credit", whole) or 0,
            off_table=fields.get("off_table", _balls) or (),
            not_taken_off=fields.get("not_taken_off", whole) or 0,
            points=fields.get("points", whole) or 0,
            caroms=fields.get("caroms", flag) or False,
        )
        fields.finish()
    return tuple(handicaps)


def _balls(value: object, where: str) -> tuple[Ball, ...]:
    """A list of balls; pyramid balls may be written as bare numbers."""
    return tuple(_ball(name, where) for name in listed(value, where))


def _ball(value: object, where: str) -> Ball:
    """A ball's name, or a pyramid ball's bare number."""
    return ball(str(value) if isinstance(value, int) and not isinstance(value, bool) else value, where)


def _place(value: object, where: str, table: Table) -> Point:
    """A ball's place: [x, y] in mm, or a spot."""
    if isinstance(value, str):
        return table.spot(word_of(Spot)(value, where))
    xy = listed(value, where)
    if len(xy) != 2:
        message = f"{where}: must be [x, y] in mm or a spot, not {value!r}"
        raise ScoringError(message)
    return Point(number(xy[0], where), number(xy[1], where))


def _phase_shown(given: Fields | None, shots: tuple[Shot, ...]) -> Phase:
    """The phase that nothing names: play; without `before` the opening, if the first entry is played out of the house.

    An entry without a stroke opens a file without `before` at the start of the match too.
    """
    if given is not None or not shots:
        return Phase.PLAY
    first = shots[0]
    cues = {event.ball for event in first.events if isinstance(event, Strike)}
    leaves = any(isinstance(e, HouseLine) and e.direction == "out" and e.ball in cues for e in first.events)
    return Phase.OPENING if first.from_hand or leaves or not first.events else Phase.PLAY


def _beginning(fields: Fields | None, setup: Setup, shown: Phase) -> Beginning:
    """Where play begins: as the file says, else by the phase that its first entry shows."""
    if fields is None:
        return Beginning(phase=shown)
    phase = fields.get("phase", word_of(Phase)) or shown
    balls = fields.get("balls", fields_of)
    places = {
        _ball(name, "before.balls"): _place(at, f"before.balls.{name}", setup.table)
        for name, at in (balls.mapping.items() if balls else ())
    }
    beginning = Beginning(
        phase=phase,
        scores=fields.get("scores", lambda value, where: _scores(value, where, setup)),
        shooter=fields.get("shooter", _known_player(setup)),
        from_hand=fields.get("from_hand", flag),
        layout=Layout(places) if balls else None,
        gone=fields.get("gone", _balls) or (),
        in_hand=fields.get("in_hand", _balls),
        last=fields.get("last", _streaks) or Streaks(),
    )
    fields.finish()
    return beginning


def _known_player(setup: Setup) -> Callable[[object, str], str]:
    """A reader for the name of somebody who plays."""

    def read(value: object, where: str) -> str:
        """Read the name; a side's name means its first member."""
        side = setup.sides[_side_index(setup.sides, name := _player(value, where), where)]
        return name if name in side.members else side.members[0]

    return read


def _scores(value: object, where: str, setup: Setup) -> tuple[int, ...]:
    """The scores by side; a side that is not named has 0."""
    scores = [0] * len(setup.sides)
    for name, score in fields_of(value, where).mapping.items():
        if isinstance(score, bool) or not isinstance(score, int):
            message = f"{where}.{name}: must be a whole number, not {score!r}"
            raise ScoringError(message)
        scores[_side_index(setup.sides, str(name), where)] = score
    return tuple(scores)


def _streaks(value: object, where: str) -> Streaks:
    """What a resumed match remembers."""
    fields = fields_of(value, where)
    potted_by = fields.get("potted_by", listed)
    streaks = Streaks(
        yellow_middle_by=fields.get("yellow_middle_by", _player),
        potted_by=None if potted_by is None else tuple(_player(name, where) for name in potted_by),
    )
    fields.finish()
    return streaks


def _shots(value: object, where: str) -> tuple[tuple[Shot, ...], Phase | None]:
    """The shots, and the phase that the first one names."""
    shots: list[Shot] = []
    said: Phase | None = None
    for index, given in enumerate(listed(value, where)):
        mapping = dict(fields_of(_spelled(given), f"{where}[{index}]").mapping)
        phase = mapping.pop("phase", None)
        if phase is not None:
            named = word_of(Phase)(phase, f"{where}[{index}].phase")
            said = named if index == 0 else said
        shots.append(shot_from_json(mapping, where=f"{where}[{index}]"))
    return tuple(shots), said


def _spelled(value: object, key: object = None) -> object:
    """The value with pyramid balls spelled as text where somebody wrote bare numbers."""
    if isinstance(value, Mapping):
        return {
            str(name) if isinstance(name, int) and not isinstance(name, bool) else name: _spelled(one, name)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_spelled(one) for one in value]
    is_ball = key in ("ball", "other") and isinstance(value, int) and not isinstance(value, bool)
    return str(value) if is_ball else value


def _expectations(value: object, where: str) -> tuple[Mapping[str, object], ...]:
    """What must come out of each shot, as written; only its keys are checked here."""
    entries: list[Mapping[str, object]] = []
    for index, given in enumerate(listed(value, where)):
        entry = fields_of({} if given is None else given, f"{where}[{index}]").mapping
        unknown = sorted(str(key) for key in entry if key not in EXPECTED)
        if unknown:
            message = f"{where}[{index}]: unknown key {', '.join(unknown)} (known: {', '.join(sorted(EXPECTED))})"
            raise ScoringError(message)
        entries.append(entry)
    return tuple(entries)


def states_of(scenario: Scenario) -> Iterator[MatchState]:
    """The match after each shot of a scenario; a ScoringError says at which shot it cannot go on."""
    start = StartMatch(scenario.setup, scenario.beginning)
    state = apply(NO_MATCH, Entry(seq=1, what=start))
    for place, shot in enumerate(scenario.shots, 1):
        try:
            state = apply(state, Entry(seq=state.next_seq, what=PlayShot(shot)))
        except ScoringError as error:
            message = f"shot {place}: {error}"
            raise ScoringError(message) from error
        yield state
