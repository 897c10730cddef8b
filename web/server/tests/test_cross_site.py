"""Pages of other sites can have a browser ask this server; they get nothing, and cost nothing."""

from __future__ import annotations

import time

import pytest
from wastenot.web.local import LocalServer

T = "/api/traces/wasted"

DATA = (
    "/api/traces", "/api/health", "/api/openapi.json", f"{T}/slices?cpus=0-7", f"{T}/verdict", f"{T}/threads",
    f"{T}/tiles/0/0/0", f"{T}/top/thread", f"{T}/schema", f"{T}/search?q=a", "/api/compare?a=wasted&b=wasted",
)  # fmt: skip

IMAGE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
FRAME = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
OLD = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:78.0) Gecko/20100101 Firefox/78.0"}
"""A browser from before Sec-Fetch-Site."""


@pytest.mark.parametrize("path", DATA)
@pytest.mark.parametrize(
    "headers",
    [
        IMAGE,
        LINK,
        FRAME,
        {**IMAGE, "Sec-Fetch-Site": "same-site"},
        {**OLD, "Origin": "http://evil.example"},
        {**OLD, "Origin": "null"},
        {**OLD, "Referer": "http://evil.example/page"},
        {**OLD, "Referer": "http://["},
        OLD,
    ],
    ids=["image", "link", "frame", "same-site", "old-origin", "old-null", "old-referer", "old-broken", "old-without"],
)
def test_no_data_for_a_page_of_another_site(served: LocalServer, path: str, headers: dict[str, str]) -> None:
    answer = served.ask(path, headers=headers)
    assert answer.status == 403 and "another site" in answer.error()


@pytest.mark.parametrize("headers", [LINK, OLD, {**OLD, "Referer": "http://evil.example/"}, {}])
def test_a_link_of_another_site_opens_the_page(served: LocalServer, headers: dict[str, str]) -> None:
    assert served.ask("/", headers=headers).status in (200, 503)


@pytest.mark.parametrize("headers", [IMAGE, FRAME])
def test_the_page_is_not_part_of_another_site(served: LocalServer, headers: dict[str, str]) -> None:
    assert served.ask("/", headers=headers).status == 403


def test_the_page_itself_gets_data(served: LocalServer) -> None:
    own = f"http://127.0.0.1:{served.port}"
    for headers in (
        {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
        {**OLD, "Referer": f"{own}/"},
        {**OLD, "Origin": own},
        {"User-Agent": "curl/8"},
        {},
    ):
        assert served.ask(f"{T}/verdict", headers=headers).status == 200, headers


@pytest.mark.parametrize(
    "host", ["[::1].evil.com", "[::1]x", "[::1", "::1", "127.0.0.1@evil.com", "localhost.", "a/b", "x" * 300]
)
def test_a_host_that_only_begins_like_an_address_is_refused(served: LocalServer, host: str) -> None:
    assert served.ask("/api/health", headers={"Host": host}).status == 421


# ---- lists and numbers


def test_a_list_of_cpus_holds_each_once_and_costs_what_it_is_long() -> None:
    from wastenot.web.parameters import cpu_list

    began = time.monotonic()
    assert cpu_list(",".join(["0-32767"] * 2400)) == list(range(32768))
    assert time.monotonic() - began < 0.5
    assert cpu_list("3, 1-2,2-4 ,0") == [0, 1, 2, 3, 4]
    assert cpu_list("") == []


def test_a_request_with_a_huge_list_of_cpus_is_answered_at_once(served: LocalServer) -> None:
    for ranges in (",".join(["0-65535"] * 2400), ",".join(["0-32767"] * 2400)):
        began = time.monotonic()
        assert served.ask(f"{T}/slices?cpus={ranges}").status in (200, 422)
        assert time.monotonic() - began < 10


HUGE = ("9" * 19, "9" * 40, "-" + "9" * 40, "9" * 5000, str(2**63), str(-(2**63) - 1), "1e400", "nan")


PLACES = [
    "slices?start=",
    "slices?end=",
    "slices?limit=",
    "slices?cpus=",
    "waits?start=-1&end=",
    "curve?end=",
    "curve?bins=",
    "curve?bins=20000&end=",
    "selection?start=",
    "selection?cpus=0&end=",
    "selection/reasons?start=",
    "selection/reasons?end=",
    "report?start=",
    "migrations?start=",
    "wakeups?end=",
    "attempts?end=",
    "replay/state?at=",
    "replay/moves?end=",
    "replay/waste?start=",
    "replay/unobserved?end=",
    "replay/pairs?limit=",
    "replay/bubbles/state?at=",
    "replay/bubbles/moves?end=",
    "tiles/",
    "tiles/0/",
    "tiles/0/0/",
    "episodes/",
    "episodes?limit=",
    "antagonists/",
    "top/thread?limit=",
    "search?q=",
    "search?q=%23",
    "search?q=a&limit=",
]
"""Addresses that end in a number."""
REST = {"tiles/": "/0/0", "tiles/0/": "/0"}


@pytest.mark.parametrize("number", HUGE, ids=lambda n: str(n)[:12])
@pytest.mark.parametrize("path", PLACES)
def test_a_huge_number_is_not_an_internal_error(served: LocalServer, path: str, number: str) -> None:
    answer = served.ask(f"{T}/{path}{number}{REST.get(path, '')}")
    assert answer.status in (200, 400, 404, 409, 422), (answer.status, answer.body[:200])


@pytest.mark.parametrize("limit", [0, -1, 2**63 - 1, 2**63, 10**40, 1.5])
def test_a_huge_limit_of_a_query_is_not_an_internal_error(served: LocalServer, limit: int) -> None:
    assert served.sql("SELECT 1", limit=limit).status in (200, 422)


@pytest.mark.parametrize(
    "path", ["/%ff", "/%ff%fe/x.js", "/api/traces/%ff/verdict", "/%ff?token=x", "/%0d%0aX-A:%20b?token=x"]
)
def test_a_path_that_is_not_text_is_answered(served: LocalServer, path: str) -> None:
    assert served.ask(path).status in (200, 401, 404, 503)
