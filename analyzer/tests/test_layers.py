"""How the modules of this package may import each other: values below words, words below rendering, no circle."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src/wastenot/analyzer"
MODULES = {
    "wastenot.analyzer" + "".join(f".{part}" for part in p.relative_to(PACKAGE).with_suffix("").parts): p
    for p in sorted(PACKAGE.rglob("*.py"))
}
MODULES = {name.removesuffix(".__init__"): path for name, path in MODULES.items()}
BELOW = {
    "store": set(),
    "importing": {"store", "text"},
    "model": {"store"},
    "balance": {"store", "model", "text"},
    "text": {"model"},
    "comparison": {"store", "text"},
    "render": {"model", "text", "comparison", "balance"},
}
"""By folder, the other folders that it may import."""


def imports(path: Path) -> set[str]:
    """The modules of this package that a module imports, wherever in the file the statement is."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module in MODULES:
            found |= {name for a in node.names if (name := f"{node.module}.{a.name}") in MODULES} or {node.module}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names if a.name in MODULES}
    return found


def folder(module: str) -> str:
    parts = module.split(".")
    return parts[2] if len(parts) > 3 else ""


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {name: imports(path) for name, path in MODULES.items()}
    assert sum(map(len, graph.values())) > 100, "imports are found"
    list(TopologicalSorter(graph).static_order())  # raises CycleError


def test_a_folder_imports_only_the_folders_below_it() -> None:
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name not in ("sql", "__pycache__")}
    assert folders == set(BELOW)
    wrong = [
        f"{name}: {other}"
        for name, path in MODULES.items()
        if folder(name)
        for other in imports(path)
        if folder(other) and folder(other) not in BELOW[folder(name)] | {folder(name)}
    ]
    assert wrong == []


@pytest.mark.parametrize("module", MODULES)
def test_no_function_imports(module: str) -> None:
    functions = [
        node
        for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inside = [n.lineno for f in functions for n in ast.walk(f) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert inside == []
