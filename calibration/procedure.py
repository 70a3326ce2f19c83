"""From pictures to a table file with its certificate, in one call."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.ball_colours import ColoursError, LearntColours, learn_colours
from calibration.camera import Array
from calibration.cloth import Picture
from calibration.errors import CalibrationError
from calibration.finder import FoundTable, find_table
from calibration.pose import End, House, PoseFit, fit_pose
from calibration.quality import certify
from calibration.resting_balls import RestingBalls, resting_balls
from calibration.standard_sizes import nearest_size_mm
from calibration.stillness import MOST_SHIFT_PX, camera_shift_px
from calibration.table_file import BallSet, Certificate, Verdict
from calibration.targets import Lens
from calibration.viewing import viewing_doubts
from scoring.table import Table

# apparent over told diameter: beyond this the table may, or must, have another size
_USUAL_SCALES, _POSSIBLE_SCALES = (0.87, 1.12), (0.78, 1.25)
_LEAST_BALLS = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """What pictures of one table gave; the certificate may refuse it. `colours_refusal` says why none were learnt."""

    found: FoundTable
    fit: PoseFit
    certificate: Certificate
    balls: RestingBalls
    colours: LearntColours
    colours_refusal: str = ""
    doubts: tuple[str, ...] = ()  # what would cost exactness in play, beside the certificate's reasons


def calibrated(
    pictures: Sequence[Picture],
    table: Table,
    *,
    date: dt.datetime,
    pockets: str = "auto",
    house: House | None = None,
    camera_height_mm: float | None = None,
    lens: Lens | None = None,
    ball_set: BallSet | None = None,
    corners_px: Array | None = None,
    is_size_told: bool = True,
    end: End | None = None,
) -> Calibration:
    """Find the table, fit the camera, learn the balls' colours.

    Args:
        pictures: BGR, of one camera that stands still.
        table: its size and balls; whether it has pockets is seen unless `pockets` is six or none.
        date: goes into the certificate.
        pockets: auto, six or none.
        house: the side of the picture at which the house lies.
        camera_height_mm: the lens over the cloth when somebody has measured it.
        lens: what views of a printed board have told; of pictures of the same size.
        ball_set: the balls that may lie on it.
        corners_px: (4, 2) where a person sees the noses' corners, when the finder was wrong.
        is_size_told: whether length and width are the table's; else the usual size nearest to what its balls tell.
        end: which end of the table is in view when the other one is not; its size must be told.

    Raises:
        CalibrationError: there is no table, or the camera moves.
    """
    found = find_table(pictures, corners_px, is_one_end=end is not None)
    if lens is not None and lens.size_px != found.size_px:
        told, seen = (f"{width}x{height}" for width, height in (lens.size_px, found.size_px))
        message = f"the board was seen at {told}, the table at {seen}: take both in the camera's same mode"
        raise CalibrationError(message)
    shift_px = camera_shift_px(found, pictures)
    if shift_px > MOST_SHIFT_PX:
        message = f"the camera moves by {shift_px:.0f} px or more: fix it firmly and calibrate again"
        raise CalibrationError(message)
    has_pockets = found.pockets.has_pockets if pockets == "auto" else pockets == "six"
    own = table if has_pockets else replace(table, pockets=None)
    fit = fit_pose(found, own, house, camera_height_mm, lens, end=end)
    certificate = certify(fit, date)
    covered = certificate.covered_x_mm
    balls = resting_balls(found.picture, fit.camera, own, found.area, covered)
    if not is_size_told:
        length_mm, width_mm = nearest_size_mm(own.length_mm / _balls_scale(balls))
        own = replace(own, length_mm=length_mm, width_mm=width_mm)
        fit = fit_pose(found, own, house, camera_height_mm, lens)
        balls = resting_balls(found.picture, fit.camera, own, found.area)
        certificate = certify(fit, date)
        reason = f"the size, {own.length_mm:g} x {own.width_mm:g} mm, is only what the balls tell: measure the table"
        verdict: Verdict = "refuse" if certificate.verdict == "refuse" else "warn"
        certificate = replace(certificate, verdict=verdict, reasons=(*certificate.reasons, reason))
    colours, refusal = LearntColours(), ""
    try:
        colours = learn_colours(balls, ball_set or BallSet())
    except ColoursError as error:
        refusal = str(error)
    return Calibration(
        found=found,
        fit=fit,
        certificate=_checked_by_balls(certificate, balls, own),
        balls=balls,
        colours=colours,
        colours_refusal=refusal,
        doubts=viewing_doubts(pictures, found.picture, found.area, fit.camera, own, covered_x_mm=covered),
    )


def _checked_by_balls(certificate: Certificate, balls: RestingBalls, table: Table) -> Certificate:
    """Doubt, or refuse, a size in which the balls that lie there would have another diameter."""
    scales = balls.scales[np.isfinite(balls.scales)]
    if len(scales) < _LEAST_BALLS:
        return certificate
    scale = float(np.median(scales))
    # in bad pictures the balls do not agree on it
    doubt = 1.48 * float(np.median(np.abs(scales - scale))) / len(scales) ** 0.5
    if _USUAL_SCALES[0] - 2 * doubt < scale < _USUAL_SCALES[1] + 2 * doubt:
        return certificate
    reason = f"the balls look {scale * table.ball_mm:.0f} mm wide, not {table.ball_mm:g}: check length, width and ball"
    is_possible = _POSSIBLE_SCALES[0] - 2 * doubt < scale < _POSSIBLE_SCALES[1] + 2 * doubt
    is_possible = is_possible and certificate.verdict != "refuse"
    return replace(certificate, verdict="warn" if is_possible else "refuse", reasons=(reason, *certificate.reasons))


def _balls_scale(balls: RestingBalls) -> float:
    """How wide the balls look, over what they are with the size at hand; CalibrationError when there are too few."""
    scales = balls.scales[np.isfinite(balls.scales)]
    if len(scales) < _LEAST_BALLS:
        message = (
            f"the table's size is told by its balls, and only {len(scales)} are seen: "
            f"lay out {_LEAST_BALLS} or more, or give --length and --width"
        )
        raise CalibrationError(message)
    return float(np.median(scales))
