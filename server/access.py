"""Who may give commands: players by their table's join code, staff by PIN, programs by key; all others only look."""

import asyncio
import hashlib
import hmac
import ipaddress
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from scoring.commands import StartMatch
from scoring.setup import Phase
from server.errors import CommandRefusedError, Refusal
from server.hub import Hub
from server.secrets_file import Round, SecretsFile
from server.throttle import Throttle
from server.tokens import Token, mark, read, sign

CODE_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters and digits that nobody takes for one another."""
CODE_LENGTH = 6
STAFF_S = 12 * 3600
TURN_AFTER_S = 15 * 60
"""So long after the end of a match its players may start another one; then the table has a new code."""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Somebody who asks for something: what the journal calls him, and what he may command (None: every table)."""

    who: str
    is_staff: bool = False
    tables: frozenset[str] | None = frozenset()

    def may_command(self, table_id: str) -> bool:
        """Whether he may change this table's score."""
        return self.is_staff or self.tables is None or table_id in self.tables


class Access:
    """Knows the secrets of a hall."""

    def __init__(
        self, hub: Hub, *, wall_s: Callable[[], float] = time.time, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._hub = hub
        self._config = hub.config.access
        self._wall_s = wall_s
        self._clock_s = clock_s
        self._file = SecretsFile.open(self._config.secret_file)
        if hub.config.server.peer:
            self._file.share(lambda: hub.journal)
        self._pins = Throttle(tries=5, span_s=300)
        self._all_pins = Throttle(tries=50, span_s=900)
        self._codes = Throttle(tries=10, span_s=300)
        self._all_codes = Throttle(tries=200, span_s=900)
        self._hashing = asyncio.Semaphore(1)  # hashing is dear on purpose; one at a time
        host = hub.config.server.host
        self.is_open = self._config.players == "open" or (self._config.players == "auto" and host in _LOOPBACK)

    @property
    def key(self) -> bytes:
        """The hall's secret."""
        return self._file.key

    @property
    def has_pin(self) -> bool:
        """Whether staff has a PIN."""
        return bool(self._config.staff_pin_hash)

    def actor(self, cookie: str | None, authorization: str | None = None) -> Actor:
        """Who asks."""
        key = self._key_of(authorization)
        if key is not None:
            return key
        token = read(cookie, self._file.key)
        name = "phone" if token is None else f"phone {token.device}"
        if (
            token is not None
            and token.staff_until_s > self._wall_s()
            and self.has_pin
            and token.pin == self._pin_mark()
        ):
            return Actor(who=f"staff {token.device}", is_staff=True, tables=None)
        if self.is_open:
            return Actor(who=name, is_staff=not self.has_pin, tables=None)
        known = token.tables if token is not None else {}
        return Actor(
            who=name,
            tables=frozenset(table for table in self._hub.tables if known.get(table) == self._round(table).number),
        )

    def code(self, table_id: str) -> str:
        """The join code that a table has now."""
        raw = int.from_bytes(mark("code", table_id, str(self._round(table_id).number), key=self._file.key))
        letters = ""
        for _ in range(CODE_LENGTH):
            raw, index = divmod(raw, len(CODE_LETTERS))
            letters += CODE_LETTERS[index]
        return letters

    def new_code(self, table_id: str) -> None:
        """Make the code of a table invalid: whoever joined with it must join anew."""
        self._hub.table(table_id)
        self._file.turn(table_id, 0)
        self._hub.table(table_id).changed()

    def join(self, table_id: str, code: str, cookie: str | None, client: str) -> str:
        """Let a browser play at a table; returns its new cookie.

        Raises:
            CommandRefusedError: There is no such table, the code is wrong, or too many were.
        """
        self._hub.table(table_id)
        now_s, who = self._clock_s(), _neighbourhood(client)
        if self._codes.is_shut(who, now_s) or self._all_codes.is_shut(table_id, now_s):
            raise CommandRefusedError(Refusal.TOO_MANY_TRIES)
        if not hmac.compare_digest(code.strip().upper().encode(), self.code(table_id).encode()):
            self._codes.failed(who, now_s)
            self._all_codes.failed(table_id, now_s)
            raise CommandRefusedError(Refusal.WRONG_CODE)
        token = self._token(cookie)
        return sign(replace(token, tables=token.tables | {table_id: self._round(table_id).number}), self._file.key)

    async def log_in(self, pin: str, cookie: str | None, client: str) -> str:
        """Let a browser be staff's; returns its new cookie.

        Raises:
            CommandRefusedError: There is no PIN, it is wrong, or too many were.
        """
        if not self.has_pin:
            raise CommandRefusedError(Refusal.NO_PIN)
        who = _neighbourhood(client)
        async with self._hashing:
            now_s = self._clock_s()
            if self._pins.is_shut(who, now_s) or self._all_pins.is_shut("all", now_s):
                raise CommandRefusedError(Refusal.TOO_MANY_TRIES)
            if not await asyncio.to_thread(_is_pin, self._config.staff_pin_hash, pin):
                self._pins.failed(who, now_s)
                self._all_pins.failed("all", now_s)
                raise CommandRefusedError(Refusal.WRONG_PIN)
        self._pins.succeeded(who)
        until_s = int(self._wall_s()) + STAFF_S
        return sign(replace(self._token(cookie), staff_until_s=until_s, pin=self._pin_mark()), self._file.key)

    def log_out(self, cookie: str | None) -> str:
        """A browser is no longer staff's; returns its new cookie."""
        return sign(replace(self._token(cookie), staff_until_s=0, pin=""), self._file.key)

    def display_key(self, table_id: str) -> str:
        """What a display's address must hold for its QR code to let people in."""
        return mark("display", table_id, key=self._file.key).hex()[:20]

    def shows_code(self, table_id: str, key: str | None, actor: Actor, client: str) -> bool:
        """Whether a page may show the join code: staff's, this machine's own screen, or a display that staff opened."""
        if actor.is_staff or client in _LOOPBACK:
            return True
        return key is not None and hmac.compare_digest(key.encode(), self.display_key(table_id).encode())

    def _token(self, cookie: str | None) -> Token:
        return read(cookie, self._file.key) or Token(device=secrets.token_hex(2))

    def _pin_mark(self) -> str:
        return mark("pin", self._config.staff_pin_hash, key=self._file.key).hex()[:16]

    def _key_of(self, authorization: str | None) -> Actor | None:
        """The program that a key belongs to."""
        if authorization is None or not authorization.startswith("Bearer "):
            return None
        given = f"sha256:{hashlib.sha256(authorization.removeprefix('Bearer ').encode()).hexdigest()}"
        for key in self._config.keys:
            if hmac.compare_digest(given, key.hash):
                return Actor(who=f"key {key.name}", tables=frozenset(key.tables) if key.tables else None)
        raise CommandRefusedError(Refusal.NOT_ALLOWED)

    def _round(self, table_id: str) -> Round:
        """The round of codes that is valid: a match that ended a while ago ends its players' rights."""
        now = self._file.rounds.get(table_id, Round())
        match = self._hub.table(table_id).match
        if match.play is None or match.standing.phase is not Phase.OVER:
            return now
        first = match.entries[0]
        assert isinstance(first.what, StartMatch)
        if first.at_ns is None or first.at_ns == now.ended_match_ns:
            return now
        if self._hub.clock_s() - self._hub.table(table_id).entry_s >= TURN_AFTER_S:
            self._file.turn(table_id, first.at_ns)
        return self._file.rounds.get(table_id, Round())


def _is_pin(kept: str, pin: str) -> bool:
    try:
        return PasswordHasher().verify(kept, pin)
    except (Argon2Error, InvalidHashError):
        return False


def _neighbourhood(client: str) -> str:
    """Who counts as one: an address, or a /64 of IPv6, whose addresses cost nothing."""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if address.version == 4:
        return client
    return str(ipaddress.ip_network((address, 64), strict=False))
