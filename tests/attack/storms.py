"""The recorder in bad company: killed, without disk, without descriptors, beside a fork storm, beside another recorder.

    .venv/bin/python -m tests.attack.storms [--only kill]... [--moments 20] [--seed 1]

Each run of `wastenot record` must end in time with status 0 or 2 (or by the signal, where it was killed), without a
traceback, with one line where the status is 2. What it leaves must be finished by `wastenot check`, or removed by the
next run; nothing may stay in the folder for temporary files, and none of its BPF programs in the kernel. Prints a line
per storm and a line per run that broke this; status 1 where any did. Needs a kernel that lets this user load BPF, and
for `disk` permission to mount. Before the first line of wastenot runs, Ctrl-C is answered by Python's own start.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import platform
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

COMMAND = (sys.executable, "-m", "wastenot.cli")
HANGS_S = 180.0
"""A run that takes longer hangs; an undisturbed one takes 2 s on an idle machine."""
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
DISK_KB = (64, 128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384)
DESCRIPTORS = (*range(8, 33), *range(36, 65, 4), 127, 128, 192)
FORKING = """
import os, sys, time
until = time.monotonic() + float(sys.argv[1])
n = 0
while time.monotonic() < until:
    for _ in range(20):
        pid = os.posix_spawn("/bin/true", ["true"], {}) if n % 8 == 0 else os.fork()
        if pid == 0:
            os._exit(0)
        n += 1
    try:
        while os.waitpid(-1, os.WNOHANG if n % 400 else 0)[0]:
            pass
    except ChildProcessError:
        pass
print(n)
"""
"""Makes processes that end at once, never more than some hundred at a time; prints how many."""


@dataclass
class Result:
    """How one run ended."""

    status: int
    errors: str
    seconds: float
    out: str = ""


@dataclass
class Storm:
    """What one storm's runs were like."""

    name: str
    runs: int = 0
    ended: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def count(self, what: str, result: Result, left: str, wrong: str) -> None:
        """Add a run."""
        self.runs += 1
        status = f"signal {-result.status}" if result.status < 0 else f"status {result.status}"
        self.ended[f"{status}, {left}" if left else status] += 1
        self.slowest = max(self.slowest, result.seconds)
        if wrong:
            self.broken.append(f"{what}: {wrong}")
            say(f"storms: {self.name}: {what}: {wrong}: {result.errors.strip()[-300:]}")

    def __str__(self) -> str:
        ended = "; ".join(f"{what}: {n}" for what, n in sorted(self.ended.items()))
        return (
            f"storms: {self.name}: {self.runs} runs, {len(self.broken)} broken; {ended}; at most {self.slowest:.1f} s"
        )


