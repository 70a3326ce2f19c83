"""`cuemarker check`: scenario files played through the rules."""

from pathlib import Path

import click


@click.command(
    epilog="Example: cuemarker check tests/scoring/scenarios/kaisa/*.yaml",
    short_help="Play scenario files through the rules.",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_context
def check(context: click.Context, files: tuple[Path, ...]) -> None:
    """Play scenario FILES through the rules and compare what each expects.

    Prints one line for each file that differs, with both values, then how many passed and failed. Exits 0 only if all
    passed.
    """
    from scoring.errors import ScoringError
    from server.expectations import differences, outcome_of
    from server.scenarios import scenario_from_file, states_of

    failed = 0
    for path in files:
        try:
            scenario = scenario_from_file(path)
            found = [
                f"shot {number}: {difference}"
                for number, (expected, state) in enumerate(zip(scenario.expect, states_of(scenario), strict=True), 1)
                for difference in differences(expected, outcome_of(state))
            ]
        except ScoringError as error:
            found = [str(error)]
        if found:
            failed += 1
            click.echo(f"{path}: {'; '.join(found)}")
    click.echo(f"{len(files) - failed} passed, {failed} failed")
    if failed:
        context.exit(1)
