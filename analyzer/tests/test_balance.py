"""The balance of drawn programs, whose times are known, through the checker and the tables it makes."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawing import build_drawn
from drawn_balance import Measure, measured_in, one, part, printed
from programs import DAEMON, LAG_US, Program, SpinningProgram, by_share, iterations
from wastenot.analyzer import CheckOptions, errors, open_trace
from wastenot.analyzer.balance.application import Balance
from wastenot.analyzer.balance.decomposition import PARTS, PLACE
from wastenot.analyzer.balance.measuring import MOST_CREWS, Selection, _plausible, balance_of
from wastenot.analyzer.balance.next_start import remarks_of_waiting, settings_of_waiting
from wastenot.analyzer.balance_conditions import BOUNDS, parse_balance_condition
from wastenot.analyzer.render.balance import balance_json

US = 1000


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """The balance of a drawing."""
    return measured_in(tmp_path)


def test_ranks_of_unequal_work_have_the_exact_parts(measure: Measure) -> None:
    app = one(measure(iterations([10_000, 40_000, 10_000, 40_010], 10)))
    length = 40_010 + LAG_US
    assert app.length_ns == 10 * length * US
    assert [s.kind for s in app.segments] == ["outside", "iterations", "outside"]
    inner = app.segments[1]
    assert (inner.end - inner.first, inner.period, inner.typical_ns) == (9, 1, length * US)
    parts = app.by_segment[1]
    assert parts[:, PLACE["compute"]].tolist() == [n * 9 * US for n in (10_000, 40_000, 10_000, 40_010 + LAG_US)]
    assert parts[:, PLACE["queued"]].tolist() == [n * 9 * US for n in (LAG_US, LAG_US, LAG_US, 0)]
    assert parts[:, PLACE["wait"]].tolist() == [n * 9 * US for n in (30_010, 10, 30_010, 0)]
    assert (parts.sum(axis=1) == 9 * length * US).all()
    assert app.state == "imbalanced"
    assert app.detail is not None and (app.detail.sum(axis=1) == np.diff(app.bounds)).all()


def test_intrinsic_imbalance_is_the_work_that_the_slowest_rank_has_more_than_the_mean(measure: Measure) -> None:
    app = one(measure(iterations([10_000, 40_000], 10)))
    inner = app.segments[1]
    # Rank 1 computes while it wakes rank 0, which is queued for LAG_US meanwhile.
    mean = (10_000 + 40_000 + LAG_US) / 2
    assert inner.intrinsic_ns == pytest.approx(9 * (40_000 + LAG_US - mean) * US)
    assert inner.extrinsic_ns == pytest.approx(-9 * LAG_US / 2 * US)
    assert inner.lost_ns == pytest.approx(inner.intrinsic_ns + inner.extrinsic_ns)


def test_a_daemon_on_one_of_equal_ranks_is_extrinsic_and_named(measure: Measure) -> None:
    program, at = Program(3), 0
    for number in range(12):
        at = program.iteration(at, [20_000, 20_000, 20_000], {1: 5_000} if number % 2 else {})
    app = one(measure(program.drawing(at, daemons=[1])))
    daemon = app.sources[0]
    assert (daemon.kind, daemon.name, daemon.tid) == ("thread", "daemon-1", 901)
    # It took 5 ms in each of six iterations from rank 1, a third of that from each rank on average.
    assert daemon.taken_ns == 6 * 5_000 * US
    assert daemon.extrinsic_ns == pytest.approx(6 * 5_000 * US * 2 / 3)
    assert daemon.extrinsic_ns >= 0.95 * app.lost_ns
    assert sum(s.extrinsic_ns for s in app.sources) == pytest.approx(app.extrinsic_ns)
    assert app.extrinsic_ns >= 0.95 * app.lost_ns
    assert "daemon-1 (tid 901)" in printed(measure(program.drawing(at, daemons=[1])))


def test_waiting_beside_an_idle_cpu_is_counted_with_its_source(measure: Measure) -> None:
    program, at = Program(2, cpus=3), 0
    for number in range(8):
        at = program.iteration(at, [20_000, 20_000], {1: 5_000} if number % 2 else {})
    drawing = program.drawing(at, daemons=[1]).replace("app on 1 running mask 1", "app on 1 running mask 0-2")
    app = one(measure(drawing))
    assert app.ranks[1].avoidable_ns == 4 * 5_000 * US
    assert app.sources[0].avoidable_ns == 4 * 5_000 * US
    assert app.episodes[0]["idle_cpu"] in (0, 2) and app.episodes[0]["waited_on"] == 1
    assert "beside idle CPU" in printed(measure(drawing))


def test_interrupt_work_on_the_cpu_of_a_rank_is_not_computing(measure: Measure) -> None:
    program, at = Program(2), 0
    for _ in range(6):
        program.at(at + 1_000, "irq 1 for 300us")
        at = program.iteration(at, [8_000, 8_400])
    app = one(measure(program.drawing(at)))
    assert part(app, 1, "irq") == 6 * 300 * US
    assert part(app, 0, "irq") == 0
    assert next(s for s in app.sources if s.kind == "irq").extrinsic_ns == pytest.approx(6 * 150 * US)


def test_ranks_that_never_sleep_are_not_visible_and_never_balanced(measure: Measure) -> None:
    spinning = "\n".join(
        ["cpus 0-1", "window 0us 100ms", "0us cpu 0 runs 101", "0us cpu 1 runs 102"]
        + [f"0us thread {101 + r} app on {r} running mask {r}" for r in (0, 1)]
    )
    found = measure(spinning)
    assert one(found).state == "not_visible"
    text = printed(found)
    assert "not visible" in text and "balanced" not in text and "load balance  " not in text
    shown = balance_json(found)["applications"][0]
    assert [shown[m] for m in ("load_balance", "parallel_efficiency", "lost_ns", "iteration")] == [None] * 4


def test_ranks_that_take_turns_on_a_cpu_and_never_sleep_are_not_visible(measure: Measure) -> None:
    lines = ["cpus 0-0", "window 0us 100ms", "0us cpu 0 runs 101", "0us thread 101 app on 0 running mask 0"]
    lines += ["0us thread 102 app on 0 queued mask 0"]
    for turn in range(24):
        a, b = (101, 102) if turn % 2 == 0 else (102, 101)
        lines.append(f"{4 * (turn + 1)}ms switch 0: {a} R -> {b}")
    app = one(measure("\n".join(lines)))
    assert app.state == "not_visible" and app.utilization == 1.0


def test_equal_ranks_that_never_wait_long_are_not_called_balanced(measure: Measure) -> None:
    assert one(measure(iterations([9_990, 9_990, 9_991], 12))).state == "not_visible"


def test_ranks_that_wait_a_little_are_balanced(measure: Measure) -> None:
    app = one(measure(by_share([0.97, 0.98, 0.96, 0.97], 12)))
    assert app.state == "no_imbalance_seen"
    assert "app: no imbalance seen, at least " in printed(measure(by_share([0.97, 0.98, 0.96, 0.97], 12)))


TABLES = {
    "3.1 A": ([24.32, 98.99, 24.31, 99.99], (0.619, 1.000, 0.619)),
    "3.1 B": ([51.16, 99.82, 51.18, 99.98], None),
    "3.1 C": ([98.96, 98.56, 97.01, 98.37], (0.993, 0.990, 0.982)),
    "3.1 D": ([99.87, 73.25, 99.72, 73.25], None),
    "3.2 A": ([17.63, 28.91, 66.47, 99.72], (0.533, 0.997, 0.532)),
    "3.2 D": ([82.73, 73.68, 66.40, 99.72], (0.809, 0.997, 0.806)),
    "3.3 A": ([75.94, 75.24, 82.08, 93.47], (0.874, 0.935, 0.817)),
    "3.3 C": ([83.04, 79.66, 80.78, 78.74], (0.970, 0.830, 0.806)),
    "4.2 base": ([50.24, 75.09, 50.22, 75.08], (0.834, 0.751, 0.627)),
    "4.4 base": ([98.90, 52.79, 28.45, 19.99], (0.506, 0.989, 0.500)),
}
"""Percent of computing by process in tables of Boneti's thesis (UPC, 2009), and the efficiencies that follow."""


