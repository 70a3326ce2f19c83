"""A hall in a process of its own, as `cuemarker serve` runs it, with what the system says of its processes (Linux)."""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from server.errors import ServerError

_START_S = 60.0
_ANSWER_S = 60.0  # a machine that is busy with more than the bench may take so long
_HERTZ = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


class ServedTable(Protocol):
    """A table of a hall file."""

    def lines(self) -> str:
        """Its part of the hall file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HallTable:
    """A table before a recording that runs at the pace of a live camera."""

    id: str
    folder: Path  # with video.mp4 and table.toml, as `simulate` writes them
    loops: bool = True

    def lines(self) -> str:
        """Its part of the hall file."""
        source = f"file:{self.folder / 'video.mp4'}?realtime=1" + ("&loop=1" if self.loops else "")
        table_file = self.folder / "table.toml"
        return (
            f'[[tables]]\nid = "{self.id}"\nname = "{self.id}"\nsource = {json.dumps(source)}\n'
            f"table_file = {json.dumps(str(table_file))}\n"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HallProcess:
    """A hall that runs."""

    pid: int
    port: int
    started_s: float  # monotonic clock

    def get(self, path: str) -> str:
        """What a page or the API says."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=_ANSWER_S) as answer:
            return str(answer.read().decode())

    def post(self, path: str, body: dict[str, Any]) -> Any:  # noqa: ANN401 (what the API says)
        """Give a command; returns the new state."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=json.dumps(body).encode(),
            headers={"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=_ANSWER_S) as answer:  # noqa: S310 (ours)
            return json.loads(answer.read())

    def numbers(self, name: str) -> dict[str, float]:
        """One of the metrics, by table."""
        found = re.findall(rf'^cuemarker_table_{name}\{{table="([^"]+)"\}} (\S+)$', self.get("/metrics"), re.MULTILINE)
        return {table: float(value) for table, value in found}

    def table_pids(self) -> list[int]:
        """The tables' processes."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text(encoding="ascii").split()
        return [int(pid) for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def cpu_s(pid: int) -> float:
    """The CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _HERTZ


def peak_mb(pid: int) -> float:
    """The most memory that a process has had."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


@contextlib.contextmanager
def running_hall(tables: Sequence[ServedTable], folder: Path) -> Iterator[HallProcess]:
    """Serve a hall for as long as needed.

    Raises:
        ServerError: It does not start, or this system does not tell what processes use.
    """
    if not Path("/proc/self/stat").exists():
        message = "what processes use is read from /proc, which this system does not have: run this on Linux"
        raise ServerError(message)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    path, log = folder / "hall.toml", folder / "hall.log"
    head = f"[server]\nport = {port}\n[evidence]\nkeep = false\n"
    path.write_text(head + "".join(table.lines() for table in tables), encoding="utf-8")
    command = [sys.executable, "-c", "from server.cli import main; main()", "serve", "--config", str(path)]
    with log.open("wb") as output:
        started_s = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=output)  # noqa: S603 (ours)
    hall = HallProcess(pid=process.pid, port=port, started_s=started_s)
    try:
        while not _answers(hall):
            if process.poll() is not None or time.monotonic() - started_s > _START_S:
                message = f"the hall does not start: {log.read_text(encoding='utf-8').strip()[-300:]}"
                raise ServerError(message)
            time.sleep(0.05)
        yield hall
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(15)
        process.kill()


def _answers(hall: HallProcess) -> bool:
    try:
        hall.get("/metrics")
    except (OSError, urllib.error.URLError):
        return False
    return True
