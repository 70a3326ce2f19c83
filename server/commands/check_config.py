"""`cuemarker check-config`: everything that is wrong with a hall file."""

from pathlib import Path

import click


@click.command(
    name="check-config",
    epilog="Example: cuemarker check-config HALL.toml",
    short_help="List everything that is wrong with a hall file.",
)
@click.argument("hall", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_context
def check_config(context: click.Context, hall: Path) -> None:
    """List every fault of the HALL file with its key, a line each; exit 0 when there is none.

    Unknown keys are faults, and so are files that it names and that cannot be used.
    """
    from server.config_check import faults_in

    faults = faults_in(hall)
    for fault in faults:
        click.echo(f"{hall}: {fault}")
    click.echo(f"{len(faults)} faults" if len(faults) != 1 else "1 fault")
    context.exit(1 if faults else 0)
