"""How like real footage the virtual pictures are: the same measures on both, and a sheet to look at side by side."""

from hardware.virtual.likeness.measures import MEASURES, Disc, measured
from hardware.virtual.likeness.pictures import Sample, real_samples, virtual_samples

__all__ = ["MEASURES", "Disc", "Sample", "measured", "real_samples", "virtual_samples"]
