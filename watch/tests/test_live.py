"""`wastenot watch` on this kernel: boxes, signals, what is left after `kill -9`, and what is refused. Needs BPF."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from drawn import ROOT
from wastenot._native import collector
from wastenot.analyzer import open_trace
from wastenot.schemas.generated.enums import EXCUSE_WORDS

SOURCE = json.loads(collector.doctor())["source"]
pytestmark = pytest.mark.skipif(SOURCE != "ebpf", reason="`wastenot doctor`: eBPF cannot record here")

ALWAYS = "wasted>=0s"
"""A condition that holds whatever the machine does."""

Ask = Callable[..., subprocess.CompletedProcess[str]]
Workload = Callable[[str, float], None]


class Running:
    """A watch in a process of its own, and what it printed."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        prefix: tuple[str, ...] = (),
        python: str = sys.executable,
        ready: bool = True,
    ) -> None:
        self.folder, self.out, self.printed = folder, folder / "boxes", folder / "printed"
        command = [*prefix, python, "-m", "wastenot.cli", "watch", "--json", "--run-dir", str(folder / "run")]
        command += ["--out", str(self.out), *arguments]
        with self.printed.open("ab") as printed:
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
            self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=printed, stderr=printed)
        if ready:
            self.await_message("start", "watching for")

    def messages(self) -> list[dict[str, Any]]:
        lines = self.printed.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def await_message(self, kind: str, text: str = "", timeout_s: float = 90) -> dict[str, Any]:
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for message in self.messages():
                if message["kind"] == kind and text in message["message"]:
                    return message
            assert self.process.poll() is None, self.printed.read_text()
            time.sleep(0.1)
        raise AssertionError(f"no {kind} {text!r} within {timeout_s} s: {self.printed.read_text()}")

    def end(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(90)

    def ids(self, of: str) -> set[int]:
        """Numbers of the BPF programs (`prog_id`) or maps (`map_id`) that the process has open."""
        found = set()
        for info in Path(f"/proc/{self.process.pid}/fdinfo").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                lines = info.read_text().splitlines()
                found |= {int(line.split()[1]) for line in lines if line.startswith(f"{of}:")}
        return found


Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts watches, and ends them after the test."""
    started: list[Running] = []

    def run(*arguments: str, **changes: Any) -> Running:
        started.append(Running(tmp_path, *arguments, **changes))
        return started[-1]

    yield run
    for watch in started:
        watch.end(signal.SIGKILL)


@pytest.fixture
def ask(run: Ask, tmp_path: Path) -> Ask:
    """Runs `wastenot watch ACTION` for the watch of this test."""
    return lambda *words: run("watch", *words, "--run-dir", str(tmp_path / "run"))


def is_loaded(kind: int, number: int) -> bool:
    """Whether the kernel has a BPF program (13) or map (14) of this number."""
    attribute = (ctypes.c_uint32 * 32)(number)
    libc = ctypes.CDLL(None, use_errno=True)
    call = 321 if os.uname().machine == "x86_64" else 280
    fd = libc.syscall(call, kind, ctypes.byref(attribute), ctypes.sizeof(attribute))
    if fd < 0:
        assert ctypes.get_errno() == errno.ENOENT
        return False
    os.close(fd)
    return True


def box_file(message: dict[str, Any]) -> Path:
    return Path(message["wastenot_box"])


def test_a_condition_saves_a_box_that_is_checked_and_raises_an_alarm(start: Start, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    script = tmp_path / "alarm"
    script.write_text(f"#!/bin/sh\nenv > {environment}\n")
    script.chmod(0o700)
    words = ["--on", ALWAYS, "--keep", "2s", "--after", "500ms", "--exec", str(script)]
    watch = start(*words, "--metrics", "127.0.0.1:0")
    address = watch.await_message("start", "metrics at")["wastenot_metrics"]
    box = watch.await_message("box")
    assert box["wastenot_outcome"] == "confirmed", box
    path = box_file(box)
    assert path.parent == watch.out and path.name.endswith("Z-wasted-ge-0s.duckdb")
    assert (path.stat().st_mode & 0o777, watch.out.stat().st_mode & 0o777) == (0o600, 0o700)
    with open_trace(path) as trace:
        figures = trace.verdict().figures
        assert figures["end_ns"] - figures["start_ns"] > 0.4e9
        assert [r for r in trace.metric("check_sums") if not r["holds"]] == []
        assert float(box["wastenot_wasted_core_s"]) == pytest.approx(figures["wasted_ns"] / 1e9, abs=1e-9)
    deadline = time.monotonic() + 30
    while not environment.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert f"WASTENOT_BOX={path}\n" in environment.read_text()
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    values = {line.split(" ")[0]: float(line.split(" ")[1]) for line in text.splitlines() if line[:1] != "#"}
    assert values['wastenot_boxes_total{outcome="confirmed"}'] == 1
    assert values["wastenot_looks_total"] > 100 and values["wastenot_written_bytes_total"] > 1000
    assert values["wastenot_cpus"] == len(os.sched_getaffinity(1))
    assert values['wastenot_self_cpu_seconds_total{part="process"}'] > 0
    if promtool := shutil.which("promtool"):
        checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
        assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    assert watch.end() == 0
    assert watch.messages()[-1] == {"kind": "end", "message": "watch ended: ended by SIGTERM"}


def test_exact_mode_serves_exact_figures(start: Start) -> None:
    watch = start("--exact", "--on", ALWAYS, "--keep", "1s", "--after", "0s", "--metrics", "127.0.0.1:0")
    address = watch.await_message("start", "metrics at")["wastenot_metrics"]
    assert watch.await_message("box")["wastenot_outcome"] == "confirmed"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        if 'wastenot_wait_seconds_total{cgroup="' in text:
            break
        time.sleep(1)
    lines = [line for line in text.splitlines() if line[:1] != "#"]
    assert any(line.startswith("wastenot_wasted_core_seconds_total ") for line in lines)
    assert sum(line.startswith("wastenot_excused_core_seconds_total{") for line in lines) == len(EXCUSE_WORDS)
    cgroups = {line.split('cgroup="')[1].split('"')[0] for line in lines if line.startswith("wastenot_wait_seconds")}
    assert (
        cgroups & {"/", *(f"/{p.name}" for p in Path("/sys/fs/cgroup").rglob("*") if p.is_dir())} or "other" in cgroups
    )
    assert not any("sampled" in line for line in lines)
    assert watch.end() == 0


def test_a_box_holds_what_happened_before_it_was_asked_for(start: Start, ask: Ask) -> None:
    watch = start("--on", "lost>1000000000", "--keep", "3s", "--after", "200ms")
    name = f"wn{os.getpid()}"
    subprocess.run([sys.executable, "-c", f"open('/proc/self/comm', 'w').write('{name}')"], check=True)
    time.sleep(0.3)
    asked = ask("trigger")
    assert (asked.returncode, asked.stderr.startswith("saving ")) == (0, True), asked.stderr
    box = watch.await_message("box")
    assert box["wastenot_outcome"] == "requested" and box["wastenot_reason"] == "trigger (command line)"
    with open_trace(box_file(box)) as trace:
        assert trace.sql(f"SELECT count(*) AS n FROM thread WHERE name = '{name}'").one()["n"] == 1
    status = json.loads(ask("status").stdout)
    assert status["facts"]["mode"] == "sentinel" and status["counts"]["boxes"]["requested"] == 1
    again = ask("trigger", "--json")
    assert again.returncode == 2 and "more than 1 in 60 s" in again.stderr
    assert json.loads(again.stdout)["saving"] is False


def test_signals_save_rotate_and_end(start: Start) -> None:
    watch = start("--on", "lost>1000000000", "--keep", "1s", "--after", "0s")
    os.kill(watch.process.pid, signal.SIGUSR1)
    assert watch.await_message("box")["wastenot_reason"] == "signal SIGUSR1"
    os.kill(watch.process.pid, signal.SIGHUP)
    watch.await_message("message", "since the start:")
    assert watch.end(signal.SIGINT) == 0
    assert sorted(p.name for p in (watch.folder / "run").iterdir()) == ["watch.lock"]


def test_a_second_watch_and_a_port_that_is_taken_are_refused_in_a_line(start: Start, run: Ask, tmp_path: Path) -> None:
    watch = start("--on", "lost>1000000000", "--metrics", "127.0.0.1:0")
    address = str(watch.await_message("start", "metrics at")["wastenot_metrics"])
    second = run("watch", "--run-dir", str(tmp_path / "run"), "--out", str(tmp_path / "other"))
    assert second.returncode == 2 and second.stderr.count("\n") == 1
    assert second.stderr.startswith(f"wastenot: a watch runs already (PID {watch.process.pid}, ")
    taken = run("watch", "--run-dir", str(tmp_path / "run2"), "--out", str(tmp_path / "other"), "--metrics", address)
    assert (taken.returncode, taken.stderr.count("\n")) == (2, 1)
    assert f"--metrics {address}: cannot listen (another program listens there)" in taken.stderr
    assert watch.process.poll() is None


def test_on_a_full_disk_nothing_is_saved_and_that_is_said(start: Start, ask: Ask, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    out = tmp_path / "boxes"
    out.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=20m", "none", str(out)], check=True)
    try:
        watch = start("--on", "lost>1000000000")
        asked = ask("trigger")
        assert asked.returncode == 2 and f"less than 256 MB are left on the disk of {out}" in asked.stderr
        assert asked.stderr.count("\n") == 1
        assert watch.await_message("suppressed")["wastenot_suppressed"] == "disk"
        assert json.loads(ask("status").stdout)["counts"]["suppressed"]["disk"] == 1
        assert [p.name for p in out.iterdir()] == ["watch.lock"] and watch.end() == 0
    finally:
        subprocess.run(["umount", "-l", str(out)], check=True)


def test_after_kill_9_nothing_stays_in_the_kernel_and_the_next_watch_goes_on(start: Start) -> None:
    words = ("--on", ALWAYS, "--keep", "1s", "--after", "3s")
    watch = start(*words)
    deadline = time.monotonic() + 60
    while not list(watch.out.glob("*.part")) and time.monotonic() < deadline:
        time.sleep(0.05)
    programs, maps = watch.ids("prog_id"), watch.ids("map_id")
    assert len(programs) > 5 and len(maps) > 3
    assert all(is_loaded(13, n) for n in programs)
    watch.end(signal.SIGKILL)
    deadline = time.monotonic() + 20
    while any(is_loaded(13, n) for n in programs) or any(is_loaded(14, n) for n in maps):
        assert time.monotonic() < deadline, "programs or maps stay in the kernel"
        time.sleep(0.2)
    watch.printed.unlink()
    following = start(*words)
    assert following.await_message("box")["wastenot_outcome"] in ("confirmed", "requested", "failed")
    assert following.end() == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--on", "foo>1"], "unknown measure 'foo'; one of wasted"),
        (["--on", "suspect"], "known of a checked trace only; one of wasted"),
        (["--on", "wasted>1% for 20s"], "a box keeps less than that"),
        (["--metrics", "0.0.0.0:9477"], "a token is needed"),
        (["--metrics", "x"], "write ADDRESS:PORT"),
        (["--metrics", "127.0.0.1:0", "--metrics-token", "/nonexistent"], "cannot be read (No such file"),
        (["--rate-limit", "often"], "write a number and one of"),
        (["--max-disk", "much"], "as in 2GB"),
        (["--keep", "0s"], "--keep 0s: must be longer"),
        (["--exec", "'"], "no closing quotation"),
        (["--exec", "/nonexistent/notify"], "--exec: /nonexistent/notify is not a program that can be run"),
        (["--otlp", "foo"], "--otlp 'foo': write a full address"),
        (["--memory", "10TB"], "give half of it at most"),
        (["--out", "/proc/nothing"], "/proc/nothing: cannot be made or used"),
        (["--on-exit", "4194303"], "--on-exit 4194303: no such process"),
        (["stop"], "watch stop: one of trigger, status, or nothing"),
        (["trigger"], "no watch runs here"),
    ],
)
def test_what_is_wrong_is_refused_in_a_line(run: Ask, tmp_path: Path, words: list[str], says: str) -> None:
    given = [*words, "--run-dir", str(tmp_path / "run")]
    result = run("watch", *given, *([] if "--out" in words else ["--out", str(tmp_path / "boxes")]))
    assert result.returncode == 2 and says in result.stderr and result.stderr.count("\n") == 1, result.stderr


# ---- other users


OTHER_USER = 65534


def as_user(*capabilities: str) -> tuple[str, ...]:
    """The start of a command line that runs the rest as another user with these capabilities and no more."""
    program = shutil.which("setpriv") or pytest.skip("setpriv is not installed (package util-linux)")
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    sets = ",".join(["-all", *(f"+{c}" for c in capabilities)])
    ids = (f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups")
    return (program, *ids, f"--inh-caps={sets}", f"--ambient-caps={sets}", f"--bounding-set={sets}", "--")


def python_for_all() -> str:
    """This interpreter, or one of the same release that other users may run: its folder may be root's alone."""
    release = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (sys.executable, shutil.which(release, path="/usr/bin:/usr/local/bin")):
        if path and all(p.stat().st_mode & 0o001 for p in (Path(path).resolve(), *Path(path).resolve().parents)):
            return path
    pytest.skip(f"no {release} that other users may run")


@pytest.fixture
def own_folder(tmp_path: Path) -> Path:
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001 and folder.stat().st_uid == os.geteuid():
            folder.chmod(folder.stat().st_mode | 0o011)
    made = tmp_path / "other"
    made.mkdir()
    os.chown(made, OTHER_USER, OTHER_USER)
    return made


def test_without_capabilities_it_is_refused_in_a_line(own_folder: Path) -> None:
    watch = Running(own_folder, prefix=as_user(), python=python_for_all(), ready=False)
    assert watch.process.wait(60) == 2
    text = watch.printed.read_text()
    assert "CAP_BPF and CAP_PERFMON" in text and text.count("\n") == 1, text


def test_the_capabilities_of_the_unit_are_enough(own_folder: Path) -> None:
    """No other user may read what it saved."""
    unit = (ROOT / "watch/systemd/wastenot-watch.service").read_text()
    granted = unit.split("\nAmbientCapabilities=")[1].split("\n")[0].split()
    prefix = as_user(*(name.removeprefix("CAP_").lower() for name in granted))
    words = ("--on", ALWAYS, "--keep", "1s", "--after", "100ms")
    watch = Running(own_folder, *words, prefix=prefix, python=python_for_all())
    try:
        box = watch.await_message("box")
        assert box["wastenot_outcome"] == "confirmed"
        assert (box_file(box).stat().st_uid, box_file(box).stat().st_mode & 0o777) == (OTHER_USER, 0o600)
        with open_trace(box_file(box)) as trace:
            absent = {r["kind"]: r["why"] for r in trace.metric("evidence") if r["state"] == "absent"}
            assert not any("ermission" in why or "kallsyms" in why for why in absent.values()), absent
            others = trace.sql("SELECT count(*) AS n FROM thread WHERE name LIKE 'kworker/%'").one()["n"]
            assert others > 0, "threads of other users have names"
    finally:
        watch.end(signal.SIGKILL)


# ---- waste


def is_quiet() -> bool:
    """Whether the machine has idle CPUs, so that waste can be provoked."""
    before = Path("/proc/stat").read_text().splitlines()[0].split()
    time.sleep(1)
    after = Path("/proc/stat").read_text().splitlines()[0].split()
    idle = int(after[4]) - int(before[4])
    return idle > 0.6 * sum(int(b) - int(a) for a, b in zip(before[1:9], after[1:9], strict=True))


@pytest.fixture
def workload() -> Iterator[Workload]:
    """Starts a workload of `tests/live`; on a machine that others keep busy there is no idle CPU to waste."""
    if "WASTENOT_TEST_WATCH" not in os.environ:
        pytest.skip("needs a machine at rest; `make test-watch` runs it")
    if not is_quiet():
        pytest.skip("the CPUs of this machine are busy: waste cannot be provoked")
    started: list[subprocess.Popen[bytes]] = []

    def run(name: str, seconds: float) -> None:
        command = [sys.executable, str(ROOT / "tests/live/workload.py"), name, str(seconds)]
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))

    yield run
    for process in started:
        process.terminate()
        process.wait(30)


def test_waste_that_lasts_is_caught_and_confirmed(start: Start, workload: Workload) -> None:
    watch = start("--on", "lasting>0", "--keep", "4s", "--after", "200ms", "--rate-limit", "30/min")
    workload("released_often", 15)
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        if any(m.get("wastenot_outcome") == "confirmed" for m in watch.messages()):
            return
        time.sleep(0.2)
    raise AssertionError(watch.printed.read_text())


def test_threads_that_are_pinned_raise_no_alarm(start: Start, workload: Workload) -> None:
    watch = start("--on", "persistent>0", "--keep", "4s", "--after", "200ms", "--rate-limit", "30/min")
    workload("pinned", 8)
    time.sleep(12)
    outcomes = [m.get("wastenot_outcome") for m in watch.messages() if m["kind"] == "box"]
    assert "confirmed" not in outcomes
