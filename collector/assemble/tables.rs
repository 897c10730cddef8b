//! Rows into columns: a builder per event table, flushed to the sink when a batch is full.

use crate::{
    BalanceAttempt, BubbleEvent, Error, Event, Interner, LostEvents, MaskId, Row, Schedstat, Sink, StackId,
    ThreadSnapshot,
};
use std::collections::HashMap;
use std::num::NonZeroU32;
use wastenot_schemas as schemas;

/// Rows of a full batch: the row group size of DuckDB, at which inserting is fastest.
pub const BATCH_ROWS: usize = 122_880;

macro_rules! tables {
    ($($table:ident),*) => {
        /// The columns under construction.
        #[derive(Default)]
        struct Builders { $($table: schemas::$table::Builder),* }

        impl Builders {
            fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
                $( if !self.$table.is_empty() { sink.batch(schemas::$table::NAME, self.$table.finish())?; } )*
                Ok(())
            }
        }

        #[cfg(test)]
        const BUILT: &[&str] = &[$(stringify!($table)),*];
    };
}

tables!(
    affinity,
    balance_attempt,
    balance_kick,
    bubble_event,
    cgroup_move,
    core_cookie,
    cpu_hotplug,
    cpu_load,
    cpu_snapshot,
    cpus_scanned,
    irq_span,
    lost_events,
    migration_disable,
    nr_running,
    perf_counter,
    process_exec,
    process_exit,
    process_fork,
    run_span,
    sched_migrate_task,
    sched_stat_runtime,
    sched_switch,
    sched_wakeup,
    sched_waking,
    schedstat,
    thread_name,
    thread_snapshot,
    throttle
);

/// Numbers the rows and writes them.
#[derive(Default)]
pub struct Tables {
    builders: Builders,
    next_id: i64,
    /// Event id of each attempt by source and the source's number. Old ones go when the map has grown.
    attempts: HashMap<(usize, NonZeroU32), i64>,
}

/// Attempts remembered: their `cpus_scanned` and `cpu_load` rows follow within one balance pass.
const ATTEMPTS: usize = 1 << 16;

impl Tables {
    /// Rows written so far, which is the id of the next.
    pub fn rows(&self) -> i64 {
        self.next_id
    }

