"""Which fits are balls: by their edges, their size, their foreground; and what is said of them."""

import math
from dataclasses import dataclass

import numpy as np

from calibration.camera import Array
from scoring.table import Point
from vision.detection import Detection
from vision.detectors.candidates import Candidate
from vision.detectors.edges import Fits
from vision.detectors.region import Mask, WorkRegion
from vision.detectors.smear import Smears

_APART = 0.8  # diameters that two balls' centres are apart at least
_WHOLE_SUPPORT = 0.3  # shares of the outline that must be seen of a ball that stands alone,
_LOOSE_SUPPORT = 0.4  # of one in a larger blob, but with nothing close by,
_NEW_SUPPORT = 0.5  # of one that touches something and has not been seen before,
_KNOWN_SUPPORT = 0.28  # and of one that was there before
_FLOOR_PX = 0.07  # errors of fits on clean pictures,
_NOISE_PX = 0.04  # for each level of noise,
_SHADE_PX = 0.5  # with all sides lost in shadow,
_LOPSIDED_PX = 1.5  # and lit from one side only
_LEAST_CONTRAST = 22.0  # 8-bit levels
_LEAST_FILLED = 0.7  # share of the inside that is foreground
_KNOWN_COLOUR = 0.2  # probability that a ball's colour is one of the set's
_SAME_COLOUR = 0.3  # and that it is that of the ball that lay there
_WHOLE_AREA = (0.72, 1.35)  # balls' areas that are seen at the place of a ball that stands alone,
_LOOSE_AREA = (0.85, 1.25)  # and of one in a larger blob
_SWEPT_SHADE = 0.17  # how much more area a ball seems to have, with its shadow, for each radius that it moved meanwhile
_MOST_OPEN = 0.2  # share of the outline beyond which a new ball's colour may go on: arms end like balls
_CROWD = 0.6  # radii within which another ball spoils the measure of a streak
_STREAK = 0.45  # radii from which on a streak is measured rather than imagined,
_LONG = 0.9  # the same for a ball with sharp edges nearly all around,
_BLURRED = 0.7  # which means that this share of them is seen
_RING = np.array([(0.6 * np.cos(a), 0.6 * np.sin(a)) for a in np.arange(12) * np.pi / 6] + [(0.0, 0.0)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """All that was measured of N candidates; `noise` is that of the cloth, 8-bit levels."""

    candidates: list[Candidate]
    fits: Fits
    smears: Smears
    looks: list[dict[str, float]]
    noise: float


class Judge:
    """Accepts or rejects."""

    def __init__(self, region: WorkRegion, ball_mm: float) -> None:
        """Judge balls of one size."""
        self._region, self._ball_mm = region, ball_mm

    def accept(self, evidence: Evidence, mask: Mask, others_mm: Array) -> list[tuple[int, Detection]]:
        """The balls among the candidates with their rows, best first, no two in one place."""
        fits, smears = evidence.fits, evidence.smears
        smeared = fits.outlines.places_at(smears.centers_px)
        filled = self._filled(fits, mask)
        ranked: list[tuple[float, int, bool]] = []
        for row in range(len(evidence.candidates)):
            score, by_smear = _score(evidence, row, float(filled[row]))
            if score > 0:
                ranked.append((score, row, by_smear))
        taken = list(others_mm)
        accepted: list[tuple[int, Detection]] = []
        for score, row, by_smear in sorted(ranked, key=lambda item: -item[0]):
            place = smeared[row] if by_smear else fits.places_mm[row]
            if all(math.dist(place, other) > self._ball_mm * _APART for other in taken):
                taken.append(place)
                accepted.append(
                    (row, _smeared(evidence, row, place, score) if by_smear else sharp(evidence, row, score))
                )
        return accepted

    def _filled(self, fits: Fits, mask: Mask) -> Array:
        """(N,) share of each ball's inside that is foreground."""
        points = fits.centers_px[:, None] + fits.outlines.radii_px[:, None, None] * _RING
        reduced = np.rint(self._region.to_reduced(points)).astype(int)
        height, width = mask.shape
        inside = (reduced >= 0).all(axis=2) & (reduced[..., 0] < width) & (reduced[..., 1] < height)
        x, y = np.clip(reduced[..., 0], 0, width - 1), np.clip(reduced[..., 1], 0, height - 1)
        known = inside & (self._region.mask[y, x] > 0)
        filled = np.asarray((mask[y, x] > 0) & known).sum(axis=1)
        share: Array = np.where(known.sum(axis=1) >= 4, filled / np.maximum(known.sum(axis=1), 1), 0.0)
        return share


def _score(evidence: Evidence, row: int, filled: float) -> tuple[float, bool]:
    """How surely a candidate is a ball (0: it is not), and whether its place is the smear's."""
    candidate, fits = evidence.candidates[row], evidence.fits
    radius, support = float(fits.outlines.radii_px[row]), float(fits.support[row])
    known_colour = sum(evidence.looks[row].values())
    if fits.paint.contrast[row] < _LEAST_CONTRAST or filled < _LEAST_FILLED or known_colour < _KNOWN_COLOUR:
        return 0.0, False
    area = float(evidence.smears.areas[row])
    is_crowded = bool(fits.gap_px[row] < _CROWD * radius)
    low, high = _WHOLE_AREA if candidate.is_alone else _LOOSE_AREA
    is_whole = (candidate.is_alone or not is_crowded) and low < area < high
    swept = math.hypot(*evidence.smears.streaks_px[row]) / radius
    is_long = swept > (_STREAK if support < _BLURRED else _LONG)
    is_smear_whole = candidate.is_alone and low < area < high + _SWEPT_SHADE * swept
    may_be_smear = is_smear_whole and not candidate.has_stayed and not is_crowded
    if may_be_smear and is_long and (support > _NEW_SUPPORT or not candidate.is_cut):
        return 0.95, True
    is_known = candidate.word is not None and evidence.looks[row].get(candidate.word, 0.0) > _SAME_COLOUR
    least = _NEW_SUPPORT
    if is_known or is_whole:
        least = _KNOWN_SUPPORT if is_known else _WHOLE_SUPPORT if candidate.is_alone else _LOOSE_SUPPORT
    is_sharp = fits.rms_px[row] < 0.35 + 0.05 * radius and abs(fits.swell_px[row]) < 0.8 + 0.08 * radius
    is_part = fits.open[row] > _MOST_OPEN or (not is_crowded and area > high)
    if candidate.streak_px is not None or support <= least or not is_sharp or (is_part and not is_known):
        return 0.0, False
    return min(1.0, 0.5 + 0.5 * support), False


def sharp(evidence: Evidence, row: int, score: float) -> Detection:
    """A ball whose outline was seen as an edge."""
    fits = evidence.fits
    floor = _floor_mm(evidence, row)
    (in_xx, in_xy), (_, in_yy) = fits.covariance_mm2[row].tolist()
    widest = (in_xx + in_yy) / 2 + math.hypot((in_xx - in_yy) / 2, in_xy)
    sigma = math.sqrt(widest + floor**2)
    return Detection(
        place=Point(float(fits.places_mm[row, 0]), float(fits.places_mm[row, 1])),
        sigma_mm=sigma,
        sigma_along_mm=sigma,
        center_px=(float(fits.centers_px[row, 0]), float(fits.centers_px[row, 1])),
        radius_px=float(fits.outlines.radii_px[row]),
        looks=evidence.looks[row],
        is_merged=bool(fits.hidden[row] > 0.04) or not evidence.candidates[row].is_alone,
        score=score,
    )


def _floor_mm(evidence: Evidence, row: int) -> float:
    """The error that no scatter of edges shows: coding of colours, noise that it smears, light from one side."""
    fits = evidence.fits
    lopsided = float(fits.paint.lopsided[row])
    floor_px = _FLOOR_PX + _NOISE_PX * evidence.noise + _SHADE_PX * float(fits.shaded[row]) + _LOPSIDED_PX * lopsided**2
    (a, b), (c, d) = fits.outlines.mm_per_px[row].tolist()
    return floor_px * math.sqrt(abs(a * d - b * c))


def _smeared(evidence: Evidence, row: int, place: Array, score: float) -> Detection:
    """A ball blurred by its motion."""
    outlines, smears = evidence.fits.outlines, evidence.smears
    floor = 1.5 * _floor_mm(evidence, row)
    streak = outlines.mm_per_px[row] @ smears.streaks_px[row]
    return Detection(
        place=Point(float(place[0]), float(place[1])),
        sigma_mm=floor,
        sigma_along_mm=float(np.hypot(floor, 0.03 * np.hypot(*streak))),
        center_px=(float(smears.centers_px[row, 0]), float(smears.centers_px[row, 1])),
        radius_px=float(outlines.radii_px[row]),
        looks=evidence.looks[row],
        streak_mm=(float(streak[0]), float(streak[1])),
        score=score,
    )
