"""What the calibration says, in a language: its English sentences are known by the catalogue's own English ones."""

import re
from functools import cache
from typing import Final

from scoring.table import Pocket, Spot
from server.text import Catalogue, catalogue

_PREFIXES: Final = ("reason.", "doubt.")
_PARAMETER: Final = re.compile(r"\\\{(\w+)\\\}")
_BETWEEN: Final = re.compile(r", | or ")


def reason_words(reason: str, spoken: Catalogue) -> str:
    """A reason in a language; one that nobody has translated stays as it is."""
    for message, pattern in _patterns().items():
        found = pattern.fullmatch(reason)
        if found is not None:
            parameters = {name: _word(name, value, spoken) for name, value in found.groupdict().items()}
            return capital(spoken.say(message, parameters))
    return reason


def capital(sentence: str) -> str:
    """A sentence that begins with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def _word(name: str, value: str, spoken: Catalogue) -> object:
    """A parameter in a language, by its name."""
    match name:
        case "sides":
            return [spoken.say(f"side.{side}") for side in _BETWEEN.split(value)]
        case "pockets":
            return [Pocket(one) for one in _BETWEEN.split(value)]
        case "place" | "pocket":
            return Spot(value) if value in {spot.value for spot in Spot} else Pocket(value)
        case "words" | "first" | "second":
            names = [f"colour.{word}" for word in _BETWEEN.split(value)]
            return [spoken.say(one) if one in spoken.sentences else one.removeprefix("colour.") for one in names]
        case _:
            return value


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """The English sentences as patterns, their parameters as groups."""
    return {
        message: re.compile(_PARAMETER.sub(r"(?P<\1>[^;:]+?)", re.escape(forms[0])))
        for message, forms in catalogue("en").sentences.items()
        if message.startswith(_PREFIXES)
    }
