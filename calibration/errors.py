"""What can go wrong between pixels and millimetres."""

from scoring.errors import CuemarkerError


class CalibrationError(CuemarkerError):
    """The table was not found well enough, or a table file does not fit what it is used for."""


class TableFileError(CalibrationError):
    """A table file is missing, torn, or says something impossible; the message names the key."""


class NoTableError(CalibrationError):
    """There is no table in the picture, or not the whole of it; the message says what is missing."""
