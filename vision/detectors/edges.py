"""Fits balls' outlines to the edges in a picture, to a small part of a pixel, for many balls at once."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from hardware.planes import Planes
from vision.detectors.outline import Outlines, SphereOutline, times
from vision.detectors.paint import Backdrop, Floats, Paint, paint_of, sampled_at
from vision.detectors.region import Picture

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Pass:
    """How far rays look along the normal (radii), beyond how many px an edge is an outlier, and what edges are of.

    Gaps between touching balls show in brightness only; a ball's dark side is told from its shadow by hue only.
    """

    reach: float
    outlier_px: float
    by_hue: bool


_ROUGH, _FINE, _FINAL = _Pass(0.55, 2.5, by_hue=False), _Pass(0.3, 1.2, by_hue=False), _Pass(0.3, 0.8, by_hue=True)
_LEAST_REACH_PX = 3.5
_STEPS = 13  # samples on a ray
_RAY = np.linspace(-1, 1, _STEPS)
_MIN_STRENGTH = 0.3  # of the step from cloth to ball that an edge must have
_MAX_OUTSIDE = 0.35  # what the cloth beside the ball may look of it
_WIDTH_PRIOR_PX = 0.6  # how far the edge may lie off the true outline all around (blur, dark rims)
_EDGE_NOISE_PX = 0.15
_SHIFT_PRIOR, _SWELL_PRIOR = 1e-3, (_EDGE_NOISE_PX / _WIDTH_PRIOR_PX) ** 2
_LEAST_SUPPORT = 0.1
_STAYED_LEAD = 0.15  # of the outline, which a shadow's edge may show more of than a ball's side in the dark
# of a ball that was followed: how far off its seed one pass may find it, and two; and how far around it is seen
_ONE_PASS_PX, _TWO_PASSES_PX, _FOLLOWED_SUPPORT = 0.7, 1.5, 0.5
_GOES_ON = (0.55, 1.6)
_TOUCH_PX = 1.5
_FREE = 0.4  # radii to the nearest other outline from which on a ball's surroundings are cloth
_SHADE = 0.72  # of the cloth's brightness
_SHADED_TRUST = 0.15
_TOUCHING_TRUST = 0.3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fits:
    """Fitted balls: places mm (N, 2), the middles of their outlines px (N, 2), covariance mm² (N, 2, 2).

    `support` is the share of the outline seen as an edge, `hidden` the share that touches something else, `shaded`
    the share that borders on its own shadow, `rms_px` the scatter of the edges, `swell_px` how far they lie outside
    the expected outline, `open` the share where the ball's colour goes on beyond it, `gap_px` how far the nearest
    other outline is. `outlines` are those that the last pass began with.
    """

    places_mm: Array
    centers_px: Array
    covariance_mm2: Array
    outlines: Outlines
    paint: Paint
    support: Array
    hidden: Array
    shaded: Array
    open: Array
    gap_px: Array
    rms_px: Array
    swell_px: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Others:
    """Balls that are there already: middles of outlines px (N, 2) and radii (N,)."""

    centers_px: Array
    radii_px: Array


class EdgeFit:
    """Moves outlines onto edges."""

    def __init__(self, outline: SphereOutline) -> None:
        """Fit balls of one radius under one camera."""
        self._outline = outline

    def follow(self, pixels: Picture | Planes, backdrop: Backdrop, seeds_mm: Array, others: Others) -> Fits | None:
        """Fit balls that stand apart where they are expected, (N, 2), in a pass or two; None when one is not there."""
        outlines = self._outline.project(seeds_mm)
        paint = paint_of(pixels, backdrop, outlines)
        fits = _final(pixels, outlines, paint, others)
        off_px = float(np.hypot(*(fits.centers_px - outlines.centers_px).T).max())
        if off_px > _TWO_PASSES_PX or float(fits.support.min()) < _FOLLOWED_SUPPORT:
            return None
        return fits if off_px < _ONE_PASS_PX else _final(pixels, self._outline.project(fits.places_mm), paint, others)

    def fit(
        self,
        pixels: Picture | Planes,
        backdrop: Backdrop,
        seeds_mm: Array,
        is_rough: Flags,
        others: Others,
        *,
        has_stayed: Flags | None = None,
    ) -> tuple[Fits, Rows]:
        """Fit balls near the seeds (N, 2); of those that come to lie in one place the best. And which seeds are left.

        Rough seeds (N,) may lie some pixels off. Edges count little where an outline meets another ball's, one of the
        seeds' or of `others`. Where a ball lay before, `has_stayed` (N,), one beside must be clearly better.
        """
        places = seeds_mm
        if is_rough.any():
            places = seeds_mm.copy()
            outlines = self._outline.project(seeds_mm[is_rough])
            fits = _step(pixels, outlines, paint_of(pixels, backdrop, outlines), others, _ROUGH)
            places[is_rough] = fits.places_mm
        outlines = self._outline.project(places)
        fits = _step(pixels, outlines, paint_of(pixels, backdrop, outlines), others, _FINE)
        worth = fits.support if has_stayed is None else fits.support + _STAYED_LEAD * has_stayed
        rows = _best_apart(fits, worth, 1.5 * self._outline.radius_mm)
        if not len(rows):
            return fits, rows
        outlines = self._outline.project(fits.places_mm[rows])
        return _final(pixels, outlines, fits.paint.only(rows), others), rows


def _final(pixels: Picture | Planes, outlines: Outlines, paint: Paint, others: Others) -> Fits:
    """The last pass, in which the balls mind each other."""
    around = Others(
        centers_px=np.concatenate([outlines.centers_px, others.centers_px]),
        radii_px=np.concatenate([outlines.radii_px, others.radii_px]),
    )
    return _step(pixels, outlines, paint, around, _FINAL)


def _step(pixels: Picture | Planes, outlines: Outlines, paint: Paint, others: Others, limits: _Pass) -> Fits:
    """One pass: sample rays across the outlines, find the edges, solve for the shifts."""
    reach = np.maximum(limits.reach * outlines.radii_px, _LEAST_REACH_PX)
    offsets = reach[:, None] * _RAY
    x, y = (
        outlines.points_px[:, :, axis, None] + outlines.normals[:, :, axis, None] * offsets[:, None] for axis in (0, 1)
    )
    colours = sampled_at(pixels, x, y)
    touching, gap_px = _touching(outlines, others), _gaps(outlines, others)
    profile = paint.cover(colours)
    if limits.by_hue:
        is_free = gap_px > _FREE * outlines.radii_px
        profile = np.where(is_free[:, None, None], paint.by_hue(profile, colours), profile)
    edge, trust, goes_on = _edges(profile, paint.brightness(colours), offsets, touching)
    shift, swell, inverse, residual, weights = _solved(outlines.normals, edge, trust, limits.outlier_px)
    most = 0.5 * outlines.radii_px[:, None]
    shift = np.minimum(np.maximum(shift, -most), most)
    inlier = weights > 0.2 * np.maximum(trust, 0.01)
    count = inlier.sum(axis=1)
    rms = np.sqrt((residual * residual * inlier).sum(axis=1) / np.maximum(count, 1))
    noise = np.maximum(rms, _EDGE_NOISE_PX) ** 2
    covariance_px2 = inverse * noise[:, None, None]
    return Fits(
        places_mm=outlines.places_mm + times(outlines.mm_per_px, shift),
        centers_px=outlines.centers_px + shift,
        covariance_mm2=outlines.mm_per_px @ covariance_px2 @ outlines.mm_per_px.transpose(0, 2, 1),
        outlines=outlines,
        paint=paint,
        support=count / inlier.shape[1],
        hidden=(touching & ~inlier).sum(axis=1) / inlier.shape[1],
        shaded=(trust == _SHADED_TRUST).sum(axis=1) / inlier.shape[1],
        open=goes_on.sum(axis=1) / inlier.shape[1],
        gap_px=gap_px,
        rms_px=rms,
        swell_px=swell,
    )


def _edges(profile: Floats, brightness: Floats, offsets: Array, touching: Flags) -> tuple[Array, Array, Flags]:
    """(N, K, T) profiles from inside to outside and (N, T) offsets to (N, K) edge offsets, how far to trust them, and
    where the ball's colour goes on beyond its outline although no ball is there.

    A ball's dark side is lost in its own shadow, and a neighbour's edge is easily taken for its own: little trust.
    """
    fall = profile[:, :, :-1] - profile[:, :, 1:]
    middle = (offsets[:, :-1] + offsets[:, 1:])[:, None] / 2
    smooth = fall.copy()
    smooth[:, :, 1:] += fall[:, :, :-1]
    smooth[:, :, :-1] += fall[:, :, 1:]
    peak = smooth.argmax(axis=2)[:, :, None]
    near = np.abs(_FALLS - peak) <= 4
    weight = np.maximum(fall, 0.0) * near
    strength = weight.sum(axis=2)
    edge = (weight * middle).sum(axis=2) / np.maximum(strength, 1e-6)
    beyond = np.minimum(peak + 4, _STEPS - 1)
    at = np.arange(peak.size) * _STEPS + beyond.ravel()
    outside = profile.ravel()[at].reshape(touching.shape)
    is_shaded = brightness.ravel()[at].reshape(touching.shape) < _SHADE
    trust = np.where(touching, _TOUCHING_TRUST, np.where(is_shaded, _SHADED_TRUST, 1.0))
    found = (strength > _MIN_STRENGTH) & (touching | (np.abs(outside) < _MAX_OUTSIDE))
    goes_on = ~found & ~touching & (outside > _GOES_ON[0]) & (outside < _GOES_ON[1])
    return edge, trust * found, goes_on


_FALLS = np.arange(_STEPS - 1)


def _touching(outlines: Outlines, others: Others) -> Flags:
    """(N, K): which points of the outlines lie on or inside another's; one in the same place is no other."""
    if not len(others.radii_px):
        return np.zeros(outlines.points_px.shape[:2], np.bool_)
    between = outlines.centers_px[:, None] - others.centers_px[None]
    distance = np.hypot(between[:, :, 0], between[:, :, 1])
    near = (distance < 2.6 * others.radii_px) & (distance > others.radii_px)
    if not near.any():
        return np.zeros(outlines.points_px.shape[:2], np.bool_)
    away = outlines.points_px[:, :, None] - others.centers_px
    inside = np.hypot(away[..., 0], away[..., 1]) < others.radii_px + _TOUCH_PX
    return cast("Flags", (inside & near[:, None]).any(axis=2))


