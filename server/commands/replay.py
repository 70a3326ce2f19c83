"""`cuemarker replay`: a game record, played again."""

from pathlib import Path

import click


@click.command(
    epilog="Example: cuemarker replay one-12.txt",
    short_help="Play a game record again and say what every stroke came to.",
)
@click.argument("record", type=click.Path(path_type=Path, dir_okay=False))
def replay(record: Path) -> None:
    """Play the game RECORD again: a line for every stroke, then the score.

    A record is what the hall's page offers as TXT beside every match; its lines are the match's entries.
    """
    from server.errors import RecordError
    from server.records import match_from_record, summary_of
    from server.stroke_lines import stroke_line

    try:
        text = record.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{record}: cannot be read ({error}); give a game record that the hall exported"
        raise RecordError(message) from error
    state = match_from_record(text)
    for one in state.records:
        click.echo(stroke_line(state, one.number))
    summary = summary_of(state)
    score = ", ".join(f"{side.name} {side.score}" for side in summary.sides)
    click.echo(
        f"{summary.strokes} strokes; {score}" + (f"; won by {' and '.join(summary.winners)}" if summary.winners else "")
    )
