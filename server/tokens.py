"""What a browser carries to show who it is: signed, so that nobody can write his own."""

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass, field

_LONGEST = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """`device` names the browser in the journal; `tables` are the rounds of join codes that it knows, by table.

    `staff_until_s` (Unix time) is 0 for those who gave no PIN; `pin` is the mark of the PIN that was given.
    """

    device: str
    tables: dict[str, int] = field(default_factory=dict)
    staff_until_s: int = 0
    pin: str = ""


def sign(token: Token, key: bytes) -> str:
    """The token as a cookie's value."""
    body = json.dumps([token.device, token.tables, token.staff_until_s, token.pin], separators=(",", ":")).encode()
    return f"{_text(body)}.{_text(_mac(body, key))}"


def read(cookie: str | None, key: bytes) -> Token | None:
    """The token of a cookie's value; None when it is none of ours."""
    if cookie is None or len(cookie) > _LONGEST or cookie.count(".") != 1:
        return None
    try:
        body, mac = (base64.urlsafe_b64decode(part + "==") for part in cookie.split("."))
        if not hmac.compare_digest(mac, _mac(body, key)):
            return None
        device, tables, staff_until_s, pin = json.loads(body)
    except (binascii.Error, ValueError, TypeError):
        return None
    return Token(device=device, tables=tables, staff_until_s=staff_until_s, pin=pin)


def mark(*parts: str, key: bytes) -> bytes:
    """A value that only the holder of the key can make."""
    return _mac("\0".join(parts).encode(), key)


def _mac(body: bytes, key: bytes) -> bytes:
    return hmac.new(key, body, hashlib.sha256).digest()


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
