"""The binary records of the recorder: read from `schemas/records.toml`, written as C and as Rust.

Both sides assert the size of every record, the C side the offset of every field too.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wastenot.schemas.errors import DeclarationError

HEADER = "Generated from schemas/records.toml by wastenot.schemas.generate. Do not edit."
HEAD_BYTES = 8
"""Bytes of the word that every record begins with."""
SIZES = {"u8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8, "comm": 16}
C_TYPES = {"u8": "u8", "u16": "u16", "i16": "s16", "u32": "u32", "i32": "s32", "u64": "u64", "i64": "s64"}
RUST_TYPES = {"comm": "[u8; 16]"}
TAILS = {"words": "Words<'a>", "mask": "Mask<'a>", "masks": "Masks<'a>", "text": "&'a [u8]"}
"""Parts of variable length, with their types in Rust."""


@dataclass(frozen=True)
class RecordField:
    """One field: `type` is one of `SIZES`; `offset` in bytes from the start of the record."""

    name: str
    type: str
    offset: int
    doc: str = ""
    is_time: bool = False
    former_name: str | None = None
    """Name before it got a use: the layout keeps it, since recordings from then hold 0 there."""


@dataclass(frozen=True)
class TailPart:
    """A part that follows the fixed one: `type` is one of `TAILS`; `length`, and of masks `present`, name fields."""

    name: str
    type: str
    length: str
    present: str | None


@dataclass(frozen=True)
class Record:
    """One record. `struct` names its C struct without `_record`; empty: only user space writes it."""

    name: str
    kind: int
    size: int
    doc: str
    fields: tuple[RecordField, ...]
    struct: str
    table: str = "any"
    c_names: dict[str, str] = field(default_factory=dict)
    tail: tuple[TailPart, ...] = ()

    @property
    def end(self) -> int:
        """Bytes up to the end of the last field."""
        return self.fields[-1].offset + SIZES[self.fields[-1].type]

    @property
    def fixed(self) -> str:
        """Rust name of the fixed part."""
        return f"{self.name}Head" if self.tail else self.name

    def lengths(self) -> list[RecordField]:
        """The fields that say how long the parts of the tail are, which nothing else reads."""
        names = {name for part in self.tail for name in (part.length, part.present)}
        return [f for f in self.fields if f.name in names]


def read_records(path: Path) -> tuple[Record, ...]:
    """The declared records, kinds numbered from 1 without holes; raises DeclarationError."""
    with path.open("rb") as f:
        records = tuple(_record(path, raw) for raw in tomllib.load(f)["record"])
    if [r.kind for r in records] != list(range(1, len(records) + 1)):
        raise DeclarationError(f"{path}: kinds are numbered from 1 on, in order and without holes")
    return records


def _record(path: Path, raw: dict[str, Any]) -> Record:
    offset, fields = HEAD_BYTES, []
    for f in raw["fields"]:
        size = SIZES.get(f["type"])
        if size is None:
            raise DeclarationError(f"{path}: {raw['name']}.{f['name']}: type {f['type']!r}; one of {', '.join(SIZES)}")
        if f["type"] != "comm" and offset % size:
            raise DeclarationError(
                f"{path}: {raw['name']}.{f['name']}: at byte {offset}, where C would pad; reorder the fields"
            )
        fields.append(
            RecordField(f["name"], f["type"], offset, f.get("doc", ""), f.get("is_time", False), f.get("former_name"))
        )
        offset += size
    if offset > raw["size"] or raw["size"] % 8:
        raise DeclarationError(
            f"{path}: {raw['name']}: size {raw['size']} has to be a multiple of 8 that holds {offset} bytes"
        )
    struct = raw.get("struct", _snake(raw["name"]))
    of = raw.get("c_names", {})
    table = raw.get("table", "any")
    tail = _tail(path, raw, {f.name for f in fields})
    return Record(raw["name"], raw["kind"], raw["size"], raw["doc"], tuple(fields), struct, table, of, tail)


def _tail(path: Path, raw: dict[str, Any], fields: set[str]) -> tuple[TailPart, ...]:
    parts = tuple(TailPart(p["name"], p["type"], p["length"], p.get("present")) for p in raw.get("tail", ()))
    for part in parts:
        where = f"{path}: {raw['name']}.{part.name}"
        if part.type not in TAILS:
            raise DeclarationError(f"{where}: type {part.type!r}; one of {', '.join(TAILS)}")
        if part.type == "text" and part is not parts[-1]:
            raise DeclarationError(f"{where}: a text is the last part, since it is padded")
        if (part.type == "masks") != (part.present is not None):
            raise DeclarationError(f"{where}: masks, and nothing else, need `present`")
        if missing := {part.length, part.present} - {None} - fields:
            raise DeclarationError(f"{where}: no field {', '.join(sorted(str(name) for name in missing))}")
    return parts


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _c_fields(r: Record) -> list[tuple[str, str]]:
    """Types and names of the C struct, what is left over as `reserved`."""
    named = [
        ("char", f"{f.name}[COMM_LEN]") if f.type == "comm" else (C_TYPES[f.type], r.c_names.get(f.name, f.name))
        for f in r.fields
    ]
    spare = "padding" if any(f.name == "reserved" for f in r.fields) else "reserved"
    left = {0: [], 2: [("u16", spare)], 4: [("u32", spare)]}.get(r.size - r.end)
    if left is None:
        raise DeclarationError(
            f"record {r.name}: {r.size - r.end} bytes are left at its end; 0, 2 or 4 can be reserved"
        )
    return [*named, *left]


def c_structs(records: tuple[Record, ...]) -> str:
    """`collector/ebpf/bpf/record_structs.h`."""
    out = ["/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */", f"/* {HEADER} */", "/* clang-format off */"]
    out += ["#ifndef WASTENOT_RECORD_STRUCTS_H", "#define WASTENOT_RECORD_STRUCTS_H", "", "enum record_kind {"]
    kinds = [f"KIND_{_snake(r.name).upper()}" for r in records]
    out += [f"\t{kinds[0]} = 1,", *(f"\t{kind}," for kind in kinds[1:]), "\tKIND_END,", "};"]
    written: dict[str, list[tuple[str, str]]] = {}
    for r in (r for r in records if r.struct):
        fields = _c_fields(r)
        if r.struct in written:
            if written[r.struct] != fields:
                raise DeclarationError(
                    f"record {r.name}: its fields are not those of the others with struct {r.struct}"
                )
            continue
        written[r.struct] = fields
        name = f"struct {r.struct}_record"
        users = ", ".join(_snake(x.name) for x in records if x.struct == r.struct)
        out += ["", f"/* {users} */", f"{name} {{", "\tu64 word;", *(f"\t{kind} {f};" for kind, f in fields), "};"]
        out.append(f'_Static_assert(sizeof({name}) == {r.size}, "{r.struct}");')
        for f in r.fields:
            c_name = r.c_names.get(f.name, f.name)
            out.append(f'_Static_assert(__builtin_offsetof({name}, {c_name}) == {f.offset}, "{r.struct}.{c_name}");')
    return "\n".join([*out, "", "#endif", ""])


def rust_records(records: tuple[Record, ...]) -> str:
    """`collector/ebpf/records.rs`, which `record.rs` includes: fixed parts for its macro `records!`, the records with a
    tail, and the enumeration of all."""
    out = [f"// {HEADER}", "", "records! {"]
    for r in records:
        doc = f"Fixed part of [`{r.name}`]." if r.tail else r.doc
        out += [f"    /// {doc}", f"    {r.fixed} = {r.kind}, {r.size} {{"]
        for f in r.fields:
            out += [f"        /// {f.doc}"] if f.doc else []
            former = f' was "{f.former_name}"' if f.former_name else ""
            out.append(f"        {f.name}{former}: {_rust_type(f)},")
        out.append("    }")
    out += ["}", ""]
    for r in records:
        sizes = " + ".join(f"size_of::<{_rust_type(f)}>()" for f in r.fields)
        out.append(f"const _: () = assert!({HEAD_BYTES} + {sizes} == {r.end} && {r.fixed}::SIZE == {r.size});")
    for r in records:
        out += _with_tail(r) if r.tail else []
    out += ["", "/// A record as it is read, the borrowed parts still in the frame."]
    out += ["#[derive(Clone, Copy, Debug, PartialEq, Eq)]"]
    out += ["#[allow(missing_docs)] // each variant is documented at its struct", "pub enum Record<'a> {"]
    life = "<'a>"
    out += [f"    {r.name}({r.name}{life if r.tail else ''})," for r in records]
    out += ["}", "", "/// Bytes that follow the fixed part of a record.", "#[inline(always)]"]
    out += ["fn tail_size(kind: u8, bytes: &[u8]) -> usize {", "    match kind {"]
    out += [line for r in records if r.tail for line in _tail_size(r)]
    out += ["        _ => 0,", "    }", "}", "", "impl<'a> Record<'a> {"]
    out += ["    /// The record of `kind` in `bytes`, which `size` has measured; None for a kind that does not exist."]
    out += ["    #[inline(always)]", "    fn parse(kind: u8, bytes: &'a [u8], base_ns: u64) -> Option<Self> {"]
    out += ["        Some(match kind {", *(f"            {_parse(r)}" for r in records)]
    out += ["            _ => return None,", "        })", "    }", ""]
    out += ["    /// Append the record, whose time is `time` after `base_ns`."]
    out += ["    fn append(&self, time: u64, base_ns: u64, out: &mut Vec<u8>) {", "        match self {"]
    out += [f"            {_append(r)}" for r in records]
    out += ["        }", "    }", "}"]
    out += ["", "/// The table that holds the rows of records of a kind; `any` where there is none of its own."]
    out += ["pub fn table_of(kind: u16) -> &'static str {", "    match kind {"]
    out += [f'        {r.kind} => "{r.table}", // {r.name}' for r in records if r.table != "any"]
    return "\n".join([*out, '        _ => "any",', "    }", "}", ""])


def _rust_type(f: RecordField) -> str:
    return RUST_TYPES.get(f.type, f.type)


def _with_tail(r: Record) -> list[str]:
    """The struct of a record with a tail, and how it is read and written: the fixed part without the lengths."""
    lengths = r.lengths()
    plain = [f for f in r.fields if f not in lengths]
    out = ["", f"/// {r.doc}", "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]"]
    out += ["#[allow(missing_docs)] // the record's documentation names its fields", f"pub struct {r.name}<'a> {{"]
    for f in plain:
        out += [f"    /// {f.doc}"] if f.doc else []
        out.append(f"    pub {f.name}: {_rust_type(f)},")
    out += [f"    pub {part.name}: {TAILS[part.type]}," for part in r.tail]
    names = ", ".join([f.name for f in plain] + [part.name for part in r.tail])
    fields = ", ".join(f.name for f in r.fields)
    out += ["}", f"impl<'a> {r.name}<'a> {{", "    fn parse(bytes: &'a [u8]) -> Self {"]
    out += [f"        let {r.fixed} {{ {fields} }} = {r.fixed}::read(fixed_part(bytes));"]
    out += [f"        let tail = &bytes[{r.fixed}::SIZE..];"]
    out += [line for part in r.tail for line in _parse_part(r, part)]
    out += [f"        Self {{ {names} }}", "    }"]
    out += ["    fn append(&self, time: u64, out: &mut Vec<u8>) {", f"        let Self {{ {names} }} = *self;"]
    out += [f"        let {part.name} = cut({part.name});" for part in r.tail if part.type == "text"]
    values = ", ".join(_length(r, f) if f in lengths else f.name for f in r.fields)
    out += [f"        {r.fixed} {{ {values} }}.write(time, out);"]
    out += [f"        {_append_part(part)};" for part in r.tail]
    return [*out, "    }", "}"]


def _parse_part(r: Record, part: TailPart) -> list[str]:
    if part.type == "masks":
        return [f"        let {part.name} = Masks::read({_present(r, part)}, {part.length}.into(), tail);"]
    if part.type == "text":
        return [f"        let {part.name} = &tail[..{part.length}.into()];"]
    rest = "_" if part is r.tail[-1] else "tail"
    return [
        f"        let ({part.name}, {rest}) = tail.split_at(usize::from({part.length}) * 8);",
        f"        let {part.name} = {part.type.capitalize()}::from_bytes({part.name});",
    ]


def _present(r: Record, part: TailPart, of: str = "") -> str:
    """The field of the record `of` that says which masks there are, as u32."""
    is_u32 = next(f.type for f in r.fields if f.name == part.present) == "u32"
    return f"{of}{part.present}" if is_u32 else f"{of}{part.present}.into()"


def _length(r: Record, f: RecordField) -> str:
    """The value of a field that says how long a part of the tail is."""
    part = next(part for part in r.tail if f.name in (part.length, part.present))
    if f.name == part.present:
        return f"{f.name}: {part.name}.bits(){'' if f.type == 'u32' else f' as {f.type}'}"
    of = {"words": "iter().count()", "mask": "words().count()", "text": "len()", "masks": "words()"}[part.type]
    return f"{f.name}: {part.name}.{of} as {f.type}"


def _append_part(part: TailPart) -> str:
    if part.type == "masks":
        return f"{part.name}.write(out)"
    return f"write_text({part.name}, out)" if part.type == "text" else f"out.extend_from_slice({part.name}.as_bytes())"


def _tail_size(r: Record) -> list[str]:
    terms = []
    for part in r.tail:
        length = f"usize::from(head.{part.length})"
        masks = f" * Masks::count({_present(r, part, 'head.')})" if part.type == "masks" else ""
        terms.append(f"{length}.next_multiple_of(8)" if part.type == "text" else f"{length} * 8{masks}")
    return [
        f"        {r.fixed}::KIND => {{",
        f"            let head = {r.fixed}::read(fixed_part(bytes));",
        f"            {' + '.join(terms)}",
        "        }",
    ]


def _parse(r: Record) -> str:
    if r.tail:
        return f"{r.fixed}::KIND => Self::{r.name}({r.name}::parse(bytes)),"
    read = f"{r.name}::read(fixed_part(bytes))"
    times = [f"{f.name}: base_ns.wrapping_add(r.{f.name})" for f in r.fields if f.is_time]
    if times:
        return f"{r.name}::KIND => {{ let r = {read}; Self::{r.name}({r.name} {{ {', '.join(times)}, ..r }}) }}"
    return f"{r.name}::KIND => Self::{r.name}({read}),"


def _append(r: Record) -> str:
    times = [f"{f.name}: r.{f.name}.saturating_sub(base_ns)" for f in r.fields if f.is_time]
    record = f"{r.name} {{ {', '.join(times)}, ..*r }}" if times else "r"
    return f"Self::{r.name}(r) => {record}.{'append' if r.tail else 'write'}(time, out),"
