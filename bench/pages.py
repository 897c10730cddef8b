"""Tables of pages that are written from results: marked blocks hold what a command printed, and are compared with it.

A block begins with `<!-- generated: NAME -->` and ends with `<!-- end of generated -->`, each a line of its own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

BLOCK = re.compile(r"^<!-- generated: (?P<name>[^\n]+?) -->\n(?P<body>.*?)^<!-- end of generated -->$", re.M | re.S)
FIGURE = re.compile(
    r"(?<![\w.-])[−-]?\d+(?:[  ]\d{3})*(?:\.\d+)?(?= ?%| (?:ns|µs|ms|s|core-seconds|times)\b)"
    r"|(?<![\w.-])(?<!Linux )[−-]?\d+\.\d+"
)
"""A number with a fraction that is not a release of Linux, or one with a unit or a percent sign behind it."""


class PageError(Exception):
    """A page whose blocks are not those that are asked for."""


def blocks(page: str) -> dict[str, str]:
    """The blocks of a page, by name."""
    found: dict[str, str] = {}
    for block in BLOCK.finditer(page):
        if block["name"] in found:
            raise PageError(f"two blocks {block['name']!r}")
        found[block["name"]] = block["body"].strip("\n") + "\n"
    return found


def fill_blocks(page: str, bodies: Mapping[str, str]) -> str:
    """The page with these blocks in place of its own; every one of them must be there."""
    missing = set(bodies) - set(blocks(page))
    if missing:
        raise PageError(f"no block {', '.join(sorted(missing))}")

    def put(block: re.Match[str]) -> str:
        name = block["name"]
        return block[0] if name not in bodies else f"{mark(name)}\n{bodies[name].strip()}\n{END}"

    return BLOCK.sub(put, page)


END = "<!-- end of generated -->"


def mark(name: str) -> str:
    """The line that begins a block."""
    return f"<!-- generated: {name} -->"


def differences(page: str, bodies: Mapping[str, str], where: str) -> list[str]:
    """Lines of a page's blocks that are not those of `bodies`, as a diff; empty when all are the same."""
    held = blocks(page)
    lines: list[str] = []
    for name, body in bodies.items():
        old, new = held.get(name, "").splitlines(), body.strip().splitlines()
        lines += difflib.unified_diff(old, new, f"{where}: {name}", f"printed now: {name}", lineterm="", n=0)
    return lines


def unsupported_figures(page: str) -> list[str]:
    """Figures in a page's prose that are in none of the blocks of their `##` section, each with its line.

    Figures of the text before the first section, and of a section without a block of its own, may be in any block.
    """
    everything = _numbers("\n".join(blocks(page).values()))
    found: list[str] = []
    for section in re.split(r"^(?=## )", page, flags=re.M):
        within = blocks(section).values() if section.startswith("## ") else ()
        own = _numbers("\n".join(within)) if within else everything
        for line in BLOCK.sub("", section).splitlines():
            wanting = [figure for figure in FIGURE.findall(line) if _plain(figure) not in own]
            found += [f"{figure}: {line}" for figure in wanting]
    return found


def _numbers(text: str) -> set[str]:
    return {_plain(number) for number in re.findall(r"\d+(?:[  ]\d{3})*(?:\.\d+)?", text)}


def _plain(number: str) -> str:
    return re.sub(r"[  ]", "", number).replace("−", "-").lstrip("-")
