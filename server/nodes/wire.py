"""What a node says to the hall as JSON, and back; events are spelled as the contract does.

Facts are never dropped, and each event is one of its own; what is true for a moment only may be lost.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, get_args

from scoring.commands import Announce, Entry, StartMatch
from scoring.errors import ScoringError
from scoring.fields import places
from scoring.notation import event_from_json, event_to_json, places_to_json, shot_from_json, shot_to_json
from scoring.table import PocketMouths, Table
from server.entry_records import entry_from_text, entry_to_text
from server.errors import ServerError
from server.messages import (
    CameraFigures,
    Known,
    Lost,
    Opened,
    Places,
    Said,
    Seen,
    Started,
    Supposed,
    TableMessage,
    Trouble,
    Vitals,
)

Json = dict[str, Any]
_TROUBLES = get_args(Trouble)


class WireError(ServerError):
    """A message from the broker is none that a node writes."""


def facts(message: TableMessage) -> Iterator[Json]:
    """A message's facts, which must not be lost; none when it is true for a moment only."""
    match message:
        case Seen():
            for event in message.events:
                yield {"kind": "seen", "event": event_to_json(event)}
        case Opened():
            yield {"kind": "opened", "table": _table_to_json(message.table)}
        case Said():
            yield {"kind": "said", "entry": entry_to_text(Entry(seq=0, what=message.what))}
        case Known():
            yield {"kind": "known", "number": message.number, "shot": shot_to_json(message.shot)}
        case Started():
            yield {"kind": "started"}
        case Lost():
            yield {"kind": "lost"}
        case _:
            return


def passing(message: TableMessage, table: Table | None) -> Json | None:
    """A message that is true for a moment only; `table` is what the camera looks at, for a hall that has forgotten."""
    match message:
        case Places():
            spelled = {"t_s": message.t_s, "balls": places_to_json(message.balls), "is_moving": message.is_moving}
            return {"kind": "places"} | spelled
        case Supposed():
            return {"kind": "supposed", "events": [event_to_json(event) for event in message.events]}
        case Vitals():
            spelled = _fields(message) | {"picture_ns": None, "camera": message.camera and _fields(message.camera)}
            if message.picture_ns is not None:  # the two machines' clocks have nothing in common
                spelled["picture_age_s"] = (time.monotonic_ns() - message.picture_ns) / 1e9
            return {"kind": "vitals", "vitals": spelled, "looks_at": table and _table_to_json(table)}
        case _:
            return None


def read(body: bytes) -> tuple[TableMessage, Table | None]:
    """A message, and what the camera looks at, where it says so.

    Raises:
        WireError: It is none of ours.
    """
    try:
        record = json.loads(body)
        looks_at = record.get("looks_at")
        return _READERS[record["kind"]](record), looks_at and _table_from_json(looks_at)
    except (ValueError, KeyError, TypeError, AttributeError, ScoringError, ServerError) as error:
        message = f"a node's message cannot be read ({type(error).__name__}: {error}); are both of one version?"
        raise WireError(message) from error


def _said(record: Json) -> Said:
    what = entry_from_text(record["entry"]).what
    if not isinstance(what, StartMatch | Announce):
        message = f"a node's players cannot say {type(what).__name__}"
        raise TypeError(message)
    return Said(what=what)


def _vitals(record: Json) -> Vitals:
    said = dict(record["vitals"])
    age_s, camera = said.pop("picture_age_s", None), said["camera"]
    vitals = Vitals(**said | {"camera": camera and CameraFigures(**camera)})
    if vitals.trouble is not None and vitals.trouble not in _TROUBLES:
        message = f"there is no trouble called {vitals.trouble!r}"
        raise ValueError(message)
    return vitals if age_s is None else replace(vitals, picture_ns=time.monotonic_ns() - int(age_s * 1e9))


_READERS: Mapping[str, Callable[[Json], TableMessage]] = {
    "seen": lambda record: Seen(events=(event_from_json(record["event"]),)),
    "supposed": lambda record: Supposed(events=tuple(event_from_json(event) for event in record["events"])),
    "opened": lambda record: Opened(table=_table_from_json(record["table"])),
    "said": _said,
    "known": lambda record: Known(number=record["number"], shot=shot_from_json(record["shot"])),
    "started": lambda record: Started(),  # noqa: ARG005 (there is nothing more to say)
    "lost": lambda record: Lost(),  # noqa: ARG005 (as above)
    "places": lambda record: Places(
        t_s=record["t_s"], balls=places(record["balls"], "balls"), is_moving=record["is_moving"]
    ),
    "vitals": _vitals,
}


def _fields(value: Vitals | CameraFigures) -> Json:
    return {name: getattr(value, name) for name in value.__slots__}


def _table_to_json(table: Table) -> Json:
    pockets = table.pockets
    return {
        "length_mm": table.length_mm,
        "width_mm": table.width_mm,
        "ball_mm": table.ball_mm,
        "pockets": pockets and {"corner_mm": pockets.corner_mm, "middle_mm": pockets.middle_mm},
    }


def _table_from_json(record: Json) -> Table:
    return Table(**record | {"pockets": record["pockets"] and PocketMouths(**record["pockets"])})
