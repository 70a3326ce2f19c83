"""How log lines look: time, level, room, words; on standard error."""

import logging


def set_up_logs(*, verbose: bool = False) -> None:
    """Log to standard error."""
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.INFO,
        format="%(asctime)s %(levelname)-7s %(name)s: %(message)s",
        datefmt="%H:%M:%S",
    )
    for noisy in ("uvicorn", "websockets", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
