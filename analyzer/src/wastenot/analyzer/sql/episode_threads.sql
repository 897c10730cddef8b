-- The threads of some episodes: who waited where, beside which idle CPU, for how long (canonical matching).
-- parameters:
--   $episodes  list of episode numbers
-- columns:
--   episode_id, utid, tid, name
--   waited_on             [cpu]      CPU on whose queue it waited
--   idle_cpu              [cpu]      idle CPU it was matched to
--   core_ns               [core-ns]  time for which the pair lasted
--   distance                         nearest level the two CPUs share
--   mask_known                       false: that it may use the idle CPU is an assumption
--   placed_by, not_moved_because, ended_by, proof   the cause; `proof` is that of the part which matters most
--   event_ids             [event id] events the cause rests on
SELECT
  p.episode_id, p.utid, t.tid, t.name, p.waited_on, p.idle_cpu, p.core_ns, distance_name(p.distance) AS distance,
  t.mask_known, placed_by_name(p.placed_by) AS placed_by, not_moved_because_name(p.not_moved_because) AS not_moved_because,
  ended_by_name(p.ended_by) AS ended_by, proof_name(p.proof) AS proof, p.event_ids
FROM episode_pair p
LEFT JOIN thread t USING (utid)
WHERE list_contains($episodes, p.episode_id)
ORDER BY p.episode_id, p.core_ns DESC, p.utid, p.waited_on, p.idle_cpu
