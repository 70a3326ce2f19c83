"""The command `cuemarker bench peers`: the same clip through other ways of following balls."""

from pathlib import Path

import click

from server.commands.bench_options import json_option


@click.command(epilog="Example: cuemarker bench peers match-7 --peer-python other/bin/python --peer-model balls.pt")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--peer-python", type=click.Path(path_type=Path, exists=True), help="A Python with ultralytics.")
@click.option("--peer-model", type=click.Path(path_type=Path, exists=True), help="The YOLO model that it tracks with.")
@click.option("--peer-px", type=click.IntRange(32, 4096), help="The longer side of its pictures.  [default: as ours]")
@json_option
def peers(
    *, folder: Path, peer_python: Path | None, peer_model: Path | None, peer_px: int | None, as_json: bool
) -> None:
    """A clip that `simulate` wrote, through our pipeline, OpenCV alone, and ultralytics' track() where it is there."""
    from server.bench.peers import compare_peers, peers_json, peers_table
    from server.bench.printing import console, print_json, say_machine

    if (peer_python is None) != (peer_model is None):
        message = "give --peer-python and --peer-model together, or none of them"
        raise click.UsageError(message)
    figures = compare_peers(folder, peer_python, peer_model, peer_px)
    if as_json:
        print_json("peers", {"clip": folder.name} | peers_json(figures))
        return
    console().print(peers_table(figures))
    say_machine()
