"""Requests made up from the API's own description (Schemathesis): none is answered by a failure of the server."""

import contextlib
import warnings

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from starlette.testclient import TestClient

from server.access import Access
from server.api import make_app
from server.config import read_hall
from server.housekeeping import Housekeeping
from server.hub import Hub
from server.journal import Journal
from server.logs import LogTail

MATCH = {"game": "kaisa", "players": ["Anna", "Boris"], "first": "Anna"}
HALL = '[[tables]]\nid = "one"\nname = "One"\nsource = "events:none"\n'
KNOWN = {"table_id": "one", "number": 1}
MAY_BE_503 = ("/health", "/api/tables/{table_id}/calibration")  # the table has no process here, and they say so


@pytest.fixture
def app(tmp_path):
    file = tmp_path / "hall.toml"
    file.write_text(HALL)
    hub = Hub(read_hall(file), lambda: Journal.open(f"sqlite:///{tmp_path / 'j.sqlite'}"))
    hub.open()
    app = make_app(hub, Access(hub), Housekeeping(hall_file=file, log_tail=LogTail(), restart=lambda: None))
    with TestClient(app) as web:
        assert web.post("/api/tables/one/match", json=MATCH).status_code == 200
        assert web.post("/api/tables/one/by-hand", json={"hit": ["red-1"]}).status_code == 200
    yield app
    hub.close()


def ask(app, examples):
    """Send so many made-up requests to every operation; returns those that failed, and how many were sent."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the tools say about one another
        import schemathesis  # noqa: PLC0415
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    failed, sent = [], 0
    web = TestClient(app, raise_server_exceptions=False)
    for found in schema.get_all_operations():
        operation = found.ok()
        rules = settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )

        @rules
        @given(case=operation.as_strategy())
        def send(case):
            nonlocal sent
            sent += 1
            if sent % 5:  # else the path is made up too
                case.path_parameters.update({name: KNOWN[name] for name in case.path_parameters if name in KNOWN})
            asked = case.as_transport_kwargs(base_url="http://testserver")
            with contextlib.suppress(UnicodeEncodeError):  # what no client could send
                answer = web.request(
                    asked["method"],
                    asked["url"],
                    params=asked.get("params"),
                    headers={key: value for key, value in (asked.get("headers") or {}).items() if value.isascii()},
                    json=asked.get("json"),
                    content=asked.get("data"),
                )
                is_known = answer.status_code == 503 and case.operation.path.startswith(MAY_BE_503)
                if answer.status_code >= 500 and not is_known:
                    failed.append((case.operation.label, asked, answer.text[:200]))

        send()
    return failed, sent


def test_no_made_up_request_is_answered_by_a_failure(app):
    failed, sent = ask(app, 2)
    assert failed == []
    assert sent > 100


@pytest.mark.nightly
def test_none_of_many_made_up_requests_is_answered_by_a_failure(app):
    failed, _ = ask(app, 200)
    assert failed == []
