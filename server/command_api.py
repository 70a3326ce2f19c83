"""What people say: each command returns the new state, stored; only those who may command a table are heard."""

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, FastAPI

from scoring.commands import Command
from server import orders
from server.access import Access, Actor
from server.access_api import commander
from server.board import state_out
from server.errors import CommandRefusedError, Refusal
from server.hub import Hub
from server.order_schemas import (
    AnswerIn,
    CallIn,
    ConcedeIn,
    CorrectIn,
    HandStrokeIn,
    LagIn,
    OrderIn,
    RefereeIn,
    StartIn,
)
from server.schemas import StateOut
from server.text import Catalogue

Words: TypeAlias = Callable[..., Catalogue]
Give: TypeAlias = Callable[[str, Command, Actor, OrderIn, Catalogue], StateOut]
_NOTHING_MORE = OrderIn()


def add_commands(app: FastAPI, hub: Hub, access: Access, words: Words) -> None:
    """Add `POST /api/tables/{table}/...`."""
    checked: Any = Depends(commander(access, hub))

    def give(table_id: str, what: Command, who: Actor, order: OrderIn, spoken: Catalogue) -> StateOut:
        """Carry it out, unless somebody was faster, and keep who said it and why."""
        if order.after is not None and order.after != len(hub.table(table_id).match.entries):
            raise CommandRefusedError(Refusal.TOO_LATE)
        return state_out(hub, hub.give(table_id, what, who.who, order.why), spoken)

    _add_play(app, hub, checked, words, give)
    _add_repairs(app, hub, checked, words, give)


def _add_play(app: FastAPI, hub: Hub, checked: Any, words: Words, give: Give) -> None:  # noqa: ANN401 (FastAPI's own)
    """What belongs to play."""
    spoken_words = Annotated[Catalogue, Depends(words)]
    someone = Annotated[Actor, checked]

    @app.post("/api/tables/{table_id}/match", summary="Start a match")
    async def match(table_id: str, who: someone, spoken: spoken_words, order: StartIn) -> StateOut:
        return give(table_id, orders.start_match(hub.ready_table(table_id), order), who, order, spoken)

    @app.post("/api/tables/{table_id}/rematch", summary="The same match once more")
    async def rematch(table_id: str, who: someone, spoken: spoken_words, order: OrderIn = _NOTHING_MORE) -> StateOut:
        return give(table_id, orders.play_again(hub.ready_table(table_id)), who, order, spoken)

    @app.post("/api/tables/{table_id}/aside", summary="Put the match aside; it may go on later")
    async def aside(table_id: str, who: someone, spoken: spoken_words) -> StateOut:
        return state_out(hub, hub.put_aside(table_id, who.who), spoken)

    @app.post("/api/tables/{table_id}/resume", summary="Go on with the match that was put aside")
    async def resume(table_id: str, who: someone, spoken: spoken_words) -> StateOut:
        return state_out(hub, hub.resume(table_id, who.who), spoken)

    @app.post("/api/tables/{table_id}/lag", summary="Say who has won the lag")
    async def lag(table_id: str, who: someone, spoken: spoken_words, order: LagIn) -> StateOut:
        return give(table_id, orders.win_lag(hub.ready_table(table_id), order), who, order, spoken)

    @app.post("/api/tables/{table_id}/call", summary="Call the next stroke")
    async def call(table_id: str, who: someone, spoken: spoken_words, order: CallIn) -> StateOut:
        return give(table_id, orders.announce(hub.ready_table(table_id), order), who, order, spoken)

    @app.post("/api/tables/{table_id}/answer", summary="Answer the pending question")
    async def answer(table_id: str, who: someone, spoken: spoken_words, order: AnswerIn) -> StateOut:
        return give(table_id, orders.answer_question(hub.ready_table(table_id), order), who, order, spoken)

    @app.post("/api/tables/{table_id}/concede", summary="Give up the match")
    async def concede(table_id: str, who: someone, spoken: spoken_words, order: ConcedeIn) -> StateOut:
        return give(table_id, orders.concede(hub.ready_table(table_id), order), who, order, spoken)


def _add_repairs(app: FastAPI, hub: Hub, checked: Any, words: Words, give: Give) -> None:  # noqa: ANN401 (as above)
    """What puts right what was seen."""
    spoken_words = Annotated[Catalogue, Depends(words)]
    someone = Annotated[Actor, checked]

    @app.post("/api/tables/{table_id}/correct", summary="Say what really happened")
    async def correct(table_id: str, who: someone, spoken: spoken_words, order: CorrectIn) -> StateOut:
        return give(table_id, orders.correct_stroke(hub.ready_table(table_id), order), who, order, spoken)

    @app.post("/api/tables/{table_id}/by-hand", summary="Enter a stroke as people saw it")
    async def by_hand(table_id: str, who: someone, spoken: spoken_words, order: HandStrokeIn) -> StateOut:
        return give(table_id, orders.play_by_hand(hub.ready_table(table_id), order), who, order, spoken)

    @app.post("/api/tables/{table_id}/undo", summary="Take back the last entry")
    async def undo(table_id: str, who: someone, spoken: spoken_words, order: OrderIn = _NOTHING_MORE) -> StateOut:
        return give(table_id, orders.take_back(hub.ready_table(table_id)), who, order, spoken)

    @app.post("/api/tables/{table_id}/redo", summary="Bring back what was taken back last")
    async def redo(table_id: str, who: someone, spoken: spoken_words, order: OrderIn = _NOTHING_MORE) -> StateOut:
        return give(table_id, orders.bring_back(hub.ready_table(table_id)), who, order, spoken)

    @app.post("/api/tables/{table_id}/referee", summary="Say what only people can see")
    async def referee(table_id: str, who: someone, spoken: spoken_words, order: RefereeIn) -> StateOut:
        return give(table_id, orders.add_referee_input(hub.ready_table(table_id), order), who, order, spoken)
