"""Minutes at a table at which nobody plays, seen by the real pipeline: every stroke and every pot told is invented."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scipy.special import gammaincinv

from hardware.virtual.difficulty import Difficulty
from hardware.virtual.idling import idle
from hardware.virtual.recording import RecordingPlan
from server.bench.matches import Progress, see_performance, table_of

_TAIL = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleMinutes:
    """One stretch without a stroke: what was told of it nevertheless; `asked` of the strokes are flagged."""

    game: str
    seed: int
    duration_s: float
    frames: int
    strokes_s: tuple[float, ...]
    asked: int
    pots: int

    @property
    def line(self) -> str:
        """For people."""
        when = f" at {', '.join(f'{t_s:.2f}' for t_s in self.strokes_s)} s" if self.strokes_s else ""
        return (
            f"{self.game}, seed {self.seed}: {self.duration_s:.0f} s, {len(self.strokes_s)} strokes invented{when}, "
            f"{self.asked} of them asked about, {self.pots} pots invented"
        )


def see_idling(
    game: str, seed: int, difficulty: Difficulty, *, minutes: float, fps: float, progress: Progress
) -> IdleMinutes:
    """Let people do everything but play, and look.

    Raises:
        UnknownGameError: nobody knows which balls this game has.
    """
    performance = idle(game, seed, difficulty, table_of(game), 60.0 * minutes)
    seen = see_performance(performance, RecordingPlan(fps=fps, has_sensors=False, has_video=False), progress)
    invented = [stroke for stroke in seen.comparison.strokes if stroke.verdict == "invented"]
    return IdleMinutes(
        game=game,
        seed=seed,
        duration_s=performance.timeline.duration_s,
        frames=seen.frames,
        strokes_s=tuple(round(stroke.t_s, 2) for stroke in invented),
        asked=sum(stroke.asks for stroke in invented),
        pots=sum(kind.predicted for kind in seen.comparison.kinds if kind.kind == "pocket"),
    )


def rate_interval(count: int, hours: float) -> tuple[float, float]:
    """The rates per hour that a count does not refute at 95 %: exact for a Poisson count (Garwood 1936)."""
    low = float(gammaincinv(count, _TAIL)) if count else 0.0
    return low / hours, float(gammaincinv(count + 1, 1 - _TAIL)) / hours


def hands_summary(stretches: Sequence[IdleMinutes]) -> str:
    """All of them together."""
    count, hours = _invented(stretches)
    asked, pots = sum(one.asked for one in stretches), sum(one.pots for one in stretches)
    low, high = rate_interval(count, hours)
    return (
        f"{hours * 60:.1f} minutes: {count} strokes invented, {asked} of them asked about: "
        f"{count / hours:.1f} an hour (95 %: {low:.1f} to {high:.1f}); {pots} pots invented"
    )


def hands_json(stretches: Sequence[IdleMinutes]) -> dict[str, Any]:
    """For programs."""
    count, hours = _invented(stretches)
    low, high = rate_interval(count, hours)
    return {
        "rendered": "an upper bound of what real pictures give",
        "hours": round(hours, 4),
        "invented": count,
        "an_hour": {"value": round(count / hours, 2), "low": round(low, 2), "high": round(high, 2)},
        "stretches": [asdict(one) for one in stretches],
    }


def _invented(stretches: Sequence[IdleMinutes]) -> tuple[int, float]:
    """How many strokes were invented, in how many hours."""
    return sum(len(one.strokes_s) for one in stretches), sum(one.duration_s for one in stretches) / 3600
