"""The wizard's end in a table's process: what it measures, stores, brings back, and refuses."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.drift import patches_path
from calibration.store import load_table_file
from calibration.table_file import BallSet
from hardware.frame import Frame
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, Instant
from scoring.balls import FIVE_BALL_SET
from scoring.table import Spot, Table
from server.calibration_desk import CalibrationDesk, answer_of
from server.calibration_orders import (
    CheckBall,
    LearnColours,
    Measure,
    Refused,
    Restore,
    Save,
    Still,
    TakeStill,
    TellState,
)
from server.calibration_view import wizard_out
from server.errors import Refusal
from server.text import LANGUAGES, catalogue

TABLE = Table(length_mm=2840, width_mm=1420)
SIZE = (960, 540)
CAMERA = make_view(TABLE, 3, Difficulty.EASY, SIZE)
PLACES = [(500.0 + 420 * index, -300.0 + 140 * index) for index in range(5)]


@pytest.fixture(scope="module")
def renderer():
    return Renderer(TABLE, CAMERA, replace(make_look(3, Difficulty.EASY, length_mm=2840, width_mm=1420), size_px=SIZE))


def picture(renderer, places=PLACES):
    balls = tuple(BallPose(ball=ball, center_mm=(*at, 34.0)) for ball, at in zip(FIVE_BALL_SET, places, strict=True))
    return renderer.still(Instant(balls=balls), 0.0)


def desk_of(path, pictures):
    """A desk whose camera sends the next picture, the last one over and over, whenever it waits for one."""
    frames = iter(range(10**6))

    def send(_):
        index = next(frames)
        desk.see(Frame(t_ns=index, index=index, pixels=pictures[min(index, len(pictures) - 1)].copy()))

    desk = CalibrationDesk(
        name="One",
        address="http://camera/",
        source="http://camera/",
        path=path,
        ball_set=BallSet(balls=FIVE_BALL_SET),
        usual=TABLE,
        sleep=send,
    )
    return desk


def done(desk, order):
    """The state after an order has been carried out."""
    desk.answer(order)
    desk.wait()
    return desk.answer(TellState())


@pytest.fixture(scope="module")
def measured(renderer, tmp_path_factory):
    desk = desk_of(tmp_path_factory.mktemp("desk") / "one.toml", [picture(renderer)])
    return desk, done(desk, Measure(table=TABLE))


def test_a_measured_table_is_drawn_and_said_in_every_language(measured):
    _, state = measured
    assert np.abs(np.array(state.proposal.corners_px) - CAMERA.project([(0, -710, 43.18)])[0]).min() < 2
    assert state.proposal.house_by == "house line"
    for language in LANGUAGES:
        said = wizard_out(state, catalogue(language))
        assert said.proposal.light == "pass"
        assert "calibrate." not in said.model_dump_json()
    assert [colour.word for colour in said.proposal.colours] == ["white", "red", "yellow"]


def test_a_ball_on_a_spot_is_seen_there_and_one_that_is_not_is_missed(measured, renderer):
    desk, _ = measured
    state = done(desk, CheckBall(place=Spot.S3))
    assert state.failed == "ball"
    assert "no ball has come to S3" in state.failure
    on_spot = [(2130.0, 0.0), *PLACES[1:]]
    frames = iter(range(100))
    desk.sleep = lambda _: desk.see(Frame(t_ns=0, index=next(frames), pixels=picture(renderer, on_spot)))
    (check,) = done(desk, CheckBall(place=Spot.S3)).checks
    assert check.residual_mm < 3
    assert wizard_out(desk.answer(TellState()), catalogue("en")).checks[0].light == "pass"


def test_what_is_saved_is_kept_with_its_patches_and_can_be_brought_back(measured):
    desk, state = measured
    assert not desk.take_news()
    assert desk.answer(Save()).is_saved
    assert desk.take_news()
    assert patches_path(desk.path).exists()
    kept = load_table_file(desk.path)
    assert kept.certificate == state.proposal.certificate
    desk.answer(Save())
    assert [stored.number for stored in desk.answer(TellState()).stored] == [0, 1]
    desk.answer(Restore(number=1))
    assert [stored.number for stored in desk.answer(TellState()).stored] == [0, 1, 2]
    assert desk.answer(Restore(number=9)) == Refused(refusal=Refusal.NO_CALIBRATION)


def test_a_refused_calibration_is_never_stored_over_a_good_one(measured):
    desk, _ = measured
    desk.answer(Save())
    before, good = desk.path.read_bytes(), desk._result
    desk._result = replace(good, certificate=replace(good.certificate, verdict="refuse", reasons=("no",)))
    assert desk.answer(Save()) == Refused(refusal=Refusal.NOT_GOOD_ENOUGH)
    assert desk.path.read_bytes() == before
    desk._result = good


def test_without_a_table_in_the_picture_the_reason_is_told_and_corners_may_be_shown(tmp_path):
    desk = desk_of(tmp_path / "one.toml", [np.full((540, 960, 3), 90, np.uint8)])
    state = done(desk, Measure(table=TABLE))
    assert state.proposal is None
    assert state.failed == "measure"
    assert "no table" in state.failure
    corners = ((10.0, 10.0), (11.0, 10.0), (11.0, 11.0), (10.0, 11.0))
    assert "no table" in done(desk, Measure(table=TABLE, corners_px=corners)).failure
    for order in (Save(), LearnColours(), CheckBall(place=Spot.S1)):
        assert desk.answer(order) == Refused(refusal=Refusal.NOT_MEASURED)


def test_a_camera_that_sends_nothing_is_said(monkeypatch):
    monkeypatch.setattr("server.calibration_desk._PATIENCE_S", 0.05)
    desk = CalibrationDesk(
        name="One", address="usb:9", source="usb:9", path=None, ball_set=BallSet(), usual=TABLE, sleep=lambda _: None
    )
    assert desk.answer(TakeStill(most_px=320)) == Refused(refusal=Refusal.NO_PICTURE)
    assert "no picture comes" in done(desk, Measure(table=TABLE)).failure
    assert answer_of((desk,), 1, TellState()) == Refused(refusal=Refusal.NO_CAMERA)


def test_a_still_is_a_jpeg_no_wider_than_asked(measured):
    desk, _ = measured
    still = desk.answer(TakeStill(most_px=320))
    assert isinstance(still, Still)
    assert still.jpeg[:2] == b"\xff\xd8"
    assert len(still.jpeg) < len(desk.answer(TakeStill(most_px=4000)).jpeg)
