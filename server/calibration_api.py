"""The calibration wizard's paths; staff only. The table's own process answers, see `calibration_desk`."""

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, FastAPI, Query, Response
from fastapi.responses import HTMLResponse

from scoring.table import PocketMouths, Table
from server.access import Access, Actor
from server.access_api import staff_only
from server.calibration_orders import (
    CalibrationState,
    CheckBall,
    LearnColours,
    Measure,
    Order,
    Restore,
    Save,
    Still,
    TakeStill,
    TellState,
)
from server.calibration_schemas import CheckIn, MeasureIn, RestoreIn, WizardOut
from server.calibration_view import wizard_out
from server.errors import CommandRefusedError, Refusal
from server.hub import Hub
from server.pages import calibrate_page
from server.text import Catalogue

Words: TypeAlias = Callable[..., Catalogue]
View: TypeAlias = Annotated[int, Query(ge=0, le=1, description="which camera of the table")]
_ROOT = "/api/tables/{table_id}/calibration"


def add_calibration(app: FastAPI, hub: Hub, access: Access, words: Words) -> None:
    """Add the page and what it asks for."""
    staff: Any = Depends(staff_only(access))
    spoken_words = Annotated[Catalogue, Depends(words)]
    someone = Annotated[Actor, staff]

    async def give(table_id: str, view: int, order: Order, spoken: Catalogue) -> WizardOut:
        """Ask the table's process, and say in words what it answers."""
        state = await hub.table(table_id).line.ask(order, view)
        assert isinstance(state, CalibrationState)
        return wizard_out(state, spoken)

    @app.get("/calibrate/{table_id}", response_class=HTMLResponse, summary="The calibration wizard (staff)")
    async def page(table_id: str, spoken: spoken_words) -> str:
        return calibrate_page(table_id, hub.table(table_id).config.name, spoken)

    @app.get(_ROOT, summary="How far the calibration is (staff)")
    async def state(table_id: str, who: someone, spoken: spoken_words, view: View = 0) -> WizardOut:
        del who
        return await give(table_id, view, TellState(), spoken)

    _add_still(app, hub, staff)

    @app.post(f"{_ROOT}/measure", summary="Find the table and fit the camera (staff)")
    async def measure(table_id: str, who: someone, spoken: spoken_words, order: MeasureIn, view: View = 0) -> WizardOut:
        del who
        return await give(table_id, view, _measure(order), spoken)

    @app.post(f"{_ROOT}/colours", summary="Learn the balls' colours (staff)")
    async def colours(table_id: str, who: someone, spoken: spoken_words, view: View = 0) -> WizardOut:
        del who
        return await give(table_id, view, LearnColours(), spoken)

    @app.post(f"{_ROOT}/ball", summary="Look for a ball that lies at a known place (staff)")
    async def ball(table_id: str, who: someone, spoken: spoken_words, order: CheckIn, view: View = 0) -> WizardOut:
        del who
        return await give(table_id, view, CheckBall(place=order.place), spoken)

    @app.post(f"{_ROOT}/save", summary="Store what was measured, and look through it from now on (staff)")
    async def save(table_id: str, who: someone, spoken: spoken_words, view: View = 0) -> WizardOut:
        del who
        return await give(table_id, view, Save(), spoken)

    @app.post(f"{_ROOT}/restore", summary="Bring an earlier calibration back (staff)")
    async def restore(table_id: str, who: someone, spoken: spoken_words, order: RestoreIn, view: View = 0) -> WizardOut:
        del who
        return await give(table_id, view, Restore(number=order.number), spoken)


def _add_still(app: FastAPI, hub: Hub, staff: Any) -> None:  # noqa: ANN401 (FastAPI's own)
    """Add the live picture, a still at a time."""

    @app.get(
        f"{_ROOT}/still.jpg", summary="The camera's newest picture, if there is one (staff)", response_class=Response
    )
    async def still(
        table_id: str,
        who: Annotated[Actor, staff],
        view: View = 0,
        width: Annotated[int, Query(ge=160, le=8192)] = 1280,
    ) -> Response:
        del who
        try:
            picture = await hub.table(table_id).line.ask(TakeStill(most_px=width), view)
        except CommandRefusedError as error:
            if error.refusal not in (Refusal.NO_PICTURE, Refusal.NO_ANSWER):
                raise
            return Response(status_code=204)  # it is asked for again and again, and will come
        assert isinstance(picture, Still)
        return Response(picture.jpeg, media_type="image/jpeg", headers={"Cache-Control": "no-store"})


def _measure(order: MeasureIn) -> Measure:
    """The order as the table's process takes it.

    Raises:
        CommandRefusedError: Nobody can play on a table of these measures.
    """
    try:
        table = Table(length_mm=order.length_mm, width_mm=order.width_mm, ball_mm=order.ball_mm, pockets=PocketMouths())
    except ValueError as error:
        raise CommandRefusedError(Refusal.NO_SUCH_MEASURES) from error
    corners = None if order.corners_px is None else tuple(order.corners_px)
    return Measure(table=table, pockets=order.pockets, house=order.house, corners_px=corners)
