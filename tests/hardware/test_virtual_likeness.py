"""The measures of likeness know what they measure: drawn discs with known edges, noise, highlights and shadows."""

import cv2
import numpy as np
import pytest

from hardware.virtual.likeness import Disc, measured, real_samples
from hardware.virtual.likeness.__main__ import as_table, main

DISC = Disc(x_px=150.0, y_px=120.0, radius_px=14.0)


def drawn(*, edge_px=1.0, noise=0.0, shadow=0.0, highlight_px=0.0):
    """A red disc on green: a straight edge of a known width, a shadow on its right, a highlight in its middle."""
    rows, columns = np.indices((240, 300), dtype=np.float64)
    apart = np.hypot(columns - DISC.x_px, rows - DISC.y_px)
    picture = np.full((240, 300, 3), (40.0, 140.0, 50.0))
    right = (columns > DISC.x_px) & (apart < 1.6 * DISC.radius_px)
    picture[right] *= 1 - shadow
    cover = np.clip((DISC.radius_px - apart) / edge_px + 0.5, 0, 1)[..., None]
    picture = picture * (1 - cover) + cover * np.array((30, 30, 190))
    picture[apart < highlight_px] = 255
    picture += np.random.default_rng(1).normal(0, noise, picture.shape[:2])[..., None]
    return np.clip(np.round(picture), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("edge_px", [2.0, 4.0, 6.0])
def test_an_edge_is_as_wide_as_it_is_drawn(edge_px):
    assert measured(drawn(edge_px=edge_px), [DISC])["edge_px"] == pytest.approx(0.8 * edge_px, abs=0.5)


def test_contrast_is_the_distance_of_the_colours():
    assert measured(drawn(), [DISC])["contrast"] == pytest.approx(np.linalg.norm((10, 110, 140)), abs=2)


@pytest.mark.parametrize("noise", [2.0, 6.0])
def test_noise_is_as_strong_as_it_is_drawn_and_white_noise_is_mostly_fine(noise):
    values = measured(drawn(noise=noise), [DISC])
    assert values["noise"] == pytest.approx(noise, rel=0.15)
    assert values["noise_fine"] == pytest.approx(0.8, abs=0.08)
    soft = measured(cv2.GaussianBlur(drawn(noise=4 * noise), (0, 0), 2.0), [DISC])
    assert soft["noise_fine"] < 0.3


def test_a_highlight_is_as_large_as_it_is_drawn():
    share = (4.0 / (0.85 * DISC.radius_px)) ** 2
    assert measured(drawn(highlight_px=4.0), [DISC])["highlight"] == pytest.approx(share, rel=0.2)
    assert measured(drawn(), [DISC])["highlight"] == 0.0


def test_a_shadow_is_as_deep_as_it_is_drawn():
    assert measured(drawn(shadow=0.3), [DISC])["shadow"] == pytest.approx(0.3, abs=0.03)


def test_balls_that_touch_others_or_the_border_are_left_out():
    near = Disc(x_px=DISC.x_px + 30, y_px=DISC.y_px, radius_px=14.0)
    assert "edge_px" not in measured(drawn(), [DISC, near])
    assert "edge_px" not in measured(drawn(), [Disc(x_px=10.0, y_px=10.0, radius_px=14.0)])


def test_labelled_pictures_are_found_in_a_folder(tmp_path):
    cv2.imwrite(str(tmp_path / "one.first.png"), drawn())
    (tmp_path / "one.first_bbox.txt").write_text("136 106 28 28 1\n")
    cv2.imwrite(str(tmp_path / "two.jpg"), drawn())
    (tmp_path / "two.txt").write_text("0 0.5 0.5 0.1 0.125\n")
    cv2.imwrite(str(tmp_path / "three.jpg"), drawn())
    samples = {sample.name: sample.discs for sample in real_samples(tmp_path)}
    assert samples["one.first"] == (Disc(x_px=149.5, y_px=119.5, radius_px=14.0),)
    assert samples["two"] == (Disc(x_px=149.5, y_px=119.5, radius_px=15.0),)
    assert set(samples) == {"one.first", "two"}


def test_the_table_gives_median_and_spread_and_says_what_was_not_measured():
    values = {"a": {"edge_px": 2.0}, "b": {"edge_px": 3.0}, "c": {"edge_px": 4.0}}
    table = as_table(values, {"real": ["a", "b", "c"]})
    assert "| measure | real (3) |" in table
    assert "3 (2.2 to 3.8)" in table
    assert "| noise on the cloth, 8-bit standard deviation | - |" in table


def test_a_folder_without_labelled_pictures_is_refused(tmp_path, capsys):
    assert main([]) == 2
    assert main([str(tmp_path), str(tmp_path / "out")]) == 1
    assert "holds no labelled pictures" in capsys.readouterr().err
