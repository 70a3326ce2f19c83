"""Strict reading of JSON-ready mappings: every refusal names the key and what stood there.

A reader is a function `(value, where) -> ours` that raises a ScoringError; `Fields` reads a mapping key by key.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from scoring.balls import Ball
from scoring.errors import ScoringError
from scoring.table import Cushion, Pocket, Point

Word = TypeVar("Word", bound=StrEnum)
Value = TypeVar("Value")


@dataclass(slots=True)
class Fields:
    """A mapping read key by key; what nobody asked for is refused at the end."""

    mapping: Mapping[str, Any]
    where: str
    asked: set[str] = field(default_factory=set)

    def get(self, key: str, read: Callable[[object, str], Value]) -> Value | None:
        """Read a key that may be missing or null."""
        self.asked.add(key)
        value = self.mapping.get(key)
        return None if value is None else read(value, f"{self.where}: {key}")

    def need(self, key: str, read: Callable[[object, str], Value]) -> Value:
        """Read a key that must be there."""
        value = self.get(key, read)
        if value is None:
            message = f"{self.where}: {key} is missing"
            raise ScoringError(message)
        return value

    def finish(self) -> None:
        """Refuse the keys that nobody asked for."""
        unknown = sorted(str(key) for key in self.mapping if key not in self.asked)
        if unknown:
            message = f"{self.where}: unknown key {', '.join(unknown)} (known: {', '.join(sorted(self.asked))})"
            raise ScoringError(message)


def fields_of(value: object, where: str) -> Fields:
    """The value as a mapping with text keys, or a ScoringError."""
    if not isinstance(value, Mapping):
        message = f"{where}: must be a mapping, not {value!r}"
        raise ScoringError(message)
    return Fields(value, where)


def text(value: object, where: str) -> str:
    """Read a text that is not empty."""
    if not isinstance(value, str) or not value:
        message = f"{where}: must be a text, not {value!r}"
        raise ScoringError(message)
    return value


def flag(value: object, where: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        message = f"{where}: must be true or false, not {value!r}"
        raise ScoringError(message)
    return value


def number(value: object, where: str) -> float:
    """Read a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        message = f"{where}: must be a finite number, not {value!r}"
        raise ScoringError(message)
    return value


def whole(value: object, where: str) -> int:
    """Read a whole number, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        message = f"{where}: must be a whole number, 0 or more, not {value!r}"
        raise ScoringError(message)
    return value


def seconds(value: object, where: str) -> float:
    """Read a time, 0 or more."""
    time_s = number(value, where)
    if time_s < 0:
        message = f"{where}: must not be negative, is {value!r}"
        raise ScoringError(message)
    return time_s


def share(value: object, where: str) -> float:
    """Read a probability."""
    probability = number(value, where)
    if not 0 <= probability <= 1:
        message = f"{where}: must lie between 0 and 1, is {value!r}"
        raise ScoringError(message)
    return probability


def ball(value: object, where: str) -> Ball:
    """Read a ball's name."""
    try:
        return Ball(text(value, where))
    except ValueError as error:
        message = f"{where}: {error}"
        raise ScoringError(message) from error


def place(value: object, where: str) -> Point:
    """Read `[x, y]` in table mm."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        message = f"{where}: must be [x, y] in mm, not {value!r}"
        raise ScoringError(message)
    return Point(number(value[0], where), number(value[1], where))


def places(value: object, where: str) -> dict[Ball, Point]:
    """Read `{ball: [x, y]}`."""
    return {ball(name, where): place(at, f"{where}.{name}") for name, at in fields_of(value, where).mapping.items()}


def listed(value: object, where: str) -> Sequence[object]:
    """Read a list."""
    if not isinstance(value, list | tuple):
        message = f"{where}: must be a list, not {value!r}"
        raise ScoringError(message)
    return value


def word_of(words: type[Word]) -> Callable[[object, str], Word]:
    """A reader for one of an enum's words."""

    def read(value: object, where: str) -> Word:
        """Read one of the words."""
        for word in words:
            if word.value == value:
                return word
        message = f"{where}: must be one of {', '.join(words)}, not {value!r}"
        raise ScoringError(message)

    return read


def known(word: str, words: frozenset[str], where: str) -> str:
    """The word, when it is one of the known ones."""
    if word not in words:
        message = f"{where}: must be one of {', '.join(sorted(words))}, not {word!r}"
        raise ScoringError(message)
    return word


pocket = word_of(Pocket)
cushion = word_of(Cushion)
