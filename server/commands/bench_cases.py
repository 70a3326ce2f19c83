"""The command `cuemarker bench cases`: what is hard to see, played on purpose, each case read and compared."""

import click

from server.bench.printing import print_json, say_machine, shown_progress


@click.command(epilog="Example: cuemarker bench cases --difficulty easy --difficulty normal --only jaw")
@click.option(
    "--difficulty", "difficulties", type=click.Choice(["easy", "normal", "hard"]), multiple=True, help="[easy]"
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Chooses side and manners.")
@click.option("--only", default="", help="Only cases whose name contains this.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
def cases(*, difficulties: tuple[str, ...], seed: int, only: str, as_json: bool) -> None:
    """The scripted cases seen by the real pipeline: exact, flagged, silently wrong or invented, and what differs."""
    from hardware.virtual.cases import CASES
    from hardware.virtual.difficulty import Difficulty
    from server.bench.cases import cases_json, cases_summary, see_case

    chosen = [name for name in CASES if only in name]
    if not chosen:
        message = f"no case has a name that contains {only!r}; there are {', '.join(CASES)}"
        raise click.UsageError(message)
    verdicts = []
    with shown_progress() as begin:
        for difficulty in difficulties or ("easy",):
            told = begin(difficulty)
            for number, name in enumerate(chosen, 1):
                verdicts.append(see_case(name, Difficulty(difficulty), seed))
                told(number, len(chosen))
                if not as_json:
                    click.echo(verdicts[-1].line)
    if as_json:
        print_json("cases", cases_json(verdicts))
        return
    click.echo(cases_summary(verdicts))
    say_machine()
