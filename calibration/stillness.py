"""Whether the camera stood still while its pictures were taken: noses must lie where they lie in the still picture."""

from collections.abc import Sequence

import numpy as np

from calibration.cloth import Picture
from calibration.finder import FoundTable
from calibration.noses import cushion_lines

MOST_SHIFT_PX = 2.0
_LOOKS = 5  # pictures that are looked at
_REACH_PX = 14.0


def camera_shift_px(found: FoundTable, pictures: Sequence[Picture]) -> float:
    """How far the noses of single pictures lie from those of the still picture, px; larger than 14 reads as 14.

    A picture in which somebody or something hides most of the noses does not count, unless that is so in all.
    """
    if len(pictures) < 2:
        return 0.0
    chosen = np.unique(np.linspace(0, len(pictures) - 1, _LOOKS).astype(int))
    shifts = []
    for index in chosen:
        away = []
        for lines in found.sides:
            if lines.nose is None:
                continue
            place_px = lines.nose.offset_px
            cushion_px = place_px - lines.edge.offset_px if lines.edge is not None else 0.0
            outward_px, inward_px = _REACH_PX + 1.5 * cushion_px - place_px, _REACH_PX + place_px
            seen = cushion_lines(pictures[index], lines.side, found.area, outward_px, inward_px)
            away.append(abs(seen.nose.offset_px - place_px) if seen.nose is not None else _REACH_PX)
        near = [shift for shift in away if shift < _REACH_PX]
        if len(near) >= 2:
            shifts.append(float(np.median(near)))
    return float(np.percentile(shifts, 75)) if shifts else _REACH_PX
