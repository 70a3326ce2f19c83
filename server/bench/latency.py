"""How soon a stroke is on the page of a real browser: a virtual match is recorded, then played live before a hall.

The recording runs at a camera's pace, so that every frame has its instant of exposure on the clock; that clock is found
from the strikes as the witness tells them, which is right within some milliseconds.
"""

import contextlib
import json
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hardware.virtual.timeline import Placed, Timeline
from scoring.events import Rest, Strike
from scoring.notation import call_to_json
from server.bench.hall_process import HallProcess, HallTable, running_hall
from server.bench.speed import SpeedPlan, make_recording
from server.errors import ServerError

if TYPE_CHECKING:
    from playwright.sync_api import Page

_ID = "bench"
_CHROMIUM = Path("/usr/bin/chromium")
_QUIET = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
_CLOCK_LOOKS = 20
_POLL_S, _LATE_S, _LIVE_S = 0.25, 20.0, 90.0
_SAME_S = 0.1  # strikes that fit one start of the recording so well belong together
_SOON_S = 15.0  # what shows later has another cause
_WATCH = """() => {
  const shown = window.shown = {board: [], glimpse: []};
  const watch = (kind, id) => new MutationObserver(() =>
    requestAnimationFrame(() => shown[kind].push(performance.now() / 1000)),
  ).observe(document.getElementById(id), {childList: true, subtree: true});
  watch("board", "ruling-list");
  watch("board", "question-list");
  watch("glimpse", "so-far-balls");
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrokeLatency:
    """One stroke in seconds, None where nothing came: its last ball's stop until its ruling shows; its strike until
    the first provisional event shows.
    """

    board_s: float | None
    glimpse_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """All strokes, and how busy the machine was: the load before and after, pictures looked at and dropped."""

    strokes: tuple[StrokeLatency, ...]
    load: tuple[float, float]
    frames: int
    dropped: int

    def of(self, kind: str) -> list[float]:
        """The times of one kind that were measured, the shortest first."""
        times = (getattr(stroke, kind) for stroke in self.strokes)
        return sorted(time_s for time_s in times if time_s is not None)


def percentile(times: Sequence[float], share: float) -> float | None:
    """The shortest time that a share of them do not exceed; `times` are sorted."""
    return times[math.ceil(share * len(times)) - 1] if times else None


def measure_latency(plan: SpeedPlan, progress: Callable[[int, int], None] = lambda _done, _all: None) -> Latency:
    """Record, serve, watch the page.

    Raises:
        ServerError: There is no browser, or the table shows nothing.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cuemarker-bench-")))
        page = stack.enter_context(_browser_page())
        timeline = make_recording(plan, folder, progress).timeline
        before = os.getloadavg()[0]
        hall = stack.enter_context(running_hall([HallTable(id=_ID, folder=folder, loops=False)], folder))
        hall.post(f"/api/tables/{_ID}/stop", {})
        page.goto(f"http://127.0.0.1:{hall.port}/display/{_ID}?lang=en")
        page.locator("body[data-connected=yes]").wait_for(timeout=_LIVE_S * 1000)
        page.evaluate(_WATCH)
        hall.post(f"/api/tables/{_ID}/match", {"game": plan.game, "players": ["A", "B"], "first": "A"})
        hall.post(f"/api/tables/{_ID}/start", {})
        frames, dropped = _follow(hall, timeline.parts)
        ahead_s = _page_clock_ahead_s(page)
        shown = {kind: [t_s - ahead_s for t_s in times] for kind, times in page.evaluate("window.shown").items()}
        start_s = recording_start_s(_strikes(timeline), _seen_strikes(hall))
        return Latency(
            strokes=tuple(latencies(timeline, plan.fps, start_s, shown["board"], shown["glimpse"])),
            load=(before, os.getloadavg()[0]),
            frames=frames,
            dropped=dropped,
        )


