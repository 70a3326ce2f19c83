"""The certificate: what the fit's doubt costs in millimetres where it matters, and whether that is good enough."""

import datetime as dt
import math
from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from calibration.camera import Array
from calibration.finder import SIDE_WORDS
from calibration.mapping import PlaneMap
from calibration.pose import LEAST_MARKS, PoseFit, evidence
from calibration.pose_problem import CUSHION_WIDTH, FOCAL_PRIOR, LOG_FOCAL, camera_from_parameters
from calibration.table_file import Certificate, Verdict
from scoring.table import Cushion, Pocket, Spot, Table

PASS_MM, REFUSE_MM = 4.0, 10.0  # expected error of a ball's centre at the worst pocket
PASS_SIGMAS, REFUSE_SIGMAS = 2.5, 6.0  # how far the worst line may miss, against what is usual
REFUSE_RMS_PX = 2.5
_STRAY_MARKS, _STRAY_SHARE = 4, 0.25  # so many marks that contradict the rest are no chance
_FOCAL_RANGE = (0.25, 2.9)  # over the picture's width: no camera over a table has another
_DOUBTED_WIDTH, _WRONG_WIDTH = (1.5, 3.0), (3.0, 10.0)  # told cost over the best, and how much more it is
_UNUSUAL_LENS = 2.0  # standard deviations from the usual focal length
_CUSHION_RANGE_MM = (15.0, 110.0)
_Place = TypeVar("_Place", Pocket, Spot, Cushion)


def ball_error_mm(fit: PoseFit, places_mm: Array) -> Array:
    """(N, 2) places of balls to (N,) the expected error of their measured centre, mm: the fit's doubt, propagated.

    The error is that of reading an exact pixel through the fitted camera; reading errors of pixels come on top.
    """
    height_mm = fit.table.ball_radius_mm
    pixels = PlaneMap(fit.camera, height_mm).to_px(places_mm)
    spread = np.sqrt(np.maximum(np.diag(fit.covariance), 0))
    columns = []
    for index, sigma in enumerate(spread):
        step = np.zeros(len(spread))
        step[index] = max(0.1 * sigma, 1e-9)
        ends = [
            PlaneMap(camera_from_parameters(fit.parameters + way * step, fit.camera.size_px), height_mm).to_mm(pixels)
            for way in (1.0, -1.0)
        ]
        columns.append((ends[0] - ends[1]) / (2 * step[index]))
    jacobian = np.stack(columns, axis=2)  # (N, 2, parameters)
    variance = np.asarray(((jacobian @ fit.covariance) * jacobian).sum(axis=(1, 2)), dtype=np.float64)
    return np.sqrt(np.maximum(variance, 0.0))


def pocket_places_mm(table: Table) -> dict[Pocket, tuple[float, float]]:
    """Where a ball's centre is when it stands in the mouth of each pocket: a radius inside the noses."""
    radius = table.ball_radius_mm
    places = {}
    for pocket in Pocket:
        corner = table.pocket_corner(pocket)
        x_mm = min(max(corner.x_mm, radius), table.length_mm - radius)
        y_mm = np.sign(corner.y_mm) * (abs(corner.y_mm) - radius)
        places[pocket] = (x_mm, float(y_mm))
    if table.pockets is None:
        return {pocket: place for pocket, place in places.items() if not pocket.is_middle}
    return places


def certify(fit: PoseFit, date: dt.datetime) -> Certificate:
    """The certificate of a fit, with the reasons for its verdict in words."""
    # lines that miss by more than usual show that something is wrong which the fit's own doubt does not know
    worst_sigmas = float(np.nanmax(fit.line_sigmas))
    factor = max(1.0, worst_sigmas, 0.0 if math.isnan(fit.marks_sigma) else fit.marks_sigma)

    def errors_at(every: Mapping[_Place, tuple[float, float]]) -> dict[_Place, float]:
        places = every if fit.cut is None else _in_view(fit, every)
        if not places:
            return {}
        errors = ball_error_mm(fit, np.array(list(places.values()))) * factor
        return {place: round(float(error), 2) for place, error in zip(places, errors, strict=True)}

    pocket_error_mm = errors_at(pocket_places_mm(fit.table))
    spots = {spot: (fit.table.spot(spot).x_mm, fit.table.spot(spot).y_mm) for spot in Spot}
    refusals, warnings = _reasons(fit, pocket_error_mm, worst_sigmas)
    covered = None if fit.cut is None else _covered_x_mm(fit, factor)
    if covered is not None and not covered[0] < fit.table.length_mm / 2 < covered[1]:
        warnings.append("the middle of the table is not covered: turn the camera, or hang it higher")
    verdict: Verdict = "refuse" if refusals else "warn" if warnings else "pass"
    return Certificate(
        date=date,
        rms_px=round(fit.rms_px, 3),
        pocket_error_mm=pocket_error_mm,
        verdict=verdict,
        reasons=tuple(refusals + warnings),
        spot_error_mm=errors_at(spots),
        cushion_error_mm=errors_at(_cushion_places_mm(fit)),
        marks=len(fit.marks),
        coverage=round(fit.coverage, 3),
        covered_x_mm=covered,
    )


def _in_view(fit: PoseFit, places: Mapping[_Place, tuple[float, float]]) -> dict[_Place, tuple[float, float]]:
    """The places at which a ball is wholly in the picture."""
    radius = fit.table.ball_radius_mm
    rim = radius * np.array([(-1, -1), (-1, 1), (1, 1), (1, -1)])
    plane = PlaneMap(fit.camera, radius)
    return {name: place for name, place in places.items() if plane.sees(np.array(place) + rim).all()}


