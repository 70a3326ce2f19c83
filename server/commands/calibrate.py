"""The command `cuemarker calibrate`: finds the table in a camera's picture and writes its table file."""

import math
from pathlib import Path
from typing import Literal

import click

from scoring.balls import Ball

_EXAMPLE = """Find the table in a camera, a video or an image, without a click, and write the table file.

The whole table must be in view (or one end, see below), lit, and nobody should lean over it. Length and width are
between the cushion noses, in mm; without them the table has the usual size that its balls tell. The certificate says by
how many millimetres a ball at each pocket may be wrong.

\b
Examples:
  cuemarker calibrate --source usb:0 --length 2840 --width 1420 --out table.toml
  cuemarker calibrate --source match.mp4 --length 2840 --width 1420 --ball 61.5 --pockets none \\
      --balls white,yellow,red --house right --out carom.toml

A lens told by a printed board makes tables exact of which little can be seen:

\b
  cuemarker calibrate --print-board board.pdf
  cuemarker calibrate --source usb:0 --length 2840 --width 1420 --board views.mp4 --out table.toml

One of two cameras that each see one end of the table:

\b
  cuemarker calibrate --source usb:0 --length 3550 --width 1775 --view front --out front.toml
  cuemarker calibrate --source usb:1 --length 3550 --width 1775 --view rear --out rear.toml

Nothing is written, and the exit code is 1, when the result is not good enough. What was there before is kept:

\b
  cuemarker calibrate --out table.toml --history
  cuemarker calibrate --out table.toml --restore 1
"""

_USUAL_SIZE_MM = (2840.0, 1420.0)  # a table of unknown size is first taken to have this one


