"""The command `cuemarker simulate`: virtual matches, cases and data sets, each with its truth."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from hardware.virtual.difficulty import Difficulty
    from hardware.virtual.performance import Performance
    from hardware.virtual.recording import RecordingPlan
    from scoring.table import Table

Done = TypeVar("Done")
_EXAMPLE = """Write a virtual match: a video, its tracks, events, shots, sensor lines, table file and meta.json.

With --case it is a scripted case instead (--list-cases names them), with --dataset pictures with labels for detectors
in YOLO's format: images/, labels/, data.yaml, split into train, val and test by scenes.

\b
Examples:
  cuemarker simulate --game kaisa --strokes 12 --seed 7 --difficulty easy --out match-7
  cuemarker simulate --case late-drop --difficulty normal --out late-drop
  cuemarker simulate --dataset --scenes 40 --pictures 25 --seed 3 --out balls
"""
_KAISA_TABLE_MM, _LONG_TABLE_MM = (2840.0, 1420.0), (3550.0, 1775.0)
_SMALLEST_TABLE_MM = (2000.0, 1000.0)
_HIGHEST_PX = 4096
_DIFFICULTIES = ("easy", "normal", "hard")


def _size_px(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    """Read WIDTHxHEIGHT."""
    found = re.fullmatch(r"([1-9]\d{2,3})x([1-9]\d{2,3})", value)
    if not found or int(found[1]) % 2 or int(found[2]) % 2 or int(found[1]) > _HIGHEST_PX:
        message = f"{value!r} is no picture size; give even numbers, like 1280x720, up to 4096 wide"
        raise click.BadParameter(message, context, parameter)
    return int(found[1]), int(found[2])


@click.command(help=_EXAMPLE)
@click.option("--game", help="A game by its name, like kaisa; a data set without it has all games.")
@click.option("--strokes", type=click.IntRange(min=1), help="How many strokes, if nobody wins before.")
@click.option("--case", "case", help="Play a scripted case instead of a match.")
@click.option("--list-cases", is_flag=True, help="Name the scripted cases and stop.")
@click.option("--dataset", is_flag=True, help="Write pictures with labels instead of a match.")
@click.option("--scenes", type=click.IntRange(min=1), default=30, show_default=True, help="Halls in a data set.")
@click.option("--pictures", type=click.IntRange(min=1), default=20, show_default=True, help="Pictures of each hall.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed, the same match.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder; made if missing.")
@click.option(
    "--difficulty",
    type=click.Choice(_DIFFICULTIES),
    help="How hard the picture is to read, and how much people are in the way: easy; in a data set all three.",
)
@click.option("--fps", type=click.FloatRange(min=5, max=240), help="Frames per second; as the virtual camera has it.")
@click.option("--size", "size_px", callback=_size_px, default="1280x720", show_default=True, help="WIDTHxHEIGHT.")
@click.option("--camera", "place_mm", type=(float, float, float), help="Where the camera stands: X Y Z in mm.")
@click.option("--skill", type=click.FloatRange(0, 1), default=0.8, show_default=True, help="How well they play.")
@click.option(
    "--table", "table_mm", type=(float, float), help="Length and width in mm; 2840 1420 for kaisa, else 3550 1775."
)
@click.option("--lag/--no-lag", default=False, show_default=True, help="Begin with the lag.")
@click.option("--sensors/--no-sensors", default=True, show_default=True, help="Pocket sensors beside the camera.")
@click.option(
    "--video/--no-video", default=True, show_default=True, help="Leave out the picture, write the truth only."
)
def simulate(
    *,
    game: str | None,
    strokes: int | None,
    case: str | None,
    list_cases: bool,
    dataset: bool,
    scenes: int,
    pictures: int,
    seed: int,
    out: Path | None,
    difficulty: str | None,
    fps: float | None,
    size_px: tuple[int, int],
    place_mm: tuple[float, float, float] | None,
    skill: float,
    table_mm: tuple[float, float] | None,
    lag: bool,
    sensors: bool,
    video: bool,
) -> None:
    """Write a virtual match, case or data set."""
    if list_cases:
        _list_cases()
        return
    from hardware.errors import DeviceMisconfiguredError
    from hardware.virtual.difficulty import Difficulty
    from hardware.virtual.recording import RecordingPlan

    if out is None:
        message = "say where to write it: --out FOLDER"
        raise click.UsageError(message)
    if case is not None and (dataset or game is not None or strokes is not None or table_mm is not None):
        message = (
            f"the case {case} has its own game, table and strokes: leave --game, --strokes, --table, --dataset out"
        )
        raise click.UsageError(message)
    if game is not None:
        _check_game(game)
    hard = Difficulty(difficulty or "easy")
    if dataset:
        _write_dataset(out, game, difficulty, seed=seed, scenes=scenes, pictures=pictures, size_px=size_px)
        return
    plan = RecordingPlan(size_px=size_px, fps=fps, place_mm=place_mm, has_sensors=sensors, has_video=video)
    try:
        if case is not None:
            performance = _perform(case, seed, hard)
        elif game is not None and strokes is not None:
            performance = _play(game, strokes, seed, hard, _table(game, table_mm), skill=skill, lag=lag)
        else:
            message = "say what to write: --game and --strokes, --case or --dataset"
            raise click.UsageError(message)
        _record(performance, plan, out)
    except DeviceMisconfiguredError as error:
        raise click.UsageError(str(error)) from error


def _list_cases() -> None:
    """Print the cases, one a line."""
    from hardware.virtual.cases import CASES

    width = max(map(len, CASES))
    for case in CASES.values():
        click.echo(f"{case.name:{width}}  {case.about}")


def _check_game(game: str) -> None:
    """Refuse a game that the virtual players do not know."""
    from hardware.virtual.games import UnknownGameError, game_script

    try:
        game_script(game)
    except UnknownGameError as error:
        raise click.UsageError(str(error)) from error


def _table(game: str, table_mm: tuple[float, float] | None) -> "Table":
    """The table, or a refusal."""
    from scoring.table import Table

    length_mm, width_mm = table_mm or (_KAISA_TABLE_MM if game == "kaisa" else _LONG_TABLE_MM)
    try:
        table = Table(length_mm=length_mm, width_mm=width_mm)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if length_mm < _SMALLEST_TABLE_MM[0] or width_mm < _SMALLEST_TABLE_MM[1]:
        message = (
            f"a virtual table of {length_mm:g} x {width_mm:g} mm is too small to play on; make it 2000 x 1000 or more"
        )
        raise click.UsageError(message)
    return table


def _perform(case: str, seed: int, difficulty: "Difficulty") -> "Performance":
    """A scripted case."""
    from hardware.virtual.cases import UnknownCaseError
    from hardware.virtual.performance import perform_case

    try:
        return perform_case(case, seed, difficulty)
    except UnknownCaseError as error:
        raise click.UsageError(str(error)) from error


def _play(
    game: str, strokes: int, seed: int, difficulty: "Difficulty", table: "Table", *, skill: float, lag: bool
) -> "Performance":
    """A match."""
    from hardware.virtual.match import MatchPlan
    from hardware.virtual.performance import play_match

    plan = MatchPlan(game=game, seed=seed, difficulty=difficulty, table=table, skill=skill, has_lag=lag)
    return play_match(plan, strokes)


def _record(performance: "Performance", plan: "RecordingPlan", out: Path) -> None:
    """Write a performance and say what came of it."""
    from hardware.virtual.recording import record

    recorded = _with_progress(out, "frames", lambda progress: record(performance, plan, out, progress))
    score = " : ".join(f"{player} {points}" for player, points in recorded.scores.items())
    played = f"{len(recorded.timeline.parts)} strokes in {recorded.timeline.duration_s:.0f} s{score and f', {score}'}"
    click.echo(f"{out}: {played}{', won by ' + ' and '.join(recorded.winners) if recorded.winners else ''}")


def _write_dataset(
    out: Path,
    game: str | None,
    difficulty: str | None,
    *,
    seed: int,
    scenes: int,
    pictures: int,
    size_px: tuple[int, int],
) -> None:
    """Write a data set and say what is in it."""
    from hardware.errors import DeviceMisconfiguredError
    from hardware.virtual.dataset import DatasetPlan, write_dataset
    from hardware.virtual.difficulty import Difficulty
    from hardware.virtual.games import playable_games

    try:
        plan = DatasetPlan(
            seed=seed,
            scenes=scenes,
            pictures=pictures,
            games=(game,) if game else playable_games(),
            difficulties=(Difficulty(difficulty),) if difficulty else tuple(Difficulty),
            size_px=size_px,
        )
    except DeviceMisconfiguredError as error:
        raise click.UsageError(str(error)) from error
    written = _with_progress(out, "pictures", lambda progress: write_dataset(plan, out, progress))
    counts = ", ".join(f"{split} {count}" for split, count in written.pictures.items())
    boxes = ", ".join(f"{name} {count}" for name, count in written.boxes.items())
    click.echo(f"{out}: {counts} pictures; boxes: {boxes}")


def _with_progress(out: Path, what: str, work: "Callable[[Callable[[int, int], None]], Done]") -> Done:
    """Do long work with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from server.errors import ServerError

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn(f"{{task.completed}}/{{task.total}} {what}"))
    bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True))
    task = bar.add_task("writing", total=None)

    def show(done: int, total: int) -> None:
        bar.start()  # only now: what is refused before shows no bar
        bar.update(task, completed=done, total=total)

    try:
        return work(show)
    except OSError as error:
        message = f"cannot write to {out}: {error.strerror or error}; choose a folder you may write to"
        raise ServerError(message) from error
    finally:
        if bar.live.is_started:
            bar.stop()
