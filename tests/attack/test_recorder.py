"""What the recorder, which runs as root, must not do."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from wastenot.cli import recording

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "collector/ebpf/bpf").glob("*.[ch]"))

READING = {
    "bpf_get_current_pid_tgid", "bpf_get_current_task", "bpf_get_current_task_btf", "bpf_get_smp_processor_id",
    "bpf_get_stackid", "bpf_ktime_get_ns", "bpf_map_lookup_elem", "bpf_map_update_elem", "bpf_map_delete_elem",
    "bpf_perf_event_read_value", "bpf_probe_read_kernel", "bpf_probe_read_kernel_str", "bpf_seq_write",
    "bpf_task_from_pid", "bpf_task_release", "bpf_task_storage_get",
}  # fmt: skip
"""Helpers and kfuncs that read the kernel, or write to maps and files of the program itself."""


def test_no_bpf_program_calls_a_helper_that_changes_something() -> None:
    called = {name for path in PROGRAMS for name in re.findall(r"\b(bpf_[a-z_]+)\(", path.read_text(encoding="utf-8"))}
    assert called and called <= READING, called - READING


def test_every_bpf_program_is_of_a_kind_that_observes() -> None:
    kinds = {
        kind for path in PROGRAMS for kind in re.findall(r"\bSEC\(\"\??([a-z_.]+)", path.read_text(encoding="utf-8"))
    }
    assert kinds <= {
        ".rodata.config",
        "tp_btf",
        "raw_tp",
        "fentry",
        "fexit",
        "iter",
        "license",
        "tracepoint",
        ".maps",
        "perf_event",
    }, kinds


def test_the_recorded_command_is_not_given_to_a_shell() -> None:
    text = Path(recording.__file__).read_text(encoding="utf-8")
    assert "Popen" in text and "shell=True" not in text and "os.system" not in text


def test_a_recording_replaces_no_file_without_force(fails: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "T.duckdb").write_text("mine")
    assert "exists already" in fails("record", "-o", "T.duckdb", "--", "true")
    assert (tmp_path / "T.duckdb").read_text() == "mine"


def test_the_recorder_opens_no_port() -> None:
    """The recorder's crates name no socket: nothing from outside reaches it."""
    crates = [ROOT / "collector/ebpf", ROOT / "collector/machine"]
    sources = [path for crate in crates for path in crate.rglob("*.rs") if crate / "tests" not in path.parents]
    assert len(sources) > 10
    for path in sources:
        assert not re.search(r"TcpListener|UdpSocket|UnixListener|TcpStream", path.read_text(encoding="utf-8")), path


def test_the_command_runs_no_module_of_the_working_folder(tmp_path: Path) -> None:
    for module in ("duckdb", "json", "typer", "pyarrow"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('ran')")
    command = Path(sys.executable).with_name("wastenot")
    answer = subprocess.run([command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0 and answer.stdout.startswith("wastenot "), answer
