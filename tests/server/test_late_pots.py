"""A ball that falls after rest: the stroke that moved it potted it, or it fell by itself and people are asked."""

import pytest

from scoring.balls import WHITE_1, YELLOW
from scoring.commands import Announce
from scoring.events import Contact, Potted, Rest, Strike
from scoring.shots import Call
from scoring.table import Pocket, Point
from server.messages import Seen

ID = "one"
LYING = {WHITE_1: Point(600, 200), YELLOW: Point(3540, 880)}


@pytest.fixture
def hub(kaisa_hub):
    """A stroke has been played at the yellow that hangs in a mouth; it is over, and the turn has passed."""
    hub = kaisa_hub
    hub.give(ID, Announce(Call(ball=YELLOW, pocket=Pocket.RL, bank=False)))
    events = (
        Rest(t_s=0.5, balls=LYING),
        Strike(t_s=1.0, ball=WHITE_1, shot=1),
        Contact(t_s=1.4, ball=WHITE_1, other=YELLOW, shot=1),
        Rest(t_s=3.0, balls=LYING, shot=1),
    )
    hub.receive(ID, Seen(events=events))
    assert match_of(hub).standing.shooter == "Boris"
    return hub


def match_of(hub):
    return hub.table(ID).match


def test_a_ball_that_the_stroke_moved_counts_for_it_as_if_it_had_been_seen_at_once(hub, open_hub):
    hub.receive(ID, Seen(events=(Potted(t_s=5.0, ball=YELLOW, pocket=Pocket.RL, shot=1),)))
    (record,) = match_of(hub).records
    assert (match_of(hub).standing.scores, match_of(hub).standing.shooter) == ((26, 20), "Anna")
    assert isinstance(record.shot.events[-1], Rest)
    assert YELLOW not in record.shot.events[-1].balls
    match = match_of(hub)
    hub.close()
    assert match_of(open_hub()) == match


def test_what_was_called_since_stays_called(hub):
    call = Call(ball=WHITE_1, pocket=Pocket.FL)
    hub.give(ID, Announce(call))
    hub.receive(ID, Seen(events=(Potted(t_s=5.0, ball=YELLOW, pocket=Pocket.RL, shot=1),)))
    assert len(match_of(hub).records) == 1
    assert match_of(hub).call == call


@pytest.mark.parametrize("shot", [None, 7])
def test_a_ball_that_no_stroke_moved_is_asked_about(hub, shot):
    hub.receive(ID, Seen(events=(Potted(t_s=15.0, ball=YELLOW, pocket=Pocket.RL, shot=shot),)))
    assert match_of(hub).pending.kind == "fell_by_itself"
    assert match_of(hub).standing.scores == (20, 20)
