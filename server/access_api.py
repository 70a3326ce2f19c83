"""Joining a table, logging in as staff, and the QR code that brings a phone to its table."""

import io
import socket
from collections.abc import Callable
from typing import Annotated, Any, TypeAlias
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import segno
from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi.responses import RedirectResponse

from server.access import Access, Actor
from server.errors import CommandRefusedError, Refusal
from server.hub import Hub
from server.order_schemas import JoinIn, PinIn
from server.schemas import CodeOut, SessionOut

COOKIE = "cuemarker"
_COOKIE_S = 30 * 24 * 3600
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
Who: TypeAlias = Callable[..., Actor]


def who_asks(access: Access) -> Who:
    """A dependency that says who asks."""

    def actor(request: Request) -> Actor:
        """Who asks, by his cookie or key."""
        return access.actor(request.cookies.get(COOKIE), request.headers.get("authorization"))

    return actor


def commander(access: Access, hub: Hub) -> Who:
    """A dependency that lets through only those who may command the table of the request."""
    asks = who_asks(access)

    def actor(request: Request, table_id: str) -> Actor:
        """Who commands."""
        hub.table(table_id)
        found = asks(request)
        if not found.may_command(table_id):
            raise CommandRefusedError(Refusal.NOT_ALLOWED)
        return found

    return actor


def staff_only(access: Access) -> Who:
    """A dependency that lets through only staff."""
    asks = who_asks(access)

    def actor(request: Request) -> Actor:
        """Who commands."""
        found = asks(request)
        if not found.is_staff:
            raise CommandRefusedError(Refusal.NOT_STAFF)
        return found

    return actor


def add_access(app: FastAPI, hub: Hub, access: Access) -> None:
    """Add the paths of joining and logging in."""
    asks: Any = Depends(who_asks(access))

    def session(actor: Actor) -> SessionOut:
        allowed = [table_id for table_id in hub.tables if actor.may_command(table_id)]
        return SessionOut(
            who=actor.who, is_staff=actor.is_staff, tables=allowed, is_open=access.is_open, has_pin=access.has_pin
        )

    def keep(request: Request, response: Response, cookie: str) -> None:
        """Give the browser its cookie."""
        response.set_cookie(
            COOKIE, cookie, max_age=_COOKIE_S, httponly=True, samesite="lax", secure=request.url.scheme == "https"
        )

    @app.get("/api/session", summary="Who asks, and what he may command")
    async def read_session(actor: Annotated[Actor, asks]) -> SessionOut:
        return session(actor)

    @app.post("/api/tables/{table_id}/join", summary="Play at a table, with its join code")
    async def join(request: Request, response: Response, table_id: str, order: JoinIn) -> SessionOut:
        cookie = access.join(table_id, order.code, request.cookies.get(COOKIE), client_of(request))
        keep(request, response, cookie)
        return session(access.actor(cookie))

    @app.get("/join/{table_id}/{code}", include_in_schema=False)
    async def join_by_link(request: Request, table_id: str, code: str) -> RedirectResponse:
        """What a QR code leads to; a code that is no longer valid leads to a panel that asks for the new one."""
        hub.table(table_id)
        answer = RedirectResponse(f"/table/{table_id}", status_code=303)
        try:
            keep(request, answer, access.join(table_id, code, request.cookies.get(COOKIE), client_of(request)))
        except CommandRefusedError as error:
            if error.refusal is Refusal.TOO_MANY_TRIES:
                raise
        return answer

    @app.post("/api/staff/login", summary="Log in as staff, with the PIN")
    async def login(request: Request, response: Response, order: PinIn) -> SessionOut:
        cookie = await access.log_in(order.pin, request.cookies.get(COOKIE), client_of(request))
        keep(request, response, cookie)
        return session(access.actor(cookie))

    @app.post("/api/staff/logout", summary="Log out")
    async def logout(request: Request, response: Response) -> SessionOut:
        cookie = access.log_out(request.cookies.get(COOKIE))
        keep(request, response, cookie)
        return session(access.actor(cookie))


def add_codes(app: FastAPI, hub: Hub, access: Access) -> None:
    """Add the paths that show join codes."""
    asks: Any = Depends(who_asks(access))
    staff: Any = Depends(staff_only(access))

    @app.get("/api/tables/{table_id}/code", summary="A table's join code (staff)")
    async def code(table_id: str, actor: Annotated[Actor, staff]) -> CodeOut:
        del actor
        hub.table(table_id)
        return CodeOut(
            code=access.code(table_id), display_key=access.display_key(table_id), is_needed=not access.is_open
        )

    @app.post("/api/tables/{table_id}/code", summary="Make a new join code; the old one ends (staff)")
    async def new_code(table_id: str, actor: Annotated[Actor, staff]) -> CodeOut:
        access.new_code(table_id)
        return await code(table_id, actor)

    @app.get("/display/{table_id}/join.svg", include_in_schema=False)
    async def qr(
        request: Request, table_id: str, actor: Annotated[Actor, asks], key: Annotated[str | None, Query()] = None
    ) -> Response:
        """The QR code of a table's panel; with the join code in it and under it where the page may show it."""
        hub.table(table_id)
        code = None
        if not access.is_open and access.shows_code(table_id, key, actor, client_of(request)):
            code = access.code(table_id)
        path = f"/table/{table_id}" if code is None else f"/join/{table_id}/{code}"
        drawing = qr_svg(address_for_phones(request, hub) + path, code)
        return Response(drawing, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})


def qr_svg(address: str, words: str | None) -> str:
    """An address as a QR code, with a word under it for those who type."""
    code = segno.make(address, error="m")
    drawn = io.BytesIO()
    code.save(drawn, kind="svg", xmldecl=False, scale=8, border=3, dark="#0b0f0e", light="#ffffff")
    if words is None:
        return drawn.getvalue().decode()
    width = code.symbol_size(scale=8, border=3)[0]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {width + 44}">{drawn.getvalue().decode()}'
        f'<path d="M0 {width - 1}h{width}v45h-{width}z" fill="#fff"/><text x="{width / 2:g}" y="{width + 24}" '
        'font-family="sans-serif" font-size="48" font-weight="700" letter-spacing="6" text-anchor="middle">'
        f"{escape(words)}</text></svg>"
    )


def client_of(request: Request) -> str:
    """The address that a request comes from."""
    return request.client.host if request.client is not None else ""


def address_for_phones(request: Request, hub: Hub) -> str:
    """The server's address as a phone in the hall's network can use it."""
    server = hub.config.server
    if server.public_url:
        return server.public_url
    asked = urlsplit(str(request.base_url))
    if asked.hostname not in _LOOPBACK or server.host in _LOOPBACK:
        return f"{asked.scheme}://{asked.netloc}"
    return f"{asked.scheme}://{_own_address()}:{asked.port or server.port}"


def _own_address() -> str:
    """This machine's address in the network that leads outwards; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
