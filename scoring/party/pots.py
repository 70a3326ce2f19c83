"""What the balls that fell in a stroke are worth together (RP-10 to RP-16)."""

from dataclasses import dataclass

from scoring.balls import YELLOW, Ball
from scoring.events import Potted
from scoring.five_ball.calls import as_called, pots_to_judge
from scoring.five_ball.case import Pot, next_streak, void
from scoring.five_ball.chain import chain_of, fell_by_itself_question
from scoring.five_ball.house_ban import all_objects_in_house, house_ban
from scoring.party.state import Case, PartyRules
from scoring.questions import balls_touched, banks_before, chain_to
from scoring.rulings import Message, Question, Reason, cited
from scoring.setup import Phase
from scoring.values import plain_value, value_of

DIRECT_RULES = ("RP-30", "RP-32", "RP-33")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pots:
    """The balls that fell in a stroke, each with its worth; `extra` fell along with a called one."""

    judged: tuple[tuple[Pot, Potted], ...] = ()
    extra: tuple[Ball, ...] = ()
    question: Question | None = None

    @property
    def points(self) -> int:
        """What they are worth together (RP-16)."""
        return sum(pot.points for pot, _ in self.judged if pot.is_valid)

    @property
    def keep_turn(self) -> bool:
        """Whether they keep the turn: a valid one does, unless another one loses it (C-26, RP-14, RP-30)."""
        losing = any(pot.is_middle_again or pot.stays_where_it_stood for pot, _ in self.judged)
        return any(pot.is_valid for pot, _ in self.judged) and not losing

    @property
    def stay(self) -> frozenset[Ball]:
        """The balls that go back to where they stood."""
        return frozenset(pot.ball for pot, _ in self.judged if pot.stays_where_it_stood)

    @property
    def counted(self) -> frozenset[Ball]:
        """The balls that were validly potted."""
        return frozenset(pot.ball for pot, _ in self.judged if pot.is_valid)

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules by which they count or do not."""
        return cited(*(pot.rules for pot, _ in self.judged))

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why they count or do not."""
        return tuple(reason for pot, _ in self.judged for reason in pot.reasons)


def pots_of(rules: PartyRules, case: Case) -> Pots:
    """What fell, and what it is worth: all of it, or with a call the called ball only (RP-15, RP-16, FB-3, FB-11)."""
    pots = pots_to_judge(case)
    if not pots:
        return Pots()
    if case.state.phase is Phase.OPENING:
        return Pots(judged=tuple((void(pot.ball, Message.FORBIDDEN_FIRST_SHOT, "RP-5"), pot) for pot in pots))

    def worth(pot: Potted, called_bank: bool | None) -> Pot:  # noqa: FBT001  the shape of a `Worth`
        """What a ball that fell is worth; banks need no call here (RP-13)."""
        del called_bank
        return rules.worth(case, pot)

    if case.terms.options.text("call") == "none":
        judged = tuple((worth(pot, None), pot) for pot in pots)
        return Pots(judged=judged, question=next((pot.question for pot, _ in judged if pot.question), None))
    pot, potted = as_called(case, pots, worth, rules.uncalled)
    extra = tuple(one.ball for one in pots if one is not potted)
    return Pots(judged=((pot, potted),) if pot and potted else (), extra=extra, question=pot.question if pot else None)


def driven_by(case: Case, pot: Potted, *, matters: bool) -> tuple[Ball, ...] | Question | None:
    """The balls that drove a ball in; None when it fell by itself; a question when that must be asked.

    Where it does not matter which ball did it, a ball that fell while others met was driven in by one of them.
    """
    if matters:
        return chain_of(case, pot)
    facts = case.stroke.facts
    chain = chain_to(facts, pot)
    if chain is not None:
        return chain
    answer = case.stroke.answer("fell_by_itself")
    if answer is True or case.stroke.answer("chain") is False:
        return None
    return () if facts.contacts or answer is not None else fell_by_itself_question(pot)


def barred(case: Case, pot: Potted, *, chain_matters: bool) -> Pot | tuple[Ball, ...]:
    """Why a pot is void whatever it would be worth, or what must be asked first; else the balls that drove it in."""
    no_combinations = case.terms.options.text("rule3") == "combination"
    chain = driven_by(case, pot, matters=chain_matters or no_combinations)
    if isinstance(chain, Question):
        return Pot(ball=pot.ball, question=chain)
    if chain is None:
        return void(pot.ball, Message.FELL_BY_ITSELF, "MP-40", "RP-29")
    banned = forbidden(case, pot, chain)
    if banned is None and chain and no_combinations:
        return void(pot.ball, Message.POT_VOID, "RP-22", "RP-A4")
    return chain if banned is None else banned


