"""The recorder in bad company, a few seconds of `python -m tests.attack.storms`; and how the command starts."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wastenot._native import collector
from wastenot.analyzer.errors import PartFolderInUse
from wastenot.analyzer.store.temporary_files import claimed_part, discard
from wastenot.cli.commands.record import prepare_part
from wastenot.cli.errors import CommandError

Fails = Callable[..., str]

SOURCE = json.loads(collector.doctor())["source"]
HOLD = """
import sys, time
from pathlib import Path
from wastenot.analyzer.store.temporary_files import claimed_part
with claimed_part(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""
STARTING = """
import errno, os, signal, sys, time

class Hindering:
    def find_spec(self, name, path=None, target=None):
        if name == "wastenot.cli.main":
            {}

sys.meta_path.insert(0, Hindering())
from wastenot.cli.starting import run
run()
"""


@pytest.mark.skipif(SOURCE != "ebpf", reason="`wastenot doctor`: BPF programs cannot be loaded here")
def test_a_storm_leaves_nothing() -> None:
    command = [sys.executable, "-m", "tests.attack.storms", "--only", "kill", "--moments", "1", "--length", "200ms"]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0 and "3 runs, 0 broken" in done.stdout, done.stdout + done.stderr
    assert "0 BPF programs stay" in done.stdout


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that records into R.duckdb.part, as far as others can see."""
    (tmp_path / "R.duckdb.part").mkdir()
    (tmp_path / "R.duckdb.part/meta.json").write_text("{}")
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "R.duckdb.part")], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        yield process
        process.kill()


@pytest.mark.parametrize(
    "arguments",
    [("record", "-o", "R.duckdb", "--force"), ("check", "R.duckdb"), ("import", "R.duckdb.part", "-o", "S.duckdb")],
)
def test_what_another_process_records_is_left_alone(
    fails: Fails, tmp_path: Path, holder: subprocess.Popen[bytes], arguments: tuple[str, ...]
) -> None:
    before = sorted(tmp_path.rglob("*"))
    assert "another process records into it" in fails(*arguments)
    assert sorted(tmp_path.rglob("*")) == before
    holder.kill()
    holder.wait()
    with claimed_part(tmp_path / "R.duckdb.part"), claimed_part(tmp_path / "R.duckdb.part"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["R.duckdb.part"]


def test_a_recording_that_never_started_does_not_block_the_next(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "R.duckdb.part/segments").mkdir(parents=True)
    (tmp_path / "R.duckdb.part/.reserve").write_bytes(bytes(1000))
    assert "killed before it had started; record again" in fails("check", "R.duckdb")
    assert prepare_part(tmp_path / "R.duckdb", force=False) == tmp_path / "R.duckdb.part"
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "R.duckdb.part").mkdir()
    (tmp_path / "R.duckdb.part/mine").touch()
    with pytest.raises(CommandError, match="--force drops it"):
        prepare_part(tmp_path / "R.duckdb", force=False)
    assert (tmp_path / "R.duckdb.part/mine").exists(), "a folder of another user"


def test_a_folder_that_is_removed_is_gone_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.part/segments").mkdir(parents=True)
    discard(tmp_path / "a.part")
    assert list(tmp_path.iterdir()) == []
    with claimed_part(tmp_path / "a.part"):
        assert len(list(tmp_path.iterdir())) == 1


def test_a_claim_of_this_process_holds_against_others(tmp_path: Path) -> None:
    part = tmp_path / "R.duckdb.part"
    with claimed_part(part):
        script = HOLD.replace("time.sleep(600)", "pass")
        other = subprocess.run([sys.executable, "-c", script, str(part)], capture_output=True, text=True, check=False)
        assert PartFolderInUse.__name__ in other.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_locks_nothing_is_claimed_and_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_fd: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refused)
    with claimed_part(tmp_path / "R.duckdb.part"):
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_recording_without_enough_descriptors_is_refused_in_a_line(tmp_path: Path) -> None:
    command = f"ulimit -n 40; exec {sys.executable} -m wastenot.cli record -o R.duckdb --for 100ms"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    assert "may open 40 files and a recording needs 128" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("hindrance", "says"),
    [
        ("os.kill(os.getpid(), signal.SIGINT); time.sleep(60)", "wastenot: interrupted\n"),
        ("raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))", "wastenot: too many open files (this process may "),
        ("raise ImportError('libx.so: Too many open files')", "wastenot: too many open files (this process may open "),
    ],
)
def test_what_hinders_the_start_is_a_line(hindrance: str, says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STARTING.format(hindrance), "--version"], env={**os.environ, "LC_ALL": "C"},
        capture_output=True, text=True, timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and done.stderr.startswith(says) and done.stderr.count("\n") == 1, done
