"""Faults of a real kernel: what the checker says of recordings whose cause is known, since it was switched on.

`make rig-faults` records each fault of `fixtures/rig/faults` in guests, off and on in the same boot; this reads the
recordings (out/rig/FAULT-KERNEL-faults-CPUS/{off,on,newidle}-N), prints tables and keeps them in
`bench/results/kernel_faults.md`. With `--kept` it reads the recordings that are kept as fixtures instead, one of each
fault and kernel, and keeps `bench/results/kernel_faults_kept.md`: what the rules at hand say of them.

`python -m bench.attribution.kernel_faults [--out out/rig] [--keep] [--fault F]... [--kernel K]...`
`python -m bench.attribution.kernel_faults --kept [--keep]`
"""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from wastenot.analyzer.text.causes import answer_words

from bench.attribution import recordings, second_reading
from bench.attribution.__main__ import RESULTS, core_ms, percent
from bench.attribution.corpus import ALL_PAIRS, GOES_AWAY, Answers, Case, proved_rows, read_answers
from bench.attribution.labels import Label
from bench.attribution.score import NOT_COUNTED, UNKNOWN, Score, is_of_another_step, is_right
from bench.report import Section, revision

SCENARIOS = Path(__file__).parents[2] / "fixtures/rig/faults/scenarios"
KEPT = Path(__file__).parents[2] / "fixtures/traces/kernel-faults"
KERNELS = ("6.1", "6.12", "7.3")
CUT_OFF = tuple(
    f"newidle did not run{why}" for why in (" (cut off)", ": idle too short", ": wakeup pending", ": no CPU overloaded")
)
"""Answers that say that a CPU about to idle did not look for work."""


def header(fault: str, name: str) -> str | None:
    """A line of the header of a fault's scenario."""
    return recordings.header(SCENARIOS / fault, name)


def faults() -> list[str]:
    """All that have a scenario."""
    return sorted(path.name for path in SCENARIOS.iterdir())


def label_of(fault: str) -> Label:
    """The right answers, which the header of the scenario names."""
    label = recordings.label_of(SCENARIOS / fault)
    assert label is not None, fault
    return label


def right_answers(fault: str, on: list[Answers], newidle_s: float | None) -> Label:
    """The right answers to recordings with the fault: what ends waste by itself as it is taken away, which is measured.

    `newidle_s`: core-seconds wasted where CPUs about to idle balance; None: not measured. That they did not look is
    right where at least as much goes away as they look as is answered so.
    """
    label = label_of(fault)
    if not on or newidle_s is None or label.question != "not_moved_because":
        return label
    gone = 1 - newidle_s * 1e9 / (sum(a.wasted_ns for a in on) / len(on))
    answers = Counter[str]()
    for (answer, _), ns in (pair for a in on for pair in a.answers.get(label.question, Counter()).items()):
        answers[answer] += ns
    given = sum(answers[answer] for answer in CUT_OFF) / max(1, answers.total())
    return replace(label, answers=label.answers + CUT_OFF) if given <= gone else label


def proved_wrong(answered: Answers, label: Label) -> Counter[str]:
    """Wrong answers that are marked proved, core-ns."""
    given = answered.answers.get(label.question, Counter())
    return Counter(
        {
            answer: ns
            for (answer, proof), ns in given.items()
            if proof == "proved"
            and answer != UNKNOWN
            and not is_right(answer, label)
            and not is_of_another_step(answer, proof, [label])
        }
    )


def proved_wrong_not_shown_ns(answered: Answers, label: Label) -> int:
    """Of these what a second reading does not show to be true of the waits, core-ns."""
    not_shown = answered.not_shown if label.question == "not_moved_because" else answered.placed_not_shown
    return sum(min(ns, not_shown[answer]) for answer, ns in proved_wrong(answered, label).items())


