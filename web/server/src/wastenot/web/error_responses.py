"""Errors as a client sees them: a status and one line, as `{"error": ...}`; of a query its place as `drawing`."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from wastenot._native import WastenotError
from wastenot.analyzer.errors import AnalyzerError
from wastenot.web.errors import ClientGone, TablesBeingMade, WebError, status_of


def error_response(status: int, text: str, drawing: str = "") -> JSONResponse:
    """The error as a response."""
    body = {"error": " ".join(text.split())} | ({"drawing": drawing} if drawing else {})
    return JSONResponse(body, status, {"Cache-Control": "no-store"})


def add_handlers(app: FastAPI) -> None:
    """Make every error of the application one of ours."""

    @app.exception_handler(WebError)
    async def _(request: Request, error: WebError) -> JSONResponse:
        return error_response(error.status, str(error))

    @app.exception_handler(TablesBeingMade)
    async def _(request: Request, pending: TablesBeingMade) -> JSONResponse:
        making = {"events": pending.events, "share": pending.share, "left_s": pending.left_s}
        return JSONResponse({"making": making}, 202, {"Cache-Control": "no-store", "Retry-After": "1"})

    @app.exception_handler(AnalyzerError)
    async def _(request: Request, error: AnalyzerError) -> JSONResponse:
        return error_response(status_of(error), str(error), getattr(error, "drawing", ""))

    @app.exception_handler(WastenotError)
    async def _(request: Request, error: WastenotError) -> JSONResponse:
        return error_response(422, str(error))

    @app.exception_handler(ClientGone)
    async def _(request: Request, error: ClientGone) -> JSONResponse:
        answer = error_response(408, "the request did not come to its end")
        answer.headers["Connection"] = "close"
        return answer

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("query", "path", "body"))
        return error_response(422, f"{where or 'request'}: {first['msg']}")

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> JSONResponse:
        return error_response(error.status_code, str(error.detail))

    @app.exception_handler(Exception)
    async def _(request: Request, error: Exception) -> JSONResponse:
        return error_response(500, f"internal error: {type(error).__name__}; see the server's log")
