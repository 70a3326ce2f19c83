"""The contract's spelling of events and shots: JSON-ready mappings to our values and back (contract, sections 2 and 3).

Strict: an unknown key, ball, word or a time that cannot be raises a ScoringError that names the key. What says
nothing (confidence 1, camera only, not flagged) is left out, so a line stays readable.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, assert_never

from scoring.balls import Ball
from scoring.errors import ScoringError
from scoring.events import (
    Alternative,
    Contact,
    CushionHit,
    HouseLine,
    Moved,
    OffTable,
    Potted,
    Rest,
    Source,
    Strike,
    TableEvent,
)
from scoring.fields import (
    Fields,
    ball,
    cushion,
    fields_of,
    flag,
    known,
    listed,
    place,
    places,
    pocket,
    seconds,
    share,
    text,
    whole,
)
from scoring.shots import REFEREE_KINDS, REFEREE_TIMES, AnswerValue, Call, RefereeInput, Shot
from scoring.table import Pocket, Point

Json: TypeAlias = dict[str, Any]

WORD_QUESTIONS = frozenset(("who_shoots", "pocket_or_hand"))
"""Questions whose answer is never a ball, though it may be spelled like one."""

DOUBT_KEYS = frozenset(("shot", "confidence", "sources", "alternatives", "candidates", "flagged", "reason"))
"""What an event carries beside its fact."""

STEP_S = 0.001
"""How much later an event without `t` is than the one before it."""


def event_to_json(event: TableEvent) -> Json:
    """One event as the contract writes it."""
    spelled: Json = {"t": event.t_s, "type": event.kind}
    match event:
        case Strike():
            spelled |= {"ball": event.ball.name}
        case Contact():
            spelled |= {"ball": event.ball.name, "other": event.other.name} | _at("at", event.at)
        case CushionHit():
            spelled |= {"ball": event.ball.name}
            spelled |= {"cushion": event.cushion.value} if event.cushion else {}
            spelled |= _at("at", event.at)
            spelled |= {"jaw": True, "pocket": event.pocket.value} if event.pocket else {}
        case HouseLine():
            spelled |= {"ball": event.ball.name, "direction": event.direction}
        case Potted():
            spelled |= {"ball": event.ball.name, "pocket": event.pocket.value}
        case OffTable():
            spelled |= {"ball": event.ball.name} | _at("at", event.at)
            spelled |= {"returned": True} if event.returned else {}
            spelled |= {"on_rail": True} if event.on_rail else {}
        case Moved():
            spelled |= {"ball": event.ball.name} | _at("from", event.origin) | _at("to", event.target)
        case Rest():
            spelled |= {"balls": places_to_json(event.balls)} if event.balls else {}
        case _:
            assert_never(event)
    return spelled | _doubt_to_json(event)


def event_from_json(mapping: Mapping[str, Any], *, t_s: float | None = None, where: str = "event") -> TableEvent:
    """One event from the contract's spelling; `t_s` is the time of an event that has no `t` of its own."""
    fields = fields_of(mapping, where)
    kind = fields.need("type", text)
    fields.where = where = f"{where}: {kind}"
    if kind not in _READERS:
        message = f"{where}: unknown type (known: {', '.join(_READERS)})"
        raise ScoringError(message)
    given_s = fields.get("t", seconds)
    time_s = t_s if given_s is None else given_s
    if time_s is None:
        message = f"{where}: t is missing"
        raise ScoringError(message)
    event = _READERS[kind](fields, _doubt_from_json(fields, time_s))
    fields.finish()
    return event


def shot_to_json(shot: Shot) -> Json:
    """One shot record as the contract writes it."""
    spelled: Json = {}
    if shot.by is not None:
        spelled["by"] = shot.by
    if shot.before is not None:
        spelled["before"] = places_to_json(shot.before)
    if shot.from_hand is not None:
        spelled["from_hand"] = shot.from_hand
    if shot.call is not None:
        spelled["call"] = call_to_json(shot.call)
    spelled["events"] = [event_to_json(event) for event in shot.events]
    if shot.referee:
        spelled["referee"] = [referee_to_json(entry) for entry in shot.referee]
    return spelled


def shot_from_json(mapping: Mapping[str, Any], *, where: str = "shot") -> Shot:
    """One shot record from the contract's spelling; events may leave out `t`, their order counts."""
    fields = fields_of(mapping, where)
    shot = Shot(
        by=fields.get("by", text),
        before=fields.get("before", places),
        from_hand=fields.get("from_hand", flag),
        call=fields.get("call", call_from_json),
        events=fields.get("events", _events) or (),
        referee=fields.get("referee", _referee) or (),
    )
    fields.finish()
    return shot


