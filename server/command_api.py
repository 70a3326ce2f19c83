"""What people say: each command returns the new state, stored; only those who may command a table are heard."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, FastAPI

from scoring.commands import Command
from server import orders
from server.access import Access, Actor
from server.access_api import commander
from server.board import state_out
from server.errors import CommandRefusedError, Refusal
from server.hub import Hub
from server.hub_table import HubTable
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
_NOTHING_MORE = OrderIn()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Somebody who may command a table, the table, and the language of the answer."""

    hub: Hub
    table: HubTable
    who: str
    words: Catalogue

    def give(self, what: Command, order: OrderIn) -> StateOut:
        """Carry it out, unless somebody was faster, and keep who said it and why."""
        if order.after is not None and order.after != len(self.table.match.entries):
            raise CommandRefusedError(Refusal.TOO_LATE)
        return self.state(self.hub.give(self.table.config.id, what, self.who, order.why))

    def state(self, table: HubTable) -> StateOut:
        """The answer: the table as it is now."""
        return state_out(self.hub, table, self.words)


def add_commands(app: FastAPI, hub: Hub, access: Access, words: Words) -> None:
    """Add `POST /api/tables/{table}/...`."""
    allowed: Any = Depends(commander(access, hub))

    def asking(table_id: str, who: Annotated[Actor, allowed], spoken: Annotated[Catalogue, Depends(words)]) -> Asker:
        """Who commands which table."""
        return Asker(hub=hub, table=hub.ready_table(table_id), who=who.who, words=spoken)

    table, checked = APIRouter(prefix="/api/tables/{table_id}"), Depends(asking)
    _add_play(table, checked)
    _add_repairs(table, checked)
    app.include_router(table)


def _add_play(table: APIRouter, checked: Any) -> None:  # noqa: ANN401 (FastAPI's own)
    """What belongs to play."""
    someone = Annotated[Asker, checked]

    @table.post("/match", summary="Start a match")
    async def match(asker: someone, order: StartIn) -> StateOut:
        return asker.give(orders.start_match(asker.table, order), order)

    @table.post("/rematch", summary="The same match once more")
    async def rematch(asker: someone, order: OrderIn = _NOTHING_MORE) -> StateOut:
        return asker.give(orders.play_again(asker.table), order)

    @table.post("/aside", summary="Put the match aside; it may go on later")
    async def aside(asker: someone) -> StateOut:
        return asker.state(asker.hub.put_aside(asker.table.config.id, asker.who))

    @table.post("/resume", summary="Go on with the match that was put aside")
    async def resume(asker: someone) -> StateOut:
        return asker.state(asker.hub.resume(asker.table.config.id, asker.who))

    @table.post("/lag", summary="Say who has won the lag")
    async def lag(asker: someone, order: LagIn) -> StateOut:
        return asker.give(orders.win_lag(asker.table, order), order)

    @table.post("/call", summary="Call the next stroke")
    async def call(asker: someone, order: CallIn) -> StateOut:
        return asker.give(orders.announce(asker.table, order), order)

    @table.post("/answer", summary="Answer the pending question")
    async def answer(asker: someone, order: AnswerIn) -> StateOut:
        return asker.give(orders.answer_question(asker.table, order), order)

    @table.post("/concede", summary="Give up the match")
    async def concede(asker: someone, order: ConcedeIn) -> StateOut:
        return asker.give(orders.concede(asker.table, order), order)


def _add_repairs(table: APIRouter, checked: Any) -> None:  # noqa: ANN401 (as above)
    """What puts right what was seen."""
    someone = Annotated[Asker, checked]

    @table.post("/correct", summary="Say what really happened")
    async def correct(asker: someone, order: CorrectIn) -> StateOut:
        return asker.give(orders.correct_stroke(asker.table, order), order)

    @table.post("/by-hand", summary="Enter a stroke as people saw it")
    async def by_hand(asker: someone, order: HandStrokeIn) -> StateOut:
        return asker.give(orders.play_by_hand(asker.table, order), order)

    @table.post("/undo", summary="Take back the last entry")
    async def undo(asker: someone, order: OrderIn = _NOTHING_MORE) -> StateOut:
        return asker.give(orders.take_back(asker.table), order)

    @table.post("/redo", summary="Bring back what was taken back last")
    async def redo(asker: someone, order: OrderIn = _NOTHING_MORE) -> StateOut:
        return asker.give(orders.bring_back(asker.table), order)

    @table.post("/referee", summary="Say what only people can see")
    async def referee(asker: someone, order: RefereeIn) -> StateOut:
        return asker.give(orders.add_referee_input(asker.table, order), order)
