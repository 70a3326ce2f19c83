"""What is shown of a stroke while it is under way: it scores nothing, and a wrong guess is corrected once."""

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.events import Contact, Moved, Potted, Rest, Strike
from scoring.table import Pocket, Point
from server.changes import EventSeen
from server.config import TableConfig
from server.hub_table import HubTable
from server.so_far import SoFar, Supposing

STRIKE = Strike(t_s=1.0, ball=WHITE_1)
RED, YELLOW_TOO = (Contact(t_s=1.2, ball=WHITE_1, other=ball) for ball in (RED_1, YELLOW))
POT = Potted(t_s=2.0, ball=RED_1, pocket=Pocket.ML)
REST = Rest(t_s=4.0)


def so_far(*events):
    result = SoFar()
    for event in events:
        result = result.after(event)
    return result


def test_only_what_the_struck_ball_touches_counts_and_each_ball_once():
    between = Contact(t_s=1.5, ball=RED_1, other=RED_2)
    assert so_far(STRIKE, RED, between, RED, YELLOW_TOO, POT, POT).touched == (RED_1, YELLOW)
    assert so_far(STRIKE, RED, POT, POT).potted == (RED_1,)
    assert so_far(RED, POT) == SoFar()


@pytest.mark.parametrize(
    ("supposed", "told", "corrects"),
    [
        ((STRIKE, RED), (STRIKE, RED), False),
        ((STRIKE, RED), (STRIKE, RED, YELLOW_TOO), True),
        ((STRIKE, YELLOW_TOO, RED), (STRIKE, RED, YELLOW_TOO), True),
        ((STRIKE, RED, POT), (STRIKE, RED), True),
        ((Strike(t_s=1.0, ball=WHITE_2), RED), (STRIKE, RED), True),
        ((), (STRIKE, RED), False),
        ((STRIKE, RED), (), False),
    ],
)
def test_a_stroke_that_was_supposed_otherwise_is_corrected_once(supposed, told, corrects):
    supposing = Supposing()
    for event in supposed:
        supposing.suppose(event)
    assert [supposing.corrects(event) for event in (*told, REST)] == [*(False for _ in told), corrects]
    assert not supposing.corrects(REST)


def test_a_hand_that_seemed_to_be_a_stroke_leaves_nothing_to_correct():
    supposing = Supposing()
    supposing.suppose(STRIKE)
    supposing.corrects(Moved(t_s=2.0, ball=WHITE_1, origin=Point(1, 1), target=Point(9, 9)))
    assert [supposing.corrects(event) for event in (STRIKE, RED, REST)] == [False, False, False]


def test_the_audience_hears_what_is_supposed_and_what_corrects_it():
    table = HubTable(config=TableConfig(id="one", name="Table 1", source="events:none"))
    with table.audience.joined() as changes:
        table.suppose((STRIKE, YELLOW_TOO))
        for event in (STRIKE, RED, REST):
            table.see(event)
        heard = [changes.get_nowait() for _ in range(changes.qsize())]
    assert heard == [
        EventSeen(event=STRIKE, is_provisional=True),
        EventSeen(event=YELLOW_TOO, is_provisional=True),
        EventSeen(event=STRIKE),
        EventSeen(event=RED),
        EventSeen(event=REST, corrects=True),
    ]
