"""Where the virtual camera stands and through which lens it looks; the true table file for it."""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.table_file import BallSet, Certificate, TableFile
from hardware.errors import DeviceMisconfiguredError
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture.look import Look
from hardware.virtual.picture.shape import TableShape
from hardware.virtual.scene import Vector
from scoring.balls import FIVE_BALL_SET, Ball
from scoring.table import Cushion, Table

_LOWEST_MM, _HIGHEST_MM = 1200.0, 12_000.0  # above the cloth
_STEEPEST_RAD = math.radians(50)


def make_view(
    table: Table,
    seed: int,
    difficulty: Difficulty,
    size_px: tuple[int, int] = (1280, 720),
    *,
    place_mm: Vector | None = None,
) -> CameraModel:
    """A camera that sees the whole table, rails included; the same arguments give the same one.

    `place_mm` puts it elsewhere than the seed would; the lens stays the seed's.

    Raises:
        DeviceMisconfiguredError: no camera can stand at `place_mm`, or see the table from there.
    """
    rng = np.random.default_rng([seed, list(Difficulty).index(difficulty), 2])
    tilts_deg = {"easy": (0.0, 4.0), "normal": (3.0, 20.0), "hard": (20.0, 45.0)}[difficulty]
    tilt = math.radians(rng.uniform(*tilts_deg))
    side = float(rng.choice([-1.0, 1.0]))
    swing = math.radians(rng.uniform(-15, 15) if difficulty != "hard" else rng.uniform(-40, 40))
    azimuth = side * (math.pi / 2 + swing)
    distance_mm = float(rng.uniform(2500, 3500)) * (table.length_mm / 2840) * (1.15 if difficulty == "hard" else 1.0)
    strengths = {"easy": (-0.08, 0.02), "normal": (-0.25, 0.1), "hard": (-0.25, 0.1)}[difficulty]
    k1 = float(rng.uniform(*strengths))
    tangential = rng.normal(0, 5e-4, 2) if difficulty != "easy" else np.zeros(2)
    distortion = np.array([k1, -0.2 * k1 * abs(k1), tangential[0], tangential[1], 0.0])
    middle = np.array([table.length_mm / 2, 0.0, 0.0])
    offset = distance_mm * np.array(
        [math.sin(tilt) * math.cos(azimuth), math.sin(tilt) * math.sin(azimuth), math.cos(tilt)]
    )
    up = np.array([-math.cos(azimuth), -math.sin(azimuth), 0.0])
    if difficulty != "hard":  # hung over the table, its picture lies along the table
        up = np.array([0.0, -side, 0.0])
    if place_mm is not None:
        offset, up = _chosen(table, place_mm)
    roll = math.radians(rng.normal(0, 0.8))
    shift_px = rng.normal(0, 0.006 * size_px[0], 2)
    margin = float(rng.uniform(0.90, 0.97))
    mount = _Mount(
        size_px=size_px,
        place_mm=middle + offset,
        up=up,
        roll_rad=roll,
        distortion=distortion,
        principal_px=(np.array(size_px) - 1.0) / 2 + shift_px,
    )
    return _fit(TableShape.of(table).outer_outline_mm(), middle, mount, margin)


def make_end_view(
    table: Table,
    seed: int,
    end: Cushion,
    size_px: tuple[int, int] = (960, 720),
    *,
    height_mm: float = 1900.0,
    overlap_mm: float = 400.0,
) -> CameraModel:
    """One of two cameras under a low ceiling: it sees the front or the rear end, to `overlap_mm` / 2 past the middle.

    Each end has a lens and a mount of its own; the same arguments give the same one.
    """
    rng = np.random.default_rng([seed, list(Cushion).index(end), 3])
    shape = TableShape.of(table)
    outline = shape.outer_outline_mm()
    middle_mm, to_rear = table.length_mm / 2, 1.0 if end is Cushion.REAR else -1.0
    outline[:, 0] = to_rear * np.maximum(to_rear * (outline[:, 0] - middle_mm), -overlap_mm / 2) + middle_mm
    x_mm = middle_mm + to_rear * (table.length_mm / 4 + float(rng.normal(0, 30)))
    mount = _Mount(
        size_px=size_px,
        place_mm=np.array([x_mm, float(rng.normal(0, 30)), height_mm]),
        up=np.array([0.0, 1.0, 0.0]),
        roll_rad=math.radians(rng.normal(0, 0.8)),
        distortion=np.array([float(rng.uniform(-0.08, 0.0)), 0.0, 0.0, 0.0, 0.0]),
        principal_px=(np.array(size_px) - 1.0) / 2 + rng.normal(0, 0.006 * size_px[0], 2),
    )
    return _fit(outline, np.array([x_mm, 0.0, 0.0]), mount, float(rng.uniform(0.93, 0.97)))


