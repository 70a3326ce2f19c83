"""The command `cuemarker bench numbers`: how many pyramid balls are named after each stroke, how many rightly."""

import click

_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")


@click.command(epilog="Example: cuemarker bench numbers --seed 7001 --matches 4")
@click.option(
    "--seed", "first", type=click.IntRange(min=0), default=7001, show_default=True, help="Of the first match."
)
@click.option("--matches", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--strokes", type=click.IntRange(min=1), default=5, show_default=True, help="Of each match.")
@click.option("--difficulty", type=click.Choice(["easy", "normal", "hard"]), default="normal", show_default=True)
@click.option("--fps", type=click.FloatRange(min=5, max=240), default=60.0, show_default=True)
@click.option(
    "--height", type=click.Choice(["720", "1080"]), default="1080", show_default=True, help="Of pictures, px."
)
@_json_option
def numbers(
    *, first: int, matches: int, strokes: int, difficulty: str, fps: float, height: str, as_json: bool
) -> None:  # fmt: skip
    """Virtual matches of small pyramid seen by the real pipeline: names after each stroke against the truth."""
    from hardware.virtual.difficulty import Difficulty
    from server.bench.numbers import NumbersCount, NumbersPlan, count_numbers
    from server.bench.printing import print_json, say_machine, shown_progress

    size_px = (1920, 1080) if height == "1080" else (1280, 720)
    plan = NumbersPlan(strokes=strokes, difficulty=Difficulty(difficulty), fps=fps, size_px=size_px)
    total = NumbersCount()
    with shown_progress() as begin:
        for seed in range(first, first + matches):
            total.add(count_numbers(plan, seed, begin(f"match {seed}")))
    if as_json:
        print_json("numbers", total.figures())
        return
    for line in total.lines():
        click.echo(line)
    say_machine()
