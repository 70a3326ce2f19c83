"""A witness who is shown balls that lie still."""

from scoring.balls import FIVE_BALL_SET
from scoring.table import Point, Table
from vision.detection import Detection, Sighting
from vision.witness import Witness

TABLE = Table()
FRAME_NS = 16_666_667


def looking_like(colour):
    return {colour: 0.97}


def seen(place, looks, numbers=()):
    return Detection(
        place=Point(*place),
        sigma_mm=0.3,
        sigma_along_mm=0.3,
        center_px=(0.0, 0.0),
        radius_px=15.0,
        looks=looks,
        numbers=numbers,
    )


class Watching:
    """A witness who is shown balls that lie still, stretch by stretch; numbers are read in its first picture."""

    def __init__(self, balls=FIVE_BALL_SET):
        self.witness = Witness(TABLE, balls)
        self.index = 0

    def show(self, balls, *, seconds, covers=()):
        events = []
        for frame in range(round(seconds * 60)):
            detections = tuple(seen(place, looks, *(read if frame == 0 else ())) for place, looks, *read in balls)
            sighting = Sighting(t_ns=self.index * FRAME_NS, index=self.index, detections=detections, covers=covers)
            events += self.witness.step(sighting)
            self.index += 1
        return events
