"""A second, slow look at a stroke's clip: every picture once more, with fresh eyes, and what they saw drawn in.

It runs in a process of its own and gives a shot in the words of the first look: the same clock, the same balls.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

import cv2
import numpy as np

from calibration.store import load_table_file
from calibration.table_file import TableFile
from hardware.camera import open_camera
from hardware.signals import Drop
from scoring.ball_numbers import renamed
from scoring.balls import Ball
from scoring.errors import CuemarkerError
from scoring.events import Potted
from scoring.games import game_named
from scoring.shots import Shot
from scoring.table import Point
from server.analysis import Analysis, Job, analyze_source, write_overlay
from server.clips import Examination
from server.config import TableConfig
from server.errors import ServerError
from server.strokes import Stroke, StrokeGrouper
from server.table_process import TableTask

_NICE = 10
_NEAR_MM = 80.0
_NS = 1_000_000_000
_NEAR_S = 1.0  # the stroke that is meant begins so near to where the first look saw it begin


@dataclass(slots=True)
class _KnownDrops:
    """What the pocket sensors said at the time, on the clip's clock."""

    drops: list[Drop]

    def poll(self, now_ns: int) -> list[Drop]:
        """Those until now."""
        due = [drop for drop in self.drops if drop.t_ns <= now_ns]
        self.drops = [drop for drop in self.drops if drop.t_ns > now_ns]
        return due

    def close(self) -> None:
        """Nothing is held."""


def run_examination(task: Examination, pipe: Connection) -> None:
    """A process's work: the shot as soon as it is read, None when it is drawn too, or in one line what failed."""
    os.nice(_NICE)
    cv2.setNumThreads(1)
    try:
        look = SecondReading(task)
        pipe.send(look.shot())
        look.draw()
        pipe.send(None)
    except CuemarkerError as error:
        pipe.send(str(error))
        sys.exit(1)


class SecondReading:
    """A clip read once more.

    Raises:
        CuemarkerError: The clip cannot be read.
    """

    def __init__(self, task: Examination) -> None:
        clip = task.clip
        self._task, self._shift_s = task, (clip.strike_ms - clip.lead_ms) / 1000
        with open_camera(str(clip.path)) as video:
            table_file = _scaled(_table_file(task.config), video.size_px)
        drops = [
            Drop(
                t_ns=round((event.t_s - self._shift_s) * _NS),
                pocket=event.pocket,
                blocked_ms=100,
                confidence=event.confidence,
            )
            for event in task.shot.events
            if isinstance(event, Potted) and "sensor" in event.sources
        ]
        balls = game_named(task.game).balls
        self._job = Job(source=str(clip.path), table_file=table_file, balls=balls, board=_KnownDrops(drops))
        self._analysis = analyze_source(self._job, lambda _: None)

    def shot(self) -> Shot:
        """What it saw, in the words of the first look.

        Raises:
            ServerError: The clip shows no stroke from its beginning to rest.
        """
        first = self._task.shot
        stroke = _stroke_in(self._analysis, self._task.clip.lead_ms / 1000)
        events = tuple(replace(event, t_s=event.t_s + self._shift_s) for event in stroke.events)
        seen = Shot(before=stroke.before, events=events)
        named = renamed(seen, names_of(stroke.before or {}, first.before or {}))
        return replace(first, events=named.events, before=first.before or named.before)

    def draw(self) -> None:
        """Leave a copy of the clip with what was seen drawn in; it appears whole or not at all."""
        clip = self._task.clip
        unfinished = clip.path.with_name(f".{clip.drawn.name}")
        try:
            write_overlay(self._job, self._analysis, unfinished)
            unfinished.replace(clip.drawn)
        finally:
            unfinished.unlink(missing_ok=True)


def _table_file(config: TableConfig) -> TableFile:
    if config.table_file is not None:
        return load_table_file(config.table_file)
    if not config.is_virtual:
        message = f"table {config.id} has no table file: a second look needs to know how its camera stands"
        raise ServerError(message)
    from server.virtual_table import VirtualTable  # noqa: PLC0415 (real tables need none of it)

    return VirtualTable.open(TableTask(config=config)).table_file


def _scaled(table_file: TableFile, size_px: tuple[int, int]) -> TableFile:
    """The table as a picture of another size shows it; pixel centres stay where they are."""
    camera = table_file.camera
    across, down = size_px[0] / camera.size_px[0], size_px[1] / camera.size_px[1]
    moved = np.array([[across, 0.0, (across - 1) / 2], [0.0, down, (down - 1) / 2], [0.0, 0.0, 1.0]])
    return replace(table_file, camera=replace(camera, size_px=size_px, matrix=moved @ camera.matrix))


def _stroke_in(analysis: Analysis, lead_s: float) -> Stroke:
    """The stroke that begins where the first look saw one begin."""
    grouper = StrokeGrouper()
    strokes = [found for event in analysis.events if isinstance(found := grouper.take(event), Stroke)]
    near = min(strokes, key=lambda stroke: abs(stroke.events[0].t_s - lead_s), default=None)
    if near is None or abs(near.events[0].t_s - lead_s) > _NEAR_S:
        message = "the second look saw no stroke from its beginning to rest in the clip"
        raise ServerError(message)
    return near


def names_of(seen: Mapping[Ball, Point], known: Mapping[Ball, Point]) -> dict[Ball, Ball]:
    """The first look's names of the balls that a second one sees: of those alike, the nearest to where each lay."""
    pairs = sorted(
        (at.distance_mm(place), ball, other)
        for ball, at in seen.items()
        for other, place in known.items()
        if at.distance_mm(place) < _NEAR_MM and (ball.is_unknown or ball.colour == other.colour)
    )
    names: dict[Ball, Ball] = {}
    for _, ball, other in pairs:
        if ball not in names and other not in names.values():
            names[ball] = other
    left = {names.get(ball, ball) for ball in seen}
    if len(left) < len(seen):  # one of two that are alike lay elsewhere before: nobody can tell which is which
        return {}
    return {ball: name for ball, name in names.items() if ball != name}
