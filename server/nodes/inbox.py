"""In which order the hall takes a table's facts: each once, none before those that came before it."""

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol

from server.journal import Mark

MISSED_S: Final = 30.0  # facts that nobody has any more are given up after so long


class Letter(Protocol):
    """A message that the broker keeps until it is acknowledged."""

    async def ack(self) -> None:
        """The broker may forget it."""


class Turn(Enum):
    """What is to be done with a fact."""

    TAKE = "it is the next one"
    TAKEN = "it has been taken, and what follows from it is not stored yet"
    STORED = "it is dealt with"
    EARLY = "others come before it"


@dataclass(slots=True)
class Inbox:
    """One table's facts; `heard` is how far each outbox's are stored, and belongs to the hub."""

    heard: dict[str, int]
    missing: Mark | None = None  # the fact that is waited for while later ones are there
    _taken: dict[str, int] = field(default_factory=dict)
    _letters: dict[tuple[str, int], Letter] = field(default_factory=dict)
    _missing_since_s: float = 0.0
    _waited_s: float = 0.0

    def turn(self, mark: Mark, letter: Letter, now_s: float) -> Turn:
        """Say what is to be done with a fact; one that is to be taken counts as taken now."""
        stored = self.heard.get(mark.outbox, 0)
        following = max(stored, self._taken.get(mark.outbox, 0)) + 1
        if mark.sequence > following and not self._is_given_up(mark, following, now_s):
            return Turn.EARLY
        self._letters[mark.outbox, mark.sequence] = letter  # one that comes again is acknowledged by its newest letter
        if mark.sequence <= stored:
            return Turn.STORED
        if mark.sequence < following:
            return Turn.TAKEN
        self.missing, self._taken[mark.outbox] = None, mark.sequence
        return Turn.TAKE

    def stored_letters(self) -> list[Letter]:
        """The letters that may be acknowledged now; they are handed out once."""
        done = [key for key in self._letters if key[1] <= self.heard.get(key[0], 0)]
        return [self._letters.pop(key) for key in done]

    def _is_given_up(self, mark: Mark, following: int, now_s: float) -> bool:
        """Whether what is missing has been waited for in vain; only time in which facts arrive counts."""
        expected = Mark(node=mark.node, outbox=mark.outbox, sequence=following)
        if self.missing != expected:
            self.missing, self._waited_s, self._missing_since_s = expected, 0.0, now_s
        self._waited_s += min(2.0, now_s - self._missing_since_s)
        self._missing_since_s = now_s
        return self._waited_s >= MISSED_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the hall tells a node of one table, every second: what it wants, and what it has stored."""

    game: str
    is_stopped: bool
    heard: dict[str, int]
    missing: Mark | None = None

    def to_json(self) -> dict[str, object]:
        """As it is sent."""
        missing = self.missing and [self.missing.outbox, self.missing.sequence]
        return {"game": self.game, "is_stopped": self.is_stopped, "heard": self.heard, "missing": missing}


def read_wishes(body: bytes, node: str) -> dict[str, Wish]:
    """What the hall wants, by table.

    Raises:
        ValueError: It is no such message.
    """
    try:
        record = json.loads(body)
        return {
            table_id: Wish(
                game=str(wish["game"]),
                is_stopped=bool(wish["is_stopped"]),
                heard={str(outbox): int(sequence) for outbox, sequence in wish["heard"].items()},
                missing=wish["missing"]
                and Mark(node=node, outbox=str(wish["missing"][0]), sequence=int(wish["missing"][1])),
            )
            for table_id, wish in record.items()
        }
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        message = f"the hall's wishes cannot be read ({type(error).__name__}: {error}); are both of one version?"
        raise ValueError(message) from error