def say(text: str) -> None:
    """A line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def started(folder: Path, *arguments: str, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """`wastenot …` in `folder`, with a folder of its own for temporary files."""
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    return subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, env={**os.environ, "TMPDIR": str(temporary)}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=before,
    )  # fmt: skip


def ended(process: subprocess.Popen[str], began: float) -> Result:
    """Wait for it; one that hangs is killed, and its status is 99."""
    try:
        out, errors = process.communicate(timeout=HANGS_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
        return Result(99, f"hung for {HANGS_S:.0f} s; {errors}", time.monotonic() - began, out)
    return Result(process.returncode, errors, time.monotonic() - began, out)


def ran(folder: Path, *arguments: str, before: Callable[[], None] | None = None) -> Result:
    """Run it to its end."""
    began = time.monotonic()
    return ended(started(folder, *arguments, before=before), began)


def wrong_with(result: Result, sent: signal.Signals | None = None) -> str:
    """What is wrong with how it ended; empty when nothing is."""
    if result.status == 99:
        return "hang"
    for text in ("Traceback", "panicked", "internal error", "Exception ignored", "Error in atexit"):
        if text in result.errors + result.out:
            return text
    if result.status < 0:
        return "" if sent is not None and result.status == -sent else f"ended by signal {-result.status}"
    if result.status not in (0, 2):
        return f"exit status {result.status}"
    lines = [line for line in result.errors.splitlines() if line.startswith("wastenot: ")]
    if result.status == 2 and len(lines) != 1:
        return f"{len(lines)} lines say why"
    return ""


def left_in(folder: Path) -> list[str]:
    """What stands in the folder, and in its folder for temporary files."""
    own = [p.name for p in folder.iterdir() if p.name != "tmp"]
    return sorted(own + [f"tmp/{p.name}" for p in (folder / "tmp").iterdir()])


def mended(folder: Path) -> tuple[str, str]:
    """Finish or replace what a run left in `folder`: what was done, and what is wrong with that."""
    before = left_in(folder)
    if before in ([], ["R.duckdb"]):
        done = "complete" if before else "nothing left"
    else:
        done = "finished by check" if "R.duckdb" not in before else "complete, leftovers"
    if before:
        checked = ran(folder, "check", "R.duckdb", "-q")
        if wrong := wrong_with(checked):
            return done, f"check: {wrong}: {checked.errors.strip()[-200:]}"
        if checked.status == 2:
            done = "removed by the next run"
    if done != "nothing left" and done != "removed by the next run" and left_in(folder) == ["R.duckdb"]:
        return done, ""
    if (folder / "R.duckdb").exists():  # a complete trace and leftovers: the next run in this folder removes them
        (folder / "R.duckdb").unlink()
    again = ran(folder, "record", "-o", "R.duckdb", "--for", "100ms", "-q")
    if again.status != 0 or (wrong := wrong_with(again)):
        return done, f"the next run: status {again.status}: {again.errors.strip()[-200:]}"
    stays = left_in(folder)
    return done, "" if stays == ["R.duckdb"] else f"left {', '.join(stays)} after the next run"


def kill(asked: argparse.Namespace, storm: Storm, place: Path) -> None:
    """Each signal at so many random moments, from its first instruction to its verdict."""
    folder = place / "whole"
    folder.mkdir()
    whole = ran(folder, "record", "-o", "R.duckdb", "--for", asked.length)
    assert whole.status == 0, whole.errors
    say(f"storms: kill: an undisturbed run takes {whole.seconds:.1f} s")
    lock = threading.Lock()

    def each(sent: signal.Signals) -> None:
        chosen = random.Random(f"{asked.seed}/{sent}")
        for n in range(asked.moments):
            here = place / f"{sent.name}-{n}"
            here.mkdir()
            began, moment = time.monotonic(), chosen.uniform(0.0, whole.seconds)
            process = started(here, "record", "-o", "R.duckdb", "--for", asked.length)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(moment)
            process.send_signal(sent)
            result = ended(process, began)
            wrong = wrong_with(result, sent)
            left, later = mended(here)
            with lock:
                storm.count(f"{sent.name} after {moment:.2f} s", result, left, wrong or later)
            shutil.rmtree(here)

    threads = [threading.Thread(target=each, args=(sent,)) for sent in SIGNALS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    """A file system of so many kilobytes in memory at `folder`."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
        folder.rmdir()


