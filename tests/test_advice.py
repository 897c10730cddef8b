"""Advice for parallel programs: predictions beside simulations of what was advised, and drawn programs."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest
from drawing import build_drawn
from programs import Program, iterations
from rich.console import Console
from samples import sample
from wastenot import replay
from wastenot.analyzer import CheckOptions, ImportOptions, import_source, open_trace
from wastenot.analyzer.balance.advice import Advice, advise, mean_fullest, nice_values
from wastenot.analyzer.balance.application import Application, Balance
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.balance.next_start import (
    binding_by_name,
    group_command,
    settings_of_threads,
    start_with_weights,
    weighting_by_name,
)
from wastenot.analyzer.render.advice import advice_json, advice_text
from wastenot.analyzer.render.balance import not_visible_words
from wastenot.analyzer.store.building import make
from wastenot.analyzer.store.writing import BatchWriter

MPI = Path(__file__).parents[1] / "fixtures/traces/mpi.part"
CHECK = CheckOptions(tables="all")
RANKS, CPUS, STEPS = 6, 4, 25


def simulate(
    target: Path, loads: Sequence[int], cpus: dict[int, int] | None = None, second: Sequence[int] = ()
) -> None:
    """A trace of ranks `rank-N` that compute so long (µs), meet at a barrier and start anew; bound to CPUs or free.

    `second`: every other time they compute so long.
    """
    lines = ['about = "ranks at a barrier"', f'machine = "1n{CPUS}"', "[workload]", 'limit = "10s"']
    lines.append(f"objects.step = {{ barrier = {{ parties = {len(loads)} }} }}")
    for rank, load in enumerate(loads):
        of_rank = [load, second[rank]] if second else [load]
        body = ", ".join(f'{{ run = "{us}us" }}, {{ barrier = "step" }}' for us in of_rank)
        lines.append(f"programs.rank-{rank} = [{{ repeat = {{ times = {STEPS}, body = [{body}] }} }}]")
    where = [f', cpus = "{cpus[rank]}"' if cpus is not None else "" for rank in range(len(loads))]
    threads = ", ".join(f'{{ program = "rank-{rank}"{of} }}' for rank, of in enumerate(where))
    scenario = replay.parse("\n".join([*lines, f"threads = [{threads}]"]), "ranks")

    def fill(con: duckdb.DuckDBPyConnection) -> None:
        with BatchWriter(con) as writer:
            replay.simulate(scenario, replay.Settings(seed=1), writer.emit)

    make(target, fill, CHECK)


def measured(target: Path, app: str) -> tuple[Balance, Advice]:
    with open_trace(target) as trace:
        balance = balance_of(trace, Selection(app=app))
        return balance, advise(trace, balance)[0]


def iteration_ns(application: Application) -> float:
    segment = max(application.segments, key=lambda s: (s.kind == "iterations", s.end_ns - s.start_ns))
    assert segment.kind == "iterations"
    return (segment.end_ns - segment.start_ns) / (segment.end - segment.first)


@pytest.mark.parametrize("seed", sample(range(20), 5))
def test_the_predicted_iteration_is_that_of_a_simulation_within_5_per_cent(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    loads = [rng.randint(500, 9_000) for _ in range(RANKS)]
    simulate(tmp_path / "free.duckdb", loads)
    _, advice = measured(tmp_path / "free.duckdb", "rank-*")
    placement = advice.placement
    assert placement is not None and placement.low_ns == placement.high_ns
    numbers = [int(r.rank.name.removeprefix("rank-")) for r in advice.application.ranks]
    simulate(tmp_path / "placed.duckdb", loads, dict(zip(numbers, placement.cpus, strict=True)))
    balance, _ = measured(tmp_path / "placed.duckdb", "rank-*")
    placed_ns = iteration_ns(balance.applications[0])
    assert placement.low_ns == pytest.approx(placed_ns, rel=0.05)
    # Advice promises a gain only where the placement ends sooner than the scheduler's.
    if any(r.kind == "placement" for r in advice.recommendations):
        assert placed_ns < iteration_ns(advice.application)


def test_a_rank_that_spins_keeps_its_share_of_a_cpu_until_the_last_one_has_computed() -> None:
    compute = np.array([[10, 10], [40, 30], [10, 10], [40, 30]])
    light_beside_heavy = np.array([0, 0, 1, 1])

    def longest(*spinning: int) -> float:
        return mean_fullest(compute, light_beside_heavy, np.isin(np.arange(4), spinning))

    assert longest() == mean_fullest(compute, light_beside_heavy) == (50 + 40) / 2
    assert longest(1, 3) == (50 + 40) / 2, "the last one takes nothing from the others"
    assert longest(0, 1, 2, 3) == longest(0) == (80 + 60) / 2
    assert mean_fullest(compute, np.zeros(4, int), np.ones(4, bool)) == 4 * (40 + 30) / 2
    assert mean_fullest(compute, np.arange(4), np.ones(4, bool)) == (40 + 30) / 2


def shared_until_all_go_on(computes: Sequence[float], nice: Sequence[int]) -> float:
    """How long threads that spin when they have computed take on one CPU, in turns of 10 µs by their weights."""
    weights = [1.25**-value for value in nice]
    got, clock = [0.0] * len(computes), 0.0
    while any(have < need for have, need in zip(got, computes, strict=True)):
        turn = min(range(len(got)), key=lambda i: got[i] / weights[i])
        got[turn] += 0.01
        clock += 0.01
    return clock


@pytest.mark.parametrize("seed", range(8))
def test_nice_values_let_ranks_that_share_a_cpu_compute_until_the_same_time(seed: int) -> None:
    rng = random.Random(seed)
    computes = np.array([rng.uniform(5, 60) for _ in range(rng.randint(2, 4))])
    here = np.zeros(len(computes), dtype=int)
    nice = nice_values(computes, here)
    weights = 1.25 ** -nice.astype(float)
    spins = np.ones(len(computes), bool)
    predicted = mean_fullest(computes[:, None], here, spins, weights)
    assert predicted == pytest.approx(shared_until_all_go_on(computes.tolist(), nice.tolist()), rel=0.01)
    assert computes.sum() <= predicted <= 1.25 * computes.sum(), "steps of nice are coarse"
    assert min(nice) == 0, "without being root a nice value only rises"
    assert predicted <= mean_fullest(computes[:, None], here, spins) + 1e-9


@pytest.mark.parametrize("sessions", [False, True])
def test_each_rank_starts_with_its_nice_value(sessions: bool) -> None:
    words = start_with_weights("PMI_RANK", [0, 1, 2, 3], [6, 0, 6, 11], sessions=sessions)
    for rank, nice in enumerate((6, 0, 6, 11)):
        # In a session of its own, so that no group of this one is changed.
        ran = subprocess.run(
            [*words, "sh", "-c", 'nice; cat /proc/self/autogroup; echo "$1 $2"', "sh", "a b", "*"],
            capture_output=True, text=True, check=True, env={**os.environ, "PMI_RANK": str(rank)},
            start_new_session=True,
        )  # fmt: skip
        assert ran.stderr == "" or not Path("/proc/self/autogroup").exists()
        value, *group, words_of_program = ran.stdout.splitlines()
        assert (int(value), words_of_program) == (nice, "a b *")
        for line in group:
            assert line.endswith(f" nice {nice if sessions else 0}"), line


def test_ranks_with_sessions_of_their_own_get_the_nice_values_of_their_groups() -> None:
    (plain,) = weighting_by_name(["ranks"] * 2, [6, 0])
    (grouped,) = weighting_by_name(["ranks"] * 2, [6, 0], sessions=True)
    each = list(weighting_by_name(["ocean", "ice"], [0, 3], sessions=True))
    is_bash([plain, grouped, *each])
    assert "autogroup" not in plain
    assert 'renice -n "$1" -p "$pid"; [ ! -e /proc/"$pid"/autogroup ]' in grouped
    assert each[1].startswith("renice -n 3 -p \"$(pgrep -nx 'ice')\"; [ ! -e /proc/\"$(pgrep -nx 'ice')\"/autogroup ]")


def test_weights_are_advised_where_ranks_that_share_a_cpu_spin(of_open_mpi: Advice) -> None:
    (weights,) = (r for r in of_open_mpi.recommendations if r.kind == "weights")
    assert of_open_mpi.placement is not None and of_open_mpi.placement.weighted_ns is not None
    low, high = of_open_mpi.placement.weighted_ns
    assert of_open_mpi.placement.low_ns < low < high <= of_open_mpi.placement.high_ns
    assert weights.saves is not None and 0 <= weights.saves[0] < weights.saves[1] < of_open_mpi.placement.saves[1]
    is_bash(
        [*weights.commands, *(r.split(": ", 1)[1].removesuffix(" in front of the program") for r in weights.remarks)]
    )
    assert "nice 6" in weights.what and "OMPI_COMM_WORLD_RANK" in weights.remarks[0]


@pytest.fixture
def advised(tmp_path: Path) -> Callable[[str], tuple[Balance, Advice]]:
    """The advice for the threads called `app` of a drawing."""

    def of(drawing: str) -> tuple[Balance, Advice]:
        path = tmp_path / "T.duckdb"
        path.unlink(missing_ok=True)
        build_drawn(drawing, path, CHECK)
        return measured(path, "app")

    return of


Advised = Callable[[str], tuple[Balance, Advice]]


def printed(found: tuple[Balance, Advice]) -> str:
    console = Console(width=160, color_system=None)
    with console.capture() as captured:
        console.print(advice_text(found[0], [found[1]]))
    return captured.get()


def is_bash(commands: Sequence[str]) -> None:
    """Each is a command that bash can parse, in one line."""
    assert commands
    for command in commands:
        assert "\n" not in command
        subprocess.run(["bash", "-n", "-c", command], check=True)


@pytest.fixture(scope="module")
def of_open_mpi(tmp_path_factory: pytest.TempPathFactory) -> Advice:
    """Advice for the recording of Open MPI, whose ranks have ended."""
    target = tmp_path_factory.mktemp("mpi") / "T.duckdb"
    import_source(MPI, target, ImportOptions(), CHECK)
    with open_trace(target) as trace:
        (advice,) = advise(trace, balance_of(trace))
        return advice


def test_ranks_that_have_ended_are_placed_at_the_next_start(of_open_mpi: Advice) -> None:
    waiting, placing = of_open_mpi.recommendations[:2]
    assert (waiting.kind, placing.kind) == ("waiting", "placement")
    is_bash([*waiting.commands, *placing.commands])
    assert [c.split()[0] for c in placing.commands] == ["printf", "export", "(set"]
    assert advice_json([of_open_mpi])["applications"][0]["recommendations"][1]["commands"]


def test_mpirun_binds_the_ranks_as_advised(of_open_mpi: Advice, tmp_path: Path) -> None:
    if shutil.which("mpirun") is None or b"Open MPI) 4" not in subprocess.check_output(["mpirun", "--version"]):
        pytest.skip("no Open MPI 4 (Debian 12: apt-get install openmpi-bin)")
    placement = of_open_mpi.placement
    assert placement is not None
    if not set(placement.cpus) <= os.sched_getaffinity(0):
        pytest.skip(f"needs CPUs {sorted(set(placement.cpus))}")
    start = f"mpirun --allow-run-as-root -n {len(placement.cpus)} sh -c 'echo $OMPI_COMM_WORLD_RANK $(taskset -pc $$)'"
    waiting, placing = of_open_mpi.recommendations[:2]
    script = "\n".join([*waiting.commands, *placing.commands[:2], start])
    printed = subprocess.run(["bash", "-ec", script], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    bound = {int(line.split()[0]): line.split()[-1] for line in printed.splitlines()}
    assert bound == {rank: str(cpu) for rank, cpu in enumerate(placement.cpus)}


def test_processes_that_run_again_are_bound_in_the_order_of_their_creation(tmp_path: Path) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2 or shutil.which("pgrep") is None:
        pytest.skip("needs two CPUs and pgrep (Debian: apt-get install procps)")
    wanted = [cpus[1], cpus[0], cpus[1]]
    name = f"wn-{os.getpid()}"
    shutil.copy(shutil.which("sleep") or "sleep", tmp_path / name)
    started = [subprocess.Popen([tmp_path / name, "60"]) for _ in wanted]
    try:
        (command,) = binding_by_name([name] * 3, wanted)
        is_bash([command])
        subprocess.run(["bash", "-ec", command], check=True, capture_output=True)
        assert [os.sched_getaffinity(p.pid) for p in started] == [{cpu} for cpu in wanted]
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_threads_of_openmp_run_where_the_settings_place_them(tmp_path: Path) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2 or shutil.which("gcc") is None:
        pytest.skip("needs two CPUs and gcc")
    source = """#include <omp.h>
