"""How well unseen virtual tables are calibrated.

Every scene has its own hall, camera, lens (k1 from -0.35 to 0.1) and size (8 to 12 ft), balls on the bed and arms over
it. The true camera is known, so the errors are those of a ball's centre in mm; nothing is told but the size and the
side of the house.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from rich.console import Console
from rich.progress import track

from calibration.camera import Array, CameraModel
from calibration.cloth import Picture
from calibration.errors import CalibrationError
from calibration.mapping import PlaneMap
from calibration.pose import House, PoseFit
from calibration.procedure import calibrated
from calibration.quality import pocket_places_mm
from calibration.table_file import Certificate
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.picture.shape import TableShape
from hardware.virtual.scene import BallPose, CueStick, Instant, Limb
from scoring.balls import FIVE_BALL_SET
from scoring.table import Table

_SIZES_MM = ((2240.0, 1120.0), (2540.0, 1270.0), (2840.0, 1420.0), (3200.0, 1600.0), (3550.0, 1775.0))
_BENDS = (-0.35, 0.1)
_STREAM = 71  # different things need different seeds
_PICTURES = 5
_ARM_SHARE = 0.6
_DATE = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VirtualCase:
    """Pictures of one virtual table and the truth about its camera; `house` is the side at which the house lies."""

    seed: int
    difficulty: Difficulty
    table: Table
    camera: CameraModel
    house: House
    pictures: tuple[Picture, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What came of one case; errors are None where no table was found."""

    seed: int
    difficulty: str
    verdict: str
    reason: str
    median_mm: float | None = None
    p95_mm: float | None = None
    worst_mm: float | None = None
    pocket_mean_mm: float | None = None
    promised_mm: float | None = None


def make_case(seed: int, difficulty: Difficulty) -> VirtualCase:
    """One unseen table; the same seed and difficulty give the same pictures."""
    rng = np.random.default_rng([seed, list(Difficulty).index(difficulty), _STREAM])
    length_mm, width_mm = _SIZES_MM[int(rng.integers(len(_SIZES_MM)))]
    table = Table(length_mm=length_mm, width_mm=width_mm)
    if rng.random() < 0.25:
        table = replace(table, ball_mm=61.5, pockets=None)
    camera = _bent(make_view(table, seed, difficulty), table, float(rng.uniform(*_BENDS)))
    look = make_look(seed, difficulty, length_mm=length_mm, width_mm=width_mm)
    renderer = Renderer(table, camera, look)
    balls = _balls(table, rng)
    pictures = []
    for index in range(_PICTURES):
        limbs, cues = _player(table, rng) if rng.random() < _ARM_SHARE else ((), ())
        pictures.append(renderer.still(Instant(balls=balls, limbs=limbs, cues=cues), 0.5 * index))
    return VirtualCase(
        seed=seed,
        difficulty=difficulty,
        table=table,
        camera=camera,
        house=_house_of(table, camera),
        pictures=tuple(pictures),
    )


def measure(case: VirtualCase) -> CaseResult:
    """Calibrate one case and compare it with the truth."""
    try:
        result = calibrated(case.pictures, case.table, house=case.house, date=_DATE)
    except CalibrationError as error:
        return CaseResult(seed=case.seed, difficulty=case.difficulty.value, verdict="none", reason=str(error))
    return compared(case, result.fit, result.certificate)


def measure_all(seeds: Sequence[int], difficulties: Sequence[Difficulty]) -> list[CaseResult]:
    """Every seed's tables, with progress on standard error."""
    cv2.setNumThreads(1)
    console = Console(stderr=True)
    wanted = [(seed, difficulty) for seed in seeds for difficulty in difficulties]
    tables = track(wanted, "calibrating", console=console, transient=True, disable=not console.is_terminal)
    return [measure(make_case(seed, difficulty)) for seed, difficulty in tables]


