"""Results as tables, printed and kept."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

RESULTS = Path(__file__).with_name("results")
HEAD = "# Measured\n\nEach section says by which command, when and where it was measured.\n\n"


@dataclass
class Section:
    """A table with a title and how it was measured."""

    title: str
    how: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def add(self, *cells: object) -> None:
        """One row; numbers get thin groups of three digits."""
        self.rows.append([f"{c:,}".replace(",", " ") if isinstance(c, int) else str(c) for c in cells])

    def markdown(self, origin: str = "") -> str:
        """As a section of a Markdown file; `origin` says where it comes from."""
        paragraph = "\n\n" if origin else ""
        return f"## {self.title}\n\n{origin}{paragraph}{self.how}\n\n{self.table()}"

    def table(self) -> str:
        """The table alone."""
        lines = [f"| {' | '.join(self.columns)} |"]
        lines.append(f"| {' | '.join(['---'] + ['---:'] * (len(self.columns) - 1))} |")
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join(lines) + "\n"


def processor() -> str:
    """Name of the processor."""
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), flags=re.M)
    return found[1] if found else platform.machine()


def machine_line() -> str:
    """The machine in one line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{processor()}, {os.cpu_count()} CPUs, {memory:.0f} GiB, Linux {platform.release()}"


def file_name() -> str:
    """Name of the results file for this kind of machine."""
    slug = re.sub(r"[^a-z0-9]+", "-", re.sub(r"\(.*?\)|@.*|CPU", "", processor()).lower()).strip("-")
    return f"{slug}-{os.cpu_count()}cpus.md"


def revision() -> str:
    """The revision of the checkout; results that were kept before leave it as it is."""

    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", RESULTS, *words], capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":!.")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("-dirty" if changed else "")


def provenance(command: str) -> str:
    """What was run now, at which revision, when, where, and how busy the machine is."""
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    return (
        f"`{command}` at revision {revision()}, {datetime.date.today():%Y-%m-%d}, {machine_line()}; load at its end "
        f"(1, 5, 15 minutes): {load}."
    )


def keep(sections: list[Section], command: str, name: str | None = None) -> Path:
    """Put finished sections into `results/name`, by default that of this kind of machine; returns the file.

    They take the place of those with their titles; all others stay. Each says by itself where it comes from.
    """
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / (name or file_name())
    head, *kept = re.split(r"^(?=## )", path.read_text() if path.exists() else HEAD, flags=re.M)
    parts = {part.splitlines()[0]: part for part in kept}
    origin = provenance(command)
    for section in sections:
        text = section.markdown(origin)
        parts[text.splitlines()[0]] = text
    path.write_text("\n\n".join(part.strip("\n") for part in [head, *parts.values()]) + "\n")
    return path
