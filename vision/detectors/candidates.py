"""Where balls may be: blobs of the foreground that are of a ball's size, long when blurred, or heaps of several."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike

from calibration.camera import Array
from hardware.planes import Planes
from vision.detectors.region import Mask, Picture, Window, WorkRegion

_HEAP_AREA = 25.0  # balls' areas up to which a blob may be a heap of balls and is searched for circles
_LEAST_AREA = 0.12  # of a ball's area that may be seen of it
_BLEEDING_AREA = 6.0  # balls' areas up to which a blob is cut down to where it differs by a good part of its best
_PAIR_AREA = 1.6  # balls' areas from which on a long blob may be two balls
_COMPACT_AREA = 1.45  # balls' areas up to which it is left as it is
_CORE_SHARE = 0.35
_MOST_BULGES = 12
_CUT_RIM = 0.12
_RIM = 2  # px around a blob in which changes are its own
_BLEED_PX = 1.5  # how much wider than it is a blob may look, as colours bleed
_STEEP = 190.0  # slopes (Scharr) that can be a ball's edge


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A place to look for a ball: the middle of its outline, px, and the blur's vector when it looks long.

    `is_alone`: the blob is one ball's, whole; `is_cut`: it reaches the edge of the region; `word` is the colour
    of the ball that lay there a moment ago; `has_stayed`: one was within a small part of a radius in the frame
    before, so that no blur can be its motion's. A higher `rank` wins when two are in one place.
    """

    center_px: tuple[float, float]
    is_alone: bool
    rank: float
    streak_px: tuple[float, float] | None = None
    is_cut: bool = False
    word: str | None = None
    has_stayed: bool = False


