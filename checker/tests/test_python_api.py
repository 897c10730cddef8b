"""The Python API: a drawing in, derived tables out, errors as one line."""

from __future__ import annotations

import pyarrow as pa
import pytest
from drawing import draw
from wastenot._native import ArrowStream, WastenotError
from wastenot.checker import check

DRAWING = """
    cpus 0-1
    window 0us 1000us
    0us cpu 0 runs 100
    0us cpu 1 idle
    0us thread 100 busy on 0 running mask 0-1
    0us thread 101 other on 0 queued mask 0-1
    700us switch 1: 0 R -> 101
"""


def test_a_drawing_is_checked() -> None:
    found: dict[str, list[pa.Table]] = {}

    def emit(table: str, stream: ArrowStream) -> None:
        found.setdefault(table, []).append(pa.RecordBatchReader.from_stream(stream).read_all())

    check(draw(DRAWING), "{}", emit)
    (summary,) = pa.concat_tables(found["verdict"]).to_pylist()
    assert (summary["wasted_ns"], summary["certain_ns"], summary["idle_while_waiting_ns"]) == (
        700_000,
        700_000,
        700_000,
    )


@pytest.mark.parametrize(
    ("text", "options", "complaint"),
    [
        ("cpus 0-1\n0us gallop 3", "{}", "line 2"),
        (DRAWING, '{"thresholds_ns": {"endless": 1}}', "no such grade"),
        (DRAWING, '{"stern": true}', "unknown field"),
    ],
)
def test_an_error_is_one_line(text: str, options: str, complaint: str) -> None:
    with pytest.raises(WastenotError) as error:
        check(draw(text), options, lambda table, stream: None)
    assert complaint in str(error.value) and "\n" not in str(error.value)


def test_an_exception_of_the_receiver_is_raised_again() -> None:
    def emit(table: str, stream: ArrowStream) -> None:
        raise KeyError(table)

    with pytest.raises(KeyError):
        check(draw(DRAWING), "{}", emit)
