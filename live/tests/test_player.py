"""Where a trace is played: what keys and time do to the position."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from wastenot.live.recorded.player import FAR, SPEEDS, Player, fitting_speed

S = 1_000_000_000


def test_time_passes_at_the_speed_while_it_plays() -> None:
    player = Player(10 * S, 2 * S, 0.1, is_playing=True)
    assert player.passed(5 * S).position_ns == 2 * S + S // 2
    assert Player(10 * S, 2 * S, 0.1).passed(5 * S).position_ns == 2 * S


def test_it_pauses_at_the_end_and_plays_again_from_the_start() -> None:
    ended = Player(10 * S, 9 * S, 1.0, is_playing=True).passed(3 * S)
    assert (ended.position_ns, ended.is_playing) == (10 * S - 1, False)
    again = ended.toggled()
    assert (again.position_ns, again.is_playing) == (0, True)
    assert not again.toggled().is_playing


def test_a_step_is_a_second_at_speed_1_and_pauses() -> None:
    player = Player(100 * S, 5 * S, 0.01, is_playing=True)
    assert player.stepped(1) == Player(100 * S, 5 * S + 10_000_000, 0.01)
    assert player.stepped(-FAR).position_ns == 5 * S - 100_000_000
    assert player.stepped(-10_000).position_ns == 0


def test_speeds_go_up_and_down_by_1_2_5_and_end() -> None:
    player = Player(S, speed=1.0)
    assert player.faster(1).speed == 2
    assert player.faster(-1).speed == 0.5
    assert player.faster(1000).speed == SPEEDS[-1] == 500
    assert player.faster(-1000).speed == SPEEDS[0] == 0.0001
    assert list(SPEEDS) == sorted(set(SPEEDS))


def test_a_speed_between_two_of_the_list_goes_to_its_neighbours() -> None:
    player = Player(S, speed=0.3)
    assert player.faster(-1).speed == 0.2
    assert player.faster(1).speed > 0.3


def test_episodes_are_found_in_both_directions() -> None:
    starts = [S, 3 * S, 7 * S]
    player = Player(10 * S, 3 * S)
    assert player.at_next(starts).position_ns == 7 * S
    assert player.at_previous(starts).position_ns == S
    assert player.at(8 * S).at_next(starts) == player.at(8 * S)
    assert player.at(0).at_previous(starts) == player.at(0)
    assert player.at_next([]) == player


def test_the_speed_at_first_plays_a_trace_in_about_a_minute() -> None:
    assert fitting_speed(5 * S) == 0.05
    assert fitting_speed(3600 * S) == 1
    assert fitting_speed(1) == SPEEDS[0]


@given(
    length=st.integers(1, 10**13),
    moves=st.lists(
        st.tuples(st.sampled_from(["passed", "stepped", "faster", "toggled", "at"]), st.integers(-(10**13), 10**13))
    ),
)
def test_the_position_stays_within_the_trace(length: int, moves: list[tuple[str, int]]) -> None:
    player = Player(length)
    for move, number in moves:
        if move == "toggled":
            player = player.toggled()
        elif move == "passed":
            player = player.passed(abs(number))
        else:
            player = getattr(player, move)(number)
        assert 0 <= player.position_ns < length
        assert player.speed in SPEEDS
