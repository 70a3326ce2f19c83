"""Exact crossing times: the first instant at which a polynomial of the fourth degree falls through zero.

A gap between two moving bodies is such a polynomial of time. In Bernstein form (Bernstein 1912; Lane and Riesenfeld
1981) its coefficients enclose it, so that most pairs are refused after a few additions, and no root is ever lost.
"""

import math
from typing import TypeAlias

Quartic: TypeAlias = tuple[float, float, float, float, float]

_DEPTH = 40
_ITERATIONS = 60
_OVERRUN = 1e4


def first_descent(coefficients: Quartic, until: float) -> float | None:
    """The first t in (0, until] at which c0 + c1 t + ... + c4 t^4 goes from positive to negative, or None.

    The caller sees to c0 >= 0. A gap that opens from zero is not a descent.
    """
    c0, c1, c2, c3, c4 = coefficients
    a1 = c1 * until
    square = until * until
    a2 = c2 * square
    a3 = c3 * square * until
    a4 = c4 * square * square
    b1 = c0 + a1 * 0.25
    b2 = c0 + a1 * 0.5 + a2 / 6.0
    b3 = c0 + (3.0 * a1 + a3) * 0.25 + a2 * 0.5
    b4 = c0 + a1 + a2 + a3 + a4
    if b1 >= 0.0 and b2 >= 0.0 and b3 >= 0.0 and b4 >= 0.0:
        return None
    share = _descend((c0, b1, b2, b3, b4), (c0, a1, a2, a3, a4))
    return None if share is None else share * until


def parabola_descent(c0: float, c1: float, c2: float, until: float, touch: float) -> float | None:
    """The t in [0, until] at which c0 + c1 t + c2 t^2 falls through zero.

    A gap below `touch`, or overrun by less than what rounding may do, is a contact: it counts when it closes, by speed
    or by acceleration, faster than rounding.
    """
    if -_OVERRUN * touch <= c0 <= touch:
        if c1 < -touch or (c1 <= touch and c2 < -touch):
            return 0.0
        return -c1 / c2 if c1 > touch and c2 < 0.0 and -c1 / c2 <= until else None
    if c2 == 0.0:
        return -c0 / c1 if c1 < 0.0 and 0.0 < -c0 / c1 <= until else None
    square = c1 * c1 - 4.0 * c2 * c0
    if square <= 0.0:
        return None
    # The falling root is the one with slope -sqrt(square), written so that nothing cancels.
    root = math.sqrt(square)
    t = (-c1 - root) / (2.0 * c2) if c1 >= 0.0 else 2.0 * c0 / (root - c1)
    return t if 0.0 < t <= until else None


def _descend(bernstein: Quartic, power: Quartic) -> float | None:
    """The first descent in (0, 1] by halving until one sign change is left."""
    todo = [(bernstein, 0.0, 1.0, 0)]
    while todo:
        (b0, b1, b2, b3, b4), low, high, depth = todo.pop()
        if b0 >= 0.0 and b1 >= 0.0 and b2 >= 0.0 and b3 >= 0.0 and b4 >= 0.0:
            continue
        if b0 > 0.0 > b4 and _changes_once(b1, b2, b3):
            return _bracketed(power, low, high)
        if b0 <= 0.0 and b1 <= 0.0 and b2 <= 0.0 and b3 <= 0.0 and b4 <= 0.0 and low > 0.0:
            return low  # the root lies on the cut itself
        if depth >= _DEPTH:
            if b4 < 0.0:
                return high
            continue
        m01, m12, m23, m34 = (b0 + b1) * 0.5, (b1 + b2) * 0.5, (b2 + b3) * 0.5, (b3 + b4) * 0.5
        m012, m123, m234 = (m01 + m12) * 0.5, (m12 + m23) * 0.5, (m23 + m34) * 0.5
        left, right = (m012 + m123) * 0.5, (m123 + m234) * 0.5
        middle = (left + right) * 0.5
        half = (low + high) * 0.5
        todo.append(((middle, right, m234, m34, b4), half, high, depth + 1))
        todo.append(((b0, m01, m012, left, middle), low, half, depth + 1))
    return None


def _changes_once(b1: float, b2: float, b3: float) -> bool:
    """Whether +, b1, b2, b3, - changes its sign once: then there is exactly one root."""
    if b1 < 0.0:
        return b2 <= 0.0 and b3 <= 0.0
    if b2 < 0.0:
        return b3 <= 0.0
    return True


def _bracketed(power: Quartic, low: float, high: float) -> float:
    """The root between low (positive) and high (negative): Newton's steps, halving where they leave the bracket."""
    a0, a1, a2, a3, a4 = power
    t = (low + high) * 0.5
    for _ in range(_ITERATIONS):
        value = (((a4 * t + a3) * t + a2) * t + a1) * t + a0
        if value > 0.0:
            low = t
        else:
            high = t
        slope = ((4.0 * a4 * t + 3.0 * a3) * t + 2.0 * a2) * t + a1
        step = t - value / slope if slope < 0.0 else low - 1.0
        if not low <= step <= high:
            step = (low + high) * 0.5
        if abs(step - t) <= 1e-15 * (1.0 + abs(t)) or high - low <= 1e-15:
            return step
        t = step
    return t