def call_to_json(call: Call) -> Json:
    """A call as the contract writes it."""
    spelled: Json = {}
    if call.ball is not None:
        spelled["ball"] = call.ball.name
    if call.pocket is not None:
        spelled["pocket"] = call.pocket.value
    if call.bank is not None:
        spelled["bank"] = call.bank
    return spelled


def call_from_json(value: object, where: str = "call") -> Call:
    """A call from the contract's spelling."""
    fields = fields_of(value, where)
    call = Call(ball=fields.get("ball", ball), pocket=fields.get("pocket", pocket), bank=fields.get("bank", flag))
    fields.finish()
    return call


def referee_to_json(entry: RefereeInput) -> Json:
    """What a person entered, as the contract writes it."""
    spelled: Json = {"type": entry.kind}
    spelled |= {"by": entry.by} if entry.by is not None else {}
    spelled |= {"ball": entry.ball.name} if entry.ball is not None else {}
    spelled |= {"number": entry.number} if entry.number is not None else {}
    spelled |= {"when": entry.when} if entry.when != "during" else {}
    spelled |= {"to": entry.to} if entry.to is not None else {}
    return spelled | ({"value": answer_to_json(entry.value)} if entry.value is not None else {})


def referee_from_json(value: object, where: str = "referee") -> RefereeInput:
    """What a person entered, from the contract's spelling."""
    fields = fields_of(value, where)
    kind = known(fields.need("type", text), REFEREE_KINDS, f"{where}: type")
    to = fields.get("to", text)
    entry = RefereeInput(
        kind=kind,
        by=fields.get("by", text),
        ball=fields.get("ball", ball),
        number=fields.get("number", whole),
        when=known(fields.get("when", text) or "during", REFEREE_TIMES, f"{where}: when"),
        to=to,
        value=fields.get("value", lambda given, at: answer_from_json(given, at, to=to)),
    )
    fields.finish()
    if kind == "answer" and to is None:
        message = f"{where}: an answer needs `to`, the kind of the question"
        raise ScoringError(message)
    return entry


def answer_to_json(value: AnswerValue) -> object:
    """An answer's value as the contract writes it."""
    match value:
        case Ball():
            return value.name
        case Call():
            return call_to_json(value)
        case Pocket():
            return value.value
        case tuple():
            return [member.name for member in value]
        case Mapping():
            return places_to_json(value)
        case _:
            return value


def answer_from_json(value: object, where: str = "value", *, to: str | None = None) -> AnswerValue:
    """An answer's value: true or false, a number, a call, places, balls, a pocket, a ball, or another word.

    Players and places may be called like balls, so some questions are answered by plain words only.
    """
    if isinstance(value, Mapping):
        return places(value, where) if to == "layout" else call_from_json(value, where)
    if isinstance(value, list | tuple):
        return tuple(ball(str(one) if type(one) is int else one, where) for one in value)
    if isinstance(value, int) and not isinstance(value, bool) and to == "call":
        return ball(str(value), where)
    if isinstance(value, int):
        return value if isinstance(value, bool) else whole(value, where)
    return _word_from_json(text(value, where), to)


def _word_from_json(word: str, to: str | None) -> AnswerValue:
    """One word of an answer: a pocket, a ball, or what it says."""
    if to != "who_shoots" and word in set(Pocket):
        return Pocket(word)
    try:
        return word if to in WORD_QUESTIONS else Ball(word)
    except ValueError:
        return word


def places_to_json(layout: Mapping[Ball, Point]) -> Json:
    """Balls' places as the contract writes them."""
    return {member.name: [at.x_mm, at.y_mm] for member, at in layout.items()}


def _at(key: str, at: Point | None) -> Json:
    """A place under its key, nothing when it is not known."""
    return {} if at is None else {key: [at.x_mm, at.y_mm]}


def _doubt_to_json(event: TableEvent) -> Json:
    """What an event carries beside its fact, as far as it says something."""
    spelled: Json = {}
    if event.shot is not None:
        spelled["shot"] = event.shot
    if event.confidence != 1.0:
        spelled["confidence"] = event.confidence
    if event.sources != ("camera",):
        spelled["sources"] = list(event.sources)
    if event.alternatives:
        spelled["alternatives"] = [
            {"probability": other.probability, "event": event_to_json(other.event) if other.event else None}
            for other in event.alternatives
        ]
    if event.candidates:
        spelled["candidates"] = {member.name: chance for member, chance in event.candidates.items()}
    if event.flagged:
        spelled["flagged"] = True
    if event.reason is not None:
        spelled["reason"] = event.reason
    return spelled


