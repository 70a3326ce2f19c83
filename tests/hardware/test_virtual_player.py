"""The virtual player: keeps to the rules of a ball in hand, corrects for throw and rebounds, errs by skill."""

import dataclasses
import math

import numpy as np
import pytest

from hardware.virtual.intentions import Calls, Intention, potted, touched
from hardware.virtual.player import Player, Position, Skill
from scoring.balls import CUE, NUMBERED, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.shots import Call
from scoring.table import Pocket, Point, Table

TABLE = Table(length_mm=2840, width_mm=1420)
LAYOUT = {
    WHITE_1: Point(700, 150),
    WHITE_2: Point(2500, 500),
    RED_1: Point(1500, 380),
    RED_2: Point(2200, -300),
    YELLOW: Point(1700, -200),
}


def position(*intentions, layout=None, **changes):
    seen = Position(
        table=TABLE,
        layout=LAYOUT if layout is None else layout,
        cue_ball=WHITE_1,
        targets=(WHITE_2, RED_1, RED_2, YELLOW),
        weights=dict.fromkeys(intentions, 1.0),
        calls=Calls.BALL_POCKET_BANK,
    )
    return dataclasses.replace(seen, **changes)


def decisions(seen, count=12, level=1.0):
    return [Player(Skill.of(level), np.random.default_rng(seed)).decide(seen) for seed in range(count)]


def test_a_sure_hand_pots_what_it_calls():
    played = decisions(position(Intention.POT))
    as_called = [any(fall.pocket is d.call.pocket for fall in potted(d.motion, d.call.ball)) for d in played]
    assert sum(as_called) >= 10


def test_an_unsure_hand_misses_more():
    sure, unsure = (
        sum(bool(list(potted(d.motion, d.call.ball))) for d in decisions(position(Intention.POT), 30, level))
        for level in (1.0, 0.4)
    )
    assert unsure < 0.7 * sure


def test_a_carom_touches_a_further_ball():
    played = decisions(position(Intention.CAROM))
    assert sum(any(potted(d.motion, d.call.ball)) and len(touched(d.motion, WHITE_1)) > 1 for d in played) >= 4


def test_a_bank_is_called_and_comes_off_a_cushion():
    played = decisions(position(Intention.BANK))
    assert all(d.call.bank for d in played if d.intention is Intention.BANK)
    assert sum(any(potted(d.motion, d.call.ball)) for d in played) >= 4


@pytest.mark.parametrize(
    "intention",
    [Intention.NOTHING, Intention.SCRATCH, Intention.DOUBLE_KISS, Intention.JAWS, Intention.THIN, Intention.JUMP],
)
def test_special_wishes_mostly_come_true(intention):
    played = decisions(position(intention))
    done = [position(intention).does(intention, d.motion, WHITE_1) for d in played]
    assert sum(done) >= 8


def test_from_hand_the_cue_ball_is_put_into_the_house_touching_nothing():
    layout = {ball: place for ball, place in LAYOUT.items() if ball != WHITE_1} | {RED_1: Point(400, 100)}
    for decision in decisions(position(Intention.POT, layout=layout, from_hand=True)):
        place = decision.layout[WHITE_1]
        assert TABLE.is_in_house(place)
        assert min(place.distance_mm(other) for other in layout.values()) > TABLE.ball_mm
        assert decision.call.ball != RED_1


def test_from_the_far_house_when_all_balls_lie_in_the_house_of_a_pyramid():
    layout = {NUMBERED[0]: Point(300, 0), NUMBERED[5]: Point(500, 400)}
    seen = position(Intention.POT, layout=layout, cue_ball=CUE, targets=NUMBERED, from_hand=True, has_far_house=True)
    for decision in decisions(seen, 4):
        assert decision.layout[CUE].x_mm > 3 * TABLE.length_mm / 4


def test_what_is_banned_is_not_aimed_at():
    banned = frozenset((ball, pocket) for ball in (RED_1, YELLOW, WHITE_2) for pocket in Pocket)
    assert {aim.target for aim in position(Intention.POT, banned=banned).aims(Intention.POT)} <= {RED_2}


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        (Calls.NOTHING, lambda call: call is None),
        (Calls.BALL, lambda call: call == Call(ball=call.ball)),
        (Calls.BALL_POCKET, lambda call: call.pocket is not None and call.bank is None),
        (Calls.BALL_POCKET_BANK, lambda call: call.pocket is not None and call.bank is False),
    ],
)
def test_players_announce_what_their_game_asks_for(calls, expected):
    for decision in decisions(position(Intention.POT, calls=calls), 3):
        assert expected(decision.call)


def test_a_break_drives_the_rack_apart():
    rack = {
        ball: Point(2130 + row * 59.0, (column - row / 2) * 68.1)
        for ball, (row, column) in zip(NUMBERED, [(r, c) for r in range(5) for c in range(r + 1)], strict=True)
    }
    seen = position(Intention.BREAK, layout=rack, cue_ball=CUE, targets=NUMBERED, from_hand=True)
    for decision in decisions(seen, 3):
        moved = sum(place.distance_mm(rack[ball]) > 50 for ball, place in decision.motion.rest.items() if ball != CUE)
        assert moved >= 4


def test_what_looks_wrong_is_played_otherwise():
    seen, refused = position(Intention.SAFETY), []

    def accepts(decision):
        refused.append(decision.stroke)
        return len(refused) > 3

    decision = Player(Skill.of(0.8), np.random.default_rng(1)).decide(seen, accepts)
    assert decision.stroke == refused[3]
    assert len({stroke.direction_rad for stroke in refused}) == 4


def test_tips_stay_on_the_ball():
    for decision in decisions(position(*Intention), 40, level=0.0):
        assert math.hypot(decision.stroke.side, decision.stroke.top) <= 0.55 + 1e-9
