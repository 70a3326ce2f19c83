"""Every page for everybody: no serious fault that axe-core finds, in every theme; options that are lists; evidence."""

import json
import time
import urllib.request

import numpy as np
import pytest

from hardware.footage import PictureCoder, write_footage
from hardware.frame import Frame
from server.clips import clip_name

PHONE, TABLET, TV = {"width": 390, "height": 844}, {"width": 1024, "height": 768}, {"width": 1920, "height": 1080}
LAYOUT = {"white-1": [600, 200], "red-1": [887.5, 0], "red-2": [2662.5, 0], "yellow": [1775, 0]}
START = [
    {"t": 0.0, "type": "rest", "balls": LAYOUT},
    {"t": 0.1, "type": "match", "game": "kaisa", "players": ["Anna", "Boris"]},
]
STROKE = [
    {"t": 0.3, "type": "strike", "ball": "white-1"},
    {"t": 0.4, "type": "contact", "ball": "white-1", "other": "yellow", "at": [1745, 4]},
    {"t": 0.5, "type": "pocket", "ball": "yellow", "pocket": "RL"},
    {"t": 0.7, "type": "rest", "balls": {name: at for name, at in LAYOUT.items() if name != "yellow"}},
]
CALL = [{"t": 0.2, "type": "call", "call": {"ball": "yellow", "pocket": "RL", "bank": False}}]
RECORDINGS = {"asked": START + STROKE, "played": START + CALL + STROKE, "free": START[:1]}

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def hall(tmp_path_factory, cuemarker):
    import socket  # noqa: PLC0415 (the fixture of one port is each test's own)

    folder = tmp_path_factory.mktemp("hall")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    lines = [f"[server]\nport = {port}"]
    for name, events in RECORDINGS.items():
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, events)))
        lines.append(f'[[tables]]\nid = "{name}"\nname = "Table {name}"\nsource = "events:{name}.jsonl"')
    (folder / "hall.toml").write_text("\n".join(lines))
    with cuemarker(port, "serve", "--config", folder / "hall.toml"):
        address = f"http://127.0.0.1:{port}"
        deadline_s = time.monotonic() + 60
        while not (said(address, "asked")["pending"] and said(address, "played")["rulings"]):
            assert time.monotonic() < deadline_s
            time.sleep(0.2)
        yield address, folder


def said(address, table):
    with urllib.request.urlopen(f"{address}/api/tables/{table}?lang=en") as answer:
        return json.load(answer)


def serious_faults(page):
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 (needed only where there is a browser)

    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


def open_live(open_page, address, size=TV):
    page = open_page(address, size, bypass_csp=True, reduced_motion="reduce")  # axe is a script that is no page's own
    page.locator("body:not([data-fresh=no])").wait_for()
    return page


@pytest.mark.parametrize("theme", ["dark", "light", "contrast"])
def test_no_page_has_a_serious_accessibility_fault_in_any_theme(open_page, hall, theme):
    address, _ = hall
    pages = [("display/asked", TV), ("table/asked", PHONE)]
    if theme == "dark":
        pages += [("display/played", TV), ("table/free", PHONE), ("hall", TABLET), ("rules", TABLET)]
    for path, size in pages:
        page = open_live(open_page, f"{address}/{path}?lang=en&theme={theme}", size)
        page.wait_for_timeout(300)
        assert serious_faults(page) == [], path


def test_no_sheet_has_a_serious_accessibility_fault(open_page, hall):
    address, _ = hall
    page = open_live(open_page, f"{address}/table/played?lang=ru", PHONE)
    page.locator("#undo:not([disabled])").wait_for()
    for opener in ("#by-hand", "#referee", "#more", ".stroke"):
        page.locator(opener).first.click()
        page.locator("#sheet .sheet-body").wait_for()
        assert serious_faults(page) == [], opener
        page.locator("#sheet .close").click()
    page = open_live(open_page, f"{address}/hall?lang=fi", TABLET)
    page.locator("#records").click()
    page.locator("#sheet .sheet-body").wait_for()
    assert serious_faults(page) == [], "records"


