"""What can go wrong while looking."""

from scoring.errors import CuemarkerError


class VisionError(CuemarkerError):
    """Pictures cannot be read as asked: another size than the table file's, an unknown detector, a torn video."""
