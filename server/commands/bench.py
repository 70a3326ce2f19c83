"""The command `cuemarker bench`: how exact and how fast all of it is on this machine."""

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from server.bench.printing import console, print_json, say_machine
from server.commands.bench_cases import cases
from server.commands.bench_hands import hands
from server.commands.bench_load import load
from server.commands.bench_match import whole_matches
from server.commands.bench_numbers import numbers
from server.commands.bench_options import json_option, read_seeds
from server.commands.bench_peers import peers
from server.commands.bench_speed import latency, speed, tables

if TYPE_CHECKING:
    from server.bench.matches import EventsPlan, SeenMatch

_EXAMPLE = """Measure accuracy and speed on this machine. Without a table's name a short run of `events`.

\b
Examples:
  cuemarker bench
  cuemarker bench events --seeds 1..10 --difficulty normal --game kaisa --strokes 12
  cuemarker bench real --reference recordings --json
  cuemarker bench vision match-7
  cuemarker bench cases --difficulty normal
  cuemarker bench hands --seeds 1..4 --minutes 5
  cuemarker bench match --game kaisa --seeds 1..20
  cuemarker bench numbers --matches 4
  cuemarker bench speed --json
  cuemarker bench latency --strokes 10
  cuemarker bench calibration --seeds 1..20
"""
_SHORT_STROKES = 3


def _size(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, int]:
    """Read WIDTHxHEIGHT."""
    found = re.fullmatch(r"([1-9]\d{2,3})x([1-9]\d{2,3})", value)
    if not found or int(found[1]) % 2 or int(found[2]) % 2:
        message = f"{value!r} is no picture size; give even numbers, like 1280x720"
        raise click.BadParameter(message, context, parameter)
    return int(found[1]), int(found[2])


@click.group(help=_EXAMPLE, invoke_without_command=True)
@json_option
@click.pass_context
def bench(context: click.Context, *, as_json: bool) -> None:
    """Measure accuracy and speed on this machine."""
    if context.invoked_subcommand is None:
        context.invoke(events, strokes=_SHORT_STROKES, as_json=as_json)
    elif as_json:
        message = f"write --json behind the table's name: cuemarker bench {context.invoked_subcommand} --json"
        raise click.UsageError(message)


@bench.command(epilog="Example: cuemarker bench events --seeds 1..10 --difficulty normal --game kaisa --strokes 12")
@click.option("--seeds", callback=read_seeds, default="1", show_default=True, help="One match for each, like 1..20.")
@click.option("--game", default="kaisa", show_default=True, help="A game that the virtual players know.")
@click.option("--difficulty", type=click.Choice(["easy", "normal", "hard"]), default="easy", show_default=True)
@click.option("--strokes", type=click.IntRange(min=1), default=12, show_default=True, help="Of each match.")
@click.option("--fps", type=click.FloatRange(min=5, max=240), help="Frames per second; as the virtual camera has it.")
@click.option("--size", "size_px", callback=_size, default="1280x720", show_default=True, help="WIDTHxHEIGHT.")
@click.option("--sensors", is_flag=True, help="With pocket sensors.")
@click.option("--encoded", is_flag=True, help="Through an H.264 file, as a recording is written.")
@json_option
def events(
    *,
    seeds: tuple[int, ...],
    game: str,
    difficulty: str,
    strokes: int,
    fps: float | None,
    size_px: tuple[int, int],
    sensors: bool,
    encoded: bool,
    as_json: bool,
) -> None:
    """Virtual matches seen by the real pipeline, events and strokes against the truth."""
    from hardware.virtual.difficulty import Difficulty
    from hardware.virtual.games import UnknownGameError, game_script
    from server.bench.match_tables import events_json, figures_of, kinds_table, stroke_line, strokes_table
    from server.bench.matches import EventsPlan

    try:
        game_script(game)
    except UnknownGameError as error:
        raise click.UsageError(str(error)) from error
    plan = EventsPlan(
        game=game,
        difficulty=Difficulty(difficulty),
        strokes=strokes,
        fps=fps,
        size_px=size_px,
        has_sensors=sensors,
        is_encoded=encoded,
    )
    matches = _see(plan, seeds)
    figures = figures_of(matches)
    asked = {
        "game": game,
        "difficulty": difficulty,
        "strokes": strokes,
        "size_px": list(size_px),
        "sensors": sensors,
        "encoded": encoded,
    }
    if as_json:
        print_json("events", asked | events_json(matches, figures))
        return
    console().print(kinds_table(figures), strokes_table(figures))
    rates = ", ".join(f"{rate:g}" for rate in sorted({match.fps for match in matches}))
    _say(f"{game}, {difficulty}, {size_px[0]}x{size_px[1]} at {rates} fps{', sensors' if sensors else ''}")
    _say(f"vision: {figures.ms_per_frame:.2f} ms of CPU for each of {figures.frames} frames")
    for match in matches:
        for stroke in match.comparison.strokes:
            if stroke.verdict != "exact":
                _say(stroke_line(match.seed, stroke))
    say_machine()


