"""`docs/glossary.md` as data: its terms, and the words they are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/glossary.md"
PLAIN = ROOT / "tests/plain_words.txt"


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
    return re.sub(r"[`]", "", re.sub(r"[_–-]", " ", text)).lower().strip()


def terms(page: str | None = None) -> list[Term]:
    """The rows of all tables of the page, in its order."""
    found: list[Term] = []
    group = ""
    for line in (page if page is not None else PAGE.read_text(encoding="utf-8")).splitlines():
        if line.startswith("## "):
            group = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith(("| term ", "| --- ")):
            name, meaning, source = (cell.strip() for cell in line.strip("| ").split(" | "))
            found.append(Term(group, name.strip("`"), meaning, source))
    return found


def words(text: str) -> list[str]:
    """The words of a name or a label: `cpus_scanned` and `CPUs scanned` are the same two."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return [w.lower() for w in re.findall(r"[A-Za-z]+", spaced)]


def known_words() -> set[str]:
    """Words of terms, and those that need no explanation."""
    return {w for t in terms() for w in words(t.name)} | plain_words()


def plain_words() -> set[str]:
    """Words of names and labels that need no explanation to who knows Linux and English."""
    lines = PLAIN.read_text(encoding="utf-8").splitlines()
    return {w for line in lines if not line.startswith("#") for w in line.split()}


def strange(text: str, known: set[str]) -> list[str]:
    """The words of a text that are neither a term's nor plain; a plural is known by its singular."""
    return [w for w in words(text) if w not in known and w.removesuffix("s") not in known]
