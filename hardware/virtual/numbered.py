"""Pictures of tables full of numbered balls in any attitude, to learn reading numbers from; one hall after another."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from calibration.table_file import TableFile
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.picture.light import Codes
from hardware.virtual.scene import BallPose, Instant, Vector
from hardware.virtual.script import lying_pose
from hardware.virtual.staging import random_turn
from scoring.balls import CUE, NUMBERED, PYRAMID_SET, Ball
from scoring.table import Point, Table

READABLE_RAD = math.radians(62.0)  # with its middle farther from the line of sight a number cannot be read
_HALL = 19  # different things need different seeds
_FACING = 0.7  # share of balls that show their number; of balls that lie at random it is about a half
_CUE_SHARE = 0.03
_SIZES_PX = ((960, 540), (960, 540), (640, 360))
_LENGTHS_MM = (1450.0, 2150.0)  # balls on a short table in a small picture are as large as on a long one in a large one


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedBall:
    """A ball in a picture: where it lies, and the number that it shows, None when none can be read."""

    place: Point
    number: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberedPicture:
    """One picture (H, W, 3) uint8 BGR with its balls; `hall` counts from 0, `crf` is how that hall's video is coded."""

    hall: int
    pixels: Codes
    table_file: TableFile
    balls: tuple[NumberedBall, ...]
    crf: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedPlan:
    """How many halls, how many pictures in each, how many balls in each picture; `sizes_px` are taken at random."""

    seed: int
    halls: int
    pictures: int = 24
    balls: int = 20
    sizes_px: tuple[tuple[int, int], ...] = _SIZES_PX
    difficulties: tuple[Difficulty, ...] = field(default_factory=lambda: tuple(Difficulty))


def numbered_pictures(plan: NumberedPlan) -> Iterator[NumberedPicture]:
    """The pictures, hall by hall; the same plan gives the same ones."""
    for hall in range(plan.halls):
        rng = np.random.default_rng([plan.seed, _HALL, hall])
        seed = int(rng.integers(2**31))
        difficulty = plan.difficulties[hall % len(plan.difficulties)]
        length_mm = float(rng.uniform(*_LENGTHS_MM))
        table = Table(length_mm=length_mm, width_mm=length_mm / 2)
        look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
        camera = make_view(table, seed, difficulty, plan.sizes_px[int(rng.integers(len(plan.sizes_px)))])
        renderer = Renderer(table, camera, look)
        table_file = true_table_file(table, camera, look, name=f"hall-{hall}", balls=PYRAMID_SET)
        eye_mm = np.asarray(camera.center_mm, dtype=np.float64)
        for index in range(plan.pictures):
            poses = tuple(_lying(_ball(rng), place, table, eye_mm, rng) for place in _places(table, plan.balls, rng))
            pixels = renderer.still(Instant(balls=poses), float(index))
            balls = tuple(
                NumberedBall(
                    place=Point(pose.center_mm[0], pose.center_mm[1]),
                    number=pose.ball.number if facing_rad(pose, eye_mm) < READABLE_RAD else None,
                )
                for pose in poses
            )
            yield NumberedPicture(hall=hall, pixels=pixels, table_file=table_file, balls=balls, crf=look.crf)


def facing_rad(pose: BallPose, eye_mm: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """The angle between the line of sight to a ball and the middle of the nearer of its two numbers."""
    w, x, y, z = pose.turn
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    toward = eye_mm - pose.center_mm
    return math.acos(min(1.0, abs(float(axis @ toward)) / float(np.linalg.norm(toward))))


def _ball(rng: np.random.Generator) -> Ball:
    return CUE if rng.random() < _CUE_SHARE else NUMBERED[int(rng.integers(len(NUMBERED)))]


def _lying(
    ball: Ball, place: Point, table: Table, eye_mm: np.ndarray[tuple[int], np.dtype[np.float64]],
    rng: np.random.Generator,
) -> BallPose:  # fmt: skip
    """A ball in any attitude, more often than not with its number to the camera."""
    is_facing = rng.random() < _FACING
    while True:
        pose = lying_pose(ball, place, table, random_turn(rng))
        if (facing_rad(pose, eye_mm) < READABLE_RAD) == is_facing:
            return pose


def _places(table: Table, count: int, rng: np.random.Generator) -> Iterator[Point]:
    """Places anywhere on the bed, no two balls in one; some balls touch."""
    taken: list[Vector] = []
    radius_mm = table.ball_radius_mm
    while len(taken) < count:
        x_mm = float(rng.uniform(radius_mm, table.length_mm - radius_mm))
        y_mm = float(rng.uniform(radius_mm, table.width_mm - radius_mm)) - table.width_mm / 2
        if taken and rng.random() < 0.2:
            beside = taken[int(rng.integers(len(taken)))]
            turn = float(rng.uniform(0, 2 * math.pi))
            x_mm, y_mm = beside[0] + table.ball_mm * math.cos(turn), beside[1] + table.ball_mm * math.sin(turn)
        place = (x_mm, y_mm, radius_mm)
        is_inside = radius_mm <= x_mm <= table.length_mm - radius_mm and abs(y_mm) <= table.width_mm / 2 - radius_mm
        if is_inside and all(math.dist(place, other) >= table.ball_mm - 1e-6 for other in taken):
            taken.append(place)
            yield Point(x_mm, y_mm)
