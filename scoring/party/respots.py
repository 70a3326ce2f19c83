"""Where balls go back in Russian party: spots, a short cushion until one is free, hands (RP-34, RP-40 to RP-45)."""

from collections.abc import Mapping

from scoring.balls import Ball, BallKind
from scoring.five_ball.floor import fallen_balls, tight_to_the_cushion
from scoring.layout import Layout
from scoring.party.pots import Pots
from scoring.party.state import COLOURED, MAIN_SPOTS, Case
from scoring.rulings import Message, Place, Reason, Respot
from scoring.setup import Phase
from scoring.spots import five_ball_rack, point_of, spotted, stood
from scoring.standing import Stroke, layout_at_rest

FRONT = "front"


def order_of(case: Case, ball: Ball) -> tuple[Place, ...]:
    """The spots that a ball is put on, in their order; what comes after the cushion is never reached (RP-42)."""
    words = case.terms.options.words(f"spot_order({ball.colour})")
    before_front = words[: words.index(FRONT)] if FRONT in words else words
    return (*(Place(word) for word in before_front), Place.FRONT_MIDDLE)


def respots_of(case: Case, pots: Pots, told: tuple[Ball, ...] = ()) -> tuple[Respot, ...]:
    """What people must put where before the next stroke: the yellow first, then reds, whites in hands (RP-44).

    `told` are balls that people say fell by themselves, though nobody saw it.
    """
    fallen = tuple(dict.fromkeys((*fallen_balls(case), *told)))
    waiting = still_waiting(case)
    if not (fallen or waiting or case.stroke.facts.off):
        return ()
    respots = list(tight_to_the_cushion(case, fallen))
    layout = (_at_rest(case.stroke) or Layout()).without(fallen)
    layout = layout.with_places({respot.ball: respot.at for respot in respots if respot.at})
    for ball in sorted({*fallen, *waiting}, key=lambda ball: (COLOURED.index(ball) if ball in COLOURED else 9, ball)):
        respot = _put(case, ball, layout, pots) if ball in fallen else _moved_to_spot(case, ball, layout)
        if respot is not None:
            respots.append(respot)
            layout = layout.without([ball]).with_places({ball: respot.at} if respot.at else {})
    return tuple(respots)


def _at_rest(stroke: Stroke) -> Layout | None:
    """Where the balls lie before anybody puts one back; with nothing played, where they lay."""
    facts = stroke.facts
    return layout_at_rest(stroke) if facts.cue or facts.moved or facts.pots else stroke.before


def _put(case: Case, ball: Ball, layout: Layout, pots: Pots) -> Respot:
    """Where one fallen ball goes (RP-34, RP-40, RP-A12)."""
    options, table = case.terms.options, case.terms.setup.table
    stays = ball in pots.stay
    if ball.kind is BallKind.WHITE and not stays:
        return Respot(ball, Place.IN_HAND)
    if case.state.phase is Phase.OPENING:
        return initial(case, ball, layout)
    wanted = options.text("void_pot_goes_to")
    hung = options.text("hanging_ball") == "replace_after_5s" and _fell_by_itself(case, ball)
    back_where_it_stood = ball not in pots.counted and wanted == "where_it_stood"
    if hung or back_where_it_stood or (stays and wanted == "by_rule"):
        back = stood(ball, case.before)
        if back.at is None or layout.is_free(back.at, table):
            return back
    return spotted(ball, order_of(case, ball), layout, table) if ball in COLOURED else Respot(ball, Place.IN_HAND)


def _fell_by_itself(case: Case, ball: Ball) -> bool:
    """Whether a ball fell with no stroke that drove it in (MP-40, MP-A3)."""
    named = {entry.ball for entry in case.stroke.inputs("fell_by_itself")}
    return ball in named or not case.stroke.is_played or case.stroke.answer("fell_by_itself") is True


