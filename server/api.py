"""The web application: pages, states, commands (contract, section 7). Routes know the hub and nothing behind it."""

import importlib.metadata
from collections.abc import Callable
from typing import Annotated, TypeAlias

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.staticfiles import StaticFiles

from scoring.commands import Command
from server import orders
from server.api_errors import answer_errors
from server.board import health_out, state_out, stroke_out
from server.hub import Hub
from server.live_socket import add_live_socket
from server.metrics import metrics_text
from server.pages import STATIC, display_page, docs_page
from server.schemas import (
    AnswerIn,
    CallIn,
    ConcedeIn,
    CorrectIn,
    HallHealthOut,
    RefereeIn,
    StartIn,
    StateOut,
    StrokeOut,
)
from server.security import SafeAnswers, SafeRequests
from server.text import Catalogue, catalogue, choose_language

Words: TypeAlias = Callable[..., Catalogue]
_SEVERITY = ("ok", "degraded", "failed")


def make_app(hub: Hub) -> FastAPI:
    """The web application of a hall."""
    app = FastAPI(
        title="Cuemarker",
        version=importlib.metadata.version("cuemarker"),
        docs_url=None,
        redoc_url=None,
        description="A hall's tables: states, commands, live changes.",
    )
    app.add_middleware(SafeRequests, allowed=hub.config.server.origins)
    app.add_middleware(SafeAnswers)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    def words(
        request: Request, lang: Annotated[str | None, Query(description="language: ru, en or fi")] = None
    ) -> Catalogue:
        """The language of a request."""
        return catalogue(choose_language(lang, hub.config.server.language, request.headers.get("accept-language")))

    answer_errors(app, words)
    _add_pages(app, hub, words)
    _add_reading(app, hub, words)
    _add_commands(app, hub, words)
    add_live_socket(app, hub)
    return app


def _add_pages(app: FastAPI, hub: Hub, words: Words) -> None:
    """What people open in a browser."""

    @app.get("/", include_in_schema=False)
    async def front() -> RedirectResponse:
        return RedirectResponse(f"/display/{next(iter(hub.tables))}")

    @app.get("/display/{table_id}", response_class=HTMLResponse, summary="The board across the room")
    async def display(table_id: str, spoken: Annotated[Catalogue, Depends(words)]) -> str:
        table = hub.table(table_id)
        return display_page(table_id, table.config.name, spoken)

    @app.get("/docs", include_in_schema=False, response_class=HTMLResponse)
    async def docs() -> str:
        return docs_page(app.openapi())


def _add_reading(app: FastAPI, hub: Hub, words: Words) -> None:
    """What changes nothing."""

    @app.get("/health", summary="200 when every table is fine, 503 with reasons otherwise")
    async def health(response: Response, spoken: Annotated[Catalogue, Depends(words)]) -> HallHealthOut:
        tables = {table_id: health_out(hub, table, spoken) for table_id, table in hub.tables.items()}
        status = max((one.state for one in tables.values()), key=_SEVERITY.index)
        if status != "ok":
            response.status_code = 503
        return HallHealthOut(
            status=status,
            journal=hub.journal_trouble or "ok",
            reasons=[
                f"{hub.tables[key].config.name}: {why}{f' ({one.detail})' if one.detail else ''}"
                for key, one in tables.items()
                for why in one.reasons
            ],
            tables=tables,
        )

    @app.get("/metrics", response_class=PlainTextResponse, summary="Numbers for Prometheus")
    async def metrics() -> str:
        return metrics_text(hub)

    @app.get("/api/tables", summary="All tables")
    async def tables(spoken: Annotated[Catalogue, Depends(words)]) -> list[StateOut]:
        return [state_out(hub, table, spoken) for table in hub.tables.values()]

    @app.get("/api/tables/{table_id}", summary="One table")
    async def table(table_id: str, spoken: Annotated[Catalogue, Depends(words)]) -> StateOut:
        return state_out(hub, hub.table(table_id), spoken)

    @app.get("/api/tables/{table_id}/strokes/{number}", summary="One stroke: what was seen, and what it was worth")
    async def stroke(table_id: str, number: int, spoken: Annotated[Catalogue, Depends(words)]) -> StrokeOut:
        return stroke_out(hub.table(table_id), number, spoken)


def _add_commands(app: FastAPI, hub: Hub, words: Words) -> None:
    """What people say; each returns the new state, stored."""
    spoken_words = Annotated[Catalogue, Depends(words)]

    def give(table_id: str, what: Command, spoken: Catalogue) -> StateOut:
        return state_out(hub, hub.give(table_id, what, "panel"), spoken)

    @app.post("/api/tables/{table_id}/match", summary="Start a match")
    async def match(table_id: str, spoken: spoken_words, order: StartIn) -> StateOut:
        return give(table_id, orders.start_match(hub.ready_table(table_id), order), spoken)

    @app.post("/api/tables/{table_id}/call", summary="Call the next stroke")
    async def call(table_id: str, spoken: spoken_words, order: CallIn) -> StateOut:
        return give(table_id, orders.announce(hub.ready_table(table_id), order), spoken)

    @app.post("/api/tables/{table_id}/answer", summary="Answer the pending question")
    async def answer(table_id: str, spoken: spoken_words, order: AnswerIn) -> StateOut:
        return give(table_id, orders.answer_question(hub.ready_table(table_id), order), spoken)

    @app.post("/api/tables/{table_id}/correct", summary="Say what really happened")
    async def correct(table_id: str, spoken: spoken_words, order: CorrectIn) -> StateOut:
        return give(table_id, orders.correct_stroke(hub.ready_table(table_id), order), spoken)

    @app.post("/api/tables/{table_id}/undo", summary="Take back the last entry")
    async def undo(table_id: str, spoken: spoken_words) -> StateOut:
        return give(table_id, orders.take_back(hub.ready_table(table_id)), spoken)

    @app.post("/api/tables/{table_id}/referee", summary="Say what only people can see")
    async def referee(table_id: str, spoken: spoken_words, order: RefereeIn) -> StateOut:
        return give(table_id, orders.add_referee_input(hub.ready_table(table_id), order), spoken)

    @app.post("/api/tables/{table_id}/concede", summary="Give up the match")
    async def concede(table_id: str, spoken: spoken_words, order: ConcedeIn) -> StateOut:
        return give(table_id, orders.concede(hub.ready_table(table_id), order), spoken)
