"""The least-squares problem of a camera over a table: its parameters, what was known before looking, the residuals."""

import math
from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.observations import PIECES, Observations
from calibration.targets import Lens
from scoring.table import Table

# What is known before looking; each is (value, standard deviation).
FOCAL_PRIOR = (
    math.log(0.85),
    0.35,
)  # focal length over the picture's width, logarithm: 61 degrees, 44 to 79 at one sigma
_BEND_PRIORS = ((0.0, 0.15), (0.0, 0.05))  # k1, k2
_AXIS_PRIOR = 0.015  # how far the lens's axis may miss the picture's middle, as a share of its width
CUSHION_WIDTH_PRIOR = (50.0, 15.0)  # from nose to rail, mm
RAIL_RISE_PRIOR = (3.0, 4.0)  # of the cloth's upper edge over the nose, mm
_BOARD_SIGMAS = np.array([0.003, 0.005, 0.01, 1.0, 1.0])  # log focal length, k1, k2, the axis in px
_MEASURED_HEIGHT_SIGMA = 0.02  # a camera's height measured by a person, as a share of it

_STEPS = np.array([0.01, 0.01, 0.01, 10, 10, 10, 0.05, 0.02, 0.02, 5, 5, 5, 2])

ROTATION, TRANSLATION = slice(0, 3), slice(3, 6)
LOG_FOCAL, BEND_1, BEND_2, AXIS_X, AXIS_Y, CUSHION_WIDTH, RAIL_RISE = range(6, 13)


