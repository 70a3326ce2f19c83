"""Ball detectors, one file each, opened by name only."""
