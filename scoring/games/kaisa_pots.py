"""Kaisa's pots: what one potted ball is worth, and why it may be worth nothing (KZ-8, KZ-15 to KZ-25)."""

from dataclasses import dataclass
from typing import TypeAlias

from scoring.balls import YELLOW, Ball, BallKind
from scoring.events import Potted
from scoring.five_ball.case import Case as CaseOf
from scoring.five_ball.case import FiveBallState, Pot, next_streak, void
from scoring.five_ball.chain import chain_of
from scoring.five_ball.house_ban import house_ban
from scoring.questions import banks_before, carom_balls, partner
from scoring.rulings import Message, Question, Reason
from scoring.setup import Phase
from scoring.table import Spot
from scoring.values import value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KaisaState(FiveBallState):
    """Kaisa's own memory: a yellow that waits for its spot, the sides that have opened."""

    yellow_waits: bool = False
    opened: frozenset[int] = frozenset()


Case: TypeAlias = CaseOf[KaisaState]


def pot_of(case: Case, pot: Potted, *, called_bank: bool | None) -> Pot:
    """What a ball that fell as called is worth; `called_bank` is None when the bank need not match the call."""
    chain = chain_of(case, pot)
    if isinstance(chain, Question):
        return Pot(ball=pot.ball, question=chain)
    if chain is None:
        return void(pot.ball, Message.FELL_BY_ITSELF, "MP-40")
    if _is_chain_too_long(case, pot, chain):
        return void(pot.ball, Message.CHAIN_TOO_LONG, "KZ-23", "KZ-A13")
    bank = banks_before(case.stroke.facts, pot) > 0
    wrong_bank = _bank_fault(case, pot, bank=bank, called_bank=called_bank)
    if wrong_bank is not None:
        return wrong_bank
    banned = _house_ban(case, pot, chain)
    if banned is not None:
        return banned
    return _worth(case, pot, chain, dear=pot.ball == YELLOW and (pot.pocket.is_middle or bank))


def _worth(case: Case, pot: Potted, chain: tuple[Ball, ...], *, dear: bool) -> Pot:
    """The value of a pot that nothing forbids, unless it is the second yellow in the middle (KZ-20, KZ-21, KZ-25)."""
    options = case.terms.options
    after = options.text("carom_order") == "after_target"
    met = carom_balls(case.stroke.facts, pot.ball, after_target=after)
    caroms = () if chain else met
    points = value_of(pot.ball, caroms, dear=dear)
    rules = ["KZ-21" if dear else "KZ-20", *_bank_rules(case, pot), *_carom_rules(case, pot.ball, caroms)]
    said = [Reason(Message.POTTED, (pot.ball.name, pot.pocket.value, points), rules[0])]
    if caroms:
        names = " ".join(ball.name for ball in caroms)
        said = [Reason(Message.POTTED_WITH_CAROM, (pot.ball.name, pot.pocket.value, points, names), rules[0])]
    if chain:
        rules += ["KZ-24", "KZ-23", "C-33"]
        if len(met) > 1:
            said.append(Reason(Message.CAROM_VOID_AFTER_COMBINATION, (pot.ball.name,), "KZ-24"))
    again = pot.ball == YELLOW and pot.pocket.is_middle and case.state.yellow_middle_by == case.state.shooter
    if again:
        rules += ["KZ-25", "KZ-A3"]
        said.append(Reason(Message.YELLOW_MIDDLE_TWICE, (), "KZ-25"))
        if not options.flag("second_yellow_counts"):
            return Pot(ball=pot.ball, is_middle_again=True, rules=("KZ-25", "KZ-A3"), reasons=(said[-1],))
    return Pot(
        ball=pot.ball,
        points=points,
        caroms=caroms,
        is_valid=True,
        is_middle_again=again,
        rules=tuple(rules),
        reasons=tuple(said),
    )


