"""`cuemarker node`: tables whose cameras hang on another machine than the hall's."""

from pathlib import Path

import click


@click.command(
    epilog="""Example: cuemarker node --config NODE.toml

    \b
    The node file, at its shortest; the hall's table has the same id and says source = "node:north":
      [node]
      name = "north"
      [broker]
      url = "nats://hall.lan:4222"
      [[tables]]
      id = "one"
      name = "Table 1"
      source = "rtsp://camera-1/stream"
      table_file = "one.toml"
    """,
    short_help="Watch tables on this machine for a hall on another one.",
)
@click.option(
    "--config",
    "config_path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The node file: [node], [broker] and one [[tables]] per table.",
)
@click.option("--verbose", is_flag=True, help="Log more.")
def node(config_path: Path, verbose: bool) -> None:
    """Watch this machine's tables and send what is seen to the hall over a broker, until Ctrl+C.

    What the hall has not stored yet is kept on this machine's disk, however long the network is away.
    """
    import asyncio

    from server.logs import set_up_logs
    from server.nodes.broker import check_client
    from server.nodes.node import open_node
    from server.nodes.node_file import read_node
    from server.tasks import stop_signal

    config = read_node(config_path)
    check_client()
    set_up_logs(verbose=verbose, form=config.node.log_format)

    async def run() -> None:
        """Until somebody stops it."""
        stopped = stop_signal()
        async with open_node(config):
            await stopped.wait()

    asyncio.run(run())
