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
    elsewhere = {
        "suspicion",  # its names are details of `data_quality`
        "repair_kind",  # of what rules advise, which no table has
    }
    used = {c.enum for t in vocabulary.tables for c in t.columns}
    assert {e.name for e in vocabulary.enums} <= used | elsewhere


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of the declarations that a test may spoil."""
    shutil.copytree(root / "schemas/tables", tmp_path / "tables")
    shutil.copy(root / "schemas/enums.toml", tmp_path)
    return tmp_path


def test_an_excuse_may_rest_on_a_kind_of_evidence_that_there_is(copy: Path, root: Path) -> None:
    shutil.copy(root / "schemas/records.toml", copy)
    enums = copy / "enums.toml"

    def kinds(needs: str) -> tuple[tuple[str, ...], dict[str, str]]:
        text = (root / "schemas/enums.toml").read_text()
        enums.write_text(text.replace("[excuse]\n", f"[excuse]\nneeds = {{ {needs} }}\n"))
        kind = next(e for e in read_declarations(copy).enums if e.name == "evidence_kind")
        assert kind.followed_by is not None and len(kind.values) == len(kind.words)
        return kind.values, kind.followed_by[1]

    values, rests_on = kinds("")
    assert "cookie" in values and rests_on["cookie"] == "cookie"
    without, rests_on = kinds('cookie = "migrations"')
    assert [*values] == [*without[:-1], "cookie", *without[-1:]] and rests_on["cookie"] == "migrations"
    for wrong in ('cookie = "weather"', 'weather = "migrations"'):
        with pytest.raises(DeclarationError, match="excuse: needs names weather, which is not declared"):
            kinds(wrong)


def test_a_list_of_an_enumeration_has_its_values(copy: Path, vocabulary: Vocabulary) -> None:
    grade = next(e for e in vocabulary.enums if e.name == "grade")
    assert sorted(grade.lists["worst_first"]) == sorted(grade.values)
    assert [*grade.lists["timed"]] == [g for g in grade.values if g in grade.lists["timed"]]
    enums = copy / "enums.toml"
    enums.write_text(enums.read_text().replace('timed = ["in_flight"', 'timed = ["in_fight"'))
    with pytest.raises(DeclarationError, match="grade: lists name in_fight, which is not a value"):
        read_declarations(copy)


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
