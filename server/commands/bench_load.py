"""The command `cuemarker bench load`: a hall with many displays."""

import click

from server.commands.bench_options import json_option


@click.command(epilog="Example: cuemarker bench load --displays 200 --tables 20")
@click.option(
    "--displays", type=click.IntRange(min=1, max=900), default=200, show_default=True, help="Pages that watch."
)
@click.option("--tables", type=click.IntRange(min=1, max=100), default=20, show_default=True, help="Of the hall.")
@click.option("--seconds", type=click.FloatRange(min=1), default=120.0, show_default=True, help="How long.")
@click.option("--changes", type=click.FloatRange(min=0.1), default=10.0, show_default=True, help="A second, in all.")
@json_option
def load(*, displays: int, tables: int, seconds: float, changes: float, as_json: bool) -> None:
    """A hall with many displays: from a change to every page, pages that do not read, memory."""
    from server.bench.load import LoadPlan, load_json, load_lines, run_load
    from server.bench.printing import print_json, say_machine, shown_progress

    plan = LoadPlan(displays=displays, tables=tables, seconds=seconds, changes_a_second=changes)
    with shown_progress() as begin:
        report = run_load(plan, begin(f"{displays} displays of {tables} tables"))
    if as_json:
        print_json("load", load_json(report))
        return
    for line in load_lines(report):
        click.echo(line)
    say_machine()
