"""Whether a picture can show a table at all: light, colour, sharpness."""

import cv2
import numpy as np

from calibration.cloth import Picture

_DARK = 40.0  # grey levels that all but a thousandth of a black picture stay below
_LEAST_COLOUR = 4  # grey levels between channels, in the most colourful thousandth
_SHARP = (4.0, 0.13)  # a step between neighbouring pixels: grey levels that noise makes, and share of the contrast
_NOISE_PX = 1.0


def why_unusable(picture: Picture) -> str:
    """Why nobody could find a table in a picture (BGR), nothing when there is no such reason."""
    if float(np.percentile(picture, 99.9)) < _DARK:
        return "the picture is black: switch the lamps on, take the cap off the lens, give a longer exposure"
    spread = picture.max(axis=2).astype(np.int16) - picture.min(axis=2)
    if float(np.percentile(spread, 99.9)) < _LEAST_COLOUR:
        return "the picture is grey: balls are told by their colours, a colour camera is needed"
    return ""


def is_blurred(picture: Picture) -> bool:
    """Whether no edge anywhere is sharp: the camera moved during the exposure, or is out of focus."""
    grey = cv2.GaussianBlur(picture, (0, 0), _NOISE_PX).astype(np.float32).mean(axis=2)
    low, high = np.percentile(grey, (1, 99))
    step = np.hypot(*np.gradient(grey))
    return float(np.percentile(step, 99.95)) < _SHARP[0] + _SHARP[1] * float(high - low)
