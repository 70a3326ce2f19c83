"""What a table's process does with pictures: vision looks at each, and the hub hears what came of it."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from hardware.camera import Camera
from hardware.errors import HardwareError, ProtocolError
from hardware.frame import Frame
from hardware.signals import Drop
from scoring.balls import Ball
from scoring.commands import Announce
from scoring.events import Strike, TableEvent
from scoring.shots import Call
from scoring.table import Point
from server.messages import Known, Places, Said, Seen, TableMessage, Trouble, Vitals
from vision.pipeline import Pipeline

VITALS_S = 0.25
_NS = 1_000_000_000
_CALM_S = 1.0
_POINTED_MM = 60.0
_MEMORY = 60  # pictures over which the rate is measured


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """A frame, when it came (monotonic clock), and how many before it were dropped since the start."""

    frame: Frame
    came_ns: int
    dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What virtual players say, with its instant in the frames' time; `at` is where the ball lies that they call."""

    t_s: float
    what: Said | Known
    at: Point | None = None


@dataclass(slots=True, kw_only=True)
class Looking:
    """Vision at work on one source; `poll` asks the pocket sensors, `listen` the virtual players, for news by now.

    What they say is told in order with what is seen: a call before the stroke that it is for, and not before the stroke
    that it follows.
    """

    pipeline: Pipeline
    poll: Callable[[int], Iterable[Drop]]
    listen: Callable[[float], Iterable[Told]] = lambda _: ()
    _held: deque[Told] = field(default_factory=deque)
    _is_under_way: bool = False
    _moved_s: float = 0.0
    _came_ns: deque[int] = field(default_factory=lambda: deque(maxlen=_MEMORY))
    _frames: int = 0
    _dropped: int = 0
    _step_ms: float = 0.0
    _told_s: float = 0.0

    def messages(self, pictures: Iterable[Picture | None]) -> Iterator[TableMessage]:
        """Look at every picture (None: nothing has come for a while) and tell what is seen."""
        for picture in pictures:
            if picture is not None:
                yield from self._look(picture)
            if time.monotonic() - self._told_s >= VITALS_S:
                self._told_s = time.monotonic()
                yield self._vitals()
        yield from self._tell(self.pipeline.finish())
        self._held.extend(self.listen(float("inf")))
        yield from self._told_until(float("inf"))

    def _look(self, picture: Picture) -> Iterator[TableMessage]:
        frame, witness = picture.frame, self.pipeline.witness
        began_s = time.perf_counter()
        events = self.pipeline.step(frame, tuple(self.poll(frame.t_ns)))
        took_ms = (time.perf_counter() - began_s) * 1000
        self._step_ms += (took_ms - self._step_ms) / min(self._frames + 1, 30)
        self._frames, self._dropped = self._frames + 1, picture.dropped
        self._came_ns.append(picture.came_ns)
        witness.tracks()  # the list for recordings; here it would only grow
        now_s, is_moving = frame.t_ns / _NS, bool(witness.moving)
        self._held.extend(self.listen(now_s))
        if is_moving:
            self._is_under_way, self._moved_s = True, now_s
        elif events or now_s - self._moved_s > _CALM_S:
            self._is_under_way = False
        yield from self._tell(events)
        if not self._is_under_way:
            yield from self._told_until(now_s)
        yield Places(t_s=picture.came_ns / _NS, balls=dict(witness.positions), is_moving=is_moving)

    def _tell(self, events: tuple[TableEvent, ...]) -> Iterator[TableMessage]:
        """Tell events; what was said before a strike is told before it."""
        if not events:
            return
        strikes = [event.t_s for event in events if isinstance(event, Strike)]
        if strikes:
            yield from self._told_until(strikes[0])
        yield Seen(events=events)

    def _told_until(self, t_s: float) -> Iterator[TableMessage]:
        while self._held and self._held[0].t_s <= t_s:
            told = self._held.popleft()
            yield told.what if told.at is None else _pointed_at(told.what, told.at, self.pipeline.witness.positions)

    def _vitals(self) -> Vitals:
        span_s = (self._came_ns[-1] - self._came_ns[0]) / _NS if len(self._came_ns) > 1 else 0.0
        trouble: Trouble | None = None
        detail = ""
        sighting = self.pipeline.sighting
        if sighting is not None and sighting.disturbed is not None:
            trouble, detail = "disturbed", sighting.disturbed
        return Vitals(
            picture_ns=self._came_ns[-1] if self._came_ns else None,
            fps=(len(self._came_ns) - 1) / span_s if span_s > 0 else 0.0,
            frames=self._frames,
            dropped=self._dropped,
            step_ms=self._step_ms,
            trouble=trouble,
            detail=detail,
        )


def _pointed_at(said: Said | Known, at: Point, seen: Mapping[Ball, Point]) -> Said | Known:
    """A call by the witness's own name of the ball: who calls one of two reds points at it."""
    match said:
        case Said(what=Announce(call=Call(ball=Ball() as ball) as call)) if ball.number is None:
            alike = [(place.distance_mm(at), other) for other, place in seen.items() if other.colour == ball.colour]
            distance_mm, nearest = min(alike, default=(math.inf, ball))
            return Said(what=Announce(replace(call, ball=nearest))) if distance_mm < _POINTED_MM else said
        case _:
            return said


def pictures_of(camera: Camera, *, speed: float | None = None) -> Iterator[Picture | None]:
    """The pictures of a source that waits for its reader; not faster than `speed` times life."""
    start_ns = time.monotonic_ns()
    while (frame := camera.read()) is not None:
        if speed is not None:
            time.sleep(max(0.0, (start_ns + frame.t_ns / speed - time.monotonic_ns()) / _NS))
        yield Picture(frame=frame, came_ns=time.monotonic_ns())


class Grabber:
    """Reads a live camera in a thread of its own and keeps the newest picture only."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._news = threading.Condition()
        self._newest: Frame | None = None
        self._failure: HardwareError | None = None
        self._is_over = False
        self._read = 0
        self._taken = 0
        self._thread = threading.Thread(target=self._grab, name="camera", daemon=True)

    def __enter__(self) -> Self:
        """Start reading."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop reading; a camera that blocks is left to die with the process."""
        del kind, error, traceback
        self._is_over = True
        self._thread.join(1.0)

    def pictures(self) -> Iterator[Picture | None]:
        """The newest picture each time, None when nothing came for a while; ends with the source.

        Raises:
            HardwareError: The camera has gone.
        """
        while True:
            with self._news:
                self._news.wait_for(lambda: self._newest or self._failure or self._is_over, timeout=VITALS_S)
                frame, self._newest = self._newest, None
                if frame is None and self._failure is not None:
                    raise self._failure
                if frame is None and self._is_over:
                    return
            if frame is None:
                yield None
                continue
            self._taken += 1
            yield Picture(frame=frame, came_ns=frame.t_ns, dropped=self._read - self._taken)

    def _grab(self) -> None:
        """The thread's work."""
        while not self._is_over:
            try:
                frame = self._camera.read()
            except ProtocolError:
                continue  # a torn picture; the next one may be whole
            except HardwareError as error:
                with self._news:
                    self._failure = error
                    self._news.notify()
                return
            with self._news:
                if frame is None:
                    self._is_over = True
                else:
                    self._newest = frame
                    self._read += 1
                self._news.notify()
