"""A clip through plain `ultralytics` `track()` with ByteTrack; run by the Python in which that is installed.

Arguments: video, model, result, the longer side of the pictures that the model is given. It imports nothing of ours,
and writes JSON: balls per frame, CPU seconds, peak MB.
"""

import json
import resource
import sys
import time
from pathlib import Path


def main(video: str, model_path: str, result_path: str, side_px: str) -> None:
    """Look at every frame; loading the model does not count."""
    import torch  # noqa: PLC0415 (not ours: the peer's)
    from ultralytics import YOLO  # noqa: PLC0415

    torch.set_num_threads(1)
    model = YOLO(model_path)
    centers: list[list[list[float]]] = []
    began_s = time.process_time()
    found = model.track(
        source=video, tracker="bytetrack.yaml", imgsz=int(side_px), stream=True, persist=True, verbose=False
    )
    for result in found:
        boxes = [] if result.boxes is None else result.boxes.xywh.tolist()
        centers.append([box[:2] for box in boxes])
    cpu_s = time.process_time() - began_s
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    Path(result_path).write_text(json.dumps({"centers": centers, "cpu_s": cpu_s, "peak_mb": peak_mb}), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:5])
