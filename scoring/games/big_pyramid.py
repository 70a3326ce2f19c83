"""Big Russian pyramid: as the small one, but balls 2 to 5 count ten more, 91 points (rules, section 7)."""

from scoring.pyramid.game import pyramid

BIG_PYRAMID = pyramid("big-pyramid")
