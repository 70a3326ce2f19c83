"""One table as it is this moment: where the balls are, where they went, how old that is, how well the witness is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scoring.balls import Ball
from scoring.events import Moved, Potted, Rest, TableEvent
from scoring.table import Point, Table
from server.messages import Opened, Places, Trouble, Vitals
from server.so_far import Supposing

FRESH_S = 2.5
PLACES_EVERY_S = 0.03  # every picture of a usual camera, every other one of a fast one
SETTLED_S = 6.0  # motion that nothing is told of is over after so long
_STEP_MM = 12.0
_LONGEST_PATH = 400


@dataclass(slots=True)
class LiveTable:
    """What the table's process said lately; times are seconds of the hub's steady clock."""

    table: Table | None = None
    places: Places | None = None
    vitals: Vitals | None = None
    restarts: int = 0
    restarts_in_a_row: int = 0  # since the last picture
    failure: str = ""  # what stopped the process, in plain English, until there is a picture again
    is_running: bool = False
    is_stopped: bool = False  # by the staff
    shown_s: float = 0.0
    is_settled: bool = True  # the balls lie still, and what moved them has been told
    moved_s: float = 0.0
    paths: dict[Ball, list[Point]] = field(default_factory=dict)
    still: Mapping[Ball, Point] = field(default_factory=dict)
    before_motion: Mapping[Ball, Point] = field(default_factory=dict)
    supposing: Supposing = field(default_factory=Supposing)

    def started(self) -> None:
        """A new process has been started; what the old one said of itself is worthless."""
        self.is_running, self.vitals = True, None

    def lost(self) -> None:
        """The process has gone."""
        self.is_running = False
        self.restarts += 1
        self.restarts_in_a_row += 1
        self.places = self.places and replace(self.places, is_moving=False)

    def switch(self, *, on: bool) -> None:
        """The staff wants the table to be watched, or not; what the process said of itself is worthless now."""
        self.is_stopped, self.vitals, self.failure, self.restarts_in_a_row = not on, None, "", 0
        self.places = self.places and replace(self.places, is_moving=False)

    def feel(self, message: Vitals) -> None:
        """Note how the process is."""
        self.vitals = message
        if message.trouble == "failed":
            self.failure = message.detail
        elif message.picture_ns is not None:
            self.failure, self.restarts_in_a_row = "", 0

    def open(self, message: Opened) -> None:
        """The camera looks at this field, with fresh eyes."""
        self.table = message.table
        self.places, self.still, self.before_motion, self.paths = None, {}, {}, {}
        self.is_settled, self.supposing = True, Supposing()

    @property
    def is_moving(self) -> bool:
        """Whether balls are rolling."""
        return self.places is not None and self.places.is_moving

    def see_places(self, message: Places, now_s: float) -> bool:
        """Note where the balls are; true when it is time to show them."""
        if not message.is_moving:
            self.still = message.balls
        elif not self.is_moving:
            self.before_motion = self.still
            self.paths = {ball: [place] for ball, place in self.still.items()}
        for ball, place in message.balls.items() if message.is_moving else ():
            self._lengthen(ball, place)
        if message.is_moving:
            self.is_settled, self.moved_s = False, now_s
        self.places = message
        if now_s - self.shown_s < PLACES_EVERY_S:
            return False
        self.shown_s = now_s
        return True

    def settle(self, now_s: float) -> bool:
        """Notice that nothing more will be told of what moved; true when that is news."""
        if self.is_settled or self.is_moving or now_s - self.moved_s < SETTLED_S:
            return False
        self.is_settled = True
        return True

    def see_event(self, event: TableEvent) -> None:
        """End the path of a ball that fell in its pocket; what moved has been told with its rest."""
        self.is_settled = self.is_settled or isinstance(event, Rest | Moved)
        if isinstance(event, Potted) and self.table is not None and event.ball in self.paths:
            self.paths[event.ball].append(self.table.pocket_corner(event.pocket))

    def rolled(self) -> Mapping[Ball, tuple[Point, ...]]:
        """The paths of the balls that moved in the last stroke."""
        return {ball: tuple(path) for ball, path in self.paths.items() if len(path) > 1}

    @property
    def detail(self) -> str:
        """What exactly is wrong, in plain English, for the log and the staff."""
        if self.failure or self.vitals is None:
            return self.failure
        return self.vitals.detail or self.vitals.clips

    def age_s(self, now_s: float) -> float | None:
        """How old the newest picture is; None before the first."""
        if self.vitals is None or self.vitals.picture_ns is None:
            return None
        return max(0.0, now_s - self.vitals.picture_ns / 1e9)

    def is_fresh(self, now_s: float) -> bool:
        """Whether what is shown may be taken for what is."""
        age_s = self.age_s(now_s)
        return age_s is not None and age_s < FRESH_S

    def trouble(self, now_s: float) -> Trouble | None:
        """What is wrong with the witness, if anything."""
        if self.is_stopped:
            return "stopped"
        if self.failure or self.restarts_in_a_row:
            return "failed"
        if self.vitals is None:
            return "starting"
        if self.vitals.trouble is not None:
            return self.vitals.trouble
        return None if self.is_fresh(now_s) else "no_picture"

    def _lengthen(self, ball: Ball, place: Point) -> None:
        path = self.paths.setdefault(ball, [])
        if not path or (path[-1].distance_mm(place) >= _STEP_MM and len(path) < _LONGEST_PATH):
            path.append(place)
