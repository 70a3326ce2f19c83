"""The web application: pages, states, commands (contract, section 7). Routes know the hub and nothing behind it."""

import importlib.metadata
from collections.abc import Callable
from typing import Annotated, TypeAlias
from urllib.parse import urlencode

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.staticfiles import StaticFiles

from server.access import Access
from server.access_api import add_access, add_codes
from server.api_errors import answer_errors
from server.board import diagram_of, health_out, state_out, stroke_out, strokes_out
from server.calibration_api import add_calibration
from server.command_api import add_commands
from server.evidence import Evidence
from server.evidence_api import add_evidence
from server.hall_api import add_hall
from server.housekeeping import Housekeeping
from server.hub import Hub
from server.live_socket import add_live_socket
from server.metrics import metrics_text
from server.pages import STATIC, Looks, choose_looks, display_page, docs_page, hall_page, panel_page, rules_page
from server.panel import games_out, log_out
from server.record_api import add_records
from server.schemas import GameOut, HallHealthOut, LogOut, RulingOut, StateOut, StrokeOut
from server.security import SafeAnswers, SafeRequests, own_addresses
from server.text import Catalogue, catalogue, choose_language

Words: TypeAlias = Callable[..., Catalogue]
_NOTHING = Housekeeping()
_SEVERITY = ("ok", "degraded", "failed")


def make_app(
    hub: Hub, access: Access | None = None, housekeeping: Housekeeping = _NOTHING, evidence: Evidence | None = None
) -> FastAPI:
    """The web application of a hall."""
    app = FastAPI(
        title="Cuemarker",
        version=importlib.metadata.version("cuemarker"),
        docs_url=None,
        redoc_url=None,
        description="A hall's tables: states, commands, live changes.",
    )
    app.add_middleware(SafeRequests, allowed=own_addresses(hub.config.server))
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
    _add_strokes(app, hub, words)
    access = access or Access(hub)
    add_access(app, hub, access)
    add_codes(app, hub, access)
    add_commands(app, hub, access, words)
    add_evidence(app, hub, access, evidence or Evidence(), words)
    add_records(app, hub, access, words)
    add_calibration(app, hub, access, words)
    add_hall(app, hub, access, housekeeping)
    add_live_socket(app, hub)
    return app


def _add_pages(app: FastAPI, hub: Hub, words: Words) -> None:
    """What people open in a browser."""

    def looks(
        theme: Annotated[str | None, Query(description="dark, light or contrast")] = None,
        overlay: Annotated[str | None, Query(description="1: transparent, to be laid over a video picture")] = None,
        calm: Annotated[str | None, Query(description="1: nothing moves but the balls")] = None,
    ) -> Looks:
        return choose_looks(hub.config.display, theme=theme, overlay=overlay, calm=calm)

    appearance = Annotated[Looks, Depends(looks)]

    @app.get("/", include_in_schema=False)
    async def front() -> RedirectResponse:
        return RedirectResponse(f"/display/{next(iter(hub.tables))}")

    @app.get("/display/{table_id}", response_class=HTMLResponse, summary="The board across the room")
    async def display(
        table_id: str,
        spoken: Annotated[Catalogue, Depends(words)],
        look: appearance,
        key: Annotated[str | None, Query()] = None,
    ) -> str:
        join = f"/display/{table_id}/join.svg" + (f"?{urlencode({'key': key})}" if key else "")
        return display_page(table_id, hub.table(table_id).config.name, spoken, look, join=join)

    @app.get("/table/{table_id}", response_class=HTMLResponse, summary="The players' panel")
    async def panel(table_id: str, spoken: Annotated[Catalogue, Depends(words)], look: appearance) -> str:
        return panel_page(table_id, hub.table(table_id).config.name, spoken, look)

    @app.get("/hall", response_class=HTMLResponse, summary="All tables at a glance (staff)")
    async def hall(spoken: Annotated[Catalogue, Depends(words)], look: appearance) -> str:
        return hall_page(spoken, look)

    @app.get("/rules", response_class=HTMLResponse, summary="The rule book; #KZ-8 is a rule's place")
    async def rules(spoken: Annotated[Catalogue, Depends(words)], look: appearance) -> str:
        return rules_page(spoken, look)

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


def _add_strokes(app: FastAPI, hub: Hub, words: Words) -> None:
    """The strokes of the match that is on, its journal, and the games."""

    @app.get("/api/tables/{table_id}/strokes/{number}", summary="One stroke: what was seen, and what it was worth")
    async def stroke(table_id: str, number: int, spoken: Annotated[Catalogue, Depends(words)]) -> StrokeOut:
        return stroke_out(hub.table(table_id), number, spoken)

    @app.get("/api/tables/{table_id}/strokes", summary="All strokes of the match that is on, the newest last")
    async def strokes(table_id: str, spoken: Annotated[Catalogue, Depends(words)]) -> list[RulingOut]:
        return strokes_out(hub.table(table_id), spoken)

    @app.get(
        "/api/tables/{table_id}/strokes/{number}/diagram.svg",
        summary="One stroke as a drawing",
        response_class=Response,
    )
    async def diagram(table_id: str, number: int, spoken: Annotated[Catalogue, Depends(words)]) -> Response:
        return Response(diagram_of(hub.table(table_id), number, spoken), media_type="image/svg+xml")

    @app.get("/api/tables/{table_id}/log", summary="The match's journal: who did what, when and why")
    async def log(table_id: str, spoken: Annotated[Catalogue, Depends(words)]) -> list[LogOut]:
        return log_out(hub.table(table_id).match, spoken)

    @app.get("/api/games", summary="The games, their options and the defaults of the book")
    async def games(spoken: Annotated[Catalogue, Depends(words)]) -> list[GameOut]:
        return games_out(spoken)
