"""Jobs and missed deadlines as the page shows them: the JSON of the command, its sentences, the jobs of a window."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc
from wastenot.analyzer.deadlines import Deadlines, DeclaredTask, find_deadlines
from wastenot.analyzer.text import deadlines as words
from wastenot.analyzer.trace import Trace
from wastenot.web.library import OpenTrace

MOST_JOBS = 1_000_000
"""Jobs that are kept in memory, to be drawn; figures are of all."""

KEPT_WALKS = 4
"""Sets of declared tasks of one trace whose figures are kept."""

LAXITY_BINS = 48
"""Parts of equal length of the recording for which the page draws the least laxity of each task."""

DRAWN = (
    "utid", "activation_ns", "deadline_ns", "end_ns", "missed", "tardiness_ns", "laxity_min_ns", "run_ns",
    "overrun_ns", "throttles", "ended_by", "fault",
)  # fmt: skip
"""Columns of a job that is drawn."""


@dataclass(frozen=True)
class FoundDeadlines:
    """What a walk over a trace has found: `answer` for people, `jobs` in the order of their activations.

    None where the jobs are more than `MOST_JOBS`.
    """

    answer: dict[str, Any]
    jobs: pa.Table | None
    longest_ns: int
    """From the activation of a job to its deadline or end, at most."""


@dataclass(frozen=True)
class JobsOfWindow:
    """Jobs in the order of their activations: the missed ones alone where all are too many; `truncated`: even these."""

    rows: pa.Table
    missed_only: bool
    truncated: bool


class DeadlineWalks:
    """The walks over a trace that were made last, by declared tasks; each is made once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[tuple[DeclaredTask, ...], FoundDeadlines] = OrderedDict()

    def find(self, trace: Trace, tasks: Sequence[DeclaredTask]) -> FoundDeadlines:
        """That of these tasks. A second request for it waits for the first."""
        key = tuple(tasks)
        with self._lock:
            found = self._found.get(key)
            if found is None:
                found = self._found[key] = _found(find_deadlines(trace, tasks))
            self._found.move_to_end(key)
            while len(self._found) > KEPT_WALKS:
                self._found.popitem(last=False)
            return found


_MAKING = threading.Lock()


def walks_of(opened: OpenTrace) -> DeadlineWalks:
    """The walks over an open trace."""
    with _MAKING:
        return cast(DeadlineWalks, opened.kept.setdefault("deadlines", DeadlineWalks()))


def _found(found: Deadlines) -> FoundDeadlines:
    if len(found.jobs) > MOST_JOBS:
        return FoundDeadlines(deadlines_answer(found), None, 0)
    jobs = found.jobs.arrow().select(list(DRAWN)).sort_by([("activation_ns", "ascending"), ("utid", "ascending")])
    # One that was under way as the recording ended is drawn up to there.
    jobs = jobs.append_column("fault_words", _in_words(jobs["fault"]))
    until = pc.max_element_wise(pc.fill_null(jobs["end_ns"], found.report["end_ns"]), jobs["deadline_ns"])
    longest = pc.max(pc.subtract(until, jobs["activation_ns"])).as_py() if jobs.num_rows else 0
    return FoundDeadlines(deadlines_answer(found), jobs.append_column("until_ns", until), longest)


def _in_words(faults: pa.ChunkedArray) -> pa.ChunkedArray:
    """Names of faults in words: those of the distinct values alone are looked up."""
    chunks = faults.unify_dictionaries().chunks
    texts = [
        pa.array([words.FAULT_WORDS[name] for name in chunk.dictionary.to_pylist()], pa.string()) for chunk in chunks
    ]
    found = [pa.DictionaryArray.from_arrays(c.indices, text) for c, text in zip(chunks, texts, strict=True)]
    return pa.chunked_array(found, pa.dictionary(pa.uint8(), pa.string()))


