"""A stage for scripted cases: balls are laid, strokes played, hands and mishaps come when the script says so."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.gestures import PACES, make_carry
from hardware.virtual.intentions import Calls, Intention
from hardware.virtual.mishaps import NO_MISHAPS, Mishaps
from hardware.virtual.people import Actor
from hardware.virtual.physics import CueStroke, Motion, simulate
from hardware.virtual.player import Decision, Position
from hardware.virtual.scene import BallPose
from hardware.virtual.script import Bounced, Carried, Episode, Lying, Mover, Rolling, later, layout_of, lying_pose
from hardware.virtual.staging import Staging, random_turn
from hardware.virtual.touches import make_nudge, make_reach
from scoring.balls import Ball
from scoring.events import Moved, OffTable, Rest, Strike, TableEvent
from scoring.table import Point, Table

_STILLNESS_S = 1.5
_BETWEEN_S = 0.5
_ARM_HEIGHT_MM = 110.0
_BOUNCING_S = 0.55  # from the cushion to a person and back


@dataclass(slots=True)
class Stage:
    """Where a case is put together, one thing after the other; at least one of them is a stroke."""

    table: Table
    difficulty: Difficulty
    generator: np.random.Generator
    poses: dict[Ball, BallPose] = field(default_factory=dict)
    episodes: list[Episode] = field(default_factory=list)
    mishaps: Mishaps = NO_MISHAPS
    side: float = 0.0  # 1 as written, -1 mirrored; chosen when first asked for
    _now_s: float = _STILLNESS_S  # on the clock of the episode under way
    _first: dict[Ball, BallPose] = field(default_factory=dict)
    _movers: list[Mover] = field(default_factory=list)
    _actors: list[Actor] = field(default_factory=list)
    _events: list[TableEvent] = field(default_factory=list)

    def lay(self, places: Mapping[Ball, Point]) -> None:
        """Lay balls on the cloth before the case begins."""
        for ball, place in places.items():
            self.poses[ball] = lying_pose(ball, place, self.table, random_turn(self.generator))
        self._first = dict(self.poses)

    @property
    def layout(self) -> dict[Ball, Point]:
        """Where the balls lie now."""
        return layout_of(self.poses)

    @property
    def now_s(self) -> float:
        """When the next thing begins, on the clock of the whole case."""
        return sum(episode.duration_s for episode in self.episodes[:-1]) + self._now_s

    @property
    def strike_s(self) -> float:
        """When the last stroke was struck, on the clock of the whole case."""
        return sum(part.duration_s for part in self.episodes[:-1]) + self.episodes[-1].shot.events[0].t_s

    def wait(self, seconds: float) -> None:
        """Nothing happens for a while."""
        self._add(until_s=self._now_s + seconds)

    def imagine(self, stroke: CueStroke) -> Motion:
        """What a stroke would do now."""
        return simulate(self.table, self.layout, stroke)

    def strike(self, stroke: CueStroke, by: str = "A", during: Iterable[Callable[[float], Actor]] = ()) -> Motion:
        """Play a stroke; each of `during` makes somebody from the instant of the strike, on the episode's clock."""
        layout = self.layout
        motion = simulate(self.table, layout, stroke)
        staging = Staging(
            table=self.table,
            pace=PACES[self.difficulty],
            generator=self.generator,
            number=len(self.episodes) + 1,
            poses=dict(self.poses),
            ready_s=0.0 if self.episodes else self._now_s,
        )
        decision = Decision(layout=layout, stroke=stroke, motion=motion, intention=Intention.NOTHING, call=None)
        staging.can_be_seen(decision)
        position = Position(
            table=self.table, layout=layout, cue_ball=stroke.ball, targets=(), weights={}, calls=Calls.NOTHING
        )
        episode = staging.begin(position, decision, by=by)
        guests = [make(episode.shot.events[0].t_s) for make in during]
        movers, actors, events = episode.movers, episode.actors, episode.events
        if not self.episodes:
            movers = (Lying(poses=self._first), *self._movers, *movers[1:])
            actors, events = (*self._actors, *actors), (*self._events, *events)
        self.episodes.append(
            dataclasses.replace(episode, movers=movers, actors=(*actors, *guests), events=events, intention="")
        )
        self.poses, self._now_s = staging.poses, episode.duration_s
        return motion

    def strike_and_return(self, stroke: CueStroke, place: Point, back: CueStroke, by: str = "A") -> None:
        """Play a stroke whose ball leaves the table, alone, meets somebody and rolls back in from a place.

        `back` is how it comes in: a push that would set it going like that.
        """
        ball = stroke.ball
        motion = self.strike(stroke, by)
        last = self.episodes[-1]
        strike_s = last.shot.events[0].t_s
        gone = next(event for event in motion.events if isinstance(event, OffTable))
        onward = simulate(self.table, {**motion.rest, ball: place}, back)
        rolling = next(mover for mover in last.movers if isinstance(mover, Rolling))
        start = motion.pose(ball, gone.t_s - 0.02)
        assert start is not None, "the ball is over the cushion just then"
        bounce = Bounced(
            ball=ball,
            start_mm=start.center_mm,
            end_mm=(place.x_mm, place.y_mm, self.table.ball_radius_mm),
            moves_from_s=strike_s + gone.t_s - 0.02,
            lasts_s=_BOUNCING_S,
            turn=rolling.turns[ball],
        )
        back_s = bounce.moves_from_s + _BOUNCING_S
        turns = {each: pose.turn for each, pose in last.final_poses().items()} | {ball: bounce.turn}
        played = (
            *(later(e, strike_s) for e in motion.events if e.t_s <= gone.t_s and not isinstance(e, OffTable | Rest)),
            dataclasses.replace(gone, t_s=strike_s + gone.t_s, returned=True, on_rail=False),
            *(later(e, back_s) for e in onward.events if not isinstance(e, Strike)),
        )
        before = tuple(event for event in last.events if event.t_s < strike_s)
        self.episodes[-1] = dataclasses.replace(
            last,
            duration_s=max(last.duration_s, back_s + onward.duration_s + 1.0),
            movers=(*last.movers, bounce, Rolling(motion=onward, moves_from_s=back_s, turns=turns)),
            events=(*before, *played),
            shot=dataclasses.replace(last.shot, events=played),
        )
        self._now_s = self.episodes[-1].duration_s
        self.poses = dict(self.episodes[-1].final_poses())

    def carry(self, ball: Ball, target: Point | None, *, pocket: Point | None = None) -> None:
        """A hand brings a ball to a place, or takes it away; one that is not on the table comes out of a pocket."""
        pose = self.poses.get(ball)
        start = Point(pose.center_mm[0], pose.center_mm[1]) if pose else pocket
        pace = PACES[self.difficulty]
        carry = make_carry(self.table, start, target, self._now_s, pace=pace, generator=self.generator)
        carry = dataclasses.replace(carry, from_pocket=pose is None and pocket is not None)
        hand = Carried(ball=ball, carry=carry, turn=pose.turn if pose else random_turn(self.generator))
        moved = Moved(t_s=carry.set_s, ball=ball, origin=start if pose else None, target=target)
        self.poses.pop(ball, None)
        if target:
            self.poses[ball] = lying_pose(ball, target, self.table, hand.turn)
        self._add(until_s=carry.ends_s, actors=(carry,), movers=(hand,), events=(moved,) if pose or target else ())

    def reach(self, *places: Point, height_mm: float = _ARM_HEIGHT_MM, lasts_s: float = 3.0) -> None:
        """Somebody reaches over the table, along some places, and goes again."""
        reach = make_reach(self.table, places, self._now_s, lasts_s, height_mm=height_mm)
        self._add(until_s=reach.ends_s, actors=(reach,))

    def nudge(self, ball: Ball, target: Point) -> None:
        """A sleeve that goes over the table pushes a resting ball to another place."""
        pose = self.poses[ball]
        reach, nudged = make_nudge(self.table, pose, target, self._now_s)
        self.poses[ball] = lying_pose(ball, target, self.table, pose.turn)
        self._add(until_s=reach.ends_s, actors=(reach,), movers=(nudged,), events=(nudged.event,))

    def leave(self, make: Callable[[float], Actor], lasts_s: float = 0.0) -> None:
        """Somebody or something that is there from now on, made from the instant on the episode's clock."""
        self._add(until_s=self._now_s + lasts_s, actors=(make(self._now_s),))

    def _add(
        self,
        *,
        until_s: float,
        actors: tuple[Actor, ...] = (),
        movers: tuple[Mover, ...] = (),
        events: tuple[TableEvent, ...] = (),
    ) -> None:
        """Add something to the stroke before it, or to the time before the first stroke."""
        self._now_s = until_s + (_BETWEEN_S if actors else 0.0)
        if not self.episodes:
            self._actors += actors
            self._movers += movers
            self._events += events
            return
        last = self.episodes[-1]
        self.episodes[-1] = dataclasses.replace(
            last,
            duration_s=self._now_s,
            actors=(*last.actors, *actors),
            movers=(*last.movers, *movers),
            events=(*last.events, *events),
        )
