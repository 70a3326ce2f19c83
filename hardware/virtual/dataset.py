"""Writes pictures with labels for detectors, in YOLO's format; whole scenes are kept apart between the splits.

A scene is one hall: its cloth, light, camera, players and match. No scene has pictures in two splits, so that a test on
`test` is a test on halls that training has never seen.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import cv2
import numpy as np

from calibration.store import save_table_file
from hardware.errors import DeviceMisconfiguredError
from hardware.virtual.difficulty import Difficulty
from hardware.virtual.games import game_script
from hardware.virtual.match import MatchPlan, VirtualMatch
from hardware.virtual.mishaps import make_mishaps
from hardware.virtual.picture import make_look, make_view, true_table_file
from hardware.virtual.picture.film import Film
from hardware.virtual.picture.sights import Sight, Sights
from hardware.virtual.scene import Instant
from hardware.virtual.timeline import Timeline
from scoring.table import Table

Progress: TypeAlias = Callable[[int, int], None]
SPLITS: Mapping[str, float] = MappingProxyType({"train": 0.7, "val": 0.15, "test": 0.15})
CLASSES = ("white", "red", "yellow", "cue-ball", "numbered", "hand", "arm", "head", "cue", "pocket")
_BALL_CLASSES: Mapping[str, str] = MappingProxyType({"cue": "cue-ball"})  # the others are called by their colour
_SEEN: Mapping[str, float] = MappingProxyType(
    {"ball": 0.25, "pocket": 0.3, "hand": 0.15, "arm": 0.1, "head": 0.15, "cue": 0.1}
)  # from which visible share on a thing gets a box
_SMALLEST_PX = 3.0
_FEWEST_SCENES = 3
_SCENE, _CHOICE, _SPLIT = 16, 17, 18  # different things need different seeds
_STROKES, _SKIPPED = 3, 9
_FULL_TABLE, _TEN_FEET = Table(), Table(length_mm=2840.0, width_mm=1420.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetPlan:
    """What is written: `scenes` halls with `pictures` pictures each; games and difficulties take turns."""

    seed: int
    scenes: int
    pictures: int
    games: tuple[str, ...]
    difficulties: tuple[Difficulty, ...] = tuple(Difficulty)
    size_px: tuple[int, int] = (1280, 720)

    def __post_init__(self) -> None:
        """Refuse a set that cannot be split by scenes."""
        if self.scenes < _FEWEST_SCENES:
            message = f"a data set needs {_FEWEST_SCENES} scenes or more, not {self.scenes}: no scene is in two splits"
            raise DeviceMisconfiguredError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How many pictures and boxes came of it, by split and by class."""

    pictures: Mapping[str, int]
    boxes: Mapping[str, int]


def split_of_scenes(plan: DatasetPlan) -> tuple[str, ...]:
    """Which split each scene belongs to: about 70, 15 and 15 %, and at least one scene each."""
    counts = {name: max(1, round(share * plan.scenes)) for name, share in SPLITS.items()}
    counts["train"] = plan.scenes - counts["val"] - counts["test"]
    names = [name for name, count in counts.items() for _ in range(count)]
    order = np.random.default_rng([plan.seed, _SPLIT]).permutation(plan.scenes)
    return tuple(names[int(place)] for place in order)


