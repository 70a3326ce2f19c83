"""A ball against a cushion: the nose throws it back from above its centre, rubs it, and gives part of the rub back."""

import math

from hardware.virtual.physics.body import Body
from hardware.virtual.physics.impacts import PART_MM_S
from hardware.virtual.physics.parameters import PhysicsParameters

_STEEPEST = 0.999  # a nose further above or below the centre than this share of the radius
_STOP = 2.0 / 7.0  # the impulse per unit of mass and of slip that stops a solid sphere's slip


def rebound(body: Body, nx: float, ny: float, nose_mm: float, parameters: PhysicsParameters) -> float:
    """Throw a ball back from a cushion whose nose stands at a height; returns the approach speed, mm/s.

    (nx, ny) points from the cushion to the ball. The impulse acts at the nose, where the ball is met, so that roll and
    side spin matter (Han 2005). Rubber yields sideways too: a contact that grips turns the slip round by a share, one
    that slips follows Coulomb (Maw, Barber and Fawcett 1976; Walton 1993). The cloth takes what presses the ball down.
    """
    radius = body.radius
    tall = max(-_STEEPEST, min(_STEEPEST, (nose_mm - body.z) / radius))
    wide = math.sqrt(1.0 - tall * tall)
    tx, ty = ny, -nx  # along the cushion; "in" is -n
    inward = -(body.vx * nx + body.vy * ny)
    along = body.vx * tx + body.vy * ty
    spin_in = -(body.wx * nx + body.wy * ny)
    spin_along = body.wx * tx + body.wy * ty
    closing = inward * wide + body.vz * tall
    if closing <= 0.0:  # it rises along a rounded tip: only the sideways part meets it
        tall, wide, closing = 0.0, 1.0, inward
    impulse = max((1.0 + parameters.cushion_restitution) * closing, closing + PART_MM_S)
    slip_along = along + radius * (body.wz * wide - spin_in * tall)
    slip_up = body.vz * wide - inward * tall - radius * spin_along
    slip = math.sqrt(slip_along * slip_along + slip_up * slip_up)
    grip = _STOP * (1.0 + parameters.cushion_tangential_restitution)
    if slip * grip > parameters.cushion_friction * impulse:
        grip = parameters.cushion_friction * impulse / slip
    rub_along, rub_up = -grip * slip_along, -grip * slip_up
    back = impulse * wide + rub_up * tall
    on_cloth = body.z <= radius + 1e-9
    if on_cloth:
        back = max(back, inward + PART_MM_S)
    body.vx += back * nx + rub_along * tx
    body.vy += back * ny + rub_along * ty
    body.vz += rub_up * wide - impulse * tall
    if on_cloth:
        body.vz = max(body.vz, 0.0)
    twist = 2.5 / radius
    body.wx += twist * (rub_along * tall * nx - rub_up * tx)
    body.wy += twist * (rub_along * tall * ny - rub_up * ty)
    body.wz += twist * rub_along * wide
    return inward
