"""How log lines look: for people or for machines, on standard error; none of them tells a secret."""

import datetime as dt
import json
import logging
from collections import deque
from typing import Final, Literal, TypeAlias

from server.redaction import redacted

LogFormat: TypeAlias = Literal["text", "json"]
KEPT_LINES: Final = 2000
_CONTROLS: Final = {code: f"\\x{code:02x}" for code in (*range(32), 127)}  # a name cannot begin a line of its own


class _TextLines(logging.Formatter):
    """Time, level, room, words; a traceback under it."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (logging's own name)
        """The line itself."""
        return super().formatMessage(record).translate(_CONTROLS)

    def format(self, record: logging.LogRecord) -> str:
        """All of it."""
        return redacted(super().format(record))


class _JsonLines(logging.Formatter):
    """An object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line = {
            "time": dt.datetime.fromtimestamp(record.created, dt.UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "room": record.name,
            "message": redacted(record.getMessage()),
        }
        if record.exc_info:
            line["trace"] = redacted(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


class LogTail(logging.Handler):
    """Keeps the last lines, for the diagnostic bundle."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)

    @property
    def text(self) -> str:
        """The lines, the newest last."""
        return "".join(f"{line}\n" for line in tuple(self._lines))

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self._lines.append(self.format(record))


def set_up_logs(*, verbose: bool = False, form: LogFormat = "text") -> LogTail:
    """Log to standard error; what was logged last can be had from the tail."""
    text = _TextLines("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S")
    stream, tail = logging.StreamHandler(), LogTail()
    stream.setFormatter(_JsonLines() if form == "json" else text)
    tail.setFormatter(text)
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    root.handlers = [stream, tail]
    for noisy in ("uvicorn", "websockets", "asyncio", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    return tail
