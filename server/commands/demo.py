"""`cuemarker demo`: a virtual table through the real pipeline."""

import os
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import socket

    from server.compose import Hall
    from server.hub import Hub

_CLIPS_UP_TO = 1.5  # a match that is played faster leaves no time for clips
GAMES = ("russian-party", "five-balls", "kaisa", "small-pyramid", "big-pyramid")


@click.command(
    epilog="Example: cuemarker demo --game kaisa --speed 2 --strokes 5 --no-browser",
    short_help="Play a virtual table through the real pipeline and show its scoreboard.",
)
@click.option("--game", type=click.Choice(GAMES), default="kaisa", show_default=True, help="The game that is played.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port to listen on; 0 takes any free one. Default: 8080, or a free one when that is taken.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 20.0),
    default=1.0,
    show_default=True,
    help="How many times faster than life it is played.",
)
@click.option("--strokes", type=click.IntRange(1), help="End after so many strokes.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Which match is played.")
@click.option("--verbose", is_flag=True, help="Log more.")
def demo(
    game: str, port: int | None, no_browser: bool, speed: float, strokes: int | None, seed: int, verbose: bool
) -> None:
    """Play a virtual table through the real pipeline and show its scoreboard.

    A rendered camera films virtual players; vision, rules, journal and scoreboard are the real ones.
    """
    from hardware.virtual.games import playable_games
    from server.config import EvidenceConfig, GameConfig, HallConfig, ServerConfig, TableConfig
    from server.logs import set_up_logs
    from server.runtime import serve_hall
    from server.table_process import TableTask

    if game not in playable_games():
        message = f"the virtual players do not play {game}; choose one of {', '.join(playable_games())}"
        raise click.UsageError(message)
    halls: list[Hall] = []

    def opened(hall: "Hall") -> None:
        """Remember the hall for the last line, and show the page."""
        halls.append(hall)
        if not no_browser and _has_screen():
            webbrowser.open(url)

    listening = _listen(port)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}/display/demo"
    set_up_logs(verbose=verbose)
    table = TableConfig(
        id="demo",
        name="Cuemarker",
        source=f"virtual:{game}?seed={seed}",
        default=GameConfig.model_validate({"game": game}),
    )
    with tempfile.TemporaryDirectory(prefix="cuemarker-demo-") as folder:
        server = ServerConfig(port=listening.getsockname()[1], database=f"sqlite:///{Path(folder) / 'demo.sqlite'}")
        evidence = EvidenceConfig(keep=speed <= _CLIPS_UP_TO, folder=Path(folder) / "clips", limit_mb=500)
        click.echo(f"The virtual table is shown at {url} (Ctrl+C ends)")
        serve_hall(
            HallConfig(server=server, evidence=evidence, tables=(table,)),
            listening,
            tasks=[TableTask(config=table, speed=speed, strokes=strokes, evidence=evidence)],
            until_finished=strokes is not None,
            when_open=opened,
        )
        click.echo(_outcome(halls[0].hub) if halls else "nothing was played")


def _listen(port: int | None) -> "socket.socket":
    from server.config import DEFAULT_PORT
    from server.errors import ServerError
    from server.runtime import listen

    if port is not None:
        return listen("127.0.0.1", port)
    try:
        return listen("127.0.0.1", DEFAULT_PORT)
    except ServerError:
        return listen("127.0.0.1", 0)


def _has_screen() -> bool:
    """Whether a browser could be seen."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _outcome(hub: "Hub") -> str:
    """What was played, in one line."""
    table = hub.table("demo")
    if table.match.play is None:
        return "no match was begun"
    names = [side.name for side in table.match.started.terms.setup.sides]
    score = ", ".join(f"{name} {points}" for name, points in zip(names, table.match.standing.scores, strict=True))
    return f"{table.match.standing.strokes} strokes, {table.corrections} seen wrongly and corrected; {score}"
