"""Small Russian pyramid: fifteen numbered balls, one cue ball, 71 points (rules, section 6)."""

from scoring.pyramid.game import pyramid

SMALL_PYRAMID = pyramid("small-pyramid")