def _positive(_: click.Context, option: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        message = f"{value:g} is no length in mm"
        raise click.BadParameter(message, param=option)
    return value


@click.command(help=_EXAMPLE)
@click.option("--source", help="usb:0, rtsp://..., a video file or an image.")
@click.option(
    "--length", "length_mm", type=float, callback=_positive, help="Nose to nose, mm. [default: as the balls tell]"
)
@click.option(
    "--width", "width_mm", type=float, callback=_positive, help="Nose to nose, mm. [default: as the balls tell]"
)
@click.option("--ball", "ball_mm", type=float, callback=_positive, help="The balls' diameter, mm. [default: 68]")
@click.option(
    "--house",
    type=click.Choice(["left", "right", "top", "bottom"]),
    help="The side of the picture at which the house lies. [default: where the house line is, else left or bottom]",
)
@click.option(
    "--view",
    type=click.Choice(["front", "rear"]),
    help="The end that this camera sees when it does not see the other one; front is the house's. "
    "[default: the whole table]",
)
@click.option("--balls", "names", help="The balls that may lie on the table, as in white-1,white-2,red-1,red-2,yellow.")
@click.option(
    "--pockets",
    type=click.Choice(["auto", "six", "none"]),
    default="auto",
    show_default=True,
    help="Whether the table has pockets; auto looks for them.",
)
@click.option("--corner-mouth", "corner_mm", type=float, callback=_positive, help="Between the jaws, mm.")
@click.option("--middle-mouth", "middle_mm", type=float, callback=_positive, help="Between the jaws, mm.")
@click.option(
    "--camera-height",
    "camera_height_mm",
    type=float,
    callback=_positive,
    help="The lens over the cloth, mm, when somebody has measured it: makes a camera straight above more exact.",
)
@click.option("--name", help="What the table is called. [default: the name of the file]")
@click.option("--out", "out_path", type=click.Path(path_type=Path), help="Table file to write.")
@click.option("--print-board", type=click.Path(path_type=Path), help="Write a board to print (PDF, A3) and do no more.")
@click.option(
    "--board",
    "board_paths",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A picture or recording of the printed board, taken by this camera; give it several times. Makes the lens "
    "known; which views are still missing is told.",
)
@click.option("--history", is_flag=True, help="List the earlier calibrations of --out and do nothing else.")
@click.option("--restore", type=click.IntRange(min=1), help="Bring back an earlier calibration by its number.")
def calibrate(
    *,
    source: str | None,
    length_mm: float | None,
    width_mm: float | None,
    ball_mm: float | None,
    house: str | None,
    view: Literal["front", "rear"] | None,
    names: str | None,
    pockets: str,
    corner_mm: float | None,
    middle_mm: float | None,
    camera_height_mm: float | None,
    name: str | None,
    out_path: Path | None,
    print_board: Path | None,
    board_paths: tuple[Path, ...],
    history: bool,
    restore: int | None,
) -> None:
    """Find the table in a camera's picture and write the table file."""
    from calibration.table_file import BallSet
    from scoring.table import STANDARD_BALL_MM, PocketMouths, Table
    from server.calibrating import Request, calibrate_source, certificate_lines
    from server.lens_views import lens_from_files

    if print_board is not None:
        _print_board(print_board)
        return
    if out_path is None:
        message = "Missing option --out."
        raise click.UsageError(message)
    if history or restore is not None:
        _earlier(out_path, restore)
        return
    is_size_told = length_mm is not None or width_mm is not None
    length_mm, width_mm = (length_mm, width_mm) if is_size_told else _USUAL_SIZE_MM
    if source is None or length_mm is None or width_mm is None:
        missing = [
            word
            for word, value in (("--source", source), ("--length", length_mm), ("--width", width_mm))
            if value is None
        ]
        message = f"Missing option {', '.join(missing)}."
        raise click.UsageError(message)
    if view is not None and (not is_size_told or house is not None):
        message = "--view tells where the house is and needs --length and --width: leave --house out, give the measures"
        raise click.UsageError(message)
    usual = PocketMouths()
    try:
        ball_set = BallSet() if names is None else BallSet(balls=_balls(names))
        table = Table(
            length_mm=length_mm,
            width_mm=width_mm,
            ball_mm=STANDARD_BALL_MM if ball_mm is None else ball_mm,
            pockets=PocketMouths(corner_mm=corner_mm or usual.corner_mm, middle_mm=middle_mm or usual.middle_mm),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if not out_path.resolve().parent.is_dir():
        message = f"there is no folder {out_path.parent} to write the table file to"
        raise click.UsageError(message)
    request = Request(
        source=source,
        table=table,
        pockets=pockets,
        house=house,
        camera_height_mm=camera_height_mm,
        lens=lens_from_files(board_paths) if board_paths else None,
        ball_set=ball_set,
        name=name or out_path.stem,
        is_size_told=is_size_told,
        view=view,
    )
    result = calibrate_source(request, out_path)
    for line in (*certificate_lines(result.table_file), *result.notes):
        click.echo(line)
    click.echo(f"written: {out_path}")


def _print_board(path: Path) -> None:
    """Write the board's page."""
    from calibration.targets import BoardSpecification, write_board_pdf

    specification = BoardSpecification()
    write_board_pdf(specification, path)
    click.echo(specification.words)
    click.echo(f"written: {path}")


def _earlier(out_path: Path, restore: int | None) -> None:
    """List the earlier calibrations, or bring one back."""
    from calibration.history import earlier_calibrations, restore_calibration

    if restore is not None:
        restore_calibration(out_path, restore)
        click.echo(f"brought back: {out_path}")
        return
    earlier = earlier_calibrations(out_path)
    for each in earlier:
        certificate = each.table_file.certificate
        if certificate is None:
            click.echo(f"{each.number}: without a certificate")
            continue
        worst_mm = max(certificate.pocket_error_mm.values(), default=0.0)
        click.echo(f"{each.number}: {certificate.date:%Y-%m-%d %H:%M}, {certificate.verdict}, to {worst_mm:.1f} mm")
    if not earlier:
        click.echo(f"{out_path} has no earlier calibration")


def _balls(names: str) -> tuple[Ball, ...]:
    """Names between commas as balls; ValueError when one is no ball's name, or given twice."""
    balls = tuple(Ball(part.strip()) for part in names.split(",") if part.strip())
    if not balls or len(set(balls)) != len(balls) or any(ball.is_unknown for ball in balls):
        message = f"--balls {names!r}: name each ball once, as in white-1,white-2,red-1,red-2,yellow"
        raise ValueError(message)
    return balls
