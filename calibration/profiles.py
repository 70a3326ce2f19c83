"""What the picture looks like across a side: samples along many short lines, at sub-pixel places."""

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from calibration.quadrilateral import Side


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profiles:
    """Colours across a side: `colours` (S, T, 3) BGR at S stations along it and T distances inward, px.

    `shares` (S,) says where the stations are, `distances_px` (T,) are evenly spaced; `seen` (S, T) is False where the
    picture ends.
    """

    side: Side
    shares: Array
    distances_px: Array
    colours: npt.NDArray[np.float32]
    seen: npt.NDArray[np.bool_]

    @property
    def step_px(self) -> float:
        """The distance between neighbouring samples."""
        return float(self.distances_px[1] - self.distances_px[0])

    def places(self, stations: npt.NDArray[np.intp], across_px: Array) -> Array:
        """Stations (N,) and distances across (N,) to (N, 2) px."""
        return self.side.points(self.shares[stations]) + across_px[:, None] * self.side.inward


def sample_profiles(
    picture: npt.NDArray[np.uint8], side: Side, from_px: float, to_px: float, step_px: float
) -> Profiles:
    """Sample a BGR picture across a side; each sample is the mean of a short stretch along it."""
    count = int(np.clip(side.length_px / 3, 60, 320))
    shares = np.linspace(0.03, 0.97, count)
    distances = np.arange(from_px, to_px + step_px / 2, step_px)
    base = side.points(shares)
    places = base[:, None] + distances[None, :, None] * side.inward
    height, width = picture.shape[:2]
    seen = (places >= 0).all(axis=2) & (places[..., 0] <= width - 1) & (places[..., 1] <= height - 1)
    stretch = min(3.0, 0.5 * side.length_px / count)
    total = np.zeros((*places.shape[:2], 3), dtype=np.float32)
    shifts = (-1.0, 0.0, 1.0)
    for shift in shifts:
        moved = (places + shift * stretch * side.along).astype(np.float32)
        total += cv2.remap(picture, moved[..., 0], moved[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Profiles(
        side=side,
        shares=shares,
        distances_px=distances,
        colours=np.asarray(total / len(shifts), dtype=np.float32),
        seen=seen,
    )


def slopes(values: Array, step_px: float, sigma_px: float) -> Array:
    """(S, T) values to their derivative along T, per px, after a Gaussian blur."""
    sigma = sigma_px / step_px
    radius = int(np.ceil(3 * sigma))
    at = np.arange(-radius, radius + 1)
    kernel = -at * np.exp(-(at**2) / (2 * sigma**2))
    kernel = kernel / np.sum(-kernel * at) / step_px
    filtered = cv2.filter2D(
        values, cv2.CV_64F, -kernel.reshape(1, -1).astype(np.float64), borderType=cv2.BORDER_REPLICATE
    )
    return cast("Array", filtered)
