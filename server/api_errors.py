"""Every refusal is one sentence: `{"detail": "..."}`."""

from collections.abc import Callable

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse

from scoring.errors import ScoringError
from server.errors import CommandRefusedError, JournalError, Refusal, ServerError
from server.redaction import redacted
from server.text import Catalogue

_STATUS = {
    Refusal.NO_TABLE: 404,
    Refusal.NO_STROKE: 404,
    Refusal.NO_MATCH: 409,
    Refusal.NO_QUESTION: 409,
    Refusal.NOTHING_TO_UNDO: 409,
    Refusal.NO_LAG: 409,
    Refusal.NOTHING_TO_REDO: 409,
    Refusal.JOURNAL: 503,
    Refusal.TOO_LATE: 409,
    Refusal.NOT_ALLOWED: 403,
    Refusal.NOT_STAFF: 403,
    Refusal.NO_PIN: 403,
    Refusal.WRONG_CODE: 403,
    Refusal.WRONG_PIN: 403,
    Refusal.TOO_MANY_TRIES: 429,
    Refusal.NO_RECORD: 404,
    Refusal.NO_ANSWER: 503,
    Refusal.NO_CAMERA: 409,
    Refusal.NO_PICTURE: 409,
    Refusal.NOT_MEASURED: 409,
    Refusal.CALIBRATING: 409,
    Refusal.NOT_GOOD_ENOUGH: 409,
    Refusal.NOT_STORED: 503,
    Refusal.NO_TABLE_FILE: 409,
    Refusal.NO_CALIBRATION: 404,
    Refusal.NO_SUCH_MEASURES: 422,
    Refusal.NO_SETTINGS: 404,
    Refusal.NO_CLIP: 404,
    Refusal.BUSY: 503,
    Refusal.NO_LEADER: 503,
}


def answer_errors(app: FastAPI, words: Callable[..., Catalogue]) -> None:
    """Turn expected failures into one sentence each."""

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, CommandRefusedError)
        said = words(request, request.query_params.get("lang")).say(error.refusal)
        return JSONResponse({"detail": said}, status_code=_STATUS[error.refusal])

    async def impossible(request: Request, error: Exception) -> JSONResponse:
        del request
        return JSONResponse({"detail": str(error)}, status_code=409)

    async def unusable(request: Request, error: Exception) -> JSONResponse:
        del request
        return JSONResponse(
            {"detail": redacted(str(error))}, status_code=503 if isinstance(error, JournalError) else 422
        )

    async def malformed(request: Request, error: Exception) -> JSONResponse:
        del request
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        return JSONResponse({"detail": f"{where}: {first['msg']}"}, status_code=422)

    app.add_exception_handler(CommandRefusedError, refused)
    app.add_exception_handler(ScoringError, impossible)
    app.add_exception_handler(ServerError, unusable)
    app.add_exception_handler(RequestValidationError, malformed)
