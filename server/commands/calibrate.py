"""The command `cuemarker calibrate`: finds the table in a camera's picture and writes its table file."""

import math
from pathlib import Path

import click

from scoring.balls import Ball

_EXAMPLE = """Find the table in a camera, a video or an image, without a click, and write the table file.

The whole table must be in view, lit, and nobody should lean over it. Length and width are between the cushion noses,
in mm. The certificate says by how many millimetres a ball at each pocket may be wrong.

\b
Examples:
  cuemarker calibrate --source usb:0 --length 2840 --width 1420 --out table.toml
  cuemarker calibrate --source match.mp4 --length 2840 --width 1420 --ball 61.5 --pockets none \\
      --balls white,yellow,red --house right --out carom.toml

Nothing is written, and the exit code is 1, when the result is not good enough.
"""


def _positive(_: click.Context, option: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        message = f"{value:g} is no length in mm"
        raise click.BadParameter(message, param=option)
    return value


@click.command(help=_EXAMPLE)
@click.option("--source", required=True, help="usb:0, rtsp://..., a video file or an image.")
@click.option("--length", "length_mm", type=float, required=True, callback=_positive, help="Nose to nose, mm.")
@click.option("--width", "width_mm", type=float, required=True, callback=_positive, help="Nose to nose, mm.")
@click.option("--ball", "ball_mm", type=float, callback=_positive, help="The balls' diameter, mm. [default: 68]")
@click.option(
    "--house",
    type=click.Choice(["left", "right", "top", "bottom"]),
    help="The side of the picture at which the house lies. [default: left, or bottom when the table lies upright]",
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
@click.option("--out", "out_path", type=click.Path(path_type=Path), required=True, help="Table file to write.")
def calibrate(
    *,
    source: str,
    length_mm: float,
    width_mm: float,
    ball_mm: float | None,
    house: str | None,
    names: str | None,
    pockets: str,
    corner_mm: float | None,
    middle_mm: float | None,
    camera_height_mm: float | None,
    name: str | None,
    out_path: Path,
) -> None:
    """Find the table in a camera's picture and write the table file."""
    from calibration.table_file import BallSet
    from scoring.table import STANDARD_BALL_MM, PocketMouths, Table
    from server.calibrating import Request, calibrate_source, certificate_lines

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
        ball_set=ball_set,
        name=name or out_path.stem,
    )
    table_file = calibrate_source(request, out_path)
    for line in certificate_lines(table_file):
        click.echo(line)
    click.echo(f"written: {out_path}")


def _balls(names: str) -> tuple[Ball, ...]:
    """Names between commas as balls; ValueError when one is no ball's name, or given twice."""
    balls = tuple(Ball(part.strip()) for part in names.split(",") if part.strip())
    if not balls or len(set(balls)) != len(balls) or any(ball.is_unknown for ball in balls):
        message = f"--balls {names!r}: name each ball once, as in white-1,white-2,red-1,red-2,yellow"
        raise ValueError(message)
    return balls
