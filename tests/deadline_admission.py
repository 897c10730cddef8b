"""Admission of SCHED_DEADLINE threads (kernel/sched/deadline.c: sched_dl_overflow), for live tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BOUND = Path("/proc/sys/kernel/sched_rt_runtime_us")


@contextmanager
def without_bound() -> Iterator[None]:
    """Admit SCHED_DEADLINE threads of any bandwidth and affinity: sched_rt_runtime_us is -1."""
    before = BOUND.read_text()
    try:
        BOUND.write_text("-1")
    except OSError as e:
        pytest.skip(f"{BOUND}: {e.strerror}")
    try:
        yield
    finally:
        BOUND.write_text(before)
