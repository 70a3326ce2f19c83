"""Has anything changed: the whole picture or a ball's window, noise and the lamps' flicker apart."""

from typing import cast

import cv2
import numpy as np

from vision.detectors.region import Mask, Picture

Window = tuple[int, int, int, int]  # left, top, right, bottom at the reduced scale

_FEW = 3  # changed samples that are still noise
_NOISE_RATE = 0.2
_NOISE_EVERY = 8


class MotionGate:
    """Compares pictures at the reduced scale with those in which each part was last looked at."""

    def __init__(self, mask: Mask) -> None:
        """Only what lies in the mask counts."""
        self._mask = cv2.merge([mask, mask, mask]).reshape(mask.shape[0], -1)
        self._sample = np.flatnonzero(mask.ravel())[::97]
        self._seen: Picture | None = None
        self._changed = np.full_like(self._mask, 255)
        self._noise = 1.5
        self._turn = 0

    def compare(self, reduced: Picture) -> bool:
        """Whether nothing has changed since each part was last kept."""
        if self._seen is None:
            return False
        seen = self._seen
        now, before = (picture.reshape(-1, 3)[self._sample].sum(dtype=np.int64) + 1 for picture in (reduced, seen))
        gain = float(now / before)
        if abs(gain - 1) > 0.004:
            seen = np.asarray(cv2.convertScaleAbs(seen, alpha=gain), dtype=np.uint8)
        difference = cv2.absdiff(reduced, seen).reshape(self._mask.shape)
        _, changed = cv2.threshold(difference, min(40.0, 7 * self._noise + 3), 255, cv2.THRESH_BINARY)
        self._changed = cast("Mask", cv2.bitwise_and(changed, self._mask))
        self._turn += 1
        if self._turn % _NOISE_EVERY == 0:
            level = float(cv2.mean(difference[::3], self._mask[::3])[0])
            self._noise += _NOISE_RATE * (min(level, 6.0) - self._noise)
        return cv2.countNonZero(self._changed) <= _FEW

    def has_changed(self, window: Window) -> bool:
        """Whether something in a window has changed."""
        left, top, right, bottom = window
        return int(np.count_nonzero(self._changed[top:bottom, 3 * left : 3 * right])) > _FEW

    def keep(self, reduced: Picture, unchanged: list[Window]) -> None:
        """Remember the picture as looked at, but for the windows that were not looked at again."""
        seen = reduced.copy()
        if self._seen is not None:
            for left, top, right, bottom in unchanged:
                seen[top:bottom, left:right] = self._seen[top:bottom, left:right]
        self._seen = seen
