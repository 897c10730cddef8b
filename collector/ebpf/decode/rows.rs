//! Records to rows: what each record of a recording means in the tables.

use crate::mask::{Mask, task_state};
use crate::record::{Record, ThreadHead, flag};
use crate::segment::NO_CPU;
use std::collections::HashMap;
use std::num::NonZeroU32;
use wastenot_assemble::{
    BalanceAttempt, Cgroup, Event, Interner, LostEvents, MaskId, Row, Schedstat, Stack, StackId, ThreadSnapshot,
};

/// What records refer to by number: the lists of `meta.json`, and stacks by the kernel's id.
#[derive(Default)]
pub struct Names {
    /// `counter` of a `PerfCounter` record.
    pub counters: Vec<String>,
    /// `function` of a `Balance` record.
    pub functions: Vec<String>,
    /// A stack's content comes after the moves that name it.
    pub stacks: HashMap<i32, StackId>,
}

/// Append what a record of `cpu`'s frame says; user space's records (`NO_CPU`) name their CPUs themselves.
#[inline]
pub fn push(cpu: u16, ts_ns: u64, record: &Record<'_>, names: &mut Names, ids: &mut Interner, rows: &mut Vec<Row>) {
    let writer = cpu as i16;
    let ts_ns = ts_ns as i64;
    let noticed = (cpu != NO_CPU).then_some(writer);
    let event = match *record {
        Record::Switch(r) => Event::Switch {
            cpu: writer,
            prev_tid: r.prev_tid,
            prev_state: task_state(r.prev_state),
            prev_prio: Some(r.prev_prio),
            next_tid: r.next_tid,
            next_prio: Some(r.next_prio),
        },
        Record::Waking(r) => {
            Event::Waking { cpu: writer, tid: r.tid, target_cpu: Some(r.cpu as i16), prio: Some(r.prio) }
        }
        Record::Wakeup(r) => {
            Event::Wakeup { cpu: writer, tid: r.tid, target_cpu: r.cpu as i16, prio: Some(r.prio), is_new: false }
        }
        Record::WakeupNew(r) => {
            Event::Wakeup { cpu: writer, tid: r.tid, target_cpu: r.cpu as i16, prio: Some(r.prio), is_new: true }
        }
        Record::Migrate(r) => Event::Migrate {
            cpu: writer,
            tid: r.tid,
            orig_cpu: Some(r.orig_cpu as i16),
            dest_cpu: r.dest_cpu as i16,
            stack: (r.stack_id >= 0).then(|| *names.stacks.entry(r.stack_id).or_insert_with(|| ids.promise_stack())),
        },
        Record::NrRunning(r) => Event::NrRunning { cpu: r.cpu as i16, nr_running: r.nr_running as i32, delta: r.delta },
        Record::Fork(r) => {
            let (parent_tid, child_tid, child_tgid) = (r.parent_tid, r.child_tid, known(r.child_tgid));
            rows.push(Row { ts_ns, event: Event::Fork { cpu: writer, parent_tid, child_tid, child_tgid } });
            Event::Name { tid: r.child_tid, tgid: child_tgid, name: comm(&r.comm) }
        }
        Record::Exec(r) => Event::Exec { cpu: writer, tid: r.tid, old_tid: Some(r.old_tid) },
        Record::Exit(r) => Event::Exit { cpu: writer, tid: r.tid },
        Record::Rename(r) => Event::Name { tid: r.tid, tgid: known(r.tgid), name: comm(&r.comm) },
        Record::Affinity { tid, masks } => Event::Affinity {
            cpu: noticed,
            tid,
            mask: intern(masks.allowed, ids),
            user: intern(masks.user, ids),
            cpuset: intern(masks.cpuset, ids),
        },
        Record::MigrationDisable(r) => Event::MigrationDisable { cpu: noticed, tid: r.tid, disabled: r.disabled != 0 },
        Record::Cookie(r) => Event::CoreCookie { cpu: noticed, tid: r.tid, cookie: r.cookie as i64 },
        Record::Cgroup(r) => Event::CgroupMove { cpu: noticed, tid: r.tid, cgroup_id: r.cgroup_id as i64 },
        Record::Throttle(r) => {
            Event::Throttle { cpu: r.cpu as i16, tid: r.tid, throttled: r.throttled != 0, error_ns: r.error_ns as i64 }
        }
        Record::Hotplug(r) => Event::Hotplug { cpu: r.cpu as i16, online: r.online != 0 },
        Record::IrqSpan(r) => Event::IrqSpan {
            cpu: writer,
            dur_ns: r.dur_ns.into(),
            kind: r.kind.min(2) as u8,
            vector: Some(r.vector.into()),
        },
        Record::PerfCounter(r) => Event::Counter {
            cpu: writer,
            tid: r.tid,
            counter: ids.text(name_of(&names.counters, r.counter as usize)),
            value: r.value as i64,
        },
        Record::Lost(r) => Event::Lost(Box::new(LostEvents {
            end_ns: r.to as i64,
            cpu: (r.cpu != NO_CPU).then_some(r.cpu as i16),
            count: Some(r.count as i64),
            what: ids.text(table_of(r.kind)),
        })),
        Record::CpuSnapshot(r) => Event::CpuSnapshot {
            cpu: r.cpu as i16,
            online: r.online != 0,
            current_tid: (r.current >= 0).then_some(r.current),
        },
        Record::Thread { head, masks } => {
            let masks = [masks.allowed, masks.user, masks.cpuset].map(|mask| intern(mask, ids));
            Event::ThreadSnapshot(Box::new(thread(&head, masks)))
        }
        Record::Balance(r) => Event::BalanceAttempt(Box::new(BalanceAttempt {
            cpu: writer,
            dur_ns: r.dur_ns as i64,
            dst_cpu: r.dst_cpu as i16,
            domain_level: (r.level >= 0).then_some(r.level),
            idle_type: r.idle_type.min(3) as u8,
            pulled: Some(r.pulled),
            function: ids.text(name_of(&names.functions, r.function.into())),
            number: NonZeroU32::new(r.attempt).unwrap_or(NonZeroU32::MAX),
        })),
        Record::CpuLoad(r) => Event::CpuLoad {
            cpu: writer,
            attempt: NonZeroU32::new(r.attempt),
            of_cpu: r.of_cpu as i16,
            load: r.load as i64,
            nr_running: Some(r.nr_running as i32),
        },
        Record::Considered { tid, attempt, chosen_cpu, prev_cpu, wake_flags, mask } => {
            let told = prev_cpu >= 0;
            Event::CpusScanned {
                cpu: writer,
                attempt: NonZeroU32::new(attempt),
                tid: (tid != 0).then_some(tid),
                mask: (!mask.as_bytes().is_empty()).then(|| ids.mask(&mask.words().collect::<Vec<_>>())),
                chosen_cpu: (chosen_cpu >= 0).then_some(chosen_cpu),
                prev_cpu: told.then_some(prev_cpu),
                wake_flags: told.then_some(wake_flags),
            }
        }
        Record::Kick(r) => Event::Kick { cpu: writer, target_cpu: r.target_cpu as i16, kind: r.kind.min(1) as u8 },
        Record::Schedstat { head, counters } => {
            let is_reading = head.cpu == NO_CPU;
            let mut row = Schedstat {
                cpu: (!is_reading).then_some(head.cpu as i16),
                level: (!is_reading).then_some(head.level as i16),
                reading_ns: head.reading_ns as i64,
                interval_ns: head.interval_ns as i64,
                restarted: head.restarted != 0,
                counters: [0; 30],
            };
            row.counters.iter_mut().zip(counters.words()).for_each(|(to, word)| *to = word as i64);
            Event::Schedstat(Box::new(row))
        }
        Record::Stack { stack_id, addresses, symbols } => {
            let id = *names.stacks.entry(stack_id).or_insert_with(|| ids.promise_stack());
            let symbols = String::from_utf8_lossy(symbols).lines().map(str::to_owned).collect();
            ids.describe_stack(id, Stack { addresses: addresses.words().collect(), symbols });
            return;
        }
        Record::CgroupInfo { cgroup_id, quota_ns, period_ns, weight, path } => {
            let some = |value: i64| (value >= 0).then_some(value);
            let path = String::from_utf8_lossy(path).into_owned();
            let (quota_ns, period_ns) = (some(quota_ns), some(period_ns));
            let weight = (weight >= 0).then_some(weight);
            ids.describe_cgroup(cgroup_id as i64, Cgroup { path, quota_ns, period_ns, weight });
            return;
        }
    };
    rows.push(Row { ts_ns, event });
}

