"""The sensor: prepared tiles of noise, flicker, JPEG, and the watermark that says the picture is virtual."""

import math

import cv2
import numpy as np

from hardware.virtual.picture.light import Codes
from hardware.virtual.picture.look import REEXPOSURE_S, Look

_SPARE_PX = 96  # by how much a tile is larger than the picture
_TILES = 3
_MARK = "virtual"
_SEEN_GAIN = 0.001  # a smaller change does not reach the code values
_REEXPOSING_S = 0.35


class Sensor:
    """Adds what a sensor adds; pure in the time of the frame."""

    def __init__(self, look: Look, size_px: tuple[int, int]) -> None:
        self._look = look
        self._size_px = size_px
        rng = np.random.default_rng([look.seed, 4])
        self._tiles = [_tile(rng, look.noise_sigma, size_px) for _ in range(_TILES)] if look.noise_sigma > 0 else []

    def expose(self, picture: Codes, t_s: float, gain: float = 1.0) -> Codes:
        """Noise, flicker and the watermark over a finished picture, which is changed; `gain` is the camera's own."""
        look = self._look
        gain *= 1 + look.flicker * math.sin(2 * math.pi * look.flicker_hz * t_s + look.seed)
        if look.reexposure > 0:
            gain *= _exposure_gain(look, t_s)
        if abs(gain - 1) > _SEEN_GAIN:
            picture = np.asarray(cv2.convertScaleAbs(picture, alpha=gain), dtype=np.uint8)
        mark(picture)
        if self._tiles:
            rng = np.random.default_rng([look.seed, round(t_s * 1e6) & 0x7FFFFFFF])
            width, height = self._size_px
            left, top, tile = (int(value) for value in rng.integers((_SPARE_PX, _SPARE_PX, _TILES)))
            more, less = self._tiles[tile]
            part = np.s_[top : top + height, left : left + width]
            cv2.add(picture, more[part], dst=picture)
            cv2.subtract(picture, less[part], dst=picture)
        return _sent_as_jpeg(picture, look.jpeg_quality) if look.jpeg_quality else picture


def _exposure_gain(look: Look, t_s: float) -> float:
    """The gain that the camera has chosen: another one every now and then, reached in a third of a second."""
    turn = math.floor(t_s / REEXPOSURE_S)
    levels = [
        1 + look.reexposure * float(np.random.default_rng([look.seed, 6, max(index, 0)]).uniform(-1, 1))
        for index in (turn - 1, turn)
    ]
    share = min((t_s - turn * REEXPOSURE_S) / _REEXPOSING_S, 1.0)
    return levels[0] + (levels[1] - levels[0]) * share


def _sent_as_jpeg(picture: Codes, quality: int) -> Codes:
    """The picture with the artefacts of a camera that sends JPEG."""
    _, packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)


def mark(picture: Codes) -> None:
    """Write the watermark into the lower right corner."""
    height, width = picture.shape[:2]
    scale = height / 1400
    (wide, _), _ = cv2.getTextSize(_MARK, cv2.FONT_HERSHEY_SIMPLEX, scale, 1)
    place = (width - wide - round(height * 0.012), height - round(height * 0.014))
    cv2.putText(picture, _MARK, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (150, 150, 150), 1, cv2.LINE_AA)


def _tile(rng: np.random.Generator, sigma: float, size_px: tuple[int, int]) -> tuple[Codes, Codes]:
    """Noise as what is added and what is taken away: fine in brightness, coarser in colour, as after demosaicing."""
    height, width = size_px[1] + _SPARE_PX, size_px[0] + _SPARE_PX
    bright = cv2.GaussianBlur(rng.standard_normal((height, width), dtype=np.float32), (0, 0), 0.6)
    colour = cv2.GaussianBlur(rng.standard_normal((height, width, 3), dtype=np.float32), (0, 0), 1.0)
    noise = bright[..., None] * np.float32(0.9 / bright.std()) + colour * np.float32(0.45 / colour.std())
    noise = np.round(noise * np.float32(sigma))
    return np.clip(noise, 0, 255).astype(np.uint8), np.clip(-noise, 0, 255).astype(np.uint8)
