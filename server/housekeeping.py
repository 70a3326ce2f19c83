"""What staff may look at and change beside the tables: the hall file, the log, the server itself."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from server.logs import LogTail


@dataclass(frozen=True, slots=True, kw_only=True)
class Housekeeping:
    """Each is None where there is none: a demo has no hall file, a test no log and nothing to start again."""

    hall_file: Path | None = None
    log_tail: LogTail | None = None
    restart: Callable[[], None] | None = None
