"""`cuemarker backup`: a hall in one file."""

from pathlib import Path

import click


@click.command(
    epilog="Example: cuemarker backup /media/stick/monday.cuemarker --config HALL.toml",
    short_help="Write the hall's journal and settings into one file.",
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--config",
    "config_path",
    default="hall.toml",
    show_default=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The hall file.",
)
def backup(file: Path, config_path: Path) -> None:
    """Write the hall's journal, hall file, table files and secret into FILE; the hall may run meanwhile.

    Whoever has FILE can make join codes: keep it where only staff can read it.
    """
    from server.backup import back_up

    for left_out in back_up(config_path, file):
        click.echo(f"not in it, because it lies elsewhere: {left_out}")
    click.echo(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
