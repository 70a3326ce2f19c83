"""Matches as they are kept: what each was worth, and a plain-text game record from which it can be played again."""

import csv
import datetime as dt
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.commands import Entry, StartMatch
from scoring.match import MatchState, apply, fold
from scoring.setup import Phase
from server.entry_records import entry_from_text, entry_to_text
from server.errors import RecordError
from server.rulings_json import ruling_to_json
from server.statistics import PlayerTally, tallies_of
from server.stroke_lines import stroke_line

FIRST_LINE = "Cuemarker game record 1"
ENTRIES = "entries"
_LONGEST_RECORD = 20_000
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SideSummary:
    """One side of a match: its score, and what each of its members did."""

    name: str
    score: int
    members: Mapping[str, PlayerTally]

    @property
    def tally(self) -> PlayerTally:
        """What all of them did; points are those that the side's own strokes brought."""
        return sum(self.members.values(), PlayerTally())


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSummary:
    """One match; `started_ns` is the wall clock, None where nobody noted it."""

    game: str
    sides: tuple[SideSummary, ...]
    winners: tuple[str, ...]
    strokes: int
    started_ns: int | None
    is_over: bool


def summary_of(state: MatchState) -> MatchSummary:
    """What a match came to."""
    setup, standing, tallies = state.started.terms.setup, state.standing, tallies_of(state)
    return MatchSummary(
        game=setup.game,
        sides=tuple(
            SideSummary(
                name=side.name,
                score=standing.scores[index],
                members={member: tallies[member] for member in side.members},
            )
            for index, side in enumerate(setup.sides)
        ),
        winners=tuple(setup.sides[side].name for side in standing.winners),
        strokes=standing.strokes,
        started_ns=state.entries[0].at_ns,
        is_over=standing.phase is Phase.OVER,
    )


def record_text(entries: Iterable[Entry]) -> str:
    """A game record: every entry as a line of JSON, and after it, as a comment, what the strokes came to."""
    lines, state = [FIRST_LINE], MatchState()
    for entry in entries:
        state = apply(state, entry)
        lines.append(entry_to_text(entry))
        if isinstance(entry.what, StartMatch):
            names = ", ".join(side.name for side in entry.what.setup.sides)
            lines.append(f"# {entry.what.setup.game}: {names}")
        lines += [f"# {stroke_line(state, stroke)}" for stroke in state.concerns]
    return "\n".join(lines) + "\n"


def match_from_record(text: str) -> MatchState:
    """Play a game record again.

    Raises:
        RecordError: It is none, or a line cannot be read; the message names the line.
        ScoringError: An entry cannot be.
    """
    lines = text.splitlines()
    if not lines or lines[0].strip() != FIRST_LINE or len(lines) > _LONGEST_RECORD:
        message = f"this is no game record: its first line must be {FIRST_LINE!r}"
        raise RecordError(message)
    return match_from_lines(
        {f"line {number}": line for number, line in enumerate(lines[1:], start=2) if not line.startswith("#")}
    )


def match_from_lines(lines: Mapping[str, str]) -> MatchState:
    """Play a match again from its entries, a line of JSON each, by the place where each was found.

    Raises:
        RecordError: A line cannot be read, or there is none; the message names its place.
        ScoringError: An entry cannot be.
    """
    entries = []
    for place, line in lines.items():
        if not line.strip():
            continue
        try:
            entries.append(entry_from_text(line))
        except Exception as error:
            message = f"{place} of the game record cannot be read: {error}"
            raise RecordError(message) from error
    if not entries:
        message = "this game record has no entries: there is nothing to play again"
        raise RecordError(message)
    return fold(entries)


def record_json(state: MatchState) -> str:
    """A match with all its rulings and entries."""
    record: Json = {
        "game": state.started.game.name,
        "sides": [side.name for side in state.started.terms.setup.sides],
        "started": moment(state.entries[0].at_ns),
        "strokes": [ruling_to_json(state, record) for record in state.records],
        "entries": [json.loads(entry_to_text(entry)) for entry in state.entries],
    }
    return json.dumps(record, ensure_ascii=False, indent=1)


def strokes_csv(state: MatchState) -> str:
    """A match's strokes, a row each; the last column holds the match's entries up to that stroke, a line each."""
    names = [side.name for side in state.started.terms.setup.sides]
    rows: list[Sequence[object]] = [["stroke", "by", "foul", "rules", *(f"score {name}" for name in names), ENTRIES]]
    lines, told = [entry_to_text(entry) for entry in state.entries], 0
    for record in state.records:
        ruling, first = record.ruling, told
        told = max(told, _entry_of(state, record.number))
        rows.append(
            [
                record.number,
                (ruling and ruling.by) or record.before.shooter,
                (ruling and ruling.foul) or "",
                " ".join(ruling.rules) if ruling else "",
                *record.after.scores,
                "\n".join(lines[first:told]),
            ]
        )
    if lines[told:]:
        rows.append(["", "", "", "", *("" for _ in names), "\n".join(lines[told:])])
    return csv_text(rows)


def _entry_of(state: MatchState, stroke: int) -> int:
    """The number of the entry with which a stroke came into the match."""
    return next(
        logged.entry.seq
        for logged in state.log
        if any(getattr(operation, "number", None) == stroke for operation in logged.operations)
    )


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV; a name that a spreadsheet would take for a formula is quoted."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\r\n").writerows([[_plain(cell) for cell in row] for row in rows])
    return written.getvalue()


def moment(at_ns: int | None) -> str | None:
    """A moment as ISO 8601, UTC."""
    return None if at_ns is None else dt.datetime.fromtimestamp(at_ns / 1e9, dt.UTC).isoformat("T", "seconds")


def _plain(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip().startswith(("=", "+", "-", "@", "\t")) else cell
