"""The evidence of a stroke over HTTP: its clip, with a range of bytes where that is asked for, and a second look."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query
from fastapi.responses import FileResponse

from scoring.notation import shot_to_json
from scoring.referee import effect_of, read
from server.access import Access, Actor
from server.access_api import commander
from server.evidence import Evidence, SecondLook
from server.hub import Hub
from server.hub_table import HubTable
from server.panel import event_words, outcome_words
from server.schemas import ClipOut, SecondLookOut
from server.text import Catalogue


def add_evidence(app: FastAPI, hub: Hub, access: Access, evidence: Evidence, words: Callable[..., Catalogue]) -> None:
    """Add the clip of a stroke, what is known of it, and the second look."""
    spoken_words = Annotated[Catalogue, Depends(words)]
    checked: Any = Depends(commander(access, hub))
    player = Annotated[Actor, checked]
    stroke = "/api/tables/{table_id}/strokes/{number}"

    @app.get(f"{stroke}/clip", response_class=FileResponse, summary="One stroke's clip (MP4)")
    async def clip(
        table_id: str,
        number: int,
        *,
        overlay: Annotated[bool, Query(description="with what was seen drawn in")] = False,
    ) -> FileResponse:
        path = await evidence.path(hub.table(table_id), number, drawn=overlay)
        return FileResponse(
            path, media_type="video/mp4", filename=f"{table_id}-{number}.mp4", content_disposition_type="inline"
        )

    @app.get(f"{stroke}/evidence", summary="What there is of a stroke: clip, second look")
    async def about(table_id: str, number: int, spoken: spoken_words) -> ClipOut:
        return await clip_out(hub.table(table_id), number, evidence, spoken)

    @app.post(f"{stroke}/examine", summary="Look at a stroke again, slowly; nothing is changed")
    async def examine(table_id: str, number: int, who: player, spoken: spoken_words) -> ClipOut:
        del who
        await evidence.begin(hub.table(table_id), number)
        return await clip_out(hub.table(table_id), number, evidence, spoken)


async def clip_out(table: HubTable, number: int, evidence: Evidence, catalogue: Catalogue) -> ClipOut:
    """What there is of a stroke."""
    kept = await evidence.clip(table, number)
    if kept is None:
        return ClipOut(has_clip=False, has_drawn=False, strike_s=None, look=None)
    return ClipOut(
        has_clip=True,
        has_drawn=kept.has_drawn,
        strike_s=kept.clip.lead_ms / 1000,
        look=_look_out(table, number, evidence.look(kept.clip), catalogue),
    )


def _look_out(table: HubTable, number: int, look: SecondLook, catalogue: Catalogue) -> SecondLookOut | None:
    """What a second look came to: its reading, and what the stroke would be worth by it."""
    if look.state == "none":
        return None
    if look.shot is None:
        return SecondLookOut(state=look.state, why=look.why)
    play, record = table.match.started, table.match.record(number)
    shot = record.shot
    verdict = read(play.game, play.terms, record.before, look.shot).verdict
    now = read(play.game, play.terms, record.before, shot).verdict
    return SecondLookOut(
        state=look.state,
        why="",
        agrees=effect_of(verdict) == effect_of(now),
        outcome=outcome_words(table.match, record, verdict.ruling, verdict.state, catalogue),
        events=event_words(look.shot.events, catalogue),
        shot=shot_to_json(look.shot),
    )
