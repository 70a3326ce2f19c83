"""From pixels to millimetres: where the table is, where the camera stands, how wrong that may be.

In: pictures of a table. Out: a camera model with its three planes, the table file, a certificate in mm.
May import: scoring (the table's words), numpy, OpenCV, SciPy.
"""
