"""All of vision in one call: a frame and what the pockets said in, table events out. No threads, no clock."""

from collections.abc import Sequence
from dataclasses import replace

from calibration.table_file import TableFile
from hardware.frame import Frame
from hardware.signals import Drop
from scoring.balls import Ball
from scoring.events import TableEvent
from vision.detection import Sighting
from vision.detectors import open_detector
from vision.witness import Witness


class Pipeline:
    """Eyes and memory of one table."""

    def __init__(
        self, table_file: TableFile, *, balls: tuple[Ball, ...] | None = None, detector: str = "contrast"
    ) -> None:
        """`balls` are those of the game; without them the table file's own set is looked for."""
        if balls is not None:
            table_file = replace(table_file, ball_set=replace(table_file.ball_set, balls=balls))
        self.table_file = table_file
        self.witness = Witness(table_file.table, table_file.ball_set.balls)
        self.sighting: Sighting | None = None
        self._detector = open_detector(detector, table_file)

    def step(self, frame: Frame, signals: Sequence[Drop] = ()) -> tuple[TableEvent, ...]:
        """Look at one frame; returns the events that have become final."""
        self.sighting = self._detector.look(frame)
        return self.witness.step(self.sighting, signals)

    def finish(self) -> tuple[TableEvent, ...]:
        """The source has ended; returns what was still open."""
        return self.witness.finish()