fn thread(head: &ThreadHead, [mask, user_mask, cpuset_mask]: [Option<MaskId>; 3]) -> ThreadSnapshot {
    let has = |bit: u32| head.flags & bit != 0;
    ThreadSnapshot {
        tid: head.tid,
        tgid: head.tgid,
        ppid: (head.ppid >= 0).then_some(head.ppid),
        name: comm(&head.comm),
        state: task_state(head.state),
        queue: head.queue.min(3),
        cpu: head.cpu as i16,
        mask,
        user_mask,
        cpuset_mask,
        policy: head.policy,
        prio: Some(head.prio),
        cgroup_id: (head.cgroup_id != 0).then_some(head.cgroup_id as i64),
        migration_disabled: has(flag::MIGRATION_DISABLED),
        throttled: has(flag::THROTTLED),
        cookie: head.cookie as i64,
        is_kernel: has(flag::KERNEL),
        per_cpu_thread: has(flag::PER_CPU),
    }
}

fn intern(mask: Option<Mask<'_>>, ids: &mut Interner) -> Option<MaskId> {
    mask.map(|mask| ids.mask(&mask.words().collect::<Vec<_>>()))
}

/// A process; 0 where the recorder did not know it.
fn known(tgid: i32) -> Option<i32> {
    (tgid > 0).then_some(tgid)
}

