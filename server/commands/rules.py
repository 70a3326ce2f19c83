"""`cuemarker rules`: the rule book, by number or by game, in any of the languages."""

from typing import cast, get_args

import click

from scoring.options import INHERITED
from server.config import Language


@click.command(
    epilog="Example: cuemarker rules KZ-8 KZ-A1 --language fi", short_help="Read the rules, and the options they have."
)
@click.argument("numbers", nargs=-1)
@click.option("--game", type=click.Choice(list(INHERITED)), help="All rules of one game.")
@click.option("--language", type=click.Choice(get_args(Language)), default="en", help="Language of the sentences.")
@click.option("--page", is_flag=True, help="The whole book as a page of Markdown, in English (docs/rulebook.md).")
def rules(numbers: tuple[str, ...], game: str | None, language: str, page: bool) -> None:
    """Say what rule NUMBERS mean, or all rules of a game, with the options that change them and their defaults."""
    from server import rulebook

    if page:
        click.echo(rulebook.page(), nl=False)
        return
    if game is None and not numbers:
        message = "name rules (KZ-8) or a --game"
        raise click.UsageError(message)
    tongue = cast("Language", language)
    found = [rulebook.rule(number.upper(), tongue) for number in numbers]
    if game is not None:
        found += rulebook.rules_of(game, tongue)
    for one in found:
        options = [f"{option.name}={rulebook.value_words(option.default)}" for option in one.options]
        click.echo(f"{one.number}  {one.text}" + (f"  [{', '.join(options)}]" if options else ""))
