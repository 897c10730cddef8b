-- Events lost by the recorder or tracer, by CPU and kind. A loss of unknown size counts as one event.
-- parameters: none
-- columns:
--   cpu        [cpu]     NULL any
--   what                 kind of event
--   events     [events]  lost
--   start_ns, end_ns  [ns]  first and last instant concerned
SELECT cpu, what, sum(coalesce(count, 1))::BIGINT AS events, min(ts_ns) AS start_ns, max(end_ns) AS end_ns
FROM lost_events
GROUP BY cpu, what
ORDER BY cpu, what