@dataclass
class Outcome:
    """The recordings of a fault on a kernel: without it, with it, and which of the latter count.

    `newidle` is with the fault where CPUs about to idle look for work.
    """

    fault: str
    kernel: str
    off: list[Answers] = field(default_factory=list)
    on: list[Answers] = field(default_factory=list)
    newidle: list[Answers] = field(default_factory=list)
    parts: list[Path] = field(default_factory=list)
    """Of `on`."""

    @property
    def label(self) -> Label:
        """The right answers."""
        return right_answers(self.fault, self.counted(), self.newidle_s())

    def newidle_s(self) -> float | None:
        """Wasted core-seconds with the fault where CPUs about to idle balance: the most of any recording."""
        return max((a.wasted_ns / 1e9 for a in self.newidle), default=None)

    def off_s(self) -> float:
        """Wasted core-seconds without the fault: the most of any recording."""
        return max((a.wasted_ns for a in self.off), default=0) / 1e9

    def on_s(self) -> list[float]:
        """Wasted core-seconds of each recording with the fault."""
        return [a.wasted_ns / 1e9 for a in self.on]

    def dropped(self, with_fault: Answers) -> str | None:
        """Why a recording with the fault does not count."""
        if not self.off:
            return "no recording without the fault"
        if with_fault.examined_ns == 0:
            return "no lasting waste"
        if self.off_s() * 1e9 > GOES_AWAY * with_fault.wasted_ns:
            return "the waste does not go away with the fault"
        return None

    def counted(self) -> list[Answers]:
        """The recordings that count."""
        return [a for a in self.on if self.dropped(a) is None]

    def proved_wrong_beyond_off_ns(self) -> float:
        """Wrong and marked proved, of the recordings that count, beyond what gets the same answer without the fault."""
        label = self.label
        without: Counter[str] = Counter()
        for answered in self.off:
            without.update(proved_wrong(answered, label))
        beyond = 0.0
        for answered in self.counted():
            for answer, ns in proved_wrong(answered, label).items():
                beyond += max(0.0, ns - without[answer] / max(1, len(self.off)))
        return beyond

    def proved_wrong_not_shown_ns(self) -> int:
        """Wrong and marked proved, of the recordings that count, as far as a second reading does not show it."""
        label = self.label
        return sum(proved_wrong_not_shown_ns(answered, label) for answered in self.counted())

    def score(self) -> Score:
        """Of the recordings that count."""
        score = Score()
        for answered in self.counted():
            score.add(answered, self.label)
        return score


def check(part: Path, fault: str) -> Answers:
    """What is said of a recording, of the pairs that the fault concerns."""
    pairs = header(fault, "Pairs") or ALL_PAIRS
    with recordings.checked(part) as trace:
        answered = read_answers(trace, Case(fault, fault, None, 0), "L2", pairs)
        proved = [row for row in proved_rows(trace, pairs) if row["of_label"]]
        for answer, ns in second_reading.not_shown(trace, proved).items():
            answered.not_shown[answer_words("not_moved_because", answer)] += ns
        if label_of(fault).question == "placed_by":
            placed = [row for row in proved_rows(trace, pairs, "placed_by") if row["of_label"]]
            for answer, ns in second_reading.placements_not_shown(trace, placed).items():
                answered.placed_not_shown[answer_words("placed_by", answer)] += ns
        return answered


def measure(out: Path, only: list[str], kernels: list[str]) -> list[Outcome]:
    """Every recording below `out`, checked."""
    todo: list[tuple[str, str, str, Path]] = []
    for fault in only:
        for kernel in kernels:
            cpus = header(fault, "CPUs") or "8"
            for part in sorted((out / f"{fault}-{kernel}-faults-{cpus}").glob("*/T.duckdb.part")):
                todo.append((fault, kernel, part.parent.name, part))
    outcomes: dict[tuple[str, str], Outcome] = {}
    with ProcessPoolExecutor(2) as pool:
        checked = pool.map(check, [part for *_, part in todo], [fault for fault, *_ in todo])
        for (fault, kernel, run, part), answered in zip(todo, checked, strict=True):
            outcome = outcomes.setdefault((fault, kernel), Outcome(fault, kernel))
            kind = run.partition("-")[0]
            {"off": outcome.off, "on": outcome.on, "newidle": outcome.newidle}[kind].append(answered)
            if kind == "on":
                outcome.parts.append(part)
    return list(outcomes.values())


