"""The sensor board's own program (C++ for an Arduino Nano) and its wiring diagram."""
