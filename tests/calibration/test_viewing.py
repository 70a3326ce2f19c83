"""Doubts about pictures in which the table was found: each thing that is wrong gives its line, and a good view none."""

import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import CameraModel
from calibration.cloth import cloth_areas
from calibration.mapping import PlaneMap
from calibration.viewing import timing_doubts, viewing_doubts
from scoring.table import Table

Picture = npt.NDArray[np.uint8]
TABLE = Table(length_mm=2840, width_mm=1420)
SIZE = (960, 540)
ROTATION = np.array([np.pi, 0.0, 0.0])


def _camera(focal_px: float = 700.0, shift_mm: float = 0.0) -> CameraModel:
    return CameraModel(
        size_px=SIZE,
        matrix=np.array([[focal_px, 0, 479.5], [0, focal_px, 269.5], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=ROTATION,
        translation=np.array([-1420.0 + shift_mm, 0.0, 2900.0]),
    )


def _picture() -> Picture:
    """A green bed on a dark floor."""
    picture = np.full((SIZE[1], SIZE[0], 3), 40, dtype=np.uint8)
    low, high = (np.round(end).astype(int) for end in PlaneMap(_camera(), 0.0).to_px([(0, 710), (2840, -710)]))
    picture[low[1] : high[1], low[0] : high[0]] = (60, 130, 25)
    return picture


def _lit(picture: Picture, factor: float) -> Picture:
    return np.clip(picture * factor, 0, 255).astype(np.uint8)


def _doubts(pictures: list[Picture], camera: CameraModel | None = None) -> tuple[str, ...]:
    still = pictures[0]
    return viewing_doubts(pictures, still, cloth_areas(still)[0], camera or _camera(), TABLE)


def test_a_good_view_gives_no_doubt() -> None:
    rng = np.random.default_rng(1)
    pictures = [np.clip(_picture() + rng.normal(0, 3, (540, 960, 3)), 0, 255).astype(np.uint8) for _ in range(8)]
    assert _doubts(pictures) == ()
    assert timing_doubts(60.0, 4.0, TABLE) == ()
    assert timing_doubts(0.0, None, TABLE) == ()


def test_a_lamp_that_flickers_is_told_and_one_that_is_switched_once_is_not() -> None:
    picture = _picture()
    flickers = [_lit(picture, 1 + 0.06 * (-1) ** index) for index in range(8)]
    switched = [_lit(picture, 1.0 if index < 4 else 0.7) for index in range(8)]
    assert [line.split(" by ")[0] for line in _doubts(flickers)] == ["the light flickers"]
    assert _doubts(switched) == ()


def test_flicker_that_runs_through_the_rows_of_a_rolling_shutter_is_told() -> None:
    picture, rows = _picture(), np.arange(540)[:, None, None]
    pictures = [_lit(picture, 1 + 0.1 * np.sin(rows / 40 + 2.1 * index)) for index in range(8)]  # type: ignore[arg-type]
    assert "flickers" in "; ".join(_doubts(pictures))


@pytest.mark.parametrize(("radius_px", "is_glare"), [(8, False), (25, True)])
def test_glare_is_larger_than_a_white_ball(radius_px: int, *, is_glare: bool) -> None:
    picture = _picture()
    rows, columns = np.mgrid[0:540, 0:960]
    picture[np.hypot(rows - 200, columns - 400) < radius_px] = 255
    lines = _doubts([picture])
    assert [line.split(" on ")[0] for line in lines] == (["glare"] if is_glare else [])


def test_pockets_that_are_cut_off_are_named() -> None:
    assert "pocket RL, RR is not wholly" in _doubts([_picture()], _camera(shift_mm=560.0))[0]


def test_a_slow_shutter_and_a_low_rate_are_told_with_what_to_set() -> None:
    slow, few = timing_doubts(15.0, 20.0, TABLE)[::-1]
    assert "smears over 60 mm" in slow
    assert "11 ms or less" in slow
    assert "only 15 pictures a second" in few
