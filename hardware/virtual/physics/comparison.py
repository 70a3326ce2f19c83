"""Compares strokes with those of an independent physics engine: `python -m hardware.virtual.physics.comparison FOLDER`.

FOLDER holds `physics/strokes.json`: a list of strokes, each with its table, layout, cue ball, cue speed, direction, tip
offset and the contacts that the other engine found (pooltool 0.6). Its corner pockets are 80 mm wide, and its rebounds
(speed and roll after a cushion, from its tracks) are those of a nose at 44 mm: properties of its table.
"""

import json
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardware.virtual.physics.parameters import CueStroke, PhysicsParameters
from hardware.virtual.physics.solver import simulate
from scoring.balls import Ball
from scoring.events import Contact
from scoring.table import PocketMouths, Point, Table

OTHER_PARAMETERS = PhysicsParameters(nose_height_mm=44.0)
_OTHER_MOUTHS = PocketMouths(corner_mm=80.0)
_CLOSE_S = 0.01
_FIRST = 3

Meeting = tuple[float, frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrokeAgreement:
    """How far two engines agree about one stroke."""

    name: str
    first_agrees: bool
    first_late_s: float
    three_agree: bool
    agreeing_contacts: int
    contacts: int
    took_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How far two engines agree about many strokes."""

    strokes: tuple[StrokeAgreement, ...]

    @property
    def first_share(self) -> float:
        """The share of strokes with the same first contact, or none in both."""
        return sum(stroke.first_agrees for stroke in self.strokes) / len(self.strokes)

    @property
    def first_in_time_share(self) -> float:
        """The share of strokes whose first contact is the same and comes within 10 ms."""
        close = [stroke.first_agrees and abs(stroke.first_late_s) <= _CLOSE_S for stroke in self.strokes]
        return sum(close) / len(self.strokes)

    @property
    def three_share(self) -> float:
        """The share of strokes whose contacts agree in order up to the third."""
        return sum(stroke.three_agree for stroke in self.strokes) / len(self.strokes)


def compare(folder: Path, parameters: PhysicsParameters = OTHER_PARAMETERS) -> Agreement:
    """Play every stroke of a reference folder and compare the contacts."""
    strokes = json.loads((folder / "physics" / "strokes.json").read_text(encoding="utf-8"))
    return Agreement(strokes=tuple(_compare(stroke, parameters) for stroke in strokes))


def _compare(stroke: Mapping[str, Any], parameters: PhysicsParameters) -> StrokeAgreement:
    """Play one stroke and compare its contacts."""
    field = stroke["table"]
    table = Table(
        length_mm=field["length"], width_mm=field["width"], ball_mm=float(field["ball"]), pockets=_OTHER_MOUTHS
    )
    cue = CueStroke(
        ball=Ball(stroke["cue_ball"]),
        speed_mm_s=1000.0 * stroke["speed_m_s"],
        direction_rad=math.radians(stroke["direction_deg"]),
        side=stroke["offset_side"],
        top=stroke["offset_top"],
    )
    since_s = time.perf_counter()
    motion = simulate(table, {Ball(name): Point(*place) for name, place in stroke["layout"].items()}, cue, parameters)
    took_s = time.perf_counter() - since_s
    ours: list[Meeting] = [
        (event.t_s, frozenset((event.ball.name, event.other.name)))
        for event in motion.events
        if isinstance(event, Contact)
    ]
    theirs: list[Meeting] = [
        (event["t"], frozenset((event["ball"], event["other"])))
        for event in stroke["events"]
        if event["type"] == "contact"
    ]
    our_pairs, their_pairs = [pair for _, pair in ours], [pair for _, pair in theirs]
    agreeing = 0
    while agreeing < min(len(ours), len(theirs)) and our_pairs[agreeing] == their_pairs[agreeing]:
        agreeing += 1
    return StrokeAgreement(
        name=stroke["id"],
        first_agrees=our_pairs[:1] == their_pairs[:1],
        first_late_s=ours[0][0] - theirs[0][0] if ours and theirs else 0.0,
        three_agree=our_pairs[:_FIRST] == their_pairs[:_FIRST],
        agreeing_contacts=agreeing,
        contacts=len(theirs),
        took_s=took_s,
    )


def main(arguments: list[str]) -> int:
    """Print how far the engines agree."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m hardware.virtual.physics.comparison FOLDER\n")
        return 2
    path = Path(arguments[0])
    if not (path / "physics" / "strokes.json").is_file():
        sys.stderr.write(f"{path} holds no physics/strokes.json; name the folder with the reference strokes\n")
        return 1
    agreement = compare(path)
    for stroke in agreement.strokes:
        first = "same first contact" if stroke.first_agrees else "OTHER FIRST CONTACT"
        sys.stdout.write(
            f"{stroke.name:10} {first}, {1e3 * stroke.first_late_s:+6.2f} ms, "
            f"{stroke.agreeing_contacts:2} of {stroke.contacts:3} contacts in order, {1e3 * stroke.took_s:5.1f} ms\n"
        )
    times = sorted(stroke.took_s for stroke in agreement.strokes)
    sys.stdout.write(
        f"{len(times)} strokes: first contact {agreement.first_share:.1%}, within 10 ms "
        f"{agreement.first_in_time_share:.1%}, in order up to the third {agreement.three_share:.1%}; "
        f"median {1e3 * times[len(times) // 2]:.1f} ms, longest {1e3 * times[-1]:.1f} ms\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
