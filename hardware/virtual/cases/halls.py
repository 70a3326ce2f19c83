"""Cases of light and camera: a change of the whole picture is no motion."""

import math
from dataclasses import replace

from hardware.virtual.cases.case import Case, contacts, lay, stroke
from hardware.virtual.cases.stage import Stage
from hardware.virtual.mishaps import Gap, Knock, Mishaps, Reexposure, Switch
from scoring.balls import RED_1


def _two_strokes(stage: Stage) -> tuple[float, float]:
    """Two plain strokes with a pause between them; when the pause begins, and when the second one is struck."""
    lay(stage, white_1=(600, -100), red_1=(1700, 0))
    stage.strike(stroke(stage, stage.layout[RED_1], 1000, aside_mm=30))
    pause_s = stage.now_s
    stage.wait(3.0)
    stage.strike(stroke(stage, stage.layout[RED_1], 1200, aside_mm=20), by="B")
    strike_s = stage.strike_s
    stage.wait(1.0)
    return pause_s, strike_s


def _lights(stage: Stage) -> None:
    pause_s, strike_s = _two_strokes(stage)
    stage.mishaps = Mishaps(
        switches=(
            Switch(t_s=pause_s + 0.7, lamp=0, is_on=False),
            Switch(t_s=pause_s + 2.0, lamp=0, is_on=True),
            Switch(t_s=strike_s + 0.8, lamp=0, is_on=False),
        ),
        reexposures=(Reexposure(t_s=strike_s + 1.2, gain=1.35),),
    )


def _exposure(stage: Stage) -> None:
    pause_s, strike_s = _two_strokes(stage)
    steps = ((pause_s + 0.8, 0.7), (pause_s + 2.0, 1.0), (strike_s + 0.5, 1.3), (strike_s + 2.0, 0.95))
    stage.mishaps = Mishaps(reexposures=tuple(Reexposure(t_s=t_s, gain=gain) for t_s, gain in steps))


def _knock(stage: Stage, t_s: float, degrees: float) -> Mishaps:
    axis = stage.generator.normal(size=3)
    turn = axis * (math.radians(degrees) / math.sqrt(float(axis @ axis)))
    return Mishaps(knocks=(Knock(t_s=t_s, turn_rad=(float(turn[0]), float(turn[1]), float(turn[2]))),))


def _knocked(stage: Stage) -> None:
    pause_s, _ = _two_strokes(stage)
    stage.mishaps = _knock(stage, pause_s + 1.5, 0.25)


def _knocked_while_rolling(stage: Stage) -> None:
    _, strike_s = _two_strokes(stage)
    stage.mishaps = _knock(stage, strike_s + 0.9, 0.15)


def _lost_pictures(stage: Stage) -> None:
    pause_s, strike_s = _two_strokes(stage)
    gaps = ((pause_s + 0.5, 1.0), (strike_s + 0.25, 0.12), (strike_s + 0.9, 0.35))
    stage.mishaps = replace(stage.mishaps, gaps=tuple(Gap(starts_s=t_s, ends_s=t_s + lasts_s) for t_s, lasts_s in gaps))


CASES = tuple(
    Case(name=name, about=about, script=script, holds=lambda events: len(contacts(events)) >= 2)
    for name, about, script in (
        ("lights-switched", "a lamp goes off and on again, and off once more while balls roll", _lights),
        ("camera-reexposes", "the camera changes its exposure, at rest and while balls roll", _exposure),
        ("camera-knocked", "the camera is knocked by a quarter of a degree between strokes", _knocked),
        ("camera-knocked-while-rolling", "the camera is knocked while balls roll", _knocked_while_rolling),
        ("lost-pictures", "the camera loses pictures, some of them around a contact", _lost_pictures),
    )
)
