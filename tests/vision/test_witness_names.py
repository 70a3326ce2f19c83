"""Names of balls: from colour and from who is missing; what stays unknown is said, with who it may be."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from watching import FRAME_NS, Watching, looking_like, seen

from hardware.virtual.physics import CueStroke, simulate
from scoring.balls import FIVE_BALL_SET, PYRAMID_SET, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.events import Contact, Moved, Potted, Rest, Strike
from scoring.table import Point, Spot, Table
from vision.detection import Cover
from vision.motion import State
from vision.track import Look, Track
from vision.witness import Witness
from vision.witness.naming import Namer

TABLE = Table()
PLACES = {WHITE_1: (500, 0), RED_1: (900, 300), RED_2: (2000, -300), YELLOW: (3000, 200)}
DOUBTFUL = {"white": 0.5, "yellow": 0.5}


def filming():
    if "filming" not in sys.modules:
        spec = importlib.util.spec_from_file_location("filming", Path(__file__).with_name("filming.py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules["filming"] = module
        spec.loader.exec_module(module)
    return sys.modules["filming"]


def lying(*balls):
    return [(PLACES[ball], looking_like(ball.colour)) for ball in balls]


def test_a_newcomer_of_doubtful_colour_is_told_once_its_colour_is_sure():
    watching = Watching()
    others = lying(WHITE_1, RED_1, RED_2)
    assert watching.show(others, seconds=2) == []
    assert watching.show([*others, ((3000, 200), DOUBTFUL)], seconds=4) == []
    (event,) = watching.show([*others, ((3000, 200), looking_like("yellow"))], seconds=2)
    assert isinstance(event, Moved)
    assert event.ball == YELLOW
    assert not event.flagged
    assert set(watching.witness.positions) == {WHITE_1, RED_1, RED_2, YELLOW}


def test_a_white_that_was_taken_up_comes_back_before_one_that_was_never_on_the_table():
    watching = Watching()
    others = lying(RED_1, RED_2, YELLOW)
    first = watching.show([*others, ((500, 0), looking_like("white"))], seconds=2)
    taken = watching.show(others, seconds=3)
    back = watching.show([*others, ((700, 100), looking_like("white"))], seconds=2)
    second = watching.show(
        [*others, ((700, 100), looking_like("white")), ((300, 300), looking_like("white"))], seconds=2
    )
    assert [(event.ball, event.target is None) for event in (*taken, *back, *second)] == [
        (WHITE_1, True),
        (WHITE_1, False),
        (WHITE_2, False),
    ]
    assert first == []


def test_a_ball_put_on_the_first_spot_lies_on_the_house_line_whatever_the_error():
    watching, spot = Watching(), TABLE.spot(Spot.S1)
    others = lying(WHITE_1, RED_2, YELLOW)
    watching.show(others, seconds=2)
    (put,) = watching.show([*others, ((spot.x_mm - 0.4, 0.3), looking_like("red"))], seconds=2)
    assert isinstance(put, Moved)
    assert put.target == spot
    assert watching.witness.positions[put.ball] == spot
    assert not TABLE.is_in_house(put.target)
    assert TABLE.is_in_house(Point(spot.x_mm - 0.4, 0.3))


def numbered_track(key, x_mm, *, from_s, to_s):
    looks = [Look(t_s, x_mm, 0.0, 0.3, 0.3) for t_s in (from_s, to_s)]
    track = Track(key, State(x_mm, 0.0), to_s, Point(x_mm, 0.0), looks)
    track.evidence = {"numbered": 0.0, "white": -20.0}
    return track


def test_a_lost_ball_that_two_strangers_may_be_is_given_up_once():
    namer = Namer(PYRAMID_SET, TABLE)
    lost = numbered_track(1, 500.0, from_s=0.0, to_s=1.0)
    strangers = [numbered_track(key, 600.0 + key, from_s=2.0, to_s=3.0) for key in (2, 3)]
    namer.names = {1: PYRAMID_SET[3], 2: Ball("ball-?1"), 3: Ball("ball-?2")}
    assert [track.key for track in namer.ghosts([lost, *strangers])] == [1]


def doubted(sightings, colour):
    """The same sightings with one colour made doubtful."""
    for sighting in sightings:
        detections = [replace(d, looks=DOUBTFUL) if d.looks.get(colour, 0.0) > 0.5 else d for d in sighting.detections]
        yield replace(sighting, detections=tuple(detections))


def stroke_sightings(layout, stroke, **eye):
    motion = simulate(TABLE, layout, stroke)
    sightings, _ = filming().film(
        motion, stroke, filming().Eye(ghosts=0.0, wrong_colour=0.0, **eye), np.random.default_rng(3)
    )
    return motion, sightings


def test_events_of_a_ball_that_stays_unknown_are_flagged_with_who_it_may_be():
    layout = {WHITE_1: Point(1775, 0), YELLOW: Point(1775, 500)}
    _, sightings = stroke_sightings(layout, CueStroke(ball=WHITE_1, speed_mm_s=1200, direction_rad=np.pi / 2))
    witness = Witness(TABLE, FIVE_BALL_SET)
    events = [e for s in doubted(sightings, "yellow") for e in witness.step(s)]
    contact = next(e for e in events if isinstance(e, Contact))
    potted = next(e for e in events if isinstance(e, Potted))
    assert potted.ball.is_unknown
    for event in (contact, potted):
        assert event.flagged
        assert set(event.candidates) == {WHITE_2, YELLOW}
        assert sum(event.candidates.values()) == pytest.approx(1.0)
    assert not next(e for e in events if isinstance(e, Strike)).flagged


def test_the_only_ball_that_is_missing_is_named_although_its_colour_is_doubtful():
    layout = {ball: Point(*place) for ball, place in PLACES.items()} | {WHITE_2: Point(2500, -500)}
    _, sightings = stroke_sightings(layout, CueStroke(ball=WHITE_1, speed_mm_s=1200, direction_rad=0.0))
    witness = Witness(TABLE, FIVE_BALL_SET)
    events = [e for s in doubted(sightings, "yellow") for e in witness.step(s)]
    rest = next(e for e in events if isinstance(e, Rest))
    assert set(rest.balls) == set(FIVE_BALL_SET)
    assert not rest.flagged


def test_a_ball_that_is_measured_now_here_now_there_while_another_rolls_was_not_struck():
    layout = {WHITE_1: Point(600, 300), WHITE_2: Point(2500, -500)}
    _, sightings = stroke_sightings(layout, CueStroke(ball=WHITE_1, speed_mm_s=1500, direction_rad=0.0))
    off_mm = [8.5 * (1 - k / 14) ** 3 - 3.0 for k in range(14)] + [-3.0] * 15 + [5.0] * 25 + [0.0] * 45 + [-18.0] * 30
    shifted = []
    for number, sighting in enumerate(sightings):
        shift = off_mm[number - 120] if 0 <= number - 120 < len(off_mm) else 0.0
        detections = [
            replace(d, place=Point(d.place.x_mm + shift, d.place.y_mm))
            if d.place.distance_mm(Point(2500, -500)) < 9
            else d
            for d in sighting.detections
        ]
        shifted.append(replace(sighting, detections=tuple(detections)))
    witness = Witness(TABLE, FIVE_BALL_SET)
    events = [e for s in shifted for e in witness.step(s)]
    assert sum(isinstance(e, Strike) for e in events) == 1


def test_a_ball_told_as_unknown_is_told_anew_when_its_colour_is_sure():
    layout = {WHITE_1: Point(1775, 0), YELLOW: Point(1000, 500)}
    _, sightings = stroke_sightings(layout, CueStroke(ball=WHITE_1, speed_mm_s=600, direction_rad=0.0))
    witness = Witness(TABLE, FIVE_BALL_SET)
    events = [e for s in doubted(sightings, "yellow") for e in witness.step(s)]
    assert next(e for e in events if isinstance(e, Rest)).flagged
    last = sightings[-1]
    shown = [replace(last, t_ns=last.t_ns + k * FRAME_NS, index=last.index + k) for k in range(1, 120)]
    off, on = [e for s in shown for e in witness.step(s)]
    assert off.ball.is_unknown
    assert off.target is None
    assert on.ball == YELLOW
    assert on.target.distance_mm(Point(1000, 500)) < 2


def test_a_ball_moved_while_an_arm_hides_where_it_lay_keeps_its_name():
    arm = Cover(outline=(Point(400, -100), Point(600, -100), Point(600, 100), Point(400, 100)), what="arm")
    watching = Watching()
    watching.show(lying(WHITE_1, RED_1, RED_2, YELLOW), seconds=2)
    others = lying(RED_1, RED_2, YELLOW)
    events = watching.show([*others, ((700, -400), looking_like("white"))], seconds=2, covers=(arm,))
    events += watching.show([*others, ((700, -400), looking_like("white"))], seconds=4)
    assert watching.witness.positions[WHITE_1].distance_mm(Point(700, -400)) < 1
    assert not any(ball.is_unknown for ball in watching.witness.positions)
    assert not any(e.flagged for e in events)


def test_a_ball_moved_under_an_arm_that_stays_keeps_its_name_in_the_next_stroke():
    arm = Cover(outline=(Point(400, -100), Point(600, -100), Point(600, 100), Point(400, 100)), what="arm")
    watching = Watching()
    white = looking_like("white")
    watching.show(lying(WHITE_1, RED_1, RED_2, YELLOW), seconds=2)
    others = lying(RED_1, RED_2, YELLOW)
    watching.show([*others, ((700, -400), white)], seconds=4, covers=(arm,))
    watching.show([*others, ((900, -400), white)], seconds=0.02, covers=(arm,))
    for step in range(20):
        watching.show([*others, ((720 + 20 * step, -400), white)], seconds=1 / 60, covers=(arm,))
    assert watching.witness.moving == {WHITE_1}


def test_a_thing_beside_the_whole_set_is_no_doubt_at_rest_but_one_when_it_appears():
    balls = {ball: Point(*place) for ball, place in PLACES.items()} | {WHITE_2: Point(2500, -500)}
    everything = [((place.x_mm, place.y_mm), looking_like(ball.colour)) for ball, place in balls.items()]
    watching = Watching()
    watching.show(everything, seconds=2)
    thing = ((1500, 600), {"white": 0.2})
    events = watching.show([*everything, thing], seconds=4)
    (event,) = events
    assert event.ball.is_unknown
    assert event.flagged
    assert event.candidates == {}


def test_numbered_balls_are_unknown_without_a_flag():
    watching = Watching(PYRAMID_SET)
    cue = ((500, 0), looking_like("cue"))
    watching.show([cue, ((900, 300), looking_like("numbered"))], seconds=2)
    (event,) = watching.show(
        [cue, ((900, 300), looking_like("numbered")), ((2000, 300), looking_like("numbered"))], seconds=2
    )
    assert event.ball.is_unknown
    assert not event.flagged
    assert len(event.candidates) == 15


def test_after_both_whites_fell_in_one_stroke_the_one_that_was_not_struck_comes_back_first():
    layout = {WHITE_1: Point(1775, -250), WHITE_2: Point(1775, 250)}
    stroke = CueStroke(ball=WHITE_1, speed_mm_s=2500, direction_rad=np.pi / 2, top=0.5)
    motion, sightings = stroke_sightings(layout, stroke)
    assert sum(isinstance(e, Potted) for e in motion.events) == 2
    witness = Witness(TABLE, FIVE_BALL_SET)
    events = [e for s in sightings for e in witness.step(s)]
    struck = next(e for e in events if isinstance(e, Strike)).ball
    last = sightings[-1]
    back = tuple(seen(place, looks) for place, looks in [((500, 0), looking_like("white"))])
    shown = [replace(last, t_ns=last.t_ns + k * FRAME_NS, index=last.index + k, detections=back) for k in range(1, 60)]
    (put,) = [e for s in shown for e in witness.step(s)]
    assert {struck, put.ball} == {WHITE_1, WHITE_2}


def test_reds_that_part_after_a_time_hidden_together_raise_a_doubt_at_rest():
    arm = Cover(outline=(Point(1850, -150), Point(2150, -150), Point(2150, 150), Point(1850, 150)), what="arm")
    watching = Watching()
    red = looking_like("red")
    others = lying(WHITE_1, YELLOW)
    watching.show([*others, ((1800, 0), red), ((2300, 0), red)], seconds=2)
    events = []
    for k in range(1, 16):  # the white runs into the scene, the reds meet under an arm
        moving = [((500 + 30 * k, 0), looking_like("white")), ((3000, 200), looking_like("yellow"))]
        reds = [((1800 + 10 * k, 0), red), ((2300 - 20 * k, 0), red)]
        events += watching.show([*moving, *reds], seconds=1 / 60)
    still = [((950, 0), looking_like("white")), ((3000, 200), looking_like("yellow"))]
    events += watching.show(still, seconds=0.2, covers=(arm,))
    events += watching.show([*still, ((1975, 150), red), ((1975, -150), red)], seconds=3)
    rest = next(e for e in events if isinstance(e, Rest))
    assert rest.flagged
    assert "red-1 and red-2 may be mixed up" in rest.reason
