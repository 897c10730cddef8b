"""Whether declared masks can be meant: `--affinity NAME=CPULIST` fits a thread of the trace and CPUs of its machine."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from wastenot._native.collector import parse_cpu_list
from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.text.units import counted, cpu_list

SHOWN = 3
"""Names of threads that an error gives."""


def require_matching(con: duckdb.DuckDBPyConnection, affinity: Sequence[str]) -> None:
    """Raise BadArgument for a declaration that fits no thread, or that names CPUs which the machine does not have.

    `con` has the raw tables of the trace; the texts were parsed before, by the reader. Source: thread_name (the names
    that the declarations are matched with), cpu.
    """
    if not affinity:
        return
    names = [name for (name,) in con.execute("SELECT DISTINCT name FROM thread_name ORDER BY name").fetchall()]
    cpus = {cpu for (cpu,) in con.execute("SELECT cpu FROM cpu").fetchall()}
    for text in affinity:
        pattern, _, listed = text.rpartition("=")
        beyond = {*parse_cpu_list(listed)} - cpus
        if beyond:
            raise BadArgument(
                f"--affinity {text!r}: no CPU {cpu_list(beyond, 4)} in this trace, which has {cpu_list(cpus, 4)}; "
                "correct the list, or declare the machine it was taken on with --machine or --topology"
            )
        if not any(_glob(pattern).fullmatch(name) for name in names):
            like = difflib.get_close_matches(pattern.strip("*?"), names, SHOWN, 0.5)
            there = f"like it: {', '.join(like)}" if like else f"{counted(len(names), 'name')}, such as {_some(names)}"
            raise BadArgument(f"--affinity {text!r}: no thread of that name in this trace ({there}); correct NAME")


def _glob(pattern: str) -> re.Pattern[str]:
    """`*` any characters, `?` one; nothing else is special (collector/import/declared.rs)."""
    special = {"*": ".*", "?": "."}
    return re.compile("".join(special.get(c) or re.escape(c) for c in pattern), re.DOTALL)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) or "none"
