"""The benches' judgement: events paired with the truth, strokes judged by what scoring reads, intervals."""

from dataclasses import replace

import pytest

from scoring.balls import CUE, RED_1, RED_2, WHITE_1, WHITE_2, YELLOW, Ball
from scoring.events import Contact, CushionHit, Potted, Rest, Strike
from scoring.table import Cushion, Pocket, Point
from server.bench.comparison import compare
from server.bench.intervals import Share


def stroke(at_s=1.0):
    """White to red to the pocket off a cushion."""
    return [
        Strike(t_s=at_s, ball=WHITE_1),
        Contact(t_s=at_s + 0.4, ball=WHITE_1, other=RED_1),
        CushionHit(t_s=at_s + 0.6, ball=RED_1, cushion=Cushion.LEFT),
        Potted(t_s=at_s + 1.5, ball=RED_1, pocket=Pocket.MR),
        Rest(t_s=at_s + 3.0),
    ]


def verdicts(truth, seen):
    return [one.verdict for one in compare(truth, seen).strokes]


def figures(truth, seen, kind):
    return next(one for one in compare(truth, seen).kinds if one.kind == kind)


def test_what_was_seen_as_it_was_is_exact():
    result = compare(stroke(), stroke())
    assert [one.verdict for one in result.strokes] == ["exact"]
    assert all(one.f1 == 1.0 for one in result.kinds if one.true)


def test_balls_of_one_colour_may_have_each_others_names_in_the_whole_recording():
    renamed = {RED_1: RED_2, RED_2: RED_1, WHITE_1: WHITE_2}
    seen = []
    for event in stroke():
        names = {key: renamed.get(getattr(event, key)) for key in ("ball", "other") if hasattr(event, key)}
        seen.append(replace(event, **{key: ball for key, ball in names.items() if ball}))
    assert verdicts(stroke(), seen) == ["exact"]


def test_a_swap_within_a_recording_is_wrong():
    second = [replace(event, ball=RED_2) if getattr(event, "ball", None) == RED_1 else event for event in stroke(9.0)]
    second = [replace(event, other=RED_2) if isinstance(event, Contact) else event for event in second]
    assert sorted(verdicts(stroke() + stroke(9.0), stroke() + second)) == ["exact", "silent"]


def test_a_contact_that_a_rack_repeats_at_once_is_one():
    again = [Contact(t_s=1.4001, ball=RED_1, other=WHITE_1), Contact(t_s=1.5, ball=WHITE_1, other=RED_1)]
    contacts = figures([*stroke(), *again], stroke(), "contact")
    assert (contacts.true, contacts.matched) == (2, 1)


def test_jaws_are_cushions_but_no_noses():
    jaw = CushionHit(t_s=2.4, ball=RED_1, cushion=Cushion.RIGHT, pocket=Pocket.MR)
    cushions, noses = (figures([*stroke(), jaw], stroke(), kind) for kind in ("cushion", "nose"))
    assert (cushions.true, cushions.matched) == (2, 1)
    assert (noses.true, noses.matched) == (1, 1)


def test_balls_without_a_number_are_those_that_lay_and_fell_where_they_did():
    def told(three, seven, nine):
        return [
            Strike(t_s=1.0, ball=CUE),
            Contact(t_s=1.4, ball=CUE, other=three),
            Potted(t_s=2.0, ball=nine, pocket=Pocket.RL),
            Rest(t_s=4.0, balls={three: Point(500.0, 0.0), seven: Point(900.0, 0.0)}),
        ]

    numbers, unknown = [Ball(name) for name in "379"], [Ball(f"ball-?{k}") for k in (2, 1, 3)]
    assert verdicts(told(*numbers), told(*unknown)) == ["exact"]
    assert verdicts(told(*numbers), told(unknown[1], unknown[0], unknown[2])) == ["exact"]
    swapped = told(*unknown)
    swapped[1] = replace(swapped[1], other=unknown[1])
    assert verdicts(told(*numbers), swapped) == ["silent"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda events: [event for event in events if not isinstance(event, Contact)], "first ball none"),
        (lambda events: [event for event in events if not isinstance(event, CushionHit)], "red-1 in MR instead"),
        (lambda events: [*events[:3], replace(events[3], pocket=Pocket.RR), events[4]], "red-1 in RR off a cushion"),
        (lambda events: [replace(events[0], ball=YELLOW), *events[1:]], "struck yellow"),
    ],
)
def test_what_scoring_reads_must_be_right(change, words):
    (only,) = compare(stroke(), change(stroke())).strokes
    assert only.verdict == "silent"
    assert words in only.difference


def test_a_jaw_is_no_bank():
    jaw = [replace(event, pocket=Pocket.MR) if isinstance(event, CushionHit) else event for event in stroke()]
    assert verdicts(stroke(), jaw) == ["silent"]


def test_a_wrong_stroke_with_a_doubt_in_it_is_flagged_and_asks():
    doubtful = [replace(event, flagged=True) for event in stroke() if not isinstance(event, Contact)]
    (only,) = compare(stroke(), doubtful).strokes
    assert (only.verdict, only.asks) == ("flagged", True)


def test_strokes_that_nobody_played_are_invented_and_unseen_ones_are_silent():
    assert verdicts(stroke(), stroke(9.0)) == ["silent", "invented"]


def test_events_too_far_in_time_do_not_count():
    late = [replace(event, t_s=event.t_s + 0.13) if isinstance(event, Contact) else event for event in stroke()]
    row = figures(stroke(), late, "contact")
    assert (row.true, row.predicted, row.matched, row.f1) == (1, 1, 0, 0.0)


def test_an_event_told_twice_matches_once():
    twice = sorted([*stroke(), stroke()[1]], key=lambda event: event.t_s)
    row = figures(stroke(), twice, "contact")
    assert (row.matched, row.precision, row.recall) == (1, 0.5, 1.0)


def test_time_errors_are_in_milliseconds():
    late = [replace(event, t_s=event.t_s + 0.004) if isinstance(event, Contact) else event for event in stroke()]
    assert figures(stroke(), late, "contact").median_ms == pytest.approx(4.0)


def test_intervals_are_wilsons():
    """Of 10 in 10: 72.2 % to 100 %, as published tables have it."""
    low, high = Share(count=10, total=10).interval
    assert low == pytest.approx(0.7225, abs=1e-4)
    assert high == pytest.approx(1.0)
    low, high = Share(count=1, total=10).interval
    assert (low, high) == (pytest.approx(0.0179, abs=1e-4), pytest.approx(0.4042, abs=1e-4))
    assert Share(count=0, total=0).interval == (0.0, 1.0)
