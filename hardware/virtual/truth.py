"""What really happened, as files that scoring, vision and people can read (contract, sections 2, 3, 5 and 8)."""

import json
from collections.abc import Iterable
from pathlib import Path

from hardware.virtual.board import ReceivedLine
from scoring.events import TableEvent
from scoring.notation import event_to_json, shot_to_json
from scoring.shots import Shot


def write_events(path: Path, events: Iterable[TableEvent]) -> None:
    """Write `truth.jsonl`: a table event a line."""
    _write_lines(path, (json.dumps(_rounded(event_to_json(event))) for event in events))


def write_shots(path: Path, shots: Iterable[Shot]) -> None:
    """Write `shots.jsonl`: a shot record a line."""
    _write_lines(path, (json.dumps(_rounded(shot_to_json(shot))) for shot in shots))


def write_sensor_lines(path: Path, lines: Iterable[ReceivedLine]) -> None:
    """Write `sensors.txt`: a line of the sensor board a line, after its receive time."""
    _write_lines(path, (str(line) for line in lines))


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _rounded(value: object) -> object:
    """The same value with no more digits than a microsecond or a nanometre has."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return value
