"""What people are told to do now: the line under the table, and the list beside it."""

from scoring.match import MatchState
from scoring.rulings import Respot
from scoring.setup import Phase
from server.hub import HubTable
from server.live import LiveTable
from server.phrases import call_sentence, respot_sentence
from server.text import Catalogue

_PUT_MM = 40.0  # a ball this near to where it belongs has been put there


def headline(table: HubTable, catalogue: Catalogue) -> str:
    """The one line under the table."""
    state = table.match
    if state.play is None:
        return catalogue.say("headline.no_match")
    standing = state.standing
    if standing.phase is Phase.OVER:
        return _outcome(state, catalogue)
    if state.pending is not None:
        return catalogue.say("headline.question")
    if state.call is not None:
        return f"{standing.shooter}. {call_sentence(state.call, catalogue)}"
    message = "moving" if table.live.is_moving else "lag" if standing.phase is Phase.LAG else "turn"
    return catalogue.say(f"headline.{message}", {"player": standing.shooter})


def _outcome(state: MatchState, catalogue: Catalogue) -> str:
    """Who has won."""
    winners = [state.started.terms.setup.sides[side].name for side in state.standing.winners]
    return (
        catalogue.say("headline.won", {"player": winners[0]}) if len(winners) == 1 else catalogue.say("headline.draw")
    )


def due(table: HubTable, catalogue: Catalogue) -> list[str]:
    """What people are to do before the next stroke."""
    state = table.match
    if not table.is_match_on or state.pending is not None or table.live.is_moving:
        return []
    play, standing = state.started, state.standing
    if standing.phase is Phase.LAG:
        return [catalogue.say("due.lag")]
    last = state.records[-1].ruling if state.records else None
    tasks = [
        words
        for respot in (last.respots if last else ())
        if not _is_put(respot, table.live) and (words := respot_sentence(respot, catalogue))
    ]
    if standing.cue_balls[play.terms.setup.side_of(standing.shooter)] in standing.in_hand:
        tasks.append(catalogue.say("due.from_house", {"player": standing.shooter}))
    if state.call is None and play.game.needs_call(play.terms, standing):
        tasks.append(catalogue.say("due.call", {"player": standing.shooter}))
    return tasks


def _is_put(respot: Respot, live: LiveTable) -> bool:
    """Whether the ball already lies where it belongs."""
    if respot.at is None or live.places is None:
        return False
    place = live.places.balls.get(respot.ball)
    return place is not None and place.distance_mm(respot.at) < _PUT_MM
