"""What a hall asks of a node, and what that answers, as the broker carries it: the wizard's orders, clips, looks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, get_args

from pydantic import TypeAdapter, ValidationError

from scoring.errors import ScoringError
from scoring.notation import shot_from_json, shot_to_json
from scoring.shots import Shot
from server.calibration_orders import Answer, CalibrationState, Order, Refused, Still
from server.errors import Refusal, ServerError


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """An order of the calibration wizard, to the camera `view` of a table."""

    table: str
    order: Order
    view: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """The clip of a stroke: by the strike on the table's clock, and about when it was journalled."""

    table: str
    strike_s: float
    at_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """A clip's file, or that of its copy with what a second look saw drawn in."""

    find: Find
    drawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Examine:
    """A second look at a stroke, of which `shot` is what the first one saw."""

    find: Find
    game: str
    shot: Shot


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A clip that a node has, by the name of its file."""

    name: str
    has_drawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A second look that came to nothing, in one line."""

    why: str


Errand: TypeAlias = Ask | Find | Fetch | Examine
Outcome: TypeAlias = Answer | Found | Failed | Shot | bytes
_ORDERS: Final[Mapping[str, type[Any]]] = {one.__name__: one for one in get_args(Order)}


class ErrandError(ServerError):
    """What came over the broker is nothing that this version asks or answers."""


def errand_to_bytes(errand: Errand) -> bytes:
    """An errand as it is sent."""
    return json.dumps(_errand_to_json(errand), ensure_ascii=False).encode()


def errand_from_bytes(body: bytes) -> Errand:
    """Read an errand.

    Raises:
        ErrandError: It is none.
    """
    try:
        record = json.loads(body)
        if record["kind"] == "ask":
            order = _adapter(_ORDERS[record["order"]]).validate_python(record["value"])
            return Ask(table=str(record["table"]), order=order, view=int(record["view"]))
        find = Find(table=str(record["table"]), strike_s=float(record["strike_s"]), at_ns=int(record["at_ns"]))
        match record["kind"]:
            case "find":
                return find
            case "fetch":
                return Fetch(find=find, drawn=bool(record["drawn"]))
            case "examine":
                return Examine(find=find, game=str(record["game"]), shot=shot_from_json(record["shot"]))
            case _:
                raise ValueError(record["kind"])  # noqa: TRY301 (one place says what is wrong)
    except (ValueError, KeyError, TypeError, AttributeError, ScoringError, ServerError) as error:
        message = f"an errand cannot be read ({type(error).__name__}); are hall and node of one version?"
        raise ErrandError(message) from error


def outcome_to_bytes(outcome: Outcome) -> tuple[str, bytes]:
    """What an errand came to: its kind, and its body."""
    match outcome:
        case bytes():
            return "file", outcome
        case Still():
            return "still", outcome.jpeg
        case Shot():
            return "shot", json.dumps(shot_to_json(outcome)).encode()
        case _:
            return _WORDS[type(outcome)], _adapter(type(outcome)).dump_json(outcome)


def outcome_from_bytes(kind: str, body: bytes) -> Outcome:
    """Read what an errand came to.

    Raises:
        ErrandError: It is nothing that a node says.
    """
    try:
        match kind:
            case "file":
                return body
            case "still":
                return Still(jpeg=body)
            case "shot":
                return shot_from_json(json.loads(body))
            case _:
                found: Outcome = _adapter(_CLASSES[kind]).validate_json(body)
                return found
    except (ValidationError, ValueError, KeyError, TypeError, ScoringError, ServerError) as error:
        message = f"a node's answer cannot be read ({type(error).__name__}); are hall and node of one version?"
        raise ErrandError(message) from error


_CLASSES: Final[Mapping[str, type[Any]]] = {
    "calibration": CalibrationState,
    "refused": Refused,
    "found": Found,
    "failed": Failed,
}
_WORDS: Final = {found: word for word, found in _CLASSES.items()}
NO_ANSWER: Final = Refused(refusal=Refusal.NO_ANSWER)


_ADAPTERS: Final[dict[str, TypeAdapter[Any]]] = {}


def _adapter(of: type[Any]) -> TypeAdapter[Any]:
    """What reads and writes a class; making it takes a tenth of a second."""
    if of.__name__ not in _ADAPTERS:
        _ADAPTERS[of.__name__] = TypeAdapter(of)
    return _ADAPTERS[of.__name__]


def _errand_to_json(errand: Errand) -> dict[str, Any]:
    match errand:
        case Ask():
            order = type(errand.order)
            value = _adapter(order).dump_python(errand.order, mode="json")
            return {"kind": "ask", "table": errand.table, "view": errand.view, "order": order.__name__, "value": value}
        case Find():
            return {"kind": "find", "table": errand.table, "strike_s": errand.strike_s, "at_ns": errand.at_ns}
        case Fetch():
            return _errand_to_json(errand.find) | {"kind": "fetch", "drawn": errand.drawn}
        case Examine():
            more = {"kind": "examine", "game": errand.game, "shot": shot_to_json(errand.shot)}
            return _errand_to_json(errand.find) | more
