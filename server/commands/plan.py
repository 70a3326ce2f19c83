"""The command `cuemarker plan`: what a camera over a table would see, before anything is bought or screwed on."""

import math
import re
from pathlib import Path

import click

_HELP = """Work out an installation: how large a ball is in the picture, how it blurs, how exact places will be.

The camera hangs straight above the table's middle, its picture along the table. Length and width are between the
cushion noses, the height is the lens's over the cloth, the angle of view is the horizontal one.

\b
Example:
  cuemarker plan --length 3550 --width 1775 --height 2600 --camera 1920x1080@60 --fov 78 --drawing plan.svg
"""
_CAMERA = re.compile(r"(\d{2,5})x(\d{2,5})@(\d+(?:\.\d+)?)")


@click.command(help=_HELP)
@click.option("--length", "length_mm", type=click.FloatRange(min=0, min_open=True), required=True, help="mm.")
@click.option("--width", "width_mm", type=click.FloatRange(min=0, min_open=True), required=True, help="mm.")
@click.option("--ball", "ball_mm", type=click.FloatRange(min=0, min_open=True), default=68.0, show_default=True)
@click.option("--height", "height_mm", type=click.FloatRange(min=0, min_open=True), required=True, help="mm.")
@click.option("--camera", required=True, help="WIDTHxHEIGHT@FPS, as in 1920x1080@60.")
@click.option("--fov", "fov_deg", type=click.FloatRange(1, 169), required=True, help="Horizontal, degrees.")
@click.option("--drawing", type=click.Path(path_type=Path), help="Write a drawing (SVG) into this file.")
def plan(
    *,
    length_mm: float,
    width_mm: float,
    ball_mm: float,
    height_mm: float,
    camera: str,
    fov_deg: float,
    drawing: Path | None,
) -> None:
    """Work out an installation."""
    from calibration.planning import CameraChoice, plan_installation
    from scoring.table import Table
    from server.errors import ServerError

    match = _CAMERA.fullmatch(camera)
    if match is None:
        message = f"--camera {camera!r}: expected WIDTHxHEIGHT@FPS, as in 1920x1080@60"
        raise click.UsageError(message)
    try:
        table = Table(length_mm=length_mm, width_mm=width_mm, ball_mm=ball_mm)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    choice = CameraChoice(
        size_px=(int(match[1]), int(match[2])), fps=float(match[3]), fov_rad=math.radians(fov_deg), height_mm=height_mm
    )
    result = plan_installation(table, choice)
    click.echo(f"scale: {result.px_per_mm:.3f} px per mm; a ball is {result.ball_px:.1f} px wide")
    for shutter_s, rolling_px, break_px in result.blur_px:
        click.echo(f"shutter 1/{1 / shutter_s:.0f} s: {rolling_px:.1f} px blur at 3 m/s, {break_px:.1f} px at 8 m/s")
    if result.pocket_error_mm is None:
        click.echo("error at the pockets: none can be promised, the cushions are cut off")
    else:
        errors = ", ".join(f"{pocket} {error:.1f}" for pocket, error in result.pocket_error_mm.items())
        click.echo(f"error of a ball's centre, mm: {errors}")
    for side, cut_mm in result.cut_mm.items():
        what = f"{cut_mm:.0f} mm of the rails and more are cut off" if cut_mm > 0 else f"{-cut_mm:.0f} mm to spare"
        click.echo(f"at the {side}: {what}")
    for line in result.advice or ("nothing: this is a good choice",):
        click.echo(f"better: {line}")
    if drawing is not None:
        from calibration.planning_drawing import drawing_of

        try:
            drawing.write_text(drawing_of(table, result), encoding="utf-8")
        except OSError as error:
            message = f"{drawing}: cannot be written ({error.strerror or error}), name a file in a folder that can be"
            raise ServerError(message) from error
        click.echo(f"written: {drawing}")
