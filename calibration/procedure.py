"""From pictures to a fitted camera with its certificate, in one call."""

import datetime as dt
from collections.abc import Sequence

from calibration.cloth import Picture
from calibration.finder import find_table
from calibration.pose import House, PoseFit, fit_pose
from calibration.quality import certify
from calibration.table_file import Certificate
from scoring.table import Table


def calibrated(
    pictures: Sequence[Picture],
    table: Table,
    *,
    date: dt.datetime,
    house: House | None = None,
    camera_height_mm: float | None = None,
) -> tuple[PoseFit, Certificate]:
    """Find the table and fit the camera; NoTableError when there is none, the certificate may refuse the rest."""
    found = find_table(pictures)
    fit = fit_pose(found, table, house, camera_height_mm)
    return fit, certify(fit, date)
