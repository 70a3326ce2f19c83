"""The command `cuemarker bench hands`: people over a table at which nobody plays."""

from collections.abc import Callable
from functools import partial

import click

from server.bench.printing import print_json, say_machine, shown_progress
from server.commands.bench_options import json_option, read_seeds


@click.command(epilog="Example: cuemarker bench hands --seeds 1..4 --minutes 5 --game small-pyramid")
@click.option("--seeds", callback=read_seeds, default="1", show_default=True, help="One stretch for each, like 1..20.")
@click.option("--game", default="kaisa", show_default=True, help="A game that the virtual players know.")
@click.option("--difficulty", type=click.Choice(["easy", "normal", "hard"]), default="normal", show_default=True)
@click.option("--minutes", type=click.FloatRange(min=0.1), default=2.0, show_default=True, help="Of each stretch.")
@click.option("--fps", type=click.FloatRange(min=5, max=240), default=60.0, show_default=True)
@json_option
def hands(*, seeds: tuple[int, ...], game: str, difficulty: str, minutes: float, fps: float, as_json: bool) -> None:
    """Minutes of hands, arms, cues, moved balls, lamps and knocks without a stroke: what is told nevertheless."""
    from hardware.virtual.difficulty import Difficulty
    from hardware.virtual.games import UnknownGameError, game_script
    from server.bench.hands import hands_json, hands_summary, see_idling

    try:
        game_script(game)
    except UnknownGameError as error:
        raise click.UsageError(str(error)) from error
    stretches = []
    with shown_progress() as begin:
        for seed in seeds:
            heard = partial(_frames_seen, begin(f"seed {seed}"), round(60 * minutes * fps))
            stretches.append(see_idling(game, seed, Difficulty(difficulty), minutes=minutes, fps=fps, progress=heard))
            if not as_json:
                click.echo(stretches[-1].line)
    if as_json:
        print_json("hands", {"difficulty": difficulty, "fps": fps} | hands_json(stretches))
        return
    click.echo(hands_summary(stretches))
    say_machine()


def _frames_seen(told: Callable[[int, int], None], expected: int, count: int) -> None:
    told(count, expected)
