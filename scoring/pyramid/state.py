"""A pyramid's memory, the values of its balls, and one stroke before its judge (MP-4, BP-1, BP-2)."""

from dataclasses import dataclass

from scoring.balls import CUE, NUMBERED, Ball
from scoring.events import Potted
from scoring.layout import Layout
from scoring.pyramid.rack import rack_of
from scoring.rulings import Question, Reason, ScoreChange, cited
from scoring.setup import Phase
from scoring.standing import Standing, Stroke, Terms
from scoring.table import Table

OBJECT_BALLS = frozenset(NUMBERED)
ACE_POINTS = 11
BONUS_POINTS = 10
"""What the last ball, and in the big pyramid the balls of `bonus10`, are worth beside their number."""

BIG_RULES: dict[str, tuple[str, ...]] = {
    "MP-4": ("BP-1", "BP-2"),
    "MP-5": ("BP-3",),
    "MP-6": ("BP-4",),
    "MP-43": ("BP-4", "BP-A4"),
    "MP-60": ("BP-8", "BP-A2"),
    "MP-70": ("BP-A2",),
    "MP-80": ("BP-5",),
    "MP-81": ("BP-5", "BP-A5"),
    "MP-83": ("BP-A3",),
    "MP-A2": ("BP-4",),
} | {f"MP-{number}": ("BP-6", "BP-A1") for number in (20, 21, 22, 23, 24, 25, 26, 27, 28, 75)}
"""The big pyramid's own numbers of the small one's rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PyramidState(Standing):
    """A pyramid's own memory.

    `shelves` are the balls that each side has won, `owed` the points of its handicap that were not taken off. `scored`
    tells whether the running inning has potted. `miss` are the points of the last stroke's penalty if that was for a
    miss. `warned` counts each side's strokes since a stalemate warning (empty: none), `penalties` each side's penalty
    strokes in a row, `free` are the sides that have a stroke without a call (MP-45).
    """

    shelves: tuple[frozenset[Ball], ...]
    owed: tuple[int, ...]
    scored: bool = False
    miss: tuple[ScoreChange, ...] = ()
    warned: tuple[int, ...] = ()
    penalties: tuple[int, ...] = ()
    free: frozenset[int] = frozenset()

    @property
    def in_play(self) -> frozenset[Ball]:
        """The object balls that are still in the game."""
        return OBJECT_BALLS - self.gone if self.gone else OBJECT_BALLS


@dataclass(frozen=True, slots=True)
class Case:
    """One stroke before the judge."""

    terms: Terms
    state: PyramidState
    stroke: Stroke
    side: int

    @property
    def table(self) -> Table:
        """The table's field."""
        return self.terms.setup.table

    @property
    def before(self) -> Layout | None:
        """Where the balls lay: at the first shot the rack, as far as nothing else was seen."""
        before = self.stroke.before
        if self.state.phase is not Phase.OPENING:
            return before
        rack = rack_of(self.table).without(self.state.gone)
        return rack if before is None else rack.with_places(before.places)

    @property
    def is_own_ball(self) -> bool:
        """Whether the cue ball was struck, and not another one."""
        return self.stroke.facts.cue == CUE

    @property
    def fallen(self) -> tuple[Potted, ...]:
        """The object balls that fell and stayed down, in order of time (C-22)."""
        pots = self.stroke.facts.pots
        return pots and tuple(pot for pot in pots if pot.ball in self.state.in_play)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a part of the judge found: rules that took part, what to say, or what must be asked first."""

    rules: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    question: Question | None = None


def is_big(terms: Terms) -> bool:
    """Whether this is the big pyramid."""
    return "bonus10" in terms.options.values


def in_pyramid_points(terms: Terms, points: int) -> int:
    """Points as they were agreed for the small pyramid; the big one counts them 9:7, rounded to the nearest (BP-5)."""
    return (18 * points + 7) // 14 if is_big(terms) else points


def value_of(terms: Terms, ball: Ball) -> int:
    """What a ball is worth: its number, the ace 11, in the big pyramid some balls 10 more (MP-4, BP-1, BP-2)."""
    number = ball.number or 0
    plain = ACE_POINTS if number == 1 else number
    bonus = is_big(terms) and number in terms.options.numbers("bonus10")
    return plain + BONUS_POINTS * bonus


def points_left(terms: Terms, state: PyramidState) -> int:
    """The points still on the table, the last ball's included (MP-4)."""
    balls = state.in_play
    return sum(value_of(terms, ball) for ball in balls) + (BONUS_POINTS if balls else 0)


def is_pair(terms: Terms) -> bool:
    """Whether one plays against a pair (MP-70)."""
    return terms.setup.format != "singles"


def targets(terms: Terms, state: PyramidState) -> tuple[int | None, ...]:
    """The score each side needs (MP-5, MP-60, MP-70, BP-3, BP-8), less what was not taken off for it (MP-83)."""
    return tuple(target_of(terms, state, side) for side in range(len(terms.setup.sides)))


def target_of(terms: Terms, state: PyramidState, side: int) -> int:
    """The score that one side needs."""
    setup, options = terms.setup, terms.options
    name = "pair_target" if is_pair(terms) else "three_target" if len(setup.sides) > 2 else "target"
    given = setup.handicap(side).points if options.text("handicap_form") == "target" else 0
    return options.number(name) - state.owed[side] - in_pyramid_points(terms, given)


def citing(terms: Terms, state: PyramidState, *groups: tuple[str | None, ...]) -> tuple[str, ...]:
    """The rules that took part, with the big pyramid's own numbers, and at the start those of the handicap."""
    first = _handicap_rules(terms) if not state.strokes else ()
    rules = cited(*groups, first)
    return cited(rules, *(BIG_RULES.get(rule, ()) for rule in rules)) if is_big(terms) else rules


def _handicap_rules(terms: Terms) -> tuple[str, ...]:
    """The rules of the handicaps that were given (MP-80 to MP-83)."""
    found: list[str] = []
    for side in range(len(terms.setup.sides)):
        given = terms.setup.handicap(side)
        found += ["MP-80"] * bool(given.credit or given.points) + ["MP-81", "MP-A11"] * bool(given.off_table)
        found += ["MP-82"] * bool(given.credit and given.off_table) + ["MP-82", "MP-83"] * bool(given.not_taken_off)
    return tuple(found)
