"""The hub: strokes and commands become states, nothing is believed before it is stored."""

from dataclasses import replace

import pytest

from scoring.balls import RED_1, RED_2, WHITE_1, WHITE_2, YELLOW
from scoring.commands import Announce, PlayShot, Retracted, StartMatch
from scoring.errors import ScoringError
from scoring.events import Contact, Moved, Potted, Rest, Strike
from scoring.match import NO_MATCH, undo_target
from scoring.setup import Beginning, Phase, Setup, singles
from scoring.shots import Call, RefereeInput, Shot
from scoring.table import Pocket, Point
from server.changes import PlacesSeen, Ruled, StateChanged
from server.config import HallConfig, TableConfig
from server.errors import CommandRefusedError, JournalError, Refusal
from server.hub import RETRY_S, Hub
from server.journal import Journal
from server.messages import Known, Places, Said, Seen, Supposed, Vitals

TABLE = "one"
LAYOUT = {WHITE_1: Point(600, 200), RED_1: Point(887.5, 0), RED_2: Point(2662.5, 0), YELLOW: Point(1775, 0)}
START = StartMatch(Setup(game="kaisa", sides=singles("Anna", "Boris")), Beginning(phase=Phase.OPENING, shooter="Anna"))
YELLOW_RL = Call(ball=YELLOW, pocket=Pocket.RL, bank=False)


class Clock:
    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


class Disk:
    """A journal whose disk can be made to fail."""

    def __init__(self, path):
        self.url = f"sqlite:///{path / 'journal.sqlite'}"
        self.is_broken = False

    def open(self):
        if self.is_broken:
            message = "the disk is broken"
            raise JournalError(message)
        self.journal = Journal.open(self.url)
        write = self.journal.append

        def append(table_id, facts, messages=()):
            if self.is_broken:
                message = "the disk is full"
                raise JournalError(message)
            return write(table_id, facts, messages)

        self.journal.append = append
        return self.journal


@pytest.fixture
def disk(tmp_path):
    return Disk(tmp_path)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make_hub(disk, clock):
    hubs = []

    def make(**changes):
        table = TableConfig(id=TABLE, name="Table 1", source="events:none", **changes)
        hub = Hub(HallConfig(tables=(table,)), disk.open, clock_s=clock)
        hub.open()
        hubs.append(hub)
        return hub

    yield make
    for hub in hubs:
        hub.close()


@pytest.fixture
def hub(make_hub):
    return make_hub()


def scores(hub):
    return hub.table(TABLE).match.standing.scores


def see(hub, *events):
    for event in events:
        hub.receive(TABLE, Seen(events=(event,)))


def pot_yellow(hub, start_s=1.0, **doubt):
    see(
        hub,
        Rest(t_s=start_s - 0.5, balls=LAYOUT),
        Strike(t_s=start_s, ball=WHITE_1),
        Contact(t_s=start_s + 0.4, ball=WHITE_1, other=YELLOW, at=Point(1740, 10)),
        Potted(t_s=start_s + 1.0, ball=YELLOW, pocket=Pocket.RL, **doubt),
        Rest(t_s=start_s + 2.0, balls={ball: at for ball, at in LAYOUT.items() if ball != YELLOW}),
    )


def play_six_points(hub):
    hub.receive(TABLE, Said(what=START))
    hub.receive(TABLE, Said(what=Announce(YELLOW_RL)))
    pot_yellow(hub)


def test_a_stroke_that_was_called_and_seen_scores(hub):
    play_six_points(hub)
    assert scores(hub) == (6, 0)
    shot = hub.table(TABLE).match.records[-1].shot
    assert shot.before == LAYOUT
    assert shot.call == YELLOW_RL


def test_what_is_supposed_while_balls_roll_scores_nothing(hub):
    hub.receive(TABLE, Said(what=START))
    before = hub.table(TABLE).match
    strike, pot = Strike(t_s=1.0, ball=WHITE_1), Potted(t_s=2.0, ball=YELLOW, pocket=Pocket.RL)
    hub.receive(TABLE, Supposed(events=(strike, pot)))
    assert hub.table(TABLE).match is before
    assert not hub.table(TABLE).grouper.is_stroke_on


def test_reopening_folds_to_the_same_state(make_hub):
    hub = make_hub()
    play_six_points(hub)
    hub.give(TABLE, Announce(Call(ball=RED_2, pocket=Pocket.RR)), "Anna")
    before = hub.table(TABLE).match
    hub.close()
    assert make_hub().table(TABLE).match == before


def test_undo_takes_back_the_last_entry(hub):
    play_six_points(hub)
    hub.give(TABLE, Retracted(undo_target(hub.table(TABLE).match)), "Anna")
    assert scores(hub) == (0, 0)


def test_a_command_that_cannot_be_is_not_journalled(make_hub):
    hub = make_hub()
    play_six_points(hub)
    with pytest.raises(ScoringError):
        hub.give(TABLE, Retracted(99), "Anna")
    entries = hub.table(TABLE).match.entries
    hub.close()
    assert make_hub().table(TABLE).match.entries == entries