def write_dataset(plan: DatasetPlan, folder: Path, progress: Progress = lambda _done, _all: None) -> Written:
    """Write `images/`, `labels/`, `truth/`, `scenes/` and `data.yaml`.

    Raises:
        OSError: a file cannot be written.
    """
    splits = split_of_scenes(plan)
    for split in SPLITS:
        for part in ("images", "labels"):
            (folder / part / split).mkdir(parents=True, exist_ok=True)
    for part in ("truth", "scenes"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    truth: dict[str, list[str]] = {split: [] for split in SPLITS}
    boxes = dict.fromkeys(CLASSES, 0)
    for number, split in enumerate(splits):
        scene = _Scene.make(plan, number)
        save_table_file(
            true_table_file(scene.timeline.table, scene.film.camera, scene.film.look, source=scene.name),
            folder / "scenes" / f"{scene.name}.toml",
        )
        for index, t_s in enumerate(scene.instants(plan.pictures)):
            name = f"{scene.name}-{index:03}"
            picture, sights, instant = scene.look_at(t_s)
            labels = labels_of(sights, plan.size_px)
            for word, *_ in labels:
                boxes[word] += 1
            cv2.imwrite(
                str(folder / "images" / split / f"{name}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, scene.quality]
            )
            lines = [f"{CLASSES.index(word)} {' '.join(f'{value:.6f}' for value in box)}\n" for word, *box in labels]
            (folder / "labels" / split / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
            truth[split].append(json.dumps({"image": f"{name}.jpg", **scene.facts, **_truth(sights, instant, t_s)}))
            progress(number * plan.pictures + index + 1, plan.scenes * plan.pictures)
    for split, records in truth.items():
        (folder / "truth" / f"{split}.jsonl").write_text("".join(f"{line}\n" for line in records), encoding="utf-8")
    names = "".join(f"  {index}: {name}\n" for index, name in enumerate(CLASSES))
    paths = "".join(f"{split}: images/{split}\n" for split in SPLITS)
    (folder / "data.yaml").write_text(f"path: .\n{paths}names:\n{names}", encoding="utf-8")
    return Written(pictures={split: len(records) for split, records in truth.items()}, boxes=boxes)


def labels_of(sights: Sights, size_px: tuple[int, int]) -> list[tuple[str, float, float, float, float]]:
    """A class and a box (middle x, y, width, height as shares of the picture) for everything that shows enough.

    A ball's box holds all of the ball (and of its streak), hidden parts too, so that its middle is the ball's; other
    boxes end where the picture ends.
    """
    found = []
    for sight in (*sights.balls, *sights.things, *sights.pockets):
        word = _class_of(sight)
        if word is None or sight.visible < _SEEN[sight.what]:
            continue
        left, top, right, bottom = sight.box_px
        left, right = max(left + 0.5, 0.0), min(right + 0.5, float(size_px[0]))  # from pixel centres to pixel edges
        top, bottom = max(top + 0.5, 0.0), min(bottom + 0.5, float(size_px[1]))
        if right - left < _SMALLEST_PX or bottom - top < _SMALLEST_PX:
            continue
        found.append(
            (
                word,
                (left + right) / 2 / size_px[0],
                (top + bottom) / 2 / size_px[1],
                (right - left) / size_px[0],
                (bottom - top) / size_px[1],
            )
        )
    return found


def _class_of(sight: Sight) -> str | None:
    """The class of a thing, or None when detectors do not look for it."""
    if sight.ball is not None:
        word = _BALL_CLASSES.get(sight.ball.colour, sight.ball.colour)
        return word if word in CLASSES else None
    return sight.what if sight.what in CLASSES else None


def _truth(sights: Sights, instant: Instant, t_s: float) -> dict[str, Any]:
    """Where the balls of a picture are, and how much of each can be seen."""
    places = {pose.ball: pose.center_mm for pose in instant.balls}
    return {
        "t": round(t_s, 6),
        "balls": {
            sight.ball.name: {
                "at": [round(value, 2) for value in places[sight.ball]],
                "box_px": [round(value, 2) for value in sight.box_px],
                "visible": round(sight.visible, 3),
            }
            for sight in sights.balls
            if sight.ball is not None
        },
    }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Scene:
    """One hall with a stretch of one match."""

    name: str
    timeline: Timeline
    film: Film
    quality: int
    facts: dict[str, Any]
    generator: np.random.Generator

    @classmethod
    def make(cls, plan: DatasetPlan, number: int) -> "_Scene":
        """Play somewhere in a match, in a hall that no other scene has."""
        generator = np.random.default_rng([plan.seed, _SCENE, number])
        game = plan.games[number % len(plan.games)]
        difficulty = plan.difficulties[number // len(plan.games) % len(plan.difficulties)]
        seed = int(np.random.default_rng([plan.seed, _CHOICE, number]).integers(2**31))
        table = _TEN_FEET if game == "kaisa" else _FULL_TABLE
        skipped = int(generator.integers(_SKIPPED))
        match = VirtualMatch(
            MatchPlan(
                game=game, seed=seed, difficulty=difficulty, table=table, skill=float(generator.uniform(0.5, 0.95))
            )
        )
        episodes = list(islice(match, skipped + _STROKES))[-_STROKES:]
        timeline = Timeline.of(episodes)
        look = make_look(seed, difficulty, length_mm=table.length_mm, width_mm=table.width_mm)
        camera = make_view(table, seed, difficulty, plan.size_px)
        mishaps = make_mishaps(seed, difficulty, timeline.duration_s, len(look.lamps))
        facts = {
            "scene": number,
            "seed": seed,
            "difficulty": difficulty.value,
            "game": game,
            "table_mm": [table.length_mm, table.width_mm, table.ball_mm],
            "set": [ball.name for ball in game_script(game).balls],
        }
        return cls(
            name=f"scene-{number:04}",
            timeline=timeline,
            film=Film(table, camera, look, mishaps),
            quality=int(generator.integers(70, 97)),
            facts=facts,
            generator=generator,
        )

    def instants(self, count: int) -> list[float]:
        """When pictures are taken: every second one anywhere, the others when somebody is over the table."""
        chosen = []
        for index in range(count):
            t_s = float(self.generator.uniform(0.0, self.timeline.duration_s))
            for _ in range(8 if index % 2 else 0):
                if self.timeline.at(t_s).limbs:
                    break
                t_s = float(self.generator.uniform(0.0, self.timeline.duration_s))
            chosen.append(t_s)
        return sorted(chosen)

    def look_at(self, t_s: float) -> tuple[Any, Sights, Instant]:
        """A picture, what can be seen in it, and where everything is."""
        renderer, instant = self.film.renderer_at(t_s), self.timeline.at(t_s)
        sights = renderer.sights(instant, renderer.exposure(self.timeline, t_s))
        return self.film.frame(self.timeline, t_s), sights, instant
