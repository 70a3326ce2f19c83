"""Where each pixel's ray meets the empty table: the point, the kind of surface, its normal."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from calibration.camera import CameraModel
from hardware.virtual.picture.shape import TableShape

Floats: TypeAlias = npt.NDArray[np.floating[Any]]


Mask: TypeAlias = npt.NDArray[np.bool_]


class Kind(IntEnum):
    """What a ray can meet."""

    FLOOR = 0
    CLOTH = 1
    CUSHION = 2
    FACE = 3  # of a cushion, below its nose
    WOOD = 4
    FITTING = 5
    LINER = 6
    HOLE = 7
    APRON = 8


Offer: TypeAlias = Callable[[Floats, Mask, Kind | npt.NDArray[np.uint8]], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surface:
    """(H, W, 3) float32 points in table mm, (H, W) float32 distances from the camera, (H, W) uint8 kinds."""

    points: Floats
    distance: Floats
    kinds: npt.NDArray[np.uint8]


def pixel_rays(camera: CameraModel) -> Floats:
    """(H, W, 3) float32 unit directions through the pixel centres, table frame."""
    width, height = camera.size_px
    rays = np.empty((height, width, 3), dtype=np.float32)
    xs = np.arange(width, dtype=np.float64)
    for row in range(0, height, 64):
        ys = np.arange(row, min(row + 64, height), dtype=np.float64)
        grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
        directions = camera.rays(grid)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        rays[row : row + len(ys)] = directions.reshape(len(ys), width, 3)
    return rays


def meet(shape: TableShape, center: Floats, rays: Floats) -> Surface:
    """Cast rays (H, W, 3) from the camera's centre at the empty table."""
    nearest = np.full(rays.shape[:2], np.inf, dtype=np.float32)
    kinds = np.full(rays.shape[:2], int(Kind.FLOOR), dtype=np.uint8)
    points = np.zeros(rays.shape, dtype=np.float32)

    def offer(distance: Floats, valid: Mask, kind: Kind | npt.NDArray[np.uint8]) -> None:
        better = valid & (distance > 0) & (distance < nearest)
        nearest[better] = distance[better]
        kinds[better] = int(kind) if isinstance(kind, Kind) else kind[better]
        points[better] = center + rays[better] * distance[better][:, None]

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        _offer_top(shape, center, rays, offer)
        _offer_bed(shape, center, rays, offer)
        _offer_outside(shape, center, rays, offer)
    return Surface(points=points, distance=nearest, kinds=kinds)


def _level(center: Floats, rays: Floats, height_mm: float) -> tuple[Floats, Floats, Floats]:
    """Distance, x and y where rays meet a level plane."""
    distance = (np.float32(height_mm) - center[2]) / rays[..., 2]
    return distance, center[0] + rays[..., 0] * distance, center[1] + rays[..., 1] * distance


def _offer_top(shape: TableShape, center: Floats, rays: Floats, offer: Offer) -> None:
    """The rails' wood and castings, and the cushions' tops, which slope down to the nose."""
    distance, x_mm, y_mm = _level(center, rays, shape.rail_mm)
    u_mm, v_mm = shape.fold(x_mm, y_mm)
    out, hole = shape.outside_mm(u_mm, v_mm), shape.hole_distance_mm(u_mm, v_mm)
    open_ = (hole < 0) | shape.is_mouth(u_mm, v_mm)
    kind = np.full(out.shape, int(Kind.WOOD), dtype=np.uint8)
    kind[shape.is_on_casting(u_mm, v_mm)] = int(Kind.FITTING)
    kind[hole < 9] = int(Kind.LINER)
    offer(distance, shape.is_on_rail(u_mm, v_mm) & ~open_, kind)
    ring = (hole >= 0) & (hole < 9) & (out > 12) & (out <= shape.cushion_width_mm) & ~open_
    offer(distance, ring, Kind.LINER)
    slope = np.float32((shape.rail_mm - shape.nose_mm) / shape.cushion_width_mm)
    for axis, sign, start in (
        (1, 1.0, shape.width_mm / 2),
        (1, -1.0, shape.width_mm / 2),
        (0, 1.0, shape.length_mm),
        (0, -1.0, 0.0),
    ):
        base = np.float32(shape.nose_mm) - slope * np.float32(start)
        rise = slope * np.float32(sign)
        distance = (base - center[2] + rise * center[axis]) / (rays[..., 2] - rise * rays[..., axis])
        x_mm, y_mm = center[0] + rays[..., 0] * distance, center[1] + rays[..., 1] * distance
        u_mm, v_mm = shape.fold(x_mm, y_mm)
        own = (y_mm if axis == 1 else x_mm) * np.float32(sign) - np.float32(start)
        out = shape.outside_mm(u_mm, v_mm)
        is_own = (own >= 0) & (np.abs(own - out) < 0.01) & (out <= shape.cushion_width_mm)
        offer(distance, is_own & ~((shape.hole_distance_mm(u_mm, v_mm) < 0) | shape.is_mouth(u_mm, v_mm)), Kind.CUSHION)


def _offer_bed(shape: TableShape, center: Floats, rays: Floats, offer: Offer) -> None:
    """The cloth, the faces under the noses, the holes' walls and depths."""
    distance, x_mm, y_mm = _level(center, rays, 0.0)
    u_mm, v_mm = shape.fold(x_mm, y_mm)
    out, hole = shape.outside_mm(u_mm, v_mm), shape.hole_distance_mm(u_mm, v_mm)
    mouth = shape.is_mouth(u_mm, v_mm)
    offer(distance, ((out <= 0) | mouth) & (hole >= 0), Kind.CLOTH)
    covered = (out > 0) & ~mouth & (hole >= 0) & (out < shape.outer_mm)
    kind = np.where((hole < 60) & (out > 20), int(Kind.LINER), int(Kind.FACE)).astype(np.uint8)
    offer(distance, covered, kind)
    deep, _, _ = _level(center, rays, -110.0)
    offer(deep, hole < 0, Kind.HOLE)


def _offer_outside(shape: TableShape, center: Floats, rays: Floats, offer: Offer) -> None:
    """The table's wooden sides and the floor."""
    for axis, plane in (
        (1, shape.width_mm / 2 + shape.outer_mm),
        (1, -shape.width_mm / 2 - shape.outer_mm),
        (0, shape.length_mm + shape.outer_mm),
        (0, -shape.outer_mm),
    ):
        distance = (np.float32(plane) - center[axis]) / rays[..., axis]
        other = 1 - axis
        along = center[other] + rays[..., other] * distance
        z_mm = center[2] + rays[..., 2] * distance
        low, high = (
            (-shape.outer_mm, shape.length_mm + shape.outer_mm)
            if other == 0
            else (-shape.width_mm / 2 - shape.outer_mm, shape.width_mm / 2 + shape.outer_mm)
        )
        within = (along > low) & (along < high) & (z_mm < shape.rail_mm) & (z_mm > shape.rail_mm - shape.apron_mm)
        offer(distance, within, Kind.APRON)
    distance, _, _ = _level(center, rays, shape.floor_mm)
    offer(distance, np.ones(rays.shape[:2], dtype=np.bool_), Kind.FLOOR)