def compared(case: VirtualCase, fit: PoseFit, certificate: Certificate) -> CaseResult:
    """The errors of a fit in mm: balls all over the bed, and balls in the mouths of the pockets."""
    radius = case.table.ball_radius_mm
    xs = np.linspace(radius, case.table.length_mm - radius, 13)
    ys = np.linspace(-1, 1, 7) * (case.table.width_mm / 2 - radius)
    bed = np.array([(x, y) for x in xs for y in ys])
    pockets = np.array(list(pocket_places_mm(case.table).values()))
    on_bed, at_pockets = (_errors_mm(case, fit.camera, places) for places in (bed, pockets))
    return CaseResult(
        seed=case.seed,
        difficulty=case.difficulty.value,
        verdict=certificate.verdict,
        reason="; ".join(certificate.reasons),
        median_mm=round(float(np.median(on_bed)), 2),
        p95_mm=round(float(np.percentile(on_bed, 95)), 2),
        worst_mm=round(float(on_bed.max()), 2),
        pocket_mean_mm=round(float(at_pockets.mean()), 2),
        promised_mm=max(certificate.pocket_error_mm.values()),
    )


def _bent(camera: CameraModel, table: Table, k1: float) -> CameraModel:
    """The same place through another lens, zoomed so that the rails reach as far into the picture as before."""
    outline = TableShape.of(table).outer_outline_mm()
    middle = (np.array(camera.size_px) - 1) / 2
    reach = np.abs(camera.project(outline) - middle).max(axis=0)
    bent = replace(camera, distortion=np.array([k1, -0.2 * k1 * abs(k1), *camera.distortion[2:5]]))
    for _ in range(6):
        factor = float((reach / np.abs(bent.project(outline) - middle).max(axis=0)).min())
        matrix = bent.matrix.copy()
        matrix[[0, 1], [0, 1]] *= factor
        bent = replace(bent, matrix=matrix)
    return bent


def _house_of(table: Table, camera: CameraModel) -> House:
    front, rear = camera.project([(0, 0, 0), (table.length_mm, 0, 0)])
    x, y = front - rear
    if abs(x) >= abs(y):
        return "left" if x < 0 else "right"
    return "top" if y < 0 else "bottom"


def _errors_mm(case: VirtualCase, camera: CameraModel, places_mm: Array) -> Array:
    radius = case.table.ball_radius_mm
    pixels = PlaneMap(case.camera, radius).to_px(places_mm)
    return np.asarray(np.linalg.norm(PlaneMap(camera, radius).to_mm(pixels) - places_mm, axis=1), dtype=np.float64)


def _balls(table: Table, rng: np.random.Generator) -> tuple[BallPose, ...]:
    radius = table.ball_radius_mm
    places: list[tuple[float, float]] = []
    while len(places) < len(FIVE_BALL_SET):
        x_mm = float(rng.uniform(radius, table.length_mm - radius))
        y_mm = float(rng.uniform(-1, 1) * (table.width_mm / 2 - radius))
        if all(np.hypot(x_mm - x, y_mm - y) > 2.1 * radius for x, y in places):
            places.append((x_mm, y_mm))
    return tuple(
        BallPose(ball=ball, center_mm=(x, y, radius)) for ball, (x, y) in zip(FIVE_BALL_SET, places, strict=True)
    )


def _player(table: Table, rng: np.random.Generator) -> tuple[tuple[Limb, ...], tuple[CueStick, ...]]:
    """An arm and a cue from a long or a short side."""
    x_mm = float(rng.uniform(0.1, 0.9) * table.length_mm)
    y_mm = float(rng.uniform(-0.35, 0.35) * table.width_mm)
    side = float(rng.choice([-1.0, 1.0]))
    shoulder = (x_mm + float(rng.uniform(-300, 300)), side * (table.width_mm / 2 + 450), 420.0)
    if rng.random() < 0.3:
        end = table.length_mm + 450.0 if side > 0 else -450.0
        x_mm = table.length_mm - 500.0 if side > 0 else 500.0
        shoulder = (end, y_mm + float(rng.uniform(-300, 300)), 420.0)
    hand = (x_mm, y_mm, 45.0)
    limbs = (
        Limb(start_mm=hand, end_mm=hand, start_radius_mm=42, end_radius_mm=42, part="hand"),
        Limb(start_mm=hand, end_mm=shoulder, start_radius_mm=34, end_radius_mm=58, part="arm"),
    )
    away = np.array(shoulder) - np.array(hand)
    butt = np.array(hand) + away / np.linalg.norm(away) * 1100
    cue = CueStick(tip_mm=(x_mm, y_mm, 50.0), butt_mm=(float(butt[0]), float(butt[1]), float(butt[2])))
    return limbs, (cue,)
