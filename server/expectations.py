"""What a scenario expects of a match after an entry, compared with what came out: one phrase per difference."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scoring.balls import Ball
from scoring.errors import ScoringError
from scoring.fields import ball as ball_named
from scoring.layout import SAME_PLACE_MM
from scoring.match import MatchState, Record
from scoring.rulings import Place, Respot, cited
from scoring.setup import Setup
from scoring.spots import point_of
from scoring.table import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A match after an entry, and the strokes that the entry was about."""

    state: MatchState
    concerned: tuple[Record, ...]

    @property
    def setup(self) -> Setup:
        """What was agreed."""
        return self.state.started.terms.setup

    def respot(self, ball: Ball) -> Respot | None:
        """Where a ball had to be put, None when nowhere."""
        respots = [respot for record in self.concerned if record.ruling for respot in record.ruling.respots]
        return next((respot for respot in reversed(respots) if respot.ball == ball), None)

    def stood(self, ball: Ball) -> Point | None:
        """Where a ball stood before the stroke."""
        for record in self.concerned:
            if record.shot.before and ball in record.shot.before:
                return record.shot.before[ball]
            layout = record.before.layout
            if layout is not None and layout.at(ball) is not None:
                return layout.at(ball)
        return None


def outcome_of(state: MatchState) -> Outcome:
    """The outcome of a match's last entry."""
    numbers = frozenset(state.concerns)
    return Outcome(state=state, concerned=tuple(record for record in state.records if record.number in numbers))


def differences(expected: Mapping[str, object], outcome: Outcome) -> tuple[str, ...]:
    """What differs, each with both values; only what is named is compared."""
    found: list[str] = []
    for key, value in expected.items():
        found += _compare(key, value, outcome)
    return tuple(found)


def _compare(key: str, value: object, outcome: Outcome) -> list[str]:
    """The differences under one key."""
    if key in ("scores", "target"):
        return _by_side(key, value, outcome)
    if key == "respot":
        return _respots(value, outcome)
    if key == "foul":
        return _foul(value, outcome)
    if key == "rules":
        return _rules(value, outcome)
    want, got = _plain(key, value, outcome)
    return [] if want == got else [f"{key}: expected {_say(want)}, got {_say(got)}"]


def _plain(key: str, value: object, outcome: Outcome) -> tuple[object, object]:
    """Both values of a key that is compared as it stands; sets come as sorted lists."""
    state = outcome.state
    standing, play = state.standing, state.started
    names = [side.name for side in outcome.setup.sides]
    rulings = [record.ruling for record in outcome.concerned if record.ruling]
    if key == "shooter":
        side_name = names[outcome.setup.side_of(standing.shooter)]
        return value, side_name if value == side_name else standing.shooter
    sets = {
        "in_hand": [ball.name for ball in standing.in_hand],
        "winner": [names[side] for side in standing.winners],
        "put_back": [ball.name for ruling in rulings for ball in ruling.put_back],
    }
    if key in sets:
        return _sorted(value), sorted(sets[key])
    if key == "placings":
        return _listed(value), [names[side] for side in standing.placings]
    if key == "pending":
        return value, state.pending.kind.value if state.pending else None
    return value, play.game.left(play.terms, standing)


def _by_side(key: str, value: object, outcome: Outcome) -> list[str]:
    """Scores or targets, side by side."""
    standing, play = outcome.state.standing, outcome.state.started
    got = standing.scores if key == "scores" else play.game.targets(play.terms, standing)
    found: list[str] = []
    for name, want in _mapped(key, value).items():
        sides = [i for i, side in enumerate(outcome.setup.sides) if name == side.name or name in side.members]
        if not sides:
            message = f"expect: {key}: {name!r} does not play"
            raise ScoringError(message)
        if got[sides[0]] != want:
            found.append(f"{key}.{name}: expected {_say(want)}, got {_say(got[sides[0]])}")
    return found


def _respots(value: object, outcome: Outcome) -> list[str]:
    """Where balls were put."""
    found: list[str] = []
    for name, want in _mapped("respot", value).items():
        ball = ball_named(str(name), "expect: respot")
        got = outcome.respot(ball)
        if not _is_same_place(want, got, outcome, ball):
            found.append(f"respot.{name}: expected {_say(want)}, got {_say(_spelled(got))}")
    return found


def _is_same_place(want: object, got: Respot | None, outcome: Outcome, ball: Ball) -> bool:
    """Whether a ball went where it was expected: places are compared as places."""
    if want is None or got is None:
        return want is None and got is None
    if want == got.place.value:
        return True
    if want == Place.IN_HAND.value or got.place is Place.IN_HAND:
        return False
    point = got.at if got.at is not None else outcome.stood(ball)
    wanted = _point(want, outcome, ball)
    return point is not None and wanted is not None and point.distance_mm(wanted) <= SAME_PLACE_MM


def _point(want: object, outcome: Outcome, ball: Ball) -> Point | None:
    """The place that was written."""
    if isinstance(want, list) and len(want) == 2 and all(isinstance(one, int | float) for one in want):
        return Point(want[0], want[1])
    if want == Place.WHERE_IT_STOOD.value:
        return outcome.stood(ball)
    if isinstance(want, str) and want in set(Place):
        return point_of(Place(want), outcome.setup.table)
    message = f"expect: respot.{ball}: {want!r} is no place ({', '.join(Place)}, [x, y] or null)"
    raise ScoringError(message)


def _foul(value: object, outcome: Outcome) -> list[str]:
    """The foul of the last stroke concerned; a list names several of which any will do."""
    rulings = [record.ruling for record in outcome.concerned if record.ruling]
    got = next((ruling.foul for ruling in reversed(rulings) if ruling.foul), None)
    all_fouls = {None} if got is None else {got, *(foul for ruling in rulings for foul in ruling.fouls)}
    wanted = value if isinstance(value, list) else [value]
    return [] if all_fouls.intersection(wanted) else [f"foul: expected {_say(value)}, got {_say(got)}"]


def _rules(value: object, outcome: Outcome) -> list[str]:
    """The rule numbers that must be cited."""
    got = cited(*(record.ruling.rules for record in outcome.concerned if record.ruling))
    missing = [rule for rule in _listed(value) if rule not in got]
    return [f"rules: expected {_say(missing)} among them, got {_say(list(got))}"] if missing else []


def _mapped(key: str, value: object) -> Mapping[object, object]:
    """An expectation that is a mapping."""
    if not isinstance(value, Mapping):
        message = f"expect: {key}: must be a mapping, not {value!r}"
        raise ScoringError(message)
    return value


def _listed(value: object) -> list[object]:
    """An expectation as a list: null is none, a single value is one."""
    if value is None:
        return []
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def _sorted(value: object) -> list[object]:
    """An expectation that is a set."""
    return sorted(_listed(value), key=str)


def _spelled(respot: Respot | None) -> object:
    """A place as a scenario would write it."""
    if respot is None:
        return None
    named = respot.place.value if respot.place is not Place.AT else None
    return named or ([round(respot.at.x_mm, 1), round(respot.at.y_mm, 1)] if respot.at else None)


def _say(value: object) -> str:
    """A value in a line of text."""
    if value is None:
        return "null"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return f"[{', '.join(map(str, value))}]"
    return str(value)
