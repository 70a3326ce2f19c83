"""Kaisa's pots: what one potted ball is worth, and why it may be worth nothing (KZ-8, KZ-15 to KZ-25)."""

from dataclasses import dataclass

from scoring.balls import YELLOW, Ball, BallKind
from scoring.events import Potted
from scoring.house import all_in_house, is_direct, is_in_house
from scoring.layout import Layout
from scoring.questions import balls_touched, banks_before, carom_balls, chain_to, partner
from scoring.rulings import Choice, Message, Question, QuestionKind, Reason
from scoring.setup import Phase
from scoring.shots import Call
from scoring.spots import five_ball_rack
from scoring.standing import Standing, Stroke, Terms
from scoring.table import Spot
from scoring.values import value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KaisaState(Standing):
    """Kaisa's own memory: the yellow-middle streak, a yellow that waits for its spot, the sides that have opened."""

    yellow_middle_by: str | None = None
    yellow_waits: bool = False
    opened: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Case:
    """One stroke before the judge."""

    terms: Terms
    state: KaisaState
    stroke: Stroke
    side: int

    @property
    def own(self) -> Ball:
        """The shooter's white."""
        return self.state.cue_balls[self.side]

    @property
    def before(self) -> Layout | None:
        """Where the balls lay: at the first shot the rack, as far as nothing else was seen."""
        before = self.stroke.before
        if self.state.phase is not Phase.OPENING:
            return before
        rack = five_ball_rack(self.terms.setup.table)
        return rack if before is None else rack.with_places(before.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pot:
    """What a potted ball is worth. Void ones say why; some must be asked about first."""

    ball: Ball
    points: int = 0
    caroms: tuple[Ball, ...] = ()
    is_valid: bool = False
    is_middle_again: bool = False
    stays_where_it_stood: bool = False
    rules: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    question: Question | None = None


def void(ball: Ball, message: Message, *rules: str, where_it_stood: bool = False) -> Pot:
    """A pot that is worth nothing."""
    reason = Reason(message, (ball.name,), rules[0])
    return Pot(ball=ball, rules=rules, reasons=(reason,), stays_where_it_stood=where_it_stood)


def pot_of(case: Case, pot: Potted, *, called_bank: bool | None) -> Pot:
    """What a ball that fell as called is worth; `called_bank` is None when the bank need not match the call."""
    chain = _chain(case, pot)
    if isinstance(chain, Question):
        return Pot(ball=pot.ball, question=chain)
    if chain is None:
        return void(pot.ball, Message.FELL_BY_ITSELF, "MP-40")
    if _is_chain_too_long(case, pot, chain):
        return void(pot.ball, Message.CHAIN_TOO_LONG, "KZ-23")
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
    rules = ["KZ-21" if dear else "KZ-20"]
    said = [Reason(Message.POTTED, (pot.ball.name, pot.pocket.value, points), rules[0])]
    if caroms:
        names = " ".join(ball.name for ball in caroms)
        said = [Reason(Message.POTTED_WITH_CAROM, (pot.ball.name, pot.pocket.value, points, names), rules[0])]
    if chain:
        rules.append("KZ-24")
        if len(met) > 1:
            said.append(Reason(Message.CAROM_VOID_AFTER_COMBINATION, (pot.ball.name,), "KZ-24"))
    again = pot.ball == YELLOW and pot.pocket.is_middle and case.state.yellow_middle_by == case.state.shooter
    if again:
        rules.append("KZ-25")
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


def _chain(case: Case, pot: Potted) -> tuple[Ball, ...] | Question | None:
    """The balls that drove a ball in; None when it fell by itself; a question when that must be asked."""
    facts, table = case.stroke.facts, case.terms.setup.table
    frozen = case.before.frozen_pairs(table) if case.before else ()
    chain = chain_to(facts, pot, frozen)
    if chain is not None:
        return chain
    if case.stroke.answer("fell_by_itself") is True:
        return None
    driver = case.stroke.answer("chain")
    if driver is False:
        return None
    if isinstance(driver, Ball):
        return () if driver == facts.cue else (driver,)
    if not facts.contacts and case.stroke.answer("fell_by_itself") is None:
        yes_or_no = (Choice(value=True), Choice(value=False))
        return Question(kind=QuestionKind.FELL_BY_ITSELF, choices=yes_or_no, about=pot.ball)
    met = [ball for ball in balls_touched(facts) if ball != pot.ball]
    drivers = dict.fromkeys((*(ball for ball in (facts.cue,) if ball), *met))
    choices = (*(Choice(ball) for ball in drivers), Choice(value=False))
    return Question(kind=QuestionKind.CHAIN, choices=choices, about=pot.ball, open=True)


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
    options, table = case.terms.options, case.terms.setup.table
    if not case.stroke.from_hand or options.text("house_ban") == "none":
        return None
    line = options.flag("line_is_house")
    layout = case.before or Layout()
    objects = frozenset(ball for ball in layout.places if ball != case.own)
    every = all_in_house(layout, objects, table, line_is_house=line)
    if not is_direct(case.stroke.facts, pot.ball, chain, any_cushion=every):
        return None
    stood = _stood_in_house(case, pot.ball, line_is_house=line)
    if stood is None:
        choices = (Choice(value=False), Choice(value=True))
        return Pot(
            ball=pot.ball, question=Question(kind=QuestionKind.LAYOUT, choices=choices, about=pot.ball, open=True)
        )
    if not stood or (chain and _stood_in_house(case, chain[0], line_is_house=line) is False):
        return None
    return void(pot.ball, Message.HOUSE_BALL_DIRECT, "KZ-A12", "RP-30", where_it_stood=True)


def _stood_in_house(case: Case, ball: Ball, *, line_is_house: bool) -> bool | None:
    """Whether a ball stood in the house; an answer says it by its place, or by true and false. None: nobody knows."""
    table = case.terms.setup.table
    before, told = case.before, case.stroke.answer("layout")
    if isinstance(told, bool):
        return told
    place = told.get(ball) if isinstance(told, dict) else None
    place = place or (before.at(ball) if before else None)
    if place is None:
        return None if before is None or ball in before.lost else False
    return is_in_house(place, table, line_is_house=line_is_house)


def streak_of(case: Case, pot: Pot | None, potted: Potted | None) -> str | None:
    """Who has the last yellow in the middle to his name after a stroke (KZ-25, RP-A3)."""
    if pot is not None and pot.is_middle_again:
        return None
    scored = pot is not None and pot.is_valid
    if scored and potted is not None and potted.ball == YELLOW and potted.pocket.is_middle:
        return case.state.shooter
    if case.terms.options.text("yellow_middle_streak") == "no_score_between" and not scored:
        return case.state.yellow_middle_by
    return None


def forbidden_first_pots(case: Case) -> tuple[Ball, ...]:
    """The balls that a first shot may not pot as it did: the red of the first spot, the yellow in the middle (KZ-8)."""
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


def call_choices(pot: Potted, *, bank: bool) -> tuple[Choice, ...]:
    """The likely answers to a missing call: as it happened, or not so."""
    return (Choice(Call(ball=pot.ball, pocket=pot.pocket, bank=bank)), Choice(value=False))
