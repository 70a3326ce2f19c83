"""Finds the table in a picture with no clicks: its cloth, its cushions' noses, its pockets. It invents none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import cv2
import numpy as np

from calibration.camera import Array
from calibration.cloth import ClothArea, Picture, cloth_areas
from calibration.errors import NoTableError
from calibration.legible import is_blurred, why_unusable
from calibration.noses import CushionLines, EdgeLine, cushion_lines
from calibration.pocket_marks import PocketMarks, look_for_pockets
from calibration.quadrilateral import Quadrilateral, Side, crossing, cut_off_sides, quadrilateral_of
from calibration.shown import shown_table

_LEAST_SIDE_PX = 240  # of the picture
_OUTWARD, _INWARD = 0.05, 0.10  # where a nose is sought, as shares of the way to the opposite side
_SHOWN_INWARD = 0.05  # where a person has shown it
_LEAST_NOSES = 2
_LARGE, _AT_BORDER = 0.1, 0.1  # shares of the picture, and of its border
_RIVAL = 0.3  # of a table's size: so large is another one that may be meant
SIDE_WORDS = ("top", "right", "bottom", "left")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoundTable:
    """A table in a picture: four sides clockwise from the top one (side i runs from corner i to corner i + 1).

    `corners_px` (4, 2) are where neighbouring noses cross, from the top left; a hidden nose is replaced by the line
    where its cushion meets the rail. `picture` is the still picture in which it was found. Where only one end of the
    table is in view, `cut` is the side at which the picture ends: it has no lines, and its corners lie on the noses
    beside it.
    """

    picture: Picture
    area: ClothArea
    sides: tuple[CushionLines, CushionLines, CushionLines, CushionLines]
    corners_px: Array
    pockets: PocketMarks
    cut: int | None = None

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.picture.shape[1], self.picture.shape[0]


class _Rejected(NamedTuple):
    """Why an area is no table, and how many noses it has: the more, the likelier that it was meant."""

    noses: int
    reason: str


def still_picture(pictures: Sequence[Picture]) -> Picture:
    """What does not move: the median of every pixel over pictures of one camera; all must have one size."""
    if not pictures:
        message = "no table: there is no picture, give at least one"
        raise NoTableError(message)
    for picture in pictures:
        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
            message = "no table: a picture is not three channels of 8 bits, give colour pictures"
            raise NoTableError(message)
        if picture.shape != pictures[0].shape:
            message = "no table: the pictures differ in size, give pictures of one camera"
            raise NoTableError(message)
    if len(pictures) == 1:
        return pictures[0]
    stack = np.stack(list(pictures))
    rows = [np.median(stack[:, row : row + 32], axis=0).astype(np.uint8) for row in range(0, stack.shape[1], 32)]
    return cast("Picture", np.concatenate(rows))


def find_table(pictures: Sequence[Picture], corners_px: Array | None = None, *, is_one_end: bool = False) -> FoundTable:
    """Find the one table in pictures of a camera that stands still (BGR); NoTableError says why there is none.

    `corners_px` (4, 2) are where a person sees the noses' corners, in any order: lines are then sought near them only.
    With `is_one_end` the picture shows one end of the table, which goes on beyond one side of it.
    """
    picture = still_picture(pictures)
    height, width = picture.shape[:2]
    if min(width, height) < _LEAST_SIDE_PX:
        message = f"no table: the picture has only {width} x {height} px, at least {_LEAST_SIDE_PX} are needed each way"
        raise NoTableError(message)
    if why := why_unusable(picture):
        raise NoTableError("no table: " + why)
    reasons = [(-2, "no large area of one colour has four straight sides; the whole table must be in view and lit")]
    tables: list[tuple[float, FoundTable]] = []
    places = (
        [(area, quadrilateral_of(area.mask)) for area in cloth_areas(picture)]
        if corners_px is None
        else [shown_table(picture, corners_px)]
    )
    for area, outline in places:
        if outline is None:
            if area.share > _LARGE and not _is_at_border(area):
                reasons.append((-1, "what may be the cloth has no four straight sides: nobody may lean over the table"))
            continue
        found = _look_at(picture, area, outline, is_shown=corners_px is not None, is_one_end=is_one_end)
        if isinstance(found, _Rejected):
            reasons.append((found.noses, found.reason))
            continue
        tables.append((_score(found), found))
    if not tables:
        if is_blurred(picture):
            reasons = [(0, "the picture is blurred: hold the camera still and focus it")]
        raise NoTableError("no table: " + max(reasons, key=lambda reason: reason[0])[1])
    best = max(tables, key=lambda table: table[0])[1]
    if any(_is_elsewhere(best, other) for _, other in tables):
        message = "no table: two are in view, nothing tells which is meant; turn the camera so that it sees one"
        raise NoTableError(message)
    return best


def _is_at_border(area: ClothArea) -> bool:
    """Whether an area goes on beyond the picture: a floor, a wall."""
    rim = np.concatenate([area.mask[[0, -1]].ravel(), area.mask[:, [0, -1]].ravel()])
    return float((rim > 0).mean()) > _AT_BORDER


def _is_elsewhere(table: FoundTable, other: FoundTable) -> bool:
    """Whether another table lies beside this one and is about as large."""
    sizes = [abs(float(cv2.contourArea(each.corners_px.astype(np.float32)))) for each in (table, other)]
    middle = tuple(float(value) for value in other.corners_px.mean(axis=0))
    outside = cv2.pointPolygonTest(table.corners_px.astype(np.float32), middle, measureDist=False) < 0
    return outside and sizes[1] > _RIVAL * sizes[0]


def _look_at(
    picture: Picture, area: ClothArea, outline: Quadrilateral, *, is_shown: bool, is_one_end: bool
) -> FoundTable | _Rejected:
    """The table whose cloth this area is, or why it is none; where a person has shown it, noses are sought nearer."""
    cut = cut_off_sides(outline, (area.mask.shape[1], area.mask.shape[0]))
    if len(cut) >= 3:
        reason = "an area of one colour goes on beyond the picture"
        return _Rejected(0, f"{reason}; the whole table must be in view, and nobody may lean over it")
    if is_one_end and len(cut) != 1:
        reason = f"one end shows three cushions and goes on beyond one side of the picture, not {len(cut)}"
        return _Rejected(0, reason)
    border = cut[0] if is_one_end else None
    outline = outline.scaled(1 / area.scale)
    surface = float(cv2.contourArea(outline.corners_px.astype(np.float32)))
    found = []
    for index in range(4):
        side = outline.side(index)
        if index == border:
            found.append(CushionLines(side=side, edge=None, nose=None))
            continue
        across = surface / side.length_px
        slack = 2.0 / area.scale
        outward_px, inward_px = _OUTWARD * across + slack, (_SHOWN_INWARD if is_shown else _INWARD) * across + slack
        found.append(cushion_lines(picture, side, area, outward_px, inward_px, is_shown=is_shown))
    seen = [lines.nose is not None for lines in found]
    for index in cut:
        if not seen[index] and index != border:
            where = SIDE_WORDS[index]
            reason = f"the table goes on beyond the {where} of the picture; the whole table must be in view"
            return _Rejected(sum(seen), reason)
    if sum(seen) < _LEAST_NOSES or any(
        lines.nose is None and lines.edge is None for index, lines in enumerate(found) if index != border
    ):
        hidden = ", ".join(SIDE_WORDS[index] for index in range(4) if not seen[index] and index != border)
        reason = f"an area of one colour shows no cushion nose at its {hidden}; a table has four, better light may help"
        return _Rejected(sum(seen), reason)
    ends = [_straight_line(lines.side) if index == border else None for index, lines in enumerate(found)]
    corners = _corners([lines.nose or lines.edge or end for lines, end in zip(found, ends, strict=True)])
    edges = _corners([lines.edge or lines.nose or end for lines, end in zip(found, ends, strict=True)])
    if corners is None or edges is None:
        return _Rejected(sum(seen), "the sides of the area of one colour do not meet in four corners")
    sides = (found[0], found[1], found[2], found[3])
    known = [nose or index == border for index, nose in enumerate(seen)]
    marks = look_for_pockets(picture, area, _with_hidden_noses(corners, edges, known), edges, border)
    return FoundTable(picture=picture, area=area, sides=sides, corners_px=corners, pockets=marks, cut=border)


def _score(found: FoundTable) -> float:
    """Whole noses count most, then edges; among equals the sharper lines."""
    total = 0.0
    for lines in found.sides:
        if lines.nose is not None:
            total += lines.nose.support - 0.2 * min(1.0, lines.nose.scatter_px)
        if lines.edge is not None:
            total += 0.5 * lines.edge.support - 0.1 * min(1.0, lines.edge.scatter_px)
    return total


def _corners(lines: list[EdgeLine | None]) -> Array | None:
    """(4, 2) where neighbouring lines cross; corner i lies between lines i - 1 and i.

    A lens may bow the lines, so that only their parts near the corner count.
    """
    corners = []
    for index in range(4):
        before, after = lines[index - 1], lines[index]
        assert before is not None
        assert after is not None
        count = max(6, len(before.points_px) // 3), max(6, len(after.points_px) // 3)
        corners.append(crossing(*_straight(before.points_px[-count[0] :]), *_straight(after.points_px[: count[1]])))
    if any(corner is None for corner in corners):
        return None
    return np.array(corners)


def _straight_line(side: Side) -> EdgeLine:
    """A side of an area as a line, where nothing better is seen: the picture's border."""
    return EdgeLine(points_px=side.points(np.linspace(0, 1, 18)), scatter_px=0.0, support=0.0, offset_px=0.0)


