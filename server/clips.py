"""The clips of strokes on the disk: a ring that never takes more than its share; the oldest go first.

A clip's name holds all that is known of it, so there is no list that could be lost:
`TABLE/20261130T181502123-000123456789-2040.mp4` (wall clock and table clock of the strike, and where it is in the clip,
in milliseconds); what a second look made of it lies beside it as `….drawn.mp4`.
"""

import contextlib
import datetime as dt
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scoring.shots import Shot
from server.config import EvidenceConfig, TableConfig

_NAME = re.compile(r"(?P<at>\d{8}T\d{9})-(?P<strike>\d{12})-(?P<lead>\d{1,6})\.mp4")
_AT = "%Y%m%dT%H%M%S%f"
_MB = 1_000_000
_SAME_STROKE_S = 3600.0  # the table's clock begins anew with the machine: only near the entry's time is it the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """One clip; `strike_ms` on the table's clock, `lead_ms` from the clip's begin to the strike."""

    path: Path
    at_ns: int
    strike_ms: int
    lead_ms: int

    @property
    def drawn(self) -> Path:
        """Where its copy is with what a second look saw drawn in, if that was made."""
        return self.path.with_suffix(".drawn.mp4")


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What is to be looked at again: a clip, the table that it shows, and what the first look saw."""

    clip: Clip
    config: TableConfig
    game: str
    shot: Shot


def clip_name(*, at_ns: int, strike_ms: int, lead_ms: int) -> str:
    """What a clip's file is called."""
    at = dt.datetime.fromtimestamp(at_ns / 1e9, dt.UTC).strftime(_AT)[:-3]
    return f"{at}-{strike_ms:012d}-{lead_ms}.mp4"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipStore:
    """A hall's folder of clips."""

    folder: Path
    limit_mb: int
    spare_mb: int

    def find(self, table_id: str, strike_s: float, at_ns: int) -> Clip | None:
        """The clip of a stroke, by the strike on the table's clock and about when it was journalled."""
        wanted = self._clips(table_id, f"*-{round(strike_s * 1000):012d}-*.mp4")
        near = [clip for clip in wanted if abs(clip.at_ns - at_ns) < _SAME_STROKE_S * 1e9]
        return min(near, key=lambda clip: abs(clip.at_ns - at_ns), default=None)

    def named(self, table_id: str, name: str) -> Clip | None:
        """The clip of a name, which another machine has; None when clips are not named so."""
        return _clip(self.folder / table_id / name) if "/" not in name else None

    def put(self, path: Path, body: bytes) -> None:
        """Write a clip's file that another machine had; it appears whole or not at all.

        Raises:
            OSError: It could not be written, or there is no room.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        if trouble := self.make_room(len(body)):
            raise OSError(trouble)
        unfinished = path.with_name(f".{path.name}.part")
        try:
            unfinished.write_bytes(body)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    def make_room(self, size: int = 0) -> str:
        """Remove the oldest clips until there is room for `size` bytes more; why there is none, in plain English."""
        files = sorted(self._files())
        left = sum(taken for _, _, taken in files) + size
        for _, path, taken in files:
            if left <= self.limit_mb * _MB and self._free() - size >= self.spare_mb * _MB:
                break
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
            left -= taken
        if self._free() - size < self.spare_mb * _MB:
            return f"the disk of {self.folder} has no room for clips of strokes; free some space"
        return ""

    def _free(self) -> int:
        return shutil.disk_usage(self.folder).free

    def _files(self) -> Iterator[tuple[str, Path, int]]:
        """Every file of ours, also one that was never finished, with its age's sort key and its size."""
        for path in self.folder.glob("*/*.mp4*"):
            with contextlib.suppress(OSError):
                yield path.name.lstrip("."), path, path.stat().st_size

    def _clips(self, table_id: str, pattern: str) -> Iterator[Clip]:
        for path in (self.folder / table_id).glob(pattern):
            if (clip := _clip(path)) is not None:
                yield clip


def _clip(path: Path) -> Clip | None:
    """What a file's name says of it; None when it is no clip's."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    try:
        at = dt.datetime.strptime(match["at"] + "000", _AT).replace(tzinfo=dt.UTC)
    except ValueError:
        return None
    return Clip(
        path=path,
        at_ns=round(at.timestamp() * 1000) * 1_000_000,
        strike_ms=int(match["strike"]),
        lead_ms=int(match["lead"]),
    )


def store_of(config: EvidenceConfig) -> ClipStore | None:
    """Where a hall keeps its clips; None where it keeps none."""
    if not config.keep or config.folder is None:
        return None
    return ClipStore(folder=config.folder, limit_mb=config.limit_mb, spare_mb=config.spare_mb)
