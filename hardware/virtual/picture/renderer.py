"""Draws a scene at an instant: the empty table once, then only what has changed."""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import CameraModel
from hardware.virtual.picture.background import paint
from hardware.virtual.picture.balls import Sprite, ball_sprite, darken, lay, shadow
from hardware.virtual.picture.decals import Turn
from hardware.virtual.picture.eye import Eye, Window
from hardware.virtual.picture.light import Codes, Floats
from hardware.virtual.picture.look import Look
from hardware.virtual.picture.people import Thing, balls_before, lay_their_shadows, things
from hardware.virtual.picture.sensor import Sensor
from hardware.virtual.picture.shape import TableShape
from hardware.virtual.picture.sights import Sights, sights
from hardware.virtual.picture.smear import Smear
from hardware.virtual.scene import BallPose, Instant, Scene, Vector
from scoring.balls import Ball
from scoring.table import Table

_STILL_MM = 0.02  # less than this in one exposure is no motion
_STEP_PX = 1.5  # sub-steps of an exposure lie this far apart
_STEPS = 24
_BLUR_PX = 1.5  # people and cues that move less during an exposure are drawn sharp
_MOMENTS = 6  # and those that move more, at this many moments at most
_NEAR_RADII = 6.0  # how far a ball's shadow reaches other balls


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Streak:
    """A ball's way during one exposure."""

    pose: BallPose  # in the middle
    smear: Smear
    turns: tuple[Turn, ...]

    def blurred(self, sprite: Sprite, size_px: tuple[int, int]) -> Sprite | None:
        """A sprite smeared along the way."""
        values = np.dstack([sprite.colour, sprite.alpha])
        if (spread := self.smear.spread(sprite.window, values, 0.0, size_px)) is None:
            return None
        window, both = spread
        return Sprite(window=window, colour=both[..., :3], alpha=np.clip(both[..., 3], 0, 1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _AtRest:
    """A resting ball's shadow and look, kept while it rests."""

    shadow: tuple[Window, Floats] | None
    sprite: Sprite | None
    near: tuple[Vector, ...]


class Renderer:
    """One virtual camera over one virtual table; the same arguments give the same pictures, frame by frame.

    `frame` may be called for any instants in any order. It is not for several threads at once.
    """

    def __init__(self, table: Table, camera: CameraModel, look: Look) -> None:
        self.table = table
        self.camera = camera
        self.look = look
        shape = TableShape.of(table)
        self._eye = Eye.of(camera, shape, look)
        self._empty = paint(shape, look, self._eye.center, self._eye.rays, self._eye.surface)
        self._sensor = Sensor(look, camera.size_px)
        self._resting: tuple[BallPose, ...] = ()
        self._at_rest: dict[BallPose, _AtRest] = {}
        self._picture = self._empty.copy()

    def empty_table(self) -> Codes:
        """(H, W, 3) uint8 BGR of the table without anything on it and without noise."""
        return self._empty.copy()

    def frame(self, scene: Scene, t_s: float, gain: float = 1.0) -> Codes:
        """(H, W, 3) uint8 BGR, exposed in the middle at `t_s`; `gain` is what the camera adds to the look's."""
        return self.picture(scene.at(t_s), self.exposure(scene, t_s), t_s, gain)

    def exposure(self, scene: Scene, t_s: float) -> tuple[Instant, ...]:
        """The exposure around an instant as instants at equal steps."""
        half_s = self.look.exposure_s / 2
        return self._between(scene, max(t_s - half_s, 0.0), min(t_s + half_s, scene.duration_s))

    def still(self, instant: Instant, t_s: float = 0.0) -> Codes:
        """(H, W, 3) uint8 BGR of an instant in which nothing moves."""
        return self.picture(instant, (instant,), t_s)

    def sights(self, middle: Instant, exposure: tuple[Instant, ...], *, has_pockets: bool = True) -> Sights:
        """What of an exposure can be seen where; without `has_pockets` only what moves."""
        return sights(self._eye, middle, exposure, has_pockets=has_pockets)

    def picture(self, middle: Instant, exposure: tuple[Instant, ...], t_s: float, gain: float = 1.0) -> Codes:
        """(H, W, 3) uint8 BGR of an exposure given as instants at equal steps, `middle` being its middle."""
        resting, streaks = self._split(middle, exposure)
        if resting != self._resting:
            self._rest(resting)
        picture = self._picture.copy()
        sprites = self._draw_moving(picture, streaks, resting)
        if middle.cues or middle.limbs:
            lay_their_shadows(self._eye, picture, things(self._eye, middle))
            picture = self._with_things(picture, self._moments(middle, exposure), middle.balls, sprites)
        return self._sensor.expose(picture, t_s, gain)

    def colour_of(self, ball: Ball) -> tuple[float, float, float]:
        """A ball's mean colour in the middle of the table, 8-bit sRGB red, green, blue."""
        middle = (self.table.length_mm / 2, 0.0, self.table.ball_radius_mm)
        sprite = ball_sprite(self._eye, BallPose(ball=ball, center_mm=middle), ((1.0, 0.0, 0.0, 0.0),))
        assert sprite is not None, "the middle of the table is in the picture"
        inner = sprite.alpha > 0.98
        blue, green, red = (float(value) for value in sprite.colour[inner].mean(axis=0))
        return red, green, blue

    def _between(self, scene: Scene, first_s: float, last_s: float) -> tuple[Instant, ...]:
        """The instants of an exposure: as many as the fastest ball needs."""
        ends = (scene.at(first_s), scene.at(last_s))
        starts = {pose.ball: pose.center_mm for pose in ends[0].balls}
        balls_mm = max(
            (math.dist(starts[pose.ball], pose.center_mm) for pose in ends[1].balls if pose.ball in starts), default=0.0
        )
        people_mm = _way_mm(*ends)
        ball_steps = math.ceil(self._px(balls_mm) / _STEP_PX) + 1 if balls_mm >= _STILL_MM else 0
        people_steps = self._moment_count(people_mm)
        if not ball_steps and people_steps < 2:
            return ends
        count = int(np.clip(max(ball_steps, people_steps), 3, _STEPS))
        times = np.linspace(first_s, last_s, count)[1:-1]
        return (ends[0], *(scene.at(float(time)) for time in times), ends[1])

    def _px(self, way_mm: float) -> float:
        """About how long a way over the table is in the picture."""
        return way_mm * float(self.camera.matrix[0, 0]) / float(self._eye.center[2])

    def _moment_count(self, way_mm: float) -> int:
        """At how many moments people who go so far during an exposure are drawn."""
        way_px = self._px(way_mm)
        return 1 if way_px < _BLUR_PX else min(math.ceil(way_px / _BLUR_PX) + 1, _MOMENTS)

    def _moments(self, middle: Instant, exposure: tuple[Instant, ...]) -> list[Instant]:
        """The moments of an exposure at which people are drawn: one when they hardly move."""
        count = min(self._moment_count(_way_mm(exposure[0], exposure[-1])), len(exposure))
        if count < 2:
            return [middle]
        return [exposure[index] for index in np.linspace(0, len(exposure) - 1, count).round().astype(int)]

    def _with_things(
        self, picture: Codes, moments: list[Instant], balls: tuple[BallPose, ...], sprites: dict[Ball, Sprite]
    ) -> Codes:
        """The picture with people and cues before it, averaged over moments."""
        mean = picture
        for index, moment in enumerate(moments):
            drawn = picture.copy() if len(moments) > 1 else picture
            for thing in things(self._eye, moment):
                thing.draw(self._eye, drawn)
                self._draw_in_front(drawn, thing, balls, sprites)
            share = 1 / (index + 1)
            mean = drawn if index == 0 else np.asarray(cv2.addWeighted(mean, 1 - share, drawn, share, 0), np.uint8)
        return mean

    def _split(self, middle: Instant, exposure: tuple[Instant, ...]) -> tuple[tuple[BallPose, ...], list[_Streak]]:
        """Which balls rest during the exposure, and the ways of those that do not."""
        places = [{pose.ball: pose for pose in instant.balls} for instant in exposure]
        resting, streaks = [], []
        for pose in middle.balls:
            way = [at[pose.ball] for at in places if pose.ball in at]
            if len(way) < 2 or math.dist(way[0].center_mm, way[-1].center_mm) < _STILL_MM:
                resting.append(pose)
                continue
            pixels = self.camera.project([step.center_mm for step in way] + [pose.center_mm])
            turns = tuple(step.turn for step in way[:: max(len(way) // 5, 1)])
            smear = Smear((pixels[:-1] - pixels[-1]).astype(np.float32))
            streaks.append(_Streak(pose=pose, smear=smear, turns=turns))
        return tuple(resting), streaks

    def _rest(self, resting: tuple[BallPose, ...]) -> None:
        """Draw the balls that rest over the empty table and keep the picture."""
        self._resting = resting
        self._picture = self._empty.copy()
        self._at_rest = {pose: self._look_at(pose, _near(pose, resting, self._near_mm)) for pose in resting}
        for pose in resting:
            if (dark := self._at_rest[pose].shadow) is not None:
                darken(self._picture, *dark)
        for pose in sorted(resting, key=self._farness, reverse=True):
            if (sprite := self._at_rest[pose].sprite) is not None:
                lay(self._picture, sprite)

    @property
    def _near_mm(self) -> float:
        return _NEAR_RADII * self.table.ball_radius_mm

    def _look_at(self, pose: BallPose, near: tuple[Vector, ...]) -> _AtRest:
        """How a resting ball looks; kept from before while nothing near it changes."""
        known = self._at_rest.get(pose)
        if known is not None and known.near == near:
            return known
        sprite = ball_sprite(self._eye, pose, (pose.turn,), near)
        return _AtRest(shadow=shadow(self._eye, pose.center_mm), sprite=sprite, near=near)

    def _draw_moving(self, picture: Codes, streaks: list[_Streak], resting: tuple[BallPose, ...]) -> dict[Ball, Sprite]:
        """Draw the balls that move, and once more those at rest that stand before them; tell what was drawn."""
        drawn: dict[Ball, Sprite] = {}
        windows: list[Window] = []
        for streak in streaks:
            dark = shadow(self._eye, streak.pose.center_mm, is_smeared=True)
            spread = streak.smear.spread(*dark, 1.0, self.camera.size_px) if dark else None
            if spread is not None:
                darken(picture, *spread)
                windows.append(spread[0])
        again = [pose for pose in resting if self._is_touched(pose, windows)]
        moving = {id(streak.pose): streak for streak in streaks}
        every = (*resting, *(streak.pose for streak in streaks))
        poses = sorted([*again, *(streak.pose for streak in streaks)], key=self._farness, reverse=True)
        for pose in poses:
            own = moving.get(id(pose))
            if own is None:
                sprite = self._at_rest[pose].sprite
            elif (sprite := ball_sprite(self._eye, pose, own.turns, _near(pose, every, self._near_mm))) is not None:
                sprite = own.blurred(sprite, self.camera.size_px)
            if sprite is not None:
                drawn[pose.ball] = sprite
                lay(picture, sprite)
        return drawn

    def _draw_in_front(
        self, picture: Codes, thing: Thing, balls: tuple[BallPose, ...], sprites: dict[Ball, Sprite]
    ) -> None:
        """Draw once more the balls that stand between the camera and a thing."""
        for pose in balls_before(self._eye, thing, balls):
            sprite = sprites.get(pose.ball)
            if sprite is None and pose in self._at_rest:
                sprite = self._at_rest[pose].sprite
            if sprite is not None:
                lay(picture, sprite)

    def _is_touched(self, pose: BallPose, windows: list[Window]) -> bool:
        """Whether a resting ball lies in a window that was darkened."""
        if not windows:
            return False
        x, y = self.camera.project([pose.center_mm])[0]
        reach = 1.2 * self.table.ball_radius_mm * float(self.camera.matrix[0, 0]) / self._farness(pose)
        return any(
            left - reach < x < right + reach and top - reach < y < bottom + reach
            for left, top, right, bottom in windows
        )

    def _farness(self, pose: BallPose) -> float:
        """The distance of a ball from the camera, mm."""
        return self._eye.distance_mm(pose.center_mm)


def _near(pose: BallPose, others: tuple[BallPose, ...], reach_mm: float) -> tuple[Vector, ...]:
    """The balls that may shade another one."""
    return tuple(
        other.center_mm
        for other in others
        if other.ball != pose.ball and math.dist(other.center_mm, pose.center_mm) < reach_mm
    )


def _way_mm(first: Instant, last: Instant) -> float:
    """How far the fastest end of a cue or a limb goes between two instants."""
    ways = [0.0]
    if len(first.cues) == len(last.cues):
        for one, two in zip(first.cues, last.cues, strict=True):
            ways += [math.dist(one.tip_mm, two.tip_mm), math.dist(one.butt_mm, two.butt_mm)]
    if [limb.part for limb in first.limbs] == [limb.part for limb in last.limbs]:
        ways += [math.dist(one.start_mm, two.start_mm) for one, two in zip(first.limbs, last.limbs, strict=True)]
    return max(ways)
