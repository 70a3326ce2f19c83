"""Places a ball by how it is lit: a soft outline of known size, shaded by one lamp and light all around, before cloth.

An edge alone is drawn towards the light, as a ball grows darker towards its far side and that side's edge is lost in
the ball's own shadow. Here the shading is a part of what is fitted, and where the cloth is dark no edge is asked for.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from hardware.planes import Planes
from vision.detectors.edges import Others
from vision.detectors.outline import RAYS, Outlines, SphereOutline
from vision.detectors.paint import Backdrop, sampled_at
from vision.detectors.region import Picture

_STEPS = 20  # samples on a ray,
_INNERMOST = 0.8  # which begins so many radii inside the outline
_OUTER_PX, _OUTER = 2.5, 0.3  # and ends so far outside it, px or radii
_ROUNDS = 5
_MOST_STEP_PX, _CLOSE_PX = 0.7, 0.03  # of one round, and of the last one that is needed
_MOST_SHIFT = 0.3  # radii from the seed beyond which something else has been fitted
_BLUR_PX = np.array([0.8, 1.3, 1.3])  # how soft an outline is in brightness and in colour, standard deviations
_NOISE = np.array([5.0, 3.0, 3.0])  # 8-bit levels
_SAME = np.array([2.0, 12.0, 12.0])  # how many samples tell the same, as the picture is coded
_LIT = (0.8, 0.92)  # of the empty table's brightness: darker cloth is shaded, brighter is not
_OUTLIER = 6.0  # times the noise
_LEAST_WEIGHT = 60.0  # samples, in pixels
_GAMMA = 2.2
_DARKEST = 0.02
_LAMP, _AROUND = np.array([0.0, -0.5, 0.6]), 0.35  # the usual light, for a colour of 1, where y is down in the picture
_PRIOR = np.array(
    [0.7, 0.7, 0.7, 0.25]  # how far the lamp and the light around are from that,
    + [30.0, 15.0, 15.0]  # the ball's colour from that of its middle,
    + [4.0, 3.0, 3.0, 2.0, 2.0] * 3  # the cloth's from the empty table's, in waves around the ball,
    + [1.0, 1.0, 0.1]  # the middle from the seed, px, and the outline from its size
)
_WAVES, _SHAPE = 5, 4
_SHIFT = _SHAPE + 3 + 3 * _WAVES
_TO_CODES = np.array([[0.114, 0.587, 0.299], [0.5, -0.331264, -0.168736], [-0.081312, -0.418688, 0.5]]).T
_LOGISTIC = 1.702  # a logistic curve with this slope is close to the blur of an edge

Weights = npt.NDArray[np.float64]


@dataclass(slots=True, kw_only=True, eq=False)
class _Light:
    """What has been found so far of a ball: the lamp's direction and strength, the light around, its colour (3,)."""

    lamp: Array
    around: float
    colour: Array
    cloth: Array  # (3, WAVES)


