"""Whether a camera in service stands as it was calibrated: bound to its table file, watched for drift.

Small shifts are put right by themselves and told to the log; larger ones, another camera or another mode hold scoring.
"""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from calibration.drift import DriftKind, DriftWatch, binding_problem, load_reference, patches_path
from calibration.errors import CalibrationError, TableFileError
from calibration.store import load_table_file
from calibration.table_file import TableFile
from hardware.frame import Frame
from server.messages import Trouble

_NS = 1_000_000_000
_SECRET = re.compile(r"//[^/@]*@")


@dataclass(slots=True, kw_only=True, eq=False)
class Standing:
    """One camera's calibration as it holds now. Pure in frames; `source` is what the hall file calls the camera."""

    path: Path
    source: str
    problem: str = ""  # why the calibration does not hold for this camera, or that there is none
    moved: str = ""  # how far the camera has moved, when that is too far
    _table_file: TableFile | None = field(default=None, init=False)
    _watch: DriftWatch | None = field(default=None, init=False)

    def load(self) -> str:
        """Read the table file anew; a line for the log when drift will not be noticed."""
        self._table_file, self._watch, self.problem, self.moved = None, None, "", ""
        try:
            self._table_file = load_table_file(self.path)
        except TableFileError as error:
            self.problem = str(error)
            return ""
        try:
            reference = load_reference(patches_path(self.path))
        except CalibrationError as error:
            return f"drift of the camera will not be noticed: {error}"
        self._watch = DriftWatch(reference=reference, camera=self._table_file.camera)
        return ""

    @property
    def table_file(self) -> TableFile | None:
        """What was calibrated, with the camera as it stands now; None when there is no calibration."""
        if self._table_file is None or self._watch is None:
            return self._table_file
        return replace(self._table_file, camera=self._watch.state.camera)

    @property
    def calibrated(self) -> TableFile:
        """The same of a camera that has a calibration."""
        table_file = self.table_file
        assert table_file is not None
        return table_file

    @property
    def trouble(self) -> tuple[Trouble, str] | None:
        """Why scoring is held, and a line for people."""
        if self.problem:
            return "not_calibrated", self.problem
        return ("camera_moved", self.moved) if self.moved else None

    def bind(self, size_px: tuple[int, int], fps: float) -> None:
        """The camera gives such pictures, and promises such a rate (0: it promises nothing that one can rely on)."""
        if self._table_file is not None:
            known = replace(self._table_file, source=_bound(self._table_file.source))
            self.problem = binding_problem(known, _bound(self.source), size_px, fps) or ""

    def look(self, frame: Frame) -> tuple[str, bool]:
        """Look at a picture of a quiet table: a line for the log, and whether the camera's model has changed."""
        if self._watch is None or self.problem:
            return "", False
        before = self._watch.state
        state = self._watch.look(frame.pixels, frame.t_ns / _NS)
        if state.kind == DriftKind.HELD:
            self.moved = state.message or self.moved
        else:
            self.moved = ""
        return state.message, bool(state.message) and state.camera is not before.camera


def _bound(source: str) -> str:
    """A camera's address; empty for a recording, of which nobody knows the camera."""
    is_camera = source.startswith(("usb:", "/dev/", "rtsp:", "http:", "https:", "udp:", "tcp:"))
    return without_secret(source) if is_camera else ""


def without_secret(source: str) -> str:
    """A camera's address without the name and password in it."""
    return _SECRET.sub("//", source)
