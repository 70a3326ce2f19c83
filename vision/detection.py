"""What a detector says of one frame: where balls are in mm, what they look like, what hides the table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from hardware.frame import Frame
from scoring.table import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """One ball in one frame.

    `place` is its centre in table mm on the plane z = r, in the middle of the exposure. `streak_mm` is the path
    covered during the exposure (sign unknown) when the picture is blurred enough to measure it. `sigma_mm` is the
    standard error across the streak, `sigma_along_mm` along it. `looks` gives the colour word of a ball set (`white`,
    `red`, ...) its probability.
    """

    place: Point
    sigma_mm: float
    sigma_along_mm: float
    center_px: tuple[float, float]
    radius_px: float
    looks: Mapping[str, float] = field(default_factory=dict)
    streak_mm: tuple[float, float] | None = None
    is_merged: bool = (
        False  # its outline touches another ball's or a hiding thing's, so it is less sure than sigma says
    )
    score: float = 1.0  # how sure the detector is that this is a ball at all
    numbers: tuple[float, ...] = ()  # the chances of 1 to 15, where a number was looked for
    early_s: float = 0.0  # how long before the sighting's time it was seen: by another camera


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """A part of the table that something other than balls hides: a polygon in table mm on the cloth plane."""

    outline: tuple[Point, ...]
    what: str = "unknown"  # "arm", "cue", "head", "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """All that one frame tells: the seam between looking (detectors) and following (tracking, witness).

    `is_still`: nothing has changed since the frame before, and the detections are its repeated. `disturbed` says why
    the frame must not be trusted as a whole (exposure jump, light switched, camera knocked, black picture), else None.
    `doubts` are places where there may be a ball, seen too unsurely to be told.
    """

    t_ns: int
    index: int
    detections: tuple[Detection, ...]
    covers: tuple[Cover, ...] = ()
    doubts: tuple[Point, ...] = ()
    is_still: bool = False
    disturbed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinderSettings:
    """How the ball finder's network is used: another `model` than the package's, and how often at most; 0: never."""

    model: Path | None = None
    rate_hz: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ailment:
    """What keeps vision from seeing as well as it should, and what exactly is wrong, in plain English."""

    kind: Literal["no_finder", "no_numbers", "faint_ball"]
    detail: str


class Detector(Protocol):
    """A way of looking: frames in, sightings out; state is allowed (background), clocks and threads are not."""

    @property
    def ailment(self) -> Ailment | None:
        """What keeps it from seeing as well as it should."""

    def look(self, frame: Frame) -> Sighting:
        """Find the balls in a frame."""
