"""When a table's process is started again."""

from server.watchdog import FIRST_NEWS_S, PAUSE_S, RESTARTS, SILENCE_S, WINDOW_S, Watchdog


def test_silence_is_measured_from_the_last_news():
    dog = Watchdog()
    dog.started(100.0)
    dog.heard(103.0)
    assert not dog.is_stuck(103.0 + SILENCE_S)
    assert dog.is_stuck(103.1 + SILENCE_S)


def test_a_cold_start_has_more_time():
    dog = Watchdog()
    dog.started(100.0)
    assert not dog.is_stuck(100.0 + FIRST_NEWS_S)
    assert dog.is_stuck(100.1 + FIRST_NEWS_S)


def test_too_many_restarts_bring_a_pause_and_time_forgives():
    dog = Watchdog()
    assert [dog.pause_s(float(second)) for second in range(RESTARTS)] == [0.0] * RESTARTS
    assert dog.pause_s(RESTARTS) == PAUSE_S
    assert dog.pause_s(RESTARTS + 2 * WINDOW_S) == 0.0
    assert dog.restarts == RESTARTS + 2
