"""The event tables for Rust as sources produce them: a struct per table and one enumeration over them (`events.rs`),
their way into columns and back, and a view over a batch of any of them (`event_rows.rs`).

An event has the columns of its table except `id` and `ts_ns`, which the assembler gives. A value that is stored once
and referred to (`refers`, `interned` in a declaration) is a typed id here: `MaskId`, `StackId`, `TextId`. A balance
attempt is referred to by the number that its source gave it, since its event id is known only when rows are in order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wastenot.schemas.declarations import Column, Table, Vocabulary
from wastenot.schemas.rust_names import camel, field

HEADER = "Generated from schemas/tables by wastenot.schemas.generate. Do not edit."

SIZES = {"i64": 8, "i32": 4, "i16": 2, "u8": 1, "bool": 1}
"""Bytes of a value by type."""
EVENT_BYTES = 32
"""Size of `Event`: one that needs more, with the tag of the enumeration, is boxed."""


@dataclass(frozen=True)
class EventField:
    """A field of an event struct. `into` and `back` are Rust expressions: the column of a row from event `e`, and the
    field from row `r`."""

    name: str
    type: str
    bytes: int
    into: str
    back: str


def fields_of(t: Table) -> list[EventField]:
    """The fields of the event struct of a table, counters as one array."""
    plain, counters = t.columns[2:], t.counters()
    fields = [_field(c) for c in plain if c not in counters]
    if counters:
        back = ", ".join(f"r.{c.name}" for c in counters)
        fields.append(EventField("counters", f"[i64; {len(counters)}]", 8 * len(counters), "", f"[{back}]"))
    if t.is_referred_to:
        fields.append(EventField("number", "NonZeroU32", 4, "", "known.attempt(r.id)"))
    return fields


def _field(c: Column) -> EventField:
    name = field(c.name)
    if c.refers in ("mask", "stack"):
        of = {"mask": "MaskId", "stack": "StackId"}[c.refers]
        return EventField(name, f"Option<{of}>", 4, f"e.{name}.map({of}::column)", f"known.{c.refers}(r.{name})?")
    if c.refers == "balance_attempt":
        into = f"e.{name}.and_then(|number| of.attempt_id(number))"
        return EventField(name, "Option<NonZeroU32>", 4, into, f"r.{name}.map(|id| known.attempt(id))")
    if c.interned:
        return EventField(name, "TextId", 4, f"of.text(e.{name})", f"known.text(r.{name})")
    if c.type == "text":
        if c.nullable:
            return EventField(name, "Option<Box<str>>", 16, f"e.{name}.as_deref()", f"r.{name}.map(Into::into)")
        return EventField(name, "Box<str>", 16, f"&e.{name}", f"r.{name}.into()")
    if c.narrow:
        back = f"r.{name}.and_then(|value| {c.narrow}::try_from(value).ok())"
        return EventField(name, f"Option<{c.narrow}>", 4, f"e.{name}.map({c.type}::from)", back)
    size = SIZES[c.type]
    kind = f"Option<{c.type}>" if c.nullable else c.type
    return EventField(name, kind, size * (2 if c.nullable else 1), f"e.{name}", f"r.{name}")


def is_boxed(t: Table) -> bool:
    """The struct does not fit into `EVENT_BYTES` beside the tag, which takes as much as the struct is aligned to."""
    sizes = [f.bytes for f in fields_of(t)]
    align = 8 if any(f.type in ("i64", "Option<i64>") or "Box" in f.type for f in fields_of(t)) else 4
    return -(-sum(sizes) // align) * align + align > EVENT_BYTES


def _struct(t: Table) -> list[str]:
    fields, counters = fields_of(t), t.counters()
    has_ids = any(f.type in ("TextId", "NonZeroU32") for f in fields)
    derived = ["Clone", "Debug", "PartialEq"]
    if not any("Box" in f.type for f in fields):
        derived.insert(1, "Copy")
    if not has_ids:
        derived.append("Default")
    docs = {field(c.name): c.doc for c in t.columns}
    out = [f"/// `{t.name}`: {t.doc}", f"#[derive({', '.join(derived)})]", f"pub struct {camel(t.name)} {{"]
    for f in fields:
        doc = docs.get(f.name, "")
        if f.name == "number":
            doc = "The source's own number, unique among the attempts of the source that are near in time."
        if f.name == "counters":
            doc = "The counters, in the order of `COUNTERS` and of the columns."
        if f.type == "Option<NonZeroU32>":
            doc = "The source's own number of the attempt (`BalanceAttempt::number`)."
        out += [f"    /// {doc}", f"    pub {f.name}: {f.type},"]
    out += ["}", ""]
    if counters:
        names = ", ".join(f'"{c.name}"' for c in counters)
        out += [f"impl {camel(t.name)} {{", "    /// Names of the counters, which are columns of the table."]
        out += [f"    pub const COUNTERS: [&str; {len(counters)}] = [{names}];", "}", ""]
    return out


def _push_arm(t: Table) -> list[str]:
    name, counters = camel(t.name), t.counters()
    out = [f"            Event::{name}(e) => {{"]
    if t.is_referred_to:
        out.append("                of.attempt_has_id(e.number, id);")
    for c in t.columns:
        if c.refers == "cgroup":
            value = f"e.{field(c.name)}"
            call = (
                f"{value}.into_iter().for_each(|id| of.mention_cgroup(id))"
                if c.nullable
                else f"of.mention_cgroup({value})"
            )
            out.append(f"                {call};")
    if counters:
        out.append(f"                let [{', '.join(c.name for c in counters)}] = e.counters;")
    values = [f"{f.name}: {f.into}" if f.into != f.name else f.name for f in fields_of(t) if f.into]
    values += [c.name for c in counters]
    out.append(f"                append(&mut self.{t.name}, &{t.name}::Row {{ id, ts_ns, {', '.join(values)} }}, sink)")
    return [*out, "            }"]


EVENTS = """\
//! HEADER

