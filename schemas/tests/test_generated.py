"""The generated files follow from the declarations, a stale one is found, and all languages agree on the columns."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from wastenot.schemas.declarations import Vocabulary
from wastenot.schemas.errors import DeclarationError
from wastenot.schemas.generate import OUTPUTS, SQL_TYPES, TS_TYPES, stale
from wastenot.schemas.rust_names import camel

ARROW = {
    "i64": "DataType::Int64",
    "i32": "DataType::Int32",
    "i16": "DataType::Int16",
    "u8": "DataType::UInt8",
    "bool": "DataType::Boolean",
    "text": "DataType::Utf8",
    "bytes": "DataType::Binary",
    "list_i16": "list(DataType::Int16)",
    "list_i32": "list(DataType::Int32)",
    "list_i64": "list(DataType::Int64)",
    "list_text": "list(DataType::Utf8)",
}
Columns = dict[str, list[tuple[str, str, bool]]]


def test_no_generated_file_is_stale(root: Path) -> None:
    assert stale(root) == []


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of declarations and generated files that a test may spoil."""
    shutil.copytree(root / "schemas/tables", tmp_path / "schemas/tables")
    for path in ("schemas/enums.toml", "schemas/records.toml", *OUTPUTS):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, tmp_path / path)
    assert stale(tmp_path) == []
    return tmp_path


def test_every_generated_file_follows_from_the_declarations(copy: Path) -> None:
    path = copy / "schemas/tables/sched_switch.toml"
    path.write_text(path.read_text().replace('name = "prev_prio"', 'name = "prev_priority"'))
    of_records = {"collector/ebpf/bpf/record_structs.h", "collector/ebpf/records.rs"}
    of_columns = {p for p in OUTPUTS if not p.endswith(("enums.py", "episode_events.sql", "search_number.sql"))}
    of_columns -= of_records
    assert set(stale(copy)) == of_columns
    (copy / "schemas/tables/sched_renamed.toml").write_text(
        path.read_text().replace('name = "sched_switch"', 'name = "sched_renamed"')
    )
    assert set(stale(copy)) == {p for p in OUTPUTS if not p.endswith("enums.py")} - of_records
    enums = copy / "schemas/enums.toml"
    enums.write_text(enums.read_text().replace('"outside its cpuset"', '"outside of its cpuset"'))
    assert set(stale(copy)) == set(OUTPUTS) - of_records
    records = copy / "schemas/records.toml"
    records.write_text(records.read_text().replace('name = "next_prio"', 'name = "next_priority"'))
    assert set(stale(copy)) == set(OUTPUTS)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('{ name = "next_tid", type = "i32" }', '{ name = "next_tid", type = "u16" }', "where C would pad"),
        ("size = 24", "size = 16", "has to be a multiple of 8 that holds 24 bytes"),
        ("kind = 2\n", "kind = 9\n", "numbered from 1 on"),
        ('{ name = "next_tid", type = "i32" }', '{ name = "next_tid", type = "i31" }', "type 'i31'; one of"),
    ],
)
def test_a_record_that_c_and_rust_would_lay_out_differently_is_refused(
    copy: Path, before: str, after: str, why: str
) -> None:
    path = copy / "schemas/records.toml"
    path.write_text(path.read_text().replace(before, after, 1))
    with pytest.raises(DeclarationError, match=why):
        stale(copy)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ('type = "mask", length', 'type = "face", length', "CpusScanned.mask: type 'face'; one of words, mask"),
        (
            'type = "words", length = "frames"',
            'type = "text", length = "frames"',
            "Stack.addresses: a text is the last",
        ),
        (', present = "masks"', "", "Affinity.masks: masks, and nothing else, need `present`"),
        ('length = "frames"', 'length = "depth"', "Stack.addresses: no field depth"),
    ],
)
def test_a_tail_that_could_not_be_read_is_refused(copy: Path, before: str, after: str, why: str) -> None:
    path = copy / "schemas/records.toml"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after, 1))
    with pytest.raises(DeclarationError, match=why):
        stale(copy)


def test_an_event_table_without_words_is_refused(copy: Path) -> None:
    path = copy / "schemas/tables/run_span.toml"
    path.write_text(re.sub(r"(?m)^words = .*\n", "", path.read_text()))
    with pytest.raises(DeclarationError, match=r"run_span\.toml: an event table, and no other, has `words`"):
        stale(copy)


@pytest.mark.parametrize("path", OUTPUTS)
def test_an_edited_generated_file_is_stale(copy: Path, path: str) -> None:
    (copy / path).write_text((copy / path).read_text() + "\n")
    assert stale(copy) == [path]


@pytest.mark.parametrize("path", OUTPUTS)
def test_a_missing_generated_file_is_stale(copy: Path, path: str) -> None:
    (copy / path).unlink()
    assert stale(copy) == [path]


def declared(vocabulary: Vocabulary, types: dict[str, str]) -> Columns:
    """(name, type, nullable) of every column of every table, in one language's types."""
    return {t.name: [(c.name, types[c.type], c.nullable) for c in t.columns] for t in vocabulary.tables}


def test_rust_has_the_declared_columns(root: Path, vocabulary: Vocabulary) -> None:
    text = (root / "schemas/rust/generated.rs").read_text()
    found: Columns = {}
    for module in re.split(r"^pub mod ", text, flags=re.M)[1:]:
        fields = re.findall(r'Field::new\("(\w+)", (.+), (true|false)\),', module)
        if fields:
            found[module.split(" ")[0]] = [(name, kind, null == "true") for name, kind, null in fields]
    assert found == declared(vocabulary, ARROW)


def test_typescript_has_the_declared_columns(root: Path, vocabulary: Vocabulary) -> None:
    text = (root / "schemas/ts/schema.ts").read_text()
    found: Columns = {}
    for name, body in re.findall(r"^export interface (\w+) \{\n(.*?)^\}", text, flags=re.M | re.S):
        fields = re.findall(r"^  (\w+): (\S+?)( \| null)?;$", body, flags=re.M)
        found[name] = [(column, kind, bool(null)) for column, kind, null in fields]
    assert found == {camel(name): columns for name, columns in declared(vocabulary, TS_TYPES).items()}


def test_the_reference_page_has_a_row_per_column(root: Path, vocabulary: Vocabulary) -> None:
    text = (root / "docs/reference/tables.md").read_text()
    sections = {s.split("\n")[0]: s for s in re.split(r"^### ", text, flags=re.M)[1:]}
    for table in vocabulary.tables:
        rows = re.findall(r"^\| (\w+) \| (\S+)", sections[table.name], flags=re.M)
        assert rows[1:] == [(c.name, SQL_TYPES[c.type]) for c in table.columns], table.name


def test_rust_and_python_agree_on_the_schema_version(root: Path) -> None:
    from wastenot.schemas.upgrade import SCHEMA_VERSION

    text = (root / "schemas/rust/lib.rs").read_text()
    assert re.findall(r"SCHEMA_VERSION: i32 = (\d+);", text) == [str(SCHEMA_VERSION)]
    changes = (root / "schemas/CHANGES.md").read_text()
    assert re.findall(r"^## Version (\d+)", changes, flags=re.M)[0] == str(SCHEMA_VERSION)
