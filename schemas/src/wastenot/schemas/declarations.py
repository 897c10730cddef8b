"""The declared vocabulary, read from `schemas/tables/*.toml` and `schemas/enums.toml`.

One file per table: columns with type, unit, nullability and meaning, and the source of the facts.
Everything else (DDL, Arrow schemas, TypeScript, reference pages) is generated from what is read here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["event", "entity", "derived"]
KINDS: tuple[Kind, ...] = ("event", "entity", "derived")
TYPES = ("i64", "i32", "i16", "u8", "bool", "text", "list_i16", "list_i32", "list_i64", "list_text")


class DeclarationError(ValueError):
    """A declaration file is wrong; the message names the file, the column and the mend."""


@dataclass(frozen=True)
class Enum:
    """A named list of values stored as their position (UTINYINT)."""

    name: str
    doc: str
    source: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """One column: `type` is one of `TYPES`; `enum` names the enumeration of a u8 column."""

    name: str
    type: str
    doc: str
    unit: str | None = None
    nullable: bool = False
    enum: str | None = None


@dataclass(frozen=True)
class Table:
    """One table. Event tables start with `id` and `ts_ns`."""

    name: str
    kind: Kind
    doc: str
    source: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Vocabulary:
    """All declarations, tables in the order event, entity, derived and then by name."""

    enums: tuple[Enum, ...]
    tables: tuple[Table, ...]

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
    """Read `enums.toml` and `tables/*.toml` below `folder`; raises DeclarationError."""
    with (folder / "enums.toml").open("rb") as f:
        enums = tuple(Enum(name, e["doc"], e["source"], tuple(e["values"])) for name, e in tomllib.load(f).items())
    tables = [_read_table(path, {e.name for e in enums}) for path in sorted((folder / "tables").glob("*.toml"))]
    tables.sort(key=lambda t: (KINDS.index(t.kind), t.name))
    return Vocabulary(enums, tuple(tables))


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
        if c.enum is not None and (c.type != "u8" or c.enum not in enums):
            raise DeclarationError(f"{path}: column {c.name}: enum {c.enum!r} is not declared, or the type is not u8")
    if raw["kind"] == "event" and [c.name for c in columns[:2]] != ["id", "ts_ns"]:
        raise DeclarationError(f"{path}: an event table starts with id and ts_ns")
    return Table(raw["name"], raw["kind"], raw["doc"], raw["source"], columns)
