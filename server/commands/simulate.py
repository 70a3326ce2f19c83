"""The command `cuemarker simulate`: a virtual match as a video with its truth."""

import re
from pathlib import Path

import click

_EXAMPLE = """Write a virtual match: video.mp4, truth.jsonl, shots.jsonl, sensors.txt, table.toml and meta.json.

\b
Example:
  cuemarker simulate --game kaisa --strokes 12 --seed 7 --difficulty easy --out match-7
"""
_KAISA_TABLE_MM, _LONG_TABLE_MM = (2840.0, 1420.0), (3550.0, 1775.0)
_SMALLEST_TABLE_MM = (2000.0, 1000.0)


def _size_px(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    """Read WIDTHxHEIGHT."""
    found = re.fullmatch(r"([1-9]\d{2,3})x([1-9]\d{2,3})", value)
    if not found or int(found[1]) % 2 or int(found[2]) % 2:
        message = f"{value!r} is no picture size; give even numbers, like 1280x720"
        raise click.BadParameter(message, context, parameter)
    return int(found[1]), int(found[2])


@click.command(help=_EXAMPLE)
@click.option("--game", required=True, help="A game by its name, like kaisa.")
@click.option("--strokes", type=click.IntRange(min=1), required=True, help="How many strokes, if nobody wins before.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed, the same match.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder; made if missing.")
@click.option(
    "--difficulty",
    type=click.Choice(["easy", "normal", "hard"]),
    default="easy",
    show_default=True,
    help="How hard the picture is to read, and how much people are in the way.",
)
@click.option("--fps", type=click.FloatRange(min=5, max=240), help="Frames per second; as the virtual camera has it.")
@click.option("--size", "size_px", callback=_size_px, default="1280x720", show_default=True, help="WIDTHxHEIGHT.")
@click.option("--skill", type=click.FloatRange(0, 1), default=0.8, show_default=True, help="How well they play.")
@click.option(
    "--table", "table_mm", type=(float, float), help="Length and width in mm; 2840 1420 for kaisa, else 3550 1775."
)
@click.option("--lag/--no-lag", default=False, show_default=True, help="Begin with the lag (games with two cue balls).")
@click.option("--sensors/--no-sensors", default=True, show_default=True, help="Pocket sensors beside the camera.")
@click.option(
    "--video/--no-video", default=True, show_default=True, help="Leave out the picture, write the truth only."
)
def simulate(
    *,
    game: str,
    strokes: int,
    seed: int,
    out: Path,
    difficulty: str,
    fps: float | None,
    size_px: tuple[int, int],
    skill: float,
    table_mm: tuple[float, float] | None,
    lag: bool,
    sensors: bool,
    video: bool,
) -> None:
    """Write a virtual match."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from hardware.virtual.difficulty import Difficulty
    from hardware.virtual.games import UnknownGameError, game_script
    from hardware.virtual.match import MatchPlan
    from hardware.virtual.recording import RecordingPlan, record
    from scoring.table import Table
    from server.errors import ServerError

    try:
        game_script(game)
    except UnknownGameError as error:
        raise click.UsageError(str(error)) from error
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
    match = MatchPlan(game=game, seed=seed, difficulty=Difficulty(difficulty), table=table, skill=skill, has_lag=lag)
    plan = RecordingPlan(match=match, strokes=strokes, size_px=size_px, fps=fps, has_sensors=sensors, has_video=video)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} frames"))
    try:
        out.mkdir(parents=True, exist_ok=True)
        with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
            task = bar.add_task("playing", total=None)
            recorded = record(plan, out, lambda done, total: bar.update(task, completed=done, total=total))
    except OSError as error:
        message = f"cannot write the match to {out}: {error.strerror or error}; choose a folder you may write to"
        raise ServerError(message) from error
    score = " : ".join(f"{player} {points}" for player, points in recorded.scores.items())
    played = f"{len(recorded.timeline.parts)} strokes in {recorded.timeline.duration_s:.0f} s, {score}"
    click.echo(f"{out}: {played}{', won by ' + ' and '.join(recorded.winners) if recorded.winners else ''}")