def _doubt_from_json(fields: Fields, t_s: float) -> Json:
    """The keyword arguments that every event class takes."""
    confidence = fields.get("confidence", share)
    sources = fields.get("sources", _sources)
    return {
        "t_s": t_s,
        "shot": fields.get("shot", whole),
        "confidence": 1.0 if confidence is None else confidence,
        "sources": ("camera",) if sources is None else sources,
        "alternatives": fields.get("alternatives", lambda value, at: _alternatives(value, at, fields.mapping, t_s))
        or (),
        "candidates": fields.get("candidates", _candidates) or {},
        "flagged": fields.get("flagged", flag) or False,
        "reason": fields.get("reason", text),
    }


def _sources(value: object, where: str) -> tuple[Source, ...]:
    """Read who saw it."""
    seen: list[Source] = []
    for source in listed(value, where):
        if source == "camera":
            seen.append("camera")
        elif source == "sensor":
            seen.append("sensor")
        else:
            message = f"{where}: must be camera or sensor, not {source!r}"
            raise ScoringError(message)
    return tuple(seen)


def _alternatives(value: object, where: str, seen: Mapping[str, Any], t_s: float) -> tuple[Alternative, ...]:
    """Read the other readings of an event: a whole `event` (null: it did not happen), or only what differs from it."""
    plain = {key: fact for key, fact in seen.items() if key not in DOUBT_KEYS}
    readings: list[Alternative] = []
    for index, given in enumerate(listed(value, where)):
        fields = fields_of(given, f"{where}[{index}]")
        probability = fields.need("probability", share)
        whole_event = fields.get("event", lambda one, at: fields_of(one, at).mapping)
        differing = {key: fact for key, fact in fields.mapping.items() if key not in ("probability", "event")}
        if differing and whole_event is None and "event" not in fields.mapping:
            whole_event, differing = plain | differing, {}
        if differing:
            fields.finish()
        event = (
            event_from_json(whole_event, t_s=t_s, where=f"{fields.where}: event") if whole_event is not None else None
        )
        readings.append(Alternative(probability, event))
    return tuple(readings)


def _candidates(value: object, where: str) -> dict[Ball, float]:
    """Read who an unknown ball may be."""
    return {ball(name, where): share(p, f"{where}.{name}") for name, p in fields_of(value, where).mapping.items()}


def _events(value: object, where: str) -> tuple[TableEvent, ...]:
    """Read a shot's events; one without `t` comes just after the one before it."""
    events: list[TableEvent] = []
    for index, given in enumerate(listed(value, where)):
        later_s = events[-1].t_s + STEP_S if events else 0.0
        at = f"{where}[{index}]"
        events.append(event_from_json(fields_of(given, at).mapping, t_s=later_s, where=at))
    return tuple(events)


def _referee(value: object, where: str) -> tuple[RefereeInput, ...]:
    """Read what people entered for a shot."""
    return tuple(referee_from_json(given, f"{where}[{index}]") for index, given in enumerate(listed(value, where)))


def _read_cushion(fields: Fields, doubt: Json) -> CushionHit:
    """Read a cushion event: `jaw` and `pocket` belong together."""
    jaw, at_pocket = fields.get("jaw", flag) or False, fields.get("pocket", pocket)
    if jaw != (at_pocket is not None):
        message = f"{fields.where}: jaw: true and pocket belong together"
        raise ScoringError(message)
    side = fields.get("cushion", cushion)
    return CushionHit(
        ball=fields.need("ball", ball), cushion=side, at=fields.get("at", place), pocket=at_pocket, **doubt
    )


def _direction(value: object, where: str) -> Literal["out", "in"]:
    """Read which way the house line was crossed."""
    if value == "out":
        return "out"
    if value == "in":
        return "in"
    message = f"{where}: must be out or in, not {value!r}"
    raise ScoringError(message)


_READERS: dict[str, Callable[[Fields, Json], TableEvent]] = {
    Strike.kind: lambda fields, doubt: Strike(ball=fields.need("ball", ball), **doubt),
    Contact.kind: lambda fields, doubt: Contact(
        ball=fields.need("ball", ball), other=fields.need("other", ball), at=fields.get("at", place), **doubt
    ),
    CushionHit.kind: _read_cushion,
    HouseLine.kind: lambda fields, doubt: HouseLine(
        ball=fields.need("ball", ball), direction=fields.need("direction", _direction), **doubt
    ),
    Potted.kind: lambda fields, doubt: Potted(
        ball=fields.need("ball", ball), pocket=fields.need("pocket", pocket), **doubt
    ),
    OffTable.kind: lambda fields, doubt: OffTable(
        ball=fields.need("ball", ball),
        at=fields.get("at", place),
        returned=fields.get("returned", flag) or False,
        on_rail=fields.get("on_rail", flag) or False,
        **doubt,
    ),
    Moved.kind: lambda fields, doubt: Moved(
        ball=fields.need("ball", ball), origin=fields.get("from", place), target=fields.get("to", place), **doubt
    ),
    Rest.kind: lambda fields, doubt: Rest(balls=fields.get("balls", places) or {}, **doubt),
}
