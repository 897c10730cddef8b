"""Two revisions beside each other, in one run: `make bench-compare REV=<revision>` (`python -m bench.compare REV`).

The other revision is checked out and built in `.tools/compare/<commit>`, where it stays for the next comparison. Both
do the same work through the command line, in turns: the start, a stored verdict, and the import of one recording, with
its check. The ratio of a round is ours to theirs, so that a slow minute of the machine hits both; its interval holds
the median of the rounds with 95 % (binomial order statistics).
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.captures import messaging, run_quietly
from bench.recorders import BenchError
from bench.report import Section
from bench.rounds import interleaved, interval

ROOT = Path(__file__).parents[1]
MOST = 1.05
"""A ratio of CPU time whose whole interval lies above it makes the comparison fail."""
LEAST_ROUNDS = 6
"""Of fewer the range is no interval of 95 %: such a comparison never fails."""
TEXT = """# tracer: nop
          hog-10  [000] d..2. 1.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=hog next_pid=10 next_prio=120
       <idle>-0   [001] d..2. 1.000100: sched_switch: prev_comm=kworker prev_pid=5 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
          hog-10  [000] d..3. 1.001000: sched_wakeup: comm=hog pid=11 prio=120 target_cpu=000
          hog-10  [000] d..2. 1.050000: sched_switch: prev_comm=hog prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=hog next_pid=11 next_prio=120
       <idle>-0   [001] d..2. 1.060000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=kworker next_pid=5 next_prio=120
