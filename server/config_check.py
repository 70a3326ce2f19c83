"""Everything that is wrong with a hall file: its keys, and the files and names that it refers to."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from calibration.errors import CalibrationError
from calibration.store import load_table_file
from server.config import HallConfig, anchored, faults_of, read_toml
from server.errors import ConfigError, ServerError
from server.replay import read_replay


def faults_in(path: Path) -> list[str]:
    """All faults of a hall file, each beginning with its key; none when a hall can be served with it."""
    try:
        hall = HallConfig.model_validate(read_toml(path))
    except ConfigError as error:
        return [str(error).removeprefix(f"{path}: ")]
    except ValidationError as error:
        return faults_of(error)
    return [*_of_files(anchored(hall, path.parent.resolve())), *_of_names(hall)]


def _of_files(hall: HallConfig) -> Iterator[str]:
    for index, table in enumerate(hall.tables):
        for key, table_file in zip(("table_file", "second_camera.table_file"), table.table_files, strict=False):
            try:
                load_table_file(table_file)
            except CalibrationError as error:
                yield f"tables[{index}].{key}: {error}"
        if table.is_replay:
            try:
                read_replay(Path(table.source.removeprefix("events:")))
            except ServerError as error:
                yield f"tables[{index}].source: {error}"
    try:
        url = sa.engine.make_url(hall.server.database)
        url.get_dialect()
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        yield f"server.database: is not usable: {error}"
    else:
        folder = Path(url.database or ".").parent
        if url.get_backend_name() == "sqlite" and not folder.is_dir():
            yield f"server.database: there is no folder {folder}"


def _of_names(hall: HallConfig) -> Iterator[str]:
    known = {table.id for table in hall.tables}
    given = {f"access.keys[{index}]": key.tables for index, key in enumerate(hall.access.keys)}
    given |= {f"webhooks[{index}]": webhook.tables for index, webhook in enumerate(hall.webhooks)}
    for key, tables in given.items():
        for unknown in sorted(set(tables) - known):
            yield f"{key}.tables: there is no table {unknown}"
    if hall.mqtt is not None and importlib.util.find_spec("paho") is None:
        yield "mqtt: paho-mqtt is missing: pip install 'cuemarker[mqtt]'"
    if hall.server.database.startswith("postgresql") and importlib.util.find_spec("psycopg") is None:
        yield "server.database: psycopg is missing: pip install 'cuemarker[postgres]'"
    if hall.broker is not None and importlib.util.find_spec("nats") is None:
        yield "broker: nats-py is missing: pip install 'cuemarker[nats]'"
