"""What people are told to do now: the line under the table, and the list beside it."""

from scoring.rulings import Respot
from scoring.scoreboard import Due, Scoreboard, scoreboard_of
from server.hub_table import HubTable
from server.live import LiveTable
from server.phrases import call_sentence, respot_sentence
from server.text import Catalogue

_PUT_MM = 40.0  # a ball this near to where it belongs has been put there


def headline(table: HubTable, catalogue: Catalogue) -> str:
    """The one line under the table."""
    if table.match.play is None:
        return catalogue.say("headline.no_match")
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
    if table.match.play is None or table.live.is_moving:
        return []
    board = scoreboard_of(table.match)
    if board.due is Due.LAG:
        return [catalogue.say("due.lag")]
    if board.due not in (Due.CALL, Due.STROKE):
        return []
    tasks = [
        words
        for respot in board.put
        if not _is_put(respot, table.live) and (words := respot_sentence(respot, catalogue))
    ]
    if board.from_hand:
        tasks.append(catalogue.say("due.from_house", {"player": board.shooter}))
    if board.due is Due.CALL:
        tasks.append(catalogue.say("due.call", {"player": board.shooter}))
    return tasks


def _is_put(respot: Respot, live: LiveTable) -> bool:
    """Whether the ball already lies where it belongs."""
    if respot.at is None or live.places is None:
        return False
    place = live.places.balls.get(respot.ball)
    return place is not None and place.distance_mm(respot.at) < _PUT_MM
