"""Those who guess are made to wait."""

from server.throttle import Throttle


def test_a_throttle_forgets_and_does_not_grow():
    throttle = Throttle(tries=2, span_s=10)
    throttle.failed("a", 0)
    throttle.failed("a", 5)
    assert throttle.is_shut("a", 9)
    assert not throttle.is_shut("a", 11)
    throttle.succeeded("a")
    assert not throttle.is_shut("a", 9)
    for number in range(6000):
        throttle.failed(str(number), 1)
    assert len(throttle._failures) <= 5000
