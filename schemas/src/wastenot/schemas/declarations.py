"""The declared vocabulary, read from `schemas/tables/*.toml` and `schemas/enums.toml`.

One file per table: columns with type, unit, nullability and meaning, and the source of the facts.
Everything else (DDL, Arrow schemas, TypeScript, reference pages) is generated from what is read here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from wastenot.schemas.errors import DeclarationError
from wastenot.schemas.records import Record, read_records

OnDemand = Literal["overview", "details", "balance"]
Kind = Literal["event", "entity", "derived"]
KINDS: tuple[Kind, ...] = ("event", "entity", "derived")
TYPES = ("i64", "i32", "i16", "u8", "bool", "text", "bytes", "list_i16", "list_i32", "list_i64", "list_text")


@dataclass(frozen=True)
class Enum:
    """A named list of values stored as their position (UTINYINT).

    `words`, where declared, has a text for people per value; code compares the value, never the text. `sentences`
    has a clause per value for a diagnosis: "they were woken there". One that is declared as `followed_by` another
    enumeration has that one's values and words behind its own, without those for which the other's `needs` names what
    they rest on; `followed_by` names the other, and what each of its values rests on. `lists` are some of the values,
    in an order of their own, by name.
    """

    name: str
    doc: str
    source: str
    values: tuple[str, ...]
    words: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    followed_by: tuple[str, dict[str, str]] | None = None
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """One column: `type` is one of `TYPES`; `enum` names the enumeration of a u8 or (by name) text or list_text.

    Of event tables: `refers` says what the value is the id of; `interned`, that the text is of a small closed set;
    `narrow` is the Rust type in which sources have the value, where that is smaller than the column's.
    """

    name: str
    type: str
    doc: str
    unit: str | None = None
    nullable: bool = False
    enum: str | None = None
    refers: Literal["mask", "stack", "cgroup", "balance_attempt"] | None = None
    interned: bool = False
    narrow: str | None = None


@dataclass(frozen=True)
class Table:
    """One table. Event tables start with `id` and `ts_ns`.

    `words` of an event table is a SQL expression over its row `e` that says in words what happened; never NULL.
    `words_join` joins what the words need of other tables. Columns from `counters_from` on are counters of one kind.
    A table made `on_demand` follows from the events and is not needed for a verdict: the file has it from when it is
    first asked for. Those of the overview are small and can be made without the details, those of the balance are made
    from the details.
    """

    name: str
    kind: Kind
    doc: str
    source: str
    columns: tuple[Column, ...]
    words: str = ""
    words_join: str = ""
    counters_from: str = ""
    on_demand: OnDemand | None = None

    def counters(self) -> tuple[Column, ...]:
        """The columns from `counters_from` on."""
        names = [c.name for c in self.columns]
        return self.columns[names.index(self.counters_from) :] if self.counters_from else ()

    @property
    def is_span(self) -> bool:
        """Its events have a duration, and `ts_ns` is their start."""
        return any(c.name in ("dur_ns", "end_ns") for c in self.columns)

    @property
    def is_referred_to(self) -> bool:
        """Events of other tables refer to its events."""
        return self.name == "balance_attempt"


@dataclass(frozen=True)
class Vocabulary:
    """All declarations, tables in the order event, entity, derived and then by name."""

    enums: tuple[Enum, ...]
    tables: tuple[Table, ...]
    records: tuple[Record, ...] = ()

    def table(self, name: str) -> Table:
        """The table called `name`; raises KeyError when there is none."""
        return {t.name: t for t in self.tables}[name]

    def names(self) -> list[str]:
        """Names of all tables."""
        return [t.name for t in self.tables]

    def of_kind(self, kind: Kind) -> list[Table]:
        """The tables of one kind."""
        return [t for t in self.tables if t.kind == kind]


def read_declarations(folder: Path) -> Vocabulary:
    """Read `enums.toml`, `records.toml` and `tables/*.toml` below `folder`; raises DeclarationError."""
    with (folder / "enums.toml").open("rb") as f:
        declared = tomllib.load(f)
    enums = tuple(_enum(folder / "enums.toml", name, e, declared) for name, e in declared.items())
    tables = [_read_table(path, {e.name for e in enums}) for path in sorted((folder / "tables").glob("*.toml"))]
    tables.sort(key=lambda t: (KINDS.index(t.kind), t.name))
    return Vocabulary(enums, tuple(tables), read_records(folder / "records.toml"))


def _enum(path: Path, name: str, raw: dict[str, Any], declared: dict[str, dict[str, Any]]) -> Enum:
    other = raw.get("followed_by", "")
    following = declared.get(other, {})
    if other and not following:
        raise DeclarationError(f"{path}: {name}: followed by {other!r}, which is not declared")
    needs, following_values = following.get("needs", {}), following.get("values", ())

    def with_following(key: str) -> tuple[str, ...]:
        """The texts of the own values and those of the following ones that are values of their own here."""
        follow = zip(following_values, following.get(key, ()), strict=False)
        return (*raw.get(key, ()), *(text for value, text in follow if value not in needs))

    values = with_following("values")
    texts = {key: with_following(key) for key in ("words", "sentences")}
    for key, of in texts.items():
        if of and len(of) != len(values):
            raise DeclarationError(
                f"{path}: {name}: {len(values)} values and {len(of)} {key}; give each value its {key}"
            )
    rests_on = {value: needs.get(value, value) for value in following_values}
    if unknown := {*needs} - {*following_values} | {*rests_on.values()} - {*values}:
        raise DeclarationError(f"{path}: {other}: needs names {', '.join(sorted(unknown))}, which is not declared")
    lists = {key: tuple(of) for key, of in raw.get("lists", {}).items()}
    if unknown := {value for of in lists.values() for value in of} - {*values}:
        raise DeclarationError(f"{path}: {name}: lists name {', '.join(sorted(unknown))}, which is not a value")
    followed_by = (other, rests_on) if other else None
    return Enum(name, raw["doc"], raw["source"], values, **texts, followed_by=followed_by, lists=lists)


def _read_table(path: Path, enums: set[str]) -> Table:
    with path.open("rb") as f:
        raw = tomllib.load(f)
    if raw["name"] != path.stem:
        raise DeclarationError(f"{path}: table is called {raw['name']!r}; call it like its file")
    if raw["kind"] not in KINDS:
        raise DeclarationError(f"{path}: kind {raw['kind']!r}; one of {', '.join(KINDS)}")
    columns = tuple(Column(**c) for c in raw["columns"])
    for c in columns:
        if c.type not in TYPES:
            raise DeclarationError(f"{path}: column {c.name}: type {c.type!r}; one of {', '.join(TYPES)}")
        if c.enum is not None and (c.type not in ("u8", "text", "list_text") or c.enum not in enums):
            why = f"enum {c.enum!r} is not declared, or the type is none of u8, text and list_text"
            raise DeclarationError(f"{path}: column {c.name}: {why}")
    if raw["kind"] == "event" and [c.name for c in columns[:2]] != ["id", "ts_ns"]:
        raise DeclarationError(f"{path}: an event table starts with id and ts_ns")
    words = raw.get("words", "")
    if (raw["kind"] == "event") != bool(words):
        raise DeclarationError(
            f"{path}: an event table, and no other, has `words`: SQL that says what its row `e` means"
        )
    counters_from = raw.get("counters_from", "")
    if counters_from and counters_from not in {c.name for c in columns}:
        raise DeclarationError(f"{path}: counters_from names {counters_from!r}, which is not one of its columns")
    join = raw.get("words_join", "")
    on_demand = raw.get("on_demand")
    if on_demand not in (None, "overview", "details", "balance"):
        raise DeclarationError(f"{path}: on_demand is {on_demand!r}; it is overview, details or balance")
    if on_demand and raw["kind"] == "event":
        raise DeclarationError(f"{path}: an event table is not made on demand: nothing else has its rows")
    return Table(raw["name"], raw["kind"], raw["doc"], raw["source"], columns, words, join, counters_from, on_demand)
