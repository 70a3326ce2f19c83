"""The composition root: opens a hall and closes it again; the only file that starts processes and threads."""

import asyncio
import logging
import multiprocessing
import os
import pickle
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Protocol

from scoring.games import game_named
from scoring.shots import Shot
from server.calibration_orders import Question
from server.clips import Examination, store_of
from server.config import HallConfig
from server.errors import ServerError
from server.evidence import Evidence
from server.hub import Hub
from server.journal import Journal
from server.messages import Finished, Noted, Opened, Said, TableMessage
from server.mqtt import MqttTeller
from server.nodes.broker import check_client
from server.nodes.receiver import NodeReceiver
from server.table_process import TableTask, run_table
from server.tasks import cancelled
from server.watchdog import Watchdog
from server.webhooks import WebhookSender

_LOOK_S = 0.25
_LONGEST_LOOK_S = 300.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hall:
    """An open hall: the hub, the keepers of its tables, and a flag that is set when every source has ended."""

    hub: Hub
    evidence: Evidence
    keepers: "tuple[TableKeeper, ...]"
    finished: asyncio.Event


@asynccontextmanager
async def open_hall(
    config: HallConfig, tasks: Sequence[TableTask] = (), journal: Journal | None = None
) -> AsyncIterator[Hall]:
    """Open a hall: journal, hub, a process per table; on leaving, everything is closed in reverse order.

    `tasks` replace those that follow from the hall file. A journal that cannot be opened does not stop the boards: they
    say so, and nothing is counted. `journal` is one that is open already.
    """
    at_hand = [] if journal is None else [journal]
    async with AsyncExitStack() as stack:
        hub = Hub(config, lambda: at_hand.pop() if at_hand else Journal.open(config.server.database))
        stack.callback(hub.close)
        hub.open()
        finished = asyncio.Event()
        keepers = tuple(
            TableKeeper(
                task=replace(task, log_format=config.server.log_format), owner=hub, whole_hall_finished=finished
            )
            for task in tasks or [TableTask(config=table, evidence=config.evidence) for table in config.tables]
            if task.config.node is None
        )
        for keeper in keepers:
            await stack.enter_async_context(keeper.kept())
        for webhook in config.webhooks:
            sending = asyncio.create_task(WebhookSender(config=webhook, hub=hub).run(), name=f"webhook {webhook.name}")
            stack.push_async_callback(cancelled, sending)
        if config.mqtt is not None:
            teller = MqttTeller(config=config.mqtt, hub=hub)
            publishing = asyncio.create_task(teller.run(stack.enter_context(teller.connection())), name="MQTT")
            stack.push_async_callback(cancelled, publishing)
        evidence = Evidence(store=store_of(config.evidence), look_again=look_again)
        if config.broker is not None:
            check_client()
            receiver = NodeReceiver(config=config.broker, hub=hub)
            evidence.nodes = receiver.asker
            for work in (receiver.run(), receiver.watch_silence()):
                stack.push_async_callback(cancelled, asyncio.create_task(work, name="nodes"))
        ticking = asyncio.create_task(_tick(hub), name="hub tick")
        stack.push_async_callback(cancelled, ticking)
        stack.push_async_callback(evidence.close)
        yield Hall(hub=hub, evidence=evidence, keepers=keepers, finished=finished)


class TableOwner(Protocol):
    """Whom tables' processes belong to: the hub, or a node that tells a hub elsewhere."""

    def is_stopped(self, table_id: str) -> bool:
        """Whether staff wants a table not to be watched."""

    def game_of(self, table_id: str) -> str:
        """The game that is played on a table, or is offered first."""

    def strokes_played(self, table_id: str) -> int:
        """How many strokes a source that is made up need not tell again."""

    def process_started(self, table_id: str, ask: Callable[[Question], None]) -> None:
        """A table's process has been started, which may be asked."""

    def process_stopped(self, table_id: str) -> None:
        """A table's process has been ended because nobody wants it."""

    def process_lost(self, table_id: str) -> None:
        """A table's process has died or been killed."""

    def receive(self, table_id: str, message: TableMessage) -> None:
        """Take what a table's process says."""


