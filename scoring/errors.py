"""The root of every error that a person is told in one line; each room has its own class under it."""


class CuemarkerError(Exception):
    """Something a person must do something about: the message says what, where, and what to do."""


class ScoringError(CuemarkerError):
    """The rules were asked something that cannot be asked: an unknown game, option, ball or word."""
