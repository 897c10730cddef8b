"""The traces that are mutated, by format: small real ones of the fixtures, and exports of one of them."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.analyzer.export import export_csv, export_parquet, export_perfetto

from .mutate import EXTREMES, mutated
from .watched import in_child

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ROOT / "collector/formats"
GUEST = ROOT / "fixtures/traces/guest-6.1"

FILES = {
    "text": ("text/tests/data/guest-6.1-head.txt", "text/tests/data/guest-6.1-raw.txt"),
    "trace.dat": ("tracedat/tests/data/v6.dat", "tracedat/tests/data/v7-zstd.dat", "tracedat/tests/data/instances.dat",
                  "tracedat/tests/data/v7-plain.dat"),
    "perf": ("perf/tests/data/thread.data", "perf/tests/data/zstd.data", "perf/tests/data/lost.data",
             "perf/tests/data/pipe.data"),
    "perfetto": ("perfetto/tests/data/full.pftrace", "perfetto/tests/data/compact.pftrace",
                 "perfetto/tests/data/deflate.pftrace"),
}  # fmt: skip
NAMES = (*FILES, "ctf", "parquet")
"""The formats."""

Make = Callable[[random.Random, Path], Path]
"""Puts a damaged trace into a folder; returns what is to be imported."""


@dataclass(frozen=True)
class Exports:
    """What `wastenot export` makes of a real trace, for the readers of our own formats."""

    folder: Path

    def make(self) -> None:
        """Write them."""
        trace = self.folder / "sample.duckdb"
        import_source(FORMATS / FILES["text"][0], trace, ImportOptions(("*=0-7",)), CheckOptions())
        export_parquet(trace, self.folder / "parquet")
        export_csv(trace, self.folder / "csv")
        export_perfetto(trace, self.folder / "own.pftrace")


def maker(format: str, exports: Exports) -> Make:
    """What damages a trace of a format."""
    if format == "ctf":
        return _ctf
    if format == "parquet":
        return lambda chosen, folder: _export(chosen, folder, exports)
    files = [FORMATS / name for name in FILES[format]]
    if format == "perfetto":
        files.append(exports.folder / "own.pftrace")

    def make(chosen: random.Random, folder: Path) -> Path:
        source = chosen.choice(files)
        target = folder / f"damaged{source.suffix}"
        target.write_bytes(mutated(chosen, source.read_bytes()))
        return target

    return make


def _ctf(chosen: random.Random, folder: Path) -> Path:
    """A folder of CTF with damage in one stream or, more seldom, in the metadata."""
    source = GUEST / "pinned/kernel"
    target = folder / "ctf"
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("index", "c1_[0247]"))
    streams = [path for path in sorted(target.iterdir()) if path.is_file() and path.name != "metadata"]
    path = target / "metadata" if chosen.random() < 0.2 else chosen.choice(streams)
    path.write_bytes(mutated(chosen, path.read_bytes()))
    return target


def _export(chosen: random.Random, folder: Path, exports: Exports) -> Path:
    """An export with damaged bytes in one file, or with values that cannot be in one column."""
    kind = chosen.choice(("parquet", "parquet", "csv"))
    target = folder / kind
    shutil.copytree(exports.folder / kind, target)
    files = [path for path in sorted(target.rglob("*")) if path.suffix in (f".{kind}", ".json")]
    path = chosen.choice(files)
    if path.suffix == ".parquet" and chosen.random() < 0.6:
        in_child(lambda: _change_values(chosen, path))
    else:
        path.write_bytes(mutated(chosen, path.read_bytes()))
    return target


def _change_values(chosen: random.Random, path: Path) -> None:
    """Some rows of a number's column hold extreme values."""
    with duckdb.connect() as con:
        quoted = str(path).replace("'", "''")
        con.execute(f"CREATE TABLE t AS FROM read_parquet('{quoted}')")
        columns = con.execute("SELECT column_name, column_type FROM (DESCRIBE t)").fetchall()
        numbers = [name for name, kind in columns if kind.rstrip("[]") in WIDTHS]
        kinds = dict(columns)
        for name in chosen.sample(numbers, min(len(numbers), chosen.choice((1, 1, 2)))):
            low, high = WIDTHS[kinds[name].rstrip("[]")]
            value = str(min(max(chosen.choice(EXTREMES), low), high))
            value = f"[{value}]" if kinds[name].endswith("]") else value
            share = chosen.choice((0.001, 0.05, 0.5, 1.0))
            con.execute(f"UPDATE t SET {name} = {value} WHERE hash(rowid) % 1000 < {share * 1000} OR rowid = 0")
        con.execute(f"COPY t TO '{quoted}' (FORMAT parquet)")


WIDTHS = {
    "TINYINT": (-(2**7), 2**7 - 1), "UTINYINT": (0, 2**8 - 1), "SMALLINT": (-(2**15), 2**15 - 1),
    "USMALLINT": (0, 2**16 - 1), "INTEGER": (-(2**31), 2**31 - 1), "UINTEGER": (0, 2**32 - 1),
    "BIGINT": (-(2**63), 2**63 - 1), "UBIGINT": (0, 2**64 - 1),
}  # fmt: skip
"""Types of numbers, and what they hold."""
