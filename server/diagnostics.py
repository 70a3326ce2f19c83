"""One file that tells a technician how the hall is; without secrets, whoever it is sent to."""

import importlib.metadata
import io
import json
import platform
import shutil
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from scoring.match import MatchState
from scoring.notation import shot_to_json
from server.board import health_out
from server.hub import Hub
from server.logs import LogTail
from server.metrics import metrics_text
from server.redaction import HIDDEN, redacted
from server.rulings_json import ruling_to_json
from server.text import catalogue

LAST_STROKES: Final = 20
_SECRET_KEYS: Final = {"staff_pin_hash", "hash", "secret", "password", "username"}
Json = dict[str, Any]


def diagnostic_bundle(hub: Hub, log_tail: LogTail | None) -> bytes:
    """A zip file: settings, the last log lines, health, numbers, the last strokes, table files, versions."""
    words = catalogue("en")
    health = {key: health_out(hub, table, words).model_dump() for key, table in hub.tables.items()}
    files = {
        "settings.json": _text(without_secrets(hub.config.model_dump(mode="json"))),
        "health.json": _text({"journal": hub.journal_trouble or "ok", "tables": health}),
        "metrics.txt": metrics_text(hub),
        "machine.json": _text(_machine(hub)),
        "log.txt": log_tail.text if log_tail is not None else "",
    }
    for key, table in hub.tables.items():
        files[f"strokes/{key}.json"] = _text(_strokes(table.match))
        for path in table.config.table_files:
            if path.is_file():
                files[f"tables/{key}-{path.name}"] = path.read_text(encoding="utf-8", errors="replace")
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, redacted(text))
    return written.getvalue()


def without_secrets(value: Any) -> Any:  # noqa: ANN401 (JSON is anything)
    """Settings with every password, hash and signing secret hidden."""
    if isinstance(value, Mapping):
        return {
            key: HIDDEN if key in _SECRET_KEYS and inner else without_secrets(inner) for key, inner in value.items()
        }
    if isinstance(value, list):
        return [without_secrets(inner) for inner in value]
    return redacted(value) if isinstance(value, str) else value


def _strokes(match: MatchState) -> list[Json]:
    """The last strokes of the match that is on: what was seen, and what it was worth."""
    return [
        {"shot": shot_to_json(record.shot), "ruling": ruling_to_json(match, record)}
        for record in match.records[-LAST_STROKES:]
    ]


def _machine(hub: Hub) -> Json:
    """What runs here, and on what."""
    packages = [requirement.split(";")[0] for requirement in importlib.metadata.requires("cuemarker") or ()]
    names = ["cuemarker", *(_name(requirement) for requirement in packages)]
    return {
        "system": platform.platform(),
        "python": sys.version,
        "versions": {name: version for name in names if (version := _version(name)) is not None},
        "journal": _journal_size(hub),
    }


def _name(requirement: str) -> str:
    """The name of a package that is required."""
    return requirement.partition(">")[0].partition("[")[0].partition("=")[0].strip()


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _journal_size(hub: Hub) -> Json | None:
    """How large the journal is, and how much room is left beside it."""
    try:
        database = sa.engine.make_url(hub.config.server.database).database
    except sa.exc.ArgumentError:
        return None
    path = Path(database or "")
    if not database or not path.is_file():
        return None
    return {"bytes": path.stat().st_size, "free_bytes": shutil.disk_usage(path.parent).free}


def _text(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, indent=1)
