"""The application: endpoints under api/, documentation under docs/, else the user interface; guards around all."""

from __future__ import annotations

import asyncio
import importlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import duckdb
from fastapi import FastAPI, Request, Response
from wastenot._native import version
from wastenot.web import documentation, static_ui
from wastenot.web.error_responses import add_handlers
from wastenot.web.guards import Guards
from wastenot.web.jobs import Jobs
from wastenot.web.library import Library
from wastenot.web.models import Error, TablesPending
from wastenot.web.routes import balance, deadlines, episodes, jobs, replay, reports, sql, tiles, timeline, traces
from wastenot.web.running import Runner
from wastenot.web.settings import Settings
from wastenot.web.sql_pool import SqlPool
from wastenot.web.tables_on_demand import TablesOnDemand
from wastenot.web.tiles import TileCache
from wastenot.web.trace_request import NotModified

ROUTES = (traces, jobs, timeline, tiles, episodes, balance, deadlines, sql, replay, reports)
ON_DEMAND = (timeline, tiles, episodes, balance, sql, replay, reports)
"""Those that also read tables that are made on demand."""


def create_app(paths: list[Path], settings: Settings | None = None) -> Guards:
    """The ASGI application over some traces."""
    settings = settings or Settings()
    return Guards(_fastapi(paths, settings), settings)


def openapi() -> dict[str, object]:
    """The interface as OpenAPI, as `web/server/openapi.json` holds it."""
    found: dict[str, object] = _fastapi([], Settings()).openapi()
    return found


def _warm(sql: SqlPool) -> None:
    """Load what pyarrow and DuckDB load at their first use, and start a process for SQL, before a client waits."""
    sql.warm()
    importlib.import_module("pyarrow.compute")
    duckdb.connect(":memory:").execute("SELECT 0").fetchnumpy()


def _fastapi(paths: list[Path], settings: Settings) -> FastAPI:
    library = Library(paths, settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with tempfile.TemporaryDirectory(prefix="wastenot-uploads-", ignore_cleanup_errors=True) as temporary:
            folder = settings.upload_folder or Path(temporary)
            app.state.jobs = Jobs(library, folder, settings)
            app.state.runner = Runner(settings.running_queries)
            app.state.tables = TablesOnDemand(library, settings)
            app.state.sql = SqlPool(settings)
            warming = asyncio.create_task(asyncio.to_thread(_warm, app.state.sql))
            try:
                yield
            finally:
                await warming
                await app.state.tables.close()
                await app.state.jobs.close()
                app.state.runner.close()
                await asyncio.to_thread(app.state.sql.close)
                library.close()

    app = FastAPI(
        title="wastenot",
        version=version(),
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        description="Traces of the Linux scheduler: what was wasted, where and why.",
        servers=[{"url": "."}],
        responses={"4XX": {"model": Error}, "5XX": {"model": Error}},
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.library, app.state.settings = library, settings
    app.state.tiles = TileCache(settings.tile_cache_bytes)
    app.state.rows, app.state.runs = {}, {}
    add_handlers(app)

    @app.exception_handler(NotModified)
    async def _(request: Request, unchanged: NotModified) -> Response:
        return unchanged.response

    for route in ROUTES:
        pending: dict[int | str, dict[str, Any]] = {202: {"model": TablesPending}} if route in ON_DEMAND else {}
        app.include_router(route.router, prefix="/api", responses=pending)
    app.include_router(documentation.router)
    app.include_router(static_ui.router)
    return app