def _bank_rules(case: Case, pot: Potted) -> tuple[str, ...]:
    """The rules that a valid bank has met (KZ-16, KZ-22, KZ-A1)."""
    return ("KZ-16", "KZ-22", "KZ-A1") if banks_before(case.stroke.facts, pot) else ()


def _carom_rules(case: Case, target: Ball, caroms: tuple[Ball, ...]) -> tuple[str, ...]:
    """The rules that caroms have met: no call, each ball once, and some made before the pot (KZ-17, C-30 to C-32)."""
    early = carom_balls(case.stroke.facts, target) != carom_balls(case.stroke.facts, target, after_target=True)
    return (*(("KZ-17", "C-30", "C-31") if caroms else ()), *(("C-32",) if early else ()))


def _is_chain_too_long(case: Case, pot: Potted, chain: tuple[Ball, ...]) -> bool:
    """Whether two or more balls came between (KZ-23), or the cue ball met two before the target (KZ-A13)."""
    if len(chain) >= 2:
        return True
    if case.terms.options.text("chain_meaning") == "ball_chain":
        return False
    facts = case.stroke.facts
    met = [other for contact in facts.contacts if facts.cue and (other := partner(contact, facts.cue)) is not None]
    until = met.index(pot.ball) if pot.ball in met else len(met)
    return len(set(met[:until])) >= 2


def _bank_fault(case: Case, pot: Potted, *, bank: bool, called_bank: bool | None) -> Pot | None:
    """Why a bank, or the lack of a called one, makes a pot void (KZ-16, KZ-22, KZ-A1, KZ-A15)."""
    options = case.terms.options
    rule = options.text("bank_rule")
    if bank and not pot.pocket.is_middle and (rule == "middle_only" or (rule != "any" and pot.ball != YELLOW)):
        return void(pot.ball, Message.BANK_INTO_CORNER, "KZ-22", "KZ-A1")
    if called_bank is None or called_bank == bank or not options.flag("bank_must_match"):
        return None
    return void(pot.ball, Message.BANK_NOT_CALLED if bank else Message.BANK_NOT_PLAYED, "KZ-16", "KZ-A15", "KZ-18")


def _house_ban(case: Case, pot: Potted, chain: tuple[Ball, ...]) -> Pot | None:
    """Why a direct shot from hand makes the pot of a house ball void; a question when nobody knows where it lay."""
    if not case.stroke.from_hand or case.terms.options.text("house_ban") == "none":
        return None
    banned = house_ban(case, pot, chain)
    if isinstance(banned, Question):
        return Pot(ball=pot.ball, question=banned)
    return void(pot.ball, Message.HOUSE_BALL_DIRECT, "KZ-A12", "RP-30", where_it_stood=True) if banned else None


def streak_of(case: Case, pot: Pot | None, potted: Potted | None) -> str | None:
    """Who has the last yellow in the middle to his name after a stroke (KZ-25, RP-A3)."""
    scored = pot is not None and pot.is_valid
    in_middle = scored and potted is not None and potted.ball == YELLOW and potted.pocket.is_middle
    return next_streak(case, in_middle=in_middle, again=pot is not None and pot.is_middle_again, scored=scored)


def forbidden_first_pots(case: Case) -> tuple[Ball, ...]:
    """The balls that a first shot may not pot as it did: the red of the first spot, the yellow in the middle.

    Whether that is the first shot of the game or each player's first is agreed (KZ-8, KZ-A11).
    """
    scope = case.terms.options.text("opening_ban_scope")
    is_first = case.state.phase is Phase.OPENING if scope == "game" else case.side not in case.state.opened
    if not is_first or case.before is None:
        return ()
    table = case.terms.setup.table
    on_first = case.before.ball_on(table.spot(Spot.S1))
    on_second = case.before.ball_on(table.spot(Spot.S2))
    return tuple(
        pot.ball
        for pot in case.stroke.facts.pots
        if (pot.ball == on_first and pot.ball.kind is BallKind.RED)
        or (pot.ball == on_second == YELLOW and pot.pocket.is_middle)
    )
