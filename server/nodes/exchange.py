"""Asking over the broker: one message goes there, the answer comes back in as many as it takes."""

import asyncio
from typing import TYPE_CHECKING, Final

from server.errors import CommandRefusedError, Refusal
from server.nodes.errands import Errand, ErrandError, Outcome, errand_to_bytes, outcome_from_bytes, outcome_to_bytes

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_PART: Final = 512 * 1024  # a broker takes 1 MiB at once
_NEXT_S: Final = 5.0
_KIND, _LEFT = "Cuemarker-Kind", "Cuemarker-Left"


async def asked(client: "Client", subject: str, errand: Errand, within_s: float) -> Outcome:
    """Ask, and put the parts of the answer together.

    Raises:
        CommandRefusedError: Nobody answers, in time, in full or in our words.
    """
    from nats.errors import Error  # noqa: PLC0415 (an extra)

    inbox = client.new_inbox()
    try:
        hearing = await client.subscribe(inbox)
        try:
            await client.publish(subject, errand_to_bytes(errand), reply=inbox)
            part = await hearing.next_msg(within_s)
            body = bytearray(part.data)
            while int((part.headers or {})[_LEFT]):
                part = await hearing.next_msg(_NEXT_S)
                body += part.data
            return outcome_from_bytes((part.headers or {})[_KIND], bytes(body))
        finally:
            await hearing.unsubscribe()
    except (Error, OSError, TimeoutError, ErrandError, KeyError, ValueError) as error:
        raise CommandRefusedError(Refusal.NO_ANSWER) from error  # a message without our headers: nobody listens there


async def answer(client: "Client", letter: "Msg", outcome: Outcome) -> None:
    """Send an answer, in parts."""
    kind, body = outcome_to_bytes(outcome)
    parts = [body[at : at + _PART] for at in range(0, len(body), _PART)] or [b""]
    for left, part in zip(range(len(parts) - 1, -1, -1), parts, strict=True):
        await client.publish(letter.reply, part, headers={_KIND: kind, _LEFT: str(left)})
        if left:
            await client.flush()  # whoever is slow is not sent everything at once
            await asyncio.sleep(0)
