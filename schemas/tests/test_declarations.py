"""What is declared is complete, and a wrong declaration is refused with the file and the column at fault."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from wastenot.schemas.declarations import Vocabulary, read_declarations
from wastenot.schemas.errors import DeclarationError


def test_every_table_and_column_is_documented(vocabulary: Vocabulary) -> None:
    for table in vocabulary.tables:
        assert table.doc.endswith("."), table.name
        assert table.source, table.name
        for column in table.columns:
            assert column.doc.strip(), f"{table.name}.{column.name}"


def test_every_enumeration_is_documented_and_has_distinct_values(vocabulary: Vocabulary) -> None:
    for enum in vocabulary.enums:
        assert enum.doc.endswith("."), enum.name
        assert enum.source, enum.name
        assert len(set(enum.values)) == len(enum.values), enum.name


def test_a_column_that_ends_in_ns_is_in_nanoseconds(vocabulary: Vocabulary) -> None:
    for table in vocabulary.tables:
        for column in table.columns:
            if column.name.endswith("_ns"):
                assert column.unit in {"ns", "core-ns", "cpu-ns"}, f"{table.name}.{column.name}"


def test_one_name_has_one_type_and_unit_in_all_event_tables(vocabulary: Vocabulary) -> None:
    seen: dict[str, tuple[str, str | None]] = {}
    for table in vocabulary.of_kind("event"):
        for column in table.columns:
            found = seen.setdefault(column.name, (column.type, column.unit))
            assert found == (column.type, column.unit), f"{table.name}.{column.name}"


def test_every_enumeration_is_used_by_a_column(vocabulary: Vocabulary) -> None:
    used = {c.enum for t in vocabulary.tables for c in t.columns} | {
        "suspicion"
    }  # its names are details of `data_quality`
    assert {e.name for e in vocabulary.enums} <= used


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of the declarations that a test may spoil."""
    shutil.copytree(root / "schemas/tables", tmp_path / "tables")
    shutil.copy(root / "schemas/enums.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "sched_switch"', 'name = "switch"', "sched_switch.toml: table is called 'switch'"),
        ('kind = "event"', 'kind = "happening"', "kind 'happening'; one of event, entity, derived"),
        ('name = "cpu", type = "i16"', 'name = "cpu", type = "u7"', "column cpu: type 'u7'; one of"),
        ('enum = "task_state"', 'enum = "task_mood"', "column prev_state: enum 'task_mood' is not declared"),
        ('name = "ts_ns"', 'name = "time"', "an event table starts with id and ts_ns"),
    ],
)
def test_a_wrong_declaration_is_refused(copy: Path, old: str, new: str, message: str) -> None:
    path = copy / "tables/sched_switch.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(DeclarationError, match=r"sched_switch\.toml") as caught:
        read_declarations(copy)
    assert message in str(caught.value)
