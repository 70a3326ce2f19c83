"""What staff sees and does beside the tables' states: calibration, start and stop, settings, the diagnostic bundle."""

import importlib.metadata
import logging
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Response

from server.access import Access, Actor
from server.access_api import staff_only
from server.certificates import CalibrationRecord, Certificates
from server.diagnostics import diagnostic_bundle
from server.errors import CommandRefusedError, Refusal
from server.hall_schemas import CalibrationOut, HallOut, KeptTableOut, SettingsIn, SettingsOut
from server.housekeeping import Housekeeping
from server.hub import Hub
from server.hub_table import HubTable
from server.settings_file import SettingsFile

_log = logging.getLogger(__name__)


def add_hall(app: FastAPI, hub: Hub, access: Access, housekeeping: Housekeeping) -> None:
    """Add `/api/hall...`, and starting and stopping a table."""
    staff: Any = Depends(staff_only(access))
    certificates = Certificates()

    def kept(table: HubTable) -> KeptTableOut:
        path = table.config.table_file
        return KeptTableOut(
            id=table.config.id,
            is_stopped=table.live.is_stopped,
            restarts=table.live.restarts,
            calibration=None if path is None else _calibration_out(certificates.of(path)),
        )

    @app.get("/api/hall", summary="How the tables are kept (staff)", dependencies=[staff])
    async def hall() -> HallOut:
        return HallOut(
            version=importlib.metadata.version("cuemarker"),
            tables=[kept(table) for table in hub.tables.values()],
            waiting_messages=dict(hub.journal.count_messages()) if hub.journal is not None else {},
            has_settings=housekeeping.hall_file is not None,
        )

    @app.post("/api/tables/{table_id}/stop", summary="Watch a table no more (staff)")
    async def stop(table_id: str, actor: Annotated[Actor, staff]) -> KeptTableOut:
        return kept(hub.switch(table_id, actor.who, on=False))

    @app.post("/api/tables/{table_id}/start", summary="Watch a table again (staff)")
    async def start(table_id: str, actor: Annotated[Actor, staff]) -> KeptTableOut:
        return kept(hub.switch(table_id, actor.who, on=True))

    @app.get(
        "/api/hall/diagnostics.zip",
        summary="Everything that a technician asks for, without secrets (staff)",
        dependencies=[staff],
        response_class=Response,
    )
    async def diagnostics() -> Response:
        return Response(
            diagnostic_bundle(hub, housekeeping.log_tail),
            media_type="application/zip",
            headers={"Content-Disposition": 'attachment; filename="cuemarker-diagnostics.zip"'},
        )

    _add_settings(app, staff, housekeeping)


def _add_settings(app: FastAPI, staff: Any, housekeeping: Housekeeping) -> None:  # noqa: ANN401 (FastAPI's own)
    """What may be changed of the hall file."""

    def file() -> SettingsFile:
        if housekeeping.hall_file is None:
            raise CommandRefusedError(Refusal.NO_SETTINGS)
        return SettingsFile(housekeeping.hall_file)

    @app.get("/api/hall/settings", summary="The settings that may be changed here (staff)", dependencies=[staff])
    async def read_settings() -> SettingsOut:
        return file().read()

    @app.put("/api/hall/settings", summary="Change settings; they count when the hall is opened again (staff)")
    async def write_settings(order: SettingsIn, actor: Annotated[Actor, staff]) -> SettingsOut:
        file().write(order)
        _log.info("the settings were changed by %s", actor.who)
        return file().read()

    @app.post("/api/hall/reopen", status_code=202, summary="Open the hall again, with its settings (staff)")
    async def reopen(actor: Annotated[Actor, staff]) -> SettingsOut:
        found = file().read()
        if housekeeping.restart is None:
            raise CommandRefusedError(Refusal.NO_SETTINGS)
        _log.info("the hall is opened again, as %s wishes", actor.who)
        housekeeping.restart()
        return found


def _calibration_out(record: CalibrationRecord) -> CalibrationOut:
    certificate = record.certificate
    if certificate is None:
        return CalibrationOut(verdict="none", reasons=[record.fault] if record.fault else [])
    errors_mm = certificate.pocket_error_mm.values()
    return CalibrationOut(
        verdict=certificate.verdict,
        date=certificate.date.isoformat(),
        worst_mm=round(max(errors_mm), 2) if errors_mm else None,
        reasons=list(certificate.reasons),
    )
