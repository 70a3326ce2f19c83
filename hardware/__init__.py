"""Eyes and ears: cameras and pocket sensors, and their virtual twins.

In: light and knocks. Out: frames and signals with their times on one monotonic clock.
May import: calibration, scoring, OpenCV, pyserial, PyAV.
"""
