"""The command `cuemarker analyze`: a recorded video to table events."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

import click

_EXAMPLE = """Look through a recorded SOURCE and tell what happened on the table.

\b
Examples:
  cuemarker analyze match.mp4 --table hall-1.toml --events -
  cuemarker analyze match.mp4 --table hall-1.toml --game kaisa --sensors sensors.txt \\
      --events events.jsonl --tracks tracks.csv --overlay seen.mp4

Without --game any set of balls is accepted: the table file's own, and `ball-?n` for what is not in it.
"""


@click.command(help=_EXAMPLE)
@click.argument("source")
@click.option(
    "--table", "table_path", type=click.Path(path_type=Path), required=True, help="Table file made by calibrate."
)
@click.option("--game", help="Whose balls to look for.")
@click.option("--events", "events_path", help="Where to write the events as JSON Lines; - is standard output.")
@click.option("--tracks", "tracks_path", type=click.Path(path_type=Path), help="Where to write the balls' ways as CSV.")
@click.option("--overlay", "overlay_path", type=click.Path(path_type=Path), help="Video that shows what was seen.")
@click.option("--sensors", "sensors_path", type=click.Path(path_type=Path), help="Recorded lines of a sensor board.")
@click.option("--detector", default="fused", show_default=True, help="Way of looking.")
def analyze(
    *,
    source: str,
    table_path: Path,
    game: str | None,
    events_path: str | None,
    tracks_path: Path | None,
    overlay_path: Path | None,
    sensors_path: Path | None,
    detector: str,
) -> None:
    """Turn a recorded video into table events."""
    from calibration.store import load_table_file
    from hardware.boards.recorded import open_board
    from scoring.events import TableEvent
    from scoring.games import GAMES, game_named
    from server.analysis import Job, analyze_source, event_line, write_overlay, write_tracks
    from server.frame_rate import slow_rate
    from server.progress import FrameProgress

    if not (events_path or tracks_path or overlay_path):
        message = "nothing to write: give --events, --tracks or --overlay"
        raise click.UsageError(message)
    if game is not None and game not in GAMES:
        message = f"no game is called {game!r}; choose one of {', '.join(GAMES)}"
        raise click.UsageError(message)
    table_file = load_table_file(table_path)
    board = open_board(str(sensors_path)) if sensors_path is not None else None
    with ExitStack() as stack:
        events_file = _opened(stack, events_path)
        tracks_file = _opened(stack, str(tracks_path) if tracks_path is not None else None)

        def tell(event: TableEvent) -> None:
            if events_file is not None:
                print(event_line(event), file=events_file, flush=True)

        progress = stack.enter_context(FrameProgress())
        job = Job(
            source=source,
            table_file=table_file,
            balls=game_named(game).balls if game is not None else None,
            detector=detector,
            board=board,
            progress=progress.begin("looking"),
        )
        analysis = analyze_source(job, tell)
        if tracks_file is not None:
            write_tracks(analysis, tracks_file)
        if overlay_path is not None:
            from dataclasses import replace

            write_overlay(replace(job, progress=progress.begin("drawing")), analysis, overlay_path)
    if analysis.seconds > 0 and (warning := slow_rate((analysis.frames - 1) / analysis.seconds)):
        click.echo(warning, err=True)
    strokes = sum(event.kind == "strike" for event in analysis.events)
    flagged = sum(event.flagged for event in analysis.events)
    click.echo(
        f"{source}: {analysis.frames} frames, {analysis.seconds:.1f} s: {len(analysis.events)} events, "
        f"{strokes} strokes, {flagged} events flagged as doubtful"
        + (f"; {analysis.odd_frames} odd frames skipped" if analysis.odd_frames else ""),
        err=True,
    )


def _opened(stack: ExitStack, path: str | None) -> TextIO | None:
    """A text file to write, standard output for -, None for nothing."""
    from server.errors import ServerError

    if path is None:
        return None
    if path == "-":
        return sys.stdout
    try:
        return stack.enter_context(Path(path).open("w", encoding="utf-8", newline=""))
    except OSError as error:
        message = f"cannot write {path}: {error.strerror or error}; choose a folder you may write to"
        raise ServerError(message) from error
