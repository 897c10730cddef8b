"""What of the waste in the rig's recordings has no answer: by kernel and question.

`python -m bench.rig_answers [--captures out/rig/now]` checks each recording of a run of the rig (`make rig`) anew and
prints a table; of lasting, persistent and recurrent episodes, as `bench/attribution` counts them.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench.attribution.__main__ import percent
from bench.attribution.corpus import OUTERMOST
from bench.attribution.recordings import checked
from bench.report import Section

QUESTIONS = ("placed_by", "not_moved_because", "ended_by")
LEAST_NS = 50_000_000
"""Recordings with more waste are named where much of how it came about, or why it lasted, is unknown."""
UNKNOWN_SHARE_NAMED = 0.05


def unanswered_waste(recording: Path) -> tuple[str, dict[str, tuple[int, int]]]:
    """Name of a recording; of each question, waste and how much of it has no answer, core-ns."""
    with checked(recording / "T.duckdb.part") as trace:
        rows = trace.sql(
            f"""
            SELECT
                question_name(question) AS question,
                sum(weight_ns)::BIGINT AS ns,
                coalesce(sum(weight_ns) FILTER (answer = 'unknown'), 0)::BIGINT AS unknown_ns
            FROM attribution JOIN ({OUTERMOST}) USING (episode_id)
            WHERE chosen
            GROUP BY ALL"""
        ).rows()
    return recording.name, {row["question"]: (row["ns"], row["unknown_ns"]) for row in rows}


def main() -> int:
    """Checks the recordings and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.rig_answers", description=__doc__)
    parser.add_argument("--captures", type=Path, default=Path("out/rig/now"))
    options = parser.parse_args()
    recordings = [path for path in sorted(options.captures.glob("*")) if (path / "T.duckdb.part").is_dir()]
    if not recordings:
        raise SystemExit(f"no recording below {options.captures}: make rig")
    wasted, without = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    kernels, named = Counter[str](), []
    with ProcessPoolExecutor(2) as pool:
        for name, found in pool.map(unanswered_waste, recordings):
            kernel = name.rsplit("-", 2)[1] + (", sched_ext" if name.startswith("scx-") else "")
            kernels[kernel] += 1
            for question, (ns, unknown_ns) in found.items():
                wasted[kernel, question] += ns
                without[kernel, question] += unknown_ns
                if question != "ended_by" and ns > LEAST_NS and unknown_ns > UNKNOWN_SHARE_NAMED * ns:
                    named.append(f"{name} {question} {percent(unknown_ns / ns)} % of {ns / 1e9:.2f} core-s")
    head = ["kernel", "recordings", "wasted, core-s", *(f"{question}: unknown %" for question in QUESTIONS)]
    section = Section("Unknown", "Of lasting, persistent and recurrent episodes.", head)
    for kernel, count in kernels.items():
        of = [(wasted[kernel, question], without[kernel, question]) for question in QUESTIONS]
        shares = (percent(missing / ns) if ns else "–" for ns, missing in of)
        section.add(kernel, str(count), f"{of[0][0] / 1e9:.2f}", *shares)
    print(section.markdown())
    listed = "; ".join(named) or "none"
    print(f"Above {UNKNOWN_SHARE_NAMED:.0%} of more than {LEAST_NS / 1e9} core-s, of the first two: {listed}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
