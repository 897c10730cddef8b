"""The documentation under docs/."""

from __future__ import annotations

from pathlib import Path

import pytest
from wastenot.web.guards import POLICY
from wastenot.web.local import Serve


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A built site of two pages, and a file beside its folder."""
    folder = tmp_path / "site"
    (folder / "guide").mkdir(parents=True)
    (folder / "_static").mkdir()
    (folder / "index.html").write_text("<title>first</title>" + "x" * 2000)
    (folder / "guide/index.html").write_text("<title>guide</title>")
    (folder / "guide/verdict.html").write_text("<title>verdict</title>")
    (folder / "_static/theme.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.mark.parametrize(
    ("path", "title"),
    [("", "first"), ("index.html", "first"), ("guide/", "guide"), ("guide/verdict.html?highlight=x", "verdict")],
)
def test_pages_come_with_the_policy_of_the_user_interface(serve: Serve, site: Path, path: str, title: str) -> None:
    answer = serve([], documentation_folder=site).ask(f"/docs/{path}")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == POLICY
    assert f"<title>{title}</title>".encode() in answer.body


def test_scripts_have_their_type_and_files_are_compressed_and_kept(serve: Serve, site: Path) -> None:
    served = serve([], documentation_folder=site)
    assert served.ask("/docs/_static/theme.js").headers["content-type"].startswith("text/javascript")
    gzip = {"Accept-Encoding": "gzip"}
    packed = served.ask("/docs/", headers=gzip)
    assert packed.headers["content-encoding"] == "gzip" and len(packed.body) < 200
    assert served.ask("/docs/", headers={**gzip, "If-None-Match": packed.headers["etag"]}).status == 304


def test_without_the_slash_the_address_leads_to_the_first_page(serve: Serve, site: Path) -> None:
    served = serve([], documentation_folder=site, prefix="/w")
    answer = served.ask("/w/docs")
    assert (answer.status, answer.headers["location"]) == (303, "docs/")
    assert b"first" in served.ask("/w/docs/").body


@pytest.mark.parametrize("path", ["../secret.txt", "%2e%2e/secret.txt", "none.html", "guide", "x" * 300, "%00"])
def test_an_address_that_names_none_of_its_files_is_not_found(serve: Serve, site: Path, path: str) -> None:
    answer = serve([], documentation_folder=site, prefix="/w").ask(f"/w/docs/{path}")
    assert answer.status == 404
    assert b"secret" not in answer.body
    assert path.startswith(("../", "%2e")) or b'href="/w/docs/"' in answer.body


def test_where_it_was_not_built_the_page_names_the_command(serve: Serve, tmp_path: Path) -> None:
    answer = serve([], documentation_folder=tmp_path / "none").ask("/docs/guide/verdict.html")
    assert answer.status == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert b"<code>make docs</code>" in answer.body


def test_with_a_token_the_pages_need_it_too(serve: Serve, site: Path) -> None:
    served = serve([], documentation_folder=site, token="secret-token")
    assert served.ask("/docs/").status == 401
    assert served.ask("/docs/", headers={"Cookie": "wastenot-token=secret-token"}).status == 200
