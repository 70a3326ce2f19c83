"""What happens at a table when nobody says anything: balls verified, matches offered, put aside, ended by the clock."""

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, YELLOW, Ball
from scoring.commands import StartMatch
from scoring.events import Contact, Potted, Rest, Strike
from scoring.games import GAMES, game_named
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.table import Pocket, Point, Table
from server.arrangement import game_set_up
from server.board import state_out
from server.config import HallConfig, TableConfig
from server.errors import CommandRefusedError
from server.hub import Hub
from server.journal import Journal
from server.messages import Places, Seen, Vitals
from server.text import catalogue

TABLE = Table()
RACK = game_named("kaisa").rack(TABLE).places
WHITE_AT = Point(500.0, 200.0)


class Clock:
    """Time as a test wants it."""

    now_s = 1000.0

    def __call__(self):
        return self.now_s

    def wall_ns(self):
        return int((1_700_000_000 + self.now_s) * 1e9)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def hub(tmp_path, clock):
    hub = new_hub(tmp_path, clock)
    yield hub
    hub.close()


def new_hub(tmp_path, clock, boot="first"):
    config = HallConfig(tables=(TableConfig(id="one", name="One", source="events:none"),))
    url = f"sqlite:///{tmp_path / 'journal.sqlite'}"
    hub = Hub(config, lambda: Journal.open(url), clock_s=clock, wall_ns=clock.wall_ns, boot=boot)
    hub.open()
    return hub


def start(hub, **options):
    setup = Setup(game="kaisa", sides=singles("Anna", "Boris"), options={"kz.call": "none"} | options)
    hub.give("one", StartMatch(setup, Beginning(phase=Phase.OPENING, shooter="Anna")))


def show(hub, clock, balls, for_s=3.0):
    """The balls lie so for a while."""
    hub.receive("one", Places(t_s=clock.now_s, balls=balls))
    for _ in range(int(for_s / 0.25) + 1):
        hub.receive("one", Vitals(picture_ns=int(clock.now_s * 1e9)))
        hub.tick()
        clock.now_s += 0.25


def play_yellow(hub):
    """White pots the yellow, which goes back to the second spot."""
    lie = {WHITE_1: WHITE_AT, **RACK}
    hub.receive("one", Seen(events=(Rest(t_s=0.0, balls=lie),)))
    events = (
        Strike(t_s=1.0, ball=WHITE_1),
        Contact(t_s=1.1, ball=WHITE_1, other=YELLOW),
        Potted(t_s=1.2, ball=YELLOW, pocket=Pocket.RL),
        Rest(t_s=2.0, balls={WHITE_1: WHITE_AT, RED_1: RACK[RED_1], RED_2: RACK[RED_2]}),
    )
    hub.receive("one", Seen(events=events))


def state(hub):
    return state_out(hub, hub.table("one"), catalogue("en"))


def test_put_the_ball_on_its_spot_stays_until_it_lies_there_and_its_place_is_drawn(hub, clock):
    start(hub)
    without = {WHITE_1: WHITE_AT, RED_1: RACK[RED_1], RED_2: RACK[RED_2]}
    play_yellow(hub)
    show(hub, clock, without)
    assert state(hub).due == ["Put: yellow → second spot"]
    assert [(place.ball, place.at, place.lies) for place in state(hub).due_places] == [("yellow", (1775.0, 0.0), None)]
    show(hub, clock, without | {YELLOW: Point(1775.0, 90.0)})
    assert state(hub).due_places[0].lies == (1775.0, 90.0)
    version = hub.table("one").version
    show(hub, clock, without | {YELLOW: Point(1775.0, 8.0)})
    assert (state(hub).due, state(hub).due_places) == ([], [])
    assert hub.table("one").version > version  # those who watch are told


def test_a_ball_that_hands_moved_is_told_after_a_while_and_not_at_once(hub, clock):
    start(hub)
    play_yellow(hub)
    moved = {WHITE_1: WHITE_AT, **RACK, RED_1: Point(RACK[RED_1].x_mm + 100, 0)}
    show(hub, clock, moved, for_s=1.0)
    assert state(hub).due == []
    show(hub, clock, moved, for_s=2.0)
    assert state(hub).due == ["Red: moved by 100 mm"]


def test_balls_that_have_stopped_are_not_judged_before_it_is_told_what_moved_them(hub, clock):
    start(hub)
    play_yellow(hub)
    moved = {WHITE_1: WHITE_AT, **RACK, RED_1: Point(RACK[RED_1].x_mm + 500, 0)}
    hub.receive("one", Places(t_s=clock.now_s, balls=moved, is_moving=True))
    show(hub, clock, moved, for_s=3.5)
    assert state(hub).due == []
    hub.receive("one", Seen(events=(Strike(t_s=5.0, ball=WHITE_1), Rest(t_s=9.0, balls=moved))))
    show(hub, clock, moved)
    assert state(hub).match.strokes == 2
    assert state(hub).due == ["Boris plays from the house"]
    hub.receive("one", Places(t_s=clock.now_s, balls=moved, is_moving=True))  # a sleeve, or a hand: nobody tells
    show(hub, clock, {**moved, RED_1: RACK[RED_1]}, for_s=9.0)
    assert state(hub).due[0] == "Red: moved by 500 mm"


def test_balls_that_are_not_set_up_are_one_line_and_not_fifteen(hub, clock):
    setup = Setup(game="small-pyramid", sides=singles("Anna", "Boris"))
    hub.give("one", StartMatch(setup, Beginning(phase=Phase.OPENING, shooter="Anna")))
    show(hub, clock, {Ball("cue"): Point(300.0, 0.0), Ball("1"): Point(1000.0, 0.0)})
    assert state(hub).due[0] == "Set up the balls for Little Russian Pyramid"
    assert len(state(hub).due) <= 3


