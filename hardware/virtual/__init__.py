"""The virtual table: physics, picture, sensor board and truth, deterministic by seed; never a fallback for a camera."""
