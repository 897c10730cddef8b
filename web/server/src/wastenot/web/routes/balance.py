"""The balance of parallel programs: applications, their ranks, iterations, and what to do."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from wastenot.analyzer.balance.measuring import Selection
from wastenot.web.balance import balance_answer
from wastenot.web.balance_models import Balance
from wastenot.web.trace_request import RequestedDetails

router = APIRouter(prefix="/traces/{id}", tags=["balance"])

Glob = Annotated[
    str | None,
    Query(min_length=1, max_length=1000, description="Threads or processes with such a name, as in 'bt-mz*'."),
]
CgroupPath = Annotated[
    str | None, Query(min_length=1, max_length=4096, description="Threads of this cgroup and of those below it.")
]
BubbleId = Annotated[
    int | None, Query(ge=0, le=(1 << 31) - 1, description="Threads of this bubble and of those in it.")
]


@router.get("/balance", response_model=Balance)
async def balance(
    asked: RequestedDetails, app: Glob = None, cgroup: CgroupPath = None, bubble: BubbleId = None
) -> Response:
    """How evenly the ranks of parallel programs work: the object of `wastenot balance --json` with its words, what each
    rank did in each iteration as cells, and that of `wastenot advise --json`. Without a selection: what looks like a
    parallel program."""
    found = await asked.on_trace(lambda trace: balance_answer(trace, Selection(app, cgroup, bubble)))
    return await asked.json(lambda: Balance.model_validate(found))
