-- A trace of eight CPUs whose figures a test can compute in its head. CPU 0 is overloaded from 1 s on, CPUs 4 to 7 idle.
-- Threads: make (utid 1) and cc1 (utid 2) of known affinity, R (utid 3) of unknown. {version} and {options} are filled in.
INSERT INTO trace VALUES (10, 'ebpf', 'wastenot 0.1.0', '6.1.0', 'monotonic', NULL, 0, 10000000000, 'duration', true, 11, 'L1',
                          [], [], NULL, 'make -j8', '{}');
INSERT INTO evidence SELECT unnest(['migrations', 'migration_stacks', 'per_cpu_thread', 'migration_disabled', 'cpuset', 'affinity', 'throttled',
                                    'isolated', 'irq_busy']), 'recorded', NULL;
INSERT INTO evidence SELECT unnest(['load_balance_attempts', 'placements', 'cpus_scanned', 'load_balance_kicks', 'schedstat_counters', 'cookie']),
                            'absent', 'not asked for';
INSERT INTO cpu SELECT i, true, i // 4, 0, i // 4 * 4, i, 0, 1024, false, false FROM range(8) r(i);
INSERT INTO machine VALUES ('x86_64', NULL, '6.1.0', NULL, 4000000, 8, 8, '{}');
INSERT INTO cgroup VALUES (7, '/build', NULL, NULL, 100), (8, '/system.slice/nginx.service', NULL, NULL, 100);
INSERT INTO stack VALUES (1, [1, 2], ['detach_task+0x1', 'sched_balance_rq+0x2']);
INSERT INTO sched_switch (id, ts_ns, cpu, prev_tid, prev_state, prev_prio, next_tid, next_prio)
VALUES (0, 0, 0, 0, 0, 120, 100, 120), (3, 2000000000, 0, 100, 1, 120, 101, 120),
                                (5, 4000000000, 0, 101, 2, 120, 100, 120), (9, 5000000000, 4, 0, 0, 120, 101, 120);
INSERT INTO sched_wakeup VALUES (1, 1000000000, 0, 101, 0, 120, false), (2, 1000000000, 0, 102, 0, 120, true);
INSERT INTO sched_migrate_task VALUES (4, 3530000000, 4, 102, 0, 4, 1);
INSERT INTO nr_running VALUES (6, 4000000000, 0, 2, -1), (7, 4000000001, 0, 2, 0), (8, 5000000000, 0, 3, 1), (10, 6000000000, 0, 1, -2);
INSERT INTO thread VALUES
  (0, 0, 0, NULL, 'swapper', NULL, NULL, NULL, NULL, true, true, true, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
  (1, 100, 100, 1, 'make', NULL, 7, NULL, NULL, false, false, true, 2000000000, 0, 2000000000, 0, 0, 0, 1000000000, 1, 2, 0, 0),
  (2, 101, 100, 1, 'cc1', 1, 7, NULL, NULL, false, false, true, 2000000000, 1000000000, 0, 1000000000, 0, 0, 1000000000, 3, 2, 1, 1),
  (3, 102, 102, 2, 'R', 1, NULL, 1000000000, NULL, false, false, false, 0, 2000000000, 0, 0, 0, 0, 500000000, 1, 0, 1, 0);
INSERT INTO process VALUES (1, 100, 'make', NULL), (2, 102, 'R', 1);
INSERT INTO cpu_slice VALUES (0, 0, 2000000000, 1, 1, true), (0, 2000000000, 2000000000, 2, 2, true), (0, 4000000000, 6000000000, 1, NULL, true),
                             (4, 0, 5000000000, 0, NULL, true), (4, 5000000000, 5000000000, 2, NULL, true);
INSERT INTO thread_state VALUES (1, 0, 2000000000, 0, 0), (2, 1000000000, 1000000000, 1, 0), (1, 2000000000, 2000000000, 2, 0), (2, 2000000000, 2000000000, 0, 0),
                                (3, 1000000000, 2000000000, 1, 0);
INSERT INTO runqueue VALUES (0, 0, 1000000000, 0, true), (0, 1000000000, 2000000000, 2, true), (0, 3000000000, 3000000000, 1, true), (0, 6000000000, 4000000000, 0, true);
INSERT INTO migration VALUES (4, 3530000000, 3, 0, 4, 3, true, 2, 0, false, 1, 4, 2);
INSERT INTO wasted VALUES (1000000000, 1000000000, 2, 1, 3, 4, 3), (2000000000, 500000000, 1, 1, 1, 4, 1), (3000000000, 1000000000, 0, 0, 1, 1, 1);
INSERT INTO verdict VALUES ('{version}', '{options}', 0, 10000000000, 80000000000, 80000000000, 15000000000, 60000000000, 2500000000, 1500000000,
                            4500000000, 1500000000, 0, 0, 2, 0);
INSERT INTO cgroup_wait VALUES
  (7, 1, NULL, NULL, 2000000000), (7, 2, 3, NULL, 100000000), (7, 7, NULL, NULL, 600000000), (7, 8, NULL, 8, 300000000),
  (NULL, 1, NULL, NULL, 500000000), (NULL, 9, NULL, NULL, 1500000000);
INSERT INTO thread_cpu SELECT utid, cpu, sum(dur_ns)::BIGINT FROM cpu_slice GROUP BY utid, cpu;
INSERT INTO excuse_ledger SELECT i + 1, i, CASE i WHEN 3 THEN 1500000000 WHEN 4 THEN 500000000 ELSE 0 END, i <> 6 FROM range(8) r(i);
INSERT INTO verdict_grade VALUES (0, 1, 1000000), (1, 0, 0), (2, 0, 0), (3, 1, 99000000), (4, 1, 2400000000), (5, 0, 0);
INSERT INTO episode VALUES
  (1, 4, 4, NULL, 1000000000, 2400000000, 2400000000, 2400000000, 2, [4, 5, 6, 7], [0], 3, 3, 'NUMA', 1, 0, 2, 1, 1, 0, 2, 1900000000, 0, 0, 1000000000, 2, 4),
  (2, 3, 3, NULL, 2400000000, 2499000000, 99000000, 99000000, 1, [4], [0], 1, 3, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL),
  (3, 0, 0, NULL, 2499000000, 2500000000, 1000000, 1000000, 1, [4], [0], 1, 3, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL);
INSERT INTO episode_pair VALUES
  (1, 1, 0, 5, 1000000000, 3, 1, 0, 2, 1, 1, 0, 2, [2]), (1, 2, 0, 4, 900000000, 3, 1, 0, 2, 1, 1, 0, 2, [1, 4]),
  (1, 3, 0, 4, 500000000, 3, 6, 0, 2, 0, 1, 0, 2, [2]), (2, 2, 0, 4, 99000000, 3, 0, 0, 0, 0, 0, 0, 0, []);
INSERT INTO data_quality VALUES ('events_read', NULL, NULL, NULL, NULL, 11), ('rejected', 'unknown cpu', NULL, NULL, NULL, 2),
                         ('unknown_mask_threads', NULL, NULL, NULL, NULL, 1), ('placements_inferred', NULL, NULL, NULL, NULL, 3);
