"""Idle states and frequencies of a window: a drawn trace to the ns, a real one by brute force over the tables."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from drawing import build_drawn
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.analyzer.store.opening import open_read_only
from wastenot.web.local import LocalServer

ROOT = Path(__file__).resolve().parents[3]

STATES = """
cpus 0-2
window 0us 100us
0us cpu 0 idle
0us cpu 1 idle
0us cpu 2 idle
5us cpu_frequency 0 = 1200000
10us cpu_idle 0 enters 2
20us cpu_idle 0 enters 2
25us cpu_frequency 0 = 2400000
30us cpu_idle 0 leaves
30us cpu_idle 1 enters 0
31us cpu_idle 0 enters 1
35us cpu_frequency 0 = 2400000
40us cpu_idle 0 leaves
45us cpu_frequency 1 = 0
50us cpu_idle 0 enters 3
60us lost 0 until 70us
70us cpu_idle 0 enters 3
80us cpu_idle 0 leaves
90us cpu_idle 2 leaves
"""
"""A state and a frequency that are reported once more, a loss, a state at the end, an exit without an entry."""

IDLE = [(0, 10, 30, 2), (1, 30, 100, 0), (0, 31, 40, 1), (0, 50, 60, 3), (0, 70, 80, 3)]
"""CPU, start and end (us), number of the state."""
RUNNING = [(0, 5, 25, 1_200_000), (0, 25, 60, 2_400_000), (1, 45, 100, 0)]


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Drawn; a real one by LTTng, with idle states."""
    folder = tmp_path_factory.mktemp("power")
    paths = {name: folder / f"{name}.duckdb" for name in ("drawn", "real")}
    build_drawn(STATES, paths["drawn"], CheckOptions(tables="all"))
    import_source(ROOT / "fixtures/traces/guest-6.1/normal", paths["real"], ImportOptions(), CheckOptions())
    return paths


def ask(served: LocalServer, trace: str, of: str, start: int, end: int, more: str = "") -> list[dict[str, Any]]:
    address = f"/api/traces/{trace}/power?of={of}&start={start}&end={end}{more}"
    found: list[dict[str, Any]] = served.ask(address).arrow().to_pylist()
    return found


def spans(rows: list[dict[str, Any]], start: int) -> list[tuple[int, ...]]:
    return [(r["cpu"], start + r["start_ns"], start + r["start_ns"] + r["dur_ns"], r["value"]) for r in rows]


@pytest.mark.parametrize(("of", "drawn"), [("idle_state", IDLE), ("frequency", RUNNING)])
def test_intervals_are_those_that_were_drawn_in_every_window(
    server: LocalServer, of: str, drawn: list[tuple[int, ...]]
) -> None:
    for start, end in [
        (0, 100),
        (0, 5),
        (12, 20),
        (20, 21),
        (29, 31),
        (36, 37),
        (40, 50),
        (55, 75),
        (65, 66),
        (99, 100),
    ]:
        inside = [(c, a * 1000, b * 1000, value) for c, a, b, value in drawn if a < end and b > start]
        assert spans(ask(server, "drawn", of, start * 1000, end * 1000), start * 1000) == inside, (start, end)
    of_one = ask(server, "drawn", of, 0, 100_000, "&cpus=1")
    assert [row["cpu"] for row in of_one] == [1]


def brute_force(path: Path) -> list[tuple[int, ...]]:
    """All intervals, by walking over the events."""
    with open_read_only(path) as con:
        events = con.sql(
            "SELECT id, cpu, ts_ns, state, false AS lost FROM cpu_idle UNION ALL "
            "SELECT id, cpu, ts_ns, NULL, true FROM lost_events ORDER BY id"
        ).fetchall()
        [(end_ns,)] = con.sql("SELECT end_ns FROM trace").fetchall()
    found, known = [], dict[int, tuple[int, int]]()

    def close(cpu: int, until: int) -> None:
        since, state = known.pop(cpu)
        if until > since:
            found.append((cpu, since, until, state))

    for _, cpu, ts_ns, state, lost in events:
        for one in list(known) if lost and cpu is None else [cpu]:
            if one in known and known[one][1] != state:
                close(one, ts_ns)
        if state is not None and cpu not in known:
            known[cpu] = (ts_ns, state)
    for cpu in list(known):
        close(cpu, end_ns)
    return sorted(found, key=lambda span: (span[1], span[0]))


def test_intervals_of_any_window_are_those_of_a_walk_over_all_events(
    server: LocalServer, traces: dict[str, Path]
) -> None:
    whole = brute_force(traces["real"])
    first, last = whole[0][1], max(end for _, _, end, _ in whole)
    assert len(whole) > 500 and len({cpu for cpu, *_ in whole}) == 8
    assert ask(server, "real", "frequency", first, last) == []
    chance = random.Random(7)
    for _ in range(40):
        start = chance.randrange(first - 1000, last)
        end = start + 1 + int(10 ** chance.uniform(0, 9))
        found = spans(ask(server, "real", "idle_state", start, end, "&limit=200000"), start)
        assert sorted(found, key=lambda span: (span[1], span[0])) == [
            span for span in whole if span[1] < end and span[2] > start
        ], (start, end)
    answer = server.ask(f"/api/traces/real/power?of=idle_state&start={first}&end={last}&limit=5").arrow()
    assert answer.num_rows == 5 and (answer.schema.metadata or {})[b"truncated"] == b"true"


def test_the_identity_has_the_deepest_state_and_the_highest_frequency(server: LocalServer) -> None:
    facts = {name: server.ask(f"/api/traces/{name}/identity").json() for name in ("drawn", "real")}
    power = {name: (has["deepest_idle_state"], has["highest_khz"]) for name, has in facts.items()}
    assert power["drawn"] == (3, 2_400_000)
    assert power["real"][0] is not None and power["real"][1] is None


def test_what_is_asked_for_must_be_named(server: LocalServer) -> None:
    for question in ("", "of=state", "of=frequency&start=5&end=5", "of=frequency&cpus=x", "of=frequency&limit=200001"):
        assert server.ask(f"/api/traces/drawn/power?{question}").status == 422, question