@bench.command(epilog="Example: cuemarker bench real --reference recordings")
@click.option(
    "--reference",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    required=True,
    help="Folder with recordings, NAME.truth.json and NAME.tracks.json.",
)
@click.option("--only", default="", help="Only recordings whose name contains this.")
@json_option
def real(*, reference: Path, only: str, as_json: bool) -> None:
    """Real recordings, calibrated without a click, against what a person saw in them."""
    from server.bench.footage import footage_in
    from server.bench.footage_run import check_footage
    from server.bench.footage_tables import footage_json, footage_lines, footage_table
    from server.errors import ServerError
    from server.progress import FrameProgress

    chosen = [footage for footage in footage_in(reference) if only in footage.name]
    if not chosen:
        message = f"no recording in {reference} has a name that contains {only!r}"
        raise ServerError(message)
    with FrameProgress() as progress:
        checks = [check_footage(footage, progress.begin(footage.name)) for footage in chosen]
    if as_json:
        print_json("real", {"recordings": [footage_json(check) for check in checks]})
        return
    console().print(footage_table(checks))
    for check in checks:
        for line in footage_lines(check):
            _say(line)
    say_machine()


@bench.command(epilog="Example: cuemarker bench balls --reference recordings")
@click.option(
    "--reference",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    required=True,
    help="Folder with recordings, stills and what was marked in them.",
)
@click.option("--only", default="", help="Only sources whose name contains this.")
@json_option
def balls(*, reference: Path, only: str, as_json: bool) -> None:
    """Balls marked in real pictures, by each way of looking: recall, precision, error in px."""
    from server.bench.balls import count_balls

    rows: list[dict[str, Any]] = []
    for count in count_balls(reference, only):
        error = None if count.error_px is None else round(count.error_px, 2)
        row = {"source": count.source, "way": count.way, "pictures": count.pictures, "balls": count.true}
        row |= {"recall": round(count.recall, 4), "precision": round(count.precision, 4), "error_px": error}
        row |= {"false": count.false, "note": count.note}
        rows.append(row)
        if not as_json:
            _say(
                f"{count.source}, {count.way}: {count.pictures} pictures, recall {count.recall:.4f} of {count.true}, "
                f"precision {count.precision:.4f}, error {'-' if error is None else f'{error:.2f}'} px"
                f"{count.note and f' ({count.note})'}"
            )
    if as_json:
        print_json("balls", {"counts": rows})
    else:
        say_machine()


