"""`make attribution`: the whole corpus, printed and kept in `bench/results/attribution.md`; what is held out in
`held_out.md` beside it, and of faults that act together in `together.md`.

`python -m bench.attribution [--held-out | --together] [--fault F]... [--machine M]... [--seeds 1-5] [--level L]...
[--quick]`
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from bench.attribution import together
from bench.attribution.corpus import HELD_OUT_MACHINES, LEVELS, MACHINES, SEEDS, Case, CaseResult, cases, measure
from bench.attribution.labels import APART, HELD_OUT, LABELS
from bench.attribution.score import NOT_COUNTED, Score, coverage, mistakes, scores
from bench.report import Section, revision

HELD_OUT_SEEDS = range(1, 3)
"""Of machines that are held out, which take longer."""

MISTAKES = 20
"""Kinds of mistakes listed beside those that are marked proved."""

RESULTS = Path(__file__).parents[1] / "results"


def percent(share: float | None) -> str:
    """A share as per cent, 100.0 only where it is all; a dash for what there is none of."""
    if share is None:
        return "–"
    return f"{100 * share:.1f}" if share == 1 or share < 0.9995 else f"{min(100 * share, 99.9999):.4f}"


def core_ms(ns: int) -> str:
    """Core-time; 0 only where there is none."""
    return "0" if ns == 0 else f"{ns / 1e6:.3f}"


def by_level(title: str, measured: list[CaseResult]) -> Section:
    """The totals at each level."""
    found = scores(measured)
    rows = []
    for level, score in found.items():
        named, proved = coverage(measured, level)
        rows.append(
            [
                level, str(score.cases), percent(score.named()), percent(score.proved()),
                percent(score.calibration("proved")), core_ms(score.by_proof["proved"][False]),
                percent(score.calibration("consistent")), percent(named), percent(proved),
            ]
        )  # fmt: skip
    head = [
        "level", "cases", "answered %", "proved %", "right of proved %", "wrong and proved, core-ms",
        "right of consistent %", "any cause %", "any proved %",
    ]  # fmt: skip
    how = (
        "Wasted core-time of lasting, persistent and recurrent episodes. Answered, proved, right: of the question that"
        " the fault decides. Any cause: an answer to `not_moved_because`, or one to `placed_by` that is some fault's."
    )
    return Section(title, how, head, rows)


def by_cause(level: str, score: Score) -> Section:
    """Precision and recall of each cause, and what it was taken for."""
    rows = []
    for answer in sorted({label for label, _ in score.confusion}):
        other: Counter[str] = Counter()
        for (label, answered), ns in score.confusion.items():
            if label == answer and answered != answer:
                other[answered] += ns
        total = sum(ns for (label, _), ns in score.confusion.items() if label == answer)
        taken = ", ".join(
            f"{answered} {percent(ns / total)}" for answered, ns in other.most_common(3) if ns > 0.005 * total
        )
        rows.append([answer, percent(score.precision(answer)), percent(score.recall(answer)), taken or "–"])
    how = "Precision: of what was given this answer; recall: of what has it as its label. By wasted core-time."
    return Section(f"Causes at {level}", how, ["cause", "precision %", "recall %", "taken for (%)"], rows)


def wrong(measured: list[CaseResult], levels: tuple[str, ...]) -> Section:
    """The heaviest mistakes of each kind of proof, by rule."""
    found = [(key, ns) for key, ns in mistakes(measured).items() if key[0] in levels]
    found.sort(key=lambda one: (one[0][3] != "proved", -one[1]))
    proved = sum(key[3] == "proved" for key, _ in found)
    rows = [[*key, core_ms(ns)] for key, ns in found[: proved + MISTAKES]]
    how = f"All wrong answers that are marked proved, and the {MISTAKES} heaviest of the others."
    return Section("Mistakes", how, ["level", "fault", "answer", "proof", "rule", "core-ms"], rows)


def by_fault(level: str, measured: list[CaseResult]) -> Section:
    """How each fault fared at a level."""
    rows = []
    for fault in LABELS:
        of = [m for m in measured if m.case.fault == fault]
        kept = [m for m in of if m.dropped is None]
        score = scores(kept).get(level, Score())
        share = score.right_ns() / score.examined_ns if score.examined_ns else None
        machines = sorted({str(m.case.machine) for m in kept})
        rows.append([fault, str(len(kept)), " ".join(machines), percent(share), percent(score.proved())])
    how = f"Cases whose waste goes away with the fault; shares of their wasted core-time. {NOT_COUNTED}"
    return Section(f"Faults at {level}", how, ["fault", "cases", "machines", "right %", "proved %"], rows)


def held_out(measured: list[CaseResult], levels: tuple[str, ...]) -> list[Section]:
    """The faults that are held out: all of them, and each, at each level."""
    head = ["fault", "level", "cases", "answered %", "proved %", "right of proved %", "right of consistent %",
            "right %", "answered (%)"]  # fmt: skip
    how = (
        "Wasted core-time of lasting, persistent and recurrent episodes, of the question that the fault decides."
        f" Right: of all of it, unknown counting as not right. {NOT_COUNTED} What is right was written down before the"
        " first run (`bench/attribution/README.md`)."
    )
    sections = [Section("Held out", how, head), Section("Held out, by fault", "As above.", head)]
    for fault in (None, *(name for name in HELD_OUT if any(m.case.fault == name for m in measured))):
        of = [m for m in measured if m.dropped is None and fault in (None, m.case.fault)]
        found = scores(of)
        for level in levels:
            score = found.get(level, Score())
            answered: Counter[str] = Counter()
            for one in (one for m in of for one in m.answered if one.level == level):
                given = one.answers.get(HELD_OUT[str(one.case.fault)].question, Counter())
                for (answer, _), ns in given.items():
                    answered[answer] += ns
            share = score.right_ns() / score.examined_ns if score.examined_ns else None
            most = ", ".join(f"{a} {percent(ns / score.examined_ns)}" for a, ns in answered.most_common(4) if ns)
            sections[fault is not None].add(
                fault or "all", level, str(score.cases), percent(score.named()), percent(score.proved()),
                percent(score.calibration("proved")), percent(score.calibration("consistent")), percent(share),
                most or "–",
            )  # fmt: skip
    return sections


def held_out_machines(measured: list[CaseResult], levels: tuple[str, ...]) -> Section:
    """Machines that are held out, by the kind of fault."""
    head = ["machine", "faults", "level", "cases", "answered %", "proved %", "right of proved %",
            "wrong and proved, core-ms", "right of consistent %", "right %"]  # fmt: skip
    how = (
        "Columns as above. Known: all faults that are not held out, those that are counted apart among them; of either"
        f" kind seeds {HELD_OUT_SEEDS[0]} to {HELD_OUT_SEEDS[-1]}."
    )
    section = Section("Machines that are held out", how, head)
    for machine in (None, *HELD_OUT_MACHINES):
        for kind, of_kind in (("held out", set(HELD_OUT)), ("known", set(LABELS))):
            kept = (m for m in measured if m.dropped is None and m.case.fault in of_kind)
            found = scores([m for m in kept if machine in (None, m.case.machine)])
            for level in levels:
                score = found.get(level, Score())
                section.add(
                    machine or "all", kind, level, str(score.cases), percent(score.named()), percent(score.proved()),
                    percent(score.calibration("proved")), core_ms(score.by_proof["proved"][False]),
                    percent(score.calibration("consistent")),
                    percent(score.right_ns() / score.examined_ns if score.examined_ns else None),
                )  # fmt: skip
    return section


def controls(measured: list[CaseResult]) -> Section:
    """What was answered of cases without a fault."""
    rows = []
    for name in dict.fromkeys(m.case.name for m in measured if m.case.fault is None):
        last = [m.answered[-1] for m in measured if m.case.name == name and m.case.fault is None]
        answered: Counter[str] = Counter()
        for one in last:
            for (answer, _), ns in one.answers.get("not_moved_because", Counter()).items():
                answered[answer] += ns
        worst = max(one.examined_ns for one in last)
        text = ", ".join(f"{answer} {ns / 1e9:.4f} core-s" for answer, ns in answered.most_common(3))
        rows.append([name, str(len(last)), f"{worst / 1e9:.4f}", text or "–"])
    how = "No fault: what could be wasted is excused, or lasts no longer than a kernel's own pace."
    return Section(
        "Controls", how, ["control", "runs", "lasting waste, core-s (most)", "answers to not_moved_because"], rows
    )


def run(todo: list[Case], levels: tuple[str, ...]) -> tuple[list[CaseResult], str]:
    """Measures the cases side by side; with a line about how many, how long and what was dropped."""
    began = time.monotonic()
    measured: list[CaseResult] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for one in pool.map(partial(measure, levels=levels), todo, chunksize=1):
            measured.append(one)
            if sys.stderr.isatty():
                print(f"\r{len(measured)} of {len(todo)} cases", end="", file=sys.stderr, flush=True)
    why = Counter(m.dropped.split(":")[0] for m in measured if m.dropped is not None)
    dropped = "; ".join(f"{count} × {reason}" for reason, count in why.items()) or "none"
    return measured, f"{len(measured)} cases in {time.monotonic() - began:.0f} s; dropped: {dropped}."


def acting_together(measured: list[together.Outcome]) -> list[Section]:
    """Faults that act together: by scenario or pair, and all of them."""
    head = ["faults", "cases", "wasted, core-s", "stays without, %", "needed", "placed by, right %",
            "not moved because, right %", "wrong and proved, core-ms", "of another fault", "either %"]  # fmt: skip
    how = (
        f"At {together.LEVEL}. Waste of all seeds and machines; what stays of it with each of the faults repaired."
        " Needed: the faults whose repair alone leaves less than a tenth; where there is none, each of two is enough to"
        " waste cores, and the answer of either is right (of more than two none is counted). Right: of the questions"
        f" that the needed faults decide, unknown counting as not right. {NOT_COUNTED} Wrong: of no fault in force."
        " What provokes the first of a pair may have others in force besides: proved answers of faults that were not"
        " needed are counted apart (core-ms), since whether they let the waste happen was not asked. Either: of what"
        " two needed decisions wasted, how much the checker says either would have prevented."
    )
    section = Section("Faults that act together", how, head)
    kept = [m for m in measured if m.dropped is None]
    for name in [*dict.fromkeys(m.case.name() for m in kept), None]:
        of = [m for m in kept if name in (None, m.case.name())]
        score = together.TogetherScore()
        for outcome in of:
            score.add(outcome)
        wasted = sum(m.wasted_ns for m in of)
        stays: Counter[str] = Counter()
        for m in of:
            stays.update({fault: share * m.wasted_ns for fault, share in zip(m.faults, m.stays, strict=True)})
        needed = Counter(
            " and ".join(m.needed()) or ("each is enough" if len(m.faults) == 2 else "none alone") for m in of
        )
        right = (
            percent(score.right_ns[question] / score.asked_ns[question]) if score.asked_ns[question] else "–"
            for question in ("placed_by", "not_moved_because")
        )
        either = percent(score.either_ns / score.either_asked_ns) if score.either_asked_ns else "–"
        section.add(
            name or "all", str(len(of)), f"{wasted / 1e9:.2f}",
            ", ".join(f"{fault} {percent(ns / max(1, wasted))}" for fault, ns in stays.items()) if name else "–",
            ", ".join(f"{who} {count}×" for who, count in needed.most_common()) if name else "–",
            *right, core_ms(score.proved_wrong_ns), core_ms(score.other_fault_ns), either,
        )  # fmt: skip
    return [section]


def run_together(todo: list[together.Together]) -> tuple[list[together.Outcome], str]:
    """Measures them side by side; with a line about what was dropped."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        measured = list(pool.map(together.measure, todo, chunksize=1))
    why = Counter(m.dropped.split(":")[0] for m in measured if m.dropped is not None)
    dropped = "; ".join(f"{count} × {reason}" for reason, count in why.items()) or "none"
    return measured, f"{len(measured)} cases; dropped: {dropped}."


