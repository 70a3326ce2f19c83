"""The calibration wizard in a real browser against a virtual camera: a wrong guess dragged right, tested, saved."""

import re

import numpy as np
import pytest
from argon2 import PasswordHasher

from calibration.store import load_table_file

PHONE, TABLET = {"width": 390, "height": 844}, {"width": 1024, "height": 768}
PIN = "246810"
SLOW_MS = 150_000  # a measurement on a busy machine
SMALL_TARGETS = """() => [...document.querySelectorAll("button, summary, input, a.wide")]
  .filter((one) => one.getClientRects().length > 0 && one.getBoundingClientRect().height < 44)
  .map((one) => one.outerHTML)"""
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"

pytestmark = pytest.mark.browser


def hall_file(folder, port, source):
    pin = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PIN)
    path = folder / "hall.toml"
    path.write_text(
        f'[server]\nport = {port}\n[access]\nplayers = "code"\nstaff_pin_hash = "{pin}"\n'
        f'[[tables]]\nid = "one"\nname = "Table 1"\nsource = "{source}"\ntable_file = "one.toml"\n'
    )
    return path


@pytest.fixture
def hall(eye, tmp_path, free_port, cuemarker):
    with cuemarker(free_port, "serve", "--config", hall_file(tmp_path, free_port, eye.address)):
        yield f"http://127.0.0.1:{free_port}"


def drag_corners(page, eye):
    """Drag the four rings to where the noses meet, a few px beside, as fingers do."""
    width, height = eye.camera.size_px
    off_px = np.array([[6, -5], [-7, 4], [5, 5], [-4, -6]])
    for index, (x, y) in enumerate(eye.corners_px() + off_px):
        ring = page.locator(".handle").nth(index).bounding_box()
        box = page.locator("#picture").bounding_box()
        page.mouse.move(ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + x * box["width"] / width, box["y"] + y * box["height"] / height, steps=3)
        assert page.locator(".glass").is_visible()
        page.mouse.up()


def fits(page):
    assert page.evaluate(SMALL_TARGETS) == []
    assert not page.evaluate(TOO_WIDE)


@pytest.fixture
def misled(eye):
    """False noses from the first picture on: a measurement takes in what the camera saw just before."""
    eye.show(has_false_noses=True)


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("misled")
def test_a_wrong_guess_is_dragged_right_tested_with_a_ball_and_saved(open_page, hall, eye, tmp_path):
    from playwright.sync_api import expect  # noqa: PLC0415

    page = open_page(f"{hall}/calibrate/one?lang=en", PHONE, has_touch=True, locale="en-GB")
    page.get_by_label("PIN").fill(PIN)
    page.get_by_text("Log in").tap()
    step, main = page.locator("#step"), page.locator("#step .wide.main")
    expect(step.get_by_role("radio", name="10 ft")).to_have_attribute("aria-checked", "true", timeout=SLOW_MS)
    expect(page.locator("#status-text")).to_have_text("Live picture", timeout=SLOW_MS)
    fits(page)
    main.tap()

    expect(step.locator(".light.refuse h2")).to_have_text("Not good enough to score with", timeout=SLOW_MS)
    fits(page)
    step.get_by_role("button", name="Drag the corners").tap()
    drag_corners(page, eye)
    fits(page)
    main.tap()
    expect(step.locator(".light.pass h2")).to_contain_text("Good: a ball is known to", timeout=SLOW_MS)
    assert not (tmp_path / "one.toml").exists()
    page.set_viewport_size(TABLET)
    fits(page)
    main.click()

    expect(step.locator(".swatches li")).to_have_text(["white", "red", "yellow"])
    main.click()
    white = next(iter(eye.spread))
    eye.show(eye.spread | {white: (2130.0, 0.0)}, has_false_noses=True)
    step.get_by_role("radio", name="third spot").click()
    expect(page.locator(".drawing .target")).to_be_attached()
    page.wait_for_timeout(4000)  # the picture is on its way
    main.click()
    expect(step.locator(".light")).to_have_text(re.compile(r"Third spot: seen [0-2]\.\d mm"), timeout=SLOW_MS)
    fits(page)
    main.click()
    main.click()
    expect(step.locator(".light h2")).to_have_text("Saved. The table is watched with it now.", timeout=SLOW_MS)
    fits(page)
    kept = load_table_file(tmp_path / "one.toml")
    assert np.abs(kept.camera.project(eye.noses_mm) - eye.corners_px()).max() < 1.0
    assert kept.source == eye.address
    assert set(kept.ball_set.colours) == {"white", "red", "yellow"}

    expect(step.get_by_role("link", name="To the hall")).to_be_visible()


def test_strangers_see_neither_the_picture_nor_the_wizard(open_page, tmp_path, free_port, cuemarker):
    address = f"http://127.0.0.1:{free_port}"
    with cuemarker(free_port, "serve", "--config", hall_file(tmp_path, free_port, "http://127.0.0.1:9/no-camera")):
        page = open_page(f"{address}/calibrate/one?lang=fi", PHONE)
        page.locator(".login").wait_for()
        assert page.locator("#main").is_hidden()
        for path in ("", "/still.jpg"):
            assert page.request.get(f"{address}/api/tables/one/calibration{path}").status == 403
        assert page.request.post(f"{address}/api/tables/one/calibration/save").status == 403
