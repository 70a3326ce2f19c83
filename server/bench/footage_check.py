"""What was deduced from a real recording against what a person saw in it, in the picture's own terms."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.mapping import PlaneMap
from calibration.table_file import TableFile
from scoring.balls import Ball
from scoring.events import Contact, CushionHit, Potted, Strike
from scoring.table import Cushion, Pocket
from server.analysis import Analysis
from server.bench.footage import Footage, Pixel, Seen, Spread
from vision.overlay import Spot

KINDS = ("strike", "contact", "cushion", "pot")
_SOON_S = 1.0  # a ball that is followed only from then on lay there before
_NEAR_RADII = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCheck:
    """Events of one kind: how many surely happened, and which of all were found, missed, told without being seen."""

    kind: str
    sure: int
    found: int
    missed: tuple[Seen, ...]
    unseen: tuple[Seen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadCheck:
    """The balls in one frame: how many lay there, how many were followed, and of those marked how many were found."""

    frame: int
    true: int
    told: int
    marked: int
    found: int
    named: int
    errors_px: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FootageCheck:
    """All of one recording; `refused` says why it was not analysed."""

    name: str
    refused: str = ""
    corner_errors_px: Mapping[str, float]
    kinds: tuple[KindCheck, ...] = ()
    spreads: tuple[SpreadCheck, ...] = ()
    near_misses: int = 0
    near_misses_told_as_contacts: int = 0
    track_errors_px: tuple[float, ...] = ()
    track_frames: int = 0
    asks: int = 0

    @property
    def track_median_px(self) -> float | None:
        """The usual distance between a ball followed and where a person marked it."""
        return statistics.median(self.track_errors_px) if self.track_errors_px else None


class Checker:
    """Compares one analysis with its footage."""

    def __init__(self, footage: Footage, table_file: TableFile, analysis: Analysis) -> None:
        """Prepare the ways between table and picture."""
        self._footage, self._table_file, self._analysis = footage, table_file, analysis
        self._plane = PlaneMap(table_file.camera, table_file.table.ball_radius_mm)
        self._fps = table_file.fps or footage.fps
        self._radius_px = table_file.table.ball_radius_mm / float(
            np.mean(self._plane.mm_per_px(self._plane.to_px([(table_file.table.length_mm / 2, 0.0)])))
        )
        self._by_frame: dict[int, list[Spot]] = {}
        for spot in analysis.spots:
            self._by_frame.setdefault(round(spot.t_s * self._fps), []).append(spot)
        self._colours = self._colours_by_place()

    def check(self) -> FootageCheck:
        """All figures."""
        told = tuple(self._told())
        misses = self._footage.near_misses
        contacts = [one for one in told if one.kind == "contact"]
        wrong = sum(any(_agree(miss, one, "contact") for one in contacts) for miss in misses)
        errors, frames = self._track_errors()
        return FootageCheck(
            name=self._footage.name,
            corner_errors_px=corner_errors_px(self._footage, self._table_file),
            kinds=tuple(self._kind(kind, told) for kind in KINDS),
            spreads=tuple(self._spread(spread) for spread in self._footage.spreads),
            near_misses=len(misses),
            near_misses_told_as_contacts=wrong,
            track_errors_px=errors,
            track_frames=frames,
            asks=sum(event.flagged for event in self._analysis.events),
        )

    def _kind(self, kind: str, told: Sequence[Seen]) -> KindCheck:
        """Pair what was seen with what was told, the nearest first."""
        seen = [one for one in self._footage.seen if one.kind == kind]
        mine = [one for one in told if one.kind == kind]
        pairs = sorted(
            (abs(one.frame - other.frame), i, j)
            for i, one in enumerate(seen)
            for j, other in enumerate(mine)
            if _agree(one, other, kind)
        )
        rows: set[int] = set()
        columns: set[int] = set()
        for _, i, j in pairs:
            if i not in rows and j not in columns:
                rows.add(i)
                columns.add(j)
        return KindCheck(
            kind=kind,
            sure=sum(one.is_sure for one in seen),
            found=sum(seen[i].is_sure for i in rows),
            missed=tuple(one for i, one in enumerate(seen) if i not in rows and one.is_sure),
            unseen=tuple(one for j, one in enumerate(mine) if j not in columns),
        )

    def _told(self) -> Iterator[Seen]:
        """The events in the picture's terms."""
        for event in self._analysis.events:
            frame = round(event.t_s * self._fps)
            match event:
                case Strike():
                    yield Seen(kind="strike", colours=(self._colour(event.ball),), frame=frame, slack=0)
                case Contact():
                    pair = self._colour(event.ball), self._colour(event.other)
                    yield Seen(kind="contact", colours=pair, frame=frame, slack=0)
                case CushionHit() if not event.is_jaw and event.cushion is not None:
                    where = self._side(event.cushion)
                    yield Seen(kind="cushion", colours=(self._colour(event.ball),), frame=frame, slack=0, where=where)
                case Potted():
                    where = self._hole(event.pocket)
                    yield Seen(kind="pot", colours=(self._colour(event.ball),), frame=frame, slack=0, where=where)
                case _:
                    pass

    def _colour(self, ball: Ball) -> str:
        return self._colours.get(ball, ball.colour)

    def _colours_by_place(self) -> dict[Ball, str]:
        """Which ball of ours is which of the marked ones, by where it lay first, whatever we call it."""
        if not self._footage.spreads:
            return {}
        first = self._footage.spreads[0]
        return {ball: colour for ball, colour, _ in self._pairs(first.marked, self._first_places(first))}

    def _first_places(self, spread: Spread) -> dict[Ball, Pixel]:
        """Where balls are in a frame, or where they are followed first soon after it."""
        places: dict[Ball, Pixel] = {}
        for frame in range(spread.frame, spread.frame + int(_SOON_S * self._fps)):
            for ball, at in self._places(frame).items():
                places.setdefault(ball, at)
        return places

    def _places(self, frame: int) -> dict[Ball, Pixel]:
        spots = self._by_frame.get(frame, [])
        points = self._plane.to_px([(spot.place.x_mm, spot.place.y_mm) for spot in spots])
        return {spot.ball: (float(x), float(y)) for spot, (x, y) in zip(spots, points, strict=True) if spot.visible}

    def _pairs(
        self, marked: Sequence[tuple[str, Pixel]], places: Mapping[Ball, Pixel]
    ) -> list[tuple[Ball, str, float]]:
        """Ours with the marked ones near them, the nearest first, and how far apart they are, px."""
        pairs = sorted(
            (float(np.hypot(at[0] - there[0], at[1] - there[1])), index, ball)
            for index, (_, at) in enumerate(marked)
            for ball, there in places.items()
        )
        rows: set[int] = set()
        result: dict[Ball, tuple[Ball, str, float]] = {}
        for away, index, ball in pairs:
            if away < _NEAR_RADII * self._radius_px and index not in rows and ball not in result:
                rows.add(index)
                result[ball] = (ball, marked[index][0], away)
        return list(result.values())

    def _spread(self, spread: Spread) -> SpreadCheck:
        is_first = spread is self._footage.spreads[0]
        places = self._first_places(spread) if is_first else self._last_places(spread)
        pairs = self._pairs(spread.marked, places)
        return SpreadCheck(
            frame=spread.frame,
            true=spread.count,
            told=len(places),
            marked=len(spread.marked),
            found=len(pairs),
            named=sum(ball.colour == colour for ball, colour, _ in pairs),
            errors_px=tuple(away for _, _, away in pairs),
        )

    def _last_places(self, spread: Spread) -> dict[Ball, Pixel]:
        """Where balls are in a late frame, or in the last one that was looked at."""
        return self._places(min(spread.frame, max(self._by_frame, default=0)))

    def _track_errors(self) -> tuple[tuple[float, ...], int]:
        """Distances, px, in all frames in which both know where a ball is, and in how many a person does."""
        errors: list[float] = []
        frames = 0
        by_colour = {colour: ball for ball, colour in self._colours.items()}
        for colour, track in self._footage.tracks.items():
            ball = by_colour.get(colour)
            for frame, at in enumerate(track):
                frames += at is not None
                there = self._places(frame).get(ball) if ball is not None else None
                if at is not None and there is not None:
                    errors.append(float(np.hypot(at[0] - there[0], at[1] - there[1])))
        return tuple(errors), frames

    def _side(self, cushion: Cushion) -> str:
        """On which side of the picture a cushion is."""
        table = self._table_file.table
        half, middle = table.width_mm / 2, table.length_mm / 2
        places = {
            Cushion.LEFT: (middle, half),
            Cushion.RIGHT: (middle, -half),
            Cushion.FRONT: (0.0, 0.0),
            Cushion.REAR: (table.length_mm, 0.0),
        }
        (x, y), (from_x, from_y) = self._plane.to_px([places[cushion], (middle, 0.0)])
        if abs(x - from_x) > abs(y - from_y):
            return "right" if x > from_x else "left"
        return "bottom" if y > from_y else "top"

    def _hole(self, pocket: Pocket) -> str:
        """Which of TL TM TR BL BM BR (ML MR on an upright table) a pocket is in the picture."""
        table = self._table_file.table
        corner = table.pocket_corner(pocket)
        (x, y), (from_x, from_y), (far_x, far_y) = self._plane.to_px(
            [(corner.x_mm, corner.y_mm), (table.length_mm / 2, 0.0), (table.length_mm, 0.0)]
        )
        across, down = "R" if x > from_x else "L", "B" if y > from_y else "T"
        if not pocket.is_middle:
            return down + across
        return f"{down}M" if abs(far_x - from_x) > abs(far_y - from_y) else f"M{across}"


def corner_errors_px(footage: Footage, table_file: TableFile) -> dict[str, float]:
    """How far the corners of the noses are from where a person marked them."""
    table = table_file.table
    half = table.width_mm / 2
    corners = PlaneMap(table_file.camera, table.nose_height_mm).to_px(
        [(0.0, half), (0.0, -half), (table.length_mm, half), (table.length_mm, -half)]
    )
    return {
        name: float(np.hypot(*(corners - at).T).min())
        for name, at in footage.corners_px.items()
        if name not in footage.unsure_corners
    }


def _agree(seen: Seen, told: Seen, kind: str) -> bool:
    """Whether what was told is what was seen; balls whose colour we do not know may be any."""
    late = max(0, (seen.last_frame or seen.frame) - seen.frame) if kind == "pot" else 0
    is_in_time = -seen.slack <= told.frame - seen.frame <= seen.slack + late
    ways = (told.colours, told.colours[::-1])
    fits = any(all(b in (a, "unknown") for a, b in zip(seen.colours, way, strict=True)) for way in ways)
    return is_in_time and fits and (not seen.where or seen.where == told.where)
