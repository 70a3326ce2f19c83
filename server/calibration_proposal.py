"""What a calibration looks like in the picture: the noses, the house line, the places where a ball can be put."""

import numpy as np

from calibration.ball_check import check_places
from calibration.camera import Array
from calibration.finder import SIDE_WORDS
from calibration.mapping import CLOTH_MM, PlaneMap
from calibration.pose import House
from calibration.procedure import Calibration
from server.calibration_orders import PointPx, Proposal

_STEPS = 16  # of a side: the lens bends it
_FRONT: dict[str, House] = {"top": "top", "right": "right", "bottom": "bottom", "left": "left"}


def proposal_of(result: Calibration, doubts: tuple[str, ...] = ()) -> Proposal:
    """What the wizard draws and says of a result; `doubts` are about the camera's settings."""
    fit = result.fit
    table, camera = fit.table, fit.camera
    half = table.width_mm / 2
    corners = np.array([(0.0, -half), (0.0, half), (table.length_mm, half), (table.length_mm, -half)])
    ways = np.linspace(0, 1, _STEPS, endpoint=False)[:, None]
    outline = np.vstack([corners[side] + ways * (corners[(side + 1) % 4] - corners[side]) for side in range(4)])
    line = np.column_stack([np.full(_STEPS, table.length_mm / 4), np.linspace(-half, half, _STEPS)])
    places = check_places(table)
    seen = PlaneMap(camera, table.ball_radius_mm).to_px(np.array(list(places.values())))
    return Proposal(
        table=table,
        certificate=result.certificate,
        corners_px=_points(PlaneMap(camera, table.nose_height_mm).to_px(corners)),
        outline_px=_points(PlaneMap(camera, table.nose_height_mm).to_px(outline)),
        house_line_px=_points(PlaneMap(camera, CLOTH_MM).to_px(line)),
        places_px=dict(zip(places, _points(seen), strict=True)),
        front=_FRONT[SIDE_WORDS[fit.front]],
        house_by=fit.house_by,
        doubts=(*result.doubts, *doubts),
        colours=result.colours.srgb,
        unseen=result.colours.unseen,
        colours_refusal=result.colours_refusal,
    )


def _points(places_px: Array) -> tuple[PointPx, ...]:
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in places_px)
