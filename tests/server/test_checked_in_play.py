"""Balls that come to rest against cushions check the calibration in service, and the wizard tells."""

from types import SimpleNamespace

import pytest

from calibration.store import save_table_file
from calibration.table_file import TableFile
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import make_view
from scoring.balls import Ball
from scoring.events import Rest
from scoring.table import Cushion, Point, Table
from server.calibration_orders import CalibrationState
from server.calibration_view import wizard_out
from server.config import TableConfig
from server.messages import Noted, Seen
from server.standing import Standing
from server.table_cameras import TableCameras
from server.text import LANGUAGES, catalogue

TABLE = Table(length_mm=2840, width_mm=1420)


@pytest.fixture
def cameras(tmp_path):
    path = tmp_path / "one.toml"
    save_table_file(TableFile(name="One", table=TABLE, camera=make_view(TABLE, 1, Difficulty.EASY)), path)
    config = TableConfig(id="one", name="One", source="usb:0", table_file=path)
    standing = Standing(path=path, source="usb:0")
    made = TableCameras(config=config, standings=(standing,), desks=(SimpleNamespace(in_play=None),), balls=())
    list(made.load())
    return made


def play(cameras, off_mm, count=8):
    """Strokes after which the yellow ball lies against the rear cushion, each time elsewhere; the lines for the log."""
    lines = []
    for stroke in range(count):
        place = Point(TABLE.length_mm - TABLE.ball_radius_mm - off_mm, -300.0 + 50 * stroke)
        lines += cameras.hear(Seen(events=(Rest(t_s=float(stroke), balls={Ball("yellow"): place}),)))
    return lines


def test_balls_where_they_should_be_are_shown_and_no_warning_is_logged(cameras):
    assert play(cameras, 0.4) == []
    in_play = cameras.desks[0].in_play
    assert (in_play.mean_mm, in_play.balls, in_play.doubted) == (0.4, 8, ())
    shown = wizard_out(CalibrationState(in_play=in_play), catalogue("en")).in_play
    assert (shown.light, shown.text) == (
        "pass",
        "Seen in play: on average 0.4 mm off where balls lie against cushions, over 8 balls.",
    )


def test_a_contradiction_is_logged_once_and_shown_in_every_language(cameras):
    (line,) = play(cameras, -7.0)
    assert "the rear cushion -7.0 mm" in line
    in_play = cameras.desks[0].in_play
    assert in_play.doubted == (Cushion.REAR,)
    for language in LANGUAGES:
        spoken = catalogue(language)
        shown = wizard_out(CalibrationState(in_play=in_play), spoken).in_play
        assert shown.light == "warn"
        assert spoken.word(Cushion.REAR).casefold() in shown.text.casefold()
        assert "7.0" in shown.text


def test_a_new_calibration_is_judged_anew(cameras):
    play(cameras, -7.0)
    list(cameras.load())
    assert cameras.desks[0].in_play is None
    assert play(cameras, 0.0, count=4) == []
    assert cameras.desks[0].in_play is None


def test_what_is_no_rest_tells_nothing(cameras):
    assert list(cameras.hear(Noted("a line"))) == []
    assert cameras.desks[0].in_play is None
