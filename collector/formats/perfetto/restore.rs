//! Rows of our tables as events again.

use crate::columns;
use crate::wire::Malformed;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use std::collections::HashMap;
use std::num::NonZeroU32;
use wastenot_assemble::{
    BalanceAttempt, BubbleEvent, Cgroup, Event, Interner, LostEvents, MaskId, Row, Schedstat, Stack, StackId,
    ThreadSnapshot,
};
use wastenot_import::{Kind, Translator};
use wastenot_schemas as tables;

/// Sets of CPUs and stacks by the ids that the rows use.
#[derive(Default)]
pub struct Known {
    masks: HashMap<i32, MaskId>,
    pub stacks: HashMap<i32, StackId>,
}

impl Known {
    fn mask(&self, id: Option<i32>) -> Option<MaskId> {
        self.masks.get(&id?).copied()
    }

    /// Take rows of `mask`, `stack` or `cgroup`; they stand before the events that refer to them.
    pub fn entity(&mut self, table: &str, message: &[u8], ids: &mut Interner) -> Result<(), Malformed> {
        match table {
            tables::mask::NAME => {
                let view = view(message, tables::mask::schema(), tables::mask::View::try_new)?;
                for row in (0..view.len()).map(|i| view.row(i)) {
                    self.masks.insert(row.mask_id, ids.mask_of_cpus(row.cpus.iter().copied()));
                }
            }
            tables::stack::NAME => {
                let view = view(message, tables::stack::schema(), tables::stack::View::try_new)?;
                for i in 0..view.len() {
                    let addresses = view.addresses.value(i);
                    let addresses = addresses.as_primitive::<Int64Type>().values().iter().map(|a| *a as u64).collect();
                    let stack = ids.promise_stack();
                    ids.describe_stack(stack, Stack { addresses, symbols: view.symbols(i) });
                    self.stacks.insert(view.stack_id.value(i), stack);
                }
            }
            _ => {
                let view = view(message, tables::cgroup::schema(), tables::cgroup::View::try_new)?;
                for row in (0..view.len()).map(|i| view.row(i)) {
                    let (quota_ns, period_ns, weight) = (row.quota_ns, row.period_ns, row.weight);
                    let cgroup = Cgroup { path: row.path.into(), quota_ns, period_ns, weight };
                    ids.describe_cgroup(row.cgroup_id, cgroup);
                }
            }
        }
        Ok(())
    }
}

/// The rows in `message` as a view.
pub fn view<V>(
    message: &[u8],
    schema: arrow_schema::SchemaRef,
    make: fn(&RecordBatch) -> Result<V, tables::SchemaMismatch>,
) -> Result<V, Malformed> {
    make(&columns::read(message, &schema)?).map_err(|_| Malformed)
}

/// Where restored rows go.
pub struct Restoring<'a> {
    pub known: &'a Known,
    pub translator: &'a mut Translator,
    pub ids: &'a mut Interner,
    /// The rows with their ids.
    pub out: &'a mut Vec<(i64, Row)>,
    /// The user declares masks: names are told to the translator, which applies them.
    pub declared: bool,
}

/// The source's number of an attempt, by its id.
fn number(attempt_id: i64) -> NonZeroU32 {
    NonZeroU32::new((attempt_id % i64::from(u32::MAX)) as u32 + 1).unwrap_or(NonZeroU32::MIN)
}

