"""Numbers and lists in requests: every one is bounded before anything is done with it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from wastenot._native import WastenotError
from wastenot._native.collector import parse_cpu_list
from wastenot.web.errors import WebError

MOST_NS = 1 << 62
"""Largest instant, in either direction: differences of two stay within 64 bits."""
MOST_ID = (1 << 63) - 1
"""Largest number of an event, episode or thread that a column holds."""
MOST_ROWS = 200_000
"""Largest `limit` of a window."""

Limit = Annotated[
    int, Query(ge=1, le=MOST_ROWS, description="Rows at most; the metadata say `truncated` when there are more.")
]
Start = Annotated[
    int | None, Query(ge=-MOST_NS, le=MOST_NS, description="Start of the window, ns; default the trace's.")
]
End = Annotated[int | None, Query(ge=-MOST_NS, le=MOST_NS, description="End of the window, ns; default the trace's.")]
Instant = Annotated[int, Query(ge=-MOST_NS, le=MOST_NS, description="The instant, ns.")]
Cpus = Annotated[str, Query(pattern=r"^[0-9,\- ]*$", max_length=20_000, description="CPU list as 0-3,8; empty: all.")]
LaneKeys = Annotated[
    str,
    Query(
        pattern=r"^[tpcb]\d{1,19}(,[tpcb]\d{1,19})*$",
        max_length=5400,
        description=(
            "Lanes: t12 is thread utid 12, p3 all threads of process upid 3, c5 all threads of cgroup 5, b7 those of"
            " bubble 7."
        ),
    ),
]
Number = Annotated[int, Path(ge=-MOST_ID, le=MOST_ID)]
Side = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=255)]],
    Query(min_length=1, max_length=200, description="Ids of the traces of a side, one parameter each."),
]
BaseSide = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=255)]] | None,
    Query(
        max_length=200, description="Ids of the traces of the base, one parameter each; none where a baseline is given."
    ),
]
Baselines = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=255)]] | None,
    Query(
        max_length=20, description="Names of baselines, whose runs are of the base; api/compare/baselines lists them."
    ),
]
TraceId = Annotated[str, Query(min_length=1, max_length=255)]

AFFINITIES = 256
"""Most `affinity` parameters of an upload."""
Affinity = Annotated[
    list[Annotated[str, Query(max_length=1000)]] | None,
    Query(max_length=AFFINITIES, description="NAME=CPULIST, as `wastenot import --affinity` takes it."),
]


def cpu_list(text: str) -> list[int]:
    """`0-3,8` as numbers, ascending, each once; WebError for anything else."""
    try:
        return parse_cpu_list(text)
    except WastenotError as error:
        raise WebError(422, f"cpus: {error}") from None
