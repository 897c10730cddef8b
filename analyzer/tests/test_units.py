"""Durations, core-time, shares and CPU lists as text."""

from __future__ import annotations

import pytest
from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.text.units import core_seconds, counted, cpu_list, duration, parse_duration, percent


@pytest.mark.parametrize(
    ("text", "ns"),
    [("10s", 10_000_000_000), ("4ms", 4_000_000), ("1.5us", 1_500), ("2 min", 120_000_000_000), ("3", 3_000_000_000)],
)
def test_durations_are_read_with_their_unit(text: str, ns: int) -> None:
    assert parse_duration(text) == ns


@pytest.mark.parametrize("text", ["", "ten", "5 parsecs", "-3s", "1e9s", "s"])
def test_an_invalid_duration_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BadArgument, match="not a duration") as caught:
        parse_duration(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 s"),
        (999, "999 ns"),
        (1_000, "1.00 µs"),
        (312_400, "312 µs"),
        (999_600, "1.00 ms"),
        (2_530_000_000, "2.53 s"),
        (5_000_000_000_000, "5,000 s"),
        (-4_000_000, "-4.00 ms"),
    ],
)
def test_durations_have_three_digits_and_a_unit_that_suits(ns: int, text: str) -> None:
    assert duration(ns) == text


@pytest.mark.parametrize(
    ("core_ns", "text"),
    [(0, "0 core-s"), (1, "<0.001 core-s"), (12_300_000, "0.0123 core-s"), (9_870_000_000, "9.87 core-s")],
)
def test_core_time_is_in_core_seconds(core_ns: int, text: str) -> None:
    assert core_seconds(core_ns) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.00001, "<0.01 %"), (0.0004, "0.04 %"), (0.1234, "12.3 %"), (1.0, "100.0 %")]
)
def test_shares_are_percentages(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("cpus", "text"), [([], "none"), ([3], "3"), ([0, 1, 2, 3, 8], "0-3,8"), ([9, 7, 5], "5,7,9"), ([1, 1, 2], "1-2")]
)
def test_cpu_lists_are_the_kernels(cpus: list[int], text: str) -> None:
    assert cpu_list(cpus) == text


def test_long_cpu_lists_are_cut_and_counted() -> None:
    assert cpu_list(range(1, 1024, 2), 3) == "1,3,5 ... (512)"
    assert cpu_list(range(1024), 3) == "0-1023"


def test_counts_have_their_plural() -> None:
    assert counted(1, "CPU") == "1 CPU"
    assert counted(1234, "event") == "1,234 events"
