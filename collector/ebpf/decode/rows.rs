//! Records to rows: what each record of a recording means in the tables.

use super::domains::ChangedDomains;
use crate::mask::Mask;
use crate::record::{Deadline, Record, Thread, deadline_state, flag, table_of};
use crate::segment::NO_CPU;
use std::collections::HashMap;
use std::num::{NonZeroI32, NonZeroU32};
use wastenot_assemble::{
    Affinity, BalanceAttempt, BalanceKick, BalanceSearch, Cgroup, CgroupMove, CoreCookie, CpuFrequency, CpuHotplug,
    CpuIdle, CpuLoad, CpuSnapshot, CpusScanned, DlParameters, Event, EventStack, ExtAccess, ExtCounter, ExtIdle,
    ExtKick, ExtOfCgroup, ExtQueue, ExtScheduler, ExtSearch, ExtState, IdleExitLate, Interner, IrqSpan, LostEvents,
    MaskId, MigrationDisable, NewidleEntry, NrRunning, PerfCounter, PreferredLlc, ProcessExec, ProcessExit,
    ProcessFork, ProcessRank, RegionEvent, Row, SchedMigrateTask, SchedSwitch, SchedWakeup, SchedWaking, Schedstat,
    Stack, StackId, ThreadName, ThreadSnapshot, Throttle,
};
use wastenot_machine::Domain;
use wastenot_schemas::{
    balance_search_result, ext_change, ext_place, ext_scheduler_change, ext_step, rank_variable, region_kind,
};
use wastenot_topology::task_state::of_word;

/// Added to the result of a `BalanceSearch` record where the threads examined were recorded (`bpf/balance.bpf.c`).
const WITH_THREADS: u16 = 16;

/// The last code of `rank_variable`: a damaged recording may have any.
const LAST_VARIABLE: u8 = rank_variable::SLURM;

/// What records refer to by number: the lists of `meta.json`, and stacks by the kernel's id.
#[derive(Default)]
pub struct Names {
    /// `counter` of a `PerfCounter` record.
    pub counters: Vec<String>,
    /// `function` of a `Balance` record.
    pub functions: Vec<String>,
    /// A stack's content comes after the moves that name it.
    pub stacks: HashMap<i32, StackId>,
    /// By CPU and the number that attempts report, that of the table `domain`.
    pub levels: HashMap<(u16, u16), i16>,
    /// `region` of a `Region` record: kind and name.
    pub regions: HashMap<u16, (u8, String)>,
    /// Domains that were built anew, as far as they have been read.
    pub domains: ChangedDomains,
}

/// Take the numbers that attempts report for domains, by CPU.
pub fn number_levels(domains: &[Domain], levels: &mut HashMap<(u16, u16), i16>) {
    for domain in domains {
        let Some(reported) = domain.kernel_level else { continue };
        levels.extend(domain.cpus.iter().map(|cpu| ((cpu as u16, reported), domain.level as i16)));
    }
}

