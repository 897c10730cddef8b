"""Whole waits and their percentiles beside a walk over the states of each thread, on drawn and on real traces."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wastenot.analyzer import CheckOptions, Trace, build, open_trace
from wastenot.analyzer.errors import BadArgument, NoSuchGroup
from wastenot.analyzer.model.latency import LATENCY_BY, LATENCY_SORTS, OTHER_KINDS, read_latency
from wastenot.analyzer.render.cgroups import cgroups_table
from wastenot.analyzer.render.json import latency_json
from wastenot.analyzer.render.latency import LatencyView
from wastenot.analyzer.render.listings import top_table
from wastenot.analyzer.render.terminal import as_text
from wastenot.analyzer.text.latency import latency_sentence

ROOT = Path(__file__).parents[2]
S, MS = 1_000_000_000, 1_000_000
RUNNING, RUNNABLE, PREEMPTED, THROTTLED = 0, 1, 2, 7
WAITING = (RUNNABLE, PREEMPTED, THROTTLED)
Wait = tuple[int, int, int, str, int, int | None, int]
"""utid, start, length, kind, CPU, where it ran, queues."""


def by_hand(trace: Trace) -> list[Wait]:
    """The waits, by a walk over the states of each thread."""
    rows = trace.sql("SELECT utid, start_ns, dur_ns, phase, cpu FROM thread_state ORDER BY utid, start_ns").rows()
    out: list[Wait] = []
    at = 0
    while at < len(rows):
        first = rows[at]
        if first["phase"] not in WAITING:
            at += 1
            continue
        end = at
        while end + 1 < len(rows) and follows(rows[end], rows[end + 1]) and rows[end + 1]["phase"] in WAITING:
            end += 1
        part = rows[at : end + 1]
        after = rows[end + 1] if end + 1 < len(rows) and follows(rows[end], rows[end + 1]) else None
        ran_before = at > 0 and follows(rows[at - 1], first) and rows[at - 1]["phase"] == RUNNING
        phases = {r["phase"] for r in part}
        preempted = PREEMPTED in phases or (phases == {THROTTLED} and ran_before)
        ran_on = after["cpu"] if after is not None and after["phase"] == RUNNING else None
        kind = "preemption" if preempted else "wakeup"
        length = part[-1]["start_ns"] + part[-1]["dur_ns"] - first["start_ns"]
        out.append((first["utid"], first["start_ns"], length, kind, first["cpu"], ran_on, len(part)))
        at = end + 1
    return out


def follows(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return (one["utid"], one["start_ns"] + one["dur_ns"]) == (other["utid"], other["start_ns"])


def in_sql(trace: Trace) -> list[Wait]:
    found = trace.sql("SELECT * FROM waits() ORDER BY utid, start_ns").rows()
    keys = ("utid", "start_ns", "dur_ns", "waited_after", "cpu", "ran_on", "queues")
    return [tuple(r[k] for k in keys) for r in found]


def percentile(lengths: list[int], share: float) -> int:
    """The least length that so many are no longer than."""
    ordered = sorted(lengths)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)]


def require_same(trace: Trace) -> int:
    """Compare all figures with those by hand; returns the number of waits."""
    waits = by_hand(trace)
    assert in_sql(trace) == waits
    found = read_latency(trace, limit=10**6, worst=10**6)
    if not waits:
        assert found.total is None
        return 0
    assert found.total is not None
    lengths = [w[2] for w in waits]
    figures = (len(waits), sum(lengths), percentile(lengths, 0.5), percentile(lengths, 0.99), max(lengths))
    keys = ("waits", "wait_ns", "median_ns", "p99_ns", "longest_ns")
    assert tuple(found.total[k] for k in keys) == figures
    bins = Counter((int(math.log2(w[2])), w[3]) for w in waits)
    for b in found.total["histogram"]:
        at = b["low_ns"].bit_length() - 1
        assert (b["after_wakeup"], b["after_preemption"]) == (bins[at, "wakeup"], bins[at, "preemption"])
    assert sum(b["after_wakeup"] + b["after_preemption"] for b in found.total["histogram"]) == len(waits)
    for row in found.groups:
        own = [w for w in waits if w[0] == row["key"]]
        assert (row["waits"], row["longest_ns"]) == (len(own), max(w[2] for w in own))
        for kind in ("wakeup", "preemption"):
            of_kind = [w[2] for w in own if w[3] == kind]
            assert (row[kind] is None) == (not of_kind)
            if of_kind:
                assert (row[kind]["p99_ns"], row[kind]["waits"]) == (percentile(of_kind, 0.99), len(of_kind))
    assert [(w["utid"], w["start_ns"]) for w in found.longest] == [
        w[:2] for w in sorted(waits, key=lambda w: (-w[2], w[1], w[0]))
    ]
    return len(waits)


def require_sums(trace: Trace) -> None:
    """By thread, the waits without throttled time add up to the columns of `thread`, to the nanosecond."""
    wrong = trace.sql(
        """SELECT t.utid FROM thread t LEFT JOIN (
             SELECT utid, sum(dur_ns - throttled_ns) FILTER (waited_after = 'wakeup') AS woken,
               sum(dur_ns - throttled_ns) FILTER (waited_after = 'preemption') AS preempted,
               sum(throttled_ns) AS throttled
             FROM waits() GROUP BY utid) w USING (utid)
           WHERE t.utid <> 0 AND (coalesce(woken, 0), coalesce(preempted, 0), coalesce(throttled, 0))
             <> (t.wait_wakeup_ns, t.wait_preempted_ns, t.throttled_ns)"""
    ).rows()
    assert wrong == []


REAL = ("rig/hobbled-interval-6.12-8.part", "two-cpus.part", "kernel-faults/lost-balancer-6.12.part")


@pytest.mark.parametrize("name", REAL)
def test_waits_of_real_traces_are_those_of_a_walk_over_the_states(name: str, tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    build(ROOT / "fixtures/traces" / name, path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        assert require_same(trace) > 100
        require_sums(trace)


def states(rows: str) -> str:
    """A statement that replaces the states; a row per line: utid start length phase cpu (ms)."""
    values = []
    for line in rows.split(","):
        utid, start, length, phase, cpu = line.split()
        codes = {"run": 0, "woken": 1, "preempted": 2, "sleep": 3, "throttled": 7}
        values.append(f"({utid}, {int(start) * MS}, {int(length) * MS}, {codes[phase]}, {cpu})")
    return f"TRUNCATE thread_state; INSERT INTO thread_state VALUES {', '.join(values)}"


def test_a_wait_goes_on_over_queues_and_throttling_and_ends_when_the_thread_runs(
    make_trace: Callable[..., Path],
) -> None:
    drawn = """1 0 100 run 0, 1 100 50 preempted 0, 1 150 25 preempted 3, 1 175 10 run 3, 1 185 15 sleep NULL,
               1 200 5 woken 3, 1 205 20 throttled 3, 1 225 5 woken 2, 1 230 70 run 2,
               1 300 40 throttled 2, 1 340 1 run 2,
               2 0 30 woken 1, 2 30 10 sleep NULL, 2 40 7 throttled 1, 2 47 3 run 1, 2 60 9 woken 1"""
    with open_trace(make_trace(states(drawn))) as trace:
        waits = by_hand(trace)
        assert in_sql(trace) == waits
        assert [(w[0], w[1] // MS, w[2] // MS, *w[3:]) for w in waits] == [
            (1, 100, 75, "preemption", 0, 3, 2),
            (1, 200, 30, "wakeup", 3, 2, 3),
            (1, 300, 40, "preemption", 2, 2, 1),
            (2, 0, 30, "wakeup", 1, None, 1),
            (2, 40, 7, "wakeup", 1, 1, 1),
            (2, 60, 9, "wakeup", 1, None, 1),
        ]
        cut = trace.sql("SELECT start_ns // 1000000 AS ms FROM waits() WHERE is_cut ORDER BY ms").rows()
        assert [r["ms"] for r in cut] == [60], "the state after it is not known"
        throttled = trace.sql("SELECT sum(throttled_ns)::BIGINT AS ns FROM waits()").one()["ns"]
        assert throttled == 67 * MS


PHASES = st.lists(st.tuples(st.sampled_from((0, 1, 2, 3, 7)), st.integers(1, 9), st.booleans()), max_size=12)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(PHASES, min_size=1, max_size=3))
def test_waits_of_any_states_are_those_of_a_walk(make_trace: Callable[..., Path], threads: list[Any]) -> None:
    values = []
    for utid, phases in enumerate(threads, start=1):
        at = 0
        for phase, length, gap in phases:
            at += 5 if gap else 0
            values.append(f"({utid}, {at}, {length}, {phase}, {'NULL' if phase == 3 else at % 4})")
            at += length
    rows = f"INSERT INTO thread_state VALUES {', '.join(values)}" if values else ""
    path = make_trace(f"TRUNCATE thread_state; {rows}", name="any.duckdb")
    with open_trace(path) as trace:
        require_same(trace)
    path.unlink()


def test_a_window_counts_the_waits_that_touch_it_whole(make_trace: Callable[..., Path]) -> None:
    drawn = "1 0 10 woken 0, 1 10 10 run 0, 1 20 10 preempted 0, 1 30 10 run 0, 2 5 20 woken 1, 2 25 10 run 1"
    with open_trace(make_trace(states(drawn))) as trace:

        def lengths(start: int, end: int, **more: str) -> list[int]:
            found = trace.latency(window=(start * MS, end * MS), **more)  # type: ignore[arg-type]
            assert (found.total or {"waits": 0})["waits"] == len(found.longest)
            return [w["dur_ns"] // MS for w in found.longest]

        assert lengths(0, 100) == [20, 10, 10]
        assert lengths(10, 20) == [20], "ends and starts at its ends do not touch it"
        assert lengths(9, 21) == [20, 10, 10]
        assert lengths(26, 100) == [10] and lengths(30, 100) == []
        assert lengths(0, 100, after="wakeup") == [20, 10] and lengths(0, 100, after="preemption") == [10]
        only = trace.latency(after="preemption").total
        assert only is not None and only["wakeup"] is None
        assert [(b["after_wakeup"], b["after_preemption"]) for b in only["histogram"]] == [(0, 1)]


def test_groups_are_threads_processes_and_cgroups(make_trace: Callable[..., Path]) -> None:
    drawn = "1 0 10 woken 0, 1 10 10 run 0, 2 0 30 woken 0, 2 30 1 run 0, 3 0 20 woken 1, 3 20 1 run 1"
    with open_trace(make_trace(states(drawn))) as trace:
        rows = {by: trace.latency(by).groups for by in LATENCY_BY}
        assert [(r["name"], r["tid"], r["longest_ns"] // MS) for r in rows["thread"]] == [
            ("cc1", 101, 30), ("R", 102, 20), ("make", 100, 10),
        ]  # fmt: skip
        assert [(r["name"], r["tgid"], r["waits"]) for r in rows["process"]] == [("make", 100, 2), ("R", 102, 1)]
        assert [(r["name"], r["label"], r["waits"]) for r in rows["cgroup"]] == [
            ("/build", "/build", 2),
            (None, None, 1),
        ]
        for sort in LATENCY_SORTS:
            assert len(trace.latency(sort=sort, limit=2).groups) == 2
        for wrong in ({"by": "moon"}, {"sort": "moon"}, {"after": "moon"}):
            with pytest.raises(BadArgument, match="moon"):
                trace.latency(**wrong)  # type: ignore[arg-type]


def keys_by_hand(trace: Trace, by: str) -> dict[int, int | None]:
    """The key of each thread's group."""
    column = {"thread": "utid", "process": "upid", "cgroup": "cgroup_id"}[by]
    return {row["utid"]: row["key"] for row in trace.sql(f"SELECT utid, {column} AS key FROM thread")}


