"""An event that an episode rests on is shown, whichever table holds it; one that no table holds is shown as missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wastenot.analyzer import open_trace
from wastenot.schemas.declarations import Column, Table, read_declarations

MakeTrace = Callable[..., Path]
EVENT_TABLES = read_declarations(Path(__file__).parents[2] / "schemas").of_kind("event")
VALUES = {"i64": "7", "i32": "7", "i16": "1", "u8": "0", "bool": "true", "text": "'text'"}
NEW = 1000


def a_row(table: Table, id: int) -> str:
    """Inserts an event into the table; everything that may be NULL is NULL."""

    def value(c: Column) -> str:
        if c.name == "id":
            return str(id)
        return "NULL" if c.nullable else VALUES[c.type]

    return f"INSERT INTO {table.name} VALUES ({', '.join(value(c) for c in table.columns)});"


def test_an_event_of_any_table_is_shown_with_its_words_where_an_episode_rests_on_it(make_trace: MakeTrace) -> None:
    rows = "".join(a_row(table, NEW + n) for n, table in enumerate(EVENT_TABLES))
    rests = f"UPDATE episode_pair SET event_ids = {[NEW + n for n in range(len(EVENT_TABLES))]} WHERE episode_id = 2;"
    with open_trace(make_trace(rows + rests)) as trace:
        shown = {e["id"]: e for e in trace.episode(2, events=len(EVENT_TABLES)).events}
    assert len(shown) == len(EVENT_TABLES) > 30
    for n, table in enumerate(EVENT_TABLES):
        event = shown[NEW + n]
        assert event["event"] == table.name
        assert event["what"], f"{table.name}: never NULL, whatever column is"
        assert event["ts_ns"] == 7, table.name


def test_an_event_that_no_table_holds_is_shown_as_missing(make_trace: MakeTrace) -> None:
    with open_trace(make_trace(f"UPDATE episode_pair SET event_ids = [2, {NEW}] WHERE episode_id = 2;")) as trace:
        events = trace.episode(2).events.rows()
    assert [(e["id"], e["event"], e["at_ns"]) for e in events] == [
        (2, "sched_wakeup", 1_000_000_000),
        (NEW, "missing", None),
    ]
    assert "no event of this number" in events[1]["what"]


def test_events_that_are_not_listed_are_counted(make_trace: MakeTrace) -> None:
    with open_trace(make_trace("UPDATE episode_pair SET event_ids = [1, 2, 3, 4, 5] WHERE episode_id = 2;")) as trace:
        episode = trace.episode(2, events=3)
    assert (len(episode.events), episode.rests_on) == (3, 5)
    assert "2 more events" in str(episode)
    assert episode.to_json()["rests_on"] == 5
