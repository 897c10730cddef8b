"""Traces of Paraver and OTF2: what an import makes of them, and what an export of ours loses on its way back.

The export is read by a parser of this file's own as well, which shares no line with the reader.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from drawing import build_drawn
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import Program, SpinningProgram, iterations
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.balance import paraver
from wastenot.analyzer.balance.application import Application, Balance
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.balance.paraver import export_paraver
from wastenot.analyzer.conditions import parse_condition
from wastenot.analyzer.importing.sources import ImportOptions, import_source
from wastenot.collector import WastenotError

MS = 1_000_000
US = 1_000
MPI = Path(__file__).parents[2] / "fixtures/traces/mpi.part"
DEBIAN_PYTHON = Path("/usr/bin/python3")
"""The interpreter for which Debian packages OTF2's own bindings (python3-otf2)."""


def imported(source: Path, folder: Path) -> Balance:
    """The balance of a trace of another tool."""
    target = folder / "imported.duckdb"
    target.unlink(missing_ok=True)
    import_source(source, target, ImportOptions(), CheckOptions(tables="all"))
    with open_trace(target) as trace:
        return balance_of(trace)


def there_and_back(drawing: str, folder: Path, name: str = "app") -> tuple[Application, Application, Path]:
    """An application, and what it is after its way through a `.prv`."""
    folder.mkdir(exist_ok=True)
    path, target = folder / "T.duckdb", folder / "app.prv"
    build_drawn(drawing, path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        (app,) = balance_of(trace, Selection(app=name)).applications
        export_paraver(trace, app, target, force=True)
    (again,) = imported(target, folder).applications
    return app, again, target


def assert_same(app: Application, again: Application) -> None:
    """All figures are the same, to the nanosecond; what they came from is not in the `.prv`."""
    assert [r.rank.tid for r in again.ranks] == [r.rank.tid for r in app.ranks]
    assert (again.level, again.state, again.whole_ns) == (app.level, app.state, app.whole_ns)
    assert (again.bounds - again.start_ns).tolist() == (app.bounds - app.start_ns).tolist()
    assert [(s.kind, s.period) for s in again.segments] == [(s.kind, s.period) for s in app.segments]
    for before, after in zip(app.ranks, again.ranks, strict=True):
        assert after.parts.tolist() == before.parts.tolist()
    assert again.efficiency == app.efficiency
    assert (again.utilization, again.lost_ns, again.intrinsic_ns) == (app.utilization, app.lost_ns, app.intrinsic_ns)


# ---- a second reader


@dataclass
class Prv:
    """A `.prv` as the description of the format has it: states by thread, length."""

    length: int
    states: dict[tuple[int, int], list[tuple[int, int, int]]]

    @classmethod
    def read(cls, path: Path) -> Prv:
        head, *lines = path.read_text(encoding="ascii").splitlines()
        states: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        for line in lines:
            kind, *numbers = (int(word) for word in line.split(":"))
            if kind == 1:
                _, _, task, thread, start, end, state = numbers
                states.setdefault((task, thread), []).append((start, end, state))
        return cls(int(head.split("):")[1].split("_ns")[0]), states)

    def time_in(self, state: int) -> dict[tuple[int, int], int]:
        """How long each thread was in a state."""
        return {place: sum(e - s for s, e, of in all_of if of == state) for place, all_of in self.states.items()}

    def pop(self, outside: dict[tuple[int, int], int] | None = None) -> tuple[float, float]:
        """Load balance and communication efficiency by the time in state Running, less the time in calls."""
        running = [
            sum(end - start for start, end, state in of if state == 1) - (outside or {}).get(place, 0)
            for place, of in sorted(self.states.items())
        ]
        return sum(running) / len(running) / max(running), max(running) / self.length


def noisy() -> str:
    """Three ranks with unequal work; a daemon hits the second one in each other iteration."""
    program, at = Program(3), 0
    for number in range(8):
        at = program.iteration(at, [20_000, 21_000, 24_000], {1: 5_000} if number % 2 else {})
    return program.drawing(at, daemons=[1])


def spinning() -> str:
    """Three ranks that wait in calls; a daemon hits the last one in each third iteration."""
    program, at = SpinningProgram(3), 0
    for number in range(9):
        at = program.meeting(at, [10_000, 20_000, 39_000], {2: 4_000} if number % 3 == 0 else {})
    return program.drawing(at, daemons=[2])


def queued_beside_an_idle_cpu() -> str:
    """Two ranks that may use all of three CPUs; a daemon takes the CPU of the second one while CPU 2 is idle."""
    program, at = Program(2, cpus=3), 0
    for number in range(8):
        at = program.iteration(at, [20_000, 20_000], {1: 5_000} if number % 2 else {})
    return program.drawing(at, daemons=[1]).replace("app on 1 running mask 1", "app on 1 running mask 0-2")


def interrupted() -> str:
    """Two ranks; in each other iteration their CPUs do interrupt work: while they compute, wait, and from one to the
    other."""
    program, at = Program(2), 0
    for number in range(8):
        for begin in (1_000, 14_900, 17_000) if number % 2 else ():
            program.at(at + begin, "irq 0 for 300us")
            program.at(at + begin, "irq 1 for 250us")
        at = program.iteration(at, [15_000, 20_000])
    return program.drawing(at)


def unobserved() -> str:
    """Three ranks that wait in calls. What keeps rank 2 from computing, and rank 0 from waiting, leaves its CPU under
    another name than it came: what ran there meanwhile is not known."""
    program, at = SpinningProgram(3), 0
    for number in range(9):
        if number % 3 == 0:
            for begin, rank in ((3_000, 2), (12_000, 0)):
                for us, text in (
                    (begin, f"wakeup {900 + rank} on {rank}"),
                    (begin, f"switch {rank}: {101 + rank} R+ -> {900 + rank}"),
                    (begin + 1_400, f"switch {rank}: 91{rank} S -> {101 + rank}"),
                ):
                    program.at(at + us, text)
        at = program.meeting(at, [10_000, 20_000, 39_000])
    return program.drawing(at, daemons=[0, 2])


DRAWINGS = {
    "two": iterations([10_000, 40_000], 6),
    "noise": noisy(),
    "calls": spinning(),
    "interrupts": interrupted(),
    "unobserved": unobserved(),
}


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)
def test_an_export_comes_back_with_the_same_figures(drawing: str, tmp_path: Path) -> None:
    app, again, _ = there_and_back(drawing, tmp_path)
    assert app.has_iterations
    assert_same(app, again)


