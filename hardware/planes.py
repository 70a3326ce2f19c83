"""A picture as video is coded: brightness in full, colour at half the size; made BGR only where somebody looks."""

from dataclasses import dataclass, field
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike

Bytes: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float32]
Matrix: TypeAlias = npt.NDArray[np.float64]

_SMOOTH = np.array([0.125, 0.75, 0.125])  # what is left of colours between pixels when four of them are averaged


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Planes:
    """`luma` (H, W), `blue` and `red` (H / 2, W / 2), uint8; `to_bgr` (3, 4) makes colours of the three and 1."""

    luma: Bytes
    blue: Bytes
    red: Bytes
    to_bgr: Matrix
    _whole: list[Bytes] = field(default_factory=list)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height."""
        height, width = self.luma.shape
        return width, height

    def bgr(self) -> Bytes:
        """The whole picture, (H, W, 3), read-only; made when it is first asked for."""
        if not self._whole:
            width, height = self.size_px
            whole = self.window(0, 0, width, height)
            whole.flags.writeable = False
            self._whole.append(whole)
        return self._whole[0]

    def window(self, left: int, top: int, right: int, bottom: int) -> Bytes:
        """A part of the picture in BGR."""
        x, y = left // 2, top // 2
        size = 2 * ((right + 1) // 2 - x), 2 * ((bottom + 1) // 2 - y)
        part = slice(y, y + size[1] // 2), slice(x, x + size[0] // 2)
        blue, red = (cv2.resize(plane[part], size, interpolation=cv2.INTER_LINEAR) for plane in (self.blue, self.red))
        inside = slice(top - 2 * y, bottom - 2 * y), slice(left - 2 * x, right - 2 * x)
        return self._coloured(self.luma[top:bottom, left:right], blue[inside], red[inside])

    def reduced(self, left: int, top: int, size_px: tuple[int, int], factor: int, luma: Bytes | None = None) -> Bytes:
        """A part of the picture in BGR, reduced by a whole factor of which its size is a multiple.

        `luma` is that part's, when somebody has reduced it already.
        """
        width, height = size_px
        small = width // factor, height // factor
        if luma is None:
            luma = averaged(self.luma[top : top + height, left : left + width], factor)
        rows = slice(top // 2, (top + height + 1) // 2)
        columns = slice(left // 2, (left + width + 1) // 2)
        blue, red = (
            cv2.resize(
                cv2.sepFilter2D(plane[rows, columns], -1, _SMOOTH, _SMOOTH), small, interpolation=cv2.INTER_LINEAR
            )
            for plane in (self.blue, self.red)
        )
        return self._coloured(luma, blue, red)

    def scaled(self, left: int, top: int, size_px: tuple[int, int], scaled_px: tuple[int, int]) -> Bytes:
        """A part of the picture in BGR, made smaller or larger; it begins at even places."""
        width, height = size_px
        half = slice(top // 2, (top + height) // 2), slice(left // 2, (left + width) // 2)
        method = cv2.INTER_AREA if scaled_px[0] < width else cv2.INTER_LINEAR
        luma = cv2.resize(self.luma[top : top + height, left : left + width], scaled_px, interpolation=method)
        blue, red = (
            cv2.resize(plane[half], scaled_px, interpolation=cv2.INTER_LINEAR) for plane in (self.blue, self.red)
        )
        return self._coloured(luma, blue, red)

    def sampled(self, x: Floats, y: Floats) -> Floats:
        """(N, M) px to (N, M, 3) colours between the pixels."""
        half_x, half_y = x / 2 - np.float32(0.25), y / 2 - np.float32(0.25)
        codes = np.empty((3, *x.shape), np.float32)
        for row, plane, columns, rows in (
            (0, self.luma, x, y),
            (1, self.blue, half_x, half_y),
            (2, self.red, half_x, half_y),
        ):
            codes[row] = cv2.remap(plane, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        matrix = self.to_bgr.astype(np.float32)
        colours = matrix[:, :3] @ codes.reshape(3, -1)
        colours += matrix[:, 3:]
        np.maximum(colours, 0.0, out=colours)
        np.minimum(colours, 255.0, out=colours)
        return colours.reshape(codes.shape).transpose(1, 2, 0)

    def sparse(self, step: int) -> Bytes:
        """Every so many pixels, a power of two, in BGR."""
        blue, red = (plane[:: step // 2, :: step // 2] for plane in (self.blue, self.red))
        return self._coloured(self.luma[::step, ::step], blue, red)

    def _coloured(self, luma: MatLike, blue: MatLike, red: MatLike) -> Bytes:
        codes = cv2.merge([np.ascontiguousarray(plane) for plane in (luma, blue, red)])
        return np.asarray(cv2.transform(codes, self.to_bgr), dtype=np.uint8)


def averaged(picture: Bytes, factor: int) -> Bytes:
    """A picture reduced by a whole factor, each pixel the mean of those it stands for."""
    height, width = picture.shape[:2]
    if factor == 1:
        return np.ascontiguousarray(picture)
    if factor == 3 and picture.ndim == 2:  # twice as quick as the same from `resize`
        return np.ascontiguousarray(cv2.blur(picture, (3, 3))[1::3, 1::3])
    size = width // factor, height // factor
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def bgr_matrix(*, is_high_definition: bool, is_full_range: bool) -> Matrix:
    """(3, 4) to BGR by ITU-R BT.709 or BT.601, of codes over the whole range or from 16 to 235 (colour to 240)."""
    red, blue = (0.2126, 0.0722) if is_high_definition else (0.299, 0.114)
    green = 1.0 - red - blue
    bright, colour = (1.0, 1.0) if is_full_range else (255 / 219, 255 / 224)
    black = 0.0 if is_full_range else 16.0
    matrix = np.array(
        [
            [bright, 2 * (1 - blue) * colour, 0.0],
            [bright, -2 * (1 - blue) * blue / green * colour, -2 * (1 - red) * red / green * colour],
            [bright, 0.0, 2 * (1 - red) * colour],
        ]
    )
    return np.column_stack([matrix, -matrix @ [black, 128.0, 128.0]])
