"""What people send, as commands of the rules; what is left out comes from the hall file or the match."""

from scoring.balls import Ball
from scoring.commands import (
    Announce,
    Answer,
    Command,
    CorrectShot,
    InsertShot,
    Observe,
    RemoveShot,
    Retracted,
    StartMatch,
)
from scoring.errors import ScoringError
from scoring.fields import ball
from scoring.match import MatchState, undo_target
from scoring.notation import call_from_json, referee_from_json, shot_from_json
from scoring.setup import Beginning, Handicap, Phase, Setup, Side
from scoring.shots import RefereeInput
from scoring.table import Table
from server.errors import CommandRefusedError, Refusal
from server.hub import HubTable
from server.schemas import AnswerIn, CallIn, ConcedeIn, CorrectIn, HandicapIn, RefereeIn, StartIn


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
    beginning = Beginning() if order.first is None else Beginning(phase=Phase.OPENING, shooter=order.first)
    return StartMatch(setup, beginning)


def announce(table: HubTable, order: CallIn) -> Command:
    """Call a stroke."""
    _need_match(table)
    return Announce(call_from_json(order.model_dump(exclude_none=True)))


def answer_question(table: HubTable, order: AnswerIn) -> Command:
    """Answer what is asked."""
    if table.match.pending is None:
        raise CommandRefusedError(Refusal.NO_QUESTION)
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


def add_referee_input(table: HubTable, order: RefereeIn) -> Command:
    """Say what only people can see."""
    _need_match(table)
    record = order.model_dump(exclude_none=True, exclude={"stroke"})
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
