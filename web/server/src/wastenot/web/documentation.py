"""The built documentation under docs/, and a page that names the command where it was not built.

Its pages load scripts and styles of their own folder only, so that the Content-Security-Policy of the user interface is
theirs too (`guards.py`; `tests/test_site.py` looks for what it would refuse).
"""

from __future__ import annotations

import html
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response
from wastenot.web.settings import Settings
from wastenot.web.static_files import file_answer

router = APIRouter(include_in_schema=False)

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>wastenot documentation</title>
<h1>{title}</h1>
<p>{text}</p>
"""
NOT_BUILT = PAGE.format(
    title="The documentation was not built",
    text="In a checkout, <code>make build</code> builds it, as does <code>make docs</code> alone; a wheel carries it. "
    "Its sources are in <code>docs/</code>.",
)
NO_PAGE = PAGE.format(
    title="No such page",
    text='The documentation has no page with this address. <a href="{first}">Its first page</a>',
)


def folder(settings: Settings) -> Path:
    """Where the built pages are."""
    return settings.documentation_folder or Path(str(files("wastenot.web").joinpath("documentation")))


@router.get("/docs")
@router.head("/docs")
def first_page() -> Response:
    """Relative links of the first page need the slash at the end."""
    return Response(status_code=303, headers={"Location": "docs/", "Cache-Control": "no-store"})


@router.get("/docs/{path:path}")
@router.head("/docs/{path:path}")
def page(request: Request, path: str) -> Response:
    """A file of the documentation; the address of a folder is that of its index."""
    settings: Settings = request.app.state.settings
    root = folder(settings).resolve()
    if not (root / "index.html").is_file():
        return _page(NOT_BUILT)
    wanted = _file(root, path)
    if wanted is not None:
        return file_answer(request, wanted)
    return _page(NO_PAGE.replace("{first}", html.escape(f"{settings.prefix}/docs/")))


def _file(root: Path, path: str) -> Path | None:
    """The file of an address below the folder, None where there is none."""
    if not path.isprintable():
        return None
    try:
        wanted = (root / path / "index.html" if path == "" or path.endswith("/") else root / path).resolve()
        return wanted if wanted.is_relative_to(root) and wanted.is_file() else None
    except OSError:  # a name that is too long
        return None


def _page(text: str) -> Response:
    return Response(text, 404, {"Cache-Control": "no-store"}, "text/html; charset=utf-8")
