"""Table events as JSON records and back (contract, section 2)."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, TypeAlias, TypedDict, TypeVar, assert_never, cast

from scoring.balls import Ball
from scoring.events import (
    Alternative,
    Contact,
    CushionHit,
    HouseLine,
    Moved,
    Observed,
    OffTable,
    Potted,
    Rest,
    Source,
    Strike,
    TableEvent,
)
from scoring.table import Cushion, Pocket, Point
from server.errors import RecordError

Record: TypeAlias = Mapping[str, object]
Value = TypeVar("Value")


class _ObservedFields(TypedDict):
    t_s: float
    shot: int | None
    confidence: float
    sources: tuple[Source, ...]
    alternatives: tuple[Alternative, ...]
    candidates: Mapping[Ball, float]
    flagged: bool
    reason: str | None


def event_record(event: TableEvent) -> dict[str, object]:
    """An event as the contract's JSON object; fields at their default are left out."""
    record: dict[str, object] = {"t": round(event.t_s, 6), "type": event.kind}
    match event:
        case Strike():
            record |= {"ball": event.ball.name}
        case Contact():
            record |= {"ball": event.ball.name, "other": event.other.name, "at": _place(event.at)}
        case CushionHit():
            record |= {"ball": event.ball.name, "cushion": event.cushion, "at": _place(event.at)}
            record |= {"jaw": True, "pocket": event.pocket} if event.is_jaw else {}
        case HouseLine():
            record |= {"ball": event.ball.name, "direction": event.direction}
        case Potted():
            record |= {"ball": event.ball.name, "pocket": event.pocket}
        case OffTable():
            record |= {"ball": event.ball.name, "at": _place(event.at)}
            record |= {"returned": True} if event.returned else {}
            record |= {"on_rail": True} if event.on_rail else {}
        case Moved():
            record |= {"ball": event.ball.name, "from": _place(event.origin), "to": _place(event.target)}
        case Rest():
            record |= {"balls": {ball.name: _place(place) for ball, place in event.balls.items()}}
        case _:
            assert_never(event)
    record |= _observed_record(event)
    return {key: value for key, value in record.items() if value is not None}


def event_line(event: TableEvent) -> str:
    """An event as one line of a JSON Lines stream, without the line's end."""
    return json.dumps(event_record(event), ensure_ascii=False)


def _observed_record(event: Observed) -> dict[str, object]:
    record: dict[str, object] = {"shot": event.shot}
    if event.confidence != 1.0:
        record["confidence"] = round(event.confidence, 4)
    if event.sources != ("camera",):
        record["sources"] = list(event.sources)
    if event.alternatives:
        record["alternatives"] = [
            {"probability": round(other.probability, 4), "event": event_record(other.event) if other.event else None}
            for other in event.alternatives
        ]
    if event.candidates:
        record["candidates"] = {ball.name: round(share, 4) for ball, share in event.candidates.items()}
    if event.flagged:
        record |= {"flagged": True, "reason": event.reason}
    return record


def _place(place: Point | None) -> list[float] | None:
    return None if place is None else [round(place.x_mm, 1), round(place.y_mm, 1)]


def event_from_record(record: Record, *, default_t_s: float | None = None) -> TableEvent:
    """Read one event; `default_t_s` stands in for a missing `t` (else that is an error).

    Raises:
        RecordError: A field is missing or says something impossible; the message names it.
    """
    kind = record.get("type")
    try:
        return _event(kind, record, _observed(record, default_t_s))
    except RecordError as error:
        message = f"{kind}: {error}"
        raise RecordError(message) from error


def _event(kind: object, record: Record, observed: _ObservedFields) -> TableEvent:  # noqa: PLR0911 (one per class)
    if kind == Rest.kind:
        return Rest(balls=layout_from_value(record.get("balls", {}), "balls"), **observed)
    ball = ball_from_value(record.get("ball"), "ball")
    match kind:
        case Strike.kind:
            return Strike(ball=ball, **observed)
        case Contact.kind:
            other = ball_from_value(record.get("other"), "other")
            return Contact(ball=ball, other=other, at=place_from_value(record.get("at"), "at"), **observed)
        case CushionHit.kind:
            cushion, jaw = record.get("cushion"), record.get("jaw") is True
            return CushionHit(
                ball=ball,
                cushion=None if cushion is None else _made(Cushion, str(cushion), "cushion"),
                at=place_from_value(record.get("at"), "at"),
                pocket=pocket_from_value(record.get("pocket"), "pocket") if jaw else None,
                **observed,
            )
        case HouseLine.kind:
            return HouseLine(ball=ball, direction=_direction(record.get("direction")), **observed)
        case Potted.kind:
            return Potted(ball=ball, pocket=pocket_from_value(record.get("pocket"), "pocket"), **observed)
        case OffTable.kind:
            at = place_from_value(record.get("at"), "at")
            returned, on_rail = record.get("returned") is True, record.get("on_rail") is True
            return OffTable(ball=ball, at=at, returned=returned, on_rail=on_rail, **observed)
        case Moved.kind:
            origin, target = place_from_value(record.get("from"), "from"), place_from_value(record.get("to"), "to")
            return Moved(ball=ball, origin=origin, target=target, **observed)
        case _:
            message = "no event has this type"
            raise RecordError(message)


