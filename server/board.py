"""One table's state as it is shown: everything a person across the room may see, in a language."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from scoring.balls import Ball
from scoring.match import MatchState, Record
from scoring.notation import answer_to_json, call_to_json, shot_to_json
from scoring.rulings import Question, QuestionKind, Ruling
from scoring.scoreboard import Scoreboard, SideRow, scoreboard_of
from scoring.setup import Phase
from scoring.shots import AnswerValue
from scoring.table import Point, Table
from server.diagram import diagram_svg, paths_of
from server.errors import CommandRefusedError, Refusal
from server.hub import Hub
from server.hub_table import HubTable
from server.match_clock import left_s
from server.messages import Places
from server.panel import alternatives_out, controls_out, event_words
from server.phrases import answer_words, call_sentence, handicap_words, question_sentence, reason_sentence
from server.prompts import due, due_places, headline
from server.redaction import redacted
from server.schemas import (
    CallOut,
    ChoiceOut,
    ClockOut,
    DuePlaceOut,
    HealthOut,
    HeartbeatOut,
    MatchOut,
    OfferOut,
    PathOut,
    PlayerOut,
    PositionsOut,
    PutAsideOut,
    QuestionOut,
    ReasonOut,
    RulingOut,
    StateOut,
    StrokeOut,
    TableOut,
)
from server.text import Catalogue
from server.watchdog import RESTARTS

_SHOWN_RULINGS = 3


def state_out(hub: Hub, table: HubTable, catalogue: Catalogue) -> StateOut:
    """The whole state of a table."""
    now_s, live = hub.clock_s(), table.live
    return StateOut(
        version=table.version,
        language=catalogue.language,
        table=_table_out(table, catalogue),
        match=_match_out(table.match, catalogue),
        headline=headline(table, catalogue),
        pending=[
            _question_out(question, table.match.asking, catalogue) for question in (table.match.pending,) if question
        ],
        due=due(table, catalogue),
        due_places=_due_places_out(table),
        clock=_clock_out(hub, table),
        offer=_offer_out(table, catalogue),
        put_aside=_put_aside_out(table, catalogue),
        rulings=[ruling_out(table.match, record, catalogue) for record in table.match.records[-_SHOWN_RULINGS:]],
        controls=controls_out(table.match, catalogue),
        positions=None if live.places is None else positions_out(live.places),
        paths=[PathOut(ball=ball.name, points=[_pair(at) for at in path]) for ball, path in _paths(table).items()],
        is_moving=table.live.is_moving,
        health=health_out(hub, table, catalogue),
        is_fresh=live.is_fresh(now_s),
        age_s=_rounded(live.age_s(now_s)),
    )


def _paths(table: HubTable) -> Mapping[Ball, Sequence[Point]]:
    """Where the balls went in the last stroke: as it was seen, or by its events when nobody remembers that."""
    rolled = table.live.rolled()
    if rolled or table.live.is_moving or not table.match.records:
        return rolled
    thing = table.match.started.terms.setup.table
    shot = table.match.records[-1].shot
    return {ball: path for ball, path in paths_of(shot, thing).items() if len(path) > 1}


def _due_places_out(table: HubTable) -> list[DuePlaceOut]:
    seen = table.live.places.balls if table.live.places is not None else {}
    return [
        DuePlaceOut(ball=one.ball.name, at=_pair(one.at), lies=_pair(seen[one.ball]) if one.ball in seen else None)
        for one in due_places(table)
        if one.at is not None
    ]


def _clock_out(hub: Hub, table: HubTable) -> ClockOut | None:
    if table.match.play is None:
        return None
    played_s = hub.played_s(table)
    left = left_s(table.match, played_s)
    return ClockOut(elapsed_s=round(played_s, 1), left_s=_rounded(left), is_running=table.is_match_on)


def _offer_out(table: HubTable, catalogue: Catalogue) -> OfferOut | None:
    offer = table.arrangement.offer
    return None if offer is None else OfferOut(game=offer, game_name=catalogue.say(f"game.{offer}"))


def _put_aside_out(table: HubTable, catalogue: Catalogue) -> PutAsideOut | None:
    if not table.is_put_aside:
        return None
    summary = table.past[-1].summary
    scores = {side.name: side.score for side in summary.sides}
    return PutAsideOut(game_name=catalogue.say(f"game.{summary.game}"), scores=scores)


def heartbeat_out(hub: Hub, table: HubTable, catalogue: Catalogue) -> HeartbeatOut:
    """How a table is, when nothing else is to be said."""
    now_s = hub.clock_s()
    return HeartbeatOut(
        health=health_out(hub, table, catalogue),
        is_fresh=table.live.is_fresh(now_s),
        age_s=_rounded(table.live.age_s(now_s)),
    )


def positions_out(places: Places) -> PositionsOut:
    """Where the balls are."""
    return PositionsOut(t_s=round(places.t_s, 4), balls={ball.name: _pair(at) for ball, at in places.balls.items()})


def stroke_out(table: HubTable, number: int, catalogue: Catalogue) -> StrokeOut:
    """One stroke of the match.

    Raises:
        CommandRefusedError: There is no such stroke.
    """
    for record in table.match.records:
        if record.number == number:
            ruling = ruling_out(table.match, record, catalogue) if record.ruling else None
            return StrokeOut(
                number=number,
                shot=shot_to_json(record.shot),
                ruling=ruling,
                events=event_words(record.shot.events, catalogue),
                alternatives=alternatives_out(table, record, catalogue),
            )
    raise CommandRefusedError(Refusal.NO_STROKE)


def strokes_out(table: HubTable, catalogue: Catalogue) -> list[RulingOut]:
    """All strokes of the match that is on, with their rulings, the newest last."""
    return [ruling_out(table.match, record, catalogue) for record in table.match.records]


def diagram_of(table: HubTable, number: int, catalogue: Catalogue) -> str:
    """One stroke as a drawing.

    Raises:
        CommandRefusedError: There is no such stroke.
    """
    for record in table.match.records:
        if record.number == number:
            shot, layout = record.shot, record.before.layout
            if shot.before is None and layout is not None:
                shot = replace(shot, before=layout.places)
            return diagram_svg(shot, table.match.started.terms.setup.table, catalogue.say("panel.diagram"))
    raise CommandRefusedError(Refusal.NO_STROKE)


def health_out(hub: Hub, table: HubTable, catalogue: Catalogue) -> HealthOut:
    """How a table is: well, degraded, or failed, with every reason."""
    failed, degraded = [], []
    if hub.journal is None:
        failed.append(catalogue.say("health.journal_closed"))
    elif hub.journal_trouble is not None:
        failed.append(catalogue.say("health.journal", {"count": len(table.waiting)}))
    match table.live.trouble(hub.clock_s()):
        case None:
            pass
        case "failed":
            is_hopeless = table.live.failure or table.live.restarts_in_a_row > RESTARTS
            failed.append(catalogue.say("health.failed" if is_hopeless else "health.restarting"))
        case "no_picture" | "not_calibrated" | "camera_moved" as trouble:
            failed.append(catalogue.say(f"health.{trouble}"))
        case trouble:
            degraded.append(catalogue.say(f"health.{trouble}"))
    if table.is_stroke_lost:
        degraded.append(catalogue.say("health.stroke_lost"))
    if table.live.vitals is not None and table.live.vitals.clips:
        degraded.append(catalogue.say("health.no_clips"))
    reasons = failed + degraded
    return HealthOut(
        state="failed" if failed else "degraded" if degraded else "ok",
        text=reasons[0] if reasons else catalogue.say("health.ok"),
        reasons=reasons,
        detail=redacted(table.live.detail),
    )


def ruling_out(state: MatchState, record: Record, catalogue: Catalogue) -> RulingOut:
    """What a stroke was worth, and why."""
    setup, ruling = state.started.terms.setup, record.ruling or Ruling()
    shooter = ruling.by or record.before.shooter
    title = "title.stroke"
    if record.ruling is None or ruling.is_undecided:
        title = "title.undecided"
    elif record.before.phase is Phase.LAG:
        title = "title.lag"
    points = {side.name: ruling.points_of(index) for index, side in enumerate(setup.sides) if ruling.points_of(index)}
    return RulingOut(
        stroke=record.number,
        by=shooter,
        title=catalogue.say(title, {"player": shooter}),
        points=points,
        points_text=_points_text(points, setup.sides[setup.side_of(shooter)].name),
        foul=ruling.foul,
        rules=list(ruling.rules),
        reasons=[
            ReasonOut(text=reason_sentence(reason, catalogue), rule=reason.rule)
            for reason in (*ruling.reasons, *ruling.warnings)
        ],
    )


def _points_text(points: Mapping[str, int], shooting: str) -> str:
    """The shooter's points as `+6`; others' with their name."""
    own = [_signed(points[shooting])] if shooting in points else []
    return ", ".join(own + [f"{name} {_signed(change)}" for name, change in points.items() if name != shooting])


def _signed(points: int) -> str:
    return f"+{points}" if points > 0 else f"−{-points}"


def _match_out(state: MatchState, catalogue: Catalogue) -> MatchOut | None:
    if state.play is None:
        return None
    board = scoreboard_of(state)
    has_own_cue_balls = len({row.cue_ball for row in board.sides}) > 1
    return MatchOut(
        game=board.game,
        game_name=catalogue.say(f"game.{board.game}"),
        phase=board.phase,
        players=[
            PlayerOut(
                name=row.name,
                score=row.score,
                target=row.target,
                series=row.series or None,
                is_shooting=row.shooter is not None,
                shooter=row.shooter if len(row.members) > 1 else None,
                has_won=row.name in board.winners,
                cue_ball=row.cue_ball.name if row.cue_ball and has_own_cue_balls else None,
                handicap=handicap_words(state.started.terms.setup.handicap(index), catalogue),
                note=_note(row, board, catalogue),
            )
            for index, row in enumerate(board.sides)
        ],
        scores={row.name: row.score for row in board.sides},
        shooter=board.shooter,
        target={row.name: row.target for row in board.sides if row.target is not None},
        left=board.left,
        winner=None if not board.winners else board.winners[0] if len(board.winners) == 1 else list(board.winners),
        placings=list(board.placings),
        in_hand=[ball.name for ball in board.in_hand],
        call=_call_out(state, catalogue),
        strokes=state.standing.strokes,
    )


def _note(row: SideRow, board: Scoreboard, catalogue: Catalogue) -> str | None:
    """A word more on a side."""
    if row.name in board.winners:
        return catalogue.say("headline.draw" if board.is_draw else "note.won")
    if row.place is not None:
        return catalogue.say("note.place", {"place": row.place})
    if row.conceded:
        return catalogue.say("note.conceded")
    return catalogue.say("note.in_hand") if row.in_hand and row.cue_ball and board.shooter else None


def _call_out(state: MatchState, catalogue: Catalogue) -> CallOut | None:
    if state.call is None:
        return None
    return CallOut(**call_to_json(state.call), text=call_sentence(state.call, catalogue))


def _question_out(question: Question, asking: Record | None, catalogue: Catalogue) -> QuestionOut:
    asks_if_it_counts = question.kind is QuestionKind.LAYOUT and bool(question.choices)
    return QuestionOut(
        kind=question.kind,
        text=catalogue.say("ask.layout") if asks_if_it_counts else question_sentence(question, catalogue),
        choices=[
            ChoiceOut(
                value=answer_to_json(choice.value),
                text=_choice_words(question, choice.value, catalogue),
                probability=choice.probability,
            )
            for choice in question.choices
        ],
        stroke=None if asking is None else asking.number,
        is_open=question.open,
    )


def _choice_words(question: Question, value: AnswerValue, catalogue: Catalogue) -> str:
    """What a button says; yes and no say what they mean."""
    match question.kind, value:
        case QuestionKind.LAYOUT, bool():
            return catalogue.say("ask.layout.yes" if value else "ask.layout.no")
        case QuestionKind.CALL, False:
            return catalogue.say("ask.call.no")
        case _:
            return answer_words(value, catalogue)


def _table_out(table: HubTable, catalogue: Catalogue) -> TableOut:
    thing = table.live.table or (table.match.play.terms.setup.table if table.match.play else Table())
    marker = "marker.virtual" if table.config.is_virtual else "marker.replay" if table.config.is_replay else None
    return TableOut(
        id=table.config.id,
        name=table.config.name,
        length_mm=thing.length_mm,
        width_mm=thing.width_mm,
        ball_mm=thing.ball_mm,
        has_pockets=thing.pockets is not None,
        marker=marker and catalogue.say(marker),
    )


def _pair(place: Point) -> tuple[float, float]:
    return (round(place.x_mm, 1), round(place.y_mm, 1))


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
