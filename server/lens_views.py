"""The lens from views of the printed board: pictures or recordings of it, taken by the camera that is calibrated."""

from collections.abc import Sequence
from pathlib import Path

from calibration.errors import CalibrationError
from calibration.targets import BoardSpecification, BoardView, Lens, find_board, lens_from_views
from hardware.camera import open_camera
from server.progress import FrameCounter, FrameProgress

_EVERY_FRAME = 15  # of a recording: a board that is carried about hardly moves in less
_MOST_VIEWS = 60


def lens_from_files(paths: Sequence[Path]) -> Lens:
    """The lens; CalibrationError says which views are still missing, or that they disagree."""
    specification = BoardSpecification()
    views: list[BoardView] = []
    size_px: tuple[int, int] | None = None
    with FrameProgress() as progress:
        counter = progress.begin("looking for the board")
        for path in paths:
            found, its_size_px = _views_of(path, specification, counter)
            if size_px is not None and its_size_px != size_px:
                message = f"{path}: has another size than the other views; take all of them in the camera's one mode"
                raise CalibrationError(message)
            views, size_px = [*views, *found], its_size_px
    assert size_px is not None
    return lens_from_views(views[:_MOST_VIEWS], specification, size_px)


def _views_of(
    path: Path, specification: BoardSpecification, counter: FrameCounter
) -> tuple[list[BoardView], tuple[int, int]]:
    """The views of one picture or recording, and its size; CalibrationError when the board is in none."""
    views = []
    with open_camera(str(path)) as camera:
        index = 0
        while (frame := camera.read()) is not None:
            counter(frame)
            if index % _EVERY_FRAME == 0 and (view := find_board(frame.pixels, specification)) is not None:
                views.append(view)
            index += 1
        size_px = camera.size_px
    if not views:
        message = f"{path}: the board is not seen in it; show it whole, lit, and as it was printed by --print-board"
        raise CalibrationError(message)
    return views, size_px
