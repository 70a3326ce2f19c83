"""The staff's page in a real browser: a table stopped, a match taken in, a setting changed, the hall opened again."""

import json

import pytest
from argon2 import PasswordHasher

pytestmark = pytest.mark.browser

PIN = "246810"
HALL = """# Kulma street
[server]
port = {port}
[access]
players = "code"
staff_pin_hash = "{hash}"
[[tables]]
id = "one"
name = "Table 1"  # at the window
source = "events:play.jsonl"
[[tables]]
id = "two"
name = "Table 2"
source = "events:play.jsonl"
"""
PLAY = [{"t": 0.0, "type": "rest", "balls": {"red-1": [900, 0]}}]
RECORD = [
    {
        "seq": 1,
        "kind": "start",
        "body": {
            "setup": {
                "game": "kaisa",
                "sides": [["Elli"], ["Otto"]],
                "format": "singles",
                "options": {},
                "table": {"length_mm": 3550, "width_mm": 1775, "ball_mm": 68, "pockets": None},
                "handicaps": [],
            },
            "beginning": {"phase": "opening", "shooter": "Elli"},
        },
    },
    {"seq": 2, "kind": "referee", "body": {"input": {"type": "concede", "by": "Otto"}, "stroke": None}},
]


@pytest.fixture
def hall(tmp_path, free_port, cuemarker):
    path = tmp_path / "hall.toml"
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    path.write_text(HALL.format(port=free_port, hash=cheap.hash(PIN)))
    (tmp_path / "play.jsonl").write_text("\n".join(map(json.dumps, PLAY)))
    with cuemarker(free_port, "serve", "--config", path):
        yield path, f"http://127.0.0.1:{free_port}/hall?lang=en"


def test_staff_keeps_the_hall_from_its_page(open_page, hall, tmp_path):
    file, address = hall
    page = open_page(address, {"width": 1024, "height": 768})
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Log in").click()
    one, two = page.locator("[data-table=one]"), page.locator("[data-table=two]")
    two.wait_for()
    one.get_by_role("button", name="Stop").click()
    one.get_by_text("Stopped by the staff").first.wait_for()
    one.get_by_role("button", name="Start").click()
    page.locator("[data-table=one][data-health=ok]").wait_for()

    page.get_by_role("button", name="Matches").click()
    record = "\n".join(["Cuemarker game record 1", *map(json.dumps, RECORD)])
    for said in ("The match is taken in.", "This match was here already."):
        page.locator("input[type=file]").set_input_files(
            {"name": "match.txt", "mimeType": "text/plain", "buffer": record.encode()}
        )
        page.get_by_text(said).wait_for()
    assert page.locator(".log tbody tr").all_inner_texts()[0].split("\t")[1:5] == [
        "Imported",
        "Kaisa",
        "Elli 0 · Otto 0",
        "Elli",
    ]
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Players").click()
    page.locator(".sheet h2", has_text="Players").wait_for()
    assert [row.split("\t")[:3] for row in page.locator(".log tbody tr").all_inner_texts()] == [
        ["Elli", "1", "1"],
        ["Otto", "1", "0"],
    ]
    page.get_by_role("button", name="Close").click()

    with page.expect_download() as loading:
        page.get_by_role("link", name="Diagnostics").click()
    assert loading.value.suggested_filename == "cuemarker-diagnostics.zip"

    page.get_by_role("button", name="Settings").click()
    names = page.locator(".settings-table").get_by_label("Name", exact=True)
    names.nth(0).fill("Window")
    page.screenshot(path=tmp_path / "settings.png")
    page.get_by_role("button", name="Save").click()

    page.get_by_role("button", name="Open the hall again").click()
    page.get_by_text("The hall is opened again.").wait_for()
    page.get_by_role("button", name="Close").click()
    page.locator("[data-table=one] h2", has_text="Window").wait_for(timeout=60_000)
    assert 'name = "Window"  # at the window' in file.read_text()
