"""What is said of a slow camera."""

import pytest

from server.frame_rate import slow_rate


@pytest.mark.parametrize(("fps", "says"), [(60.0, False), (50.0, False), (29.97, True), (15.0, True), (0.0, False)])
def test_a_rate_below_fifty_is_warned_of_and_an_unknown_one_is_not(fps, says):
    line = slow_rate(fps)
    assert (line is not None) is says
    if line is not None:
        assert line.startswith(f"{fps:.0f} pictures a second")
