"""The witness's room: from pictures and signals to table events, each with its confidence.

In: frames, signals, a table file. Out: table events, tracks, an overlay a person can check.
May import: hardware's frames and signals, calibration, scoring; never a device back end or the virtual table.
"""
