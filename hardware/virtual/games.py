"""What the virtual players know of each game beside its rules: what they like to play, and what they announce."""

from collections.abc import Mapping
from dataclasses import dataclass

from hardware.errors import HardwareError
from hardware.virtual.intentions import Calls, Intention
from scoring.balls import FIVE_BALL_SET, PYRAMID_SET, RED_1, YELLOW, Ball
from scoring.games import GAMES
from scoring.table import Pocket

_FIVE_BALL_HABITS: Mapping[Intention, float] = {
    Intention.POT: 40.0,
    Intention.CAROM: 24.0,
    Intention.BANK: 4.0,
    Intention.COMBINATION: 4.0,
    Intention.SAFETY: 6.0,
    Intention.NOTHING: 3.0,
    Intention.THIN: 4.0,
    Intention.POWER: 3.0,
    Intention.SCRATCH: 8.0,
    Intention.DOUBLE_KISS: 4.0,
    Intention.JAWS: 3.0,
    Intention.JUMP: 1.0,
}
_CAROM_HABITS = {**_FIVE_BALL_HABITS, Intention.POT: 12.0, Intention.CAROM: 52.0}  # bare pots score nothing (FB-9)
_PYRAMID_HABITS: Mapping[Intention, float] = {
    Intention.POT: 60.0,
    Intention.BANK: 5.0,
    Intention.COMBINATION: 6.0,
    Intention.SAFETY: 8.0,
    Intention.NOTHING: 2.0,
    Intention.THIN: 4.0,
    Intention.POWER: 5.0,
    Intention.SCRATCH: 8.0,
    Intention.JAWS: 3.0,
    Intention.JUMP: 1.0,
}


class UnknownGameError(HardwareError):
    """Nobody has taught the virtual players this game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameScript:
    """A game as the virtual players know it.

    `opening_ban` lists what the first stroke may not pot (ball, pocket), `bank_ban` what banks may not;
    `opening` are its intentions.
    """

    name: str
    balls: tuple[Ball, ...]
    habits: Mapping[Intention, float]
    opening: Mapping[Intention, float]
    calls: Calls
    has_far_house: bool = False
    opening_ban: frozenset[tuple[Ball, Pocket]] = frozenset()
    bank_ban: frozenset[tuple[Ball, Pocket]] = frozenset()


def playable_games() -> tuple[str, ...]:
    """The games that both the players and the referee know."""
    return tuple(name for name in GAME_SCRIPTS if name in GAMES)


def game_script(name: str) -> GameScript:
    """The script of a game.

    Raises:
        UnknownGameError: nobody has taught the virtual players this game.
    """
    if name not in playable_games():
        message = f"the virtual players know no game {name!r}: choose one of {', '.join(playable_games())}"
        raise UnknownGameError(message)
    return GAME_SCRIPTS[name]


def _five_balls(
    name: str, calls: Calls, opening: Mapping[Intention, float], ban: frozenset[tuple[Ball, Pocket]]
) -> GameScript:
    return GameScript(
        name=name,
        balls=FIVE_BALL_SET,
        habits=_CAROM_HABITS if name == "five-balls" else _FIVE_BALL_HABITS,
        calls=calls,
        opening=opening,
        opening_ban=ban,
        bank_ban=_KAISA_BANK_BAN if name == "kaisa" else frozenset(),
    )


def _pyramid(name: str) -> GameScript:
    return GameScript(
        name=name, balls=PYRAMID_SET, habits=_PYRAMID_HABITS, calls=Calls.BALL_POCKET, opening={Intention.BREAK: 1.0}
    )


_NO_POT = frozenset((ball, pocket) for ball in FIVE_BALL_SET for pocket in Pocket)  # RP-5
_KAISA_BAN = frozenset(
    [(RED_1, pocket) for pocket in Pocket] + [(YELLOW, pocket) for pocket in Pocket if pocket.is_middle]
)  # KZ-8

_KAISA_BANK_BAN = frozenset(
    (ball, pocket) for ball in FIVE_BALL_SET if ball != YELLOW for pocket in Pocket if not pocket.is_middle
)  # KZ-21, KZ-22

GAME_SCRIPTS: Mapping[str, GameScript] = {
    script.name: script
    for script in (
        _five_balls("russian-party", Calls.NOTHING, {Intention.SAFETY: 1.0}, _NO_POT),
        _five_balls("five-balls", Calls.BALL, {Intention.SAFETY: 1.0}, _NO_POT),
        _five_balls(
            "kaisa",
            Calls.BALL_POCKET_BANK,
            {Intention.SAFETY: 2.0, Intention.POT: 3.0, Intention.CAROM: 1.0},
            _KAISA_BAN,
        ),
        _pyramid("small-pyramid"),
        _pyramid("big-pyramid"),
    )
}
