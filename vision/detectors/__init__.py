"""Ways of looking, opened by name; each satisfies `vision.detection.Detector` and lives in a file of its own."""

import importlib
from collections.abc import Callable
from typing import cast

from calibration.table_file import TableFile
from vision.detection import Detector, FinderSettings
from vision.errors import VisionError

DETECTORS = {
    "contrast": "vision.detectors.contrast",
    "fused": "vision.detectors.fused",
    "yolo": "vision.detectors.yolo",
}
USUAL = "fused"  # how a table looks unless its hall says otherwise


def open_detector(name: str, table_file: TableFile, finder: FinderSettings | None = None) -> Detector:
    """Open a detector for one table; VisionError for a name that nobody has."""
    if name not in DETECTORS:
        message = f"no detector is called {name!r}, choose one of: {', '.join(sorted(DETECTORS))}"
        raise VisionError(message)
    module = importlib.import_module(DETECTORS[name])
    open_module = cast("Callable[[TableFile, FinderSettings], Detector]", module.open_detector)
    return open_module(table_file, finder or FinderSettings())
