-- The figures of the verdict: how many cores were wasted, how long, and how sure that is.
-- parameters: none
-- columns: one row
--   online_ns, observed_ns, busy_ns, idle_ns  [cpu-ns]   time summed over CPUs
--   wasted_ns       [core-ns]  integral of wasted: every excuse applied, unknown masks taken as free
--   certain_ns      [core-ns]  the same over threads whose mask is known
--   idle_while_waiting_ns        [core-ns]  before any excuse
--   share           [1]        wasted_ns / online_ns, 0 when nothing was online
--   certain_share   [1]        certain_ns / online_ns
--   wall_wasted_ns, wall_certain_ns, wall_idle_while_waiting_ns  [ns]  time in which the figure was at least one core
--   peak_wasted     [cores]    most cores wasted at once
--   unobserved_share [1]       share of online CPU time in which the CPU's state was not known
--   late_wakes                 threads about to run on an idle CPU that took more than a tick
SELECT
  s.start_ns, s.end_ns, s.online_ns, s.observed_ns, s.busy_ns, s.idle_ns, s.wasted_ns, s.certain_ns, s.idle_while_waiting_ns,
  coalesce(s.wasted_ns / nullif(s.online_ns, 0), 0.0) AS share,
  coalesce(s.certain_ns / nullif(s.online_ns, 0), 0.0) AS certain_share,
  s.wall_wasted_ns,
  s.wall_certain_ns,
  s.wall_idle_while_waiting_ns,
  s.peak_wasted, s.late_wakes,
  coalesce(1.0 - s.observed_ns / nullif(s.online_ns, 0), 0.0) AS unobserved_share,
  s.checker_version, s.options
FROM verdict s
