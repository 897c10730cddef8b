"""Bad input, usage and permission: one clear line on stderr, status 2, never a traceback."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from wastenot.cli import main

Fails = Callable[..., str]
Run = Callable[..., subprocess.CompletedProcess[str]]

ROOT = Path(__file__).parents[2]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.mark.parametrize("verb", ["check", "episodes", "top"])
def test_a_missing_file(fails: Fails, verb: str) -> None:
    assert "none.duckdb: no such file" in fails(verb, "none.duckdb")


@pytest.mark.parametrize("verb", ["check", "episodes", "top"])
def test_a_foreign_file(fails: Fails, tmp_path: Path, verb: str) -> None:
    (tmp_path / "notes.txt").write_text("nothing of yours\n" * 100)
    assert "notes.txt: not a wastenot trace" in fails(verb, "notes.txt")


def test_another_duckdb_file(fails: Fails, tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "other.duckdb")).execute("CREATE TABLE t AS SELECT 1").close()
    assert "without the tables of a trace" in fails("check", "other.duckdb")


@pytest.mark.parametrize("kept", [0.01, 0.5, 0.99])
def test_a_truncated_file(fails: Fails, trace: Path, kept: float) -> None:
    os.truncate(trace, int(trace.stat().st_size * kept))
    assert "T.duckdb: truncated or damaged" in fails("check", "T.duckdb")


def test_a_folder_in_place_of_a_file(fails: Fails) -> None:
    assert "a folder, not a trace file" in fails("check", ".")


def test_a_part_folder_in_place_of_its_trace(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "U.duckdb.part").mkdir()
    said = fails("check", "U.duckdb.part")
    assert "a recording that was not finished" in said and "`wastenot check U.duckdb` makes a trace of it" in said


def test_a_file_that_another_process_writes(fails: Fails, trace: Path) -> None:
    hold = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(trace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        assert f"(PID {holder.pid})" in fails("check", "T.duckdb")
        holder.communicate()


def test_a_trace_that_is_served_can_be_checked_anew_without_being_touched(run: Run, trace: Path) -> None:
    with duckdb.connect(str(trace), read_only=True) as served:
        assert run("check", "T.duckdb", "-q", "--threshold", "in_flight=1us").returncode == 0
        assert served.sql("SELECT options FROM verdict").fetchall() == [('{"strict": false, "thresholds_ns": {}}',)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check", "T.duckdb", "--fail-on", "wasted>lots"), "--fail-on 'wasted>lots': write measure, operator"),
        (("check", "T.duckdb", "--threshold", "awful=3ms"), "write GRADE=DUR"),
        (("check", "T.duckdb", "--threshold", "lasting=3s", "--threshold", "persistent=2s"), "rise"),
        (("check", "T.duckdb", "--threshold", "lasting=3furlongs"), "not a duration"),
        (("check", "T.duckdb", "--nonsense"), "No such option: --nonsense; see `wastenot check --help`"),
        (("check",), "Missing argument"),
        (("frobnicate",), "No such command 'frobnicate'"),
        (("episodes", "T.duckdb", "-n", "0"), "'--limit' / '-n': Input should be greater than or equal to 1"),
        (("sql", "T.duckdb", "SELECT 1", "--seconds", "nan"), "Input should be less than or equal to 1000000;"),
        (("episode", "T.duckdb", "x"), "Invalid value for 'N': Input should be a valid integer"),
        (("episodes", "T.duckdb", "--grade", "awful"), "not a grade"),
        (("episode", "T.duckdb", "99"), "no such episode; this trace has 1 to 1"),
        (("episode", "T.duckdb", "one"), "valid integer"),
        (("top", "T.duckdb", "--by", "nobody"), "this version knows thread, process, cgroup, bubble"),
        (("sql", "T.duckdb", "SELEC 1"), "syntax error"),
        (("sql", "T.duckdb", "DROP TABLE thread"), "not permitted"),
        (("sql", "T.duckdb", "SELECT * FROM read_text('/etc/passwd')"), "disabled by configuration"),
        (("sql", "T.duckdb", "SELECT 1", "--json", "--csv"), "choose one"),
        (("export", "T.duckdb", "--to", "xlsx", "-o", "out"), "one of perfetto, parquet, csv"),
        (("export", "T.duckdb", "--to", "csv", "-o", "no/such/folder"), "no such folder"),
        (("import", "T.duckdb"), "a trace of wastenot already; `wastenot check"),
        (("import", "nothing.part"), "no such file"),
        (("record", "--source", "lttng"), "--source lttng: "),
        (("record", "--source", "magic"), "one of auto"),
        (("record", "--schedstat", "always"), "one of auto, on, off"),
        (("counters", "nothing.data"), "nothing.data"),
        (("record", "--for", "0s"), "must be longer than 0; for example --for 10s"),
        (("record", "--for", "soon"), "not a duration"),
        (("record", "-o", "R.duckdb", "--", "no-such-command"), "no-such-command: no such command"),
        (("record", "-o", "T.duckdb", "--for", "1s"), "T.duckdb: exists already"),
        (("record", "-o", "no/such/R.duckdb", "--for", "1s"), "no such folder"),
    ],
)
def test_wrong_usage(
    trace: Path,
    arguments: tuple[str, ...],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(trace.parent)
    status = main.main(list(arguments))
    printed = capfd.readouterr()
    assert (status, printed.out) == (2, "")
    lines = [line for line in printed.err.splitlines() if not line.startswith("  ")]  # where a query stopped
    assert len(lines) == 1 and "internal" not in printed.err
    assert says in printed.err


def test_an_unfinished_recording_in_the_way(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "R.duckdb.part").mkdir()
    (tmp_path / "R.duckdb.part" / "meta.json").write_text("{}")
    assert "an unfinished recording; `wastenot check R.duckdb`" in fails("record", "-o", "R.duckdb", "--for", "1s")


def test_a_part_folder_that_holds_no_recording(fails: Fails, tmp_path: Path) -> None:
    part = tmp_path / "R.duckdb.part"
    part.mkdir()
    (part / "notes").write_text("of another user")
    assert "without meta.json" in fails("check", "R.duckdb")
    (part / "meta.json").write_text("{ nonsense")
    assert "meta.json" in fails("check", "R.duckdb")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["R.duckdb.part"]


@pytest.mark.parametrize("size", [0, 64])
def test_a_recorder_that_was_killed_before_its_first_event(fails: Fails, tmp_path: Path, size: int) -> None:
    part = tmp_path / "R.duckdb.part"
    shutil.copytree(ROOT / "fixtures/traces/two-cpus.part", part)
    for segment in (part / "segments").iterdir():
        os.truncate(segment, size)
    assert fails("check", "R.duckdb").endswith("before it had written any event; nothing can be made of it\n")
    assert part.is_dir()


@needs_root
def test_no_permission_to_read_or_to_write(tmp_path: Path, trace: Path) -> None:
    trace.chmod(0o600)
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o755)
    shutil.copy(trace, closed / "T.duckdb")
    (closed / "T.duckdb").chmod(0o644)
    own = tmp_path / "own.duckdb"
    shutil.copy(trace, own)

    def as_nobody(verb: str, *arguments: str, file: str) -> str:
        # Python's own library may lie where only root may read it, so root runs the verb first, with a file of its own.
        where = {"check": [str(own)], "record": ["-o", "/proc/R.duckdb"]}[verb]
        drop = (
            "import contextlib, io, os, sys; from wastenot.cli.main import main; "
            "split = sys.argv.index('--'); "
            "quiet = contextlib.ExitStack(); quiet.enter_context(contextlib.redirect_stdout(io.StringIO())); "
            "quiet.enter_context(contextlib.redirect_stderr(io.StringIO())); main(sys.argv[1:split]); quiet.close(); "
            "os.setgroups([]); os.setgid(65534); os.setuid(65534); os.chdir('/'); sys.exit(main(sys.argv[split + 1 :]))"
        )
        command = [verb, *where, *arguments, "--", verb, *where[:-1], file, *arguments]
        result = subprocess.run(
            [sys.executable, "-c", drop, *command],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (result.returncode, result.stdout) == (2, ""), result
        assert result.stderr.count("\n") == 1 and "internal" not in result.stderr, result.stderr
        return result.stderr

    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/") and folder.stat().st_uid == 0 and folder != Path("/tmp"):
            folder.chmod(0o755)
    assert "permission denied" in as_nobody("check", file=str(trace))
    assert "permission denied" in as_nobody("check", "--threshold", "in_flight=1us", file=str(closed / "T.duckdb"))
    assert "permission denied" in as_nobody("record", "--for", "1s", file=str(closed / "R.duckdb"))
    closed.chmod(0o700)
    assert "permission denied" in as_nobody("check", file=str(closed / "T.duckdb"))
    refused = as_nobody("record", "--for", "1s", file="/tmp/wastenot-nobody.duckdb")
    assert "not permitted" in refused and "root" in refused


@needs_root
def test_a_full_disk_and_a_read_only_one(tmp_path: Path, trace: Path, fails: Fails) -> None:
    small = tmp_path / "small"
    small.mkdir()
    size = trace.stat().st_size + 200_000
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(small)], check=True)
    try:
        shutil.copy(trace, small / "T.duckdb")
        with contextlib.suppress(OSError), (small / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(b"\0" * 4096)
        assert "no space left" in fails("check", "small/T.duckdb", "--threshold", "in_flight=1us")
        assert "no space left" in fails("export", "T.duckdb", "--to", "csv", "-o", "small/out")
        assert sorted(p.name for p in small.iterdir()) == ["T.duckdb", "filler"]
        subprocess.run(["mount", "-o", "remount,ro", str(small)], check=True)
        assert "read-only file system" in fails("record", "-o", "small/R.duckdb", "--for", "1s")
        assert "copy the trace" in fails("check", "small/T.duckdb", "--threshold", "in_flight=1us")
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_an_internal_error_is_one_line_and_a_traceback_on_demand(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(main.app, "invoke", broken)
    assert main.main(["check"]) == 2
    text = capfd.readouterr().err
    assert text.count("\n") == 1 and "internal error: RuntimeError: two lines; --debug" in text
    assert main.main(["check", "--debug"]) == 2
    assert "Traceback" in capfd.readouterr().err
