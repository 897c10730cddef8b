"""Pages of the documentation site: which files of the repository they are, and their text as the generator reads it.

The pages are written for a plain view of the repository: relative links to files, nothing that only a generator
understands. What the site needs beyond that is derived here: links to files that are not pages become plain text, and
the first page gets the navigation.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NAVIGATION = Path(__file__).with_name("navigation.toml")
FIRST = "docs/README.md"

LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^)\s]+)\)")
ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*:|#", re.I)
"""A link that names no file: an address with a scheme, or a heading of the same page."""


class SiteError(Exception):
    """The pages do not make a site; the message says where and why, a line per reason."""


@dataclass(frozen=True)
class Entry:
    """A page in the navigation, and the pages under it."""

    page: str
    under: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A titled part of the navigation."""

    title: str
    entries: tuple[Entry, ...]


def read_navigation() -> list[Part]:
    """The parts of `navigation.toml`, patterns replaced by the files that match them."""
    content: dict[str, Any] = tomllib.loads(NAVIGATION.read_text(encoding="utf-8"))
    return [Part(part["title"], tuple(_entries(part["pages"]))) for part in content["part"]]


def _entries(pages: list[str]) -> Iterator[Entry]:
    for page, following in zip(pages, [*pages[1:], ""], strict=True):
        if "*" in page:
            continue
        under = sorted(ROOT.glob(following)) if "*" in following else []
        yield Entry(page, tuple(str(path.relative_to(ROOT)) for path in under))


def all_pages(navigation: list[Part]) -> list[str]:
    """The files of all pages, in the order of the navigation."""
    return [FIRST, *(page for part in navigation for entry in part.entries for page in (entry.page, *entry.under))]


def missing_pages(pages: list[str]) -> list[str]:
    """Pages under docs/ that the navigation does not have."""
    return sorted({str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")} - set(pages))


def site_path(page: str) -> str:
    """The path of a page within the site: `docs/` is its root, the rest of the repository is below `repository/`.

    README.md is what a repository shows of a folder, index what a server shows of one.
    """
    path = page.removeprefix("docs/") if page.startswith("docs/") else f"repository/{page}"
    return path.removesuffix("README.md") + "index.md" if path.endswith("README.md") else path


def page_text(page: str, text: str, pages: set[str], images: set[str]) -> str:
    """The text of a page as the generator reads it; `images` gets the files of its images."""
    problems: list[str] = []
    lines: list[str] = []
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not fence:
            line = LINK.sub(lambda m, n=number: _link(m, page, n, pages, images, problems), line)  # type: ignore[misc]
        lines.append(line)
    if problems:
        raise SiteError("\n".join(problems))
    return "\n".join(lines) + "\n"


def _link(found: re.Match[str], page: str, line: int, pages: set[str], images: set[str], problems: list[str]) -> str:
    """A link of a page with the target that it has in the site."""
    if ADDRESS.match(found["target"]):
        return found[0]
    path, _, heading = found["target"].partition("#")
    target = os.path.normpath(PurePosixPath(page).parent / path)
    if not (ROOT / target).exists() or target.startswith(".."):
        problems.append(f"{page}:{line}: no such file: {found['target']}")
        return found[0]
    if found["image"]:
        images.add(target)
    elif target not in pages:
        return found["text"]
    relative = os.path.relpath(site_path(target), PurePosixPath(site_path(page)).parent)
    return f"{found['image']}[{found['text']}]({relative}{'#' + heading if heading else ''})"


def with_navigation(text: str, navigation: list[Part]) -> str:
    """The text of the first page followed by the navigation."""
    return text + "".join(
        _toctree([entry.page for entry in part.entries], "", f":caption: {part.title}\n") for part in navigation
    )


def with_pages_under(text: str, entry: Entry) -> str:
    """The text of a page followed by those under it."""
    return text + _toctree(list(entry.under), str(PurePosixPath(site_path(entry.page)).parent)) if entry.under else text


def _toctree(pages: list[str], folder: str, options: str = "") -> str:
    names = (os.path.relpath(site_path(page).removesuffix(".md"), folder or ".") for page in pages)
    return "\n```{toctree}\n:hidden:\n:titlesonly:\n" + options + "\n" + "\n".join(names) + "\n```\n"


def write_sources(folder: Path) -> None:
    """Write all pages and their images into an empty folder, as the generator reads them."""
    navigation = read_navigation()
    pages = all_pages(navigation)
    if missing := missing_pages(pages):
        raise SiteError(f"{NAVIGATION.relative_to(ROOT)}: no place for {', '.join(missing)}")
    entries = {entry.page: entry for part in navigation for entry in part.entries}
    images: set[str] = set()
    problems: list[str] = []
    for page in pages:
        try:
            text = page_text(page, (ROOT / page).read_text(encoding="utf-8"), set(pages), images)
        except (OSError, SiteError) as error:
            problems.append(str(error))
            continue
        if page == FIRST:
            text = with_navigation(text, navigation)
        elif page in entries:
            text = with_pages_under(text, entries[page])
        target = folder / site_path(page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    if problems:
        raise SiteError("\n".join(problems))
    for image in images:
        target = folder / site_path(image)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / image).read_bytes())
