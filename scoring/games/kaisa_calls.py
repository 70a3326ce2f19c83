"""Kaisa's calls, and what a pot does near the end of the game (KZ-15 to KZ-18, KZ-30 to KZ-35)."""

from dataclasses import dataclass

from scoring.balls import BallKind
from scoring.events import Potted
from scoring.five_ball.calls import Meant, as_called, first_worthy, pots_to_judge
from scoring.five_ball.case import Pot
from scoring.five_ball.start import targets
from scoring.games.kaisa_pots import Case, pot_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What a pot does near the end: points that count, whether the turn stays, whether it wins."""

    points: int
    stays: bool
    wins: bool
    rules: tuple[str, ...]


def called_pot(case: Case) -> Meant:
    """The pot that the stroke was about and its worth; (None, None) when nothing fell (KZ-15 to KZ-18, KZ-A2)."""
    pots = pots_to_judge(case)
    if not pots:
        return None, None

    def worth(pot: Potted, called_bank: bool | None) -> Pot:  # noqa: FBT001  the shape of a `Worth`
        """What a ball that fell is worth."""
        return pot_of(case, pot, called_bank=called_bank)

    options = case.terms.options
    if options.text("call") == "none":
        return first_worthy(pots, worth)
    if options.text("call_for_carom") == "no_call_if_carom":
        found = first_worthy([pot for pot in pots if worth(pot, None).caroms], worth)
        if found[0] is not None:
            return found
    return as_called(case, pots, worth, "KZ-18")


def closing_of(case: Case, pot: Pot) -> Closing:
    """What a valid pot does at the score it meets (KZ-30 to KZ-35, KZ-A6, KZ-A7)."""
    options = case.terms.options
    score = case.state.scores[case.side]
    target = targets(case.terms, case.state)[case.side]
    assert target is not None
    stays = not pot.is_middle_again
    reaches = score + pot.points >= target
    if pot.ball.kind is not BallKind.WHITE or pot.caroms:
        rules = (*pot.rules, "KZ-30", "KZ-33") if reaches else pot.rules
        return Closing(points=pot.points, stays=stays, wins=reaches, rules=rules)
    if not reaches:
        return Closing(points=pot.points, stays=stays, wins=False, rules=pot.rules)
    points = {"count": pot.points, "clip60": min(pot.points, max(0, target - score)), "none": 0}
    counted = points[options.text("nonclosing_points")]
    if score >= target:
        stays, rules = options.text("nonclosing_over60") == "as58", ("KZ-A7", "KZ-34")
    else:
        stays, rules = (True, ("KZ-31",)) if score == target - 2 else (False, ("KZ-32",))
    return Closing(points=counted, stays=stays, wins=False, rules=(*pot.rules, *rules, "KZ-33", "KZ-A6"))
