"""The players' panel and the staff's page in a real browser: from the QR code to the result."""

import json

import cv2
import numpy as np
import pytest
from argon2 import PasswordHasher

PHONE, TABLET = {"width": 390, "height": 844}, {"width": 1024, "height": 768}
PIN = "246810"
EVIL = "<img src=x onerror=alert(1)>"
LAYOUT = {"white-1": [600, 200], "red-1": [887.5, 0], "red-2": [2662.5, 0], "yellow": [1775, 0]}
PLAY = [
    {"t": 0.0, "type": "rest", "balls": LAYOUT},
    {"t": 0.1, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]},
    {"t": 0.2, "type": "strike", "ball": "white-1"},
    {"t": 0.3, "type": "contact", "ball": "white-1", "other": "yellow", "at": [1745, 4]},
    {"t": 0.4, "type": "pocket", "ball": "yellow", "pocket": "RL"},
    {"t": 0.6, "type": "rest", "balls": {name: at for name, at in LAYOUT.items() if name != "yellow"}},
]
SMALL_TARGETS = """() => [...document.querySelectorAll("button, summary, input, a.tool, a.wide")]
  .filter((one) => one.getClientRects().length > 0)
  .map((one) => [one.textContent.trim() || one.getAttribute("aria-label"), one.getBoundingClientRect()])
  .filter(([, box]) => box.height < 44 || box.width < 44).map(([said, box]) => `${said} ${box.width}x${box.height}`)"""
NAMELESS = """() => [...document.querySelectorAll("button, a, img, input, dialog[open], [role=img], svg[role]")]
  .filter((one) => one.getClientRects().length > 0 && !(one.textContent.trim() || one.getAttribute("aria-label")
    || one.getAttribute("alt") || one.getAttribute("aria-labelledby") || one.labels?.length))
  .map((one) => one.outerHTML)"""
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"

pytestmark = pytest.mark.browser


@pytest.fixture
def hall(tmp_path, free_port, cuemarker):
    (tmp_path / "play.jsonl").write_text("\n".join(map(json.dumps, PLAY)))
    pin = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PIN)
    path = tmp_path / "hall.toml"
    path.write_text(
        f'[server]\nport = {free_port}\n[access]\nplayers = "code"\nstaff_pin_hash = "{pin}"\n'
        '[[tables]]\nid = "one"\nname = "Table 1"\nsource = "events:play.jsonl"\n'
    )
    with cuemarker(free_port, "serve", "--config", path) as process:
        yield f"http://127.0.0.1:{free_port}", process


def scanned(code, until):
    """What a phone reads from a QR code on the page, held nearer until it can be read."""
    until(code.page, "document.querySelector('#join').naturalWidth > 0")
    picture = cv2.imdecode(np.frombuffer(code.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    for scale in (3, 2, 4, 5, 1):
        nearer = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_NEAREST)
        if link := cv2.QRCodeDetector().detectAndDecode(nearer)[0]:
            return link
    return None


def fits(page):
    assert page.evaluate(SMALL_TARGETS) == []
    assert page.evaluate(NAMELESS) == []
    assert not page.evaluate(TOO_WIDE)


def test_a_whole_match_on_a_phone_from_the_qr_code_to_the_result_and_beyond(open_page, hall, until):
    from playwright.sync_api import expect  # noqa: PLC0415

    address, process = hall
    board = open_page(f"{address}/display/one?lang=en")
    link = scanned(board.locator("#join"), until)
    assert link.startswith(f"{address}/join/one/")

    stranger = open_page(f"{address}/table/one?lang=en", PHONE, has_touch=True)
    expect(stranger.locator(".join h2")).to_have_text("Join this table")
    expect(stranger.locator("#undo")).to_be_disabled()
    fits(stranger)

    page = open_page(link, PHONE, has_touch=True, locale="en-GB")
    points = page.locator(".score-points")
    expect(page.locator(".question .diagram")).to_be_visible()
    fits(page)
    page.locator(".question .wide.main").tap()  # the most probable answer: called as it fell
    expect(points.first).to_have_text("6")

    page.locator(".stroke").first.tap()
    expect(page.locator("#sheet .diagram")).to_be_visible()
    fits(page)
    page.locator("#sheet").get_by_text("Yellow: did not fall").tap()
    expect(points.first).to_have_text("0")
    page.locator("#undo").tap()
    expect(points.first).to_have_text("6")

    page.get_by_label("yellow", exact=True).tap()
    page.get_by_role("button", name="front left pocket").tap()
    expect(page.locator(".said")).to_have_text("Called: yellow, front left pocket")
    fits(page)
    page.locator("#by-hand").tap()
    fits(page)
    page.locator("#sheet .balls").nth(1).get_by_label("yellow").tap()
    page.locator("#sheet .pocket-button").first.tap()
    page.get_by_text("Enter the stroke").tap()
    expect(points.first).to_have_text("12")
    expect(board.locator(".player-score").first).to_have_text("12")

    page.locator("#referee").tap()
    fits(page)
    page.get_by_label("Close").tap()
    page.locator("#more").tap()
    page.get_by_text("Boris concedes").tap()
    page.get_by_text("tap again").tap()
    expect(page.locator(".over h2")).to_have_text("Anna wins")
    fits(page)
    page.locator("#undo").tap()
    expect(page.locator(".call")).to_be_visible()
    page.locator("#redo").tap()
    page.get_by_text("New match").tap()
    page.get_by_label("Player 1").fill(EVIL)
    page.get_by_role("radio", name="Side 1").tap()
    fits(page)
    page.get_by_text("Start the match").tap()
    expect(page.locator(".score-name").first).to_have_text(EVIL)
    expect(board.locator(".player-name").first).to_have_text(EVIL)
    assert page.locator("main img[src=x]").count() == 0

    process.kill()
    expect(page.locator("body")).to_have_attribute("data-fresh", "no", timeout=3_500)
    expect(page.locator("#undo")).to_be_disabled()


def test_staff_sees_every_table_and_puts_right_what_is_wrong(open_page, hall):
    from playwright.sync_api import expect  # noqa: PLC0415

    address, process = hall
    page = open_page(f"{address}/hall?lang=en", TABLET)
    page.get_by_label("PIN").fill(PIN)
    page.get_by_text("Log in").click()
    expect(page.locator(".asked p")).to_contain_text("called")
    expect(page.locator("#status-text")).to_have_text("Tables that need help: 1")
    fits(page)
    page.locator(".asked .wide").first.click()
    expect(page.locator(".line b").first).to_have_text("6")
    page.get_by_text("Undo").click()
    expect(page.locator(".asked")).to_be_visible()
    page.get_by_text("Journal").click()
    expect(page.locator(".log .taken-back")).to_contain_text("an answer")
    fits(page)
    page.get_by_label("Close").click()
    page.get_by_text("Join code").click()
    expect(page.locator(".code-shown")).to_have_text(page.locator(".code-shown").inner_text())
    before = page.locator(".code-shown").inner_text()
    page.get_by_text("New code").click()
    expect(page.locator(".code-shown")).not_to_have_text(before)
    page.get_by_label("Close").click()
    page.get_by_text("Matches").click()
    expect(page.locator(".log tbody")).to_contain_text("Anna")
    fits(page)
    process.kill()
    expect(page.locator("body")).to_have_attribute("data-fresh", "no", timeout=6_000)
