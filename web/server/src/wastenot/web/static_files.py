"""Files of a folder as answers: media type, ETag, compression."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import Request, Response
from wastenot.web.answers import YEAR, compressed, encoding_for

COMPRESSED = ("text/", "application/javascript", "application/json", "image/svg")
"""Media types that are compressed, by how they start."""


def file_answer(request: Request, path: Path, is_fixed: bool = False) -> Response:
    """A file; `is_fixed` says that under this name its content never changes."""
    media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if path.suffix in (".js", ".mjs"):
        media = "text/javascript"
    stat = path.stat()
    encoding = encoding_for(request) if media.startswith(COMPRESSED) else "identity"
    etag = f'"{stat.st_mtime_ns:x}-{stat.st_size:x}-{encoding}"'
    headers = {
        "Cache-Control": f"public, max-age={YEAR}, immutable" if is_fixed else "no-cache",
        "ETag": etag,
        "Vary": "Accept-Encoding",
    }
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    if encoding != "identity":
        headers["Content-Encoding"] = encoding
    return Response(compressed(path.read_bytes(), encoding), media_type=media, headers=headers)