def _straight(points_px: Array) -> tuple[Array, Array]:
    """Two points of the straight line nearest to points."""
    middle = points_px.mean(axis=0)
    direction = np.linalg.svd(points_px - middle, full_matrices=False)[2][0]
    return middle, middle + direction * 100.0


def _with_hidden_noses(corners: Array, edges: Array, seen: list[bool]) -> Array:
    """The noses' corners; a hidden nose is taken to lie as far inside its edge as the one opposite."""
    if all(seen):
        return corners
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=np.float32)
    to_square = cv2.getPerspectiveTransform(edges.astype(np.float32), square)
    inside = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), to_square).reshape(4, 2)
    # distance of each side's nose from its edge, in the unit square
    gaps = [inside[:2, 1].mean(), 1 - inside[1:3, 0].mean(), 1 - inside[2:, 1].mean(), inside[[0, 3], 0].mean()]
    top, right, bottom, left = (
        gaps[index] if seen[index] else gaps[(index + 2) % 4] if seen[(index + 2) % 4] else 0.03 for index in range(4)
    )
    square = np.array([(left, top), (1 - right, top), (1 - right, 1 - bottom), (left, 1 - bottom)])
    back = np.linalg.inv(to_square)
    return cast("Array", cv2.perspectiveTransform(square.reshape(-1, 1, 2), back).reshape(4, 2))
