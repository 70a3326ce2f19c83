"""All of vision in one call: a frame and what the pockets said in, table events out. No threads, no clock."""

from collections.abc import Sequence
from dataclasses import replace

from calibration.camera import CameraModel
from calibration.table_file import TableFile
from hardware.frame import Frame
from hardware.signals import Drop
from scoring.balls import Ball
from scoring.events import TableEvent
from vision.detection import Ailment, FinderSettings, Sighting
from vision.detectors import USUAL, open_detector
from vision.fusion import Fusion
from vision.numbers.looking import NumberLooker
from vision.odd_frames import why_odd
from vision.witness import Witness


class Pipeline:
    """Eyes and memory of one table, under one camera or two."""

    def __init__(
        self,
        table_file: TableFile,
        *,
        balls: tuple[Ball, ...] | None = None,
        detector: str = USUAL,
        finder: FinderSettings | None = None,
        second: TableFile | None = None,
    ) -> None:
        """`balls` are those of the game; without them the table file's own set is looked for.

        `second` is the table file of a second camera, whose frames have `view` 1.
        """
        files = [table_file] if second is None else [table_file, second]
        if balls is not None:
            files = [replace(file, ball_set=replace(file.ball_set, balls=balls)) for file in files]
        self.table_file = files[0]
        self.witness = Witness(self.table_file.table, self.table_file.ball_set.balls)
        self.sighting: Sighting | None = None
        self.odd_frames = 0
        self._files, self._detector, self._finder = files, detector, finder
        self._detectors = [open_detector(detector, file, finder) for file in files]
        self._lookers = [NumberLooker(file) for file in files if any(ball.number for ball in file.ball_set.balls)]
        self._fusion = None if second is None else Fusion.of(*files)
        self._signals: list[Drop] = []

    @property
    def ailment(self) -> Ailment | None:
        """What keeps vision from seeing as well as it should."""
        ailments = (*(each.ailment for each in self._detectors), *(each.ailment for each in self._lookers))
        return next((each for each in ailments if each is not None), None)

    def step(self, frame: Frame, signals: Sequence[Drop] = ()) -> tuple[TableEvent, ...]:
        """Look at one frame, or skip one that nobody can look at; returns the events that have become final."""
        odd = why_odd(frame, self._files[frame.view].camera.size_px)
        if odd is None:
            self.sighting = self._detectors[frame.view].look(frame)
            if self._lookers:
                self.sighting = self._lookers[frame.view].look(frame, self.sighting)
        else:
            self.odd_frames += 1
            self.sighting = Sighting(t_ns=frame.t_ns, index=frame.index, detections=(), disturbed=odd)
        if self._fusion is None:
            return self.witness.step(self.sighting, signals)
        self._signals += signals
        return self._believe(self._fusion.take(frame.view, self.sighting))

    def look_through(self, camera: CameraModel, view: int = 0) -> None:
        """A camera was nudged a little: see with its model as it is now; what is known of the balls stays."""
        self._files[view] = replace(self._files[view], camera=camera)
        self._detectors[view] = open_detector(self._detector, self._files[view], self._finder)
        if self._lookers:
            self._lookers[view].look_through(camera)

    def finish(self) -> tuple[TableEvent, ...]:
        """The source has ended; returns what was still open."""
        waiting = () if self._fusion is None else self._believe(self._fusion.finish())
        return (*waiting, *self.witness.finish())

    def _believe(self, sightings: Sequence[Sighting]) -> tuple[TableEvent, ...]:
        """Let the witness see what both cameras have seen."""
        events: list[TableEvent] = []
        for sighting in sightings:
            events += self.witness.step(sighting, self._signals)
            self._signals = []
        return tuple(events)
