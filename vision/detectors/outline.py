"""What balls look like in the picture: outlines of spheres, not of discs, for many balls at once."""

import math
from dataclasses import dataclass

import numpy as np

from calibration.camera import Array, CameraModel
from calibration.mapping import PlaneMap

RAYS = 48  # points on an outline


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outlines:
    """The outlines of N balls: `points_px` and outward `normals` (N, RAYS, 2), their middles (N, 2) and radii (N,).

    `px_per_mm` (N, 2, 2) tells how the outline moves when the ball moves on the plane z = r, `mm_per_px` the inverse.
    """

    places_mm: Array
    points_px: Array
    normals: Array
    centers_px: Array
    radii_px: Array
    px_per_mm: Array
    mm_per_px: Array

    def places_at(self, centers_px: Array) -> Array:
        """(N, 2) middles of outlines close by to (N, 2) places, mm."""
        return self.places_mm + times(self.mm_per_px, centers_px - self.centers_px)


class SphereOutline:
    """Projects balls that lie on the cloth through a camera."""

    def __init__(self, camera: CameraModel, radius_mm: float) -> None:
        """Balls of one radius under one camera."""
        self.radius_mm = radius_mm
        self._camera = camera
        self._center_mm = camera.center_mm
        self._plane = PlaneMap(camera, radius_mm)
        turn = np.arange(RAYS) * (2 * math.pi / RAYS)
        self._cos, self._sin = np.cos(turn), np.sin(turn)
        self._step = radius_mm / 4

    def project(self, places_mm: Array) -> Outlines:
        """(N, 2) places to the outlines of the balls there.

        A sphere touches the cone of sight in a circle, a little nearer to the camera than its centre.
        """
        count, radius = len(places_mm), self.radius_mm
        x, y = places_mm[:, 0], places_mm[:, 1]
        sight_x, sight_y = self._center_mm[0] - x, self._center_mm[1] - y
        sight_z = self._center_mm[2] - radius
        flat = sight_y * sight_y + sight_z * sight_z
        square = flat + sight_x * sight_x
        nearer = radius * radius / square
        size = radius * np.sqrt(1 - nearer)
        first = (size / np.sqrt(flat))[:, None] * self._cos  # along (0, sight_z, -sight_y)
        second = (size / np.sqrt(flat * square))[:, None] * self._sin  # along (-flat, sight_x sight_y, sight_x sight_z)
        points = np.empty((count, RAYS + 4, 3))
        points[:, :RAYS, 0] = (x + sight_x * nearer)[:, None] - second * flat[:, None]
        points[:, :RAYS, 1] = (y + sight_y * nearer)[:, None] + first * sight_z + second * (sight_x * sight_y)[:, None]
        height = radius + sight_z * nearer
        points[:, :RAYS, 2] = height[:, None] - first * sight_y[:, None] + second * (sight_x * sight_z)[:, None]
        points[:, RAYS:, 0] = x[:, None]
        points[:, RAYS:, 1] = y[:, None]
        points[:, RAYS:, 2] = radius
        points[:, RAYS, 0] += self._step
        points[:, RAYS + 1, 0] -= self._step
        points[:, RAYS + 2, 1] += self._step
        points[:, RAYS + 3, 1] -= self._step
        return self._outlines(places_mm, self._camera.project(points.reshape(-1, 3)).reshape(count, RAYS + 4, 2))

    def places(self, centers_px: Array) -> Array:
        """(N, 2) px to the (N, 2) places of balls seen there, mm, good to a small part of a pixel."""
        return self._plane.to_mm(centers_px)

    def radius_px(self, places_mm: Array) -> Array:
        """(N, 2) places to (N,) radii in the picture."""
        return self.project(places_mm).radii_px

    def _outlines(self, places_mm: Array, pixels: Array) -> Outlines:
        """Middles, normals and derivatives of projected outlines."""
        points = np.ascontiguousarray(pixels[:, :RAYS].transpose(2, 0, 1))  # x, then y: much quicker than in pairs
        across = (pixels[:, RAYS] - pixels[:, RAYS + 1]) / (2 * self._step)
        along = (pixels[:, RAYS + 2] - pixels[:, RAYS + 3]) / (2 * self._step)
        px_per_mm = np.stack([across, along], axis=2)
        area = across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0]
        mm_per_px = np.stack([along[:, ::-1] * _TURNED, across[:, ::-1] * -_TURNED], axis=1) / area[:, None, None]
        centers = points.sum(axis=2) / RAYS
        around = points - centers[:, :, None]
        tangents = around[:, :, _NEXT] - around[:, :, _BEFORE]
        normals = np.stack([tangents[1], -tangents[0]]) / _length(tangents)
        if len(places_mm) and float((normals[:, 0] * around[:, 0]).sum()) < 0:
            normals = -normals
        return Outlines(
            places_mm=places_mm,
            points_px=points.transpose(1, 2, 0),
            normals=normals.transpose(1, 2, 0),
            centers_px=np.ascontiguousarray(centers.T),
            radii_px=_length(around).sum(axis=1) / RAYS,
            px_per_mm=px_per_mm,
            mm_per_px=mm_per_px,
        )


def times(matrices: Array, vectors: Array) -> Array:
    """(N, 2, 2) matrices by (N, 2) vectors."""
    product: Array = (matrices * vectors[:, None, :]).sum(axis=2)
    return product


def _length(vectors: Array) -> Array:
    """(2, ...) to (...)."""
    length: Array = np.sqrt(vectors[0] * vectors[0] + vectors[1] * vectors[1])
    return length


_TURNED = np.array([1.0, -1.0])
_NEXT = (np.arange(RAYS) + 1) % RAYS
_BEFORE = (np.arange(RAYS) - 1) % RAYS
