"""A real browser before the real program: the board lives, greys out, comes back, and fits its screens."""

import itertools
import json
import time

import pytest

from hardware.virtual.match import MatchPlan, VirtualMatch
from scoring.table import Table

TV, PHONE = {"width": 1920, "height": 1080}, {"width": 390, "height": 844}
LAYOUT = {"white-1": [600, 200], "red-1": [887.5, 0], "red-2": [2662.5, 0], "yellow": [1775, 0]}
PLAY = [
    {"t": 0.0, "type": "rest", "balls": LAYOUT},
    {"t": 0.1, "type": "match", "game": "kaisa", "players": ["Anna Karlsson-Petrova", "Boris"]},
    {"t": 0.3, "type": "call", "call": {"ball": "yellow", "pocket": "RL", "bank": False}},
    {"t": 3.0, "type": "strike", "ball": "white-1"},
    {"t": 3.2, "type": "contact", "ball": "white-1", "other": "yellow"},
    {"t": 3.4, "type": "pocket", "ball": "yellow", "pocket": "RL"},
    {"t": 3.6, "type": "rest", "balls": {name: at for name, at in LAYOUT.items() if name != "yellow"}},
]

pytestmark = pytest.mark.browser


def first_stroke_that_scores():
    """A virtual match that begins with points, and how many."""
    table = Table(length_mm=2840.0, width_mm=1420.0)
    for seed in range(1, 50):
        match = VirtualMatch(MatchPlan(game="kaisa", seed=seed, table=table, players=("Anna", "Boris")))
        match.play()
        if match.referee.scores["Anna"] > 0:
            return seed, match.referee.scores["Anna"]
    pytest.fail("no virtual match begins with points")


@pytest.fixture
def hall(tmp_path, free_port):
    port = free_port
    (tmp_path / "play.jsonl").write_text("\n".join(map(json.dumps, PLAY)))
    path = tmp_path / "hall.toml"
    path.write_text(
        f'[server]\nport = {port}\n[[tables]]\nid = "one"\nname = "Table 1"\nsource = "events:play.jsonl"\n'
    )
    return port, ("serve", "--config", path)


def score(page, index=0):
    return page.locator(".player-score").nth(index)


def test_the_demo_keeps_the_score_of_a_virtual_match_on_a_page_that_is_never_reloaded(open_page, free_port, cuemarker):
    from playwright.sync_api import expect  # noqa: PLC0415

    port, (seed, points) = free_port, first_stroke_that_scores()
    demo = ("demo", "--no-browser", "--port", port, "--strokes", 1, "--speed", 5, "--seed", seed)
    open_page("about:blank")  # a browser that starts only now may come when the stroke is over
    with cuemarker(port, *demo) as process:
        page = open_page(f"http://127.0.0.1:{port}/display/demo?lang=en")
        expect(page.locator("#marker")).to_have_text("virtual table", timeout=120_000)
        expect(score(page)).to_have_text("0", timeout=120_000)
        expect(page.locator("[data-ball]").first).to_be_attached(timeout=120_000)
        expect(score(page)).to_have_text(str(points), timeout=180_000)
        expect(page.locator(".ruling").first).to_contain_text("rule KZ-2")
        assert page.evaluate("window.hasNotBeenReloaded")
        assert process.wait(60) == 0


def test_the_board_greys_out_within_three_seconds_of_silence_and_comes_back_by_itself(open_page, hall, cuemarker):
    from playwright.sync_api import expect  # noqa: PLC0415

    port, command = hall
    with cuemarker(port, *command) as process:
        page = open_page(f"http://127.0.0.1:{port}/display/one?lang=en")
        expect(page.locator("body")).to_have_attribute("data-fresh", "yes")
        process.kill()
        killed_s = time.monotonic()
        expect(page.locator("body")).to_have_attribute("data-fresh", "no", timeout=3_500)
        assert time.monotonic() - killed_s < 3.2
        expect(page.locator("#status-text")).to_have_text("Connection lost, what you see is old")
        process.wait()
    with cuemarker(port, *command):
        expect(page.locator("body")).to_have_attribute("data-fresh", "yes")
        expect(score(page)).to_have_text("6")
        assert page.evaluate("window.hasNotBeenReloaded")


def test_the_board_fits_a_television_and_a_phone_in_every_language(open_page, hall, cuemarker):
    from playwright.sync_api import expect  # noqa: PLC0415

    port, command = hall
    with cuemarker(port, *command):
        for language, size in itertools.product(("ru", "en", "fi"), (TV, PHONE)):
            page = open_page(f"http://127.0.0.1:{port}/display/one?lang={language}", size, reduced_motion="reduce")
            expect(score(page)).to_have_text("6")
            inside = "document.documentElement.scrollWidth <= innerWidth"
            if size is TV:
                inside += " && document.documentElement.scrollHeight <= innerHeight"
            assert page.evaluate(inside)
            for name in (".player-name span", ".headline", ".ruling-head"):
                box = page.locator(name).first.bounding_box()
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= size["width"]
