"""Finds balls by their contrast with the cloth, with OpenCV only: gate, difference, contours, fits in small windows.

The work grows with what moves: a frame in which nothing changes costs a comparison, a ball at rest is looked at once.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.camera import Array
from calibration.table_file import TableFile
from hardware.frame import Frame
from hardware.planes import Planes
from scoring.table import Pocket
from vision.background import Background, Foreground
from vision.colours import Colours
from vision.detection import Ailment, Cover, Detection, FinderSettings, Sighting
from vision.detectors.candidates import Candidate, CandidateFinder, thinned
from vision.detectors.disturbance import Disturbance
from vision.detectors.edges import EdgeFit
from vision.detectors.gate import MotionGate
from vision.detectors.judging import Evidence, Judge, sharp
from vision.detectors.known import (
    Known,
    apart_from,
    came_here,
    foreseen_of,
    is_where_before,
    missed_of,
    others_of,
    remembered,
    roll_alone,
    stayed,
)
from vision.detectors.outline import SphereOutline
from vision.detectors.paint import Backdrop
from vision.detectors.region import Mask, Picture, Window, WorkRegion, middle_radius_px
from vision.detectors.smear import measure_smears, unsmeared
from vision.errors import VisionError
from vision.occlusion import Covers
from vision.views import View
from vision.whereabouts import nearest_pocket_mm

_PLACED_SUPPORT, _PLACED_NEAR = 0.35, 0.5  # outline seen, and radii moved, of a ball that somebody else has found
_GLANCES = 2  # pictures in a row in which only balls that roll on by themselves are looked at
_BALL_IN_HOLE = 0.2  # probability that a colour is one of the set's
_BESIDE = 0.25  # of a ball's area: so much close around one that is no table makes it a part of what lies there
_WITH_SHADE = 1.7  # radii that a ball's rim, bled colours and closest shadow reach


class ContrastDetector:
    """Looks at one table; keeps the empty table and the balls as last seen."""

    ailment: Ailment | None = None

    def __init__(self, table_file: TableFile) -> None:
        """Prepare the geometry; the cloth is learnt from the first frame."""
        self._table = table = table_file.table
        self._camera = table_file.camera
        corners = [table.pocket_corner(pocket) for pocket in Pocket] if table.pockets else []
        self._pockets_mm = np.array([[corner.x_mm, corner.y_mm] for corner in corners]).reshape(-1, 2)
        self._outline = SphereOutline(table_file.camera, table.ball_radius_mm)
        self._region = WorkRegion.of(table_file, self._outline)
        self._finder = CandidateFinder(self._region)
        self._fit = EdgeFit(self._outline)
        self._judge = Judge(self._region, table.ball_mm)
        self._colours = Colours(table_file.ball_set)
        self._covers = Covers(table_file.camera, self._region)
        self._gate = MotionGate(self._region.mask)
        view = View(table_file.camera, self._outline)
        self._radius_px = middle_radius_px(self._outline, table, view) / self._region.factor
        self._background: Background | None = None
        self._found: Foreground | None = None
        self._known: list[Known] = []
        self._lost: list[Known] = []
        self._spared: list[Detection] = []
        self._rest: Mask = self._region.mask
        self._is_calm = False  # whether no ball moved and nobody was there when the whole picture was looked at last
        self._has_followed = False  # whether all balls that moved have been found where they were expected
        self._rolling = 0  # how many balls, the last known ones, roll on by themselves
        self._glances = 0  # pictures in a row in which only these were looked at
        self._last: Sighting | None = None

    def look(self, frame: Frame) -> Sighting:
        """Find the balls in a frame."""
        if frame.size_px != self._camera.size_px:
            ours, its = self._camera.size_px, frame.size_px
            message = f"the picture is {its[0]}x{its[1]} px, the table file is for {ours[0]}x{ours[1]}: calibrate again"
            raise VisionError(message)
        glanced = self._glance(frame)
        if glanced is not None:
            self._last = glanced
            return glanced
        last, brightness = self._last, self._region.brightness(frame.picture)
        if last is not None and last.disturbed is not None:
            last = None
        is_same = brightness is not None and self._is_calm and self._gate.is_as_bright(brightness)
        if last is None or not is_same:
            reduced = self._region.reduce(frame.picture, brightness)
            if not self._gate.compare(reduced, brightness) or last is None:
                self._last = self._look_anew(frame, reduced)
                return self._last
        self._last = replace(last, t_ns=frame.t_ns, index=frame.index, is_still=True)
        return self._last

    def looks(self, bgr: Array) -> list[dict[str, float]]:
        """(N, 3) BGR of balls to what they may be called."""
        return self._colours.looks(bgr)

    def place_at(self, pixels: Picture | Planes, centers_px: Array) -> list[Detection | None]:
        """Fit balls that somebody else has found at (N, 2) px; None where no ball's edge is to be seen."""
        placed: list[Detection | None] = [None] * len(centers_px)
        if self._background is None or self._found is None or not len(centers_px):
            return placed
        backdrop = self._backdrop(self._found)
        others = others_of(self._known)
        seeds = self._outline.places(centers_px)
        fits, rows = self._fit.fit(pixels, backdrop, seeds, np.ones(len(seeds), dtype=np.bool_), others)
        if not len(rows):
            return placed
        smears = unsmeared(fits.centers_px)
        looks = self._colours.looks(backdrop.evened(fits.paint.core, fits.paint.cloth))
        candidates = [Candidate(center_px=_point(centers_px[row]), is_alone=False, rank=1.0) for row in rows]
        evidence = Evidence(candidates=candidates, fits=fits, smears=smears, looks=looks, noise=backdrop.noise)
        off_px = np.hypot(*(fits.centers_px - centers_px[rows]).T)
        is_good = (fits.support > _PLACED_SUPPORT) & (off_px < _PLACED_NEAR * fits.outlines.radii_px)
        for index, row in enumerate(rows):
            if is_good[index]:
                placed[int(row)] = sharp(evidence, index, 1.0)
        return placed

    def spare(self, balls: list[Detection]) -> tuple[Cover, ...]:
        """Balls that somebody else has found hide nothing and do not become table: what the frame's covers are then."""
        self._spared = balls
        if self._last is None or not self._last.covers or not balls:
            return () if self._last is None else self._last.covers
        rest = self._rest.copy()
        self._erase(rest, balls, _WITH_SHADE)
        return self._covers.find(rest, _middles([*self._last.detections, *balls]))

    def _glance(self, frame: Frame) -> Sighting | None:
        """Follow the balls that roll on by themselves; None where, or when, there is more to look at."""
        count, self._rolling = self._rolling, 0
        if not count or self._found is None:
            return None
        kept, rolling = self._known[:-count], self._known[-count:]
        backdrop = self._backdrop(self._found)
        places = self._outline.places(np.array([known.next_px for known in rolling]))
        fits = self._fit.follow(frame.picture, backdrop, places, others_of(kept))
        if fits is None:
            return None
        evidence = Evidence(
            candidates=[Candidate(center_px=known.next_px, is_alone=True, rank=1.0) for known in rolling],
            fits=fits,
            smears=unsmeared(fits.centers_px),
            looks=[dict(known.detection.looks) for known in rolling],
            noise=backdrop.noise,
        )
        found = [sharp(evidence, row, rolling[row].detection.score) for row in range(count)]
        rolling = [remembered(each, [before]) for each, before in zip(found, rolling, strict=True)]
        self._known, self._glances = kept + rolling, self._glances + 1
        if self._glances < _GLANCES and roll_alone(rolling, kept):
            self._rolling = count
        detections = tuple(known.detection for known in self._known)
        return Sighting(t_ns=frame.t_ns, index=frame.index, detections=detections)

    def _look_anew(self, frame: Frame, reduced: Picture) -> Sighting:
        """Look at a frame in which something has changed."""
        if self._background is None:
            self._background = self._empty_table(reduced)
        windows = self._gate.changed_windows(are_apart=self._last is not None and not self._last.covers)
        found = self._background.foreground(reduced, windows)
        self._found = found
        disturbed = self._disturbance.judge(reduced, found, frame.t_ns)
        if disturbed is not None:
            self._gate.keep(reduced)
            if self._disturbance.lasts:  # this is how the table looks now: look for balls all over it
                self._background = self._empty_table(reduced)
                self._gate = MotionGate(self._region.mask)
            return Sighting(t_ns=frame.t_ns, index=frame.index, detections=(), disturbed=disturbed)
        changed = [self._gate.has_changed(self._window(known.detection)) for known in self._known]
        kept = [
            known
            for known, has_changed in zip(self._known, changed, strict=True)
            if not has_changed and known.is_firm and known.detection.streak_mm is None  # a blurred one lies not still
        ]
        moved = [
            known for known, has_changed in zip(self._known, changed, strict=True) if has_changed or not known.is_firm
        ]
        rest = found.mask.copy()
        self._erase(rest, [known.detection for known in kept], 1.15)
        self._has_followed = False
        before = moved + self._lost
        fresh = self._detect(frame, found, rest, kept, before)
        strange = rest.copy()
        self._erase(rest, fresh, 1.15)
        self._known = kept + self._firm([remembered(each, moved) for each in fresh], before, strange)
        self._lost = missed_of(before, self._known)
        detections = tuple(known.detection for known in self._known)
        self._gate.keep(reduced, windows, [self._window(known.detection) for known in kept])
        self._rest = rest
        covers = self._covers.find(rest, _middles(detections))
        self._is_calm = not covers and all(known.is_at_rest for known in self._known[len(kept) :])
        is_plain, self._glances = self._has_followed and not covers, 0
        self._rolling = len(fresh) if is_plain and roll_alone(self._known[len(kept) :], kept) else 0
        if self._background.is_due(frame.t_ns):
            self._background.learn(reduced, self._ball_mask([*detections, *self._spared]), found, frame.t_ns)
        return Sighting(t_ns=frame.t_ns, index=frame.index, detections=detections, covers=covers)

    def _detect(
        self, frame: Frame, found: Foreground, rest: Mask, kept: list[Known], moved: list[Known]
    ) -> list[Detection]:
        """Balls that are new or have moved."""
        candidates = self._finder.find(rest, found.difference, frame.picture, self._gate.has_changed)
        candidates += self._expected(candidates, moved, rest)
        candidates = thinned(candidates, self._radius_px * self._region.factor)
        if self._last is None:  # most balls lie still, and nothing tells a blurred one from one smeared by coding
            candidates = [replace(each, streak_px=None, has_stayed=True) for each in candidates]
        candidates = [stayed(each, moved) for each in candidates]
        if not candidates:
            return []
        backdrop, known = self._backdrop(found), (kept, moved)
        balls, left_out = self._judged(candidates, frame, backdrop, rest, known)
        missed = apart_from(balls, left_out)
        return balls + self._judged(missed, frame, backdrop, rest, known)[0] if missed else balls

    def _judged(
        self,
        candidates: list[Candidate],
        frame: Frame,
        backdrop: Backdrop,
        rest: Mask,
        known: tuple[list[Known], list[Known]],
    ) -> tuple[list[Detection], list[Candidate]]:
        """The balls among candidates, and blurred ones that were left out for what may be two balls in their place."""
        kept, moved = known
        others = others_of(kept)
        seeds = self._outline.places(np.array([candidate.center_px for candidate in candidates]))
        foreseen, fits, left_out = foreseen_of(candidates, moved), None, list[Candidate]()
        if foreseen:
            places = self._outline.places(np.array([known.next_px for known in foreseen]))
            fits = self._fit.follow(frame.picture, backdrop, places, others)
        self._has_followed = fits is not None
        is_slow = fits is not None and all(known.is_slow for known in foreseen)
        if fits is None:
            is_rough = np.array([not candidate.is_alone for candidate in candidates])
            has_stayed = np.array([candidate.has_stayed for candidate in candidates])
            fits, rows = self._fit.fit(frame.picture, backdrop, seeds, is_rough, others, has_stayed=has_stayed)
            left_out = [each for row, each in enumerate(candidates) if each.streak_px is not None and row not in rows]
            candidates = [candidates[row] for row in rows]
        if not candidates:
            return [], []
        if is_slow:
            smears = unsmeared(fits.centers_px)
        else:
            guesses = np.array([candidate.streak_px or (0.0, 0.0) for candidate in candidates])
            smears = measure_smears(frame.picture, fits.outlines, fits.paint, guesses)
        colours = backdrop.evened(fits.paint.core, fits.paint.cloth)
        looks = self._colours.looks(colours, has_strangers=not self._colours.are_unknown)
        evidence = Evidence(candidates=candidates, fits=fits, smears=smears, looks=looks, noise=backdrop.noise)
        places = np.array([[k.detection.place.x_mm, k.detection.place.y_mm] for k in kept]).reshape(-1, 2)
        accepted = self._accepted(evidence, rest, places, moved, backdrop)
        telling = [row for row, detection in accepted if self._may_teach(detection)]
        if self._colours.settle(colours[telling], backdrop.cloth):
            looks = self._colours.looks(colours)
            accepted = self._accepted(replace(evidence, looks=looks), rest, places, moved, backdrop)
        sure = [row for row, detection in accepted if not detection.is_merged]
        self._colours.follow(colours[sure], [looks[row] for row in sure])
        return [detection for _, detection in accepted], left_out

    def _accepted(
        self, evidence: Evidence, rest: Mask, places: Array, moved: list[Known], backdrop: Backdrop
    ) -> list[tuple[int, Detection]]:
        """The balls with their rows; what did not come into a hole but turned up in it may be a net or leather.

        It is a ball then only if it is one even in the hole's own light.
        """
        accepted, paint = self._judge.accept(evidence, rest, places), evidence.fits.paint
        if not paint.over_hole.any():
            return accepted
        in_hole_light = self._colours.looks(backdrop.evened(paint.core, paint.under))
        return [
            (row, each)
            for row, each in accepted
            if not paint.over_hole[row] or came_here(each, moved) or sum(in_hole_light[row].values()) > _BALL_IN_HOLE
        ]

    def _firm(self, balls: list[Known], before: list[Known], strange: Mask) -> list[Known]:
        """Balls; not firm those that were not seen before and may be parts of what reaches in around them.

        `strange` is all that is neither table nor a ball that lies still.
        """
        is_new = [ball.detection.is_merged and not is_where_before(ball, before) for ball in balls]
        if not any(is_new):
            return balls
        arms = self._covers.reaching_in(strange)
        return [
            replace(ball, is_firm=not (new and self._is_beside(ball.detection, arms)))
            for ball, new in zip(balls, is_new, strict=True)
        ]

    def _is_beside(self, detection: Detection, arms: Mask) -> bool:
        """Whether what of a mask is close around a ball is too much for the ball's rim."""
        around = arms.copy()
        self._erase(around, [detection], 1.15)
        left, top, right, bottom = self._window(detection)
        area = math.pi * (detection.radius_px / self._region.factor) ** 2
        return cv2.countNonZero(around[top:bottom, left:right]) > _BESIDE * area

    def _may_teach(self, detection: Detection) -> bool:
        """Whether a ball may tell what balls look like: it is sharp, and no net or leather of a pocket."""
        is_at_pocket = self._table.pockets is not None and (
            nearest_pocket_mm(self._table, detection.place) < self._table.ball_mm
        )
        return detection.streak_mm is None and not is_at_pocket

    def _expected(self, candidates: list[Candidate], moved: list[Known], rest: Mask) -> list[Candidate]:
        """Places where balls were or should be by now, if something is there that is not a ball's blob alone."""
        alone = [candidate.center_px for candidate in candidates if candidate.is_alone]
        expected: list[Candidate] = []
        for known in moved:
            x, y = known.detection.center_px
            step_x, step_y = known.step_px
            for center in ((x, y), (x + step_x, y + step_y)) if math.hypot(step_x, step_y) > 1 else ((x, y),):
                column, row = map(round, self._region.reduced_point(center))
                is_there = 0 <= row < rest.shape[0] and 0 <= column < rest.shape[1] and rest[row, column] > 0
                if not is_there or any(math.dist(center, other) < known.detection.radius_px for other in alone):
                    continue
                word = known.word if center == (x, y) else None
                expected.append(Candidate(center_px=center, is_alone=False, rank=2.0, word=word))
        return expected

    def _empty_table(self, reduced: Picture) -> Background:
        """Learn the empty table from a picture."""
        self._known, self._lost, self._spared = [], [], []
        self._disturbance = Disturbance()
        return Background(reduced, bed=self._region.bed, mask=self._region.mask, radius_px=self._radius_px)

    def _backdrop(self, found: Foreground) -> Backdrop:
        """What lies behind the balls in this frame."""
        assert self._background is not None
        background = self._background
        return Backdrop(
            region=self._region,
            colours_at=background.colours_at,
            cloth=background.cloth,
            gain=found.gain,
            noise=background.noise,
            pockets_mm=self._pockets_mm,
        )

    def _window(self, detection: Detection) -> Window:
        """The part of the reduced picture that belongs to a ball."""
        x, y = self._region.reduced_point(detection.center_px)
        reach = detection.radius_px / self._region.factor + 1.5
        height, width = self._region.mask.shape
        left, top = max(0, int(x - reach)), max(0, int(y - reach))
        return left, top, min(width, int(x + reach) + 2), min(height, int(y + reach) + 2)

    def _ball_mask(self, detections: list[Detection]) -> Mask:
        """Where balls and their closest shadows lie, reduced scale."""
        mask = np.full(self._region.mask.shape, 255, np.uint8)
        self._erase(mask, detections, _WITH_SHADE)
        return np.asarray(cv2.bitwise_not(mask), dtype=np.uint8)

    def _erase(self, mask: Mask, detections: list[Detection], size: float) -> None:
        """Take balls out of a mask, `size` times as large as they are."""
        for detection in detections:
            x, y = self._region.reduced_point(detection.center_px)
            radius = detection.radius_px / self._region.factor * size
            half_x = half_y = 0.0
            if detection.streak_mm is not None:
                outline = self._outline.project(np.array([[detection.place.x_mm, detection.place.y_mm]]))
                half_x, half_y = (outline.px_per_mm[0] @ detection.streak_mm / (2 * self._region.factor)).tolist()
            first, second = ((round(8 * (x + sign * half_x)), round(8 * (y + sign * half_y))) for sign in (-1, 1))
            thickness = max(1, round(2 * radius))
            cv2.line(mask, first, second, 0, thickness, cv2.LINE_8, 3)


def open_detector(table_file: TableFile, finder: FinderSettings) -> ContrastDetector:
    """The detector for one table; it needs no network."""
    del finder
    return ContrastDetector(table_file)


def _middles(detections: Sequence[Detection]) -> Array:
    """The (N, 2) middles of balls, px."""
    return np.array([detection.center_px for detection in detections]).reshape(-1, 2)


def _point(center_px: Array) -> tuple[float, float]:
    return float(center_px[0]), float(center_px[1])