def test_a_command_on_a_full_disk_is_refused_and_not_believed(hub, disk):
    play_six_points(hub)
    disk.is_broken = True
    with pytest.raises(CommandRefusedError) as caught:
        hub.give(TABLE, Retracted(undo_target(hub.table(TABLE).match)), "Anna")
    assert caught.value.refusal is Refusal.JOURNAL
    assert scores(hub) == (6, 0)
    assert "full" in hub.journal_trouble


def test_a_stroke_on_a_full_disk_waits_and_counts_when_it_is_stored(hub, disk, clock):
    hub.receive(TABLE, Said(what=START))
    hub.receive(TABLE, Said(what=Announce(YELLOW_RL)))
    disk.is_broken = True
    pot_yellow(hub)
    assert scores(hub) == (0, 0)
    assert len(hub.table(TABLE).waiting) == 1
    disk.is_broken = False
    clock.now_s += RETRY_S
    hub.tick()
    assert scores(hub) == (6, 0)
    assert hub.journal_trouble is None


def test_a_journal_that_cannot_be_opened_is_tried_again(make_hub, disk, clock):
    hub = make_hub()
    play_six_points(hub)
    hub.close()
    disk.is_broken = True
    hub = make_hub()
    assert hub.journal is None
    assert hub.table(TABLE).match == NO_MATCH
    with pytest.raises(CommandRefusedError):
        hub.give(TABLE, START)
    disk.is_broken = False
    clock.now_s += RETRY_S
    hub.tick()
    assert scores(hub) == (6, 0)


def test_strokes_outside_a_match_do_not_count(hub):
    pot_yellow(hub)
    assert hub.table(TABLE).match == NO_MATCH
    assert not hub.table(TABLE).waiting


def test_hands_between_strokes_cost_no_call_and_change_the_layout(hub):
    hub.receive(TABLE, Said(what=START))
    hub.receive(TABLE, Said(what=Announce(YELLOW_RL)))
    see(hub, Rest(t_s=0.1, balls=LAYOUT), Moved(t_s=0.2, ball=WHITE_1, origin=LAYOUT[WHITE_1], target=Point(500, 0)))
    see(
        hub,
        Strike(t_s=1, ball=WHITE_1),
        Contact(t_s=1.4, ball=WHITE_1, other=YELLOW),
        Potted(t_s=2, ball=YELLOW, pocket=Pocket.RL),
        Rest(t_s=3),
    )
    assert scores(hub) == (6, 0)
    assert hub.table(TABLE).match.records[-1].shot.before[WHITE_1] == Point(500, 0)


def test_a_stroke_that_was_not_seen_to_its_end_is_said_and_not_guessed(hub):
    hub.receive(TABLE, Said(what=START))
    see(hub, Rest(t_s=0.1, balls=LAYOUT), Strike(t_s=1, ball=WHITE_1))
    hub.process_lost(TABLE)
    hub.process_started(TABLE)
    see(hub, Rest(t_s=0.2, balls=LAYOUT))
    assert hub.table(TABLE).is_stroke_lost
    assert hub.table(TABLE).match.records == ()
    see(hub, Strike(t_s=1, ball=WHITE_1), Rest(t_s=2, balls=LAYOUT))
    assert not hub.table(TABLE).is_stroke_lost


def test_an_unsure_event_is_asked_about_where_it_matters(make_hub):
    hub = make_hub(ask_below=0.8)
    hub.receive(TABLE, Said(what=START))
    hub.receive(TABLE, Said(what=Announce(YELLOW_RL)))
    pot_yellow(hub, confidence=0.6)
    assert hub.table(TABLE).match.pending is not None
    assert scores(hub) == (0, 0)


def test_a_sure_enough_event_is_not_asked_about(make_hub):
    hub = make_hub(ask_below=0.5)
    hub.receive(TABLE, Said(what=START))
    hub.receive(TABLE, Said(what=Announce(YELLOW_RL)))
    pot_yellow(hub, confidence=0.6)
    assert scores(hub) == (6, 0)


def test_strokes_are_counted_for_a_restart_and_entries_without_a_stroke_are_not(hub):
    assert hub.strokes_played(TABLE) == 0
    play_six_points(hub)
    hub.give(TABLE, PlayShot(Shot(referee=(RefereeInput(kind="prompting", by="Boris"),))), "referee")
    assert len(hub.table(TABLE).match.records) == 2
    assert hub.strokes_played(TABLE) == 1


def test_virtual_players_correct_what_was_seen_wrongly_and_nothing_else(hub):
    play_six_points(hub)
    seen = hub.table(TABLE).match.records[0].shot
    hub.receive(TABLE, Known(number=1, shot=seen))
    assert hub.table(TABLE).corrections == 0
    missed = replace(seen, events=(Strike(t_s=1, ball=WHITE_1), Rest(t_s=2, balls=LAYOUT)))
    hub.receive(TABLE, Known(number=1, shot=missed))
    assert scores(hub) == (0, 0)
    assert hub.table(TABLE).corrections == 1


