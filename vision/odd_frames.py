"""Frames that nobody can look at: grey, of more than 8 bits, of another size. They are skipped, never a crash."""

import numpy as np

from hardware.frame import Frame


def why_odd(frame: Frame, size_px: tuple[int, int]) -> str | None:
    """Why a frame cannot be looked at by who expects BGR pictures of a size; None when it can."""
    picture = frame.picture
    if isinstance(picture, np.ndarray):
        if picture.ndim != 3 or picture.shape[2] != 3:
            return f"the picture has the shape {picture.shape}, it is not in colour: set the camera to colour"
        if picture.dtype != np.uint8:
            return f"the picture's values are {picture.dtype}, not 8 bits: set the camera to 8 bits"
    if frame.size_px != size_px:
        ours, its = size_px, frame.size_px
        return f"the picture is {its[0]}x{its[1]} px, the table file is for {ours[0]}x{ours[1]}: calibrate again"
    return None