def test_interrupts_and_what_was_not_observed_come_back_as_such(tmp_path: Path) -> None:
    app, again, target = there_and_back(interrupted(), tmp_path)
    for of in (app, again):
        assert [int(r.parts[PLACE["irq"]]) for r in of.ranks] == [4 * 400 * US, 4 * 750 * US]
    app, again, _ = there_and_back(unobserved(), tmp_path)
    for of in (app, again):
        assert [int(r.parts[PLACE["other"]]) for r in of.ranks] == [0, 0, 3 * 1_400 * US]
        assert [int(r.parts[PLACE["preempted"]]) for r in of.ranks] == [0, 0, 0]
    assert Prv.read(target).time_in(15) == {(1, 1): 0, (2, 1): 0, (3, 1): 3 * 1_400 * US}


@pytest.mark.parametrize("drawing", [interrupted(), unobserved()], ids=["interrupts", "unobserved"])
def test_states_that_are_cut_are_written_in_order_where_the_time_is_written_in_parts(
    drawing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for name, most in (("whole", paraver.MOST_STATES), ("parts", 3)):
        monkeypatch.setattr(paraver, "MOST_STATES", most)
        written.append(there_and_back(drawing, tmp_path / name)[2].read_text())
    assert written[0] == written[1]


def test_the_recording_of_open_mpi_comes_back_with_the_same_figures(tmp_path: Path) -> None:
    path, target = tmp_path / "T.duckdb", tmp_path / "mpi.prv"
    import_source(MPI, path, ImportOptions(), CheckOptions(tables="all"))
    with open_trace(path) as trace:
        (app,) = balance_of(trace).applications
        export_paraver(trace, app, target)
    (again,) = imported(target, tmp_path).applications
    assert any(int(r.parts[PLACE["other"]]) for r in app.ranks)
    assert_same(app, again)


def test_no_waste_is_invented_from_the_states_of_a_program(tmp_path: Path) -> None:
    there_and_back(queued_beside_an_idle_cpu(), tmp_path)
    with open_trace(tmp_path / "T.duckdb") as trace:
        assert trace.verdict().figures["wasted_ns"] > 0
    with open_trace(tmp_path / "imported.duckdb") as trace:
        verdict = trace.verdict()
        (app,) = balance_of(trace).applications
        assert verdict.figures["idle_while_waiting_ns"] == 0 and not verdict.worst
        assert [r.avoidable_ns for r in app.ranks] == [0, 0]
        assert "Waste is not visible in such a trace" in trace.verdict().sentence()
        assert parse_condition("wasted>1%").caveat(verdict) is not None


@settings(max_examples=6, deadline=None)
@given(
    computes=st.lists(st.lists(st.integers(1_000, 60_000), min_size=3, max_size=3), min_size=5, max_size=8),
    noise=st.lists(st.integers(0, 9_000), min_size=8, max_size=8),
    interrupts=st.lists(st.integers(0, 70_000), min_size=8, max_size=8),
)
def test_any_program_comes_back_with_the_same_figures(
    tmp_path_factory: pytest.TempPathFactory, computes: list[list[int]], noise: list[int], interrupts: list[int]
) -> None:
    program, at = Program(3), 0
    for of, length, begin in zip(computes, noise, interrupts, strict=False):
        if begin:
            program.at(at + begin, f"irq {begin % 3} for 60us")
        at = program.iteration(at, of, {1: length} if length else {})
    assert_same(*there_and_back(program.drawing(at, daemons=[1]), tmp_path_factory.mktemp("any"))[:2])


def test_a_second_reader_finds_the_same_efficiencies_in_an_export(tmp_path: Path) -> None:
    app, again, target = there_and_back(noisy(), tmp_path)
    balance, communication = Prv.read(target).pop()
    for of in (app, again):
        assert of.efficiency.load_balance == pytest.approx(balance, abs=1e-12)
        assert of.efficiency.communication_efficiency == pytest.approx(communication, abs=1e-12)


def test_calls_are_events_of_the_types_that_extrae_gives_them(tmp_path: Path) -> None:
    _, again, target = there_and_back(spinning(), tmp_path)
    events = [line.split(":") for line in target.read_text().splitlines() if line.startswith("2:")]
    assert sum(e[6] == "50000002" for e in events) == 2 * 3 * 9
    assert (
        "9    50000002    MPI Collective Comm\nVALUES\n0    End\n1    PMPI_Barrier\n"
        in target.with_suffix(".pcf").read_text()
    )
    assert again.calls is not None and [(c.name, c.kind, c.calls) for c in again.calls.counts] == [
        ("PMPI_Barrier", "collective", 27)
    ]


def test_the_verdict_of_an_imported_program_says_that_waste_is_not_in_it(tmp_path: Path) -> None:
    there_and_back(noisy(), tmp_path)
    with open_trace(tmp_path / "imported.duckdb") as trace:
        text = trace.verdict().sentence()
    assert "unverified: the trace has the threads of one program alone" in text


# ---- traces of others

HEADER = "#Paraver (26/01/04 at 16:35):400000:2(1,1):1:2(1:1,1:2),1\nc:1:1:2:1:2\n"
PCF = """STATES
0    Idle
1    Running
3    Waiting a message
13    Group Communication

EVENT_TYPE
9   50000001    MPI Point-to-point
9   50000002    MPI Collective Comm
VALUES
8   MPI_Barrier
2   MPI_Recv
0   End
"""


def of_extrae(with_events: bool = True) -> str:
    """Two ranks, ten iterations of 40 ms (times in µs): the first computes 10 ms and waits, the second 39.999.

    From then on, when the last one has come, neither waits any more (docs/semantics.md, Balance).
    """
    lines: list[tuple[int, str]] = []
    for number in range(10):
        at = 40_000 * number
        lines += [(at, f"1:1:1:1:1:{at}:{at + 10_000}:1"), (at, f"1:2:1:2:1:{at}:{at + 39_999}:1")]
        if with_events:
            lines += [(at + 10_000, f"2:1:1:1:1:{at + 10_000}:50000002:8:42000050:17")]
            lines += [(at + 39_999, f"2:2:1:2:1:{at + 39_999}:50000002:8")]
            lines += [(at + 40_000, f"2:{task}:1:{task}:1:{at + 40_000}:50000002:0") for task in (1, 2)]
        lines += [(at + 10_000, f"1:1:1:1:1:{at + 10_000}:{at + 40_000}:13")]
        lines += [(at + 39_999, f"1:2:1:2:1:{at + 39_999}:{at + 40_000}:13")]
        lines += [(at + 10_000, f"3:1:1:1:1:{at + 10_000}:{at + 10_000}:2:1:2:1:{at + 39_000}:{at + 39_000}:8:1")]
    return HEADER + "".join(f"{line}\n" for _, line in sorted(lines, key=lambda pair: pair[0]))


@pytest.mark.parametrize("with_events", [True, False], ids=["events", "states"])
def test_a_trace_of_extrae_gives_the_efficiencies_that_its_states_have(with_events: bool, tmp_path: Path) -> None:
    source = tmp_path / "app.prv"
    source.write_text(of_extrae(with_events))
    source.with_suffix(".pcf").write_text(PCF)
    (app,) = imported(source, tmp_path).applications
    assert [r.rank.name for r in app.ranks] == ["rank-0", "rank-1"]
    assert (app.level, app.has_iterations, app.whole_ns) == ("H1", True, 400 * MS)
    assert [int(r.parts[PLACE["compute"]]) for r in app.ranks] == [100_010_000, 400 * MS]
    assert [int(r.parts[PLACE["spin"]]) for r in app.ranks] == [299_990_000, 0]
    assert app.efficiency.load_balance == pytest.approx((100.01 + 400) / 2 / 400, abs=1e-9)
    name = "MPI_Barrier" if with_events else "Group Communication"
    assert app.calls is not None and [(c.name, c.calls) for c in app.calls.counts] == [(name, 20)]


BAD = {
    "an empty header": ("#Paraver (", "line 1"),
    "no tasks": ("#Paraver (1):1000:1(1):1:\n", "line 1"),
    "too many threads": (f"#Paraver (1):1000:1(1):1:1({10**6}:1)\n", "more than 8192 threads"),
    "a thread that is not there": (HEADER + "1:1:1:3:1:0:5:1\n", "line 3: thread 1.3.1 is not one of those"),
    "a state that ends before it starts": (HEADER + "1:1:1:1:1:9:5:1\n", "line 3: a state from 9 to 5"),
    "times out of order": (HEADER + "1:1:1:1:1:9:12:1\n1:2:1:2:1:5:12:1\n", "line 4: it lies before the line above"),
    "states that overlap": (HEADER + "1:1:1:1:1:0:12:1\n1:1:1:1:1:5:12:1\n", "line 4: its thread is still in"),
    "a line of words": (HEADER + "hello\n", "line 3: it is not a record"),
    "a number that is none": (HEADER + "1:1:1:1:1:0:abc:1\n", "line 3: field 7 of a state is not a number"),
    "too few fields": (HEADER + "1:1:1\n", "line 3: a state with 3 fields"),
    "an odd event": (HEADER + "2:1:1:1:1:5:50000002\n", "line 3: an event with"),
    "a time beyond all": (HEADER + f"1:1:1:1:1:0:{2**62}:1\n", "line 3: time"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_not_a_trace_of_paraver_ends_in_one_line(what: str, tmp_path: Path) -> None:
    text, why = BAD[what]
    (tmp_path / "bad.prv").write_text(text)
    with pytest.raises(WastenotError) as error:
        imported(tmp_path / "bad.prv", tmp_path)
    message = str(error.value)
    assert why in message and "bad.prv" in message and "\n" not in message
    assert not (tmp_path / "imported.duckdb").exists()


def test_a_trace_that_is_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    source = tmp_path / "app.prv"
    source.write_text(of_extrae()[:-9])
    (app,) = imported(source, tmp_path).applications
    assert app.has_iterations
    with open_trace(tmp_path / "imported.duckdb") as trace:
        notes = [row["note"] for row in trace.sql("SELECT unnest(notes) AS note FROM trace")]
    assert any("its last line has no end" in note for note in notes)
    assert any("app.pcf is not beside the trace" in note for note in notes)


# ---- OTF2

WRITER = """
import sys
import otf2
from otf2.enums import Paradigm, RegionRole
with otf2.writer.open(sys.argv[1], timer_resolution=1_000_000) as trace:
    root = trace.definitions.system_tree_node("node")
    compute = trace.definitions.region("compute", region_role=RegionRole.FUNCTION, paradigm=Paradigm.USER)
    barrier = trace.definitions.region("MPI_Barrier", region_role=RegionRole.BARRIER, paradigm=Paradigm.MPI)
    size = trace.definitions.region("MPI_Comm_size", region_role=RegionRole.FUNCTION, paradigm=Paradigm.MPI)
    for rank, load in enumerate((10_000, 39_999)):
        group = trace.definitions.location_group(f"MPI Rank {rank}", system_tree_parent=root)
        writer = trace.event_writer("Master thread", group=group)
        for number in range(10):
            at = 5_000_000 + 40_000 * number
            writer.enter(at, compute)
            writer.enter(at + 1, size)
            writer.leave(at + 2, size)
            writer.leave(at + load, compute)
            writer.enter(at + load, barrier)
            writer.leave(at + 40_000, barrier)
"""


def written_by_otf2(folder: Path) -> Path:
    """An archive that OTF2's own library wrote: the program of `of_extrae`."""
    has_bindings = (
        DEBIAN_PYTHON.exists()
        and not subprocess.run([DEBIAN_PYTHON, "-c", "import otf2"], capture_output=True, check=False).returncode
    )
    if not has_bindings:
        pytest.skip("no bindings of OTF2 (Debian: apt-get install python3-otf2)")
    archive = folder / "archive"
    subprocess.run([DEBIAN_PYTHON, "-c", WRITER, str(archive)], check=True)
    return archive


@pytest.mark.parametrize("name", ["", "traces.otf2"], ids=["folder", "anchor"])
def test_an_archive_of_otf2_gives_the_efficiencies_that_its_regions_have(name: str, tmp_path: Path) -> None:
    archive = written_by_otf2(tmp_path)
    (app,) = imported(archive / name if name else archive, tmp_path).applications
    assert [r.rank.name for r in app.ranks] == ["MPI Rank 0", "MPI Rank 1"]
    assert (app.level, app.has_iterations, app.whole_ns) == ("H1", True, 400 * MS)
    assert [int(r.parts[PLACE["compute"]]) for r in app.ranks] == [100_010_000, 400 * MS]
    assert app.calls is not None and [(c.name, c.kind, c.calls) for c in app.calls.counts] == [
        ("MPI_Barrier", "collective", 20)
    ]


def test_otf2_s_own_reader_sees_what_the_import_sees(tmp_path: Path) -> None:
    archive = written_by_otf2(tmp_path)
    printer = shutil.which("otf2-print")
    if printer is None:
        pytest.skip("no otf2-print (Debian: apt-get install otf2-tools)")
    printed = subprocess.run([printer, str(archive / "traces.otf2")], capture_output=True, text=True, check=True).stdout
    lines = [line.split() for line in printed.splitlines() if "MPI_Barrier" in line]
    imported(archive, tmp_path)
    with open_trace(tmp_path / "imported.duckdb") as trace:
        rows = trace.sql("SELECT enter, tid, ts_ns FROM region_event ORDER BY id").rows()
    seen = [(row["enter"], row["tid"] - 1, row["ts_ns"] // 1000 + 5_000_000) for row in rows]
    assert sorted(seen) == sorted((words[0] == "ENTER", int(words[1]), int(words[2])) for words in lines)


def test_of_an_archive_that_is_cut_nothing_is_read_that_was_read_before(tmp_path: Path) -> None:
    """libotf2 reads beyond the end of a file what memory had before: of the whole archive, written by this process."""
    for number in range(8):
        folder = tmp_path / str(number)
        folder.mkdir()
        archive = written_by_otf2(folder)
        events = archive / "traces/1.evt"
        events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])
        imported(archive / "traces.otf2", folder)
        with open_trace(folder / "imported.duckdb") as trace:
            notes = [row["note"] for row in trace.sql("SELECT unnest(notes) AS note FROM trace")]
        assert any("the trace ends early" in note for note in notes)


@pytest.mark.parametrize("damage", ["no events", "no definitions", "cut events", "cut definitions", "cut anchor"])
def test_a_damaged_archive_ends_in_one_line_or_says_where_it_ends(damage: str, tmp_path: Path) -> None:
    archive = written_by_otf2(tmp_path)
    events, definitions = archive / "traces/1.evt", archive / "traces.def"
    match damage:
        case "no events":
            events.unlink()
        case "no definitions":
            definitions.unlink()
        case "cut events":
            events.write_bytes(events.read_bytes()[: events.stat().st_size // 2])
        case "cut definitions":
            definitions.write_bytes(definitions.read_bytes()[: definitions.stat().st_size // 2])
        case _:
            anchor = archive / "traces.otf2"
            anchor.write_bytes(anchor.read_bytes()[:40])
    try:
        imported(archive / "traces.otf2", tmp_path)
    except WastenotError as error:
        assert "\n" not in str(error) and "traces.otf2" in str(error)
        return
    with open_trace(tmp_path / "imported.duckdb") as trace:
        notes = [row["note"] for row in trace.sql("SELECT unnest(notes) AS note FROM trace")]
    assert any("the trace ends early" in note for note in notes)
