"""No circle between the files of a component: each can be read with those that it imports, and these without it.

Compared are the relative imports of TypeScript files, the imports of Python modules outside of functions, and the paths
that start at `crate` or `super` in Rust modules. Of Rust, the modules of each folder are compared with each other, and
each stands for the files inside it too, as a module re-exports what those define. Imports between a module and those
inside it do not count, nor does a `#[cfg(test)] mod` at the end of a file.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
Graph = dict[str, set[str]]

ALLOWED = {
    ("replay/rust/engine", "replay/rust/scheduler.rs"): "the engine calls the trait, whose methods take the engine",
}
"""Pairs of a file (or the files of a folder) and a file that may import each other, with the reason."""


def tracked(*patterns: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def is_shipped(name: str) -> bool:
    return not re.search(r"(^|/)(tests|examples|benches|testing)/|\.test\.|_tests?\.rs$", name)


def typescript() -> Graph:
    files = {name for name in tracked("web/ui/src/*.ts", "web/ui/src/*.tsx") if is_shipped(name)}

    def imported(name: str) -> set[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        paths = [
            os.path.normpath(Path(name).parent / path) for path in re.findall(r"(?:from|import)\s+'(\.[^']*)'", text)
        ]
        endings = ("", ".ts", ".tsx", "/index.ts", "/index.tsx")
        return {path + end for path in paths for end in endings} & files

    return {name: imported(name) for name in files}


def python() -> Graph:
    """Modules of the packages; a package's `__init__` re-exports its modules and takes no part."""
    files = [name for name in tracked("*/src/wastenot/*.py") if not name.endswith("/__init__.py")]
    modules = {name.split("/src/")[1].removesuffix(".py").replace("/", "."): name for name in files}

    def imported(name: str) -> set[str]:
        found: set[str] = set()
        # Imports in functions are left out: they are of what is heavy, or of what may be absent.
        for node in ast.parse((ROOT / name).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
        return {modules[module] for module in found & modules.keys()}

    return {name: imported(name) for name in files}


GROUP = re.compile(r"((?:\w+::)+)\{([^{}]*)\}")


def without_groups(text: str) -> str:
    """Rust code with `a::{b, c::d}` as `a::b, a::c::d`, from the innermost groups outwards."""

    def members(group: re.Match[str]) -> str:
        return ", ".join(group[1] + name.strip() for name in group[2].split(",") if name.strip())

    while (expanded := GROUP.sub(members, text)) != text:
        text = expanded
    return text


def rust(crate: str) -> Graph:
    """Modules of a crate, by `crate::` and `super::` paths; not those between one and the ones inside it."""
    files = [name for name in tracked(f"{crate}/*.rs") if is_shipped(name)]

    def module(name: str) -> str:
        inner = name.removeprefix(f"{crate}/").removesuffix(".rs").removesuffix("/mod")
        return "" if inner == "lib" else inner.replace("/", "::")

    modules = {module(name): name for name in files}

    def imported(path: str, name: str) -> set[str]:
        text = (ROOT / name).read_text(encoding="utf-8")
        text = re.sub(r"#\[cfg\(test\)\]\s*mod \w+ \{.*\Z", "", text, flags=re.S)
        text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
        found: set[str] = set()
        for head, inner in re.findall(r"(?<!::)\b(crate|super(?:::super)*)((?:::\w+)+)", without_groups(text)):
            outer = [] if head == "crate" else path.split("::")[: -head.count("super")]
            parts = [*outer, *inner.split("::")[1:]]
            while parts and "::".join(parts) not in modules:
                parts.pop()
            target = "::".join(parts)
            if target and not f"{path}::".startswith(f"{target}::"):
                found.add(modules[target])
        return found - {name}

    return {name: imported(path, name) for path, name in modules.items() if path}


def folders(graph: Graph) -> Iterator[Graph]:
    """For each folder, which of its modules import which others; `a.rs` and `a/b.rs` are one module, `a`."""
    for folder in sorted({str(parent) for name in graph for parent in Path(name).parents}):
        modules: Graph = {}
        inside = f"{folder}/"
        for importer, after in graph.items():
            for imported in after:
                if importer.startswith(inside) and imported.startswith(inside):
                    one, other = (inside + name.removeprefix(inside).split("/")[0] for name in (importer, imported))
                    one, other = one.removesuffix(".rs"), other.removesuffix(".rs")
                    modules.setdefault(one, set()).update({other} - {one})
        yield modules


CRATES = [name.removesuffix("/lib.rs") for name in tracked("*/lib.rs") if is_shipped(name)]


def allowed(importer: str, imported: str) -> bool:
    pairs = ((importer, imported), (imported, importer))
    return any(a.startswith(one) and b.startswith(other) for one, other in ALLOWED for a, b in pairs)


def without_allowed(graph: Graph) -> Graph:
    return {a: {b for b in after if not allowed(a, b)} for a, after in graph.items()}


def circle(graph: Graph) -> list[str]:
    """The members of a circle, the first one again at the end; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


def test_no_circle_of_the_browsers_files() -> None:
    graph = typescript()
    assert sum(map(len, graph.values())) > 300
    assert circle(without_allowed(graph)) == []


def test_no_circle_of_python_modules() -> None:
    graph = python()
    assert sum(map(len, graph.values())) > 150
    assert circle(without_allowed(graph)) == []


def test_the_crates_are_those_of_the_workspace() -> None:
    assert len(CRATES) >= 15


@pytest.mark.parametrize("crate", CRATES)
def test_no_circle_of_a_crates_files(crate: str) -> None:
    assert [found for modules in folders(without_allowed(rust(crate))) if (found := circle(modules))] == []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) != []
    assert circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


def test_groups_in_braces_are_paths_of_their_own() -> None:
    text = without_groups("use crate::{a, b::{\n    self, C,\n}};\nuse super::{super::d, e as f};")
    assert text == "use crate::a, crate::b::self, crate::b::C;\nuse super::super::d, super::e as f;"


def test_a_circle_through_a_module_that_reexports_is_found() -> None:
    files = {"a/x.rs": {"a/y/mod.rs"}, "a/y/z.rs": {"a/x.rs"}, "a/y/mod.rs": set[str]()}
    assert circle(files) == []
    assert {"a/x", "a/y"} in [set(circle(modules)) for modules in folders(files)]


def test_each_allowed_circle_exists() -> None:
    graphs = [rust(crate) for crate in CRATES]
    edges = {(a, b) for graph in graphs for a, after in graph.items() for b in after}
    for one, other in ALLOWED:
        assert any(a.startswith(one) and b == other for a, b in edges), (one, other)
        assert any(a == other and b.startswith(one) for a, b in edges), (other, one)
