"""A hall with many displays: how long a change takes to be on every page, what becomes of pages that do not read."""

import asyncio
import contextlib
import json
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from server.bench.hall_process import HallProcess, cpu_s, running_hall
from server.errors import ServerError

_CALLS = tuple({"ball": ball, "pocket": pocket} for ball in ("yellow", "red-1", "red-2") for pocket in ("RL", "FL"))
_READY_S = 180.0
_SILENT = 5
_HANDSHAKE = (
    "GET /ws/tables/{table} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: Y3VlbWFya2VyLWJlbmNoIQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    """What is asked for."""

    displays: int = 200
    tables: int = 20
    seconds: float = 120.0
    changes_a_second: float = 10.0  # over all tables
    warm_up_s: float = 5.0
    tell_s: float = 3.0  # how long the last change is waited for


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What came of it. Delays run from a command's sending to its message on each display of the table."""

    plan: LoadPlan
    changes: int
    delays_ms: tuple[float, ...]
    missed: int  # displays that a change never reached
    left: int  # displays whose connection broke
    silent_dropped_s: float | None  # until those that do not read were sent away; None: they were not
    memory_mb: tuple[tuple[float, float], ...]  # seconds, and what the hall's process holds
    cpu_share: float  # of one core, by the hall's process

    def delay_ms(self, share: float) -> float:
        """A quantile of the delays."""
        ordered = sorted(self.delays_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    @property
    def growth_mb_h(self) -> float:
        """By how much the memory grows, as a line through the second half of the run."""
        half = self.memory_mb[len(self.memory_mb) // 2 :]
        if len(half) < 2:
            return 0.0
        return 3600 * statistics.linear_regression(*zip(*half, strict=True)).slope


@dataclass(frozen=True, slots=True, kw_only=True)
class _QuietTable:
    """A table at which nothing moves."""

    id: str
    folder: Path

    def lines(self) -> str:
        """Its part of the hall file."""
        play = self.folder / "quiet.jsonl"
        return f'[[tables]]\nid = "{self.id}"\nname = "{self.id}"\nsource = {json.dumps(f"events:{play}")}\n'


@dataclass(slots=True)
class _Display:
    """A page; `versions` are the states that it was sent, and when."""

    table: str
    versions: list[tuple[int, float]] = field(default_factory=list)
    is_gone: bool = False

    async def watch(self, port: int) -> None:
        """Read until cancelled, as a browser does."""
        try:
            async with connect(f"ws://127.0.0.1:{port}/ws/tables/{self.table}", open_timeout=60) as live:
                await self._read(live)
        except (ConnectionClosed, OSError, TimeoutError):
            self.is_gone = True

    async def _read(self, live: ClientConnection) -> None:
        async for message in live:
            record = json.loads(message)
            if record["type"] == "state":
                self.versions.append((record["version"], time.perf_counter()))

    def delay_s(self, version: int, sent_s: float) -> float | None:
        """How long after its sending a change was here; None: never."""
        return next((at_s - sent_s for seen, at_s in self.versions if seen >= version), None)


def run_load(plan: LoadPlan, progress: Callable[[int, int], None]) -> LoadReport:
    """Serve a hall, watch it with many displays, give commands, measure.

    Raises:
        ServerError: The hall or its tables do not start.
    """
    with tempfile.TemporaryDirectory(prefix="cuemarker-load-") as name:
        folder = Path(name)
        (folder / "quiet.jsonl").write_text("", encoding="utf-8")
        tables = [_QuietTable(id=f"t{number}", folder=folder) for number in range(plan.tables)]
        with running_hall(tables, folder) as hall:
            return asyncio.run(_measure(hall, plan, [table.id for table in tables], progress))


async def _measure(
    hall: HallProcess, plan: LoadPlan, tables: Sequence[str], progress: Callable[[int, int], None]
) -> LoadReport:
    await _until(lambda: sum(hall.numbers("up").values()) == len(tables), "the tables' processes")
    for table in tables:
        await asyncio.to_thread(
            hall.post, f"/api/tables/{table}/match", {"game": "kaisa", "players": ["A", "B"], "first": "A"}
        )
    displays = [_Display(table=tables[number % len(tables)]) for number in range(plan.displays)]
    watching = [asyncio.create_task(display.watch(hall.port)) for display in displays]
    await _until(lambda: all(display.versions or display.is_gone for display in displays), "the displays")
    await asyncio.sleep(plan.warm_up_s)
    silent = [_do_not_read(hall.port, tables[number % len(tables)]) for number in range(_SILENT)]
    began_s, began_cpu_s = time.perf_counter(), cpu_s(hall.pid)
    changes: list[tuple[str, int, float]] = []
    memory: list[tuple[float, float]] = []
    dropped_s = None
    while (passed_s := time.perf_counter() - began_s) < plan.seconds:
        table = tables[len(changes) % len(tables)]
        call = _CALLS[len(changes) // len(tables) % len(_CALLS)]
        sent_s = time.perf_counter()
        answer = await asyncio.to_thread(hall.post, f"/api/tables/{table}/call", call)
        changes.append((table, answer["version"], sent_s))
        if len(changes) % max(1, round(plan.changes_a_second)) == 0:
            memory.append((passed_s, _memory_mb(hall.pid)))
            progress(int(passed_s), int(plan.seconds))
            watchers = await asyncio.to_thread(hall.numbers, "watchers")
            if dropped_s is None and sum(watchers.values()) <= sum(not display.is_gone for display in displays):
                dropped_s = passed_s
        await asyncio.sleep(max(0.0, began_s + len(changes) / plan.changes_a_second - time.perf_counter()))
    share = (cpu_s(hall.pid) - began_cpu_s) / (time.perf_counter() - began_s)
    await asyncio.sleep(plan.tell_s)
    for watcher in watching:
        watcher.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    for one in silent:
        one.close()
    found = [
        display.delay_s(version, sent_s)
        for table, version, sent_s in changes
        for display in displays
        if display.table == table
    ]
    return LoadReport(
        plan=plan,
        changes=len(changes),
        delays_ms=tuple(1000 * delay for delay in found if delay is not None),
        missed=found.count(None),
        left=sum(display.is_gone for display in displays),
        silent_dropped_s=dropped_s,
        memory_mb=tuple(memory),
        cpu_share=share,
    )


def _do_not_read(port: int, table: str) -> socket.socket:
    """A page on a machine that has died: it joins, and never reads."""
    page = socket.create_connection(("127.0.0.1", port), timeout=10)
    page.sendall(_HANDSHAKE.format(table=table, port=port).encode())
    return page


async def _until(is_so: Callable[[], bool], what: str) -> None:
    until_s = time.monotonic() + _READY_S
    while True:
        with contextlib.suppress(OSError):
            if await asyncio.to_thread(is_so):
                return
        if time.monotonic() > until_s:
            message = f"{what} are not there after {_READY_S:.0f} s: is the machine busy, are there ports left?"
            raise ServerError(message)
        await asyncio.sleep(0.5)


def _memory_mb(pid: int) -> float:
    """What a process holds now."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def load_json(report: LoadReport) -> dict[str, Any]:
    """The figures for programs."""
    return {
        "displays": report.plan.displays,
        "tables": report.plan.tables,
        "seconds": report.plan.seconds,
        "changes": report.changes,
        "delay_ms": {name: round(report.delay_ms(share), 1) for name, share in _SHARES},
        "missed": report.missed,
        "left": report.left,
        "silent": _SILENT,
        "silent_dropped_s": report.silent_dropped_s and round(report.silent_dropped_s, 1),
        "memory_mb": [round(report.memory_mb[at][1], 1) for at in (0, -1)] if report.memory_mb else [],
        "growth_mb_h": round(report.growth_mb_h, 1),
        "hall_cpu_share": round(report.cpu_share, 3),
    }


_SHARES = (("p50", 0.5), ("p95", 0.95), ("max", 1.0))


def load_lines(report: LoadReport) -> list[str]:
    """The figures for people."""
    figures = load_json(report)
    delays = ", ".join(f"{name} {value:g} ms" for name, value in figures["delay_ms"].items())
    dropped = figures["silent_dropped_s"]
    lines = [
        (
            f"{figures['displays']} displays of {figures['tables']} tables, {figures['changes']} changes in "
            f"{figures['seconds']:g} s"
        ),
        (
            f"from a command to its message on every display: {delays}; {figures['missed']} never came, "
            f"{figures['left']} displays lost their connection"
        ),
        f"{_SILENT} pages that do not read: "
        + (f"sent away after {dropped:g} s" if dropped is not None else "still there at the end"),
        f"the hall's process: {figures['hall_cpu_share']:g} of a core",
    ]
    if figures["memory_mb"]:
        first, last = figures["memory_mb"]
        lines.append(f"its memory: {first:g} MB at first, {last:g} MB at last, {figures['growth_mb_h']:+g} MB an hour")
    return lines