/// Append the events that the rows in `message` of the event table `table` stand for. A table that this version does not
/// know is passed over; false then.
pub fn events(table: &str, message: &[u8], to: &mut Restoring<'_>) -> Result<bool, Malformed> {
    let known = to.known;
    // Its name in exports of schema versions up to 3.
    let table = if table == "considered" { tables::cpus_scanned::NAME } else { table };
    macro_rules! restore {
        ($($name:ident: |$row:ident| $event:expr;)*) => {
            match table {
                $(tables::$name::NAME => {
                    let view = view(message, tables::$name::schema(), tables::$name::View::try_new)?;
                    for $row in (0..view.len()).map(|i| view.row(i)) {
                        to.out.push(($row.id, Row { ts_ns: $row.ts_ns, event: $event }));
                    }
                })*
                tables::thread_name::NAME => return names(message, to).map(|()| true),
                _ => return Ok(false),
            }
        };
    }
    restore! {
        nr_running: |r| Event::NrRunning { cpu: r.cpu, nr_running: r.nr_running, delta: r.delta };
        affinity: |r| Event::Affinity {
            cpu: r.cpu,
            tid: r.tid,
            mask: known.mask(r.mask_id),
            user: known.mask(r.user_mask_id),
            cpuset: known.mask(r.cpuset_mask_id),
        };
        migration_disable: |r| Event::MigrationDisable { cpu: r.cpu, tid: r.tid, disabled: r.disabled };
        cgroup_move: |r| {
            to.translator.restored(Kind::CgroupMove);
            Event::CgroupMove { cpu: r.cpu, tid: r.tid, cgroup_id: r.cgroup_id }
        };
        throttle: |r| Event::Throttle { cpu: r.cpu, tid: r.tid, throttled: r.throttled, error_ns: r.error_ns };
        core_cookie: |r| Event::CoreCookie { cpu: r.cpu, tid: r.tid, cookie: r.cookie };
        irq_span: |r| Event::IrqSpan { cpu: r.cpu, dur_ns: r.dur_ns, kind: r.kind, vector: r.vector };
        sched_stat_runtime: |r| Event::Runtime { cpu: r.cpu, tid: r.tid, runtime_ns: r.runtime_ns };
        run_span: |r| Event::RunSpan { cpu: r.cpu, tid: r.tid, dur_ns: r.dur_ns };
        balance_attempt: |r| Event::BalanceAttempt(Box::new(BalanceAttempt {
            cpu: r.cpu,
            dur_ns: r.dur_ns,
            dst_cpu: r.dst_cpu,
            domain_level: r.domain_level,
            idle_type: r.idle_type,
            pulled: r.pulled,
            function: to.ids.text(r.function),
            number: number(r.id),
        }));
        cpus_scanned: |r| Event::CpusScanned {
            cpu: r.cpu,
            attempt: r.attempt_id.map(number),
            tid: r.tid,
            mask: r.mask_id.map(|id| known.mask(Some(id)).ok_or(Malformed)).transpose()?,
            chosen_cpu: r.chosen_cpu,
            prev_cpu: r.prev_cpu,
            wake_flags: r.wake_flags.and_then(|flags| u16::try_from(flags).ok()),
        };
        balance_kick: |r| Event::Kick { cpu: r.cpu, target_cpu: r.target_cpu, kind: r.kind };
        cpu_load: |r| Event::CpuLoad {
            cpu: r.cpu,
            attempt: r.attempt_id.map(number),
            of_cpu: r.of_cpu,
            load: r.load,
            nr_running: r.nr_running,
        };
        perf_counter: |r| Event::Counter { cpu: r.cpu, tid: r.tid, counter: to.ids.text(r.counter), value: r.value };
        bubble_event: |r| Event::Bubble(Box::new(BubbleEvent {
            cpu: r.cpu,
            tid: r.tid,
            tgid: r.tgid,
            kind: r.kind,
            bubble: r.bubble,
            entity_tid: r.entity_tid,
            holder: r.holder,
            holder_id: r.holder_id,
            value: r.value,
            name: r.name.map(Into::into),
            snapshot: r.snapshot,
            status: r.status,
        }));
        lost_events: |r| Event::Lost(Box::new(LostEvents {
            end_ns: r.end_ns,
            cpu: r.cpu,
            count: r.count,
            what: to.ids.text(r.what),
        }));
        schedstat: |r| Event::Schedstat(Box::new(Schedstat {
            cpu: r.cpu,
            level: r.level,
            reading_ns: r.reading_ns,
            interval_ns: r.interval_ns,
            restarted: r.restarted,
            counters: [
                r.busy_lb_count,
                r.busy_lb_balanced,
                r.busy_lb_failed,
                r.busy_lb_imbalance,
                r.busy_lb_gained,
                r.busy_lb_hot_gained,
                r.busy_lb_nobusyq,
                r.busy_lb_nobusyg,
                r.idle_lb_count,
                r.idle_lb_balanced,
                r.idle_lb_failed,
                r.idle_lb_imbalance,
                r.idle_lb_gained,
                r.idle_lb_hot_gained,
                r.idle_lb_nobusyq,
                r.idle_lb_nobusyg,
                r.newidle_lb_count,
                r.newidle_lb_balanced,
                r.newidle_lb_failed,
                r.newidle_lb_imbalance,
                r.newidle_lb_gained,
                r.newidle_lb_hot_gained,
                r.newidle_lb_nobusyq,
                r.newidle_lb_nobusyg,
                r.alb_count,
                r.alb_failed,
                r.alb_pushed,
                r.ttwu_wake_remote,
                r.ttwu_move_affine,
                r.ttwu_move_balance,
            ],
        }));
        cpu_snapshot: |r| Event::CpuSnapshot { cpu: r.cpu, online: r.online, current_tid: r.current_tid };
        thread_snapshot: |r| Event::ThreadSnapshot(Box::new(ThreadSnapshot {
            tid: r.tid,
            tgid: r.tgid,
            ppid: r.ppid,
            name: r.name.into(),
            state: r.state,
            queue: r.queue,
            cpu: r.cpu,
            mask: known.mask(r.mask_id),
            user_mask: known.mask(r.user_mask_id),
            cpuset_mask: known.mask(r.cpuset_mask_id),
            policy: r.policy,
            prio: r.prio,
            cgroup_id: r.cgroup_id,
            migration_disabled: r.migration_disabled,
            throttled: r.throttled,
            cookie: r.cookie,
            is_kernel: r.is_kernel,
            per_cpu_thread: r.per_cpu_thread,
        }));
    }
    Ok(true)
}

fn names(message: &[u8], to: &mut Restoring<'_>) -> Result<(), Malformed> {
    let view = view(message, tables::thread_name::schema(), tables::thread_name::View::try_new)?;
    let mut told = Vec::new();
    for r in (0..view.len()).map(|i| view.row(i)) {
        if to.declared {
            to.translator.thread(r.ts_ns, r.tid, r.tgid, Some(r.name.as_bytes()), to.ids, &mut told);
            to.out.extend(told.drain(..).map(|row| (r.id, row)));
        } else {
            let event = Event::Name { tid: r.tid, tgid: r.tgid, name: r.name.into() };
            to.out.push((r.id, Row { ts_ns: r.ts_ns, event }));
        }
    }
    Ok(())
}
