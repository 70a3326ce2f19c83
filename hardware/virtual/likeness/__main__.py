"""Compare virtual pictures with real ones: `python -m hardware.virtual.likeness FOLDER OUT`.

FOLDER holds real pictures and clips with labels. OUT gets `likeness.md` (the table), `likeness.json` (each picture's
values) and `sheet.jpg` (real pictures on the left, virtual ones on the right). The sheet holds other people's pictures:
look at it, and do not pass it on.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from hardware.virtual.likeness import MEASURES, Sample, measured, real_samples, virtual_samples

_CELL_PX = (640, 360)
_ROWS = 10
_SEEDS = range(1, 7)
_GROUPS = ("real", "easy", "normal", "hard")


def main(arguments: Sequence[str]) -> int:
    """Measure, write, and say where."""
    if len(arguments) != 2:
        sys.stderr.write("usage: python -m hardware.virtual.likeness FOLDER OUT\n")
        return 2
    folder, out = Path(arguments[0]), Path(arguments[1])
    real = list(real_samples(folder)) if folder.is_dir() else []
    if not real:
        sys.stderr.write(f"{folder} holds no labelled pictures; name a folder with real pictures and their labels\n")
        return 1
    virtual = list(virtual_samples(_SEEDS))
    out.mkdir(parents=True, exist_ok=True)
    values = {sample.name: measured(sample.picture, sample.discs) for sample in (*real, *virtual)}
    (out / "likeness.json").write_text(json.dumps(values, indent=1), encoding="utf-8")
    groups = {name: [sample.name for sample in virtual if sample.name.startswith(f"{name}_")] for name in _GROUPS[1:]}
    table = as_table(values, {"real": [sample.name for sample in real], **groups})
    (out / "likeness.md").write_text(table, encoding="utf-8")
    cv2.imwrite(str(out / "sheet.jpg"), sheet(_spread(real), _spread(virtual)), [cv2.IMWRITE_JPEG_QUALITY, 88])
    sys.stdout.write(f"{table}\n{out}: likeness.md, likeness.json, sheet.jpg\n")
    return 0


def as_table(values: dict[str, dict[str, float]], groups: dict[str, list[str]]) -> str:
    """Median and 10 to 90 % of each measure over the pictures of each group, as a Markdown table."""
    lines = [f"| measure | {' | '.join(f'{name} ({len(names)})' for name, names in groups.items())} |"]
    lines.append("|---" * (len(groups) + 1) + "|")
    for measure, words in MEASURES.items():
        cells = []
        for names in groups.values():
            found = [values[name][measure] for name in names if measure in values[name]]
            low, middle, high = np.percentile(found, (10, 50, 90)) if found else (np.nan,) * 3
            cells.append(f"{middle:.3g} ({low:.2g} to {high:.2g})" if found else "-")
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def sheet(real: list[Sample], virtual: list[Sample]) -> npt.NDArray[np.uint8]:
    """Pictures side by side: real ones left, virtual ones right."""
    rows = [np.hstack([_cell(one), _cell(two)]) for one, two in zip(real, virtual, strict=False)]
    return np.asarray(np.vstack(rows), dtype=np.uint8)


def _spread(samples: list[Sample]) -> list[Sample]:
    """Some of them, from all over the list."""
    picks = np.linspace(0, len(samples) - 1, min(_ROWS, len(samples))).round().astype(int)
    return [samples[index] for index in picks]


def _cell(sample: Sample) -> npt.NDArray[np.uint8]:
    """A picture in a cell of the sheet, with its name."""
    height, width = sample.picture.shape[:2]
    scale = min(_CELL_PX[0] / width, _CELL_PX[1] / height)
    small = cv2.resize(sample.picture, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    cell = np.zeros((_CELL_PX[1], _CELL_PX[0], 3), dtype=np.uint8)
    cell[: small.shape[0], : small.shape[1]] = small
    cv2.putText(cell, sample.name, (8, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)
    return cell


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
