-- Generated from schemas/tables and schemas/enums.toml by wastenot.schemas.generate. Do not edit.

CREATE OR REPLACE MACRO task_state_name(code) AS (['R', 'R+', 'S', 'D', 'T', 't', 'X', 'Z', 'P', 'I', 'K', 'W', 'N', '?'])[code + 1];
CREATE OR REPLACE MACRO task_state_values() AS (['R', 'R+', 'S', 'D', 'T', 't', 'X', 'Z', 'P', 'I', 'K', 'W', 'N', '?']);
CREATE OR REPLACE MACRO thread_phase_name(code) AS (['running', 'runnable', 'preempted', 'sleeping', 'blocked', 'stopped', 'dead', 'throttled', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO thread_phase_values() AS (['running', 'runnable', 'preempted', 'sleeping', 'blocked', 'stopped', 'dead', 'throttled', 'unknown']);
CREATE OR REPLACE MACRO policy_name(code) AS (['normal', 'fifo', 'rr', 'batch', 'iso', 'idle', 'deadline', 'ext'])[code + 1];
CREATE OR REPLACE MACRO policy_values() AS (['normal', 'fifo', 'rr', 'batch', 'iso', 'idle', 'deadline', 'ext']);
CREATE OR REPLACE MACRO queue_state_name(code) AS (['running', 'queued', 'off', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO queue_state_values() AS (['running', 'queued', 'off', 'unknown']);
CREATE OR REPLACE MACRO irq_kind_name(code) AS (['hardirq', 'softirq', 'mixed'])[code + 1];
CREATE OR REPLACE MACRO irq_kind_values() AS (['hardirq', 'softirq', 'mixed']);
CREATE OR REPLACE MACRO kick_kind_name(code) AS (['sent', 'softirq', 'sent_to_balance', 'sent_for_loads'])[code + 1];
CREATE OR REPLACE MACRO kick_kind_values() AS (['sent', 'softirq', 'sent_to_balance', 'sent_for_loads']);
CREATE OR REPLACE MACRO kick_kind_words(code) AS (['kicked', 'balancing softirq', 'kicked to balance', 'kicked to update loads'])[code + 1];
CREATE OR REPLACE MACRO balance_search_result_name(code) AS (['not_made', 'none', 'found', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO balance_search_result_values() AS (['not_made', 'none', 'found', 'unknown']);
CREATE OR REPLACE MACRO balance_search_result_words(code) AS (['none was made', 'none found', 'found', 'not recorded'])[code + 1];
CREATE OR REPLACE MACRO ext_place_name(code) AS (['local', 'global', 'shared', 'bypass', 'held', 'kernel'])[code + 1];
CREATE OR REPLACE MACRO ext_place_values() AS (['local', 'global', 'shared', 'bypass', 'held', 'kernel']);
CREATE OR REPLACE MACRO ext_place_words(code) AS (['a CPU''s local queue', 'the global queue', 'the shared queue', 'the queue of bypassed threads', 'the scheduler itself', 'a queue of the kernel''s own (reject, rescue)'])[code + 1];
CREATE OR REPLACE MACRO ext_step_name(code) AS (['select_cpu', 'enqueue', 'dispatch', 'move'])[code + 1];
CREATE OR REPLACE MACRO ext_step_values() AS (['select_cpu', 'enqueue', 'dispatch', 'move']);
CREATE OR REPLACE MACRO ext_step_words(code) AS (['select_cpu', 'enqueue', 'dispatch, or the kernel', 'on its way there'])[code + 1];
CREATE OR REPLACE MACRO ext_change_name(code) AS (['disabled', 'enabled', 'bypass_begin', 'bypass_end'])[code + 1];
CREATE OR REPLACE MACRO ext_change_values() AS (['disabled', 'enabled', 'bypass_begin', 'bypass_end']);
CREATE OR REPLACE MACRO ext_change_words(code) AS (['none in charge', 'in charge', 'bypassed', 'no longer bypassed'])[code + 1];
CREATE OR REPLACE MACRO ext_scheduler_change_name(code) AS (['loaded', 'gone', 'bypass_begin', 'bypass_end', 'unregistered', 'unregistered_by_itself', 'unregistered_by_kernel', 'sysrq', 'parent_ended', 'ended_by_parent', 'error', 'own_error', 'stall', 'reenqueued', 'rescue', 'ended'])[code + 1];
CREATE OR REPLACE MACRO ext_scheduler_change_values() AS (['loaded', 'gone', 'bypass_begin', 'bypass_end', 'unregistered', 'unregistered_by_itself', 'unregistered_by_kernel', 'sysrq', 'parent_ended', 'ended_by_parent', 'error', 'own_error', 'stall', 'reenqueued', 'rescue', 'ended']);
CREATE OR REPLACE MACRO ext_scheduler_change_words(code) AS (['is loaded', 'is gone', 'is bypassed', 'is no longer bypassed', 'ended from user space', 'ended by itself', 'ended by the kernel', 'ended by the SysRq key', 'ended with its parent', 'ended by its parent', 'ended: an error', 'ended: an error that it reported', 'ended by the watchdog: a thread that could run did not for too long', 'ended: a thread was queued again too often without running', 'ended: too many threads had to be rescued', 'ended, for a reason that is not known here'])[code + 1];
CREATE OR REPLACE MACRO grade_name(code) AS (['noise', 'in_flight', 'expected', 'lasting', 'persistent', 'recurrent'])[code + 1];
CREATE OR REPLACE MACRO grade_values() AS (['noise', 'in_flight', 'expected', 'lasting', 'persistent', 'recurrent']);
CREATE OR REPLACE MACRO grade_words(code) AS (['noise', 'in flight', 'expected', 'lasting', 'persistent', 'recurrent'])[code + 1];
CREATE OR REPLACE MACRO excuse_name(code) AS (['per_cpu_thread', 'migration_disabled', 'cpuset', 'affinity', 'throttled', 'isolated', 'cookie', 'irq_busy'])[code + 1];
CREATE OR REPLACE MACRO excuse_values() AS (['per_cpu_thread', 'migration_disabled', 'cpuset', 'affinity', 'throttled', 'isolated', 'cookie', 'irq_busy']);
CREATE OR REPLACE MACRO excuse_words(code) AS (['per-CPU kernel thread of another CPU', 'migration disabled', 'outside its cpuset', 'outside its affinity mask', 'no quota left', 'CPU outside all scheduling domains', 'forbidden by core scheduling', 'CPU in interrupt work'])[code + 1];
CREATE OR REPLACE MACRO wait_reason_name(code) AS (['own_quota', 'avoidable', 'confined', 'wakeup_latency', 'interrupts', 'rt_dl', 'kernel_threads', 'own_threads', 'neighbour', 'unknown_cgroup', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO wait_reason_values() AS (['own_quota', 'avoidable', 'confined', 'wakeup_latency', 'interrupts', 'rt_dl', 'kernel_threads', 'own_threads', 'neighbour', 'unknown_cgroup', 'unknown']);
CREATE OR REPLACE MACRO wait_reason_words(code) AS (['own quota', 'avoidable', 'confined', 'wakeup latency', 'interrupts', 'RT/DL threads', 'kernel threads', 'own threads', 'neighbour', 'unknown cgroup', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO migration_path_name(code) AS (['wakeup', 'fork', 'exec', 'newidle', 'periodic', 'nohz', 'active', 'numa', 'rt_push', 'rt_pull', 'dl_push', 'dl_pull', 'affinity', 'cgroup', 'hotplug', 'core_sched', 'sched_ext', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO migration_path_values() AS (['wakeup', 'fork', 'exec', 'newidle', 'periodic', 'nohz', 'active', 'numa', 'rt_push', 'rt_pull', 'dl_push', 'dl_pull', 'affinity', 'cgroup', 'hotplug', 'core_sched', 'sched_ext', 'unknown']);
CREATE OR REPLACE MACRO migration_path_words(code) AS (['placed at its wakeup', 'placed when it was created', 'placed at an exec', 'pulled by a CPU about to idle', 'pulled by the periodic balancer', 'pulled for an idle CPU by another one', 'pushed by the balancer''s stopper', 'moved or swapped towards its memory', 'pushed to a CPU of lower real-time priority', 'pulled by a CPU of lower real-time priority', 'pushed to a CPU with a later deadline', 'pulled by a CPU with a later deadline', 'moved by a change of its allowed CPUs', 'moved by a change of its cgroup', 'moved off a CPU that goes offline', 'moved by core scheduling', 'moved by a sched_ext scheduler', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO evidence_kind_name(code) AS (['migrations', 'migration_stacks', 'load_balance_attempts', 'placements', 'cpus_scanned', 'load_balance_kicks', 'schedstat_counters', 'balance_searches', 'domains_built', 'sched_ext', 'late_idle_exits', 'dl_parameters', 'per_cpu_thread', 'migration_disabled', 'cpuset', 'affinity', 'throttled', 'isolated', 'cookie', 'irq_busy'])[code + 1];
CREATE OR REPLACE MACRO evidence_kind_values() AS (['migrations', 'migration_stacks', 'load_balance_attempts', 'placements', 'cpus_scanned', 'load_balance_kicks', 'schedstat_counters', 'balance_searches', 'domains_built', 'sched_ext', 'late_idle_exits', 'dl_parameters', 'per_cpu_thread', 'migration_disabled', 'cpuset', 'affinity', 'throttled', 'isolated', 'cookie', 'irq_busy']);
CREATE OR REPLACE MACRO evidence_kind_words(code) AS (['moves of threads', 'kernel stacks of moves', 'load-balance attempts', 'placements of threads', 'CPUs scanned at wakeup', 'kicks of idle CPUs', 'the load balancer''s counters', 'what load-balance attempts examined', 'changes of the scheduling domains', 'what a sched_ext scheduler decides', 'CPUs that left idle late', 'parameters of SCHED_DEADLINE threads', 'per-CPU kernel thread of another CPU', 'migration disabled', 'outside its cpuset', 'outside its affinity mask', 'no quota left', 'CPU outside all scheduling domains', 'forbidden by core scheduling', 'CPU in interrupt work'])[code + 1];
CREATE OR REPLACE MACRO evidence_state_name(code) AS (['recorded', 'partial', 'absent'])[code + 1];
CREATE OR REPLACE MACRO evidence_state_values() AS (['recorded', 'partial', 'absent']);
CREATE OR REPLACE MACRO evidence_state_words(code) AS (['recorded', 'recorded in part', 'not recorded'])[code + 1];
CREATE OR REPLACE MACRO evidence_level_name(code) AS (['L0', 'L1', 'L2', 'L3'])[code + 1];
CREATE OR REPLACE MACRO evidence_level_values() AS (['L0', 'L1', 'L2', 'L3']);
CREATE OR REPLACE MACRO evidence_level_words(code) AS (['switches and wakeups', 'switches, wakeups, and moves with kernel stacks', 'L1 and load-balance attempts', 'L1 and the load balancer''s counters per domain; load-balance attempts where functions can be probed'])[code + 1];
CREATE OR REPLACE MACRO proof_name(code) AS (['unknown', 'consistent', 'proved'])[code + 1];
CREATE OR REPLACE MACRO proof_values() AS (['unknown', 'consistent', 'proved']);
CREATE OR REPLACE MACRO repair_kind_name(code) AS (['check', 'setting', 'scheduler_feature', 'cpuset', 'boot_parameter', 'kernel_release', 'program', 'report'])[code + 1];
CREATE OR REPLACE MACRO repair_kind_values() AS (['check', 'setting', 'scheduler_feature', 'cpuset', 'boot_parameter', 'kernel_release', 'program', 'report']);
CREATE OR REPLACE MACRO repair_kind_words(code) AS (['check', 'setting', 'scheduler feature', 'cpuset', 'boot parameter', 'kernel release', 'program', 'report'])[code + 1];
CREATE OR REPLACE MACRO job_activation_name(code) AS (['wakeup', 'replenishment'])[code + 1];
CREATE OR REPLACE MACRO job_activation_values() AS (['wakeup', 'replenishment']);
CREATE OR REPLACE MACRO job_ended_by_name(code) AS (['sleep', 'yield', 'exit', 'unfinished'])[code + 1];
CREATE OR REPLACE MACRO job_ended_by_values() AS (['sleep', 'yield', 'exit', 'unfinished']);
CREATE OR REPLACE MACRO app_kind_name(code) AS (['processes', 'threads', 'threads_or_processes'])[code + 1];
CREATE OR REPLACE MACRO app_kind_values() AS (['processes', 'threads', 'threads_or_processes']);
CREATE OR REPLACE MACRO app_found_by_name(code) AS (['launcher', 'siblings', 'environment', 'bubble'])[code + 1];
CREATE OR REPLACE MACRO app_found_by_values() AS (['launcher', 'siblings', 'environment', 'bubble']);
CREATE OR REPLACE MACRO rank_variable_name(code) AS (['ompi', 'pmix', 'pmi', 'mvapich', 'slurm'])[code + 1];
CREATE OR REPLACE MACRO rank_variable_values() AS (['ompi', 'pmix', 'pmi', 'mvapich', 'slurm']);
CREATE OR REPLACE MACRO rank_variable_words(code) AS (['OMPI_COMM_WORLD_RANK', 'PMIX_RANK', 'PMI_RANK', 'MV2_COMM_WORLD_RANK', 'SLURM_PROCID'])[code + 1];
CREATE OR REPLACE MACRO balance_evidence_name(code) AS (['H0', 'H1', 'H2'])[code + 1];
CREATE OR REPLACE MACRO balance_evidence_values() AS (['H0', 'H1', 'H2']);
CREATE OR REPLACE MACRO balance_state_name(code) AS (['balanced', 'imbalanced', 'no_imbalance_seen', 'not_visible'])[code + 1];
CREATE OR REPLACE MACRO balance_state_values() AS (['balanced', 'imbalanced', 'no_imbalance_seen', 'not_visible']);
CREATE OR REPLACE MACRO window_kind_name(code) AS (['iterations', 'releases', 'outside', 'windows'])[code + 1];
CREATE OR REPLACE MACRO window_kind_values() AS (['iterations', 'releases', 'outside', 'windows']);
CREATE OR REPLACE MACRO deadline_fault_name(code) AS (['own_overrun', 'scheduler', 'interference', 'overload', 'not_guaranteed', 'not_visible', 'contention'])[code + 1];
CREATE OR REPLACE MACRO deadline_fault_values() AS (['own_overrun', 'scheduler', 'interference', 'overload', 'not_guaranteed', 'not_visible', 'contention']);
CREATE OR REPLACE MACRO deadline_fault_words(code) AS (['own overrun', 'scheduler', 'interference', 'overload', 'not guaranteed', 'not visible', 'contention'])[code + 1];
CREATE OR REPLACE MACRO question_name(code) AS (['placed_by', 'not_moved_because', 'ended_by'])[code + 1];
CREATE OR REPLACE MACRO question_values() AS (['placed_by', 'not_moved_because', 'ended_by']);
CREATE OR REPLACE MACRO question_words(code) AS (['how the thread came to wait there', 'why nothing moved it earlier', 'what ended it'])[code + 1];
CREATE OR REPLACE MACRO placed_by_name(code) AS (['unknown', 'wakeup', 'wakeup_prev_cpu', 'wake_affine', 'wakeup_one_llc', 'wakeup_scan_cut', 'fork_exec', 'periodic', 'newidle', 'nohz', 'active', 'numa', 'rt_dl_push', 'rt_dl_pull', 'affinity_change', 'cgroup_move', 'hotplug_push', 'preempted_in_place', 'sched_ext', 'ext_select_cpu', 'ext_enqueue'])[code + 1];
CREATE OR REPLACE MACRO placed_by_values() AS (['unknown', 'wakeup', 'wakeup_prev_cpu', 'wake_affine', 'wakeup_one_llc', 'wakeup_scan_cut', 'fork_exec', 'periodic', 'newidle', 'nohz', 'active', 'numa', 'rt_dl_push', 'rt_dl_pull', 'affinity_change', 'cgroup_move', 'hotplug_push', 'preempted_in_place', 'sched_ext', 'ext_select_cpu', 'ext_enqueue']);
CREATE OR REPLACE MACRO placed_by_words(code) AS (['unknown', 'wakeup', 'wakeup: prev cpu kept', 'wakeup: wake-affine', 'wakeup: idle-sibling scan limited to one LLC', 'wakeup: idle-sibling scan cut short', 'fork/exec', 'periodic balance', 'newidle balance', 'nohz balance', 'active balance', 'NUMA balance', 'RT/DL push', 'RT/DL pull', 'affinity change', 'cgroup move', 'hotplug push', 'preempted in place', 'sched_ext', 'sched_ext: select_cpu missed an idle CPU', 'sched_ext: enqueue to a local queue'])[code + 1];
CREATE OR REPLACE MACRO not_moved_because_name(code) AS (['unknown', 'newidle_cut_off', 'newidle_pulled_nothing', 'group_averages', 'allowed_imbalance', 'all_pinned', 'asymmetric_capacity', 'found_balance', 'interval_too_long', 'periodic_did_not_run', 'nohz_kick_missing', 'active_balance_failed', 'no_common_domain', 'misbuilt_groups', 'numa_allowance', 'cache_hot', 'sched_ext', 'newidle_wakeup_pending', 'newidle_none_overloaded', 'newidle_too_short', 'newidle_dice', 'ext_local_queue', 'ext_behind_realtime', 'ext_not_kicked', 'ext_kick_late', 'ext_not_dispatched', 'ext_held', 'ext_bypass', 'cache_aware', 'nohz_kick_late', 'ext_cpu_late', 'realtime_behind_lower', 'realtime_not_pushed', 'ext_not_granted'])[code + 1];
CREATE OR REPLACE MACRO not_moved_because_values() AS (['unknown', 'newidle_cut_off', 'newidle_pulled_nothing', 'group_averages', 'allowed_imbalance', 'all_pinned', 'asymmetric_capacity', 'found_balance', 'interval_too_long', 'periodic_did_not_run', 'nohz_kick_missing', 'active_balance_failed', 'no_common_domain', 'misbuilt_groups', 'numa_allowance', 'cache_hot', 'sched_ext', 'newidle_wakeup_pending', 'newidle_none_overloaded', 'newidle_too_short', 'newidle_dice', 'ext_local_queue', 'ext_behind_realtime', 'ext_not_kicked', 'ext_kick_late', 'ext_not_dispatched', 'ext_held', 'ext_bypass', 'cache_aware', 'nohz_kick_late', 'ext_cpu_late', 'realtime_behind_lower', 'realtime_not_pushed', 'ext_not_granted']);
CREATE OR REPLACE MACRO not_moved_because_words(code) AS (['unknown', 'newidle did not run (cut off)', 'newidle ran and pulled nothing', 'periodic ran and found balance: group average hides idle cores', 'periodic ran and found balance: allowed imbalance', 'periodic ran and found balance: all pinned', 'periodic ran and found balance: asymmetric capacity', 'periodic ran and found balance', 'periodic did not run: interval too long', 'periodic did not run', 'nohz kick missing', 'active balance failed', 'domains missing (no common domain)', 'groups misbuilt', 'NUMA imbalance allowed', 'cache-hot refusal', 'not applicable (sched_ext)', 'newidle did not run: wakeup pending', 'newidle did not run: no CPU overloaded', 'newidle did not run: idle too short', 'newidle did not run: dice', 'sched_ext: in a busy CPU''s local queue', 'sched_ext: behind a real-time thread', 'sched_ext: idle CPU not kicked', 'sched_ext: kick late', 'sched_ext: dispatch left it', 'sched_ext: held by the scheduler', 'sched_ext: bypassed', 'cache-aware scheduling', 'nohz kick late', 'sched_ext: CPU late after a kick', 'real-time: behind a lower class', 'real-time: not pushed or pulled', 'sched_ext: CPU not granted'])[code + 1];
CREATE OR REPLACE MACRO ended_by_name(code) AS (['unknown', 'newidle', 'periodic', 'nohz', 'active', 'numa', 'push_pull', 'affinity_change', 'wakeup_elsewhere', 'started_in_place', 'blocked_or_exited', 'end_of_trace', 'interrupt_work', 'sched_ext'])[code + 1];
CREATE OR REPLACE MACRO ended_by_values() AS (['unknown', 'newidle', 'periodic', 'nohz', 'active', 'numa', 'push_pull', 'affinity_change', 'wakeup_elsewhere', 'started_in_place', 'blocked_or_exited', 'end_of_trace', 'interrupt_work', 'sched_ext']);
CREATE OR REPLACE MACRO ended_by_words(code) AS (['unknown', 'newidle', 'periodic', 'nohz', 'active', 'NUMA balance', 'push/pull', 'affinity change', 'woken elsewhere', 'started running in place', 'blocked or exited', 'end of trace', 'interrupt work', 'sched_ext'])[code + 1];
CREATE OR REPLACE MACRO distance_name(code) AS (['same_cpu', 'smt', 'llc', 'node', 'one_hop', 'far', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO distance_values() AS (['same_cpu', 'smt', 'llc', 'node', 'one_hop', 'far', 'unknown']);
CREATE OR REPLACE MACRO distance_words(code) AS (['same CPU', 'same core', 'same LLC', 'same node', 'nearby nodes', 'far nodes', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO idle_type_name(code) AS (['idle', 'not_idle', 'newly_idle', 'unknown'])[code + 1];
CREATE OR REPLACE MACRO idle_type_values() AS (['idle', 'not_idle', 'newly_idle', 'unknown']);
CREATE OR REPLACE MACRO stack_event_name(code) AS (['sched_switch', 'sched_waking', 'sched_wakeup'])[code + 1];
CREATE OR REPLACE MACRO stack_event_values() AS (['sched_switch', 'sched_waking', 'sched_wakeup']);
CREATE OR REPLACE MACRO holder_name(code) AS (['outside', 'bubble', 'machine', 'node', 'package', 'llc', 'core', 'cpu', 'aside'])[code + 1];
CREATE OR REPLACE MACRO holder_values() AS (['outside', 'bubble', 'machine', 'node', 'package', 'llc', 'core', 'cpu', 'aside']);
CREATE OR REPLACE MACRO bubble_event_kind_name(code) AS (['init', 'attach', 'insert_thread', 'insert_bubble', 'remove', 'wake', 'priority', 'burst_level', 'slice', 'expect', 'move', 'burst', 'regenerate', 'close', 'destroy'])[code + 1];
CREATE OR REPLACE MACRO bubble_event_kind_values() AS (['init', 'attach', 'insert_thread', 'insert_bubble', 'remove', 'wake', 'priority', 'burst_level', 'slice', 'expect', 'move', 'burst', 'regenerate', 'close', 'destroy']);
CREATE OR REPLACE MACRO bubble_tree_name(code) AS (['declared', 'natural', 'creation'])[code + 1];
CREATE OR REPLACE MACRO bubble_tree_values() AS (['declared', 'natural', 'creation']);
CREATE OR REPLACE MACRO bubble_kind_name(code) AS (['machine', 'kernel', 'cgroup', 'session', 'process', 'creator', 'bubble'])[code + 1];
CREATE OR REPLACE MACRO bubble_kind_values() AS (['machine', 'kernel', 'cgroup', 'session', 'process', 'creator', 'bubble']);
CREATE OR REPLACE MACRO bubble_state_name(code) AS (['closed', 'burst', 'regenerating'])[code + 1];
CREATE OR REPLACE MACRO bubble_state_values() AS (['closed', 'burst', 'regenerating']);
CREATE OR REPLACE MACRO region_kind_name(code) AS (['work', 'parallel', 'barrier', 'collective', 'wait', 'receive', 'send', 'probe', 'startup'])[code + 1];
CREATE OR REPLACE MACRO region_kind_values() AS (['work', 'parallel', 'barrier', 'collective', 'wait', 'receive', 'send', 'probe', 'startup']);
CREATE OR REPLACE MACRO region_kind_words(code) AS (['the body of an OpenMP parallel region or task', 'an OpenMP parallel region, outside of its body: starting the others and waiting for them', 'a barrier of OpenMP', 'a collective operation', 'completion of requests', 'receiving a message', 'sending a message', 'looking for a message', 'start or end of MPI'])[code + 1];
CREATE OR REPLACE MACRO tile_measure_name(code) AS (['waiting', 'wasted', 'migrations'])[code + 1];
CREATE OR REPLACE MACRO tile_measure_values() AS (['waiting', 'wasted', 'migrations']);
CREATE OR REPLACE MACRO suspicion_name(code) AS (['idle_with_queue', 'idle_picked_with_queue', 'queued_beside_idle', 'ran_on', 'silence', 'queued_for_ever', 'woken_while_queued', 'ran_without_wakeup', 'ran_after_death', 'woken_never_ran', 'unknown_state', 'never_preempted', 'left_out', 'out_of_order', 'silent_cpus', 'idle_never_left', 'contradictory_events', 'nr_running_differs', 'runtime_differs', 'time_sums', 'unverified'])[code + 1];
CREATE OR REPLACE MACRO suspicion_values() AS (['idle_with_queue', 'idle_picked_with_queue', 'queued_beside_idle', 'ran_on', 'silence', 'queued_for_ever', 'woken_while_queued', 'ran_without_wakeup', 'ran_after_death', 'woken_never_ran', 'unknown_state', 'never_preempted', 'left_out', 'out_of_order', 'silent_cpus', 'idle_never_left', 'contradictory_events', 'nr_running_differs', 'runtime_differs', 'time_sums', 'unverified']);
CREATE OR REPLACE MACRO suspicion_words(code) AS (['CPUs ran swapper beside queued threads for {share} of the observed time', 'CPUs went idle beside queued threads and stayed so for {share} of the observed time', 'threads were queued for over a second on CPUs that idled ({share} of the observed time)', 'threads ran on for over 5 s beside queued ones ({share} of the observed time)', 'no CPU reported anything for over 3 s while threads were queued ({share} of the recording)', '{count} threads were queued up to the end of the recording and never got to run', '{count} wakeups were of threads already queued ({share} of all wakeups)', 'threads that slept ran {count} times without a wakeup ({share} of the runs after none)', 'dead threads ran or were woken {count} times ({share} of the deaths)', '{count} threads were woken and never ran ({share} of those woken)', '{count} switches left a thread in a state that this release does not have ({share} of all)', '{count} switches from one thread to another, and none of them left the first one runnable', '{count} events of the input could not be used ({share} of all)', '{count} events are stamped before the one ahead of them ({share} of all)', '{count} CPUs show no switch although they are online ({share} of the CPUs)', '{count} switches from swapper are missing ({share} of those expected)', '{count} events contradict the events before them ({share} of the switches)', 'the kernel''s nr_running is below the reconstructed queue in {share} of the comparisons', 'the reconstructed run times differ from the kernel''s accounts by {share} of the accounted time', 'the busy, idle and unobserved times of {count} CPUs do not add up to the recording', 'the input goes past what the readers have been verified on'])[code + 1];

CREATE TABLE affinity (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  tid INTEGER NOT NULL,
  mask_id INTEGER,
  user_mask_id INTEGER,
  cpuset_mask_id INTEGER
);
COMMENT ON TABLE affinity IS 'A thread''s allowed CPUs, or what they come from, were seen to have changed.';
COMMENT ON COLUMN affinity.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN affinity.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN affinity.cpu IS '[cpu] CPU that noticed.';
COMMENT ON COLUMN affinity.tid IS '[tid] The thread.';
COMMENT ON COLUMN affinity.mask_id IS 'Allowed CPUs from now on, a row of `mask`; NULL unknown.';
COMMENT ON COLUMN affinity.user_mask_id IS 'Mask asked for by the user; NULL none or unknown.';
COMMENT ON COLUMN affinity.cpuset_mask_id IS 'Effective CPUs of its cpuset; NULL unknown.';

CREATE TABLE balance_attempt (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  dur_ns BIGINT NOT NULL,
  dst_cpu SMALLINT NOT NULL,
  domain_level SMALLINT,
  idle_type UTINYINT NOT NULL,
  pulled INTEGER,
  function VARCHAR NOT NULL
);
COMMENT ON TABLE balance_attempt IS 'One load-balance attempt over one domain, from the entry and return of the kernel''s function.';
COMMENT ON COLUMN balance_attempt.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN balance_attempt.ts_ns IS '[ns] Entry.';
COMMENT ON COLUMN balance_attempt.cpu IS '[cpu] CPU that made the attempt.';
COMMENT ON COLUMN balance_attempt.dur_ns IS '[ns] Entry to return.';
COMMENT ON COLUMN balance_attempt.dst_cpu IS '[cpu] CPU it balanced for.';
COMMENT ON COLUMN balance_attempt.domain_level IS 'Level of the domain, 0 the smallest; NULL for newidle as a whole.';
COMMENT ON COLUMN balance_attempt.idle_type IS 'Why it ran.';
COMMENT ON COLUMN balance_attempt.pulled IS '[threads] Return value: threads moved.';
COMMENT ON COLUMN balance_attempt.function IS 'Kernel function observed.';

CREATE TABLE balance_kick (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  target_cpu SMALLINT NOT NULL,
  kind UTINYINT NOT NULL,
  next_balance_ns BIGINT
);
COMMENT ON TABLE balance_kick IS 'A CPU that runs swapper is called to balance: another one sends it the kick of nohz balancing, or the balancer''s softirq starts on it (after a kick, or of its own tick).';
COMMENT ON COLUMN balance_kick.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN balance_kick.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN balance_kick.cpu IS '[cpu] CPU that saw it: of a kick the sender.';
COMMENT ON COLUMN balance_kick.target_cpu IS '[cpu] CPU that is to balance.';
COMMENT ON COLUMN balance_kick.kind IS 'A kick (`sent`: what for is not recorded), or the softirq.';
COMMENT ON COLUMN balance_kick.next_balance_ns IS '[ns] Of a softirq: when the kernel holds the CPU''s next periodic attempts due, over whichever domain (rq.next_balance), counted from its end, in whole milliseconds, at least 0; NULL not recorded.';

CREATE TABLE balance_search (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  attempt_id BIGINT,
  result UTINYINT NOT NULL,
  src_cpu SMALLINT,
  examined INTEGER,
  not_allowed INTEGER,
  running INTEGER,
  hot INTEGER,
  other INTEGER
);
COMMENT ON TABLE balance_search IS 'What a load-balance attempt over a domain that moved no thread found: a group to take from or none, and on the queue that it chose, the threads that it examined and why it left them.';
COMMENT ON COLUMN balance_search.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN balance_search.ts_ns IS '[ns] Entry of the attempt.';
COMMENT ON COLUMN balance_search.cpu IS '[cpu] CPU that made the attempt.';
COMMENT ON COLUMN balance_search.attempt_id IS 'Row of `balance_attempt`.';
COMMENT ON COLUMN balance_search.result IS 'What the last search for a group in it returned.';
COMMENT ON COLUMN balance_search.src_cpu IS '[cpu] CPU whose queue it examined last; NULL where it examined no thread, or that is not recorded.';
COMMENT ON COLUMN balance_search.examined IS '[threads] Threads examined on queues (can_migrate_task); NULL where that is not recorded.';
COMMENT ON COLUMN balance_search.not_allowed IS '[threads] Of these, left since their masks do not have the CPU.';
COMMENT ON COLUMN balance_search.running IS '[threads] Of these, left since they ran.';
COMMENT ON COLUMN balance_search.hot IS '[threads] Of these, left as cache-hot, or since their memory is near (task_hot, migrate_degrades_locality).';
COMMENT ON COLUMN balance_search.other IS '[threads] Of these, left for another reason: more load than the imbalance, no quota left, not eligible on the CPU (since 6.14).';

CREATE TABLE bubble_event (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  tid INTEGER,
  tgid INTEGER,
  kind UTINYINT NOT NULL,
  bubble BIGINT,
  entity_tid INTEGER,
  holder UTINYINT,
  holder_id BIGINT,
  value BIGINT,
  name VARCHAR,
  snapshot BOOLEAN NOT NULL,
  status INTEGER
);
COMMENT ON TABLE bubble_event IS 'An application or a scheduler did something with a bubble: made it, put threads and bubbles into it, moved, burst or closed it.';
COMMENT ON COLUMN bubble_event.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN bubble_event.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN bubble_event.cpu IS '[cpu] CPU that reported it.';
COMMENT ON COLUMN bubble_event.tid IS '[tid] Thread that reported it; NULL for a simulated scheduler.';
COMMENT ON COLUMN bubble_event.tgid IS '[tgid] Process whose bubbles these are: numbers of bubbles are unique within it. NULL where one source numbers all bubbles.';
COMMENT ON COLUMN bubble_event.kind IS 'What was done.';
COMMENT ON COLUMN bubble_event.bubble IS 'Number of the bubble that is the entity (init, insert_bubble, wake, move, burst ...); NULL when a thread is.';
COMMENT ON COLUMN bubble_event.entity_tid IS '[tid] The thread that is the entity (attach, insert_thread, and priority, expect, move, remove of a thread).';
COMMENT ON COLUMN bubble_event.holder IS 'Holder it goes to, or leaves (remove); for burst_level the level. NULL where the event does not name one.';
COMMENT ON COLUMN bubble_event.holder_id IS 'Number of the holding bubble, or of the part of the machine as in the columns of `cpu` (machine: 0; aside: a number of the scheduler''s own).';
COMMENT ON COLUMN bubble_event.value IS 'priority: the priority, higher first. slice: time slice (ns). expect: CPU time that the entity is expected to need from its start on (ns).';
COMMENT ON COLUMN bubble_event.name IS 'init: name of the bubble.';
COMMENT ON COLUMN bubble_event.snapshot IS 'From a state dump: describes the present state.';
COMMENT ON COLUMN bubble_event.status IS 'Negative errno with which the source refused it: nothing changed. NULL it was done.';

CREATE TABLE cgroup_move (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  tid INTEGER NOT NULL,
  cgroup_id BIGINT NOT NULL
);
COMMENT ON TABLE cgroup_move IS 'A thread was seen in another cgroup than before.';
COMMENT ON COLUMN cgroup_move.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN cgroup_move.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN cgroup_move.cpu IS '[cpu] CPU that noticed.';
COMMENT ON COLUMN cgroup_move.tid IS '[tid] The thread.';
COMMENT ON COLUMN cgroup_move.cgroup_id IS 'The cgroup from now on, a row of `cgroup`.';

CREATE TABLE core_cookie (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  tid INTEGER NOT NULL,
  cookie BIGINT NOT NULL
);
COMMENT ON TABLE core_cookie IS 'A thread''s core-scheduling cookie changed: SMT siblings may only run threads of one cookie.';
COMMENT ON COLUMN core_cookie.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN core_cookie.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN core_cookie.cpu IS '[cpu] CPU that noticed.';
COMMENT ON COLUMN core_cookie.tid IS '[tid] The thread.';
COMMENT ON COLUMN core_cookie.cookie IS 'The cookie; 0 none.';

CREATE TABLE cpu_frequency (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  khz INTEGER NOT NULL
);
COMMENT ON TABLE cpu_frequency IS 'A CPU runs at this frequency from now on, as far as the kernel asked for it. Imports have it where the trace does, recordings of wastenot''s own with --power. Kernels may report a frequency anew that did not change.';
COMMENT ON COLUMN cpu_frequency.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN cpu_frequency.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN cpu_frequency.cpu IS '[cpu] CPU that is meant (cpu_id); often another one wrote the event.';
COMMENT ON COLUMN cpu_frequency.khz IS '[kHz] Frequency.';

CREATE TABLE cpu_hotplug (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  online BOOLEAN NOT NULL
);
COMMENT ON TABLE cpu_hotplug IS 'A CPU went offline or came online. Offline is never idle.';
COMMENT ON COLUMN cpu_hotplug.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN cpu_hotplug.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN cpu_hotplug.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN cpu_hotplug.online IS 'True: usable by the scheduler from now on.';

CREATE TABLE cpu_idle (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  state UTINYINT
);
COMMENT ON TABLE cpu_idle IS 'A CPU enters an idle state of the processor, or leaves it. Imports have it where the trace does, recordings of wastenot''s own with --power. Kernels may report a state anew without an exit in between.';
COMMENT ON COLUMN cpu_idle.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN cpu_idle.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN cpu_idle.cpu IS '[cpu] CPU that is meant (cpu_id), which need not be the one that wrote the event.';
COMMENT ON COLUMN cpu_idle.state IS 'Number of the state as the kernel has it (cpuidle: 0 the shallowest); NULL: it left its state.';

CREATE TABLE cpu_load (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  attempt_id BIGINT,
  of_cpu SMALLINT NOT NULL,
  load BIGINT NOT NULL,
  nr_running INTEGER,
  util BIGINT,
  runnable BIGINT,
  capacity BIGINT
);
COMMENT ON TABLE cpu_load IS 'The load of a CPU beside a load-balance attempt: of simulated and imported traces as the attempt saw it, of recordings as it was when the attempt ended.';
COMMENT ON COLUMN cpu_load.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN cpu_load.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN cpu_load.cpu IS '[cpu] CPU that made the attempt.';
COMMENT ON COLUMN cpu_load.attempt_id IS 'Row of `balance_attempt`.';
COMMENT ON COLUMN cpu_load.of_cpu IS '[cpu] CPU whose load it is.';
COMMENT ON COLUMN cpu_load.load IS 'Weighted load it was taken to have.';
COMMENT ON COLUMN cpu_load.nr_running IS '[threads] Threads counted there.';
COMMENT ON COLUMN cpu_load.util IS '[1/1024 CPU] How much fair threads used it (util_avg, or what its queued threads are estimated to use where that is more); NULL where that is not recorded.';
COMMENT ON COLUMN cpu_load.runnable IS '[1/1024 CPU] How much fair threads ran there or waited (runnable_avg, since 5.7); NULL where that is not recorded.';
COMMENT ON COLUMN cpu_load.capacity IS '[1/1024 CPU] What interrupts and higher classes leave of it (cpu_capacity); NULL where that is not recorded.';

CREATE TABLE cpu_snapshot (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  online BOOLEAN NOT NULL,
  current_tid INTEGER
);
COMMENT ON TABLE cpu_snapshot IS 'The state of a CPU when the recording started, or when it first became known. A CPU without one is unobserved until its first switch.';
COMMENT ON COLUMN cpu_snapshot.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN cpu_snapshot.ts_ns IS '[ns] Time on the trace''s clock at which it was read.';
COMMENT ON COLUMN cpu_snapshot.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN cpu_snapshot.online IS 'Online.';
COMMENT ON COLUMN cpu_snapshot.current_tid IS '[tid] Thread that runs there (0 swapper); NULL unknown.';

CREATE TABLE cpus_scanned (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  attempt_id BIGINT,
  tid INTEGER,
  mask_id INTEGER,
  chosen_cpu SMALLINT,
  prev_cpu SMALLINT,
  wake_flags INTEGER
);
COMMENT ON TABLE cpus_scanned IS 'The CPUs that a placement or a load-balance attempt scanned, and the one it chose. A placement is made at a wakeup, fork or exec of the fair class; none is made for a thread that may use only one CPU, or that a wakeup finds still on its queue.';
COMMENT ON COLUMN cpus_scanned.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN cpus_scanned.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN cpus_scanned.cpu IS '[cpu] CPU that decided: of a wakeup the waker''s.';
COMMENT ON COLUMN cpus_scanned.attempt_id IS 'Row of `balance_attempt`, for a load-balance attempt.';
COMMENT ON COLUMN cpus_scanned.tid IS '[tid] Thread being placed, for a placement.';
COMMENT ON COLUMN cpus_scanned.mask_id IS 'CPUs tested for being idle, a row of `mask`; NULL where that is not recorded.';
COMMENT ON COLUMN cpus_scanned.chosen_cpu IS '[cpu] CPU chosen.';
COMMENT ON COLUMN cpus_scanned.prev_cpu IS '[cpu] CPU that the thread had before, for a placement.';
COMMENT ON COLUMN cpus_scanned.wake_flags IS 'Flags of the placement (kernel/sched/sched.h: WF_*, as from 5.18 on): 2 exec, 4 fork, 8 wakeup, 16 the waker is about to sleep, 64 the waker''s CPU is to be taken.';

CREATE TABLE dl_parameters (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  tid INTEGER NOT NULL,
  runtime_ns BIGINT NOT NULL,
  deadline_ns BIGINT NOT NULL,
  period_ns BIGINT NOT NULL,
  flags INTEGER NOT NULL,
  until_ns BIGINT,
  kernel_deadline_ns BIGINT,
  left_ns BIGINT,
  throttled BOOLEAN NOT NULL,
  yielded BOOLEAN NOT NULL
);
COMMENT ON TABLE dl_parameters IS 'The parameters of a SCHED_DEADLINE thread and the state of its server (constant bandwidth server): as the recording starts, and just before each switch and wakeup of the thread.';
COMMENT ON COLUMN dl_parameters.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN dl_parameters.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN dl_parameters.cpu IS '[cpu] CPU that noticed.';
COMMENT ON COLUMN dl_parameters.tid IS '[tid] The thread.';
COMMENT ON COLUMN dl_parameters.runtime_ns IS '[ns] Time that it may run until each deadline (dl_runtime); 0 where it is of this class by priority inheritance only.';
COMMENT ON COLUMN dl_parameters.deadline_ns IS '[ns] Its deadline, from its activation (dl_deadline).';
COMMENT ON COLUMN dl_parameters.period_ns IS '[ns] Its period (dl_period).';
COMMENT ON COLUMN dl_parameters.flags IS 'SCHED_FLAG_* of sched_setattr: 1 reset on fork, 2 reclaim, 4 signal overruns, 0x10000000 a thread of schedutil, which precedes all others.';
COMMENT ON COLUMN dl_parameters.until_ns IS '[ns] The deadline of its server on the trace''s clock, late by up to some microseconds; NULL not known.';
COMMENT ON COLUMN dl_parameters.kernel_deadline_ns IS '[ns] The same as the kernel has it, on the clock of the runqueues: the order of these values is that of the scheduler. NULL not known.';
COMMENT ON COLUMN dl_parameters.left_ns IS '[ns] Runtime that is left until this deadline; NULL not known.';
COMMENT ON COLUMN dl_parameters.throttled IS 'It has used its runtime, or yielded, and waits for its next period.';
COMMENT ON COLUMN dl_parameters.yielded IS 'It gave up the rest of its runtime (sched_yield).';

CREATE TABLE event_stack (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  of UTINYINT NOT NULL,
  stack_id INTEGER
);
COMMENT ON TABLE event_stack IS 'The kernel stack of a wakeup or switch: that of the event `of` with the same time, CPU and thread. Stacks of moves are in `sched_migrate_task`.';
COMMENT ON COLUMN event_stack.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN event_stack.ts_ns IS '[ns] Time on the trace''s clock: that of the event.';
COMMENT ON COLUMN event_stack.cpu IS '[cpu] CPU that wrote the event.';
COMMENT ON COLUMN event_stack.tid IS '[tid] Thread that leaves the CPU, or is woken.';
COMMENT ON COLUMN event_stack.of IS 'Which event.';
COMMENT ON COLUMN event_stack.stack_id IS 'The stack, a row of `stack` (NULL where an export has it no more): of a switch where the thread called the scheduler or was interrupted, of a wakeup that of the waker.';

CREATE TABLE ext_access (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  cgroup_id BIGINT NOT NULL,
  for_cpu SMALLINT NOT NULL,
  may_use BOOLEAN NOT NULL
);
COMMENT ON TABLE ext_access IS 'Whether the sched_ext scheduler of a cgroup may use a CPU, as the one above has granted it: of all CPUs when one of its threads is first seen, then of a CPU whenever that found no thread to run.';
COMMENT ON COLUMN ext_access.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_access.ts_ns IS '[ns] When it was read.';
COMMENT ON COLUMN ext_access.cpu IS '[cpu] CPU on which it was read.';
COMMENT ON COLUMN ext_access.cgroup_id IS 'Cgroup whose threads the scheduler schedules, by the kernel''s number.';
COMMENT ON COLUMN ext_access.for_cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN ext_access.may_use IS 'It may (SCX_CAP_BASE).';

CREATE TABLE ext_counter (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  cgroup_id BIGINT,
  name VARCHAR NOT NULL,
  value BIGINT NOT NULL
);
COMMENT ON TABLE ext_counter IS 'The kernel''s counters of a sched_ext scheduler: each as the recording began, and whenever it was seen to have changed.';
COMMENT ON COLUMN ext_counter.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_counter.ts_ns IS '[ns] When the recorder read it, twice a second.';
COMMENT ON COLUMN ext_counter.cpu IS '[cpu] NULL: it is read from sysfs.';
COMMENT ON COLUMN ext_counter.cgroup_id IS 'Cgroup whose threads the scheduler schedules; NULL: the one of all threads.';
COMMENT ON COLUMN ext_counter.name IS 'Name of the counter (SCX_EV_*).';
COMMENT ON COLUMN ext_counter.value IS 'Since the scheduler was loaded.';

CREATE TABLE ext_idle (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  mask_id INTEGER
);
COMMENT ON TABLE ext_idle IS 'The CPUs that the kernel showed sched_ext schedulers as idle, as select_cpu had put a thread into a queue. A CPU that idles is missing where it was promised to another thread (scx_bpf_pick_idle_cpu, scx_bpf_test_and_clear_cpu_idle). Empty where the kernel does not keep the mask, or keeps one for each NUMA node.';
COMMENT ON COLUMN ext_idle.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_idle.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN ext_idle.cpu IS '[cpu] CPU on which the thread was placed.';
COMMENT ON COLUMN ext_idle.tid IS '[tid] The thread.';
COMMENT ON COLUMN ext_idle.mask_id IS 'CPUs shown as idle, a row of `mask`; NULL: not known.';

CREATE TABLE ext_kick (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  target_cpu SMALLINT NOT NULL,
  flags INTEGER NOT NULL
);
COMMENT ON TABLE ext_kick IS 'A sched_ext scheduler asked for a CPU to reschedule, so that it asks for a thread to run.';
COMMENT ON COLUMN ext_kick.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_kick.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN ext_kick.cpu IS '[cpu] CPU on which the scheduler asked for it.';
COMMENT ON COLUMN ext_kick.target_cpu IS '[cpu] CPU that is to reschedule.';
COMMENT ON COLUMN ext_kick.flags IS 'SCX_KICK_*: 1 only if it idles, 2 preempt, 4 wait for it.';

CREATE TABLE ext_of_cgroup (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  cgroup_id BIGINT NOT NULL
);
COMMENT ON TABLE ext_of_cgroup IS 'It was the sched_ext scheduler of a cgroup that put a thread into a dispatch queue, or keeps it: what the next row of `ext_queue` about that thread says, which has the same time. Of the scheduler of all threads there is none.';
COMMENT ON COLUMN ext_of_cgroup.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_of_cgroup.ts_ns IS '[ns] Time on the trace''s clock: that of the row of `ext_queue`.';
COMMENT ON COLUMN ext_of_cgroup.cpu IS '[cpu] CPU on which that was done.';
COMMENT ON COLUMN ext_of_cgroup.tid IS '[tid] The thread.';
COMMENT ON COLUMN ext_of_cgroup.cgroup_id IS 'Cgroup whose threads the scheduler schedules, by the kernel''s number.';

CREATE TABLE ext_queue (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  place UTINYINT NOT NULL,
  queue_cpu SMALLINT,
  dsq BIGINT,
  step UTINYINT NOT NULL
);
COMMENT ON TABLE ext_queue IS 'A thread of a sched_ext scheduler was put into a dispatch queue, or is kept by the scheduler in a structure of its own.';
COMMENT ON COLUMN ext_queue.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_queue.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN ext_queue.cpu IS '[cpu] CPU on which that was done.';
COMMENT ON COLUMN ext_queue.tid IS '[tid] The thread.';
COMMENT ON COLUMN ext_queue.place IS 'Where it is from then on.';
COMMENT ON COLUMN ext_queue.queue_cpu IS '[cpu] CPU of the local queue; NULL of any other place.';
COMMENT ON COLUMN ext_queue.dsq IS 'Number of the dispatch queue, as the kernel has it; NULL where it is in none.';
COMMENT ON COLUMN ext_queue.step IS 'Which part of the scheduler decided that.';

CREATE TABLE ext_scheduler (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  cgroup_id BIGINT,
  change UTINYINT NOT NULL,
  name VARCHAR,
  threads_recorded BOOLEAN
);
COMMENT ON TABLE ext_scheduler IS 'sched_ext schedulers, of all threads or of a cgroup: which were loaded as the recording began, what was loaded or went since, and why the kernel ended one.';
COMMENT ON COLUMN ext_scheduler.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_scheduler.ts_ns IS '[ns] Of `loaded` and `gone`: when the recorder saw it, up to half a second late.';
COMMENT ON COLUMN ext_scheduler.cpu IS '[cpu] CPU on which it was done; NULL where it was read from sysfs.';
COMMENT ON COLUMN ext_scheduler.cgroup_id IS 'Cgroup whose threads it schedules, by the kernel''s number; NULL: it is the one of all threads.';
COMMENT ON COLUMN ext_scheduler.change IS 'What happened.';
COMMENT ON COLUMN ext_scheduler.name IS 'Its name (sched_ext_ops.name), where sysfs had it.';
COMMENT ON COLUMN ext_scheduler.threads_recorded IS 'The table `ext_of_cgroup` says which threads schedulers of cgroups have; NULL: the recording is of an earlier version, and it does not.';

CREATE TABLE ext_search (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  dur_ns BIGINT NOT NULL,
  for_cpu SMALLINT NOT NULL
);
COMMENT ON TABLE ext_search IS 'A CPU asked its local queue and the sched_ext scheduler (ops.dispatch) for a thread to run, and got none.';
COMMENT ON COLUMN ext_search.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_search.ts_ns IS '[ns] When it began to ask.';
COMMENT ON COLUMN ext_search.cpu IS '[cpu] CPU on which the function ran.';
COMMENT ON COLUMN ext_search.dur_ns IS '[ns] For how long it asked.';
COMMENT ON COLUMN ext_search.for_cpu IS '[cpu] CPU for which it asked; another one with core scheduling alone.';

CREATE TABLE ext_state (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  change UTINYINT NOT NULL,
  name VARCHAR,
  partial BOOLEAN NOT NULL,
  recorded BOOLEAN NOT NULL
);
COMMENT ON TABLE ext_state IS 'Which sched_ext scheduler is in charge: as the recording began and at each change, and when the kernel bypasses it.';
COMMENT ON COLUMN ext_state.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN ext_state.ts_ns IS '[ns] Of a change of the scheduler: when the recorder saw it, up to half a second late.';
COMMENT ON COLUMN ext_state.cpu IS '[cpu] CPU on which it was done; NULL where it was read from sysfs.';
COMMENT ON COLUMN ext_state.change IS 'What changed.';
COMMENT ON COLUMN ext_state.name IS 'Name of the scheduler (sched_ext_ops.name).';
COMMENT ON COLUMN ext_state.partial IS 'It runs threads of the policy SCHED_EXT alone (SCX_OPS_SWITCH_PARTIAL).';
COMMENT ON COLUMN ext_state.recorded IS 'The tables `ext_queue`, `ext_search` and `ext_kick` have all that happened.';

CREATE TABLE idle_exit_late (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  late_ns BIGINT NOT NULL
);
COMMENT ON TABLE idle_exit_late IS 'A CPU left idle late: so long after the kernel had asked it to reschedule (TIF_NEED_RESCHED) for a thread on its queue, where that took a millisecond or more. It was in a deep idle state, in an interrupt, or a virtual CPU that its host did not run; or the one that queued the thread stood still.';
COMMENT ON COLUMN idle_exit_late.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN idle_exit_late.ts_ns IS '[ns] Time on the trace''s clock, as the CPU leaves idle.';
COMMENT ON COLUMN idle_exit_late.cpu IS '[cpu] CPU that leaves idle.';
COMMENT ON COLUMN idle_exit_late.late_ns IS '[ns] How long before that it was asked to.';

CREATE TABLE irq_span (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  dur_ns BIGINT NOT NULL,
  kind UTINYINT NOT NULL,
  vector INTEGER
);
COMMENT ON TABLE irq_span IS 'Interrupt work of more than 20 us. A CPU that runs swapper meanwhile looks idle and is not; threads on its queue wait for the interrupts. Imports have it of CPUs that run swapper only. ts_ns is the start of the span; the row is there in the order.';
COMMENT ON COLUMN irq_span.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN irq_span.ts_ns IS '[ns] Start.';
COMMENT ON COLUMN irq_span.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN irq_span.dur_ns IS '[ns] Length.';
COMMENT ON COLUMN irq_span.kind IS 'Hard, soft, or both without a gap.';
COMMENT ON COLUMN irq_span.vector IS 'irq number or softirq vector of the longest part.';

CREATE TABLE lost_events (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL,
  cpu SMALLINT,
  count BIGINT,
  what VARCHAR NOT NULL
);
COMMENT ON TABLE lost_events IS 'Events the recorder or tracer dropped. Between ts_ns and end_ns what is known of the CPU may be wrong: it counts as unobserved until its next switch.';
COMMENT ON COLUMN lost_events.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN lost_events.ts_ns IS '[ns] First instant at which something may be missing.';
COMMENT ON COLUMN lost_events.end_ns IS '[ns] Last instant.';
COMMENT ON COLUMN lost_events.cpu IS '[cpu] CPU whose events were lost; NULL any.';
COMMENT ON COLUMN lost_events.count IS '[events] How many; NULL unknown.';
COMMENT ON COLUMN lost_events.what IS 'Kind of event lost, or ''any''.';

CREATE TABLE migration_disable (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  tid INTEGER NOT NULL,
  disabled BOOLEAN NOT NULL
);
COMMENT ON TABLE migration_disable IS 'A thread entered or left a section in which it may not be moved. Not the same as being pinned.';
COMMENT ON COLUMN migration_disable.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN migration_disable.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN migration_disable.cpu IS '[cpu] CPU that noticed.';
COMMENT ON COLUMN migration_disable.tid IS '[tid] The thread.';
COMMENT ON COLUMN migration_disable.disabled IS 'True from now on, or false.';

CREATE TABLE newidle_entry (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  attempt_id BIGINT,
  avg_idle_ns BIGINT NOT NULL,
  overloaded BOOLEAN NOT NULL,
  wakeup_pending BOOLEAN NOT NULL,
  too_short_level SMALLINT,
  dice BOOLEAN NOT NULL,
  next_balance_ns BIGINT
);
COMMENT ON TABLE newidle_entry IS 'What a CPU that was about to idle decided by, in a search for work that moved no thread, as it was when the kernel''s function was entered, but for `next_balance_ns`.';
COMMENT ON COLUMN newidle_entry.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN newidle_entry.ts_ns IS '[ns] Entry of the function.';
COMMENT ON COLUMN newidle_entry.cpu IS '[cpu] CPU that was about to idle.';
COMMENT ON COLUMN newidle_entry.attempt_id IS 'Row of `balance_attempt` of the function as a whole.';
COMMENT ON COLUMN newidle_entry.avg_idle_ns IS '[ns] How long the CPU expected to idle (rq.avg_idle).';
COMMENT ON COLUMN newidle_entry.overloaded IS 'Some CPU of the root domain counted as overloaded (root_domain.overload).';
COMMENT ON COLUMN newidle_entry.wakeup_pending IS 'A wakeup was queued to the CPU (rq.ttwu_pending).';
COMMENT ON COLUMN newidle_entry.too_short_level IS 'Smallest level whose attempts cost more than the CPU expected to idle (max_newidle_lb_cost); NULL none.';
COMMENT ON COLUMN newidle_entry.dice IS 'The release leaves each attempt to chance by how many succeeded (sched_domain.newidle_ratio).';
COMMENT ON COLUMN newidle_entry.next_balance_ns IS '[ns] When the kernel holds the CPU''s next periodic attempts due, over whichever domain (rq.next_balance), counted from the return of the function, in whole milliseconds, at least 0; NULL not recorded.';

CREATE TABLE nr_running (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  nr_running INTEGER NOT NULL,
  delta SMALLINT NOT NULL
);
COMMENT ON TABLE nr_running IS 'The kernel''s own count of a runqueue. A cross-check only: since 6.12 it includes threads whose dequeue is delayed.';
COMMENT ON COLUMN nr_running.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN nr_running.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN nr_running.cpu IS '[cpu] CPU of the runqueue.';
COMMENT ON COLUMN nr_running.nr_running IS '[threads] Threads on the queue after the change, the running one included.';
COMMENT ON COLUMN nr_running.delta IS '[threads] The change.';

CREATE TABLE perf_counter (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  counter VARCHAR NOT NULL,
  value BIGINT NOT NULL
);
COMMENT ON TABLE perf_counter IS 'What a hardware or software counter added while a thread ran, read at the switch that ended the run.';
COMMENT ON COLUMN perf_counter.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN perf_counter.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN perf_counter.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN perf_counter.tid IS '[tid] Thread that ran.';
COMMENT ON COLUMN perf_counter.counter IS 'Counter: cycles, instructions, cache-misses, task-clock ...';
COMMENT ON COLUMN perf_counter.value IS 'Increase over the run.';

CREATE TABLE preferred_llc (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  attempt_id BIGINT,
  src_cpu SMALLINT NOT NULL,
  threads INTEGER NOT NULL
);
COMMENT ON TABLE preferred_llc IS 'A load-balance attempt that moved no thread left threads in the last-level cache that their process prefers (cache-aware scheduling); they are among those of `balance_search.other`.';
COMMENT ON COLUMN preferred_llc.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN preferred_llc.ts_ns IS '[ns] Entry of the attempt.';
COMMENT ON COLUMN preferred_llc.cpu IS '[cpu] CPU that made the attempt.';
COMMENT ON COLUMN preferred_llc.attempt_id IS 'Row of `balance_attempt`.';
COMMENT ON COLUMN preferred_llc.src_cpu IS '[cpu] CPU on whose queue it found them.';
COMMENT ON COLUMN preferred_llc.threads IS '[threads] How many it left for that.';

CREATE TABLE process_exec (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  old_tid INTEGER
);
COMMENT ON TABLE process_exec IS 'A thread runs a new program. When a non-leader execs, it takes the leader''s tid: old_tid names it before.';
COMMENT ON COLUMN process_exec.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN process_exec.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN process_exec.cpu IS '[cpu] CPU it ran on.';
COMMENT ON COLUMN process_exec.tid IS '[tid] tid after the exec.';
COMMENT ON COLUMN process_exec.old_tid IS '[tid] tid before the exec.';

CREATE TABLE process_exit (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL
);
COMMENT ON TABLE process_exit IS 'A thread starts to exit. It still runs; its life ends at its last switch (state X or Z).';
COMMENT ON COLUMN process_exit.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN process_exit.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN process_exit.cpu IS '[cpu] CPU it runs on.';
COMMENT ON COLUMN process_exit.tid IS '[tid] Thread that exits.';

CREATE TABLE process_fork (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  parent_tid INTEGER NOT NULL,
  child_tid INTEGER NOT NULL,
  child_tgid INTEGER
);
COMMENT ON TABLE process_fork IS 'A thread was created. The child inherits its parent''s mask and cgroup; its placement comes with sched_wakeup_new.';
COMMENT ON COLUMN process_fork.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN process_fork.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN process_fork.cpu IS '[cpu] CPU of the parent.';
COMMENT ON COLUMN process_fork.parent_tid IS '[tid] Thread that forked.';
COMMENT ON COLUMN process_fork.child_tid IS '[tid] Thread that was made.';
COMMENT ON COLUMN process_fork.child_tgid IS '[tgid] Process the child belongs to.';

CREATE TABLE process_rank (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  tgid INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  size INTEGER,
  variable UTINYINT NOT NULL
);
COMMENT ON TABLE process_rank IS 'Which rank of a parallel program a process is, by its environment, which launchers set. Written as the recorder first sees the process: at the start, or soon after it was started.';
COMMENT ON COLUMN process_rank.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN process_rank.ts_ns IS '[ns] Time on the trace''s clock, as it was read.';
COMMENT ON COLUMN process_rank.tgid IS '[tgid] The process.';
COMMENT ON COLUMN process_rank.rank IS 'Its rank, from 0 on.';
COMMENT ON COLUMN process_rank.size IS '[ranks] Ranks of the whole program, on all machines; NULL not known.';
COMMENT ON COLUMN process_rank.variable IS 'The variable that tells it.';

CREATE TABLE region_event (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  tid INTEGER NOT NULL,
  kind UTINYINT NOT NULL,
  enter BOOLEAN NOT NULL,
  peer INTEGER,
  bytes BIGINT,
  name VARCHAR NOT NULL
);
COMMENT ON TABLE region_event IS 'A thread enters or leaves a call in which it waits for other ranks of a parallel program (MPI, OpenMP), or the body of an OpenMP parallel region. Regions of one thread are nested.';
COMMENT ON COLUMN region_event.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN region_event.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN region_event.cpu IS '[cpu] CPU on which the thread ran; NULL where the source does not say.';
COMMENT ON COLUMN region_event.tid IS '[tid] The thread.';
COMMENT ON COLUMN region_event.kind IS 'What the thread does in the region.';
COMMENT ON COLUMN region_event.enter IS 'It enters; else it leaves.';
COMMENT ON COLUMN region_event.peer IS 'The other rank, or the root of a collective, as the program numbers them in the communicator; below 0 any. NULL where the source does not say.';
COMMENT ON COLUMN region_event.bytes IS '[bytes] Length of the message or of the rank''s part of a collective; NULL where the source does not say.';
COMMENT ON COLUMN region_event.name IS 'Function, or name of the region.';

CREATE TABLE run_span (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  dur_ns BIGINT NOT NULL
);
COMMENT ON TABLE run_span IS 'A thread ran, by the kernel''s account of its time, on a CPU that runs swapper according to its switches: the switch to it was not reported. ts_ns is the start of the span; the row is there in the order.';
COMMENT ON COLUMN run_span.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN run_span.ts_ns IS '[ns] Start; not before the CPU''s last switch.';
COMMENT ON COLUMN run_span.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN run_span.tid IS '[tid] The thread.';
COMMENT ON COLUMN run_span.dur_ns IS '[ns] Length: up to the first time the kernel accounted for the thread there.';

CREATE TABLE sched_migrate_task (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  orig_cpu SMALLINT,
  dest_cpu SMALLINT NOT NULL,
  stack_id INTEGER
);
COMMENT ON TABLE sched_migrate_task IS 'A thread is moved to another CPU; a queued one changes queue, a blocked one only remembers its destination.';
COMMENT ON COLUMN sched_migrate_task.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN sched_migrate_task.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN sched_migrate_task.cpu IS '[cpu] CPU that did the move.';
COMMENT ON COLUMN sched_migrate_task.tid IS '[tid] Thread that is moved.';
COMMENT ON COLUMN sched_migrate_task.orig_cpu IS '[cpu] CPU it leaves; NULL where the source does not say (never 0 for want of knowledge).';
COMMENT ON COLUMN sched_migrate_task.dest_cpu IS '[cpu] CPU it goes to.';
COMMENT ON COLUMN sched_migrate_task.stack_id IS 'Kernel stack of the move, a row of `stack`.';

CREATE TABLE sched_stat_runtime (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  runtime_ns BIGINT NOT NULL
);
COMMENT ON TABLE sched_stat_runtime IS 'The kernel accounted for time that a thread ran: up to now, since the account of it before. Imports keep it; recordings of wastenot''s own have none.';
COMMENT ON COLUMN sched_stat_runtime.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN sched_stat_runtime.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN sched_stat_runtime.cpu IS '[cpu] CPU that wrote the event: the thread''s own, or one that changes its queue from afar.';
COMMENT ON COLUMN sched_stat_runtime.tid IS '[tid] The thread.';
COMMENT ON COLUMN sched_stat_runtime.runtime_ns IS '[ns] Time it ran, by the clock of its runqueue, which leaves out interrupts and stolen time where the kernel accounts for those.';

CREATE TABLE sched_switch (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  prev_tid INTEGER NOT NULL,
  prev_state UTINYINT NOT NULL,
  prev_prio SMALLINT,
  next_tid INTEGER NOT NULL,
  next_prio SMALLINT,
  nr_running INTEGER
);
COMMENT ON TABLE sched_switch IS 'A CPU stops running one thread and starts another. tid 0 is the idle thread (swapper).';
COMMENT ON COLUMN sched_switch.id IS '[event id] Place of the event in the one order of the whole trace, over all event tables.';
COMMENT ON COLUMN sched_switch.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN sched_switch.cpu IS '[cpu] CPU that switches.';
COMMENT ON COLUMN sched_switch.prev_tid IS '[tid] Thread that leaves the CPU; 0 is swapper.';
COMMENT ON COLUMN sched_switch.prev_state IS 'State it is left in; R and R+ stay runnable.';
COMMENT ON COLUMN sched_switch.prev_prio IS 'Kernel priority of prev (0-99 real time, 100-139 fair).';
COMMENT ON COLUMN sched_switch.next_tid IS '[tid] Thread that starts to run; 0 is swapper.';
COMMENT ON COLUMN sched_switch.next_prio IS 'Kernel priority of next.';
COMMENT ON COLUMN sched_switch.nr_running IS '[threads] The kernel''s own count of the CPU''s runqueue, next included. Since 6.12 it also counts threads whose dequeue is delayed.';

CREATE TABLE sched_wakeup (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  target_cpu SMALLINT NOT NULL,
  prio SMALLINT,
  is_new BOOLEAN NOT NULL
);
COMMENT ON TABLE sched_wakeup IS 'A thread became runnable and was queued on target_cpu (sched_wakeup, and sched_wakeup_new for a thread that starts its life).';
COMMENT ON COLUMN sched_wakeup.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN sched_wakeup.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN sched_wakeup.cpu IS '[cpu] CPU that wrote the event (the target''s own when the wakeup was queued to it).';
COMMENT ON COLUMN sched_wakeup.tid IS '[tid] Thread that became runnable.';
COMMENT ON COLUMN sched_wakeup.target_cpu IS '[cpu] CPU on whose queue it was put: its placement.';
COMMENT ON COLUMN sched_wakeup.prio IS 'Kernel priority of the thread.';
COMMENT ON COLUMN sched_wakeup.is_new IS 'True for sched_wakeup_new.';

CREATE TABLE sched_waking (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  target_cpu SMALLINT,
  prio SMALLINT
);
COMMENT ON TABLE sched_waking IS 'A thread is about to be woken. Its target_cpu is where the thread last ran, not where it goes. Where `trace.queued_wakings_only` is true, only of threads that another CPU than the waker''s puts on a queue.';
COMMENT ON COLUMN sched_waking.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN sched_waking.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN sched_waking.cpu IS '[cpu] CPU on which the waker ran.';
COMMENT ON COLUMN sched_waking.tid IS '[tid] Thread being woken.';
COMMENT ON COLUMN sched_waking.target_cpu IS '[cpu] CPU the thread last ran on; NULL where the event is the queueing of a wakeup to another CPU (`trace.queued_wakings_only`).';
COMMENT ON COLUMN sched_waking.prio IS 'Kernel priority of the thread.';

CREATE TABLE schedstat (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT,
  level SMALLINT,
  reading_ns BIGINT NOT NULL,
  interval_ns BIGINT NOT NULL,
  restarted BOOLEAN NOT NULL,
  busy_lb_count BIGINT NOT NULL,
  busy_lb_balanced BIGINT NOT NULL,
  busy_lb_failed BIGINT NOT NULL,
  busy_lb_imbalance BIGINT NOT NULL,
  busy_lb_gained BIGINT NOT NULL,
  busy_lb_hot_gained BIGINT NOT NULL,
  busy_lb_nobusyq BIGINT NOT NULL,
  busy_lb_nobusyg BIGINT NOT NULL,
  idle_lb_count BIGINT NOT NULL,
  idle_lb_balanced BIGINT NOT NULL,
  idle_lb_failed BIGINT NOT NULL,
  idle_lb_imbalance BIGINT NOT NULL,
  idle_lb_gained BIGINT NOT NULL,
  idle_lb_hot_gained BIGINT NOT NULL,
  idle_lb_nobusyq BIGINT NOT NULL,
  idle_lb_nobusyg BIGINT NOT NULL,
  newidle_lb_count BIGINT NOT NULL,
  newidle_lb_balanced BIGINT NOT NULL,
  newidle_lb_failed BIGINT NOT NULL,
  newidle_lb_imbalance BIGINT NOT NULL,
  newidle_lb_gained BIGINT NOT NULL,
  newidle_lb_hot_gained BIGINT NOT NULL,
  newidle_lb_nobusyq BIGINT NOT NULL,
  newidle_lb_nobusyg BIGINT NOT NULL,
  alb_count BIGINT NOT NULL,
  alb_failed BIGINT NOT NULL,
  alb_pushed BIGINT NOT NULL,
  ttwu_wake_remote BIGINT NOT NULL,
  ttwu_move_affine BIGINT NOT NULL,
  ttwu_move_balance BIGINT NOT NULL
);
COMMENT ON TABLE schedstat IS 'What the kernel''s load balancer counted between two readings of /proc/schedstat, per CPU and domain. Each reading is a row whose cpu is NULL, at its end; rows of the domains that counted something follow at the same instant: the others counted nothing. A row counts everything between the end of the reading before and the start of this one, and nothing before the start of the former or after the end of the latter.';
COMMENT ON COLUMN schedstat.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN schedstat.ts_ns IS '[ns] End of the reading.';
COMMENT ON COLUMN schedstat.cpu IS '[cpu] CPU whose domain it is; NULL: the reading itself.';
COMMENT ON COLUMN schedstat.level IS 'Level of the domain, 0 the smallest; NULL: the reading itself.';
COMMENT ON COLUMN schedstat.reading_ns IS '[ns] How long the reading took.';
COMMENT ON COLUMN schedstat.interval_ns IS '[ns] From the end of the reading before; 0 for the first, which counts nothing.';
COMMENT ON COLUMN schedstat.restarted IS 'The domain was built anew in the interval: what it counted since.';
COMMENT ON COLUMN schedstat.busy_lb_count IS 'Attempts made, while the CPU ran a thread.';
COMMENT ON COLUMN schedstat.busy_lb_balanced IS 'That found nothing to do, or were another CPU''s turn, while the CPU ran a thread.';
COMMENT ON COLUMN schedstat.busy_lb_failed IS 'That should have moved a thread and moved none, while the CPU ran a thread.';
COMMENT ON COLUMN schedstat.busy_lb_imbalance IS 'Sum of the imbalances found, of whatever kind (load, utilisation, tasks), while the CPU ran a thread.';
COMMENT ON COLUMN schedstat.busy_lb_gained IS 'Threads pulled, while the CPU ran a thread.';
COMMENT ON COLUMN schedstat.busy_lb_hot_gained IS 'Of them cache-hot ones, while the CPU ran a thread.';
COMMENT ON COLUMN schedstat.busy_lb_nobusyq IS 'That found no busier queue, while the CPU ran a thread.';
COMMENT ON COLUMN schedstat.busy_lb_nobusyg IS 'That found no busier group, while the CPU ran a thread.';
COMMENT ON COLUMN schedstat.idle_lb_count IS 'Attempts made, while it was idle.';
COMMENT ON COLUMN schedstat.idle_lb_balanced IS 'That found nothing to do, or were another CPU''s turn, while it was idle.';
COMMENT ON COLUMN schedstat.idle_lb_failed IS 'That should have moved a thread and moved none, while it was idle.';
COMMENT ON COLUMN schedstat.idle_lb_imbalance IS 'Sum of the imbalances found, of whatever kind (load, utilisation, tasks), while it was idle.';
COMMENT ON COLUMN schedstat.idle_lb_gained IS 'Threads pulled, while it was idle.';
COMMENT ON COLUMN schedstat.idle_lb_hot_gained IS 'Of them cache-hot ones, while it was idle.';
COMMENT ON COLUMN schedstat.idle_lb_nobusyq IS 'That found no busier queue, while it was idle.';
COMMENT ON COLUMN schedstat.idle_lb_nobusyg IS 'That found no busier group, while it was idle.';
COMMENT ON COLUMN schedstat.newidle_lb_count IS 'Attempts made, as it went idle.';
COMMENT ON COLUMN schedstat.newidle_lb_balanced IS 'That found nothing to do, or were another CPU''s turn, as it went idle.';
COMMENT ON COLUMN schedstat.newidle_lb_failed IS 'That should have moved a thread and moved none, as it went idle.';
COMMENT ON COLUMN schedstat.newidle_lb_imbalance IS 'Sum of the imbalances found, of whatever kind (load, utilisation, tasks), as it went idle.';
COMMENT ON COLUMN schedstat.newidle_lb_gained IS 'Threads pulled, as it went idle.';
COMMENT ON COLUMN schedstat.newidle_lb_hot_gained IS 'Of them cache-hot ones, as it went idle.';
COMMENT ON COLUMN schedstat.newidle_lb_nobusyq IS 'That found no busier queue, as it went idle.';
COMMENT ON COLUMN schedstat.newidle_lb_nobusyg IS 'That found no busier group, as it went idle.';
COMMENT ON COLUMN schedstat.alb_count IS 'Times the stopper was asked to push the running thread.';
COMMENT ON COLUMN schedstat.alb_failed IS 'Times it pushed none.';
COMMENT ON COLUMN schedstat.alb_pushed IS 'Threads it pushed.';
COMMENT ON COLUMN schedstat.ttwu_wake_remote IS 'Wakeups on this CPU by one of another that the domain spans.';
COMMENT ON COLUMN schedstat.ttwu_move_affine IS 'Threads that a wakeup moved to the waking CPU as it was cache-affine.';
COMMENT ON COLUMN schedstat.ttwu_move_balance IS 'Wakeups that balanced passively.';

CREATE TABLE thread_name (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  tid INTEGER NOT NULL,
  tgid INTEGER,
  name VARCHAR NOT NULL
);
COMMENT ON TABLE thread_name IS 'A thread''s name (comm) became known or changed.';
COMMENT ON COLUMN thread_name.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN thread_name.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN thread_name.tid IS '[tid] The thread.';
COMMENT ON COLUMN thread_name.tgid IS '[tgid] Its process, where known.';
COMMENT ON COLUMN thread_name.name IS 'The name; may hold spaces, dashes, digits, any byte that is valid UTF-8.';

CREATE TABLE thread_snapshot (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  tid INTEGER NOT NULL,
  tgid INTEGER NOT NULL,
  ppid INTEGER,
  name VARCHAR NOT NULL,
  state UTINYINT NOT NULL,
  queue UTINYINT NOT NULL,
  cpu SMALLINT NOT NULL,
  mask_id INTEGER,
  user_mask_id INTEGER,
  cpuset_mask_id INTEGER,
  policy UTINYINT NOT NULL,
  prio SMALLINT,
  cgroup_id BIGINT,
  migration_disabled BOOLEAN NOT NULL,
  throttled BOOLEAN NOT NULL,
  cookie BIGINT NOT NULL,
  is_kernel BOOLEAN NOT NULL,
  per_cpu_thread BOOLEAN NOT NULL
);
COMMENT ON TABLE thread_snapshot IS 'The state of a thread when the recording started, or when it first became known. Makes the initial state exact.';
COMMENT ON COLUMN thread_snapshot.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN thread_snapshot.ts_ns IS '[ns] Time on the trace''s clock at which it was read.';
COMMENT ON COLUMN thread_snapshot.tid IS '[tid] The thread.';
COMMENT ON COLUMN thread_snapshot.tgid IS '[tgid] Its process.';
COMMENT ON COLUMN thread_snapshot.ppid IS '[tgid] Parent process.';
COMMENT ON COLUMN thread_snapshot.name IS 'comm.';
COMMENT ON COLUMN thread_snapshot.state IS 'Task state.';
COMMENT ON COLUMN thread_snapshot.queue IS 'Running, queued, off every queue, or unknown.';
COMMENT ON COLUMN thread_snapshot.cpu IS '[cpu] CPU of its queue, or where it last ran.';
COMMENT ON COLUMN thread_snapshot.mask_id IS 'Allowed CPUs (cpus_ptr: already cut by the cpuset), a row of `mask`; NULL unknown.';
COMMENT ON COLUMN thread_snapshot.user_mask_id IS 'Mask asked for by the user (user_cpus_ptr, >= 6.2); NULL none or unknown.';
COMMENT ON COLUMN thread_snapshot.cpuset_mask_id IS 'Effective CPUs of its cpuset; NULL unknown.';
COMMENT ON COLUMN thread_snapshot.policy IS 'Scheduling policy.';
COMMENT ON COLUMN thread_snapshot.prio IS 'Kernel priority.';
COMMENT ON COLUMN thread_snapshot.cgroup_id IS 'cgroup that holds its CPU time, a row of `cgroup`.';
COMMENT ON COLUMN thread_snapshot.migration_disabled IS 'True while it may not be moved (migrate_disable).';
COMMENT ON COLUMN thread_snapshot.throttled IS 'True while its cgroup has no quota left.';
COMMENT ON COLUMN thread_snapshot.cookie IS 'Core-scheduling cookie; 0 none.';
COMMENT ON COLUMN thread_snapshot.is_kernel IS 'Kernel thread.';
COMMENT ON COLUMN thread_snapshot.per_cpu_thread IS 'Per-CPU kernel thread: bound to one CPU by the kernel.';

CREATE TABLE throttle (
  id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  tid INTEGER NOT NULL,
  throttled BOOLEAN NOT NULL,
  error_ns BIGINT NOT NULL
);
COMMENT ON TABLE throttle IS 'A thread lost or regained the quota to run (CFS bandwidth control). From 6.18 a throttled thread leaves the queue though its state reads R.';
COMMENT ON COLUMN throttle.id IS '[event id] Place of the event in the one order of the whole trace.';
COMMENT ON COLUMN throttle.ts_ns IS '[ns] Time on the trace''s clock.';
COMMENT ON COLUMN throttle.cpu IS '[cpu] CPU of the queue.';
COMMENT ON COLUMN throttle.tid IS '[tid] The thread.';
COMMENT ON COLUMN throttle.throttled IS 'True: no quota from now on; false: quota again.';
COMMENT ON COLUMN throttle.error_ns IS '[ns] The change happened at most this long before ts_ns.';

CREATE TABLE bubble (
  bubble_id INTEGER NOT NULL,
  tree UTINYINT NOT NULL,
  kind UTINYINT NOT NULL,
  parent_id INTEGER,
  depth INTEGER NOT NULL,
  name VARCHAR,
  number BIGINT,
  tgid INTEGER,
  cgroup_id BIGINT,
  utid INTEGER,
  priority INTEGER,
  burst_level UTINYINT,
  slice_ns BIGINT,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL
);
COMMENT ON TABLE bubble IS 'A bubble of one of the three trees. Numbers rise from parents to children within natural and creation trees.';
COMMENT ON COLUMN bubble.bubble_id IS '[bubble] The bubble, unique per trace over all trees.';
COMMENT ON COLUMN bubble.tree IS 'Tree it belongs to.';
COMMENT ON COLUMN bubble.kind IS 'What it represents.';
COMMENT ON COLUMN bubble.parent_id IS '[bubble] Bubble it belongs to, the last one where it changed (`bubble_member` has them all); NULL for a root.';
COMMENT ON COLUMN bubble.depth IS 'Bubbles above it, by `parent_id`.';
COMMENT ON COLUMN bubble.name IS 'Name given, or of the process, cgroup folder or thread it represents.';
COMMENT ON COLUMN bubble.number IS 'Declared: number in the events.';
COMMENT ON COLUMN bubble.tgid IS '[tgid] Process that declared it, or that it represents.';
COMMENT ON COLUMN bubble.cgroup_id IS 'Cgroup that it or its process is in, where known.';
COMMENT ON COLUMN bubble.utid IS '[utid] Creation: the thread that created the members.';
COMMENT ON COLUMN bubble.priority IS 'Declared: last priority.';
COMMENT ON COLUMN bubble.burst_level IS 'Declared: last bursting level.';
COMMENT ON COLUMN bubble.slice_ns IS '[ns] Declared: last time slice.';
COMMENT ON COLUMN bubble.start_ns IS '[ns] First known; start of the trace where it existed before.';
COMMENT ON COLUMN bubble.end_ns IS '[ns] Destroyed, or its last member ended; end of the trace where it lived on.';

CREATE TABLE cgroup (
  cgroup_id BIGINT NOT NULL,
  path VARCHAR NOT NULL,
  quota_ns BIGINT,
  period_ns BIGINT,
  weight INTEGER
);
COMMENT ON TABLE cgroup IS 'A cgroup seen in the trace.';
COMMENT ON COLUMN cgroup.cgroup_id IS 'kernfs inode number.';
COMMENT ON COLUMN cgroup.path IS 'Path within its hierarchy.';
COMMENT ON COLUMN cgroup.quota_ns IS '[ns] CPU quota per period; NULL none or unknown.';
COMMENT ON COLUMN cgroup.period_ns IS '[ns] Quota period.';
COMMENT ON COLUMN cgroup.weight IS 'CPU weight (cpu.weight or cpu.shares).';

CREATE TABLE cpu (
  cpu SMALLINT NOT NULL,
  online BOOLEAN NOT NULL,
  node SMALLINT NOT NULL,
  package INTEGER NOT NULL,
  llc INTEGER NOT NULL,
  core INTEGER NOT NULL,
  smt SMALLINT NOT NULL,
  capacity INTEGER NOT NULL,
  isolated BOOLEAN NOT NULL,
  nohz_full BOOLEAN NOT NULL
);
COMMENT ON TABLE cpu IS 'A CPU and its place in the machine.';
COMMENT ON COLUMN cpu.cpu IS '[cpu] The CPU''s number (numbers may have holes).';
COMMENT ON COLUMN cpu.online IS 'Online at the start.';
COMMENT ON COLUMN cpu.node IS 'NUMA node; -1 unknown.';
COMMENT ON COLUMN cpu.package IS 'Physical package; -1 unknown.';
COMMENT ON COLUMN cpu.llc IS 'Last-level cache, numbered by its first CPU; -1 unknown.';
COMMENT ON COLUMN cpu.core IS 'Core, numbered by its first CPU; -1 unknown.';
COMMENT ON COLUMN cpu.smt IS 'Hardware thread within the core, from 0.';
COMMENT ON COLUMN cpu.capacity IS 'Relative capacity, 1024 the largest.';
COMMENT ON COLUMN cpu.isolated IS 'Outside all scheduling domains by configuration (isolcpus, isolated cpuset partition).';
COMMENT ON COLUMN cpu.nohz_full IS 'Runs without the tick when it has one thread.';

CREATE TABLE domain (
  since_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  level SMALLINT NOT NULL,
  name VARCHAR NOT NULL,
  span SMALLINT[] NOT NULL,
  flags VARCHAR,
  min_interval_ns BIGINT,
  max_interval_ns BIGINT,
  busy_factor INTEGER,
  imbalance_pct INTEGER,
  exact BOOLEAN NOT NULL
);
COMMENT ON TABLE domain IS 'A scheduling domain as one CPU sees it: a set of rows from the start of the recording (or as the machine is declared) and, where wastenot recorded with eBPF, one each time the kernel built its domains anew (cpusets, CPUs that go offline and online). Where no CPU has a domain any more, each has a row named `none` over itself. Its groups are the table `domain_group`.';
COMMENT ON COLUMN domain.since_ns IS '[ns] Instant from which it holds, until that of the next set.';
COMMENT ON COLUMN domain.cpu IS '[cpu] CPU whose domain it is.';
COMMENT ON COLUMN domain.level IS '0 the smallest.';
COMMENT ON COLUMN domain.name IS 'SMT, CLS, MC, PKG, NUMA ...';
COMMENT ON COLUMN domain.span IS '[cpus] CPUs it spans.';
COMMENT ON COLUMN domain.flags IS 'SD_* flags.';
COMMENT ON COLUMN domain.min_interval_ns IS '[ns] Shortest balance interval.';
COMMENT ON COLUMN domain.max_interval_ns IS '[ns] Longest balance interval.';
COMMENT ON COLUMN domain.busy_factor IS 'Interval multiplier on a busy CPU.';
COMMENT ON COLUMN domain.imbalance_pct IS '[percent] Imbalance from which it acts.';
COMMENT ON COLUMN domain.exact IS 'True when read from the kernel; false when derived from the topology.';

CREATE TABLE domain_group (
  since_ns BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  level SMALLINT NOT NULL,
  place SMALLINT NOT NULL,
  own BOOLEAN NOT NULL,
  cpus SMALLINT[] NOT NULL
);
COMMENT ON TABLE domain_group IS 'A group of a scheduling domain as one CPU has it. In an attempt over the domain the CPU balances for the first of its groups that has it (`own`), and takes threads out of those that do not have it. A domain of which no group is here has groups that were not read.';
COMMENT ON COLUMN domain_group.since_ns IS '[ns] Instant from which it holds, that of the rows of `domain`.';
COMMENT ON COLUMN domain_group.cpu IS '[cpu] CPU whose domain it is.';
COMMENT ON COLUMN domain_group.level IS 'Level of the domain, 0 the smallest.';
COMMENT ON COLUMN domain_group.place IS 'Its place among the domain''s groups, from 0 on: as the kernel has them from the CPU''s own on where they overlap, else in the order of their CPUs.';
COMMENT ON COLUMN domain_group.own IS 'The CPU balances for it.';
COMMENT ON COLUMN domain_group.cpus IS '[cpus] CPUs of the group.';

CREATE TABLE evidence (
  kind VARCHAR NOT NULL,
  state VARCHAR NOT NULL,
  why VARCHAR
);
COMMENT ON TABLE evidence IS 'What was recorded beyond switches and wakeups: one row for each kind of evidence and each excuse.';
COMMENT ON COLUMN evidence.kind IS 'Kind of evidence, or the excuse that the trace can show.';
COMMENT ON COLUMN evidence.state IS 'Through the whole recording, in part, or not.';
COMMENT ON COLUMN evidence.why IS 'Why it was not recorded throughout, for people; NULL where it was, and where a recording of an earlier version does not say it.';

CREATE TABLE machine (
  arch VARCHAR,
  model VARCHAR,
  kernel VARCHAR,
  cmdline VARCHAR,
  tick_ns BIGINT NOT NULL,
  cpus_online INTEGER NOT NULL,
  cpus_possible INTEGER NOT NULL,
  snapshot VARCHAR NOT NULL
);
COMMENT ON TABLE machine IS 'One row: the machine the trace was taken on.';
COMMENT ON COLUMN machine.arch IS 'Architecture.';
COMMENT ON COLUMN machine.model IS 'Processor model.';
COMMENT ON COLUMN machine.kernel IS 'Kernel release.';
COMMENT ON COLUMN machine.cmdline IS 'Kernel command line.';
COMMENT ON COLUMN machine.tick_ns IS '[ns] Scheduler tick (1 / HZ).';
COMMENT ON COLUMN machine.cpus_online IS '[cpus] CPUs online at the start.';
COMMENT ON COLUMN machine.cpus_possible IS '[cpus] CPUs the kernel could bring online.';
COMMENT ON COLUMN machine.snapshot IS 'The whole snapshot as JSON, as `wastenot import --machine` reads it.';

CREATE TABLE mask (
  mask_id INTEGER NOT NULL,
  cpus SMALLINT[] NOT NULL
);
COMMENT ON TABLE mask IS 'A set of CPUs, each distinct set once.';
COMMENT ON COLUMN mask.mask_id IS 'The set.';
COMMENT ON COLUMN mask.cpus IS '[cpus] Its CPUs, ascending.';

CREATE TABLE numa_node (
  node SMALLINT NOT NULL,
  cpus SMALLINT[] NOT NULL,
  distances INTEGER[] NOT NULL,
  memory_bytes BIGINT
);
COMMENT ON TABLE numa_node IS 'A NUMA node and its distances.';
COMMENT ON COLUMN numa_node.node IS 'The node.';
COMMENT ON COLUMN numa_node.cpus IS '[cpus] Its CPUs.';
COMMENT ON COLUMN numa_node.distances IS 'Distance to every node in the order of `node` (10 is itself).';
COMMENT ON COLUMN numa_node.memory_bytes IS '[bytes] Memory of the node.';

CREATE TABLE process (
  upid INTEGER NOT NULL,
  tgid INTEGER NOT NULL,
  name VARCHAR,
  parent_upid INTEGER
);
COMMENT ON TABLE process IS 'A process: the threads of one tgid.';
COMMENT ON COLUMN process.upid IS '[upid] The process, unique per trace.';
COMMENT ON COLUMN process.tgid IS '[tgid] Kernel process id.';
COMMENT ON COLUMN process.name IS 'Name of its leader, else of its first thread.';
COMMENT ON COLUMN process.parent_upid IS '[upid] Parent process.';

CREATE TABLE stack (
  stack_id INTEGER NOT NULL,
  addresses BIGINT[] NOT NULL,
  symbols VARCHAR[] NOT NULL
);
COMMENT ON TABLE stack IS 'A kernel call stack, innermost frame first, the tracer''s own frames stripped.';
COMMENT ON COLUMN stack.stack_id IS 'The stack.';
COMMENT ON COLUMN stack.addresses IS 'Return addresses.';
COMMENT ON COLUMN stack.symbols IS 'function+0xoffset per frame; the address in hex where no symbol is known.';

CREATE TABLE thread (
  utid INTEGER NOT NULL,
  tid INTEGER NOT NULL,
  tgid INTEGER,
  upid INTEGER,
  name VARCHAR,
  parent_utid INTEGER,
  cgroup_id BIGINT,
  start_ns BIGINT,
  end_ns BIGINT,
  is_kernel BOOLEAN,
  per_cpu_thread BOOLEAN NOT NULL,
  mask_known BOOLEAN NOT NULL,
  run_ns BIGINT NOT NULL,
  wait_wakeup_ns BIGINT NOT NULL,
  wait_preempted_ns BIGINT NOT NULL,
  sleep_ns BIGINT NOT NULL,
  blocked_ns BIGINT NOT NULL,
  throttled_ns BIGINT NOT NULL,
  avoidable_wait_ns BIGINT NOT NULL,
  wakeups BIGINT NOT NULL,
  switches BIGINT NOT NULL,
  migrations BIGINT NOT NULL,
  needless_migrations BIGINT NOT NULL
);
COMMENT ON TABLE thread IS 'A thread''s life. utid is unique per trace: a tid used again is another utid, a tid renamed by exec the same.';
COMMENT ON COLUMN thread.utid IS '[utid] The thread.';
COMMENT ON COLUMN thread.tid IS '[tid] Kernel tid (the last, where an exec renamed it).';
COMMENT ON COLUMN thread.tgid IS '[tgid] Process id.';
COMMENT ON COLUMN thread.upid IS '[upid] Its process, a row of `process`.';
COMMENT ON COLUMN thread.name IS 'Last name.';
COMMENT ON COLUMN thread.parent_utid IS '[utid] Thread that created it.';
COMMENT ON COLUMN thread.cgroup_id IS 'Last cgroup, a row of `cgroup`.';
COMMENT ON COLUMN thread.start_ns IS '[ns] Creation; NULL when it existed before.';
COMMENT ON COLUMN thread.end_ns IS '[ns] Last switch; NULL when it was alive at the end.';
COMMENT ON COLUMN thread.is_kernel IS 'Kernel thread.';
COMMENT ON COLUMN thread.per_cpu_thread IS 'Per-CPU kernel thread.';
COMMENT ON COLUMN thread.mask_known IS 'Its allowed CPUs were known throughout.';
COMMENT ON COLUMN thread.run_ns IS '[ns] Time on a CPU.';
COMMENT ON COLUMN thread.wait_wakeup_ns IS '[ns] Runnable and queued after a wakeup (or creation).';
COMMENT ON COLUMN thread.wait_preempted_ns IS '[ns] Runnable and queued after a preemption.';
COMMENT ON COLUMN thread.sleep_ns IS '[ns] Interruptible sleep.';
COMMENT ON COLUMN thread.blocked_ns IS '[ns] Uninterruptible or other blocked state.';
COMMENT ON COLUMN thread.throttled_ns IS '[ns] Runnable but without quota.';
COMMENT ON COLUMN thread.avoidable_wait_ns IS '[ns] Waited while matched to an idle CPU it may use (canonical matching).';
COMMENT ON COLUMN thread.wakeups IS 'Times woken.';
COMMENT ON COLUMN thread.switches IS 'Times it started to run.';
COMMENT ON COLUMN thread.migrations IS 'Moves to another CPU (migrate events, and wakeups on another CPU than before).';
COMMENT ON COLUMN thread.needless_migrations IS 'Moves to a CPU no less loaded, or farther than an idle one it could use.';

CREATE TABLE trace (
  schema_version INTEGER NOT NULL,
  source VARCHAR NOT NULL,
  recorder VARCHAR NOT NULL,
  kernel VARCHAR,
  clock VARCHAR NOT NULL,
  epoch_ns BIGINT,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL,
  end_reason VARCHAR NOT NULL,
  complete BOOLEAN NOT NULL,
  events BIGINT NOT NULL,
  evidence_level VARCHAR NOT NULL,
  notes VARCHAR[] NOT NULL,
  unverified VARCHAR[] NOT NULL,
  queued_wakings_only BOOLEAN,
  command VARCHAR,
  options VARCHAR NOT NULL
);
COMMENT ON TABLE trace IS 'One row: where this trace comes from and how far it reaches.';
COMMENT ON COLUMN trace.schema_version IS 'Version of these tables; `CHANGES.md` lists them.';
COMMENT ON COLUMN trace.source IS 'ebpf, tracefs, ctf, trace.dat, ftrace, perf, perfetto, paraver, otf2, parquet, simulation or drawn.';
COMMENT ON COLUMN trace.recorder IS 'Program and version that wrote the events.';
COMMENT ON COLUMN trace.kernel IS 'Kernel release.';
COMMENT ON COLUMN trace.clock IS 'Clock of every ts_ns: monotonic, boottime, tsc, trace ...';
COMMENT ON COLUMN trace.epoch_ns IS '[ns] Wall-clock time (Unix) of ts_ns = 0; NULL unknown.';
COMMENT ON COLUMN trace.start_ns IS '[ns] Start of the recording.';
COMMENT ON COLUMN trace.end_ns IS '[ns] End of what is known.';
COMMENT ON COLUMN trace.end_reason IS 'command, duration, interrupt, crash (recovered), disk_full, source.';
COMMENT ON COLUMN trace.complete IS 'False when the recorder did not stop by itself.';
COMMENT ON COLUMN trace.events IS '[events] Rows in all event tables.';
COMMENT ON COLUMN trace.evidence_level IS 'How much the trace shows of causes, in brief; the table `evidence` says it of each kind of evidence.';
COMMENT ON COLUMN trace.notes IS 'What else limits the trace, for people; what was recorded is in the table `evidence`.';
COMMENT ON COLUMN trace.unverified IS 'Ways in which the input goes past what the readers have been verified on.';
COMMENT ON COLUMN trace.queued_wakings_only IS 'True: `sched_waking` holds only wakeups that were queued to another CPU; the waker of every other wakeup ran on the CPU of its `sched_wakeup`. Else NULL.';
COMMENT ON COLUMN trace.command IS 'Command that was recorded, or command line of the import.';
COMMENT ON COLUMN trace.options IS 'Recorder or importer options as JSON.';

CREATE TABLE app (
  app INTEGER NOT NULL,
  name VARCHAR NOT NULL,
  kind VARCHAR NOT NULL,
  found_by VARCHAR NOT NULL,
  launcher VARCHAR,
  evidence VARCHAR NOT NULL,
  state VARCHAR NOT NULL,
  ranks INTEGER NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL,
  length_ns BIGINT NOT NULL,
  compute_ns BIGINT,
  max_compute_ns BIGINT,
  lost_ns BIGINT,
  intrinsic_ns BIGINT,
  extrinsic_ns BIGINT
);
COMMENT ON TABLE app IS 'Parallel programs that `wastenot balance` finds without options, and their balance. What --app, --cgroup and --bubble name is not here. Shares are quotients: load balance is compute_ns / ranks / max_compute_ns, communication efficiency max_compute_ns / length_ns.';
COMMENT ON COLUMN app.app IS 'Its number, from 1 on.';
COMMENT ON COLUMN app.name IS 'The name of its ranks.';
COMMENT ON COLUMN app.kind IS 'What its ranks are.';
COMMENT ON COLUMN app.found_by IS 'Why its ranks are taken for one program.';
COMMENT ON COLUMN app.launcher IS 'What started them; NULL where no launcher did.';
COMMENT ON COLUMN app.evidence IS 'What the figures rest on.';
COMMENT ON COLUMN app.state IS 'What the evidence allows to say.';
COMMENT ON COLUMN app.ranks IS '[ranks] Number of ranks.';
COMMENT ON COLUMN app.start_ns IS '[ns] From when on all ranks were alive.';
COMMENT ON COLUMN app.end_ns IS '[ns] The first end of one.';
COMMENT ON COLUMN app.length_ns IS '[ns] Of this the windows in which the state of every rank is known; the columns below are of these.';
COMMENT ON COLUMN app.compute_ns IS '[ns] Computing of all ranks together; NULL, like those below, where the balance is not visible.';
COMMENT ON COLUMN app.max_compute_ns IS '[ns] Computing of the rank that has most.';
COMMENT ON COLUMN app.lost_ns IS '[ns] How much sooner the windows would have ended with equal ranks, rounded.';
COMMENT ON COLUMN app.intrinsic_ns IS '[ns] The part that the ranks'' own computing explains.';
COMMENT ON COLUMN app.extrinsic_ns IS '[ns] The part that the machine added; below 0 where it made the ranks more even.';

CREATE TABLE attribution (
  episode_id INTEGER NOT NULL,
  utid INTEGER NOT NULL,
  waited_on SMALLINT NOT NULL,
  idle_cpu SMALLINT NOT NULL,
  question UTINYINT NOT NULL,
  answer VARCHAR NOT NULL,
  proof UTINYINT NOT NULL,
  rule VARCHAR,
  kernels VARCHAR,
  weight_ns BIGINT NOT NULL,
  chosen BOOLEAN NOT NULL,
  decisive BOOLEAN NOT NULL,
  event_ids BIGINT[] NOT NULL
);
COMMENT ON TABLE attribution IS 'Answers to the three questions about a pair of an episode (see `episode_pair`), each with its proof and what it rests on. Per pair and question the weights of the chosen rows add up to the pair''s `core_ns`; the answer with most of it stands in `episode_pair`. At most four chosen answers and four alternatives each are kept.';
COMMENT ON COLUMN attribution.episode_id IS 'The episode.';
COMMENT ON COLUMN attribution.utid IS '[utid] Thread that waited.';
COMMENT ON COLUMN attribution.waited_on IS '[cpu] CPU on whose queue it waited.';
COMMENT ON COLUMN attribution.idle_cpu IS '[cpu] Idle CPU it was matched to.';
COMMENT ON COLUMN attribution.question IS 'placed_by, not_moved_because or ended_by.';
COMMENT ON COLUMN attribution.answer IS 'The answer: a value of the enumeration that `question` names.';
COMMENT ON COLUMN attribution.proof IS 'How sure it is.';
COMMENT ON COLUMN attribution.rule IS 'Rule that says so, a page of docs/causes; NULL when none does.';
COMMENT ON COLUMN attribution.kernels IS 'Kernel releases for which the rule holds.';
COMMENT ON COLUMN attribution.weight_ns IS '[core-ns] Waste of the pair for which the rule says so.';
COMMENT ON COLUMN attribution.chosen IS 'It is the answer for that time; false: an alternative that also fits.';
COMMENT ON COLUMN attribution.decisive IS 'Another decision there and then would have spared the thread its wait; never of a thread whose allowed CPUs were not known when its wait began.';
COMMENT ON COLUMN attribution.event_ids IS '[event id] Events it rests on, at most eight.';

CREATE TABLE avoidable_wait (
  utid INTEGER NOT NULL,
  waited_on SMALLINT NOT NULL,
  start_ns BIGINT NOT NULL,
  dur_ns BIGINT NOT NULL
);
COMMENT ON TABLE avoidable_wait IS 'When threads waited beside an idle CPU that they could use: in the matched set of the canonical matching, while an idle CPU that the thread may use was there for it. Over all rows the lengths sum exactly to the waste, per thread to its avoidable wait.';
COMMENT ON COLUMN avoidable_wait.utid IS '[utid] Thread that waited.';
COMMENT ON COLUMN avoidable_wait.waited_on IS '[cpu] CPU on whose queue it waited.';
COMMENT ON COLUMN avoidable_wait.start_ns IS '[ns] Start.';
COMMENT ON COLUMN avoidable_wait.dur_ns IS '[ns] Length, > 0.';

CREATE TABLE bubble_member (
  bubble_id INTEGER NOT NULL,
  utid INTEGER,
  member_id INTEGER,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL
);
COMMENT ON TABLE bubble_member IS 'What belongs to a bubble directly, and when. Belonging outlasts a burst: `entity_holder` has what holds each entity.';
COMMENT ON COLUMN bubble_member.bubble_id IS '[bubble] The bubble.';
COMMENT ON COLUMN bubble_member.utid IS '[utid] The thread that belongs to it; NULL when a bubble does.';
COMMENT ON COLUMN bubble_member.member_id IS '[bubble] The bubble that belongs to it; NULL when a thread does.';
COMMENT ON COLUMN bubble_member.start_ns IS '[ns] Start.';
COMMENT ON COLUMN bubble_member.end_ns IS '[ns] End, >= start.';

CREATE TABLE bubble_stat (
  bubble_id INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  peak_threads INTEGER NOT NULL,
  run_ns BIGINT NOT NULL,
  active_ns BIGINT NOT NULL,
  wait_ns BIGINT NOT NULL,
  avoidable_wait_ns BIGINT NOT NULL,
  expected_ns BIGINT,
  cache_misses BIGINT,
  migrations BIGINT NOT NULL,
  llc_migrations BIGINT NOT NULL,
  cpus INTEGER NOT NULL,
  llcs INTEGER NOT NULL,
  nodes INTEGER NOT NULL,
  main_llc INTEGER,
  main_llc_ns BIGINT NOT NULL,
  main_node SMALLINT,
  main_node_ns BIGINT NOT NULL,
  spread INTEGER,
  held_ns BIGINT,
  bursts BIGINT NOT NULL,
  regenerations BIGINT NOT NULL
);
COMMENT ON TABLE bubble_stat IS 'What the threads of a bubble and of the bubbles in it did while they belonged to it.';
COMMENT ON COLUMN bubble_stat.bubble_id IS '[bubble] The bubble.';
COMMENT ON COLUMN bubble_stat.threads IS 'Threads that ever belonged.';
COMMENT ON COLUMN bubble_stat.peak_threads IS 'Most that ran at once.';
COMMENT ON COLUMN bubble_stat.run_ns IS '[ns] CPU time accumulated.';
COMMENT ON COLUMN bubble_stat.active_ns IS '[ns] Time in which at least one ran.';
COMMENT ON COLUMN bubble_stat.wait_ns IS '[ns] Runnable and queued.';
COMMENT ON COLUMN bubble_stat.avoidable_wait_ns IS '[ns] Avoidable wait; that of a thread which changed bubbles counts, whole, where it was last.';
COMMENT ON COLUMN bubble_stat.expected_ns IS '[ns] CPU time that its threads (or it) were declared to need; NULL none declared.';
COMMENT ON COLUMN bubble_stat.cache_misses IS 'Counter cache-misses summed; NULL where it was not recorded.';
COMMENT ON COLUMN bubble_stat.migrations IS 'Moves to another CPU.';
COMMENT ON COLUMN bubble_stat.llc_migrations IS 'Of these, moves to another last-level cache.';
COMMENT ON COLUMN bubble_stat.cpus IS 'CPUs it ran on.';
COMMENT ON COLUMN bubble_stat.llcs IS 'Last-level caches it ran in.';
COMMENT ON COLUMN bubble_stat.nodes IS 'NUMA nodes it ran on.';
COMMENT ON COLUMN bubble_stat.main_llc IS 'Last-level cache in which it ran longest; NULL when it never ran.';
COMMENT ON COLUMN bubble_stat.main_llc_ns IS '[ns] CPU time there: over `run_ns` the affinity kept.';
COMMENT ON COLUMN bubble_stat.main_node IS 'NUMA node on which it ran longest.';
COMMENT ON COLUMN bubble_stat.main_node_ns IS '[ns] CPU time there.';
COMMENT ON COLUMN bubble_stat.spread IS '[1/1000] Last-level caches in use at once, mean over `active_ns`, in thousandths; NULL when it never ran.';
COMMENT ON COLUMN bubble_stat.held_ns IS '[ns] Declared: CPU time on a CPU that the runqueue holding the thread (or its bubble) spans; NULL for other trees.';
COMMENT ON COLUMN bubble_stat.bursts IS 'Times it burst.';
COMMENT ON COLUMN bubble_stat.regenerations IS 'Times it was closed again after a burst.';

CREATE TABLE cgroup_wait (
  cgroup_id BIGINT,
  reason UTINYINT NOT NULL,
  excuse UTINYINT,
  culprit_cgroup_id BIGINT,
  wait_ns BIGINT NOT NULL
);
COMMENT ON TABLE cgroup_wait IS 'The wait ledger: how long threads of a cgroup were runnable and did not run, and why. The times sum exactly to the waits of all threads (wait_wakeup_ns, wait_preempted_ns, throttled_ns), and refuted_wait_ns in data_quality.';
COMMENT ON COLUMN cgroup_wait.cgroup_id IS 'cgroup of the threads that waited, as of then, a row of `cgroup`; NULL not recorded.';
COMMENT ON COLUMN cgroup_wait.reason IS 'Why they did not run.';
COMMENT ON COLUMN cgroup_wait.excuse IS 'What kept them from the idle CPUs, where the reason is confined; else NULL.';
COMMENT ON COLUMN cgroup_wait.culprit_cgroup_id IS 'cgroup of the thread that ran, where the reason is neighbour or rt_dl; NULL also where it is not recorded, and for the lightest of more than 65,536 rows.';
COMMENT ON COLUMN cgroup_wait.wait_ns IS '[ns] Time, > 0, summed over the threads.';

CREATE TABLE checkpoint (
  event_id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  state BLOB NOT NULL
);
COMMENT ON TABLE checkpoint IS 'From where the walk over the events can be restarted to make the rows of a window.';
COMMENT ON COLUMN checkpoint.event_id IS '[event] All events before this id were walked over.';
COMMENT ON COLUMN checkpoint.ts_ns IS '[ns] Time that the walk had reached.';
COMMENT ON COLUMN checkpoint.state IS 'Its state, in an encoding of the checker''s own; another version cannot read it.';

CREATE TABLE checkpoint_interval (
  table_name VARCHAR NOT NULL,
  checkpoint_id BIGINT NOT NULL,
  start_ns BIGINT NOT NULL,
  dur_ns BIGINT NOT NULL,
  utid INTEGER,
  cpu SMALLINT,
  waited_on SMALLINT,
  phase UTINYINT,
  end_state UTINYINT,
  observed BOOLEAN,
  queued INTEGER,
  running BOOLEAN,
  wasted INTEGER,
  certain INTEGER,
  idle_while_waiting INTEGER,
  idle_cpus INTEGER,
  waiting INTEGER
);
COMMENT ON TABLE checkpoint_interval IS 'Rows of tables made on demand that span a checkpoint: a walk that stops at one does not see how these end.';
COMMENT ON COLUMN checkpoint_interval.table_name IS 'Table that has the row; other columns than its own are NULL.';
COMMENT ON COLUMN checkpoint_interval.checkpoint_id IS '[event] `event_id` of the last checkpoint that it spans.';
COMMENT ON COLUMN checkpoint_interval.start_ns IS '[ns] Start.';
COMMENT ON COLUMN checkpoint_interval.dur_ns IS '[ns] Length, > 0.';
COMMENT ON COLUMN checkpoint_interval.utid IS '[utid] The thread.';
COMMENT ON COLUMN checkpoint_interval.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN checkpoint_interval.waited_on IS '[cpu] As in `avoidable_wait`.';
COMMENT ON COLUMN checkpoint_interval.phase IS 'As in `thread_state`.';
COMMENT ON COLUMN checkpoint_interval.end_state IS 'As in `cpu_slice`.';
COMMENT ON COLUMN checkpoint_interval.observed IS 'As in `cpu_slice`.';
COMMENT ON COLUMN checkpoint_interval.queued IS '[threads] As in `runqueue`.';
COMMENT ON COLUMN checkpoint_interval.running IS 'As in `runqueue`.';
COMMENT ON COLUMN checkpoint_interval.wasted IS '[cores] As in `wasted`.';
COMMENT ON COLUMN checkpoint_interval.certain IS '[cores] As in `wasted`.';
COMMENT ON COLUMN checkpoint_interval.idle_while_waiting IS '[cores] As in `wasted`.';
COMMENT ON COLUMN checkpoint_interval.idle_cpus IS '[cpus] As in `wasted`.';
COMMENT ON COLUMN checkpoint_interval.waiting IS '[threads] As in `wasted`.';

CREATE TABLE cpu_slice (
  cpu SMALLINT NOT NULL,
  start_ns BIGINT NOT NULL,
  dur_ns BIGINT NOT NULL,
  utid INTEGER,
  end_state UTINYINT,
  observed BOOLEAN NOT NULL
);
COMMENT ON TABLE cpu_slice IS 'What a CPU did, without gaps and without overlaps, from its first knowledge to the end.';
COMMENT ON COLUMN cpu_slice.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN cpu_slice.start_ns IS '[ns] Start.';
COMMENT ON COLUMN cpu_slice.dur_ns IS '[ns] Length, > 0.';
COMMENT ON COLUMN cpu_slice.utid IS '[utid] Thread that ran; 0 swapper (idle); NULL unobserved or offline.';
COMMENT ON COLUMN cpu_slice.end_state IS 'State the thread was left in.';
COMMENT ON COLUMN cpu_slice.observed IS 'False: unobserved or offline.';

CREATE TABLE data_quality (
  what VARCHAR NOT NULL,
  detail VARCHAR,
  cpu SMALLINT,
  start_ns BIGINT,
  end_ns BIGINT,
  value BIGINT NOT NULL
);
COMMENT ON TABLE data_quality IS 'How far the results can be relied on: counts, time ranges, per CPU where it applies.';
COMMENT ON COLUMN data_quality.what IS 'events_read, events_applied, rejected, contradiction (not repaired), repaired, lost, unobserved_ns, doubtful_idle_ns, doubtful_wait_ns, unknown_mask_threads, placements_inferred, late_idle_exit_ns, clock_steps, migrate_mismatch, donor_moves, nr_running_compared, nr_running_differs, nr_running_ghost, self_check (per CPU), self_check_total, self_check_ppm, suspect ...';
COMMENT ON COLUMN data_quality.detail IS 'Reason, where the count is by reason; the check, of self-checks (`suspicion`).';
COMMENT ON COLUMN data_quality.cpu IS '[cpu] CPU concerned.';
COMMENT ON COLUMN data_quality.start_ns IS '[ns] Start of the time concerned.';
COMMENT ON COLUMN data_quality.end_ns IS '[ns] End.';
COMMENT ON COLUMN data_quality.value IS 'The count, or nanoseconds where the name says so; shares of self-checks (self_check_ppm, suspect) in millionths.';

CREATE TABLE dl_job (
  utid INTEGER NOT NULL,
  activation_ns BIGINT NOT NULL,
  activated_by UTINYINT NOT NULL,
  deadline_ns BIGINT NOT NULL,
  end_ns BIGINT,
  ended_by UTINYINT NOT NULL,
  missed BOOLEAN NOT NULL,
  tardiness_ns BIGINT NOT NULL,
  overrun_ns BIGINT NOT NULL,
  laxity_min_ns BIGINT NOT NULL,
  throttles INTEGER NOT NULL,
  fault UTINYINT,
  run_ns BIGINT NOT NULL,
  passed_over_ns BIGINT NOT NULL,
  late_wake_ns BIGINT NOT NULL,
  earlier_deadlines_ns BIGINT NOT NULL,
  confined_ns BIGINT NOT NULL,
  interference_ns BIGINT NOT NULL,
  blocked_ns BIGINT NOT NULL,
  throttled_ns BIGINT NOT NULL,
  unknown_ns BIGINT NOT NULL
);
COMMENT ON TABLE dl_job IS 'Jobs of the SCHED_DEADLINE threads whose parameters were recorded: which missed their deadlines, whose fault that is, what their time went to. Empty where no parameters were recorded (kind of evidence `dl_parameters`); jobs of declared tasks are not here: `wastenot deadlines --task … --jobs FILE` writes them.';
COMMENT ON COLUMN dl_job.utid IS '[utid] The thread.';
COMMENT ON COLUMN dl_job.activation_ns IS '[ns] Start of the job.';
COMMENT ON COLUMN dl_job.activated_by IS 'What started it.';
COMMENT ON COLUMN dl_job.deadline_ns IS '[ns] Until when it had to be done.';
COMMENT ON COLUMN dl_job.end_ns IS '[ns] Its end; NULL under way as the recording ended.';
COMMENT ON COLUMN dl_job.ended_by IS 'What ended it.';
COMMENT ON COLUMN dl_job.missed IS 'It ended after its deadline, or was under way then as the recording ended.';
COMMENT ON COLUMN dl_job.tardiness_ns IS '[ns] By how much it was late; 0 where it was not.';
COMMENT ON COLUMN dl_job.overrun_ns IS '[ns] For how long it ran beyond its runtime.';
COMMENT ON COLUMN dl_job.laxity_min_ns IS '[ns] The least time that was left beside what it might still have run; negative where it was late.';
COMMENT ON COLUMN dl_job.throttles IS 'How often its server was throttled.';
COMMENT ON COLUMN dl_job.fault IS 'Whose fault a miss is; NULL where it met its deadline.';
COMMENT ON COLUMN dl_job.run_ns IS '[ns] It ran. This and the columns below add up to the time from activation to end.';
COMMENT ON COLUMN dl_job.passed_over_ns IS '[ns] It waited although a CPU that it may use idled, or ran a lower class or a later deadline.';
COMMENT ON COLUMN dl_job.late_wake_ns IS '[ns] Its own CPU was slow to leave idle.';
COMMENT ON COLUMN dl_job.earlier_deadlines_ns IS '[ns] All CPUs that it may use ran earlier deadlines.';
COMMENT ON COLUMN dl_job.confined_ns IS '[ns] The same, while a CPU that it may not use ran less than that.';
COMMENT ON COLUMN dl_job.interference_ns IS '[ns] Interrupts, the stop class or a deadline server had its CPU.';
COMMENT ON COLUMN dl_job.blocked_ns IS '[ns] It was blocked.';
COMMENT ON COLUMN dl_job.throttled_ns IS '[ns] Its server was throttled, or its cgroup had no quota.';
COMMENT ON COLUMN dl_job.unknown_ns IS '[ns] What its CPUs did is not known.';

CREATE TABLE entity_holder (
  id BIGINT,
  utid INTEGER,
  bubble_id INTEGER,
  holder UTINYINT NOT NULL,
  holder_id INTEGER,
  state UTINYINT,
  priority INTEGER,
  start_ns BIGINT NOT NULL,
  dur_ns BIGINT NOT NULL
);
COMMENT ON TABLE entity_holder IS 'Where each thread and bubble of the declared tree is: rows of one entity follow each other without a gap from its first event to its end, a row per change, in the order of the changes.';
COMMENT ON COLUMN entity_holder.id IS '[event id] Event that began it, a row of `bubble_event`; NULL for the end of a thread or process.';
COMMENT ON COLUMN entity_holder.utid IS '[utid] The thread; NULL when the entity is a bubble.';
COMMENT ON COLUMN entity_holder.bubble_id IS '[bubble] The bubble; NULL when the entity is a thread.';
COMMENT ON COLUMN entity_holder.holder IS 'What holds it.';
COMMENT ON COLUMN entity_holder.holder_id IS '`bubble_id`, or the part of the machine as in the columns of `cpu`; NULL outside.';
COMMENT ON COLUMN entity_holder.state IS 'Of a bubble: closed, burst, regenerating. NULL for a thread.';
COMMENT ON COLUMN entity_holder.priority IS 'Its priority then; NULL none was given.';
COMMENT ON COLUMN entity_holder.start_ns IS '[ns] Start.';
COMMENT ON COLUMN entity_holder.dur_ns IS '[ns] Length, >= 0: two changes at one instant leave a row of no length.';

CREATE TABLE episode (
  episode_id INTEGER NOT NULL,
  grade UTINYINT NOT NULL,
  severity UTINYINT NOT NULL,
  part_of INTEGER,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL,
  core_ns BIGINT NOT NULL,
  total_core_ns BIGINT NOT NULL,
  peak INTEGER NOT NULL,
  idle_cpus SMALLINT[] NOT NULL,
  overloaded_cpus SMALLINT[] NOT NULL,
  threads INTEGER NOT NULL,
  distance UTINYINT NOT NULL,
  domain VARCHAR,
  placed_by UTINYINT NOT NULL,
  not_moved_because UTINYINT NOT NULL,
  ended_by UTINYINT NOT NULL,
  proof UTINYINT NOT NULL,
  placed_by_proof UTINYINT NOT NULL,
  not_moved_because_proof UTINYINT NOT NULL,
  ended_by_proof UTINYINT NOT NULL,
  placement_core_ns BIGINT NOT NULL,
  balancing_core_ns BIGINT NOT NULL,
  either_core_ns BIGINT NOT NULL,
  excused_core_ns BIGINT NOT NULL,
  first_event BIGINT,
  last_event BIGINT
);
COMMENT ON TABLE episode IS 'A maximal interval in which waste of a grade was present. An episode whose time belongs wholly to a higher grade is not listed again at the lower one.';
COMMENT ON COLUMN episode.episode_id IS 'Number of the episode, by grade (worst grade first), then start.';
COMMENT ON COLUMN episode.grade IS 'Its grade.';
COMMENT ON COLUMN episode.severity IS 'How much it wasted, whatever its shape: the highest grade whose threshold one idle core reaches with that core-time (total_core_ns); of an episode with parts, at least that of its parts. Never recurrent.';
COMMENT ON COLUMN episode.part_of IS 'The episode of a lower grade that is the same waste: it contains this one, which makes up at least half of it. A list of wastes leaves out the parts. NULL: part of none.';
COMMENT ON COLUMN episode.start_ns IS '[ns] Start.';
COMMENT ON COLUMN episode.end_ns IS '[ns] End.';
COMMENT ON COLUMN episode.core_ns IS '[core-ns] Waste of exactly this grade in the interval; sums over a grade''s episodes to the grade''s total. For recurrent episodes: the waste of the short intervals, counted in their own grades as well.';
COMMENT ON COLUMN episode.total_core_ns IS '[core-ns] Waste of this grade or a higher one in the interval.';
COMMENT ON COLUMN episode.peak IS '[cores] Largest number of cores wasted at once at this grade or higher; for recurrent episodes the number of idle CPUs that took part.';
COMMENT ON COLUMN episode.idle_cpus IS '[cpus] Idle CPUs of the idle–waiting pairs that lasted as long as the grade asks.';
COMMENT ON COLUMN episode.overloaded_cpus IS '[cpus] CPUs on which the threads waited.';
COMMENT ON COLUMN episode.threads IS '[threads] Threads that waited beside an idle CPU in it.';
COMMENT ON COLUMN episode.distance IS 'Nearest level shared by the pair with most waste.';
COMMENT ON COLUMN episode.domain IS 'Lowest common scheduling domain of that pair; NULL none or unknown.';
COMMENT ON COLUMN episode.placed_by IS 'How the threads came to wait there.';
COMMENT ON COLUMN episode.not_moved_because IS 'Why nothing moved them earlier.';
COMMENT ON COLUMN episode.ended_by IS 'What ended it.';
COMMENT ON COLUMN episode.proof IS 'How sure the cause is: that of `not_moved_because`; of `placed_by` where waste is recurrent.';
COMMENT ON COLUMN episode.placed_by_proof IS 'How sure `placed_by` is: what holds for most of its waste here.';
COMMENT ON COLUMN episode.not_moved_because_proof IS 'How sure `not_moved_because` is: what holds for most of its waste here.';
COMMENT ON COLUMN episode.ended_by_proof IS 'How sure `ended_by` is: what holds for most of its waste here.';
COMMENT ON COLUMN episode.placement_core_ns IS '[core-ns] Waste of its pairs that another placement of the thread would have prevented: the answer to placed_by is decisive (see `attribution`).';
COMMENT ON COLUMN episode.balancing_core_ns IS '[core-ns] Waste of its pairs that another decision of the balancer would have prevented: the answer to not_moved_because is decisive.';
COMMENT ON COLUMN episode.either_core_ns IS '[core-ns] Waste, in both of these, that either one would have prevented: at least so much.';
COMMENT ON COLUMN episode.excused_core_ns IS '[core-ns] Waste that excuses took away inside the interval.';
COMMENT ON COLUMN episode.first_event IS '[event id] Event at which it began.';
COMMENT ON COLUMN episode.last_event IS '[event id] Event at which it ended.';

CREATE TABLE episode_pair (
  episode_id INTEGER NOT NULL,
  utid INTEGER NOT NULL,
  waited_on SMALLINT NOT NULL,
  idle_cpu SMALLINT NOT NULL,
  core_ns BIGINT NOT NULL,
  distance UTINYINT NOT NULL,
  placed_by UTINYINT NOT NULL,
  not_moved_because UTINYINT NOT NULL,
  ended_by UTINYINT NOT NULL,
  proof UTINYINT NOT NULL,
  placed_by_proof UTINYINT NOT NULL,
  not_moved_because_proof UTINYINT NOT NULL,
  ended_by_proof UTINYINT NOT NULL,
  event_ids BIGINT[] NOT NULL
);
COMMENT ON TABLE episode_pair IS 'Which thread waited for which idle CPU in an episode (canonical matching), for episodes of grade expected and above and recurrent ones.';
COMMENT ON COLUMN episode_pair.episode_id IS 'The episode.';
COMMENT ON COLUMN episode_pair.utid IS '[utid] Thread that waited.';
COMMENT ON COLUMN episode_pair.waited_on IS '[cpu] CPU on whose queue it waited.';
COMMENT ON COLUMN episode_pair.idle_cpu IS '[cpu] Idle CPU it was matched to.';
COMMENT ON COLUMN episode_pair.core_ns IS '[core-ns] Time for which this pair was matched.';
COMMENT ON COLUMN episode_pair.distance IS 'Nearest level the two CPUs share.';
COMMENT ON COLUMN episode_pair.placed_by IS 'How the thread came to wait there.';
COMMENT ON COLUMN episode_pair.not_moved_because IS 'Why nothing moved it earlier.';
COMMENT ON COLUMN episode_pair.ended_by IS 'What ended it.';
COMMENT ON COLUMN episode_pair.proof IS 'How sure the cause is: that of `not_moved_because`; of `placed_by` where waste is recurrent.';
COMMENT ON COLUMN episode_pair.placed_by_proof IS 'How sure `placed_by` is: what holds for most of its waste here.';
COMMENT ON COLUMN episode_pair.not_moved_because_proof IS 'How sure `not_moved_because` is: what holds for most of its waste here.';
COMMENT ON COLUMN episode_pair.ended_by_proof IS 'How sure `ended_by` is: what holds for most of its waste here.';
COMMENT ON COLUMN episode_pair.event_ids IS '[event id] Events the cause rests on.';

CREATE TABLE excuse_ledger (
  position INTEGER NOT NULL,
  excuse UTINYINT NOT NULL,
  core_ns BIGINT NOT NULL,
  recorded BOOLEAN NOT NULL
);
COMMENT ON TABLE excuse_ledger IS 'The excuse ledger: what each excuse, applied after the ones before it, took off the waste. Sums exactly to idle_while_waiting - wasted.';
COMMENT ON COLUMN excuse_ledger.position IS 'Order of application, from 1.';
COMMENT ON COLUMN excuse_ledger.excuse IS 'The excuse.';
COMMENT ON COLUMN excuse_ledger.core_ns IS '[core-ns] Integral of the drop of the matching it caused.';
COMMENT ON COLUMN excuse_ledger.recorded IS 'The trace can show this excuse.';

CREATE TABLE iteration (
  app INTEGER NOT NULL,
  iteration INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  kind VARCHAR NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL,
  observed BOOLEAN NOT NULL,
  compute_ns BIGINT,
  max_compute_ns BIGINT,
  lost_ns BIGINT,
  intrinsic_ns BIGINT,
  extrinsic_ns BIGINT,
  last_rank INTEGER
);
COMMENT ON TABLE iteration IS 'Windows of the parallel programs in `app`, which fill the time in which all ranks were alive: iterations, and what lies before, between and after them.';
COMMENT ON COLUMN iteration.app IS 'The program: number in `app`.';
COMMENT ON COLUMN iteration.iteration IS 'Its number, from 1 on.';
COMMENT ON COLUMN iteration.segment IS 'Number of the segment, a stretch of windows of one kind and period.';
COMMENT ON COLUMN iteration.kind IS 'What the segment is.';
COMMENT ON COLUMN iteration.start_ns IS '[ns] Its start.';
COMMENT ON COLUMN iteration.end_ns IS '[ns] Its end.';
COMMENT ON COLUMN iteration.observed IS 'The state of every rank is known; if not, it is left out of all figures.';
COMMENT ON COLUMN iteration.compute_ns IS '[ns] Computing of all ranks together; NULL, like those below, where it was not observed or the balance is not visible.';
COMMENT ON COLUMN iteration.max_compute_ns IS '[ns] Computing of the rank that has most.';
COMMENT ON COLUMN iteration.lost_ns IS '[ns] How much sooner it would have ended with equal ranks, rounded.';
COMMENT ON COLUMN iteration.intrinsic_ns IS '[ns] The part that the ranks'' own computing explains.';
COMMENT ON COLUMN iteration.extrinsic_ns IS '[ns] The part that the machine added.';
COMMENT ON COLUMN iteration.last_rank IS 'The rank that ended last.';

CREATE TABLE migration (
  event_id BIGINT NOT NULL,
  ts_ns BIGINT NOT NULL,
  utid INTEGER NOT NULL,
  orig_cpu SMALLINT NOT NULL,
  dest_cpu SMALLINT NOT NULL,
  distance UTINYINT NOT NULL,
  queued BOOLEAN NOT NULL,
  orig_runnable INTEGER NOT NULL,
  dest_runnable INTEGER NOT NULL,
  needless BOOLEAN NOT NULL,
  stack_id INTEGER,
  path UTINYINT NOT NULL,
  path_proof UTINYINT NOT NULL
);
COMMENT ON TABLE migration IS 'A move of a thread between CPUs, with its path and whether it was needless.';
COMMENT ON COLUMN migration.event_id IS '[event id] The migrate or wakeup event.';
COMMENT ON COLUMN migration.ts_ns IS '[ns] When.';
COMMENT ON COLUMN migration.utid IS '[utid] Thread that moved.';
COMMENT ON COLUMN migration.orig_cpu IS '[cpu] From.';
COMMENT ON COLUMN migration.dest_cpu IS '[cpu] To.';
COMMENT ON COLUMN migration.distance IS 'Nearest level the two share.';
COMMENT ON COLUMN migration.queued IS 'It was runnable when moved; false: moved in its sleep or at its wakeup.';
COMMENT ON COLUMN migration.orig_runnable IS '[threads] Runnable threads where it left, itself not counted.';
COMMENT ON COLUMN migration.dest_runnable IS '[threads] Runnable threads where it went, itself not counted.';
COMMENT ON COLUMN migration.needless IS 'The move made nothing better (see semantics).';
COMMENT ON COLUMN migration.stack_id IS 'Kernel stack of the move.';
COMMENT ON COLUMN migration.path IS 'Path of the kernel that moved it; unknown where neither stack nor events show it.';
COMMENT ON COLUMN migration.path_proof IS 'proved by its stack; consistent with the events around it; unknown.';

CREATE TABLE rank (
  app INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  utid INTEGER NOT NULL,
  compute_ns BIGINT NOT NULL,
  spin_ns BIGINT NOT NULL,
  wait_ns BIGINT NOT NULL,
  preempted_ns BIGINT NOT NULL,
  queued_ns BIGINT NOT NULL,
  irq_ns BIGINT NOT NULL,
  blocked_ns BIGINT NOT NULL,
  throttled_ns BIGINT NOT NULL,
  other_ns BIGINT NOT NULL,
  avoidable_wait_ns BIGINT NOT NULL,
  helpers_run_ns BIGINT NOT NULL
);
COMMENT ON TABLE rank IS 'Ranks of the parallel programs in `app`, and what the time in which all were alive went to. U is (compute_ns + preempted_ns + queued_ns + irq_ns + throttled_ns) by all but other_ns.';
COMMENT ON COLUMN rank.app IS 'The program: number in `app`.';
COMMENT ON COLUMN rank.rank IS 'Its number: by its environment (`process_rank`), else in the order of creation from 0 on.';
COMMENT ON COLUMN rank.utid IS '[utid] Its thread; of a process the one that ran longest.';
COMMENT ON COLUMN rank.compute_ns IS '[ns] On a CPU, outside of calls that wait. This and the columns down to other_ns add up to the whole time.';
COMMENT ON COLUMN rank.spin_ns IS '[ns] On a CPU, inside a call that waits.';
COMMENT ON COLUMN rank.wait_ns IS '[ns] Asleep; inside a call that waits also preempted, blocked or without quota.';
COMMENT ON COLUMN rank.preempted_ns IS '[ns] Runnable after a preemption.';
COMMENT ON COLUMN rank.queued_ns IS '[ns] Runnable after a wakeup.';
COMMENT ON COLUMN rank.irq_ns IS '[ns] Its CPU did interrupt work, outside of calls that wait.';
COMMENT ON COLUMN rank.blocked_ns IS '[ns] Uninterruptible sleep outside of calls that wait.';
COMMENT ON COLUMN rank.throttled_ns IS '[ns] Its cgroup had no quota.';
COMMENT ON COLUMN rank.other_ns IS '[ns] Stopped, not alive, or not known.';
COMMENT ON COLUMN rank.avoidable_wait_ns IS '[ns] It waited beside an idle CPU that it may use.';
COMMENT ON COLUMN rank.helpers_run_ns IS '[ns] Further threads of its process ran.';

CREATE TABLE rank_iteration (
  app INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  iteration INTEGER NOT NULL,
  compute_ns BIGINT NOT NULL,
  spin_ns BIGINT NOT NULL,
  wait_ns BIGINT NOT NULL,
  preempted_ns BIGINT NOT NULL,
  queued_ns BIGINT NOT NULL,
  irq_ns BIGINT NOT NULL,
  blocked_ns BIGINT NOT NULL,
  throttled_ns BIGINT NOT NULL,
  other_ns BIGINT NOT NULL
);
COMMENT ON TABLE rank_iteration IS 'What each rank did in each row of `iteration`. Without rows of a program with too many (4 million numbers: ranks times windows times parts).';
COMMENT ON COLUMN rank_iteration.app IS 'The program: number in `app`.';
COMMENT ON COLUMN rank_iteration.rank IS 'The rank: number in `rank`.';
COMMENT ON COLUMN rank_iteration.iteration IS 'The window: number in `iteration`.';
COMMENT ON COLUMN rank_iteration.compute_ns IS '[ns] On a CPU, outside of calls that wait. This and the columns down to other_ns add up to the whole time.';
COMMENT ON COLUMN rank_iteration.spin_ns IS '[ns] On a CPU, inside a call that waits.';
COMMENT ON COLUMN rank_iteration.wait_ns IS '[ns] Asleep; inside a call that waits also preempted, blocked or without quota.';
COMMENT ON COLUMN rank_iteration.preempted_ns IS '[ns] Runnable after a preemption.';
COMMENT ON COLUMN rank_iteration.queued_ns IS '[ns] Runnable after a wakeup.';
COMMENT ON COLUMN rank_iteration.irq_ns IS '[ns] Its CPU did interrupt work, outside of calls that wait.';
COMMENT ON COLUMN rank_iteration.blocked_ns IS '[ns] Uninterruptible sleep outside of calls that wait.';
COMMENT ON COLUMN rank_iteration.throttled_ns IS '[ns] Its cgroup had no quota.';
COMMENT ON COLUMN rank_iteration.other_ns IS '[ns] Stopped, not alive, or not known.';

CREATE TABLE runqueue (
  cpu SMALLINT NOT NULL,
  start_ns BIGINT NOT NULL,
  dur_ns BIGINT NOT NULL,
  queued INTEGER NOT NULL,
  running BOOLEAN NOT NULL
);
COMMENT ON TABLE runqueue IS 'Length of a CPU''s runqueue as reconstructed, a row per change.';
COMMENT ON COLUMN runqueue.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN runqueue.start_ns IS '[ns] Start.';
COMMENT ON COLUMN runqueue.dur_ns IS '[ns] Length, > 0.';
COMMENT ON COLUMN runqueue.queued IS '[threads] Runnable threads queued there, the running one not counted.';
COMMENT ON COLUMN runqueue.running IS 'A thread other than swapper runs.';

CREATE TABLE thread_cpu (
  utid INTEGER NOT NULL,
  cpu SMALLINT NOT NULL,
  run_ns BIGINT NOT NULL
);
COMMENT ON TABLE thread_cpu IS 'How long each thread ran on each CPU. The times sum exactly to those of `cpu_slice`, where a CPU was observed.';
COMMENT ON COLUMN thread_cpu.utid IS '[utid] The thread; 0 swapper (idle).';
COMMENT ON COLUMN thread_cpu.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN thread_cpu.run_ns IS '[ns] Time, > 0.';

CREATE TABLE thread_state (
  utid INTEGER NOT NULL,
  start_ns BIGINT NOT NULL,
  dur_ns BIGINT NOT NULL,
  phase UTINYINT NOT NULL,
  cpu SMALLINT
);
COMMENT ON TABLE thread_state IS 'What a thread did, in order, while its state is known.';
COMMENT ON COLUMN thread_state.utid IS '[utid] The thread.';
COMMENT ON COLUMN thread_state.start_ns IS '[ns] Start.';
COMMENT ON COLUMN thread_state.dur_ns IS '[ns] Length, > 0.';
COMMENT ON COLUMN thread_state.phase IS 'running, runnable (after a wakeup), preempted (runnable after a preemption), sleeping ...';
COMMENT ON COLUMN thread_state.cpu IS '[cpu] CPU it ran or was queued on.';

CREATE TABLE tile_base (
  start_ns BIGINT NOT NULL,
  level UTINYINT NOT NULL
);
COMMENT ON TABLE tile_base IS 'How the levels of detail lie: bins of level L are 1024 << L ns wide and counted from the first row''s start_ns. A row says which levels are stored from start_ns on: this one and all above it. Levels below are read from the slices.';
COMMENT ON COLUMN tile_base.start_ns IS '[ns] From when on; a boundary of 64 bins of the coarser of the two levels around it.';
COMMENT ON COLUMN tile_base.level IS 'Lowest level that is stored.';

CREATE TABLE tile_load (
  level UTINYINT NOT NULL,
  tile BIGINT NOT NULL,
  bin UTINYINT NOT NULL,
  bins BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  measure UTINYINT NOT NULL,
  value BIGINT NOT NULL
);
COMMENT ON TABLE tile_load IS 'Levels of detail of what loads a CPU, in the same bins as tile_run; bins with nothing are left out. Exact.';
COMMENT ON COLUMN tile_load.level IS 'Level: bins are 1024 << level ns wide.';
COMMENT ON COLUMN tile_load.tile IS 'Which 64 bins.';
COMMENT ON COLUMN tile_load.bin IS 'Bin within them.';
COMMENT ON COLUMN tile_load.bins IS 'How many bins, from this one on, are the same: up to the end of this tile, or all of so many tiles (a multiple of 64).';
COMMENT ON COLUMN tile_load.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN tile_load.measure IS 'What is measured.';
COMMENT ON COLUMN tile_load.value IS 'In each of the bins: queued threads times ns (waiting), ns (wasted), or arrivals (migrations).';

CREATE TABLE tile_run (
  level UTINYINT NOT NULL,
  tile BIGINT NOT NULL,
  bin UTINYINT NOT NULL,
  bins BIGINT NOT NULL,
  cpu SMALLINT NOT NULL,
  busy_ns BIGINT NOT NULL,
  idle_ns BIGINT NOT NULL,
  unobserved_ns BIGINT NOT NULL,
  utid1 INTEGER,
  ns1 BIGINT NOT NULL,
  utid2 INTEGER,
  ns2 BIGINT NOT NULL,
  utid3 INTEGER,
  ns3 BIGINT NOT NULL,
  utid4 INTEGER,
  ns4 BIGINT NOT NULL
);
COMMENT ON TABLE tile_run IS 'Levels of detail of cpu_slice: what a CPU did in a bin of time. Bins that one thread or idleness fills follow each other in one row. Sums are exact; a thread''s time is at most busy_ns / 17 too low, and exact where up to 16 threads ran.';
COMMENT ON COLUMN tile_run.level IS 'Level: bins are 1024 << level ns wide.';
COMMENT ON COLUMN tile_run.tile IS 'Which 64 bins.';
COMMENT ON COLUMN tile_run.bin IS 'Bin within them.';
COMMENT ON COLUMN tile_run.bins IS 'How many bins, from this one on, are the same: up to the end of this tile, or all of so many tiles (a multiple of 64).';
COMMENT ON COLUMN tile_run.cpu IS '[cpu] The CPU.';
COMMENT ON COLUMN tile_run.busy_ns IS '[ns] Threads ran, in each of the bins.';
COMMENT ON COLUMN tile_run.idle_ns IS '[ns] Swapper ran.';
COMMENT ON COLUMN tile_run.unobserved_ns IS '[ns] Not observed, or offline.';
COMMENT ON COLUMN tile_run.utid1 IS '[utid] Thread that ran longest.';
COMMENT ON COLUMN tile_run.ns1 IS '[ns] For how long.';
COMMENT ON COLUMN tile_run.utid2 IS '[utid] Second.';
COMMENT ON COLUMN tile_run.ns2 IS '[ns] For how long.';
COMMENT ON COLUMN tile_run.utid3 IS '[utid] Third.';
COMMENT ON COLUMN tile_run.ns3 IS '[ns] For how long.';
COMMENT ON COLUMN tile_run.utid4 IS '[utid] Fourth.';
COMMENT ON COLUMN tile_run.ns4 IS '[ns] For how long. What is left of busy_ns is the others'' time.';

CREATE TABLE verdict (
  checker_version VARCHAR NOT NULL,
  options VARCHAR NOT NULL,
  start_ns BIGINT NOT NULL,
  end_ns BIGINT NOT NULL,
  online_ns BIGINT NOT NULL,
  observed_ns BIGINT NOT NULL,
  busy_ns BIGINT NOT NULL,
  idle_ns BIGINT NOT NULL,
  wasted_ns BIGINT NOT NULL,
  certain_ns BIGINT NOT NULL,
  idle_while_waiting_ns BIGINT NOT NULL,
  wall_wasted_ns BIGINT NOT NULL,
  wall_certain_ns BIGINT NOT NULL,
  wall_idle_while_waiting_ns BIGINT NOT NULL,
  peak_wasted INTEGER NOT NULL,
  late_wakes BIGINT NOT NULL
);
COMMENT ON TABLE verdict IS 'One row: the verdict''s figures and how they were made.';
COMMENT ON COLUMN verdict.checker_version IS 'Version of the checker.';
COMMENT ON COLUMN verdict.options IS 'Options of the check as JSON.';
COMMENT ON COLUMN verdict.start_ns IS '[ns] Start of the window.';
COMMENT ON COLUMN verdict.end_ns IS '[ns] End of the window.';
COMMENT ON COLUMN verdict.online_ns IS '[cpu-ns] Time summed over online CPUs.';
COMMENT ON COLUMN verdict.observed_ns IS '[cpu-ns] Of it, observed.';
COMMENT ON COLUMN verdict.busy_ns IS '[cpu-ns] Of it, running threads.';
COMMENT ON COLUMN verdict.idle_ns IS '[cpu-ns] Of it, idle (swapper and an empty queue).';
COMMENT ON COLUMN verdict.wasted_ns IS '[core-ns] Integral of wasted.';
COMMENT ON COLUMN verdict.certain_ns IS '[core-ns] Integral of certain.';
COMMENT ON COLUMN verdict.idle_while_waiting_ns IS '[core-ns] Integral of `idle_while_waiting`.';
COMMENT ON COLUMN verdict.wall_wasted_ns IS '[ns] Time in which at least one core was wasted.';
COMMENT ON COLUMN verdict.wall_certain_ns IS '[ns] Time in which at least one core was wasted for certain.';
COMMENT ON COLUMN verdict.wall_idle_while_waiting_ns IS '[ns] Time in which at least one CPU was idle while a thread waited.';
COMMENT ON COLUMN verdict.peak_wasted IS '[cores] Most cores wasted at once.';
COMMENT ON COLUMN verdict.late_wakes IS 'Times a thread about to run on an idle CPU took more than a tick.';

CREATE TABLE verdict_grade (
  grade UTINYINT NOT NULL,
  episodes BIGINT NOT NULL,
  core_ns BIGINT NOT NULL
);
COMMENT ON TABLE verdict_grade IS 'Waste by grade. The grades but recurrent sum exactly to the whole waste.';
COMMENT ON COLUMN verdict_grade.grade IS 'The grade.';
COMMENT ON COLUMN verdict_grade.episodes IS 'Episodes of the grade.';
COMMENT ON COLUMN verdict_grade.core_ns IS '[core-ns] Waste of exactly this grade.';

CREATE TABLE wasted (
  start_ns BIGINT NOT NULL,
  dur_ns BIGINT NOT NULL,
  wasted INTEGER NOT NULL,
  certain INTEGER NOT NULL,
  idle_while_waiting INTEGER NOT NULL,
  idle_cpus INTEGER NOT NULL,
  waiting INTEGER NOT NULL
);
COMMENT ON TABLE wasted IS 'The invariant over time, a row for each interval with constant figures in which a core was idle beside a waiting thread (idle_while_waiting > 0).';
COMMENT ON COLUMN wasted.start_ns IS '[ns] Start.';
COMMENT ON COLUMN wasted.dur_ns IS '[ns] Length, > 0.';
COMMENT ON COLUMN wasted.wasted IS '[cores] Cores wasted: maximum matching with every excuse applied.';
COMMENT ON COLUMN wasted.certain IS '[cores] The same over threads whose mask is known.';
COMMENT ON COLUMN wasted.idle_while_waiting IS '[cores] min(idle, waiting), before any excuse.';
COMMENT ON COLUMN wasted.idle_cpus IS '[cpus] Idle CPUs.';
COMMENT ON COLUMN wasted.waiting IS '[threads] Waiting threads.';

CREATE TABLE wasted_cpu (
  cpu SMALLINT NOT NULL,
  start_ns BIGINT NOT NULL,
  dur_ns BIGINT NOT NULL
);
COMMENT ON TABLE wasted_cpu IS 'When each CPU was wasted: idle, and the match of a waiting thread that may use it. The lengths sum exactly to the waste.';
COMMENT ON COLUMN wasted_cpu.cpu IS '[cpu] The idle CPU.';
COMMENT ON COLUMN wasted_cpu.start_ns IS '[ns] Start.';
COMMENT ON COLUMN wasted_cpu.dur_ns IS '[ns] Length, > 0.';
