"""Motion blur: what lies in a window, smeared along the way that a ball takes during the exposure."""

import math

import cv2
import numpy as np

from hardware.virtual.picture.eye import Window
from hardware.virtual.picture.light import Floats


class Smear:
    """A way in the picture, (N, 2) px from its middle at equal steps of time, as a filter exact to sub-pixels."""

    def __init__(self, path_px: Floats) -> None:
        self.reach_px = math.ceil(float(np.abs(path_px).max())) + 1
        side = 2 * self.reach_px + 1
        kernel = np.zeros((side, side), dtype=np.float32)
        weights = np.ones(len(path_px), dtype=np.float32)
        weights[[0, -1]] = 0.5  # the trapezium rule over the exposure
        whole = np.floor(path_px).astype(np.int64)
        part = path_px - whole
        for shift_x, share_x in ((0, 1 - part[:, 0]), (1, part[:, 0])):
            for shift_y, share_y in ((0, 1 - part[:, 1]), (1, part[:, 1])):
                rows, columns = whole[:, 1] + shift_y + self.reach_px, whole[:, 0] + shift_x + self.reach_px
                np.add.at(kernel, (rows, columns), weights * share_x * share_y)
        self._kernel = np.ascontiguousarray(kernel[::-1, ::-1] / kernel.sum())  # filter2D correlates

    def spread(
        self, window: Window, values: Floats, beyond: float, size_px: tuple[int, int]
    ) -> tuple[Window, Floats] | None:
        """A window's values smeared, in the wider window that they then fill; `beyond` is what lay around it.

        None when the wider window lies outside a picture of `size_px`.
        """
        left, top, right, bottom = window
        reach = self.reach_px
        wide = cv2.copyMakeBorder(values, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=(beyond,) * 4)
        smeared = cv2.filter2D(wide, -1, self._kernel, borderType=cv2.BORDER_REPLICATE)
        new_left, new_top = max(left - reach, 0), max(top - reach, 0)
        new_right, new_bottom = min(right + reach, size_px[0]), min(bottom + reach, size_px[1])
        if new_left >= new_right or new_top >= new_bottom:
            return None
        rows = slice(new_top - top + reach, new_bottom - top + reach)
        columns = slice(new_left - left + reach, new_right - left + reach)
        return (new_left, new_top, new_right, new_bottom), np.asarray(smeared[rows, columns], dtype=np.float32)
