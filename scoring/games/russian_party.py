"""Russian party, «Five balls – 60 points»: plain pots, caroms earn nothing, 60 points (rules, section 3)."""

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
    has_carom_handicap,
    is_middle_again,
    is_stronger,
    middle_again,
    priced,
)
from scoring.party.state import Case, PartyRules, needs_call, start
from scoring.questions import carom_balls
from scoring.rulings import Message
from scoring.setup import Phase
from scoring.spots import five_ball_rack

NAME = "russian-party"


def worth(case: Case, pot: Potted) -> Pot:
    """What a ball that fell is worth: white 2, red 3, yellow 6 or 12 (RP-10 to RP-14)."""
    options = case.terms.options
    with_caroms = has_carom_handicap(case)
    chain = barred(case, pot, chain_matters=with_caroms)
    if isinstance(chain, Pot):
        return chain
    if is_middle_again(case, pot):
        return middle_again(pot)
    met = carom_balls(case.stroke.facts, pot.ball, after_target=options.text("carom_order") == "after_target")
    caroms = () if chain or not with_caroms else met
    handicap = ("RP-51", "RP-A9") if with_caroms else ()
    if caroms and is_stronger(case) and options.text("carom_handicap") == "strong_carom_void":
        return void(pot.ball, Message.CAROM_OF_STRONGER, *handicap)
    counted = () if is_stronger(case) else caroms
    points = priced(pot, counted, dear=pot.pocket.is_middle, with_caroms=bool(counted))
    rule = "RP-11" if pot.ball == YELLOW else "RP-10"
    plain = carom_rules(case, pot, counted) if counted else ("RP-12",) if met else ()
    return counted_pot(pot, points, counted, rule, *plain, *handicap, *allowed_rules(case, pot))


RULES = PartyRules(name=NAME, worth=worth, call="RP-15", uncalled="RP-16", extra="RP-16")

RUSSIAN_PARTY = Game(
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
