"""Recordings of fixtures/traces, checked a second time by the slow, obvious oracle: the same figures, to the ns.

`make test` takes the traces of other tools, the part folders and a sample of the rig's captures; `make matrix`
(RELEASES=all) all.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from oracle.obvious import Result, largest_matching, of_trace
from releases.reading import figures, imported
from samples import sample
from wastenot.analyzer import CheckOptions, build

TRACES = Path(__file__).parents[1] / "fixtures" / "traces"
FOREIGN = [path for path in sorted(TRACES.glob("guest-*/*")) if not path.name.startswith("kallsyms")]
PARTS = sorted(TRACES.glob("*.part"))
CAPTURES = sample(sorted(TRACES.glob("rig/*.part")), 4)
PINNED = ("*=0-7", "hog=0-1")


@contextmanager
def captured(part: Path, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A part folder as a checked trace."""
    shutil.copytree(part, folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions())
    with duckdb.connect(str(folder / "T.duckdb"), read_only=True) as con:
        yield con


def compare(con: duckdb.DuckDBPyConnection) -> Result:
    """Both sets of figures; the oracle's."""
    found, expected = figures(con), of_trace(con)
    assert (found.idle_while_waiting, found.wasted, found.certain) == (
        expected.idle_while_waiting,
        expected.wasted,
        expected.certain,
    )
    assert found.excused == expected.excused
    if not expected.inferred:
        assert times(found.threads) == times(expected.threads)
    return expected


def times(threads: dict[tuple[int, str, int, int], int]) -> list[tuple[int, int, int]]:
    """tid, running and waiting of each thread; names are compared elsewhere."""
    return sorted((tid, run, wait) for tid, _, run, wait in threads)


@pytest.mark.parametrize("path", FOREIGN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_traces_of_other_tools(path: Path) -> None:
    with imported(path) as con:
        assert compare(con).idle_while_waiting > 0


def test_a_short_trace_of_another_project() -> None:
    with imported(TRACES / "foreign" / "trace-cmd-arm.txt") as con:
        compare(con)
        waste = con.execute("SELECT min(start_ns), sum(dur_ns), max(wasted) FROM wasted WHERE wasted > 0").fetchone()
        (unverified,) = con.execute("SELECT unverified FROM trace").fetchone() or (None,)
    assert waste == (34_897_230_000, 113_000, 1)
    assert unverified, "letters of trace-cmd's short form stand for bits, and the release is not in the trace"


@pytest.mark.parametrize("name", ["guest-6.1/pinned", "guest-6.1/wasted", "guest-6.12/pinned"])
def test_declared_masks_excuse_the_same(name: str) -> None:
    with imported(TRACES / name, PINNED) as con:
        expected = compare(con)
    assert expected.excused["affinity"] > 0


@pytest.mark.parametrize("part", [*PARTS, *CAPTURES], ids=lambda part: part.stem)
def test_recordings_with_masks_quota_interrupts_and_hotplug(tmp_path: Path, part: Path) -> None:
    with captured(part, tmp_path) as con:
        assert compare(con).idle_while_waiting > 0


def test_there_are_recordings_to_compare() -> None:
    assert len(FOREIGN) >= 10 and len(CAPTURES) >= 15


def test_the_oracles_matching_is_the_largest() -> None:
    assert largest_matching([[0, 1], [0]]) == 2, "the first has to take another column"
    assert largest_matching([[0], [0], []]) == 1
    assert largest_matching([]) == 0
