"""Messages between processes, as a workload has them: a process posts to its network, which delivers after a while.

A process that waits for its messages waits for its own to be sent as well, as `mpi_waitall` does: so each iteration
of each process ends with a sleep, however short.
"""

from __future__ import annotations

from collections.abc import Sequence


def objects(ranks: Sequence[str]) -> str:
    """What the processes and their networks wait for."""
    boxes = [f"objects.{name}_{rank} = {{ semaphore = {{ }} }}" for rank in ranks for name in ("send", "box")]
    return "\n".join(boxes)


def exchange(rank: str, partners: Sequence[str]) -> str:
    """Steps of a process: it sends to its partners, and waits for its own messages and theirs."""
    waits = f'{{ repeat = {{ times = {len(partners) + 1}, body = [{{ wait = "box_{rank}" }}] }} }}'
    return f'{{ post = "send_{rank}" }}, {waits}, "iteration"'


def networks(ranks: Sequence[str], partners: dict[str, Sequence[str]], latency_us: int) -> tuple[str, str]:
    """Programs and threads that deliver what each process sends."""
    programs, threads = [], []
    for rank in ranks:
        posts = ", ".join(f'{{ post = "box_{to}" }}' for to in (rank, *partners[rank]))
        programs.append(
            f'programs.net_{rank} = [{{ repeat = {{ body = [{{ wait = "send_{rank}" }}, '
            f'{{ sleep = "{latency_us}us" }}, {posts}] }} }}]'
        )
        threads.append(f'  {{ program = "net_{rank}", placed = "0-3", policy = {{ fifo = 1 }}, background = true }},')
    return "\n".join(programs), "\n".join(threads)