@pytest.mark.parametrize("row", TABLES)
def test_the_efficiencies_of_published_runs_follow_from_their_shares_of_computing(row: str, measure: Measure) -> None:
    percents, expected = TABLES[row]
    shares = [p / 100 for p in percents]
    e = one(measure(by_share(shares, 10))).efficiency
    found = (e.load_balance, e.communication_efficiency, e.parallel_efficiency)
    by_hand = (sum(shares) / 4 / max(shares), max(shares), sum(shares) / 4)
    assert found == pytest.approx(by_hand, abs=0.005)
    if expected is not None:
        assert found == pytest.approx(expected, abs=0.005)


def launched(launcher: str, count: int = 6) -> str:
    """A program whose ranks are created by a thread called `launcher`."""
    program = Program(2, cpus=3)
    at = 20
    for _ in range(count):
        at = program.iteration(at, [10_000, 20_000])
    lines = program.drawing(at, asleep=[0, 1]).splitlines()
    head = [line for line in lines if not line.startswith("0us thread")]
    first = next(i for i, line in enumerate(head) if line.split()[1] in ("switch", "waking", "wakeup"))
    born = [f"0us thread 50 {launcher} on 2 asleep mask 0-2", "0us thread 60 sh on 2 asleep mask 0-2"]
    for rank in range(2):
        tid = program.tid(rank)
        born += [
            f"1us fork 50 -> {tid}",
            f"2us name {tid} app",
            f"3us wakeup_new {tid} on {rank}",
            f"9us switch {rank}: 0 R -> {tid}",
        ]
    return "\n".join([*head[:first], *sorted(born, key=lambda line: int(line.split("us")[0])), *head[first:]])


@pytest.mark.parametrize("launcher", ["mpirun", "mpirun.openmpi", "hydra_pmi_proxy", "slurmstepd"])
def test_processes_of_a_launcher_are_an_application_without_being_named(launcher: str, measure: Measure) -> None:
    app = one(measure(launched(launcher), Selection()))
    assert (app.crew.found_by, app.crew.launcher, app.crew.name, len(app.ranks)) == ("launcher", launcher, "app", 2)


@pytest.mark.parametrize(
    ("launcher", "settings", "readers"),
    [("mpirun.openmpi", 1, ["Open MPI"]), ("slurmstepd", 1, ["Open MPI"]), ("hydra_pmi_proxy", 0, ["MPICH over"])],
)
def test_a_setting_for_yielding_is_advised_of_libraries_that_have_one(
    launcher: str, settings: int, readers: list[str], measure: Measure
) -> None:
    app = one(measure(launched(launcher), Selection()))
    assert len([*settings_of_waiting(app)]) == settings
    assert [" ".join(remark.split()[:2]) for remark in remarks_of_waiting(app)] == readers


