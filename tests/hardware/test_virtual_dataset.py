"""Data sets for detectors: scenes apart, boxes around what can be seen, and only that."""

import dataclasses
import json

import cv2
import numpy as np
import pytest

from calibration.store import load_table_file
from hardware.errors import DeviceMisconfiguredError
from hardware.virtual.dataset import CLASSES, DatasetPlan, labels_of, split_of_scenes, write_dataset
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.picture import Renderer, make_look, make_view
from hardware.virtual.scene import BallPose, CueStick, Instant, Limb
from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.table import Table

TABLE = Table(length_mm=2840.0, width_mm=1420.0)
SIZE_PX = (640, 360)
PLAN = DatasetPlan(seed=5, scenes=3, pictures=4, games=("kaisa",), difficulties=(Difficulty.EASY,), size_px=(320, 180))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("set")
    write_dataset(PLAN, out)
    return out


@pytest.fixture(scope="module")
def renderer():
    look = dataclasses.replace(make_look(2, Difficulty.EASY), noise_sigma=0.0)
    return Renderer(TABLE, make_view(TABLE, 2, Difficulty.EASY, SIZE_PX), look)


def pose(ball, x_mm, y_mm):
    return BallPose(ball=ball, center_mm=(float(x_mm), float(y_mm), 34.0))


def arm_at(x_mm, y_mm):
    hand = Limb(
        start_mm=(x_mm, y_mm, 70.0), end_mm=(x_mm, y_mm, 70.0), start_radius_mm=42.0, end_radius_mm=42.0, part="hand"
    )
    arm = Limb(
        start_mm=(x_mm, y_mm + 50.0, 75.0),
        end_mm=(x_mm, 1300.0, 330.0),
        start_radius_mm=34.0,
        end_radius_mm=58.0,
        part="arm",
    )
    return (hand, arm)


@pytest.mark.parametrize("scenes", [3, 7, 40])
def test_every_split_has_scenes_and_every_scene_one_split(scenes):
    splits = split_of_scenes(dataclasses.replace(PLAN, scenes=scenes))
    assert len(splits) == scenes
    assert set(splits) == {"train", "val", "test"}
    assert splits == split_of_scenes(dataclasses.replace(PLAN, scenes=scenes))


def test_too_few_scenes_are_refused():
    with pytest.raises(DeviceMisconfiguredError, match="3 scenes or more"):
        dataclasses.replace(PLAN, scenes=2)


def test_no_scene_has_pictures_in_two_splits(folder):
    scenes = {split: {p.stem.rsplit("-", 1)[0] for p in (folder / "images" / split).iterdir()} for split in SPLITS}
    assert sum(map(len, scenes.values())) == 3
    assert len(set().union(*scenes.values())) == 3


SPLITS = ("train", "val", "test")


def test_each_picture_has_labels_in_yolos_format_and_truth_beside_it(folder):
    for split in SPLITS:
        pictures = sorted((folder / "images" / split).iterdir())
        truth = [json.loads(line) for line in (folder / "truth" / f"{split}.jsonl").read_text().splitlines()]
        assert [record["image"] for record in truth] == [path.name for path in pictures]
        for path, record in zip(pictures, truth, strict=True):
            assert cv2.imread(str(path)).shape == (180, 320, 3)
            rows = [line.split() for line in (folder / "labels" / split / f"{path.stem}.txt").read_text().splitlines()]
            for row in rows:
                assert CLASSES[int(row[0])]
                x, y, wide, high = (float(value) for value in row[1:])
                assert x - wide / 2 + 1e-6 >= 0
                assert x + wide / 2 <= 1 + 1e-6
                assert y - high / 2 + 1e-6 >= 0
                assert y + high / 2 <= 1 + 1e-6
            balls = sum(CLASSES[int(row[0])] in ("white", "red", "yellow") for row in rows)
            assert balls == sum(ball["visible"] >= 0.25 for ball in record["balls"].values())
            table_file = load_table_file(folder / "scenes" / f"scene-{record['scene']:04}.toml")
            for ball in record["balls"].values():
                at_px = table_file.camera.project([ball["at"]])[0]
                left, top, right, bottom = ball["box_px"]
                assert left < at_px[0] < right
                assert top < at_px[1] < bottom


def test_the_description_names_the_classes_in_order(folder):
    text = (folder / "data.yaml").read_text()
    assert all(f"  {index}: {name}\n" in text for index, name in enumerate(CLASSES))
    assert "test: images/test" in text


def test_a_free_balls_box_is_where_its_pixels_change(renderer):
    instant = Instant(balls=(pose(YELLOW, 1900, 300),))
    (sight,) = renderer.sights(instant, (instant,)).balls
    assert sight.visible == 1.0
    changed = renderer.still(instant).astype(int) - renderer.still(Instant(balls=()))
    rows, columns = np.nonzero(changed[..., 2] > 25)  # yellow on green, blue: red tells
    left, top, right, bottom = sight.box_px
    assert (columns.min(), rows.min(), columns.max(), rows.max()) == pytest.approx((left, top, right, bottom), abs=1.6)


def test_a_ball_under_an_arm_is_hidden_as_far_as_the_picture_hides_it(renderer):
    balls = (pose(RED_1, 1500, 200), pose(WHITE_1, 2200, -300))
    instant = Instant(balls=balls, limbs=arm_at(1500.0, 150.0))
    shares = {sight.ball: sight.visible for sight in renderer.sights(instant, (instant,)).balls}
    assert shares[RED_1] < 0.25
    assert shares[WHITE_1] == 1.0
    words = [word for word, *_ in labels_of(renderer.sights(instant, (instant,)), SIZE_PX)]
    assert words.count("red") == 0
    assert {"white", "hand", "arm"} <= set(words)


def test_a_half_hidden_ball_is_labelled_with_all_of_its_outline(renderer):
    free = Instant(balls=(pose(RED_1, 1500, 200),))
    half = dataclasses.replace(free, limbs=arm_at(1545.0, 150.0))
    (whole,), (partly,) = (renderer.sights(each, (each,)).balls for each in (free, half))
    assert 0.25 < partly.visible < 0.9
    assert partly.box_px == whole.box_px


def test_one_ball_hides_another_only_where_it_stands_before_it():
    camera = make_view(TABLE, 1, Difficulty.HARD, SIZE_PX, place_mm=(1420.0, -2600.0, 2600.0))
    renderer = Renderer(TABLE, camera, make_look(1, Difficulty.HARD))
    instant = Instant(balls=(pose(RED_1, 1420, 0), pose(WHITE_1, 1420, -69)))
    shares = {sight.ball: sight.visible for sight in renderer.sights(instant, (instant,)).balls}
    assert shares[WHITE_1] == 1.0
    assert 0.5 < shares[RED_1] < 0.97


def test_a_cue_over_a_pocket_hides_a_part_of_it_and_has_a_box(renderer):
    cue = CueStick(tip_mm=(60.0, -660.0, 60.0), butt_mm=(-1200.0, -1200.0, 300.0))
    instant = Instant(balls=(), cues=(cue,))
    seen = renderer.sights(instant, (instant,))
    pockets = {sight.pocket: sight.visible for sight in seen.pockets}
    assert pockets["FR"] < 0.97 < pockets["RL"]
    assert [sight.what for sight in seen.things] == ["cue"]
