"""The virtual table as a source: virtual players play before a rendered camera, and say what they call.

Its time waits for the witness: no picture is dropped, so a slow machine plays slowly and scores rightly.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Self

import numpy as np

from calibration.table_file import BallSet, TableFile
from hardware.camera import split_options
from hardware.errors import DeviceMisconfiguredError
from hardware.virtual.board import MANNERS, VirtualBoard, VirtualSensors
from hardware.virtual.camera import VirtualCamera
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.picture import Renderer, make_look, make_view, true_table_file
from hardware.virtual.scene import Instant
from hardware.virtual.timeline import Placed, placed
from scoring.commands import Announce, StartMatch
from scoring.table import Point, Table
from server.looking import Told
from server.messages import Known, Said
from server.table_process import TableTask

FPS = 30.0
_PLAYERS = ("Anna", "Boris")
_OPTIONS = frozenset({"seed", "difficulty", "skill"})
_TEN_FEET = Table(length_mm=2840.0, width_mm=1420.0)
_SENSORS = 13  # their chance differs from the players'


def usual_table(game: str) -> Table:
    """The table on which a game is usually played."""
    return _TEN_FEET if game == "kaisa" else Table()


def told_in(part: Placed) -> Iterator[Told]:
    """What the players say in an episode: the call, and at its end what really happened."""
    for said in part.said:
        places = {pose.ball: pose.center_mm for pose in part.at(said.t_s).balls}
        at = places.get(said.call.ball) if said.call.ball else None
        called = Said(what=Announce(said.call))
        yield Told(t_s=said.t_s, what=called, at=Point(at[0], at[1]) if at else None)
    yield Told(t_s=part.ends_s, what=Known(number=part.episode.number, shot=part.shot))


@dataclass(slots=True)
class VirtualPlay:
    """Episodes as a Scene, each made shortly before it begins; only the latest two can be looked at."""

    table: Table
    episodes: Iterator[Placed]
    sensors: VirtualSensors
    _parts: deque[Placed] = field(default_factory=lambda: deque(maxlen=2))
    _told: deque[Told] = field(default_factory=deque)
    _is_over: bool = False

    def __post_init__(self) -> None:
        """Make the first episode."""
        self._make_next()

    @property
    def duration_s(self) -> float:
        """When the last episode ends; without end while there are more."""
        return self._parts[-1].ends_s if self._is_over and self._parts else 0.0 if self._is_over else float("inf")

    def at(self, t_s: float) -> Instant:
        """What can be seen at an instant."""
        while not self._is_over and self._parts[-1].starts_s <= t_s:
            self._make_next()
        part = self._parts[0]
        for later in self._parts:
            part = later if later.starts_s <= t_s else part
        return part.at(t_s)

    def told_until(self, t_s: float) -> Iterator[Told]:
        """What the players have said by now and is not told yet."""
        while self._told and self._told[0].t_s <= t_s:
            yield self._told.popleft()

    def _make_next(self) -> None:
        part = next(self.episodes, None)
        if part is None:
            self._is_over = True
            return
        self._parts.append(part)
        self._told.extend(told_in(part))
        self.sensors.tell(part.pots)


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualMatchSource:
    """One virtual match before a camera: everything a real table has, and what its players say."""

    start: StartMatch
    play: VirtualPlay
    camera: VirtualCamera
    board: VirtualBoard


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VirtualTable:
    """A room with a virtual table; matches are played in it one after another."""

    plan: MatchPlan
    renderer: Renderer
    table_file: TableFile

    @classmethod
    def open(cls, task: TableTask) -> Self:
        """Open `virtual:GAME?seed=1&difficulty=easy&skill=0.8`.

        Raises:
            DeviceMisconfiguredError: The address makes no sense.
        """
        game, options = split_options(task.config.source.removeprefix("virtual:"), _OPTIONS)
        players = task.config.default.players
        try:
            plan = MatchPlan(
                game=game,
                seed=int(options.get("seed", "1")),
                difficulty=Difficulty(options.get("difficulty", "easy")),
                skill=float(options.get("skill", "0.8")),
                table=usual_table(game),
                players=(players[0], players[1]) if len(players) == 2 else _PLAYERS,
            )
            match = VirtualMatch(plan)
        except ValueError as error:
            message = f"table {task.config.id}: {task.config.source} makes no sense: {error}; see source"
            raise DeviceMisconfiguredError(message) from error
        table, seed, difficulty = plan.table, plan.seed, plan.difficulty
        look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
        view = make_view(table, seed, difficulty)
        renderer = Renderer(table, view, look)
        balls = match.script.balls
        colours = {ball.colour: renderer.colour_of(ball) for ball in balls}
        table_file = true_table_file(table, view, look, balls=balls, source=task.config.source)
        table_file = replace(table_file, fps=FPS, ball_set=BallSet(balls=balls, colours=colours))
        return cls(plan=plan, renderer=renderer, table_file=table_file)

    def match(self, number: int, *, skip: int = 0, strokes: int | None = None) -> VirtualMatchSource:
        """The n-th match in this room without its first `skip` strokes; it ends after `strokes` when given."""
        match = VirtualMatch(replace(self.plan, seed=self.plan.seed + number))
        start = match.referee.state.entries[0].what
        assert isinstance(start, StartMatch)
        sensors = VirtualSensors(
            MANNERS[self.plan.difficulty], np.random.default_rng([self.plan.seed + number, _SENSORS])
        )
        play = VirtualPlay(self.plan.table, placed(islice(match, skip, strokes)), sensors)
        return VirtualMatchSource(
            start=start, play=play, camera=VirtualCamera(self.renderer, play, fps=FPS), board=VirtualBoard(sensors)
        )
