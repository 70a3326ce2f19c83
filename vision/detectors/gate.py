"""Has anything changed: the whole picture or a ball's window, noise and the lamps' flicker apart.

While a table is at rest its pictures are compared by brightness alone most of the time.
"""

from collections.abc import Sequence
from typing import cast

import cv2
import numpy as np

from vision.detectors.region import Mask, Picture, Window

_RIM = 3
_EVERY_ROW = 12  # of these the light is measured
_LIGHT_JUMP = 1.06  # a light so much stronger or weaker is a change
_FEW = 3  # changed samples in a window that are still noise,
_FEW_IN_ALL = 10  # and in the whole picture
_NOISE_RATE = 0.2
_NOISE_EVERY = 8
_QUICK = 3  # pictures in a row in which only brightness is compared,
_FEW_BRIGHT = 3  # and changed samples of it that are still noise


class MotionGate:
    """Compares pictures at the reduced scale with those in which each part was last looked at."""

    def __init__(self, mask: Mask) -> None:
        """Only what lies in the mask counts."""
        self._rows = np.ascontiguousarray(mask[_EVERY_ROW // 2 :: _EVERY_ROW])
        self._mask = cv2.merge([mask, mask, mask]).reshape(mask.shape[0], -1)
        self._seen: Picture | None = None
        self._difference: Picture = np.empty((*mask.shape, 3), np.uint8)
        self._changed = np.full_like(self._mask, 255)
        self._noise = 1.5
        self._turn = 0
        self._limit, self._limits = 0, self._mask
        self._bright_mask = np.ascontiguousarray(mask)
        self._bright: Mask | None = None  # of the last picture in which nothing had changed
        self._bright_noise, self._quick = 1.5, 0

    def is_as_bright(self, brightness: Mask) -> bool:
        """Whether a picture is as bright everywhere as one in which nothing had changed; now and then nobody knows."""
        self._quick += 1
        if self._bright is None or self._quick > _QUICK:
            return False
        difference = cv2.absdiff(brightness, self._bright)
        if self._quick == 1:
            level = float(cv2.mean(difference[::3], self._bright_mask[::3])[0])
            self._bright_noise += _NOISE_RATE * (min(level, 6.0) - self._bright_noise)
        _, changed = cv2.threshold(difference, _limit(self._bright_noise), 255, cv2.THRESH_BINARY)
        return cv2.countNonZero(cv2.bitwise_and(changed, self._bright_mask)) <= _FEW_BRIGHT

    def compare(self, reduced: Picture, brightness: Mask | None = None) -> bool:
        """Whether nothing has changed since each part was last kept."""
        is_still = self._compare(reduced)
        self._bright, self._quick = brightness if is_still else None, 0
        return is_still

    def _compare(self, reduced: Picture) -> bool:
        if self._seen is None:
            return False
        seen = self._seen
        gain = self._light(reduced) / self._light(seen)
        if abs(gain - 1) > 0.004:
            seen = np.asarray(cv2.convertScaleAbs(seen, alpha=gain), dtype=np.uint8)
        difference = cv2.absdiff(reduced, seen, self._difference).reshape(self._mask.shape)
        limit = _limit(self._noise)
        if limit != self._limit:
            self._limit, self._limits = limit, np.where(self._mask > 0, limit, 255).astype(np.uint8)
        self._changed = cast("Mask", cv2.compare(difference, self._limits, cv2.CMP_GT, self._changed))
        self._turn += 1
        if self._turn % _NOISE_EVERY == 0:
            level = float(cv2.mean(difference[::3], self._mask[::3])[0])
            self._noise += _NOISE_RATE * (min(level, 6.0) - self._noise)
        return cv2.countNonZero(self._changed) <= _FEW_IN_ALL and 1 / _LIGHT_JUMP < gain < _LIGHT_JUMP

    def changed_windows(self, *, are_apart: bool) -> list[Window]:
        """One window, or several that may overlap, that hold all that has changed, and a rim for what noise has hidden.

        One takes in what changes too softly to be noticed: the shadows of people.
        """
        rows, columns = self._changed.shape[0], self._changed.shape[1] // 3
        windows = []
        for top, bottom in _stretches(self._changed.max(axis=1), 2 * _RIM if are_apart else rows):
            in_columns = np.bitwise_or.reduce(self._changed[top:bottom], axis=0)
            for left, right in _stretches(in_columns, 6 * _RIM if are_apart else 3 * columns):
                windows.append(
                    (
                        max(0, left // 3 - _RIM),
                        max(0, top - _RIM),
                        min(columns, (right + 2) // 3 + _RIM),
                        min(rows, bottom + _RIM),
                    )
                )
        return windows

    def has_changed(self, window: Window) -> bool:
        """Whether something in a window has changed."""
        left, top, right, bottom = window
        return cv2.countNonZero(self._changed[top:bottom, 3 * left : 3 * right]) > _FEW

    def keep(
        self, reduced: Picture, looked_at: Sequence[Window] | None = None, unchanged: Sequence[Window] = ()
    ) -> None:
        """Remember the picture as looked at: all of it or windows, but for windows in it that were not looked at."""
        before = self._seen
        if before is None or looked_at is None:
            self._seen = reduced.copy()
            return
        saved = [before[top:bottom, left:right].copy() for left, top, right, bottom in unchanged]
        for left, top, right, bottom in looked_at:
            before[top:bottom, left:right] = reduced[top:bottom, left:right]
        for (left, top, right, bottom), part in zip(unchanged, saved, strict=True):
            before[top:bottom, left:right] = part

    def _light(self, picture: Picture) -> float:
        """How bright a picture is inside the mask."""
        return sum(cv2.mean(picture[_EVERY_ROW // 2 :: _EVERY_ROW], self._rows)[:3]) + 1e-3


def _stretches(changed: Mask, gap: int) -> list[tuple[int, int]]:
    """Where (N,) are not 0: first and one past the last of stretches that are further apart than a gap."""
    places = np.flatnonzero(changed)
    if not len(places):
        return []
    cuts = np.flatnonzero(places[1:] - places[:-1] > gap).tolist()
    firsts, lasts = (0, *(cut + 1 for cut in cuts)), (*cuts, -1)
    return [(int(places[first]), int(places[last]) + 1) for first, last in zip(firsts, lasts, strict=True)]


def _limit(noise: float) -> int:
    """The difference that noise of this mean size does not make."""
    return int(min(40.0, 7 * noise + 3))
