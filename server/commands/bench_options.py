"""Options that several tables of `cuemarker bench` have."""

import re

import click


def read_seeds(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    """Read `A..B` or one number."""
    found = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", value)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if last < first:
        message = f"{value!r} is no range of seeds; write it like 1..20"
        raise click.BadParameter(message, context, parameter)
    return tuple(range(first, last + 1))


json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
