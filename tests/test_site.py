"""The documentation site: it builds without a warning, has every page, and loads nothing that the server refuses."""

from __future__ import annotations

import fcntl
import os
import posixpath
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs.site import build
from docs.site.pages import (
    ROOT,
    SiteError,
    all_pages,
    missing_pages,
    page_text,
    read_navigation,
    site_path,
)

LARGEST = 7_000_000
"""Bytes of the site, before a wheel compresses it."""
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "use": "href"}
"""Elements that load a file, and the attribute that names it."""


@dataclass
class Page(HTMLParser):
    """What a built page refers to."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    within: list[str] = field(default_factory=list)
    """Scripts within the page: in an element without `src`, or in an attribute."""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        given = {name: value or "" for name, value in attrs}
        self.ids.add(given.get("id", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if LOADED.get(tag, "") in given:
            self.loads.append(given[LOADED[tag]])
        elif tag == "script":
            self.within.append("<script>")
        self.within += [name for name in given if name.startswith("on")]


def resolved(page: str, address: str) -> str:
    """The file of the site that an address names on a page."""
    path = unquote(urlsplit(address).path)
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site: built once, also where several processes run the tests."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "documentation-site"
    with (shared / "documentation-site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            build.build_site(folder)
    return folder


@pytest.fixture(scope="module")
def built(site: Path) -> dict[str, Page]:
    """Its pages by path."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        page = pages[path.relative_to(site).as_posix()] = Page()
        page.feed(path.read_text(encoding="utf-8"))
    return pages


def test_each_page_of_docs_is_in_the_navigation_once() -> None:
    pages = all_pages(read_navigation())
    assert missing_pages(pages) == []
    assert sorted(pages) == sorted(set(pages))
    assert missing_pages(pages[:-40]) != []


def test_it_builds_without_warnings_and_has_every_page(built: dict[str, Page]) -> None:
    expected = {site_path(page).removesuffix(".md") + ".html" for page in all_pages(read_navigation())}
    assert set(built) == expected | {"search.html"}


def test_each_page_leads_to_each_other(built: dict[str, Page]) -> None:
    for path, page in built.items():
        linked = {resolved(path, link) for link in page.links}
        assert set(built) - {"search.html", path} <= linked | {"index.html"}, path


def test_links_lead_to_pages_and_headings_of_the_site(built: dict[str, Page], site: Path) -> None:
    broken = []
    for path, page in built.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or link == "#":
                continue
            target = resolved(path, link)
            if not (site / target).is_file() or (parts.fragment and unquote(parts.fragment) not in built[target].ids):
                broken.append(f"{path}: {link}")
    assert broken == []
    assert sum(len(page.links) for page in built.values()) > 1000


def test_pages_load_nothing_that_the_content_security_policy_refuses(built: dict[str, Page], site: Path) -> None:
    for path, page in built.items():
        assert page.within == [], path
        for address in page.loads:
            parts = urlsplit(address)
            assert not parts.scheme and not parts.netloc, (path, address)
            assert (site / resolved(path, address)).is_file(), (path, address)
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert "@import" not in text and "url(http" not in text and "url(//" not in text, style


def test_words_of_all_parts_are_in_the_search_index(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for word in ("excus", "troubleshoot", "sched_switch", "can_migrate_task", "perfetto"):
        assert word in index, word


def test_it_is_small_and_carries_the_licences_of_what_it_includes(site: Path) -> None:
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < LARGEST
    text = (site / build.LICENCES).read_text(encoding="utf-8")
    assert "furo 2" in text and "Sphinx 9" in text and "Redistribution and use in source" in text


def test_a_link_to_a_heading_that_does_not_exist_fails(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources/index.md").write_text("# First\n\n[second](#second)\n")
    with pytest.raises(SiteError, match=r"index\.md:3.*second"):
        build.generate(tmp_path / "sources", tmp_path / "site", tmp_path / "doctrees")


def test_a_link_to_a_file_that_does_not_exist_fails() -> None:
    with pytest.raises(SiteError, match=r"docs/guide/x\.md:3: no such file: none\.md#a"):
        page_text("docs/guide/x.md", "# X\n\n[none](none.md#a)\n", set(), set())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](../semantics.md#causes)", "[a](../semantics.md#causes)"),
        ("[causes](../causes/README.md)", "[causes](../causes/index.md)"),
        ("[`a [b]` c](../../SECURITY.md).", "[`a [b]` c](../repository/SECURITY.md)."),
        ("see [the file](../../docker-compose.yml)", "see the file"),
        ("![shot](images/verdict.png)", "![shot](images/verdict.png)"),
        ("[a](https://www.kernel.org) [b](#b)", "[a](https://www.kernel.org) [b](#b)"),
        ("```\n[a](none.md)\n```", "```\n[a](none.md)\n```"),
    ],
)
def test_links_of_the_repository_become_links_of_the_site(text: str, expected: str) -> None:
    images: set[str] = set()
    pages = {"docs/semantics.md", "docs/causes/README.md", "SECURITY.md"}
    assert page_text("docs/guide/x.md", text, pages, images) == expected + "\n"
    assert images == ({"docs/guide/images/verdict.png"} if text.startswith("!") else set())


def test_pages_use_nothing_that_only_the_generator_understands() -> None:
    for page in all_pages(read_navigation()):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert "```{" not in text and "\n:::" not in text, page