def forbidden(case: Case, pot: Potted, chain: tuple[Ball, ...]) -> Pot | None:
    """Why a pot is void whatever it would be worth: a direct shot at a house ball (RP-30 to RP-33)."""
    if not case.stroke.from_hand and case.terms.options.text("house_ban") == "in_hand_only":
        return None
    banned = house_ban(case, pot, chain)
    if isinstance(banned, Question):
        return Pot(ball=pot.ball, question=banned)
    every = ("RP-31", "RP-35") if all_objects_in_house(case) else ()
    line = ("RP-A7", "C-6") if case.terms.options.flag("line_is_house") else ()
    rules = (*DIRECT_RULES, *every, *line)
    return void(pot.ball, Message.HOUSE_BALL_DIRECT, *rules, where_it_stood=True) if banned else None


def allowed_rules(case: Case, pot: Potted) -> tuple[str, ...]:
    """The rules of the house and of banks that a valid pot has met."""
    before = case.before
    place = before.at(pot.ball) if before else None
    from_house = case.stroke.from_hand and place is not None and case.terms.setup.table.is_in_house(place)
    every = ("RP-31",) if all_objects_in_house(case) else ()
    bank = ("RP-13",) if banks_before(case.stroke.facts, pot) else ()
    return (*(("RP-30",) if from_house else ()), *every, *bank)


def is_middle_again(case: Case, pot: Potted) -> bool:
    """Whether the yellow fell into a middle pocket twice running (RP-14)."""
    return pot.ball == YELLOW and pot.pocket.is_middle and case.state.yellow_middle_by == case.state.shooter


def middle_again(pot: Potted) -> Pot:
    """The second yellow in a middle pocket: it does not count, and the next stroke is lost (RP-14)."""
    reason = Reason(Message.YELLOW_MIDDLE_TWICE, (), "RP-14")
    return Pot(ball=pot.ball, is_middle_again=True, rules=("RP-14", "RP-A3"), reasons=(reason,))


def has_carom_handicap(case: Case) -> bool:
    """Whether anybody was given caroms (RP-51)."""
    return any(case.terms.setup.handicap(side).caroms for side in range(len(case.state.scores)))


def is_stronger(case: Case) -> bool:
    """Whether the shooter's side has given caroms to the other one (RP-51)."""
    return has_carom_handicap(case) and not case.terms.setup.handicap(case.side).caroms


def counted_pot(pot: Potted, points: int, caroms: tuple[Ball, ...], *rules: str, said: tuple[Reason, ...] = ()) -> Pot:
    """A pot that counts."""
    names = " ".join(ball.name for ball in caroms)
    parameters = (pot.ball.name, pot.pocket.value, points)
    reason = (
        Reason(Message.POTTED_WITH_CAROM, (*parameters, names), rules[0])
        if caroms
        else Reason(Message.POTTED, parameters, rules[0])
    )
    return Pot(ball=pot.ball, points=points, caroms=caroms, is_valid=True, rules=rules, reasons=(reason, *said))


def carom_rules(case: Case, pot: Potted, caroms: tuple[Ball, ...]) -> tuple[str, ...]:
    """The rules of caroms that a pot has met: each ball once, some before the pot, some that fell themselves."""
    met = balls_touched(case.stroke.facts)
    early = ("C-32", "FB-A4") if pot.ball in met and any(ball in met[: met.index(pot.ball)] for ball in caroms) else ()
    fallen = {one.ball for one in case.stroke.facts.pots}
    return ("C-30", "C-31", *early, *(("C-34",) if fallen.intersection(caroms) else ()))


def priced(pot: Potted, caroms: tuple[Ball, ...], *, dear: bool, with_caroms: bool) -> int:
    """The value of a pot: by the carom table, or plain."""
    return value_of(pot.ball, caroms, dear=dear) if with_caroms else plain_value(pot.ball, dear=dear)


def streak_of(rules: PartyRules, case: Case, pots: Pots, *, counts: bool) -> str | None:
    """Who has the last yellow in a middle pocket to his name after a stroke (RP-14, RP-A3, FB-A6)."""
    any_pot = rules.has_prize and case.terms.options.text("yellow_middle_streak_counts") == "any"
    middles = [
        pot
        for pot, potted in pots.judged
        if potted.ball == YELLOW and potted.pocket.is_middle and (any_pot or (counts and pot.points))
    ]
    again = any(pot.is_middle_again for pot, _ in pots.judged)
    return next_streak(case, in_middle=bool(middles), again=again, scored=counts and pots.points > 0)
