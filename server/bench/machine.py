"""On what machine and with what versions figures were made."""

import importlib.metadata
import os
import platform
from dataclasses import dataclass
from pathlib import Path

_PACKAGES = ("cuemarker", "numpy", "scipy", "opencv-python-headless", "opencv-python", "av")


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What figures depend on."""

    processor: str
    cores: int
    system: str
    python: str
    versions: dict[str, str]

    def line(self) -> str:
        """One line for a person."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return f"{self.processor}, {self.cores} cores, {self.system}, Python {self.python}, {versions}"


def this_machine() -> Machine:
    """Ask the system."""
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        versions={name: version for name in _PACKAGES if (version := _version(name)) is not None},
    )


def _processor() -> str:
    """The processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