def test_virtual_players_enter_a_stroke_that_nobody_saw_and_remove_one_that_was_none(hub):
    play_six_points(hub)
    shot = hub.table(TABLE).match.records[0].shot
    hub.receive(TABLE, Known(number=2, shot=shot))
    assert scores(hub) == (12, 0)
    hub.receive(TABLE, Known(number=1, shot=shot))
    assert scores(hub) == (6, 0)


def test_watchers_hear_of_rulings_states_and_places(hub, clock):
    with hub.table(TABLE).audience.joined() as changes:
        play_six_points(hub)
        for _ in range(40):
            clock.now_s += 0.01
            hub.receive(TABLE, Places(t_s=clock.now_s, balls=LAYOUT))
        heard = [changes.get_nowait() for _ in range(changes.qsize())]
    assert Ruled(stroke=1) in heard
    assert heard[heard.index(Ruled(stroke=1)) + 1] == StateChanged()
    assert sum(isinstance(change, PlacesSeen) for change in heard) in range(10, 15)
    assert len(hub.table(TABLE).audience) == 0


def test_who_does_not_listen_is_told_to_look_anew(hub):
    with hub.table(TABLE).audience.joined() as changes:
        for number in range(1000):
            see(hub, Moved(t_s=number, ball=RED_1))
        assert changes.qsize() <= 256
        assert any(isinstance(changes.get_nowait(), StateChanged) for _ in range(changes.qsize()))


def test_paths_are_those_of_the_last_stroke(hub):
    hub.receive(TABLE, Places(t_s=0.0, balls=LAYOUT))
    see(hub, Strike(t_s=1, ball=WHITE_1))
    for step in range(1, 5):
        moved = {**LAYOUT, WHITE_1: Point(600 + 100 * step, 200)}
        hub.receive(TABLE, Places(t_s=1 + step, balls=moved, is_moving=True))
    hub.receive(TABLE, Places(t_s=8, balls=LAYOUT))
    paths = hub.table(TABLE).live.rolled()
    assert list(paths) == [WHITE_1]
    assert [place.x_mm for place in paths[WHITE_1]] == [600, 700, 800, 900, 1000]


def test_old_pictures_are_not_taken_for_live(hub, clock):
    hub.process_started(TABLE)
    hub.receive(TABLE, Vitals(picture_ns=int(clock.now_s * 1e9)))
    live = hub.table(TABLE).live
    assert live.is_fresh(clock.now_s + 1)
    assert live.trouble(clock.now_s + 1) is None
    assert live.trouble(clock.now_s + 3) == "no_picture"


def test_two_tables_do_not_mix(disk, clock):
    tables = tuple(TableConfig(id=name, name=name, source="events:none") for name in ("one", "two"))
    hub = Hub(HallConfig(tables=tables), disk.open, clock_s=clock)
    hub.open()
    hub.give("one", START)
    hub.give("two", StartMatch(Setup(game="kaisa", sides=singles("C", "D"))))
    hub.close()
    again = Hub(HallConfig(tables=tables), disk.open, clock_s=clock)
    again.open()
    assert [again.table(name).match.started.terms.setup.sides[0].name for name in ("one", "two")] == ["Anna", "C"]
    again.close()


def test_a_second_match_starts_a_new_log(make_hub):
    hub = make_hub()
    play_six_points(hub)
    hub.give(TABLE, START)
    assert scores(hub) == (0, 0)
    hub.close()
    assert make_hub().table(TABLE).match.next_seq == 2


def test_a_white_in_hand_belongs_to_its_owner(hub):
    hub.receive(TABLE, Said(what=START))
    assert WHITE_2 in hub.table(TABLE).match.standing.in_hand


def test_the_first_layout_is_what_the_camera_saw_before_the_balls_moved(hub):
    hub.receive(TABLE, Said(what=START))
    hub.receive(TABLE, Places(t_s=0.0, balls=LAYOUT))
    hub.receive(TABLE, Places(t_s=1.0, balls={**LAYOUT, WHITE_1: Point(700, 200)}, is_moving=True))
    hub.receive(TABLE, Places(t_s=2.0, balls={WHITE_1: Point(2000, 0)}))
    see(hub, Strike(t_s=1, ball=WHITE_1), Rest(t_s=2, balls={WHITE_1: Point(2000, 0)}))
    assert hub.table(TABLE).match.records[-1].shot.before == LAYOUT


def test_a_killed_process_in_the_middle_of_a_stroke_is_noticed_by_the_moving_balls(hub):
    hub.receive(TABLE, Said(what=START))
    hub.receive(TABLE, Places(t_s=1.0, balls=LAYOUT, is_moving=True))
    hub.process_lost(TABLE)
    assert hub.table(TABLE).is_stroke_lost
