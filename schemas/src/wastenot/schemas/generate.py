"""Generate everything that follows from the declarations.

Run `python -m wastenot.schemas.generate [--check]`: writes the generated files, or (with --check) exits 1
and names those that are stale.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from wastenot.schemas.declarations import Column, Enum, Table, Vocabulary, read_declarations
from wastenot.schemas.event_sql import episode_events, search_number
from wastenot.schemas.records import c_structs, rust_records
from wastenot.schemas.rust_events import rust_event_rows, rust_events
from wastenot.schemas.rust_names import camel
from wastenot.schemas.rust_names import field as rust_field

HEADER = "Generated from schemas/tables and schemas/enums.toml by wastenot.schemas.generate. Do not edit."

SQL_TYPES = {
    "i64": "BIGINT", "i32": "INTEGER", "i16": "SMALLINT", "u8": "UTINYINT", "bool": "BOOLEAN", "text": "VARCHAR",
    "bytes": "BLOB",
    "list_i16": "SMALLINT[]", "list_i32": "INTEGER[]", "list_i64": "BIGINT[]", "list_text": "VARCHAR[]",
}  # fmt: skip
TS_TYPES = {
    "i64": "bigint", "i32": "number", "i16": "number", "u8": "number", "bool": "boolean", "text": "string",
    "bytes": "Uint8Array",
    "list_i16": "number[]", "list_i32": "number[]", "list_i64": "bigint[]", "list_text": "string[]",
}  # fmt: skip


# ---- DuckDB -----------------------------------------------------------------------------------------------------


def ddl(v: Vocabulary) -> str:
    """CREATE statements for every table, comments included, and a name macro per enumeration."""
    out = [f"-- {HEADER}", ""]
    for e in v.enums:
        values = ", ".join(_sql_text(x) for x in e.values)
        out.append(f"CREATE OR REPLACE MACRO {e.name}_name(code) AS ([{values}])[code + 1];")
        out.append(f"CREATE OR REPLACE MACRO {e.name}_values() AS ([{values}]);")
        if e.words:
            words = ", ".join(_sql_text(x) for x in e.words)
            out.append(f"CREATE OR REPLACE MACRO {e.name}_words(code) AS ([{words}])[code + 1];")
    for t in v.tables:
        rows = [f"  {c.name} {SQL_TYPES[c.type]}{'' if c.nullable else ' NOT NULL'}" for c in t.columns]
        out += ["", f"CREATE TABLE {t.name} (", ",\n".join(rows), ");"]
        out.append(f"COMMENT ON TABLE {t.name} IS {_sql_text(t.doc)};")
        out += [f"COMMENT ON COLUMN {t.name}.{c.name} IS {_sql_text(_described(c))};" for c in t.columns]
    return "\n".join(out) + "\n"


def _sql_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _described(c: Column) -> str:
    return f"[{c.unit}] {c.doc}" if c.unit else c.doc


# ---- TypeScript ---------------------------------------------------------------------------------------------------


def _comment(text: str) -> str:
    """A documentation comment; `cpu*/topology` must not end it."""
    safe = text.replace("*/", "*\\/")
    return f"/** {safe} */"


def typescript(v: Vocabulary) -> str:
    """An interface per table, a readonly tuple and union type per enumeration."""
    out = [f"// {HEADER}", ""]
    for e in v.enums:
        values = ", ".join(f'"{x}"' for x in e.values)
        out += [_comment(e.doc), f"export const {e.name.upper()} = [{values}] as const;"]
        out += [f"export type {camel(e.name)} = (typeof {e.name.upper()})[number];"]
        for name, texts, comment in (("WORDS", e.words, "for people"), ("SENTENCES", e.sentences, "each as a clause")):
            if texts:
                out.append(f"/** {e.name.upper()}, {comment}. */")
                out.append(f"export const {e.name.upper()}_{name}: Readonly<Record<{camel(e.name)}, string>> = {{")
                out += [f'  {x}: "{text}",' for x, text in zip(e.values, texts, strict=True)] + ["};"]
        if e.followed_by:
            other, rests_on = e.followed_by
            name = f"{e.name.upper()}_OF_{other.upper()}"
            out.append(f"/** What the values of {camel(other)} rest on. */")
            out.append(f"export const {name}: Readonly<Record<{camel(other)}, {camel(e.name)}>> = {{")
            out += [f'  {x}: "{y}",' for x, y in rests_on.items()] + ["};"]
        for name, listed in e.lists.items():
            values = ", ".join(f'"{x}"' for x in listed)
            out.append(f"export const {e.name.upper()}_{name.upper()}: readonly {camel(e.name)}[] = [{values}];")
        out.append("")
    for t in v.tables:
        out += [_comment(f"{t.doc} Source: {t.source}"), f"export interface {camel(t.name)} {{"]
        for c in t.columns:
            out.append(f"  {_comment(_described(c))}")
            out.append(f"  {c.name}: {TS_TYPES[c.type]}{' | null' if c.nullable else ''};")
        out += ["}", ""]
    return "\n".join(out)


# ---- Python -------------------------------------------------------------------------------------------------------


def python(v: Vocabulary) -> str:
    """The values of the enumerations that have words or lists, as a Literal, and these."""
    out = [
        f'"""{HEADER}"""',
        "",
        "# ruff: noqa: E501",
        "",
        "from __future__ import annotations",
        "",
        "from typing import Literal",
        "",
    ]
    for e in v.enums:
        if e.words or e.lists:
            values = ["    " + f'"{x}",' for x in e.values]
            out += [f"{camel(e.name)} = Literal[", *values, "]", f'"""{e.doc}"""', ""]
        for name, listed in ({"values": e.values} | e.lists if e.lists else {}).items():
            values = ["    " + f'"{x}",' for x in listed]
            out += [f"{e.name.upper()}_{name.upper()}: tuple[{camel(e.name)}, ...] = (", *values, ")", ""]
        if e.words:
            out += _python_texts(e, "WORDS", e.words, "The values in order, each in words.")
        if e.sentences:
            out += _python_texts(e, "SENTENCES", e.sentences, "The values in order, each as a clause of a diagnosis.")
        if e.followed_by:
            other, rests_on = e.followed_by
            out += [f"{e.name.upper()}_OF_{other.upper()}: dict[{camel(other)}, {camel(e.name)}] = {{"]
            out += [*(f'    "{x}": "{y}",' for x, y in rests_on.items()), "}"]
            out += [f'"""What the values of `{camel(other)}` rest on."""', ""]
    out += ["ON_DEMAND_TABLES: tuple[str, ...] = ("]
    out += [*(f'    "{t.name}",' for t in v.tables if t.on_demand in ("overview", "details")), ")"]
    out += ['"""Tables that a check makes when they are first asked for."""', ""]
    out += ["OVERVIEW_TABLES: tuple[str, ...] = ("]
    out += [*(f'    "{t.name}",' for t in v.tables if t.on_demand == "overview"), ")"]
    out += ['"""Those of them that can be made without the others."""', ""]
    out += ["BALANCE_TABLES: tuple[str, ...] = ("]
    out += [*(f'    "{t.name}",' for t in v.tables if t.on_demand == "balance"), ")"]
    out += ['"""Tables that are made of those, when they are first asked for: the balance of parallel programs."""', ""]
    return "\n".join(out)


def _python_texts(e: Enum, name: str, texts: tuple[str, ...], doc: str) -> list[str]:
    lines = [f'    "{x}": "{text}",' for x, text in zip(e.values, texts, strict=True)]
    return [f"{e.name.upper()}_{name}: dict[{camel(e.name)}, str] = {{", *lines, "}", f'"""{doc}"""', ""]


# ---- Reference page -----------------------------------------------------------------------------------------------


def reference(v: Vocabulary) -> str:
    """The reference page of all tables, as Markdown."""
    titles = {"event": "Raw events", "entity": "Entities", "derived": "Derived by the checker"}
    out = [f"<!-- {HEADER} -->", "", "# Tables of a trace", ""]
    out += [
        "Every trace is one DuckDB file with these tables. All event tables share one order, their `id`. Enumerations",
        "are stored as numbers; the macro `<enum>_name(code)` gives the text: "
        "`SELECT task_state_name(prev_state) FROM sched_switch`; `<enum>_values()` gives all texts, and where an",
        "enumeration has words for people, `<enum>_words(code)` gives those. "
        "[glossary.md](../glossary.md) explains the terms.",
        "",
        "A check stores what a verdict needs. Tables that are made on demand follow from the events; wastenot makes",
        "them when it is first asked for one (SQL, browser, export). A table of the overview has the overview made, a",
        "table of the details both, one of the balance all and itself. `wastenot check --tables overview FILE` and",
        "`--tables all FILE` make the overview and the details at once.",
        "Until then the file does not have them, so that DuckDB itself says that such a table does not exist.",
        "",
        "In wastenot's SQL (`wastenot sql`, the browser, Python) `waits()` has a row for each whole wait for a CPU,",
        "made of `thread_state`: utid, start_ns, dur_ns, waited_after (wakeup, preemption), cpu, ran_on, queues,",
        "throttled_ns, is_cut. `analyzer/src/wastenot/analyzer/sql/waits.sql` is its text, for DuckDB itself too.",
        "",
    ]
    for kind, title in titles.items():
        out += [f"## {title}", ""]
        for t in (t for t in v.tables if t.kind == kind):
            made = f" Made on demand ({t.on_demand})." if t.on_demand else ""
            out += [f"### {t.name}", "", f"{t.doc}{made}", "", f"Source: {t.source}", ""]
            out += ["| column | type | unit | null | meaning |", "| --- | --- | --- | --- | --- |"]
            for c in t.columns:
                kind_of = f"{SQL_TYPES[c.type]} ({c.enum})" if c.enum else SQL_TYPES[c.type]
                cells = [c.name, kind_of, c.unit or "", "yes" if c.nullable else "", c.doc.replace("|", "\\|")]
                out.append(f"| {' | '.join(cells)} |")
            out.append("")
    out += ["## Enumerations", ""]
    for e in v.enums:
        out += [f"### {e.name}", "", e.doc, "", f"Source: {e.source}", "", *_values_of(e), ""]
    return "\n".join(out)


def _values_of(e: Enum) -> list[str]:
    """The values with their codes, as Markdown: a table where they have words, else a line."""
    if not e.words:
        return [", ".join(f"{code} `{value}`" for code, value in enumerate(e.values))]
    head = ["code", "value", "words", *(["meaning"] if e.sentences else [])]
    columns = (e.values, e.words, *([e.sentences] if e.sentences else []))
    rows = ([str(code), f"`{value}`", *texts] for code, (value, *texts) in enumerate(zip(*columns, strict=True)))
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


# ---- Rust ---------------------------------------------------------------------------------------------------------

RUST = {  # by type: (row type, arrow data type, builder, array)
    "i64": ("i64", "DataType::Int64", "Values<Int64Type>", "Int64Array"),
    "i32": ("i32", "DataType::Int32", "Values<Int32Type>", "Int32Array"),
    "i16": ("i16", "DataType::Int16", "Values<Int16Type>", "Int16Array"),
    "u8": ("u8", "DataType::UInt8", "Values<UInt8Type>", "UInt8Array"),
    "bool": ("bool", "DataType::Boolean", "BooleanBuilder", "BooleanArray"),
    "text": ("&'a str", "DataType::Utf8", "StringBuilder", "StringArray"),
    "bytes": ("&'a [u8]", "DataType::Binary", "BinaryBuilder", "BinaryArray"),
    "list_i16": ("&'a [i16]", "list(DataType::Int16)", "ListBuilder<Int16Builder>", "ListArray"),
    "list_i32": ("&'a [i32]", "list(DataType::Int32)", "ListBuilder<Int32Builder>", "ListArray"),
    "list_i64": ("&'a [i64]", "list(DataType::Int64)", "ListBuilder<Int64Builder>", "ListArray"),
    "list_text": ("&'a [&'a str]", "list(DataType::Utf8)", "ListBuilder<StringBuilder>", "ListArray"),
}


def rust(v: Vocabulary) -> str:
    """A module per table (`NAME`, `schema()`, `Row`, `Builder`, `View`) and constants per enumeration."""
    out = [f"//! {HEADER}", "", "use crate::sink::TableBuilder;", "use crate::support::*;", ""]
    names = ", ".join(f'"{t.name}"' for t in v.tables if t.kind == "event")
    out += ["/// Event tables, by name.", f"pub const EVENT_TABLES: &[&str] = &[{names}];", ""]
    for e in v.enums:
        out += _rust_enum(e)
    for t in v.tables:
        out += _rust_table(t)
    arms = "\n".join(f'        "{t.name}" => {t.name}::schema(),' for t in v.tables)
    out += [
        "/// Arrow schema of a table by name; None when there is no such table.",
        "pub fn schema_of(table: &str) -> Option<SchemaRef> {",
        "    Some(match table {",
        arms,
        "        _ => return None,",
        "    })",
        "}",
        "",
    ]
    return "\n".join(out)


def _rust_enum(e: Enum) -> list[str]:
    out = [f"/// {e.doc}", f"pub mod {e.name} {{"]
    spelled = {"R+": "R_PREEMPTED", "t": "T_TRACED", "?": "UNKNOWN"}
    for i, x in enumerate(e.values):
        out.append(f"    pub const {spelled.get(x, x.upper())}: u8 = {i};")
    values = ", ".join(f'"{x}"' for x in e.values)
    out += ["    /// Texts by code.", f"    pub const NAMES: &[&str] = &[{values}];"]
    for name, listed in e.lists.items():
        values = ", ".join(f'"{x}"' for x in listed)
        out.append(f"    pub const {name.upper()}: [&str; {len(listed)}] = [{values}];")
    out += ["}", ""]
    return out + (_rust_enum_type(e) if e.words else [])


def _rust_enum_type(e: Enum) -> list[str]:
    """An enumeration as a type: a `match` over it without a wildcard cannot forget a value."""
    name, count = camel(e.name), len(e.values)
    out = [f"/// {e.doc}", "#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]", "#[repr(u8)]"]
    out.append(f"pub enum {name} {{")
    for i, (x, words) in enumerate(zip(e.values, e.words, strict=True)):
        out += [f"    /// {words[0].upper()}{words[1:]}.", f"    {camel(x)} = {i},"]
    out += ["}", f"impl {name} {{", "    /// All values, in the order of their codes."]
    out.append(f"    pub const ALL: [Self; {count}] = [{', '.join(f'Self::{camel(x)}' for x in e.values)}];")
    out += ["    /// Code that tables store.", "    pub const fn code(self) -> u8 { self as u8 }"]
    out += [
        "    /// Name in tables and JSON.",
        f"    pub const fn name(self) -> &'static str {{ {e.name}::NAMES[self as usize] }}",
    ]
    words = ", ".join(f'"{w}"' for w in e.words)
    out += ["    /// In words, for people.", "    pub const fn words(self) -> &'static str {"]
    out += [f"        const WORDS: [&str; {count}] = [{words}];", "        WORDS[self as usize]", "    }"]
    out += ["    /// The value called `name`.", "    pub fn of_name(name: &str) -> Option<Self> {"]
    out += ["        Self::ALL.into_iter().find(|value| value.name() == name)", "    }"]
    if e.followed_by:
        other, rests_on = e.followed_by
        out += [f"    /// What a value of `{camel(other)}` rests on."]
        out += [f"    pub const fn of_{other}({other}: {camel(other)}) -> Self {{", f"        match {other} {{"]
        out += [f"            {camel(other)}::{camel(x)} => Self::{camel(y)}," for x, y in rests_on.items()]
        out += ["        }", "    }"]
    return [*out, "}", ""]


def _field(c: Column) -> str:
    return rust_field(c.name)


def _rust_table(t: Table) -> list[str]:
    borrowed = any(c.type in ("text", "bytes") or c.type.startswith("list") for c in t.columns)
    life, lives = ("<'a>", "<'_>") if borrowed else ("", "")
    out = [f"/// {t.doc}", f"pub mod {t.name} {{", "    use super::*;", f'    pub const NAME: &str = "{t.name}";']
    if t.on_demand in ("overview", "details"):
        out += [
            "    /// It can be made without the tables that have every detail.",
            f"    pub const IN_OVERVIEW: bool = {str(t.on_demand == 'overview').lower()};",
        ]
    out += ["    /// Arrow schema.", "    pub fn schema() -> SchemaRef {", "        Arc::new(Schema::new(vec!["]
    out += [f'            Field::new("{c.name}", {RUST[c.type][1]}, {str(c.nullable).lower()}),' for c in t.columns]
    out += ["        ]))", "    }", "    /// One row.", "    #[derive(Clone, Copy, Debug, Default, PartialEq)]"]
    out += [f"    pub struct Row{life} {{"]
    for c in t.columns:
        kind = RUST[c.type][0]
        out += [
            f"        /// {_described(c)}",
            f"        pub {_field(c)}: {f'Option<{kind}>' if c.nullable else kind},",
        ]
    out += [
        "    }",
        "    /// Columns under construction.",
        "    #[derive(Default)]",
        "    pub struct Builder {",
        "        rows: usize,",
    ]
    out += [f"        {_field(c)}: {RUST[c.type][2]}," for c in t.columns]
    out += ["    }", "    impl Builder {"]
    out += ["        #[inline]", f"        pub fn push(&mut self, row: &Row{lives}) {{", "            self.rows += 1;"]
    out += [f"            {_push(c)}" for c in t.columns]
    out += [
        "        }",
        "        pub fn len(&self) -> usize { self.rows }",
        "        pub fn is_empty(&self) -> bool { self.rows == 0 }",
    ]
    out += [
        "        /// The rows so far as a batch; the builder is empty afterwards.",
        "        pub fn finish(&mut self) -> RecordBatch {",
    ]
    out += ["            self.rows = 0;", "            RecordBatch::try_new(schema(), vec!["]
    out += [f"                Arc::new(self.{_field(c)}.finish())," for c in t.columns]
    out += ['            ]).expect("columns follow the declared schema")', "        }", "    }"]
    out += [
        "    impl TableBuilder for Builder {",
        "        const NAME: &'static str = NAME;",
        f"        type Row<'a> = Row{life};",
        "        #[inline]",
        f"        fn push(&mut self, row: &Row{lives}) {{ Builder::push(self, row) }}",
        "        fn len(&self) -> usize { self.rows }",
        "        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }",
        "    }",
        "    /// A batch read back, checked against the schema.",
        "    #[derive(Clone)]",
        "    pub struct View {",
        "        rows: usize,",
    ]
    out += [f"        pub {_field(c)}: {RUST[c.type][3]}," for c in t.columns]
    out += ["    }", "    impl View {", "        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {"]
    out += ["            Ok(Self {", "                rows: batch.num_rows(),"]
    out += [
        f'                {_field(c)}: column(batch, NAME, "{c.name}", {str(c.nullable).lower()})?,' for c in t.columns
    ]
    out += [
        "            })",
        "        }",
        "        pub fn len(&self) -> usize { self.rows }",
        "        pub fn is_empty(&self) -> bool { self.rows == 0 }",
    ]
    if not any(c.type == "list_text" for c in t.columns):
        out += ["        #[inline]", f"        pub fn row(&self, i: usize) -> Row{lives} {{", "            Row {"]
        out += [f"                {_field(c)}: {_read(c)}," for c in t.columns]
        out += ["            }", "        }"]
    for c in t.columns:
        if c.type == "list_text":
            out += [f"        pub fn {_field(c)}(&self, i: usize) -> Vec<String> {{ texts(&self.{_field(c)}, i) }}"]
    out += ["    }", "}", ""]
    return out


def _push(c: Column) -> str:
    f = _field(c)
    if c.type.startswith("list"):
        wrap = (
            "row.{f}.map(|l| l.iter().copied().map(Some))" if c.nullable else "Some(row.{f}.iter().copied().map(Some))"
        )
        return f"self.{f}.append_option({wrap.format(f=f)});"
    if c.nullable:
        return f"self.{f}.append_option(row.{f});"
    return f"self.{f}.append_value(row.{f});"


def _read(c: Column) -> str:
    f = _field(c)
    if c.type.startswith("list_i"):
        return f"{'opt_' if c.nullable else ''}list_{c.type[5:]}(&self.{f}, i)"
    if c.nullable:
        return f"self.{f}.is_valid(i).then(|| self.{f}.value(i))"
    return f"self.{f}.value(i)"


# ---- Files --------------------------------------------------------------------------------------------------------

OUTPUTS: dict[str, Callable[[Vocabulary], str]] = {
    "schemas/src/wastenot/schemas/generated/schema.sql": ddl,
    "schemas/ts/schema.ts": typescript,
    "schemas/rust/generated.rs": rust,
    "schemas/rust/events.rs": rust_events,
    "schemas/rust/event_rows.rs": rust_event_rows,
    "schemas/src/wastenot/schemas/generated/enums.py": python,
    "docs/reference/tables.md": reference,
    "collector/ebpf/bpf/record_structs.h": lambda v: c_structs(v.records),
    "collector/ebpf/records.rs": lambda v: rust_records(v.records),
    "analyzer/src/wastenot/analyzer/sql/episode_events.sql": episode_events,
    "web/server/src/wastenot/web/sql/search_number.sql": search_number,
}


def stale(root: Path) -> list[str]:
    """Generated files below `root` that differ from what the declarations give."""
    v = read_declarations(root / "schemas")
    return [p for p, make in OUTPUTS.items() if not (root / p).exists() or (root / p).read_text() != make(v)]


def write(root: Path) -> None:
    """Write every generated file below `root`."""
    v = read_declarations(root / "schemas")
    for path, make in OUTPUTS.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(make(v))


def main(arguments: list[str]) -> int:
    """Command line; returns the exit status."""
    root = Path(__file__).resolve().parents[4]
    if arguments == ["--check"]:
        old = stale(root)
        for path in old:
            print(f"{path}: stale; run `make generate`", file=sys.stderr)
        return 1 if old else 0
    write(root)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