def by_fault(outcomes: list[Outcome]) -> Section:
    """Each fault on each kernel."""
    head = ["fault", "kernel", "runs", "waste on, core-s", "off", "newidle", "answered %", "right %", "unknown %",
            "proved %",
            "right of proved %", "wrong and proved, core-ms", "beyond off", "not shown", "answered (%)"]  # fmt: skip
    how = (
        "Runs: those that count, of those recorded with the fault; the waste of the others does not go away with it"
        " (more than a tenth stays). Waste: of all episodes, the least and the most of the recordings with the "
        "fault, the most of those without (where the fault concerns some pairs of CPUs only, a line of the "
        "scenario, of these pairs in lasting, persistent and recurrent episodes); newidle: the same with the fault "
        "where CPUs about to idle are let balance, which else are kept from it, or let look at once: where as much "
        "goes away with that as is answered so, that they did not look is right as well (–: not recorded). Shares: "
        "of lasting, persistent and recurrent episodes, of the question that the fault decides, of the pairs of "
        "CPUs that it concerns. Beyond off: of what is wrong and proved in a recording, what exceeds the same answer,"
        " proved, without the fault (its mean): so much of it may be no consequence of the fault, and true. Not shown:"
        " of it, what a second reading of the recorded events (bench/attribution/second_reading.py) does not show to be"
        " true of the waits, which may have had another reason than the fault."
        f" {NOT_COUNTED}"
    )
    section = Section("Faults", how, head)
    for outcome in outcomes:
        score = outcome.score()
        on = outcome.on_s()
        given: Counter[tuple[str, str]] = Counter()
        for answered in outcome.counted():
            given.update(answered.answers.get(outcome.label.question, Counter()))
        total = score.examined_ns + score.other_step_ns
        unknown = sum(ns for (answer, _), ns in given.items() if answer == UNKNOWN)
        most = ", ".join(f"{answer} ({proof}) {percent(ns / total)}" for (answer, proof), ns in given.most_common(4))
        counts = f"{len(outcome.counted())} of {len(on)}"
        newidle = "–" if (seconds := outcome.newidle_s()) is None else f"{seconds:.2f}"
        wasted = (f"{min(on):.2f} – {max(on):.2f}" if on else "–", f"{outcome.off_s():.2f}", newidle)
        if not total:
            section.add(outcome.fault, outcome.kernel, counts, *wasted, *["–"] * 9)
            continue
        section.add(
            outcome.fault, outcome.kernel, counts, *wasted, percent(score.named()),
            percent(score.right_ns() / score.examined_ns if score.examined_ns else None),
            percent(unknown / total), percent(score.proved()), percent(score.calibration("proved")),
            core_ms(score.by_proof["proved"][False]), core_ms(round(outcome.proved_wrong_beyond_off_ns())),
            core_ms(outcome.proved_wrong_not_shown_ns()), most,
        )  # fmt: skip
    return section


def totals(outcomes: list[Outcome], kernels: list[str]) -> Section:
    """All faults of a kernel."""
    head = ["kernel", "faults", "runs", "answered %", "right %", "proved %", "right of proved %",
            "wrong and proved, core-ms", "beyond off", "not shown", "right of consistent %",
            "proved, core-s", "of all proved not shown, core-ms", "of another step, core-ms"]  # fmt: skip
    section = Section(
        "Kernels",
        "Of the recordings that count, without waits of the kernel's threads; the columns are those of the next table."
        " The last three: all that is proved to *why did nothing move it*, right or wrong; what of it the second"
        " reading does not show; and what is not counted, since it is proved that another step than the fault's placed"
        " the thread.",
        head,
    )
    for kernel in kernels:
        of = [o for o in outcomes if o.kernel == kernel and o.counted()]
        score = Score()
        for outcome in of:
            for answered in outcome.counted():
                score.add(answered, outcome.label)
        if score.examined_ns:
            section.add(
                kernel, str(len(of)), str(score.cases), percent(score.named()),
                percent(score.right_ns() / score.examined_ns), percent(score.proved()),
                percent(score.calibration("proved")), core_ms(score.by_proof["proved"][False]),
                core_ms(round(sum(outcome.proved_wrong_beyond_off_ns() for outcome in of))),
                core_ms(sum(outcome.proved_wrong_not_shown_ns() for outcome in of)),
                percent(score.calibration("consistent")),
                *of_all_proved(of), core_ms(score.other_step_ns),
            )  # fmt: skip
    return section


def of_all_proved(outcomes: list[Outcome]) -> tuple[str, str]:
    """Of answers to *not_moved_because* of recordings that count: proved, core-s, and of it not shown, core-ms."""
    proved = not_shown = 0
    for answered in (a for outcome in outcomes for a in outcome.counted()):
        given = answered.answers.get("not_moved_because", Counter())
        proved += sum(ns for (answer, proof), ns in given.items() if proof == "proved" and answer != UNKNOWN)
        not_shown += answered.not_shown.total()
    return f"{proved / 1e9:.2f}", core_ms(not_shown)


def simulated(cause: str) -> tuple[str, str]:
    """Precision and recall of a cause in the simulator, from the kept results."""
    text = (RESULTS / "attribution.md").read_text(encoding="utf-8").partition("## Causes at L2")[2]
    for line in text.partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == cause:
            return cells[1], cells[2]
    return "–", "–"