def jobs_in(found: FoundDeadlines, start: int, end: int, limit: int) -> JobsOfWindow | None:
    """The jobs that touch a window, from release to deadline or end, at most `limit`; None where none are kept."""
    if found.jobs is None:
        return None
    activations = found.jobs["activation_ns"]
    near = found.jobs.filter(pc.and_(pc.less(activations, end), pc.greater(activations, start - found.longest_ns - 1)))
    rows = near.filter(pc.greater(near["until_ns"], start))
    missed_only = rows.num_rows > limit
    if missed_only:
        rows = rows.filter(rows["missed"])
    return JobsOfWindow(rows.slice(0, limit).drop_columns(["until_ns"]), missed_only, rows.num_rows > limit)


def deadlines_answer(found: Deadlines) -> dict[str, Any]:
    """What `web.deadlines_models.Deadlines` is made of: the object of `deadlines --json` with words beside it."""
    r = found.to_json()
    laxity = laxity_over_time(found.jobs.arrow(), r["start_ns"], r["end_ns"])
    return r | {
        "figures": [{"name": name, "value": value} for name, value in words.figures_of(found)] if r["tasks"] else [],
        "faults_found": [
            {"fault": fault, "count": count, "words": words.FAULT_WORDS[fault],
             "sentence": words.FAULT_SENTENCES[fault], "repair": repair}
            for (fault, count), (_, repair) in zip(found.faults(), words.advice(found), strict=True)
        ],
        "tasks": [
            task | {"words": words.reservation_words(task), "laxity_ns": laxity.get(task["utid"], [])}
            for task in r["tasks"]
        ],
        "misses": [_miss(miss) for miss in r["misses"]],
        "root_domains": [root | {"words": _root_words(root)} for root in r["root_domains"]],
        "edf": _edf(r["edf"]),
        "locks": _locks(r["locks"]),
        "not_covered": words.not_covered_words(r["root_domains"]),
    }  # fmt: skip


def laxity_over_time(jobs: pa.Table, start: int, end: int) -> dict[int, list[int | None]]:
    """By utid the least laxity (ns) of the jobs that ended in each of `LAXITY_BINS` equal parts of a recording.

    None where none ended; one that was late already as the recording ended counts in the last part.
    """
    ended = pc.fill_null(jobs["end_ns"], end)
    at = pc.divide(
        pc.multiply(pc.cast(pc.subtract(ended, start), pa.float64()), float(LAXITY_BINS)), float(end - start)
    )
    bins = pc.cast(pc.floor(at), pa.int64(), safe=False)
    bins = pc.max_element_wise(pc.min_element_wise(bins, LAXITY_BINS - 1), 0)
    table = pa.table({"utid": jobs["utid"], "bin": bins, "laxity": jobs["laxity_min_ns"]})
    found: dict[int, list[int | None]] = {}
    for row in table.group_by(["utid", "bin"]).aggregate([("laxity", "min")]).to_pylist():
        found.setdefault(row["utid"], [None] * LAXITY_BINS)[row["bin"]] = row["laxity_min"]
    return found


def _miss(miss: dict[str, Any]) -> dict[str, Any]:
    kept_by = [of | {"words": words.kept_by_words(of)} for of in miss["kept_by"]]
    return miss | {"kept_by": kept_by, "fault_words": words.fault_words(miss), "loss_words": words.main_loss(miss)}


def _edf(edf: dict[str, Any]) -> dict[str, Any]:
    longest = [row | {"words": words.instead_words(row)} for row in edf["longest"]]
    return edf | {"longest": longest, "words": words.passed_over_words(edf), "bound_ns": words.bound_of(edf, "lasting")}


def _locks(locks: dict[str, Any]) -> dict[str, Any]:
    def worded(row: dict[str, Any]) -> dict[str, Any]:
        lock, holder = words.lock_row_words(row)
        return row | {"lock_words": lock, "holder_words": holder}

    longest = locks["longest_inversion"]
    return locks | {
        "longest": [worded(row) for row in locks["longest"]],
        "longest_inversion": None if longest is None else worded(longest),
        "words": words.lock_waits_words(locks),
    }


def _root_words(root: dict[str, Any]) -> dict[str, str]:
    cpus, _, _, bound, guaranteed, partitioned = words.root_domain_cells(root)
    return {"cpus": cpus, "bound": bound, "guaranteed": guaranteed, "partitioned": partitioned}