def test_siblings_with_iterations_are_an_application(measure: Measure) -> None:
    app = one(measure(launched("sh"), Selection()))
    assert (app.crew.found_by, app.has_iterations) == ("siblings", True)


def test_siblings_without_iterations_are_named_and_not_called_an_application(measure: Measure) -> None:
    found = measure(launched("sh", count=2), Selection())
    assert found.applications == ()
    assert [(c.crew.name, c.why) for c in found.candidates] == [("app", "no_iterations")]
    text = printed(found)
    assert text.startswith("No application found") and "--app NAME" in text


def test_threads_of_one_process_are_ranks_and_their_creator_only_where_it_works(measure: Measure) -> None:
    drawing = iterations([10_000, 20_000, 10_000], 8)
    together = "UPDATE thread SET upid = 0, tgid = 101; UPDATE process SET name = 'app' WHERE upid = 0"
    app = one(measure(drawing, Selection(), together))
    assert (app.crew.kind, len(app.ranks), app.ranks[0].rank.tid) == ("threads", 3, 101)
    idle = f"{together}; UPDATE thread SET run_ns = 1000 WHERE tid = 101"
    app = one(measure(drawing, Selection(), idle))
    assert [r.rank.tid for r in app.ranks] == [102, 103]


def test_a_program_without_iterations_is_measured_in_windows_and_it_is_said(measure: Measure) -> None:
    found = measure(iterations([10_000, 40_000], 2))
    app = one(found)
    assert not app.has_iterations and [s.kind for s in app.segments] == ["windows"]
    assert len(app.bounds) == 21 and app.bounds[-1] - app.bounds[0] == app.length_ns
    assert "No iterations: no three equal periods in" in printed(found)


def test_a_phase_of_another_period_is_a_segment_of_its_own(measure: Measure) -> None:
    program, at = Program(2), 0
    for computes in [[1_000, 2_000]] * 8 + [[7_000, 9_000]] * 8:
        at = program.iteration(at, computes)
    kinds = [(s.kind, s.typical_ns) for s in one(measure(program.drawing(at))).segments if s.kind == "iterations"]
    assert kinds == [("iterations", 2_010 * US), ("iterations", 9_010 * US)]


def test_barriers_without_a_period_bound_windows_of_their_own(measure: Measure) -> None:
    rng = random.Random(3)
    program, at, releases = Program(3), 0, []
    for _ in range(40):
        computes = [rng.randint(500, 1_000), rng.randint(500, 1_000), rng.randint(1_500, 90_000)]
        at = program.iteration(at, computes)
        releases.append(at - LAG_US)
    assert one(measure(program.drawing(at), Selection())).crew.found_by == "siblings"
    found = measure(program.drawing(at))
    app = one(found)
    assert [s.kind for s in app.segments] == ["outside", "releases", "outside"]
    assert (app.bounds[1:-1] // US).tolist() == releases
    assert "No iterations of one period; its ranks are woken together" in printed(found)


def under_a_master(together: bool, count: int = 12) -> str:
    """Three ranks that compute and sleep; a thread outside of the program wakes them, at once or 2 ms apart."""
    program, at = Program(3, cpus=4), 0
    master = DAEMON + 3
    for _ in range(count):
        for rank, length in enumerate((10_000, 40_000, 25_000)):
            program.sleep(at + length, rank)
        at += 40_100
        program.at(at, f"wakeup {master} on 3")
        program.at(at, f"switch 3: 0 R -> {master}")
        for rank in range(3):
            program.wake(at + (50 if together else 2_000 * (rank + 1)), rank, 3)
        program.at(at + 9_000, f"switch 3: {master} S -> 0")
        at += 10_000
    return program.drawing(at, daemons=[3])


def test_ranks_that_a_thread_outside_releases_together_have_iterations(measure: Measure) -> None:
    for selection in (Selection(), Selection(app="app")):
        app = one(measure(under_a_master(together=True), selection))
        (found,) = [s for s in app.segments if s.kind == "iterations"]
        assert (found.windows, found.typical_ns) == (11, 50_100 * US)


def test_ranks_that_a_thread_outside_wakes_one_by_one_have_none(measure: Measure) -> None:
    assert measure(under_a_master(together=False), Selection()).applications == ()
    assert not one(measure(under_a_master(together=False))).has_iterations


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        (Selection(app="nothing*"), "no thread that ran and no process has such a name"),
        (Selection(cgroup="/none"), "no thread that ran was in it"),
        (Selection(bubble=77), "no such bubble"),
    ],
)
def test_what_is_not_there_is_refused_in_a_line(selection: Selection, message: str, measure: Measure) -> None:
    with pytest.raises(errors.BadArgument, match=message) as caught:
        measure(iterations([10_000, 40_000], 4), selection)
    assert "\n" not in str(caught.value)


def test_a_cgroup_selects_the_ranks_in_it_and_below_it(measure: Measure) -> None:
    place = "UPDATE thread SET cgroup_id = 7 + (tid > 102)::INTEGER; INSERT INTO cgroup (cgroup_id, path) VALUES "
    groups = place + "(7, '/job'), (8, '/job/step'), (9, '/jobs')"
    drawing = iterations([10_000, 40_000, 10_000], 8)
    app = one(measure(drawing, Selection(cgroup="/job"), groups))
    assert (app.crew.found_by, [r.rank.tid for r in app.ranks]) == ("cgroup", [101, 102, 103])
    with pytest.raises(errors.BadArgument, match="only one thread"):
        measure(drawing, Selection(cgroup="/job/step"), groups)
    assert len(one(measure(drawing, Selection(app="app", cgroup="/job/"), groups)).ranks) == 3


