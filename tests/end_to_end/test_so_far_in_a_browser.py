"""A real browser while balls roll: what is supposed shows in small at once, and a wrong guess is corrected once."""

import json

import pytest

PLAY = [
    {"t": 0.0, "type": "rest", "balls": {"white-1": [600, 200], "red-1": [887.5, 0], "yellow": [1775, 0]}},
    {"t": 4.0, "type": "strike", "ball": "white-1", "provisional": True},
    {"t": 4.2, "type": "contact", "ball": "white-1", "other": "yellow", "provisional": True},
    {"t": 5.5, "type": "strike", "ball": "white-1"},
    {"t": 5.5, "type": "contact", "ball": "white-1", "other": "red-1"},
    {"t": 5.5, "type": "rest", "balls": {"white-1": [700, 200], "red-1": [890, 0], "yellow": [1775, 0]}},
]

pytestmark = pytest.mark.browser


def test_the_stroke_so_far_shows_at_once_and_is_corrected_at_rest(open_page, tmp_path, free_port, cuemarker):
    from playwright.sync_api import expect  # noqa: PLC0415

    (tmp_path / "play.jsonl").write_text("\n".join(map(json.dumps, PLAY)))
    hall = tmp_path / "hall.toml"
    table = '[[tables]]\nid = "one"\nname = "Table 1"\nsource = "events:play.jsonl"\n'
    hall.write_text(f"[server]\nport = {free_port}\n{table}")
    with cuemarker(free_port, "serve", "--config", hall):
        page = open_page(f"http://127.0.0.1:{free_port}/display/one?lang=en")
        shown = page.locator("#so-far [data-ball]")
        expect(shown).to_have_count(2)
        assert [one.get_attribute("data-ball") for one in shown.all()] == ["white-1", "yellow"]
        expect(page.get_by_text("Corrected")).to_be_hidden()
        expect(page.get_by_text("Corrected")).to_be_visible(timeout=15_000)
        assert [one.get_attribute("data-ball") for one in shown.all()] == ["white-1", "red-1"]
        expect(page.locator("#so-far")).to_be_hidden(timeout=15_000)