def _direction(value: object) -> Literal["out", "in"]:
    if value not in ("out", "in"):
        message = f"direction: {value!r} is neither out nor in"
        raise RecordError(message)
    return value


def events_from_lines(lines: Iterable[str], *, name: str) -> list[TableEvent]:
    """Read a JSON Lines stream of events; `name` says in errors where the lines come from."""
    events = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            events.append(event_from_record(_mapping(json.loads(line), "line")))
        except (ValueError, RecordError) as error:
            message = f"{name}, line {number}: {error}"
            raise RecordError(message) from error
    return events


def _observed(record: Record, default_t_s: float | None) -> _ObservedFields:
    t_s = default_t_s if "t" not in record and default_t_s is not None else _number(record.get("t"), "t")
    sources = tuple(_list(record.get("sources", ["camera"]), "sources"))
    if not set(sources) <= {"camera", "sensor"}:
        message = f"sources: {list(sources)!r} may hold camera and sensor only"
        raise RecordError(message)
    shot, reason = record.get("shot"), record.get("reason")
    return {
        "t_s": t_s,
        "shot": None if shot is None else int(_number(shot, "shot")),
        "confidence": _number(record.get("confidence", 1.0), "confidence"),
        "sources": cast("tuple[Source, ...]", sources),
        "alternatives": tuple(
            _alternative(other, t_s) for other in _list(record.get("alternatives", []), "alternatives")
        ),
        "candidates": {
            ball_from_value(name, "candidates"): _number(share, f"candidates.{name}")
            for name, share in _mapping(record.get("candidates", {}), "candidates").items()
        },
        "flagged": record.get("flagged") is True,
        "reason": None if reason is None else str(reason),
    }


def _alternative(value: object, t_s: float) -> Alternative:
    record = _mapping(value, "alternatives")
    event = record.get("event")
    return Alternative(
        probability=_number(record.get("probability"), "alternatives.probability"),
        event=None if event is None else event_from_record(_mapping(event, "alternatives.event"), default_t_s=t_s),
    )


def ball_from_value(value: object, field: str) -> Ball:
    """A ball from its name."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        message = f"{field}: {value!r} is no ball's name"
        raise RecordError(message)
    return _made(Ball, str(value), field)


def place_from_value(value: object, field: str) -> Point | None:
    """A place from `[x, y]`, None from null."""
    if value is None:
        return None
    pair = _list(value, field)
    if len(pair) != 2:
        message = f"{field}: {value!r} is not [x, y]"
        raise RecordError(message)
    return Point(_number(pair[0], field), _number(pair[1], field))


def layout_from_value(value: object, field: str) -> dict[Ball, Point]:
    """A layout from `{name: [x, y]}`."""
    layout = {}
    for name, pair in _mapping(value, field).items():
        place = place_from_value(pair, f"{field}.{name}")
        if place is None:
            message = f"{field}.{name}: a place is missing"
            raise RecordError(message)
        layout[ball_from_value(name, field)] = place
    return layout


def pocket_from_value(value: object, field: str) -> Pocket:
    """A pocket from its name."""
    return _made(Pocket, str(value), field)


def _made(make: Callable[[str], Value], text: str, field: str) -> Value:
    try:
        return make(text)
    except ValueError as error:
        message = f"{field}: {error}"
        raise RecordError(message) from error


def _number(value: object, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = f"{field}: {value!r} is not a number"
        raise RecordError(message)
    return float(value)


def _list(value: object, field: str) -> list[object]:
    if not isinstance(value, list | tuple):
        message = f"{field}: {value!r} is not a list"
        raise RecordError(message)
    return list(value)


def _mapping(value: object, field: str) -> Record:
    if not isinstance(value, Mapping):
        message = f"{field}: {value!r} is not an object"
        raise RecordError(message)
    return value
