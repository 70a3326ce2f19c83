"""What webhooks are told: which of them, of which events, in which words (JSON, the contract's names)."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from scoring.commands import Entry, PlayShot, StartMatch
from scoring.match import MatchState
from scoring.setup import Phase
from server.config import TableConfig, WebhookConfig, WebhookEvent
from server.journal import Message
from server.records import moment
from server.rulings_json import question_to_json, ruling_to_json

Json = dict[str, Any]


def messages_of(
    webhooks: Sequence[WebhookConfig], table: TableConfig, before: MatchState, after: MatchState, entry: Entry
) -> list[Message]:
    """What each webhook is to be told of an entry that made a match of another."""
    listening = [webhook for webhook in webhooks if not webhook.tables or table.id in webhook.tables]
    if not listening:
        return []
    about = {
        "table": table.id,
        "table_name": table.name,
        "at": moment(entry.at_ns),
        "who": entry.who,
        "match": _match(after),
    }
    told = []
    for number, (event, more) in enumerate(_events(before, after, entry), start=1):
        name = f"{table.id}-{after.entries[0].at_ns}-{entry.seq}-{number}"  # the same however often it is sent
        body = json.dumps({"id": name, "event": event} | about | more, ensure_ascii=False)
        told += [
            Message(webhook=webhook.name, event=event, body=body)
            for webhook in listening
            if not webhook.events or event in webhook.events
        ]
    return told


def _events(before: MatchState, after: MatchState, entry: Entry) -> Iterator[tuple[WebhookEvent, Json]]:
    """What happened, in order, with what belongs to it."""
    if isinstance(entry.what, StartMatch):
        yield "match_started", {}
    told: WebhookEvent = "stroke" if isinstance(entry.what, PlayShot) else "correction"
    records = {record.number: record for record in after.records}
    for number in after.concerns:
        record = records.get(number)
        yield told, {"stroke": None if record is None else ruling_to_json(after, record), "number": number}
    if after.pending is not None and after.pending != before.pending:
        asking = after.asking
        yield "question", {"question": question_to_json(after.pending), "number": asking and asking.number}
    if _is_over(after) and not _is_over(before):
        yield "match_over", {}


def _match(state: MatchState) -> Json:
    """A match in short."""
    setup, standing = state.started.terms.setup, state.standing
    names = [side.name for side in setup.sides]
    winners = [names[side] for side in standing.winners]
    return {
        "game": setup.game,
        "players": names,
        "started": moment(state.entries[0].at_ns),
        "scores": dict(zip(names, standing.scores, strict=True)),
        "shooter": standing.shooter,
        "phase": standing.phase.value,
        "strokes": standing.strokes,
        "winner": winners[0] if len(winners) == 1 else winners or None,
    }


def _is_over(state: MatchState) -> bool:
    return state.play is not None and state.standing.phase is Phase.OVER
