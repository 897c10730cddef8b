"""CPUs scanned and interrupt work of a window: drawn traces to the ns, real and simulated ones against raw tables."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from drawing import build_drawn
from wastenot import replay
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.analyzer.store.building import make
from wastenot.analyzer.store.opening import open_read_only
from wastenot.analyzer.store.writing import BatchWriter
from wastenot.web.flows import REACH_NS
from wastenot.web.local import LocalServer

ROOT = Path(__file__).resolve().parents[3]

SCANNED = """
cpus 0-3
window 0us 100us
0us cpu 0 runs 100
0us cpu 1 idle
0us cpu 2 idle
0us cpu 3 idle
0us thread 100 hog on 0 running mask 0-3
0us thread 101 worker on 1 asleep mask 0-3
10us waking 101 last 1 by 0
11us cpus_scanned 101 1-2 chose 2 by 0
12us wakeup 101 on 2
14us switch 2: 0 R -> 101
20us switch 2: 101 S -> 0
30us attempt 3 over 0 idle pulled 0
30us chose none
40us attempt 1 over 1 newly pulled 1
40us chose 0
45us irq 2 for 30us vector 3
60us waking 101 last 2 by 0
61us wakeup 101 on 0
70us placed 101 on 1 by 0
90us irq 1 for 25us
"""
"""A wakeup and two attempts that scanned CPUs, a wakeup without a placement, a placement without a wakeup."""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Drawn; recorded with the CPUs scanned by placements; two with attempts; simulated, with the CPUs they scanned."""
    folder = tmp_path_factory.mktemp("scans")
    paths = {name: folder / f"{name}.duckdb" for name in ("drawn", "placed", "taken", "pinned", "simulated")}
    build_drawn(SCANNED, paths["drawn"], CheckOptions(tables="all"))
    for name, recording in (
        ("placed", "placements-6.12-8"),
        ("taken", "placements-7.2-8"),
        ("pinned", "pinned-6.12-8"),
    ):
        part = folder / f"{name}.duckdb.part"
        shutil.copytree(ROOT / f"fixtures/traces/rig/{recording}.part", part)
        import_source(part, paths[name], ImportOptions(), CheckOptions(tables="all"))
    scenario = replay.find("fault-lost-balancer")

    def fill(con: duckdb.DuckDBPyConnection) -> None:
        with BatchWriter(con) as writer:
            replay.simulate(scenario, replay.Settings(evidence_level="L3"), writer.emit)

    make(paths["simulated"], fill, CheckOptions(tables="all"))
    return paths


def ask(served: LocalServer, trace: str, what: str, **window: int) -> list[dict[str, Any]]:
    parameters = "&".join(f"{name}={value}" for name, value in window.items())
    found: list[dict[str, Any]] = served.ask(f"/api/traces/{trace}/{what}?{parameters}").arrow().to_pylist()
    return found


def rows(path: Path, sql: str) -> list[dict[str, Any]]:
    with open_read_only(path) as con:
        found: list[dict[str, Any]] = con.sql(sql).to_arrow_table().to_pylist()
    return found


def test_scans_are_those_that_were_drawn(server: LocalServer, traces: dict[str, Path]) -> None:
    utid = rows(traces["drawn"], "SELECT utid FROM thread WHERE tid = 101")[0]["utid"]
    names = ("utid", "attempt_id", "prev_cpu", "wake_flags", "dst_cpu", "level", "pulled", "found")
    nothing: dict[str, Any] = dict.fromkeys(names)
    found = ask(server, "drawn", "scans", start=0, end=100_000)
    assert [{key: value for key, value in row.items() if key != "scan_id"} for row in found] == [
        nothing | {"ts_ns": 11_000, "cpu": 0, "utid": utid, "cpus": [1, 2], "chosen_cpu": 2},
        nothing | {"ts_ns": 70_000, "cpu": 0, "utid": utid, "cpus": None, "chosen_cpu": 1},
    ]
    assert [row["ts_ns"] for row in ask(server, "drawn", "scans", start=11_001, end=70_001)] == [70_000]
    attempts = server.ask("/api/traces/drawn/scans?of=attempts&start=0&end=100000").arrow().to_pylist()
    first, second = (row["id"] for row in rows(traces["drawn"], "SELECT id FROM balance_attempt ORDER BY id"))
    none_found = {"ts_ns": 30_000, "cpu": 3, "cpus": [0], "dst_cpu": 3, "level": 0, "pulled": 0, "found": 0}
    taken = {"ts_ns": 40_000, "cpu": 1, "cpus": [0], "chosen_cpu": 0, "dst_cpu": 1, "level": 1, "pulled": 1, "found": 1}
    assert attempts == [
        nothing | {"scan_id": first, "attempt_id": first, "chosen_cpu": None} | none_found,
        nothing | {"scan_id": second, "attempt_id": second} | taken,
    ]
    assert server.ask("/api/traces/drawn/scans?of=others").status == 422


