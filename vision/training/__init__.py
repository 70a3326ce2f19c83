"""Making the detector `yolo`: pictures with labels to crops, crops to a network, the network to a file that runs alone.

Only this package may need the extra `train`, and only when its functions are called.
"""