class ShadingFit:
    """Places balls of one radius under one camera."""

    def __init__(self, outline: SphereOutline) -> None:
        """Outlines are projected by `outline`."""
        self._outline = outline

    def place(self, pixels: Picture | Planes, backdrop: Backdrop, seed_mm: Array, others: Others) -> Array | None:
        """(2,) place of a ball near a seed (2,); None where its shading cannot be told."""
        place, shift, light, robust = seed_mm.copy(), np.zeros(2), None, np.ones((3, RAYS, _STEPS))
        radius_px = 0.0
        for _ in range(_ROUNDS):
            outlines = self._outline.project(place[None])
            radius_px = float(outlines.radii_px[0])
            view = _View.of(pixels, backdrop, outlines, others)
            if view.weight.sum() < _LEAST_WEIGHT:
                return None
            light = view.first_light() if light is None else light
            step, robust = view.improve(light, robust, shift)
            place += outlines.mm_per_px[0] @ step
            shift += step
            if float(np.hypot(*step)) < _CLOSE_PX:
                break
        return place if float(np.hypot(*shift)) < _MOST_SHIFT * radius_px else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _View:
    """Samples of one ball's rays: `codes` (3, RAYS, STEPS), the empty table's (3, RAYS), how much they count."""

    codes: Array
    cloth: Array
    weight: Weights
    offsets: Array
    normals: Array
    radius_px: float

    @classmethod
    def of(cls, pixels: Picture | Planes, backdrop: Backdrop, outlines: Outlines, others: Others) -> "_View":
        """Sample across one outline."""
        radius, normals, points = float(outlines.radii_px[0]), outlines.normals[0], outlines.points_px[0]
        offsets = np.linspace(-_INNERMOST * radius, max(_OUTER_PX, _OUTER * radius), _STEPS)
        x, y = (points[:, axis, None] + normals[:, axis, None] * offsets for axis in (0, 1))
        codes = (sampled_at(pixels, x, y) @ _TO_CODES).transpose(2, 0, 1)
        cloth = (backdrop.sample(points + normals) @ _TO_CODES).T
        brightness = np.median(codes[0, :, -3:], axis=1) / np.maximum(cloth[0], 1.0)
        is_lit = np.clip((brightness - _LIT[0]) / (_LIT[1] - _LIT[0]), 0.0, 1.0)
        is_lit = np.minimum(np.minimum(is_lit, np.roll(is_lit, 1)), np.roll(is_lit, -1))
        weight = np.maximum(is_lit[:, None], offsets < -2 * _BLUR_PX[0])
        weight = weight * ((radius + offsets) * (2 * np.pi / RAYS) * (offsets[1] - offsets[0]))
        away = np.hypot(*(others.centers_px - outlines.centers_px[0]).T)
        for center, reach in zip(
            others.centers_px[(away < 4 * radius) & (away > 0.5 * radius)],
            others.radii_px[(away < 4 * radius) & (away > 0.5 * radius)],
            strict=True,
        ):
            weight = weight * (np.hypot(x - center[0], y - center[1]) > reach + 1.5)
        return cls(codes=codes, cloth=cloth, weight=weight, offsets=offsets, normals=normals, radius_px=radius)

    def first_light(self) -> _Light:
        """The usual light on a ball of the colour that its middle has."""
        inner = self.codes[:, :, self.offsets < -0.3 * self.radius_px].reshape(3, -1)
        return _Light(lamp=_LAMP.copy(), around=_AROUND, colour=np.median(inner, axis=1), cloth=np.zeros((3, _WAVES)))

    def improve(self, light: _Light, robust: Weights, shift: Array) -> tuple[Array, Weights]:
        """Change the light to what explains the samples better; the step of the ball's middle and new weights."""
        rho = np.clip(1 + self.offsets / self.radius_px, 0.0, 1.0)
        normals = np.stack(
            [
                self.normals[:, 0, None] * rho,
                self.normals[:, 1, None] * rho,
                np.broadcast_to(np.sqrt(1 - rho * rho), (RAYS, _STEPS)),
            ]
        )
        lean = np.tensordot(light.lamp, normals, 1)
        lit = np.maximum(light.around + np.maximum(lean, 0.0), _DARKEST)
        shade = lit ** (1 / _GAMMA)
        change = shade / (_GAMMA * lit)
        shapes = np.stack([*(change * (lean > 0) * normals), change])
        edge = int(np.argmin(np.abs(self.offsets)))
        size = len(_PRIOR)
        matrix, vector = np.diag(1 / _PRIOR**2), np.zeros(size)
        found = np.concatenate([light.lamp - _LAMP, [light.around - _AROUND]])
        vector[:_SHAPE] = -found / _PRIOR[:_SHAPE] ** 2
        vector[_SHIFT : _SHIFT + 2] = -shift / _PRIOR[_SHIFT : _SHIFT + 2] ** 2
        parts = []
        for channel in range(3):
            slope = _LOGISTIC / _BLUR_PX[channel]
            ball = 1 / (1 + np.exp(slope * self.offsets))
            fall = slope * ball * (1 - ball)
            cloth = self.cloth[channel] + _ROUND @ light.cloth[channel]
            step = (light.colour[channel] * shade[:, edge] - cloth)[:, None] * fall
            terms = np.concatenate(
                [
                    light.colour[channel] * shapes * ball,
                    (shade * ball)[None],
                    _ROUND.T[:, :, None] * (1 - ball),
                    (self.normals.T[:, :, None] * step),
                    step[None],
                ]
            ).reshape(-1, RAYS * _STEPS)
            rest = (
                self.codes[channel] - self.cloth[channel][:, None] * (1 - ball) - light.colour[channel] * shade * ball
            )
            weights = (self.weight * robust[channel]).ravel() / (_NOISE[channel] ** 2 * _SAME[channel])
            first = _SHAPE + 3 + channel * _WAVES
            rows = np.r_[:_SHAPE, _SHAPE + channel, first : first + _WAVES, _SHIFT:size]
            weighted = terms * weights
            matrix[np.ix_(rows, rows)] += weighted @ terms.T
            vector[rows] += weighted @ rest.ravel()
            parts.append((terms, rest, rows))
        solved = np.linalg.solve(matrix, vector)
        robust = np.empty_like(robust)
        for channel, (terms, rest, rows) in enumerate(parts):
            left = rest - (solved[rows] @ terms).reshape(rest.shape)
            robust[channel] = np.maximum(1 - (left / (_OUTLIER * _NOISE[channel])) ** 2, 0.0) ** 2
        light.lamp += np.clip(solved[:3], -0.4, 0.4)
        light.around = max(0.03, light.around + float(np.clip(solved[3], -0.2, 0.2)))
        light.colour += np.clip(solved[_SHAPE : _SHAPE + 3], -25, 25)
        light.cloth = solved[_SHAPE + 3 : _SHIFT].reshape(3, _WAVES)
        return np.clip(solved[_SHIFT : _SHIFT + 2], -_MOST_STEP_PX, _MOST_STEP_PX), robust


_TURN = np.arange(RAYS) * (2 * np.pi / RAYS)
_ROUND = np.column_stack([np.ones(RAYS), np.cos(_TURN), np.sin(_TURN), np.cos(2 * _TURN), np.sin(2 * _TURN)])
