"""How a five-ball game begins: the rack, the whites in hand, scores with what was given, the lag."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scoring.balls import WHITE_1, WHITE_2
from scoring.five_ball.case import WHITES, Case, State
from scoring.game import Verdict
from scoring.lag import lag_of
from scoring.rulings import Choice, Message, Place, Question, QuestionKind, Reason, Ruling, asking
from scoring.setup import Beginning, Phase
from scoring.spots import five_ball_rack, point_of, rear_middle
from scoring.standing import Standing, Stroke, Terms

WINNER_FIRST = "winner_first"


def begin(
    make: Callable[..., State],
    terms: Terms,
    beginning: Beginning,
    *,
    second_white: str = "in_hand",
    **own: Any,  # noqa: ANN401  the game's own memory
) -> State:
    """The standing before the first stroke; `make` is the game's state, `own` its memory (RP-2, RP-3, KZ-3, KZ-10)."""
    setup, options = terms.setup, terms.options
    phase = beginning.phase or Phase.OPENING
    in_points = options.text("handicap_form") == "credit"
    given_points = tuple(setup.handicap(s).credit + in_points * setup.handicap(s).points for s in range(2))
    fresh = phase in (Phase.LAG, Phase.OPENING)
    layout = five_ball_rack(setup.table) if fresh else beginning.layout
    if fresh and layout is not None:
        if second_white != "in_hand":
            named = None if second_white == "rear_middle" else point_of(Place(second_white), setup.table)
            layout = layout.with_places({WHITE_2: named or rear_middle(setup.table)})
        layout = layout.with_places(beginning.layout.places if beginning.layout else {})
    shooter = beginning.shooter or setup.sides[0].members[0]
    if beginning.in_hand is not None:
        in_hand = frozenset(beginning.in_hand)
    else:
        seen = layout.places if layout else {}
        in_hand = frozenset(white for white in WHITES if white not in seen) if fresh else frozenset()
    if beginning.from_hand:
        in_hand |= {WHITES[setup.side_of(shooter)]}
    return make(
        phase=phase,
        scores=beginning.scores or given_points,
        shooter=shooter,
        cue_balls=WHITES,
        members=(0,) * len(setup.sides),
        in_hand=in_hand,
        layout=layout,
        yellow_middle_by=beginning.last.yellow_middle_by,
        **own,
    )


def targets(terms: Terms, state: Standing) -> tuple[int | None, ...]:
    """The score each side needs: 60, less the points it was given (KZ-30, RP-17, RP-50)."""
    whole = terms.options.number("target")
    less = terms.options.text("handicap_form") == "target"
    return tuple(whole - less * terms.setup.handicap(side).points for side in range(len(state.scores)))


def case_of(terms: Terms, state: State, stroke: Stroke) -> Case[State]:
    """The case of a stroke; who opens takes the one-dot ball, also when that is the second side (RP-3, KZ-6)."""
    side = terms.setup.side_of(state.shooter)
    if state.phase is Phase.OPENING and side == 1 and stroke.facts.cue == WHITE_1 == state.cue_balls[0]:
        state = replace(state, cue_balls=(WHITE_2, WHITE_1))
    return Case(terms, state, stroke, side)


def judge_lag(terms: Terms, state: State, stroke: Stroke, *rules: str, choice: str = WINNER_FIRST) -> Verdict[State]:
    """The lag (KZ-4 to KZ-6); whoever cannot be told to have won it is asked for. `rules` are cited besides."""
    setup = terms.setup
    lag = lag_of(stroke, WHITES, setup.table, line_is_house=terms.options.flag("line_is_house"))
    names = [side.members[0] for side in setup.sides]
    told = stroke.answer("who_shoots")
    first = told if isinstance(told, str) and setup.knows(told) else None
    if first is None and lag.winner is not None and choice == WINNER_FIRST:
        first = names[lag.winner]
    if first is None:
        ranked = sorted(names, key=lambda name: lag.winner is not None and names[lag.winner] != name)
        question = Question(kind=QuestionKind.WHO_SHOOTS, choices=tuple(Choice(name) for name in ranked))
        return Verdict(asking(question, "KZ-4", "KZ-5", "KZ-6", *rules), state)
    faults = lag.faults if stroke.facts.strikes else ()  # of a lag that was only told of, nobody saw the faults
    lost = [Reason(Message.LAG_LOST, (names[side], fault), "KZ-5") for side, fault in enumerate(faults) if fault]
    said = (*lost, Reason(Message.OPENS, (first,), "KZ-6"))
    cited = ("KZ-4", "KZ-5", "KZ-6") if lost else ("KZ-4", "KZ-6")
    ruling = Ruling(rules=(*cited, *rules), next_shooter=first, reasons=said)
    return Verdict(ruling, replace(state, phase=Phase.OPENING, shooter=first))
