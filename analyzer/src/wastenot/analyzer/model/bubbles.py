"""Bubbles of a trace: the three trees, and where declared ones were at any instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wastenot._native.replay import BubbleTimeline
from wastenot.analyzer.deferred import pa
from wastenot.analyzer.errors import BadArgument, NotChecked
from wastenot.analyzer.model.trees import TREES
from wastenot.analyzer.result import Queryable, Result


def tree_of(trace: Queryable, asked: str | None) -> str:
    """The tree asked for; by default the declared one where something was declared, else the natural one."""
    if not trace.sql("SELECT 1 FROM bubble LIMIT 1"):
        raise NotChecked(trace.path)
    if asked is None:
        declared = trace.sql("SELECT 1 FROM bubble WHERE bubble_tree_name(tree) = 'declared' LIMIT 1")
        return "declared" if declared else "natural"
    if asked not in TREES:
        raise BadArgument(f"bubbles {asked!r}: no such tree; one of {', '.join(TREES)}")
    return asked


@dataclass(frozen=True)
class BubbleTree:
    """The bubbles of one tree (rows of `bubble`) and what belongs to them (rows of `bubble_member`)."""

    tree: str
    bubbles: Result
    members: Result


def read_tree(trace: Queryable, asked: str | None) -> BubbleTree:
    """One tree with names instead of codes."""
    tree = tree_of(trace, asked)
    which = "bubble_tree_name(tree) = $tree"
    bubbles = trace.sql(
        "SELECT * EXCLUDE (tree) REPLACE (bubble_kind_name(kind) AS kind, holder_name(burst_level) AS burst_level) "
        f"FROM bubble WHERE {which} ORDER BY bubble_id",
        {"tree": tree},
    )
    members = trace.sql(
        f"SELECT m.* FROM bubble_member m JOIN bubble b USING (bubble_id) WHERE {which} ORDER BY ALL", {"tree": tree}
    )
    return BubbleTree(tree, bubbles, members)


class BubbleReplay:
    """Where the threads and bubbles of the declared tree were: any instant at once, and what moves in between."""

    def __init__(self, rows: pa.Table) -> None:
        """From the rows of `entity_holder`."""
        self._timeline = BubbleTimeline(rows)

    def state(self, at_ns: int) -> pa.Table:
        """The rows of `entity_holder` under way at `at_ns`, threads first; the end of the trace has its last state."""
        return _table(self._timeline.state(at_ns))

    def moves(self, start_ns: int, end_ns: int, limit: int = 2**31) -> tuple[pa.Table, bool]:
        """What changes from `start_ns` up to `end_ns` (not part of it), in order; and whether that was all.

        Columns: ts_ns, id (of the event), utid or bubble_id; holder, holder_id, state, priority from then on (holder
        NULL: it has ended); from_holder, from_holder_id, from_state (NULL: it starts). `state` at one instant and the
        moves up to another give the state there; from right to left, `from_*` takes back.
        """
        changes, whole = self._timeline.changes(start_ns, end_ns, limit)
        return _table(changes), whole


def _table(stream: Any) -> pa.Table:
    return pa.RecordBatchReader.from_stream(stream).read_all()