    pub fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.builders.flush(sink)
    }

    /// Write the next row in the order of the trace.
    #[inline]
    pub fn push(&mut self, source: usize, row: &Row, ids: &mut Interner, sink: &mut dyn Sink) -> Result<(), Error> {
        let (id, ts_ns) = (self.next_id, row.ts_ns);
        self.next_id += 1;
        macro_rules! put {
            ($table:ident { $($field:ident $(: $value:expr)?),* $(,)? }) => {{
                let builder = &mut self.builders.$table;
                builder.push(&schemas::$table::Row { id, ts_ns, $($field $(: $value)?),* });
                if builder.len() == BATCH_ROWS {
                    sink.batch(schemas::$table::NAME, builder.finish())?;
                }
            }};
        }
        match row.event {
            Event::Switch { cpu, prev_tid, prev_state, prev_prio, next_tid, next_prio } => {
                put!(sched_switch { cpu, prev_tid, prev_state, prev_prio, next_tid, next_prio });
            }
            Event::Waking { cpu, tid, target_cpu, prio } => put!(sched_waking { cpu, tid, target_cpu, prio }),
            Event::Wakeup { cpu, tid, target_cpu, prio, is_new } => {
                put!(sched_wakeup { cpu, tid, target_cpu, prio, is_new });
            }
            Event::Migrate { cpu, tid, orig_cpu, dest_cpu, stack } => {
                put!(sched_migrate_task { cpu, tid, orig_cpu, dest_cpu, stack_id: stack.map(StackId::column) });
            }
            Event::NrRunning { cpu, nr_running, delta } => put!(nr_running { cpu, nr_running, delta }),
            Event::IrqSpan { cpu, dur_ns, kind, vector } => put!(irq_span { cpu, dur_ns, kind, vector }),
            Event::RunSpan { cpu, tid, dur_ns } => put!(run_span { cpu, tid, dur_ns }),
            Event::Runtime { cpu, tid, runtime_ns } => put!(sched_stat_runtime { cpu, tid, runtime_ns }),
            Event::Counter { cpu, tid, counter, value } => {
                put!(perf_counter { cpu, tid, counter: ids.text_of(counter), value });
            }
            Event::MigrationDisable { cpu, tid, disabled } => put!(migration_disable { cpu, tid, disabled }),
            Event::Affinity { cpu, tid, mask, user, cpuset } => {
                put!(affinity {
                    cpu,
                    tid,
                    mask_id: mask.map(MaskId::column),
                    user_mask_id: user.map(MaskId::column),
                    cpuset_mask_id: cpuset.map(MaskId::column),
                });
            }
            Event::CgroupMove { cpu, tid, cgroup_id } => {
                ids.mention_cgroup(cgroup_id);
                put!(cgroup_move { cpu, tid, cgroup_id });
            }
            Event::Throttle { cpu, tid, throttled, error_ns } => put!(throttle { cpu, tid, throttled, error_ns }),
            Event::CoreCookie { cpu, tid, cookie } => put!(core_cookie { cpu, tid, cookie }),
            Event::Hotplug { cpu, online } => put!(cpu_hotplug { cpu, online }),
            Event::Fork { cpu, parent_tid, child_tid, child_tgid } => {
                put!(process_fork { cpu, parent_tid, child_tid, child_tgid });
            }
            Event::Exec { cpu, tid, old_tid } => put!(process_exec { cpu, tid, old_tid }),
            Event::Exit { cpu, tid } => put!(process_exit { cpu, tid }),
            Event::Name { tid, tgid, ref name } => put!(thread_name { tid, tgid, name }),
            Event::CpusScanned { cpu, attempt, tid, mask, chosen_cpu, prev_cpu, wake_flags } => {
                let attempt_id = self.attempt_id(source, attempt);
                let (mask_id, wake_flags) = (mask.map(MaskId::column), wake_flags.map(i32::from));
                put!(cpus_scanned { cpu, attempt_id, tid, mask_id, chosen_cpu, prev_cpu, wake_flags });
            }
            Event::Kick { cpu, target_cpu, kind } => put!(balance_kick { cpu, target_cpu, kind }),
            Event::CpuLoad { cpu, attempt, of_cpu, load, nr_running } => {
                let attempt_id = self.attempt_id(source, attempt);
                put!(cpu_load { cpu, attempt_id, of_cpu, load, nr_running });
            }
            Event::CpuSnapshot { cpu, online, current_tid } => put!(cpu_snapshot { cpu, online, current_tid }),
            Event::BalanceAttempt(ref attempt) => {
                self.remember_attempt(source, attempt.number, id);
                let BalanceAttempt { cpu, dur_ns, dst_cpu, domain_level, idle_type, pulled, function, .. } = **attempt;
                let function = ids.text_of(function);
                put!(balance_attempt { cpu, dur_ns, dst_cpu, domain_level, idle_type, pulled, function });
            }
            Event::Bubble(ref told) => {
                let BubbleEvent { cpu, tid, tgid, kind, bubble, entity_tid, holder, holder_id, value, .. } = **told;
                let (name, snapshot) = (told.name.as_deref(), told.snapshot);
                put!(bubble_event {
                    cpu,
                    tid,
                    tgid,
                    kind,
                    bubble,
                    entity_tid,
                    holder,
                    holder_id,
                    value,
                    name,
                    snapshot,
                    status: told.status,
                });
            }
            Event::Schedstat(ref told) => {
                let Schedstat { cpu, level, reading_ns, interval_ns, restarted, counters } = **told;
                macro_rules! put_counters {
                    ($($name:ident)*) => {{
                        let [$($name),*] = counters;
                        put!(schedstat { cpu, level, reading_ns, interval_ns, restarted, $($name),* });
                    }};
                }
                put_counters!(
                    busy_lb_count busy_lb_balanced busy_lb_failed busy_lb_imbalance busy_lb_gained
                    busy_lb_hot_gained busy_lb_nobusyq busy_lb_nobusyg idle_lb_count idle_lb_balanced
                    idle_lb_failed idle_lb_imbalance idle_lb_gained idle_lb_hot_gained idle_lb_nobusyq
                    idle_lb_nobusyg newidle_lb_count newidle_lb_balanced newidle_lb_failed newidle_lb_imbalance
                    newidle_lb_gained newidle_lb_hot_gained newidle_lb_nobusyq newidle_lb_nobusyg alb_count
                    alb_failed alb_pushed ttwu_wake_remote ttwu_move_affine ttwu_move_balance
                );
            }
            Event::Lost(ref lost) => {
                let LostEvents { end_ns, cpu, count, what } = **lost;
                put!(lost_events { end_ns, cpu, count, what: ids.text_of(what) });
            }
            Event::ThreadSnapshot(ref thread) => {
                let ThreadSnapshot { tid, tgid, ppid, ref name, state, queue, cpu, policy, prio, cgroup_id, .. } =
                    **thread;
                let ThreadSnapshot { migration_disabled, throttled, cookie, is_kernel, per_cpu_thread, .. } = **thread;
                if let Some(cgroup_id) = cgroup_id {
                    ids.mention_cgroup(cgroup_id);
                }
                put!(thread_snapshot {
                    tid,
                    tgid,
                    ppid,
                    name,
                    state,
                    queue,
                    cpu,
                    mask_id: thread.mask.map(MaskId::column),
                    user_mask_id: thread.user_mask.map(MaskId::column),
                    cpuset_mask_id: thread.cpuset_mask.map(MaskId::column),
                    policy,
                    prio,
                    cgroup_id,
                    migration_disabled,
                    throttled,
                    cookie,
                    is_kernel,
                    per_cpu_thread,
                });
            }
        }
        Ok(())
    }

    fn attempt_id(&self, source: usize, attempt: Option<NonZeroU32>) -> Option<i64> {
        self.attempts.get(&(source, attempt?)).copied()
    }

    fn remember_attempt(&mut self, source: usize, number: NonZeroU32, id: i64) {
        if self.attempts.len() >= ATTEMPTS {
            let mut known: Vec<i64> = self.attempts.values().copied().collect();
            let (_, median, _) = known.select_nth_unstable(ATTEMPTS / 2);
            let oldest_kept = *median;
            self.attempts.retain(|_, id| *id >= oldest_kept);
        }
        self.attempts.insert((source, number), id);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_event_table_of_the_vocabulary_is_built() {
        assert_eq!(super::BUILT, wastenot_schemas::EVENT_TABLES);
    }
}
