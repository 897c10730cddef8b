"""The glossary has every term of the schema, the verdict, the command line and the browser, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from glossary import PAGE, PLAIN, ROOT, Term, known_words, plain, plain_words, strange, terms, words
from wastenot.analyzer.text.diagnosis import SURE
from wastenot.cli.main import app
from wastenot.schemas.declarations import Vocabulary, read_declarations

UI = ROOT / "web/ui/src"
BY_VALUE = ("grade", "excuse", "proof", "question", "bubble_tree")
"""Enumerations each of whose values is a term of its own."""
ANSWERS = ("placed_by", "not_moved_because", "ended_by", "migration_path", "excuse", "question")
"""Enumerations whose words a verdict prints."""


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return read_declarations(ROOT / "schemas")


def schema_names(vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    for table in vocabulary.tables:
        yield f"table {table.name}", table.name
        for column in table.columns:
            yield f"column {table.name}.{column.name}", column.name
    for enum in vocabulary.enums:
        yield f"enumeration {enum.name}", enum.name
        if enum.name in ANSWERS:
            yield from ((f"words of {enum.name}", text) for text in enum.words)


def cli_names() -> Iterator[tuple[str, str]]:
    for verb, command in app.commands.items():
        yield f"verb {verb}", verb
        for parameter in command.params:
            for option in parameter.opts if parameter.param_type_name == "option" else ():
                yield f"{verb} {option}", option


def ui_labels() -> Iterator[tuple[str, str]]:
    """What headings, heads of columns, terms, buttons, tooltips and names for screen readers of the browser say."""
    attribute = re.compile(r"\b(?:title|aria-label|label)=[\"']([^\"'<>{}]+)[\"']")
    label = re.compile(r"<(th|h[1-4]|dt|summary|button|label|option|legend)\b[^<>]*>\s*([^<>{}]+?)\s*</\1>")
    for file in sorted(UI.rglob("*.tsx")):
        text = file.read_text(encoding="utf-8")
        for found in label.finditer(text):
            yield f"{file.name}: {found[2]}", found[2]
        for found in attribute.finditer(text):
            yield f"{file.name}: {found[1]}", found[1]


def used_names(vocabulary: Vocabulary) -> list[tuple[str, str]]:
    return [*schema_names(vocabulary), *cli_names(), *ui_labels()]


def test_every_word_of_a_name_or_label_is_plain_or_in_the_glossary(vocabulary: Vocabulary) -> None:
    used, known = used_names(vocabulary), known_words()
    assert len(used) > 500
    assert len(list(ui_labels())) > 20
    assert {where: missing for where, name in used if (missing := strange(name, known))} == {}


def test_every_enumeration_has_a_row_with_its_values(vocabulary: Vocabulary) -> None:
    rows = {t.plain: t for t in terms()}
    missing = []
    for enum in vocabulary.enums:
        row = rows.get(plain(enum.name))
        if row is None:
            missing.append(enum.name)
        elif enum.name in BY_VALUE:
            missing += [f"{enum.name}: {v}" for v in enum.values if plain(v) not in rows]
        elif f"tables.md#{enum.name}" not in row.meaning and "#self-checks" not in row.meaning:
            text = plain(row.meaning)
            missing += [f"{enum.name}: {v}" for v in enum.values if plain(v) not in rows and plain(v) not in text]
    assert missing == []


SOURCES = ("schemas/tables", "schemas/enums.toml", "cli/src", "analyzer/src", "web/ui/src", "docs", "README.md")


@pytest.fixture(scope="module")
def texts() -> str:
    """Everything that people read, but the glossary: schema, verdict, command line, browser, documents."""
    found = []
    for source in SOURCES:
        path = ROOT / source
        files = [path] if path.is_file() else [f for f in sorted(path.rglob("*")) if f.is_file()]
        found += [
            f.read_text(encoding="utf-8")
            for f in files
            if f.suffix in {".toml", ".py", ".sql", ".ts", ".tsx", ".md"} and f != PAGE
        ]
    return " ".join(plain(" ".join(found)).split())


def test_every_term_of_the_glossary_is_used(texts: str) -> None:
    assert [t.name for t in terms() if t.plain not in texts] == []


def test_every_plain_word_is_used_and_is_not_a_term(vocabulary: Vocabulary) -> None:
    listed = [w for line in PLAIN.read_text(encoding="utf-8").splitlines() if line[:1] != "#" for w in line.split()]
    used = {w for _, name in used_names(vocabulary) for w in words(name)}
    used |= {w.removesuffix("s") for w in used}
    of_terms = {w for t in terms() for w in words(t.name)}
    assert listed == sorted(set(listed)), "sorted, each once"
    assert sorted(plain_words() - used) == []
    assert sorted(plain_words() & of_terms) == []


def test_each_term_stands_once_with_a_meaning_and_a_source() -> None:
    names = [t.plain for t in terms()]
    assert [n for n in names if names.count(n) > 1] == []
    assert [t.name for t in terms() if not t.meaning or not t.source] == []
    assert len(names) > 120


def test_grades_are_shown_with_their_bounds() -> None:
    meaning = {t.name: t.meaning for t in terms()}
    assert "50 µs" in meaning["noise"]
    assert "50 µs" in meaning["in_flight"] and "tick" in meaning["in_flight"]
    assert "tick" in meaning["expected"] and "balance interval" in meaning["expected"]
    assert "balance interval" in meaning["lasting"]
    assert "100 ms" in meaning["persistent"]
    assert "10 %" in meaning["recurrent"]


def test_the_command_line_explains_proof_levels_as_the_glossary_does() -> None:
    meaning = {t.plain: t.meaning for t in terms()}
    assert {level: meaning[level].split(":")[0].lower() for level in SURE} == {k: v.lower() for k, v in SURE.items()}


# ---- links


def anchor(heading: str) -> str:
    """The fragment of a heading, as forges make it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def broken(page: Path, term: Term) -> list[str]:
    out = []
    for target in re.findall(r"\]\(([^)]+)\)", term.meaning + term.source):
        file, _, fragment = target.partition("#")
        path = page.parent / file
        if not path.is_file():
            out.append(target)
        elif fragment:
            heads = re.findall(r"(?m)^#+ (.+)$", path.read_text(encoding="utf-8"))
            if fragment not in map(anchor, heads):
                out.append(target)
    return out


def test_every_link_of_the_glossary_leads_somewhere() -> None:
    assert {t.name: wrong for t in terms() if (wrong := broken(PAGE, t))} == {}


PAGES = sorted(p for p in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")] if p != PAGE)


def test_every_page_of_the_documents_links_to_the_glossary() -> None:
    without = [str(p.relative_to(ROOT)) for p in PAGES if "glossary.md" not in p.read_text(encoding="utf-8")]
    assert without == []


def test_the_command_line_and_the_verdict_name_the_glossary() -> None:
    assert "`wastenot glossary`" in (app.epilog or "")
    demo = (ROOT / "README.md").read_text(encoding="utf-8").split("<!-- end of generated -->")[0]
    assert "\nTerms: `wastenot glossary`\n" in demo, "compared with what the command prints by tests/test_figures.py"