def initial(case: Case, ball: Ball, layout: Layout) -> Respot:
    """Back to where the ball stood before the opening (RP-5), unless another one has come to lie there."""
    table = case.terms.setup.table
    before = case.before
    home = (before.at(ball) if before else None) or five_ball_rack(table).places[ball]
    if not layout.is_free(home, table):
        return spotted(ball, order_of(case, ball), layout, table)
    named = next((place for place in MAIN_SPOTS if point_of(place, table) == home), Place.WHERE_IT_STOOD)
    return Respot(ball, named, home)


def restored(case: Case) -> tuple[Respot, ...]:
    """The balls as they were before an opening that is repeated: its cue ball in hand, the others in place (RP-4)."""
    facts = case.stroke.facts
    moved = [ball for ball in COLOURED if ball in facts.in_motion]
    layout = (layout_at_rest(case.stroke) or Layout()).without(moved)
    whites = [ball for ball in (*case.state.cue_balls,) if ball in facts.in_motion]
    return (*(initial(case, ball, layout) for ball in moved), *(Respot(ball, Place.IN_HAND) for ball in whites))


def still_waiting(case: Case) -> frozenset[Ball]:
    """The balls that wait at a short cushion and have not been hit or moved meanwhile (RP-43)."""
    waiting = case.state.waiting
    return waiting - case.stroke.facts.in_motion if waiting else waiting


def _moved_to_spot(case: Case, ball: Ball, layout: Layout) -> Respot | None:
    """Where a waiting ball goes now that a spot it needs is free; None when it still waits (RP-41)."""
    respot = spotted(ball, order_of(case, ball), layout.without([ball]), case.terms.setup.table)
    return respot if respot.place in MAIN_SPOTS else None


def waiting_after(case: Case, respots: tuple[Respot, ...]) -> frozenset[Ball]:
    """The balls that wait for a spot after these have been put back (RP-41)."""
    if not respots:
        return still_waiting(case)
    put: Mapping[Ball, Place] = {respot.ball: respot.place for respot in respots}
    fallen = fallen_balls(case)
    at_cushion = {
        ball for ball, place in put.items() if place is Place.FRONT_MIDDLE or (_is_beside(place, ball, fallen))
    }
    return (still_waiting(case) - put.keys()) | at_cushion


def _is_beside(place: Place, ball: Ball, fallen: tuple[Ball, ...]) -> bool:
    """Whether a fallen ball found even the middle of the cushion taken."""
    return place is Place.AT and ball in fallen


def respot_rules(case: Case, respots: tuple[Respot, ...]) -> tuple[str, ...]:
    """The rules by which balls go back."""
    if not respots:
        return ()
    rules: list[str] = []
    waiting = waiting_after(case, respots)
    for respot in respots:
        if respot.place is Place.IN_HAND:
            rules.append("RP-34")
        elif respot.ball in case.state.waiting:
            rules += ["RP-41", "RP-43"]
        elif respot.place is Place.WHERE_IT_STOOD:
            rules.append("RP-A12")
        else:
            rules += ["RP-40", "RP-42", "RP-44"]
            rules += ["RP-A12"] if case.state.phase is Phase.OPENING else []
        rules += ["RP-41"] if respot.ball in waiting else []
    return tuple(rules)


def respot_reasons(case: Case, respots: tuple[Respot, ...]) -> tuple[Reason, ...]:
    """What a ruling says about balls that wait for a spot."""
    if not respots:
        return ()
    waiting = waiting_after(case, respots)
    fallen = fallen_balls(case)
    said: list[Reason] = []
    for respot in respots:
        if respot.ball in waiting:
            said.append(Reason(Message.BALL_WAITS, (respot.ball.name,), "RP-41"))
        elif respot.ball in case.state.waiting and respot.ball not in fallen:
            said.append(Reason(Message.BALL_TO_FREE_SPOT, (respot.ball.name,), "RP-41"))
    return tuple(said)
