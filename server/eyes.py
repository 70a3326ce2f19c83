"""Vision for a table as the hall file wants it."""

from calibration.table_file import TableFile
from scoring.balls import Ball
from server.config import TableConfig
from vision.detection import FinderSettings
from vision.pipeline import Pipeline


def open_eyes(
    config: TableConfig,
    table_file: TableFile,
    *,
    balls: tuple[Ball, ...] | None = None,
    second: TableFile | None = None,
) -> Pipeline:
    """Fresh eyes behind one camera or two."""
    finder = FinderSettings(model=config.finder.model, rate_hz=config.finder.rate_hz)
    return Pipeline(table_file, balls=balls, detector=config.detector, finder=finder, second=second)
