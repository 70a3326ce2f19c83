"""The table's solid shape around the nose rectangle: cushions, rails, pocket holes, sights; all in table mm.

The field is symmetrical, so most questions are asked of a folded place: u from the middle, v from the long axis.
"""

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hardware.virtual.physics.parameters import PhysicsParameters, PocketShape
from scoring.table import Table

Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Mask: TypeAlias = npt.NDArray[np.bool_]

_CUSHION_MM = 50.0  # from the nose to the rail


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """One kind of pocket in the frame of its axis: `out` along the axis from its middle, `across` from the axis.

    The jaws' tips lie at `out` = `tip_out_mm`; the nose leaves the tip in the direction `nose` (out, across).
    """

    half_mm: float
    tip_out_mm: float
    nose: tuple[float, float]
    shape: PocketShape

    @property
    def radius_mm(self) -> float:
        """The hole's radius: a ball fits with some room."""
        return self.half_mm + 5.0

    @property
    def center_out_mm(self) -> float:
        """Where the hole's centre lies on the axis: its near rim is the drop edge."""
        return self.tip_out_mm + self.shape.shelf_mm + self.radius_mm

    def is_open(self, out: Floats, across: Floats) -> Mask:
        """Whether a place lies between the jaws, from the mouth line to the middle of the hole; `across` >= 0."""
        narrow = self.shape.narrowing_rad
        depth = out - np.float32(self.tip_out_mm)
        within = across <= np.float32(self.half_mm) - depth * np.float32(math.tan(narrow))
        return (depth >= 0) & (out <= self.center_out_mm) & within | self._is_rounded_off(depth, across)

    def _is_rounded_off(self, depth: Floats, across: Floats) -> Mask:
        """Whether a place lies between the sharp tip of a jaw and its rounding."""
        nose, jaw = self.nose, (math.cos(self.shape.narrowing_rad), -math.sin(self.shape.narrowing_rad))
        half_angle = math.acos(nose[0] * jaw[0] + nose[1] * jaw[1]) / 2
        cut_mm = self.shape.round_mm / math.tan(half_angle)
        length = math.hypot(nose[0] + jaw[0], nose[1] + jaw[1])
        reach_mm = self.shape.round_mm / math.sin(half_angle) / length
        middle = ((nose[0] + jaw[0]) * reach_mm, self.half_mm + (nose[1] + jaw[1]) * reach_mm)
        aside = across - np.float32(self.half_mm)
        turn = nose[0] * jaw[1] - nose[1] * jaw[0]
        along_nose = (depth * np.float32(jaw[1]) - aside * np.float32(jaw[0])) / np.float32(turn)
        along_jaw = (np.float32(nose[0]) * aside - np.float32(nose[1]) * depth) / np.float32(turn)
        in_tip = (along_nose >= 0) & (along_jaw >= 0) & (along_nose + along_jaw <= cut_mm)
        far = np.hypot(depth - np.float32(middle[0]), across - np.float32(middle[1])) > self.shape.round_mm
        return np.asarray(in_tip & far, dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableShape:
    """What stands around the nose rectangle; a table without pockets has no cuts."""

    length_mm: float
    width_mm: float
    nose_mm: float
    rail_mm: float
    rail_width_mm: float
    ball_radius_mm: float
    corner: Cut | None
    middle: Cut | None
    cushion_width_mm: float = _CUSHION_MM
    corner_round_mm: float = 45.0
    apron_mm: float = 240.0
    floor_mm: float = -820.0

    @classmethod
    def of(cls, table: Table, parameters: PhysicsParameters | None = None) -> "TableShape":
        """The shape of a table as its physics knows it; parts that no ball meets have usual sizes."""
        known = parameters or PhysicsParameters()
        corner = middle = None
        if table.pockets is not None:
            half = table.pockets.corner_mm / 2
            slant = math.sqrt(0.5)
            corner = Cut(half_mm=half, tip_out_mm=-half, nose=(-slant, slant), shape=known.corner)
            middle = Cut(half_mm=table.pockets.middle_mm / 2, tip_out_mm=0.0, nose=(0.0, 1.0), shape=known.middle)
        return cls(
            length_mm=table.length_mm,
            width_mm=table.width_mm,
            nose_mm=table.nose_height_mm,
            rail_mm=table.nose_height_mm + known.rail_above_nose_mm,
            rail_width_mm=known.rail_width_mm - _CUSHION_MM,
            ball_radius_mm=table.ball_radius_mm,
            corner=corner,
            middle=middle,
        )

    @property
    def has_pockets(self) -> bool:
        """Whether there are holes at all."""
        return self.corner is not None

    @property
    def outer_mm(self) -> float:
        """From the nose line to the outer edge of the rail."""
        return self.cushion_width_mm + self.rail_width_mm

    def outer_outline_mm(self) -> npt.NDArray[np.float64]:
        """(N, 3) points along the outer upper edge of the rails."""
        low_x, high_x = -self.outer_mm, self.length_mm + self.outer_mm
        high_y = self.width_mm / 2 + self.outer_mm
        across = np.linspace(low_x, high_x, 9)
        along = np.linspace(-high_y, high_y, 5)
        points = [(x, side, self.rail_mm) for x in across for side in (-high_y, high_y)]
        points += [(side, y, self.rail_mm) for y in along for side in (low_x, high_x)]
        return np.array(points, dtype=np.float64)

    def fold(self, x_mm: Floats, y_mm: Floats) -> tuple[Floats, Floats]:
        """The folded place: u >= 0 from the middle of the table, v >= 0 from its long axis."""
        return np.abs(x_mm - np.float32(self.length_mm / 2)), np.abs(y_mm)

    def outside_mm(self, u_mm: Floats, v_mm: Floats) -> Floats:
        """How far outside the nose rectangle; negative inside."""
        across, along = u_mm - np.float32(self.length_mm / 2), v_mm - np.float32(self.width_mm / 2)
        return np.asarray(np.maximum(across, along), dtype=np.float32)

    def is_on_rail(self, u_mm: Floats, v_mm: Floats) -> Mask:
        """Whether a place lies on the wooden rail, whose outer corners are rounded."""
        out, round_ = self.outside_mm(u_mm, v_mm), self.corner_round_mm
        over_u = np.maximum(u_mm - np.float32(self.length_mm / 2 + self.outer_mm - round_), 0)
        over_v = np.maximum(v_mm - np.float32(self.width_mm / 2 + self.outer_mm - round_), 0)
        return np.asarray((out > self.cushion_width_mm) & (np.hypot(over_u, over_v) < round_), dtype=np.bool_)

    def is_on_casting(self, u_mm: Floats, v_mm: Floats) -> Mask:
        """Whether a place on the rail belongs to the casting that frames a pocket."""
        if self.middle is None:
            return np.zeros(u_mm.shape, dtype=np.bool_)
        corner = (u_mm > self.length_mm / 2 - 40) & (v_mm > self.width_mm / 2 - 40)
        return np.asarray(corner | (u_mm < self.middle.half_mm + 34) & (v_mm > self.width_mm / 2), dtype=np.bool_)

    def hole_distance_mm(self, u_mm: Floats, v_mm: Floats) -> Floats:
        """The distance to the nearest hole's rim, negative in the hole."""
        if self.corner is None or self.middle is None:
            return np.full_like(u_mm, np.inf)
        diagonal = self.corner.center_out_mm * math.sqrt(0.5)
        corner = np.hypot(
            u_mm - np.float32(self.length_mm / 2 + diagonal), v_mm - np.float32(self.width_mm / 2 + diagonal)
        )
        middle = np.hypot(u_mm, v_mm - np.float32(self.width_mm / 2 + self.middle.center_out_mm))
        nearest = np.minimum(corner - np.float32(self.corner.radius_mm), middle - np.float32(self.middle.radius_mm))
        return np.asarray(nearest, dtype=np.float32)

    def is_mouth(self, u_mm: Floats, v_mm: Floats) -> Mask:
        """Whether a place lies between the jaws of a pocket, from the mouth line to the middle of the hole."""
        if self.corner is None or self.middle is None:
            return np.zeros(u_mm.shape, dtype=np.bool_)
        du, dv = u_mm - np.float32(self.length_mm / 2), v_mm - np.float32(self.width_mm / 2)
        slant = np.float32(math.sqrt(0.5))
        corner = self.corner.is_open((du + dv) * slant, np.abs(du - dv) * slant)
        return np.asarray(corner | self.middle.is_open(dv, u_mm), dtype=np.bool_)

    @property
    def sight_line_mm(self) -> float:
        """How far behind the nose line the sights lie."""
        return self.cushion_width_mm + self.rail_width_mm * 0.45

    def sight_distance_mm(self, x_mm: Floats, y_mm: Floats) -> Floats:
        """The distance of places on the rails to the nearest sight: eighths of the length, quarters of the width."""
        u_mm, v_mm = self.fold(x_mm, y_mm)
        eighth, quarter = self.length_mm / 8, self.width_mm / 4
        along, across = np.round(u_mm / np.float32(eighth)), np.round(v_mm / np.float32(quarter))
        long_ = np.hypot(u_mm - along * eighth, v_mm - np.float32(self.width_mm / 2 + self.sight_line_mm))
        short = np.hypot(v_mm - across * quarter, u_mm - np.float32(self.length_mm / 2 + self.sight_line_mm))
        pockets = (0, 4) if self.has_pockets else ()
        long_ = np.where((along > 4) | np.isin(along, pockets), np.inf, long_)
        short = np.where((across > 2) | (np.isin(across, (2,)) & self.has_pockets), np.inf, short)
        return np.asarray(np.minimum(long_, short), dtype=np.float32)
