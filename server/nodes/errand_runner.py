"""Does on a node what its hall asks for: carries the wizard's orders to the tables, finds and reads clips again."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scoring.errors import CuemarkerError
from scoring.shots import Shot
from server.calibration_orders import Refused
from server.clips import Clip, ClipStore, Examination
from server.config import TableConfig
from server.errors import CommandRefusedError, Refusal
from server.evidence import LookAgain
from server.nodes.errands import Ask, Errand, Examine, Failed, Fetch, Find, Found, Outcome
from server.table_line import TableLine


@dataclass(slots=True)
class ErrandRunner:
    """Belongs to a node's loop; one second look at a time."""

    tables: Mapping[str, TableConfig]
    store: ClipStore | None
    look_again: LookAgain | None
    lines: dict[str, TableLine] = field(init=False)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    _looks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """A line to each table's process."""
        self.lines = {table_id: TableLine() for table_id in self.tables}

    async def run(self, errand: Errand) -> Outcome:
        """Do it, or say why it cannot be done."""
        try:
            match errand:
                case Ask():
                    if errand.table not in self.lines:
                        return Refused(refusal=Refusal.NO_TABLE)
                    return await self.lines[errand.table].ask(errand.order, errand.view)
                case Find():
                    clip = self._clip(errand)
                    return Found(name=clip.path.name, has_drawn=clip.drawn.is_file())
                case Fetch():
                    clip = self._clip(errand.find)
                    return await asyncio.to_thread(_read, clip.drawn if errand.drawn else clip.path)
                case Examine():
                    return await self._examine(errand)
        except CommandRefusedError as error:
            return Refused(refusal=error.refusal)

    async def close(self) -> None:
        """End the second looks that are under way."""
        for task in self._looks:
            task.cancel()
        await asyncio.gather(*self._looks, return_exceptions=True)

    def _clip(self, find: Find) -> Clip:
        """The clip that is meant.

        Raises:
            CommandRefusedError: There is none.
        """
        is_ours = self.store is not None and find.table in self.tables
        clip = self.store.find(find.table, find.strike_s, find.at_ns) if is_ours and self.store is not None else None
        if clip is None:
            raise CommandRefusedError(Refusal.NO_CLIP)
        return clip

    async def _examine(self, errand: Examine) -> Outcome:
        """Look again; the answer is there before its drawing is."""
        config = self.tables.get(errand.find.table)
        clip = self._clip(errand.find)
        if config is None or self.look_again is None:
            raise CommandRefusedError(Refusal.NO_CLIP)
        look_again = self.look_again
        work = Examination(clip=clip, config=config, game=errand.game, shot=errand.shot)
        answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

        def tell(shot: Shot) -> None:
            if not answer.done():
                answer.set_result(shot)

        async def look() -> None:
            try:
                async with self._one_at_a_time:
                    await look_again(work, tell)
            except CuemarkerError as error:
                if not answer.done():
                    answer.set_result(Failed(why=str(error)))

        task = asyncio.create_task(look(), name=f"second look at {clip.path.name}")
        self._looks.add(task)
        task.add_done_callback(self._looks.discard)
        return await answer


def _read(path: Path) -> bytes:
    """A clip's file.

    Raises:
        CommandRefusedError: It is not there, or no more.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandRefusedError(Refusal.NO_CLIP) from error
