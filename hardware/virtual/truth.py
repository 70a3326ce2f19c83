"""What really happened, as files that scoring, vision and people can read (contract, sections 2, 3, 5 and 8)."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from hardware.virtual.board import ReceivedLine
from hardware.virtual.picture.sights import Sights
from hardware.virtual.scene import Instant
from scoring.events import TableEvent
from scoring.notation import event_to_json, shot_to_json
from scoring.shots import Shot

_SEEN_SHARE = 0.5


def write_events(path: Path, events: Iterable[TableEvent]) -> None:
    """Write `truth.jsonl`: a table event a line."""
    _write_lines(path, (json.dumps(_rounded(event_to_json(event))) for event in events))


def write_shots(path: Path, shots: Iterable[Shot]) -> None:
    """Write `shots.jsonl`: a shot record a line."""
    _write_lines(path, (json.dumps(_rounded(shot_to_json(shot))) for shot in shots))


def write_sensor_lines(path: Path, lines: Iterable[ReceivedLine]) -> None:
    """Write `sensors.txt`: a line of the sensor board a line, after its receive time."""
    _write_lines(path, (str(line) for line in lines))


class TrackWriter:
    """Writes `tracks.csv`: where each ball is at each frame, and whether at least half of it can be seen."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._rows = csv.writer(self._file, lineterminator="\n")
        self._rows.writerow(["t", "ball", "x", "y", "visible"])

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def write(self, t_s: float, instant: Instant, sights: Sights) -> None:
        """Add the balls of one frame."""
        shares = {sight.ball: sight.visible for sight in sights.balls}
        for pose in instant.balls:
            x_mm, y_mm, _ = pose.center_mm
            is_seen = shares[pose.ball] >= _SEEN_SHARE
            self._rows.writerow([f"{t_s:.6f}", pose.ball.name, f"{x_mm:.2f}", f"{y_mm:.2f}", int(is_seen)])


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
