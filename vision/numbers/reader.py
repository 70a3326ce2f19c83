"""The network that reads numbers, in ONNX Runtime: windows of balls in, chances of the numbers out."""

from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from calibration.camera import Array
from hardware.planes import Planes
from vision.detectors.ball_net import open_session
from vision.errors import VisionError
from vision.numbers.windows import WINDOW_PX, Windows, windows_of

NUMBERS = 15
SHIPPED = Path(__file__).parents[1] / "models" / "numbers.onnx"
_LEAST_CHANCE = 0.004  # no reading is surer than that it is not another number
Chances: TypeAlias = npt.NDArray[np.float64]


class NumberReader:
    """Reads the numbers of pyramid balls."""

    def __init__(self, path: Path = SHIPPED) -> None:
        """Open a model.

        Raises:
            VisionError: it cannot be read, or reads no numbers.
        """
        self.path = path
        self._session = open_session(path)
        if list(self._session.get_inputs()[0].shape[1:]) != [1, WINDOW_PX, WINDOW_PX]:
            message = f"{path} takes no windows of {WINDOW_PX}x{WINDOW_PX} px: it reads no numbers"
            raise VisionError(message)
        self._input = str(self._session.get_inputs()[0].name)
        self._chances(np.zeros((1, WINDOW_PX, WINDOW_PX), np.float32))

    def read(self, picture: npt.NDArray[np.uint8] | Planes, centers_px: Array, radii_px: Array) -> Chances:
        """(N, 2) middles and (N,) radii of balls to the chances (N, 15) of the numbers 1 to 15.

        A ball that shows no number may be any.
        """
        if not len(centers_px):
            return np.empty((0, NUMBERS))
        chances = self._chances(windows_of(picture, centers_px, radii_px))
        spread = chances[:, 1:] + chances[:, :1] / NUMBERS
        return np.asarray((1 - NUMBERS * _LEAST_CHANCE) * spread + _LEAST_CHANCE, dtype=np.float64)

    def _chances(self, windows: Windows) -> Chances:
        """(N, 16): of no number to be seen, and of each number."""
        (output,) = self._session.run(None, {self._input: windows[:, None]})
        chances = np.asarray(output, dtype=np.float64)
        if chances.shape != (len(windows), NUMBERS + 1):
            message = f"{self.path} answers {chances.shape}, not a chance for each number: it reads no numbers"
            raise VisionError(message)
        return chances
