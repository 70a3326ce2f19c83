"""The commands `cuemarker bench speed` and `cuemarker bench tables`: what a picture costs, and tables run live."""

import tempfile
from pathlib import Path

import click

from server.commands.bench_options import json_option


@click.command(epilog="Example: cuemarker bench speed --json")
@click.option("--strokes", type=click.IntRange(min=1), help="Of each recording; left out, two and one.")
@click.option("--seed", type=click.IntRange(min=0), default=3001, show_default=True, help="Which match is recorded.")
@json_option
def speed(*, strokes: int | None, seed: int, as_json: bool) -> None:
    """CPU per frame: decoding alone against the whole path of a table, in play and at rest, at 720p60 and 1080p60."""
    from dataclasses import replace

    from server.bench.printing import console, print_json, say_machine, shown_progress
    from server.bench.speed import USUAL_PLANS, measure_speed
    from server.bench.speed_tables import speed_json, speed_line, speed_table

    speeds = []
    with shown_progress() as begin:
        for plan in USUAL_PLANS:
            asked = replace(plan, seed=seed, strokes=strokes or plan.strokes)
            speeds.append(measure_speed(asked, begin(f"recording {plan.name}")))
    if as_json:
        print_json("speed", speed_json(speeds))
        return
    console().print(speed_table(speeds))
    for one in speeds:
        click.echo(speed_line(one))
    say_machine()


@click.command(epilog="Example: cuemarker bench tables --seconds 120")
@click.option("--seconds", type=click.FloatRange(min=5), default=60.0, show_default=True, help="Of each run.")
@json_option
def tables(*, seconds: float, as_json: bool) -> None:
    """Tables run live from recordings: one at 1080p60, then two at 720p60; drops, CPU, memory, cold start."""
    from server.bench.printing import console, print_json, say_machine, shown_progress
    from server.bench.speed import USUAL_PLANS, make_recording
    from server.bench.tables import live_json, live_table, run_live

    small, large = USUAL_PLANS
    with tempfile.TemporaryDirectory(prefix="cuemarker-bench-") as name:
        folders = {plan: Path(name) / str(plan.size_px[1]) for plan in (large, small)}
        with shown_progress() as begin:
            for plan, folder in folders.items():
                make_recording(plan, folder, begin(f"recording {plan.name}"))
        runs = [
            run_live(f"{count} at {plan.name}", [folders[plan]] * count, seconds)
            for plan, count in ((large, 1), (small, 2))
        ]
    if as_json:
        print_json("tables", live_json(runs))
        return
    console().print(live_table(runs))
    say_machine()


@click.command(epilog="Example: cuemarker bench latency --strokes 10 --fps 60 --json")
@click.option("--strokes", type=click.IntRange(min=1), default=4, show_default=True, help="Of the match.")
@click.option("--seed", type=click.IntRange(min=0), default=3001, show_default=True, help="Which match is played.")
@click.option(
    "--fps", type=click.FloatRange(min=5, max=240), default=60.0, show_default=True, help="Frames per second."
)
@json_option
def latency(*, strokes: int, seed: int, fps: float, as_json: bool) -> None:
    """A virtual match before a hall and a real browser: how soon a stroke shows, provisional and ruled on."""
    from dataclasses import replace

    from server.bench.latency import measure_latency
    from server.bench.latency_tables import latency_json, latency_line, latency_table
    from server.bench.printing import console, print_json, say_machine, shown_progress
    from server.bench.speed import USUAL_PLANS

    plan = replace(USUAL_PLANS[0], seed=seed, strokes=strokes, fps=fps)
    with shown_progress() as begin:
        measured = measure_latency(plan, begin(f"recording {plan.name}"))
    if as_json:
        print_json("latency", latency_json(plan, measured))
        return
    console().print(latency_table(measured))
    click.echo(latency_line(plan, measured))
    say_machine()