class CandidateFinder:
    """Looks for candidates in one camera's pictures."""

    def __init__(self, region: WorkRegion) -> None:
        """Sizes come from the region."""
        self._region = region
        height, width = region.mask.shape
        radius = min(region.reduced_radius(x, y) for x in (0.0, width) for y in (0.0, height))
        self._least_rim = max(5, math.floor(2 * math.pi * radius * math.sqrt(_LEAST_AREA) * 0.8))
        padded = cv2.copyMakeBorder(region.mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
        self._inside = cv2.erode(padded, np.ones((3, 3), np.uint8))[1:-1, 1:-1]

    def find(
        self, mask: Mask, difference: Picture, pixels: Picture | Planes, has_changed: Callable[[Window], bool]
    ) -> list[Candidate]:
        """Candidates in a foreground mask and the difference it was made of, in blobs where something has changed."""
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        found: list[Candidate] = []
        for contour in contours:
            if len(contour) < self._least_rim or not has_changed(_box(contour)):
                continue
            share, radius = self._size(contour)
            if share < _LEAST_AREA:
                continue
            if share < _COMPACT_AREA or share > _BLEEDING_AREA:
                found.extend(self._of_blob(contour, radius, pixels))
                continue
            for part in _cut_down(contour, mask, difference):
                found.extend(self._of_blob(part, radius, pixels))
        return found

    def _size(self, contour: MatLike) -> tuple[float, float]:
        """A blob's area in balls' areas, and a ball's radius there, reduced px."""
        left, top, width, height = cv2.boundingRect(contour)
        radius = self._region.reduced_radius(left + (width - 1) / 2, top + (height - 1) / 2)
        return (cv2.contourArea(contour) + len(contour) / 2) / (np.pi * radius**2), radius

    def _of_blob(self, contour: MatLike, radius: float, pixels: Picture | Planes) -> list[Candidate]:
        """What one blob may hold."""
        share, _ = self._size(contour)
        moments = cv2.moments(contour)
        if moments["m00"] <= 0:
            return []
        middle = self._region.to_picture([moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]])
        center = (float(middle[0]), float(middle[1]))
        (_, _), (wide, high), angle = cv2.minAreaRect(contour)
        long, short = max(wide, high) + 1, min(wide, high) + 1
        bleed = _BLEED_PX / self._region.factor
        if share < 1.9 * (1 + bleed / (2 * radius)) ** 2 and long < 2.9 * radius + bleed:
            return [Candidate(center_px=center, is_alone=share > 0.6, rank=3.0, is_cut=self._is_cut(contour))]
        hull_area = cv2.contourArea(cv2.convexHull(contour)) + len(contour) / 2
        is_capsule = 1.5 * radius < short < 2.7 * radius + bleed and share * np.pi * radius**2 > 0.85 * hull_area
        if is_capsule and long < 9 * radius:
            turn = np.deg2rad(angle if wide >= high else angle + 90)
            length = (long - short) * self._region.factor
            streak = (float(length * np.cos(turn)), float(length * np.sin(turn)))
            pair = self._of_heap(contour, radius, pixels) if long < 7 * radius and share > _PAIR_AREA else []
            is_cut = self._is_cut(contour)
            return [Candidate(center_px=center, is_alone=True, rank=0.5, streak_px=streak, is_cut=is_cut), *pair]
        heap = self._of_heap(contour, radius, pixels) if share <= _HEAP_AREA else []
        return heap + self._of_bulges(contour, radius)

    def _is_cut(self, contour: MatLike) -> bool:
        """Whether a good part of a blob's rim is that of the region, so that it may go on beyond."""
        points = contour.reshape(-1, 2)
        return int(np.count_nonzero(self._inside[points[:, 1], points[:, 0]] == 0)) > _CUT_RIM * len(points)

    def _of_heap(self, contour: MatLike, radius: float, pixels: Picture | Planes) -> list[Candidate]:
        """Centres of circles of a ball's size: where brightness slopes point to (after Loy and Zelinsky, 2003)."""
        left, top, width, height = cv2.boundingRect(contour)
        low = np.maximum(self._region.to_picture([left - 2, top - 2]).astype(int), 0)
        high = self._region.to_picture([left + width + 2, top + height + 2]).astype(int)
        window = _window(pixels, low, high)
        if min(window.shape[:2]) < 5:
            return []
        votes = _center_votes(window, radius * self._region.factor)
        inside = np.zeros(votes.shape, np.uint8)
        shifted = (self._region.to_picture(contour.reshape(-1, 2)) - low).round().astype(np.int32)
        cv2.fillPoly(inside, [shifted], 255)
        votes[inside == 0] = 0
        size = 2 * int(0.6 * radius * self._region.factor) + 1
        peaks = (votes >= cv2.dilate(votes, np.ones((size, size), np.uint8))) & (votes > 0.12)
        rows, columns = np.nonzero(peaks)
        return [
            Candidate(center_px=(float(x + low[0]), float(y + low[1])), is_alone=False, rank=1 + float(votes[y, x]))
            for y, x in zip(rows, columns, strict=True)
        ]

    def _of_bulges(self, contour: MatLike, radius: float) -> list[Candidate]:
        """Middles of parts of a blob that are as wide as a ball."""
        left, top, width, height = cv2.boundingRect(contour)
        blob = np.zeros((height + 2, width + 2), np.uint8)
        cv2.drawContours(blob, [contour], -1, 255, cv2.FILLED, offset=(1 - left, 1 - top))
        depth = cv2.distanceTransform(blob, cv2.DIST_L2, 5)
        size = 2 * round(0.8 * radius) + 1
        peaks = (depth >= cv2.dilate(depth, np.ones((size, size), np.uint8))) & (depth > 0.75 * radius)
        peaks &= depth < 1.45 * radius
        rows, columns = np.nonzero(peaks)
        fit = -np.abs(depth[rows, columns] / radius - 1.05)
        best = np.argsort(-fit)[:_MOST_BULGES]
        places = self._region.to_picture(np.column_stack([columns + left - 1, rows + top - 1]))[best]
        return [
            Candidate(center_px=(float(x), float(y)), is_alone=False, rank=float(f))
            for (x, y), f in zip(places, fit[best], strict=True)
        ]


