"""A calibration from any source: pictures spread over it, the table in them, the fit, the certificate, the file."""

import datetime as dt
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from calibration.cloth import Picture
from calibration.errors import CalibrationError
from calibration.finder import find_table
from calibration.pose import House, fit_pose
from calibration.quality import certify
from calibration.stillness import MOST_SHIFT_PX, camera_shift_px
from calibration.store import save_table_file
from calibration.table_file import BallSet, TableFile
from hardware.camera import Camera, open_camera
from scoring.table import Table
from server.errors import ServerError
from server.progress import FrameCounter, FrameProgress

_PICTURES = 24  # at most so many are kept
_MOST_FRAMES = 6000  # of a recording, so many are looked through
_LIVE_S = 3.0  # a live camera is watched so long


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a person knows of the table before the camera is opened; `pockets` is auto, six or none."""

    source: str
    table: Table
    pockets: str = "auto"
    house: str | None = None
    camera_height_mm: float | None = None
    ball_set: BallSet
    name: str


def calibrate_source(request: Request, out_path: Path) -> TableFile:
    """Calibrate and write the table file; raises, and writes nothing, when the result is not good enough."""
    with FrameProgress() as progress, open_camera(request.source) as camera:
        fps = camera.fps
        counter = progress.begin("collecting pictures")
        pictures = _spread(camera, counter)
        table_file = calibrate_pictures(request, pictures, fps)
    save_table_file(table_file, out_path)
    return table_file


def calibrate_pictures(request: Request, pictures: list[Picture], fps: float) -> TableFile:
    """The table file for pictures of one camera; CalibrationError when there is no table or the fit is refused."""
    found = find_table(pictures)
    shift_px = camera_shift_px(found, pictures)
    if shift_px > MOST_SHIFT_PX:
        message = f"{request.source}: the camera moves by {shift_px:.0f} px or more: fix it firmly and calibrate again"
        raise CalibrationError(message)
    has_pockets = found.pockets.has_pockets if request.pockets == "auto" else request.pockets == "six"
    table = request.table if has_pockets else replace(request.table, pockets=None)
    fit = fit_pose(found, table, cast("House | None", request.house), request.camera_height_mm)
    certificate = certify(fit, dt.datetime.now(dt.UTC).replace(microsecond=0))
    if certificate.verdict == "refuse":
        message = f"{request.source}: not good enough, nothing is written: {'; '.join(certificate.reasons)}"
        raise CalibrationError(message)
    return TableFile(
        name=request.name,
        table=table,
        camera=fit.camera,
        source=request.source,
        fps=fps,
        certificate=certificate,
        ball_set=request.ball_set,
    )


def certificate_lines(table_file: TableFile) -> Iterator[str]:
    """The certificate in words, line by line."""
    certificate, camera = table_file.certificate, table_file.camera
    assert certificate is not None
    kind = "six pockets" if table_file.table.pockets is not None else "no pockets"
    x_mm, y_mm, z_mm = camera.center_mm
    yield f"table: {table_file.table.length_mm:g} x {table_file.table.width_mm:g} mm, {kind}"
    yield f"camera: {z_mm:.0f} mm over the cloth, at x {x_mm:.0f}, y {y_mm:.0f} mm"
    yield f"noses: {certificate.rms_px:.2f} px from the model"
    where = "pocket" if table_file.table.pockets is not None else "corner"
    for pocket, error_mm in certificate.pocket_error_mm.items():
        yield f"{where} {pocket}: a ball's centre to {error_mm:.1f} mm"
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
