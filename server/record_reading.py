"""A match out of any of the files that the hall exports: a game record, JSON, or CSV."""

import csv
import io
import json
from typing import Final

from scoring.errors import CuemarkerError
from scoring.match import MatchState
from server.errors import RecordError
from server.records import (
    ENTRIES,
    FIRST_LINE,
    match_from_lines,
    match_from_record,
    record_json,
    record_text,
    strokes_csv,
    summary_of,
)

_LONGEST_NAME: Final = 80


def read_match(text: str) -> MatchState:
    """Play an exported match again, and make sure that all that can be asked of it can be answered.

    Raises:
        RecordError: It is none, or says something impossible; one line that names the place.
    """
    try:
        state = _played(text.removeprefix("\ufeff"))
        _check_names(state)
        summary_of(state)
        record_text(state.entries)
        record_json(state).encode()
        strokes_csv(state)
    except CuemarkerError as error:
        message = " ".join(str(error).split())[:300].encode(errors="backslashreplace").decode()
        raise RecordError(message) from error
    except Exception as error:
        message = f"this is no match that can be played again ({type(error).__name__})"
        raise RecordError(message) from error
    return state


def _played(text: str) -> MatchState:
    if text.lstrip().startswith("{"):
        return _from_json(text)
    return match_from_record(text) if text.startswith(FIRST_LINE) else _from_csv(text)


def _from_json(text: str) -> MatchState:
    try:
        found = json.loads(text)
        entries = [json.dumps(entry) for entry in found[ENTRIES]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        message = f"this JSON holds no match: {error}"
        raise RecordError(message) from error
    return match_from_lines({f"entry {number}": entry for number, entry in enumerate(entries, start=1)})


def _from_csv(text: str) -> MatchState:
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error as error:
        message = f"this is no match that the hall exported: {error}"
        raise RecordError(message) from error
    if not rows or ENTRIES not in rows[0]:
        message = f"this is no match that the hall exported: neither {FIRST_LINE!r}, nor JSON, nor CSV with {ENTRIES!r}"
        raise RecordError(message)
    found = {}
    for number, row in enumerate(rows, start=2):
        for index, line in enumerate((row[ENTRIES] or "").splitlines(), start=1):
            found[f"row {number}, entry {index},"] = line
    return match_from_lines(found)


def _check_names(state: MatchState) -> None:
    """Names are short words, whoever wrote them."""
    for side in state.started.terms.setup.sides:
        for name in side.members:
            if str(name) != name or not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
                message = f"a player is called {str(name)[:20]!r}, which is no name"
                raise RecordError(message)
