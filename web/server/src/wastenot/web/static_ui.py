"""The built user interface as files, and a page that says so when it was not built."""

from __future__ import annotations

import html
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response
from wastenot.web.errors import WebError
from wastenot.web.settings import Settings
from wastenot.web.static_files import file_answer

router = APIRouter(include_in_schema=False)

NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>wastenot</title>
<h1>The user interface was not built</h1>
<p>The server runs and answers under <a href="api/openapi.json">api/</a>, but the pages are missing from this
installation. In a checkout, <code>make build</code> builds them; a wheel carries them.</p>
"""


def folder(settings: Settings) -> Path:
    """Where the built files are."""
    return settings.static_folder or Path(str(files("wastenot.web").joinpath("static")))


@router.get("/{path:path}")
@router.head("/{path:path}")
def file(request: Request, path: str) -> Response:
    """A file of the user interface; addresses of views are its first page."""
    settings: Settings = request.app.state.settings
    if path == "api" or path.startswith("api/"):
        raise WebError(404, "no such address; api/openapi.json lists them")
    if not path.isprintable():
        raise WebError(404, "no such file")
    root = folder(settings).resolve()
    wanted = (root / path).resolve()
    if wanted.is_relative_to(root) and wanted.is_file() and wanted.name != "index.html":
        # Files under assets/ carry a hash in their names and never change.
        return file_answer(request, wanted, is_fixed=wanted.is_relative_to(root / "assets"))
    if "." in path.rsplit("/", 1)[-1] and not path.endswith("index.html"):
        raise WebError(404, "no such file")
    index = root / "index.html"
    if not index.is_file():
        return Response(NOT_BUILT, 503, {"Cache-Control": "no-store"}, "text/html; charset=utf-8")
    base = html.escape(f"{settings.prefix}/", quote=True)
    page = index.read_text(encoding="utf-8")
    page = (
        page.replace("<head>", f'<head><base href="{base}">', 1)
        if "<base " not in page
        else page.replace('<base href="/"', f'<base href="{base}"', 1)
    )
    return Response(page, media_type="text/html; charset=utf-8", headers={"Cache-Control": "no-cache"})
