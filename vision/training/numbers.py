"""Training the network that reads numbers, with torch alone; windows of balls in, an ONNX file out."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.errors import VisionError
from vision.numbers.windows import WINDOW_PX, Windows, evened

NONE = 0  # the class of a ball that shows no number; the others are the numbers themselves
CLASSES = 16
Labels: TypeAlias = npt.NDArray[np.int64]
Progress: TypeAlias = Callable[[int, float], None]  # how many epochs are done, and the last one's loss
_BATCH = 64
_RATE = 0.003
_POOLED = 64  # the width behind which the picture is halved
_SMOOTHING = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberWindows:
    """Windows (N, side, side) with the numbers (N,) that they show, 0 for none."""

    windows: Windows
    numbers: Labels


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberScore:
    """How well held-out windows are read: the share of readings that are right, and the usual log loss, nats."""

    windows: int
    right: float
    loss: float


def train_numbers(
    learnt: NumberWindows, held_out: NumberWindows, onnx: Path, *, epochs: int, seed: int,
    progress: Progress = lambda _epochs, _loss: None,
) -> NumberScore:  # fmt: skip
    """Train, write the network as ONNX and tell how well it reads windows of halls that it has not seen.

    Raises:
        VisionError: torch is missing.
    """
    torch = load_torch()
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    network = _network(torch)
    steps = epochs * math.ceil(len(learnt.numbers) / _BATCH)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, total_steps=steps, pct_start=0.15)
    for epoch in range(epochs):
        network.train()
        losses = []
        for windows, numbers in _batches(learnt, rng):
            guess = network(torch.from_numpy(windows[:, None]))
            loss = torch.nn.functional.cross_entropy(guess, torch.from_numpy(numbers), label_smoothing=_SMOOTHING)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        progress(epoch + 1, float(np.mean(losses)))
    network.eval()
    onnx.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        torch.nn.Sequential(network, torch.nn.Softmax(dim=1)),
        (torch.zeros(1, 1, WINDOW_PX, WINDOW_PX),),
        str(onnx),
        input_names=["windows"],
        output_names=["chances"],
        dynamic_axes={"windows": {0: "count"}, "chances": {0: "count"}},
        opset_version=17,
        dynamo=False,
    )
    return _score(torch, network, held_out)


def load_torch() -> Any:  # noqa: ANN401 (an extra that the run-time environment does not have)
    """Torch itself.

    Raises:
        VisionError: it is missing.
    """
    try:
        import torch  # noqa: PLC0415 (an extra; it takes seconds)
    except ImportError as error:
        message = "training needs torch, which is not installed: pip install -e '.[train]'"
        raise VisionError(message) from error
    return torch


def _network(torch: Any) -> Any:  # noqa: ANN401
    """Four convolutions; the first has a wide choice of filters, because a digit is four pixels high."""
    nn = torch.nn
    layers: list[Any] = []
    before = 1
    for width, side, stride in ((32, 5, 2), (48, 3, 1), (64, 3, 1), (96, 3, 1)):
        convolution = nn.Conv2d(before, width, side, stride=stride, padding=side // 2, bias=False)
        layers += [convolution, nn.BatchNorm2d(width), nn.ReLU()]
        if width == _POOLED:
            layers.append(nn.MaxPool2d(2))
        before = width
    head = [nn.AdaptiveMaxPool2d(1), nn.Flatten(), nn.Linear(before, CLASSES)]
    return nn.Sequential(*layers, *head).to(memory_format=torch.channels_last)


def _batches(learnt: NumberWindows, rng: np.random.Generator) -> Iterator[tuple[Windows, Labels]]:
    """All windows once, in any order, turned and damaged."""
    order = rng.permutation(len(learnt.numbers))
    for start in range(0, len(order), _BATCH):
        rows = order[start : start + _BATCH]
        raw = np.stack([_varied(window, rng) for window in learnt.windows[rows].astype(np.float32)])
        yield evened(raw * 40 + 128), learnt.numbers[rows]


def _varied(window: Windows, rng: np.random.Generator) -> Windows:
    """A window turned by quarters, moved a little, smeared or softened, with noise."""
    window = np.rot90(window, int(rng.integers(4)))
    shift = np.array([[1, 0, rng.normal(0, 0.4)], [0, 1, rng.normal(0, 0.4)]], dtype=np.float32)
    turned = cv2.warpAffine(np.ascontiguousarray(window), shift, (WINDOW_PX, WINDOW_PX))
    kind = rng.random()
    if kind < 0.25:
        turned = cv2.filter2D(turned, -1, _smear(rng.uniform(0.5, 2.5), rng.uniform(0, math.pi)))
    elif kind < 0.4:
        turned = cv2.GaussianBlur(turned, (0, 0), rng.uniform(0.3, 0.7))
    if rng.random() < 0.5:
        turned = turned + rng.normal(0, rng.uniform(0.02, 0.15), turned.shape)
    return np.asarray(turned, dtype=np.float32)


def _smear(length_px: float, direction_rad: float) -> npt.NDArray[np.float32]:
    """(5, 5) what motion during the exposure does."""
    kernel = np.zeros((5, 5), np.float32)
    for along in np.linspace(-length_px / 2, length_px / 2, 9):
        x, y = 2 + along * math.cos(direction_rad), 2 + along * math.sin(direction_rad)
        column, row = int(x), int(y)
        right, below = x - column, y - row
        kernel[row, column] += (1 - right) * (1 - below)
        kernel[row, column + 1] += right * (1 - below)
        kernel[row + 1, column] += (1 - right) * below
        kernel[row + 1, column + 1] += right * below
    return np.asarray(kernel / kernel.sum(), dtype=np.float32)


def _score(torch: Any, network: Any, held_out: NumberWindows) -> NumberScore:  # noqa: ANN401
    with torch.no_grad():
        guess = network(torch.from_numpy(held_out.windows.astype(np.float32)[:, None])).numpy()
    guess -= guess.max(axis=1, keepdims=True)
    chances = np.exp(guess) / np.exp(guess).sum(axis=1, keepdims=True)
    own = chances[np.arange(len(chances)), held_out.numbers]
    right = float((chances.argmax(axis=1) == held_out.numbers).mean())
    return NumberScore(windows=len(own), right=right, loss=float(-np.log(np.maximum(own, 1e-9)).mean()))
