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


@dataclass(frozen=True)
class RecordField:
    """One field: `type` is one of `SIZES`; `offset` in bytes from the start of the record."""

    name: str
    type: str
    offset: int
    doc: str = ""


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

    @property
    def end(self) -> int:
        """Bytes up to the end of the last field."""
        return self.fields[-1].offset + SIZES[self.fields[-1].type]


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
        fields.append(RecordField(f["name"], f["type"], offset, f.get("doc", "")))
        offset += size
    if offset > raw["size"] or raw["size"] % 8:
        raise DeclarationError(
            f"{path}: {raw['name']}: size {raw['size']} has to be a multiple of 8 that holds {offset} bytes"
        )
    struct = raw.get("struct", _snake(raw["name"]))
    of = raw.get("c_names", {})
    return Record(raw["name"], raw["kind"], raw["size"], raw["doc"], tuple(fields), struct, raw.get("table", "any"), of)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name.removesuffix("Head")).lower()


def _c_fields(r: Record) -> list[tuple[str, str]]:
    """Types and names of the C struct, what is left over as `reserved`."""
    named = [
        ("char", f"{f.name}[COMM_LEN]") if f.type == "comm" else (C_TYPES[f.type], r.c_names.get(f.name, f.name))
        for f in r.fields
    ]
    left = {0: [], 2: [("u16", "reserved")], 4: [("u32", "reserved")]}.get(r.size - r.end)
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
    """`collector/ebpf/records.rs`: the declarations for the macro `records!` of `record.rs`, which includes it."""
    out = [f"// {HEADER}", "", "records! {"]
    for r in records:
        out += [f"    /// {r.doc}", f"    {r.name} = {r.kind}, {r.size} {{"]
        for f in r.fields:
            out += [f"        /// {f.doc}"] if f.doc else []
            out.append(f"        {f.name}: {RUST_TYPES.get(f.type, f.type)},")
        out.append("    }")
    out += ["}", ""]
    for r in records:
        sizes = " + ".join(f"size_of::<{RUST_TYPES.get(f.type, f.type)}>()" for f in r.fields)
        out.append(f"const _: () = assert!({HEAD_BYTES} + {sizes} == {r.end} && {r.name}::SIZE == {r.size});")
    out += ["", "/// The table that holds the rows of records of a kind; `any` where there is none of its own."]
    out += ["pub fn table_of(kind: u16) -> &'static str {", "    match kind {"]
    out += [f'        {r.kind} => "{r.table}", // {r.name}' for r in records if r.table != "any"]
    return "\n".join([*out, '        _ => "any",', "    }", "}", ""])
