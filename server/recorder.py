"""Keeps a clip of every stroke: a thread of low priority beside the table's eyes, which never wait for it.

Pictures are coded once, as they come; a camera that sends coded ones has them copied as they are. When the thread is
behind, pictures are left out of the clip; when the disk is full, there is no clip, and nothing else changes.
"""

import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from hardware.errors import HardwareError
from hardware.footage import FootageRing, PictureCoder, write_footage
from hardware.frame import Frame
from scoring.events import TableEvent
from server.clips import ClipStore, clip_name, store_of
from server.config import EvidenceConfig
from server.strokes import Stroke, StrokeGrouper

_NS = 1_000_000_000
RECORDED_PATIENCE_S = 0.3
_QUEUE = 15  # pictures that may wait
_TAIL_S = 1.0  # how long a clip goes on after everything is at rest
_NICE = 10
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """A stroke that is over, on the frames' clock."""

    strike_ns: int
    rest_ns: int


@dataclass(slots=True)
class StrokeRecorder:
    """Records one table. A context manager; `see` and `hear` return at once, `trouble` is what keeps clips from it."""

    table_id: str
    store: ClipStore
    height: int
    lead_s: float
    fps: float = 0.0
    coded: Callable[[], FootageRing | None] = lambda: None  # what the camera sends, where it is coded well already
    wall_ns: Callable[[], int] = time.time_ns
    patience_s: float = 0.0  # how long eyes that look at a recording, or at a virtual table, wait for the thread
    trouble: str = ""
    left_out: int = 0
    _grouper: StrokeGrouper = field(default_factory=StrokeGrouper)
    _work: "queue.Queue[Frame | _Cut | None]" = field(default_factory=lambda: queue.Queue(_QUEUE))
    _due: list[_Cut] = field(default_factory=list)
    _coder: PictureCoder | None = None
    _latest_ns: int = 0
    _thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Begin."""
        self._thread = threading.Thread(target=self._run, name=f"clips of {self.table_id}", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write what is due and end."""
        self._work.put(None)
        if self._thread is not None:
            self._thread.join()

    def see(self, frame: Frame) -> None:
        """A picture has come; it is left out when the thread is behind."""
        try:
            self._work.put(frame, block=self.patience_s > 0, timeout=self.patience_s or None)
        except queue.Full:
            self.left_out += 1

    def hear(self, event: TableEvent) -> None:
        """Something was seen on the table; with the end of a stroke its clip is due."""
        match self._grouper.take(event):
            case Stroke(events=events):
                cut = _Cut(strike_ns=round(events[0].t_s * _NS), rest_ns=round(events[-1].t_s * _NS))
                try:
                    self._work.put(cut, timeout=0.5)
                except queue.Full:
                    self.trouble = "this computer is too slow to keep clips of strokes; set [evidence] height lower"
            case _:
                pass

    def begin_anew(self) -> None:
        """The camera was away: the stroke that was on has no end."""
        self._grouper.interrupt()

    def _run(self) -> None:
        if sys.platform == "linux":
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        while (work := self._work.get()) is not None:
            try:
                if isinstance(work, _Cut):
                    self._due.append(work)
                else:
                    self._take(work)
                self._write_due()
            except Exception:  # noqa: BLE001 (it is logged: evidence may fail in any way, the score goes on)
                _log.exception("table %s: a clip could not be kept", self.table_id)
                self.trouble, self._coder, self._due = "clips of strokes cannot be kept; see the log", None, []
        self._latest_ns = sys.maxsize
        self._write_due()

    def _take(self, frame: Frame) -> None:
        if frame.t_ns <= self._latest_ns:  # a new match on the virtual table, a recording from its start
            self._coder = None
        self._latest_ns = frame.t_ns
        if self.coded() is not None:
            return
        if self._coder is None:
            self._coder = PictureCoder(frame.size_px, self.fps, self.height)
        self._coder.add(frame)

    def _write_due(self) -> None:
        """Write the clips whose last picture has come."""
        ripe = [cut for cut in self._due if self._latest_ns >= cut.rest_ns + _TAIL_S * _NS]
        self._due = [cut for cut in self._due if cut not in ripe]
        for cut in ripe:
            self._write(cut)

    def _write(self, cut: _Cut) -> None:
        ring = self.coded() or (self._coder.ring if self._coder is not None else None)
        footage = None
        if ring is not None:
            footage = ring.cut(cut.strike_ns - round(self.lead_s * _NS), cut.rest_ns + round(_TAIL_S * _NS))
        if footage is None:
            return
        folder = self.store.folder / self.table_id
        name = clip_name(
            at_ns=self.wall_ns(),
            strike_ms=round(cut.strike_ns / 1e6),
            lead_ms=max(0, round((cut.strike_ns - footage.begins_ns) / 1e6)),
        )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            trouble = self.store.make_room(sum(len(picture.data) for picture in footage.pictures))
            if not trouble:
                write_footage(folder / name, footage)
        except (OSError, HardwareError) as error:
            trouble = str(error)
        if trouble and trouble != self.trouble:
            _log.warning("table %s: %s", self.table_id, trouble)
        self.trouble = trouble


def recorder_of(table_id: str, evidence: EvidenceConfig | None) -> AbstractContextManager[StrokeRecorder | None]:
    """The recorder of a table, or nothing where no clips are kept."""
    store = None if evidence is None else store_of(evidence)
    if evidence is None or store is None:
        return nullcontext()
    return StrokeRecorder(table_id, store, height=evidence.height, lead_s=evidence.lead_s)
