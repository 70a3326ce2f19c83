"""What the balls, the cloth, the cushions and the pockets are made of, and how a cue strikes."""

import math
from dataclasses import dataclass, field

from scoring.balls import Ball

MISCUE_OFFSET = 0.7  # tip offsets beyond this share of the radius slip off


@dataclass(frozen=True, slots=True, kw_only=True)
class PocketShape:
    """How one kind of pocket is cut; its mouth's width comes from the table.

    The mouth line lies square to the pocket's axis, at the corner of the noses' lines for a middle pocket and half a
    mouth before it for a corner pocket. The jaws narrow the throat by `narrowing_rad` each; the tips are rounded with
    `round_mm`. A ball falls when its centre has passed the mouth
    line by `shelf_mm`, and tips over from `lip_mm` before that edge, where the slate is rounded, even when it stands.
    """

    shelf_mm: float
    narrowing_rad: float
    round_mm: float
    lip_mm: float = 3.0
    creep_1_s: float = 2.0  # how fast the nap gives way under a ball that stands on the lip

    def __post_init__(self) -> None:
        """Refuse a cut that no table has."""
        if (
            self.round_mm <= 0
            or self.shelf_mm < 0
            or self.lip_mm <= 0
            or self.creep_1_s <= 0
            or not 0 <= self.narrowing_rad < math.pi / 4
        ):
            message = f"a pocket cut like {self} is impossible"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicsParameters:
    """The table's physics; the defaults are those of a 68 mm ball of 225 g on a good cloth.

    Ball-ball friction falls with the speed at which the surfaces slip past each other, a + b exp(-c v), v in m/s
    (Marlow 1994, fitted by Alciatore, TP A.14).
    """

    gravity_mm_s2: float = 9810.0
    ball_mass_g: float = 225.0
    cue_mass_g: float = 567.0
    cue_end_mass_g: float = 5.67  # the share of the cue that a tip carries sideways: it makes the ball squirt
    sliding_friction: float = 0.2
    rolling_friction: float = 0.012
    spin_decay_rad_s2: float = 10.9
    ball_restitution: float = 0.95
    ball_friction: tuple[float, float, float] = (0.009951, 0.108, 1.088)
    cushion_restitution: float = 0.78
    nose_height_mm: float | None = None  # where the cushion meets the ball; None: at the table's nose height
    cushion_friction: float = 0.2
    cushion_tangential_restitution: float = 0.52  # the share of a gripped slip that the rubber gives back
    cloth_restitution: float = 0.5
    hop_mm_s: float = 300.0  # upward speeds below this (a hop of 5 mm) are taken by the cloth
    rail_width_mm: float = 130.0
    rail_above_nose_mm: float = 5.0
    rail_hold_mm_s: float = 250.0  # a ball that lands on the rail with less sideways speed stays there
    corner: PocketShape = field(
        default_factory=lambda: PocketShape(shelf_mm=20.0, narrowing_rad=math.radians(2.0), round_mm=8.0)
    )
    middle: PocketShape = field(
        default_factory=lambda: PocketShape(shelf_mm=18.0, narrowing_rad=math.radians(12.0), round_mm=10.0)
    )

    def __post_init__(self) -> None:
        """Refuse a physics in which energy would grow or nothing would come to rest."""
        shares = (
            self.ball_restitution,
            self.cushion_restitution,
            self.cushion_tangential_restitution,
            self.cloth_restitution,
        )
        positive = (
            self.gravity_mm_s2,
            self.ball_mass_g,
            self.cue_mass_g,
            self.cue_end_mass_g,
            self.sliding_friction,
            self.rolling_friction,
            self.spin_decay_rad_s2,
        )
        if not all(0 <= share <= 1 for share in shares) or not all(0 < value < math.inf for value in positive):
            message = "restitutions lie between 0 and 1; gravity, masses, frictions and the spin's decay are positive"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class CueStroke:
    """One stroke of the cue; a level cue's centre hit sends a 225 g ball off at 1.43 times `speed_mm_s`.

    Attributes:
        ball: The struck ball.
        speed_mm_s: The speed of the cue (not of the ball) when the tip meets the ball.
        direction_rad: Where the cue points, seen from above: 0 along +x, counter-clockwise.
        side: Tip offset to the left, as a share of the ball's radius (negative: right side).
        top: Tip offset above the centre, as a share of the radius (negative: draw).
        elevation_rad: How far the butt is raised.
    """

    ball: Ball
    speed_mm_s: float
    direction_rad: float
    side: float = 0.0
    top: float = 0.0
    elevation_rad: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what no player can do."""
        if not 0 < self.speed_mm_s < 20_000 or not math.isfinite(self.direction_rad):
            message = f"a cue moves at up to 20 m/s, not {self.speed_mm_s:g} mm/s towards {self.direction_rad:g} rad"
            raise ValueError(message)
        if not math.hypot(self.side, self.top) <= MISCUE_OFFSET:
            message = (
                f"a tip at ({self.side:g}, {self.top:g}) radii from the centre miscues; stay within {MISCUE_OFFSET:g}"
            )
            raise ValueError(message)
        if not 0 <= self.elevation_rad < math.pi / 2:
            message = f"a cue is raised by 0 to 90 degrees, not {math.degrees(self.elevation_rad):g}"
            raise ValueError(message)
