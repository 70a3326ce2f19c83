"""Whole virtual matches through the real pipeline: pictures in, strokes scored by the hub, nobody corrects anything.

The players enter their calls and answer truthfully what the rules ask; the match that comes of it is compared with the
one that was played. A stroke is wrong when it would not have counted what it was even with all before it right.
"""

import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2

from calibration.store import load_table_file
from hardware.boards.recorded import open_board
from hardware.frame import Frame
from hardware.signals import Drop
from hardware.virtual.match import MatchPlan
from hardware.virtual.performance import Performance, play_match
from hardware.virtual.recording import RecordingPlan, record
from scoring.commands import Answer, PlayShot, StartMatch
from scoring.events import Strike
from scoring.match import NO_MATCH, MatchState, Record
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Shot
from server.bench.matches import EventsPlan, rendered_frames, table_of
from server.bench.truthful import Effect, counts_right, effect_of, entered, first_answer, truthful_answers
from server.config import HallConfig, TableConfig
from server.hub import Hub
from server.journal import Journal
from server.looking import Looking, Picture, Told
from server.messages import Known, Said
from server.virtual_table import told_in
from vision.pipeline import Pipeline

Progress = Callable[[int, int], None]
WHOLE = 1000  # no match has so many strokes
_ID, _PLAYERS = "bench", ("A", "B")
_SAME_STROKE_S = 0.6
_MOST_ANSWERS = 8  # to one stroke
_NOTHING = Effect(own=0, others=0, passes=False, ends=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredStroke:
    """A stroke that was played, or (`number` None) one that nobody played; `difference` in words when it is wrong."""

    number: int | None
    t_s: float
    is_right: bool
    asked: bool = False
    difference: str = ""

    @property
    def is_silent(self) -> bool:
        """Whether it is wrong and nobody was asked."""
        return not self.is_right and not self.asked


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredMatch:
    """A match as it was scored, beside what it was."""

    seed: int
    strokes: tuple[ScoredStroke, ...]
    questions: int
    scores: tuple[int, ...]
    true_scores: tuple[int, ...]
    has_right_result: bool
    is_over: bool
    frames: int

    @property
    def is_exact(self) -> bool:
        """Whether every stroke is right."""
        return all(stroke.is_right for stroke in self.strokes)


def score_match(plan: EventsPlan, seed: int, progress: Progress = lambda _done, _all: None) -> ScoredMatch:
    """Play a match to its end (or for the plan's strokes), score what is seen of it, compare."""
    cv2.setNumThreads(1)
    match = MatchPlan(
        game=plan.game, seed=seed, difficulty=plan.difficulty, table=table_of(plan.game), players=_PLAYERS
    )
    performance = play_match(match, plan.strokes)
    with tempfile.TemporaryDirectory(prefix="cuemarker-bench-") as name:
        folder = Path(name)
        recording = RecordingPlan(size_px=plan.size_px, fps=plan.fps, has_sensors=plan.has_sensors, has_video=False)
        record(performance, recording, folder)
        table_file = load_table_file(folder / "table.toml")
        board = open_board(str(folder / "sensors.txt")) if plan.has_sensors else None
        script = _Script(performance=performance, start=_start(plan))
        looking = Looking(
            pipeline=Pipeline(table_file, balls=performance.balls),
            poll=_no_drops if board is None else board.poll,
            listen=script.told_until,
        )
        frames = rendered_frames(performance, recording, table_file.fps)
        shown = _Shown(frames, performance.timeline.duration_s, progress)
        config = HallConfig(tables=(TableConfig(id=_ID, name=_ID, source=f"virtual:{plan.game}"),))
        hub = Hub(config, lambda: Journal.open(f"sqlite:///{folder / 'journal.sqlite'}"))
        hub.open()
        try:
            _play(hub, looking, script, shown)
            return _compared(seed, script, hub.table(_ID).match, shown.count)
        finally:
            hub.close()


def _start(plan: EventsPlan) -> StartMatch:
    setup = Setup(game=plan.game, sides=singles(*_PLAYERS), table=table_of(plan.game))
    return StartMatch(setup, Beginning(phase=Phase.OPENING, shooter=_PLAYERS[0]))


@dataclass(slots=True)
class _Script:
    """What the players say, what they know, and how often they were asked about which stroke."""

    performance: Performance
    start: StartMatch
    truth: list[tuple[MatchState, Shot]] = field(default_factory=list)  # before each stroke, and it
    end: MatchState = NO_MATCH
    asked: dict[int, int] = field(default_factory=dict)  # by the record's number
    _told: deque[Told] = field(default_factory=deque)

    def __post_init__(self) -> None:
        """Score the match as it was played."""
        self.end = entered(NO_MATCH, self.start)
        for part in self.performance.timeline.parts:
            self.truth.append((self.end, part.shot))
            self.end = entered(self.end, PlayShot(part.shot))
            self._told.extend(told_in(part))

    def told_until(self, t_s: float) -> Iterator[Told]:
        """What has been said by now."""
        while self._told and self._told[0].t_s <= t_s:
            yield self._told.popleft()

    def answer(self, hub: Hub, number: int) -> None:
        """Answer what is asked after the n-th stroke."""
        before, shot = self.truth[number - 1]
        effect = effect_of(before, shot)
        for _ in range(_MOST_ANSWERS):
            match = hub.table(_ID).match
            question, about = match.pending, match.asking
            if question is None or about is None:
                return
            answers = truthful_answers(match, shot, effect)
            said = answers[0] if answers else first_answer(question, shot)
            if said is None:
                return
            self.asked[about.number] = self.asked.get(about.number, 0) + 1
            hub.give(_ID, Answer(said))


@dataclass(slots=True)
class _Shown:
    """Frames as pictures, counted."""

    frames: Iterator[Frame]
    duration_s: float
    progress: Progress
    count: int = 0

    def __iter__(self) -> Iterator[Picture]:
        """Each frame when it is asked for."""
        for frame in self.frames:
            self.count += 1
            self.progress(round(frame.t_ns * 1e-9), round(self.duration_s))
            yield Picture(frame=frame, came_ns=frame.t_ns)


def _play(hub: Hub, looking: Looking, script: _Script, shown: _Shown) -> None:
    """Let the hub hear all of it but the truth, which the script uses to answer."""
    hub.receive(_ID, Said(what=script.start))
    for message in looking.messages(shown):
        if isinstance(message, Known):
            script.answer(hub, message.number)
        else:
            hub.receive(_ID, message)


def _compared(seed: int, script: _Script, seen: MatchState, frames: int) -> ScoredMatch:
    scores, true_scores = seen.standing.scores, script.end.standing.scores
    return ScoredMatch(
        seed=seed,
        strokes=tuple(_strokes(script, seen)),
        questions=sum(script.asked.values()),
        scores=scores,
        true_scores=true_scores,
        has_right_result=(scores, seen.standing.winners) == (true_scores, script.end.standing.winners),
        is_over=script.end.standing.phase is Phase.OVER,
        frames=frames,
    )


def _strokes(script: _Script, seen: MatchState) -> Iterator[ScoredStroke]:
    """Every stroke that was played with what was seen of it, then what nobody played."""
    left = list(seen.records)
    for number, (before, shot) in enumerate(script.truth, 1):
        t_s = _struck_s(shot)
        near = [one for one in left if abs(_struck_s(one.shot) - t_s) <= _SAME_STROKE_S]
        if not near:
            yield ScoredStroke(number=number, t_s=t_s, is_right=False, difference="not seen")
            continue
        one = min(near, key=lambda record: abs(_struck_s(record.shot) - t_s))
        left.remove(one)
        asked = one.number in script.asked
        is_right = counts_right(before, shot, one.shot)
        difference = "" if is_right else _difference(effect_of(before, shot), seen, one)
        yield ScoredStroke(number=number, t_s=t_s, is_right=is_right, asked=asked, difference=difference)
    for one in left:
        if Effect.of(seen, one) != _NOTHING:
            difference = f"nobody played this: {_words(Effect.of(seen, one))}"
            asked = one.number in script.asked
            yield ScoredStroke(number=None, t_s=_struck_s(one.shot), is_right=False, asked=asked, difference=difference)


def _struck_s(shot: Shot) -> float:
    """When a stroke was struck; an entry without one belongs to no stroke."""
    return next((event.t_s for event in shot.events if isinstance(event, Strike)), float("-inf"))


def _difference(true: Effect, seen: MatchState, one: Record) -> str:
    return f"counted {_words(Effect.of(seen, one))} instead of {_words(true)}"


def _words(effect: Effect) -> str:
    turn = "ends the match" if effect.ends else "turn passes" if effect.passes else "plays on"
    return f"{effect.own:+d}/{effect.others:+d}, {turn}"


def _no_drops(now_ns: int) -> tuple[Drop, ...]:
    del now_ns
    return ()
