"""Which ball is this: colour words with their probabilities, in whatever light the hall has."""

import numpy as np

from calibration.camera import Array
from calibration.table_file import BallSet
from calibration.usual_colours import USUAL_SRGB
from vision.first_colours import Flags, first_colours

GENERIC_WORDS = ("white", "yellow", "orange", "red", "pink", "purple", "blue", "green", "brown", "black")

_DARK = 14.0  # keeps ratios of dark colours from shouting
# how far a ball's hue (two log ratios) and brightness stray from a usual mean, and from one learnt in this hall's
# light: the more, the more colourful a ball is
_SPREAD = np.array([0.32, 0.32, 0.5])
_LEARNT_SPREAD = np.array([0.09, 0.09, 0.36])
_COLOURFUL = 0.15
_LEARNT_AFTER = 60  # sure sightings
_SURE, _LIKELY = 0.97, 0.8  # of a word from which on a ball is one of its sure sightings; of one told from one picture
_STRANGE = 3.0  # spreads at which a colour is as likely none of the words
_BLURS = np.array([0.0, 0.2, 0.4, 0.6])  # shares of cloth that may be in balls' colours told from one picture
_FOLLOW_RATE = 0.03
_FOLLOW_LIMIT = 0.45


class Colours:
    """The colour words of a ball set; follows slow changes of the light."""

    def __init__(self, ball_set: BallSet) -> None:
        """Colours learnt for this table, usual ones for the rest."""
        words = tuple(dict.fromkeys(ball.colour for ball in ball_set.balls if not ball.is_unknown))
        self.words = tuple(word for word in words if word in USUAL_SRGB or word in ball_set.colours) or GENERIC_WORDS
        srgb = np.array([ball_set.colours.get(word, USUAL_SRGB.get(word, (128, 128, 128))) for word in self.words])
        self._means = self._start = _features(srgb[:, ::-1].astype(np.float64))
        self._seen = np.array([_LEARNT_AFTER if word in ball_set.colours else 0 for word in self.words])
        self._is_told = self._seen > 0  # words are told apart by how balls look in this hall
        self._scatter = np.zeros(3)
        self._cloth = np.zeros(3)
        self._usual = srgb[:, ::-1].astype(np.float64)
        self._rows = [self.words.index(ball.colour) for ball in ball_set.balls if ball.colour in self.words]
        self._is_learnt = self._seen > 0
        self._may_settle, self._settled_on = bool(self._rows) and not self._is_learnt.all(), 0

    @property
    def are_unknown(self) -> bool:
        """Whether the set is known, but not all of its colours in this light."""
        return self._may_settle and not self._settled_on

    def looks(self, bgr: Array, *, has_strangers: bool = True) -> list[dict[str, float]]:
        """(N, 3) BGR to N maps of word to probability; what is missing to 1 is for colours that no word fits.

        Of words told from one picture only, purer colours are theirs too: all balls may have been blurred in it.
        """
        if not len(bgr):
            return []
        features, is_learnt = _features(bgr), self._seen >= _LEARNT_AFTER
        is_first = self._is_told & ~is_learnt
        away = (features[:, None] - self._means) / self._spreads(self._is_told | is_learnt)
        distance = (away * away).sum(axis=2)
        share = np.exp(-0.5 * (distance - distance.min(axis=1, keepdims=True)))
        share /= share.sum(axis=1, keepdims=True)
        if has_strangers:
            if is_first.any():
                away = (features[:, None, None] - self._purer(is_first)) / self._spreads(is_first)[is_first]
                distance[:, is_first] = (away * away).sum(axis=3).min(axis=1)
            known = np.exp(-0.5 * distance).sum(axis=1, keepdims=True)
            share *= known / (known + np.exp(-0.5 * _STRANGE**2))
        return [
            {word: float(value) for word, value in zip(self.words, row, strict=True) if value > 1e-4} for row in share
        ]

    def settle(self, bgr: Array, cloth: Array) -> bool:
        """Learn the words whose colour is not known yet from (N, 3) BGR balls in one picture, all at once.

        Whenever more of them are seen than the last time, but no more than there are: something else is among them.
        A word of which none is seen now keeps what it had. Returns whether the words' colours have changed.
        """
        if not self._may_settle or not self._settled_on < len(bgr) <= len(self._rows):
            return False
        self._settled_on = len(bgr)
        usual, learnt = self._usual, self._is_learnt
        first = first_colours(bgr, usual, learnt, self._rows, cloth, features=_features, spread=_SPREAD)
        is_kept = self._is_told & ~first.is_seen
        self._means = self._start = np.where(is_kept[:, None], self._means, first.means)
        self._seen = np.where(learnt, _LEARNT_AFTER, np.where(is_kept, self._seen, 0))
        self._is_told |= first.is_seen
        self._cloth = cloth
        self._scatter = first.scatter
        return True

    def follow(self, bgr: Array, looks: list[dict[str, float]]) -> None:
        """Take balls that are surely of one word into that word's mean."""
        for feature, look in zip(_features(bgr) if len(bgr) else [], looks, strict=True):
            word = max(look, key=lambda name: look[name], default=None)
            if word is None:
                continue
            row = self.words.index(word)
            is_first = self._is_told[row] and self._seen[row] < _LEARNT_AFTER
            if look[word] < (_LIKELY if is_first else _SURE):
                continue
            self._seen[row] += 1
            moved = self._means[row] + _FOLLOW_RATE * (feature - self._means[row])
            self._means = self._means.copy()
            self._means[row] = np.clip(moved, self._start[row] - _FOLLOW_LIMIT, self._start[row] + _FOLLOW_LIMIT)

    def _purer(self, which: Flags) -> Array:
        """(S, words, 3): the means of some words if there was some cloth in what they were told from, or none."""
        means = _colours(self._means[which])
        pure = self._cloth + (means - self._cloth) / (1 - _BLURS[:, None, None])
        pure = np.clip(pure, 0.0, np.maximum(means, 255.0))
        return _features(pure.reshape(-1, 3)).reshape(pure.shape)

    def _spreads(self, is_narrow: Flags) -> Array:
        """(words, 3): how far each word's balls may stray, those of some words (W,) as in this hall, else as usual."""
        learnt = np.maximum(_LEARNT_SPREAD + _COLOURFUL * np.abs(self._means) * [1.0, 1.0, 0.0], self._scatter)
        spread: Array = np.where(is_narrow[:, None], np.minimum(learnt, _SPREAD), _SPREAD)
        return spread


def _features(bgr: Array) -> Array:
    """(N, 3) BGR to (N, 3): log red/green, log blue/green, log brightness."""
    blue, green, red = (bgr[:, channel] + _DARK for channel in range(3))
    return np.column_stack([np.log(red / green), np.log(blue / green), np.log((blue + green + red) / 3)])


def _colours(features: Array) -> Array:
    """The (N, 3) BGR that have these (N, 3) features."""
    red, blue = np.exp(features[:, 0]), np.exp(features[:, 1])
    green = 3 * np.exp(features[:, 2]) / (1 + red + blue)
    return np.column_stack([blue * green, green, red * green]) - _DARK