def test_what_a_screen_reader_hears_is_the_score_the_ruling_and_what_is_due(open_page, hall):
    from playwright.sync_api import expect  # noqa: PLC0415

    address, _ = hall
    page = open_live(open_page, f"{address}/display/played?lang=en")
    expect(page.locator("#spoken")).to_contain_text("Anna 6, Boris 0. Anna +6. Yellow, rear left pocket")
    expect(page.locator("#spoken")).to_contain_text("Put: yellow → second spot")
    assert page.locator("[data-due=yellow] .due-ring").count() == 1


def test_an_overlay_shows_the_score_on_nothing(open_page, hall):
    address, _ = hall
    page = open_live(open_page, f"{address}/display/played?lang=en&overlay=1")
    page.locator(".player-score").first.wait_for()
    picture = page.screenshot(omit_background=True)
    import cv2  # noqa: PLC0415 (as above)

    alpha = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_UNCHANGED)[:, :, 3]
    assert (alpha == 0).mean() > 0.7
    assert (alpha[-200:] == 255).mean() > 0.3
    assert not page.locator("#join").is_visible()


def test_options_that_are_lists_are_chosen_by_taps_in_their_order(open_page, hall):
    from playwright.sync_api import expect  # noqa: PLC0415

    address, _ = hall
    page = open_live(open_page, f"{address}/table/free?lang=en", PHONE)
    expect(page.locator(".offered")).to_have_text("The balls are set up for Kaisa.")
    page.get_by_role("radio", name="Russian Party").click()
    page.get_by_text("Rules (as in the book)").click()
    page.get_by_text("All rules that can be agreed").click()
    order = page.locator(".option").filter(has_text="red").filter(has_text="in their order").first
    chips = order.locator(".chip")
    while order.locator("[aria-pressed=true]").count():
        order.locator("[aria-pressed=true]").first.click()
    for place in (2, 0):
        chips.nth(place).click()
    expect(chips.nth(2)).to_have_text("1. third spot")
    page.get_by_text("Start the match").click()
    expect(page.locator("#game")).to_have_text("Russian Party")
    with urllib.request.urlopen(f"{address}/api/matches") as answer:
        assert json.load(answer)[0]["game"] == "russian-party"
    page.locator("#more").click()
    page.get_by_text("Put the match aside").click()
    page.get_by_text("Go on with the match that was left").click()
    expect(page.locator(".score-name").first).to_contain_text("Player 1")


def test_a_strokes_clip_plays_beside_its_drawing_and_a_second_look_says_when_it_cannot_tell(open_page, hall, until):
    from playwright.sync_api import expect  # noqa: PLC0415

    address, folder = hall
    coder = PictureCoder((320, 180), 25.0, 720)
    for index in range(100):
        pixels = np.full((180, 320, 3), 2 * index, np.uint8)
        coder.add(Frame(t_ns=round(index * 4e7), index=index, pixels=pixels))
    clips = folder / "cuemarker-clips" / "played"
    clips.mkdir(parents=True)
    name = clip_name(at_ns=time.time_ns(), strike_ms=300, lead_ms=2000)
    write_footage(clips / name, coder.ring.cut(0, 10**12))
    page = open_live(open_page, f"{address}/table/played?lang=en", PHONE)
    page.locator(".stroke").first.click()
    video = page.locator("#sheet video.clip")
    expect(video).to_be_visible()
    until(page, "document.querySelector('video.clip').readyState >= 2")
    shown = video.evaluate("(one) => [one.videoWidth, one.duration, one.currentTime]")
    assert shown == pytest.approx([320, 4.0, 1.0], abs=0.1)
    video.evaluate("(one) => one.play()")
    until(page, "document.querySelector('video.clip').currentTime > 1.3")
    page.get_by_text("Let the computer look again").click()
    expect(page.locator(".look.failed")).to_have_text("The second look could not tell.", timeout=60_000)
    assert said(address, "played")["match"]["scores"] == {"Anna": 6, "Boris": 0}