def _window(picture: Picture | Planes, low: Array, high: Array) -> Picture:
    """A part of a picture in BGR."""
    if not isinstance(picture, Planes):
        return picture[low[1] : high[1], low[0] : high[0]]
    right, bottom = np.minimum(high, picture.size_px)
    return picture.window(int(low[0]), int(low[1]), int(right), int(bottom))


def thinned(candidates: list[Candidate], radius_px: float) -> list[Candidate]:
    """The candidates without those that lie close to a better one."""
    ranked = sorted(candidates, key=lambda candidate: -candidate.rank)
    chosen: list[Candidate] = []
    for candidate in ranked:
        x, y = candidate.center_px
        reach = 0.45 * radius_px
        if candidate.streak_px is not None or all(
            abs(x - other.center_px[0]) > reach or abs(y - other.center_px[1]) > reach or other.streak_px is not None
            for other in chosen
        ):
            chosen.append(candidate)
    return chosen


def _box(contour: MatLike) -> Window:
    """The window around a blob, with a rim."""
    left, top, width, height = cv2.boundingRect(contour)
    return max(0, left - _RIM), max(0, top - _RIM), left + width + _RIM, top + height + _RIM


def _cut_down(contour: MatLike, mask: Mask, difference: Picture) -> list[MatLike]:
    """A blob without the rim to which its colour has only bled."""
    left, top, width, height = cv2.boundingRect(contour)
    window = slice(top, top + height), slice(left, left + width)
    part = difference[window].astype(np.int16) - 128
    strength = np.maximum(np.abs(part[:, :, 1:]).max(axis=2), part[:, :, 0])
    inside = mask[window] > 0
    best = float(np.percentile(strength[inside], 85)) if inside.any() else 0.0
    kept = (inside & (strength >= _CORE_SHARE * best)).astype(np.uint8) * 255 if best > 40 else mask[window].copy()
    contours, _ = cv2.findContours(kept, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE, offset=(left, top))
    return [piece for piece in contours if len(piece) >= 5]


def _center_votes(window: Picture, radius_px: float) -> npt.NDArray[np.float32]:
    """Share of a circle's circumference that votes for each pixel as its centre, in either direction of the slope."""
    height, width = int(window.shape[0]), int(window.shape[1])
    votes = np.zeros((height, width), np.float32)
    for channel in cv2.split(window):
        smooth = cv2.GaussianBlur(channel, (0, 0), max(0.7, radius_px / 12))
        slope_x, slope_y = cv2.Scharr(smooth, cv2.CV_32F, 1, 0), cv2.Scharr(smooth, cv2.CV_32F, 0, 1)
        steep = cv2.magnitude(slope_x, slope_y)
        rows, columns = np.nonzero(steep > max(_STEEP, 0.15 * float(steep.max())))
        unit_x, unit_y = (slope[rows, columns] / steep[rows, columns] for slope in (slope_x, slope_y))
        for sign in (-1, 1):
            x = np.rint(columns + sign * radius_px * unit_x).astype(int)
            y = np.rint(rows + sign * radius_px * unit_y).astype(int)
            inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
            flat = np.bincount(y[inside] * width + x[inside], minlength=height * width)
            votes = np.maximum(votes, _gathered(flat.reshape(height, width).astype(np.float32), radius_px))
    return votes


def _gathered(counts: npt.NDArray[np.float32], radius_px: float) -> Array:
    """Counts near a centre together, as a share of the circumference (an edge is some two pixels wide)."""
    sigma = max(1.0, radius_px / 9)
    return cast("Array", cv2.GaussianBlur(counts, (0, 0), sigma) * (2 * np.pi * sigma**2) / (4 * np.pi * radius_px))
