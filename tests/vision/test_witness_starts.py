"""Strokes that nobody could see begin are asked about; hands that seem to be balls play none."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from watching import Watching, looking_like

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.idling import idle
from hardware.virtual.performance import perform_case
from scoring.balls import RED_1, WHITE_1, YELLOW
from scoring.events import Contact, Moved, Strike
from scoring.table import Point, Table
from vision.detection import Cover
from vision.witness import Witness


def _filming_scenes():
    spec = importlib.util.spec_from_file_location("filming_scenes", Path(__file__).with_name("filming_scenes.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["filming_scenes"] = module
    spec.loader.exec_module(module)
    return module


filming_scenes = _filming_scenes()


def told_of(performance, seed, fps=60.0):
    witness = Witness(performance.table, performance.balls)
    events = []
    for sighting in filming_scenes.film_scene(performance.timeline, np.random.default_rng(seed), fps=fps):
        events += witness.step(sighting)
    return [*events, *witness.finish()]


@pytest.mark.parametrize(("name", "seed"), [("lies-on-the-rail", 3), ("leaves-and-returns", 5)])
def test_a_stroke_hidden_until_its_ball_had_left_the_table_is_asked_about(name, seed):
    performance = perform_case(name, seed, Difficulty.NORMAL)
    (true,) = (event for event in performance.timeline.events if isinstance(event, Strike))
    (told,) = (event for event in told_of(performance, seed) if isinstance(event, Strike))
    assert told.flagged
    assert isinstance(told.alternatives[0].event, Moved)
    assert told.t_s == pytest.approx(true.t_s, abs=0.6)


def test_a_hand_that_looks_like_a_ball_on_the_run_plays_no_stroke():
    performance = idle("kaisa", 2, Difficulty.NORMAL, Table(length_mm=2840.0, width_mm=1420.0), 57.0)
    told = told_of(performance, 2, fps=30.0)
    assert not [event for event in told if isinstance(event, Strike)]
    assert sum(isinstance(event, Moved) for event in told) > 4


def rolled_mm(start_mm_s, slowing_mm_s2, seconds):
    """How far a ball has rolled that slows down till it lies."""
    seconds = min(seconds, start_mm_s / slowing_mm_s2)
    return start_mm_s * seconds - slowing_mm_s2 * seconds**2 / 2


@pytest.mark.parametrize(("aside_mm_s", "late_s"), [(0.0, 0.0), (150.0, 0.04)], ids=["stops dead", "runs on"])
def test_a_white_under_the_cue_that_sends_off_a_red_was_struck(aside_mm_s, late_s):
    watching = Watching()
    cue = Cover(outline=tuple(Point(x, y) for x, y in ((430, 380), (470, 380), (470, 420), (430, 420))), what="cue")
    red, yellow = looking_like("red"), ((2500, 300), looking_like("yellow"))
    lying = [((400, 400), looking_like("white")), ((535, 400), red), yellow]
    events = [*watching.show(lying, seconds=1), *watching.show(lying, seconds=1, covers=(cue,))]
    for frame in range(1, 180):
        white_mm = min(600 * frame / 60, 67.0)
        since_s = max(frame / 60 - 67 / 600, 0.0)
        aside_mm = rolled_mm(aside_mm_s, 118, since_s) if aside_mm_s else 0.0
        red_mm = rolled_mm(240, 118, max(since_s - late_s, 0.0))
        now = [((400 + white_mm, 400 + aside_mm), looking_like("white")), ((535 + red_mm, 400), red), yellow]
        events += watching.show(now, seconds=1 / 60, covers=(cue,))
    events += watching.show(now, seconds=2, covers=(cue,))
    told = [event for event in events if isinstance(event, Strike | Contact)]
    assert [type(event) for event in told] == [Strike, Contact]
    assert (told[0].ball, told[0].flagged) == (WHITE_1, True)
    assert {told[1].ball, told[1].other} == {WHITE_1, RED_1}
    assert YELLOW in watching.witness.positions


def test_a_white_seen_again_on_the_run_was_struck_though_a_red_runs_as_well():
    watching = Watching()
    white, red = looking_like("white"), looking_like("red")
    yellow = ((2500, 300), looking_like("yellow"))
    events = watching.show([((400, 400), white), ((1200, 400), red), yellow], seconds=2)
    for frame in range(1, 300):
        seconds = frame / 60
        white_mm = 470 + rolled_mm(700, 118, max(seconds - 0.15, 0.0))
        red_mm = rolled_mm(1100, 118, max(seconds - 0.15, 0.0))
        now = [((400 + white_mm, 400), white)] if seconds > 0.4 else []
        now += [((1200, 400 - red_mm), red), yellow] if red_mm < 1000 else [((1200, -600), red), yellow]
        events += watching.show(now, seconds=1 / 60)
    events += watching.show(now, seconds=2)
    strikes = [event for event in events if isinstance(event, Strike)]
    assert [(event.ball, event.flagged) for event in strikes] == [(WHITE_1, True)]


def sent_off_in_the_clear(white_at):
    """What is told when a red rolls off by itself; `white_at` tells where a white is seen so long after that began."""
    watching, red, yellow = Watching(), looking_like("red"), ((2500, 300), looking_like("yellow"))
    events = watching.show([((400, 400), looking_like("white")), ((1200, 400), red), yellow], seconds=2)
    for frame in range(1, 360):
        red_mm = rolled_mm(600, 118, max(frame / 60 - 0.4, 0.0))
        white = white_at(frame / 60)
        now = [((1200 + red_mm, 400), red), yellow, *([] if white is None else [(white, looking_like("white"))])]
        events += watching.show(now, seconds=1 / 60)
    return [event for event in [*events, *watching.show(now, seconds=2)] if isinstance(event, Strike | Contact)]


def test_a_white_out_of_sight_when_a_red_rolls_off_in_the_clear_was_struck():
    told = sent_off_in_the_clear(lambda seconds: (1500, 550) if seconds > 2.0 else None)
    assert [(type(event), event.flagged) for event in told] == [(Strike, True), (Contact, True)]
    assert told[0].ball == WHITE_1
    assert {told[1].ball, told[1].other} == {WHITE_1, RED_1}
    assert told[0].t_s < told[1].t_s == pytest.approx(2.4, abs=0.05)


@pytest.mark.parametrize(
    "white_at",
    [lambda _: (400, 400), lambda seconds: None if 0.1 < seconds < 2.0 else (400, 400)],
    ids=["in sight", "hidden where it lies"],
)
def test_a_red_that_rolls_off_while_the_white_lies_was_set_in_motion_by_a_hand(white_at):
    assert not sent_off_in_the_clear(white_at)


@pytest.mark.parametrize("is_alone", [True, False], ids=["two balls", "a third one taken away by a hand"])
def test_balls_that_tremble_alike_were_struck_by_nobody(is_alone):
    watching, white, yellow, red = Watching(), *map(looking_like, ("white", "yellow", "red"))
    third = [] if is_alone else [((2500, 300), red)]
    events = watching.show([((796, -429), white), ((1517, -459), yellow), *third], seconds=2)
    for off_mm in (-1, -16, -15, -4, -11, -15, -8, -8, -13, -10, -9, -11, -10):
        third = [((x_mm - 40, y_mm), looks) for (x_mm, y_mm), looks in third]
        now = [((796 + off_mm, -429 + 0.8 * off_mm), white), ((1517 + off_mm, -459 + 0.8 * off_mm), yellow), *third]
        events += watching.show(now, seconds=1 / 30)
    for _ in range(60):  # a hand pushes the white on, slowly
        (x_mm, y_mm), looks = now[0]
        now[0] = ((x_mm + 0.8, y_mm), looks)
        events += watching.show(now, seconds=1 / 60)
    events += watching.show(now, seconds=2)
    assert [event.kind for event in events if isinstance(event, Strike | Contact)] == []
    assert sum(isinstance(event, Moved) for event in events) >= 2


def test_a_ball_that_a_hand_is_over_on_nearly_all_its_way_was_carried():
    watching, white = Watching(), looking_like("white")
    others = [((2500, 300), looking_like("yellow"))]
    events = watching.show([((500, 400), white), *others], seconds=2)
    for frame in range(1, 61):
        x_mm = 500 + 900 * frame / 60 + 700 * (frame / 60) ** 2
        corners = ((x_mm - 20, 380), (x_mm + 60, 380), (x_mm + 60, 420), (x_mm - 20, 420))
        hand = Cover(outline=tuple(Point(x, y) for x, y in corners), what="arm")
        covers = (hand,) if frame > 6 else ()
        events += watching.show([((x_mm, 400), white), *others], seconds=1 / 60, covers=covers)
    events += watching.show([((x_mm, 400), white), *others], seconds=2)
    assert [event.kind for event in events] == ["moved"]
