"""Camera back ends, one file each, opened by name only."""
