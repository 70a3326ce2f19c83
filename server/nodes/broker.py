"""The connection to the broker (NATS with JetStream), and the words that hall and nodes use there."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from server.config import BrokerConfig
from server.errors import ServerError
from server.tasks import ended

if TYPE_CHECKING:
    from nats.aio.client import Client

AGAIN_S: Final = 1.0
_CONNECT_S, _PING_S, _ANSWER_S = 3, 1, 5.0
_SEEN_BEFORE_S = 600.0  # for so long the broker itself drops what is sent twice; after that the hall does
_log = logging.getLogger(__name__)


class BrokerLostError(ServerError):
    """The broker is away; whatever was not confirmed is sent again."""


class Subjects:
    """The subjects of one hall."""

    def __init__(self, config: BrokerConfig) -> None:
        self.prefix = config.prefix
        self.stream = f"{config.prefix}-facts"
        self.all_facts = f"{config.prefix}.facts.>"

    def facts(self, node: str, table_id: str) -> str:
        """Where a table's facts go: the stream keeps them."""
        return f"{self.prefix}.facts.{node}.{table_id}"

    def passing(self, node: str, table_id: str) -> str:
        """Where goes what is true for a moment only."""
        return f"{self.prefix}.passing.{node}.{table_id}"

    def errands(self, node: str) -> str:
        """Where the hall asks a node for something, and is answered."""
        return f"{self.prefix}.errands.{node}"

    def wishes(self, node: str) -> str:
        """Where the hall tells a node what it wants and what it has."""
        return f"{self.prefix}.wishes.{node}"


def check_client() -> None:
    """See that the broker's client is installed.

    Raises:
        ServerError: It is not.
    """
    try:
        import nats  # noqa: F401, PLC0415 (an extra)
    except ImportError as error:
        message = "[broker] needs nats-py: pip install 'cuemarker[nats]'"
        raise ServerError(message) from error


async def keep_connected(
    config: BrokerConfig, name: str, work: Callable[["Client", asyncio.Event], Awaitable[None]]
) -> None:
    """Do the work on a connection, and on a new one whenever it is lost, for ever; `work` is told when that is."""
    from nats.errors import Error  # noqa: PLC0415 (an extra)

    where, is_away = urlsplit(config.url).hostname, False
    while True:
        try:
            async with _connected(config, name) as (client, lost):
                _log.info("the broker %s is connected", where)
                is_away = False
                await work(client, lost)
        except (Error, OSError, TimeoutError, BrokerLostError) as error:
            if not is_away:
                _log.warning("the broker %s is away (%s); it is tried again", where, str(error) or type(error).__name__)
            is_away = True
        await asyncio.sleep(AGAIN_S)


@contextlib.asynccontextmanager
async def _connected(config: BrokerConfig, name: str) -> AsyncIterator[tuple["Client", asyncio.Event]]:
    """One connection, which is never mended: `lost` is set when it is over."""
    import nats  # noqa: PLC0415 (an extra)

    lost = asyncio.Event()

    async def is_over() -> None:
        lost.set()

    async def failed(error: Exception) -> None:
        _log.debug("the broker: %s", error)

    client = await nats.connect(
        config.url,
        name=name,
        allow_reconnect=False,
        connect_timeout=_CONNECT_S,
        ping_interval=_PING_S,
        max_outstanding_pings=2,
        disconnected_cb=is_over,
        closed_cb=is_over,
        error_cb=failed,
    )
    try:
        yield client, lost
    finally:
        closing = asyncio.create_task(client.close())
        await asyncio.wait([closing], timeout=_CONNECT_S)
        await ended(closing)
        if not closing.cancelled() and (error := closing.exception()):
            _log.debug("the broker's connection was broken when it was closed: %s", error)


async def stream_of(client: "Client", subjects: Subjects) -> Any:  # noqa: ANN401 (a class of an extra)
    """The stream that keeps facts until the hall has stored what follows from them; made if it is not there."""
    from nats.js.api import RetentionPolicy, StorageType, StreamConfig  # noqa: PLC0415 (an extra)
    from nats.js.errors import NotFoundError  # noqa: PLC0415 (as above)

    stream = client.jetstream(timeout=_ANSWER_S)
    try:
        await stream.stream_info(subjects.stream)
    except NotFoundError:
        await stream.add_stream(
            StreamConfig(
                name=subjects.stream,
                subjects=[subjects.all_facts],
                retention=RetentionPolicy.WORK_QUEUE,
                storage=StorageType.FILE,
                duplicate_window=_SEEN_BEFORE_S,
            )
        )
    return stream
