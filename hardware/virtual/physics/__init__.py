"""The virtual table's physics: a layout and a stroke come in, the balls' motion and what happened go out.

Event-driven: between two events every coordinate is a parabola of time, so events are roots of polynomials and nothing
is stepped. Imports scoring and the scene's words only.
"""

from hardware.virtual.physics.motion import Motion
from hardware.virtual.physics.parameters import CueStroke, PhysicsParameters, PocketShape
from hardware.virtual.physics.solver import simulate

__all__ = ["CueStroke", "Motion", "PhysicsParameters", "PocketShape", "simulate"]