def by_cause(outcomes: list[Outcome], kernels: list[str]) -> Section:
    """Precision and recall, beside those of the simulator."""
    head = ["cause"]
    scores: list[Score] = []
    for kernel in kernels:
        score = Score()
        for outcome in (o for o in outcomes if o.kernel == kernel):
            for answered in outcome.counted():
                score.add(answered, outcome.label)
        scores.append(score)
        head += [f"{kernel}: precision %", "recall %", "right %"]
    head += ["simulated: precision %", "recall %"]
    how = (
        "Precision: of what was given this answer, or one that counts as it; recall: of what has it as its label (the"
        " first of those that the scenario names as right) the share that was given just this answer; right: given it"
        " or another one that is right, as waits between attempts have. By wasted core-time. Simulated:"
        " bench/results/attribution.md at L2, where recall counts all that is right; faults that are held out there"
        " have no row in it."
    )
    section = Section("Causes", how, head)
    for cause in sorted({outcome.label.answers[0] for outcome in outcomes}):
        cells = [
            percent(share)
            for score in scores
            for share in (score.precision(cause), score.exact_recall(cause), score.recall(cause))
        ]
        section.add(cause, *cells, *simulated(cause))
    return section


def wrong(outcomes: list[Outcome]) -> Section:
    """Wrong answers, those that are marked proved first."""
    found: dict[tuple[str, str, str, str, str], tuple[float, float]] = {}
    for outcome in outcomes:
        counted, question = outcome.counted(), outcome.label.question
        given: Counter[tuple[str, str, str]] = Counter()
        without: Counter[tuple[str, str, str]] = Counter()
        for answered in counted:
            given.update(answered.rules.get(question, Counter()))
        for answered in outcome.off:
            without.update(answered.rules.get(question, Counter()))
        for (answer, proof, rule), ns in given.items():
            other_step = is_of_another_step(answer, proof, [outcome.label])
            if answer != UNKNOWN and not is_right(answer, outcome.label) and not other_step:
                each = ns / len(counted), without[(answer, proof, rule)] / len(outcome.off)
                found[(outcome.fault, outcome.kernel, answer, proof, rule)] = each
    how = (
        "Answers that are not right, per recording that counts, from 1 core-ms on; beside them what the recording"
        " without the fault got of the same answer: so much of it may be no consequence of the fault, and true."
    )
    section = Section("Mistakes", how, ["fault", "kernel", "answer", "proof", "rule", "core-ms", "without the fault"])
    for key, (with_fault, off) in sorted(found.items(), key=lambda one: (one[0][3] != "proved", -one[1][0])):
        if with_fault >= 1e6:
            section.add(*key, f"{with_fault / 1e6:.0f}", f"{off / 1e6:.0f}")
    return section


def keep(outcomes: list[Outcome], folder: Path) -> None:
    """Copies the first recording of each that counts into a folder, with `measured.tsv`.

    It has how much was right in each, and what was wrong and marked proved.
    """
    rows = ["recording\tnewidle_core_s\tright_percent\twrong_proved_core_ms\n"]
    before, folder = folder, folder.with_name(f"{folder.name}.new")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for outcome in outcomes:
        counted = (of for of in zip(outcome.parts, outcome.on, strict=True) if outcome.dropped(of[1]) is None)
        part, answered = next(counted, (None, None))
        if part is None or answered is None:
            continue
        name = f"{outcome.fault}-{outcome.kernel}"
        shutil.copytree(part, folder / f"{name}.part")
        score = Score()
        score.add(answered, right_answers(outcome.fault, [answered], outcome.newidle_s()))
        right = 100 * score.right_ns() / score.examined_ns
        newidle = "" if (seconds := outcome.newidle_s()) is None else f"{seconds:.2f}"
        rows.append(f"{name}\t{newidle}\t{right:.1f}\t{score.by_proof['proved'][False] / 1e6:.1f}\n")
    (folder / "measured.tsv").write_text("".join(rows), encoding="ascii")
    if len(rows) == 1:
        shutil.rmtree(folder)
        raise SystemExit("no recording counts; what was kept stays")
    shutil.rmtree(before, ignore_errors=True)
    folder.rename(before)


