"""What people are told to do now: the line under the table, the list beside it, and the places of balls to be put."""

from scoring.rulings import Respot
from scoring.scoreboard import Due, Scoreboard, scoreboard_of
from scoring.setup import Phase
from server.arrangement import faults_now, is_unput
from server.hub_table import HubTable
from server.phrases import call_sentence, fault_sentence, respot_sentence
from server.text import Catalogue

_MOST_FAULTS = 3  # with more the balls are not set up at all
_PLAY = (Due.CALL, Due.STROKE)


def headline(table: HubTable, catalogue: Catalogue) -> str:
    """The one line under the table."""
    if table.match.play is None:
        offer = table.arrangement.offer
        if offer is None:
            return catalogue.say("headline.no_match")
        return catalogue.say("headline.offer", {"game": catalogue.say(f"game.{offer}")})
    board = scoreboard_of(table.match)
    if board.due is Due.NOTHING:
        return _outcome(board, catalogue)
    if board.due is not Due.ANSWER and board.call is not None:
        return f"{board.shooter}. {call_sentence(board.call, catalogue)}"
    message = {Due.ANSWER: "question", Due.LAG: "lag"}.get(board.due, "moving" if table.live.is_moving else "turn")
    return catalogue.say(f"headline.{message}", {"player": board.shooter})


def _outcome(board: Scoreboard, catalogue: Catalogue) -> str:
    """Who has won."""
    if board.is_draw:
        return catalogue.say("headline.draw")
    return catalogue.say("headline.won", {"player": board.winners[0]}) if board.winners else ""


def due(table: HubTable, catalogue: Catalogue) -> list[str]:
    """What people are to do before the next stroke."""
    if table.match.play is None or not table.live.is_settled:
        return []
    board = scoreboard_of(table.match)
    if board.due is Due.LAG:
        return [catalogue.say("due.lag")]
    if board.due not in _PLAY:
        return []
    tasks = [words for respot in _unput(table, board) if (words := respot_sentence(respot, catalogue))]
    tasks += _faults(table, board, catalogue)
    if board.from_hand:
        tasks.append(catalogue.say("due.from_house", {"player": board.shooter}))
    if board.due is Due.CALL:
        tasks.append(catalogue.say("due.call", {"player": board.shooter}))
    return tasks


def due_places(table: HubTable) -> list[Respot]:
    """The balls that are not yet where the last ruling wants them, as far as it names a place."""
    if table.match.play is None or not table.live.is_settled:
        return []
    board = scoreboard_of(table.match)
    return [respot for respot in _unput(table, board) if respot.at is not None] if board.due in _PLAY else []


def _unput(table: HubTable, board: Scoreboard) -> list[Respot]:
    """What the last ruling puts somewhere and nobody has put there; all of it when the table is not seen."""
    faults = faults_now(table.match, table.live)
    if faults is None:
        return list(board.put)
    wrong = {fault.ball for fault in faults if is_unput(fault)}
    return [respot for respot in board.put if respot.ball in wrong]


def _faults(table: HubTable, board: Scoreboard, catalogue: Catalogue) -> list[str]:
    """What else has been wrong on the table for a while."""
    put = {respot.ball for respot in board.put}
    faults = [fault for fault in table.arrangement.faults if not (fault.ball in put and is_unput(fault))]
    if board.phase is Phase.OPENING and len(faults) > _MOST_FAULTS:
        return [catalogue.say("due.set_up", {"game": catalogue.say(f"game.{board.game}")})]
    return [fault_sentence(fault, catalogue) for fault in faults[:_MOST_FAULTS]]
