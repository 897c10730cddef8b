"""Results as tables, printed and kept."""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass, field
from pathlib import Path

RESULTS = Path(__file__).with_name("results")


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

    def markdown(self) -> str:
        """As a section of a Markdown file."""
        return f"## {self.title}\n\n{self.how}\n\n{self.table()}"

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


def keep(sections: list[Section], command: str, revision: str, date: str, name: str | None = None) -> Path:
    """Write the results of a run to `results/name`, by default that of this kind of machine; returns the file."""
    head = [f"# {machine_line()}", "", f"`{command}` at revision {revision}, {date}.", ""]
    load = "Load of the machine at the end (1, 5, 15 minutes): " + ", ".join(f"{x:.1f}" for x in os.getloadavg())
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / (name or file_name())
    path.write_text("\n".join([*head, load, "", *[s.markdown() for s in sections]]))
    return path
