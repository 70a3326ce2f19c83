"""Numbers of pyramid balls on virtual matches: how many balls are named after each stroke, and how many rightly."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import cv2

from calibration.store import load_table_file
from hardware.frame import Frame
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.match import MatchPlan
from hardware.virtual.performance import Performance, play_match
from hardware.virtual.picture import make_look, make_view
from hardware.virtual.picture.film import Film
from hardware.virtual.recording import RecordingPlan, record
from hardware.virtual.scene import Instant
from scoring.balls import Ball
from scoring.table import Point
from server.bench.intervals import Share
from server.bench.matches import table_of
from vision.pipeline import Pipeline

Progress = Callable[[int, int], None]
_SAME_PLACE_MM = 25.0
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersPlan:
    """What is played, and how it is seen."""

    strokes: int = 5
    game: str = "small-pyramid"
    difficulty: Difficulty = Difficulty.NORMAL
    fps: float = 60.0
    size_px: tuple[int, int] = (1920, 1080)


@dataclass(slots=True, kw_only=True)
class NumbersCount:
    """After each stroke: the numbered balls that lay there and were followed, the named ones, the rightly named.

    `told` are all names that balls had at any rest, each once: a ball and the name that it was given.
    """

    balls: list[int] = field(default_factory=list)
    named: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    told: set[tuple[int, Ball, Ball]] = field(default_factory=set)

    @property
    def told_right(self) -> Share:
        """Of the names that were told, those that were right."""
        return Share(count=sum(true == name for _, true, name in self.told), total=len(self.told))

    @property
    def named_share(self) -> Share:
        """Of the balls after the last stroke, those with a name."""
        return Share(count=self.named[-1] if self.named else 0, total=self.balls[-1] if self.balls else 0)

    def figures(self) -> dict[str, Any]:
        """All of it as JSON."""
        right, named = self.told_right, self.named_share
        return {
            "balls": self.balls,
            "named": self.named,
            "named_rightly": self.right,
            "names_told": right.total,
            "told_right": round(right.value, 4),
            "told_right_95": [round(end, 4) for end in right.interval],
            "named_share": round(named.value, 4),
            "named_share_95": [round(end, 4) for end in named.interval],
        }

    def lines(self) -> list[str]:
        """All of it for people."""
        right, named = self.told_right, self.named_share
        return [
            *(
                f"after stroke {stroke}: {named} of {balls} balls named, {right} rightly"
                for stroke, (balls, named, right) in enumerate(zip(self.balls, self.named, self.right, strict=True), 1)
            ),
            f"names told: {right.count} of {right.total} right, {_percent(right)}",
            f"named after the last stroke: {named.count} of {named.total}, {_percent(named)}",
        ]

    def add(self, other: "NumbersCount") -> None:
        """Add another match, stroke by stroke."""
        self.balls = _sums(self.balls, other.balls)
        self.named = _sums(self.named, other.named)
        self.right = _sums(self.right, other.right)
        self.told |= other.told


def count_numbers(plan: NumbersPlan, seed: int, progress: Progress = lambda _done, _all: None) -> NumbersCount:
    """Play a match, look at it and compare names after each stroke."""
    cv2.setNumThreads(1)
    match = MatchPlan(game=plan.game, seed=seed, difficulty=plan.difficulty, table=table_of(plan.game))
    performance = play_match(match, plan.strokes)
    timeline = performance.timeline
    with tempfile.TemporaryDirectory(prefix="cuemarker-bench-") as name:
        folder = Path(name)
        record(performance, RecordingPlan(size_px=plan.size_px, fps=plan.fps, has_video=False), folder)
        pipeline = Pipeline(load_table_file(folder / "table.toml"), balls=performance.balls)
    count = NumbersCount()
    ends = [part.ends_s for part in timeline.parts]
    for index, frame in enumerate(_filmed(performance, plan)):
        pipeline.step(frame)
        progress(index + 1, round(timeline.duration_s * plan.fps))
        t_s = frame.t_ns / _NS_PER_S
        if t_s + 2.5 / plan.fps >= ends[len(count.balls)]:
            _compare(count, seed, timeline.at(t_s), pipeline)
            if len(count.balls) == len(ends):
                break
    return count


def _sums(ones: list[int], others: list[int]) -> list[int]:
    return [one + other for one, other in zip_longest(ones, others, fillvalue=0)]


def _percent(share: Share) -> str:
    low, high = share.interval
    return f"{share.value:.1%} ({low:.1%} to {high:.1%})"


def _compare(count: NumbersCount, seed: int, instant: Instant, pipeline: Pipeline) -> None:
    """Compare who lies where."""
    seen = pipeline.witness.positions
    balls = named = right = 0
    for pose in instant.balls:
        if pose.ball.number is None or not seen:
            continue
        place = Point(pose.center_mm[0], pose.center_mm[1])
        name = min(seen, key=lambda ball: seen[ball].distance_mm(place))
        if seen[name].distance_mm(place) > _SAME_PLACE_MM:
            continue
        balls += 1
        if not name.is_unknown:
            named += 1
            right += name == pose.ball
            count.told.add((seed, pose.ball, name))
    count.balls.append(balls)
    count.named.append(named)
    count.right.append(right)


def _filmed(performance: Performance, plan: NumbersPlan) -> Iterator[Frame]:
    """The frames as the virtual camera gives them."""
    table, seed, difficulty = performance.table, performance.seed, performance.difficulty
    look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
    film = Film(table, make_view(table, seed, difficulty, plan.size_px), look)
    for index in range(int(performance.timeline.duration_s * plan.fps)):
        pixels = film.frame(performance.timeline, index / plan.fps)
        yield Frame(t_ns=round(index / plan.fps * _NS_PER_S), index=index, pixels=pixels)
