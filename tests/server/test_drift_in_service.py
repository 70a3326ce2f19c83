"""Drift in service: a nudged camera is put right or holds scoring, the board says so, and it is freed when put back."""

from collections import deque
from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from calibration.drift import patches_path, reference_of, save_reference
from calibration.store import save_table_file
from hardware.eyesight import CameraHealth
from hardware.frame import Frame
from hardware.signals import LinkState
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from scoring.table import Table
from server import watching
from server.board import health_out
from server.config import HallConfig, ServerConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.messages import Noted, Opened, Places, Vitals
from server.standing import Standing
from server.table_cameras import TableCameras
from server.text import LANGUAGES, catalogue

TABLE = Table(length_mm=2840, width_mm=1420)
SIZE = (960, 540)
CAMERA = make_view(TABLE, 5, Difficulty.NORMAL, SIZE)
NS = 1_000_000_000
EVERY_S = 5.0  # a picture


@pytest.fixture(scope="module")
def clean():
    look = replace(make_look(5, Difficulty.NORMAL, length_mm=2840, width_mm=1420), size_px=SIZE)
    return Renderer(TABLE, CAMERA, look).empty_table()


@pytest.fixture
def table_path(clean, tmp_path):
    path = tmp_path / "one.toml"
    look = make_look(5, Difficulty.NORMAL, length_mm=2840, width_mm=1420)
    save_table_file(replace(true_table_file(TABLE, CAMERA, look), source="usb:0", fps=30.0), path)
    save_reference(reference_of(shot(clean, 0), CAMERA, TABLE), patches_path(path))
    return path


