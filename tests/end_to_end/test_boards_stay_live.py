"""Boards left open: eight in one browser beside a preview, a server that is killed, eyes that fall silent."""

import contextlib
import json
import os
import signal
import time
import urllib.request
from pathlib import Path

import pytest

LAYOUT = {"white-1": [600, 200], "red-1": [887.5, 0], "red-2": [2662.5, 0], "yellow": [1775, 0]}
PLAY = [
    {"t": 0.0, "type": "rest", "balls": LAYOUT},
    {"t": 0.1, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]},
]
SMALL = {"width": 480, "height": 270}
FRESH, OLD = "[data-fresh=yes]", "[data-fresh=no]"

pytestmark = pytest.mark.browser


@pytest.fixture
def hall(tmp_path, free_port):
    (tmp_path / "play.jsonl").write_text("\n".join(map(json.dumps, PLAY)))
    tables = "".join(
        f'[[tables]]\nid = "t{number}"\nname = "Table {number}"\nsource = "events:play.jsonl"\n' for number in (1, 2)
    )
    (tmp_path / "hall.toml").write_text(f"[server]\nport = {free_port}\n{tables}")
    return free_port, ("serve", "--config", tmp_path / "hall.toml")


def play_by_hand(port, table, **stroke):
    body = json.dumps({"hit": ["yellow"], "potted": [{"ball": "yellow", "pocket": "RL"}], **stroke}).encode()
    address = f"http://127.0.0.1:{port}/api/tables/{table}/by-hand"
    urllib.request.urlopen(urllib.request.Request(address, body, {"Content-Type": "application/json"}))


def eyes_of(process):
    """The processes that look at tables."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            if parent == process.pid and b"spawn_main" in (path.parent / "cmdline").read_bytes():
                found.append(int(path.parent.name))
    return found


def test_eight_boards_a_panel_and_the_hall_in_one_browser_are_all_live(open_page, hall, cuemarker, until):
    port, command = hall
    with cuemarker(port, *command):
        pages = [open_page(f"http://127.0.0.1:{port}/display/t{1 + i % 2}?lang=en", SMALL) for i in range(8)]
        pages += [open_page(f"http://127.0.0.1:{port}/table/t1?lang=en", SMALL)]
        preview = open_page(f"http://127.0.0.1:{port}/hall?lang=en", SMALL)
        for page in pages:
            page.locator(FRESH).wait_for(timeout=30_000)
            page.get_by_text("Anna").first.wait_for(timeout=10_000)
        for table in ("t1", "t2"):
            play_by_hand(port, table)
        told_s = time.monotonic()
        for page in pages:
            until(page, "document.querySelector('.player-score, .score-points')?.textContent === '6'", 5.0)
        assert time.monotonic() - told_s < 5.0
        both = "[...document.querySelectorAll('.line b')].filter((one) => one.textContent === '6').length === 2"
        until(preview, both, 5.0)  # staff's page asks for news now and then
        assert [one.inner_text() for one in preview.locator(".line b").all()] == ["6", "0", "6", "0"]


def test_a_board_left_open_lives_through_killed_servers_and_silent_eyes(open_page, hall, cuemarker):
    port, command = hall
    with cuemarker(port, *command) as process:
        page = open_page(f"http://127.0.0.1:{port}/display/t1?lang=en", SMALL)
        page.locator(FRESH).wait_for(timeout=30_000)
        page.get_by_text("Anna").first.wait_for(timeout=10_000)  # the eyes look before the match is told
        play_by_hand(port, "t1")
        page.get_by_text("6", exact=True).first.wait_for()
        eyes = eyes_of(process)
        assert len(eyes) == 2
        for one in eyes:
            os.kill(one, signal.SIGSTOP)
        silent_s = time.monotonic()
        page.locator(OLD).wait_for(timeout=6_000)
        assert time.monotonic() - silent_s < 3.5
        for one in eyes:
            os.kill(one, signal.SIGCONT)
        page.locator(FRESH).wait_for(timeout=10_000)
        for one in eyes:
            os.kill(one, signal.SIGKILL)
        page.locator(OLD).wait_for(timeout=6_000)
        page.locator(FRESH).wait_for(timeout=30_000)
    for _ in range(2):
        page.locator(OLD).wait_for(timeout=6_000)
        with cuemarker(port, *command) as process:
            page.locator(FRESH).wait_for(timeout=30_000)
            assert page.locator(".player-score").first.inner_text() == "6"
            process.kill()
            process.wait()
    assert page.evaluate("window.hasNotBeenReloaded")
