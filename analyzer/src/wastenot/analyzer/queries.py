"""The metrics: one documented `.sql` file each in the folder `sql`.

A file starts with comments: what it measures, its parameters (`$name`) and its columns with units.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Query:
    """A metric: its `name` (the file's), what it `means`, its `parameters` and its SQL."""

    name: str
    meaning: str
    parameters: tuple[str, ...]
    sql: str


@cache
def query(name: str, package: str = "wastenot.analyzer") -> Query:
    """The metric called `name`, of the folder `sql` of a package; KeyError when there is none."""
    path = files(package).joinpath("sql", f"{name}.sql")
    if not path.is_file():
        raise KeyError(name)
    sql = path.read_text(encoding="utf-8")
    comments = [line[3:] for line in sql.splitlines() if line.startswith("-- ")]
    end = next(i for i, line in enumerate(comments) if line.startswith("parameters:"))
    columns = next(i for i, line in enumerate(comments) if line.startswith("columns:"))
    parameters = tuple(line.split()[0][1:] for line in comments[end + 1 : columns])
    return Query(name, " ".join(comments[:end]), parameters, sql)


def query_names() -> list[str]:
    """Names of all metrics, sorted."""
    folder = files("wastenot.analyzer").joinpath("sql")
    return sorted(p.name.removesuffix(".sql") for p in folder.iterdir() if p.name.endswith(".sql"))
