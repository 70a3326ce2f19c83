"""The line from the hub to a table's process: questions go out, each waits for its reply."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from server.calibration_orders import Answer, Order, Question, Refused, Reply
from server.errors import CommandRefusedError, Refusal

ANSWER_S = 7.0
_MOST_OPEN = 16  # a process that answers none of so many is not asked more


@dataclass(slots=True)
class TableLine:
    """Belongs to the hub's thread; `connect` and `cut` follow the process."""

    _send: Callable[[Question], None] | None = None
    _open: dict[int, asyncio.Future[Answer]] = field(default_factory=dict)
    _last: int = 0

    def connect(self, send: Callable[[Question], None]) -> None:
        """A process listens."""
        self.cut()
        self._send = send

    def cut(self) -> None:
        """The process has gone: nobody will answer."""
        self._send = None
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(CommandRefusedError(Refusal.NO_ANSWER))
        self._open.clear()

    def hear(self, reply: Reply) -> None:
        """Hand a reply to whoever waits for it; nobody does when it came too late."""
        waiting = self._open.pop(reply.number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply.answer)

    async def ask(self, what: Order, view: int = 0) -> Answer:
        """Ask the process.

        Raises:
            CommandRefusedError: It refuses, or does not answer.
        """
        if self._send is None or len(self._open) >= _MOST_OPEN:
            raise CommandRefusedError(Refusal.NO_ANSWER)
        self._last += 1
        number = self._last
        waiting = self._open[number] = asyncio.get_running_loop().create_future()
        try:
            self._send(Question(number=number, what=what, view=view))
            answer: Answer = await asyncio.wait_for(waiting, ANSWER_S)
        except (OSError, TimeoutError) as error:
            raise CommandRefusedError(Refusal.NO_ANSWER) from error
        finally:
            self._open.pop(number, None)
        if isinstance(answer, Refused):
            raise CommandRefusedError(answer.refusal)
        return answer
