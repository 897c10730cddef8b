"""What a killed run left behind is removed by the next one, and nothing that another run is writing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.analyzer.store import temporary_files as atomic

RECORDED = Path(__file__).resolve().parents[2] / "fixtures/traces/two-cpus.part"

Run = Callable[..., subprocess.CompletedProcess[str]]

HOLD = """
import sys, time
from pathlib import Path
from wastenot.analyzer.store.temporary_files import temporary_beside
with temporary_beside(Path(sys.argv[1])) as temporary:
    for name in ("", ".wal"):
        temporary.with_name(temporary.name + name).write_bytes(b"x" * 1000)
    print("held", flush=True)
    time.sleep(600)
"""


def holding(target: Path) -> subprocess.Popen[bytes]:
    """A process in the middle of writing `target`."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(target)], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"held\n"
    return process


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    process = holding(tmp_path / "T.duckdb")
    assert len(list(tmp_path.iterdir())) == 1
    with atomic.temporary_beside(tmp_path / "other.duckdb"):
        assert len(list(tmp_path.iterdir())) == 2, "it still runs, and so its files stay"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with atomic.temporary_beside(tmp_path / "T.duckdb"):
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_an_import_that_is_killed_leaves_nothing_after_the_next(tmp_path: Path, drawn: Path) -> None:
    command = [sys.executable, "-m", "wastenot.cli", "import", "-", "-o", "T.duckdb"]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < until:
        time.sleep(0.02)
    assert list(tmp_path.iterdir()), "it unpacks standard input beside the target"
    process.kill()
    process.communicate()
    assert list(tmp_path.iterdir())
    again = subprocess.run(command, cwd=tmp_path, input=b"no trace", capture_output=True, check=False)
    assert again.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [".T.duckdb.{pid}.tmp", ".T.duckdb.{pid}.tmp.wal", ".T.duckdb.{pid}.probe"])
def test_so_do_the_files_of_the_first_edition(tmp_path: Path, name: str) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    (tmp_path / name.format(pid=ended.pid)).write_bytes(b"x")
    running = tmp_path / name.format(pid=os.getpid())
    running.write_bytes(b"x")
    (tmp_path / ".T.duckdb.swp").write_bytes(b"of an editor")
    with atomic.temporary_beside(tmp_path / "T.duckdb"):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([running.name, ".T.duckdb.swp"])


def test_a_link_in_place_of_a_leftover_is_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / f".T.duckdb.x{atomic.SUFFIX}").symlink_to(kept)
    with atomic.temporary_beside(folder / "T.duckdb"):
        pass
    assert (kept / "file").exists()


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_an_import_leaves_its_source(run: Run, tmp_path: Path) -> None:
    part = shutil.copytree(RECORDED, tmp_path / "src.part")
    (part / "docs").mkdir()
    (part / "docs/thesis.txt").write_text("mine")
    before = files(part)
    done = run("import", "src.part", "-o", "elsewhere.duckdb", "-q")
    assert (done.returncode, files(part)) == (0, before), done


def test_files_of_others_in_a_part_folder_stay(run: Run, tmp_path: Path) -> None:
    part = shutil.copytree(RECORDED, tmp_path / "T.duckdb.part")
    (part / "docs").mkdir()
    (part / "docs/thesis.txt").write_text("mine")
    (part / "segments/notes.txt").write_text("mine")
    done = run("check", "T.duckdb")
    assert done.returncode == 0 and done.stderr == (
        "T.duckdb.part: not removed, it has files that no recorder wrote\n"
    ), done
    assert files(part) == ["docs", "docs/thesis.txt", "segments", "segments/notes.txt"]
    (tmp_path / "T.duckdb").unlink()
    (part / "meta.json").write_text("{}")
    done = run("record", "-o", "T.duckdb", "--for", "100ms", "--force")
    refused = "T.duckdb.part: exists, and it has files that no recorder wrote"
    assert done.returncode == 2 and refused in done.stderr, done
    assert (part / "docs/thesis.txt").exists()


def test_a_link_in_place_of_a_part_folder_is_left(run: Run, tmp_path: Path) -> None:
    elsewhere = shutil.copytree(RECORDED, tmp_path / "elsewhere")
    before = files(elsewhere)
    (tmp_path / "T.duckdb.part").symlink_to("elsewhere")
    done = run("check", "T.duckdb")
    assert (done.returncode, done.stderr) == (0, "T.duckdb.part: not removed, it is a link\n"), done
    assert files(elsewhere) == before and (tmp_path / "T.duckdb.part").is_symlink()
