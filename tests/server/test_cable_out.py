"""With the network cable out every page is whole: nothing comes from elsewhere, and all that is asked for is here."""

import re

import pytest
from starlette.testclient import TestClient

from server.api import make_app
from server.config import HallConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.pages import WEB
from server.security import HEADERS

FILES = sorted(path for path in WEB.rglob("*") if path.suffix in (".js", ".css", ".html", ".svg"))
NO_REQUEST = {"http://www.w3.org/2000/svg", "http://hall.lan:8080"}  # a name of a language, an example in a field
PAGES = ("/display/one", "/table/one", "/hall", "/rules", "/docs")


@pytest.fixture
def web(tmp_path):
    tables = (TableConfig(id="one", name="One", source="events:none"),)
    hub = Hub(HallConfig(tables=tables), lambda: Journal.open(f"sqlite:///{tmp_path / 'j.sqlite'}"))
    hub.open()
    with TestClient(make_app(hub)) as web:
        yield web
    hub.close()


def test_no_file_of_the_pages_names_another_host():
    assert len(FILES) > 20
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert set(re.findall(r"https?://[^\s\"'`<)]+", text)) <= NO_REQUEST, path.name
        assert not re.search(r"[\"'(]//\w|@import\s|url\(\s*[\"']?(?!data:|[./#])", text), path.name


def test_the_browser_is_told_to_fetch_nothing_from_elsewhere():
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    for name in ("script-src", "style-src", "img-src", "connect-src", "font-src", "media-src", "manifest-src"):
        assert set(policy.get(name, "").split()) <= {"'self'", "data:", "blob:"}, name


def test_everything_that_a_page_asks_for_is_here(web):
    wanted = set()
    for page in PAGES:
        text = web.get(page).text
        wanted |= set(re.findall(r"<(?:script|link|img)[^>]*\b(?:src|href)=\"([^\"]+)\"", text))
    while wanted:
        path = wanted.pop()
        answer = web.get(path)
        assert answer.status_code == 200, path
        if path.endswith(".js"):
            wanted |= {f"/static/{name}" for name in re.findall(r"from \"\./([\w.-]+)\"", answer.text)}
