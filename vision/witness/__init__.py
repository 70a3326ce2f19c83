"""Who saw what: tracks and pocket signals in, table events with their confidence out."""

from vision.witness.watch import Witness

__all__ = ["Witness"]
