"""Responses: Arrow streams and JSON, compressed as the client likes, with tags by which it can keep them."""

from __future__ import annotations

import zlib
from typing import Any

import pyarrow as pa
from fastapi import Request, Response
from pydantic import BaseModel

ARROW = "application/vnd.apache.arrow.stream"
SMALL = 860
"""Bodies below this many bytes are sent as they are: they fit into one packet."""
YEAR = 31_536_000

ARROW_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {"description": "Arrow IPC stream", "content": {ARROW: {"schema": {"type": "string", "format": "binary"}}}}
}
"""For OpenAPI: the endpoint answers with an Arrow stream."""


def encoding_for(request: Request) -> str:
    """zstd, gzip or identity, as Accept-Encoding permits."""
    accepted = {}
    for part in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, q = part.strip().partition(";")
        accepted[name.strip()] = q.strip().replace(" ", "") not in ("q=0", "q=0.0")
    for name in ("zstd", "gzip"):
        if accepted.get(name):
            return name
    return "identity"


def compressed(body: bytes, encoding: str) -> bytes:
    """The body in that encoding."""
    if encoding == "zstd":
        return bytes(pa.compress(body, codec="zstd", asbytes=True))
    if encoding == "gzip":
        packer = zlib.compressobj(4, zlib.DEFLATED, 31)
        return packer.compress(body) + packer.flush()
    return body


def ipc(table: pa.Table, metadata: dict[str, Any] | None = None) -> bytes:
    """An Arrow stream of the rows; `metadata` becomes texts of the schema's metadata."""
    if metadata:
        table = table.replace_schema_metadata({k: str(v) for k, v in metadata.items()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue().to_pybytes())


def tag(version: str, encoding: str) -> str:
    """ETag of a representation; the address is the rest of its identity."""
    return f'"{version}-{encoding}"'


def not_modified(request: Request, version: str) -> Response | None:
    """304 when the client has this version already; asked before any query runs."""
    etag = tag(version, encoding_for(request))
    known = [t.strip().removeprefix("W/") for t in request.headers.get("if-none-match", "").split(",")]
    if etag not in known:
        return None
    return Response(status_code=304, headers={"ETag": etag, "Cache-Control": caching(request, version), **VARY})


VARY = {"Vary": "Accept-Encoding"}


def caching(request: Request, version: str) -> str:
    """For ever when the address names the version (`?v=`); else to be asked for again."""
    if request.query_params.get("v") == version:
        return f"private, max-age={YEAR}, immutable"
    return "private, no-cache"


def answer(request: Request, body: bytes, media: str, version: str | None, encoded: str | None = None) -> Response:
    """The body, compressed unless it is small or `encoded` already; tagged when it belongs to a `version`."""
    wanted = encoding_for(request)
    headers = dict(VARY)
    if encoded is None and len(body) >= SMALL and wanted != "identity":
        body, encoded = compressed(body, wanted), wanted
    if encoded is not None and encoded != "identity":
        headers["Content-Encoding"] = encoded
    if version is None:
        headers["Cache-Control"] = "no-store"
    else:
        headers["ETag"], headers["Cache-Control"] = tag(version, wanted), caching(request, version)
    return Response(body, media_type=media, headers=headers)


def arrow(
    request: Request, table: pa.Table, version: str | None = None, metadata: dict[str, Any] | None = None
) -> Response:
    """Rows as an Arrow stream."""
    return answer(request, ipc(table, metadata), ARROW, version)


def json_answer(request: Request, model: BaseModel, version: str | None = None) -> Response:
    """A model as JSON."""
    return answer(request, model.model_dump_json().encode(), "application/json", version)
