"""Inputs that lack what a verdict needs, or are damaged: refused in one line, or read with what is missing said."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drawing import build_drawn
from releases import schedule
from releases.cells import Cell, cells
from wastenot.analyzer import CheckOptions, ImportOptions, Verdict, import_source, open_trace
from wastenot.analyzer.errors import NoSchedulerEvents
from wastenot.analyzer.text.sentences import data_quality_remarks

HEAD = "# tracer: nop\n#\n"


def switch(us: int, cpu: int | str, prev: int, state: str, following: int) -> str:
    """A line of ftrace; thread 0 is swapper."""
    names = [f"t{tid}" if tid else f"swapper/{cpu}" for tid in (prev, following)]
    return (
        f"  t-{prev}  [{cpu}] d..2.  {us / 1e6:.6f}: sched_switch: prev_comm={names[0]} prev_pid={prev} prev_prio=120 "
        f"prev_state={state} ==> next_comm={names[1]} next_pid={following} next_prio=120\n"
    )


def wakeup(us: int, tid: int, target: int, event: str = "sched_wakeup") -> str:
    return f"  t-1  [0] d..2.  {us / 1e6:.6f}: {event}: comm=t{tid} pid={tid} prio=120 target_cpu={target:03}\n"


def taking_turns(turns: int, state: str = "S", events: tuple[str, ...] = ("sched_wakeup",)) -> list[str]:
    """Threads 1 and 2 run in turns of a millisecond on CPU 0, CPU 1 idles; each wakes the other before it leaves."""
    lines = [switch(1000, 1, 9, "S", 0), switch(1000, 0, 0, "R", 1)]
    for turn in range(2, turns):
        prev, following = (1, 2) if turn % 2 == 0 else (2, 1)
        lines += [wakeup(turn * 1000 - 500, following, 0, event) for event in events]
        lines.append(switch(turn * 1000, 0, prev, state, following))
    return lines


def verdict(folder: Path, lines: list[str], head: str = HEAD) -> Verdict:
    """Of a trace with these lines."""
    (folder / "t.txt").write_text(head + "".join(lines))
    import_source(folder / "t.txt", folder / "T.duckdb", ImportOptions(), CheckOptions())
    with open_trace(folder / "T.duckdb") as trace:
        return trace.verdict()


def suspect(v: Verdict) -> list[str]:
    return [suspicion.check for suspicion in v.suspicions]


def test_without_wakeups_the_figure_is_a_lower_bound(tmp_path: Path) -> None:
    v = verdict(tmp_path, taking_turns(100, events=()))
    assert v.sentence().startswith("No waste seen: ")
    assert v.sentence().endswith(
        "a lower bound: the trace has no sched_wakeup, so woken threads that wait are not seen."
    )
    said = v.to_json()
    assert said["wasted"]["lower_bound"] is True
    assert said["data_quality"]["not_seen"] == ["wakeups"]
    assert any("no wakeups are in the trace" in note for note in said["data_quality"]["notes"])


def test_sched_waking_alone_does_not_show_who_waits(tmp_path: Path) -> None:
    v = verdict(tmp_path, taking_turns(100, events=("sched_waking",)))
    assert "the trace has sched_waking but no sched_wakeup" in v.sentence()
    assert any("sched_waking is in the trace and sched_wakeup is not" in note for note in data_quality_remarks(v))


def test_preempted_threads_are_seen_without_wakeups_and_the_figure_is_at_least_theirs(tmp_path: Path) -> None:
    v = verdict(tmp_path, taking_turns(100, state="R", events=()))
    assert "at least 1.0 of 2 cores wasted" in v.sentence()


def test_with_wakeups_it_is_not_a_lower_bound(tmp_path: Path) -> None:
    v = verdict(tmp_path, taking_turns(100))
    assert "lower bound" not in v.sentence() and v.to_json()["wasted"]["lower_bound"] is False
    assert v.to_json()["data_quality"]["not_seen"] == []


@pytest.mark.parametrize(
    ("state", "events", "expected"),
    [
        ("S", (), ["never_preempted"]),
        ("R", (), []),
        ("S", ("sched_wakeup",), []),
        ("S", ("sched_waking",), ["never_preempted"]),
    ],
)
def test_threads_that_are_never_preempted_are_suspect_where_no_wakeup_speaks_for_it(
    tmp_path: Path, state: str, events: tuple[str, ...], expected: list[str]
) -> None:
    assert suspect(verdict(tmp_path, taking_turns(2100, state, events))) == expected


def test_what_cannot_be_read_is_counted_and_above_one_percent_suspect(tmp_path: Path) -> None:
    lines = taking_turns(1000)
    v = verdict(tmp_path, lines + [switch(999_000 + n, 70000, 1, "S", 2) for n in range(4)])
    assert v.by_reason("rejected") == {"garbled": 4} and suspect(v) == []
    assert any("4 events rejected: garbled 4" in note for note in data_quality_remarks(v))
    other = tmp_path / "other"
    other.mkdir()
    v = verdict(other, lines + [switch(999_000 + n, 70000, 1, "S", 2) for n in range(50)])
    assert v.to_json()["data_quality"]["rejected"] == {"garbled": 50}
    assert suspect(v) == ["left_out"]
    assert v.sentence().startswith("suspect: 50 events of the input could not be used (2.44 % of all).")


def test_strays_are_named_beside_what_was_rejected(tmp_path: Path) -> None:
    v = verdict(tmp_path, [*taking_turns(1000), switch(9_000_000_000, 0, 1, "S", 2)])
    assert v.to_json()["data_quality"]["rejected"] == {"strays": 1}


def test_cpus_of_which_nothing_is_seen_are_named(tmp_path: Path) -> None:
    v = verdict(tmp_path, taking_turns(100), HEAD + "# entries-in-buffer/entries-written: 9/9   #P:4\n#\n")
    assert "no switch of CPU 2-3 is in the trace: whether it ran or idled is not known" in data_quality_remarks(v)
    assert v.to_json()["data_quality"]["silent_cpus"] == [2, 3]
    assert " of the CPU time was not observed." in v.sentence()


def test_states_that_no_kernel_prints_are_unknown_and_counted(tmp_path: Path) -> None:
    lines = taking_turns(100)
    lines[-1] = lines[-1].replace("prev_state=S", "prev_state=X+")
    lines[-3] = lines[-3].replace("prev_state=S", "prev_state=R|X")
    v = verdict(tmp_path, lines)
    assert "2 switches have a prev_state that no kernel writes" in v.trace["notes"]
    assert suspect(v) == ["unknown_state"]


def test_one_damaged_cpu_number_does_not_make_a_machine_of_thousands(tmp_path: Path) -> None:
    lines = taking_turns(1000)
    lines[501] = lines[501].replace("[0]", "[8191]")
    v = verdict(tmp_path, lines)
    assert v.trace["cpus"] == 2
    assert v.by_reason("rejected") == {"cpu_not_in_machine": 1}
    assert "CPU 8191: taken for damage: far above all others and named by one event" in v.trace["notes"]


def first_of_each_format() -> list[Cell]:
    found: dict[str, Cell] = {}
    for cell in cells():
        found.setdefault(cell.format, cell)
    return list(found.values())


@pytest.mark.parametrize("cell", first_of_each_format(), ids=lambda cell: cell.format)
def test_a_trace_without_scheduler_events_is_refused_in_every_format(tmp_path: Path, cell: Cell) -> None:
    source, target = tmp_path / "source", tmp_path / "out" / "T.duckdb"
    target.parent.mkdir()
    made = schedule.make(1)
    wakeups = [event for event in made.events if event.kind == "wakeup"]
    cell.write(source, replace(made, events=wakeups[:1] if cell.format in ("CTF", "perf.data") else []))
    if cell.format == "text":
        source.write_text(HEAD)
    with pytest.raises(Exception, match=r"no scheduler events in .*; record .*sched_switch") as error:
        import_source(source, target, ImportOptions(), CheckOptions())
    assert "\n" not in str(error.value) and str(source) in str(error.value)
    assert list(target.parent.iterdir()) == []


def test_a_trace_of_other_events_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoSchedulerEvents, match="it has sched_wakeup 1; record sched_switch"):
        verdict(tmp_path, [wakeup(1000, 1, 0)])


def test_an_export_without_scheduler_events_is_refused(tmp_path: Path) -> None:
    build_drawn("cpus 0-1\nwindow 0us 10ms\n", tmp_path / "empty.duckdb")
    done = wastenot("export", str(tmp_path / "empty.duckdb"), "--to", "parquet", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    done = wastenot("import", str(tmp_path / "out"), "-o", str(tmp_path / "T.duckdb"))
    assert done.returncode == 2 and done.stderr.startswith("wastenot: no scheduler events in "), done.stderr
    assert done.stderr.count("\n") == 1 and not list(tmp_path.glob("T.duckdb*"))


def wastenot(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wastenot.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_json_of_the_command_has_it_all(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(HEAD + "".join(taking_turns(100, events=())))
    done = wastenot("import", str(tmp_path / "t.txt"), "-o", str(tmp_path / "T.duckdb"), "--json")
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["wasted"]["lower_bound"] and said["data_quality"]["not_seen"] == ["wakeups"]
    assert {"notes", "silent_cpus"} <= said["data_quality"].keys()


def later(line: str, us: int) -> str:
    """The line, stamped so much later."""
    before, stamp, rest = re.split(r"([0-9]+\.[0-9]{6})(?=: )", line, maxsplit=1)
    return f"{before}{float(stamp) + us / 1e6:.6f}{rest}"


def queued_beside(turns: int) -> list[str]:
    """Threads 1 and 2 preempt each other on CPU 0 beside the idle CPU 1."""
    return taking_turns(turns, state="R", events=())


@pytest.mark.parametrize(("pause_s", "expected"), [(2.9, []), (4, ["silence"]), (300, ["silence"])])
def test_time_in_which_nothing_was_recorded_is_suspect(tmp_path: Path, pause_s: float, expected: list[str]) -> None:
    lines = queued_beside(1000)
    v = verdict(tmp_path, lines[:500] + [later(line, int(pause_s * 1e6)) for line in lines[500:]])
    assert [check for check in suspect(v) if check != "ran_on"] == expected


def test_a_thread_that_runs_on_beside_queued_ones_is_suspect_unless_it_is_of_a_real_time_class(tmp_path: Path) -> None:
    lines = queued_beside(1000)
    paused = lines[:500] + [later(line, 8_000_000) for line in lines[500:]]
    alive = [wakeup(at * 100_000, 50 + at % 2, 1) for at in range(5, 80)]  # CPU 1 goes on reporting
    merged = sorted(paused + alive, key=lambda line: float(re.search(r"([0-9]+\.[0-9]{6}): ", line)[1]))  # type: ignore[index]
    assert "ran_on" in suspect(verdict(tmp_path, merged))
    other = tmp_path / "other"
    other.mkdir()
    real_time = [line.replace("prev_prio=120", "prev_prio=49") for line in merged]
    assert "ran_on" not in suspect(verdict(other, real_time))


def test_stamps_that_go_back_are_counted_and_suspect(tmp_path: Path) -> None:
    lines = taking_turns(1000)
    lines[900] = later(lines[900], 30_000_000)  # all after it come too late
    v = verdict(tmp_path, lines)
    assert "out_of_order" in suspect(v)
    assert v.sentence().startswith("suspect: ")


def test_wakeups_that_begin_late_leave_a_lower_bound(tmp_path: Path) -> None:
    lines = taking_turns(1000)
    kept = [line for at, line in enumerate(lines) if at > 1500 or "sched_wakeup" not in line]
    v = verdict(tmp_path, kept)
    assert v.to_json()["wasted"]["lower_bound"] is True
    assert "This is a lower bound: the trace has no sched_wakeup in its first 750 ms" in v.sentence()


def test_lines_that_cannot_be_read_before_the_first_event_are_counted(tmp_path: Path) -> None:
    lines = taking_turns(1000)
    v = verdict(tmp_path, [line.replace("[0]", "0") for line in lines[:900]] + lines[900:])
    assert v.by_reason("rejected")["garbled"] > 800
    assert "left_out" in suspect(v)