def shot(clean, seed, shift_px=(0.0, 0.0), light=1.0):
    move = np.array([[1, 0, shift_px[0]], [0, 1, shift_px[1]]], dtype=np.float64)
    moved = cv2.warpAffine(clean, move, SIZE, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    light = light[..., None] if isinstance(light, np.ndarray) else light
    noise = np.random.default_rng(seed).normal(0, 2.5, moved.shape)
    return np.clip(moved * light + noise, 0, 255).astype(np.uint8)


class FakePipeline:
    """Sees a quiet table, and remembers through which cameras."""

    def __init__(self, table_file):
        self.witness, self.sighting, self.ailment, self.table_file = self, None, None, table_file
        self.positions, self.moving, self.deaf, self.cameras = {}, frozenset(), frozenset(), []

    def tracks(self):
        return ()

    def provisional(self):
        return ()

    def step(self, *_):
        return ()

    def finish(self):
        return ()

    def look_through(self, camera, _):
        self.cameras.append(camera)


class Service(TableCameras):
    """One camera whose pictures come from `picture_at`, a frame every `EVERY_S` seconds of its own time."""

    def __init__(self, path, picture_at, until_s, source="usb:0"):
        desk = SimpleNamespace(see=lambda _: None, take_news=lambda: False, fps=30.0)
        config = TableConfig(id="one", name="One", source=source, table_file=path)
        super().__init__(config=config, standings=(Standing(path=path, source=source),), desks=(desk,), balls=())
        self.notes = list(self.load())
        self.now_s, self.pipelines = 0.0, []
        self._times = deque(np.arange(0, until_s, EVERY_S))
        self._picture_at = picture_at

    def eyes(self):
        self.pipelines.append(FakePipeline(self.standings[0].calibrated))
        return self.pipelines[-1]

    @property
    def is_over(self):
        return not self._times

    def next(self, _):
        self.now_s = float(self._times.popleft())
        index = round(self.now_s / EVERY_S)
        return Frame(t_ns=round(self.now_s * NS), index=index, pixels=self._picture_at(self.now_s))

    def health(self, *_):
        return CameraHealth(state=LinkState.READY, age_s=0.0, opened=1)

    def told(self, monkeypatch):
        """Every message with the time of its picture; vitals come with every picture."""
        monkeypatch.setattr("server.looking.VITALS_S", 0.0)
        return [(self.now_s, message) for message in watching._follow(self, None, None, self)]


def notes(told):
    return [(t_s, message.text) for t_s, message in told if isinstance(message, Noted)]


def test_a_jump_of_2_px_is_flagged_and_put_right_within_a_minute(clean, table_path, monkeypatch):
    service = Service(table_path, lambda t_s: shot(clean, int(t_s), (2.0, 0.0) if t_s >= 60 else (0.0, 0.0)), 130)
    told = service.told(monkeypatch)
    ((noticed_s, text),) = notes(told)
    assert 60 < noticed_s <= 120
    assert "its model was put right" in text
    assert sum(isinstance(message, Opened) for _, message in told) == 1  # the witness goes on
    corners = [(0, -710, 40), (2840, 710, 40)]
    (camera,) = service.pipelines[-1].cameras
    assert np.abs(camera.project(corners) - CAMERA.project(corners) - (2.0, 0.0)).max() < 0.6


def test_a_creep_of_1_px_a_minute_is_flagged_within_three_minutes(clean, table_path, monkeypatch):
    service = Service(table_path, lambda t_s: shot(clean, int(t_s), (t_s / 60 * 0.6, -t_s / 60 * 0.8)), 185)
    assert notes(service.told(monkeypatch))[0][0] <= 180


def test_a_hard_knock_holds_scoring_the_board_says_so_and_putting_it_back_frees_it(
    clean, table_path, tmp_path, monkeypatch
):
    def picture_at(t_s):
        return shot(clean, int(t_s), (11.0, 4.0) if 30 <= t_s < 90 else (0.0, 0.0))

    told = Service(table_path, picture_at, 150).told(monkeypatch)
    held = [t_s for t_s, message in told if isinstance(message, Vitals) and message.trouble == "camera_moved"]
    assert 30 < held[0] <= 90
    assert 90 < held[-1] < 150
    seen = [t_s for t_s, message in told if isinstance(message, Places)]
    assert not any(held[0] < t_s <= held[-1] for t_s in seen)  # nothing is scored meanwhile
    assert seen[-1] > held[-1]
    assert sum(isinstance(message, Opened) for _, message in told) == 2  # fresh eyes afterwards

    database = f"sqlite:///{tmp_path / 'j.sqlite'}"
    config = TableConfig(id="one", name="One", source="usb:0", table_file=table_path)
    hub = Hub(HallConfig(server=ServerConfig(database=database), tables=(config,)), lambda: Journal.open(database))
    hub.open()
    hub.process_started("one")
    hub.receive("one", next(message for _, message in told if isinstance(message, Vitals) and message.trouble))
    for language, word in zip(
        LANGUAGES, ("Камеру сдвинули", "The camera has been moved", "Kamera on siirtynyt"), strict=True
    ):
        health = health_out(hub, hub.table("one"), catalogue(language))
        assert health.state == "failed"
        assert word in health.text
    assert "11.7 px" in health.detail
    hub.close()


@pytest.mark.parametrize(
    ("source", "size_px", "words"),
    [("usb:1", SIZE, "not with usb:1"), ("usb:0", (640, 360), "the camera gives 640x360")],
)
def test_another_camera_or_resolution_is_refused_with_one_line(table_path, monkeypatch, source, size_px, words):
    picture = np.full((size_px[1], size_px[0], 3), 90, np.uint8)
    told = Service(table_path, lambda _: picture.copy(), 10, source).told(monkeypatch)
    assert not any(isinstance(message, Opened | Places) for _, message in told)
    vitals = [message for _, message in told if isinstance(message, Vitals)]
    assert {message.trouble for message in vitals} == {"not_calibrated"}
    assert words in vitals[0].detail
    assert "calibrate again" in vitals[0].detail
    assert "\n" not in vitals[0].detail


def test_a_mode_back_to_the_calibrated_one_goes_on_by_itself(clean, table_path, monkeypatch):
    small = np.full((360, 640, 3), 90, np.uint8)
    told = Service(table_path, lambda t_s: small.copy() if t_s < 10 else shot(clean, int(t_s)), 20).told(monkeypatch)
    opened = [t_s for t_s, message in told if isinstance(message, Opened)]
    assert opened == [10.0]


def test_a_password_in_the_address_is_no_other_camera(clean, tmp_path):
    path = tmp_path / "two.toml"
    look = make_look(5, Difficulty.NORMAL, length_mm=2840, width_mm=1420)
    save_table_file(replace(true_table_file(TABLE, CAMERA, look), source="rtsp://10.0.0.5/one"), path)
    standing = Standing(path=path, source="rtsp://admin:secret@10.0.0.5/one")
    assert "drift of the camera will not be noticed" in standing.load()
    standing.bind(SIZE, 0.0)
    assert standing.trouble is None
    assert standing.look(Frame(t_ns=0, index=0, pixels=shot(clean, 1))) == ("", False)


def test_without_a_table_file_the_wizard_is_waited_for(tmp_path):
    standing = Standing(path=tmp_path / "none.toml", source="usb:0")
    standing.load()
    assert standing.trouble[0] == "not_calibrated"
    assert "none.toml" in standing.trouble[1]


def light_of_day(t_s):
    """Sun through a window that wanders, lamps that dim and switch off at night, clouds, and somebody's shadow."""
    hour, rng = t_s / 3600, np.random.default_rng(int(t_s // 40))
    x, y = np.meshgrid(np.linspace(-1, 1, SIZE[0], dtype=np.float32), np.linspace(-1, 1, SIZE[1], dtype=np.float32))
    sun = max(0.0, float(np.sin((hour - 6) / 12 * np.pi))) * (0.4 + 0.6 * rng.random())
    lamps = 0.01 if 2 <= hour < 9 else 0.55 + 0.35 * float(rng.random())
    light = lamps + 0.6 * sun * np.exp(-((x - (hour - 12) / 8) ** 2 + (y + 0.7) ** 2) / 0.5)
    shadow = rng.uniform(-1, 1, 2)
    return light * (1 - 0.4 * np.exp(-((x - shadow[0]) ** 2 + (y - shadow[1]) ** 2) / 0.05))


@pytest.mark.parametrize(
    ("every_s", "count"), [(3600, 3), pytest.param(60, 3, marks=[pytest.mark.nightly, pytest.mark.timeout(3600)])]
)
def test_no_false_alarm_in_a_day_of_changing_light(clean, table_path, monkeypatch, every_s, count):
    """Looks in threes 5 s apart, as the watch takes the middle one of three."""
    times = [start + 5.0 * look for start in range(0, 24 * 3600, every_s) for look in range(count)]
    service = Service(table_path, lambda t_s: shot(clean, int(t_s), light=light_of_day(t_s)), 0)
    service._times = deque(sorted(set(times)))
    told = service.told(monkeypatch)
    assert notes(told) == []
    assert {message.trouble for _, message in told if isinstance(message, Vitals)} == {None}
    assert sum(isinstance(message, Places) for _, message in told) == len(set(times))