def _chosen(table: Table, place_mm: Vector) -> tuple[Array, Array]:
    """A chosen place, from the table's middle, and what is up in its picture."""
    x_mm, y_mm, z_mm = place_mm
    offset = np.array([x_mm - table.length_mm / 2, y_mm, z_mm])
    tilt_rad = math.acos(max(-1.0, min(1.0, z_mm / max(float(np.linalg.norm(offset)), 1.0))))
    where = f"a camera at ({x_mm:g}, {y_mm:g}, {z_mm:g}) mm"
    if not all(math.isfinite(value) for value in place_mm) or z_mm < _LOWEST_MM:
        message = f"{where} would be in the table or in people's way; put it {_LOWEST_MM:g} mm or more above the cloth"
        raise DeviceMisconfiguredError(message)
    if tilt_rad > _STEEPEST_RAD or z_mm > _HIGHEST_MM:
        message = (
            f"{where} sees the table at {math.degrees(tilt_rad):.0f} degrees; "
            f"stay within {math.degrees(_STEEPEST_RAD):.0f} degrees and {_HIGHEST_MM:g} mm above the cloth"
        )
        raise DeviceMisconfiguredError(message)
    flat = math.hypot(offset[0], offset[1])
    if flat < 0.35 * z_mm:  # hung over the table, its picture lies along the table
        return offset, np.array([0.0, -1.0 if offset[1] > 0 else 1.0, 0.0])
    return offset, np.array([-offset[0] / flat, -offset[1] / flat, 0.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Mount:
    """A lens and how it is held, before it is aimed."""

    size_px: tuple[int, int]
    place_mm: Array
    up: Array
    roll_rad: float
    distortion: Array
    principal_px: Array

    def model(self, aim_mm: Array, focal_px: float) -> CameraModel:
        """A camera model that looks at a place."""
        forward = (aim_mm - self.place_mm) / np.linalg.norm(aim_mm - self.place_mm)
        right = np.cross(forward, self.up)
        right /= np.linalg.norm(right)
        down = np.cross(forward, right)
        cosine, sine = math.cos(self.roll_rad), math.sin(self.roll_rad)
        rotation = np.vstack([cosine * right + sine * down, cosine * down - sine * right, forward])
        x_px, y_px = self.principal_px
        return CameraModel(
            size_px=self.size_px,
            matrix=np.array([[focal_px, 0, x_px], [0, focal_px, y_px], [0, 0, 1.0]]),
            distortion=self.distortion,
            rotation=np.asarray(cv2.Rodrigues(rotation)[0], dtype=np.float64),
            translation=-rotation @ self.place_mm,
        )


def _fit(outline: Array, aim: Array, mount: _Mount, margin: float) -> CameraModel:
    """Aim, at first at a place, and zoom until an outline, (N, 3) mm, fills `margin` of the picture."""
    focal = float(mount.size_px[0])
    model = mount.model(aim, focal)
    last = np.array(mount.size_px) - 1.0
    principal = mount.principal_px
    for _ in range(8):
        pixels = model.project(outline)
        off_px = (pixels.min(axis=0) + pixels.max(axis=0) - last) / 2
        seen = model.to_plane([principal + off_px, principal], 0.0)
        aim = aim + np.array([*(seen[0] - seen[1]), 0.0])
        room = np.minimum(principal, last - principal) * margin
        reach = np.abs(mount.model(aim, focal).project(outline) - principal).max(axis=0)
        focal *= float((room / reach).min())
        model = mount.model(aim, focal)
    return model


def true_table_file(
    table: Table,
    camera: CameraModel,
    look: Look,
    *,
    name: str = "virtual",
    source: str = "video.mp4",
    balls: tuple[Ball, ...] = FIVE_BALL_SET,
    certificate: Certificate | None = None,
) -> TableFile:
    """The table file that a faultless calibration would write, without learnt colours."""
    return TableFile(
        name=name,
        table=table,
        camera=camera,
        source=source,
        fps=look.fps,
        certificate=certificate,
        ball_set=BallSet(balls=balls),
    )