def of_kept(folder: Path = KEPT) -> Section:
    """What is said of the recordings that are kept, one of each fault and kernel, which counted when they were made."""
    head = ["fault", "kernel", "examined, core-s", "answered %", "right %", "answered so %", "proved %",
            "right of proved %", "wrong and proved, core-ms", "answered (%)"]  # fmt: skip
    how = (
        "One recording with each fault; without it less than a tenth as much was wasted when they were recorded."
        " Columns as in kernel_faults.md; answered so: with the first of the right answers."
    )
    section = Section("Kept recordings", how, head)
    with (folder / "measured.tsv").open(encoding="ascii") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    names = [str(row["recording"]) for row in rows]
    with ProcessPoolExecutor(2) as pool:
        parts = [folder / f"{name}.part" for name in names]
        checked = list(pool.map(check, parts, [name.rpartition("-")[0] for name in names]))
    both = Score()
    for row, name, answered in zip(rows, names, checked, strict=True):
        fault, _, kernel = name.rpartition("-")
        newidle = float(row["newidle_core_s"]) if row["newidle_core_s"] else None
        label = right_answers(fault, [answered], newidle)
        score = Score()
        score.add(answered, label)
        both.add(answered, label)
        given = Counter(answered.answers.get(label.question, Counter())).most_common(3)
        total = score.examined_ns + score.other_step_ns
        section.add(
            fault, kernel, f"{total / 1e9:.2f}", percent(score.named()), percent(score.right_ns() / score.examined_ns),
            percent(score.exact_recall(label.answers[0])), percent(score.proved()),
            percent(score.calibration("proved")), core_ms(score.by_proof["proved"][False]),
            ", ".join(f"{answer} ({proof}) {percent(ns / total)}" for (answer, proof), ns in given),
        )  # fmt: skip
    section.add(
        "all", "", f"{(both.examined_ns + both.other_step_ns) / 1e9:.2f}", percent(both.named()),
        percent(both.right_ns() / both.examined_ns), "", percent(both.proved()), percent(both.calibration("proved")),
        core_ms(both.by_proof["proved"][False]), "",
    )  # fmt: skip
    return section


def main() -> int:
    """Checks what was recorded and prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.attribution.kernel_faults", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/rig"))
    parser.add_argument(
        "--keep",
        action="store_true",
        help="write bench/results/kernel_faults.md, with --fault or --kernel kernel_faults_FAULT_KERNEL.md",
    )
    parser.add_argument(
        "--fixtures", type=Path, help="copy a recording of each that counts into this folder, made anew"
    )
    parser.add_argument("--fault", action="append", choices=faults())
    parser.add_argument("--kernel", action="append", choices=KERNELS)
    parser.add_argument(
        "--kept", action="store_true", help="the recordings that are kept as fixtures, by the rules at hand"
    )
    options = parser.parse_args()
    if options.kept:
        text = of_kept().markdown()
        print(text)
        if options.keep:
            head = (
                "# Attribution, faults of real kernels: kept recordings\n\n`python -m bench.attribution.kernel_faults"
                f" --kept --keep`: fixtures/traces/kernel-faults, checked at revision {revision()}.\n\n"
            )
            (RESULTS / "kernel_faults_kept.md").write_text(head + text, encoding="utf-8")
        return 0
    kernels = options.kernel or list(KERNELS)
    if options.fixtures and (options.fault or options.kernel):
        parser.error("--fixtures replaces all of them: without --fault and --kernel")
    outcomes = measure(options.out, options.fault or faults(), kernels)
    if options.fixtures:
        keep(outcomes, options.fixtures)
    sections = [totals(outcomes, kernels), by_fault(outcomes), by_cause(outcomes, kernels), wrong(outcomes)]
    why = Counter(
        f"{o.fault} on {o.kernel}: {reason}" for o in outcomes for a in o.on if (reason := o.dropped(a)) is not None
    )
    dropped = "; ".join(f"{count} × {reason}" for reason, count in why.items()) or "none"
    text = "\n".join(section.markdown() for section in sections) + f"\nDropped: {dropped}.\n"
    print(text)
    if options.keep:
        head = (
            "# Attribution, faults of real kernels\n\n`make rig-faults`, see `fixtures/rig/README.md`. Debian's Linux"
            f" with faults that are switched on, in guests under QEMU (TCG); checked at revision {revision()}.\n\n"
        )
        name = "_".join(["kernel_faults", *(options.fault or ()), *(options.kernel or ())])
        (RESULTS / f"{name}.md").write_text(head + text, encoding="utf-8")
    false_ns = sum(outcome.proved_wrong_not_shown_ns() for outcome in outcomes)
    if false_ns:
        print(f"{core_ms(false_ns)} core-ms are proved, wrong, and not shown to be true", file=sys.stderr)
    return int(false_ns > 0)


if __name__ == "__main__":
    raise SystemExit(main())
