"""What a camera over a table would see, worked out before it is bought: sizes, blur, errors, what is cut off."""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.cloth import ClothArea
from calibration.errors import CalibrationError
from calibration.finder import FoundTable
from calibration.mapping import PlaneMap
from calibration.noses import CushionLines, EdgeLine
from calibration.pocket_marks import PocketMarks
from calibration.pose import fit_pose
from calibration.quadrilateral import Side
from calibration.quality import ball_error_mm, pocket_places_mm
from scoring.table import Pocket, Table

CUSHION_MM = 50.0  # from nose to rail, as is usual
RAIL_MM = 160.0  # from nose to the outer edge of the rail
SHUTTERS_S = (1 / 60, 1 / 125, 1 / 250, 1 / 500, 1 / 1000)
ROLL_MM_S, BREAK_MM_S = 3000.0, 8000.0  # a firm stroke; a break

_READING_PX = 0.2  # to which a ball's centre is read in a good picture
_GOOD_BALL_PX, _LEAST_BALL_PX = 20.0, 12.0
_GOOD_FPS = 50.0
_MOST_BLUR_BALLS = 0.5  # of a ball's width at a firm stroke
_GOOD_ERROR_MM = 2.5
_STEPS_MM = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraChoice:
    """A camera straight above the table's middle, its picture along the table; the height is the lens's over the cloth.

    `fov_rad` is the horizontal angle of view.
    """

    size_px: tuple[int, int]
    fps: float
    fov_rad: float
    height_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationPlan:
    """What comes of a choice.

    `cut_mm` says by side how much of the table with its rails (negative: of the free floor around) is out of view;
    `blur_px` is by shutter at a firm stroke and at a break; `pocket_error_mm` is None when the noses are cut off.
    """

    choice: CameraChoice
    px_per_mm: float
    ball_px: float
    blur_px: tuple[tuple[float, float, float], ...]
    pocket_error_mm: dict[Pocket, float] | None
    cut_mm: dict[str, float]
    advice: tuple[str, ...]

    @property
    def is_good(self) -> bool:
        """Whether nothing would be better."""
        return not self.advice


def plan_installation(table: Table, choice: CameraChoice) -> InstallationPlan:
    """Work out a choice; CalibrationError when no camera can be like that."""
    width, height = choice.size_px
    if not 0 < choice.fov_rad < math.radians(170) or min(width, height) < 240 or choice.fps <= 0:
        message = "a camera has an angle of view below 170 degrees, 240 lines or more and some frames a second"
        raise CalibrationError(message)
    if choice.height_mm < 2 * table.nose_height_mm + table.ball_mm:
        message = f"a lens {choice.height_mm:g} mm over the cloth would be among the balls: hang it higher"
        raise CalibrationError(message)
    camera = camera_of(table, choice)
    focal = float(camera.matrix[0, 0])
    px_per_mm = focal / (choice.height_mm - table.ball_radius_mm)
    seen = (width / focal * _depth(table, choice), height / focal * _depth(table, choice))
    needed = (table.length_mm + 2 * RAIL_MM, table.width_mm + 2 * RAIL_MM)
    cut = {"ends": (needed[0] - seen[0]) / 2, "sides": (needed[1] - seen[1]) / 2}
    blur = tuple((shutter, ROLL_MM_S * shutter * px_per_mm, BREAK_MM_S * shutter * px_per_mm) for shutter in SHUTTERS_S)
    errors = _pocket_errors(table, camera, px_per_mm) if max(cut.values()) < RAIL_MM - CUSHION_MM else None
    return InstallationPlan(
        choice=choice,
        px_per_mm=px_per_mm,
        ball_px=table.ball_mm * px_per_mm,
        blur_px=blur,
        pocket_error_mm=errors,
        cut_mm={side: round(value, 1) for side, value in cut.items()},
        advice=tuple(_advice(table, choice, cut, px_per_mm, errors)),
    )


def camera_of(table: Table, choice: CameraChoice) -> CameraModel:
    """The chosen camera as a model, without distortion, the house at the left of its picture."""
    width, height = choice.size_px
    focal = width / 2 / math.tan(choice.fov_rad / 2)
    rotation = np.diag([1.0, -1.0, -1.0])
    center = np.array([table.length_mm / 2, 0.0, choice.height_mm])
    return CameraModel(
        size_px=choice.size_px,
        matrix=np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=np.asarray(cv2.Rodrigues(rotation)[0], dtype=np.float64),
        translation=-rotation @ center,
    )


def _depth(table: Table, choice: CameraChoice) -> float:
    return choice.height_mm - table.nose_height_mm


