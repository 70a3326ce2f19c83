"""Reading the numbers of pyramid balls: windows of balls, a small network that reads them, and who is who from that."""