@bench.command(epilog="Example: cuemarker bench calibration --seeds 1..50 --json")
@click.option(
    "--seeds", callback=read_seeds, default="1..3", show_default=True, help="Two tables for each, like 1..20."
)
@click.option(
    "--difficulty", "difficulties", type=click.Choice(["easy", "normal", "hard"]), multiple=True, help="[normal, hard]"
)
@click.option(
    "--reference",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Instead: a folder with recordings and pictures, with NAME.truth.json where corners were marked.",
)
@click.option("--only", default="", help="Only files whose name contains this.")
@click.option("--overlays", type=click.Path(path_type=Path), help="Write each file's picture with the fit drawn in.")
@json_option
def calibration(
    *,
    seeds: tuple[int, ...],
    difficulties: tuple[str, ...],
    reference: Path | None,
    only: str,
    overlays: Path | None,
    as_json: bool,
) -> None:
    """Unseen virtual tables, or real pictures, calibrated without a click, against the truth."""
    from hardware.virtual.difficulty import Difficulty
    from server.bench.calibration import measure_all
    from server.bench.calibration_files import check_files
    from server.bench.calibration_tables import (
        calibration_figures,
        calibration_json,
        case_line,
        errors_table,
        files_json,
        files_summary,
        files_table,
        shares_table,
    )

    if reference is not None:
        files = check_files(reference, only, overlays)
        if as_json:
            print_json("calibration", files_json(files))
            return
        console().print(files_table(files))
        _say(files_summary(files))
        say_machine()
        return
    cases = measure_all(seeds, [Difficulty(word) for word in difficulties or ("normal", "hard")])
    figures = calibration_figures(cases)
    if as_json:
        print_json("calibration", calibration_json(cases, figures))
        return
    for case in cases:
        _say(case_line(case))
    console().print(shares_table(figures), errors_table(figures))
    say_machine()


@bench.command(epilog="Example: cuemarker bench vision match-7 recordings --detector contrast --detector fused")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--detector",
    "ways",
    multiple=True,
    default=("fused",),
    show_default=True,
    help="Way of looking; may be given again.",
)
@json_option
def vision(*, folders: tuple[Path, ...], ways: tuple[str, ...], as_json: bool) -> None:
    """The detector alone: every ball in every frame, in folders of `simulate` or of real clips with tracks."""
    from server.accuracy import clips_in, score_clip

    rows: list[dict[str, Any]] = []
    for folder in folders:
        for clip, way in product(clips_in(folder), ways):
            score = score_clip(clip, way)
            rows.append(score.figures(clip.name) | {"detector": way})
            if not as_json:
                _say(score.line(f"{clip.name}, {way}"))
    if as_json:
        print_json("vision", {"clips": rows})
    else:
        say_machine()


@bench.command(epilog="Example: cuemarker bench physics reference")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@json_option
def physics(*, folder: Path, as_json: bool) -> None:
    """The virtual table's physics against strokes that another engine has computed."""
    from hardware.virtual.physics.comparison import compare
    from server.errors import ServerError

    if not (folder / "physics" / "strokes.json").is_file():
        message = f"{folder} holds no physics/strokes.json; name the folder with the reference strokes"
        raise ServerError(message)
    agreement = compare(folder)
    figures = {
        "strokes": len(agreement.strokes),
        "first_contact_agrees": round(agreement.first_share, 4),
        "first_contact_within_10_ms": round(agreement.first_in_time_share, 4),
        "first_three_in_order": round(agreement.three_share, 4),
    }
    if as_json:
        print_json("physics", figures)
        return
    for name, value in figures.items():
        _say(f"{name.replace('_', ' ')}: {value}")
    say_machine()


@bench.command(epilog="Example: cuemarker bench soak --cycles 200")
@click.option("--cycles", type=click.IntRange(min=1), default=100, show_default=True, help="Faults, one after another.")
@json_option
def soak(*, cycles: int, as_json: bool) -> None:
    """A table whose camera and sensors fail in turn: how soon that is told and healed, what is lost, what grows."""
    from server.bench.soak_lines import soak_figures, soak_lines, soaked

    report = soaked(cycles, lambda number: click.echo(f"{number} of {cycles}", err=True))
    if as_json:
        print_json("soak", soak_figures(report))
        return
    for line in soak_lines(report):
        _say(line)
    say_machine()


def _see(plan: "EventsPlan", seeds: tuple[int, ...]) -> "list[SeenMatch]":
    """Every seed's match, with progress on standard error."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    from server.bench.matches import see_match

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("playing", total=None)

        def heard(seed: int) -> Callable[[int], None]:
            return lambda frames: bar.update(task, description=f"seed {seed}: {frames} frames seen")

        return [see_match(plan, seed, heard(seed)) for seed in seeds]


def _say(line: str) -> None:
    click.echo(line)


bench.add_command(cases)
bench.add_command(hands)
bench.add_command(whole_matches)
bench.add_command(numbers)
bench.add_command(latency)
bench.add_command(peers)
bench.add_command(load)
bench.add_command(speed)
bench.add_command(tables)
