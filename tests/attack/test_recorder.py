"""What the recorder, which runs as root, must not do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.cli import recording
from wastenot.cli.errors import CommandError
from wastenot.cli.own_folder import require_own_folder

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "collector/ebpf/bpf").glob("*.[ch]"))

READING = {
    "bpf_for_each_map_elem", "bpf_get_attach_cookie", "bpf_get_current_pid_tgid", "bpf_get_current_task",
    "bpf_get_current_task_btf", "bpf_get_smp_processor_id", "bpf_get_stackid", "bpf_jiffies64", "bpf_ktime_get_ns",
    "bpf_loop", "bpf_map_delete_elem", "bpf_map_lookup_elem", "bpf_map_update_elem", "bpf_perf_event_read_value",
    "bpf_probe_read_kernel", "bpf_probe_read_kernel_str", "bpf_seq_write", "bpf_task_from_pid", "bpf_task_release",
    "bpf_task_storage_get", "bpf_timer_init", "bpf_timer_set_callback", "bpf_timer_start",
}  # fmt: skip
"""Helpers and kfuncs that read the kernel, write to maps and files of the program itself, or run it again (a timer)."""


def test_no_bpf_program_calls_a_helper_that_changes_something() -> None:
    called = {
        name for path in PROGRAMS for name in re.findall(r"\b(bpf_[a-z0-9_]+)\(", path.read_text(encoding="utf-8"))
    }
    assert called and called <= READING, called - READING


def test_every_bpf_program_is_of_a_kind_that_observes() -> None:
    kinds = {
        kind for path in PROGRAMS for kind in re.findall(r"\bSEC\(\"\??([a-z_.]+)", path.read_text(encoding="utf-8"))
    }
    assert kinds <= {
        ".rodata.config",
        ".data.epoch",
        ".data.sentinel",
        "syscall",  # run by the recorder alone: the first look of the sentinel, which starts its timer
        "tp_btf",
        "raw_tp",
        "fentry",
        "fexit",
        "iter",
        "license",
        "tracepoint",
        ".maps",
        "perf_event",
        "uprobe",  # calls of OpenMP and MPI, where the command line asks for them: breakpoints in the library
        "uretprobe",
        "uprobe.multi",
        "uretprobe.multi",
    }, kinds


def test_the_recorded_command_is_not_given_to_a_shell() -> None:
    text = Path(recording.__file__).read_text(encoding="utf-8")
    assert "Popen" in text and "shell=True" not in text and "os.system" not in text


def test_a_recording_replaces_no_file_without_force(fails: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "T.duckdb").write_text("mine")
    assert "exists already" in fails("record", "-o", "T.duckdb", "--", "true")
    assert (tmp_path / "T.duckdb").read_text() == "mine"


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("/proc/x.duckdb", "/proc: cannot write"),
        ("", "a folder; name the trace to make"),
        (".", "a folder; name the trace to make"),
        ("/", "a folder; name the trace to make"),
    ],
)
def test_an_output_that_cannot_be_made_is_refused_in_one_line(
    fails: Callable[..., str], output: str, says: str
) -> None:
    assert says in fails("record", "-o", output, "--for", "100ms", timeout=30)


def test_the_recorder_opens_no_port() -> None:
    """The recorder's crates name no socket: nothing from outside reaches it."""
    crates = [ROOT / "collector/ebpf", ROOT / "collector/machine"]
    sources = [path for crate in crates for path in crate.rglob("*.rs") if crate / "tests" not in path.parents]
    assert len(sources) > 10
    for path in sources:
        assert not re.search(r"TcpListener|UdpSocket|UnixListener|TcpStream", path.read_text(encoding="utf-8")), path


def test_the_command_runs_no_module_of_the_working_folder(tmp_path: Path) -> None:
    for module in ("duckdb", "json", "click", "pyarrow"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('ran')")
    command = Path(sys.executable).with_name("wastenot")
    answer = subprocess.run([command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0 and answer.stdout.startswith("wastenot "), answer


NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: gives folders to another user")


@pytest.fixture
def of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of another user."""
    monkeypatch.delenv("SUDO_UID", raising=False)
    folder = tmp_path / "theirs"
    folder.mkdir()
    os.chown(folder, NOBODY, 0)
    return folder


@needs_root
@pytest.mark.parametrize("output", ["theirs/T.duckdb", "theirs/mine/T.duckdb"])
def test_root_records_into_no_folder_of_another_user(fails: Callable[..., str], of_another: Path, output: str) -> None:
    (of_another / "mine").mkdir()
    said = fails("record", "-o", output, "--for", "100ms")
    assert f"{of_another}: belongs to the user {NOBODY}; root records only where no other user can create links" in said
    assert [path.name for path in of_another.rglob("*")] == ["mine"]


@needs_root
def test_no_link_leads_root_through_a_folder_of_another_user(of_another: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (of_another / "second").symlink_to(tmp_path / "mine")
    (tmp_path / "first").symlink_to("theirs/second")
    require_own_folder(tmp_path / "mine")
    with pytest.raises(CommandError, match="belongs to the user"):
        require_own_folder(tmp_path / "first")


@needs_root
def test_root_records_for_the_user_who_called_sudo_where_names_are_kept(
    of_another: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o1777)
    require_own_folder(open_to_all)
    open_to_all.chmod(0o777)
    with pytest.raises(CommandError, match="may be written to by others"):
        require_own_folder(open_to_all)
    monkeypatch.setenv("SUDO_UID", str(NOBODY))
    require_own_folder(of_another)