def known(measured: list[CaseResult], levels: tuple[str, ...], whole: bool) -> list[Section]:
    """The faults that the rules' author knows; `whole`: all of them, and the controls."""
    tuned = [m for m in measured if m.case.fault not in APART]
    apart = [m for m in measured if m.case.fault in APART]
    sections = [by_level("Attribution", tuned)]
    if any(m.dropped is None for m in apart):
        sections.append(by_level(f"Attribution, faults counted apart ({', '.join(sorted(APART))})", apart))
    sections += [by_cause(level, score) for level, score in scores(tuned).items() if level in levels[-2:]]
    sections.append(by_fault(levels[-1], measured))
    sections.append(wrong(measured, (levels[0], levels[-1])))
    return [*sections, controls(measured)] if whole else sections


def proved_wrong_ns(measured: list[CaseResult]) -> int:
    """Core-time whose answer is proved and wrong, at all levels."""
    return sum(score.by_proof["proved"][False] for score in scores(measured).values())


def main() -> int:
    """Command line; returns the exit status: 1 where something is proved and wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="only the faults that are held out")
    parser.add_argument("--together", action="store_true", help="only faults that act together")
    parser.add_argument("--fault", action="append", choices=LABELS | HELD_OUT)
    parser.add_argument("--machine", action="append")
    parser.add_argument("--seeds", default=f"{SEEDS[0]}-{SEEDS[-1]}", help="as in 1-5")
    parser.add_argument("--level", action="append", choices=LEVELS)
    parser.add_argument("--quick", action="store_true", help="one machine and one seed; nothing is kept")
    options = parser.parse_args()
    if any((fault in HELD_OUT) != options.held_out for fault in options.fault or ()):
        parser.error("--held-out is for the faults that are held out, and only for these")
    first, _, last = options.seeds.partition("-")
    seeds = range(1, 2) if options.quick else range(int(first), int(last or first) + 1)
    machines = options.machine or (("2n8",) if options.quick else MACHINES)
    levels = tuple(options.level or LEVELS)
    keep = not (options.quick or options.fault or options.machine or options.level)
    at = revision()

    def publish(name: str, title: str, sections: list[Section], note: str) -> None:
        text = "\n".join(section.markdown() for section in sections) + f"\n{note}\n"
        print(text, flush=True)
        if keep:
            head = f"# {title}\n\n`make attribution`, see `bench/attribution/`; at revision {at}.\n\n"
            (RESULTS / f"{name}.md").write_text(head + text, encoding="utf-8")

    whole = not (options.held_out or options.together or options.fault)
    false_ns = 0
    if options.together or whole:
        of_keynote = [case for case in together.cases() if case.seed == 1 and case.scenario]
        outcomes, note = run_together(of_keynote if options.quick else together.cases())
        score = together.TogetherScore()
        for outcome in (o for o in outcomes if o.dropped is None):
            score.add(outcome)
        false_ns += score.proved_wrong_ns
        publish("together", "Attribution, faults that act together", acting_together(outcomes), note)
    if not (options.held_out or options.together):
        measured, note = run(cases(options.fault, machines, seeds), levels)
        false_ns += proved_wrong_ns(measured)
        publish("attribution", "Attribution", known(measured, levels, options.fault is None), note)
    if options.held_out or whole:
        measured, note = run(cases(options.fault or HELD_OUT, machines, seeds), levels)
        false_ns += proved_wrong_ns(measured)
        sections = held_out(measured, levels)
        if keep:
            todo = cases((*HELD_OUT, *LABELS), HELD_OUT_MACHINES, HELD_OUT_SEEDS)
            measured, of_machines = run(todo, ("L2",))
            false_ns += proved_wrong_ns(measured)
            sections += [held_out_machines(measured, ("L2",)), wrong(measured, ("L2",))]
            note = f"{note} Machines that are held out: {of_machines}"
        publish("held_out", "Attribution, held out", sections, note)
    if false_ns:
        print(f"{core_ms(false_ns)} core-ms are proved and wrong", file=sys.stderr)
    return int(false_ns > 0)


if __name__ == "__main__":
    raise SystemExit(main())
