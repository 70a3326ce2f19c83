"""How wide a resting ball looks: its rim is where the picture changes most, on either side of its middle."""

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.cloth import Picture
from calibration.mapping import outline_polygons

_SHARES = np.arange(0.7, 1.65, 0.02)  # of the expected outline's radius; lamps' reflections lie nearer to the middle
_SMOOTH = 1.5  # samples
_LEAST_CHANGE = 2.0  # grey levels in a sample's step
_LEAST_PAIRS = 0.5  # of the ways across, on which both rims must be seen
_TURNS = 3
_LIMB = 0.975  # so much of its width a ball seems to have: its limb is darker than its middle


def ball_width_scale(picture: Picture, camera: CameraModel, place_mm: Array, radius_mm: float) -> float | None:
    """A ball's apparent diameter over the expected one, None when its rim is not seen; `place_mm` (2,) is about right.

    A soft picture widens a rim to both sides, a shadow's rim is softer than a ball's: neither changes the result.
    """
    outline = outline_polygons(camera, place_mm[None], radius_mm)[0]
    middle = outline.mean(axis=0)
    ways = outline - middle
    half = len(ways) // 2
    height, width = picture.shape[:2]
    shift = np.zeros(2)
    widths = np.empty(0)
    for _ in range(_TURNS):
        points = middle + shift + _SHARES[None, :, None] * ways[:, None]
        if not ((points >= 0).all() and (points <= (width - 1, height - 1)).all()):
            return None
        at = points.astype(np.float32)
        colours = cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR).astype(np.float32)
        smooth = cv2.GaussianBlur(colours, (0, 0), sigmaX=_SMOOTH, sigmaY=0.6)
        change = np.linalg.norm(np.diff(smooth, axis=1), axis=2)
        inner = change[:, 1:-1]
        peaks = np.where((inner > change[:, :-2]) & (inner >= change[:, 2:]), inner, 0.0)
        best = peaks.argmax(axis=1)
        shares = _SHARES[best + 1] + 0.5 * (_SHARES[1] - _SHARES[0])
        clear = peaks.max(axis=1) > _LEAST_CHANGE
        pairs = clear[:half] & clear[half:]
        if pairs.mean() < _LEAST_PAIRS:
            return None
        widths = ((shares[:half] + shares[half:]) / 2)[pairs]
        near = widths <= np.percentile(widths, 40) + 0.02  # a hard shadow only widens
        across, off = ways[:half][pairs][near], ((shares[:half] - shares[half:]) / 2)[pairs][near]
        lengths = np.linalg.norm(across, axis=1)
        # the middle lies where it is as far from the rim on both sides of every way across
        shift = shift + np.linalg.lstsq(across / lengths[:, None], off * lengths, rcond=None)[0]
    return float(np.percentile(widths, 30)) / _LIMB
