"""How well each table is calibrated, as its table file says; read again when the file has changed."""

from dataclasses import dataclass, field
from pathlib import Path

from calibration.errors import CalibrationError
from calibration.store import load_table_file
from calibration.table_file import Certificate


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationRecord:
    """A table file's certificate, or what is wrong with the file; both None where it has no certificate."""

    certificate: Certificate | None = None
    fault: str | None = None


@dataclass(slots=True)
class Certificates:
    """Reads table files, each once per version of it."""

    _read: dict[Path, tuple[int, CalibrationRecord]] = field(default_factory=dict)

    def of(self, path: Path) -> CalibrationRecord:
        """What a table file says of itself."""
        try:
            stamp = path.stat().st_mtime_ns
        except OSError as error:
            return CalibrationRecord(fault=f"{path.name}: cannot be read ({error.strerror})")
        known = self._read.get(path)
        if known is None or known[0] != stamp:
            known = self._read[path] = (stamp, _record(path))
        return known[1]


def _record(path: Path) -> CalibrationRecord:
    try:
        return CalibrationRecord(certificate=load_table_file(path).certificate)
    except CalibrationError as error:
        return CalibrationRecord(fault=str(error).replace(str(path), path.name))
