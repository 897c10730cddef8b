"""`docs/glossary.md` as data: its terms, and the words they are made of."""

from __future__ import annotations

import re
from pathlib import Path

from wastenot.cli.glossary import Term, plain
from wastenot.cli.glossary import terms as rows_of

__all__ = ["PAGE", "PLAIN", "ROOT", "Term", "known_words", "plain", "plain_words", "strange", "terms", "words"]

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/glossary.md"
PLAIN = ROOT / "tests/plain_words.txt"


def terms() -> list[Term]:
    """The rows of all tables of the page, in its order."""
    return rows_of(PAGE.read_text(encoding="utf-8"))


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
