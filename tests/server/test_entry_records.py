"""A match's log survives the journal word for word."""

import pytest

from scoring.balls import RED_1, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.commands import (
    Announce,
    Answer,
    CorrectShot,
    Entry,
    InsertShot,
    Observe,
    PlayShot,
    RemoveShot,
    Restored,
    Retracted,
    StartMatch,
)
from scoring.events import Rest, Strike
from scoring.layout import Layout
from scoring.setup import Beginning, Handicap, Phase, Setup, Side, Streaks, singles
from scoring.shots import Call, RefereeInput, Shot
from scoring.table import Pocket, Point, Table
from server.entry_records import entry_from_text, entry_to_text
from server.errors import JournalError

CALL = Call(ball=YELLOW, pocket=Pocket.RL, bank=True)
SHOT = Shot(
    by="A",
    before={WHITE_1: Point(600.0, 40.0)},
    from_hand=True,
    call=CALL,
    events=(Strike(t_s=0.5, ball=WHITE_1), Rest(t_s=2.0, balls={WHITE_1: Point(1.0, 2.0)})),
    referee=(RefereeInput(kind="touch", by="A", ball=RED_1),),
)
SETUP = Setup(
    game="small-pyramid",
    sides=(Side(("A",)), Side(("B", "C"))),
    format="pair-1",
    options={"mp.call": "none", "bp.bonus10": (2, 3), "line_is_house": True},
    table=Table(length_mm=3000.0, width_mm=1500.0, ball_mm=60.0, pockets=None),
    handicaps=(Handicap(), Handicap(credit=10, off_table=(Ball("7"),), not_taken_off=6, points=3, caroms=True)),
)
BEGINNING = Beginning(
    phase=Phase.PLAY,
    scores=(3, -2),
    shooter="B",
    from_hand=False,
    layout=Layout({WHITE_1: Point(1.0, 2.0)}),
    gone=(Ball("1"),),
    in_hand=(WHITE_2,),
    last=Streaks(yellow_middle_by="A", potted_by=("A", "B")),
)
COMMANDS = [
    StartMatch(SETUP, BEGINNING),
    StartMatch(Setup(game="kaisa", sides=singles("A", "B"))),
    PlayShot(SHOT),
    Announce(CALL),
    Observe(RefereeInput(kind="push", by="A"), stroke=3),
    Answer(RefereeInput(kind="answer", to="carom", value=True)),
    CorrectShot(2, SHOT),
    InsertShot(SHOT, before=2),
    RemoveShot(4),
    Retracted(7),
    Restored(7),
]


@pytest.mark.parametrize("what", COMMANDS, ids=lambda what: type(what).__name__)
def test_an_entry_survives_the_round_trip(what):
    entry = Entry(seq=9, what=what, who="referee", at_ns=123, why="seen late")
    assert entry_from_text(entry_to_text(entry)) == entry


@pytest.mark.parametrize("text", ["{", "[]", '{"seq": 1}', '{"seq": 1, "kind": "dance", "body": {}}'])
def test_a_foreign_entry_is_refused(text):
    with pytest.raises(JournalError, match="cannot be read"):
        entry_from_text(text)
