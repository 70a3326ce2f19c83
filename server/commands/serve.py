"""`cuemarker serve`: the hall."""

from pathlib import Path

import click


@click.command(
    epilog="""Example: cuemarker serve --config HALL.toml

    \b
    The hall file, at its shortest:
      [server]
      host = "0.0.0.0"
      [[tables]]
      id = "one"
      name = "Table 1"
      source = "rtsp://camera-1/stream"
      table_file = "one.toml"
    """,
    short_help="Run the hall: all tables, the scoreboard, the API.",
)
@click.option(
    "--config",
    "config_path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The hall file: [server] and one [[tables]] per table.",
)
@click.option("--verbose", is_flag=True, help="Log more.")
def serve(config_path: Path, verbose: bool) -> None:
    """Run the hall: all tables, the scoreboard, the API, until Ctrl+C.

    The score is kept in a journal beside the hall file; a hall that was killed goes on where the last stroke left it.
    """
    from server.config import read_hall
    from server.housekeeping import Housekeeping
    from server.logs import set_up_logs
    from server.reopening import reopened
    from server.runtime import listen, serve_hall
    from server.standby import follow

    hall = read_hall(config_path)
    listening = listen(hall.server.host, hall.server.port)
    tail = set_up_logs(verbose=verbose, form=hall.server.log_format)
    host, port = listening.getsockname()[:2]
    for table in hall.tables:
        click.echo(f"{table.name}: http://{host}:{port}/display/{table.id} (players: /table/{table.id})")
    click.echo(f"Staff: http://{host}:{port}/hall")
    if not hall.access.staff_pin_hash:
        click.echo("The staff has no PIN yet: make one with `cuemarker secret pin`")
    while True:
        journal = None
        if hall.server.peer and (journal := follow(hall, listening)) is None:
            return
        housekeeping = Housekeeping(hall_file=config_path, log_tail=tail)
        if not serve_hall(hall, listening, housekeeping=housekeeping, journal=journal):
            return
        hall, listening = reopened(config_path, hall, port)