def disk(asked: argparse.Namespace, storm: Storm, place: Path) -> None:
    """The output folder, and that for temporary files, is full after so many kilobytes, then has space again."""
    sizes = DISK_KB if asked.moments >= len(DISK_KB) else DISK_KB[:: -(-len(DISK_KB) // asked.moments)]
    for size in sizes:
        folder = place / f"disk-{size}"
        with small_disk(folder, size):
            result = ran(folder, "record", "-o", "R.duckdb", "--", sys.executable, "-SEc", FORKING, "1")
            wrong = wrong_with(result)
            subprocess.run(["mount", "-o", "remount,size=256m", folder], check=True)
            left, later = mended(folder)
            storm.count(f"{size} kB", result, left, wrong or later)


def descriptors(asked: argparse.Namespace, storm: Storm, place: Path) -> None:
    """No more than so many open files."""
    counts = DESCRIPTORS if asked.moments >= 20 else DESCRIPTORS[:: -(-len(DESCRIPTORS) // asked.moments)]
    for count in counts:
        folder = place / f"descriptors-{count}"
        folder.mkdir()

        def limit(most: int = count) -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

        result = ran(folder, "record", "-o", "R.duckdb", "--for", "200ms", before=limit)
        wrong = wrong_with(result)
        left, later = mended(folder)
        storm.count(f"{count} descriptors", result, left, wrong or later)


def forks(asked: argparse.Namespace, storm: Storm, place: Path) -> None:
    """Beside four programs that make short processes as fast as they can."""
    folder = place / "forks"
    folder.mkdir()
    seconds = str(asked.storm_seconds + 4)
    storms = [subprocess.Popen([sys.executable, "-SEc", FORKING, seconds], stdout=subprocess.PIPE) for _ in range(4)]
    began = time.monotonic()
    result = ran(folder, "record", "-o", "R.duckdb", "--for", f"{asked.storm_seconds}s")
    made = sum(int(process.communicate()[0]) for process in storms)
    reported = re.search(r"recorded .*", result.errors)
    rate = made / max(time.monotonic() - began, float(seconds))
    outcome = reported[0] if reported else result.errors.strip()
    say(f"storms: forks: {made:,} processes, {rate:,.0f} per second; {outcome}")
    wrong = wrong_with(result) or ("" if result.status == 0 else "no trace")
    left, later = mended(folder)
    storm.count("fork storm", result, left, wrong or later)


def two(asked: argparse.Namespace, storm: Storm, place: Path) -> None:
    """Two recorders at once: into two files both record; into one file one does, also where the other has --force."""
    for names, extra in ((("R", "S"), ()), (("R", "R"), ()), (("R", "R"), ("--force",))):
        folder = place / f"two-{'-'.join(names)}{''.join(extra)}"
        folder.mkdir()
        began = time.monotonic()
        first = started(folder, "record", "-o", f"{names[0]}.duckdb")
        while not (folder / "R.duckdb.part/meta.json").exists() and first.poll() is None:
            time.sleep(0.02)
        others = [started(folder, "record", "-o", f"{names[1]}.duckdb", "--for", "100ms", *extra)]
        checks = [started(folder, "check", "R.duckdb")] if names == ("R", "R") else []
        results = [ended(process, began) for process in (*others, *checks)]
        first.send_signal(signal.SIGINT)
        results.insert(0, ended(first, began))
        expected = [0, 0] if names == ("R", "S") else [0, 2, 2]
        what = f"{' and '.join(names)}{' with --force' if extra else ''}"
        wrong = next((found for result in results if (found := wrong_with(result))), "")
        if not wrong and [result.status for result in results] != expected:
            wrong = f"statuses {[result.status for result in results]}, not {expected}: {[r.errors for r in results]}"
        for name in set(names) - {"R"}:
            (folder / f"{name}.duckdb").unlink(missing_ok=True)
        left, later = mended(folder)
        storm.count(what, results[-1], left, wrong or later)


def programs() -> set[int]:
    """Numbers of the BPF programs in the kernel."""
    call = {"x86_64": 321, "aarch64": 280, "riscv64": 280}[platform.machine()]
    libc = ctypes.CDLL(None, use_errno=True)
    found, attribute = set(), (ctypes.c_uint32 * 32)()
    while libc.syscall(call, 11, ctypes.byref(attribute), ctypes.sizeof(attribute)) == 0:  # BPF_PROG_GET_NEXT_ID
        found.add(int(attribute[1]))
        attribute = (ctypes.c_uint32 * 32)(attribute[1])
    return found


def held() -> set[int]:
    """Those that some process holds, by itself or by a link."""
    found = set()
    for info in Path("/proc").glob("[0-9]*/fdinfo/*"):
        with contextlib.suppress(OSError):
            found |= {int(number) for number in re.findall(r"^prog_id:\s*(\d+)", info.read_text(), re.MULTILINE)}
    return found


def stay(before: Iterable[int]) -> set[int]:
    """Programs that came since `before` and that no process holds, after some time for the kernel to free them."""
    until = time.monotonic() + 10
    while (rest := programs() - set(before) - held()) and time.monotonic() < until:
        time.sleep(0.2)
    return rest


STORMS: dict[str, Callable[[argparse.Namespace, Storm, Path], None]] = {
    "kill": kill, "disk": disk, "descriptors": descriptors, "forks": forks, "two": two,
}  # fmt: skip


def main() -> int:
    """Run them and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=STORMS, help="only this one; repeatable")
    parser.add_argument("--moments", type=int, default=20, help="random moments per signal; sizes, counts (20)")
    parser.add_argument("--length", default="1s", help="length of the recordings that are killed (1s)")
    parser.add_argument("--storm-seconds", type=int, default=5, help="length of the recording beside the forks (5)")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    broken = 0
    with tempfile.TemporaryDirectory(prefix="wastenot-storms-") as name:
        for wanted in asked.only or STORMS:
            storm, before = Storm(wanted), programs()
            STORMS[wanted](asked, storm, Path(name))
            rest = stay(before)
            say(f"{storm}; {len(rest)} BPF programs stay")
            broken += len(storm.broken) + len(rest)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
