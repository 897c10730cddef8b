"""Which component imports which: the table of ARCHITECTURE.md, the manifests and the import statements agree."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOT_SHIPPED = ("fixtures", "tests", "bench", "docs", "scripts")
"""Folders of tests, measurements and documents: they may use every component, and none may use them."""


@dataclass(frozen=True)
class Component:
    """One row of the table: a folder, and the short names of what its crates and its Python packages import."""

    folder: str
    place: int
    rust: frozenset[str]
    python: frozenset[str]

    @property
    def name(self) -> str:
        return self.folder.rsplit("/", 1)[-1]


def names(cell: str) -> frozenset[str]:
    return frozenset() if cell.strip() == "–" else frozenset(n.strip() for n in cell.split(","))


def components() -> list[Component]:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split("## Components\n", 1)[1].strip().split("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]
    return [
        Component(folder.strip("`").rstrip("/"), place, names(rust), names(python))
        for place, (folder, _, _, rust, python) in enumerate(rows)
        if ", " not in folder
    ]


ALL = components()


def owner(path: Path) -> Component:
    """The component with the longest folder that contains a path."""
    inside = [c for c in ALL if path.is_relative_to(ROOT / c.folder)]
    assert inside, f"{path.relative_to(ROOT)}: no component of ARCHITECTURE.md has this folder"
    return max(inside, key=lambda c: len(c.folder))


def tracked(pattern: str) -> list[Path]:
    """Files of components; what was built or installed is left out."""
    built = {"target", "node_modules", ".venv", ".tools"}
    found = sorted(p for p in ROOT.glob(pattern) if not built & set(p.relative_to(ROOT).parts))
    return [p for p in found if p.relative_to(ROOT).parts[0] not in NOT_SHIPPED]


# ---- Rust


@dataclass(frozen=True)
class Crate:
    name: str
    component: Component
    uses: tuple[str, ...]


def crates() -> list[Crate]:
    found = []
    for path in tracked("**/Cargo.toml"):
        manifest = tomllib.loads(path.read_text(encoding="utf-8"))
        if "package" in manifest:
            required = [n for n, d in manifest.get("dependencies", {}).items() if "optional" not in d]
            uses = [*required, *manifest.get("build-dependencies", {})]
            own = tuple(u for u in uses if u.startswith("wastenot-"))
            found.append(Crate(manifest["package"]["name"], owner(path), own))
    return found


def rust_imports() -> dict[str, set[str]]:
    """By component, the other components whose crates its crates depend on."""
    home = {c.name: c.component for c in crates()}
    imports: dict[str, set[str]] = {c.folder: set() for c in ALL}
    for crate in crates():
        for use in crate.uses:
            assert use in home, f"{crate.name} depends on {use}, which is part of no component"
            if home[use] != crate.component:
                imports[crate.component.folder].add(home[use].name)
    return imports


# ---- Python


PACKAGES = {"_native": "bindings", "web": "server"}
"""Components whose Python package has another name than their folder."""


def imported(path: Path) -> set[str]:
    """The parts of `wastenot` that a file imports, at whatever depth."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "wastenot":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wastenot."):
            found.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("wastenot.")}
    return {PACKAGES.get(name, name) for name in found}


def python_imports() -> dict[str, set[str]]:
    imports: dict[str, set[str]] = {c.folder: set() for c in ALL}
    files = [p for pattern in ("**/src/wastenot/**/*.py", "bindings/python/**/*.pyi") for p in tracked(pattern)]
    assert len(files) > 100
    for path in files:
        component = owner(path)
        imports[component.folder] |= imported(path) - {component.name}
    return imports


# ---- the table


def test_every_crate_and_every_package_belongs_to_a_component() -> None:
    assert len(ALL) >= 15 and len(crates()) >= 15
    assert [c.folder for c in ALL if not (ROOT / c.folder).is_dir()] == []
    assert len({c.name for c in ALL if c.folder != "collector"}) == len(ALL) - 1


def test_the_crates_of_a_component_depend_on_what_its_row_names() -> None:
    assert rust_imports() == {c.folder: c.rust for c in ALL}


def test_the_python_of_a_component_imports_what_its_row_names() -> None:
    assert python_imports() == {c.folder: c.python for c in ALL}


def test_a_row_names_only_rows_above_it() -> None:
    place = {c.name: c.place for c in ALL}
    below = [
        f"{c.folder} imports {name}"
        for c in ALL
        for name in (c.rust | (c.python - {"bindings"}))
        if place[name] >= c.place
    ]
    assert below == []


def test_the_page_imports_only_the_schema_and_the_glossary_from_outside() -> None:
    ui = ROOT / "web/ui"
    outside = set()
    for path in sorted([*ui.glob("src/**/*.ts"), *ui.glob("src/**/*.tsx")]):
        for target in re.findall(r"from '(\.[^']+)'", path.read_text(encoding="utf-8")):
            resolved = (path.parent / target).resolve()
            if not resolved.is_relative_to(ui):
                outside.add(str(resolved.relative_to(ROOT)))
    assert outside == {"schemas/ts/schema", "docs/glossary.md?raw"}