/// Append what a record of `cpu`'s frame says; user space's records (`NO_CPU`) name their CPUs themselves.
#[inline]
pub fn push(cpu: u16, ts_ns: u64, record: &Record<'_>, names: &mut Names, ids: &mut Interner, rows: &mut Vec<Row>) {
    let writer = cpu as i16;
    let ts_ns = ts_ns as i64;
    let noticed = (cpu != NO_CPU).then_some(writer);
    let event = match *record {
        Record::Switch(r) => Event::from(SchedSwitch {
            cpu: writer,
            prev_tid: r.prev_tid,
            prev_state: of_word(r.state()),
            prev_prio: Some(r.prev_prio),
            next_tid: r.next_tid,
            next_prio: Some(r.next_prio),
            nr_running: r.nr_running(),
        }),
        Record::Waking(r) => Event::from(SchedWaking {
            cpu: writer,
            tid: r.tid,
            target_cpu: (r.cpu != NO_CPU).then_some(r.cpu as i16),
            prio: Some(r.prio),
        }),
        Record::Wakeup(r) => Event::from(SchedWakeup {
            cpu: writer,
            tid: r.tid,
            target_cpu: r.cpu as i16,
            prio: Some(r.prio),
            is_new: false,
        }),
        Record::WakeupNew(r) => Event::from(SchedWakeup {
            cpu: writer,
            tid: r.tid,
            target_cpu: r.cpu as i16,
            prio: Some(r.prio),
            is_new: true,
        }),
        Record::Migrate(r) => Event::from(SchedMigrateTask {
            cpu: writer,
            tid: r.tid,
            orig_cpu: Some(r.orig_cpu as i16),
            dest_cpu: r.dest_cpu as i16,
            stack_id: (r.stack_id >= 0).then(|| *names.stacks.entry(r.stack_id).or_insert_with(|| ids.promise_stack())),
        }),
        Record::EventStack(r) => Event::from(EventStack {
            cpu: writer,
            tid: r.tid,
            of: r.of as u8,
            stack_id: (r.stack_id >= 0).then(|| *names.stacks.entry(r.stack_id).or_insert_with(|| ids.promise_stack())),
        }),
        Record::NrRunning(r) => {
            Event::from(NrRunning { cpu: r.cpu as i16, nr_running: r.nr_running as i32, delta: r.delta })
        }
        Record::Fork(r) => {
            let (parent_tid, child_tid, child_tgid) = (r.parent_tid, r.child_tid, known(r.child_tgid));
            rows.push(Row {
                ts_ns,
                event: Event::from(ProcessFork { cpu: writer, parent_tid, child_tid, child_tgid }),
            });
            ThreadName { tid: r.child_tid, tgid: child_tgid, name: comm(&r.comm) }.into()
        }
        Record::Exec(r) => Event::from(ProcessExec { cpu: writer, tid: r.tid, old_tid: Some(r.old_tid) }),
        Record::Exit(r) => Event::from(ProcessExit { cpu: writer, tid: r.tid }),
        Record::Rename(r) => ThreadName { tid: r.tid, tgid: known(r.tgid), name: comm(&r.comm) }.into(),
        Record::Affinity(r) => Event::from(Affinity {
            cpu: noticed,
            tid: r.tid,
            mask_id: intern(r.masks.allowed, ids),
            user_mask_id: intern(r.masks.user, ids),
            cpuset_mask_id: intern(r.masks.cpuset, ids),
        }),
        Record::MigrationDisable(r) => {
            Event::from(MigrationDisable { cpu: noticed, tid: r.tid, disabled: r.disabled != 0 })
        }
        Record::Cookie(r) => Event::from(CoreCookie { cpu: noticed, tid: r.tid, cookie: r.cookie as i64 }),
        Record::Cgroup(r) => Event::from(CgroupMove { cpu: noticed, tid: r.tid, cgroup_id: r.cgroup_id as i64 }),
        Record::Throttle(r) => Event::from(Throttle {
            cpu: r.cpu as i16,
            tid: r.tid,
            throttled: r.throttled != 0,
            error_ns: r.error_ns as i64,
        }),
        Record::Hotplug(r) => Event::from(CpuHotplug { cpu: r.cpu as i16, online: r.online != 0 }),
        Record::IrqSpan(r) => Event::from(IrqSpan {
            cpu: writer,
            dur_ns: r.dur_ns.into(),
            kind: r.kind.min(2) as u8,
            vector: Some(r.vector.into()),
        }),
        Record::PerfCounter(r) => Event::from(PerfCounter {
            cpu: writer,
            tid: r.tid,
            counter: ids.text(name_of(&names.counters, r.counter as usize)),
            value: r.value as i64,
        }),
        Record::Lost(r) => Event::LostEvents(Box::new(LostEvents {
            end_ns: r.to as i64,
            cpu: (r.cpu != NO_CPU).then_some(r.cpu as i16),
            count: Some(r.count as i64),
            what: ids.text(table_of(r.kind)),
        })),
        Record::CpuSnapshot(r) => Event::from(CpuSnapshot {
            cpu: r.cpu as i16,
            online: r.online != 0,
            current_tid: (r.current >= 0).then_some(r.current),
        }),
        Record::Deadline(r) => Event::DlParameters(Box::new(dl_parameters(&r, noticed, ts_ns))),
        Record::Thread(r) => {
            let masks = [r.masks.allowed, r.masks.user, r.masks.cpuset].map(|mask| intern(mask, ids));
            Event::ThreadSnapshot(Box::new(thread(&r, masks)))
        }
        Record::Balance(r) => Event::BalanceAttempt(Box::new(BalanceAttempt {
            cpu: writer,
            dur_ns: r.dur_ns as i64,
            dst_cpu: r.dst_cpu as i16,
            domain_level: (r.level >= 0).then(|| *names.levels.get(&(r.dst_cpu, r.level as u16)).unwrap_or(&r.level)),
            idle_type: r.idle_type.min(3) as u8,
            pulled: Some(r.pulled),
            function: ids.text(name_of(&names.functions, r.function.into())),
            number: NonZeroU32::new(r.attempt).unwrap_or(NonZeroU32::MAX),
        })),
        Record::CpuLoad(r) => Event::from(load_of(writer, r.attempt, r.of_cpu, r.load, r.nr_running)),
        Record::CpuUse(r) => Event::from(CpuLoad {
            util: Some(r.util.into()),
            runnable: (r.runnable >= 0).then_some(r.runnable.into()),
            capacity: Some(r.capacity.into()),
            ..load_of(writer, r.attempt, r.of_cpu, r.load, r.nr_running)
        }),
        Record::BalanceSearch(r) => {
            let counts = |count: u16| (r.result & WITH_THREADS != 0).then_some(i32::from(count));
            let left = r.not_allowed.saturating_add(r.running).saturating_add(r.hot);
            Event::from(BalanceSearch {
                cpu: writer,
                attempt_id: NonZeroU32::new(r.attempt),
                result: (r.result & !WITH_THREADS).min(u16::from(balance_search_result::UNKNOWN)) as u8,
                src_cpu: (r.src_cpu >= 0).then_some(r.src_cpu),
                examined: counts(r.examined),
                not_allowed: counts(r.not_allowed),
                running: counts(r.running),
                hot: counts(r.hot),
                other: counts(r.examined.saturating_sub(left)),
            })
        }
        Record::PreferredLlc(r) => Event::from(PreferredLlc {
            cpu: writer,
            attempt_id: NonZeroU32::new(r.attempt),
            src_cpu: r.src_cpu,
            threads: i32::from(r.threads),
        }),
        Record::ExtQueue(r) => {
            let place = (r.place & 0xff).min(u16::from(ext_place::KERNEL)) as u8;
            Event::from(ExtQueue {
                cpu: writer,
                tid: r.tid,
                place,
                queue_cpu: (place == ext_place::LOCAL).then_some(r.cpu as i16),
                dsq: (place != ext_place::HELD).then_some(r.dsq as i64),
                step: (r.place >> 8).min(u16::from(ext_step::MOVE)) as u8,
            })
        }
        Record::ExtIdle(r) => Event::from(ExtIdle {
            cpu: writer,
            tid: r.tid,
            mask_id: Some(ids.mask(&r.mask.words().collect::<Vec<_>>())),
        }),
        Record::ExtOfCgroup(r) => Event::from(ExtOfCgroup { cpu: writer, tid: r.tid, cgroup_id: r.cgroup as i64 }),
        Record::ExtAccess(r) => Event::from(ExtAccess {
            cpu: writer,
            cgroup_id: r.cgroup as i64,
            for_cpu: r.cpu as i16,
            may_use: r.may_use != 0,
        }),
        Record::ExtSearch(r) => Event::from(ExtSearch { cpu: writer, dur_ns: r.dur_ns.into(), for_cpu: r.cpu as i16 }),
        Record::ExtKick(r) => {
            Event::from(ExtKick { cpu: writer, target_cpu: r.target_cpu as i16, flags: r.flags as i32 })
        }
        Record::IdleExitLate(r) => Event::from(IdleExitLate { cpu: writer, late_ns: r.late_ns as i64 }),
        Record::ExtBypass(r) => {
            let change = if r.begins != 0 { ext_change::BYPASS_BEGIN } else { ext_change::BYPASS_END };
            Event::from(ExtState { cpu: noticed, change, ..Default::default() })
        }
        Record::ExtState(r) => Event::from(ExtState {
            cpu: noticed,
            change: if r.enabled != 0 { ext_change::ENABLED } else { ext_change::DISABLED },
            name: (!r.name.is_empty()).then(|| String::from_utf8_lossy(r.name).into()),
            partial: r.partial != 0,
            recorded: r.recorded != 0,
        }),
        Record::ExtScheduler(r) => Event::from(ExtScheduler {
            cpu: noticed,
            cgroup_id: cgroup_of(r.cgroup),
            change: if r.gone != 0 { ext_scheduler_change::GONE } else { ext_scheduler_change::LOADED },
            name: (!r.name.is_empty()).then(|| String::from_utf8_lossy(r.name).into()),
            threads_recorded: (r.reserved != 0).then_some(true),
        }),
        Record::ExtChange(r) => Event::from(ExtScheduler {
            cpu: noticed,
            cgroup_id: cgroup_of(r.cgroup),
            change: ext_change_of(r.what),
            name: None,
            threads_recorded: (r.reserved != 0).then_some(true),
        }),
        Record::ExtCounter(r) => Event::from(ExtCounter {
            cpu: noticed,
            cgroup_id: cgroup_of(r.cgroup),
            name: String::from_utf8_lossy(r.name).into(),
            value: r.value as i64,
        }),
        Record::Region(r) => {
            let region = names.regions.get(&r.region);
            Event::from(RegionEvent {
                cpu: noticed,
                tid: r.tid,
                kind: region.map_or(region_kind::WAIT, |(kind, _)| *kind),
                enter: r.enter != 0,
                peer: (r.peer != i32::MIN).then_some(r.peer),
                bytes: None,
                name: ids.text(region.map_or("unknown", |(_, name)| name)),
            })
        }
        // Taken when its frame was read: records of other frames refer to it.
        Record::RegionName(_) => return,
        Record::NewidleEntry(r) => Event::from(NewidleEntry {
            cpu: writer,
            attempt_id: NonZeroU32::new(r.attempt),
            avg_idle_ns: r.avg_idle_ns as i64,
            overloaded: r.flags & 1 != 0,
            wakeup_pending: r.flags & 2 != 0,
            too_short_level: (r.level >= 0).then(|| *names.levels.get(&(cpu, r.level as u16)).unwrap_or(&r.level)),
            dice: r.flags & 4 != 0,
            next_balance_ns: milliseconds_until(u32::from(r.flags >> 4)),
        }),
        Record::CpusScanned(r) => {
            let has_prev = r.prev_cpu >= 0;
            Event::from(CpusScanned {
                cpu: writer,
                attempt_id: NonZeroU32::new(r.attempt),
                tid: NonZeroI32::new(r.tid),
                mask_id: (!r.mask.as_bytes().is_empty()).then(|| ids.mask(&r.mask.words().collect::<Vec<_>>())),
                chosen_cpu: (r.chosen_cpu >= 0).then_some(r.chosen_cpu),
                prev_cpu: has_prev.then_some(r.prev_cpu),
                wake_flags: has_prev.then_some(r.wake_flags),
            })
        }
        Record::Kick(r) => {
            let next_balance_ns = milliseconds_until(r.until_balance);
            let (target_cpu, kind) = (r.target_cpu as i16, r.kind.min(3) as u8);
            Event::from(BalanceKick { cpu: writer, target_cpu, kind, next_balance_ns })
        }
        Record::Schedstat(r) => {
            let is_reading = r.cpu == NO_CPU;
            let mut row = Schedstat {
                cpu: (!is_reading).then_some(r.cpu as i16),
                level: (!is_reading).then_some(r.level as i16),
                reading_ns: r.reading_ns as i64,
                interval_ns: r.interval_ns as i64,
                restarted: r.restarted != 0,
                counters: [0; 30],
            };
            row.counters.iter_mut().zip(r.counters.iter()).for_each(|(to, word)| *to = word as i64);
            row.into()
        }
        Record::Stack(r) => {
            let id = *names.stacks.entry(r.stack_id).or_insert_with(|| ids.promise_stack());
            let symbols = String::from_utf8_lossy(r.symbols).lines().map(str::to_owned).collect();
            ids.describe_stack(id, Stack { addresses: r.addresses.iter().collect(), symbols });
            return;
        }
        Record::CpuPower(r) if r.what == 0 => {
            Event::from(CpuIdle { cpu: r.cpu as i16, state: u8::try_from(r.value).ok() })
        }
        Record::CpuPower(r) => {
            Event::from(CpuFrequency { cpu: r.cpu as i16, khz: i32::try_from(r.value).unwrap_or(i32::MAX) })
        }
        Record::ProcessRank(r) => Event::from(ProcessRank {
            tgid: r.tgid,
            rank: r.rank as i32,
            size: (r.size > 0).then_some(r.size as i32),
            variable: r.variable.min(LAST_VARIABLE.into()) as u8,
        }),
        Record::Domains(r) => {
            let Names { domains, levels, .. } = names;
            if let Some(whole) = domains.add(ts_ns, r.part, r.parts, r.json) {
                number_levels(whole, levels);
            }
            return;
        }
        Record::CgroupInfo(r) => {
            let some = |value: i64| (value >= 0).then_some(value);
            let path = String::from_utf8_lossy(r.path).into_owned();
            let (quota_ns, period_ns) = (some(r.quota_ns), some(r.period_ns));
            let weight = (r.weight >= 0).then_some(r.weight);
            ids.describe_cgroup(r.cgroup_id as i64, Cgroup { path, quota_ns, period_ns, weight });
            return;
        }
    };
    rows.push(Row { ts_ns, event });
}

