"""The wait ledger adds up to the waits of all threads, in recordings and foreign traces of the fixtures."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from samples import sample
from wastenot.analyzer import CheckOptions, ImportOptions, import_source, open_trace

TRACES = Path(__file__).resolve().parents[1] / "fixtures/traces"
RECORDINGS = sorted(TRACES.rglob("*.part"))
GUEST = TRACES / "guest-6.1"
FOREIGN = [
    *sorted((TRACES / "foreign").glob("*.txt")),
    *sorted(path for guest in TRACES.glob("guest-*") for path in guest.iterdir() if path.is_dir()),
    *(GUEST / name for name in ("trace.dat", "perf.data", "perf-sched.data")),
]


def test_there_are_recordings_and_foreign_traces() -> None:
    assert len(RECORDINGS) > 30 and len(FOREIGN) > 9


@pytest.mark.parametrize("source", [*sample(RECORDINGS, 4), *FOREIGN], ids=lambda path: str(path.relative_to(TRACES)))
def test_the_wait_ledger_adds_up(source: Path, tmp_path: Path) -> None:
    # Building a trace removes the recording, so that it is of a copy.
    copy = tmp_path / source.name
    shutil.copytree(source, copy) if source.is_dir() else shutil.copyfile(source, copy)
    import_source(copy, tmp_path / "T.duckdb", ImportOptions(), CheckOptions())
    with open_trace(tmp_path / "T.duckdb") as trace:
        ledger = trace.sql("SELECT coalesce(sum(wait_ns), 0)::BIGINT AS ns FROM cgroup_wait").one()["ns"]
        refuted = trace.sql(
            "SELECT coalesce(sum(value), 0)::BIGINT AS ns FROM data_quality WHERE what = 'refuted_wait_ns'"
        ).one()["ns"]
        waited = trace.sql(
            "SELECT coalesce(sum(wait_wakeup_ns + wait_preempted_ns + throttled_ns), 0)::BIGINT AS ns FROM thread"
        ).one()["ns"]
        avoidable = trace.sql("SELECT coalesce(sum(avoidable_wait_ns), 0)::BIGINT AS ns FROM thread").one()["ns"]
        of_ledger = sum(row["wait_ns"] for row in trace.cgroup_waits() if row["reason"] == "avoidable")
        confined = sum(row["wait_ns"] for row in trace.cgroup_waits() if row["reason"] == "confined")
        excused = trace.sql("SELECT sum(core_ns)::BIGINT AS ns FROM excuse_ledger").one()["ns"]
    assert ledger - refuted == waited
    assert of_ledger == avoidable
    assert confined <= excused