"""  # noqa: E501 - as ftrace writes them
"""The smallest trace: what is timed is the start."""


@dataclass(frozen=True)
class Job:
    """A command of both revisions: its arguments, given the folder of one of them."""

    name: str
    arguments: Callable[[Path], list[str]]
    status: int = 0


JOBS = (
    Job("`--help`", lambda _: ["--help"]),
    Job("`doctor`", lambda _: ["doctor"]),
    Job("`check` of a file that does not exist", lambda folder: ["check", str(folder / "absent.duckdb")], 2),
    Job("`check` of a checked file", lambda folder: ["check", str(folder / "checked.duckdb")]),
    Job("`import` of a trace of five lines", lambda folder: _import(folder, folder.parent / "five.txt")),
    Job("`import` of a recording, with its check", lambda folder: _import(folder, folder.parent / "recorded.part")),
)


def _import(folder: Path, source: Path) -> list[str]:
    return ["import", str(source), "-o", str(folder / "imported.duckdb"), "--force", "--quiet"]


def built(revision: str) -> tuple[str, Path]:
    """The abbreviated commit of a revision and its `wastenot`, built where it is not there yet."""
    git = partial(subprocess.run, cwd=ROOT, check=True, capture_output=True, text=True)
    try:
        commit = git(["git", "rev-parse", "--short=12", f"{revision}^{{commit}}"]).stdout.strip()
    except subprocess.CalledProcessError:
        raise BenchError(f"{revision}: no such revision") from None
    tree = ROOT / ".tools/compare" / commit
    if not tree.exists():
        git(["git", "worktree", "prune"])
        git(["git", "worktree", "add", "--detach", str(tree), commit])
        shutil.copy(ROOT / "Cargo.lock", tree)
    made = subprocess.run(["make", "build"], cwd=tree, check=False, capture_output=True, text=True)
    if made.returncode:
        raise BenchError(f"{commit}: cannot be built: {made.stderr[-400:]}")
    return commit, tree / ".venv/bin/wastenot"


def took(wastenot: Path, arguments: list[str], expected: int) -> dict[str, float]:
    """Wall-clock and CPU seconds and peak memory of a command."""
    shell = ["/bin/sh", "-c", f'"$@"; test $? -eq {expected}', "sh", str(wastenot), *arguments]
    with tempfile.NamedTemporaryFile(suffix=".log") as log:
        return run_quietly(shell, Path(log.name))


def measure(revision: str, rounds: int, loops: int, recorded: Path | None = None) -> tuple[Section, list[str]]:
    """The table of a comparison with `revision`, and the commands that take this one more CPU time for certain.

    `recorded` is a part folder to use instead of a new recording.
    """
    slower = []
    ours = Path(sys.executable).with_name("wastenot")
    commit, theirs = built(revision)
    with tempfile.TemporaryDirectory(prefix="wastenot-compare-") as name:
        folder = Path(name)
        (folder / "five.txt").write_text(TEXT, encoding="utf-8")
        _recording(theirs, folder, loops, recorded)
        folders = {ours: folder / "ours", theirs: folder / "theirs"}
        for wastenot, own in folders.items():
            own.mkdir()
            command = ["import", str(folder / "five.txt"), "-o", str(own / "checked.duckdb"), "--quiet"]
            took(wastenot, command, 0)
        section = Section(
            f"This revision beside {commit}",
            f"The same commands by both, in turns, {rounds} rounds: medians of CPU and wall-clock seconds and peak "
            "memory; ratios are ours to theirs, medians over the rounds with their 95 % interval.",
            ["command", "CPU s", "theirs", "ratio", "wall s", "theirs", "ratio", "MB", "theirs"],
        )
        for job in JOBS:
            contenders = {
                str(wastenot): partial(took, wastenot, job.arguments(own), job.status)
                for wastenot, own in folders.items()
            }
            times = interleaved(contenders, rounds, job.name)
            section.add(job.name, *_cells(times[str(ours)], times[str(theirs)]))
            if rounds >= LEAST_ROUNDS and interval(_ratios(times[str(ours)], times[str(theirs)], "cpu_s"))[0] > MOST:
                slower.append(job.name)
    return section, slower


def _recording(wastenot: Path, folder: Path, loops: int, recorded: Path | None) -> None:
    """A part folder that both can read: the older revision writes it."""
    part = folder / "recorded.part"
    if recorded is not None:
        shutil.copytree(recorded, part, ignore=shutil.ignore_patterns("*.lock"))
        return
    command = [sys.executable, "-m", "bench.record_part", str(part), "{}", str(folder / "report.json"), "--"]
    python, tree = wastenot.with_name("python"), wastenot.parents[2]
    made = subprocess.run([str(python), *command[1:], *messaging(loops)], cwd=tree, check=False, capture_output=True)
    if made.returncode:
        raise BenchError(f"recording: {made.stderr.decode(errors='replace')[-400:]}")


def _ratios(ours: list[dict[str, float]], theirs: list[dict[str, float]], key: str) -> list[float]:
    return [a[key] / b[key] for a, b in zip(ours, theirs, strict=True)]


def _cells(ours: list[dict[str, float]], theirs: list[dict[str, float]]) -> list[str]:
    out = []
    for key in ("cpu_s", "wall_s"):
        ratios = _ratios(ours, theirs, key)
        low, high = interval(ratios)
        out += [f"{statistics.median(x[key] for x in side):.3f}" for side in (ours, theirs)]
        out.append(f"{statistics.median(ratios):.2f} ({low:.2f} … {high:.2f})")
    return out + [f"{statistics.median(x['peak_bytes'] for x in side) / 1e6:.0f}" for side in (ours, theirs)]


def main() -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", help="commit, tag or branch to compare with")
    parser.add_argument("--rounds", type=int, default=11, help="interleaved rounds (default 11)")
    parser.add_argument("--loops", type=int, default=3000, help="loops of the recorded workload (default 3,000)")
    parser.add_argument("--recorded", type=Path, help="a part folder to import instead of a new recording")
    options = parser.parse_args()
    if options.recorded is None and os.geteuid() != 0:
        print("bench: recording needs root; or give --recorded", file=sys.stderr)
        return 2
    try:
        section, slower = measure(options.revision, options.rounds, options.loops, options.recorded)
    except BenchError as e:
        print(f"bench: {e}", file=sys.stderr)
        return 2
    print(section.markdown())
    for name in slower:
        print(f"SLOWER: {name}: more than {MOST - 1:.0%} more CPU time, by the whole interval")
    return 1 if slower else 0


if __name__ == "__main__":
    raise SystemExit(main())
