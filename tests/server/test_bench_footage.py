"""Real recordings against their truth files: reading them, and judging events in the picture's own terms."""

import json

import numpy as np
import pytest

from calibration.camera import CameraModel
from calibration.mapping import PlaneMap
from calibration.table_file import BallSet, TableFile
from scoring.balls import Ball
from scoring.events import Contact, CushionHit, Strike
from scoring.table import Cushion, Point, Table
from server.analysis import Analysis
from server.bench.footage import footage_in
from server.bench.footage_check import Checker
from server.errors import ServerError
from vision.overlay import Spot

FPS = 30.0
TABLE = Table(length_mm=2840, width_mm=1420, ball_mm=61.5, pockets=None)
WHITE, RED = Ball("white"), Ball("red")
PLACES = {WHITE: Point(700, 200), RED: Point(2000, -300)}


@pytest.fixture
def table_file():
    """A camera 3 m straight above the middle; the house lies left in the picture."""
    camera = CameraModel(
        size_px=(1280, 720),
        matrix=np.array([[1200.0, 0, 640], [0, 1200, 360], [0, 0, 1]]),
        distortion=np.zeros(5),
        rotation=np.array([np.pi, 0.0, 0.0]),
        translation=np.array([-1420.0, 0.0, 3000.0]),
    )
    balls = BallSet(balls=(WHITE, Ball("yellow"), RED))
    return TableFile(name="t", table=TABLE, camera=camera, fps=FPS, ball_set=balls)


@pytest.fixture
def folder(tmp_path, table_file):
    """A truth file as a person would have made it, and an empty video."""
    plane = PlaneMap(table_file.camera, TABLE.ball_radius_mm)
    noses = PlaneMap(table_file.camera, TABLE.nose_height_mm)
    half, length = TABLE.width_mm / 2, TABLE.length_mm
    corners = noses.to_px([(0, half), (length, half), (length, -half), (0, -half)])
    balls = [{"color": ball.colour, "px": list(plane.to_px([(at.x_mm, at.y_mm)])[0])} for ball, at in PLACES.items()]
    truth = {
        "schema": "billiards-truth/1",
        "fps_header": FPS,
        "game": "three-cushion carom",
        "table": {"corners_nose": dict(zip(("TL", "TR", "BR", "BL"), corners.tolist(), strict=True))},
        "balls_start": {"frame": 0, "count": 2, "balls": balls},
        "shots": [
            {
                "strike": {"frame": 30, "tol": 1},
                "cue_ball": "white",
                "contacts": [{"frame": 60, "tol": 1, "a": "white", "b": "red"}],
                "cushions": [
                    {"frame": 90, "tol": 1, "ball": "white", "cushion": "top"},
                    {"frame": 99, "tol": 1, "ball": "white", "cushion": "left", "uncertain": True},
                ],
                "pots": [],
                "near_misses": ["white passes red at frame 120: very close"],
            }
        ],
    }
    (tmp_path / "clip.truth.json").write_text(json.dumps(truth))
    (tmp_path / "clip.mp4").touch()
    return tmp_path


def analysis(*events, names=None):
    """What was seen: resting balls, under other names if given, and events at frames."""
    names = names or {}
    spots = tuple(
        Spot(t_s=frame / FPS, ball=names.get(ball, ball), place=at, visible=True)
        for frame in range(3)
        for ball, at in PLACES.items()
    )
    return Analysis(events=events, spots=spots, frames=3, seconds=3 / FPS)


def checked(folder, table_file, seen):
    (footage,) = footage_in(folder)
    check = Checker(footage, table_file, seen).check()
    return check, {kind.kind: kind for kind in check.kinds}


def test_all_that_was_seen_in_time_is_found(folder, table_file):
    seen = analysis(
        Strike(t_s=29.6 / FPS, ball=WHITE),
        Contact(t_s=59.4 / FPS, ball=RED, other=WHITE),
        CushionHit(t_s=91 / FPS, ball=WHITE, cushion=Cushion.LEFT),
    )
    check, kinds = checked(folder, table_file, seen)
    assert [(kind.kind, kind.found, kind.sure, kind.unseen) for kind in check.kinds] == [
        ("strike", 1, 1, ()),
        ("contact", 1, 1, ()),
        ("cushion", 1, 1, ()),
        ("pot", 0, 0, ()),
    ]
    assert max(check.corner_errors_px.values()) < 1e-6
    assert kinds["cushion"].missed == ()
    assert (check.near_misses, check.near_misses_told_as_contacts) == (1, 0)


def test_what_comes_late_or_at_another_cushion_is_missed_and_unseen(folder, table_file):
    seen = analysis(
        Contact(t_s=63 / FPS, ball=WHITE, other=RED), CushionHit(t_s=90 / FPS, ball=WHITE, cushion=Cushion.RIGHT)
    )
    _, kinds = checked(folder, table_file, seen)
    assert (kinds["contact"].found, len(kinds["contact"].missed), len(kinds["contact"].unseen)) == (0, 1, 1)
    assert kinds["cushion"].unseen[0].where == "bottom"


def test_an_unsure_event_is_neither_missed_nor_unseen(folder, table_file):
    _, kinds = checked(folder, table_file, analysis(CushionHit(t_s=99 / FPS, ball=WHITE, cushion=Cushion.FRONT)))
    assert kinds["cushion"].unseen == ()
    assert [one.frame for one in kinds["cushion"].missed] == [90]


def test_a_near_miss_that_is_told_as_a_contact_is_counted(folder, table_file):
    check, _ = checked(folder, table_file, analysis(Contact(t_s=121 / FPS, ball=WHITE, other=RED)))
    assert check.near_misses_told_as_contacts == 1


def test_a_ball_is_who_lies_there_whatever_it_is_called_and_a_wrong_name_is_counted(folder, table_file):
    unknown = Ball("ball-?1")
    seen = analysis(Strike(t_s=1.0, ball=unknown), names={WHITE: unknown})
    check, kinds = checked(folder, table_file, seen)
    assert kinds["strike"].found == 1
    assert (check.spreads[0].found, check.spreads[0].named) == (2, 1)


@pytest.mark.parametrize("text", ["{", '{"schema": "other"}', '{"schema": "billiards-truth/1"}', "[]"])
def test_a_broken_truth_file_is_named(folder, text):
    (folder / "clip.truth.json").write_text(text)
    with pytest.raises(ServerError, match=r"clip\.truth\.json"):
        footage_in(folder)


def test_a_folder_without_truth_files_says_what_is_missing(tmp_path):
    with pytest.raises(ServerError, match=r"NAME\.truth\.json"):
        footage_in(tmp_path)


def test_a_truth_file_without_its_video_says_so(folder):
    (folder / "clip.mp4").unlink()
    with pytest.raises(ServerError, match="no video clip"):
        footage_in(folder)
