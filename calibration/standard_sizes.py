"""Which of the usual sizes a table has, told by how wide its balls look: all of them are twice as long as wide."""

import math

from calibration.errors import CalibrationError

# nose to nose, mm: 6, 7, 8, 9, 10, 11 and 12 feet
STANDARD_SIZES_MM = (
    (1830.0, 915.0),
    (1980.0, 990.0),
    (2240.0, 1120.0),
    (2540.0, 1270.0),
    (2840.0, 1420.0),
    (3200.0, 1600.0),
    (3550.0, 1775.0),
)
_CLEAR = 1.5  # so many times nearer than the next size
_FAR = 0.08  # of its length: no usual size


def nearest_size_mm(length_mm: float) -> tuple[float, float]:
    """The usual size nearest to a length that balls tell.

    Raises:
        CalibrationError: None is near, or two are.
    """
    ranked = sorted(STANDARD_SIZES_MM, key=lambda size: abs(math.log(length_mm / size[0])))
    away = [abs(math.log(length_mm / size[0])) for size in ranked[:2]]
    if away[0] > _FAR:
        message = (
            f"the balls say that the table is about {length_mm:.0f} mm long, which is no usual size: "
            "measure it from nose to nose and give --length and --width"
        )
        raise CalibrationError(message)
    if away[1] < _CLEAR * away[0]:
        either = " or ".join(f"{length:.0f} x {width:.0f}" for length, width in ranked[:2])
        message = f"the balls say that the table has {either} mm: measure it and give --length and --width"
        raise CalibrationError(message)
    return ranked[0]
