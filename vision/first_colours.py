"""What the balls of a known set look like in this hall: told from the first picture, all balls at once.

One ball's colour says little in a light that nobody has measured: under warm lamps white looks like yellow. Who is who
follows from all of them together, because every ball of the set lies there once at most.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from calibration.camera import Array

_BLEEDING = np.arange(0.0, 0.45, 0.1)  # shares of the cloth's hue that may bleed into balls
_USUAL_BLEEDING = 0.15  # the more beyond it, the less likely
_LUMA = np.array([0.114, 0.587, 0.299])  # of BGR (ITU-R BT.601)
_SCATTER = 2.0  # how much farther balls may stray later than those of one word do now
_FARTHEST = 5.0  # spreads from the usual colour beyond which nothing is learnt

Features = Callable[[Array], Array]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FirstColours:
    """Of W words: means (W, 3), which of them were seen (W,), and how far balls of one word stray (3,), in features."""

    means: Array
    is_seen: Flags
    scatter: Array


def first_colours(
    bgr: Array,
    word_bgr: Array,
    is_learnt: Flags,
    rows: Sequence[int],
    cloth: Array,
    *,
    features: Features,
    spread: Array,
) -> FirstColours:
    """What words look like in this light: (N, 3) balls' colours BGR, (W, 3) words' usual ones, a row per ball.

    Words of which the colour was learnt before (W,) keep it.

    Pictures store hue at half their resolution, so that small balls take on some of the cloth's; how much is found
    together with who is who. Words of which no ball is seen keep their usual colour, with that share of the cloth's.
    """
    seen = features(bgr)
    best: tuple[float, Array, list[tuple[int, int]]] | None = None
    for share in _BLEEDING:
        means = features(np.where(is_learnt[:, None], word_bgr, _bled(word_bgr, cloth, float(share))))
        distance = (((seen[:, None] - means[None]) / spread) ** 2).sum(axis=2)
        cost = np.minimum(distance, _FARTHEST**2)[:, np.array(rows)]
        chosen, balls = linear_sum_assignment(cost)
        total = float(cost[chosen, balls].sum()) + float(share / _USUAL_BLEEDING) ** 2
        if best is None or total < best[0]:
            pairs = [(int(i), rows[int(j)]) for i, j in zip(chosen, balls, strict=True)]
            best = total, means, [(i, word) for i, word in pairs if distance[i, word] < _FARTHEST**2]
    assert best is not None
    _, means, pairs = best
    is_seen = np.zeros(len(means), np.bool_)
    strays = []
    for word in {word for _, word in pairs}:
        own = seen[[i for i, other in pairs if other == word]]
        is_seen[word] = True
        if not is_learnt[word]:
            means[word] = np.median(own, axis=0)
        if len(own) > 1:
            strays.append(own - own.mean(axis=0))
    degrees = sum(len(own) - 1 for own in strays)
    squares = np.sum([(own * own).sum(axis=0) for own in strays], axis=0) if strays else np.zeros(3)
    return FirstColours(means=means, is_seen=is_seen, scatter=_SCATTER * np.sqrt(squares / max(1, degrees)))


def _bled(bgr: Array, cloth: Array, share: float) -> Array:
    """(N, 3) colours with a share of their hue replaced by the cloth's, as bright as before."""
    luma, cloth_luma = bgr @ _LUMA, float(cloth @ _LUMA)
    hue = (1 - share) * (bgr - luma[:, None]) + share * (cloth - cloth_luma)
    bled: Array = np.clip(luma[:, None] + hue, 0.0, 255.0)
    return bled
