"""The same camera without pictures, over a scripted scene: hands, arms and cues hide balls and look like them."""

import math
from collections.abc import Iterable

import numpy as np

from hardware.virtual.scene import Instant, Scene
from scoring.table import Point
from vision.detection import Cover, Detection, Sighting

CAMERA_HEIGHT_MM = 2600.0


def film_scene(
    scene: Scene,
    rng: np.random.Generator,
    *,
    fps: float = 60.0,
    noise_mm: float = 0.3,
    exposure_s: float = 0.004,
    phantoms: float = 0.5,
    dropout: float = 0.003,
) -> Iterable[Sighting]:
    """The sightings of a whole scene."""
    for index in range(int(scene.duration_s * fps)):
        yield _sight(scene, rng, index, index / fps, noise_mm, exposure_s, phantoms, dropout)


def _sight(scene, rng, index, t_s, noise_mm, exposure_s, phantoms, dropout):
    table = scene.table
    now = scene.at(t_s)
    covers = tuple(_covers(now, table))
    seen = []
    for pose in now.balls:
        x, y, z = pose.center_mm
        if z > table.ball_radius_mm - 14 and _inside_rails(x, y, table):
            seen.append((pose.ball, _flat(pose.center_mm, table), z))
    early = {p.ball: _flat(p.center_mm, table) for p in scene.at(max(0.0, t_s - exposure_s / 2)).balls}
    late = {p.ball: _flat(p.center_mm, table) for p in scene.at(t_s + exposure_s / 2).balls}
    detections = []
    for ball, place, _ in seen:
        if any(_depth(cover, place) < 0.25 * table.ball_radius_mm for cover in covers):
            continue
        gap = min((math.dist(place, other) for b, other, _ in seen if b != ball), default=1e9) - table.ball_mm
        merged = gap < 3.0 or any(_depth(cover, place) < table.ball_radius_mm for cover in covers)
        if rng.random() < (0.1 if merged else dropout):
            continue
        a, b = early.get(ball, place), late.get(ball, place)
        streak = (b[0] - a[0], b[1] - a[1])
        sigma = noise_mm * (3 if merged else 1) + 0.01 * math.hypot(*streak)
        middle = ((a[0] + b[0] + place[0]) / 3, (a[1] + b[1] + place[1]) / 3)
        detections.append(
            _detection(
                middle[0] + rng.normal(0, sigma), middle[1] + rng.normal(0, sigma), noise_mm, ball.colour, merged=merged
            )
        )
    for limb in now.limbs:
        if rng.random() < phantoms:
            share = rng.random()
            x, y, z = (a + share * (b - a) for a, b in zip(limb.start_mm, limb.end_mm, strict=True))
            fx, fy = _flat((x, y, z), table)
            if _inside_rails(fx, fy, table):
                colour = "white" if rng.random() < 0.8 else "yellow"
                detections.append(_detection(fx, fy, 0.8, colour, merged=rng.random() < 0.9, score=0.75))
    rng.shuffle(detections)
    return Sighting(t_ns=round(t_s * 1e9), index=index, detections=tuple(detections), covers=covers)


def _detection(x, y, sigma, colour, *, merged, score=1.0):
    looks = {word: 0.97 if word == colour else 0.01 for word in ("white", "red", "yellow", "numbered")}
    return Detection(
        place=Point(float(x), float(y)),
        sigma_mm=sigma,
        sigma_along_mm=sigma,
        center_px=(0.0, 0.0),
        radius_px=15.0,
        looks=looks,
        is_merged=merged,
        score=score,
    )


def _flat(center, table):
    x, y, z = center
    middle = table.length_mm / 2
    share = (CAMERA_HEIGHT_MM - table.ball_radius_mm) / (CAMERA_HEIGHT_MM - z)
    return middle + (x - middle) * share, y * share


def _inside_rails(x, y, table):
    return -60 < x < table.length_mm + 60 and abs(y) < table.width_mm / 2 + 60


def _covers(now: Instant, table) -> Iterable[Cover]:
    for limb in now.limbs:
        yield _rod(limb.start_mm, limb.end_mm, limb.start_radius_mm, limb.end_radius_mm, "arm", table)
    for cue in now.cues:
        yield _rod(cue.tip_mm, cue.butt_mm, 6.0, 14.0, "cue", table)


def _rod(start, end, start_radius, end_radius, what, table):
    (ax, ay), (bx, by) = _flat(start, table), _flat(end, table)
    length = math.hypot(bx - ax, by - ay)
    if length < 1.0:
        turns = [k * math.pi / 4 for k in range(8)]
        return Cover(
            outline=tuple(Point(ax + start_radius * math.cos(a), ay + start_radius * math.sin(a)) for a in turns),
            what=what,
        )
    ux, uy = (bx - ax) / length, (by - ay) / length
    ax, ay = ax - ux * start_radius, ay - uy * start_radius
    bx, by = bx + ux * end_radius, by + uy * end_radius
    corners = ((ax, ay, start_radius), (bx, by, end_radius), (bx, by, -end_radius), (ax, ay, -start_radius))
    return Cover(outline=tuple(Point(x - uy * r, y + ux * r) for x, y, r in corners), what=what)


def _depth(cover, place):
    """The distance from a place to a cover; negative inside."""
    x, y = place
    worst = -1e9
    points = cover.outline
    area = sum(a.x_mm * b.y_mm - b.x_mm * a.y_mm for a, b in zip(points, (*points[1:], points[0]), strict=True))
    sign = 1 if area > 0 else -1
    for a, b in zip(points, (*points[1:], points[0]), strict=True):
        dx, dy = b.x_mm - a.x_mm, b.y_mm - a.y_mm
        size = math.hypot(dx, dy) or 1.0
        worst = max(worst, sign * ((x - a.x_mm) * dy - (y - a.y_mm) * dx) / size)
    return worst