/// The record's time is that of the runqueue's clock, which the scheduler sets before all that it does.
fn dl_parameters(r: &Deadline, cpu: Option<i16>, ts_ns: i64) -> DlParameters {
    let until = |clock: u64| ts_ns.wrapping_add(r.deadline.wrapping_sub(clock) as i64);
    let is_set = r.deadline != 0;
    DlParameters {
        cpu,
        tid: r.tid,
        runtime_ns: r.runtime_ns as i64,
        deadline_ns: r.relative_deadline_ns as i64,
        period_ns: r.period_ns as i64,
        flags: r.flags as i32,
        until_ns: (is_set && r.clock != 0).then(|| until(r.clock)),
        kernel_deadline_ns: is_set.then_some(r.deadline as i64),
        left_ns: is_set.then_some(r.left_ns),
        throttled: r.state & deadline_state::THROTTLED != 0,
        yielded: r.state & deadline_state::YIELDED != 0,
    }
}

fn thread(r: &Thread<'_>, [mask_id, user_mask_id, cpuset_mask_id]: [Option<MaskId>; 3]) -> ThreadSnapshot {
    let has = |bit: u32| r.flags & bit != 0;
    ThreadSnapshot {
        tid: r.tid,
        tgid: r.tgid,
        ppid: (r.ppid >= 0).then_some(r.ppid),
        name: comm(&r.comm),
        state: of_word(r.state),
        queue: r.queue.min(3),
        cpu: r.cpu as i16,
        mask_id,
        user_mask_id,
        cpuset_mask_id,
        policy: r.policy,
        prio: Some(r.prio),
        cgroup_id: (r.cgroup_id != 0).then_some(r.cgroup_id as i64),
        migration_disabled: has(flag::MIGRATION_DISABLED),
        throttled: has(flag::THROTTLED),
        cookie: r.cookie as i64,
        is_kernel: has(flag::KERNEL),
        per_cpu_thread: has(flag::PER_CPU),
    }
}

