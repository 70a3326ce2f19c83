"""Options of the rules: defaults, what a game inherits, and every wrong word refused."""

import pytest

from scoring.errors import ScoringError
from scoring.options import INHERITED, options_of
from scoring.setup import Handicap, Setup, Side, singles


def test_the_defaults_are_those_of_the_rules_document():
    kaisa = options_of("kaisa", {})
    assert (kaisa.number("target"), kaisa.text("call"), kaisa.text("scratch")) == (
        60,
        "ball_pocket_bank",
        "first_ball_hit",
    )
    assert (kaisa.flag("bank_must_match"), kaisa.text("penalty_mode")) == (True, "subtract")
    party = options_of("russian-party", {})
    assert (party.text("penalty_mode"), party.words("spot_order(red)")) == ("transfer", ("S1", "S3", "S2", "front"))
    assert options_of("big-pyramid", {}).numbers("bonus10") == (2, 3, 4, 5)


def test_five_balls_and_the_big_pyramid_inherit_and_override():
    five = options_of("five-balls", {})
    assert (five.text("call"), five.text("penalty_mode"), five.number("target")) == ("ball", "transfer", 60)
    big = options_of("big-pyramid", {})
    assert (big.number("target"), big.number("three_target"), big.text("spot_rule")) == (91, 66, "axis")


def test_an_inherited_option_may_be_set_under_either_prefix_and_the_nearer_one_wins():
    assert options_of("five-balls", {"rp.penalty_mode": "add_to_opponent"}).text("penalty_mode") == "add_to_opponent"
    assert options_of("five-balls", {"fb.target": 50, "rp.target": 40}).number("target") == 50
    assert options_of("big-pyramid", {"bp.penalty_points": 6}).number("penalty_points") == 6


def test_a_bare_off_of_yaml_is_understood():
    assert options_of("russian-party", {"rp.mandatory_ball": False}).text("mandatory_ball") == "off"


def test_lists_may_be_given():
    assert options_of("russian-party", {"rp.spot_order(red)": ["S3", "S1"]}).words("spot_order(red)") == ("S3", "S1")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"kz.colour": 1}, "kaisa has no option 'kz.colour'"),
        ({"rp.target": 50}, "kaisa has no option 'rp.target'"),
        ({"kz.call": "pocket"}, "kz.call cannot be 'pocket' (possible: ball_pocket_bank, ball_pocket, ball, none)"),
        ({"kz.target": -1}, "kz.target cannot be -1"),
        ({"kz.target": True}, "kz.target cannot be True"),
        ({"kz.bank_must_match": 1}, "kz.bank_must_match cannot be 1 (possible: something like True)"),
        ({"kz.call": False}, "kz.call cannot be False"),
    ],
)
def test_a_wrong_option_is_refused_by_name(given, named):
    with pytest.raises(ScoringError) as refusal:
        options_of("kaisa", given)
    assert named in str(refusal.value)


@pytest.mark.parametrize("value", [[], ["S1", 3], "S1"])
def test_a_wrong_list_is_refused(value):
    with pytest.raises(ScoringError, match=r"cannot be"):
        options_of("russian-party", {"rp.spot_order(red)": value})


def test_an_unknown_game_is_refused_with_the_known_ones():
    with pytest.raises(ScoringError, match="no game is called 'chess'") as refusal:
        options_of("chess", {})
    assert all(game in str(refusal.value) for game in INHERITED)


def test_sides_have_names_members_and_handicaps():
    setup = Setup(game="kaisa", sides=(Side(("A",)), Side(("B", "C"))), handicaps=(Handicap(), Handicap(points=5)))
    assert (setup.sides[1].name, setup.side_of("C"), setup.handicap(1).points) == ("B+C", 1, 5)
    assert setup.knows("B")
    assert not setup.knows(None)
    with pytest.raises(ScoringError, match="'Z' does not play"):
        setup.side_of("Z")


@pytest.mark.parametrize("sides", [singles("A"), singles("A", "A"), singles("A", ""), (Side(("A",)), Side(()))])
def test_sides_that_nobody_could_tell_apart_are_refused(sides):
    with pytest.raises(ScoringError, match="at least two sides"):
        Setup(game="kaisa", sides=sides)


def test_two_accounts_of_one_name_are_refused():
    with pytest.raises(ScoringError, match="at least two sides"):
        Setup(game="small-pyramid", sides=(Side(("B+C",)), Side(("B", "C"))), format="pair-1")


@pytest.mark.parametrize("name", ["  ", "Anna\nBoris", "A\x00", "\ud800", "A\u2028B"])
def test_a_name_that_is_not_one_readable_line_is_refused(name):
    with pytest.raises(ScoringError, match="is no name: a name is one line"):
        Setup(game="kaisa", sides=singles("A", name))


@pytest.mark.parametrize("name", ['Анна "Ань" <b>', "O'Brien", "👩‍🎓", "  A "])
def test_any_line_of_text_is_a_name(name):
    assert Setup(game="kaisa", sides=singles("A", name)).sides[1].name == name


@pytest.mark.parametrize("name", ["mp.target", "mp.three_target", "mp.pair_target"])
def test_a_target_of_nothing_is_refused(name):
    with pytest.raises(ScoringError, match="cannot be 0"):
        options_of("small-pyramid", {name: 0})


def test_handicaps_are_one_for_each_side():
    with pytest.raises(ScoringError, match="1 handicaps for 2 sides"):
        Setup(game="kaisa", sides=singles("A", "B"), handicaps=(Handicap(),))
