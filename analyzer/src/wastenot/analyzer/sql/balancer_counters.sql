-- What the kernel's load balancer counted (table schedstat), over all CPUs: load-balance attempts per level of domains and state of the CPU.
-- Empty where its counters were not read. The level's name is that of most of its domains.
-- parameters: none
-- columns:
--   level                 level of the domains, 0 the smallest
--   name                  SMT, CLS, MC, PKG, NUMA ...; NULL not known
--   state                 what the CPU did: idle, newidle (about to idle) or busy
--   attempts              made
--   balanced    [attempts]  found nothing to do, or were another CPU's turn
--   failed      [attempts]  should have moved a thread and moved none
--   gained      [threads] pulled
--   hot_gained  [threads] of them cache-hot ones
--   no_queue    [attempts]  found no busier queue
--   no_group    [attempts]  found no busier group
WITH names AS (SELECT level, mode(name) AS name FROM domain WHERE name <> 'none' GROUP BY level),
sums AS (
  SELECT level, unnest([
    {state: 'idle', attempts: sum(idle_lb_count), balanced: sum(idle_lb_balanced), failed: sum(idle_lb_failed),
     gained: sum(idle_lb_gained), hot: sum(idle_lb_hot_gained), q: sum(idle_lb_nobusyq), g: sum(idle_lb_nobusyg)},
    {state: 'newidle', attempts: sum(newidle_lb_count), balanced: sum(newidle_lb_balanced), failed: sum(newidle_lb_failed),
     gained: sum(newidle_lb_gained), hot: sum(newidle_lb_hot_gained), q: sum(newidle_lb_nobusyq),
     g: sum(newidle_lb_nobusyg)},
    {state: 'busy', attempts: sum(busy_lb_count), balanced: sum(busy_lb_balanced), failed: sum(busy_lb_failed),
     gained: sum(busy_lb_gained), hot: sum(busy_lb_hot_gained), q: sum(busy_lb_nobusyq), g: sum(busy_lb_nobusyg)}
  ]) AS s
  FROM schedstat WHERE cpu IS NOT NULL GROUP BY level
)
SELECT level, name, s.state AS state, s.attempts::BIGINT AS attempts, s.balanced::BIGINT AS balanced,
  s.failed::BIGINT AS failed, s.gained::BIGINT AS gained, s.hot::BIGINT AS hot_gained, s.q::BIGINT AS no_queue,
  s.g::BIGINT AS no_group
FROM sums LEFT JOIN names USING (level)
ORDER BY level, list_position(['idle', 'newidle', 'busy'], s.state)
