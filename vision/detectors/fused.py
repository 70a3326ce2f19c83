"""Both ways of looking: the network proposes on key frames, contrast places in every frame.

Key frames are those in which balls have come to rest, one more or one fewer is seen, or the two do not agree; never
more of them a second than is set. Where a table measures so many balls that a look takes long, there are none while
balls roll. A ball that only the network has seen is placed by its edges where it has any. What the network has seen is
told, whether contrast goes on seeing it or not, for as long as its part of the picture stays as it is or is found again
right beside. Without the network contrast goes on alone.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import cv2
import numpy as np

from calibration.table_file import TableFile
from hardware.frame import Frame
from hardware.planes import Planes
from scoring.table import Point, Table
from vision.detection import Ailment, Cover, Detection, FinderSettings, Sighting
from vision.detectors.contrast import ContrastDetector
from vision.detectors.faintness import Faintness
from vision.detectors.outline import SphereOutline
from vision.detectors.paint import core_of
from vision.detectors.region import Picture
from vision.detectors.yolo import SURE, BallFinder, Found, roughly
from vision.errors import VisionError
from vision.whereabouts import is_covered, is_inside

_SETTLE_NS = 150_000_000  # balls have come to rest when nothing has changed for so long
_AGAIN_NS = 5_000_000_000  # while the two do not agree, or the picture never comes to rest
# confidence at which the network's word is enough at once (else SURE, twice), and for a ball said before: of the boxes
# on virtual scenes kept out of training that are so sure, 100, 99 and 99 % are balls
_PLAIN, _STILL_SURE = 0.7, 0.3
_PLAY_PX = 360_000  # of a view that is looked at while balls roll: 13-16 ms were measured, and 40 ms at twice as many
# radii per frame from which on a ball rolls, how long that holds, and the longest stroke that is waited for
_ROLLS, _ROLL_NS, _LONGEST_ROLL_NS = 0.1, 200_000_000, 15_000_000_000
_SAME = 0.7  # radii within which both mean one ball
_PEOPLE = ("arm", "head")
_APART = 1.6  # radii that two balls' middles are apart at least
# 8-bit levels by which a part of the picture that is still the same may differ on average: noise and coding at least,
# never as much as the ball differs from what is around it
_LEAST_CHANGE, _MOST_CHANGE, _CHANGE_SHARE = 4.0, 14.0, 0.6
_BESIDE = 2.6  # radii within which balls may touch in an oblique picture
_AGREED_LOOKS = 2  # so often the network has to see a ball that contrast does not
_STEP_SIGMA_PX = 0.3  # standard error of a step in whole px
_FAINT = Ailment(
    kind="faint_ball", detail="a ball hardly differs from the cloth: the ball finder alone sees it, at rest"
)
_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True, eq=False)
class _Proposal:
    """A ball that the network sees, and the part of the picture in which it was seen; whether contrast saw it, too."""

    detection: Detection
    patch: Picture
    looks: int = 1
    is_shared: bool = False


@dataclass(slots=True, kw_only=True)
class _Memory:
    """What is remembered from frame to frame."""

    looked_ns: int | None = None
    looks: int = 0
    still_since_ns: int | None = None
    is_settled: bool = False
    count: int = -1
    rolled_ns: int | None = None
    centers_px: list[tuple[float, float]] | None = None  # of the balls that contrast saw in the frame before
    is_split: bool = False  # whether the two disagree
    has_lost: bool = False  # whether a ball that only the network saw is seen no more
    is_stirred: bool = True  # whether a ball has rolled, or an arm has been there, since the network looked
    proposals: list[_Proposal] = field(default_factory=list)
    spared: list[Detection] = field(default_factory=list)  # balls told that contrast does not see,
    covers_before: tuple[Cover, ...] | None = None  # and what hides the table without them
    covers: tuple[Cover, ...] = ()


class FusedDetector:
    """Looks at one table with both."""

    def __init__(self, table_file: TableFile, finder: FinderSettings) -> None:
        """Open the network if it is to be used; without it contrast looks alone."""
        self._table: Table = table_file.table
        self._contrast = ContrastDetector(table_file)
        self._outline = SphereOutline(table_file.camera, self._table.ball_radius_mm)
        self._least_ns = round(1e9 / finder.rate_hz) if finder.rate_hz > 0 else None
        self._memory = _Memory()
        self._faintness = Faintness()
        self._failure: Ailment | None = None
        self._finder: BallFinder | None = None
        if self._least_ns is not None:
            try:
                self._finder = BallFinder(table_file, finder.model)
            except VisionError as error:
                self._fail(error)

    @property
    def ailment(self) -> Ailment | None:
        """What keeps it from seeing as well as it should."""
        return self._failure or (_FAINT if self._faintness.is_lasting else None)

    def look(self, frame: Frame) -> Sighting:
        """Find the balls in a frame."""
        sighting = self._contrast.look(frame)
        if sighting.disturbed is not None:
            self._memory = replace(_Memory(), looked_ns=self._memory.looked_ns)
            return sighting
        memory = self._memory
        alone = self._keep_proposals(frame.picture, sighting.detections)
        if self._is_due(sighting):
            self._propose(frame, sighting)
            alone = self._unlike(memory.proposals, sighting.detections)
        needed = _AGREED_LOOKS if memory.looks > 1 else 1  # the first look is all there is to go by until the next
        settled = [proposal.detection for proposal in alone if proposal.looks >= needed]
        doubts = tuple(proposal.detection.place for proposal in alone if proposal.looks < needed)
        self._faintness.look(frame.t_ns, is_faint=any(self._stands_apart(each, sighting) for each in settled))
        detections, covers = (*sighting.detections, *settled), self._covers(sighting, settled)
        return replace(sighting, detections=detections, covers=covers, doubts=doubts) if alone else sighting

    def _covers(self, sighting: Sighting, settled: list[Detection]) -> tuple[Cover, ...]:
        """What hides the table although the network has seen these balls; nothing new while nothing has changed."""
        memory = self._memory
        if settled != memory.spared or sighting.covers is not memory.covers_before:
            memory.spared, memory.covers_before = settled, sighting.covers
            memory.covers = self._contrast.spare(settled)
        return memory.covers

    def _stands_apart(self, ball: Detection, sighting: Sighting) -> bool:
        """Whether a ball touches none that contrast sees: of those that touch one may hide the other's outline."""
        return not any(self._is_within(_BESIDE, ball, other) for other in sighting.detections)

    def _is_due(self, sighting: Sighting) -> bool:
        """Whether this is a key frame."""
        memory, t_ns = self._memory, sighting.t_ns
        if not sighting.is_still:
            memory.still_since_ns, memory.is_settled = None, False
        elif memory.still_since_ns is None:
            memory.still_since_ns = t_ns
        if self._finder is None or self._least_ns is None:
            return False
        is_rolling = self._is_rolling(sighting)
        if is_rolling:
            memory.rolled_ns = t_ns
        memory.is_stirred |= is_rolling or bool(sighting.covers)
        since_ns = math.inf if memory.looked_ns is None else abs(t_ns - memory.looked_ns)
        is_play = memory.rolled_ns is not None and t_ns - memory.rolled_ns < _ROLL_NS
        waits = is_play and self._finder.view_px > _PLAY_PX
        if since_ns < (max(self._least_ns, _LONGEST_ROLL_NS) if waits else self._least_ns):
            return False
        has_settled = memory.still_since_ns is not None and t_ns - memory.still_since_ns >= _SETTLE_NS
        if has_settled and not memory.is_settled:
            memory.is_settled = True
            if memory.is_stirred:
                return True
        is_new = len(sighting.detections) != memory.count or memory.has_lost
        is_open = any(proposal.looks < _AGREED_LOOKS for proposal in memory.proposals)
        return is_new or is_open or ((memory.is_split or not sighting.is_still) and since_ns > _AGAIN_NS)

    def _is_rolling(self, sighting: Sighting) -> bool:
        """Whether contrast sees a ball move."""
        if sighting.is_still:
            return False
        now = [each.center_px for each in sighting.detections]
        before, self._memory.centers_px = self._memory.centers_px, now
        is_blurred = [each.streak_mm is not None for each in sighting.detections]
        if not before or not now:
            return any(is_blurred)
        radius_px = median(each.radius_px for each in sighting.detections)
        steps = [min(math.dist(here, there) for there in before) / radius_px for here in now]
        gone = [min(math.dist(here, there) for here in now) / radius_px for there in before]
        return (max(steps) > _APART and max(gone) > _APART) or any(
            step > _ROLLS and (blurred or step < _APART) for step, blurred in zip(steps, is_blurred, strict=True)
        )

    def _propose(self, frame: Frame, sighting: Sighting) -> None:
        """Let the network look, and keep what it sees beyond contrast."""
        memory = self._memory
        memory.looked_ns, memory.looks = frame.t_ns, memory.looks + 1
        memory.count, memory.has_lost, memory.is_stirred = len(sighting.detections), False, False
        assert self._finder is not None
        try:
            found = self._finder.find(frame.picture, _STILL_SURE)
        except VisionError as error:
            self._fail(error)
            return
        seen = np.array([(each.place.x_mm, each.place.y_mm) for each in sighting.detections]).reshape(-1, 2)
        away = np.hypot(*(found.places_mm[:, None] - seen[None]).transpose(2, 0, 1)) / self._table.ball_radius_mm
        nearest = away.min(axis=1, initial=math.inf)
        before, memory.proposals = memory.proposals, []
        rows = [
            row
            for row in range(len(nearest))
            if nearest[row] > _APART
            and (found.scores[row] >= SURE or self._is_among(before, found, row))
            and (found.scores[row] >= _PLAIN or not self._is_in_people(found, row, sighting.covers))
        ]
        memory.is_split = bool(rows) or bool((away.min(axis=0, initial=math.inf) > _SAME).any())
        placed = self._placed(frame.picture, found, rows)
        for detection in placed:
            old = next((each for each in before if self._is_within(_SAME, each.detection, detection)), None)
            if any(self._is_within(_APART, each.detection, detection) for each in memory.proposals):
                continue
            patch = _patch(frame.picture, detection).copy()
            looks = _AGREED_LOOKS if detection.score >= _PLAIN else 1 if old is None else old.looks + 1
            memory.proposals.append(_Proposal(detection=detection, patch=patch, looks=looks))
        for row in np.flatnonzero((nearest < _SAME) & (found.scores >= SURE)):  # both see these
            if found.scores[row] < _PLAIN and self._is_in_people(found, int(row), sighting.covers):
                continue
            detection = sighting.detections[int(away[row].argmin())]
            if detection.streak_mm is None:
                patch = _patch(frame.picture, detection).copy()
                shared = _Proposal(detection=detection, patch=patch, looks=_AGREED_LOOKS, is_shared=True)
                memory.proposals.append(shared)

    def _placed(self, picture: Picture | Planes, found: Found, rows: list[int]) -> list[Detection]:
        """Proposals where their edges are; where nothing can be fitted, where the network's boxes are."""
        if not rows:
            return []
        fitted = self._contrast.place_at(picture, found.centers_px[rows])
        looks = self._contrast.looks(core_of(picture, found.centers_px[rows], found.radii_px[rows]))
        mm_per_px = self._outline.project(found.places_mm[rows]).mm_per_px
        return [
            replace(fit, score=float(found.scores[row]))
            if fit is not None
            else roughly(found, row, looks[index], mm_per_px[index])
            for index, (row, fit) in enumerate(zip(rows, fitted, strict=True))
        ]

    def _keep_proposals(self, picture: Picture | Planes, detections: tuple[Detection, ...]) -> list[_Proposal]:
        """Those that contrast does not see now; they are dropped where the picture shows them no more."""
        alone = self._unlike(self._memory.proposals, detections)
        if not alone:
            return []
        now = {id(each): self._found_again(picture, each) for each in alone}
        self._memory.has_lost |= any(now[id(each)] is None and not each.is_shared for each in alone)
        kept = [now.get(id(each), each) for each in self._memory.proposals]
        self._memory.proposals = [each for each in kept if each is not None]
        return self._unlike([each for each in now.values() if each is not None], detections)

    def _found_again(self, picture: Picture | Planes, proposal: _Proposal) -> _Proposal | None:
        """A ball where it was, or where it has rolled to by less than its radius; None where it is no more."""
        detection, patch = proposal.detection, proposal.patch
        if _is_same(_patch(picture, detection), patch):
            return proposal
        (left, top), part = _window(picture, detection, 2 * detection.radius_px + 1)
        (old_left, old_top), _ = _window(picture, detection, detection.radius_px + 1)
        if part.shape[0] < patch.shape[0] or part.shape[1] < patch.shape[1]:  # at the picture's edge
            return None
        apart = cv2.matchTemplate(part, patch, cv2.TM_SQDIFF)
        _, _, (column, row), _ = cv2.minMaxLoc(apart)
        height, width = patch.shape[:2]
        if not _is_same(part[row : row + height, column : column + width], patch):
            return None
        x, y = detection.center_px[0] + left + column - old_left, detection.center_px[1] + top + row - old_top
        places = self._outline.places(np.array([[x, y]]))
        mm_per_px = self._outline.project(places).mm_per_px[0]
        step_mm = _STEP_SIGMA_PX * float(np.sqrt(abs(np.linalg.det(mm_per_px))))
        moved = replace(
            detection,
            center_px=(x, y),
            place=Point(float(places[0, 0]), float(places[0, 1])),
            sigma_mm=math.hypot(detection.sigma_mm, step_mm),
            sigma_along_mm=math.hypot(detection.sigma_along_mm, step_mm),
        )
        return replace(proposal, detection=moved)

    def _is_within(self, radii: float, one: Detection, other: Detection) -> bool:
        """Whether two balls are so near on the table; an oblique picture would show them nearer."""
        return one.place.distance_mm(other.place) < radii * self._table.ball_radius_mm

    def _is_among(self, proposals: list[_Proposal], found: Found, row: int) -> bool:
        """Whether a ball that was found has been proposed before."""
        place = _place(found, row)
        near_mm = _SAME * self._table.ball_radius_mm
        return any(each.detection.place.distance_mm(place) < near_mm for each in proposals)

    def _unlike(self, proposals: list[_Proposal], detections: tuple[Detection, ...]) -> list[_Proposal]:
        """The proposals at which there is no detection."""
        return [each for each in proposals if not any(self._is_within(_APART, each.detection, d) for d in detections)]

    def _is_in_people(self, found: Found, row: int, covers: Sequence[Cover]) -> bool:
        """Whether a ball was found where the network or contrast sees a person, too: it may be a part of a hand."""
        center = found.centers_px[row]
        inside = (found.people_px[:, :2] < center) & (center < found.people_px[:, 2:])
        people = [cover for cover in covers if cover.what in _PEOPLE and self._comes_from_outside(cover)]
        return bool(inside.all(axis=1).any()) or is_covered(_place(found, row), people, self._table)

    def _comes_from_outside(self, cover: Cover) -> bool:
        """Whether something reaches over the table's edge; a heap of balls that contrast cannot tell apart does not."""
        return not all(is_inside(self._table, place) for place in cover.outline)

    def _fail(self, error: VisionError) -> None:
        """Go on without the network."""
        self._failure = Ailment(kind="no_finder", detail=f"no ball finder, contrast alone is looking: {error}")
        self._finder = None
        _log.warning("%s", self._failure.detail)


