"""The table's solid shape around the nose rectangle: cushions, rails, pocket holes, sights; all in table mm.

The field is symmetrical, so most questions are asked of a folded place: u from the middle, v from the long axis.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from scoring.table import Table

Floats: TypeAlias = npt.NDArray[np.floating[Any]]
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableShape:
    """What stands around the nose rectangle; a table without pockets has `corner_mouth_mm` 0."""

    length_mm: float
    width_mm: float
    nose_mm: float
    rail_mm: float
    ball_radius_mm: float
    corner_mouth_mm: float
    middle_mouth_mm: float
    cushion_width_mm: float = 52.0
    rail_width_mm: float = 115.0
    apron_mm: float = 240.0
    floor_mm: float = -820.0

    @classmethod
    def of(cls, table: Table) -> "TableShape":
        """The shape of a table; parts that no rule fixes have usual sizes."""
        return cls(
            length_mm=table.length_mm,
            width_mm=table.width_mm,
            nose_mm=table.nose_height_mm,
            rail_mm=table.nose_height_mm + 7.0,
            ball_radius_mm=table.ball_radius_mm,
            corner_mouth_mm=table.pockets.corner_mm if table.pockets else 0.0,
            middle_mouth_mm=table.pockets.middle_mm if table.pockets else 0.0,
        )

    @property
    def has_pockets(self) -> bool:
        """Whether there are holes at all."""
        return self.corner_mouth_mm > 0

    @property
    def outer_mm(self) -> float:
        """From the nose line to the outer edge of the rail."""
        return self.cushion_width_mm + self.rail_width_mm

    @property
    def hole_radius_mm(self) -> tuple[float, float]:
        """The radius of corner and middle holes: a ball fits with some room."""
        return self.corner_mouth_mm / 2 + 5.0, self.middle_mouth_mm / 2 + 2.0

    @property
    def hole_offset_mm(self) -> tuple[float, float]:
        """How far behind the corner (along the diagonal), or behind the long nose line, a hole's centre lies."""
        return 22.0, self.hole_radius_mm[1] + 8.0

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

    def hole_distance_mm(self, u_mm: Floats, v_mm: Floats) -> Floats:
        """The distance to the nearest hole's rim, negative in the hole."""
        if not self.has_pockets:
            return np.full_like(u_mm, np.inf)
        corner_offset, middle_offset = self.hole_offset_mm
        diagonal = corner_offset / np.sqrt(2)
        corner = np.hypot(
            u_mm - np.float32(self.length_mm / 2 + diagonal), v_mm - np.float32(self.width_mm / 2 + diagonal)
        )
        middle = np.hypot(u_mm, v_mm - np.float32(self.width_mm / 2 + middle_offset))
        corner_radius, middle_radius = self.hole_radius_mm
        nearest = np.minimum(corner - np.float32(corner_radius), middle - np.float32(middle_radius))
        return np.asarray(nearest, dtype=np.float32)

    def is_mouth(self, u_mm: Floats, v_mm: Floats) -> Mask:
        """Whether a place lies between the jaws of a pocket, from the mouth line to the middle of the hole."""
        if not self.has_pockets:
            return np.zeros(u_mm.shape, dtype=np.bool_)
        corner_offset, middle_offset = self.hole_offset_mm
        du, dv = u_mm - np.float32(self.length_mm / 2), v_mm - np.float32(self.width_mm / 2)
        out = (du + dv) * np.float32(np.sqrt(0.5))
        across = np.abs(du - dv) * np.float32(np.sqrt(0.5))
        half = self.corner_mouth_mm / 2
        corner = (out >= -half) & (out <= corner_offset) & (across <= half)
        middle = (dv >= 0) & (dv <= middle_offset) & (u_mm <= self.middle_mouth_mm / 2)
        return corner | middle

    def sights_mm(self) -> npt.NDArray[np.float64]:
        """(N, 2) the marks on the rails: every eighth of the long side, every quarter of the short one."""
        back = self.cushion_width_mm + self.rail_width_mm * 0.45
        eighths = [index / 8 for index in range(9) if not self.has_pockets or index not in (0, 4, 8)]
        quarters = [index / 4 for index in range(5) if not self.has_pockets or index not in (0, 4)]
        half = self.width_mm / 2
        points = [(self.length_mm * part, side * (half + back)) for part in eighths for side in (-1, 1)]
        points += [(end, self.width_mm * (part - 0.5)) for part in quarters for end in (-back, self.length_mm + back)]
        return np.array(points, dtype=np.float64)
