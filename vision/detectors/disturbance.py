"""Frames that must not be trusted as a whole: black pictures, jumps of the light, a table of which nothing is left."""

import cv2

from vision.background import Foreground
from vision.detectors.region import Picture

_EVERY_ROW = 8  # of these it is measured
_BLACK = 6.0  # mean of a picture that shows nothing
_GAIN_JUMP = 1.15  # from one frame to the next
_COVERED = 0.45  # of the bed
_LASTS_NS = 1_000_000_000
_DARK = "the picture is black"


class Disturbance:
    """Compares each frame with the one before."""

    def __init__(self) -> None:
        """Nothing has been seen yet."""
        self._gain: float | None = None
        self._since_ns: int | None = None
        self.lasts = False

    def judge(self, reduced: Picture, found: Foreground, t_ns: int) -> str | None:
        """Why a frame must not be trusted, None when it may be; `lasts` tells when that has gone on for long."""
        before, self._gain = self._gain, found.gain
        reason: str | None = None
        if sum(cv2.mean(reduced[::_EVERY_ROW])[:3]) / 3 < _BLACK:
            reason = _DARK
        elif before is not None and not 1 / _GAIN_JUMP < found.gain / before < _GAIN_JUMP:
            reason = "the light or the exposure has jumped"
        elif found.share > _COVERED:
            reason = "most of the table has changed or is covered"
        if reason is None or self._since_ns is None:
            self._since_ns = t_ns if reason is not None else None
        is_new_look = reason is not None and reason != _DARK  # nothing can be learnt in the dark
        self.lasts = is_new_look and self._since_ns is not None and t_ns - self._since_ns > _LASTS_NS
        return reason
