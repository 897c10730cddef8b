"""What share of a recording's waste has an answer: with all evidence, and with less, of the same events.

`python -m bench.answered [RECORDING]... [--keep]` builds each recording (`T.duckdb.part`, as `wastenot record` leaves
it before the import; none: this machine is recorded under `scripts/demo-workload`, which needs root), checks it, takes
evidence away, and checks it again. Shares are of lasting, persistent and recurrent episodes, as `bench/attribution`
counts them.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import duckdb
from wastenot.analyzer import CheckOptions, Trace, build, ensure_checked, open_trace
from wastenot.analyzer.text.causes import missing_evidence_text
from wastenot.schemas.generated.enums import EVIDENCE_STATE_WORDS

from bench.attribution.__main__ import percent
from bench.attribution.corpus import Answers, Case, read_answers
from bench.report import Section, keep

WORKLOAD = Path(__file__).parents[1] / "scripts/demo-workload"
QUESTIONS = ("placed_by", "not_moved_because", "ended_by")
FOUND = {
    "balance_searches": ("balance_search", "newidle_entry", "cpu_load"),
    "load_balance_kicks": ("balance_kick",),
    "late_idle_exits": ("idle_exit_late",),
    "sched_ext": ("ext_access", "ext_idle", "ext_kick", "ext_of_cgroup", "ext_queue", "ext_search", "ext_state"),
}
"""What decisions rested on, by kind of evidence: the tables that hold it."""
DECISIONS = {
    "load_balance_attempts": ("balance_attempt",),
    "placements": ("cpus_scanned",),
    "cpus_scanned": (),
    "schedstat_counters": ("schedstat",),
    "migration_stacks": ("stack",),
}
"""The decisions themselves."""
STEPS: list[tuple[str, dict[str, tuple[str, ...]]]] = [
    ("all that was recorded", {}),
    ("without what decisions rested on", FOUND),
    ("switches, wakeups and moves alone", FOUND | DECISIONS),
]


def take_away(trace: Path, kinds: dict[str, tuple[str, ...]]) -> None:
    """Remove these kinds of evidence from a trace, and its findings."""
    with duckdb.connect(trace) as con:
        for kind, tables in kinds.items():
            con.execute(
                "UPDATE evidence SET state = ? WHERE kind = ?", [list(EVIDENCE_STATE_WORDS).index("absent"), kind]
            )
            for table in tables:
                con.execute(f"DELETE FROM {table}")
        if "migration_stacks" in kinds:
            con.execute("UPDATE sched_migrate_task SET stack_id = NULL")
        con.execute("TRUNCATE verdict")
    ensure_checked(trace, CheckOptions())


def unknown_text(trace: Trace, answered: Answers) -> str:
    """Which questions have no answer, for how much of the waste, and what would show it; empty where all have."""
    unknown = {}
    for question in QUESTIONS:
        given = answered.answers.get(question, Counter())
        without = sum(ns for (answer, _), ns in given.items() if answer == "unknown")
        if without:
            unknown[question] = without / given.total()
    if not unknown:
        return ""
    cause = {question: "unknown" if question in unknown else "" for question in QUESTIONS}
    shares = ", ".join(f"{question} of {percent(share)} %" for question, share in unknown.items())
    why = missing_evidence_text(cause, trace.metric("evidence").rows(), trace.metric("trace").one())
    return f"Unknown with all that was recorded: {shares}. {why}"


def answers_of(recording: Path) -> tuple[list[Answers], str]:
    """What is answered of a recording at each step, and what is unknown with all that was recorded."""
    with tempfile.TemporaryDirectory(prefix="wastenot-answered-") as folder:
        copy, trace = Path(folder) / "T.duckdb.part", Path(folder) / "T.duckdb"
        shutil.copytree(recording, copy)
        build(copy, trace, CheckOptions())
        answered = []
        unknown = ""
        for step, kinds in STEPS:
            if kinds:
                take_away(trace, kinds)
            with open_trace(trace) as opened:
                answered.append(read_answers(opened, Case(str(recording), None, None, 0), step, with_realtime=True))
                if not kinds:
                    unknown = unknown_text(opened, answered[0])
        return answered, unknown


def table(title: str, answered: list[Answers], why_unknown: str) -> Section:
    """The shares of one recording."""
    how = "Of lasting, persistent and recurrent episodes, by wasted core-time; the same events each time."
    if why_unknown:
        how += f"\n\n{why_unknown}"
    head = [
        "evidence",
        "wasted, core-s",
        *(f"{question}: {what} %" for question in QUESTIONS for what in ("answered", "proved")),
    ]
    section = Section(title, how, head)
    for at in answered:
        shares = []
        for question in QUESTIONS:
            given = at.answers.get(question, Counter())
            unknown = sum(ns for (answer, _), ns in given.items() if answer == "unknown")
            proved = sum(ns for (_, proof), ns in given.items() if proof == "proved")
            total = given.total()
            shares += [percent((total - unknown) / total), percent(proved / total)] if total else ["–", "–"]
        section.add(at.level, f"{at.examined_ns / 1e9:.2f}", *shares)
    return section


def record(folder: Path) -> Path:
    """A recording of this machine under the demo's workload."""
    part = folder / "demo.duckdb.part"
    report = folder / "report.json"
    recorder = [sys.executable, "-m", "bench.record_part", str(part), "{}", str(report)]
    subprocess.run([*recorder, "--", sys.executable, str(WORKLOAD)], check=True)
    return part


def main() -> int:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.answered", description=__doc__)
    parser.add_argument("recordings", nargs="*", type=Path)
    parser.add_argument("--keep", action="store_true", help="write bench/results/answered.md")
    options = parser.parse_args()
    sections = []
    if options.recordings:
        for recording in options.recordings:
            sections.append(table(recording.stem, *answers_of(recording)))
    else:
        with tempfile.TemporaryDirectory(prefix="wastenot-answered-") as folder:
            sections.append(table("scripts/demo-workload", *answers_of(record(Path(folder)))))
    for section in sections:
        print(section.markdown())
    if options.keep:
        command = " ".join(["python -m bench.answered", *map(str, options.recordings)])
        print(keep(sections, command, "answered.md"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
