"""The built user interface as files, and a page that says so when it was not built."""

from __future__ import annotations

import html
import mimetypes
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response
from wastenot.web.answers import YEAR, encoding_for
from wastenot.web.answers import compressed as packed
from wastenot.web.errors import WebError
from wastenot.web.settings import Settings

router = APIRouter(include_in_schema=False)

NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>wastenot</title>
<h1>The user interface was not built</h1>
<p>The server runs and answers under <a href="api/openapi.json">api/</a>, but the pages are missing from this
installation. In a checkout, <code>make build</code> builds them; a wheel carries them.</p>
"""

PACKED = ("text/", "application/javascript", "application/json", "image/svg")


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
        return _file(request, root, wanted)
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


def _file(request: Request, root: Path, wanted: Path) -> Response:
    """Files under assets/ carry a hash in their names and never change."""
    media = mimetypes.guess_type(wanted.name)[0] or "application/octet-stream"
    if wanted.suffix in (".js", ".mjs"):
        media = "text/javascript"
    stat = wanted.stat()
    fixed = wanted.is_relative_to(root / "assets")
    encoding = encoding_for(request) if media.startswith(PACKED) else "identity"
    etag = f'"{stat.st_mtime_ns:x}-{stat.st_size:x}-{encoding}"'
    headers = {
        "Cache-Control": f"public, max-age={YEAR}, immutable" if fixed else "no-cache",
        "ETag": etag,
        "Vary": "Accept-Encoding",
    }
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    if encoding != "identity":
        headers["Content-Encoding"] = encoding
    return Response(packed(wanted.read_bytes(), encoding), media_type=media, headers=headers)
