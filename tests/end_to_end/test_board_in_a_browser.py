"""A real browser before the real program: the board lives, greys out, comes back, and fits its screens."""

import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hardware.virtual.match import MatchPlan, VirtualMatch
from scoring.table import Table

CHROMIUM = Path("/usr/bin/chromium")
REQUIRED = os.environ.get("CUEMARKER_REQUIRE_BROWSER") == "1"
QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
QUIET += ("--disable-component-update", "--disable-sync")
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

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists() and not REQUIRED, reason=f"there is no {CHROMIUM}"),
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (needed only where there is a browser)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    pages, complaints = [], []

    def open_page(url, size=TV, **options):
        page = browser.new_page(viewport=size, **options)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text)
                if said.type == "error" and "ERR_CONNECTION_REFUSED" not in said.text
                else None
            ),
        )
        page.goto(url)
        page.evaluate("window.hasNotBeenReloaded = true")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def cuemarker(port, *arguments):
    code = f"from server.cli import main; main({[str(argument) for argument in arguments]!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline_s = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert process.poll() is None, "the program has ended"
            assert time.monotonic() < deadline_s, "the program does not listen"
            time.sleep(0.05)
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(15)


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
def hall(tmp_path):
    port = free_port()
    (tmp_path / "play.jsonl").write_text("\n".join(map(json.dumps, PLAY)))
    path = tmp_path / "hall.toml"
    path.write_text(
        f'[server]\nport = {port}\n[[tables]]\nid = "one"\nname = "Table 1"\nsource = "events:play.jsonl"\n'
    )
    return port, ("serve", "--config", path)


def score(page, index=0):
    return page.locator(".player-score").nth(index)


def test_the_demo_keeps_the_score_of_a_virtual_match_on_a_page_that_is_never_reloaded(open_page):
    from playwright.sync_api import expect  # noqa: PLC0415

    port, (seed, points) = free_port(), first_stroke_that_scores()
    demo = ("demo", "--no-browser", "--port", port, "--strokes", 1, "--speed", 20, "--seed", seed)
    with cuemarker(port, *demo) as process:
        page = open_page(f"http://127.0.0.1:{port}/display/demo?lang=en")
        expect(page.locator("#marker")).to_have_text("virtual table", timeout=120_000)
        expect(score(page)).to_have_text("0", timeout=120_000)
        expect(page.locator("[data-ball]").first).to_be_attached(timeout=120_000)
        expect(score(page)).to_have_text(str(points), timeout=180_000)
        expect(page.locator(".ruling").first).to_contain_text("rule KZ-2")
        assert page.evaluate("window.hasNotBeenReloaded")
        assert process.wait(60) == 0


def test_the_board_greys_out_within_three_seconds_of_silence_and_comes_back_by_itself(open_page, hall):
    from playwright.sync_api import expect  # noqa: PLC0415

    port, command = hall
    with cuemarker(port, *command) as process:
        page = open_page(f"http://127.0.0.1:{port}/display/one?lang=en")
        expect(page.locator("body")).to_have_attribute("data-fresh", "yes", timeout=20_000)
        process.kill()
        killed_s = time.monotonic()
        expect(page.locator("body")).to_have_attribute("data-fresh", "no", timeout=3_500)
        assert time.monotonic() - killed_s < 3.2
        expect(page.locator("#status-text")).to_have_text("Connection lost, what you see is old")
        process.wait()
    with cuemarker(port, *command):
        expect(page.locator("body")).to_have_attribute("data-fresh", "yes", timeout=20_000)
        expect(score(page)).to_have_text("6", timeout=20_000)
        assert page.evaluate("window.hasNotBeenReloaded")


def test_the_board_fits_a_television_and_a_phone_in_every_language(open_page, hall):
    from playwright.sync_api import expect  # noqa: PLC0415

    port, command = hall
    with cuemarker(port, *command):
        for language, size in itertools.product(("ru", "en", "fi"), (TV, PHONE)):
            page = open_page(f"http://127.0.0.1:{port}/display/one?lang={language}", size, reduced_motion="reduce")
            expect(score(page)).to_have_text("6", timeout=30_000)
            inside = "document.documentElement.scrollWidth <= innerWidth"
            if size is TV:
                inside += " && document.documentElement.scrollHeight <= innerHeight"
            assert page.evaluate(inside)
            for name in (".player-name span", ".headline", ".ruling-head"):
                box = page.locator(name).first.bounding_box()
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= size["width"]
