"""A real PostgreSQL for the tests that need one, started once in each test process, and a hall of one table."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

import pytest

from scoring.commands import StartMatch
from scoring.setup import Beginning, Phase, Setup, singles
from server.config import HallConfig, TableConfig
from server.hub import Hub
from server.journal import Journal

HOME = max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=None)
WHERE = "127.0.0.1"


class DatabaseServer:
    def __init__(self, folder, user):
        self.folder, self.user = folder, user
        with socket.socket() as probe:
            probe.bind((WHERE, 0))
            self.port = probe.getsockname()[1]
        self.process = None

    def run(self, *command):
        subprocess.run(command, user=self.user, check=True, stdout=subprocess.DEVNULL, cwd="/")

    def make(self):
        self.run(HOME, "-D", self.folder / "data", "-A", "trust", "-U", "hall", "--no-sync")

    def start(self):
        self.process = subprocess.Popen(
            [HOME.parent / "postgres", "-D", self.folder / "data", "-p", str(self.port), "-k", "", "-F", "-h", WHERE],
            user=self.user,
            cwd="/",
            stderr=subprocess.DEVNULL,
        )
        ready = [HOME.parent / "pg_isready", "-q", "-h", WHERE, "-p", str(self.port)]
        until_s = time.monotonic() + 30
        while subprocess.run(ready, check=False).returncode != 0:
            assert self.process.poll() is None
            assert time.monotonic() < until_s
            time.sleep(0.05)

    def stop(self):
        self.process.terminate()  # whoever is connected is waited for
        self.process.send_signal(2)  # no longer
        self.process.wait(20)

    def new_database(self):
        name = f"hall_{uuid.uuid4().hex[:12]}"
        self.run(HOME.parent / "createdb", "-h", WHERE, "-p", str(self.port), "-U", "hall", name)
        return f"postgresql://hall@{WHERE}:{self.port}/{name}"


@pytest.fixture(scope="session")
def postgres():
    if HOME is None:
        pytest.skip("there is no PostgreSQL server (apt install postgresql)")
    user = None
    folder = Path(tempfile.mkdtemp(prefix="cuemarker-postgres-"))
    if os.getuid() == 0:  # it refuses to run as root
        user = "postgres"
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    server = DatabaseServer(folder, user)
    try:
        server.make()
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    """The address of an empty database of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'journal.sqlite'}"
    return request.getfixturevalue("postgres").new_database()


@pytest.fixture
def open_hub(tmp_path):
    """Opens a hall of the table `one`, again if need be, on one journal."""
    hubs = []

    def opened():
        config = HallConfig(tables=(TableConfig(id="one", name="Table 1", source="events:none"),))
        hub = Hub(config, lambda: Journal.open(f"sqlite:///{tmp_path / 'journal.sqlite'}"))
        hub.open()
        hubs.append(hub)
        return hub

    yield opened
    for hub in hubs:
        hub.close()


@pytest.fixture
def kaisa_hub(open_hub):
    """Such a hall in which Anna and Boris are well under way."""
    hub = open_hub()
    setup = Setup(game="kaisa", sides=singles("Anna", "Boris"))
    hub.give("one", StartMatch(setup, Beginning(phase=Phase.PLAY, shooter="Anna", scores=(20, 20))))
    return hub
