"""The hall's side of errands: asks nodes for what their tables' processes and clips know."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from scoring.shots import Shot
from server.calibration_orders import Answer, CalibrationState, Question, Refused, Reply, Still
from server.clips import Examination
from server.errors import CommandRefusedError, Refusal, ServerError
from server.hub_table import HubTable
from server.nodes.broker import Subjects
from server.nodes.errands import NO_ANSWER, Ask, Errand, Examine, Failed, Fetch, Find, Found, Outcome
from server.nodes.exchange import asked
from server.table_line import ANSWER_S

if TYPE_CHECKING:
    from nats.aio.client import Client

_FILE_S: Final = 20.0
_LOOK_S: Final = 600.0  # others may come first


@dataclass(slots=True)
class NodeAsker:
    """Asks while there is a connection to the broker."""

    subjects: Subjects
    client: "Client | None" = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def connect(self, table: HubTable, node: str) -> None:
        """Let the wizard's orders for a table go to its node."""

        def send(question: Question) -> None:
            task = asyncio.create_task(self._carry(table, node, question), name="order to a node")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        table.line.connect(send)

    async def find(self, node: str, find: Find) -> Found:
        """The clip that is meant.

        Raises:
            CommandRefusedError: There is none, or nobody answers.
        """
        found = await self._ask(node, find, ANSWER_S)
        if not isinstance(found, Found):
            raise CommandRefusedError(Refusal.NO_ANSWER)
        return found

    async def fetch(self, node: str, fetch: Fetch) -> bytes:
        """A clip's file.

        Raises:
            CommandRefusedError: There is none, or nobody answers.
        """
        body = await self._ask(node, fetch, _FILE_S)
        if not isinstance(body, bytes):
            raise CommandRefusedError(Refusal.NO_ANSWER)
        return body

    async def look_again(self, work: Examination, tell: Callable[[Shot], None]) -> None:
        """Have a node look again at a clip of its own.

        Raises:
            ServerError: It saw nothing that counts, or does not answer.
        """
        strike_s, node = work.clip.strike_ms / 1000, work.config.node
        assert node is not None
        find = Find(table=work.config.id, strike_s=strike_s, at_ns=work.clip.at_ns)
        match await self._ask(node, Examine(find=find, game=work.game, shot=work.shot), _LOOK_S):
            case Shot() as shot:
                tell(shot)
            case Failed(why=why):
                raise ServerError(why)
            case _:
                raise CommandRefusedError(Refusal.NO_ANSWER)

    async def _carry(self, table: HubTable, node: str, question: Question) -> None:
        """Carry an order to a node, and what it answers to whoever waits for it."""
        answer: Answer = NO_ANSWER
        try:
            outcome = await self._ask(
                node, Ask(table=table.config.id, order=question.what, view=question.view), ANSWER_S
            )
            if isinstance(outcome, CalibrationState | Still):
                answer = outcome
        except CommandRefusedError as error:
            answer = Refused(refusal=error.refusal)
        table.line.hear(Reply(number=question.number, answer=answer))

    async def _ask(self, node: str, errand: Errand, within_s: float) -> Outcome:
        if self.client is None:
            raise CommandRefusedError(Refusal.NO_ANSWER)
        outcome = await asked(self.client, self.subjects.errands(node), errand, within_s)
        if isinstance(outcome, Refused):
            raise CommandRefusedError(outcome.refusal)
        return outcome
