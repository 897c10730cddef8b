"""`wastenot import`, as a user calls it: exports read back, archives, pipes, declarations, and what is not a trace."""

from __future__ import annotations

import gzip
import json
import lzma
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.analyzer.importing.recordings import recordings

Run = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).parents[2]

SWITCHES = """\
# tracer: nop
#
# entries-in-buffer/entries-written: 6/6   #P:2
#
           <...>-1     [000] d..2.     1.000000: sched_wakeup: comm=burn pid=100 prio=120 target_cpu=000
          <idle>-0     [000] d..2.     1.000100: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=burn next_pid=100 next_prio=120
          <idle>-0     [001] d..2.     1.000200: sched_switch: prev_comm=init prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
            burn-100   [000] d..2.     1.000300: sched_wakeup: comm=burn pid=101 prio=120 target_cpu=000
            burn-100   [000] d..2.     1.100300: sched_switch: prev_comm=burn prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=burn next_pid=101 next_prio=120
            burn-101   [000] d..2.     1.200000: sched_switch: prev_comm=burn prev_pid=101 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
"""  # noqa: E501
"""Thread 101 waits on CPU 0 for 100 ms beside the idle CPU 1."""


def figures(run: Run, trace: str) -> dict[str, object]:
    found = json.loads(run("check", trace, "--json").stdout)
    return {k: found[k] for k in ("wasted", "episodes", "worst", "data_quality")}


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_an_export_makes_the_same_trace_again(run: Run, trace: Path, kind: str) -> None:
    assert run("export", "T.duckdb", "--to", kind, "-o", "out").returncode == 0
    result = run("import", "out", "-o", "again.duckdb")
    assert result.returncode == 0, result.stderr
    assert figures(run, "again.duckdb") == figures(run, "T.duckdb")
    dump = "SELECT * FROM thread_snapshot ORDER BY id"
    assert run("sql", "again.duckdb", dump, "--json").stdout == run("sql", "T.duckdb", dump, "--json").stdout


def test_an_export_of_which_something_is_missing_is_refused(run: Run, trace: Path, fails: Callable[..., str]) -> None:
    run("export", "T.duckdb", "--to", "parquet", "-o", "out")
    out = trace.with_name("out")
    whole = trace.with_name("whole")
    shutil.copytree(out, whole)
    switches = out / "events" / "sched_switch" / "00000.parquet"
    switches.write_bytes(switches.read_bytes()[:-30])
    assert "truncated or damaged" in fails("import", "out", "-o", "x.duckdb")
    switches.unlink()
    assert "truncated or damaged" in fails("import", "out", "-o", "x.duckdb")
    for change, reported in (
        ({"schema_version": 99}, "upgrade wastenot"),
        ({"schema_version": 0}, "schema version 0, needed is"),
        ({"files": {"../x.parquet": {"table": "sched_switch", "rows": 1}}}, "a file outside"),
        ({"files": {"tables/mask.parquet": {"table": "mask", "rows": 77}}}, "rows where the manifest says 77"),
    ):
        manifest = json.loads((whole / "manifest.json").read_text())
        (whole / "manifest.json").write_text(json.dumps({**manifest, **change}))
        assert reported in fails("import", "whole", "-o", "x.duckdb")
        (whole / "manifest.json").write_text(json.dumps(manifest))
    assert "do not apply" in fails("import", "whole", "-o", "x.duckdb", "--affinity", "*=0")
    assert not list(trace.parent.glob("*x.duckdb*")) and not list(trace.parent.glob(".*"))


