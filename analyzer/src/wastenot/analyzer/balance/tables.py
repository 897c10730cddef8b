"""The tables `app`, `rank`, `iteration` and `rank_iteration`: what `wastenot balance` finds without options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.decomposition import PARTS, PLACE
from wastenot.analyzer.balance.measuring import balance_of
from wastenot.analyzer.result import Queryable


def balance_tables(trace: Queryable) -> dict[str, pa.Table]:
    """The rows of each table, of a trace that has all tables of a check. Raises NotChecked."""
    applications = balance_of(trace).applications
    return {
        "app": _joined(_application(a) for a in applications),
        "rank": _joined(_ranks(a) for a in applications),
        "iteration": _joined(_windows(a) for a in applications),
        "rank_iteration": _joined(_cells(a) for a in applications),
    }


def _joined(parts: Iterable[pa.Table]) -> pa.Table:
    found = list(parts)
    return pa.concat_tables(found, promote_options="permissive") if found else pa.table({})


def _is_visible(a: Application) -> bool:
    return a.state != "not_visible"


def _application(a: Application) -> pa.Table:
    computes = a.totals[:, PLACE["compute"]]
    of_balance = {
        "compute_ns": int(computes.sum()), "max_compute_ns": int(computes.max()), "lost_ns": round(a.lost_ns),
        "intrinsic_ns": round(a.intrinsic_ns), "extrinsic_ns": round(a.extrinsic_ns),
    }  # fmt: skip
    row = {
        "app": a.number, "name": a.crew.name, "kind": a.crew.kind, "found_by": a.crew.found_by,
        "launcher": a.crew.launcher, "evidence": a.evidence, "state": a.state, "ranks": len(a.ranks),
        "start_ns": a.start_ns, "end_ns": a.end_ns, "length_ns": a.length_ns,
        **{name: value if _is_visible(a) else None for name, value in of_balance.items()},
    }  # fmt: skip
    return pa.Table.from_pylist([row])


def _parts(values: Any) -> dict[str, Any]:
    """ns by the names of the columns; `values`: by part first."""
    return {f"{part}_ns": values[place] for place, part in enumerate(PARTS)}


def _ranks(a: Application) -> pa.Table:
    count = len(a.ranks)
    return pa.table(
        {
            "app": np.full(count, a.number),
            "rank": a.crew.numbers,
            "utid": np.array([r.rank.utid for r in a.ranks]),
            **_parts(np.stack([r.parts for r in a.ranks]).T),
            "avoidable_wait_ns": np.array([r.avoidable_ns for r in a.ranks]),
            "helpers_run_ns": np.array([r.rank.helpers_run_ns for r in a.ranks]),
        }
    )


def _windows(a: Application) -> pa.Table:
    f, count, windows = a.figures, len(a.ranks), len(a.bounds) - 1
    lengths = [s.end - s.first for s in a.segments]
    is_absent = ~a.observed if _is_visible(a) else np.ones(windows, np.bool_)
    of_balance = {
        "compute_ns": f.sum_compute, "max_compute_ns": f.max_compute, "lost_ns": np.rint(f.lost_n / count),
        "intrinsic_ns": np.rint(f.intrinsic_n / count), "extrinsic_ns": np.rint(f.extrinsic_n / count),
        "last_rank": a.crew.numbers[f.critical],
    }  # fmt: skip
    return pa.table(
        {
            "app": np.full(windows, a.number),
            "iteration": np.arange(1, windows + 1),
            "segment": np.repeat([s.number for s in a.segments], lengths),
            "kind": pa.array(np.repeat([s.kind for s in a.segments], lengths), pa.string()),
            "start_ns": a.bounds[:-1],
            "end_ns": a.bounds[1:],
            "observed": a.observed,
            **{name: pa.array(values.astype(np.int64), mask=is_absent) for name, values in of_balance.items()},
        }
    )


def _cells(a: Application) -> pa.Table:
    """Without rows where there are too many to be kept."""
    ranks, windows = (len(a.ranks), len(a.bounds) - 1) if a.detail is not None else (0, 0)
    values = np.zeros((len(PARTS), 0), np.int64) if a.detail is None else a.detail.transpose(1, 0, 2)
    return pa.table(
        {
            "app": np.full(ranks * windows, a.number),
            "rank": np.repeat(a.crew.numbers[:ranks], windows),
            "iteration": np.tile(np.arange(1, windows + 1), ranks),
            **_parts(values.reshape(len(PARTS), -1)),
        }
    )