#include <sched.h>
#include <stdio.h>
int main(void) {
#pragma omp parallel
  printf("%d %d\\n", omp_get_thread_num(), sched_getcpu());
}"""
    (tmp_path / "a.c").write_text(source)
    made = subprocess.run(["gcc", "-fopenmp", "a.c", "-o", "a"], cwd=tmp_path, capture_output=True, check=False)
    if made.returncode:
        pytest.skip("gcc has no OpenMP here")
    wanted = [cpus[1], cpus[0], cpus[0], cpus[1]]
    command = settings_of_threads(wanted)
    is_bash([command])
    printed = subprocess.check_output(["bash", "-ec", f"{command}\n./a"], cwd=tmp_path, text=True)
    ran_on = {int(thread): int(cpu) for thread, cpu in (line.split() for line in printed.splitlines())}
    assert ran_on == dict(enumerate(wanted))


def test_ranks_with_a_cpu_each_are_not_moved_and_the_program_is_to_mend_it(advised: Advised) -> None:
    found = advised(iterations([10_000, 40_000, 10_000, 40_010], 12))
    assert [r.kind for r in found[1].recommendations] == ["work"]
    saves = found[1].recommendations[0].saves
    assert saves is not None and saves[0] == 0 and saves[1] == pytest.approx(0.375 * 11 / 12, abs=0.005), (
        "of the run, whose first iteration begins before the ranks met"
    )
    assert "No placement of its ranks makes it end sooner" in printed(found)


def test_ranks_that_are_heavy_in_turn_gain_nothing_from_a_placement(advised: Advised) -> None:
    program, at = Program(2), 0
    for number in range(20):
        at = program.iteration(at, [10_000, 40_000] if number % 2 else [40_000, 10_000])
    found = advised(program.drawing(at))
    placement = found[1].placement
    assert placement is not None and placement.saves == pytest.approx((0, 0), abs=0.001)
    assert [(r.kind, r.what.split(":")[0]) for r in found[1].recommendations] == [
        ("work", "Share the work of each iteration more evenly")
    ]
    assert found[1].moves
    assert "an iteration would take 40.0 ms; it takes 40.0 ms. No placement" in printed(found)


@pytest.mark.parametrize("seed", range(6))
def test_no_gain_is_predicted_where_each_rank_has_a_cpu_whatever_its_loads_are(seed: int, advised: Advised) -> None:
    rng = random.Random(seed)
    ranks = rng.randint(2, 4)
    program, at = Program(ranks), 0
    for _ in range(20):
        noise = {rng.randrange(ranks): rng.randint(100, 3_000)} if rng.random() < 0.5 else {}
        at = program.iteration(at, [rng.randint(1_000, 9_000) for _ in range(ranks)], noise)
    advice = advised(program.drawing(at, daemons=range(ranks)))[1]
    assert advice.placement is not None and advice.placement.saves[1] <= 0.001
    assert "placement" not in [r.kind for r in advice.recommendations]


def test_what_a_period_of_several_meetings_saves_is_an_upper_bound(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    bound = dict(enumerate([0, 0, 0, 1, 2, 3]))
    simulate(
        path, [2_000, 9_000, 4_000, 9_000, 2_000, 5_000], bound, second=[27_000, 6_000, 15_000, 6_000, 27_000, 12_000]
    )
    _, advice = measured(path, "rank-*")
    assert advice.segment.period == 2 and advice.placement is not None
    assert advice.placement.high_ns == advice.placement.now_ns > advice.placement.low_ns
    assert advice.recommendations[0].kind == "placement"
    assert all(r.saves is not None and r.saves[0] == 0 for r in advice.recommendations)


def test_a_daemon_is_moved_to_a_cpu_without_a_rank(advised: Advised) -> None:
    program, at = Program(2, cpus=3), 0
    for number in range(10):
        at = program.iteration(at, [20_000, 20_000], {1: 5_000} if number % 2 else {})
    found = advised(program.drawing(at, daemons=[1]))
    (move,) = found[1].recommendations
    assert (move.kind, move.commands) == ("thread", ("taskset -pc 2 901",))
    assert move.saves is not None and move.saves[0] == 0 and move.saves[1] == pytest.approx(0.0555, abs=0.003)
    assert "daemon-1 (tid 901)" in printed(found)


def test_a_daemon_is_not_moved_to_a_cpu_that_a_rank_fills(advised: Advised) -> None:
    program, at = Program(2), 0
    for number in range(10):
        at = program.iteration(at, [20_000, 20_000], {1: 5_000} if number % 2 else {})
    (later,) = advised(program.drawing(at, daemons=[1]))[1].recommendations
    assert later.commands == ("renice -n 19 -p 901", "chrt --idle -p 0 901")


def test_placement_does_not_promise_that_noise_goes_away(advised: Advised) -> None:
    program, at = Program(3), 0
    for _ in range(10):
        at = program.iteration(at, [20_000] * 3, {1: 5_000})
    placement = advised(program.drawing(at, daemons=[1]))[1].placement
    assert placement is not None and placement.low_ns == pytest.approx(placement.now_ns, rel=0.01)


def test_hardware_threads_make_the_prediction_a_range(advised: Advised) -> None:
    drawing = iterations([10_000, 40_000, 10_000, 40_010], 12).replace("cpus 0-3", "cpus 0-3\ncore 0,1 2,3")
    placement = advised(drawing)[1].placement
    assert placement is not None
    assert placement.low_ns == pytest.approx(40_020_000, rel=0.001)
    assert placement.high_ns == pytest.approx(50_020_000, rel=0.001)
    assert sorted(cpu // 2 for cpu in placement.cpus[1::2]) == [0, 1], "a heavy rank on each core"


def test_nothing_is_advised_where_the_balance_is_not_visible(advised: Advised) -> None:
    found = advised(iterations([9_990, 9_990, 9_991], 12))
    assert (found[1].placement, found[1].recommendations) == (None, ())
    assert "not visible, no advice" in printed(found)
    assert advice_json([found[1]])["applications"][0]["recommendations"] == []


def test_other_ranks_that_limit_a_later_phase_are_said(advised: Advised) -> None:
    program, at = Program(2), 0
    for computes in [[8_000, 2_000]] * 8 + [[3_000, 14_000]] * 8:
        at = program.iteration(at, computes)
    found = advised(program.drawing(at))
    assert found[1].moves and "Other ranks limit it in other iterations" in printed(found)


def daemon_beside(change: str = "", cpus: int = 3, leaves: str = "S") -> str:
    """Two ranks of equal work and a daemon on the CPU of rank 1, with CPU 2 beside them."""
    program, at = Program(2, cpus=cpus), 0
    for number in range(10):
        at = program.iteration(at, [20_000, 20_000], {1: 5_000} if number % 2 else {})
    drawing = program.drawing(at, daemons=[1])
    last = drawing.rindex("901 S ->")
    return drawing[:last] + f"901 {leaves} ->" + drawing[last + 8 :] + change


def test_a_daemon_is_not_moved_to_a_cpu_that_another_program_fills(advised: Advised) -> None:
    fills = daemon_beside().replace("0us cpu 2 idle", "0us cpu 2 runs 700\n0us thread 700 other on 2 running mask 2")
    (later,) = advised(fills)[1].recommendations
    assert later.commands == ("renice -n 19 -p 901", "chrt --idle -p 0 901")


def test_a_daemon_is_moved_to_no_cpu_that_went_offline(advised: Advised) -> None:
    (later,) = advised(daemon_beside("\n100000us offline 2"))[1].recommendations
    assert later.commands == ("renice -n 19 -p 901", "chrt --idle -p 0 901")


def many_daemons(tmp_path: Path, ranks_in: int | None, daemons_in: int | None) -> Advice:
    """Six ranks with a daemon on the CPU of each, all of which take a little; the cgroups of ranks and daemons."""
    program, at = Program(6), 0
    for number in range(24):
        noisy = number % 6
        at = program.iteration(at, [20_000] * 6, {noisy: 4_000})
    lines = program.drawing(at, daemons=range(6)).splitlines()

    def in_cgroup(line: str) -> str:
        number = daemons_in if " daemon-" in line else ranks_in
        return f"{line} cgroup {number}" if line.startswith("0us thread ") and number is not None else line

    path = tmp_path / "T.duckdb"
    build_drawn("\n".join(map(in_cgroup, lines)), path, CHECK)
    with duckdb.connect(str(path)) as con:
        paths = {1: "/job", 2: "/job/monitor", 3: "/system"}
        con.execute("DELETE FROM cgroup")
        for number, name in paths.items():
            con.execute("INSERT INTO cgroup (cgroup_id, path) VALUES (?, ?)", [number, name])
    return measured(path, "app")[1]


@pytest.mark.parametrize(
    ("ranks_in", "daemons_in", "is_apart"),
    [(1, 3, True), (1, 2, False), (1, 1, False), (1, None, False), (None, 3, False)],
)
def test_a_cgroup_that_other_programs_are_not_in_gets_a_weight(
    ranks_in: int | None, daemons_in: int | None, is_apart: bool, tmp_path: Path
) -> None:
    advice = many_daemons(tmp_path, ranks_in, daemons_in)
    (many,) = [r for r in advice.recommendations if r.kind == "threads"]
    assert many.commands == (("echo 10000 > /sys/fs/cgroup/job/cpu.weight",) if is_apart else ())
    if is_apart:
        is_bash(many.commands)
        assert "echo 0,1,2,3,4,5 > /sys/fs/cgroup/job/cpuset.cpus.exclusive" in many.remarks[1]
    else:
        assert "CPUWeight=10000" in many.remarks[0]


def changed(tmp_path: Path, drawing: str, *statements: str) -> Advice:
    """The advice for a drawn trace of which something was changed then."""
    path = tmp_path / "T.duckdb"
    build_drawn(drawing, path, CHECK)
    with duckdb.connect(str(path)) as con:
        for statement in statements:
            con.execute(statement)
    return measured(path, "app")[1]


def test_interrupts_are_named_and_routed_to_a_cpu_without_a_rank(tmp_path: Path) -> None:
    program, at = Program(2, cpus=3), 0
    for _ in range(10):
        program.at(at + 5_000, "irq 1 for 3ms vector 24")
        # It hits no rank: rank 0 sleeps.
        program.at(at + 16_000, "irq 0 for 6ms vector 33")
        at = program.iteration(at, [15_000, 23_000])
    drawing = program.drawing(at)
    of_softirqs = changed(tmp_path, drawing)
    (source,) = (s for s in of_softirqs.application.sources if s.kind == "irq")
    assert source.name == "interrupts (most: softirq 24 on CPU 1)"
    (tmp_path / "T.duckdb").unlink()
    of_a_device = changed(tmp_path, drawing, "UPDATE irq_span SET kind = 0")
    (route,) = (r for r in of_a_device.recommendations if r.kind == "interrupt")
    assert route.what == "Route interrupts to CPU 2 (most: hardirq 24 on CPU 1)"
    assert route.commands == ("echo 2 > /proc/irq/24/smp_affinity_list",)
    assert route.saves is not None and route.saves[1] == pytest.approx(1.5 / 23.01, rel=0.01)


def test_what_iterations_save_is_a_share_of_the_whole_run(advised: Advised) -> None:
    program, at = Program(2), 400_000  # both compute, before the first of eight iterations of 40 ms
    for _ in range(8):
        at = program.iteration(at, [10_000, 40_000])
    balance, advice = advised(program.drawing(at))
    (work,) = (r for r in advice.recommendations if r.kind == "work")
    (app,) = balance.applications
    assert work.saves is not None
    assert work.saves[1] <= app.lost_ns / app.length_ns + 1e-9, "not more than is lost"
    # The first of them begins before the ranks have met.
    assert work.saves[1] == pytest.approx(15 / 40 * 7 * 40_010 / at, rel=0.02)


def test_a_session_gets_its_nice_value_when_the_kernel_takes_it_at_last(tmp_path: Path) -> None:
    file = tmp_path / "autogroup"
    file.touch(mode=0o444)
    command = group_command("6", "1").replace("/proc/1/autogroup", str(file))
    is_bash([command])
    script = f"(sleep 0.5; rm {file}; : > {file}) & {command}; cat {file}"
    # A refusal, by a folder in its place: the file cannot be opened for writing until it is a file.
    file.unlink()
    file.mkdir()
    ran = subprocess.run(
        ["sh", "-c", script.replace(f"rm {file}", f"rmdir {file}")],
        capture_output=True, text=True, check=True, timeout=30,
    )  # fmt: skip
    assert ran.stdout == "6\n"


@pytest.mark.parametrize("cgroup", [None, "/job"])
def test_a_quota_that_ranks_used_up_is_to_be_raised(cgroup: str | None, tmp_path: Path) -> None:
    program, at = Program(2), 0
    for _ in range(10):
        for us, text in (
            (5_000, "throttle 102 on"), (5_000, "switch 1: 102 R -> 0"),
            (9_000, "throttle 102 off"), (9_000, "switch 1: 0 R -> 102"),
        ):  # fmt: skip
            program.at(at + us, text)
        at = program.iteration(at, [20_000, 24_000])
    drawing = program.drawing(at)
    if cgroup is not None:
        drawing = drawing.replace(" running mask", " running cgroup 1 mask")
    advice = changed(tmp_path, drawing, "DELETE FROM cgroup", "INSERT INTO cgroup (cgroup_id, path) VALUES (1, '/job')")
    (quota,) = (r for r in advice.recommendations if r.kind == "quota")
    assert quota.commands == (() if cgroup is None else ("echo max > /sys/fs/cgroup/job/cpu.max",))
    assert quota.saves is not None and quota.saves[1] == pytest.approx(2 / 24.01, rel=0.01)
    assert ("not recorded" in quota.remarks[0]) == (cgroup is None)


@pytest.mark.parametrize(("name", "commands"), [
    ("kworker/u8:1", ("cat /sys/devices/virtual/workqueue/cpumask",)), ("kworker/1:0", ()), ("kswapd0", ()),
])  # fmt: skip
def test_what_a_kernel_thread_works_for_is_to_be_moved(name: str, commands: tuple[str, ...], advised: Advised) -> None:
    daemon = daemon_beside().replace(" daemon-1 on 1 asleep", f" {name} on 1 asleep kernel")
    (move,) = advised(daemon)[1].recommendations
    assert (move.kind, move.commands) == ("kernel_thread", commands)
    assert move.what == f"{name} (tid 901) is a kernel thread: move what it works for"


def test_priorities_of_hardware_threads_are_advised_where_the_machine_has_them(tmp_path: Path) -> None:
    drawing = iterations([10_000, 40_000, 10_000, 40_000], 12).replace("cpus 0-3", "cpus 0-3\ncore 0,1 2,3")
    assert not [r for r in changed(tmp_path, drawing).recommendations if r.kind == "smt_priority"]
    (tmp_path / "T.duckdb").unlink()
    advice = changed(tmp_path, drawing, "UPDATE machine SET arch = 'ppc64le'")
    (shift,) = (r for r in advice.recommendations if r.kind == "smt_priority")
    assert shift.saves is None, "how much a step shifts is not in the trace"
    assert advice.placement is not None
    heavy = advice.placement.cpus[1::2]
    steps = {int(r.split(" on CPU ")[1].split()[0]): int(r.split()[1]) for r in shift.remarks}
    assert all(steps[cpu] - steps[cpu ^ 1] == 2 for cpu in heavy), "more than 40 points apart"


def test_one_that_has_ended_is_moved_by_its_name_when_it_runs_again(advised: Advised) -> None:
    (move,) = advised(daemon_beside(leaves="X"))[1].recommendations
    assert move.commands == ("taskset -pc 2 \"$(pgrep -nx 'daemon-1')\"",)
    is_bash(move.commands)


def test_no_command_holds_a_name_that_a_shell_does_not_take_literally(advised: Advised) -> None:
    hostile = daemon_beside(leaves="X").replace("daemon-1", "x;reboot")
    (move,) = advised(hostile)[1].recommendations
    assert (move.commands, len(move.remarks)) == ((), 1)
    assert "it has ended: at the next start, taskset -c 2 in front of its command" in printed(advised(hostile))


def test_commands_of_a_placement_are_commands(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    simulate(path, [9_000, 9_000, 9_000, 1_000, 1_000, 1_000], {0: 0, 1: 0, 2: 0, 3: 1, 4: 2, 5: 3})
    _, advice = measured(path, "rank-*")
    first = advice.recommendations[0]
    assert first.kind == "placement"
    assert advice.placement is not None
    assert first.commands == tuple(
        f"taskset -pc {cpu} \"$(pgrep -nx '{r.rank.name}')\""
        for r, cpu in zip(advice.application.ranks, advice.placement.cpus, strict=True)
    )
    is_bash(first.commands)


def test_nothing_is_advised_with_the_reason_why_the_balance_is_not_visible(advised: Advised) -> None:
    rarely = ["cpus 0-1", "window 0us 100ms", "0us cpu 0 runs 101", "0us cpu 1 runs 102"]
    rarely += [f"0us thread {101 + n} app on {n} running mask {n}" for n in (0, 1)]
    rarely += ["85000us switch 1: 102 S -> 0", "98000us waking 102 last 1 by 0", "98000us wakeup 102 on 1"]
    found = advised("\n".join([*rarely, "98010us switch 1: 0 R -> 102"]))
    reason = not_visible_words(found[1].application)
    assert reason.startswith("Balance not visible: a rank is seen to wait in ")
    assert reason in " ".join(printed(found).split())


def test_ranks_that_leave_cpus_free_are_kept_on_theirs_by_a_cpuset(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    simulate(path, [9_000, 9_000], {0: 0, 1: 0})
    _, advice = measured(path, "rank-*")
    assert advice.placement is not None and len(set(advice.placement.cpus)) == 2 < CPUS
    chosen = ",".join(map(str, sorted(advice.placement.cpus)))
    assert f"AllowedCPUs={chosen} " in " ".join(advice.recommendations[0].remarks)
