"""People over the virtual table: the cue meets the ball when it should, hands let go where they should."""

import math

import pytest

from hardware.virtual.people import Carry, Delivery, Manner, clear_bridge_mm, standing_place
from scoring.table import Point, Table

TABLE = Table(length_mm=2840, width_mm=1420)


BALL = Point(700, 100)


def delivery(place=BALL, direction_rad=0.3, speed_mm_s=1500.0, **manner):
    return Delivery(
        table=TABLE,
        cue_ball=place,
        direction_rad=direction_rad,
        cue_speed_mm_s=speed_mm_s,
        tip_height_mm=34.0,
        follow_mm=40.0,
        bridge_behind_mm=220.0,
        elevation_rad=0.0,
        strike_s=5.0,
        manner=Manner(**manner),
    )


def test_the_tip_touches_the_ball_at_the_strike_at_the_cues_speed():
    player = delivery()
    (cue,), (before,) = player.cues(5.0), player.cues(4.999)
    assert math.dist(cue.tip_mm, (700, 100, 34)) == pytest.approx(TABLE.ball_radius_mm, abs=0.01)
    assert math.dist(cue.tip_mm, before.tip_mm) == pytest.approx(1.5, rel=0.05)


def test_the_tip_never_enters_the_resting_ball():
    player = delivery(feathers=3)
    for step in range(round((5.0 - player.starts_s) * 200)):
        for cue in player.cues(player.starts_s + step / 200):
            assert math.dist(cue.tip_mm, (700, 100, 34)) > TABLE.ball_radius_mm - 0.01


def test_the_tip_never_slips_behind_the_bridge_hand():
    player = delivery(speed_mm_s=6000.0)
    for step in range(400):
        for cue in player.cues(player.strike_s - step / 400):
            back_mm = math.dist(cue.tip_mm, (700, 100, 34)) - TABLE.ball_radius_mm
            assert back_mm < player.bridge_behind_mm or step > 200


def test_a_player_moves_without_leaps_and_comes_and_goes_out_of_the_field():
    player = delivery(shows_body=True)
    last = None
    for step in range(math.ceil((player.ends_s - player.starts_s) * 240)):
        cues = player.cues(player.starts_s + step / 240)
        if cues and last:
            assert math.dist(cues[0].tip_mm, last.tip_mm) < 60
        last = cues[0] if cues else last
    assert player.limbs(player.starts_s - 0.01) == ()
    assert player.cues(player.ends_s + 0.01) == ()
    (cue,) = player.cues(player.ends_s - 0.001)
    inside = 0 <= cue.tip_mm[0] <= 2840 and abs(cue.tip_mm[1]) <= 710
    assert not inside


def test_the_cue_is_raised_over_a_cushion_close_behind_the_ball():
    (low,), (high,) = (
        delivery(place=Point(900, 0), direction_rad=0.0).cues(5.0),
        delivery(place=Point(45, 0), direction_rad=0.0).cues(5.0),
    )
    assert high.butt_mm[2] - high.tip_mm[2] > 2 * (low.butt_mm[2] - low.tip_mm[2])


def test_the_bridge_hand_looks_for_a_place_between_balls():
    behind = Point(1000 - 254, 0)
    assert clear_bridge_mm(TABLE, Point(1000, 0), 0.0, []) == 220.0
    assert clear_bridge_mm(TABLE, Point(1000, 0), 0.0, [behind]) != 220.0


def test_a_hand_brings_a_ball_from_outside_and_lets_go_on_the_spot():
    carry = Carry(table=TABLE, origin=None, target=Point(710, 0), starts_s=1.0)
    first, last = carry.ball_center_mm(carry.lifted_s), carry.ball_center_mm(carry.set_s)
    assert abs(first[1]) > 710 or not 0 < first[0] < 2840
    assert last == pytest.approx((710, 0, 34))
    assert carry.ball_center_mm(carry.ends_s) == last
    assert carry.limbs(carry.set_s)
    assert carry.limbs(carry.ends_s + 0.01) == ()


def test_a_hand_moves_a_ball_over_the_cloth_not_through_it():
    carry = Carry(table=TABLE, origin=Point(710, 0), target=Point(1420, 0), starts_s=0.0)
    heights = [carry.ball_center_mm(carry.lifted_s + carry.carry_s * k / 20)[2] for k in range(21)]
    assert heights[0] == pytest.approx(34)
    assert max(heights) > 100
    assert min(heights) >= 34 - 1e-6


def test_a_ball_taken_away_ends_out_of_the_field():
    carry = Carry(table=TABLE, origin=Point(300, 500), target=None, starts_s=0.0)
    assert carry.ball_center_mm(carry.lifted_s) == pytest.approx((300, 500, 34))
    assert carry.ball_center_mm(carry.set_s)[1] > 710


@pytest.mark.parametrize("place", [(50, 0), (2800, 10), (1400, 600), (1400, -600), (-200, 0), (1400, 900)])
def test_people_stand_outside_the_cushions(place):
    x_mm, y_mm, _ = standing_place(TABLE, *place, 300.0)
    assert not (0 <= x_mm <= 2840 and abs(y_mm) <= 710)