def _gaps(outlines: Outlines, others: Others) -> Array:
    """(N,) gaps between outlines and the nearest other outline, px; one in the same place is no other."""
    if not len(others.radii_px):
        return np.full(len(outlines.radii_px), np.inf)
    between = outlines.centers_px[:, None] - others.centers_px[None]
    distance = np.hypot(between[:, :, 0], between[:, :, 1])
    gap = np.where(distance > others.radii_px, distance - others.radii_px, np.inf).min(axis=1)
    nearest: Array = gap - outlines.radii_px
    return nearest


def _best_apart(fits: Fits, worth: Array, least_mm: float) -> Rows:
    """Rows of fits that find an edge at all and of which none of more worth lies closer than `least_mm`."""
    chosen: list[int] = []
    for row in np.argsort(-worth):
        if fits.support[row] < _LEAST_SUPPORT:
            continue
        away = fits.places_mm[chosen] - fits.places_mm[row]
        if not chosen or float(np.hypot(away[:, 0], away[:, 1]).min()) > least_mm:
            chosen.append(int(row))
    return np.array(sorted(chosen), dtype=np.intp)


def _solved(normals: Array, edge: Array, trust: Array, outlier_px: float) -> tuple[Array, Array, Array, Array, Array]:
    """Shifts (N, 2) px and swells (N,) that explain the edges, the shifts' (N, 2, 2) part of the inverse normal matrix,
    residuals, weights.
    """
    x, y = normals[:, :, 0], normals[:, :, 1]
    terms = np.stack([x * x, x * y, y * y, x, y, np.ones_like(x), x * edge, y * edge, edge], axis=2)
    weights, residual, solved = trust, edge, np.zeros((len(edge), 6))
    for scale in (2.0, 1.4, 1.0):
        sums = (weights[:, None] @ terms)[:, 0]
        solved = np.array([_solution(row) for row in sums.tolist()]).reshape(-1, 6)
        residual = edge - x * solved[:, 0, None] - y * solved[:, 1, None] - solved[:, 2, None]
        good = 1 - (residual / (outlier_px * scale)) ** 2
        weights = trust * np.maximum(good, 0) ** 2
    return solved[:, :2], solved[:, 2], solved[:, _INVERSE].reshape(-1, 2, 2), residual, weights


_INVERSE = np.array([3, 4, 4, 5])


def _solution(sums: list[float]) -> tuple[float, ...]:
    """One ball's normal equations, solved by hand as that is quickest: shift, swell, and the inverse's xx, xy, yy."""
    xx, xy, yy, x, y, one, x_edge, y_edge, edge = sums
    xx, yy, one = xx + _SHIFT_PRIOR, yy + _SHIFT_PRIOR, one + _SWELL_PRIOR
    of_xx, of_xy, of_x = yy * one - y * y, x * y - xy * one, xy * y - x * yy
    of_yy, of_y, of_one = xx * one - x * x, xy * x - xx * y, xx * yy - xy * xy
    size = xx * of_xx + xy * of_xy + x * of_x
    return (
        (of_xx * x_edge + of_xy * y_edge + of_x * edge) / size,
        (of_xy * x_edge + of_yy * y_edge + of_y * edge) / size,
        (of_x * x_edge + of_y * y_edge + of_one * edge) / size,
        of_xx / size,
        of_xy / size,
        of_yy / size,
    )
