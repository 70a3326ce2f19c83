"""The command `cuemarker`: finds the commands, turns expected failures into one line and an exit code."""

import importlib
import os
import sys
from collections.abc import Sequence

import click

from scoring.errors import CuemarkerError

COMMANDS = {
    "demo": "Play a virtual table through the real pipeline and show its scoreboard.",
    "calibrate": "Find the table in a camera's picture and write the table file.",
    "plan": "Work out where a camera hangs and what it will see.",
    "analyze": "Turn a recorded video into table events.",
    "check": "Play scenario files through the rules.",
    "score": "Turn shot records into rulings.",
    "rules": "Read the rules, and the options they have.",
    "replay": "Play a game record again and say what every stroke came to.",
    "secret": "Make the staff's PIN, or a key for another program.",
    "serve": "Run the hall: all tables, the scoreboard, the API.",
    "node": "Watch tables on this machine for a hall on another one.",
    "check-config": "List everything that is wrong with a hall file.",
    "backup": "Write the hall's journal and settings into one file.",
    "restore": "Put the hall's journal and settings back from a backup.",
    "sensors": "Watch, test and record the pocket sensors.",
    "simulate": "Write a virtual match with its truth.",
    "train": "Train the ball finder, or improve it on a hall's own footage.",
    "bench": "Measure accuracy and speed on this machine.",
}

_QUIET = {"OPENCV_LOG_LEVEL": "ERROR", "OPENCV_FFMPEG_LOGLEVEL": "-8"}
"""OpenCV's own remarks on a torn video would stand beside our one line about it."""


class CommandGroup(click.Group):
    """Commands imported on use, so that help and rules need no OpenCV."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the documentation."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command: `server.commands.NAME` holds a click command called NAME (with _ for -)."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command = getattr(importlib.import_module(f"server.commands.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit 0 when all went well, 1 for a failed job, 2 for wrong use."""
    for name, level in _QUIET.items():
        os.environ.setdefault(name, level)
    group = CommandGroup(name="cuemarker", help="A camera over a real billiard table that keeps the score by itself.")
    try:
        sys.exit(group.main(arguments, prog_name="cuemarker", standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(2)
    except click.ClickException as error:
        hint = f" (see {error.ctx.command_path} --help)" if isinstance(error, click.UsageError) and error.ctx else ""
        click.echo(f"cuemarker: {error.format_message()}{hint}", err=True)
        sys.exit(error.exit_code)
    except CuemarkerError as error:
        click.echo(f"cuemarker: {error}", err=True)
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
