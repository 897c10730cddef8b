"""Why the threads of a selected range waited: the wait ledger of the range, summed over their cgroups."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from wastenot.analyzer import Trace
from wastenot.analyzer.errors import WindowTooLarge
from wastenot.analyzer.model.cgroup_names import label_of
from wastenot.analyzer.store.checking import Progress
from wastenot.schemas.generated.enums import EXCUSE_WORDS, WAIT_REASON_WORDS
from wastenot.web.models import SelectedReason, SelectedReasons, WaitedFor

NAMED = 5
"""Cgroups or excuses that are named for a reason: those with most of it."""


def reasons_of(
    trace: Trace,
    begin: int,
    until: int,
    cpus: Sequence[int] = (),
    utids: Sequence[int] = (),
    progress: Progress | None = None,
) -> SelectedReasons:
    """Of the waits on some CPUs or of some threads between two instants; of none: of all."""
    try:
        waits = trace.waits_in_window(begin, until, cpus, utids, progress)
    except WindowTooLarge:
        return SelectedReasons(start_ns=begin, end_ns=until, reasons=None, refuted_ns=0)
    total: Counter[str] = Counter()
    parts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in waits.ledger.rows():
        total[row["reason"]] += row["wait_ns"]
        if row["excuse"] is not None:
            parts[row["reason"]][EXCUSE_WORDS[row["excuse"]]] += row["wait_ns"]
        elif row["culprit"] is not None:
            parts[row["reason"]][label_of(row["culprit_cgroup_id"], row["culprit"])] += row["wait_ns"]
    return SelectedReasons(
        start_ns=begin,
        end_ns=until,
        refuted_ns=waits.refuted_ns,
        reasons=[
            SelectedReason(
                reason=reason,
                wait_ns=total[reason],
                of=[WaitedFor(name=name, wait_ns=part) for name, part in parts[reason].most_common(NAMED)],
                others=max(len(parts[reason]) - NAMED, 0),
            )
            for reason in sorted(filter(total.__getitem__, WAIT_REASON_WORDS), key=lambda reason: -total[reason])
        ],
    )
