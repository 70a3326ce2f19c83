"""The live connection: the whole state on connect, then every change, and a heartbeat at least every 2 s."""

import asyncio
import contextlib
import logging

from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pydantic import BaseModel

from scoring.notation import event_to_json
from server.board import heartbeat_out, positions_out, ruling_out, state_out
from server.changes import Change, EventSeen, PlacesSeen, Ruled, StateChanged
from server.errors import CommandRefusedError
from server.hub import Hub
from server.hub_table import HubTable
from server.schemas import EventOut, RulingMessageOut
from server.security import is_own_host, is_own_origin, own_addresses
from server.text import Catalogue, catalogue, choose_language

HEARTBEAT_S = 1.0
_SEND_S = 5.0
_POLICY, _AGAIN_LATER = 1008, 1013
_log = logging.getLogger(__name__)


def add_live_socket(app: FastAPI, hub: Hub) -> None:
    """Add `WS /ws/tables/{table}`."""

    @app.websocket("/ws/tables/{table_id}")
    async def live(socket: WebSocket, table_id: str, lang: str | None = None) -> None:
        """Everything that happens on a table, as it happens."""
        allowed = own_addresses(hub.config.server)
        if not is_own_origin(socket.headers, allowed) or not is_own_host(socket.headers, allowed):
            await socket.close(_POLICY, "this page's address may not listen here")
            return
        try:
            table = hub.table(table_id)
        except CommandRefusedError:
            await socket.close(_POLICY, "there is no such table")
            return
        words = catalogue(choose_language(lang, hub.config.server.language, socket.headers.get("accept-language")))
        await socket.accept()
        telling = asyncio.ensure_future(_tell(socket, hub, table, words))
        try:
            while (await socket.receive())["type"] != "websocket.disconnect":
                pass  # nothing that a watcher says matters; this notices that he leaves
        except RuntimeError:
            pass  # he had left already, and was told so
        finally:
            telling.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, TimeoutError, RuntimeError):
                await telling


async def _tell(socket: WebSocket, hub: Hub, table: HubTable, words: Catalogue) -> None:
    """Tell one watcher everything until he leaves or does not listen."""
    with table.audience.joined() as changes:
        try:
            await _send(socket, state_out(hub, table, words))
            beat_s = hub.clock_s()
            while True:
                try:
                    change = await asyncio.wait_for(changes.get(), max(0.01, beat_s + HEARTBEAT_S - hub.clock_s()))
                    message = _message(change, hub, table, words)
                    if message is not None:
                        await _send(socket, message)
                except TimeoutError:
                    pass
                if hub.clock_s() - beat_s >= HEARTBEAT_S:
                    beat_s = hub.clock_s()
                    await _send(socket, heartbeat_out(hub, table, words))
        except TimeoutError:
            _log.warning("table %s: a watcher does not listen and is sent away", table.config.id)
            await socket.close(_AGAIN_LATER)


def _message(change: Change, hub: Hub, table: HubTable, words: Catalogue) -> BaseModel | None:
    """A change on the wire."""
    match change:
        case StateChanged():
            return state_out(hub, table, words)
        case EventSeen():
            return EventOut(
                event=event_to_json(change.event), provisional=change.is_provisional, corrects=change.corrects
            )
        case PlacesSeen():
            return positions_out(change.places)
        case Ruled():
            for record in table.match.records:
                if record.number == change.stroke and record.ruling is not None:
                    return RulingMessageOut(ruling=ruling_out(table.match, record, words))
            return None


async def _send(socket: WebSocket, message: BaseModel) -> None:
    await asyncio.wait_for(socket.send_text(message.model_dump_json()), _SEND_S)
