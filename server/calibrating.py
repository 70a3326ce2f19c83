"""A calibration from any source: pictures spread over it, the table in them, the fit, the certificate, the file."""

import datetime as dt
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from calibration.camera import Array
from calibration.cloth import Picture
from calibration.drift import DriftReference, patches_path, reference_of, save_reference
from calibration.errors import CalibrationError, NoTableError
from calibration.finder import SIDE_WORDS
from calibration.history import keep_table_file
from calibration.pose import End, House
from calibration.procedure import Calibration, calibrated
from calibration.table_file import BallSet, TableFile
from calibration.targets import Lens
from calibration.viewing import timing_doubts
from hardware.camera import Camera, open_camera
from hardware.cameras.controls import CameraLock, controls_path, lock_source
from scoring.table import Table
from server.errors import ServerError
from server.progress import FrameCounter, FrameProgress

_PICTURES = 24  # at most so many are kept
_MOST_FRAMES = 6000  # of a recording, so many are looked through
_LIVE_S = 3.0  # a live camera is watched so long
_SETTLED_S = 2.0  # after so long its automatics have found their values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """What a person knows of the table before the camera is opened; `pockets` is auto, six or none."""

    source: str
    table: Table
    pockets: str = "auto"
    house: str | None = None
    camera_height_mm: float | None = None
    lens: Lens | None = None
    ball_set: BallSet
    name: str
    corners_px: Array | None = None  # (4, 2) where a person sees the noses' corners
    is_size_told: bool = True  # else the table's size is the usual one that the balls tell
    view: End | None = None  # the end of the table that the camera sees when it does not see the other one


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """A table file that may be written, and what a person should know besides."""

    table_file: TableFile
    notes: tuple[str, ...]
    reference: DriftReference | None = None


def calibrate_source(request: Request, out_path: Path) -> Calibrated:
    """Calibrate and write the table file; raises, and writes nothing, when the result is not good enough."""
    with FrameProgress() as progress, open_camera(request.source) as camera:
        fps = camera.fps
        counter = progress.begin("collecting pictures")
        lock = _settled_lock(request, camera, counter)
        pictures = _spread(camera, counter)
        result = with_lock(examine_pictures(request, pictures, fps), lock)
    store(result, out_path)
    return result


def _settled_lock(request: Request, camera: Camera, counter: FrameCounter) -> CameraLock:
    """Lock a live camera's automatics when they have found their values; nothing where it has none."""
    if controls_path(request.source) is None:
        return CameraLock()
    began_s = time.monotonic()
    while time.monotonic() - began_s < _SETTLED_S and (frame := camera.read()) is not None:
        counter(frame)
    return lock_source(request.source)


def with_lock(result: Calibrated, lock: CameraLock) -> Calibrated:
    """The table file with what the camera was locked at; notes of what could not be, and of a slow shutter or rate."""
    table_file = replace(result.table_file, controls=lock.values)
    notes = [f"warning: {line}" for line in timing_doubts(table_file.fps, lock.exposure_ms, table_file.table)]
    if lock.values:
        notes.append("camera: locked at " + ", ".join(f"{name} {value}" for name, value in lock.values.items()))
    if lock.loose:
        notes.append(
            f"camera: goes on changing its {', '.join(lock.loose)} by itself; a camera that can be set is better"
        )
    return replace(result, table_file=table_file, notes=(*result.notes, *notes))


def store(result: Calibrated, out_path: Path) -> None:
    """Write a table file and its patches; a refused one is never written, and what was there before is kept.

    Raises:
        TableFileError: It is refused, or cannot be written.
    """
    keep_table_file(result.table_file, out_path)
    if result.reference is not None:
        save_reference(result.reference, patches_path(out_path))


def calibrate_pictures(request: Request, pictures: list[Picture], fps: float) -> TableFile:
    """The table file for pictures of one camera; CalibrationError when there is no table or the fit is refused."""
    return examine_pictures(request, pictures, fps).table_file


def examine_pictures(request: Request, pictures: list[Picture], fps: float) -> Calibrated:
    """The same with what a person should know besides."""
    try:
        result = measured(request, pictures)
    except NoTableError:
        raise
    except CalibrationError as error:
        message = f"{request.source}: {error}"
        raise CalibrationError(message) from error
    if result.certificate.verdict == "refuse":
        message = f"{request.source}: not good enough, nothing is written: {'; '.join(result.certificate.reasons)}"
        raise CalibrationError(message)
    return as_table_file(request, result, fps)


