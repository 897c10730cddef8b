"""Bars, curves and tables in cells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wastenot.live.lines.bars import cursor_row, curve_text, reason_bar, resampled, share_bar
from wastenot.live.lines.glyphs import ASCII, UNICODE
from wastenot.live.lines.line import Line, Span, Style
from wastenot.live.lines.table import Column, table
from wastenot.live.model.frame import Curve


def test_a_share_fills_the_cells_that_it_covers_at_least_half() -> None:
    assert share_bar(0.5, 8, ASCII).text == "####...."
    assert share_bar(0.06, 8, ASCII).text == "........"
    assert share_bar(0.07, 8, ASCII).text == "#......."
    assert share_bar(1.7, 8, ASCII).text == "########"
    assert share_bar(-1, 8, ASCII).text == "........"


def test_the_split_of_waiting_is_a_bar_of_letters_the_largest_first() -> None:
    assert reason_bar({"own_quota": 25, "avoidable": 75}, 8) == "AAAAAAQQ"
    assert reason_bar({"own_quota": 0}, 8) == ""
    assert reason_bar({"a_reason_of_later": 1}, 4) == "????"


@given(st.dictionaries(st.sampled_from(["avoidable", "confined", "rt_dl", "neighbour"]), st.integers(0, 10**15)))
def test_a_split_is_as_wide_as_it_should_be(split: dict[str, int]) -> None:
    assert len(reason_bar(split, 16)) == (16 if sum(split.values()) else 0)


def test_any_waste_at_all_is_seen_in_the_curve() -> None:
    assert curve_text(Curve((0, 0.001, 10, None)), 4, 10, UNICODE) == "·▁█ "
    assert curve_text(Curve((0, 0.001, 10, None)), 4, 10, ASCII) == ".:@ "
    assert curve_text(Curve(), 4, 10, UNICODE) == ""


def test_a_curve_is_averaged_or_repeated_to_its_width() -> None:
    assert resampled((1, 3, 5, 7), 2) == [2, 6]
    assert resampled((1, 3), 4) == [1, 1, 3, 3]
    assert resampled((None, 4, None, None), 2) == [4, None]


def test_the_cursor_is_at_its_share() -> None:
    assert cursor_row(0, 10, ASCII) == "^"
    assert cursor_row(0.5, 10, ASCII) == "     ^"
    assert cursor_row(1, 10, ASCII) == "         ^"


def test_columns_are_as_wide_as_their_cells_and_flexible_ones_share_the_rest() -> None:
    columns = [Column("name", share=1), Column("n", is_right=True), Column("what", share=1)]
    rows = [["short", "1", "a text that is far too long for this"], ["x", "1,000", "y"]]
    assert [line.text for line in table(columns, rows, 30, "~")] == [
        "name       n  what            ",
        "short      1  a text that is ~",
        "x      1,000  y               ",
    ]


def test_a_path_is_cut_in_the_middle() -> None:
    columns = [Column("cgroup", share=1, cut_in_the_middle=True)]
    assert table(columns, [["/system.slice/ssh.service"]], 15, "~")[1].text == "/system~service"


@given(st.text(), st.integers(1, 40))
def test_a_line_fits_exactly(text: str, width: int) -> None:
    printable = "".join(c for c in text if c.isprintable())
    line = Line.of(Span(printable, Style.HEAD))
    assert line.fit(width).width == width
    assert line.cut_in_the_middle(width).width == width
