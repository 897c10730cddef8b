"""The tables of a trace by role, and the statements that make them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, get_args

from wastenot.schemas.generated.enums import BALANCE_TABLES, ON_DEMAND_TABLES, OVERVIEW_TABLES

if TYPE_CHECKING:
    import duckdb
    from wastenot.analyzer.errors import BadQuery

TableSet = Literal["verdict", "overview", "all", "balance"]
"""Which tables a trace has, each set with the former: what a verdict needs; what the trace is drawn from as a whole;
all that a check makes of the events; the balance of parallel programs, which is made of those."""

TABLE_SETS: tuple[TableSet, ...] = get_args(TableSet)

CHECKED_SETS: tuple[TableSet, ...] = TABLE_SETS[:-1]
"""Those that a check makes."""

MADE_LATER = (*ON_DEMAND_TABLES, *BALANCE_TABLES)
"""All tables that are made on demand."""

_ON_DEMAND: dict[TableSet, tuple[str, ...]] = {
    "verdict": (), "overview": OVERVIEW_TABLES, "all": ON_DEMAND_TABLES, "balance": MADE_LATER,
}  # fmt: skip

DERIVED_TABLES = (
    *BALANCE_TABLES,
    "attribution", "avoidable_wait", "bubble_member", "bubble_stat", "cgroup_wait", "checkpoint", "checkpoint_interval",
    "cpu_slice", "data_quality", "dl_job", "entity_holder", "episode", "episode_pair", "excuse_ledger", "migration",
    "runqueue", "thread_cpu", "thread_state", "tile_base", "tile_load", "tile_run", "verdict", "verdict_grade",
    "wasted", "wasted_cpu",
)  # fmt: skip
"""Tables that only the checker fills, or that are made of those."""

CHECKPOINT_TABLES = ("checkpoint", "checkpoint_interval")
"""From where a walk can be restarted. A file that was checked before they were written has none: walks over it begin at
its start."""

WINDOW_TABLES = ("avoidable_wait", "cpu_slice", "migration", "runqueue", "thread_state", "wasted", "wasted_cpu")
"""Tables of which the rows of a window can be made without the others."""

CHECKER_TABLES = (*DERIVED_TABLES, "bubble", "process", "thread")
"""Tables that a check replaces: the derived ones, and the entities that only reconstruction knows."""

CHECKER_ENTITIES = (
    "cgroup",
    "cpu",
    "domain",
    "domain_group",
    "evidence",
    "machine",
    "mask",
    "numa_node",
    "stack",
    "trace",
)
"""Entity tables that the checker reads beside the events."""

ENTITY_TABLES = (*CHECKER_ENTITIES, "bubble", "process", "thread")


@cache
def schema_sql() -> str:
    """The DuckDB statements that make an empty trace."""
    return files("wastenot.schemas").joinpath("generated").joinpath("schema.sql").read_text(encoding="utf-8")


def new_trace_sql() -> str:
    """The statements that make an empty trace without the tables that are made on demand."""
    made = (text for name, text in statements_by_table().items() if name not in MADE_LATER)
    return enumeration_macros() + "".join(made)


def enumeration_macros() -> str:
    """The statements that make the macros of the enumerations (`<enum>_name(code)`), anew where they are there."""
    return schema_sql().split("CREATE TABLE ", 1)[0]


@cache
def table_names() -> tuple[str, ...]:
    """All tables of a trace, in the order of their declaration."""
    starts = [line for line in schema_sql().splitlines() if line.startswith("CREATE TABLE ")]
    return tuple(line.removeprefix("CREATE TABLE ").removesuffix(" (") for line in starts)


@cache
def statements_by_table() -> dict[str, str]:
    """The statements that make each table, its comments included."""
    out = {}
    for part in schema_sql().split("CREATE TABLE ")[1:]:
        out[part.split(" (", 1)[0]] = "CREATE TABLE " + part
    return out


@cache
def _columns() -> dict[str, int]:
    """How many columns each table has."""
    return {name: statement.count("\n  ") for name, statement in statements_by_table().items()}


def missing_tables(con: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Tables that a file of this schema version lacks because it was made before they, or some of the columns of tables
    that only the checker fills, were added. Those that are made on demand, and checkpoints, may be absent."""
    there = _columns_there(con)
    return tuple(
        name
        for name in table_names()
        if (name not in there and name not in (*MADE_LATER, *CHECKPOINT_TABLES))
        or (name in DERIVED_TABLES and there.get(name, _columns()[name]) < _columns()[name])
    )


def tables_on_demand(tables: TableSet) -> tuple[str, ...]:
    """Tables of a set that are made on demand."""
    return _ON_DEMAND[tables]


def set_with(table: str) -> TableSet:
    """The smallest set that has a table which is made on demand."""
    if table in BALANCE_TABLES:
        return "balance"
    return "overview" if table in OVERVIEW_TABLES else "all"


class MissedTables:
    """What one query missed so far, each time after `make` had made it or found it there."""

    def __init__(self, make: Callable[[TableSet], bool]) -> None:
        """`make` makes a set of tables; True when one was not there."""
        self._make, self._was_there = make, False

    def make(self, table: str, refusal: BadQuery) -> None:
        """Make the set with the table that the query missed. Call it when the error is gone: it keeps the file open.

        Raises `refusal` where the query missed it twice although it was there: `temp.cpu_slice` is not the trace's
        table. Once may be chance: another process has made it meanwhile, or put a trace without it in place.
        """
        was_there = not self._make(set_with(table))
        if was_there and self._was_there:
            raise refusal
        self._was_there = was_there


def tables_not_made(con: duckdb.DuckDBPyConnection, tables: TableSet = "all") -> tuple[str, ...]:
    """Tables of a set that are made on demand and that the file does not have."""
    there = _columns_there(con)
    return tuple(name for name in _ON_DEMAND[tables] if name not in there)


def tables_made(con: duckdb.DuckDBPyConnection) -> TableSet:
    """The largest set of which the file lacks nothing."""
    return next(tables for tables in reversed(TABLE_SETS) if not tables_not_made(con, tables))


_ABSENT = re.compile(r"Table with name \"?(\w+)\"? does not exist")


def not_made(error: Exception) -> str | None:
    """The table that is made on demand and that DuckDB did not find, as its error says; None for other errors."""
    name = _absent(error)
    return name if name in MADE_LATER else None


def came_later(error: Exception) -> str | None:
    """The table of traces that DuckDB did not find, since the file is from before it came; None for other errors."""
    name = _absent(error)
    return name if name in table_names() and name not in MADE_LATER else None


def _absent(error: Exception) -> str | None:
    found = _ABSENT.search(str(error))
    return found[1].casefold() if found else None


def _columns_there(con: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Columns of each table of the file; windows of it are databases of their own."""
    sql = "SELECT table_name, column_count FROM duckdb_tables() WHERE database_name = current_database()"
    return dict(con.execute(sql).fetchall())


@cache
def event_tables() -> tuple[str, ...]:
    """Tables of raw events, which share one order, their `id`."""
    return tuple(t for t in table_names() if t not in ENTITY_TABLES and t not in DERIVED_TABLES)
