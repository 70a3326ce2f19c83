"""What balls usually look like in white light."""

from collections.abc import Mapping

USUAL_SRGB: Mapping[str, tuple[float, float, float]] = {
    "white": (236, 231, 214),
    "red": (194, 28, 34),
    "yellow": (240, 184, 36),
    "cue": (150, 36, 34),
    "numbered": (236, 229, 208),
    "orange": (238, 122, 40),
    "pink": (238, 146, 156),
    "blue": (36, 76, 168),
    "green": (24, 108, 64),
    "brown": (122, 72, 42),
    "purple": (92, 44, 128),
    "black": (26, 26, 28),
}
