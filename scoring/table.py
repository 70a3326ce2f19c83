"""The table's field in millimetres: pockets, cushions, spots, house (rules C-1 to C-6)."""

import math
from dataclasses import dataclass
from enum import StrEnum

STANDARD_BALL_MM = 68.0
NOSE_TO_BALL = 0.635  # cushion nose height as a share of the ball's diameter (usual on carom, pool and pyramid tables)


class Pocket(StrEnum):
    """The six pockets; left and right as seen from the house (C-1)."""

    FL = "FL"
    FR = "FR"
    ML = "ML"
    MR = "MR"
    RL = "RL"
    RR = "RR"

    @property
    def is_middle(self) -> bool:
        """Whether the pocket lies in a long side."""
        return self in (Pocket.ML, Pocket.MR)


class Cushion(StrEnum):
    """The four cushions; front is the house end."""

    FRONT = "front"
    REAR = "rear"
    LEFT = "left"
    RIGHT = "right"

    @property
    def is_short(self) -> bool:
        """Whether the cushion is one of the two short ones."""
        return self in (Cushion.FRONT, Cushion.REAR)


class Spot(StrEnum):
    """The three marks on the long axis (C-3 to C-5)."""

    S1 = "S1"
    S2 = "S2"
    S3 = "S3"


@dataclass(frozen=True, slots=True)
class Point:
    """A place on the table: the projection of a ball's centre, table mm (C-8)."""

    x_mm: float
    y_mm: float

    def distance_mm(self, other: "Point") -> float:
        """The distance to another place, mm."""
        return math.hypot(self.x_mm - other.x_mm, self.y_mm - other.y_mm)

    def midway(self, other: "Point") -> "Point":
        """The point half-way to another one."""
        return Point((self.x_mm + other.x_mm) / 2, (self.y_mm + other.y_mm) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class PocketMouths:
    """Widths of the pocket mouths between the jaws, mm (C-12)."""

    corner_mm: float = 72.5
    middle_mm: float = 82.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table's field: the rectangle between the cushion noses, and the balls' diameter.

    It is about twice as long as wide (C-2). The rear cushion lies at x = length_mm, the left one at y = +width_mm / 2.
    `pockets` is None on a carom table.
    """

    length_mm: float = 3550.0
    width_mm: float = 1775.0
    ball_mm: float = STANDARD_BALL_MM
    pockets: PocketMouths | None = PocketMouths()

    def __post_init__(self) -> None:
        """Refuse a field on which nobody could play."""
        if not (0 < 4 * self.ball_mm < self.width_mm <= self.length_mm):
            message = (
                f"a table of {self.length_mm:g} x {self.width_mm:g} mm with {self.ball_mm:g} mm balls is impossible"
            )
            raise ValueError(message)

    @property
    def ball_radius_mm(self) -> float:
        """The balls' radius, mm."""
        return self.ball_mm / 2

    @property
    def nose_height_mm(self) -> float:
        """The height of the cushion noses above the cloth, mm."""
        return self.ball_mm * NOSE_TO_BALL

    @property
    def house_line_x_mm(self) -> float:
        """Where the house ends (C-6)."""
        return self.length_mm / 4

    def spot(self, spot: Spot) -> Point:
        """The place of a spot (C-3)."""
        return Point(self.length_mm * {Spot.S1: 0.25, Spot.S2: 0.5, Spot.S3: 0.75}[spot], 0.0)

    def pocket_corner(self, pocket: Pocket) -> Point:
        """Where a pocket lies on the nose rectangle: its corner, or the middle of a long side."""
        x_mm = {"F": 0.0, "M": self.length_mm / 2, "R": self.length_mm}[pocket.value[0]]
        return Point(x_mm, self.width_mm / 2 if pocket.value[1] == "L" else -self.width_mm / 2)

    def is_in_house(self, place: Point) -> bool:
        """Whether a ball's centre lies in the house; the line itself is outside (C-6)."""
        return place.x_mm < self.house_line_x_mm
