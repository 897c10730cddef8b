"""The cases, and what the checker says of each.

A case is a fault on a machine with a seed, at a level of evidence. Its label is counterfactual: the same seed without
the fault must waste less than a tenth; a case that does not is dropped and counted. Controls have no fault: what they
waste has no label, and any cause that a lasting episode of theirs gets is wrong.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
from wastenot import replay
from wastenot.analyzer import CheckOptions, Trace, open_trace
from wastenot.analyzer.store.building import make
from wastenot.analyzer.store.writing import BatchWriter
from wastenot.analyzer.text.causes import answer_words
from wastenot.replay import WastenotError

from bench.attribution.labels import LABELS

MACHINES = ("2n8", "4n16", "2n16l2s2", "opteron", "big-little")
"""As `--topology` takes them; a fault that cannot show on one is passed over there."""

HELD_OUT_MACHINES = ("2n64l8", "2n32l2s4", "ring")
"""Machines on which nothing is tuned: many caches, four hardware threads per core, nodes three hops apart."""

SEEDS = range(1, 6)
LEVELS = ("L0", "L1", "L2", "L3")
CONTROLS = ("pinned", "throttled", "isolated", "irq-busy", "rt-hog")
"""Scenarios without a fault; in all but the last one every core that idles is excused."""

ALL_PAIRS = "true"
GOES_AWAY = 0.1
"""Share of the waste that may stay without the fault; more, and the fault is not the cause."""

EXAMINED = "('persistent', 'lasting', 'recurrent')"
OUTERMOST = f"""
    SELECT e.* FROM episode e
    WHERE grade_name(e.grade) IN {EXAMINED} AND NOT (grade_name(e.grade) = 'persistent' AND EXISTS (
        FROM episode o
        WHERE grade_name(o.grade) = 'lasting' AND o.start_ns <= e.start_ns AND o.end_ns >= e.end_ns
    ))"""
"""Of these the ones that lie within no other: the pairs of a lasting episode include those of its persistent part."""


NOT_REALTIME = """
    a.utid NOT IN (SELECT t.utid FROM thread t JOIN thread_snapshot s USING (tid) WHERE s.prio < 100)"""
"""SQL condition on rows of `attribution`: by what was recorded, not by what the checker made of it."""

OF_PROGRAMS = "a.utid NOT IN (SELECT utid FROM thread WHERE is_kernel)"
"""The same: without threads of the kernel, which run what faults do not concern, and wait without them too."""


@dataclass(frozen=True)
class Case:
    """A fault (None: a control by that name as scenario) on a machine, with a seed."""

    name: str
    fault: str | None
    machine: str | None
    seed: int

    def text(self) -> str:
        """The scenario."""
        return f'about = "{self.name}"\nmachine = "{self.machine}"\nprovokes = "{self.fault}"\n'


@dataclass
class Answers:
    """What the checker answered of a case at one level.

    `wasted_ns` is all waste (where a condition chooses pairs, what `examined_ns` is), `examined_ns` that of lasting,
    persistent and recurrent episodes (core-ns); `answers` has of each question the latter by answer and proof, `rules`
    by answer, proof and rule. `prevented` has what of it another placement, another decision of the balancer and either
    would have prevented, as the checker says. `in_force`: all faults of the simulation. `not_shown`, where a second
    reading was asked for: of what is proved to *not_moved_because*, by answer, what that does not show to be true;
    `placed_not_shown` of *placed_by*.
    """

    case: Case
    level: str
    wasted_ns: int
    examined_ns: int
    answers: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    rules: dict[str, Counter[tuple[str, str, str]]] = field(default_factory=dict)
    prevented: Counter[str] = field(default_factory=Counter)
    in_force: tuple[str, ...] = ()
    not_shown: Counter[str] = field(default_factory=Counter)
    placed_not_shown: Counter[str] = field(default_factory=Counter)


@dataclass
class CaseResult:
    """One case at every level, or why it does not count as one."""

    case: Case
    answered: list[Answers]
    dropped: str | None = None


def cases(faults: Iterable[str] | None, machines: Iterable[str], seeds: Iterable[int]) -> list[Case]:
    """All cases; `faults` None: every fault, and the controls."""
    machines, seeds = list(machines), list(seeds)
    made = [
        Case(f"{fault} on {machine}, seed {seed}", fault, machine, seed)
        for fault in (LABELS if faults is None else faults)
        for machine in machines
        for seed in seeds
    ]
    if faults is None:
        made += [Case(name, None, None, seed) for name in CONTROLS for seed in seeds]
    return made


def measure(case: Case, levels: tuple[str, ...] = LEVELS) -> CaseResult:
    """Simulate and check the case at every level; without its fault first."""
    if case.fault is None:
        return CaseResult(case, [run(case, replay.find(case.name), level) for level in levels])
    with tempfile.TemporaryDirectory(prefix="wastenot-case-") as folder:
        file = Path(folder) / "case.toml"
        file.write_text(case.text(), encoding="utf-8")
        try:
            scenario = replay.read(file)
            without = run(case, scenario, levels[-1], fixed=(case.fault,))
        except WastenotError as e:
            return CaseResult(case, [], f"cannot show there: {e}")
        answered = [run(case, scenario, level) for level in levels]
    if answered[-1].examined_ns == 0:
        return CaseResult(case, answered, "no lasting waste")
    if without.wasted_ns > GOES_AWAY * answered[-1].wasted_ns:
        return CaseResult(case, answered, "the waste does not go away with the fault")
    return CaseResult(case, answered)


def run(
    case: Case, scenario: replay.Scenario, level: str, fixed: tuple[str, ...] = (), beside: tuple[str, ...] = ()
) -> Answers:
    """Simulate a case with the faults `beside` its own and without those that are `fixed`, and check it."""
    settings = replay.Settings(seed=case.seed, fault=beside, fixed=fixed, evidence_level=level)

    faults: tuple[str, ...] = ()

    def fill(con: duckdb.DuckDBPyConnection) -> None:
        nonlocal faults
        with BatchWriter(con) as writer:
            faults = replay.simulate(scenario, settings, writer.emit).faults

    with tempfile.TemporaryDirectory(prefix="wastenot-attribution-") as folder:
        path = Path(folder) / "T.duckdb"
        make(path, fill, CheckOptions(), None)
        with open_trace(path) as trace:
            return replace(read_answers(trace, case, level), in_force=faults)


def read_answers(
    trace: Trace, case: Case, level: str, pairs: str = ALL_PAIRS, *, with_realtime: bool = False
) -> Answers:
    """What the checker answered of a checked trace, of the pairs for which an SQL condition holds.

    Without the waits of threads whose recorded priority was one of the real-time or deadline class, if these are not
    asked for: the faults are about the load balancer, which does not concern itself with them. Without kernel threads.
    """
    threads = OF_PROGRAMS if with_realtime else f"{OF_PROGRAMS} AND {NOT_REALTIME}"
    wasted = trace.sql("SELECT wasted_ns FROM verdict").one()["wasted_ns"]
    prevented = trace.sql(
        f"""
        SELECT
            coalesce(sum(placement_core_ns), 0)::BIGINT AS placement,
            coalesce(sum(balancing_core_ns), 0)::BIGINT AS balancing,
            coalesce(sum(either_core_ns), 0)::BIGINT AS either
        FROM ({OUTERMOST})"""
    ).one()
    rows = trace.sql(
        f"""
        SELECT
            question_name(question) AS question, answer, proof_name(a.proof) AS proof,
            coalesce(rule, '') AS rule,
            sum(weight_ns)::BIGINT AS ns
        FROM attribution a JOIN ({OUTERMOST}) e USING (episode_id)
        WHERE chosen AND ({pairs}) AND {threads}
        GROUP BY ALL"""
    ).rows()
    answers: dict[str, Counter[tuple[str, str]]] = {}
    rules: dict[str, Counter[tuple[str, str, str]]] = {}
    for row in rows:
        row["answer"] = answer_words(row["question"], row["answer"])
        rules.setdefault(row["question"], Counter())[(row["answer"], row["proof"], row["rule"])] += row["ns"]
        answers.setdefault(row["question"], Counter())[(row["answer"], row["proof"])] += row["ns"]
    examined = max((sum(of.values()) for of in answers.values()), default=0)
    if pairs != ALL_PAIRS:
        wasted = examined
    return Answers(case, level, wasted, examined, answers, rules, Counter(prevented))


def proved_rows(trace: Trace, pairs: str = ALL_PAIRS, question: str = "not_moved_because") -> list[dict[str, Any]]:
    """What is proved to a question, of threads of programs: rows of `attribution` with their episodes' times.

    `of_label` where the row is of those pairs and of no real-time thread.
    """
    return trace.sql(
        f"""
        SELECT a.*, e.start_ns, e.end_ns, ({pairs}) AND {NOT_REALTIME} AS of_label
        FROM attribution a JOIN ({OUTERMOST}) e USING (episode_id)
        WHERE chosen AND question_name(question) = $question AND proof_name(a.proof) = 'proved'
            AND {OF_PROGRAMS}""",
        {"question": question},
    ).rows()
