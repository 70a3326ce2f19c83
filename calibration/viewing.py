"""What would cost exactness in play though the table was found: flicker, glare, cut pockets, a slow shutter."""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from calibration.camera import Array, CameraModel
from calibration.cloth import ClothArea, Picture
from calibration.mapping import PlaneMap, outline_polygons
from scoring.table import Pocket, Table

_LEAST_FPS = 24.5  # below it quick contacts lie more than a ball's width apart from every picture
_ROLL_MM_S = 3000.0  # a firm stroke
_MOST_SMEAR = 0.5  # of a ball's diameter
_FLICKER_PICTURES = 6
_FLICKER = 0.02  # of the cloth's brightness, from picture to picture
_WHITE = 246  # all channels: there the cloth has no colour left
_GLARE_BALLS = 1.5  # outlines of a ball: a white ball itself is none
_BEHIND_MM = 45.0  # so far behind the noses a pocket's opening reaches
_MS = 1000.0


def viewing_doubts(
    pictures: Sequence[Picture],
    still: Picture,
    area: ClothArea,
    camera: CameraModel,
    table: Table,
    *,
    covered_x_mm: tuple[float, float] | None = None,
) -> tuple[str, ...]:
    """One line for each thing in the pictures that a person should put right.

    `covered_x_mm` is the part of the table that is to be seen, when that is not all of it.
    """
    covered = covered_x_mm or (0.0, table.length_mm)
    return (*_flicker(pictures, area), *_glare(still, camera, table, covered), *_cut_pockets(camera, table, covered))


def timing_doubts(fps: float, shutter_ms: float | None, table: Table) -> tuple[str, ...]:
    """The same for the camera's settings; `fps` 0 and no shutter's time: nobody knows."""
    return (*_rate(fps), *_smear(shutter_ms, table))


def _rate(fps: float) -> Iterator[str]:
    if 0 < fps < _LEAST_FPS:
        yield f"only {fps:.0f} pictures a second: quick contacts are missed, set the camera to 30 or more, better 60"


def _smear(shutter_ms: float | None, table: Table) -> Iterator[str]:
    if shutter_ms is None:
        return
    smear_mm = _ROLL_MM_S * shutter_ms / _MS
    if smear_mm > _MOST_SMEAR * table.ball_mm:
        longest_ms = _MOST_SMEAR * table.ball_mm / _ROLL_MM_S * _MS
        yield (
            f"the shutter is open for {shutter_ms:.0f} ms, a firmly struck ball smears over {smear_mm:.0f} mm: "
            f"set it to {longest_ms:.0f} ms or less and give more light"
        )


def _flicker(pictures: Sequence[Picture], area: ClothArea) -> Iterator[str]:
    """The cloth's light, in bands of rows: a rolling shutter lets a lamp's flicker run over the picture."""
    if len(pictures) < _FLICKER_PICTURES:
        return
    size = (area.mask.shape[1], area.mask.shape[0])
    bands = []
    for picture in pictures:
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA).mean(axis=2)
        light = np.where(area.mask > 0, small, np.nan)
        bands.append([_middle(band) for band in np.array_split(light, 12)])
    light = np.array(bands)
    light = light[:, np.isfinite(light).all(axis=0)]
    if light.size == 0:
        return
    steps = np.abs(np.diff(light, axis=0)) / np.maximum(np.median(light, axis=0), 1.0)
    flicker = float(np.median(steps))  # a lamp that is switched, or an arm, is only one step
    if flicker > _FLICKER:
        yield (
            f"the light flickers by {flicker:.0%} from picture to picture: "
            "use lamps that do not, or set the shutter to a multiple of 10 ms (8.3 ms where mains have 60 Hz)"
        )


def _middle(band: Array) -> float:
    seen = band[np.isfinite(band)]
    return float(np.median(seen)) if len(seen) > 50 else np.nan


def _glare(still: Picture, camera: CameraModel, table: Table, covered: tuple[float, float]) -> Iterator[str]:
    """Places on the cloth that are white, larger than a white ball."""
    bed = np.zeros(still.shape[:2], dtype=np.uint8)
    half, share = table.width_mm / 2, np.linspace(0, 1, 20)[:-1, None]
    from_mm, to_mm = covered
    corners = np.array([(from_mm, -half), (from_mm, half), (to_mm, half), (to_mm, -half)])
    outline = np.vstack([corners[i] + share * (corners[(i + 1) % 4] - corners[i]) for i in range(4)])
    cloth = PlaneMap(camera, 0.0)
    cv2.fillPoly(bed, [np.round(cloth.to_px(outline)).astype(np.int32)], [255])
    white = ((still.min(axis=2) >= _WHITE) & (bed > 0)).astype(np.uint8)
    count, _, stats, middles = cv2.connectedComponentsWithStats(white)
    for label in range(1, count):
        place = cloth.to_mm(middles[label][None])[0]
        ball = outline_polygons(camera, place[None], table.ball_radius_mm)[0]
        if stats[label, cv2.CC_STAT_AREA] > _GLARE_BALLS * cv2.contourArea(ball.astype(np.float32)):
            yield (
                f"glare on the cloth at x {place[0]:.0f}, y {place[1]:.0f} mm, balls are not seen in it: "
                "move or cover a lamp, or set a lower exposure"
            )
            return


def _cut_pockets(camera: CameraModel, table: Table, covered: tuple[float, float]) -> Iterator[str]:
    if table.pockets is None:
        return
    width, height = camera.size_px
    cut = []
    for pocket in Pocket:
        corner = table.pocket_corner(pocket)
        if not covered[0] - table.ball_mm < corner.x_mm < covered[1] + table.ball_mm:
            continue
        along = 0.0 if pocket.is_middle else np.sign(corner.x_mm - table.length_mm / 2)
        place = (corner.x_mm + _BEHIND_MM * along, corner.y_mm + _BEHIND_MM * np.sign(corner.y_mm))
        x_px, y_px = PlaneMap(camera, table.nose_height_mm).to_px([place])[0]
        if not (0 <= x_px <= width - 1 and 0 <= y_px <= height - 1):
            cut.append(pocket.value)
    if cut:
        yield f"pocket {', '.join(cut)} is not wholly in the picture: turn the camera or move it back"
