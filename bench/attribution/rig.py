"""Recordings of real kernels by the rig: what the checker says of them, kernel by kernel.

Scenarios of `fixtures/rig/scenarios` whose cause is known by how they were made say so in their headers: `Answer`
(right ones, `|` between them; to *not_moved_because*) and `Pairs` (an SQL condition: the pairs of CPUs and threads that
it is true of, where it is not all). `unknown` is counted of every recording.

`python -m bench.attribution.rig [--out out/rig] [--keep]`; without --out the recordings that are kept as fixtures.
`--keep` writes `bench/results/rig.md`.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from wastenot.analyzer.text.causes import answer_words

from bench.attribution import second_reading
from bench.attribution.__main__ import RESULTS, core_ms, percent
from bench.attribution.corpus import ALL_PAIRS, Answers, Case, proved_rows, read_answers
from bench.attribution.labels import Label
from bench.attribution.recordings import checked, header, label_of
from bench.attribution.score import UNKNOWN, Score, is_right
from bench.report import Section, revision

SCENARIOS = Path(__file__).parents[2] / "fixtures/rig/scenarios"
KEPT = Path(__file__).parents[2] / "fixtures/traces/rig"
NAME = re.compile(r"(.+)-(\d+\.\d+(?:-faults)?)-(\d+)")


def label(scenario: str, kernel: str | None = None) -> Label | None:
    """The right answers; None where the scenario decides no question."""
    return label_of(scenario_file(scenario), kernel)


def scenario_file(scenario: str) -> Path:
    """Its file; that of the part before @, which another sched_ext scheduler may follow (`fixtures/rig/run`)."""
    return SCENARIOS / scenario.partition("@")[0]


@dataclass
class Recording:
    """What is said of a recording.

    `of_all` and `of_pairs`: of all pairs, and of those that the label is about. `proved`: waste of all with a proved
    answer (core-ns), `not_shown` as far as a second reading does not show that it is true, `others_not_shown` the same
    of answers other than the label's to pairs that it is about.
    """

    scenario: str
    kernel: str
    cpus: str
    right: Label | None
    of_all: Answers
    of_pairs: Answers
    proved: Counter[str] = field(default_factory=Counter)
    not_shown: Counter[str] = field(default_factory=Counter)
    others_not_shown: int = 0


def check(scenario: str, kernel: str, cpus: str, part: Path) -> Recording:
    """Check a recording."""
    case, pairs = Case(scenario, scenario, None, 0), header(scenario_file(scenario), "Pairs") or ALL_PAIRS
    right = label(scenario, kernel)
    with checked(part) as trace:
        of_all = read_answers(trace, case, "L2", with_realtime=True)
        of = Recording(scenario, kernel, cpus, right, of_all, read_answers(trace, case, "L2", pairs))
        proved = proved_rows(trace, pairs)
        for row in proved:
            of.proved[row["answer"]] += row["weight_ns"]
        of.not_shown = second_reading.not_shown(trace, proved)
        if right is not None:
            others = [
                row
                for row in proved
                if row["of_label"] and not is_right(answer_words("not_moved_because", row["answer"]), right)
            ]
            of.others_not_shown = second_reading.not_shown(trace, others).total()
    return of


def recordings(out: Path | None) -> list[tuple[str, str, str, Path]]:
    """Scenario, kernel (7.3, 7.3-faults), CPUs and folder of each; of the fixtures, or of what lies in `out`.

    Not those of faults, which `kernel_faults` reads.
    """
    parts = KEPT.glob("*.part") if out is None else out.glob("*/T.duckdb.part")
    found = []
    for part in sorted(parts):
        name = part.stem if out is None else part.parent.name
        match = NAME.fullmatch(name)
        if match and scenario_file(match[1]).exists():
            found.append((match[1], match[2], match[3], part))
        elif out is None:
            raise ValueError(f"{part}: no scenario, kernel and CPUs by its name")
    return found


def unknown_share(of: Counter[tuple[str, str]]) -> float | None:
    """Of answers by answer and proof, the share that is unknown."""
    return sum(ns for (answer, _), ns in of.items() if answer == UNKNOWN) / of.total() if of else None


def sections(found: list[Recording]) -> list[Section]:
    """Kernel by kernel, each recording whose cause is known, and proved answers read a second time."""
    columns = ["examined, core-s", "right %", "unknown %", "proved %", "right of proved %",
               "another answer proved, core-ms", "of these not shown"]  # fmt: skip
    head = ["kernel", "recordings", "of all: examined, core-s", "unknown %", "of known cause"]
    how = (
        "Lasting, persistent and recurrent waste of all recordings, and of those whose cause is known by how they were"
        " made (where the scenario says so, of the pairs of CPUs and threads that it is true of): why nothing moved it."
        " Waits of threads of the kernel are left out. Right: of all of it, unknown counting as not right. No recording"
        " without the cause stands beside these, so that another answer that is proved may be true of single waits: a"
        " sched_ext scheduler is bypassed while it is loaded. Not shown: for which no second reading speaks, see the"
        " last table."
    )
    by_kernel = Section("Kernels", how, [*head, f"of these: {columns[0]}", *columns[1:]])
    one = Section(
        "Recordings of known cause",
        "The columns are those of above.",
        ["scenario", "kernel", "CPUs", *columns, "answered (%)"],
    )
    for kernel in sorted({of.kernel for of in found}, key=order):
        every: Counter[tuple[str, str]] = Counter()
        both, known, others = Score(), 0, 0
        asked: Counter[tuple[str, str]] = Counter()
        of_kernel = [of for of in found if of.kernel == kernel]
        for of in of_kernel:
            every.update(of.of_all.answers.get("not_moved_because", Counter()))
            given = of.of_pairs.answers.get("not_moved_because", Counter())
            if of.right is None or not given:
                continue
            known += 1
            others += of.others_not_shown
            score = Score()
            for sums in (score, both):
                sums.add(of.of_pairs, of.right)
            asked.update(given)
            most = ", ".join(f"{a} ({proof}) {percent(ns / given.total())}" for (a, proof), ns in given.most_common(3))
            one.add(of.scenario, kernel, of.cpus, *cells(score, given, of.others_not_shown), most)
        by_kernel.add(
            kernel, str(len(of_kernel)), f"{every.total() / 1e9:.2f}", percent(unknown_share(every)), str(known),
            *cells(both, asked, others),
        )  # fmt: skip
    return [by_kernel, one, read_twice(found)]


def read_twice(found: list[Recording]) -> Section:
    """Proved answers, and for how much of them a second reading shows that they are true."""
    proved: Counter[str] = sum((of.proved for of in found), Counter())
    missing: Counter[str] = sum((of.not_shown for of in found), Counter())
    how = (
        "Proved answers of all recordings, right ones or not, read a second time from events, apart from the rules"
        " (`bench/attribution/second_reading.py`): whether what the answer says is true of the waits. It does not say"
        " that this was the reason. A pair of CPUs has more time there than was charged to it where several CPUs were"
        " wasted at once, so that a part that is false may be covered by another one."
    )
    table = Section("Proved answers read twice", how, ["answer", "proved, core-s", "not shown, core-ms"])
    of = {answer: ns for answer, ns in proved.most_common() if answer in second_reading.CONDITIONS}
    for answer, ns in of.items():
        table.add(answer_words("not_moved_because", answer), f"{ns / 1e9:.2f}", core_ms(missing[answer]))
    table.add("all", f"{sum(of.values()) / 1e9:.2f}", core_ms(sum(missing[answer] for answer in of)))
    rest = [answer_words("not_moved_because", answer) for answer in proved if answer not in of]
    without = sum(proved.values()) - sum(of.values())
    table.add(f"not read twice: {', '.join(rest)}", f"{without / 1e9:.2f}", "–")
    return table


def order(kernel: str) -> tuple[bool, list[int]]:
    """Kernels as they are released, by their versions, before those with faults."""
    return kernel.endswith("-faults"), [int(number) for number in kernel.removesuffix("-faults").split(".")]


def cells(score: Score, given: Counter[tuple[str, str]], others_not_shown: int) -> list[str]:
    """What both tables have of recordings of known cause."""
    right = score.right_ns() / score.examined_ns if score.examined_ns else None
    return [
        f"{score.examined_ns / 1e9:.2f}", percent(right), percent(unknown_share(given)), percent(score.proved()),
        percent(score.calibration("proved")), core_ms(score.by_proof["proved"][False]), core_ms(others_not_shown),
    ]  # fmt: skip


def main() -> int:
    """Checks the recordings and prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.attribution.rig", description=__doc__)
    parser.add_argument("--out", type=Path, help="what the rig left here, as out/rig, not the fixtures")
    parser.add_argument("--keep", action="store_true", help="write bench/results/rig.md")
    options = parser.parse_args()
    todo = recordings(options.out)
    at = revision()
    with ProcessPoolExecutor(2) as pool:
        found = list(pool.map(check, *zip(*todo, strict=True)))
    text = "\n".join(section.markdown() for section in sections(found))
    print(text)
    if options.keep:
        of = f"what lies in {options.out}" if options.out else "fixtures/traces/rig"
        head = (
            "# Attribution, recordings of the rig\n\n`python -m bench.attribution.rig`, see `fixtures/rig/README.md`:"
            f" {of}, Debian's kernels in guests under QEMU (TCG); checked at revision {at}.\n\n"
        )
        (RESULTS / "rig.md").write_text(head + text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
