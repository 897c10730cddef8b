-- The first and the last event that an episode rests on.
-- parameters:
--   $episode  its number
-- columns: one row
--   low, high  [event id]  NULL where it rests on none
--   rests_on   [events]    how many it rests on
WITH wanted AS (
  SELECT unnest(list_filter([first_event, last_event], lambda x: x IS NOT NULL)) AS id FROM episode WHERE episode_id = $episode
  UNION ALL
  SELECT unnest(event_ids) FROM episode_pair WHERE episode_id = $episode
)
SELECT min(id) AS low, max(id) AS high, count(DISTINCT id) AS rests_on FROM wanted
