"""What people send, as commands of the rules; what is left out comes from the hall file or the match."""

from scoring.balls import Ball
from scoring.commands import (
    Announce,
    Answer,
    Command,
    CorrectShot,
    InsertShot,
    Observe,
    PlayShot,
    RemoveShot,
    Restored,
    Retracted,
    StartMatch,
)
from scoring.errors import ScoringError
from scoring.fields import ball, pocket
from scoring.match import MatchState, redo_target, undo_target
from scoring.notation import call_from_json, referee_from_json, shot_from_json
from scoring.setup import Beginning, Handicap, Phase, Setup, Side
from scoring.shots import RefereeInput, Shot
from scoring.table import Table
from server.by_hand import HandPot, HandStroke, shot_of, spot_in
from server.errors import CommandRefusedError, Refusal
from server.hub_table import HubTable
from server.order_schemas import (
    AnswerIn,
    CallIn,
    ConcedeIn,
    CorrectIn,
    HandicapIn,
    HandStrokeIn,
    LagIn,
    RefereeIn,
    StartIn,
)


def start_match(table: HubTable, order: StartIn) -> Command:
    """Start a match on a table."""
    default = table.config.default
    players = order.players or list(default.players)
    sides = tuple(Side((player,) if isinstance(player, str) else tuple(player)) for player in players)
    names = [side.name for side in sides]
    unknown = sorted(set(order.handicap) - set(names))
    if unknown:
        message = f"handicap: nobody is called {', '.join(unknown)} (players: {', '.join(names)})"
        raise ScoringError(message)
    game = order.game or default.game
    setup = Setup(
        game=game,
        sides=sides,
        format=order.format,
        options=(default.options if game == default.game else {}) | order.options,
        table=table.live.table or Table(),
        handicaps=tuple(_handicap(order.handicap.get(name)) for name in names) if order.handicap else (),
    )
    if order.lag and order.first is not None:
        message = "match: give either first or lag"
        raise ScoringError(message)
    beginning = Beginning(phase=Phase.LAG if order.lag else None)
    if order.first is not None:
        beginning = Beginning(phase=Phase.OPENING, shooter=order.first)
    return StartMatch(setup, beginning)


def announce(table: HubTable, order: CallIn) -> Command:
    """Call a stroke."""
    _need_match(table)
    return Announce(call_from_json(order.model_dump(exclude_none=True, exclude={"why", "after"})))


def answer_question(table: HubTable, order: AnswerIn) -> Command:
    """Answer what is asked."""
    if table.match.pending is None:
        raise CommandRefusedError(Refusal.NO_QUESTION)
    asking = table.match.asking
    if order.stroke is not None and (asking is None or asking.number != order.stroke):
        raise CommandRefusedError(Refusal.TOO_LATE)
    return Answer(referee_from_json({"type": "answer", "to": order.to, "value": order.value}, "answer"))


def correct_stroke(table: HubTable, order: CorrectIn) -> Command:
    """Say what really happened."""
    _need_match(table)
    if order.remove:
        if order.stroke is None or order.shot is not None:
            message = "correct: to remove a stroke give its number and no shot"
            raise ScoringError(message)
        return RemoveShot(order.stroke)
    if order.shot is None:
        message = "correct: give the shot as it really was, or remove: true"
        raise ScoringError(message)
    shot = shot_from_json(order.shot)
    return InsertShot(shot, order.before) if order.stroke is None else CorrectShot(order.stroke, shot)


def take_back(table: HubTable) -> Command:
    """Undo the last entry that counts."""
    _need_match(table)
    try:
        return Retracted(undo_target(table.match))
    except ScoringError as error:
        raise CommandRefusedError(Refusal.NOTHING_TO_UNDO) from error


def bring_back(table: HubTable) -> Command:
    """Redo what was undone last."""
    _need_match(table)
    try:
        return Restored(redo_target(table.match))
    except ScoringError as error:
        raise CommandRefusedError(Refusal.NOTHING_TO_REDO) from error


def play_again(table: HubTable) -> Command:
    """A rematch: as agreed before; the lag decides who opens, or without one the side that did not open last."""
    log = _need_match(table).log
    started = log[0].entry.what
    assert isinstance(started, StartMatch)
    setup = started.setup
    if started.beginning.phase is Phase.LAG:
        return StartMatch(setup, Beginning(phase=Phase.LAG))
    opened = started.beginning.shooter or setup.sides[0].members[0]
    following = (setup.side_of(opened) + 1) % len(setup.sides)
    return StartMatch(setup, Beginning(phase=Phase.OPENING, shooter=setup.sides[following].members[0]))


def play_by_hand(table: HubTable, order: HandStrokeIn) -> Command:
    """A stroke as people saw it."""
    state = _need_match(table)
    if order.stroke is not None and order.before is not None:
        message = "a stroke by hand: give the stroke that it replaces, or the one that it comes before, not both"
        raise ScoringError(message)
    hand = HandStroke(
        hit=tuple(ball(name, "hit") for name in order.hit),
        potted=tuple(
            HandPot(ball=ball(pot.ball, "potted"), pocket=pocket(pot.pocket, "potted"), bank=pot.bank)
            for pot in order.potted
        ),
        cue_ball=order.cue_ball,
        called=order.called,
    )
    spot = spot_in(state, order.stroke, order.before)
    shot = shot_of(hand, spot.standing, spot.side)
    if order.stroke is not None:
        return CorrectShot(order.stroke, shot)
    return PlayShot(shot) if order.before is None else InsertShot(shot, order.before)


def win_lag(table: HubTable, order: LagIn) -> Command:
    """Say who has won the lag."""
    state = _need_match(table)
    if state.pending is not None:
        return Answer(RefereeInput(kind="answer", to="who_shoots", value=order.winner))
    if state.standing.phase is not Phase.LAG:
        raise CommandRefusedError(Refusal.NO_LAG)
    state.started.terms.setup.side_of(order.winner)
    return InsertShot(Shot(referee=(RefereeInput(kind="answer", to="who_shoots", value=order.winner),)))


def add_referee_input(table: HubTable, order: RefereeIn) -> Command:
    """Say what only people can see."""
    _need_match(table)
    record = order.model_dump(exclude_none=True, exclude={"stroke", "why", "after"})
    return Observe(referee_from_json(record), order.stroke)


def concede(table: HubTable, order: ConcedeIn) -> Command:
    """Give up."""
    _need_match(table).started.terms.setup.side_of(order.by)
    return Observe(RefereeInput(kind="concede", by=order.by))


def _need_match(table: HubTable) -> MatchState:
    if table.match.play is None:
        raise CommandRefusedError(Refusal.NO_MATCH)
    return table.match


def _handicap(given: HandicapIn | None) -> Handicap:
    if given is None:
        return Handicap()
    off: tuple[Ball, ...] = tuple(ball(name, "handicap: off_table") for name in given.off_table)
    return Handicap(
        credit=given.credit, off_table=off, not_taken_off=given.not_taken_off, points=given.points, caroms=given.caroms
    )
