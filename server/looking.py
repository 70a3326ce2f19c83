"""What a table's process does with pictures: vision looks at each, and the hub hears what came of it."""

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from hardware.camera import Camera
from hardware.frame import Frame
from hardware.signals import Drop
from scoring.balls import Ball
from scoring.commands import Announce
from scoring.events import Strike, TableEvent
from scoring.shots import Call
from scoring.table import Pocket, Point
from server.messages import CameraFigures, Known, Places, Said, Seen, Supposed, TableMessage, Trouble, Vitals
from server.recorder import RECORDED_PATIENCE_S, StrokeRecorder
from vision.pipeline import Pipeline

VITALS_S = 0.25
_NS = 1_000_000_000
_CALM_S = 1.0
_POINTED_MM = 60.0
_BLIND = ("starting", "no_picture", "not_calibrated", "camera_moved")  # the last picture is of no interest then
_MEMORY = 60  # pictures over which the rate is measured
_SLOW_S, _SLOW_SHARE = 6.0, 0.3  # pictures that came too fast: a computer that loses so many for so long is too slow


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
    that it follows. `ailment` tells what is wrong with the devices, and a line for people; `figures` what the camera
    achieves, `deaf` which pockets' sensors would not tell of a ball.
    """

    pipeline: Pipeline
    poll: Callable[[int], Iterable[Drop]]
    listen: Callable[[float], Iterable[Told]] = lambda _: ()
    ailment: Callable[[], tuple[Trouble, str] | None] = lambda: None
    figures: Callable[[], CameraFigures | None] = lambda: None
    deaf: Callable[[], frozenset[Pocket]] = frozenset
    recorder: StrokeRecorder | None = None
    _held: deque[Told] = field(default_factory=deque)
    _is_under_way: bool = False
    _moved_s: float = 0.0
    _seen_s: float = 0.0
    _came_ns: deque[int] = field(default_factory=lambda: deque(maxlen=_MEMORY))
    _frames: int = 0
    _dropped: int = 0
    _step_ms: float = 0.0
    _told_s: float = 0.0
    _drops: list[Drop] = field(default_factory=list)
    _counts: deque[tuple[float, int, int]] = field(default_factory=deque)  # when, pictures looked at, and dropped

    def messages(self, pictures: Iterable[Picture]) -> Iterator[TableMessage]:
        """Look at every picture of a source that ends, and tell what is seen; such a source waits for its clips."""
        if self.recorder is not None:
            self.recorder.patience_s = RECORDED_PATIENCE_S
        for picture in pictures:
            yield from self.step(picture)
        yield from self.finish()

    @property
    def quiet_s(self) -> float:
        """For how long nothing has moved on the table, in the pictures' time."""
        return self._seen_s - self._moved_s

    def hold(self, picture: Picture) -> Iterator[TableMessage]:
        """A picture has come that one cannot score with: nobody looks at it, and what the pockets say is forgotten."""
        self._count(picture)
        self.poll(picture.frame.t_ns)
        self._drops.clear()
        yield from self._tell_vitals()

    def begin_anew(self, pipeline: Pipeline) -> None:
        """Look with fresh eyes: nobody knows what was done on the table while nothing was seen."""
        self.pipeline, self._is_under_way = pipeline, False
        if self.recorder is not None:
            self.recorder.begin_anew()
        self._drops.clear()
        self._counts.clear()

    def step(self, picture: Picture | None) -> Iterator[TableMessage]:
        """Look at one picture (None: nothing has come for a while) and tell what is seen."""
        if picture is None:
            self._drops += self.poll(time.monotonic_ns())
        else:
            yield from self._look(picture)
        yield from self._tell_vitals()

    def finish(self) -> Iterator[TableMessage]:
        """Tell what was still open when the source ended."""
        yield from self._tell(self.pipeline.finish())
        self._held.extend(self.listen(float("inf")))
        yield from self._told_until(float("inf"))

    def _look(self, picture: Picture) -> Iterator[TableMessage]:
        frame, witness = picture.frame, self.pipeline.witness
        if self.recorder is not None and frame.view == 0:
            self.recorder.see(frame)
        began_s = time.perf_counter()
        events = self.pipeline.step(frame, (*self._drops, *self.poll(frame.t_ns)))
        self._drops.clear()
        took_ms = (time.perf_counter() - began_s) * 1000
        self._step_ms += (took_ms - self._step_ms) / min(self._frames + 1, 30)
        self._count(picture)
        witness.tracks()  # the list for recordings; here it would only grow
        now_s = self._seen_s = frame.t_ns / _NS
        is_moving = bool(witness.moving)
        self._held.extend(self.listen(now_s))
        if is_moving:
            self._is_under_way, self._moved_s = True, now_s
        elif events or now_s - self._moved_s > _CALM_S:
            self._is_under_way = False
        supposed = witness.provisional()
        if supposed:
            yield Supposed(events=supposed)
        yield from self._tell(events)
        if not self._is_under_way:
            yield from self._told_until(now_s)
        yield Places(t_s=picture.came_ns / _NS, balls=dict(witness.positions), is_moving=is_moving)

    def _count(self, picture: Picture) -> None:
        self._frames, self._dropped = self._frames + 1, picture.dropped
        self._came_ns.append(picture.came_ns)

    def _tell_vitals(self) -> Iterator[TableMessage]:
        if time.monotonic() - self._told_s >= VITALS_S:
            self._told_s = time.monotonic()
            self.pipeline.witness.deaf = self.deaf()
            yield self._vitals()

    def _tell(self, events: tuple[TableEvent, ...]) -> Iterator[TableMessage]:
        """Tell events; what was said before a strike is told before it."""
        if not events:
            return
        strikes = [event.t_s for event in events if isinstance(event, Strike)]
        if strikes:
            yield from self._told_until(strikes[0])
        yield Seen(events=events)
        if self.recorder is not None:
            for event in events:
                self.recorder.hear(event)

    def _told_until(self, t_s: float) -> Iterator[TableMessage]:
        while self._held and self._held[0].t_s <= t_s:
            told = self._held.popleft()
            yield told.what if told.at is None else _pointed_at(told.what, told.at, self.pipeline.witness.positions)

    def _vitals(self) -> Vitals:
        span_s = (self._came_ns[-1] - self._came_ns[0]) / _NS if len(self._came_ns) > 1 else 0.0
        trouble, detail = self.ailment() or self._slowness() or self._dimness() or (None, "")
        sighting = self.pipeline.sighting
        if trouble not in _BLIND and sighting is not None and sighting.disturbed is not None:
            trouble, detail = "disturbed", sighting.disturbed
        return Vitals(
            picture_ns=self._came_ns[-1] if self._came_ns else None,
            fps=(len(self._came_ns) - 1) / span_s if span_s > 0 else 0.0,
            frames=self._frames,
            dropped=self._dropped,
            step_ms=self._step_ms,
            camera=self.figures(),
            trouble=trouble,
            detail=detail,
            clips="" if self.recorder is None else self.recorder.trouble,
        )

    def _dimness(self) -> tuple[Trouble, str] | None:
        """What keeps vision from seeing as well as it should."""
        ailment = self.pipeline.ailment
        return None if ailment is None else (ailment.kind, ailment.detail)

    def _slowness(self) -> tuple[Trouble, str] | None:
        """Whether so many pictures come too fast, for so long, that the computer must be too slow."""
        now_s = time.monotonic()
        self._counts.append((now_s, self._frames, self._dropped))
        while len(self._counts) > 1 and self._counts[1][0] <= now_s - _SLOW_S:
            self._counts.popleft()
        since_s, frames, dropped = self._counts[0]
        frames, dropped = self._frames - frames, self._dropped - dropped
        if now_s - since_s < _SLOW_S or dropped <= _SLOW_SHARE * (frames + dropped):
            return None
        return "slow", f"{dropped} of {frames + dropped} pictures came too fast: a picture takes {self._step_ms:.0f} ms"


def _pointed_at(said: Said | Known, at: Point, seen: Mapping[Ball, Point]) -> Said | Known:
    """A call by the witness's own name of the ball: who calls one of two reds points at it."""
    match said:
        case Said(what=Announce(call=Call(ball=Ball() as ball) as call)) if ball.number is None:
            alike = [(place.distance_mm(at), other) for other, place in seen.items() if other.colour == ball.colour]
            distance_mm, nearest = min(alike, default=(math.inf, ball))
            return Said(what=Announce(replace(call, ball=nearest))) if distance_mm < _POINTED_MM else said
        case _:
            return said


def pictures_of(camera: Camera, *, speed: float | None = None) -> Iterator[Picture]:
    """The pictures of a source that waits for its reader; not faster than `speed` times life."""
    start_ns = time.monotonic_ns()
    while (frame := camera.read()) is not None:
        if speed is not None:
            time.sleep(max(0.0, (start_ns + frame.t_ns / speed - time.monotonic_ns()) / _NS))
        yield Picture(frame=frame, came_ns=time.monotonic_ns())
