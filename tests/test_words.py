"""Words that the project does not use, in documents, tests, the schema and parts of the code (CONTRIBUTING.md, Style).

Add a place to `CLEAN` when it has none of them. A word that is right in one line goes to `ALLOWED`, with the reason.
"""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

CLEAN = (
    "*.md", "docs/*", "tests/*", "bench/*", "schemas/tables/*", "schemas/enums.toml", "schemas/src/*",
    "schemas/tests/*", "fixtures/*", "scripts/*", "*/tests/*.py",
    "topology/*", "collector/*", "checker/*", "analyzer/*", "provoke/*", "cli/*", "web/*", "live/*", "replay/*",
    "bindings/*", "packaging/*", "online/*",
    "Makefile", "Dockerfile", "conftest.py", "pyproject.toml", "*/pyproject.toml", ".ci/*",
)  # fmt: skip
"""Patterns of files that have none of the words."""

SUFFIXES = {
    ".md", ".py", ".pyi", ".toml", ".sql", ".sh", ".rs", ".c", ".h", ".ts", ".tsx", ".css", ".mjs", ".ipynb", ".yml",
    ".yaml", ".go", ".tpl", ".txt", "",
}  # fmt: skip
NOT_OURS = ("LICENSE", "LICENSES/*", "fixtures/*.json", "fixtures/traces/*/*/*")

WORDS = {
    r"(un)?told|tell(s|ing)? (of|apart)": "recorded, reported, traced; distinguished",
    r"(no|some|any)body('s)?|whoever|who(so|m)ever": "no thread, another user, each thread that",
    r"(the|its|a) begins?|begins? of": "start",
    r"(stand|stands|stood) on": "is queued on",
    r"spells?": "interval, gap",
    r"rooms?|house|doors?": "component, repository, API",
    r"judge[sd]?|judging": "checked, graded, measured",
    r"witness|sieve|bites?": "say what it is",
    r"before excuses|needless wait": "idle while waiting, avoidable wait",
    r"balanc(e|ing) pass(es)?|pass(es)? of the (load )?balancer|(load )?balancer's pass(es)?": "load-balance attempt",
    r"how-?manieth": "ordinal",
    r"lets? go": "release",
    r"trust block|wasted_upper": "data quality, idle while waiting",
}
"""Patterns of words, and what to write instead."""

IN_DOCUMENTS = {
    r"is no (?!longer|more|fewer|less|faster|slower|different)\w+|are no (?!longer|more|fewer)\w+": "is not a",
    r"edges?": "idle–waiting pair",
}
"""The same, in documents only: messages of the program and graphs of tests may have them."""

IN_NAMES = {
    r"(is|are) no (?!longer|more|fewer|less|faster|slower|different)\w+": "is not a",
    r"tells|is told": "reports, says, is reported",
    r"stands? (at|in|on)": "is at, is queued on",
}
"""The same, in names of functions, types, constants and tests."""

DEFINITION = re.compile(
    r"\b(?:async def|def|fn|function|const|let|class|struct|enum|trait|interface|type|static|mod) +(?:mut +)?(\w+)"
)

ALLOWED = {
    (
        "*",
        r"\bnobody\b.*(user|65534)|(user|as_|USER).*\bnobody\b|\bNOBODY\b|as_nobody|wastenot-nobody",
    ): "the user `nobody`",
    ("tests/test_words.py", r".*"): "this list",
    ("tests/skips/*", r".*"): "its output is fixed by a test",
    ("schemas/CHANGES.md", r"needless_wait|before excuses|passes of"): "names of earlier versions",
    ("CHANGELOG.md", r".*"): "names of earlier versions",
    ("schemas/src/wastenot/schemas/upgrade.py", r"passes of the load balancer"): "a text of files of version 2",
    ("cli/tests/test_faults.py", r"--by.*nobody"): "a value that is refused",
    ("analyzer/tests/test_store.py", r"passes of the load balancer"): "a text of files of version 2",
}
"""By pattern of files and of lines, why a word is right there."""


