"""What a slow camera costs, said once when it is opened."""

USUAL_FPS = 50.0


def slow_rate(fps: float) -> str | None:
    """A line for a rate at which quick contacts are less sure; None for one that is fast enough, or not known."""
    if not 0.0 < fps < USUAL_FPS:
        return None
    return (
        f"{fps:.0f} pictures a second: contacts and cushions that follow each other quickly are told less surely; "
        "60 are recommended"
    )