def test_interrupts_are_those_that_were_drawn(server: LocalServer) -> None:
    network = {"cpu": 2, "start_ns": 45_000, "dur_ns": 30_000, "kind": 1, "vector": 3}
    assert ask(server, "drawn", "interrupts", start=0, end=90_000) == [network]
    assert ask(server, "drawn", "interrupts", start=74_999, end=75_000) == [{**network, "start_ns": -29_999}]
    assert ask(server, "drawn", "interrupts", start=75_000, end=90_000) == []
    later = server.ask("/api/traces/drawn/interrupts?start=0&end=100000&cpus=1").arrow().to_pylist()
    assert [(row["cpu"], row["start_ns"]) for row in later] == [(1, 90_000)]


@pytest.mark.parametrize(("trace", "of"), [("placed", "placements"), ("simulated", "attempts")])
def test_scans_of_a_window_are_the_rows_of_the_table(
    server: LocalServer, traces: dict[str, Path], trace: str, of: str
) -> None:
    null = "NULL" if of == "placements" else "NOT NULL"
    whole = rows(traces[trace], f"FROM cpus_scanned WHERE attempt_id IS {null} ORDER BY coalesce(attempt_id, id)")
    masks = {row["mask_id"]: row["cpus"] for row in rows(traces[trace], "FROM mask")}
    attempts = {row["id"]: row for row in rows(traces[trace], "FROM balance_attempt")}
    lives = sorted(rows(traces[trace], "SELECT utid, tid, start_ns FROM thread"), key=lambda r: r["start_ns"] or 0)
    start, end = whole[len(whole) // 4]["ts_ns"], whole[3 * len(whole) // 4]["ts_ns"]

    def expected(row: dict[str, Any]) -> dict[str, Any]:
        attempt = attempts.get(row["attempt_id"], {})
        alive = [t for t in lives if t["tid"] == row["tid"] and (t["start_ns"] or 0) <= row["ts_ns"]]
        columns = ("ts_ns", "cpu", "attempt_id", "chosen_cpu", "prev_cpu", "wake_flags")
        return {column: row[column] for column in columns} | {
            "scan_id": row["id"] if row["attempt_id"] is None else row["attempt_id"],
            "utid": alive[-1]["utid"] if alive and row["tid"] is not None else None,
            "cpus": masks.get(row["mask_id"]),
            "dst_cpu": attempt.get("dst_cpu"),
            "level": attempt.get("domain_level"),
            "pulled": attempt.get("pulled"),
            "found": None if of == "placements" else int(row["chosen_cpu"] is not None),
        }

    inside = [expected(row) for row in whole if start <= row["ts_ns"] < end]
    found = server.ask(f"/api/traces/{trace}/scans?of={of}&start={start}&end={end}&limit=200000").arrow().to_pylist()
    recorded = {row["attempt_id"] for row in inside}
    assert [row for row in found if row["attempt_id"] in recorded] == inside
    assert any(row["cpus"] for row in found)
    answer = server.ask(f"/api/traces/{trace}/scans?of={of}&start={start}&end={end}&limit=7").arrow()
    inside = [row for row in found if row["ts_ns"] >= start]
    assert answer.to_pylist() == inside[:7]
    assert (answer.schema.metadata or {})[b"truncated"] == b"true"


@pytest.mark.parametrize(("trace", "takes", "renumbered"), [
    ("taken", True, {}), ("pinned", False, {}), ("taken", True, {0: 1, 1: 4}), ("pinned", False, {0: 2, 1: 5}),
])  # fmt: skip
def test_an_attempt_of_a_real_kernel_looks_at_its_domain_and_takes_from_a_queue(
    serve: Callable[..., LocalServer], traces: dict[str, Path], tmp_path: Path, trace: str, takes: bool,
    renumbered: dict[int, int],
) -> None:  # fmt: skip
    """By brute force over the tables: the domain valid then, the queue examined, or that of the first thread taken.

    `renumbered`: attempts have the numbers of a kernel that counts levels which the machine does not have, too.
    """
    path = Path(shutil.copy(traces[trace], tmp_path / "attempts.duckdb"))
    table_level = {raw: level for level, raw in renumbered.items()}
    if renumbered:
        with duckdb.connect(str(path)) as con:
            cases = " ".join(f"WHEN {level} THEN {raw}" for level, raw in renumbered.items())
            con.execute(f"UPDATE balance_attempt SET domain_level = CASE domain_level {cases} END")
    server = serve([path])
    attempts = rows(path, "FROM balance_attempt WHERE domain_level IS NOT NULL ORDER BY id")
    of_attempt = {row["attempt_id"]: row for row in rows(path, "FROM balance_search")}
    moves = rows(path, "FROM sched_migrate_task ORDER BY id")
    domains = rows(path, "FROM domain WHERE exact ORDER BY since_ns")
    expected = []
    for row in attempts:
        search = of_attempt.get(row["id"])
        looked = search is not None and search["result"] in (1, 2)
        if not looked and not (row["pulled"] or 0) > 0:
            continue
        valid = [
            d["span"]
            for d in domains
            if (d["cpu"], d["level"]) == (row["dst_cpu"], table_level.get(row["domain_level"], row["domain_level"]))
            and d["since_ns"] <= row["ts_ns"]
        ]
        took = [
            m["orig_cpu"]
            for m in moves
            if row["ts_ns"] <= m["ts_ns"] <= row["ts_ns"] + row["dur_ns"]
            and (m["cpu"], m["dest_cpu"]) == (row["cpu"], row["dst_cpu"])
        ]
        chosen = search["src_cpu"] if looked and search else None
        if chosen is None and row["pulled"]:
            chosen = took[0] if took else None
        expected.append((row["id"], sorted(valid[-1]) if valid else None, chosen, row["pulled"]))
    start, end = attempts[0]["ts_ns"], attempts[-1]["ts_ns"] + 1
    asked = f"/api/traces/attempts/scans?of=attempts&start={start}&end={end}&limit=200000"
    found = server.ask(asked).arrow().to_pylist()
    assert [(row["attempt_id"], row["cpus"], row["chosen_cpu"], row["pulled"]) for row in found] == expected
    assert any(row["chosen_cpu"] is not None and bool(row["pulled"]) == takes for row in found)
    assert all(row["cpus"] for row in found) and len(found) > 100
    assert {len(row["cpus"]) for row in found} == {4, 8}


def test_domains_read_before_a_cpu_went_off_say_nothing_of_attempts_after_it(
    serve: Callable[..., LocalServer], traces: dict[str, Path], tmp_path: Path
) -> None:
    path = Path(shutil.copy(traces["taken"], tmp_path / "hotplug.duckdb"))
    middle = rows(path, "SELECT quantile_disc(ts_ns, 0.5) AS ts_ns FROM balance_attempt")[0]["ts_ns"]
    with duckdb.connect(str(path)) as con:
        con.execute("INSERT INTO cpu_hotplug SELECT 1000000000, $1, 7, false", [middle])
    server = serve([path])
    found = server.ask("/api/traces/hotplug/scans?of=attempts&limit=200000").arrow().to_pylist()
    assert {row["cpus"] is None for row in found if row["ts_ns"] >= middle} == {True}
    assert {row["cpus"] is None for row in found if row["ts_ns"] < middle} == {False}


def test_interrupts_of_a_window_are_the_rows_of_the_table(server: LocalServer, traces: dict[str, Path]) -> None:
    whole = rows(traces["placed"], "FROM irq_span ORDER BY ts_ns, id")
    longest = max(whole, key=lambda row: row["dur_ns"])
    start, end = longest["ts_ns"] + 1, longest["ts_ns"] + longest["dur_ns"] + 200_000_000
    inside = [row for row in whole if row["ts_ns"] < end and row["ts_ns"] + row["dur_ns"] > start]
    found = ask(server, "placed", "interrupts", start=start, end=end)
    assert found == [
        {"start_ns": row["ts_ns"] - start} | {k: row[k] for k in ("cpu", "dur_ns", "kind", "vector")} for row in inside
    ]
    assert len(found) > 1 and found[0]["start_ns"] < 0


def test_an_instant_has_the_placement_of_its_wakeup(server: LocalServer, traces: dict[str, Path]) -> None:
    utid = rows(traces["drawn"], "SELECT utid FROM thread WHERE tid = 101")[0]["utid"]

    def placement(at: int) -> dict[str, Any] | None:
        found = server.ask(f"/api/traces/drawn/threads/{utid}/instant?at={at}").json()["placement"]
        assert found is None or isinstance(found, dict)
        return found

    event = rows(traces["drawn"], "SELECT id FROM cpus_scanned WHERE ts_ns = 11000")[0]["id"]
    first = {"scan_id": event, "ts_ns": 11_000, "cpu": 0, "scanned": [1, 2], "chosen_cpu": 2, "prev_cpu": None}
    assert placement(15_000) == first
    # The second wakeup has none: neither the one before it nor the one after it is its.
    assert placement(65_000) is None


def test_placements_of_instants_are_those_between_waking_and_wakeup(
    server: LocalServer, traces: dict[str, Path]
) -> None:
    """By brute force, for each fifth wakeup of the recording whose thread ran or waited as of it."""
    events = rows(
        traces["placed"],
        """SELECT w.id, w.ts_ns, w.tid, t.utid, w.is_new FROM sched_wakeup w JOIN thread_state s ON s.start_ns = w.ts_ns
           JOIN thread t ON t.utid = s.utid AND t.tid = w.tid WHERE s.phase IN (0, 1) ORDER BY w.id""",
    )[::5]
    earlier = rows(traces["placed"], "SELECT id, tid FROM sched_wakeup")
    placements = rows(traces["placed"], "SELECT s.*, m.cpus FROM cpus_scanned s LEFT JOIN mask m USING (mask_id)")
    known = 0
    for wakeup in events:
        before = max((w["id"] for w in earlier if w["tid"] == wakeup["tid"] and w["id"] < wakeup["id"]), default=-1)
        own = [
            row
            for row in placements
            if row["tid"] == wakeup["tid"]
            and before < row["id"] < wakeup["id"]
            and wakeup["ts_ns"] - row["ts_ns"] <= REACH_NS
            and row["wake_flags"] & (4 if wakeup["is_new"] else 8)
        ]
        found = server.ask(f"/api/traces/placed/threads/{wakeup['utid']}/instant?at={wakeup['ts_ns']}").json()
        expected = own[-1] if own else None
        assert found["placement"] == (
            None
            if expected is None
            else {
                "scan_id": expected["id"],
                "ts_ns": expected["ts_ns"],
                "cpu": expected["cpu"],
                "scanned": expected["cpus"],
                "chosen_cpu": expected["chosen_cpu"],
                "prev_cpu": expected["prev_cpu"],
            }
        )
        known += expected is not None
    assert known > 20


def test_the_identity_says_whether_attempts_have_the_cpus_that_they_scanned(server: LocalServer) -> None:
    for trace, has in {"placed": False, "simulated": True}.items():
        assert server.ask(f"/api/traces/{trace}/identity").json()["has_attempt_scans"] is has


def test_bad_windows_are_refused(served: LocalServer) -> None:
    for what in ("scans", "interrupts"):
        assert served.ask(f"/api/traces/wasted/{what}?start=5&end=5").status == 422
        assert served.ask(f"/api/traces/wasted/{what}?limit=200001").status == 422
    assert served.ask("/api/traces/wasted/interrupts?cpus=x").status == 422
