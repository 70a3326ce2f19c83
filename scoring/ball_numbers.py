"""Numbers that people read off a ball: what was followed as one ball was in truth another (rules, 6.3 and O11)."""

from collections.abc import Mapping
from dataclasses import replace

from scoring.balls import Ball, BallKind
from scoring.events import Contact, Potted, Rest, Strike, TableEvent
from scoring.layout import Layout
from scoring.questions import balls_in
from scoring.shots import Shot
from scoring.table import Point

Names = Mapping[Ball, Ball]


def true_names(shot: Shot, balls: frozenset[Ball]) -> Names:
    """Who is who by the `ball_number` inputs of a shot; two balls that were taken for each other change places.

    `balls` are the balls in play: a number that cannot be on the table says nothing. Without `ball` the input speaks of
    the only ball that fell.
    """
    names: dict[Ball, Ball] = {}
    if not any(entry.kind == "ball_number" for entry in shot.referee):
        return names
    fallen = {event.ball for event in shot.events if isinstance(event, Potted) and event.ball.kind is not BallKind.CUE}
    for entry in shot.referee:
        seen = entry.ball or (next(iter(fallen)) if len(fallen) == 1 else None)
        if entry.kind != "ball_number" or seen is None or entry.number is None:
            continue
        true = next((ball for ball in balls if ball.number == entry.number), None)
        known = seen.is_unknown or (seen in balls and seen.number is not None)
        if true is None or true == seen or not known or names.keys() & {seen, true}:
            continue
        names |= {seen: true} if seen.is_unknown else {seen: true, true: seen}
    return names


def without_gone(shot: Shot, gone: frozenset[Ball]) -> Shot:
    """The shot with numbered balls that are no longer there as unknown ones: a ball was seen, its number was misread.

    But not the ball that was called: whoever called it sees it there.
    """
    told = dict.fromkeys(ball for event in shot.events for ball in balls_in(event))
    called = None if shot.call is None else shot.call.ball
    misread = [ball for ball in told if ball.number and ball in gone and ball != called]
    if not misread or not any(isinstance(event, Strike) for event in shot.events):
        return shot
    free = max((int(ball.name.partition("?")[2]) for ball in told if ball.is_unknown), default=0) + 1
    return renamed(shot, {ball: Ball(f"ball-?{number}") for number, ball in enumerate(misread, free)})


def renamed(shot: Shot, names: Names) -> Shot:
    """The shot with its balls called by their true names.

    A call of the ball that seemed to fall meant that ball, whatever its number; another call stays as it was said.
    """
    before = shot.before and renamed_places(shot.before, names)
    call = shot.call
    if call is not None and any(isinstance(event, Potted) and event.ball == call.ball for event in shot.events):
        call = replace(call, ball=names.get(call.ball, call.ball) if call.ball else None)
    return replace(shot, before=before, call=call, events=tuple(_renamed(event, names) for event in shot.events))


def renamed_places(places: Mapping[Ball, Point], names: Names) -> dict[Ball, Point]:
    """Places with their balls called by their true names."""
    return {names.get(ball, ball): at for ball, at in places.items()}


def renamed_layout(layout: Layout | None, names: Names) -> Layout | None:
    """The layout with its balls called by their true names."""
    if layout is None:
        return None
    return Layout(renamed_places(layout.places, names), frozenset(names.get(ball, ball) for ball in layout.lost))


def _renamed(event: TableEvent, names: Names) -> TableEvent:
    """One event with true names."""
    if isinstance(event, Rest):
        return replace(event, balls=renamed_places(event.balls, names))
    if isinstance(event, Contact):
        return replace(event, ball=names.get(event.ball, event.ball), other=names.get(event.other, event.other))
    return replace(event, ball=names.get(event.ball, event.ball))
