"""`cuemarker restore`: a hall out of its backup."""

from pathlib import Path

import click


@click.command(
    epilog="Example: cuemarker restore /media/stick/monday.cuemarker --config HALL.toml",
    short_help="Put the hall's journal and settings back from a backup.",
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option(
    "--config",
    "config_path",
    default="hall.toml",
    show_default=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The hall file; where there is none, the backup's is written.",
)
def restore(file: Path, config_path: Path) -> None:
    """Put the journal of the backup FILE in the place of the hall's; the one that was there is set aside.

    Settings that are missing are written, those that exist are kept. The hall must not run.
    """
    from server.backup import restore as put_back

    done = put_back(file, config_path)
    for path in done.written:
        click.echo(f"written: {path}")
    for path in done.kept:
        click.echo(f"kept as it was: {path}")
    if done.aside is not None:
        click.echo(f"the journal before is now {done.aside}")
