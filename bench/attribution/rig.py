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
from pathlib import Path

from bench.attribution.__main__ import RESULTS, core_ms, percent
from bench.attribution.corpus import ALL_PAIRS, Answers, Case, read_answers
from bench.attribution.labels import Label
from bench.attribution.recordings import checked, header, label_of
from bench.attribution.score import UNKNOWN, Score
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


def check(part: Path, scenario: str) -> tuple[Answers, Answers]:
    """What is said of a recording: of all pairs, and of those that the label is about."""
    case, pairs = Case(scenario, scenario, None, 0), header(scenario_file(scenario), "Pairs")
    with checked(part) as trace:
        of_all = read_answers(trace, case, "L2", with_realtime=True)
        return of_all, read_answers(trace, case, "L2", pairs or ALL_PAIRS)


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


def sections(found: list[tuple[str, str, str, Answers, Answers]]) -> list[Section]:
    """Kernel by kernel, and each recording whose cause is known."""
    head = ["kernel", "recordings", "of all: examined, core-s", "unknown %", "of known cause",
            "of these: examined, core-s", "right %", "unknown %", "proved %", "right of proved %",
            "another answer proved, core-ms"]  # fmt: skip
    how = (
        "Lasting, persistent and recurrent waste of all recordings, and of those whose cause is known by how they were"
        " made (where the scenario says so, of the pairs of CPUs and threads that it is true of): why nothing moved it."
        " Waits of threads of the kernel are left out. Right: of all of it, unknown counting as not right. No recording"
        " without the cause stands beside these, so that another answer that is proved may be true of single waits: a"
        " sched_ext scheduler is bypassed while it is loaded."
    )
    by_kernel = Section("Kernels", how, head)
    one = Section(
        "Recordings of known cause",
        "The columns are those of above.",
        ["scenario", "kernel", "CPUs", "examined, core-s", "right %", "unknown %", "proved %", "right of proved %",
         "another answer proved, core-ms", "answered (%)"],
    )  # fmt: skip
    for kernel in sorted({kernel for _, kernel, *_ in found}, key=order):
        every: Counter[tuple[str, str]] = Counter()
        both, known = Score(), 0
        asked: Counter[tuple[str, str]] = Counter()
        of_kernel = [of for of in found if of[1] == kernel]
        for scenario, _, cpus, of_all, of_pairs in of_kernel:
            every.update(of_all.answers.get("not_moved_because", Counter()))
            right = label(scenario, kernel)
            given = of_pairs.answers.get("not_moved_because", Counter())
            if right is None or not given:
                continue
            known += 1
            score = Score()
            for sums in (score, both):
                sums.add(of_pairs, right)
            asked.update(given)
            most = ", ".join(f"{a} ({proof}) {percent(ns / given.total())}" for (a, proof), ns in given.most_common(3))
            one.add(scenario, kernel, cpus, *cells(score, given), most)
        by_kernel.add(
            kernel, str(len(of_kernel)), f"{every.total() / 1e9:.2f}", percent(unknown_share(every)), str(known),
            *cells(both, asked),
        )  # fmt: skip
    return [by_kernel, one]


def order(kernel: str) -> tuple[bool, list[int]]:
    """Kernels as they are released, by their versions, before those with faults."""
    return kernel.endswith("-faults"), [int(number) for number in kernel.removesuffix("-faults").split(".")]


def cells(score: Score, given: Counter[tuple[str, str]]) -> list[str]:
    """What both tables have of recordings of known cause."""
    right = score.right_ns() / score.examined_ns if score.examined_ns else None
    return [
        f"{score.examined_ns / 1e9:.2f}", percent(right), percent(unknown_share(given)), percent(score.proved()),
        percent(score.calibration("proved")), core_ms(score.by_proof["proved"][False]),
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
        answers = pool.map(check, [part for *_, part in todo], [scenario for scenario, *_ in todo])
        found = [(*of[:3], *said) for of, said in zip(todo, answers, strict=True)]
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
