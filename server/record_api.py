"""The hall's matches and players: lists, files to keep, and matches brought from elsewhere; staff's, and programs'."""

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response

from scoring.match import MatchState
from server.access import Access, Actor
from server.access_api import who_asks
from server.archive import IMPORTED, Archive, Listed
from server.config import Game
from server.errors import CommandRefusedError, RecordError, Refusal
from server.hub import Hub
from server.record_reading import read_match
from server.records import csv_text, moment, record_json, record_text, strokes_csv
from server.schemas import ImportedOut, MatchSummaryOut, PlayerOfHallOut, SideSummaryOut
from server.security import IMPORT_PATH, MAX_IMPORT
from server.statistics import statistics_of
from server.text import Catalogue

Words: TypeAlias = Callable[..., Catalogue]
_KINDS = {"txt": "text/plain", "json": "application/json", "csv": "text/csv"}
_MATCH_HEADS = "table,match,started,game,side,score,won,strokes,highest series,fouls,points per stroke,carom rate"
_PLAYER_HEADS = "player,matches,won,strokes,points,points per stroke,highest series,fouls,carom rate"


def add_records(app: FastAPI, hub: Hub, access: Access, words: Words) -> None:
    """Add `/api/matches...` and `/api/players...`."""
    asks, archive = who_asks(access), Archive(hub)

    def reader(request: Request) -> Actor:
        """Staff, or a program that may command every table."""
        found = asks(request)
        if found.tables is not None:
            raise CommandRefusedError(Refusal.NOT_STAFF)
        return found

    allowed: Any = Depends(reader)
    _add_lists(app, archive, allowed, words)
    _add_players(app, archive, allowed)
    _add_import(app, archive, allowed, words)

    @app.get("/api/matches/{table_id}/{number}.{kind}", summary="One match as txt, json or csv", dependencies=[allowed])
    async def one(table_id: str, number: int, kind: Literal["txt", "json", "csv"]) -> Response:
        state = archive.match(table_id, number)
        if kind == "txt":
            text = record_text(state.entries)
        else:
            text = record_json(state) if kind == "json" else strokes_csv(state)
        return _file(f"{table_id.strip('_')}-{number}", kind, text)


def _add_lists(app: FastAPI, archive: Archive, allowed: Any, words: Words) -> None:  # noqa: ANN401 (FastAPI's own)
    @app.get("/api/matches", summary="All matches, the newest first", dependencies=[allowed])
    async def matches(spoken: Annotated[Catalogue, Depends(words)]) -> list[MatchSummaryOut]:
        found = [_summary_out(archive.hub, listed, spoken) for listed in archive.matches()]
        return sorted(found, key=lambda one: one.started or "", reverse=True)

    @app.get("/api/matches.csv", summary="All matches as CSV, a row per side", dependencies=[allowed])
    async def all_as_csv(spoken: Annotated[Catalogue, Depends(words)]) -> Response:
        rows: list[list[object]] = [[*_MATCH_HEADS.split(",")]]
        for match in await matches(spoken):
            winners = match.winner if isinstance(match.winner, list) else [match.winner]
            about = (match.table, match.number, match.started or "", match.game)
            for side in match.sides:
                did = (side.strokes, side.highest_series, side.fouls, side.points_per_stroke, side.carom_rate)
                rows.append([*about, side.name, side.score, int(side.name in winners), *did])
        return _file("matches", "csv", csv_text(rows))


def _add_players(app: FastAPI, archive: Archive, allowed: Any) -> None:  # noqa: ANN401 (as above)
    @app.get("/api/players", summary="What everybody did in the matches that are over", dependencies=[allowed])
    async def players(
        game: Annotated[Game | None, Query(description="one game; left out, all")] = None,
    ) -> list[PlayerOfHallOut]:
        return [
            PlayerOfHallOut(
                name=one.name,
                matches=one.matches,
                won=one.won,
                strokes=one.tally.strokes,
                points=one.tally.points,
                points_per_stroke=one.tally.points_per_stroke,
                highest_series=one.tally.highest_series,
                fouls=one.tally.fouls,
                carom_rate=one.tally.carom_rate,
            )
            for one in statistics_of(archive.parts(game))
        ]

    @app.get("/api/players.csv", summary="The same as CSV", dependencies=[allowed])
    async def players_as_csv(game: Annotated[Game | None, Query()] = None) -> Response:
        rows = [list(one.model_dump().values()) for one in await players(game)]
        return _file("players", "csv", csv_text([_PLAYER_HEADS.split(","), *rows]))


def _add_import(app: FastAPI, archive: Archive, allowed: Any, words: Words) -> None:  # noqa: ANN401 (as above)
    @app.post(
        IMPORT_PATH,
        summary="Take in a match that was exported as txt, json or csv; one that is here already is not taken twice",
        openapi_extra={"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}, "required": True}},
    )
    async def take_in(
        request: Request, actor: Annotated[Actor, allowed], spoken: Annotated[Catalogue, Depends(words)]
    ) -> ImportedOut:
        content = bytearray()
        async for chunk in request.stream():
            content += chunk
            if len(content) > MAX_IMPORT:
                raise HTTPException(413, f"A match may be {MAX_IMPORT} bytes long at most.")
        match = await asyncio.to_thread(_read, bytes(content))
        known = archive.find(match)
        listed = known or archive.add(match, actor.who)
        return ImportedOut(is_new=known is None, match=_summary_out(archive.hub, listed, spoken))


def _read(content: bytes) -> MatchState:
    try:
        return read_match(content.decode())
    except UnicodeDecodeError as error:
        message = "this is no match that the hall exported: it is no text"
        raise RecordError(message) from error


def _summary_out(hub: Hub, listed: Listed, catalogue: Catalogue) -> MatchSummaryOut:
    summary = listed.summary
    winners = list(summary.winners)
    is_import = listed.table_id == IMPORTED
    return MatchSummaryOut(
        table=listed.table_id,
        table_name=catalogue.say("hall.imported") if is_import else hub.table(listed.table_id).config.name,
        number=listed.number,
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
                strokes=side.tally.strokes,
                highest_series=side.tally.highest_series,
                fouls=side.tally.fouls,
                points_per_stroke=side.tally.points_per_stroke,
                carom_rate=side.tally.carom_rate,
            )
            for side in summary.sides
        ],
    )


def _file(name: str, kind: str, text: str) -> Response:
    """A file to keep."""
    return Response(
        text, media_type=_KINDS[kind], headers={"Content-Disposition": f'attachment; filename="{name}.{kind}"'}
    )
