"""The games, one line each."""

import importlib
from functools import cache
from typing import cast

from scoring.errors import ScoringError
from scoring.game import AnyGame

GAMES = {
    "russian-party": "scoring.games.russian_party:RUSSIAN_PARTY",
    "five-balls": "scoring.games.five_balls:FIVE_BALLS",
    "kaisa": "scoring.games.kaisa:KAISA",
    "small-pyramid": "scoring.games.small_pyramid:SMALL_PYRAMID",
    "big-pyramid": "scoring.games.big_pyramid:BIG_PYRAMID",
}


@cache
def game_named(name: str) -> AnyGame:
    """The game of that name; a ScoringError names the known ones."""
    if name not in GAMES:
        message = f"no game is called {name!r} (known: {', '.join(GAMES)})"
        raise ScoringError(message)
    module, value = GAMES[name].split(":")
    return cast("AnyGame", getattr(importlib.import_module(module), value))