@pytest.mark.parametrize("name", REAL[:2])
def test_waits_of_each_group_alone_are_those_of_a_walk(name: str, tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    build(ROOT / "fixtures/traces" / name, path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        waits = by_hand(trace)
        for by in LATENCY_BY:
            key_of = keys_by_hand(trace, by)
            keys = sorted({key_of[w[0]] for w in waits}, key=lambda key: (key is None, key))
            for of in [[key] for key in keys[:25]] + [keys[:3]]:
                own = [w for w in waits if key_of[w[0]] in of]
                found = trace.latency(by, of=of, worst=7, limit=10**6)
                worst = sorted(own, key=lambda w: (-w[2], w[1], w[0]))[:7]
                assert [(w["utid"], w["start_ns"], w["dur_ns"]) for w in found.longest] == [w[:3] for w in worst]
                assert found.total is not None
                lengths = [w[2] for w in own]
                figures = (len(own), sum(lengths), percentile(lengths, 0.99), max(lengths))
                assert tuple(found.total[k] for k in ("waits", "wait_ns", "p99_ns", "longest_ns")) == figures
                bins = found.total["histogram"]
                assert sum(b["after_wakeup"] + b["after_preemption"] for b in bins) == len(own)
                assert {row["key"] for row in found.groups} == set(of)


def test_the_curve_of_a_group_is_the_mean_of_its_waits_in_each_bin(make_trace: Callable[..., Path]) -> None:
    drawn = "1 0 10 woken 0, 1 10 10 run 0, 1 20 13 preempted 0, 1 33 1 run 0, 2 5 20 woken 1, 2 25 10 run 1"
    with open_trace(make_trace(states(drawn))) as trace:
        curve = trace.waiting_curve(window=(0, 35 * MS), bins=4)
        assert (curve.start_ns, curve.width_ns) == (0, 35 * MS // 4)
        waits = by_hand(trace)
        for of in (None, [1], [2], [1, 2]):
            found = trace.waiting_curve(of=of, window=(3 * MS, 35 * MS), bins=7)
            for at, waiting in enumerate(found.waiting):
                low = 3 * MS + at * found.width_ns
                high = min(low + found.width_ns, 35 * MS)
                own = [w for w in waits if of is None or w[0] in of]
                overlap = sum(max(0, min(high, w[1] + w[2]) - max(low, w[1])) for w in own)
                assert waiting == pytest.approx(overlap / (high - low), abs=1e-9)
        after = trace.waiting_curve(after="preemption", window=(0, 40 * MS), bins=4).waiting
        assert after == pytest.approx([0, 0, 1, 0.3])


def test_groups_are_meant_by_name_number_path_and_label(make_trace: Callable[..., Path]) -> None:
    drawn = "1 0 10 woken 0, 1 10 10 run 0, 2 0 30 woken 0, 2 30 1 run 0, 3 0 20 woken 1, 3 20 1 run 1"
    with open_trace(make_trace(states(drawn))) as trace:

        def lengths(by: str, of: str) -> list[int]:
            return [w["dur_ns"] // MS for w in trace.latency(by, of=of).longest]

        assert lengths("thread", "cc1") == [30] and lengths("thread", "101") == [30]
        assert lengths("process", "make") == [30, 10] and lengths("process", "100") == [30, 10]
        assert lengths("cgroup", "/build") == [30, 10]
        one = trace.latency("process", of="make")
        assert latency_sentence(one).startswith("2 waits of make (tgid 100) for a CPU: median")
        assert [group["name"] for group in latency_json(one)["of"]] == ["make"] and latency_json(trace.latency())[
            "of"
        ] is None
        text = as_text(LatencyView(one), 160)
        assert "make (tgid 100)" in text.splitlines()[0] and "longest waits of make (tgid 100)" in text
        for by, of in (("process", "cc1"), ("thread", "mak"), ("cgroup", "/"), ("process", ""), ("thread", [99])):
            with pytest.raises(NoSuchGroup, match=f"no such {by} in this trace"):
                trace.latency(by, of=of)
    with open_trace(make_trace(states(drawn) + "; UPDATE thread SET name = 'hog'", "hogs.duckdb")) as trace:
        several = trace.latency(of="hog")
        assert [w["dur_ns"] // MS for w in several.longest] == [30, 20, 10]
        assert "of hog (tid 100), hog (tid 101), hog (tid 102) for a CPU" in latency_sentence(several)
    with open_trace(
        make_trace(f"{states(drawn)}; UPDATE thread SET upid = NULL WHERE utid = 2", "none.duckdb")
    ) as trace:
        unknown = trace.latency("process", of=[None])
        assert [w["dur_ns"] // MS for w in unknown.longest] == [30]
        assert latency_sentence(unknown).startswith("1 wait of a process that is not recorded for a CPU")
    with open_trace(make_trace(states("1 0 10 woken 0, 1 10 10 run 0"), "idle.duckdb")) as trace:
        none = trace.latency(of="cc1")
        assert none.total is None and none.longest == []
        assert latency_sentence(none) == "No wait of cc1 (tid 101) for a CPU, as far as is recorded."


def test_the_longest_wait_names_who_ran_meanwhile(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        longest = {w["name"]: (w["dur_ns"], w["antagonist"], w["antagonist_ns"]) for w in trace.latency().longest}
    assert longest == {"R": (2 * S, "make", S), "make": (2 * S, "cc1", 2 * S), "cc1": (S, "make", S)}


def test_it_is_printed_and_says_what_is_not_visible(trace_path: Path, make_trace: Callable[..., Path]) -> None:
    with open_trace(trace_path) as trace:
        found = trace.latency()
    text = as_text(LatencyView(found), 160)
    assert "3 waits for a CPU: median 2.00 s, p99 2.00 s, longest 2.00 s, together 5.00 s." in text
    assert latency_json(found)["total"]["waits"] == 3
    with open_trace(make_trace("TRUNCATE sched_wakeup", "no.duckdb")) as trace:
        assert "Waits after a wakeup are not visible" in latency_sentence(trace.latency())
    with open_trace(make_trace("TRUNCATE thread_state", "none.duckdb")) as trace:
        assert latency_sentence(trace.latency()) == "No thread waited for a CPU, as far as is recorded."
        assert as_text(LatencyView(trace.latency())).count("\n") == 0


def test_tables_that_were_not_made_are_made_first(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    build(ROOT / "fixtures/traces/two-cpus.part", path, CheckOptions())
    with open_trace(path) as trace:
        assert len(trace.sql("SELECT * FROM Waits ( ) LIMIT 3")) == 3
        assert trace.latency().total is not None


def test_top_is_sorted_by_the_longest_wait_and_shows_it(make_trace: Callable[..., Path]) -> None:
    drawn = "1 0 10 woken 0, 1 10 10 run 0, 2 0 30 woken 0, 2 30 1 run 0, 3 0 20 woken 1, 3 20 1 run 1"
    with open_trace(make_trace(states(drawn))) as trace:
        rows = trace.top(sort="longest").rows()
        assert [(r["name"], r["longest_wait_ns"] // MS, r["waits"]) for r in rows] == [
            ("cc1", 30, 1), ("R", 20, 1), ("make", 10, 1),
        ]  # fmt: skip
        assert [r["name"] for r in trace.top(sort="wait", limit=1)] == ["make"]
        assert "longest_wait_ns" not in trace.top().columns
        assert "30.0 ms" in as_text(top_table(trace.top(sort="p99"), "thread"), 160)
        assert "30.0 ms" in as_text(cgroups_table(trace.top("cgroup", sort="p99")))
        with pytest.raises(BadArgument, match="sorted by 'moon'"):
            trace.top(sort="moon")


def test_waits_whose_process_is_not_recorded_are_said_so(make_trace: Callable[..., Path]) -> None:
    with open_trace(make_trace("UPDATE thread SET upid = NULL, tgid = NULL", "none.duckdb")) as trace:
        found = trace.latency(by="process")
    assert found.waits_without_group == 3
    assert latency_sentence(found).endswith(" Processes are not recorded: all waits are in one row.")
    text = as_text(LatencyView(found), 160)
    assert "None" not in text and "unknown" not in text and "not recorded" in text.split("histogram", 1)[1]
    with open_trace(make_trace("UPDATE thread SET upid = NULL, tgid = NULL WHERE tid = 100", "some.duckdb")) as trace:
        some = trace.latency(by="process")
        assert 0 < some.waits_without_group < 3
        waits = f"{some.waits_without_group} wait{'s' if some.waits_without_group > 1 else ''}"
        assert latency_sentence(some).endswith(f" The process of {waits} is not recorded.")
        assert "not recorded" not in latency_sentence(trace.latency(by="thread"))


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        (("region_event",), " 5 events lost that do not say when threads wait (region_event): at most, waits at those"),
        (("any",), " 5 events lost: waits during that time are missing or cut."),
        (("region_event", "sched_switch"), " 10 events lost: waits during that time are missing or cut."),
    ],
)
def test_lost_events_are_said_by_what_they_tell(
    kinds: tuple[str, ...], says: str, make_trace: Callable[..., Path]
) -> None:
    rows = ", ".join(f"({9000 + i}, 0, 0, 0, 5, '{kind}')" for i, kind in enumerate(kinds))
    with open_trace(make_trace(f"INSERT INTO lost_events VALUES {rows}")) as trace:
        assert says in latency_sentence(trace.latency())


def test_kinds_of_lost_events_are_tables() -> None:
    assert {path.stem for path in (ROOT / "schemas/tables").glob("*.toml")} > OTHER_KINDS
