"""Takes secrets out of text before it is logged or handed out."""

import re
from typing import Final

HIDDEN: Final = "***"
_SECRETS: Final = (
    (
        re.compile(r"(\b[a-z][a-z0-9+.-]*://)[^/\s\"'<>]*@", re.IGNORECASE),
        rf"\1{HIDDEN}@",
    ),  # NAME:PASSWORD@ of an address
    (re.compile(r"(/join/[a-z0-9-]+/)[^\s/\"'?#]+"), rf"\1{HIDDEN}"),
    (re.compile(r"([?&](?:key|token|code|pin|password|secret)=)[^\s&\"'#]+", re.IGNORECASE), rf"\1{HIDDEN}"),
    (re.compile(r"(\b(?:Bearer|Basic) )[^\s\"',]+"), rf"\1{HIDDEN}"),
    (re.compile(r"\$argon2id\$[^\s\"']+"), HIDDEN),
    (re.compile(r"sha256:[0-9a-f]{64}"), HIDDEN),
)


def redacted(text: str) -> str:
    """The text without passwords in addresses, join codes, keys and hashes."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text
