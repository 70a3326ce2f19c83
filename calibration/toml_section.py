"""Strict reading of a TOML table: every key is asked for once, has its type, and none is left over."""

import datetime as dt
import math
from collections.abc import Mapping

from calibration.errors import TableFileError


class Section:
    """One table of a TOML document; knows the file and the path of its keys so that errors can name both."""

    def __init__(self, file: str, path: str, content: Mapping[str, object]) -> None:
        self._file = file
        self._path = path
        self._content = dict(content)

    def _name(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def wrong(self, key: str, expected: str) -> TableFileError:
        """The error that says in one line which key of which file is wrong and what belongs there."""
        return TableFileError(f"{self._file}: {self._name(key)}: expected {expected}")

    def __contains__(self, key: str) -> bool:
        """Whether the key is there and has not been taken yet."""
        return key in self._content

    def take(self, key: str, expected: str) -> object:
        """Take a key's raw value out."""
        if key not in self._content:
            message = f"{self._file}: {self._name(key)}: is missing, expected {expected}"
            raise TableFileError(message)
        return self._content.pop(key)

    def section(self, key: str) -> "Section":
        """Take a table out."""
        value = self.take(key, "a table")
        if not isinstance(value, dict):
            raise self.wrong(key, "a table")
        return Section(self._file, self._name(key), value)

    def names(self) -> tuple[str, ...]:
        """The keys that have not been taken yet."""
        return tuple(self._content)

    def text(self, key: str) -> str:
        """Take a string out."""
        value = self.take(key, "a text")
        if not isinstance(value, str):
            raise self.wrong(key, "a text")
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """Take one of a few words out."""
        value = self.text(key)
        if value not in choices:
            raise self.wrong(key, "one of " + ", ".join(choices))
        return value

    def truth(self, key: str) -> bool:
        """Take a boolean out."""
        value = self.take(key, "true or false")
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def number(self, key: str, expected: str = "a finite number", *, least: float = -math.inf) -> float:
        """Take a finite number out."""
        value = _number(self.take(key, expected))
        if value is None or value < least:
            raise self.wrong(key, expected)
        return value

    def numbers(self, key: str, *counts: int) -> tuple[float, ...]:
        """Take a list of finite numbers out, of one of the given lengths."""
        expected = f"a list of {' or '.join(map(str, counts))} finite numbers"
        values = _numbers(self.take(key, expected))
        if values is None or len(values) not in counts:
            raise self.wrong(key, expected)
        return values

    def rows(self, key: str, shape: tuple[int, int]) -> tuple[tuple[float, ...], ...]:
        """Take a matrix of finite numbers out."""
        expected = f"{shape[0]} rows of {shape[1]} finite numbers"
        value = self.take(key, expected)
        rows = [_numbers(row) for row in value] if isinstance(value, list) else []
        good = tuple(row for row in rows if row is not None and len(row) == shape[1])
        if len(rows) != shape[0] or len(good) != shape[0]:
            raise self.wrong(key, expected)
        return good

    def texts(self, key: str) -> tuple[str, ...]:
        """Take a list of strings out."""
        value = self.take(key, "a list of texts")
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "a list of texts")
        return tuple(value)

    def moment(self, key: str) -> dt.datetime:
        """Take a date with time out."""
        value = self.take(key, "a date with time")
        if not isinstance(value, dt.datetime):
            raise self.wrong(key, "a date with time")
        return value

    def close(self) -> None:
        """Refuse what nobody asked for."""
        for key in self._content:
            message = f"{self._file}: {self._name(key)}: is not a key of a table file, expected nothing of this name"
            raise TableFileError(message)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _numbers(value: object) -> tuple[float, ...] | None:
    if not isinstance(value, list):
        return None
    numbers = [_number(item) for item in value]
    good = tuple(number for number in numbers if number is not None)
    return good if len(good) == len(numbers) else None
