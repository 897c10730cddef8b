"""The tables of a trace by role, and the statements that make them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

DERIVED_TABLES = (
    "cpu_slice", "episode", "episode_pair", "grade_total", "ledger", "migration", "runqueue", "summary",
    "thread_state", "trust", "wasted",
)  # fmt: skip
"""Tables that only the checker fills."""

CHECKER_TABLES = (*DERIVED_TABLES, "process", "thread")
"""Tables that a check replaces: the derived ones, and the entities that only reconstruction knows."""

CHECKER_ENTITIES = ("cgroup", "cpu", "domain", "machine", "mask", "numa_node", "trace")
"""Entity tables that the checker reads beside the events."""

ENTITY_TABLES = (*CHECKER_ENTITIES, "process", "stack", "thread")


@cache
def schema_sql() -> str:
    """The DuckDB statements that make an empty trace."""
    return files("wastenot.schemas").joinpath("generated").joinpath("schema.sql").read_text(encoding="utf-8")


@cache
def table_names() -> tuple[str, ...]:
    """All tables of a trace, in the order of their declaration."""
    starts = [line for line in schema_sql().splitlines() if line.startswith("CREATE TABLE ")]
    return tuple(line.removeprefix("CREATE TABLE ").removesuffix(" (") for line in starts)


@cache
def event_tables() -> tuple[str, ...]:
    """Tables of raw events, which share one order, their `id`."""
    return tuple(t for t in table_names() if t not in ENTITY_TABLES and t not in DERIVED_TABLES)
