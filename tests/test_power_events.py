"""Idle states and frequencies of CPUs change nothing of what a check finds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from deadline_tasks import LATE
from drawing import build_drawn
from wastenot.analyzer import CheckOptions, ImportOptions, import_source, open_trace
from wastenot.schemas.declarations import read_declarations

ROOT = Path(__file__).resolve().parents[1]
REAL = (ROOT / "fixtures/traces/foreign/trace-cmd-arm.txt").read_text()
POWER = re.compile(r"^.* cpu_(idle|frequency): .*\n", re.MULTILINE)
SWITCH = re.compile(r"^ *\S+ +\[(\d+)\] +(\S+): sched_switch: .*\n", re.MULTILINE)


def more_power(text: str) -> str:
    """The text with an idle state of its CPU, and the frequency of the next one, after each switch."""

    def beside(found: re.Match[str]) -> str:
        cpu, at = int(found[1]), found[2]
        written = f"          <idle>-0     [{cpu:03}] {at}: "
        return (
            f"{found[0]}{written}cpu_idle: state={cpu % 3} cpu_id={cpu}\n"
            f"{written}cpu_frequency: state={2_000_000 + cpu} cpu_id={(cpu + 1) % 2}\n"
        )

    return SWITCH.sub(beside, text)


DERIVED = [table for table in read_declarations(ROOT / "schemas").tables if table.kind == "derived"]
OF_EVENTS = {"event id", "events"}
"""Units of columns that number or count events."""
COUNTS = ("events_read", "events_applied")
"""Rows of `data_quality` that do."""


def findings(path: Path) -> dict[str, list[Any]]:
    """Every row that a check made, but for numbers of events, which the events in between shift."""
    found: dict[str, list[Any]] = {}
    with open_trace(path) as trace:
        verdict = trace.verdict().to_json()
        assert verdict["trace"].pop("events") > 0
        found["verdict.json"] = [verdict]
        there = {row["name"] for row in trace.sql("SELECT table_name AS name FROM duckdb_tables()").rows()}
        for table in DERIVED:
            columns = [c.name for c in table.columns if c.unit not in OF_EVENTS and not c.name.endswith("event_ids")]
            if table.name not in there or table.name.startswith("checkpoint"):
                continue
            rows = trace.sql(f"SELECT {', '.join(columns)} FROM {table.name}").rows()
            found[table.name] = sorted(str(row) for row in rows if row.get("what") not in COUNTS)
    return found


def test_a_text_has_the_findings_that_it_has_without_them(tmp_path: Path) -> None:
    without, more = POWER.sub("", REAL), more_power(REAL)
    assert len(POWER.findall(REAL)) > 5 and len(POWER.findall(more)) > 30 and not POWER.findall(without)
    found = []
    for name, text in {"without": without, "with": REAL, "more": more}.items():
        (tmp_path / f"{name}.txt").write_text(text)
        path = tmp_path / f"{name}.duckdb"
        import_source(tmp_path / f"{name}.txt", path, ImportOptions(), CheckOptions(tables="all"))
        found.append(findings(path))
        with open_trace(path) as trace:
            rows = trace.sql("SELECT (SELECT count(*) FROM cpu_idle) + (SELECT count(*) FROM cpu_frequency) AS n").one()
        assert rows["n"] == len(POWER.findall(text))
    assert found[0]["wasted"] and found[0]["thread_state"]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("power", ["cpu_idle 0 enters 1", "cpu_frequency 0 = 2400000"])
def test_jobs_with_deadlines_are_the_same(tmp_path: Path, power: str) -> None:
    more = re.sub(r"^(\S+) (switch|wakeup) .*$", rf"\g<0>\n\1 {power}", LATE, flags=re.MULTILINE)
    assert more.count(power) > 3
    found = []
    for name, text in {"without": LATE, "with": more}.items():
        build_drawn(text, tmp_path / f"{name}.duckdb", CheckOptions(tables="all"))
        found.append(findings(tmp_path / f"{name}.duckdb"))
    assert found[0]["dl_job"]
    assert found[0] == found[1]