def _pocket_errors(table: Table, camera: CameraModel, px_per_mm: float) -> dict[Pocket, float]:
    """What the calibration would promise at the pockets if all noses were seen, with reading a ball on top."""
    width, height = camera.size_px
    half, length = table.width_mm / 2, table.length_mm
    # clockwise in the picture from its top side: left cushion, rear, right, front
    corners_mm = np.array([(0.0, half), (length, half), (length, -half), (0.0, -half)])
    ends = [(corners_mm[index], corners_mm[(index + 1) % 4]) for index in range(4)]
    outward = ((0, 1), (1, 0), (0, -1), (-1, 0))
    sides = []
    for (start, end), way in zip(ends, outward, strict=True):
        nose = _line(camera, table.nose_height_mm, start, end)
        shift = np.array(way) * CUSHION_MM
        edge = _line(camera, table.nose_height_mm + 3, start + shift, end + shift)
        side = Side(start_px=nose.points_px[0], end_px=nose.points_px[-1])
        sides.append(CushionLines(side=side, nose=nose, edge=edge))
    corners = PlaneMap(camera, table.nose_height_mm).to_px(corners_mm)
    blank = np.zeros((height, width, 3), dtype=np.uint8)
    area = ClothArea(
        mask=np.zeros((8, 8), dtype=np.uint8), scale=1.0, share=0.5, colour=np.zeros(3), axis=np.full(3, 1 / 3)
    )
    middles = np.array([1.0, 0.0, 1.0, 0.0])
    found = FoundTable(
        picture=blank,
        area=area,
        sides=(sides[0], sides[1], sides[2], sides[3]),
        corners_px=corners,
        pockets=PocketMarks(corners=np.ones(4), middles=middles),
    )
    fit = fit_pose(found, table, "left")
    places = pocket_places_mm(table)
    errors = np.hypot(ball_error_mm(fit, np.array(list(places.values()))), _READING_PX / px_per_mm)
    return {pocket: round(float(error), 2) for pocket, error in zip(places, errors, strict=True)}


def _line(camera: CameraModel, height_mm: float, start_mm: Array, end_mm: Array) -> EdgeLine:
    ways = np.linspace(0.03, 0.97, 60)[:, None]
    points = PlaneMap(camera, height_mm).to_px(start_mm + ways * (end_mm - start_mm))
    return EdgeLine(points_px=points, scatter_px=0.2, support=1.0, offset_px=0.0)


def _advice(
    table: Table, choice: CameraChoice, cut: dict[str, float], px_per_mm: float, errors: dict[Pocket, float] | None
) -> list[str]:
    """What would be better, most important first."""
    advice = []
    if max(cut.values()) > 0:
        higher, wider_rad = _fitting(table, choice)
        advice.append(
            f"the table does not fit: hang the camera {higher:.0f} mm over the cloth or take a lens of "
            f"{math.degrees(wider_rad):.0f} degrees"
        )
    ball_px = table.ball_mm * px_per_mm
    if ball_px < _GOOD_BALL_PX:
        lines = math.ceil(choice.size_px[0] * _GOOD_BALL_PX / ball_px / 160) * 160
        word = "too small to follow" if ball_px < _LEAST_BALL_PX else "small"
        advice.append(f"a ball of {ball_px:.0f} px is {word}: take a camera of {lines} px width or a narrower lens")
    if choice.fps < _GOOD_FPS:
        advice.append(f"{choice.fps:g} fps miss quick contacts: take {_GOOD_FPS:g} or more")
    slowest = _MOST_BLUR_BALLS * table.ball_mm / ROLL_MM_S
    if 1 / choice.fps > slowest:
        advice.append(f"fix the shutter at 1/{math.ceil(1 / slowest / 5) * 5} s or shorter, and light the table for it")
    if errors is not None and max(errors.values()) > _GOOD_ERROR_MM:
        advice.append(
            f"{max(errors.values()):.1f} mm at a pocket can be halved: tilt the camera by 5 to 10 degrees, measure its "
            "height for --camera-height, or calibrate the lens with a printed board"
        )
    return advice


def _fitting(table: Table, choice: CameraChoice) -> tuple[float, float]:
    """The least height with this lens, in steps of 50 mm, and the least angle of view at this height."""
    width, height = choice.size_px
    needed = max(table.length_mm + 2 * RAIL_MM, (table.width_mm + 2 * RAIL_MM) * width / height)
    depth = needed / (2 * math.tan(choice.fov_rad / 2))
    higher = math.ceil((depth + table.nose_height_mm) / _STEPS_MM) * _STEPS_MM
    return higher, 2 * math.atan(needed / 2 / _depth(table, choice))
