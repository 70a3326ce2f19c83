"""A match's log entries as JSON text for the journal, and back; shots are spelled as the contract does."""

import json
from collections.abc import Callable, Mapping
from typing import Any, assert_never

from scoring.balls import Ball
from scoring.commands import (
    Announce,
    Answer,
    Command,
    CorrectShot,
    Entry,
    InsertShot,
    Observe,
    PlayShot,
    RemoveShot,
    Restored,
    Retracted,
    StartMatch,
)
from scoring.fields import places
from scoring.layout import Layout
from scoring.notation import (
    call_from_json,
    call_to_json,
    places_to_json,
    referee_from_json,
    referee_to_json,
    shot_from_json,
    shot_to_json,
)
from scoring.setup import Beginning, Handicap, Phase, Setup, Side, Streaks
from scoring.table import PocketMouths, Table
from server.errors import JournalError

Json = dict[str, Any]


def entry_to_text(entry: Entry) -> str:
    """One entry as a line of JSON."""
    kind, body = _command_to_json(entry.what)
    record = {"seq": entry.seq, "kind": kind, "body": body}
    record |= {key: value for key in ("who", "at_ns", "why") if (value := getattr(entry, key)) is not None}
    return json.dumps(record, ensure_ascii=False)


def entry_from_text(text: str) -> Entry:
    """Read one entry.

    Raises:
        JournalError: It is none of ours.
    """
    try:
        record = json.loads(text)
        what = _READERS[record["kind"]](record["body"])
        return Entry(
            seq=record["seq"], what=what, who=record.get("who"), at_ns=record.get("at_ns"), why=record.get("why")
        )
    except (ValueError, KeyError, TypeError) as error:
        message = f"an entry of the journal cannot be read ({type(error).__name__}: {error}); was it written by us?"
        raise JournalError(message) from error


def _command_to_json(what: Command) -> tuple[str, Json]:  # noqa: C901, PLR0911 (one line per class)
    match what:
        case StartMatch():
            return "start", {"setup": _setup_to_json(what.setup), "beginning": _beginning_to_json(what.beginning)}
        case PlayShot():
            return "shot", {"shot": shot_to_json(what.shot)}
        case Announce():
            return "call", {"call": call_to_json(what.call)}
        case Observe():
            return "referee", {"input": referee_to_json(what.input), "stroke": what.stroke}
        case Answer():
            return "answer", {"answer": referee_to_json(what.answer)}
        case CorrectShot():
            return "correct", {"stroke": what.stroke, "shot": shot_to_json(what.shot)}
        case InsertShot():
            return "insert", {"shot": shot_to_json(what.shot), "before": what.before}
        case RemoveShot():
            return "remove", {"stroke": what.stroke}
        case Retracted():
            return "retracted", {"entry": what.seq}
        case Restored():
            return "restored", {"entry": what.seq}
        case _:
            assert_never(what)


_READERS: dict[str, Callable[[Json], Command]] = {
    "start": lambda body: StartMatch(_setup_from_json(body["setup"]), _beginning_from_json(body["beginning"])),
    "shot": lambda body: PlayShot(shot_from_json(body["shot"])),
    "call": lambda body: Announce(call_from_json(body["call"])),
    "referee": lambda body: Observe(referee_from_json(body["input"]), body["stroke"]),
    "answer": lambda body: Answer(referee_from_json(body["answer"])),
    "correct": lambda body: CorrectShot(body["stroke"], shot_from_json(body["shot"])),
    "insert": lambda body: InsertShot(shot_from_json(body["shot"]), body["before"]),
    "remove": lambda body: RemoveShot(body["stroke"]),
    "retracted": lambda body: Retracted(body["entry"]),
    "restored": lambda body: Restored(body["entry"]),
}


def _setup_to_json(setup: Setup) -> Json:
    table = setup.table
    return {
        "game": setup.game,
        "sides": [list(side.members) for side in setup.sides],
        "format": setup.format,
        "options": dict(setup.options),
        "table": {
            "length_mm": table.length_mm,
            "width_mm": table.width_mm,
            "ball_mm": table.ball_mm,
            "pockets": None if table.pockets is None else [table.pockets.corner_mm, table.pockets.middle_mm],
        },
        "handicaps": [
            {
                "credit": handicap.credit,
                "off_table": _names(handicap.off_table),
                "not_taken_off": handicap.not_taken_off,
                "points": handicap.points,
                "caroms": handicap.caroms,
            }
            for handicap in setup.handicaps
        ],
    }


def _setup_from_json(record: Json) -> Setup:
    table, pockets = record["table"], record["table"]["pockets"]
    return Setup(
        game=record["game"],
        sides=tuple(Side(tuple(members)) for members in record["sides"]),
        format=record["format"],
        options={name: tuple(value) if isinstance(value, list) else value for name, value in record["options"].items()},
        table=Table(
            length_mm=table["length_mm"],
            width_mm=table["width_mm"],
            ball_mm=table["ball_mm"],
            pockets=None if pockets is None else PocketMouths(corner_mm=pockets[0], middle_mm=pockets[1]),
        ),
        handicaps=tuple(
            Handicap(**{**handicap, "off_table": _balls(handicap["off_table"])}) for handicap in record["handicaps"]
        ),
    )


def _beginning_to_json(beginning: Beginning) -> Json:
    record: Json = {
        "phase": beginning.phase,
        "scores": None if beginning.scores is None else list(beginning.scores),
        "shooter": beginning.shooter,
        "from_hand": beginning.from_hand,
        "layout": None if beginning.layout is None else places_to_json(beginning.layout.places),
        "gone": _names(beginning.gone) or None,
        "in_hand": None if beginning.in_hand is None else _names(beginning.in_hand),
        "yellow_middle_by": beginning.last.yellow_middle_by,
        "potted_by": None if beginning.last.potted_by is None else list(beginning.last.potted_by),
    }
    return {key: value for key, value in record.items() if value is not None}


def _beginning_from_json(record: Mapping[str, Any]) -> Beginning:
    return Beginning(
        phase=Phase(record["phase"]) if "phase" in record else None,
        scores=tuple(record["scores"]) if "scores" in record else None,
        shooter=record.get("shooter"),
        from_hand=record.get("from_hand"),
        layout=Layout(places(record["layout"], "layout")) if "layout" in record else None,
        gone=_balls(record.get("gone", [])),
        in_hand=_balls(record["in_hand"]) if "in_hand" in record else None,
        last=Streaks(
            yellow_middle_by=record.get("yellow_middle_by"),
            potted_by=tuple(record["potted_by"]) if "potted_by" in record else None,
        ),
    )


def _names(balls: tuple[Ball, ...]) -> list[str]:
    return [ball.name for ball in balls]


def _balls(names: list[str]) -> tuple[Ball, ...]:
    return tuple(Ball(name) for name in names)