@dataclass(slots=True)
class TableKeeper:
    """Keeps one table's process alive, and carries what it says to whom it belongs."""

    task: TableTask
    owner: TableOwner
    whole_hall_finished: asyncio.Event
    watchdog: Watchdog = field(default_factory=Watchdog)
    process: SpawnProcess | None = None
    game: str = "kaisa"

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Start the process and watch it until the context ends."""
        keeping = asyncio.create_task(self._keep(), name=f"keeper of {self.table_id}")
        try:
            yield
        finally:
            await cancelled(keeping)
            await asyncio.to_thread(self._stop)

    @property
    def table_id(self) -> str:
        """Which table it is."""
        return self.task.config.id

    async def _keep(self) -> None:
        while True:
            if self._is_stopped():
                await asyncio.sleep(_LOOK_S)
                continue
            gone = self._start()
            while not (self._is_stopped() or self.watchdog.is_stuck(time.monotonic()) or self._looks_for_other_balls()):
                with suppress(TimeoutError):
                    await asyncio.wait_for(gone.wait(), _LOOK_S)
                    break
            is_other_game = not gone.is_set() and self._looks_for_other_balls()
            why = "has gone" if gone.is_set() else "does not answer"
            await asyncio.to_thread(self._stop)
            if self._is_stopped():
                self.owner.process_stopped(self.table_id)
                continue
            if is_other_game:
                _log.info("table %s: another game is played: the camera looks for its balls", self.table_id)
                continue
            assert self.process is not None
            pause_s = self.watchdog.pause_s(time.monotonic())
            _log.error(
                "table %s: its process %s (exit code %s); next start in %.0f s",
                self.table_id,
                why,
                self.process.exitcode,
                pause_s,
            )
            self.owner.process_lost(self.table_id)
            await asyncio.sleep(pause_s)

    def _is_stopped(self) -> bool:
        """Whether staff wants the table not to be watched."""
        return self.owner.is_stopped(self.table_id)

    def _looks_for_other_balls(self) -> bool:
        """Whether the process was started for a game with other balls than the one that is played now."""
        if self.task.config.is_virtual or self.task.config.is_replay:
            return False
        return game_named(self.owner.game_of(self.table_id)).balls != game_named(self.game).balls

    def _start(self) -> asyncio.Event:
        """Start the process; the event is set when its pipe breaks."""
        self.game = self.owner.game_of(self.table_id)
        task = replace(self.task, game=self.game, skip=self.owner.strokes_played(self.table_id))
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        self.process = multiprocessing.get_context("spawn").Process(
            target=run_table, args=(task, theirs, os.getpid()), name=f"table {self.table_id}", daemon=True
        )
        self.process.start()
        theirs.close()
        self.watchdog.started(time.monotonic())
        self.owner.process_started(self.table_id, ours.send)
        gone, loop = asyncio.Event(), asyncio.get_running_loop()
        threading.Thread(
            target=_carry, args=(ours, loop, self._hear, gone.set), name=f"pipe of {self.table_id}", daemon=True
        ).start()
        return gone

    def _hear(self, message: TableMessage) -> None:
        if not isinstance(message, Opened | Said):  # what follows these may take as long as a start
            self.watchdog.heard(time.monotonic())
        match message:
            case Noted():
                _log.info("table %s: %s", self.table_id, message.text)
            case _:
                self.owner.receive(self.table_id, message)
        if isinstance(message, Finished):
            _log.info("table %s: its source has come to its end", self.table_id)
            self.whole_hall_finished.set()

    def _stop(self) -> None:
        """End the process: it keeps nothing, and the system closes its devices."""
        if self.process is not None and self.process.pid is not None:
            self.process.kill()
            self.process.join()


def _carry(
    pipe: Connection, loop: asyncio.AbstractEventLoop, hear: Callable[[TableMessage], None], gone: Callable[[], None]
) -> None:
    """A thread's work: bring messages from the pipe to the loop, in order."""
    try:
        while True:
            loop.call_soon_threadsafe(hear, pipe.recv())
    except (EOFError, OSError, pickle.UnpicklingError):
        pass  # the process has ended, or was ended in the middle of a word
    except RuntimeError:
        return  # the loop has been closed: nobody listens
    finally:
        pipe.close()
    try:
        loop.call_soon_threadsafe(gone)
    except RuntimeError:
        return  # as above


async def look_again(work: Examination, tell: Callable[[Shot], None]) -> None:
    """A second look in a process of its own, which may fail in any way; `tell` is given what it read.

    Raises:
        ServerError: It saw nothing that counts, died, or took too long.
    """
    ours, theirs = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=_run_examination, args=(work, theirs), name=f"second look at {work.clip.path.name}", daemon=True
    )
    process.start()
    theirs.close()
    said: Shot | str | None = f"the second look at {work.clip.path} took too long"
    try:
        while await asyncio.to_thread(ours.poll, _LONGEST_LOOK_S):
            said = ours.recv()
            if not isinstance(said, Shot):
                break
            tell(said)
    except (EOFError, OSError, pickle.UnpicklingError) as error:
        message = f"the second look at {work.clip.path} has failed ({type(error).__name__})"
        raise ServerError(message) from error
    finally:
        process.kill()
        await asyncio.to_thread(process.join)
        ours.close()
    if isinstance(said, str):
        raise ServerError(said)


def _run_examination(work: Examination, pipe: Connection) -> None:
    """The process's work; only there is vision imported."""
    from server.second_look import run_examination  # noqa: PLC0415 (it takes long, and the hall needs none of it)

    run_examination(work, pipe)


async def _tick(hub: Hub) -> None:
    """Let the hub notice the time: silence, retries of the journal."""
    while True:
        await asyncio.sleep(_LOOK_S)
        hub.tick()