/// A comm field: up to its first NUL, in UTF-8 whatever the bytes.
fn comm(bytes: &[u8; 16]) -> Box<str> {
    let length = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..length]).into()
}

fn name_of(names: &[String], index: usize) -> &str {
    names.get(index).map_or("unknown", String::as_str)
}

/// The table that would have held the records of a kind.
fn table_of(kind: u16) -> &'static str {
    use crate::record::*;
    match u8::try_from(kind).unwrap_or(0) {
        Switch::KIND => "sched_switch",
        Waking::KIND => "sched_waking",
        Wakeup::KIND | WakeupNew::KIND => "sched_wakeup",
        Migrate::KIND => "sched_migrate_task",
        NrRunning::KIND => "nr_running",
        Fork::KIND => "process_fork",
        Exec::KIND => "process_exec",
        Exit::KIND => "process_exit",
        Rename::KIND => "thread_name",
        AffinityHead::KIND => "affinity",
        MigrationDisable::KIND => "migration_disable",
        Cookie::KIND => "core_cookie",
        crate::record::Cgroup::KIND => "cgroup_move",
        Throttle::KIND => "throttle",
        Hotplug::KIND => "cpu_hotplug",
        IrqSpan::KIND => "irq_span",
        PerfCounter::KIND => "perf_counter",
        CpuSnapshot::KIND => "cpu_snapshot",
        ThreadHead::KIND => "thread_snapshot",
        Balance::KIND => "balance_attempt",
        CpuLoad::KIND => "cpu_load",
        ConsideredHead::KIND => "cpus_scanned",
        Kick::KIND => "balance_kick",
        _ => "any",
    }
}
