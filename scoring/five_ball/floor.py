"""Balls that left the table, fell, lie on the rail or came back: what that does, and what must be put where."""

from scoring.balls import FIVE_BALL_SET, Ball
from scoring.five_ball.case import AnyCase
from scoring.layout import against_cushion
from scoring.questions import final_off
from scoring.rulings import Message, Place, Reason, Respot


def is_own_ball_lost(case: AnyCase) -> bool:
    """Whether the shooter's white was potted or left the table."""
    return any(pot.ball == case.own for pot in case.stroke.facts.pots) or is_own_ball_off(case)


def is_own_ball_off(case: AnyCase) -> bool:
    """Whether the shooter's white left the table, or counts as if it had (MP-A4)."""
    if not case.stroke.facts.off and not case.stroke.referee:
        return False
    jumped = case.terms.options.text("returned_ball") == "jumped"
    left = any(
        event.ball == case.own and (not event.returned or jumped) and not event.on_rail
        for event in final_off(case.stroke.facts)
    )
    hit = any(entry.ball in (None, case.own) for entry in case.stroke.inputs("hit_person"))
    return left or (jumped and hit)


def turn_lost(case: AnyCase, rule: str, *, off_loses: bool) -> tuple[bool, tuple[Reason, ...]]:
    """Whether the turn is lost by a ball off the table, back again or on the rail (RP-45, KZ-45, MP-41, MP-42).

    `off_loses`: an object ball on the floor loses it; `rule` says so.
    """
    said: list[Reason] = []
    lost = False
    for event in final_off(case.stroke.facts):
        if event.ball == case.own and not event.returned and not event.on_rail:
            continue
        if event.returned or event.on_rail:
            message = Message.BALL_CAME_BACK if event.returned else Message.BALL_ON_RAIL
            said.append(Reason(message, (event.ball.name,), "MP-41" if event.returned else "MP-42"))
            lost = True
            continue
        said.append(Reason(Message.BALL_OFF_TABLE, (event.ball.name,), rule))
        lost |= off_loses
    for entry in case.stroke.inputs("hit_person"):
        said.append(Reason(Message.BALL_CAME_BACK, ((entry.ball or case.own).name,), "MP-41"))
        lost = True
    return lost, tuple(said)


def fallen_balls(case: AnyCase) -> tuple[Ball, ...]:
    """The balls that are off the table after a stroke, each once: potted ones first."""
    facts = case.stroke.facts
    if not facts.pots and not facts.off and not case.stroke.referee:
        return ()
    jumped = case.terms.options.text("returned_ball") == "jumped"
    gone = [event for event in final_off(facts) if not event.on_rail and (not event.returned or jumped)]
    own = (case.own,) if is_own_ball_lost(case) else ()
    return tuple(dict.fromkeys((*(one.ball for one in facts.pots), *(event.ball for event in gone), *own)))


def tight_to_the_cushion(case: AnyCase, fallen: tuple[Ball, ...]) -> tuple[Respot, ...]:
    """Balls that lie on the rail go tight against the cushion at that place (MP-42)."""
    table = case.terms.setup.table
    return tuple(
        Respot(event.ball, Place.AT, against_cushion(event.at, table))
        for event in final_off(case.stroke.facts)
        if event.on_rail and event.at is not None and event.ball not in fallen
    )


def named_in(case: AnyCase, kind: str) -> tuple[Ball, ...]:
    """The balls that people named in inputs of a kind, in the order of the set."""
    named = [entry.ball for entry in case.stroke.inputs(kind)]
    return tuple(ball for ball in FIVE_BALL_SET if ball in named)