def camera_from_parameters(parameters: Array, size_px: tuple[int, int]) -> CameraModel:
    """The camera that a fit's parameters describe."""
    focal = math.exp(parameters[LOG_FOCAL])
    width, height = size_px
    center_x, center_y = (width - 1) / 2 + parameters[AXIS_X], (height - 1) / 2 + parameters[AXIS_Y]
    return CameraModel(
        size_px=size_px,
        matrix=np.array([[focal, 0, center_x], [0, focal, center_y], [0, 0, 1]]),
        distortion=np.array([parameters[BEND_1], parameters[BEND_2], 0.0, 0.0, 0.0]),
        rotation=parameters[ROTATION],
        translation=parameters[TRANSLATION],
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownCamera:
    """What is known of a camera before it looks at a table: its height measured by a person, its lens by a board."""

    camera_height_mm: float | None = None
    lens: Lens | None = None


class PoseProblem:
    """The residuals of one fit: points off their lines in sigmas, and what was known before looking."""

    def __init__(self, observations: Observations, table: Table, size_px: tuple[int, int], known: KnownCamera) -> None:
        """Know the points and the table."""
        self._seen = observations
        self._table = table
        self._size_px = size_px
        self._known = known
        self._lens = _usual_lens(size_px) if known.lens is None else _known_lens(known.lens)
        self._scale = np.ones(len(observations.points_px))
        self._weights = np.ones(len(observations.points_px))

    def _off_line_mm(self, parameters: Array, points_px: Array) -> Array:
        """Unproject points to their line's height; how far they lie off it, mm."""
        seen = self._seen
        focal, (width, height) = math.exp(parameters[LOG_FOCAL]), self._size_px
        middle = np.array([(width - 1) / 2, (height - 1) / 2]) + parameters[AXIS_X : AXIS_Y + 1]
        flat = _straightened((points_px - middle) / focal, parameters[BEND_1], parameters[BEND_2])
        turn = cv2.Rodrigues(parameters[ROTATION])[0]
        rays = np.column_stack([flat, np.ones(len(flat))]) @ turn
        center = -turn.T @ parameters[TRANSLATION]
        levels = np.array([0.0, self._table.nose_height_mm, self._table.nose_height_mm + parameters[RAIL_RISE]])
        heights = levels[seen.level]
        down = np.where(np.abs(rays[:, 2]) > 1e-9, rays[:, 2], 1e-9)
        scale = (heights - center[2]) / down
        places = center[seen.axis] + rays[np.arange(len(rays)), seen.axis] * scale
        return cast("Array", places - seen.at_mm - seen.outward * parameters[CUSHION_WIDTH])

    def _mm_per_px(self, parameters: Array) -> Array:
        """How many mm off its line one pixel across it is, at every point."""
        gradient = [
            self._off_line_mm(parameters, self._seen.points_px + step)
            - self._off_line_mm(parameters, self._seen.points_px - step)
            for step in (np.array([0.5, 0.0]), np.array([0.0, 0.5]))
        ]
        return np.maximum(np.hypot(*gradient), 1e-6)

    def distances_px(self, parameters: Array) -> tuple[Array, Array]:
        """(N,) how far the points lie off their lines, px, and (N,) the mm that a pixel is there."""
        scale = self._mm_per_px(parameters)
        return self._off_line_mm(parameters, self._seen.points_px) / scale, scale

    def _residuals(self, parameters: Array) -> Array:
        off = self._off_line_mm(parameters, self._seen.points_px) * self._weights
        priors = [
            *(parameters[LOG_FOCAL : AXIS_Y + 1] - self._lens[0]) / self._lens[1],
            (parameters[CUSHION_WIDTH] - CUSHION_WIDTH_PRIOR[0]) / CUSHION_WIDTH_PRIOR[1],
            (parameters[RAIL_RISE] - RAIL_RISE_PRIOR[0]) / RAIL_RISE_PRIOR[1],
        ]
        if self._known.camera_height_mm is not None:
            turn = cv2.Rodrigues(parameters[ROTATION])[0]
            height = -(turn.T @ parameters[TRANSLATION])[2]
            priors.append((height / self._known.camera_height_mm - 1) / _MEASURED_HEIGHT_SIGMA)
        return np.concatenate([np.clip(off, -1e4, 1e4), priors])

    def solve(self, start: Array) -> tuple[Array, float, Array]:
        """Parameters, cost (half the sum of squares) and covariance."""
        from scipy.optimize import least_squares  # noqa: PLC0415 (a third of a second, for calibration alone)

        parameters = start
        cost = math.inf
        covariance: Array = np.zeros((len(start), len(start)))
        for evaluations in (20, 60):
            scale = self._mm_per_px(parameters)
            self._weights = 1 / (scale * self._seen.sigmas_px(scale) * np.sqrt(self._seen.count / PIECES))
            result = least_squares(
                self._residuals, parameters, x_scale=_STEPS, method="lm", max_nfev=evaluations * len(start), xtol=1e-7
            )
            parameters, cost = result.x, float(result.cost)
            jacobian = np.asarray(result.jac, dtype=np.float64)
            covariance = np.asarray(np.linalg.pinv(jacobian.T @ jacobian, hermitian=True), dtype=np.float64)
        return parameters, cost, covariance


def _straightened(flat: Array, bend_1: float, bend_2: float) -> Array:
    """Undo OpenCV's first two radial coefficients: (N, 2) distorted to (N, 2) straight, at focal length 1."""
    radius = np.hypot(flat[:, 0], flat[:, 1])
    straight = radius.copy()
    for _ in range(8):  # Newton on straight * (1 + k1 * straight^2 + k2 * straight^4) = radius
        square = straight * straight
        slope = np.maximum(1 + square * (3 * bend_1 + 5 * bend_2 * square), 0.1)
        error = straight * (1 + square * (bend_1 + bend_2 * square)) - radius
        straight = np.clip(straight - error / slope, 0, 5)
    return flat * (straight / np.maximum(radius, 1e-12))[:, None]


def _usual_lens(size_px: tuple[int, int]) -> tuple[Array, Array]:
    """Log focal length, k1, k2, the axis (x, y) off the picture's middle, as they usually are, with their spreads."""
    axis_px = _AXIS_PRIOR * size_px[0]
    values = np.array([math.log(size_px[0]) + FOCAL_PRIOR[0], _BEND_PRIORS[0][0], _BEND_PRIORS[1][0], 0.0, 0.0])
    return values, np.array([FOCAL_PRIOR[1], _BEND_PRIORS[0][1], _BEND_PRIORS[1][1], axis_px, axis_px])


def _known_lens(lens: Lens) -> tuple[Array, Array]:
    """The same as views of a board have told, never believed to be more exact than a board is printed."""
    width, height = lens.size_px
    focal = float(lens.matrix[0, 0])
    axis = lens.matrix[:2, 2] - np.array([(width - 1) / 2, (height - 1) / 2])
    values = np.array([math.log(focal), *lens.distortion[:2], *axis])
    sigmas = np.concatenate([[lens.sigmas[0] / focal], lens.sigmas[3:5], lens.sigmas[1:3]])
    return values, np.maximum(sigmas, _BOARD_SIGMAS)
