"""How hard a virtual scene is to see: one word for picture, people and sensors alike."""

from enum import StrEnum


class Difficulty(StrEnum):
    """Easy: a good camera over polite players. Normal: a usual hall. Hard: everything that happens in a bad one."""

    EASY = "easy"
    NORMAL = "normal"
    HARD = "hard"
