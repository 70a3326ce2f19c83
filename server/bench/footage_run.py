"""Real recordings through the whole product: calibrated without a click, analysed, compared with their truth."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import cv2
import numpy as np

from calibration.cloth import Picture
from calibration.errors import CalibrationError
from calibration.table_file import TableFile
from hardware.camera import open_camera
from hardware.frame import Frame
from scoring.errors import CuemarkerError
from server.analysis import Job, analyze_source, frames_of
from server.bench.footage import Footage
from server.bench.footage_check import Checker, FootageCheck, corner_errors_px
from server.calibrating import Request, as_table_file, calibrate_pictures, measured

_PICTURES = 24
Progress = Callable[[Frame], None]


def check_footage(footage: Footage, progress: Progress) -> FootageCheck:
    """One recording; what stops it is told in the result, because the others go on."""
    cv2.setNumThreads(1)
    if not footage.corners_px:
        return FootageCheck(name=footage.name, refused="its table is not annotated", corner_errors_px={})
    try:
        table_file = calibrated(footage)
    except CalibrationError as error:
        return FootageCheck(name=footage.name, refused=str(error), corner_errors_px={})
    try:
        job = Job(source=str(footage.video), table_file=table_file, progress=progress)
        analysis = analyze_source(job, lambda _event: None)
    except CuemarkerError as error:
        corners = corner_errors_px(footage, table_file)
        return FootageCheck(name=footage.name, refused=str(error), corner_errors_px=corners)
    return Checker(footage, table_file, analysis).check()


def calibrated(footage: Footage) -> TableFile:
    """The table file as `cuemarker calibrate` makes it: only the table's size and its balls are known before.

    Raises:
        CalibrationError: the table was not found, or not well enough.
    """
    chosen, fps = _pictures(footage)
    return replace(calibrate_pictures(_request(footage), chosen, fps), fps=fps)


def calibrated_by_corners(footage: Footage) -> TableFile:
    """The table file that the corners marked by a person give, whatever the certificate says of it.

    Raises:
        CalibrationError: the table was not found.
    """
    chosen, fps = _pictures(footage)
    corners = np.array([footage.corners_px[name] for name in ("TL", "TR", "BR", "BL")])
    request = replace(_request(footage), corners_px=corners)
    return as_table_file(request, measured(request, chosen), fps).table_file


def _pictures(footage: Footage) -> tuple[list[Picture], float]:
    """Pictures spread over a recording, and its rate."""
    with open_camera(str(footage.video)) as camera:
        return _spread(frames_of(camera)), camera.fps or footage.fps


def _request(footage: Footage) -> Request:
    """What is known of a recording's table before it is looked at."""
    return Request(
        source=footage.video.name,
        table=footage.sort.table,
        pockets="none" if footage.sort.table.pockets is None else "auto",
        ball_set=footage.ball_set,
        name=footage.name,
    )


def _spread(frames: Iterator[Frame]) -> list[Picture]:
    """Pictures spread evenly over a recording, few of them in memory at any time."""
    kept: list[Picture] = []
    stride = 1
    for index, frame in enumerate(frames):
        if index % stride == 0:
            kept.append(frame.pixels)
        if len(kept) > _PICTURES:
            kept, stride = kept[::2], stride * 2
    return kept
