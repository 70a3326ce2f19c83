"""Sends what waits for a webhook: in order, signed, again and again until it is taken or too old.

Only the hall file says where things are sent; redirects are not followed, and nothing of an answer is kept.
"""

import asyncio
import datetime as dt
import hashlib
import hmac
import http.client
import logging
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from server.config import WebhookConfig
from server.errors import JournalError
from server.hub import Hub
from server.journal import WaitingMessage

LOOK_S: Final = 0.5
FIRST_PAUSE_S: Final = 1.0
LONGEST_PAUSE_S: Final = 900.0
GIVE_UP_AFTER: Final = dt.timedelta(days=3)
_TIMEOUT_S = 5.0
_log = logging.getLogger(__name__)


def signature(secret: str, at_s: int, body: str) -> str:
    """What a receiver compares: HMAC-SHA256 over the time of sending, a dot, and the body."""
    mac = hmac.new(secret.encode(), f"{at_s}.{body}".encode(), hashlib.sha256).hexdigest()
    return f"t={at_s},v1={mac}"


@dataclass(slots=True, kw_only=True)
class WebhookSender:
    """Sends one webhook its messages."""

    config: WebhookConfig
    hub: Hub
    wall_s: Callable[[], float] = time.time
    pause_s: float = 0.0  # before the next try, after a failure

    async def run(self) -> None:
        """Send for ever."""
        while True:
            try:
                was_sent = await self.send_next()
            except JournalError as error:
                _log.warning("webhook %s: %s", self.config.name, error)
                was_sent = False
            if not was_sent:
                await asyncio.sleep(max(LOOK_S, self.pause_s))

    async def send_next(self) -> bool:
        """Send the message that has waited longest; false when there is none or it was not taken.

        Raises:
            JournalError: The outbox cannot be read or written.
        """
        journal = self.hub.journal
        waiting = None if journal is None else journal.next_message(self.config.name)
        if journal is None or waiting is None:
            self.pause_s = 0.0
            return False
        failure = await asyncio.to_thread(self._post, waiting)
        if failure is None:
            if self.pause_s:
                _log.info("webhook %s takes messages again", self.config.name)
            self.pause_s = 0.0
        elif self._is_too_old(waiting):
            _log.error("webhook %s: a message of %s is given up: %s", self.config.name, waiting.written_at, failure)
        else:
            if not self.pause_s:
                _log.warning("webhook %s: %s; it is tried again", self.config.name, failure)
            self.pause_s = min(LONGEST_PAUSE_S, self.pause_s * 2 or FIRST_PAUSE_S)
            return False
        if self.hub.journal is journal:  # else it was closed meanwhile: the message is sent once more later
            journal.forget_message(waiting.number)
        return True

    def _post(self, waiting: WaitingMessage) -> str | None:
        """Send one message; returns why it was not taken."""
        address, at_s = urlsplit(self.config.url), int(self.wall_s())
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": "cuemarker",
            "Cuemarker-Event": waiting.message.event,
            "Cuemarker-Signature": signature(self.config.secret, at_s, waiting.message.body),
        }
        path = (address.path or "/") + (f"?{address.query}" if address.query else "")
        try:
            host, port = address.hostname or "", address.port
            connection = (
                http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_S, context=ssl.create_default_context())
                if address.scheme == "https"
                else http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
            )
            try:
                connection.request("POST", path, waiting.message.body.encode(), headers)
                status = connection.getresponse().status
            finally:
                connection.close()
        except (OSError, http.client.HTTPException, ValueError) as error:
            return f"no answer ({type(error).__name__}: {error})"
        return None if 200 <= status < 300 else f"the answer was {status}"

    def _is_too_old(self, waiting: WaitingMessage) -> bool:
        now = dt.datetime.fromtimestamp(self.wall_s(), dt.UTC)
        return now - dt.datetime.fromisoformat(waiting.written_at) > GIVE_UP_AFTER
