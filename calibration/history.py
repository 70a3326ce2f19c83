"""Earlier calibrations of a table: kept beside its table file, and brought back when a person asks."""

import os
from dataclasses import dataclass
from pathlib import Path

from calibration.drift import patches_path
from calibration.errors import TableFileError
from calibration.store import load_table_file, save_table_file
from calibration.table_file import TableFile

KEPT = 20  # so many earlier ones are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """One earlier calibration; `number` counts back from 1, the latest."""

    number: int
    path: Path
    table_file: TableFile


def keep_table_file(table_file: TableFile, path: str | os.PathLike[str]) -> None:
    """Write a table file and keep the one that was there; a refused calibration is never written over a good one.

    Raises:
        TableFileError: the calibration is refused, or a file cannot be written.
    """
    target = Path(path)
    certificate = table_file.certificate
    if certificate is not None and certificate.verdict == "refuse":
        message = f"{target}: a refused calibration is not stored: {'; '.join(certificate.reasons)}"
        raise TableFileError(message)
    folder = _folder(target)
    if target.exists():
        try:
            folder.mkdir(exist_ok=True)
            numbers = [int(each.stem) for each in _kept(target)]
            copy = folder / f"{max(numbers, default=0) + 1:06}.toml"
            partial = copy.with_suffix(".new")
            partial.write_bytes(target.read_bytes())
            partial.replace(copy)
            if (patches := patches_path(target)).exists():  # they belong to the calibration that is kept
                patches.replace(patches_path(copy))
        except OSError as error:
            message = f"{folder}: cannot be written ({error.strerror or error}), nothing was changed"
            raise TableFileError(message) from error
    save_table_file(table_file, target)
    for old in _kept(target)[:-KEPT]:
        old.unlink(missing_ok=True)
        patches_path(old).unlink(missing_ok=True)


def earlier_calibrations(path: str | os.PathLike[str]) -> list[Earlier]:
    """The earlier calibrations that can be read, latest first."""
    found = []
    for number, old in enumerate(reversed(_kept(Path(path))), start=1):
        try:
            found.append(Earlier(number=number, path=old, table_file=load_table_file(old)))
        except TableFileError:
            continue  # what was there before may have been no table file
    return found


def restore_calibration(path: str | os.PathLike[str], number: int) -> TableFile:
    """Bring an earlier calibration back; the present one becomes the latest of the earlier ones.

    Raises:
        TableFileError: there is none of this number.
    """
    earlier = earlier_calibrations(path)
    for each in earlier:
        if each.number == number:
            patches = patches_path(each.path).read_bytes() if patches_path(each.path).exists() else None
            keep_table_file(each.table_file, path)
            if patches is not None:
                patches_path(path).write_bytes(patches)
            return each.table_file
    known = ", ".join(str(each.number) for each in earlier) or "none"
    message = f"{os.fspath(path)}: there is no earlier calibration {number}; there are: {known}"
    raise TableFileError(message)


def _folder(target: Path) -> Path:
    return target.with_name(f".{target.name}.earlier")


def _kept(target: Path) -> list[Path]:
    """The kept files, oldest first."""
    return sorted(each for each in _folder(target).glob("*.toml") if each.stem.isdigit())
