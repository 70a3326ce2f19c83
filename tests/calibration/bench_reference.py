"""How well tables are found in real footage: `python tests/calibration/bench_reference.py FOLDER [--overlays DIR]`.

FOLDER holds videos and images and, for some of them, NAME.truth.json with `table.corners_nose` (px). Sizes that the
footage does not tell are those usual for its game; they do not change the corners' errors by much.
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from calibration.cloth import Picture
from calibration.errors import NoTableError
from calibration.finder import find_table
from calibration.mapping import PlaneMap
from calibration.pose import PoseFit, fit_pose
from calibration.quality import certify
from scoring.table import Table

SIZES_MM = {  # by words in the truth file's `game`; without one a pool table is assumed
    "carom": Table(length_mm=2840, width_mm=1420, ball_mm=61.5, pockets=None),
    "snooker": Table(length_mm=3569, width_mm=1778, ball_mm=52.5),
    "UK": Table(length_mm=1828, width_mm=914, ball_mm=50.8),
    "pool": Table(length_mm=2540, width_mm=1270, ball_mm=57.2),
}
CORNERS = ("TL", "TR", "BR", "BL")
PICTURES = 15


def main() -> None:
    """Print a line per file and a summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--overlays", type=Path, help="write a picture of every fit into this folder")
    parser.add_argument("--only", default="", help="only files whose name contains this")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    certain = []
    for path in sorted(arguments.folder.iterdir()):
        if path.suffix not in {".mp4", ".mov", ".jpg"} or arguments.only not in path.name:
            continue
        truth_path = path.with_suffix(".truth.json")
        truth = json.loads(truth_path.read_text(encoding="utf-8")) if truth_path.exists() else {}
        game = truth.get("game", "")
        table = next((size for word, size in SIZES_MM.items() if word in game), SIZES_MM["pool"])
        # a camera that moves is looked at in its first picture, for which its corners were annotated
        pictures = [picture_at(path, 0)] if "corners_nose_end" in (truth.get("table") or {}) else spread(path)
        try:
            fit = fit_pose(find_table(pictures), table)
        except NoTableError as error:
            say(f"{path.name:18} {error}")
            continue
        certificate = certify(fit, datetime.now(UTC))
        worst = max(certificate.pocket_error_mm.values())
        line = f"{path.name:18} {certificate.verdict:6} rms {fit.rms_px:5.2f} px, worst pocket {worst:5.1f} mm"
        corners = (truth.get("table") or {}).get("corners_nose")
        if corners:
            errors = np.linalg.norm(nose_corners_px(fit) - [corners[name] for name in CORNERS], axis=1)
            marks = ["?" if name in corners["uncertain"] else "" for name in CORNERS]
            certain += [error for error, mark in zip(errors, marks, strict=True) if not mark]
            shown = " ".join(f"{error:.1f}{mark}" for error, mark in zip(errors, marks, strict=True))
            line += f"; corners off by {shown} px (tolerance {corners['tolerance_px']})"
        say(line)
        if arguments.overlays:
            arguments.overlays.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(arguments.overlays / f"{path.stem}.png"), drawn(pictures[0], fit))
    if certain:
        say(f"certain corners: {len(certain)}, median {np.median(certain):.2f} px, worst {max(certain):.1f} px")


def say(line: str) -> None:
    """A line on standard output, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def picture_at(path: Path, index: int) -> Picture:
    """One picture of a file."""
    capture = cv2.VideoCapture(str(path))
    for _ in range(index):
        capture.grab()
    is_there, picture = capture.read()
    if not is_there:
        message = f"{path} has no picture {index}"
        raise SystemExit(message)
    return np.asarray(picture, dtype=np.uint8)


def spread(path: Path) -> list[Picture]:
    """Pictures spread over a file; an image gives itself."""
    if path.suffix == ".jpg":
        picture = cv2.imread(str(path))
        return [np.asarray(picture, dtype=np.uint8)]
    capture = cv2.VideoCapture(str(path))
    pictures = []
    while (frame := capture.read())[0]:
        pictures.append(np.asarray(frame[1], dtype=np.uint8))
    chosen = np.linspace(0, len(pictures) - 1, PICTURES + 2)[1:-1].astype(int)
    return [pictures[index] for index in chosen]


def nose_corners_px(fit: PoseFit) -> np.ndarray:
    """(4, 2) where the noses cross, clockwise from the picture's top left."""
    half, length = fit.table.width_mm / 2, fit.table.length_mm
    corners = PlaneMap(fit.camera, fit.table.nose_height_mm).to_px(
        [(0, -half), (0, half), (length, half), (length, -half)]
    )
    return np.roll(corners, fit.front, axis=0)


def drawn(picture: Picture, fit: PoseFit) -> Picture:
    """The noses (magenta), the bed (yellow), the house line and the table's axis (white) over a picture."""
    shown = picture.copy()
    half, length = fit.table.width_mm / 2, fit.table.length_mm
    width = max(1, picture.shape[1] // 900)
    ways = np.linspace(0, 1, 50)[:, None]
    frame = [(0, -half), (0, half), (length, half), (length, -half), (0, -half)]
    lines = [(fit.table.nose_height_mm, (255, 0, 255), frame), (0.0, (0, 255, 255), frame)]
    lines += [(0.0, (255, 255, 255), [(length / 4, -half), (length / 4, half)])]
    lines += [(0.0, (255, 255, 255), [(0, 0), (length, 0)])]
    for height_mm, colour, corners in lines:
        for start, end in pairwise(corners):
            points = np.array(start) + ways * (np.array(end) - np.array(start))
            pixels = PlaneMap(fit.camera, height_mm).to_px(points)
            cv2.polylines(shown, [np.round(pixels).astype(np.int32)], isClosed=False, color=colour, thickness=width)
    return shown


if __name__ == "__main__":
    main()
