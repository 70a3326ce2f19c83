"""Log lines: for people and machines, without secrets, and no name can forge one."""

import io
import json
import logging
import sys

import pytest

from server.logs import KEPT_LINES, set_up_logs
from server.redaction import redacted

SECRETS = [
    ("no camera answers at rtsp://admin:h@nter2@10.0.0.9/stream", "hnter2"),
    ("GET /join/one/K7XQ2M", "K7XQ2M"),
    ("GET /display/one?lang=fi&key=0123abcd", "0123abcd"),
    ("Authorization: Bearer s3cr3t-key", "s3cr3t-key"),
    ("hash $argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA", "c29tZXNhbHQ"),
    (f"sha256:{'ab' * 32}", "abab"),
    ("postgresql://hall:passw0rd@db/cuemarker", "passw0rd"),
]


@pytest.fixture
def logged(monkeypatch):
    """Sets up logs on a stream of our own; afterwards logging is as it was."""
    root = logging.getLogger()
    before = []

    def set_up(**options):
        before.append((root.handlers, root.level))
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        return stream, set_up_logs(**options)

    yield set_up
    for handlers, level in before:
        root.handlers = handlers
        root.setLevel(level)


@pytest.mark.parametrize(("said", "secret"), SECRETS)
def test_secrets_are_hidden_wherever_they_stand(said, secret):
    assert secret not in redacted(said)
    assert "***" in redacted(said)


@pytest.mark.parametrize(
    "said", ["stroke 3 by Anna: 6 points", "http://hall.lan:8080/display/one", "mail anna@x.fi", ""]
)
def test_what_is_no_secret_stays(said):
    assert redacted(said) == said


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_line_tells_a_secret_and_traces_neither(logged, form):
    stream, tail = logged(form=form)
    for said, _ in SECRETS:
        logging.getLogger("server.x").info("%s", said)
        logging.getLogger("server.x").error("failed", exc_info=ValueError(said))
    for text in (stream.getvalue(), tail.text):
        assert "ValueError" in text
        assert not [secret for _, secret in SECRETS if secret in text]


def test_a_name_with_line_breaks_stays_in_its_line(logged):
    stream, tail = logged()
    logging.getLogger("server.hub").info("stroke by %s", "Anna\n2026-01-01 00:00:00 ERROR   server.hub: forged\x1b[2J")
    assert stream.getvalue().count("\n") == 1
    assert "\x1b" not in stream.getvalue()
    assert tail.text == stream.getvalue()


def test_lines_for_machines_are_objects(logged):
    stream, _ = logged(form="json")
    logging.getLogger("server.hub").warning("Table %s: %s", 1, "ёлка")
    line = json.loads(stream.getvalue())
    assert (line["level"], line["room"], line["message"]) == ("warning", "server.hub", "Table 1: ёлка")
    assert line["time"].endswith("+00:00")


def test_the_tail_does_not_grow(logged):
    _, tail = logged()
    for number in range(KEPT_LINES + 5):
        logging.getLogger("server.x").info("line %d", number)
    assert tail.text.count("\n") == KEPT_LINES
    assert f"line {KEPT_LINES + 4}" in tail.text