def _place(found: Found, row: int) -> Point:
    return Point(float(found.places_mm[row, 0]), float(found.places_mm[row, 1]))


def _patch(picture: Picture | Planes, detection: Detection) -> Picture:
    """The square of the picture around a ball."""
    return _window(picture, detection, detection.radius_px + 1)[1]


def _window(picture: Picture | Planes, detection: Detection, reach_px: float) -> tuple[tuple[int, int], Picture]:
    """The square of the picture that reaches so far from a ball's middle, and its first corner."""
    x, y = detection.center_px
    width, height = picture.size_px if isinstance(picture, Planes) else picture.shape[1::-1]
    left, top = max(0, round(x - reach_px)), max(0, round(y - reach_px))
    right, bottom = min(width, round(x + reach_px) + 1), min(height, round(y + reach_px) + 1)
    if isinstance(picture, Planes):
        return (left, top), picture.window(left, top, right, bottom)
    return (left, top), picture[top:bottom, left:right]


def _is_same(now: Picture, before: Picture) -> bool:
    """Whether a part of the picture still shows what it showed."""
    if now.shape != before.shape:
        return False
    edge = np.concatenate([before[0], before[-1], before[:, 0], before[:, -1]])
    stands_out = float(np.abs(before - np.median(edge, axis=0)).mean())
    limit = min(max(_LEAST_CHANGE, _CHANGE_SHARE * stands_out), _MOST_CHANGE)
    return bool(np.abs(now.astype(np.int16) - before).mean() < limit)


def open_detector(table_file: TableFile, finder: FinderSettings) -> FusedDetector:
    """The detector for one table."""
    return FusedDetector(table_file, finder)
