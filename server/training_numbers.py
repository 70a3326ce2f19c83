"""Making the network that reads numbers: virtual halls are filmed, balls cut out, and the network trained on them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from hardware.virtual.numbered import NumberedPicture, NumberedPlan, numbered_pictures
from vision.detectors.outline import SphereOutline
from vision.numbers.windows import windows_of
from vision.training.crops import through_h264
from vision.training.numbers import NumberScore, NumberWindows, load_torch, train_numbers

Progress: TypeAlias = Callable[[str], None]
_PLACE_SIGMA_MM = 0.7  # how exactly a detector places balls
_CODED = 0.5  # the share of pictures that come through a video
_HELD_OUT = 4  # one hall in so many more is kept for the score
_OTHER_HALLS = 1_000_000  # seeds of halls that are kept out of training


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersPlan:
    """How many halls are filmed, how often all windows are gone through, by which seed."""

    halls: int = 36
    epochs: int = 14
    seed: int = 1


def make_reader(plan: NumbersPlan, onnx: Path, tell: Progress) -> NumberScore:
    """Film, cut, train and export; the score is that of halls that training has not seen.

    Raises:
        VisionError: torch is missing.
    """
    load_torch()  # before minutes of filming
    learnt = windows_in(NumberedPlan(seed=plan.seed, halls=plan.halls), tell)
    others = max(1, plan.halls // _HELD_OUT)
    held_out = windows_in(NumberedPlan(seed=plan.seed + _OTHER_HALLS, halls=others), tell)

    def told(epoch: int, loss: float) -> None:
        tell(f"{epoch} of {plan.epochs} epochs, loss {loss:.3f}")

    return train_numbers(learnt, held_out, onnx, epochs=plan.epochs, seed=plan.seed, progress=told)


def windows_in(plan: NumberedPlan, tell: Progress) -> NumberWindows:
    """The windows of all balls in virtual pictures, with what they show."""
    rng = np.random.default_rng([plan.seed, plan.halls])
    windows, numbers = [], list[int]()
    for picture in _told(numbered_pictures(plan), plan.halls, tell):
        places = np.array([[ball.place.x_mm, ball.place.y_mm] for ball in picture.balls])
        places += rng.normal(0, _PLACE_SIGMA_MM, places.shape)
        table_file = picture.table_file
        drawn = SphereOutline(table_file.camera, table_file.table.ball_radius_mm).project(places)
        pixels = through_h264(picture.pixels, picture.crf) if rng.random() < _CODED else picture.pixels
        windows.append(windows_of(pixels, drawn.centers_px, drawn.radii_px))
        numbers += [ball.number or 0 for ball in picture.balls]
    return NumberWindows(windows=np.concatenate(windows), numbers=np.array(numbers))


def _told(pictures: Iterator[NumberedPicture], halls: int, tell: Progress) -> Iterator[NumberedPicture]:
    """The pictures, with word of each new hall."""
    last = -1
    for picture in pictures:
        if picture.hall != last:
            last = picture.hall
            tell(f"hall {last + 1} of {halls}")
        yield picture
