"""A camera without pictures: samples a computed stroke as an eye would report it, with its errors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hardware.virtual.physics import CueStroke, Motion, simulate
from scoring.balls import FIVE_BALL_SET, WHITE_1, Ball
from scoring.table import Pocket, Point, Table
from vision.detection import Cover, Detection, Sighting
from vision.surroundings import mouth

CAMERA_HEIGHT_MM = 3000.0
LEAD_S = 1.1
TAIL_S = 1.6


@dataclass(frozen=True, kw_only=True)
class Eye:
    """How well the eye sees."""

    fps: float = 60.0
    exposure_s: float = 0.006
    noise_mm: float = 0.5
    blur_noise: float = 0.04  # share of the streak
    dropout: float = 0.01
    wrong_colour: float = 0.01
    ghosts: float = 0.002
    merge_gap_mm: float = 6.0
    merge_loss: float = 0.15
    cue: bool = True


def random_layout(table: Table, balls: Sequence[Ball], rng: np.random.Generator) -> dict[Ball, Point]:
    r = table.ball_radius_mm
    places: dict[Ball, Point] = {}
    for ball in balls:
        while True:
            x = rng.uniform(r + 1, table.length_mm - r - 1)
            y = rng.uniform(-table.width_mm / 2 + r + 1, table.width_mm / 2 - r - 1)
            place = Point(x, y)
            near_pocket = min(
                math.hypot(x - px, abs(y) - table.width_mm / 2) for px in (0, table.length_mm / 2, table.length_mm)
            )
            if near_pocket > 90 and all(place.distance_mm(p) > 2 * r + 0.5 for p in places.values()):
                places[ball] = place
                break
    return places


def random_stroke(
    layout: dict[Ball, Point], table: Table, rng: np.random.Generator, cue_ball: Ball = WHITE_1
) -> CueStroke:
    start = layout[cue_ball]
    others = [p for b, p in layout.items() if b != cue_ball]
    target = others[rng.integers(len(others))]
    away = start.distance_mm(target)
    aim = math.atan2(target.y_mm - start.y_mm, target.x_mm - start.x_mm)
    half = math.asin(min(1.0, table.ball_mm / away))
    aim += half * rng.uniform(-1.05, 1.05) if rng.random() < 0.8 else rng.uniform(-math.pi, math.pi)
    speed = float(np.exp(rng.uniform(math.log(500), math.log(5500)))) / 1.43
    radius, angle = 0.5 * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
    return CueStroke(
        ball=cue_ball,
        speed_mm_s=speed,
        direction_rad=aim,
        side=0.6 * radius * math.cos(angle),
        top=radius * math.sin(angle),
    )


def film(motion: Motion, stroke: CueStroke, eye: Eye, rng: np.random.Generator) -> tuple[list[Sighting], float]:
    """The sightings of one stroke and when it was struck."""
    strike_s = LEAD_S + rng.uniform(0, 1 / eye.fps)
    count = int((strike_s + motion.duration_s + TAIL_S) * eye.fps)
    return [sight(motion, stroke, eye, rng, k, k / eye.fps, strike_s) for k in range(count)], strike_s


def sight(motion, stroke, eye, rng, index, t_s, strike_s):
    table = motion.table
    seen = []
    for ball in motion.balls:
        path = [motion.pose(ball, t_s - strike_s + eye.exposure_s * (k / 4 - 0.5)) for k in range(5)]
        path = [p.center_mm for p in path if p is not None and p.center_mm[2] > table.ball_radius_mm - 12]
        if path:
            seen.append((ball, np.array([_flat(p, table) for p in path])))
    detections = []
    for ball, path in seen:
        mean = path.mean(axis=0)
        gap = min((np.hypot(*(mean - o.mean(axis=0))) for b, o in seen if b != ball), default=1e9) - table.ball_mm
        merged = gap < eye.merge_gap_mm
        if rng.random() < (eye.merge_loss if merged else eye.dropout):
            continue
        streak = path[-1] - path[0]
        length = float(np.hypot(*streak))
        sigma = eye.noise_mm * (2 if merged else 1)
        along = sigma + eye.blur_noise * length
        unit = streak / length if length > 1e-6 else np.array((1.0, 0.0))
        noise = unit * rng.normal(0, along) + np.array((-unit[1], unit[0])) * rng.normal(0, sigma)
        place = mean + noise
        detections.append(
            Detection(
                place=Point(float(place[0]), float(place[1])),
                sigma_mm=eye.noise_mm,
                sigma_along_mm=eye.noise_mm + eye.blur_noise * length,
                center_px=(0.0, 0.0),
                radius_px=15.0,
                looks=_looks(ball, motion.balls, eye, rng),
                streak_mm=(float(streak[0]), float(streak[1])) if length > 8 else None,
                is_merged=merged,
            )
        )
    if rng.random() < eye.ghosts:
        place = Point(
            float(rng.uniform(0, table.length_mm)), float(rng.uniform(-table.width_mm / 2, table.width_mm / 2))
        )
        detections.append(
            Detection(
                place=place,
                sigma_mm=1.0,
                sigma_along_mm=1.0,
                center_px=(0.0, 0.0),
                radius_px=15.0,
                looks={"white": 0.5, "red": 0.5},
                score=0.5,
            )
        )
    rng.shuffle(detections)
    covers = _cue(motion, stroke, t_s - strike_s) if eye.cue else ()
    return Sighting(t_ns=round(t_s * 1e9), index=index, detections=tuple(detections), covers=covers)


def _flat(center, table):
    x, y, z = center
    cx, cy = table.length_mm / 2, 0.0
    share = (CAMERA_HEIGHT_MM - table.ball_radius_mm) / (CAMERA_HEIGHT_MM - z)
    return cx + (x - cx) * share, cy + (y - cy) * share


def _looks(ball, balls, eye, rng):
    words = sorted({b.colour for b in balls})
    word = ball.colour
    if rng.random() < eye.wrong_colour:
        word = words[rng.integers(len(words))]
    rest = 0.08 / max(1, len(words) - 1)
    return {w: 0.92 if w == word else rest for w in words}


def _cue(motion, stroke, since_s):
    if not -0.6 < since_s < 0.2:
        return ()
    pose = motion.pose(stroke.ball, 0.0)
    x, y, _ = pose.center_mm
    back = 34 + 150 * abs(math.sin(6 * since_s)) if since_s < 0 else 34 - 30 * math.exp(-since_s / 0.05) + 30
    dx, dy = math.cos(stroke.direction_rad), math.sin(stroke.direction_rad)
    tip, butt = (x - dx * back, y - dy * back), (x - dx * 1400, y - dy * 1400)
    outline = tuple(
        Point(px - s * dy * 6, py + s * dx * 6) for (px, py), s in ((tip, 1), (tip, -1), (butt, -1), (butt, 1))
    )
    return (Cover(outline=outline, what="cue"),)


def crowded_layout(table: Table, balls: Sequence[Ball], rng: np.random.Generator) -> dict[Ball, Point]:
    """Balls close to each other (some frozen) or close to a cushion (some frozen to it)."""
    r = table.ball_radius_mm
    for _ in range(1000):
        places = random_layout(table, balls, rng)
        order = [balls[k] for k in rng.permutation(len(balls))]
        for ball, neighbour in pairwise(order):
            kind = rng.random()
            if kind < 0.35:
                gap = 2 * r + 0.02 if rng.random() < 0.4 else 2 * r + rng.uniform(0.5, 60)
                angle = rng.uniform(0, 2 * math.pi)
                places[ball] = Point(
                    places[neighbour].x_mm + gap * math.cos(angle), places[neighbour].y_mm + gap * math.sin(angle)
                )
            elif kind < 0.6:
                gap = r + 0.02 if rng.random() < 0.4 else r + rng.uniform(0.5, 60)
                old = places[ball]
                places[ball] = Point(old.x_mm, math.copysign(table.width_mm / 2 - gap, old.y_mm))
        if _is_possible(table, places):
            return places
    message = "no crowded layout found"
    raise AssertionError(message)


def _is_possible(table, places):
    r = table.ball_radius_mm
    for ball, place in places.items():
        if not (r <= place.x_mm <= table.length_mm - r and abs(place.y_mm) <= table.width_mm / 2 - r):
            return False
        corners = (
            math.hypot(place.x_mm - x, abs(place.y_mm) - table.width_mm / 2)
            for x in (0, table.length_mm / 2, table.length_mm)
        )
        if min(corners) < 90:
            return False
        if any(b != ball and place.distance_mm(p) < 2 * r + 0.01 for b, p in places.items()):
            return False
    return True


def pot_stroke(layout: dict[Ball, Point], table: Table, rng: np.random.Generator, cue_ball: Ball) -> CueStroke:
    """A stroke aimed at a pot, with a player's error."""
    start = layout[cue_ball]
    ways = []
    for ball, place in layout.items():
        if ball == cue_ball:
            continue
        for pocket in Pocket:
            goal = mouth(table, pocket)
            leave = math.atan2(goal.y_mm - place.y_mm, goal.x_mm - place.x_mm)
            ghost = Point(place.x_mm - table.ball_mm * math.cos(leave), place.y_mm - table.ball_mm * math.sin(leave))
            aim = math.atan2(ghost.y_mm - start.y_mm, ghost.x_mm - start.x_mm)
            cut = abs((leave - aim + math.pi) % (2 * math.pi) - math.pi)
            if cut < 1.1:
                ways.append((cut + place.distance_mm(goal) / 3000 + start.distance_mm(ghost) / 3000, aim))
    if not ways:
        return random_stroke(layout, table, rng, cue_ball)
    ways.sort()
    _, aim = ways[int(rng.integers(min(3, len(ways))))]
    speed = float(np.exp(rng.uniform(math.log(1200), math.log(5000)))) / 1.43
    return CueStroke(
        ball=cue_ball, speed_mm_s=speed, direction_rad=aim + rng.normal(0, 0.0015), top=float(rng.uniform(-0.4, 0.4))
    )


def random_case(
    seed: int,
    *,
    kind: str = "plain",
    balls: Sequence[Ball] = FIVE_BALL_SET,
    eye: Eye | None = None,
    table: Table | None = None,
) -> tuple[Motion, list[Sighting], float]:
    """A random stroke (plain, crowded, or a pot), its motion, its sightings, and the time of the strike."""
    rng = np.random.default_rng(seed)
    table = table or Table()
    layout = (crowded_layout if kind == "crowded" else random_layout)(table, balls, rng)
    stroke = (pot_stroke if kind == "pot" else random_stroke)(layout, table, rng, balls[0])
    motion = simulate(table, layout, stroke)
    sightings, strike_s = film(motion, stroke, eye or Eye(), rng)
    return motion, sightings, strike_s
