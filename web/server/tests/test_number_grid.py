"""Every parameter of every route with numbers too large, too small, or none: no internal error, no slow answer.

The routes are those of `openapi.json`, so that a new one is covered without a line here.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from wastenot.web.local import JSON, LocalServer

ROUTES: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "openapi.json").read_text())
SLOW_S = 1.0
"""No answer may take longer."""

NUMBERS = ("0", "-1", *(str(n) for n in (2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30, 10**400)))
TEXTS = ("NaN", "inf", "-inf", "1e400", "1.5", "", " ", "\u0663", "0x10", "1_0")
VALUES = (*NUMBERS, str(-(2**63)), str(-(10**400)), *TEXTS)
"""Of one parameter. U+0663 is a digit, but not an ASCII one."""
REPEATED = ("-1", str(2**63), "NaN", "", "\u0663")
"""Of a parameter that is given twice."""
EDGES = (-(2**62), -1, 0, 2**53 + 1, 2**62)
"""Of both ends of a window, whose difference or sum may leave 64 bits."""
TRACE = "wasted"


@dataclass(frozen=True)
class Route:
    """One method of one path."""

    method: str
    path: str
    parameters: tuple[dict[str, Any], ...]
    body: dict[str, Any]
    """Properties of a JSON body."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = ROUTES["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def routes() -> list[Route]:
    """All that the server's description lists."""
    found = []
    for path, methods in ROUTES["paths"].items():
        for method, described in methods.items():
            content = described.get("requestBody", {}).get("content", {})
            body = _resolved(content.get("application/json", {}).get("schema", {})).get("properties", {})
            found.append(Route(method.upper(), path, tuple(described.get("parameters", ())), body))
    return found


def plain(parameter: dict[str, Any]) -> str:
    """A value that the parameter accepts."""
    schema = _resolved(parameter["schema"])
    if "enum" in schema:
        return str(schema["enum"][0])
    return "0" if schema.get("type") == "integer" else TRACE


def addressed(route: Route, values: list[tuple[str, str]]) -> str:
    """The route's address: `values` for the parameters they name, plain ones for others that are required."""
    named = {name for name, _ in values}
    values = [(p["name"], plain(p)) for p in route.parameters if p.get("required") and p["name"] not in named] + values
    path, inside = route.path, {p["name"] for p in route.parameters if p["in"] == "path"}
    for name, value in values:
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return f"{path}?{urlencode([(name, value) for name, value in values if name not in inside])}"


def grid(route: Route) -> Iterator[str]:
    """Addresses of a route."""
    for parameter in route.parameters:
        name = parameter["name"]
        for value in VALUES:
            yield addressed(route, [(name, value)])
        for value in REPEATED if parameter["in"] == "query" else ():
            yield addressed(route, [(name, "1"), (name, value)])
            yield addressed(route, [(name, value), (name, "1")])
    named = {p["name"]: _resolved(p["schema"]) for p in route.parameters}
    if {"start", "end"} <= named.keys():
        for limit in ("minimum", "maximum"):
            most = [(name, str(schema[limit])) for name, schema in named.items() if limit in schema]
            for start, end in itertools.combinations(EDGES, 2):
                if limit == "minimum" or end - start == 2**63:
                    yield addressed(route, [("start", str(start)), ("end", str(end)), *most])


def bodies(route: Route) -> Iterator[bytes]:
    """JSON bodies with such numbers, also where text is expected."""
    for name, value in itertools.product(route.body, (*NUMBERS, "NaN", "Infinity", "1e400", "1.5", "null", '""', "[]")):
        others = [f'"{other}": "SELECT 1"' for other in route.body if other == "sql" != name]
        yield ("{" + ", ".join([*others, f'"{name}": {value}', f'"{name}": {value}']) + "}").encode()


class Client:
    """Requests on one connection, each of which must be answered in time and without an internal error."""

    def __init__(self, served: LocalServer) -> None:
        self.connection = HTTPConnection("127.0.0.1", served.port, timeout=60)
        self.asked = 0

    def ask(self, route: Route, address: str, body: bytes | None = None) -> None:
        """One request; repeated once if it took long, since other work may run beside the tests."""
        status, answer, took = self._once(route, address, body)
        if took > SLOW_S:
            status, answer, took = self._once(route, address, body)
        what = f"{route.method} {address[:200]} {(body or b'')[:80]!r}"
        assert took <= SLOW_S, f"{what}: {took:.1f} s"
        assert status < 500, f"{what}: {status} {answer[:200]!r}"
        if status >= 400:
            error = json.loads(answer)["error"]
            assert error and "\n" not in error and len(error) < 1000, f"{what}: {error[:200]!r}"

    def _once(self, route: Route, address: str, body: bytes | None) -> tuple[int, bytes, float]:
        self.asked += 1
        began = time.monotonic()
        self.connection.request(route.method, address, body, JSON if body else {})
        response = self.connection.getresponse()
        return response.status, response.read(), time.monotonic() - began


@pytest.mark.parametrize("route", routes(), ids=str)
def test_no_number_is_an_internal_error_or_slow(served: LocalServer, route: Route) -> None:
    client = Client(served)
    try:
        for address in grid(route):
            client.ask(route, address)
        for body in bodies(route):
            client.ask(route, addressed(route, []), body)
    finally:
        client.connection.close()
    assert client.asked or not (route.parameters or route.body)
