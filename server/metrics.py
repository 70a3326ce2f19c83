"""How the hall is, as Prometheus text."""

from collections.abc import Iterable, Mapping

from server.hub import Hub


def metrics_text(hub: Hub) -> str:
    """All numbers of all tables."""
    lines: list[str] = []
    lines += _metric(
        "cuemarker_journal_ok", "gauge", "Whether the journal can be written.", {"": hub.journal_trouble is None}
    )
    lives = {table_id: table.live for table_id, table in hub.tables.items()}
    vitals = {table_id: live.vitals for table_id, live in lives.items() if live.vitals is not None}
    now_s = hub.clock_s()
    ages = {table_id: age_s for table_id, live in lives.items() if (age_s := live.age_s(now_s)) is not None}
    per_table: tuple[tuple[str, str, str, Mapping[str, float]], ...] = (
        ("up", "gauge", "Whether the table's process runs.", {key: live.is_running for key, live in lives.items()}),
        (
            "restarts_total",
            "counter",
            "Restarts of the table's process.",
            {key: live.restarts for key, live in lives.items()},
        ),
        ("picture_age_seconds", "gauge", "Age of the newest picture.", ages),
        (
            "frames_total",
            "counter",
            "Pictures looked at since the process started.",
            {key: v.frames for key, v in vitals.items()},
        ),
        (
            "dropped_frames_total",
            "counter",
            "Pictures that came too fast.",
            {key: v.dropped for key, v in vitals.items()},
        ),
        ("frames_per_second", "gauge", "Pictures looked at per second.", {key: v.fps for key, v in vitals.items()}),
        (
            "step_seconds",
            "gauge",
            "What vision takes for a picture.",
            {key: v.step_ms / 1000 for key, v in vitals.items()},
        ),
        ("strokes_total", "counter", "Strokes of the match.", {k: len(t.match.records) for k, t in hub.tables.items()}),
        (
            "waiting_entries",
            "gauge",
            "Facts that wait to be stored.",
            {k: len(t.waiting) for k, t in hub.tables.items()},
        ),
        ("watchers", "gauge", "Open live connections.", {k: len(t.audience) for k, t in hub.tables.items()}),
    )
    for name, kind, about, values in per_table:
        lines += _metric(f"cuemarker_table_{name}", kind, about, {f'{{table="{key}"}}': v for key, v in values.items()})
    return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, about: str, values: Mapping[str, float]) -> Iterable[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values.items():
        yield f"{name}{labels} {float(value):g}"
