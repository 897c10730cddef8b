"""SQL over all event tables: generated, so that no event table is left out of it.

An event table says in its declaration (`words`) what a row means. A query that was written by hand here once lacked six
tables, and the events of those tables were not shown.
"""

from __future__ import annotations

from wastenot.schemas.declarations import Table, Vocabulary


def _arm(table: Table, columns: str, condition: str, join: str = "") -> str:
    joined = f" {join}" if join else ""
    return f"  SELECT {columns} FROM {table.name} e{joined} WHERE {condition}"


def _union(arms: list[str]) -> str:
    return "\n  UNION ALL\n".join(arms)


def _cpu(table: Table) -> str:
    return "e.cpu" if any(c.name == "cpu" for c in table.columns) else "NULL::SMALLINT"


EPISODE_EVENTS = """\
-- The events an episode rests on: those at which it began and ended, and those its causes rest on, in order.
-- {header}
-- parameters:
--   $episode  its number
--   $low      [event id]  first of them, as episode_bounds.sql gives it: where to look
--   $high     [event id]  last of them
--   $limit    rows at most
-- columns:
--   id        [event id]
--   ts_ns     [ns]       NULL where no table has the event
--   at_ns     [ns]       counted from the start of the recording; NULL where no table has the event
--   cpu       [cpu]      CPU that wrote the event; NULL where the table has none
--   event                table of the event; 'missing' where no table has it
--   what                 the event in words
WITH wanted AS (
  SELECT unnest(list_filter([first_event, last_event], lambda x: x IS NOT NULL)) AS id
  FROM episode WHERE episode_id = $episode
  UNION
  SELECT unnest(event_ids) FROM episode_pair WHERE episode_id = $episode
),
described AS (
{arms}
)
SELECT w.id, e.ts_ns, e.ts_ns - t.start_ns AS at_ns, e.cpu, coalesce(e.event, 'missing') AS event,
       coalesce(e.what, 'the trace has no event of this number, although the episode rests on it') AS what
FROM wanted w LEFT JOIN described e USING (id), trace t
ORDER BY w.id
LIMIT $limit
"""


def episode_events(v: Vocabulary) -> str:
    """The metric `episode_events.sql`: every event table has an arm."""
    arms = [
        _arm(t, f"e.id, e.ts_ns, {_cpu(t)} AS cpu, '{t.name}' AS event,\n         {t.words} AS what\n ",
             "e.id BETWEEN $low AND $high", t.words_join)
        for t in v.of_kind("event")
    ]  # fmt: skip
    return EPISODE_EVENTS.format(header=HEADER, arms=_union(arms))


SEARCH_NUMBER = """\
-- The episode and the event of a number.
-- {header}
-- parameters:
--   $number
-- columns:
--   kind      episode or event
--   id
--   label
--   ts_ns     [ns]
SELECT 'episode' AS kind, episode_id::BIGINT AS id,
       'episode ' || episode_id || ' (' || grade_words(grade) || ')' AS label, start_ns AS ts_ns
FROM episode WHERE episode_id = $number::BIGINT
UNION ALL
SELECT 'event', id, 'event ' || id || ' (' || name || ')', ts_ns
FROM (
{arms}
)
"""


def search_number(v: Vocabulary) -> str:
    """The server's `search_number.sql`: an event is found whichever table holds it."""
    arms = [_arm(t, f"e.id, e.ts_ns, '{t.name}' AS name", "e.id = $number::BIGINT") for t in v.of_kind("event")]
    return SEARCH_NUMBER.format(header=HEADER, arms=_union(arms))


HEADER = "Generated from schemas/tables by wastenot.schemas.generate. Do not edit."
