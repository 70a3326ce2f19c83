"""A hall that is opened again after its settings were changed; settings that do not work change nothing."""

import contextlib
import socket

import pytest

from server.config import read_hall
from server.errors import ServerError
from server.reopening import reopened

HALL = '[server]\nport = {port}\n[[tables]]\nid = "one"\nname = "{name}"\nsource = "virtual:kaisa"\n'


@pytest.fixture
def hall(tmp_path):
    path = tmp_path / "hall.toml"

    def write(port=0, name="One"):
        path.write_text(HALL.format(port=port, name=name))
        return path

    return write


@contextlib.contextmanager
def opened(*arguments):
    found, listening = reopened(*arguments)
    try:
        yield found, listening.getsockname()[1]
    finally:
        listening.close()


@pytest.fixture
def taken():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def free():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_new_settings_count_and_a_port_that_was_any_free_one_stays(hall, free):
    before = read_hall(hall())
    with opened(hall(name="Window"), before, free) as (found, port):
        assert (found.tables[0].name, port) == ("Window", free)


def test_another_port_is_opened(hall, free, taken):
    before = read_hall(hall(port=taken))
    with opened(hall(port=free), before, taken) as (_, port):
        assert port == free


def test_a_file_that_was_broken_by_hand_changes_nothing(hall, free, caplog):
    path = hall()
    before = read_hall(path)
    path.write_text("[[tables")
    with opened(path, before, free) as (found, port):
        assert (found, port) == (before, free)
    assert "the hall goes on with those before" in caplog.text


def test_an_address_that_cannot_be_had_changes_nothing(hall, free, taken):
    before = read_hall(hall(port=free))
    with opened(hall(port=taken, name="Window"), before, free) as (found, port):
        assert (found.tables[0].name, port) == ("One", free)


def test_when_neither_address_can_be_had_that_is_said(hall, taken):
    before = read_hall(hall(port=taken))
    with pytest.raises(ServerError, match=f"port {taken}"):
        reopened(hall(port=taken), before, taken)
