"""A stroke as people enter it with a few taps: what was hit, what fell, what became of the cue ball."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from scoring.balls import Ball
from scoring.errors import ScoringError
from scoring.events import Contact, CushionHit, OffTable, Potted, Rest, Strike, TableEvent
from scoring.match import MatchState
from scoring.shots import Call, RefereeInput, Shot
from scoring.standing import Standing
from scoring.table import Cushion, Pocket

CueBallEnd: TypeAlias = Literal["stayed", "potted", "off_table"]
_STEP_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPot:
    """A ball that fell; `bank`: it met a cushion on its way."""

    ball: Ball
    pocket: Pocket
    bank: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HandStroke:
    """What people saw: balls that the cue ball touched, in order, and balls that fell; `called` as it happened."""

    hit: tuple[Ball, ...] = ()
    potted: tuple[HandPot, ...] = ()
    cue_ball: CueBallEnd = "stayed"
    called: bool = True


def shot_of(hand: HandStroke, before: Standing, side: int) -> Shot:
    """The stroke as a shot record of the side that played it; balls keep the places that nobody saw change."""
    cue = before.cue_balls[side]
    fallen = [pot.ball for pot in hand.potted]
    if cue in (*hand.hit, *fallen) or len(set(fallen)) < len(fallen) or len(set(hand.hit)) < len(hand.hit):
        message = "a stroke by hand: name each ball once, and the cue ball not at all"
        raise ScoringError(message)
    hit = list(hand.hit)
    if fallen and not hit:
        hit = [fallen[0]]  # nothing falls that nothing has hit
    happened: list[tuple[str, Ball, HandPot | None]] = [("hit", ball, None) for ball in hit]
    happened += [("bank", pot.ball, pot) for pot in hand.potted if pot.bank]
    happened += [("pot", pot.ball, pot) for pot in hand.potted]
    events: list[TableEvent] = [Strike(t_s=0.0, ball=cue)]
    for index, (kind, ball, pot) in enumerate(happened, start=1):
        t_s = index * _STEP_S
        if kind == "hit":
            events.append(Contact(t_s=t_s, ball=cue, other=ball))
        elif kind == "bank":
            events.append(CushionHit(t_s=t_s, ball=ball, cushion=Cushion.REAR))
        elif pot is not None:
            events.append(Potted(t_s=t_s, ball=ball, pocket=pot.pocket))
    end_s = (len(happened) + 1) * _STEP_S
    if hand.cue_ball == "potted":
        events.append(Potted(t_s=end_s, ball=cue, pocket=Pocket.FL))
    elif hand.cue_ball == "off_table":
        events.append(OffTable(t_s=end_s, ball=cue))
    events.append(Rest(t_s=end_s + _STEP_S))
    call = None
    if hand.potted and hand.called:
        first = hand.potted[0]
        call = Call(ball=first.ball, pocket=first.pocket, bank=first.bank)
    refused = () if hand.called or not hand.potted else (RefereeInput(kind="not_as_called"),)
    return Shot(call=call, events=tuple(events), referee=refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where in the match a stroke by hand goes: in place of one, before one, or at the end."""

    standing: Standing
    side: int


def spot_in(state: MatchState, stroke: int | None, before: int | None) -> Spot:
    """The standing that a stroke by hand is played from, and the side that plays it."""
    number = stroke if stroke is not None else before
    standing = state.standing if number is None else state.record(number).before
    return Spot(standing=standing, side=state.started.terms.setup.side_of(standing.shooter))