def _covered_x_mm(fit: PoseFit, factor: float) -> tuple[float, float]:
    """From where to where a ball is in the picture, and exact enough to pass, wherever it lies across the table."""
    radius = fit.table.ball_radius_mm
    xs = np.arange(radius, fit.table.length_mm - radius, 20.0)
    across = np.linspace(-1, 1, 5) * (fit.table.width_mm / 2 - radius)
    places = np.stack(np.meshgrid(xs, across), axis=2).reshape(-1, 2)
    good = PlaneMap(fit.camera, radius).sees(places)
    good[good] = factor * ball_error_mm(fit, places[good]) < PASS_MM
    seen = xs[good.reshape(len(across), len(xs)).all(axis=0)]
    return (round(float(seen[0])), round(float(seen[-1]))) if len(seen) else (0.0, 0.0)


def _cushion_places_mm(fit: PoseFit) -> dict[Cushion, tuple[float, float]]:
    """A ball that touches the middle of each cushion; on long ones a quarter along, where no pocket is."""
    table, radius = fit.table, fit.table.ball_radius_mm
    quarter_mm = table.length_mm * (0.75 if fit.cut == fit.front else 0.25)
    return {
        Cushion.FRONT: (radius, 0.0),
        Cushion.REAR: (table.length_mm - radius, 0.0),
        Cushion.LEFT: (quarter_mm, table.width_mm / 2 - radius),
        Cushion.RIGHT: (quarter_mm, radius - table.width_mm / 2),
    }


def _reasons(fit: PoseFit, errors: dict[Pocket, float], worst_sigmas: float) -> tuple[list[str], list[str]]:
    """Why to refuse, and what to warn of."""
    refusals, warnings = _size_reasons(fit)
    if fit.rms_px > REFUSE_RMS_PX:
        refusals.append(
            f"the noses miss the model by {fit.rms_px:.1f} px: check length and width, and that this is a table"
        )
    worst = max(errors, key=lambda pocket: errors[pocket], default=None)
    if worst is None:
        refusals.append("no pocket's mouth is wholly in the picture: turn the camera or move it back")
    elif errors[worst] > REFUSE_MM:
        refusals.append(f"at {worst} a ball may be wrong by {errors[worst]:.1f} mm, more than {REFUSE_MM:g}")
    elif errors[worst] > PASS_MM:
        warnings.append(f"at {worst} a ball may be wrong by {errors[worst]:.1f} mm, more than {PASS_MM:g}")
    line = int(np.nanargmax(fit.line_sigmas))
    if worst_sigmas > PASS_SIGMAS:
        kind = "nose" if line < 4 else "rail edge"
        text = f"the {kind} at the {SIDE_WORDS[line % 4]} misses the model by {fit.line_rms_px[line]:.1f} px"
        (refusals if worst_sigmas > REFUSE_SIGMAS else warnings).append(text)
    if fit.marks_refused >= max(_STRAY_MARKS, _STRAY_SHARE * (fit.marks_refused + evidence(fit.marks))):
        refusals.append(
            f"{fit.marks_refused} sights and spots lie elsewhere than the rest puts them: "
            "check length and width, light the noses"
        )
    hidden = [SIDE_WORDS[side] for side in range(4) if side != fit.cut and not np.isfinite(fit.line_rms_px[side])]
    if hidden and evidence(fit.marks) < LEAST_MARKS:
        warnings.append(
            f"no nose is seen at the {', '.join(hidden)} of the picture: its place follows from the other lines"
        )
    return refusals, warnings


def _size_reasons(fit: PoseFit) -> tuple[list[str], list[str]]:
    """Why length and width must, or may, be wrong."""
    refusals, warnings = [], []
    focal = float(np.exp(fit.parameters[LOG_FOCAL])) / fit.camera.size_px[0]
    if not _FOCAL_RANGE[0] < focal < _FOCAL_RANGE[1]:
        refusals.append(f"only a lens of {focal:.2f} picture widths would fit: check length and width")
    elif abs(math.log(focal) - FOCAL_PRIOR[0]) > _UNUSUAL_LENS * FOCAL_PRIOR[1]:
        view_deg = math.degrees(2 * math.atan(0.5 / focal))
        warnings.append(f"the picture would be {view_deg:.0f} degrees wide, which is unusual: check length and width")
    if reason := _wrong_width(fit, _WRONG_WIDTH):
        refusals.append(reason)
    elif reason := _wrong_width(fit, _DOUBTED_WIDTH):
        warnings.append(reason)
    width = float(fit.parameters[CUSHION_WIDTH])
    if not _CUSHION_RANGE_MM[0] < width < _CUSHION_RANGE_MM[1]:
        refusals.append(f"the cushions would be {width:.0f} mm wide: check length and width")
    return refusals, warnings


def _wrong_width(fit: PoseFit, limits: tuple[float, float]) -> str:
    """Why length and width cannot both be right, if another width fits so much better; else nothing."""
    times, more = limits
    if not (fit.cost > times * fit.best_width_cost and fit.cost > more + fit.best_width_cost):
        return ""
    told, seen = fit.table.length_mm / fit.table.width_mm, fit.table.length_mm / fit.best_width_mm
    return f"the table looks {seen:.2f} times as long as wide, not {told:.2f}: check length and width"
