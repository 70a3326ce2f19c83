"""The hall's matches: a list, and each as CSV, JSON or a game record; for staff, and for programs with a key."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Depends, FastAPI, Request, Response

from server.access import Access, Actor
from server.access_api import who_asks
from server.errors import CommandRefusedError, Refusal
from server.hub import Hub
from server.records import MatchSummary, csv_text, moment, record_json, record_text, strokes_csv
from server.schemas import MatchSummaryOut, SideSummaryOut
from server.text import Catalogue

Words: TypeAlias = Callable[..., Catalogue]
_KINDS = {"txt": "text/plain", "json": "application/json", "csv": "text/csv"}


def add_records(app: FastAPI, hub: Hub, access: Access, words: Words) -> None:
    """Add `GET /api/matches...`."""
    asks = who_asks(access)

    def reader(request: Request) -> Actor:
        """Staff, or a program that may command every table."""
        found = asks(request)
        if found.tables is not None:
            raise CommandRefusedError(Refusal.NOT_STAFF)
        return found

    allowed: Any = Depends(reader)

    @app.get("/api/matches", summary="All matches, the newest first", dependencies=[allowed])
    async def matches(spoken: Annotated[Catalogue, Depends(words)]) -> list[MatchSummaryOut]:
        found = [
            _summary_out(hub, table_id, number, summary, spoken)
            for table_id in hub.tables
            for number, summary in enumerate(hub.summaries(table_id), start=1)
        ]
        return sorted(found, key=lambda one: one.started or "", reverse=True)

    @app.get("/api/matches.csv", summary="All matches as CSV, a row per side", dependencies=[allowed])
    async def all_as_csv(spoken: Annotated[Catalogue, Depends(words)]) -> Response:
        rows: list[list[object]] = [
            [
                "table",
                "match",
                "started",
                "game",
                "side",
                "score",
                "won",
                "strokes",
                "highest series",
                "fouls",
                "points per stroke",
            ]
        ]
        for match in await matches(spoken):
            winners = match.winner if isinstance(match.winner, list) else [match.winner]
            about = (match.table, match.number, match.started or "", match.game)
            for side in match.sides:
                did = (side.strokes, side.highest_series, side.fouls, side.points_per_stroke)
                rows.append([*about, side.name, side.score, int(side.name in winners), *did])
        return _file("matches", "csv", csv_text(rows))

    @app.get("/api/matches/{table_id}/{number}.{kind}", summary="One match as txt, json or csv", dependencies=[allowed])
    async def one(table_id: str, number: int, kind: Literal["txt", "json", "csv"]) -> Response:
        state = hub.match(table_id, number)
        if kind == "txt":
            text = record_text(state.entries)
        else:
            text = record_json(state) if kind == "json" else strokes_csv(state)
        return _file(f"{table_id}-{number}", kind, text)


def _summary_out(hub: Hub, table_id: str, number: int, summary: MatchSummary, catalogue: Catalogue) -> MatchSummaryOut:
    winners = list(summary.winners)
    return MatchSummaryOut(
        table=table_id,
        table_name=hub.table(table_id).config.name,
        number=number,
        game=summary.game,
        game_name=catalogue.say(f"game.{summary.game}"),
        started=moment(summary.started_ns),
        is_over=summary.is_over,
        scores={side.name: side.score for side in summary.sides},
        winner=winners[0] if len(winners) == 1 else winners or None,
        strokes=summary.strokes,
        sides=[
            SideSummaryOut(
                name=side.name,
                score=side.score,
                strokes=side.strokes,
                highest_series=side.highest_series,
                fouls=side.fouls,
                points_per_stroke=side.points_per_stroke,
            )
            for side in summary.sides
        ],
    )


def _file(name: str, kind: str, text: str) -> Response:
    """A file to keep."""
    return Response(
        text, media_type=_KINDS[kind], headers={"Content-Disposition": f'attachment; filename="{name}.{kind}"'}
    )
