"""Windows of balls: what a ball shows, brightness only, at one size and without the hall's light."""

from typing import TypeAlias, cast

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from hardware.planes import Planes

WINDOW_PX = 32
_REACH = 1.02  # half a window, in the ball's radii
_LEAST_SPREAD = 6.0  # of brightness: less is noise
Windows: TypeAlias = npt.NDArray[np.float32]


def windows_of(picture: npt.NDArray[np.uint8] | Planes, centers_px: Array, radii_px: Array) -> Windows:
    """(N, 2) middles and (N,) radii to (N, WINDOW_PX, WINDOW_PX), each of mean 0 and spread 1 within the ball."""
    steps = (np.arange(WINDOW_PX) + 0.5) / WINDOW_PX * 2 - 1
    found = np.empty((len(centers_px), WINDOW_PX, WINDOW_PX), np.float32)
    for index, ((x, y), radius) in enumerate(zip(centers_px, radii_px, strict=True)):
        across = _REACH * radius * steps
        luma, left, top = _luma(picture, x, y, _REACH * radius + 3)
        columns, rows = np.meshgrid((x + across - left).astype(np.float32), (y + across - top).astype(np.float32))
        found[index] = cv2.remap(luma, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return evened(found)


def evened(raw: Windows) -> Windows:
    """(N, WINDOW_PX, WINDOW_PX) brightness to mean 0 and spread 1 within the ball, 0 outside of it."""
    inside = raw[:, BALL]
    mean = inside.mean(axis=1)[:, None, None]
    spread = np.maximum(inside.std(axis=1), _LEAST_SPREAD)[:, None, None]
    return cast("Windows", ((raw - mean) / spread * BALL).astype(np.float32))


def _luma(picture: npt.NDArray[np.uint8] | Planes, x: float, y: float, reach: float) -> tuple[Windows, int, int]:
    """The part of a picture's brightness around a ball, with its left and top."""
    height, width = (picture.luma if isinstance(picture, Planes) else picture).shape[:2]
    left, top = (int(np.clip(value - reach, 0, side - 2)) for value, side in ((x, width), (y, height)))
    part = np.s_[top : max(top + 2, int(y + reach) + 1), left : max(left + 2, int(x + reach) + 1)]
    if isinstance(picture, Planes):
        return picture.luma[part].astype(np.float32), left, top
    return np.asarray(cv2.cvtColor(picture[part], cv2.COLOR_BGR2GRAY), dtype=np.float32), left, top


def _ball_mask() -> npt.NDArray[np.bool_]:
    steps = ((np.arange(WINDOW_PX) + 0.5) / WINDOW_PX * 2 - 1) * _REACH
    return np.asarray(np.hypot(steps[:, None], steps[None, :]) < 1.0, dtype=np.bool_)


BALL = _ball_mask()  # (WINDOW_PX, WINDOW_PX): what is within the ball
