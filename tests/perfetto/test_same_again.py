"""A recording exported to Perfetto, now or by version 1, and imported again is the same trace with equal findings."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from samples import read_as_before
from wastenot.analyzer import CheckOptions, ImportOptions, build, export_perfetto, import_source
from wastenot.analyzer.store.tables import table_names
from wastenot.schemas.generated.enums import BALANCE_TABLES

FIXTURES = Path(__file__).parents[2] / "fixtures"
SHIPPED = FIXTURES / "traces/two-cpus.part"
EXPORTED_BY_VERSION_1 = FIXTURES / "traces/rig/autogroup-6.1-8.part"

TOLD_BY_THE_IMPORT = "source, end_reason, options"


@pytest.fixture(scope="module", params=["exported now", "exported by version 1"])
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[duckdb.DuckDBPyConnection]:
    folder = tmp_path_factory.mktemp("again")
    now = request.param == "exported now"
    if now:
        shutil.copytree(SHIPPED, folder / "T.duckdb.part")
    else:
        read_as_before(EXPORTED_BY_VERSION_1, folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions(tables="all"))
    if now:
        export_perfetto(folder / "T.duckdb", folder / "T.pftrace")
    else:
        (folder / "T.pftrace").write_bytes(gzip.decompress((FIXTURES / "files/export-1.pftrace.gz").read_bytes()))
    import_source(folder / "T.pftrace", folder / "again.duckdb", ImportOptions(), CheckOptions(tables="all"))
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{folder / 'T.duckdb'}' AS before (READ_ONLY)")
        con.execute(f"ATTACH '{folder / 'again.duckdb'}' AS again (READ_ONLY)")
        yield con


# Tables of the balance are made later, of these.
@pytest.mark.parametrize("table", [name for name in table_names() if name not in BALANCE_TABLES])
def test_every_row_comes_back(both: duckdb.DuckDBPyConnection, table: str) -> None:
    columns = f"* EXCLUDE ({TOLD_BY_THE_IMPORT})" if table == "trace" else "*"
    for left, right in (("before", "again"), ("again", "before")):
        missing = f"SELECT {columns} FROM {left}.{table} EXCEPT ALL SELECT {columns} FROM {right}.{table}"
        assert both.execute(f"{missing} LIMIT 3").fetchall() == [], f"in {left} only"
