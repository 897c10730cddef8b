"""The glossary as data. `glossary.md` beside this file is a link to docs/glossary.md, and a copy of it in wheels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGE = Path(__file__).with_suffix(".md")


@dataclass(frozen=True)
class Term:
    """One row of the page."""

    group: str
    name: str
    meaning: str
    source: str

    @property
    def plain(self) -> str:
        """The name in lower case, with spaces where names of columns have underscores and texts hyphens."""
        return plain(self.name)


def plain(text: str) -> str:
    """A name or a text as terms are compared: `CPUs scanned` and `cpus_scanned` are the same."""
    return re.sub(r"[`]", "", re.sub(r"[_–-]", " ", text)).lower().strip()


def without_markup(text: str) -> str:
    """A text of the page for a terminal: the texts of links, without backticks and without links to other lists."""
    text = re.sub(r"\. \[All [^\]]+\]\([^)]+\)", "", text)
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text).replace("`", "").replace("\\|", "|")


def terms(page: str) -> list[Term]:
    """The rows of all tables of a page, in its order."""
    found: list[Term] = []
    group = ""
    for line in page.splitlines():
        if line.startswith("## "):
            group = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith(("| term ", "| --- ")):
            name, meaning, source = (cell.strip() for cell in line.strip("| ").split(" | "))
            found.append(Term(group, name.strip("`"), meaning, source))
    return found


@cache
def glossary() -> tuple[Term, ...]:
    """The terms of the page that this package holds."""
    return tuple(terms(PAGE.read_text(encoding="utf-8")))
