"""How benches show their figures: tables for people, one JSON object for programs, the machine beside both."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from server.bench.machine import this_machine

if TYPE_CHECKING:
    from rich.console import Console

_PAGE_WIDTH = 150  # where there is no terminal


def console() -> "Console":
    """Standard output, wide enough for a table."""
    from rich.console import Console  # noqa: PLC0415 (not needed for --help)

    shown = Console()
    return shown if shown.is_terminal else Console(width=_PAGE_WIDTH)


def say_machine() -> None:
    """One line that tells the machine and the versions."""
    click.echo(this_machine().line())


def print_json(name: str, figures: dict[str, Any]) -> None:
    """One object: the table's name, the machine, the figures."""
    click.echo(json.dumps({"bench": name, "machine": asdict(this_machine())} | figures, ensure_ascii=False, indent=2))


@contextlib.contextmanager
def shown_progress() -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Lines on standard error for parts of long work: name one, then tell how much of how much is done."""
    from rich.console import Console  # noqa: PLC0415 (not needed for --help)
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415

    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bar:

        def begin(what: str) -> Callable[[int, int], None]:
            task = bar.add_task(what, total=None)
            return lambda done, total: bar.update(task, completed=done, total=total)

        yield begin
