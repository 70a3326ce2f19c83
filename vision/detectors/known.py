"""Balls as they were seen last: what goes on as it went, what stayed, what is missed."""

import math
from dataclasses import dataclass, replace

import numpy as np

from vision.detection import Detection
from vision.detectors.candidates import Candidate
from vision.detectors.edges import Others

_MOST_MISSED = 60  # frames for which a ball that is seen no more is looked for where it was
_AT_REST_PX = 1.0
_STAYED = 0.25  # radii
_STRAY_PX = 0.4
_SLOW = 0.3  # radii from frame to frame
_ROOM = 3.5  # radii between the middles of a ball that rolls on by itself and of any other
_FORESEEN = 0.15  # radii that a blob may be off the place of the ball that is expected there
_CAME = 2.0  # radii that a ball goes between two frames on its way into a pocket, at most
_MOST_STEP = 7.0  # radii that a ball goes between two frames


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A ball as last seen, how far it went from the frame before, and for how many frames it has been missed.

    One that was first seen beside an arm may be a part of it: it is not `is_firm`, and every look has to find it anew.
    """

    detection: Detection
    step_px: tuple[float, float] = (0.0, 0.0)
    missed: int = 0
    is_firm: bool = True

    @property
    def next_px(self) -> tuple[float, float]:
        """Where it comes in the next frame if it goes on as it went."""
        return self.detection.center_px[0] + self.step_px[0], self.detection.center_px[1] + self.step_px[1]

    @property
    def is_slow(self) -> bool:
        """Whether it goes so little way in an exposure that its picture is as sharp as one at rest."""
        return math.hypot(*self.step_px) < _SLOW * self.detection.radius_px

    @property
    def is_at_rest(self) -> bool:
        """Whether it went no further than places stray that are measured twice."""
        return math.hypot(*self.step_px) < _STRAY_PX

    def is_next_at(self, center_px: tuple[float, float]) -> bool:
        """Whether what is seen here can be this ball going on."""
        return math.dist(self.next_px, center_px) < _FORESEEN * self.detection.radius_px

    @property
    def word(self) -> str | None:
        """The colour word that fits best; None of one that is not firm, or blurred: it need not be the same ball."""
        if not self.is_firm or self.detection.streak_mm is not None:
            return None
        return max(self.detection.looks, key=lambda word: self.detection.looks[word], default=None)


def stayed(candidate: Candidate, before: list[Known]) -> Candidate:
    """A candidate that knows whether it is where a ball was: not blurred then, and of its colour."""
    for known in before:
        if math.dist(known.detection.center_px, candidate.center_px) <= _STAYED * known.detection.radius_px:
            return replace(candidate, streak_px=None, has_stayed=True, word=known.word or candidate.word)
    return candidate


def is_where_before(ball: Known, before: list[Known]) -> bool:
    """Whether a firm ball lay where this one is seen."""
    center, near_px = ball.detection.center_px, _STAYED * ball.detection.radius_px
    return any(known.is_firm and math.dist(known.detection.center_px, center) < near_px for known in before)


def foreseen_of(candidates: list[Candidate], before: list[Known]) -> list[Known]:
    """The balls that the candidates are, when all of them are balls that go on as they went; else none."""
    foreseen: list[Known] = []
    for candidate in candidates:
        if candidate.is_alone and candidate.streak_px is None:
            foreseen += [each for each in before if each.is_next_at(candidate.center_px)][:1]
    return foreseen if len(foreseen) == len(candidates) else []


def came_here(detection: Detection, before: list[Known]) -> bool:
    """Whether a ball can have come to where this one is seen: a net or leather in a hole did not."""
    return any(
        math.dist(known.detection.center_px, detection.center_px) < _CAME * detection.radius_px for known in before
    )


def apart_from(balls: list[Detection], candidates: list[Candidate]) -> list[Candidate]:
    """The candidates at which none of the balls lies."""
    return [
        each
        for each in candidates
        if all(math.dist(each.center_px, ball.center_px) > 2 * ball.radius_px for ball in balls)
    ]


def others_of(known: list[Known]) -> Others:
    """Balls as what others must not be fitted to."""
    return Others(
        centers_px=np.array([each.detection.center_px for each in known]).reshape(-1, 2),
        radii_px=np.array([each.detection.radius_px for each in known]),
    )


def missed_of(before: list[Known], now: list[Known]) -> list[Known]:
    """The balls seen a moment ago that are not where they were, with one more frame missed."""
    seen = [known.detection.center_px for known in now if known.is_firm]
    return [
        replace(known, missed=known.missed + 1, step_px=(0.0, 0.0))
        for known in before
        if known.is_firm
        and known.missed < _MOST_MISSED
        and math.hypot(*known.step_px) < _AT_REST_PX
        and all(math.dist(known.detection.center_px, center) > known.detection.radius_px for center in seen)
    ]


def remembered(detection: Detection, before: list[Known]) -> Known:
    """A detection with its step since the frame before, if one of the balls seen then can have come here."""
    x, y = detection.center_px
    nearest = min(before, key=lambda known: math.dist(known.detection.center_px, (x, y)), default=None)
    if nearest is None or math.dist(nearest.detection.center_px, (x, y)) > _MOST_STEP * detection.radius_px:
        return Known(detection=detection)
    there_x, there_y = nearest.detection.center_px
    return Known(detection=detection, step_px=(x - there_x, y - there_y))


def roll_alone(balls: list[Known], others: list[Known]) -> bool:
    """Whether balls that move are seen plainly and will touch no other in the next frames, nor one another."""
    for index, ball in enumerate(balls):
        detection = ball.detection
        room_px = _ROOM * detection.radius_px + 2 * math.hypot(*ball.step_px)
        around = (*balls[:index], *balls[index + 1 :], *others)
        if detection.is_merged or detection.streak_mm is not None:
            return False
        if any(math.dist(ball.next_px, other.next_px) < room_px for other in around):
            return False
    return True