def test_a_bubble_selects_the_threads_in_it_and_in_its_bubbles(tmp_path: Path) -> None:
    lines = ["init b1 named team", "init b2 named inner", "insert_thread t101 to b1", "insert_bubble b2 to b1"]
    lines += ["insert_thread t103 to b2"]
    drawing, end = iterations([10_000, 40_000, 10_000], 8), 8 * (40_000 + LAG_US)
    path = tmp_path / "T.duckdb"
    build_drawn("\n".join([drawing, *(f"{end}us bubble {line}" for line in lines)]), path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        number = trace.sql("SELECT bubble_id FROM bubble WHERE name = 'team'").one()["bubble_id"]
        app = one(balance_of(trace, Selection(bubble=number)))
    assert (app.crew.found_by, app.crew.name, [r.rank.tid for r in app.ranks]) == ("bubble", "team", [101, 103])


@pytest.mark.parametrize("whole", [True, False])
def test_a_declared_bubble_is_an_application_unless_it_splits_another(whole: bool, tmp_path: Path) -> None:
    lines = ["init b1 named team", "init b2 named inner", "insert_thread t101 to b1", "insert_bubble b2 to b1"]
    lines += ["insert_thread t103 to b2", f"insert_thread t102 to {'b2' if whole else 'b3'}"]
    lines.insert(2, "init b3 named alone")
    drawing, end = iterations([10_000, 40_000, 10_000], 8), 8 * (40_000 + LAG_US)
    path = tmp_path / "T.duckdb"
    build_drawn("\n".join([drawing, *(f"{end}us bubble {line}" for line in lines)]), path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        app = one(balance_of(trace))
        found = (app.crew.found_by, app.crew.name, [r.rank.tid for r in app.ranks])
        assert found == (("bubble", "team") if whole else ("siblings", "app")) + ([101, 102, 103],)
        rows = trace.sql("SELECT name, found_by, ranks FROM app").rows()
        assert rows == [{"name": found[1], "found_by": found[0], "ranks": 3}]


def test_a_bubble_around_a_program_and_others_does_not_hide_it(tmp_path: Path) -> None:
    program, end = Program(3, cpus=4), 0
    program.head.append("0us thread 700 log on 3 asleep mask 3")
    for us, text in ((5_000, "wakeup 700 on 3"), (5_000, "switch 3: 0 R -> 700"), (9_000, "switch 3: 700 S -> 0")):
        program.at(us, text)
    for _ in range(8):
        end = program.iteration(end, [10_000, 40_000, 10_000])
    drawing = program.drawing(end)
    lines = ["init b1 named all", *(f"insert_thread t{tid} to b1" for tid in (101, 102, 103, 700))]
    path = tmp_path / "T.duckdb"
    build_drawn("\n".join([drawing, *(f"{end}us bubble {line}" for line in lines)]), path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        app = one(balance_of(trace))
    assert (app.crew.found_by, app.crew.name, len(app.ranks)) == ("siblings", "app", 3)


def test_a_declared_bubble_without_iterations_is_not_called_an_application(tmp_path: Path) -> None:
    drawing = "cpus 0-1\nwindow 0us 400ms\n0us cpu 0 runs 101\n0us cpu 1 runs 102\n" + "\n".join(
        f"{at}ms switch {cpu}: {101 + cpu} S -> 0\n{at + 7}ms wakeup {101 + cpu} on {cpu}\n"
        f"{at + 7}ms switch {cpu}: 0 R -> {101 + cpu}"
        for at, cpu in ((20, 0), (53, 1), (91, 0), (180, 1), (233, 1), (310, 0))
    )
    lines = ["init b1 named batch", "insert_thread t101 to b1", "insert_thread t102 to b1"]
    path = tmp_path / "T.duckdb"
    build_drawn(drawing + "".join(f"\n399ms bubble {of}" for of in lines), path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        balance = balance_of(trace)
        assert balance.applications == ()
        assert [(c.crew.name, c.crew.found_by, c.why) for c in balance.candidates] == [
            ("batch", "bubble", "no_iterations")
        ]
        number = trace.sql("SELECT bubble_id FROM bubble WHERE name = 'batch'").one()["bubble_id"]
        assert one(balance_of(trace, Selection(bubble=number))).crew.name == "batch", "where it is named"


def test_further_threads_of_processes_are_mentioned(measure: Measure) -> None:
    helper = """UPDATE thread SET upid = (SELECT upid FROM thread WHERE tid = 101), tgid = 101 WHERE tid = 103;
        UPDATE thread SET name = 'helper' WHERE tid = 103"""
    found = measure(iterations([20_000, 40_000, 10_000], 8), change=helper)
    assert [r.rank.tid for r in one(found).ranks] == [101, 102]
    assert "Further threads of these processes ran for" in printed(found)


def test_a_trace_that_was_not_checked_is_refused(measure: Measure) -> None:
    with pytest.raises(errors.NotChecked):
        measure(iterations([10_000, 40_000], 4), Selection(), "DELETE FROM verdict")


def test_a_thread_of_a_shorter_life_does_not_split_a_crew(measure: Measure) -> None:
    together = "UPDATE thread SET upid = 0, tgid = 100; UPDATE process SET name = 'app' WHERE upid = 0"
    odd = f"{together}; UPDATE thread SET end_ns = 30000000 WHERE tid = 102"
    app = one(measure(iterations([10_000, 20_000, 10_000, 20_010], 8), Selection(), odd))
    assert [r.rank.tid for r in app.ranks] == [101, 103, 104]


def test_a_trace_without_wakeups_says_that_iterations_cannot_be_found(measure: Measure) -> None:
    found = measure(iterations([10_000, 40_000], 30), change="DELETE FROM sched_wakeup; DELETE FROM sched_waking")
    assert not found.shows_wakeups and not one(found).has_iterations
    assert "This trace has no wakeups" in printed(found)


def test_one_thread_is_not_a_program(measure: Measure) -> None:
    with pytest.raises(errors.BadArgument, match="only one thread"):
        measure(iterations([10_000, 40_000], 4), Selection(app="app"), "UPDATE thread SET name = 'x' WHERE tid = 102; "
                "UPDATE process SET name = 'x' WHERE tgid = 102")  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_are_split_as_by_looking_at_each_instant(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    ranks = rng.randint(2, 3)
    program, at = Program(ranks), 0
    for _ in range(rng.randint(3, 6)):
        noise = {r: rng.randint(5, 60) for r in range(ranks) if rng.random() < 0.4}
        if rng.random() < 0.5:
            program.at(at + rng.randint(1, 20), f"irq {rng.randrange(ranks)} for {rng.randint(21, 40)}us")
        at = program.iteration(at, [rng.randint(50, 200) for _ in range(ranks)], noise)
    path = tmp_path / "T.duckdb"
    build_drawn(program.drawing(at, daemons=range(ranks)), path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        app = one(balance_of(trace, Selection(app="app")))
        rows = trace.sql(
            "SELECT utid, start_ns, dur_ns, thread_phase_name(phase) AS phase, cpu FROM thread_state"
        ).rows()
        spans = trace.sql("SELECT cpu, ts_ns, ts_ns + dur_ns AS end_ns FROM irq_span").rows()
    assert app.detail is not None
    for rank in app.ranks:
        assert app.detail[rank.rank.number].tolist() == slowly(rank.rank.utid, rows, spans, app.bounds.tolist())
    assert sum(s.extrinsic_ns for s in app.sources) == pytest.approx(app.extrinsic_ns)


def slowly(utid: int, rows: list[dict[str, Any]], spans: list[dict[str, Any]], bounds: list[int]) -> list[list[int]]:
    """ns by part and window, from what the thread did between any two instants at which something changed."""
    names = {
        "running": "compute",
        "runnable": "queued",
        "preempted": "preempted",
        "sleeping": "wait",
        "blocked": "blocked",
    }
    own = [
        (r["start_ns"], r["start_ns"] + r["dur_ns"], names.get(r["phase"], "other"), r["cpu"])
        for r in rows
        if r["utid"] == utid
    ]
    changes = {
        *bounds,
        *(t for a, b, *_ in own for t in (a, b)),
        *(t for s in spans for t in (s["ts_ns"], s["end_ns"])),
    }
    instants = sorted(t for t in changes if bounds[0] <= t <= bounds[-1])
    out = [[0] * (len(bounds) - 1) for _ in PARTS]
    for t, following in itertools.pairwise(instants):
        window = max(i for i, bound in enumerate(bounds) if bound <= t)
        name, cpu = next(((name, cpu) for a, b, name, cpu in own if a <= t < b), ("other", None))
        if name == "compute" and any(s["cpu"] == cpu and s["ts_ns"] <= t < s["end_ns"] for s in spans):
            name = "irq"
        out[PLACE[name]][window] += following - t
    return out


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("load_balance<80%", True), ("load_balance<50%", False), ("parallel_efficiency<=62.6%", True),
        ("lost>30%", True), ("extrinsic>1%", False), ("intrinsic>=30%", True), ("lambda>50%", True),
        ("utilization<99%", True), ("not_visible", False),
    ],
)  # fmt: skip
def test_conditions_are_true_or_false_of_an_application(text: str, fails: bool, measure: Measure) -> None:
    condition = parse_balance_condition(text)
    found = measure(iterations([10_000, 40_000, 10_000, 40_010], 10))
    assert bool(condition.failures(found)) == fails
    undecided = not fails and condition.measure in BOUNDS
    assert len(condition.undecided(found)) == undecided
    assert condition.caveats(found) == []


def test_a_bound_decides_what_it_excludes_and_nothing_else(measure: Measure) -> None:
    found = measure(by_share([0.97, 0.98, 0.96, 0.97], 12))
    (reason,) = parse_balance_condition("load_balance<80%").undecided(found)
    assert "load_balance is at most 99.0 %" in reason
    assert parse_balance_condition("load_balance>99.9%").undecided(found) == []
    assert parse_balance_condition("utilization<50%").undecided(found) == []


def test_with_calls_a_figure_decides(measure: Measure) -> None:
    program, at = SpinningProgram(2), 0
    for _ in range(10):
        at = program.meeting(at, [10_000, 40_000])
    found = measure(program.drawing(at))
    assert one(found).level == "H1"
    for text in ("load_balance<50%", "lost>60%", "extrinsic>5%", "not_visible"):
        condition = parse_balance_condition(text)
        assert (condition.failures(found), condition.undecided(found)) == ([], [])


def test_utilization_within_iterations_leaves_out_the_start(measure: Measure) -> None:
    program = SpinningProgram(2)
    for rank in range(2):
        program.enter(0, rank, "startup", "PMPI_Init")
        program.leave(100_000, rank, "startup", "PMPI_Init")
    at = 100_000
    for _ in range(10):
        at = program.meeting(at, [10_000, 40_000])
    found = measure(program.drawing(at))
    app = one(found)
    # Of the run, 100 ms of waiting in PMPI_Init and 10 times 40 ms; of nine iterations, what they compute of each.
    assert [r.utilization for r in app.ranks] == pytest.approx([0.2, 0.8], abs=1e-6)
    assert app.utilization_in_iterations == pytest.approx((0.25, 1.0), abs=1e-6)
    (shown,) = balance_json(found)["applications"]
    assert [rank["utilization_in_iterations"] for rank in shown["rank"]] == pytest.approx([0.25, 1.0], abs=1e-6)
    rows = [line.split() for line in printed(found).splitlines()]
    head = next(row for row in rows if row[:1] == ["rank"])
    assert head[:6] == ["rank", "tid", "name", "U", "in", "iterations"]
    assert [row[3:7] for row in rows if row[1:2] in (["101"], ["102"])] == [
        ["20.0", "%", "25.0", "%"],
        ["80.0", "%", "100.0", "%"],
    ]


def test_what_the_start_loses_is_kept_apart_from_what_iterations_lose(measure: Measure) -> None:
    program = SpinningProgram(2)
    # The start: rank 0 is kept from computing for 30 ms by its daemon. Then rank 1, for 6 ms of each iteration.
    at = program.meeting(0, [100_000, 100_000], {0: 30_000})
    for rank in range(2):
        program.enter(at + 1_000, rank, name="PMPI_Bcast")
        program.leave(at + 1_000, rank, name="PMPI_Bcast")
    at += 1_000
    for _ in range(10):
        at = program.meeting(at, [20_000, 20_000], {1: 6_000})
    found = measure(program.drawing(at, daemons=[0, 1]))
    app = one(found)
    # The first iteration is a part of the start: iterations are bounded by the ends of barriers.
    assert (app.lost_in_iterations_ns, app.lost_ns) == pytest.approx((9 * 3e6, 9 * 3e6 + 12e6))
    sources = {s.name: s for s in app.sources}
    assert sources["daemon-1"].in_iterations_ns == pytest.approx(app.lost_in_iterations_ns)
    assert (sources["daemon-0"].in_iterations_ns, sources["daemon-0"].extrinsic_ns) == pytest.approx((0, 15e6))
    assert sum(s.in_iterations_ns for s in app.sources) == pytest.approx(
        sum(s.extrinsic_ns for s in app.segments if s.kind == "iterations")
    )
    assert "extrinsic  in iterations  beside an idle CPU  by" in printed(found)


def test_without_iterations_or_a_difference_this_column_is_left_out(measure: Measure) -> None:
    even = measure(iterations([10_000, 40_000, 10_000, 40_010], 60))
    assert len(one(even).utilization_in_iterations) == 4 and "in iterations" not in printed(even)
    windows = measure(Program(2).drawing(100_000))
    assert one(windows).utilization_in_iterations == () and "in iterations" not in printed(windows)


def test_two_losses_that_fit_do_not_turn_computing_into_waiting(measure: Measure) -> None:
    program, at = SpinningProgram(2), 0
    for _ in range(12):
        at = program.meeting(at, [40_000, 30_000])
    whole = program.drawing(at)
    # Rank 1 leaves the fifth barrier and enters the sixth one unseen.
    lost = whole.replace("200000us leave 102 collective PMPI_Barrier\n", "").replace(
        "230000us enter 102 collective PMPI_Barrier\n", ""
    )
    assert len(whole.splitlines()) - len(lost.splitlines()) == 2
    seen, missed = (one(measure(drawing)) for drawing in (whole, lost))
    assert seen.calls is not None and missed.calls is not None
    assert (seen.calls.not_whole, missed.calls.not_whole) == (0, 2)
    for app in (seen, missed):
        assert app.level == "H1" and app.has_iterations
        assert app.efficiency.load_balance == pytest.approx(0.875, abs=1e-6)
        assert app.ranks[1].utilization == pytest.approx(0.75, abs=1e-6)
    (left_out,) = np.flatnonzero(~missed.observed).tolist()
    assert missed.bounds[left_out : left_out + 2].tolist() == [200_000_000, 240_000_000]
    assert missed.ranks[1].parts[PLACE["other"]] == 40_000_000


def test_no_application_decides_nothing() -> None:
    nothing = Balance((), (), 0, True, ())
    for text in ("load_balance<80%", "not_visible"):
        condition = parse_balance_condition(text)
        assert condition.failures(nothing) == []
        assert condition.undecided(nothing) == [f"{text!r}: no application was found; --app names one"]


def test_a_trace_in_doubt_says_so_first_and_to_conditions(measure: Measure) -> None:
    change = "INSERT INTO data_quality (what, detail, value) VALUES ('suspect', 'ran_on', 1)"
    found = measure(iterations([10_000, 40_000], 8), change=change)
    lines = printed(found).splitlines()
    assert lines[0].endswith("; the trace is suspect") and lines[1].startswith("Suspect: ")
    assert any("suspect" in c for c in parse_balance_condition("load_balance<10%").caveats(found))


def test_threads_whose_process_is_not_recorded_are_ranks_of_their_own(measure: Measure) -> None:
    found = measure(iterations([10_000, 40_000, 10_000], 8), change="UPDATE thread SET upid = NULL, tgid = NULL")
    app = one(found)
    assert (app.crew.kind, [r.rank.tid for r in app.ranks]) == ("threads_or_processes", [101, 102, 103])
    assert "app, 3 threads or processes, named by --app" in printed(found)


def test_all_programs_that_a_launcher_started_are_looked_at() -> None:
    def thread(number: int, crew: int, launcher: int | None) -> dict[str, Any]:
        name = f"prog{'abcdefghijkl'[crew]}"
        return {
            "utid": number, "tid": number, "upid": number, "tgid": number, "name": name, "process": name,
            "parent_upid": 900, "launcher_upid": launcher, "launcher": None if launcher is None else "mpirun",
            "world_rank": None, "world_size": None,
            "cgroup": None, "born_ns": 0, "ended_ns": 1000, "run_ns": 500 - number, "switches": 1, "wait_ns": 0,
            "sleep_ns": 0, "blocked_ns": 0,
        }  # fmt: skip

    def crews(launcher: int | None) -> list[dict[str, Any]]:
        return [thread(10 * c + r + 1, c, launcher) for c in range(10) for r in range(2)]

    launched, others = _plausible(crews(901)), _plausible(crews(None))
    assert (len(launched[0]), launched[1]) == (10, 0)
    assert (len(others[0]), others[1]) == (MOST_CREWS, 2)


def test_a_condition_on_what_is_not_visible_says_so(measure: Measure) -> None:
    found = measure(iterations([9_990, 9_990, 9_991], 12))
    condition = parse_balance_condition("load_balance<80%")
    assert condition.failures(found) == []
    assert "not visible" in condition.undecided(found)[0]
    assert parse_balance_condition("not_visible").failures(found) != []
    assert parse_balance_condition("not_visible").undecided(found) == []


@pytest.mark.parametrize("text", ["load_balance", "balance<3%", "load_balance<80", "lost>x%", ""])
def test_conditions_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(errors.BadArgument, match="--fail-on"):
        parse_balance_condition(text)


# ---- evidence H1: calls ---------------------------------------------------------------------------------------------


def spinning(computes: list[int], count: int) -> SpinningProgram:
    program, at = SpinningProgram(len(computes)), 0
    for _ in range(count):
        at = program.meeting(at, computes)
    return program


def test_with_calls_ranks_that_spin_are_answered_with_exact_parts(measure: Measure) -> None:
    program = spinning([10_000, 40_000, 20_000], 10)
    app = one(measure(program.drawing(400_000)))
    assert (app.level, app.state) == ("H1", "imbalanced")
    assert [(s.kind, s.end - s.first, s.period) for s in app.segments] == [("outside", 1, None), ("iterations", 9, 1)]
    inner = app.by_segment[1]
    assert inner[:, PLACE["compute"]].tolist() == [n * 9 * US for n in (10_000, 40_000, 20_000)]
    assert inner[:, PLACE["spin"]].tolist() == [n * 9 * US for n in (30_000, 0, 20_000)]
    assert app.detail is not None and (app.detail.sum(axis=1) == np.diff(app.bounds)).all()
    assert app.efficiency.load_balance == pytest.approx(70 / 120)
    assert [r.utilization for r in app.ranks] == pytest.approx([0.25, 1, 0.5])
    assert app.lost_ns == app.intrinsic_ns == pytest.approx(400_000 * US * (1 - 70 / 120))
    text = printed(measure(program.drawing(400_000)))
    assert text.splitlines()[0] == (
        "app: 41.7 % of the time lost to imbalance, load balance 58.3 % (H1: calls of PMPI_Barrier)"
    )
    assert "Evidence H1: switches, wakeups and 30 calls of PMPI_Barrier." in text


def test_without_the_calls_the_same_ranks_are_not_visible(measure: Measure) -> None:
    drawing = spinning([10_000, 40_000, 20_000], 10).drawing(400_000)
    found = measure("\n".join(line for line in drawing.splitlines() if " enter " not in line and " leave " not in line))
    assert (one(found).level, one(found).state) == ("H0", "not_visible")
    assert "`wastenot record --openmp` or `--mpi`" in printed(found).replace("\n", " ")
    assert printed(found).splitlines()[0] == "app: balance not visible (H0: sleep and wakeups)"


def test_a_daemon_costs_where_a_rank_computes_and_nothing_where_it_waits(measure: Measure) -> None:
    program, at = SpinningProgram(2), 0
    for _ in range(10):
        # Rank 0 waits from 10 to 30 ms on: the daemon takes 5 ms of that. Of the computing of rank 1 it takes 4 ms.
        program.take_cpu(at + 15_000, 0, 5_000)
        at = program.meeting(at, [10_000, 26_000], {1: 4_000})
    app = one(measure(program.drawing(at, daemons=[0, 1])))
    assert [part(app, r, "preempted") for r in (0, 1)] == [0, 10 * 4_000 * US]
    assert [part(app, r, "wait") for r in (0, 1)] == [10 * 5_000 * US, 0]
    assert part(app, 0, "spin") == 10 * 15_000 * US
    assert app.extrinsic_ns == pytest.approx(10 * 4_000 / 2 * US)
    assert [s.name for s in app.sources] == ["daemon-1"]
    assert app.sources[0].extrinsic_ns == pytest.approx(10 * 4_000 / 2 * US)
    assert sum(s.extrinsic_ns for s in app.sources) == pytest.approx(app.extrinsic_ns)


def test_a_rank_that_is_kept_from_leaving_an_open_barrier_lost_that_time(measure: Measure) -> None:
    program = SpinningProgram(2)
    for start in range(0, 300_000, 30_000):
        program.enter(start + 10_000, 0)
        program.take_cpu(start + 18_000, 0, 6_000)
        program.enter(start + 20_000, 1)
        program.leave(start + 20_000, 1)
        program.leave(start + 24_000, 0)
        if start:
            program.enter(start, 0, "collective", "PMPI_Allreduce")
            program.enter(start, 1, "collective", "PMPI_Allreduce")
            program.leave(start, 0, "collective", "PMPI_Allreduce")
            program.leave(start, 1, "collective", "PMPI_Allreduce")
    app = one(measure(program.drawing(300_000, daemons=[0])))
    assert [part(app, 0, p) for p in ("spin", "wait", "preempted")] == [10 * n * US for n in (8_000, 2_000, 4_000)]
    assert (part(app, 1, "compute"), part(app, 1, "preempted")) == (300_000 * US, 0)


def test_an_openmp_program_computes_in_bodies_and_waits_between_them(measure: Measure) -> None:
    program = SpinningProgram(2)
    body = ("work", "solve._omp_fn.0")
    for start in range(0, 400_000, 50_000):
        # Rank 0 works alone for 10 ms, then both: 30 ms and 40 ms.
        program.enter(start + 10_000, 0, "parallel", "GOMP_parallel")
        for rank in (0, 1):
            program.enter(start + 10_000, rank, *body)
        program.leave(start + 40_000, 0, *body)
        program.leave(start + 50_000, 1, *body)
        program.leave(start + 50_000, 0, "parallel", "GOMP_parallel")
    app = one(measure(program.drawing(410_000)))
    inner = next(s for s in app.segments if s.kind == "iterations")
    assert (inner.period, inner.windows, inner.typical_ns) == (2, 7, 50_000 * US)
    parts = app.by_segment[inner.number - 1]
    assert parts[:, PLACE["compute"]].tolist() == [7 * 40_000 * US] * 2
    assert parts[:, PLACE["spin"]].tolist() == [7 * 10_000 * US] * 2
    assert app.level == "H1" and balance_json(measure(program.drawing(410_000)))["evidence_level"] == "H1"


def test_calls_of_some_ranks_alone_are_not_used_and_that_is_said(measure: Measure) -> None:
    drawing = spinning([10_000, 40_000], 10).drawing(400_000)
    found = measure(
        "\n".join(line for line in drawing.splitlines() if "enter 102" not in line and "leave 102" not in line)
    )
    app = one(found)
    assert (app.level, app.state) == ("H0", "not_visible")
    assert app.calls is not None and (app.calls.ranks, app.calls.is_used) == (1, False)
    assert "10 calls of PMPI_Barrier, which are not used: of 1 of 2 ranks alone." in " ".join(printed(found).split())


def test_calls_in_a_small_part_of_the_time_are_not_used(measure: Measure) -> None:
    drawing = spinning([1_000, 4_000], 10).drawing(400_000)
    app = one(measure(drawing))
    assert (app.level, app.state) == ("H0", "not_visible")
    assert app.calls is not None and (app.calls.ranks, app.calls.is_used) == (2, False)


@pytest.mark.parametrize("missing", ["leave", "enter"])
def test_a_call_that_is_not_seen_whole_costs_its_own_time_and_is_said(missing: str, measure: Measure) -> None:
    program, at = SpinningProgram(2), 1_000
    for rank in (0, 1):
        program.enter(500, rank, "startup", "PMPI_Init")
        program.leave(900, rank, "startup", "PMPI_Init")
    for _ in range(10):
        at = program.meeting(at, [40_000, 10_000])
    lines = program.drawing(at).splitlines()
    whole = one(measure("\n".join(lines)))
    found = measure("\n".join(n for n in lines if f"{missing} 101 startup" not in n))
    app = one(found)
    assert app.efficiency.load_balance == pytest.approx(whole.efficiency.load_balance, abs=0.001)
    assert app.has_iterations and part(app, 0, "spin") <= 400 * US
    assert part(app, 0, "other") == (40_500 if missing == "leave" else 900) * US
    assert app.calls is not None and app.calls.not_whole == (1 if missing == "leave" else 0)
    text = printed(found).replace("\n", " ")
    assert ("(H1: calls of PMPI_Barrier, PMPI_Init; 1 not seen whole)" in text) == (missing == "leave")
    assert ("1 call was not seen to start, or not to end" in text) == (missing == "leave")


def test_ranks_that_hardly_wait_in_their_calls_are_balanced(measure: Measure) -> None:
    app = one(measure(spinning([40_000, 39_900], 10).drawing(400_000)))
    assert (app.level, app.state) == ("H1", "balanced")


def test_calls_without_a_period_give_the_stretches_between_them(measure: Measure) -> None:
    rng = random.Random(5)
    program, at = SpinningProgram(2), 0
    for number in range(30):
        end = at + 10_000
        name = rng.choice(["PMPI_Bcast", "PMPI_Reduce", "PMPI_Barrier", "PMPI_Gather"]) + str(number)
        for rank in (0, 1):
            program.enter(end - 4_000 * rank, rank, "collective", name)
            program.leave(end, rank, "collective", name)
        at = end
    app = one(measure(program.drawing(at)))
    assert [s.kind for s in app.segments] == ["outside", "releases"]
    assert app.efficiency.load_balance == pytest.approx(0.8)
    text = printed(measure(program.drawing(at)))
    assert "its ranks meet in calls: figures are of 29 stretches between the ends of such calls" in text


def test_the_guide_shows_what_is_printed_of_ranks_that_spin(measure: Measure) -> None:
    guide = (Path(__file__).parents[2] / "docs/guide/balance.md").read_text(encoding="utf-8")
    text = printed(measure(spinning([10_000, 40_000], 10).drawing(400_000)), width=147)
    shown = text[: text.index("\nsegment")]
    assert "\n".join(line.rstrip() for line in shown.splitlines()) in guide
