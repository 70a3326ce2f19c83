"""The door of a web server that leads its hall: the other servers bring their pages' connections to it.

Such a connection begins with a line that says whose it is, signed with the hall's secret; then it goes on as if that
browser had come itself. Others begin as HTTP does.
"""

import asyncio
import hmac
from typing import Any, Final, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from server.tokens import mark

_WORD: Final = b"CUEMARKER "
_LONGEST: Final = 300


def introduction(client: str, key: bytes) -> bytes:
    """The line that says that a connection is a client's of ours."""
    return _WORD + f"{client} {mark('peer', client, key=key).hex()}\r\n".encode()


def _introduced(line: bytes, key: bytes) -> str | None:
    """Whose connection it is; None when the line is none of ours."""
    client, _, seal = line.removeprefix(_WORD).decode("ascii", "replace").partition(" ")
    is_ours = hmac.compare_digest(seal.encode(), mark("peer", client, key=key).hex().encode())
    return client if is_ours else None


class PeerDoor(asyncio.Protocol):
    """Hears how a connection begins, and hands it to the web server's own protocol."""

    def __init__(self, *, key: bytes, **given: Any) -> None:  # noqa: ANN401 (what uvicorn gives its protocols)
        self._key, self._begin = key, b""
        self._inner = cast("Any", AutoHTTPProtocol)(**given)
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody has come; the web server knows of it from now on."""
        self._transport = cast("asyncio.Transport", transport)
        self._inner.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Hear the beginning."""
        assert self._transport is not None
        self._begin += data
        if self._begin[: len(_WORD)] != _WORD[: len(self._begin)]:
            self._hand_over(self._begin)
        elif b"\r\n" in self._begin:
            line, _, rest = self._begin.partition(b"\r\n")
            client = _introduced(line, self._key)
            if client is None:
                self._transport.abort()
                return
            self._inner.client = (client, 0)
            self._inner.transport = _Brought(self._transport, client)
            self._hand_over(rest)
        elif len(self._begin) > _LONGEST:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Gone before anything was said."""
        self._inner.connection_lost(exc)

    def _hand_over(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.set_protocol(self._inner)
        if data:
            self._inner.data_received(data)


class _Brought:
    """A transport that says whose connection it is, and not who brought it."""

    def __init__(self, transport: asyncio.Transport, client: str) -> None:
        self._transport, self._client = transport, client

    def get_extra_info(self, name: str, default: object = None) -> Any:  # noqa: ANN401 (as asyncio has it)
        """As the transport says, but for the other end."""
        if name == "peername":
            return (self._client, 0)
        return default if name == "socket" else self._transport.get_extra_info(name, default)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (as above)
        return getattr(self._transport, name)
