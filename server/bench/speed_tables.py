"""Speed as a table and as JSON."""

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from server.bench.speed import Speed

_MOST = {"play": 2.0, "rest": 1.3}  # times decoding that a phase may cost


def speed_table(speeds: Sequence[Speed]) -> Table:
    """A row for each phase of each recording."""
    shown = Table(title="CPU milliseconds per frame")
    for heading in ("recording", "phase", "frames", "decoding", "whole path", "ratio", "at most"):
        shown.add_column(heading, justify="left" if heading in {"recording", "phase"} else "right")
    for speed in speeds:
        for phase, cost in speed.phases.items():
            numbers = (f"{cost.decode_ms:.2f}", f"{cost.path_ms:.2f}", f"{cost.ratio:.2f}")
            most = f"{_MOST[phase]:g}" if phase in _MOST else ""
            shown.add_row(speed.name, phase, str(cost.frames), *numbers, most)
    return shown


def speed_line(speed: Speed) -> str:
    """The rest of a recording's figures."""
    return (
        f"{speed.name}: {speed.mb_s:.1f} Mb/s written, {speed.frames_per_cpu_s:.0f} frames per CPU second, "
        f"at most {speed.peak_mb:.0f} MB"
    )


def speed_json(speeds: Sequence[Speed]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "recordings": [
            {
                "name": speed.name,
                "mb_s": round(speed.mb_s, 2),
                "frames_per_cpu_s": round(speed.frames_per_cpu_s, 1),
                "peak_mb": round(speed.peak_mb, 1),
                "phases": {
                    phase: {
                        "frames": cost.frames,
                        "decode_ms": round(cost.decode_ms, 3),
                        "path_ms": round(cost.path_ms, 3),
                        "ratio": round(cost.ratio, 3),
                    }
                    for phase, cost in speed.phases.items()
                },
            }
            for speed in speeds
        ]
    }
