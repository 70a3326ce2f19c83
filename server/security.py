"""What every answer carries and every request must not: headers, origins, sizes."""

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.config import ServerConfig

MAX_BODY = 64 * 1024
IMPORT_PATH = "/api/matches/import"
"""The one path that takes more, once it knows who asks; it counts for itself."""
MAX_IMPORT = 4 * 1024 * 1024
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; media-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def own_addresses(server: ServerConfig) -> tuple[str, ...]:
    """The web addresses that are ours, besides those that only this network knows."""
    return (*server.origins, server.public_url) if server.public_url else server.origins


def is_own_origin(headers: Headers, allowed: Iterable[str] = ()) -> bool:
    """Whether a request comes from our own pages, an allowed address, or a program (which sends no Origin)."""
    origin = headers.get("origin")
    return origin is None or origin in allowed or urlsplit(origin).netloc == headers.get("host")


def is_own_host(headers: Headers, allowed: Iterable[str] = ()) -> bool:
    """Whether a request asks for us by a name that only this network gives out, or by one that is allowed.

    A foreign page can make its own name lead to us (DNS rebinding), but not an address, a name without dots, or one
    that ends in a domain of local networks.
    """
    host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    if host in {urlsplit(address).hostname for address in allowed} or "." not in host:
        return True
    if host.endswith((".local", ".lan", ".home.arpa", ".internal", ".localhost")):
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class SafeAnswers:
    """Puts the security headers on every answer; static files and pages are always asked for anew."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-cache")
            await send(message)

        await self.app(scope, receive, send_safely)


class SafeRequests:
    """Refuses writing requests from foreign pages, and bodies that are too long, whatever length they claim."""

    def __init__(self, app: ASGIApp, allowed: Iterable[str] = ()) -> None:
        self.app = app
        self.allowed = tuple(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it in one sentence."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_foreign = headers.get("sec-fetch-site") == "cross-site" and headers.get("origin") not in self.allowed
        if is_foreign or not is_own_origin(headers, self.allowed) or not is_own_host(headers, self.allowed):
            await _refusal(403, "This page's address may not give commands here.")(scope, receive, send)
            return
        if scope["path"] == IMPORT_PATH:
            await self.app(scope, receive, send)
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > MAX_BODY:
                await _refusal(413, f"A request may be {MAX_BODY} bytes long at most.")(scope, receive, send)
                return
            if message["type"] != "http.request" or not message.get("more_body"):
                break
        told = False

        async def receive_again() -> Message:
            nonlocal told
            if told:
                return await receive()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, receive_again, send)


def _refusal(status: int, why: str) -> JSONResponse:
    return JSONResponse({"detail": why}, status_code=status, headers={"Connection": "close"})