@pytest.mark.parametrize("game", GAMES)
def test_every_games_rack_is_known_whatever_the_balls_are_called(game):
    rack = game_named(game).rack(TABLE).places
    unknown = {Ball(f"ball-?{index}"): at for index, at in enumerate(rack.values(), start=1)}
    assert game_set_up(unknown, TABLE, game) == game
    cue_ball = game_named(game).cue_balls[0]
    assert game_set_up({**rack, cue_ball: Point(300.0, 100.0)}, TABLE, game) == game
    one_away = dict(rack)
    one_away[next(iter(rack))] = Point(2000.0, 500.0)
    assert game_set_up(one_away, TABLE, game) is None
    assert game_set_up(dict(list(rack.items())[1:]), TABLE, game) is None


def test_a_match_is_offered_when_the_balls_are_set_up_and_not_while_one_is_on(hub, clock):
    show(hub, clock, {WHITE_1: WHITE_AT, **RACK}, for_s=1.0)
    assert state(hub).offer is None
    show(hub, clock, {WHITE_1: WHITE_AT, **RACK}, for_s=2.0)
    assert state(hub).offer.game == "kaisa"
    assert "set up for Kaisa" in state(hub).headline
    start(hub)
    show(hub, clock, {WHITE_1: WHITE_AT, **RACK})
    assert state(hub).offer is None


def test_a_match_that_everybody_left_is_put_aside_and_may_go_on_even_after_a_restart(tmp_path, hub, clock):
    start(hub)
    play_yellow(hub)
    assert state(hub).match.scores == {"Anna": 6, "Boris": 0}
    clock.now_s += 119 * 60
    hub.tick()
    assert state(hub).match is not None
    clock.now_s += 2 * 60
    hub.tick()
    assert state(hub).match is None
    assert state(hub).put_aside.scores == {"Anna": 6, "Boris": 0}
    assert [one.is_over for one in hub.summaries("one")] == [False]
    hub.close()

    reopened = new_hub(tmp_path, clock)
    assert state(reopened).put_aside.scores == {"Anna": 6, "Boris": 0}
    reopened.resume("one", "phone 1")
    assert state(reopened).match.scores == {"Anna": 6, "Boris": 0}
    play_yellow(reopened)
    assert len(reopened.summaries("one")) == 1
    reopened.close()

    again = new_hub(tmp_path, clock)
    assert state(again).match.strokes == 2
    again.tick()
    assert state(again).match is not None
    again.put_aside("one")
    start(again)
    assert state(again).put_aside is None
    with pytest.raises(CommandRefusedError):
        again.resume("one")
    assert [one.strokes for one in again.summaries("one")] == [2, 0]
    assert again.match("one", 1).standing.strokes == 2
    again.close()


def test_the_clock_ends_a_match_with_a_time_limit_once_and_not_in_the_middle_of_a_stroke(hub, clock):
    start(hub, **{"kz.time_limit_min": 1})
    play_yellow(hub)
    assert state(hub).clock.left_s == 60.0
    clock.now_s += 59.0
    hub.tick()
    assert state(hub).clock.left_s == 1.0
    hub.receive("one", Places(t_s=clock.now_s, balls={WHITE_1: WHITE_AT}, is_moving=True))
    clock.now_s += 5.0
    hub.tick()
    assert state(hub).match.winner is None
    hub.receive("one", Places(t_s=clock.now_s, balls={WHITE_1: WHITE_AT}))
    hub.tick()
    assert state(hub).match.winner == "Anna"
    assert not state(hub).clock.is_running
    entries = state(hub).controls.entries
    hub.tick()
    assert state(hub).controls.entries == entries


def test_the_match_clock_is_right_after_a_restart(tmp_path, hub, clock):
    start(hub)
    clock.now_s += 600.0
    hub.close()
    reopened = new_hub(tmp_path, clock)
    clock.now_s += 60.0
    assert state(reopened).clock.elapsed_s == pytest.approx(660.0, abs=1.0)
    reopened.close()


def test_the_match_clock_stands_still_while_the_match_is_put_aside_or_the_machine_is_off(tmp_path, hub, clock):
    start(hub, **{"kz.time_limit_min": 40})
    clock.now_s += 600.0
    hub.put_aside("one")
    clock.now_s += 7200.0
    hub.resume("one")
    clock.now_s += 60.0
    play_yellow(hub)
    assert state(hub).clock.left_s == pytest.approx(40 * 60 - 660.0, abs=1.0)
    hub.close()
    clock.now_s = 5.0  # the machine was off for hours, and has no clock of its own
    reopened = new_hub(tmp_path, clock, "second")
    clock.now_s += 30.0
    reopened.tick()
    assert state(reopened).match.winner is None
    assert state(reopened).clock.left_s == pytest.approx(40 * 60 - 690.0, abs=1.0)
    reopened.close()


def test_a_table_that_staff_stopped_stays_stopped_when_the_hall_is_opened_anew(tmp_path, hub, clock):
    start(hub)
    for on in (False, True, False):
        hub.switch("one", "staff 1", on=on)
    hub.close()
    for on in (False, True):
        reopened = new_hub(tmp_path, clock)
        assert reopened.is_stopped("one") is not on
        assert state(reopened).match is not None
        reopened.switch("one", "staff 1", on=True)
        reopened.close()