def latencies(
    timeline: Timeline, fps: float, start_s: float, board: Sequence[float], glimpse: Sequence[float]
) -> Iterator[StrokeLatency]:
    """For every stroke what showed first after it, on the clock on which the recording began at `start_s`."""
    for part in timeline.parts:
        strike_s = next(event.t_s for event in part.events if isinstance(event, Strike))
        rest_s = max(event.t_s for event in part.events if isinstance(event, Rest))
        frame_s = -(-rest_s * fps // 1) / fps  # the first frame that shows it
        yield StrokeLatency(
            board_s=_first_after(board, start_s + frame_s), glimpse_s=_first_after(glimpse, start_s + strike_s)
        )


def _first_after(times: Sequence[float], t_s: float) -> float | None:
    return next((shown_s - t_s for shown_s in sorted(times) if t_s <= shown_s < t_s + _SOON_S), None)


def recording_start_s(true: Sequence[float], seen: Sequence[float]) -> float:
    """When the recording began: where most strikes as they were told fit those that were played.

    Raises:
        ServerError: No strike was told.
    """
    starts = [one - other for one in seen for other in true]
    if not starts:
        message = "no stroke of the recording was seen: nothing can be measured; try another --seed"
        raise ServerError(message)
    together = [[one for one in starts if abs(one - start) < _SAME_S] for start in starts]
    largest = max(together, key=len)
    return statistics.median(largest)


def _follow(hall: HallProcess, parts: Sequence[Placed]) -> tuple[int, int]:
    """Enter each call before its stroke and answer what is asked, until every stroke is ruled on or long over.

    Returns the pictures that were looked at and dropped by then.
    """
    began_s = time.monotonic()
    while not hall.numbers("frames_total").get(_ID):
        if time.monotonic() - began_s > _LIVE_S:
            message = f"the table shows no picture after {_LIVE_S:.0f} s: is the computer too slow?"
            raise ServerError(message)
        time.sleep(_POLL_S)
    began_s, counts = time.monotonic(), (0, 0)
    for number, part in enumerate(parts, 1):
        for said in part.said:
            hall.post(f"/api/tables/{_ID}/call", call_to_json(said.call))
        while time.monotonic() - began_s < part.ends_s + _LATE_S:
            time.sleep(_POLL_S)
            counts = max(counts, _counts(hall))  # at the recording's end they are gone
            state = json.loads(hall.get(f"/api/tables/{_ID}"))
            for question in state["pending"]:
                if question["choices"]:
                    answer = {"to": question["kind"], "value": question["choices"][0]["value"]}
                    hall.post(f"/api/tables/{_ID}/answer", answer)
            if len(json.loads(hall.get(f"/api/tables/{_ID}/strokes"))) >= number and not state["pending"]:
                break
    return counts


def _counts(hall: HallProcess) -> tuple[int, int]:
    frames, dropped = (hall.numbers(name).get(_ID, 0.0) for name in ("frames_total", "dropped_frames_total"))
    return round(frames), round(dropped)


def _strikes(timeline: Timeline) -> list[float]:
    return [event.t_s for event in timeline.events if isinstance(event, Strike)]


def _seen_strikes(hall: HallProcess) -> list[float]:
    """When the strokes were struck, as the hall tells it."""
    found = []
    for number in range(1, len(json.loads(hall.get(f"/api/tables/{_ID}/strokes"))) + 1):
        stroke: dict[str, Any] = json.loads(hall.get(f"/api/tables/{_ID}/strokes/{number}"))
        found += [event["t"] for event in stroke["shot"]["events"] if event["type"] == "strike"]
    return found


def _page_clock_ahead_s(page: "Page") -> float:
    """By how much the page's clock is ahead of ours, from the quickest of some questions."""
    looks = []
    for _ in range(_CLOCK_LOOKS):
        before_s = time.monotonic()
        there_s = float(page.evaluate("performance.now() / 1000"))
        took_s = time.monotonic() - before_s
        looks.append((took_s, there_s - before_s - took_s / 2))
    return min(looks)[1]


@contextlib.contextmanager
def _browser_page() -> "Iterator[Page]":
    """A page of a real Chromium.

    Raises:
        ServerError: There is none.
    """
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 (needed only here)
    except ImportError as error:
        message = "this needs a browser driven by Playwright: pip install playwright"
        raise ServerError(message) from error
    if not _CHROMIUM.exists():
        message = f"there is no {_CHROMIUM}: install Chromium"
        raise ServerError(message)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(_CHROMIUM), args=_QUIET)
        try:
            yield browser.new_page(viewport={"width": 1920, "height": 1080})
        finally:
            browser.close()