use crate::generated::*;
use crate::references::*;
use std::num::{NonZeroI32, NonZeroU32};

STRUCTS
/// What happened. One variant per event table, called like it.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
VARIANTS
}

impl Event {
    /// Name of its table.
    pub const fn table(&self) -> &'static str {
        match self {
NAMES
        }
    }
    /// It has a duration: its row has the time at which it began, though it is known only when it has ended.
    #[inline]
    pub const fn is_span(&self) -> bool { matches!(self, SPANS) }
}

CONVERSIONS
"""

EVENT_ROWS = """\
//! HEADER

use crate::events::*;
use crate::generated::*;
use crate::references::*;
use crate::sink::{Sink, SinkError, append};
use std::num::NonZeroI32;

crate::builders! {
    /// The columns of all event tables under construction.
    pub struct EventBuilders {
BUILDERS
    }
}
impl EventBuilders {
    /// Append an event; a full batch goes to `sink`.
    #[inline]
    pub fn push(
        &mut self, id: i64, ts_ns: i64, event: &Event, of: &mut impl References, sink: &mut dyn Sink,
    ) -> Result<(), SinkError> {
        match event {
ARMS
        }
    }
}

/// A batch of one event table.
#[allow(clippy::large_enum_variant)] // one per batch, not per event
#[derive(Clone)]
pub enum EventView {
VIEWS
}
impl EventView {
    /// How batches of the event table `table` become views, with its name; None for a table that holds no events.
    pub fn of_table(table: &str) -> Option<(&'static str, MakeEventView)> {
        let made: (&'static str, MakeEventView) = match table {
MAKERS
            _ => return None,
        };
        Some(made)
    }
    /// Time of row `i`, ns.
    #[inline]
    pub fn ts_ns(&self, i: usize) -> i64 {
        match self {
TIMES
        }
    }
    /// Rows of the batch.
    pub fn len(&self) -> usize {
        match self {
LENGTHS
        }
    }
    /// Id of the event in row `i`.
    pub fn id(&self, i: usize) -> i64 {
        match self {
NUMBERS
        }
    }
    /// The batch has no rows.
    pub fn is_empty(&self) -> bool { self.len() == 0 }
    /// Row `i` as an event again, with its id and time; None where it refers to something that `known` lacks.
    pub fn event(&self, i: usize, known: &mut impl Known) -> Option<(i64, i64, Event)> {
        Some(match self {
READ
        })
    }
}
"""


def _event_of_row(t: Table) -> str:
    values = ", ".join(f"{f.name}: {f.back}" for f in fields_of(t))
    made = f"(r.id, r.ts_ns, {camel(t.name)} {{ {values} }}.into())"
    return f"            Self::{camel(t.name)}(view) => {{ let r = view.row(i); {made} }}"


def _conversion(t: Table) -> str:
    name, made = camel(t.name), "Box::new(event)" if is_boxed(t) else "event"
    lines = [f"impl From<{name}> for Event {{", f"    fn from(event: {name}) -> Self {{ Self::{name}({made}) }}", "}"]
    return "\n".join(lines)


def _maker(t: Table) -> str:
    view = f"Self::{camel(t.name)}({t.name}::View::try_new(batch)?)"
    return f"            {t.name}::NAME => ({t.name}::NAME, |batch| Ok({view})),"


def rust_events(v: Vocabulary) -> str:
    """`schemas/rust/events.rs`."""
    tables = v.of_kind("event")
    names = [camel(t.name) for t in tables]
    parts = {
        "HEADER": [HEADER],
        "STRUCTS": [line for t in tables for line in _struct(t)],
        "VARIANTS": [f"    {n}({f'Box<{n}>' if is_boxed(t) else n})," for t, n in zip(tables, names, strict=True)],
        "NAMES": [f"            Self::{n}(_) => {t.name}::NAME," for t, n in zip(tables, names, strict=True)],
        "SPANS": [" | ".join(f"Self::{camel(t.name)}(_)" for t in tables if t.is_span)],
        "CONVERSIONS": [_conversion(t) for t in tables],
    }
    return _filled(EVENTS, parts)


def rust_event_rows(v: Vocabulary) -> str:
    """`schemas/rust/event_rows.rs`."""
    tables = v.of_kind("event")
    names = [camel(t.name) for t in tables]
    parts = {
        "HEADER": [HEADER],
        "BUILDERS": [f"        {t.name}," for t in tables],
        "ARMS": [line for t in tables for line in _push_arm(t)],
        "VIEWS": [f"    {n}({t.name}::View)," for t, n in zip(tables, names, strict=True)],
        "MAKERS": [_maker(t) for t in tables],
        "TIMES": [f"            Self::{n}(view) => view.ts_ns.value(i)," for n in names],
        "LENGTHS": [f"            Self::{n}(view) => view.len()," for n in names],
        "NUMBERS": [f"            Self::{n}(view) => view.id.value(i)," for n in names],
        "READ": [_event_of_row(t) for t in tables],
    }
    return _filled(EVENT_ROWS, parts)


def _filled(template: str, parts: dict[str, list[str]]) -> str:
    """The template with its words in capitals replaced by lines."""
    return re.sub(r"\b[A-Z]{4,}\b", lambda m: "\n".join(parts[m[0]]), template)