def measured(request: Request, pictures: Sequence[Picture]) -> Calibration:
    """What pictures of one camera give, good enough or not; CalibrationError when there is no table."""
    return calibrated(
        pictures,
        request.table,
        date=dt.datetime.now(dt.UTC).replace(microsecond=0),
        pockets=request.pockets,
        house=cast("House | None", request.house),
        camera_height_mm=request.camera_height_mm,
        lens=request.lens,
        ball_set=request.ball_set,
        corners_px=request.corners_px,
        is_size_told=request.is_size_told,
        end=request.view,
    )


def as_table_file(request: Request, result: Calibration, fps: float) -> Calibrated:
    """What is written of a calibration, and what a person should know besides."""
    table_file = TableFile(
        name=request.name,
        table=result.fit.table,
        camera=result.fit.camera,
        source=request.source,
        fps=fps,
        certificate=result.certificate,
        ball_set=replace(request.ball_set, colours=result.colours.srgb),
    )
    notes, reference = tuple(_notes(result)), None
    try:
        reference = reference_of(result.found.picture, result.fit.camera, result.fit.table)
    except CalibrationError as error:
        notes = (*notes, f"drift: will not be noticed, {error}")
    return Calibrated(table_file=table_file, notes=notes, reference=reference)


def _notes(result: Calibration) -> Iterator[str]:
    """What a person should know beside the certificate: which end is the house, which colours were learnt."""
    yield from (f"warning: {line}" for line in result.doubts)
    fit = result.fit
    side = SIDE_WORDS[fit.front]
    if fit.cut is not None:
        yield f"view: the table goes on beyond the {SIDE_WORDS[fit.cut]} of the picture, for another camera to see"
    yield {
        "told": f"house: {'at' if fit.front != fit.cut else 'beyond'} the {side} of the picture, as told",
        "house line": f"house: at the {side} of the picture, where the line across the cloth is",
        "assumed": f"house: taken to be at the {side} of the picture, no mark tells; if it is not, use --house",
    }[fit.house_by]
    if fit.house_by == "told" and fit.line_at_rear:
        remedy = "--house" if fit.cut is None else "the other --view"
        yield f"note: the line across the cloth is at the other end; if that is the house, use {remedy}"
    if result.colours_refusal:
        yield f"ball colours: not learnt, {result.colours_refusal}"
        return
    learnt, unseen = result.colours.srgb, result.colours.unseen
    if learnt:
        yield "ball colours: learnt for " + ", ".join(learnt)
    if unseen:
        yield f"ball colours: no {', '.join(unseen)} ball was seen, usual colours are kept; lay out all balls to learn"


def certificate_lines(table_file: TableFile) -> Iterator[str]:
    """The certificate in words, line by line."""
    certificate, camera = table_file.certificate, table_file.camera
    assert certificate is not None
    kind = "six pockets" if table_file.table.pockets is not None else "no pockets"
    x_mm, y_mm, z_mm = camera.center_mm
    yield f"table: {table_file.table.length_mm:g} x {table_file.table.width_mm:g} mm, {kind}"
    yield f"camera: {z_mm:.0f} mm over the cloth, at x {x_mm:.0f}, y {y_mm:.0f} mm"
    yield f"noses: {certificate.rms_px:.2f} px from the model"
    if certificate.covered_x_mm is not None:
        from_mm, to_mm = certificate.covered_x_mm
        yield f"covers: balls from x {from_mm:.0f} to {to_mm:.0f} mm; the rest is for another camera"
    where = "pocket" if table_file.table.pockets is not None else "corner"
    for pocket, error_mm in certificate.pocket_error_mm.items():
        yield f"{where} {pocket}: a ball's centre to {error_mm:.1f} mm"
    for place, error_mm in (*certificate.spot_error_mm.items(), *certificate.cushion_error_mm.items()):
        yield f"{place}: a ball's centre to {error_mm:.1f} mm"
    yield f"marks: {certificate.marks} agree; noses seen along {certificate.coverage:.0%}"
    yield f"verdict: {certificate.verdict}"
    for reason in certificate.reasons:
        yield f"  {reason}"


def _spread(camera: Camera, counter: FrameCounter) -> list[Picture]:
    """Pictures spread evenly over a recording, or over a few seconds of a live camera."""
    kept: list[Picture] = []
    stride, index = 1, 0
    began_s = time.monotonic()
    while index < _MOST_FRAMES and not (camera.is_live and time.monotonic() - began_s > _LIVE_S):
        frame = camera.read()
        if frame is None:
            break
        counter(frame)
        if index % stride == 0:
            kept.append(frame.pixels)
            if len(kept) > _PICTURES:
                kept, stride = kept[::2], stride * 2
        index += 1
    if not kept:
        message = "the source gave no picture; check that it is a camera, a video or an image"
        raise ServerError(message)
    return kept
