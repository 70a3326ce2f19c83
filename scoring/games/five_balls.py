"""Five balls with caroms: as Russian party, but a called pot counts only with a carom (rules, section 4)."""

from functools import partial

from scoring.balls import FIVE_BALL_SET, WHITE_1, WHITE_2, YELLOW
from scoring.events import Potted
from scoring.five_ball.case import Pot, void
from scoring.five_ball.start import targets
from scoring.game import Game
from scoring.party.judge import judged_by
from scoring.party.pots import (
    allowed_rules,
    barred,
    carom_rules,
    counted_pot,
    is_middle_again,
    is_stronger,
    middle_again,
    priced,
)
from scoring.party.state import Case, PartyRules, needs_call, start
from scoring.questions import banks_before, carom_balls
from scoring.rulings import Message, Reason
from scoring.setup import Phase
from scoring.spots import five_ball_rack

NAME = "five-balls"


def worth(case: Case, pot: Potted) -> Pot:
    """What a named ball that fell is worth: by the table with a carom, else nothing (FB-4, FB-5, FB-9, FB-A1)."""
    options = case.terms.options
    chain = barred(case, pot, chain_matters=True)
    if isinstance(chain, Pot):
        return chain
    again = is_middle_again(case, pot)
    met = carom_balls(case.stroke.facts, pot.ball, after_target=options.text("carom_order") == "after_target")
    touched = carom_balls(case.stroke.facts, pot.ball)
    caroms = () if chain else met
    bare = not caroms
    scores = bool(caroms) or options.flag("bare_pots_score")
    if again and (scores or options.text("yellow_middle_streak_counts") == "any"):
        return middle_again(pot)
    if not scores:
        return _bare(case, pot, chain_is_long=bool(chain), had_caroms=bool(met), were_early=met != touched)
    stronger = ("RP-51", "RP-A9") if is_stronger(case) else ()
    if stronger and caroms and options.text("carom_handicap") == "strong_carom_void":
        return void(pot.ball, Message.CAROM_OF_STRONGER, *stronger)
    bank = options.flag("bank_yellow_as_middle") and banks_before(case.stroke.facts, pot) > 0
    counted = () if stronger else caroms
    points = priced(pot, counted, dear=pot.pocket.is_middle or bank, with_caroms=bool(counted))
    rules = ("FB-13",) if bare else ("FB-5", "FB-4", "FB-1", *carom_rules(case, pot, caroms))
    banked = ("FB-A7",) if bank and pot.ball == YELLOW else ()
    return counted_pot(pot, points, counted, *rules, *banked, *stronger, *allowed_rules(case, pot))


def _bare(case: Case, pot: Potted, *, chain_is_long: bool, had_caroms: bool, were_early: bool) -> Pot:
    """A pot without a carom: no points; whether it keeps the turn is an option (FB-9, FB-12, FB-A5).

    `were_early`: balls were met before the potted one, which is no carom where that is agreed (C-32, FB-A4).
    """
    early = ("C-32", "FB-A4") if were_early else ()
    rules = (*(("FB-12", "C-33", "FB-9") if chain_is_long else ("FB-9", "FB-1")), *early)
    message = Message.CAROM_VOID_AFTER_COMBINATION if chain_is_long and had_caroms else Message.NO_CAROM
    if not case.terms.options.flag("bare_pot_keeps_turn"):
        return void(pot.ball, message, *rules)
    reason = Reason(message, (pot.ball.name,), rules[0])
    return Pot(ball=pot.ball, is_valid=True, rules=(*rules, "FB-A5"), reasons=(reason,))


RULES = PartyRules(
    name=NAME, worth=worth, call="FB-3", uncalled="FB-10", extra="FB-11", besides=("FB-7",), has_prize=True
)

FIVE_BALLS = Game(
    name=NAME,
    balls=FIVE_BALL_SET,
    cue_balls=(WHITE_1, WHITE_2),
    side_counts=(2,),  # two players, or two sides whose members take turns (RP-49)
    first_phase=Phase.LAG,
    rack=five_ball_rack,
    start=start,
    judge=partial(judged_by, RULES),
    targets=targets,
    needs_call=needs_call,
    has_draws=False,
)
