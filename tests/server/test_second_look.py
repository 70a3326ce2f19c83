"""A second look at a clip: the same stroke by the same clock and the same names, whatever the size of the clip."""

import time

import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.table_file import TableFile
from hardware.camera import open_camera
from scoring.events import Contact, CushionHit, Rest, Strike
from scoring.shots import Shot
from scoring.table import Table
from server.clips import Clip, ClipStore, Examination, clip_name
from server.config import EvidenceConfig, TableConfig
from server.errors import ServerError
from server.messages import Seen
from server.second_look import SecondReading, _scaled
from server.strokes import Stroke, StrokeGrouper
from server.table_process import TableTask
from server.watching import watch


def test_a_smaller_clip_is_looked_at_with_a_smaller_camera():
    camera = CameraModel(
        size_px=(1280, 720),
        matrix=np.array([[900.0, 0.0, 640.0], [0.0, 900.0, 360.0], [0.0, 0.0, 1.0]]),
        distortion=np.zeros(5),
        rotation=np.array([np.pi, 0.0, 0.0]),
        translation=np.array([-1400.0, 0.0, 3000.0]),
    )
    whole = TableFile(name="one", table=Table(), camera=camera)
    small = _scaled(whole, (640, 360)).camera
    points = [[0.0, 300.0, 0.0], [2800.0, -700.0, 34.0]]
    # pixel centres: the left half of pixel 0 and the right half of pixel 1 become pixel 0
    assert small.project(points) == pytest.approx((camera.project(points) + 0.5) / 2 - 0.5, abs=1e-6)
    assert small.size_px == (640, 360)


def test_a_clip_of_a_table_that_has_no_geometry_is_refused_in_one_line(tmp_path):
    from hardware.footage import PictureCoder, write_footage  # noqa: PLC0415
    from hardware.frame import Frame  # noqa: PLC0415

    coder = PictureCoder((160, 120), 25.0, 720)
    for index in range(10):
        coder.add(Frame(t_ns=index * 40_000_000, index=index, pixels=np.zeros((120, 160, 3), np.uint8)))
    path = tmp_path / clip_name(at_ns=1, strike_ms=100, lead_ms=100)
    write_footage(path, coder.ring.cut(0, 10**10))
    clip = Clip(path=path, at_ns=1, strike_ms=100, lead_ms=100)
    config = TableConfig(id="one", name="One", source="events:none")
    with pytest.raises(ServerError, match="no table file"):
        SecondReading(Examination(clip=clip, config=config, game="kaisa", shot=Shot()))


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_a_second_look_at_a_virtual_stroke_sees_what_the_first_one_saw(tmp_path):
    config = TableConfig(id="one", name="One", source="virtual:kaisa?seed=3")
    evidence = EvidenceConfig(folder=tmp_path, spare_mb=0, height=540)
    grouper, stroke = StrokeGrouper(), None
    told_all = watch(TableTask(config=config, evidence=evidence, speed=20.0))
    for message in told_all:
        if stroke is not None:
            told_all.close()  # the clip is written then
            break
        for event in message.events if isinstance(message, Seen) else ():
            stroke = stroke or (found if isinstance(found := grouper.take(event), Stroke) else None)
    store = ClipStore(folder=tmp_path, limit_mb=1000, spare_mb=0)
    clip = store.find("one", stroke.events[0].t_s, time.time_ns())
    with open_camera(str(clip.path)) as video:
        assert video.size_px == (960, 540)
    first = Shot(before=stroke.before, events=stroke.events)
    look = SecondReading(Examination(clip=clip, config=config, game="kaisa", shot=first))
    second = look.shot()
    assert told(second.events) == told(first.events)
    assert second.events[0].t_s == pytest.approx(first.events[0].t_s, abs=0.05)
    rests = [next(event for event in shot.events if isinstance(event, Rest)).balls for shot in (first, second)]
    assert rests[0].keys() == rests[1].keys()
    assert max(at.distance_mm(rests[1][ball]) for ball, at in rests[0].items()) < 15.0
    look.draw()
    assert clip.drawn.is_file()


def told(events):
    """What the score may hang on: who was struck, who met whom, and the cue ball's cushions left out of doubt."""
    sure = [event for event in events if event.confidence > 0.8]
    return [
        (type(event).__name__, str(event.ball), str(getattr(event, "other", "")))
        for event in sure
        if isinstance(event, Strike | Contact) and not isinstance(event, CushionHit)
    ]