def test_a_text_from_a_file_an_archive_or_a_pipe_is_one_trace(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(SWITCHES)
    raw = SWITCHES.encode()
    (tmp_path / "a.gz").write_bytes(gzip.compress(raw))
    (tmp_path / "b.xz").write_bytes(lzma.compress(raw))
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as z:
        z.writestr("deep/er/trace", SWITCHES)
        z.writestr("deep/er/readme", "no trace")
    with tarfile.open(tmp_path / "d.tar.gz", "w:gz") as t:
        t.add(tmp_path / "t.txt", "x/t.txt")
    expected = None
    for source in ("t.txt", "a.gz", "b.xz", "c.zip", "d.tar.gz"):
        result = run("import", source, "-o", f"{source}.duckdb", "--json")
        assert result.returncode == 0, (source, result.stderr)
        found = json.loads(result.stdout)
        assert found["trace"]["source"] == "ftrace" and found["wasted"]["core_s"] == pytest.approx(0.1)
        assert found["wasted"]["certain_core_s"] == 0
        expected = expected or found
        assert found == expected
    command = [sys.executable, "-m", "wastenot.cli", "import", "-", "-o", "pipe.duckdb", "--json"]
    piped = subprocess.run(command, cwd=tmp_path, input=raw, capture_output=True, timeout=120, check=True)
    assert json.loads(piped.stdout) == expected
    assert not list(tmp_path.glob(".*")), "nothing unpacked is left"


def test_declared_masks_and_machine_make_the_verdict_certain(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(SWITCHES)
    result = run("import", "t.txt", "--json", "--affinity", "*=0-1")
    assert json.loads(result.stdout)["wasted"]["certain_core_s"] == pytest.approx(0.1)
    assert (tmp_path / "t.duckdb").exists(), "named after the source"
    result = run("import", "t.txt", "-o", "p.duckdb", "--json", "--affinity", "*=0-1", "--affinity", "bu?n=0")
    found = json.loads(result.stdout)["wasted"]
    assert (found["core_s"], found["idle_while_waiting_core_s"]) == (0, pytest.approx(0.1))
    assert found["excused_core_s"]["affinity"] == pytest.approx(0.1)
    machine = run("sql", "t.duckdb", "SELECT snapshot FROM machine", "--json").stdout
    (tmp_path / "m.json").write_text(json.loads(machine)[0]["snapshot"])
    assert run("import", "t.txt", "-o", "m.duckdb", "--machine", "m.json").returncode == 0
    machines = Path(__file__).parents[2] / "fixtures" / "machines"
    xml = next(iter(sorted(machines.rglob("*.xml"))))
    assert run("import", "t.txt", "-o", "l.duckdb", "--topology", str(xml)).returncode == 0


@pytest.mark.parametrize(
    ("name", "content", "reported"),
    [
        ("empty", b"", "an empty file"),
        ("noise", bytes(range(256)) * 40, "not a trace of a known format"),
        ("prose.txt", b"It was a dark and stormy night.\n" * 50, "not a trace of a known format"),
        ("cut.gz", gzip.compress(SWITCHES.encode())[:-20], "a damaged or truncated archive"),
        ("bad.zip", b"PK\x03\x04 nothing", "a damaged or truncated archive"),
        ("empty.gz", gzip.compress(b"", mtime=0), "an empty file"),
    ],
)
def test_other_files_are_refused_in_one_line(
    fails: Callable[..., str], tmp_path: Path, name: str, content: bytes, reported: str
) -> None:
    (tmp_path / name).write_bytes(content)
    line = fails("import", name, "-o", "x.duckdb")
    assert reported in line and name in line and ".tmp" not in line
    assert sorted(p.name for p in tmp_path.iterdir()) == [name]


def test_usage_errors(fails: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(SWITCHES)
    (tmp_path / "folder").mkdir()
    (tmp_path / "m.json").write_text("{}")
    for arguments, reported in (
        (("missing",), "no such file"),
        (("folder",), "a folder without a trace in it"),
        (("t.txt", "t.txt", "-o", "x.duckdb"), "names one trace"),
        (("-",), "-o is required"),
        (("t.txt", "--affinity", "hog"), "NAME=CPULIST expected"),
        (("t.txt", "--affinity", "hog=4-1"), "no list of CPUs"),
        (("t.txt", "--machine", "m.json"), "format"),
        (("t.txt", "--machine", "none.json"), "no such file"),
        (("t.txt", "--machine", "m.json", "--topology", "m.json"), "give one of them"),
        (("t.txt", "--topology", "t.txt"), ""),
    ):
        assert reported in fails("import", *arguments)
    assert not list(tmp_path.glob("*.duckdb*"))
    two = [tmp_path / "a", tmp_path / "b"]
    for path in two:
        path.write_text(SWITCHES)
    shutil.move(two[0], tmp_path / "folder" / "a")
    shutil.move(two[1], tmp_path / "folder" / "b")
    assert "a folder with 2 recordings in it (a, b); name one of them" in fails("import", "folder", "-o", "x.duckdb")


def test_an_interrupted_import_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wastenot.cli", "import", "-", "-o", "x.duckdb"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as running:  # type: ignore[call-overload]
        assert running.stdin is not None
        running.stdin.write(SWITCHES.encode())
        running.stdin.flush()
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob(".x.duckdb.*")):  # it writes down what comes in
            assert time.monotonic() < deadline and running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (2, b"", b"wastenot: interrupted\n")
    assert not list(tmp_path.iterdir())


def test_progress_is_shown_on_a_terminal_only(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(SWITCHES)
    command = f"{sys.executable} -m wastenot.cli import t.txt"
    shown = subprocess.run(
        ["script", "-qec", command, "/dev/null"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert "reading" in shown.stdout or "checking" in shown.stdout
    assert "reading  [" not in run("import", "t.txt", "--force").stderr


def test_strict_refuses_the_first_contradiction(fails: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(SWITCHES.replace("prev_comm=burn prev_pid=101", "prev_comm=other prev_pid=7"))
    line = fails("import", "t.txt", "--strict")
    assert "prev_not_current" in line and "cpu 0" in line
    assert not list(tmp_path.glob("*.duckdb*"))


def switches(cpu: int, stamps: list[str]) -> list[str]:
    """Lines in which CPU `cpu` turns to a thread and back to swapper, turn by turn."""
    thread = 100 + cpu
    turns = (("<idle>-0", "swapper", 0, "burn", thread), (f"burn-{thread}", "burn", thread, "swapper", 0))
    return [
        f"{who:>16} [{cpu:03}] d..2. {stamp}: sched_switch: prev_comm={prev} prev_pid={prev_tid} prev_prio=120 "
        f"prev_state={'S' if prev_tid else 'R'} ==> next_comm={next} next_pid={next_tid} next_prio=120"
        for stamp, (who, prev, prev_tid, next, next_tid) in zip(stamps, turns * len(stamps), strict=False)
    ]


def test_a_gap_of_a_million_seconds_takes_no_more_rows_than_events_do(run: Run, tmp_path: Path) -> None:
    lines = [*switches(0, ["1.000000", "1.000200"]), *switches(1, ["1.000300", "1.000400", "1000001.000000"])]
    (tmp_path / "t.txt").write_text("# tracer: nop\n#\n" + "\n".join(lines) + "\n")
    result = run("import", "t.txt", "-o", "t.duckdb")
    assert result.returncode == 0, result.stderr
    rows = "SELECT (SELECT count(*) FROM tile_run) + (SELECT count(*) FROM tile_load) AS rows"
    assert json.loads(run("sql", "t.duckdb", rows, "--json").stdout)[0]["rows"] < 1000
    assert (tmp_path / "t.duckdb").stat().st_size < 4_000_000


def test_few_events_far_from_the_rest_are_set_aside_unless_they_are_to_be_kept(run: Run, tmp_path: Path) -> None:
    rest = [f"703772.{n:06}" for n in range(1000, 601_000, 1000)]
    lines = [*switches(0, ["12.000100", "12.000200"]), *switches(1, rest)]
    (tmp_path / "t.txt").write_text("# tracer: nop\n#\n" + "\n".join(lines) + "\n")
    result = run("import", "t.txt", "-o", "t.duckdb")
    assert result.returncode == 0, result.stderr
    reported = "set aside: 2 events are stamped 12.000100000 to 12.000200000 s, 703760 s before all others"
    assert reported in " ".join(result.stdout.split()) and "2 far away in time, set aside" in result.stderr
    facts = "SELECT (end_ns - start_ns) / 1e9 AS s, (SELECT count(*) FROM sched_switch) AS switches FROM trace"
    assert json.loads(run("sql", "t.duckdb", facts, "--json").stdout) == [{"s": pytest.approx(0.599), "switches": 600}]
    assert run("import", "t.txt", "-o", "k.duckdb", "--keep-strays").returncode == 0
    kept = json.loads(run("sql", "k.duckdb", facts, "--json").stdout)[0]
    assert kept["switches"] == 602 and kept["s"] > 703_760


def test_an_impossible_span_is_refused_in_one_line_and_nothing_is_left(
    fails: Callable[..., str], tmp_path: Path
) -> None:
    lines = [*switches(0, ["1.000000", "1.000200"]), *switches(1, ["1.000300", "1.000400", "9000000000.000000"])]
    (tmp_path / "t.txt").write_text("# tracer: nop\n#\n" + "\n".join(lines) + "\n")
    line = fails("import", "t.txt", "-o", "t.duckdb")
    assert "t.txt: impossible span" in line and "9000000000.000000000 s" in line and "2 CPUs" in line
    assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]


LTTNG = Path(__file__).parents[2] / "fixtures" / "traces" / "guest-6.1"


def test_a_folder_with_several_recordings_is_not_made_into_one_trace(
    run: Run, fails: Callable[..., str], tmp_path: Path
) -> None:
    lab = tmp_path / "lab"
    for name in ("pinned", "wasted"):
        shutil.copytree(LTTNG / name, lab / name)
    (lab / "t.txt").write_text(SWITCHES)
    line = fails("import", "lab", "-o", "x.duckdb")
    assert "3 recordings in it (pinned, t.txt, wasted); name one of them, or make a trace of each" in line
    assert "names one trace, but there are 3" in fails("import", "lab", "--each", "-o", "x.duckdb")
    assert run("import", "lab", "--each", "-q").returncode == 0
    assert sorted(p.name for p in tmp_path.glob("*.duckdb")) == ["pinned.duckdb", "t.duckdb", "wasted.duckdb"]
    shutil.make_archive(str(tmp_path / "lab"), "zip", lab)
    assert "an archive with 3 recordings in it" in fails("import", "lab.zip", "-o", "x.duckdb")


def test_the_folders_of_one_session_of_lttng_are_one_recording(tmp_path: Path) -> None:
    def metadata(folder: str) -> None:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "metadata").write_text("/* CTF 1.8 */")

    for folder in ("s/kernel", "s/ust/uid/1000/64-bit", "s/ust/uid/0/64-bit", "s/ust/pid/app-12-20260101-000000"):
        metadata(folder)
    assert recordings(tmp_path / "s") == [tmp_path / "s"]
    assert recordings(tmp_path / "s" / "ust") == [tmp_path / "s" / "ust"]
    for chunk in ("20260101T000000-1", "20260101T000100-2"):
        metadata(f"r/archives/{chunk}/kernel")
    assert recordings(tmp_path / "r") == [tmp_path / "r"], "a session that was rotated"
    assert recordings(tmp_path) == [tmp_path / "r", tmp_path / "s"]
    metadata("plain-a")
    assert len(recordings(tmp_path)) == 3


@pytest.mark.parametrize(
    ("declared", "reported"),
    [
        ("brun*=0-1", "no thread of that name in this trace (like it: burn)"),
        ("zebra=0", "no thread of that name in this trace ("),
        ("burn*=0-99", "no CPU 2-99 in this trace, which has 0-1"),
        ("burn*=0-3:1/2", "no CPU 2 in this trace"),
    ],
)
def test_a_declared_mask_that_fits_nothing_is_refused(
    fails: Callable[..., str], tmp_path: Path, declared: str, reported: str
) -> None:
    (tmp_path / "t.txt").write_text(SWITCHES)
    assert reported in fails("import", "t.txt", "--affinity", declared)
    assert not list(tmp_path.glob("*.duckdb*"))


def test_a_part_folder_becomes_a_trace_beside_it(run: Run, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "fixtures/traces/two-cpus.part", tmp_path / "two-cpus.part")
    assert "wrote two-cpus.duckdb" in run("import", "two-cpus.part").stderr
    assert run("check", "two-cpus.duckdb").returncode == 0 and (tmp_path / "two-cpus.part").is_dir()
