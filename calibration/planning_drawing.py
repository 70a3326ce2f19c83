"""A drawing of an installation as SVG: the table from the side and from above, the camera and what it sees."""

import math

from calibration.planning import CUSHION_MM, RAIL_MM, InstallationPlan
from scoring.table import Pocket, Table

_SCALE = 0.16  # drawing units per mm
_MARGIN = 60.0
_BED_MM = 830.0  # of the cloth over the floor
_CLOTH, _WOOD, _VIEW, _INK = "#2f7d57", "#7a4b2a", "#f2b705", "#222222"


def drawing_of(table: Table, plan: InstallationPlan) -> str:
    """The text of an SVG file."""
    height_mm, half_rad = plan.choice.height_mm, plan.choice.fov_rad / 2
    outer_mm = table.length_mm + 2 * RAIL_MM
    seen_mm = 2 * (height_mm - table.nose_height_mm) * math.tan(half_rad)
    wide_mm = max(outer_mm, seen_mm)
    width = wide_mm * _SCALE + 2 * _MARGIN
    middle = width / 2
    cloth_y = _MARGIN + height_mm * _SCALE
    floor_y = cloth_y + _BED_MM * _SCALE
    plan_y = floor_y + 70
    seen_wide_mm = seen_mm * plan.choice.size_px[1] / plan.choice.size_px[0]
    deep_mm = max(table.width_mm + 2 * RAIL_MM, seen_wide_mm)
    total = plan_y + deep_mm * _SCALE + _MARGIN
    head = f'viewBox="0 0 {width:.0f} {total:.0f}" font-family="sans-serif" font-size="13" fill="{_INK}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {head}>',
        f'<rect width="{width:.0f}" height="{total:.0f}" fill="#ffffff"/>',
        _text(_MARGIN / 2, 24, "From the side"),
    ]
    reach = seen_mm / 2 * _SCALE
    rail_y = cloth_y - table.nose_height_mm * _SCALE
    cone = f"{middle:.1f},{_MARGIN:.1f} {middle - reach:.1f},{rail_y:.1f} {middle + reach:.1f},{rail_y:.1f}"
    parts += [
        f'<polygon points="{cone}" fill="{_VIEW}" fill-opacity="0.25" stroke="{_VIEW}"/>',
        _box(middle - 14, _MARGIN - 14, 28, 14, _INK),
        _box(middle - outer_mm / 2 * _SCALE, cloth_y, outer_mm * _SCALE, 40, _WOOD),
        _box(middle - table.length_mm / 2 * _SCALE, cloth_y, table.length_mm * _SCALE, 5, _CLOTH),
    ]
    for way in (-1, 1):
        leg = middle + way * outer_mm * 0.4 * _SCALE
        rail_left = (middle + way * (outer_mm - RAIL_MM) / 2 * _SCALE) - RAIL_MM / 2 * _SCALE
        parts += [
            _box(leg - 10, cloth_y + 40, 20, floor_y - cloth_y - 40, _WOOD),
            _box(rail_left, rail_y, RAIL_MM * _SCALE, cloth_y - rail_y, _WOOD),
        ]
    parts += [
        _box(_MARGIN / 2, floor_y, width - _MARGIN, 1.5, _INK),
        _height_line(middle + 24, _MARGIN, cloth_y, f"{height_mm:.0f} mm over the cloth"),
        _text(middle + 34, _MARGIN - 2, f"{math.degrees(plan.choice.fov_rad):.0f} degrees across"),
        _text(_MARGIN / 2, plan_y - 14, "From above: what the camera sees is yellow"),
    ]
    center_y = plan_y + deep_mm / 2 * _SCALE
    for long_mm, short_mm, fill in (
        (outer_mm, table.width_mm + 2 * RAIL_MM, _WOOD),
        (table.length_mm + 2 * CUSHION_MM, table.width_mm + 2 * CUSHION_MM, "#27694a"),
        (table.length_mm, table.width_mm, _CLOTH),
    ):
        left, top = middle - long_mm / 2 * _SCALE, center_y - short_mm / 2 * _SCALE
        parts.append(_box(left, top, long_mm * _SCALE, short_mm * _SCALE, fill))
    for pocket in Pocket if table.pockets is not None else ():
        corner = table.pocket_corner(pocket)
        x = middle + (corner.x_mm - table.length_mm / 2) * _SCALE
        y = center_y - corner.y_mm * _SCALE
        error = (plan.pocket_error_mm or {}).get(pocket)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{_INK}"/>')
        if error is not None:
            parts.append(
                f'<text x="{x:.1f}" y="{y + (30 if corner.y_mm > 0 else -18):.1f}" text-anchor="middle" '
                f'fill="#ffffff">{error:.1f} mm</text>'
            )
    left, top = middle - seen_mm / 2 * _SCALE, center_y - seen_wide_mm / 2 * _SCALE
    parts.append(
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{seen_mm * _SCALE:.1f}" height="{seen_wide_mm * _SCALE:.1f}" '
        f'fill="none" stroke="{_VIEW}" stroke-width="3"/>'
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _box(left: float, top: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"/>'


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}">{words}</text>'


def _height_line(x: float, top: float, bottom: float, words: str) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="{_INK}" stroke-dasharray="5 4"/>'
        + _text(x + 8, (top + bottom) / 2, words)
    )
