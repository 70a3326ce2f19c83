import random

import numpy as np
import pytest

from hardware.virtual.physics.crossings import first_descent, parabola_descent


def _by_numpy(coefficients: tuple[float, ...], until: float) -> float | None:
    """The first falling root, from numpy's companion matrix."""
    polynomial = np.polynomial.Polynomial(coefficients)
    slope = polynomial.deriv()
    roots = [
        root.real
        for root in polynomial.roots()
        if abs(root.imag) < 1e-9 and 0 < root.real <= until and slope(root.real) < 0
    ]
    return min(roots, default=None)


@pytest.mark.parametrize("seed", range(20))
def test_first_descent_finds_the_root_that_numpy_finds(seed: int):
    rng = random.Random(seed)
    found = 0
    for _ in range(200):
        roots = [rng.uniform(-0.5, 1.5) for _ in range(rng.choice((2, 4)))]
        polynomial = np.polynomial.Polynomial.fromroots(roots)
        if len(roots) == 2:
            polynomial *= np.polynomial.Polynomial((rng.uniform(0.1, 2.0), 0.0, 1.0))
        polynomial *= rng.choice((-1.0, 1.0))
        c = [float(value) for value in polynomial.coef] + [0.0] * (5 - len(polynomial.coef))
        if c[0] < 0:
            continue
        expected = _by_numpy(tuple(c), 1.0)
        if min(abs(a - b) for i, a in enumerate(roots) for b in roots[:i]) < 1e-3 or any(
            abs(root - 1.0) < 1e-6 for root in roots
        ):
            continue
        got = first_descent((c[0], c[1], c[2], c[3], c[4]), 1.0)
        if expected is None:
            assert got is None
        else:
            found += 1
            assert got == pytest.approx(expected, abs=1e-10)
    assert found > 20


def test_first_descent_takes_the_first_of_two_falling_roots():
    polynomial = -np.polynomial.Polynomial.fromroots((-0.1, 0.2, 0.3, 0.4))  # falls at 0.2 and at 0.4
    c = [float(value) for value in polynomial.coef]
    assert first_descent((c[0], c[1], c[2], c[3], c[4]), 1.0) == pytest.approx(0.2)


def test_a_near_miss_is_no_descent_and_a_near_touch_is_one():
    assert first_descent((0.25 + 1e-12, -1.0, 1.0, 0.0, 0.0), 1.0) is None  # (t - 1/2)^2, missed by a hair
    assert first_descent((0.25 - 1e-12, -1.0, 1.0, 0.0, 0.0), 1.0) == pytest.approx(0.5, abs=2e-6)


def test_a_gap_that_opens_from_nothing_is_found_only_when_it_closes_again():
    assert first_descent((0.0, 1.0, -1.0, 0.0, 0.0), 0.9) is None
    assert first_descent((0.0, 1.0, -2.0, 0.0, 0.0), 0.9) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("coefficients", "expected"),
    [
        ((1.0, -2.0, 0.0), 0.5),
        ((1.0, 0.0, -4.0), 0.5),
        ((1.0, -3.0, 2.0), 0.5),
        ((-1.0, 4.0, -3.0), 1.0),  # from behind the wall: it comes out at 1/3 and meets it at 1
        ((0.0, -1.0, 0.0), 0.0),
        ((0.0, 0.0, -1.0), 0.0),
        ((0.0, 1.0, 0.0), None),
        ((0.0, 1.0, -2.0), 0.5),
        ((1.0, 1.0, 1.0), None),
        ((-1.0, -1.0, -1.0), None),
    ],
)
def test_parabola_descent(coefficients: tuple[float, float, float], expected: float | None):
    got = parabola_descent(*coefficients, until=1.0, touch=1e-9)
    assert got == (None if expected is None else pytest.approx(expected))
