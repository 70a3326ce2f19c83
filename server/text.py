"""Words that players and spectators read: message ids and their parameters become one sentence in a language.

The catalogues (gettext .po, one per language) are read at run time; an English sentence is a translation like any
other. A message with plural forms chooses by its parameter `count`, or else `points`.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, cast, get_args

from babel import negotiate_locale
from babel.messages.pofile import read_po

from scoring.balls import Ball
from scoring.table import Cushion, Pocket, Spot
from server.config import Language

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
FOLDER: Final = Path(__file__).parent / "translations"
DOMAINS: Final = ("cuemarker", "panel", "calibrate")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """One language's sentences by message id; a sentence has one form, or one per plural of the language."""

    language: Language
    sentences: Mapping[str, tuple[str, ...]]

    def say(self, message_id: str, parameters: Mapping[str, object] | None = None) -> str:
        """One sentence; a parameter that is a ball, pocket, cushion or spot is called by its name."""
        forms = self.sentences.get(message_id)
        if forms is None:
            _log.error("no %s text for the message %r", self.language, message_id)
            return message_id
        given = parameters or {}
        words = {name: self.word(value) for name, value in given.items()}
        try:
            return forms[self._form(len(forms), given)].format_map(words)
        except (KeyError, IndexError, ValueError) as error:
            _log.error("the %s text of %r asks for a parameter that is not there: %s", self.language, message_id, error)
            return message_id

    def word(self, value: object) -> str:
        """How a parameter is written in this language."""
        match value:
            case Ball():
                return self.ball(value)
            case Pocket() | Cushion() | Spot():
                return self.say(f"{type(value).__name__.lower()}.{value.value}")
            case bool():
                return self.say("word.yes" if value else "word.no")
            case float():
                return f"{value:g}"
            case tuple() | list():
                return ", ".join(self.word(one) for one in value)
            case _:
                return str(value)

    def ball(self, ball: Ball) -> str:
        """A ball's name: pyramid balls by number, others by a word of the catalogue."""
        if ball.number is not None:
            return self.say("ball.numbered", {"number": ball.number})
        if ball.is_unknown:
            return self.say("ball.unknown")
        return self.say(f"ball.{ball.name}") if f"ball.{ball.name}" in self.sentences else ball.name

    def _form(self, forms: int, parameters: Mapping[str, object]) -> int:
        if forms == 1:
            return 0
        count = parameters.get("count", parameters.get("points", 0))
        number = abs(count) if isinstance(count, int | float) else 0
        return _plural_index(self.language, number)


def _plural_index(language: Language, number: float) -> int:
    """Which plural form of the catalogue goes with a number (the order of the Plural-Forms header)."""
    if language != "ru":
        return 0 if number == 1 else 1
    if number % 10 == 1 and number % 100 != 11:
        return 0
    return 1 if number % 10 in (2, 3, 4) and number % 100 not in (12, 13, 14) else 2


@cache
def catalogue(language: Language) -> Catalogue:
    """A language's catalogue, read once."""
    sentences: dict[str, tuple[str, ...]] = {}
    for domain in DOMAINS:
        with (FOLDER / language / "LC_MESSAGES" / f"{domain}.po").open("rb") as file:
            found = read_po(file, locale=language, domain=domain, abort_invalid=True)
        for message in found:
            if not message.id:
                continue
            name = message.id if isinstance(message.id, str) else message.id[0]
            said = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
            if said and all(said):
                sentences[name] = said
    return Catalogue(language=language, sentences=sentences)


def choose_language(asked: str | None, hall: Language | None, accepted: str | None) -> Language:
    """The language of a page: `?lang=`, else the hall's, else the browser's when we speak it, else English."""
    if asked in LANGUAGES:
        return asked
    if hall is not None:
        return hall
    preferred = [part.split(";")[0].strip().replace("-", "_") for part in (accepted or "").split(",")]
    return cast("Language", negotiate_locale([name for name in preferred if name], LANGUAGES) or "en")