/// Of a field that is one more than milliseconds, 0 where they are not recorded.
fn milliseconds_until(field: u32) -> Option<i64> {
    field.checked_sub(1).map(|ms| i64::from(ms) * 1_000_000)
}

fn intern(mask: Option<Mask<'_>>, ids: &mut Interner) -> Option<MaskId> {
    mask.map(|mask| ids.mask(&mask.words().collect::<Vec<_>>()))
}

/// A cgroup of which a sched_ext scheduler schedules the threads; 0 where it is the one of all.
fn cgroup_of(number: u64) -> Option<i64> {
    (number != 0).then_some(number as i64)
}

/// What an `ExtChange` record says (kernel/sched/ext/internal.h: enum scx_exit_kind; below that bypass).
fn ext_change_of(what: u32) -> u8 {
    match what {
        0 => ext_scheduler_change::BYPASS_END,
        1 => ext_scheduler_change::BYPASS_BEGIN,
        64 => ext_scheduler_change::UNREGISTERED,
        65 => ext_scheduler_change::UNREGISTERED_BY_ITSELF,
        66 => ext_scheduler_change::UNREGISTERED_BY_KERNEL,
        67 => ext_scheduler_change::SYSRQ,
        68 => ext_scheduler_change::PARENT_ENDED,
        69 => ext_scheduler_change::ENDED_BY_PARENT,
        1024 => ext_scheduler_change::ERROR,
        1025 => ext_scheduler_change::OWN_ERROR,
        1026 => ext_scheduler_change::STALL,
        1027 => ext_scheduler_change::REENQUEUED,
        1028 => ext_scheduler_change::RESCUE,
        _ => ext_scheduler_change::ENDED,
    }
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

/// What an attempt of the CPU `writer` read of the queue of `of_cpu`, as both records of it say.
fn load_of(writer: i16, attempt: u32, of_cpu: u16, load: u64, nr_running: u32) -> CpuLoad {
    CpuLoad {
        cpu: writer,
        attempt_id: NonZeroU32::new(attempt),
        of_cpu: of_cpu as i16,
        load: load as i64,
        nr_running: Some(nr_running as i32),
        ..CpuLoad::default()
    }
}

#[cfg(test)]
mod level_tests {
    use super::*;
    use crate::record::Balance;

    #[test]
    fn an_attempt_has_the_number_that_its_domain_has_in_the_table() {
        let mut names = Names { functions: vec!["sched_balance_rq".into()], ..Names::default() };
        names.levels.extend([((3, 1), 0), ((3, 4), 1)]);
        let (mut ids, mut rows) = (Interner::default(), Vec::new());
        for (dst_cpu, level) in [(3, 1), (3, 4), (5, 4), (3, -1)] {
            let attempt = Balance { dst_cpu, level, ..Balance::default() };
            push(3, 5, &Record::Balance(attempt), &mut names, &mut ids, &mut rows);
        }
        let levels = rows.iter().map(|row| match &row.event {
            Event::BalanceAttempt(attempt) => attempt.domain_level,
            other => panic!("{other:?}"),
        });
        assert_eq!(levels.collect::<Vec<_>>(), [Some(0), Some(1), Some(4), None]);
    }
}
