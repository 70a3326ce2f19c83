"""Real recordings with what a person saw in them: `NAME.truth.json` (billiards-truth/1) and `NAME.tracks.json`."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from calibration.table_file import BallSet
from scoring.balls import Ball
from scoring.table import Table
from server.errors import ServerError

Pixel: TypeAlias = tuple[float, float]

_SCHEMA = "billiards-truth/1"
_SLOW_FPS = 20.0
_SLOW_SLACK = 2  # frames more at such rates
_VIDEOS = (".mp4", ".mov", ".mkv", ".avi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """A sort of table: its usual size, its balls (none named: any), and whether every cushion hit was annotated."""

    word: str
    table: Table
    balls: tuple[Ball, ...] = ()
    is_complete: bool = False


_COLOURS = ("yellow", "green", "brown", "blue", "pink", "black")
SORTS = (
    Sort(
        word="carom",
        table=Table(length_mm=2840, width_mm=1420, ball_mm=61.5, pockets=None),
        balls=(Ball("white"), Ball("yellow"), Ball("red")),
        is_complete=True,
    ),
    Sort(
        word="snooker",
        table=Table(length_mm=3569, width_mm=1778, ball_mm=52.5),
        balls=(Ball("white"), *map(Ball, _COLOURS), *(Ball(f"red-{number}") for number in range(1, 16))),
    ),
    Sort(
        word="UK pool",
        table=Table(length_mm=1828, width_mm=914, ball_mm=50.8),
        balls=(
            Ball("white"),
            Ball("black"),
            *(Ball(f"{colour}-{number}") for colour in ("red", "yellow") for number in range(1, 8)),
        ),
    ),
    Sort(word="pool", table=Table(length_mm=2540, width_mm=1270, ball_mm=57.2)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One thing that a person saw: what, of which colours, in which frame, give or take `slack` frames."""

    kind: str
    colours: tuple[str, ...]
    frame: int
    slack: int
    where: str = ""  # a cushion or a pocket as it lies in the picture
    is_sure: bool = True
    last_frame: int | None = None

    def __str__(self) -> str:
        """Said shortly."""
        place = f" {self.where}" if self.where else ""
        return f"{self.kind} {'-'.join(self.colours)}{place} at frame {self.frame}{'' if self.is_sure else ' (unsure)'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The balls in one frame: how many, and those whose middles were marked, with their colours."""

    frame: int
    count: int
    marked: tuple[tuple[str, Pixel], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Footage:
    """A recording and its truth; `corners_px` by TL TR BR BL, `tracks` by colour, a place or None a frame."""

    name: str
    video: Path
    sort: Sort
    fps: float
    corners_px: Mapping[str, Pixel]
    unsure_corners: frozenset[str]
    moves: bool  # the camera does
    seen: tuple[Seen, ...]
    near_misses: tuple[Seen, ...]
    spreads: tuple[Spread, ...]
    tracks: Mapping[str, list[Pixel | None]]

    @property
    def ball_set(self) -> BallSet:
        """The balls that may lie on the table."""
        return BallSet(balls=self.sort.balls)


def footage_in(folder: Path) -> list[Footage]:
    """All recordings of a folder that have a truth file.

    Raises:
        ServerError: there is none, or one is not what it should be.
    """
    paths = sorted(folder.glob("*.truth.json"))
    if not paths:
        message = f"{folder} holds no NAME.truth.json: name a folder with recordings and their truth files"
        raise ServerError(message)
    return [_read(path) for path in paths]


def _read(path: Path) -> Footage:
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        if given.get("schema") != _SCHEMA:
            message = f"{path}: the schema is {given.get('schema')!r}, not {_SCHEMA}"
            raise ServerError(message)
        return _footage(path, given)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"{path} is no truth file that can be read: {error!r}"
        raise ServerError(message) from error


def _footage(path: Path, given: Mapping[str, Any]) -> Footage:
    name = path.name.removesuffix(".truth.json")
    videos = [video for suffix in _VIDEOS if (video := path.with_name(name + suffix)).exists()]
    if not videos:
        message = f"{path}: there is no video {name} beside it"
        raise ServerError(message)
    table = given.get("table") or {}
    corners = table.get("corners_nose") or {}
    fps = float(given["fps_header"])
    tracks_path = path.with_name(f"{name}.tracks.json")
    tracks = json.loads(tracks_path.read_text(encoding="utf-8"))["balls"] if tracks_path.exists() else {}
    return Footage(
        name=name,
        video=videos[0],
        sort=next((sort for sort in SORTS if sort.word in given["game"]), SORTS[-1]),
        fps=fps,
        corners_px={key: _pixel(corners[key]) for key in ("TL", "TR", "BR", "BL") if key in corners},
        unsure_corners=frozenset(corners.get("uncertain", ())),
        moves="corners_nose_end" in table,
        seen=tuple(_all_seen(given["shots"], _SLOW_SLACK if fps < _SLOW_FPS else 0)),
        near_misses=tuple(_near_misses(given)),
        spreads=tuple(_spread(given[key]) for key in ("balls_start", "balls_end") if given.get(key)),
        tracks={colour: [_pixel(at) if at else None for at in places] for colour, places in tracks.items()},
    )


def _pixel(at: list[float]) -> Pixel:
    return float(at[0]), float(at[1])


def _spread(given: Mapping[str, Any]) -> Spread:
    marked = tuple((_colour(ball["color"]), _pixel(ball["px"])) for ball in given.get("balls", ()) if ball.get("px"))
    return Spread(frame=given["frame"], count=given["count"], marked=marked)


def _colour(words: str) -> str:
    """The colour of `red solid` or `yellow (orange tone)`."""
    return words.split(maxsplit=1)[0]


def _all_seen(shots: list[Mapping[str, Any]], more: int) -> Iterator[Seen]:
    for shot in shots:
        strike = shot.get("strike")
        if strike:
            yield _one("strike", strike | {"ball": shot["cue_ball"]}, more)
        for kind, key in (("contact", "contacts"), ("cushion", "cushions"), ("pot", "pots")):
            yield from (_one(kind, given, more) for given in shot.get(key, ()))


def _one(kind: str, given: Mapping[str, Any], more: int) -> Seen:
    """One event of a shot; `more` frames of slack beyond its own."""
    balls = [given[key] for key in ("ball", "a", "b") if key in given]
    where: str = given.get("cushion") or given.get("pocket") or ""
    return Seen(
        kind=kind,
        colours=tuple(_colour(ball) for ball in balls),
        frame=given["frame"] if "frame" in given else given["frame_enter"],
        slack=int(given.get("tol", 1)) + more,
        where=where.split(" ", 1)[0],
        is_sure=not given.get("uncertain", False),
        last_frame=given.get("last_visible_frame"),
    )


def _near_misses(given: Mapping[str, Any]) -> Iterator[Seen]:
    """Passes without contact, written as `yellow passes white at frame 104: ...`."""
    lines = [*given.get("near_misses", ()), *(line for shot in given["shots"] for line in shot.get("near_misses", ()))]
    for line in lines:
        found = re.match(r"(\w+) passes (\w+) at frame (\d+)", line)
        if found:
            yield Seen(kind="near miss", colours=(found[1], found[2]), frame=int(found[3]), slack=8)
