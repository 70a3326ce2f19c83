"""Which moment a frame shows: some cameras now and then give a picture twice, or lose one."""

from dataclasses import dataclass

import numpy as np

from hardware.virtual.picture.look import Look

_REPEATS, _DROPS = 5, 9  # different things need different seeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Shutter:
    """The rule that a recording and a live camera share; pure in the frame's index."""

    seed: int
    fps: float
    repeat_share: float = 0.0
    drop_share: float = 0.0

    @classmethod
    def of(cls, look: Look, fps: float) -> "Shutter":
        """The shutter of a look's camera."""
        return cls(seed=look.seed, fps=fps, repeat_share=look.repeat_share, drop_share=look.drop_share)

    def seen_s(self, index: int) -> float:
        """When the picture that comes as frame `index` was really taken."""
        while index > 0 and self._happens(_REPEATS, index, self.repeat_share):
            index -= 1
        return index / self.fps

    def is_dropped(self, index: int) -> bool:
        """Whether frame `index` never arrives; the first one always does."""
        return index > 0 and self._happens(_DROPS, index, self.drop_share)

    def _happens(self, what: int, index: int, share: float) -> bool:
        return share > 0 and bool(np.random.default_rng([self.seed, what, index]).random() < share)
