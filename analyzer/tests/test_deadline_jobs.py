"""The table `dl_job`: the jobs that `wastenot deadlines` finds, made when a query first asks for them."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from deadline_tasks import FIFO, LATE, UNDESCRIBED
from drawing import build_drawn
from wastenot.analyzer import CheckOptions, build, open_trace
from wastenot.analyzer.deadlines import find_deadlines
from wastenot.analyzer.store.deadline_jobs import CODED

RECORDED = Path(__file__).parents[2] / "fixtures/traces/deadlines.part"
NAMES = ", ".join(f"{enum}_name({column}) AS {column}" for column, enum in CODED.items())
AS_FOUND = f"SELECT * REPLACE ({NAMES}) FROM dl_job ORDER BY utid, activation_ns"


def assert_same(path: Path) -> int:
    """The rows of the table are those of the command, column by column; returns their number."""
    with open_trace(path) as trace:
        table = trace.sql(AS_FOUND)
        found = find_deadlines(trace)
    expected = sorted(found.jobs.rows(), key=lambda job: (job["utid"], job["activation_ns"]))
    # Jobs of SCHED_DEADLINE threads have none, and so no column of it in the table.
    assert not any(job.pop("contention_ns") for job in expected)
    assert table.columns == [name for name in found.jobs.columns if name != "contention_ns"]
    assert table.rows() == expected
    assert sum(job["missed"] for job in expected) == found.report["missed"]
    return len(expected)


def test_a_query_has_the_jobs_of_a_real_recording_made_and_they_are_those_of_the_command(tmp_path: Path) -> None:
    shutil.copytree(RECORDED, tmp_path / "T.duckdb.part")
    build(tmp_path / "T.duckdb.part", tmp_path / "T.duckdb", CheckOptions())
    assert assert_same(tmp_path / "T.duckdb") == 200
    with open_trace(tmp_path / "T.duckdb") as trace:
        report = find_deadlines(trace).report
        by_fault = "SELECT deadline_fault_words(fault) AS fault, count(*) AS n FROM dl_job WHERE missed GROUP BY 1"
        assert {row["fault"]: row["n"] for row in trace.sql(by_fault)} == {"own overrun": 8, "overload": 26}
        by_task = "SELECT name, count_if(missed) AS missed FROM dl_job JOIN thread USING (utid) GROUP BY 1"
        assert {row["name"]: row["missed"] for row in trace.sql(by_task)} == {
            task["name"]: task["missed"] for task in report["tasks"]
        }
        parts = [
            name for name in trace.sql("FROM dl_job LIMIT 0").columns if name[:-3] in report["tasks"][0]["spent_ns"]
        ]
        assert len(parts) == 9
        rest = f"SELECT max(abs({' + '.join(parts)} - (end_ns - activation_ns))) AS ns FROM dl_job"
        assert trace.sql(rest).one()["ns"] == 0


@pytest.mark.parametrize(("drawing", "jobs"), [(LATE, 2), (UNDESCRIBED, 0), (FIFO, 0)])
def test_it_is_empty_where_no_parameters_were_recorded(tmp_path: Path, drawing: str, jobs: int) -> None:
    build_drawn(drawing, tmp_path / "T.duckdb", CheckOptions(tables="all"))
    assert assert_same(tmp_path / "T.duckdb") == jobs


def test_an_older_file_with_all_other_tables_gets_it(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    build_drawn(LATE, path, CheckOptions(tables="all"))
    with duckdb.connect(str(path)) as con:
        con.execute("DROP TABLE dl_job")
    assert assert_same(path) == 2