def clean_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [
        name
        for name in listed.splitlines()
        if any(fnmatch(name, p) for p in CLEAN)
        and not any(fnmatch(name, p) for p in NOT_OURS)
        and (ROOT / name).suffix in SUFFIXES
        and (ROOT / name).is_file()
    ]


def is_document(name: str) -> bool:
    return name.endswith(".md") and (name.startswith("docs/") or "/" not in name)


def allowed(name: str, line: str) -> bool:
    return any(fnmatch(name, files) and re.search(lines, line) for files, lines in ALLOWED)


def found(name: str, text: str) -> list[str]:
    """Lines of a file with one of the words, each with what to write instead."""
    out = []
    words = WORDS | (IN_DOCUMENTS if is_document(name) else {})
    for pattern, instead in words.items():
        matcher = re.compile(rf"(?<![\w-])({pattern})(?![\w-])", re.I)
        for number, line in enumerate(text.splitlines(), 1):
            hit = matcher.search(line)
            if hit and not allowed(name, line):
                out.append(f"{name}:{number}: {hit[0]!r} ({instead}): {line.strip()[:100]}")
    return out


def words_of(identifier: str) -> str:
    """The words of a name in snake case or camel case, with blanks between them."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", identifier.replace("_", " ")).strip()


def names_found(name: str, text: str) -> list[str]:
    """Names defined in a file that have one of the words, each with what to write instead."""
    out = []
    defined = {identifier: words_of(identifier) for identifier in DEFINITION.findall(text)}
    for pattern, instead in (WORDS | IN_NAMES).items():
        matcher = re.compile(rf"\b({pattern})\b", re.I)
        for identifier, words in defined.items():
            hit = matcher.search(words)
            if hit and not allowed(name, identifier):
                out.append(f"{name}: {identifier}: {hit[0]!r} ({instead})")
    return out


def test_no_clean_file_has_one_of_the_words() -> None:
    files = clean_files()
    assert len(files) > 300
    wrong = []
    for name in files:
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        wrong += found(name, text) + names_found(name, text)
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize(
    "line",
    ["Nobody moved it", "told apart", "the begin of the span", "it stands on a queue", "short spells", "three rooms",
     "judged per pair", "passes of the balancer", "a balance pass", "this is no trace"],
)  # fmt: skip
def test_a_word_is_found(line: str) -> None:
    assert found("docs/page.md", line)


@pytest.mark.parametrize(
    "line", ["it is no longer idle", "one pass over the slices", "as the user nobody", "begins to run"]
)
def test_a_right_line_passes(line: str) -> None:
    assert found("docs/page.md", line) == []


@pytest.mark.parametrize(
    "line",
    ["fn what_is_no_trace() {", "def test_nobody_waits():", "const tellsThreadsApart = 1", "struct BiteSize;",
     "let longest_spell_ns = 0;", "fn a_thread_let_go() {"],
)  # fmt: skip
def test_a_name_is_found(line: str) -> None:
    assert names_found("checker/rust/walk.rs", line)


@pytest.mark.parametrize("line", ["fn no_longer_idle() {", "fn a_thread_that_is_no_longer_queued() {", "let idle = 1;"])
def test_a_right_name_passes(line: str) -> None:
    assert names_found("checker/rust/walk.rs", line) == []


@pytest.mark.parametrize(("files", "lines"), ALLOWED, ids=lambda value: str(value)[:40])
def test_each_allowed_line_exists(files: str, lines: str) -> None:
    """An entry whose line is gone is taken out."""
    names = [name for name in clean_files() if fnmatch(name, files)]
    texts = ((ROOT / name).read_text(encoding="utf-8", errors="replace") for name in names)
    patterns = "|".join(WORDS | IN_DOCUMENTS | IN_NAMES)
    assert any(re.search(lines, line) and re.search(patterns, line, re.I) for t in texts for line in t.splitlines())
