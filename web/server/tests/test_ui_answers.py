"""The answers that the views of the user interface are tested with are those that the server gives today.

`web/ui/src/testing/addresses.json` lists them by trace: addresses as the page asks for them, and queries.
`WASTENOT_RENEW=1` writes `web/ui/src/testing/answers/` anew, after a change of the server or of what a view asks for.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deadline_tasks import LATE, UNDESCRIBED
from drawing import build_drawn
from programs import noisy_job
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.web import Settings
from wastenot.web.library import Library
from wastenot.web.local import Answer, LocalServer, serving
from wastenot.web.report import archive_of

ROOT = Path(__file__).resolve().parents[3]
TRACES = ROOT / "fixtures/traces"
TESTING = ROOT / "web/ui/src/testing"
ADDRESSES: dict[str, list[str | dict[str, Any]]] = json.loads((TESTING / "addresses.json").read_text())
RENEW = os.environ.get("WASTENOT_RENEW") == "1"
NOT_COMPARED = {"version": "0", "size_bytes": 3_145_728, "elapsed_ms": "1.0"}
"""What differs from one import of a trace to the next, and what is kept in its place."""

SCHEMA_TABLES = 3
ANEW = "WASTENOT_RENEW=1 writes the answers anew"


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two real traces: `released` has waste with causes, `arm` has no episode; drawn ones: `solver`, a parallel
    program, `late`, a SCHED_DEADLINE thread that misses, `bare`, one whose parameters were not recorded."""
    folder = tmp_path_factory.mktemp("ui")
    shutil.copytree(TRACES / "rig/released-7.2-8.part", folder / "released.duckdb.part")
    import_source(folder / "released.duckdb.part", folder / "released.duckdb", ImportOptions(), CheckOptions())
    import_source(TRACES / "foreign/trace-cmd-arm.txt", folder / "arm.duckdb", ImportOptions(), CheckOptions())
    build_drawn(noisy_job(), folder / "solver.duckdb", CheckOptions(tables="all"))
    build_drawn(LATE, folder / "late.duckdb", CheckOptions(tables="all"))
    build_drawn(UNDESCRIBED, folder / "bare.duckdb")
    return [folder / f"{name}.duckdb" for name in ("released", "arm", "solver", "late", "bare")]


@pytest.fixture(scope="module")
def server(traces: list[Path]) -> Iterator[LocalServer]:
    """A server over them."""
    with serving(traces, Settings(port=0, tables_seconds=60.0)) as served:
        yield served


def _ask(served: LocalServer, trace: str, address: str | dict[str, Any]) -> Answer:
    if isinstance(address, dict):
        return served.ask(f"/api/traces/{trace}/sql", "POST", _body(address), {"Content-Type": "application/json"})
    return served.ask(f"/api/traces/{trace}/{address}" if trace else f"/api/{address}")


def _body(query: dict[str, Any]) -> bytes:
    """As JavaScript's JSON.stringify writes it."""
    return json.dumps(query, separators=(",", ":")).encode()


def _key(trace: str, address: str | dict[str, Any]) -> str:
    rest = f"sql {_body(address).decode()}" if isinstance(address, dict) else address
    return f"traces/{trace}/{rest}" if trace else rest


def _settled(value: Any) -> Any:
    """JSON without what differs between imports."""
    if isinstance(value, dict):
        return {k: NOT_COMPARED.get(k, _settled(v)) for k, v in value.items()}
    return [_settled(item) for item in value] if isinstance(value, list) else value


def _kept(answer: Answer) -> dict[str, Any]:
    """The answer as its file has it; of the schema the first tables."""
    if answer.headers["content-type"] == "application/json":
        body = answer.json()
        if isinstance(body, dict) and "macros" in body:
            body["tables"] = body["tables"][:SCHEMA_TABLES]
        text = {"json": _settled(body)}
        return text if answer.status == 200 else {"status": answer.status, **text}
    table = answer.arrow()
    meta = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    sink = pa.BufferOutputStream()
    settled = table.replace_schema_metadata(_settled(meta))
    with pa.ipc.new_stream(sink, settled.schema) as writer:
        writer.write_table(settled)
    return {"rows": table.num_rows, "arrow": _packed(sink.getvalue().to_pybytes())}


def _packed(content: bytes) -> str:
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()


def _decoded(kept: dict[str, Any]) -> Any:
    """What is compared: what is packed as it is unpacked, since other releases of zlib pack otherwise."""
    if "gzip" in kept:
        return json.loads(gzip.decompress(base64.b64decode(kept["gzip"])))
    if "arrow" not in kept:
        return kept
    with pa.ipc.open_stream(gzip.decompress(base64.b64decode(kept["arrow"]))) as reader:
        table = reader.read_all()
    return table.schema.metadata, table.to_pydict()


@pytest.mark.parametrize("trace", ADDRESSES)
def test_the_answers_that_views_are_tested_with_are_todays(server: LocalServer, trace: str) -> None:
    answers = {_key(trace, address): _kept(_ask(server, trace, address)) for address in ADDRESSES[trace]}
    _compare(f"answers/{trace or 'all'}.json", answers)


def test_the_report_that_its_page_is_tested_with_is_todays(traces: list[Path]) -> None:
    reports = {path.stem: {"gzip": _packed(_archive(path))} for path in (*traces[:2], traces[3])}
    _compare("reports.json", {**reports, "range": {"gzip": _packed(_archive(traces[0], RANGE))}})


RANGE = (61_000_000_000, 61_100_000_000)


def _archive(path: Path, window: tuple[int, int] | None = None) -> bytes:
    """What a report about the trace, or a window of it, carries, with one episode in full and heads of rules' pages.

    Of a copy: while the server of other tests has a file open, this process sees it without the tables made here.
    """
    with tempfile.TemporaryDirectory() as folder:
        library = Library([Path(shutil.copy(path, folder))], Settings(open_traces=1))
        try:
            opened = library.make_tables(library.ids()[0])
            with opened.cursor() as cursor:
                archive = archive_of(cursor, opened, 1, 0.1, window)
                archive["rules"] = {rule: text[: text.index("## ")] for rule, text in archive["rules"].items()}
                return json.dumps(_settled(archive), separators=(",", ":")).encode()
        finally:
            library.close()


def _compare(name: str, answers: dict[str, dict[str, Any]]) -> None:
    """The answers of today with those of a file, a line each; renewed where that is asked for."""
    file = TESTING / name
    for key, answer in answers.items():
        assert answer.get("status") != 202, f"{key}: its tables were still being made"
    if RENEW:
        file.parent.mkdir(exist_ok=True)
        lines = (
            f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'), ensure_ascii=False)}" for k, v in answers.items()
        )
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert list(kept) == list(answers), ANEW
    for key, answer in answers.items():
        assert _decoded(kept[key]) == _decoded(answer), f"{key}: {ANEW}"
