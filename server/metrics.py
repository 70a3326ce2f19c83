"""How the hall is, as Prometheus text."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from server.hub import Hub
from server.hub_table import HubTable
from server.messages import CameraFigures, Vitals


@dataclass(frozen=True, slots=True)
class _Number:
    """One number of every table; None where it is not known."""

    name: str
    kind: str
    about: str
    of: Callable[[Hub, HubTable], float | None]


def _vital(read: Callable[[Vitals], float]) -> Callable[[Hub, HubTable], float | None]:
    """A number that the table's process tells."""
    return lambda _, table: None if table.live.vitals is None else read(table.live.vitals)


def _camera(read: Callable[[CameraFigures], float | None]) -> Callable[[Hub, HubTable], float | None]:
    """A number of a live camera."""

    def number(_: Hub, table: HubTable) -> float | None:
        vitals = table.live.vitals
        return None if vitals is None or vitals.camera is None else read(vitals.camera)

    return number


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


_NUMBERS = (
    _Number("up", "gauge", "Whether the table's process runs.", lambda _, table: table.live.is_running),
    _Number("restarts_total", "counter", "Restarts of the process.", lambda _, table: table.live.restarts),
    _Number(
        "picture_age_seconds", "gauge", "Age of the newest picture.", lambda hub, table: table.live.age_s(hub.clock_s())
    ),
    _Number("frames_total", "counter", "Pictures looked at since the start.", _vital(lambda vitals: vitals.frames)),
    _Number("dropped_frames_total", "counter", "Pictures that came too fast.", _vital(lambda vitals: vitals.dropped)),
    _Number("frames_per_second", "gauge", "Pictures looked at per second.", _vital(lambda vitals: vitals.fps)),
    _Number("camera_frames_per_second", "gauge", "Pictures that the camera sends.", _camera(lambda camera: camera.fps)),
    _Number(
        "camera_torn_frames_total",
        "counter",
        "Pictures that could not be decoded.",
        _camera(lambda camera: camera.torn),
    ),
    _Number(
        "camera_openings_total", "counter", "How often the camera was opened.", _camera(lambda camera: camera.opened)
    ),
    _Number(
        "camera_shutter_seconds",
        "gauge",
        "The shutter, where it is told.",
        _camera(lambda camera: _seconds(camera.shutter_ms)),
    ),
    _Number("step_seconds", "gauge", "Vision's time for a picture.", _vital(lambda vitals: vitals.step_ms / 1000)),
    _Number("strokes", "gauge", "Strokes of the match.", lambda _, table: len(table.match.records)),
    _Number("corrections_total", "counter", "Virtual players' corrections.", lambda _, table: table.corrections),
    _Number("waiting_entries", "gauge", "Facts that wait to be stored.", lambda _, table: len(table.waiting)),
    _Number("watchers", "gauge", "Open live connections.", lambda _, table: len(table.audience)),
)


def metrics_text(hub: Hub) -> str:
    """All numbers of all tables."""
    lines = list(_metric("cuemarker_journal_ok", "gauge", "Whether it can be written.", {"": not hub.journal_trouble}))
    for number in _NUMBERS:
        known = {key: number.of(hub, table) for key, table in hub.tables.items()}
        values = {f'{{table="{key}"}}': value for key, value in known.items() if value is not None}
        lines += _metric(f"cuemarker_table_{number.name}", number.kind, number.about, values)
    waiting = hub.journal.count_messages() if hub.journal is not None else {}
    unsent = {f'{{webhook="{one.name}"}}': waiting.get(one.name, 0) for one in hub.config.webhooks}
    lines += _metric("cuemarker_webhook_waiting", "gauge", "Messages that a webhook has not taken.", unsent)
    return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, about: str, values: Mapping[str, float]) -> Iterable[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values.items():
        yield f"{name}{labels} {float(value):g}"
