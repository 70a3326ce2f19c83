"""The command `cuemarker train`: makes the networks that find balls and read numbers, or improves the finder."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hardware.frame import Frame
    from vision.training.labels import Labelled
    from vision.training.network import Trained

_EXAMPLE = """Train the ball finder, or improve it on a hall's own footage, and export it for the hall file's `finder`.

FOLDER is a data set of `cuemarker simulate --dataset`, or of --fine-tune. Training needs the extra: pip install
'cuemarker[train]'. It runs on the CPU and fetches nothing; --resume goes on with what was interrupted.

With --fine-tune a recording is labelled by contrast where that is sure of every ball; look through labels/sheet.jpg
(--labels-only stops there), delete pictures with wrong boxes, and train on that folder with --start. With --import a
model from elsewhere (.pt or .onnx) is checked and exported. With --numbers the network that reads pyramid balls'
numbers is made instead, from virtual halls that are filmed for it.

\b
Examples:
  cuemarker train balls --out trained --epochs 20
  cuemarker train --fine-tune evening.mp4 --table T1.toml --out t1-finder
  cuemarker train --import their-balls.pt --out t1-finder
  cuemarker train --numbers --out trained
"""
_COMPARED = 24
_TUNING_EPOCHS, _EPOCHS, _NUMBER_EPOCHS = 10, 20, 14


@click.command(help=_EXAMPLE)
@click.argument("folder", required=False, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder; made if missing.")
@click.option(
    "--epochs", type=click.IntRange(min=1), help="Times through all crops; 20, 10 to fine-tune, 14 for numbers."
)
@click.option("--hours", type=click.FloatRange(min=0.01), help="Train for so long instead.")
@click.option("--batch", type=click.IntRange(min=1), default=16, show_default=True, help="Crops a step.")
@click.option("--crops", "each", type=click.IntRange(min=1), default=9, show_default=True, help="Of each picture.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of crops and weights.")
@click.option(
    "--start", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A .pt to go on from, not from zero."
)
@click.option("--resume", "is_resumed", is_flag=True, help="Go on with what was interrupted in --out.")
@click.option("--fine-tune", "recording", help="A hall's recording to improve the package's finder on.")
@click.option("--table", "table_path", type=click.Path(path_type=Path), help="The recording's table file.")
@click.option("--labels-only", is_flag=True, help="With --fine-tune: label and draw the sheet, train nothing.")
@click.option(
    "--import", "foreign", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A .pt or .onnx to check."
)
@click.option("--numbers", is_flag=True, help="Make the network that reads numbers.")
@click.option(
    "--halls", type=click.IntRange(min=2), default=36, show_default=True, help="With --numbers: to be filmed."
)
def train(
    *,
    folder: Path | None,
    out: Path,
    epochs: int | None,
    hours: float | None,
    batch: int,
    each: int,
    seed: int,
    start: Path | None,
    is_resumed: bool,
    recording: str | None,
    table_path: Path | None,
    labels_only: bool,
    foreign: Path | None,
    numbers: bool,
    halls: int,
) -> None:
    """Train, fine-tune or import a ball finder, or train a reader of numbers."""
    if (folder is not None) + (recording is not None) + (foreign is not None) + is_resumed + numbers != 1:
        message = "name one of: a FOLDER with a data set, --fine-tune RECORDING, --import MODEL, --resume, --numbers"
        raise click.UsageError(message)
    if recording is not None and table_path is None:
        message = "a recording needs its table file: --table TABLE.toml"
        raise click.UsageError(message)
    if numbers:
        _numbers(out / "numbers.onnx", halls, epochs, seed)
        return
    from vision.training.network import START, TrainPlan, resume
    from vision.training.network import train as train_network

    if foreign is not None:
        _import(foreign, out / "finder.onnx")
        return
    if is_resumed:
        _finish(resume(out), out)
        return
    if recording is not None and table_path is not None:
        labelled = _label(recording, table_path, out / "labels")
        click.echo(
            f"{labelled.sheet}: look through it; {labelled.pictures} pictures of {labelled.frames} sure frames, "
            f"{labelled.balls} balls, {labelled.people} people"
        )
        if labels_only:
            return
        folder, start = out / "labels", start or START
    assert folder is not None
    data = _cut(folder, out / "crops", each, seed)
    usual = _EPOCHS if start is None else _TUNING_EPOCHS
    plan = TrainPlan(data=data, out=out, epochs=epochs or usual, hours=hours, batch=batch, seed=seed, start=start)
    _finish(train_network(plan), out)


def _numbers(onnx: Path, halls: int, epochs: int | None, seed: int) -> None:
    """Make a reader of numbers, with progress, and open it as it will be opened."""
    from rich.console import Console
    from rich.progress import Progress

    from server.training_numbers import NumbersPlan, make_reader
    from vision.numbers.reader import NumberReader

    plan = NumbersPlan(halls=halls, epochs=epochs or _NUMBER_EPOCHS, seed=seed)
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("starting", total=None)
        score = make_reader(plan, onnx, lambda words: bar.update(task, description=words))
    NumberReader(onnx)
    click.echo(
        f"{onnx}: {score.right:.3f} of {score.windows} windows of other halls read rightly, log loss {score.loss:.3f}"
    )


def _label(recording: str, table_path: Path, out: Path) -> "Labelled":
    """Label a recording, with progress."""
    from calibration.store import load_table_file
    from hardware.camera import open_camera
    from server.analysis import frames_of
    from server.errors import ServerError
    from server.progress import FrameProgress
    from vision.training.labels import write_labels

    table_file = load_table_file(table_path)
    with FrameProgress() as progress, open_camera(recording, size_px=table_file.camera.size_px) as camera:
        if camera.is_live:
            message = f"{recording} is a live camera and never ends: give a recorded video"
            raise ServerError(message)
        frames = _shown(frames_of(camera), progress.begin("labelling"))
        return write_labels(frames, table_file, out)


def _shown(frames: "Iterator[Frame]", show: "Callable[[Frame], None]") -> "Iterator[Frame]":
    """Frames that show how far they are when they are used."""
    for frame in frames:
        show(frame)
        yield frame


def _cut(folder: Path, out: Path, each: int, seed: int) -> Path:
    """Cut the crops, with progress."""
    from rich.console import Console
    from rich.progress import Progress

    from vision.training.crops import CropPlan, cut_crops

    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("cutting crops", total=None)
        plan = CropPlan(seed=seed, each=each)
        return cut_crops(folder, out, plan, lambda done, total: bar.update(task, completed=done, total=total))


def _finish(trained: "Trained", out: Path) -> None:
    """Export what was trained, compare both and say how good it is."""
    import shutil

    import cv2
    import numpy as np

    from server.errors import ServerError
    from vision.training.network import compare, export

    weights, onnx = out / "finder.pt", out / "finder.onnx"
    shutil.copyfile(trained.weights, weights)
    export(weights, onnx)
    crops = sorted((out / "crops" / "images" / "val").glob("*.png"))[:_COMPARED]
    pictures = [np.asarray(cv2.imread(str(path)), dtype=np.uint8) for path in crops]
    same = compare(weights, onnx, pictures)
    if not same.boxes:
        message = (
            f"{weights} finds no ball in {len(pictures)} pictures of {out / 'crops' / 'images' / 'val'}, so {onnx} "
            "cannot be compared with it: train longer, or on more pictures"
        )
        raise ServerError(message)
    if not same.is_equal:
        message = (
            f"{onnx} does not find what {weights} finds: {same.odd_boxes} of {same.boxes} boxes differ, "
            f"the others by up to {same.most_px:.2f} px"
        )
        raise ServerError(message)
    click.echo(
        f"{onnx}: {trained.epochs} epochs, mAP50 {trained.map50:.3f}, mAP50-95 {trained.map50_95:.3f} on the "
        f"validation crops; {same.boxes} boxes equal those of {weights}"
    )


def _import(foreign: Path, onnx: Path) -> None:
    """Check a model from elsewhere and export it if need be."""
    import shutil

    from vision.detectors.ball_net import BallNet
    from vision.training.network import export

    if foreign.suffix == ".pt":
        export(foreign, onnx)
    else:
        BallNet(foreign)
        onnx.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(foreign, onnx)
    net = BallNet(onnx)
    size = "any size" if net.fixed_px is None else f"{net.fixed_px[0]}x{net.fixed_px[1]} px"
    click.echo(f"{onnx}: a ball finder for pictures of {size}; its classes: {', '.join(net.names.values())}")
