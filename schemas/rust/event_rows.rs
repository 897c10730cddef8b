//! Generated from schemas/tables by wastenot.schemas.generate. Do not edit.

use crate::events::*;
use crate::generated::*;
use crate::references::*;
use crate::sink::{Sink, SinkError, append};
use std::num::NonZeroI32;

crate::builders! {
    /// The columns of all event tables under construction.
    pub struct EventBuilders {
        affinity,
        balance_attempt,
        balance_kick,
        balance_search,
        bubble_event,
        cgroup_move,
        core_cookie,
        cpu_frequency,
        cpu_hotplug,
        cpu_idle,
        cpu_load,
        cpu_snapshot,
        cpus_scanned,
        dl_parameters,
        event_stack,
        ext_access,
        ext_counter,
        ext_idle,
        ext_kick,
        ext_of_cgroup,
        ext_queue,
        ext_scheduler,
        ext_search,
        ext_state,
        idle_exit_late,
        irq_span,
        lost_events,
        migration_disable,
        newidle_entry,
        nr_running,
        perf_counter,
        preferred_llc,
        process_exec,
        process_exit,
        process_fork,
        process_rank,
        region_event,
        run_span,
        sched_migrate_task,
        sched_stat_runtime,
        sched_switch,
        sched_wakeup,
        sched_waking,
        schedstat,
        thread_name,
        thread_snapshot,
        throttle,
    }
}
impl EventBuilders {
    /// Append an event; a full batch goes to `sink`.
    #[inline]
    pub fn push(
        &mut self, id: i64, ts_ns: i64, event: &Event, of: &mut impl References, sink: &mut dyn Sink,
    ) -> Result<(), SinkError> {
        match event {
            Event::Affinity(e) => {
                append(&mut self.affinity, &affinity::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, mask_id: e.mask_id.map(MaskId::column), user_mask_id: e.user_mask_id.map(MaskId::column), cpuset_mask_id: e.cpuset_mask_id.map(MaskId::column) }, sink)
            }
            Event::BalanceAttempt(e) => {
                of.attempt_has_id(e.number, id);
                append(&mut self.balance_attempt, &balance_attempt::Row { id, ts_ns, cpu: e.cpu, dur_ns: e.dur_ns, dst_cpu: e.dst_cpu, domain_level: e.domain_level, idle_type: e.idle_type, pulled: e.pulled, function: of.text(e.function) }, sink)
            }
            Event::BalanceKick(e) => {
                append(&mut self.balance_kick, &balance_kick::Row { id, ts_ns, cpu: e.cpu, target_cpu: e.target_cpu, kind: e.kind, next_balance_ns: e.next_balance_ns }, sink)
            }
            Event::BalanceSearch(e) => {
                append(&mut self.balance_search, &balance_search::Row { id, ts_ns, cpu: e.cpu, attempt_id: e.attempt_id.and_then(|number| of.attempt_id(number)), result: e.result, src_cpu: e.src_cpu, examined: e.examined, not_allowed: e.not_allowed, running: e.running, hot: e.hot, other: e.other }, sink)
            }
            Event::BubbleEvent(e) => {
                append(&mut self.bubble_event, &bubble_event::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, tgid: e.tgid, kind: e.kind, bubble: e.bubble, entity_tid: e.entity_tid, holder: e.holder, holder_id: e.holder_id, value: e.value, name: e.name.as_deref(), snapshot: e.snapshot, status: e.status }, sink)
            }
            Event::CgroupMove(e) => {
                of.mention_cgroup(e.cgroup_id);
                append(&mut self.cgroup_move, &cgroup_move::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, cgroup_id: e.cgroup_id }, sink)
            }
            Event::CoreCookie(e) => {
                append(&mut self.core_cookie, &core_cookie::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, cookie: e.cookie }, sink)
            }
            Event::CpuFrequency(e) => {
                append(&mut self.cpu_frequency, &cpu_frequency::Row { id, ts_ns, cpu: e.cpu, khz: e.khz }, sink)
            }
            Event::CpuHotplug(e) => {
                append(&mut self.cpu_hotplug, &cpu_hotplug::Row { id, ts_ns, cpu: e.cpu, online: e.online }, sink)
            }
            Event::CpuIdle(e) => {
                append(&mut self.cpu_idle, &cpu_idle::Row { id, ts_ns, cpu: e.cpu, state: e.state }, sink)
            }
            Event::CpuLoad(e) => {
                append(&mut self.cpu_load, &cpu_load::Row { id, ts_ns, cpu: e.cpu, attempt_id: e.attempt_id.and_then(|number| of.attempt_id(number)), of_cpu: e.of_cpu, load: e.load, nr_running: e.nr_running, util: e.util, runnable: e.runnable, capacity: e.capacity }, sink)
            }
            Event::CpuSnapshot(e) => {
                append(&mut self.cpu_snapshot, &cpu_snapshot::Row { id, ts_ns, cpu: e.cpu, online: e.online, current_tid: e.current_tid }, sink)
            }
            Event::CpusScanned(e) => {
                append(&mut self.cpus_scanned, &cpus_scanned::Row { id, ts_ns, cpu: e.cpu, attempt_id: e.attempt_id.and_then(|number| of.attempt_id(number)), tid: e.tid.map(i32::from), mask_id: e.mask_id.map(MaskId::column), chosen_cpu: e.chosen_cpu, prev_cpu: e.prev_cpu, wake_flags: e.wake_flags.map(i32::from) }, sink)
            }
            Event::DlParameters(e) => {
                append(&mut self.dl_parameters, &dl_parameters::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, runtime_ns: e.runtime_ns, deadline_ns: e.deadline_ns, period_ns: e.period_ns, flags: e.flags, until_ns: e.until_ns, kernel_deadline_ns: e.kernel_deadline_ns, left_ns: e.left_ns, throttled: e.throttled, yielded: e.yielded }, sink)
            }
            Event::EventStack(e) => {
                append(&mut self.event_stack, &event_stack::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, of: e.of, stack_id: e.stack_id.map(StackId::column) }, sink)
            }
            Event::ExtAccess(e) => {
                append(&mut self.ext_access, &ext_access::Row { id, ts_ns, cpu: e.cpu, cgroup_id: e.cgroup_id, for_cpu: e.for_cpu, may_use: e.may_use }, sink)
            }
            Event::ExtCounter(e) => {
                append(&mut self.ext_counter, &ext_counter::Row { id, ts_ns, cpu: e.cpu, cgroup_id: e.cgroup_id, name: &e.name, value: e.value }, sink)
            }
            Event::ExtIdle(e) => {
                append(&mut self.ext_idle, &ext_idle::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, mask_id: e.mask_id.map(MaskId::column) }, sink)
            }
            Event::ExtKick(e) => {
                append(&mut self.ext_kick, &ext_kick::Row { id, ts_ns, cpu: e.cpu, target_cpu: e.target_cpu, flags: e.flags }, sink)
            }
            Event::ExtOfCgroup(e) => {
                append(&mut self.ext_of_cgroup, &ext_of_cgroup::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, cgroup_id: e.cgroup_id }, sink)
            }
            Event::ExtQueue(e) => {
                append(&mut self.ext_queue, &ext_queue::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, place: e.place, queue_cpu: e.queue_cpu, dsq: e.dsq, step: e.step }, sink)
            }
            Event::ExtScheduler(e) => {
                append(&mut self.ext_scheduler, &ext_scheduler::Row { id, ts_ns, cpu: e.cpu, cgroup_id: e.cgroup_id, change: e.change, name: e.name.as_deref(), threads_recorded: e.threads_recorded }, sink)
            }
            Event::ExtSearch(e) => {
                append(&mut self.ext_search, &ext_search::Row { id, ts_ns, cpu: e.cpu, dur_ns: e.dur_ns, for_cpu: e.for_cpu }, sink)
            }
            Event::ExtState(e) => {
                append(&mut self.ext_state, &ext_state::Row { id, ts_ns, cpu: e.cpu, change: e.change, name: e.name.as_deref(), partial: e.partial, recorded: e.recorded }, sink)
            }
            Event::IdleExitLate(e) => {
                append(&mut self.idle_exit_late, &idle_exit_late::Row { id, ts_ns, cpu: e.cpu, late_ns: e.late_ns }, sink)
            }
            Event::IrqSpan(e) => {
                append(&mut self.irq_span, &irq_span::Row { id, ts_ns, cpu: e.cpu, dur_ns: e.dur_ns, kind: e.kind, vector: e.vector }, sink)
            }
            Event::LostEvents(e) => {
                append(&mut self.lost_events, &lost_events::Row { id, ts_ns, end_ns: e.end_ns, cpu: e.cpu, count: e.count, what: of.text(e.what) }, sink)
            }
            Event::MigrationDisable(e) => {
                append(&mut self.migration_disable, &migration_disable::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, disabled: e.disabled }, sink)
            }
            Event::NewidleEntry(e) => {
                append(&mut self.newidle_entry, &newidle_entry::Row { id, ts_ns, cpu: e.cpu, attempt_id: e.attempt_id.and_then(|number| of.attempt_id(number)), avg_idle_ns: e.avg_idle_ns, overloaded: e.overloaded, wakeup_pending: e.wakeup_pending, too_short_level: e.too_short_level, dice: e.dice, next_balance_ns: e.next_balance_ns }, sink)
            }
            Event::NrRunning(e) => {
                append(&mut self.nr_running, &nr_running::Row { id, ts_ns, cpu: e.cpu, nr_running: e.nr_running, delta: e.delta }, sink)
            }
            Event::PerfCounter(e) => {
                append(&mut self.perf_counter, &perf_counter::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, counter: of.text(e.counter), value: e.value }, sink)
            }
            Event::PreferredLlc(e) => {
                append(&mut self.preferred_llc, &preferred_llc::Row { id, ts_ns, cpu: e.cpu, attempt_id: e.attempt_id.and_then(|number| of.attempt_id(number)), src_cpu: e.src_cpu, threads: e.threads }, sink)
            }
            Event::ProcessExec(e) => {
                append(&mut self.process_exec, &process_exec::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, old_tid: e.old_tid }, sink)
            }
            Event::ProcessExit(e) => {
                append(&mut self.process_exit, &process_exit::Row { id, ts_ns, cpu: e.cpu, tid: e.tid }, sink)
            }
            Event::ProcessFork(e) => {
                append(&mut self.process_fork, &process_fork::Row { id, ts_ns, cpu: e.cpu, parent_tid: e.parent_tid, child_tid: e.child_tid, child_tgid: e.child_tgid }, sink)
            }
            Event::ProcessRank(e) => {
                append(&mut self.process_rank, &process_rank::Row { id, ts_ns, tgid: e.tgid, rank: e.rank, size: e.size, variable: e.variable }, sink)
            }
            Event::RegionEvent(e) => {
                append(&mut self.region_event, &region_event::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, kind: e.kind, enter: e.enter, peer: e.peer, bytes: e.bytes, name: of.text(e.name) }, sink)
            }
            Event::RunSpan(e) => {
                append(&mut self.run_span, &run_span::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, dur_ns: e.dur_ns }, sink)
            }
            Event::SchedMigrateTask(e) => {
                append(&mut self.sched_migrate_task, &sched_migrate_task::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, orig_cpu: e.orig_cpu, dest_cpu: e.dest_cpu, stack_id: e.stack_id.map(StackId::column) }, sink)
            }
            Event::SchedStatRuntime(e) => {
                append(&mut self.sched_stat_runtime, &sched_stat_runtime::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, runtime_ns: e.runtime_ns }, sink)
            }
            Event::SchedSwitch(e) => {
                append(&mut self.sched_switch, &sched_switch::Row { id, ts_ns, cpu: e.cpu, prev_tid: e.prev_tid, prev_state: e.prev_state, prev_prio: e.prev_prio, next_tid: e.next_tid, next_prio: e.next_prio, nr_running: e.nr_running }, sink)
            }
            Event::SchedWakeup(e) => {
                append(&mut self.sched_wakeup, &sched_wakeup::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, target_cpu: e.target_cpu, prio: e.prio, is_new: e.is_new }, sink)
            }
            Event::SchedWaking(e) => {
                append(&mut self.sched_waking, &sched_waking::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, target_cpu: e.target_cpu, prio: e.prio }, sink)
            }
            Event::Schedstat(e) => {
                let [busy_lb_count, busy_lb_balanced, busy_lb_failed, busy_lb_imbalance, busy_lb_gained, busy_lb_hot_gained, busy_lb_nobusyq, busy_lb_nobusyg, idle_lb_count, idle_lb_balanced, idle_lb_failed, idle_lb_imbalance, idle_lb_gained, idle_lb_hot_gained, idle_lb_nobusyq, idle_lb_nobusyg, newidle_lb_count, newidle_lb_balanced, newidle_lb_failed, newidle_lb_imbalance, newidle_lb_gained, newidle_lb_hot_gained, newidle_lb_nobusyq, newidle_lb_nobusyg, alb_count, alb_failed, alb_pushed, ttwu_wake_remote, ttwu_move_affine, ttwu_move_balance] = e.counters;
                append(&mut self.schedstat, &schedstat::Row { id, ts_ns, cpu: e.cpu, level: e.level, reading_ns: e.reading_ns, interval_ns: e.interval_ns, restarted: e.restarted, busy_lb_count, busy_lb_balanced, busy_lb_failed, busy_lb_imbalance, busy_lb_gained, busy_lb_hot_gained, busy_lb_nobusyq, busy_lb_nobusyg, idle_lb_count, idle_lb_balanced, idle_lb_failed, idle_lb_imbalance, idle_lb_gained, idle_lb_hot_gained, idle_lb_nobusyq, idle_lb_nobusyg, newidle_lb_count, newidle_lb_balanced, newidle_lb_failed, newidle_lb_imbalance, newidle_lb_gained, newidle_lb_hot_gained, newidle_lb_nobusyq, newidle_lb_nobusyg, alb_count, alb_failed, alb_pushed, ttwu_wake_remote, ttwu_move_affine, ttwu_move_balance }, sink)
            }
            Event::ThreadName(e) => {
                append(&mut self.thread_name, &thread_name::Row { id, ts_ns, tid: e.tid, tgid: e.tgid, name: &e.name }, sink)
            }
            Event::ThreadSnapshot(e) => {
                e.cgroup_id.into_iter().for_each(|id| of.mention_cgroup(id));
                append(&mut self.thread_snapshot, &thread_snapshot::Row { id, ts_ns, tid: e.tid, tgid: e.tgid, ppid: e.ppid, name: &e.name, state: e.state, queue: e.queue, cpu: e.cpu, mask_id: e.mask_id.map(MaskId::column), user_mask_id: e.user_mask_id.map(MaskId::column), cpuset_mask_id: e.cpuset_mask_id.map(MaskId::column), policy: e.policy, prio: e.prio, cgroup_id: e.cgroup_id, migration_disabled: e.migration_disabled, throttled: e.throttled, cookie: e.cookie, is_kernel: e.is_kernel, per_cpu_thread: e.per_cpu_thread }, sink)
            }
            Event::Throttle(e) => {
                append(&mut self.throttle, &throttle::Row { id, ts_ns, cpu: e.cpu, tid: e.tid, throttled: e.throttled, error_ns: e.error_ns }, sink)
            }
        }
    }
}

/// A batch of one event table.
#[allow(clippy::large_enum_variant)] // one per batch, not per event
#[derive(Clone)]
pub enum EventView {
    Affinity(affinity::View),
    BalanceAttempt(balance_attempt::View),
    BalanceKick(balance_kick::View),
    BalanceSearch(balance_search::View),
    BubbleEvent(bubble_event::View),
    CgroupMove(cgroup_move::View),
    CoreCookie(core_cookie::View),
    CpuFrequency(cpu_frequency::View),
    CpuHotplug(cpu_hotplug::View),
    CpuIdle(cpu_idle::View),
    CpuLoad(cpu_load::View),
    CpuSnapshot(cpu_snapshot::View),
    CpusScanned(cpus_scanned::View),
    DlParameters(dl_parameters::View),
    EventStack(event_stack::View),
    ExtAccess(ext_access::View),
    ExtCounter(ext_counter::View),
    ExtIdle(ext_idle::View),
    ExtKick(ext_kick::View),
    ExtOfCgroup(ext_of_cgroup::View),
    ExtQueue(ext_queue::View),
    ExtScheduler(ext_scheduler::View),
    ExtSearch(ext_search::View),
    ExtState(ext_state::View),
    IdleExitLate(idle_exit_late::View),
    IrqSpan(irq_span::View),
    LostEvents(lost_events::View),
    MigrationDisable(migration_disable::View),
    NewidleEntry(newidle_entry::View),
    NrRunning(nr_running::View),
    PerfCounter(perf_counter::View),
    PreferredLlc(preferred_llc::View),
    ProcessExec(process_exec::View),
    ProcessExit(process_exit::View),
    ProcessFork(process_fork::View),
    ProcessRank(process_rank::View),
    RegionEvent(region_event::View),
    RunSpan(run_span::View),
    SchedMigrateTask(sched_migrate_task::View),
    SchedStatRuntime(sched_stat_runtime::View),
    SchedSwitch(sched_switch::View),
    SchedWakeup(sched_wakeup::View),
    SchedWaking(sched_waking::View),
    Schedstat(schedstat::View),
    ThreadName(thread_name::View),
    ThreadSnapshot(thread_snapshot::View),
    Throttle(throttle::View),
}
impl EventView {
    /// How batches of the event table `table` become views, with its name; None for a table that holds no events.
    pub fn of_table(table: &str) -> Option<(&'static str, MakeEventView)> {
        let made: (&'static str, MakeEventView) = match table {
            affinity::NAME => (affinity::NAME, |batch| Ok(Self::Affinity(affinity::View::try_new(batch)?))),
            balance_attempt::NAME => (balance_attempt::NAME, |batch| Ok(Self::BalanceAttempt(balance_attempt::View::try_new(batch)?))),
            balance_kick::NAME => (balance_kick::NAME, |batch| Ok(Self::BalanceKick(balance_kick::View::try_new(batch)?))),
            balance_search::NAME => (balance_search::NAME, |batch| Ok(Self::BalanceSearch(balance_search::View::try_new(batch)?))),
            bubble_event::NAME => (bubble_event::NAME, |batch| Ok(Self::BubbleEvent(bubble_event::View::try_new(batch)?))),
            cgroup_move::NAME => (cgroup_move::NAME, |batch| Ok(Self::CgroupMove(cgroup_move::View::try_new(batch)?))),
            core_cookie::NAME => (core_cookie::NAME, |batch| Ok(Self::CoreCookie(core_cookie::View::try_new(batch)?))),
            cpu_frequency::NAME => (cpu_frequency::NAME, |batch| Ok(Self::CpuFrequency(cpu_frequency::View::try_new(batch)?))),
            cpu_hotplug::NAME => (cpu_hotplug::NAME, |batch| Ok(Self::CpuHotplug(cpu_hotplug::View::try_new(batch)?))),
            cpu_idle::NAME => (cpu_idle::NAME, |batch| Ok(Self::CpuIdle(cpu_idle::View::try_new(batch)?))),
            cpu_load::NAME => (cpu_load::NAME, |batch| Ok(Self::CpuLoad(cpu_load::View::try_new(batch)?))),
            cpu_snapshot::NAME => (cpu_snapshot::NAME, |batch| Ok(Self::CpuSnapshot(cpu_snapshot::View::try_new(batch)?))),
            cpus_scanned::NAME => (cpus_scanned::NAME, |batch| Ok(Self::CpusScanned(cpus_scanned::View::try_new(batch)?))),
            dl_parameters::NAME => (dl_parameters::NAME, |batch| Ok(Self::DlParameters(dl_parameters::View::try_new(batch)?))),
            event_stack::NAME => (event_stack::NAME, |batch| Ok(Self::EventStack(event_stack::View::try_new(batch)?))),
            ext_access::NAME => (ext_access::NAME, |batch| Ok(Self::ExtAccess(ext_access::View::try_new(batch)?))),
            ext_counter::NAME => (ext_counter::NAME, |batch| Ok(Self::ExtCounter(ext_counter::View::try_new(batch)?))),
            ext_idle::NAME => (ext_idle::NAME, |batch| Ok(Self::ExtIdle(ext_idle::View::try_new(batch)?))),
            ext_kick::NAME => (ext_kick::NAME, |batch| Ok(Self::ExtKick(ext_kick::View::try_new(batch)?))),
            ext_of_cgroup::NAME => (ext_of_cgroup::NAME, |batch| Ok(Self::ExtOfCgroup(ext_of_cgroup::View::try_new(batch)?))),
            ext_queue::NAME => (ext_queue::NAME, |batch| Ok(Self::ExtQueue(ext_queue::View::try_new(batch)?))),
            ext_scheduler::NAME => (ext_scheduler::NAME, |batch| Ok(Self::ExtScheduler(ext_scheduler::View::try_new(batch)?))),
            ext_search::NAME => (ext_search::NAME, |batch| Ok(Self::ExtSearch(ext_search::View::try_new(batch)?))),
            ext_state::NAME => (ext_state::NAME, |batch| Ok(Self::ExtState(ext_state::View::try_new(batch)?))),
            idle_exit_late::NAME => (idle_exit_late::NAME, |batch| Ok(Self::IdleExitLate(idle_exit_late::View::try_new(batch)?))),
            irq_span::NAME => (irq_span::NAME, |batch| Ok(Self::IrqSpan(irq_span::View::try_new(batch)?))),
            lost_events::NAME => (lost_events::NAME, |batch| Ok(Self::LostEvents(lost_events::View::try_new(batch)?))),
            migration_disable::NAME => (migration_disable::NAME, |batch| Ok(Self::MigrationDisable(migration_disable::View::try_new(batch)?))),
            newidle_entry::NAME => (newidle_entry::NAME, |batch| Ok(Self::NewidleEntry(newidle_entry::View::try_new(batch)?))),
            nr_running::NAME => (nr_running::NAME, |batch| Ok(Self::NrRunning(nr_running::View::try_new(batch)?))),
            perf_counter::NAME => (perf_counter::NAME, |batch| Ok(Self::PerfCounter(perf_counter::View::try_new(batch)?))),
            preferred_llc::NAME => (preferred_llc::NAME, |batch| Ok(Self::PreferredLlc(preferred_llc::View::try_new(batch)?))),
            process_exec::NAME => (process_exec::NAME, |batch| Ok(Self::ProcessExec(process_exec::View::try_new(batch)?))),
            process_exit::NAME => (process_exit::NAME, |batch| Ok(Self::ProcessExit(process_exit::View::try_new(batch)?))),
            process_fork::NAME => (process_fork::NAME, |batch| Ok(Self::ProcessFork(process_fork::View::try_new(batch)?))),
            process_rank::NAME => (process_rank::NAME, |batch| Ok(Self::ProcessRank(process_rank::View::try_new(batch)?))),
            region_event::NAME => (region_event::NAME, |batch| Ok(Self::RegionEvent(region_event::View::try_new(batch)?))),
            run_span::NAME => (run_span::NAME, |batch| Ok(Self::RunSpan(run_span::View::try_new(batch)?))),
            sched_migrate_task::NAME => (sched_migrate_task::NAME, |batch| Ok(Self::SchedMigrateTask(sched_migrate_task::View::try_new(batch)?))),
            sched_stat_runtime::NAME => (sched_stat_runtime::NAME, |batch| Ok(Self::SchedStatRuntime(sched_stat_runtime::View::try_new(batch)?))),
            sched_switch::NAME => (sched_switch::NAME, |batch| Ok(Self::SchedSwitch(sched_switch::View::try_new(batch)?))),
            sched_wakeup::NAME => (sched_wakeup::NAME, |batch| Ok(Self::SchedWakeup(sched_wakeup::View::try_new(batch)?))),
            sched_waking::NAME => (sched_waking::NAME, |batch| Ok(Self::SchedWaking(sched_waking::View::try_new(batch)?))),
            schedstat::NAME => (schedstat::NAME, |batch| Ok(Self::Schedstat(schedstat::View::try_new(batch)?))),
            thread_name::NAME => (thread_name::NAME, |batch| Ok(Self::ThreadName(thread_name::View::try_new(batch)?))),
            thread_snapshot::NAME => (thread_snapshot::NAME, |batch| Ok(Self::ThreadSnapshot(thread_snapshot::View::try_new(batch)?))),
            throttle::NAME => (throttle::NAME, |batch| Ok(Self::Throttle(throttle::View::try_new(batch)?))),
            _ => return None,
        };
        Some(made)
    }
    /// Time of row `i`, ns.
    #[inline]
    pub fn ts_ns(&self, i: usize) -> i64 {
        match self {
            Self::Affinity(view) => view.ts_ns.value(i),
            Self::BalanceAttempt(view) => view.ts_ns.value(i),
            Self::BalanceKick(view) => view.ts_ns.value(i),
            Self::BalanceSearch(view) => view.ts_ns.value(i),
            Self::BubbleEvent(view) => view.ts_ns.value(i),
            Self::CgroupMove(view) => view.ts_ns.value(i),
            Self::CoreCookie(view) => view.ts_ns.value(i),
            Self::CpuFrequency(view) => view.ts_ns.value(i),
            Self::CpuHotplug(view) => view.ts_ns.value(i),
            Self::CpuIdle(view) => view.ts_ns.value(i),
            Self::CpuLoad(view) => view.ts_ns.value(i),
            Self::CpuSnapshot(view) => view.ts_ns.value(i),
            Self::CpusScanned(view) => view.ts_ns.value(i),
            Self::DlParameters(view) => view.ts_ns.value(i),
            Self::EventStack(view) => view.ts_ns.value(i),
            Self::ExtAccess(view) => view.ts_ns.value(i),
            Self::ExtCounter(view) => view.ts_ns.value(i),
            Self::ExtIdle(view) => view.ts_ns.value(i),
            Self::ExtKick(view) => view.ts_ns.value(i),
            Self::ExtOfCgroup(view) => view.ts_ns.value(i),
            Self::ExtQueue(view) => view.ts_ns.value(i),
            Self::ExtScheduler(view) => view.ts_ns.value(i),
            Self::ExtSearch(view) => view.ts_ns.value(i),
            Self::ExtState(view) => view.ts_ns.value(i),
            Self::IdleExitLate(view) => view.ts_ns.value(i),
            Self::IrqSpan(view) => view.ts_ns.value(i),
            Self::LostEvents(view) => view.ts_ns.value(i),
            Self::MigrationDisable(view) => view.ts_ns.value(i),
            Self::NewidleEntry(view) => view.ts_ns.value(i),
            Self::NrRunning(view) => view.ts_ns.value(i),
            Self::PerfCounter(view) => view.ts_ns.value(i),
            Self::PreferredLlc(view) => view.ts_ns.value(i),
            Self::ProcessExec(view) => view.ts_ns.value(i),
            Self::ProcessExit(view) => view.ts_ns.value(i),
            Self::ProcessFork(view) => view.ts_ns.value(i),
            Self::ProcessRank(view) => view.ts_ns.value(i),
            Self::RegionEvent(view) => view.ts_ns.value(i),
            Self::RunSpan(view) => view.ts_ns.value(i),
            Self::SchedMigrateTask(view) => view.ts_ns.value(i),
            Self::SchedStatRuntime(view) => view.ts_ns.value(i),
            Self::SchedSwitch(view) => view.ts_ns.value(i),
            Self::SchedWakeup(view) => view.ts_ns.value(i),
            Self::SchedWaking(view) => view.ts_ns.value(i),
            Self::Schedstat(view) => view.ts_ns.value(i),
            Self::ThreadName(view) => view.ts_ns.value(i),
            Self::ThreadSnapshot(view) => view.ts_ns.value(i),
            Self::Throttle(view) => view.ts_ns.value(i),
        }
    }
    /// Rows of the batch.
    pub fn len(&self) -> usize {
        match self {
            Self::Affinity(view) => view.len(),
            Self::BalanceAttempt(view) => view.len(),
            Self::BalanceKick(view) => view.len(),
            Self::BalanceSearch(view) => view.len(),
            Self::BubbleEvent(view) => view.len(),
            Self::CgroupMove(view) => view.len(),
            Self::CoreCookie(view) => view.len(),
            Self::CpuFrequency(view) => view.len(),
            Self::CpuHotplug(view) => view.len(),
            Self::CpuIdle(view) => view.len(),
            Self::CpuLoad(view) => view.len(),
            Self::CpuSnapshot(view) => view.len(),
            Self::CpusScanned(view) => view.len(),
            Self::DlParameters(view) => view.len(),
            Self::EventStack(view) => view.len(),
            Self::ExtAccess(view) => view.len(),
            Self::ExtCounter(view) => view.len(),
            Self::ExtIdle(view) => view.len(),
            Self::ExtKick(view) => view.len(),
            Self::ExtOfCgroup(view) => view.len(),
            Self::ExtQueue(view) => view.len(),
            Self::ExtScheduler(view) => view.len(),
            Self::ExtSearch(view) => view.len(),
            Self::ExtState(view) => view.len(),
            Self::IdleExitLate(view) => view.len(),
            Self::IrqSpan(view) => view.len(),
            Self::LostEvents(view) => view.len(),
            Self::MigrationDisable(view) => view.len(),
            Self::NewidleEntry(view) => view.len(),
            Self::NrRunning(view) => view.len(),
            Self::PerfCounter(view) => view.len(),
            Self::PreferredLlc(view) => view.len(),
            Self::ProcessExec(view) => view.len(),
            Self::ProcessExit(view) => view.len(),
            Self::ProcessFork(view) => view.len(),
            Self::ProcessRank(view) => view.len(),
            Self::RegionEvent(view) => view.len(),
            Self::RunSpan(view) => view.len(),
            Self::SchedMigrateTask(view) => view.len(),
            Self::SchedStatRuntime(view) => view.len(),
            Self::SchedSwitch(view) => view.len(),
            Self::SchedWakeup(view) => view.len(),
            Self::SchedWaking(view) => view.len(),
            Self::Schedstat(view) => view.len(),
            Self::ThreadName(view) => view.len(),
            Self::ThreadSnapshot(view) => view.len(),
            Self::Throttle(view) => view.len(),
        }
    }
    /// Id of the event in row `i`.
    pub fn id(&self, i: usize) -> i64 {
        match self {
            Self::Affinity(view) => view.id.value(i),
            Self::BalanceAttempt(view) => view.id.value(i),
            Self::BalanceKick(view) => view.id.value(i),
            Self::BalanceSearch(view) => view.id.value(i),
            Self::BubbleEvent(view) => view.id.value(i),
            Self::CgroupMove(view) => view.id.value(i),
            Self::CoreCookie(view) => view.id.value(i),
            Self::CpuFrequency(view) => view.id.value(i),
            Self::CpuHotplug(view) => view.id.value(i),
            Self::CpuIdle(view) => view.id.value(i),
            Self::CpuLoad(view) => view.id.value(i),
            Self::CpuSnapshot(view) => view.id.value(i),
            Self::CpusScanned(view) => view.id.value(i),
            Self::DlParameters(view) => view.id.value(i),
            Self::EventStack(view) => view.id.value(i),
            Self::ExtAccess(view) => view.id.value(i),
            Self::ExtCounter(view) => view.id.value(i),
            Self::ExtIdle(view) => view.id.value(i),
            Self::ExtKick(view) => view.id.value(i),
            Self::ExtOfCgroup(view) => view.id.value(i),
            Self::ExtQueue(view) => view.id.value(i),
            Self::ExtScheduler(view) => view.id.value(i),
            Self::ExtSearch(view) => view.id.value(i),
            Self::ExtState(view) => view.id.value(i),
            Self::IdleExitLate(view) => view.id.value(i),
            Self::IrqSpan(view) => view.id.value(i),
            Self::LostEvents(view) => view.id.value(i),
            Self::MigrationDisable(view) => view.id.value(i),
            Self::NewidleEntry(view) => view.id.value(i),
            Self::NrRunning(view) => view.id.value(i),
            Self::PerfCounter(view) => view.id.value(i),
            Self::PreferredLlc(view) => view.id.value(i),
            Self::ProcessExec(view) => view.id.value(i),
            Self::ProcessExit(view) => view.id.value(i),
            Self::ProcessFork(view) => view.id.value(i),
            Self::ProcessRank(view) => view.id.value(i),
            Self::RegionEvent(view) => view.id.value(i),
            Self::RunSpan(view) => view.id.value(i),
            Self::SchedMigrateTask(view) => view.id.value(i),
            Self::SchedStatRuntime(view) => view.id.value(i),
            Self::SchedSwitch(view) => view.id.value(i),
            Self::SchedWakeup(view) => view.id.value(i),
            Self::SchedWaking(view) => view.id.value(i),
            Self::Schedstat(view) => view.id.value(i),
            Self::ThreadName(view) => view.id.value(i),
            Self::ThreadSnapshot(view) => view.id.value(i),
            Self::Throttle(view) => view.id.value(i),
        }
    }
    /// The batch has no rows.
    pub fn is_empty(&self) -> bool { self.len() == 0 }
    /// Row `i` as an event again, with its id and time; None where it refers to something that `known` lacks.
    pub fn event(&self, i: usize, known: &mut impl Known) -> Option<(i64, i64, Event)> {
        Some(match self {
            Self::Affinity(view) => { let r = view.row(i); (r.id, r.ts_ns, Affinity { cpu: r.cpu, tid: r.tid, mask_id: known.mask(r.mask_id)?, user_mask_id: known.mask(r.user_mask_id)?, cpuset_mask_id: known.mask(r.cpuset_mask_id)? }.into()) }
            Self::BalanceAttempt(view) => { let r = view.row(i); (r.id, r.ts_ns, BalanceAttempt { cpu: r.cpu, dur_ns: r.dur_ns, dst_cpu: r.dst_cpu, domain_level: r.domain_level, idle_type: r.idle_type, pulled: r.pulled, function: known.text(r.function), number: known.attempt(r.id) }.into()) }
            Self::BalanceKick(view) => { let r = view.row(i); (r.id, r.ts_ns, BalanceKick { cpu: r.cpu, target_cpu: r.target_cpu, kind: r.kind, next_balance_ns: r.next_balance_ns }.into()) }
            Self::BalanceSearch(view) => { let r = view.row(i); (r.id, r.ts_ns, BalanceSearch { cpu: r.cpu, attempt_id: r.attempt_id.map(|id| known.attempt(id)), result: r.result, src_cpu: r.src_cpu, examined: r.examined, not_allowed: r.not_allowed, running: r.running, hot: r.hot, other: r.other }.into()) }
            Self::BubbleEvent(view) => { let r = view.row(i); (r.id, r.ts_ns, BubbleEvent { cpu: r.cpu, tid: r.tid, tgid: r.tgid, kind: r.kind, bubble: r.bubble, entity_tid: r.entity_tid, holder: r.holder, holder_id: r.holder_id, value: r.value, name: r.name.map(Into::into), snapshot: r.snapshot, status: r.status }.into()) }
            Self::CgroupMove(view) => { let r = view.row(i); (r.id, r.ts_ns, CgroupMove { cpu: r.cpu, tid: r.tid, cgroup_id: r.cgroup_id }.into()) }
            Self::CoreCookie(view) => { let r = view.row(i); (r.id, r.ts_ns, CoreCookie { cpu: r.cpu, tid: r.tid, cookie: r.cookie }.into()) }
            Self::CpuFrequency(view) => { let r = view.row(i); (r.id, r.ts_ns, CpuFrequency { cpu: r.cpu, khz: r.khz }.into()) }
            Self::CpuHotplug(view) => { let r = view.row(i); (r.id, r.ts_ns, CpuHotplug { cpu: r.cpu, online: r.online }.into()) }
            Self::CpuIdle(view) => { let r = view.row(i); (r.id, r.ts_ns, CpuIdle { cpu: r.cpu, state: r.state }.into()) }
            Self::CpuLoad(view) => { let r = view.row(i); (r.id, r.ts_ns, CpuLoad { cpu: r.cpu, attempt_id: r.attempt_id.map(|id| known.attempt(id)), of_cpu: r.of_cpu, load: r.load, nr_running: r.nr_running, util: r.util, runnable: r.runnable, capacity: r.capacity }.into()) }
            Self::CpuSnapshot(view) => { let r = view.row(i); (r.id, r.ts_ns, CpuSnapshot { cpu: r.cpu, online: r.online, current_tid: r.current_tid }.into()) }
            Self::CpusScanned(view) => { let r = view.row(i); (r.id, r.ts_ns, CpusScanned { cpu: r.cpu, attempt_id: r.attempt_id.map(|id| known.attempt(id)), tid: r.tid.and_then(|value| NonZeroI32::try_from(value).ok()), mask_id: known.mask(r.mask_id)?, chosen_cpu: r.chosen_cpu, prev_cpu: r.prev_cpu, wake_flags: r.wake_flags.and_then(|value| u16::try_from(value).ok()) }.into()) }
            Self::DlParameters(view) => { let r = view.row(i); (r.id, r.ts_ns, DlParameters { cpu: r.cpu, tid: r.tid, runtime_ns: r.runtime_ns, deadline_ns: r.deadline_ns, period_ns: r.period_ns, flags: r.flags, until_ns: r.until_ns, kernel_deadline_ns: r.kernel_deadline_ns, left_ns: r.left_ns, throttled: r.throttled, yielded: r.yielded }.into()) }
            Self::EventStack(view) => { let r = view.row(i); (r.id, r.ts_ns, EventStack { cpu: r.cpu, tid: r.tid, of: r.of, stack_id: known.stack(r.stack_id)? }.into()) }
            Self::ExtAccess(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtAccess { cpu: r.cpu, cgroup_id: r.cgroup_id, for_cpu: r.for_cpu, may_use: r.may_use }.into()) }
            Self::ExtCounter(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtCounter { cpu: r.cpu, cgroup_id: r.cgroup_id, name: r.name.into(), value: r.value }.into()) }
            Self::ExtIdle(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtIdle { cpu: r.cpu, tid: r.tid, mask_id: known.mask(r.mask_id)? }.into()) }
            Self::ExtKick(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtKick { cpu: r.cpu, target_cpu: r.target_cpu, flags: r.flags }.into()) }
            Self::ExtOfCgroup(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtOfCgroup { cpu: r.cpu, tid: r.tid, cgroup_id: r.cgroup_id }.into()) }
            Self::ExtQueue(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtQueue { cpu: r.cpu, tid: r.tid, place: r.place, queue_cpu: r.queue_cpu, dsq: r.dsq, step: r.step }.into()) }
            Self::ExtScheduler(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtScheduler { cpu: r.cpu, cgroup_id: r.cgroup_id, change: r.change, name: r.name.map(Into::into), threads_recorded: r.threads_recorded }.into()) }
            Self::ExtSearch(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtSearch { cpu: r.cpu, dur_ns: r.dur_ns, for_cpu: r.for_cpu }.into()) }
            Self::ExtState(view) => { let r = view.row(i); (r.id, r.ts_ns, ExtState { cpu: r.cpu, change: r.change, name: r.name.map(Into::into), partial: r.partial, recorded: r.recorded }.into()) }
            Self::IdleExitLate(view) => { let r = view.row(i); (r.id, r.ts_ns, IdleExitLate { cpu: r.cpu, late_ns: r.late_ns }.into()) }
            Self::IrqSpan(view) => { let r = view.row(i); (r.id, r.ts_ns, IrqSpan { cpu: r.cpu, dur_ns: r.dur_ns, kind: r.kind, vector: r.vector }.into()) }
            Self::LostEvents(view) => { let r = view.row(i); (r.id, r.ts_ns, LostEvents { end_ns: r.end_ns, cpu: r.cpu, count: r.count, what: known.text(r.what) }.into()) }
            Self::MigrationDisable(view) => { let r = view.row(i); (r.id, r.ts_ns, MigrationDisable { cpu: r.cpu, tid: r.tid, disabled: r.disabled }.into()) }
            Self::NewidleEntry(view) => { let r = view.row(i); (r.id, r.ts_ns, NewidleEntry { cpu: r.cpu, attempt_id: r.attempt_id.map(|id| known.attempt(id)), avg_idle_ns: r.avg_idle_ns, overloaded: r.overloaded, wakeup_pending: r.wakeup_pending, too_short_level: r.too_short_level, dice: r.dice, next_balance_ns: r.next_balance_ns }.into()) }
            Self::NrRunning(view) => { let r = view.row(i); (r.id, r.ts_ns, NrRunning { cpu: r.cpu, nr_running: r.nr_running, delta: r.delta }.into()) }
            Self::PerfCounter(view) => { let r = view.row(i); (r.id, r.ts_ns, PerfCounter { cpu: r.cpu, tid: r.tid, counter: known.text(r.counter), value: r.value }.into()) }
            Self::PreferredLlc(view) => { let r = view.row(i); (r.id, r.ts_ns, PreferredLlc { cpu: r.cpu, attempt_id: r.attempt_id.map(|id| known.attempt(id)), src_cpu: r.src_cpu, threads: r.threads }.into()) }
            Self::ProcessExec(view) => { let r = view.row(i); (r.id, r.ts_ns, ProcessExec { cpu: r.cpu, tid: r.tid, old_tid: r.old_tid }.into()) }
            Self::ProcessExit(view) => { let r = view.row(i); (r.id, r.ts_ns, ProcessExit { cpu: r.cpu, tid: r.tid }.into()) }
            Self::ProcessFork(view) => { let r = view.row(i); (r.id, r.ts_ns, ProcessFork { cpu: r.cpu, parent_tid: r.parent_tid, child_tid: r.child_tid, child_tgid: r.child_tgid }.into()) }
            Self::ProcessRank(view) => { let r = view.row(i); (r.id, r.ts_ns, ProcessRank { tgid: r.tgid, rank: r.rank, size: r.size, variable: r.variable }.into()) }
            Self::RegionEvent(view) => { let r = view.row(i); (r.id, r.ts_ns, RegionEvent { cpu: r.cpu, tid: r.tid, kind: r.kind, enter: r.enter, peer: r.peer, bytes: r.bytes, name: known.text(r.name) }.into()) }
            Self::RunSpan(view) => { let r = view.row(i); (r.id, r.ts_ns, RunSpan { cpu: r.cpu, tid: r.tid, dur_ns: r.dur_ns }.into()) }
            Self::SchedMigrateTask(view) => { let r = view.row(i); (r.id, r.ts_ns, SchedMigrateTask { cpu: r.cpu, tid: r.tid, orig_cpu: r.orig_cpu, dest_cpu: r.dest_cpu, stack_id: known.stack(r.stack_id)? }.into()) }
            Self::SchedStatRuntime(view) => { let r = view.row(i); (r.id, r.ts_ns, SchedStatRuntime { cpu: r.cpu, tid: r.tid, runtime_ns: r.runtime_ns }.into()) }
            Self::SchedSwitch(view) => { let r = view.row(i); (r.id, r.ts_ns, SchedSwitch { cpu: r.cpu, prev_tid: r.prev_tid, prev_state: r.prev_state, prev_prio: r.prev_prio, next_tid: r.next_tid, next_prio: r.next_prio, nr_running: r.nr_running }.into()) }
            Self::SchedWakeup(view) => { let r = view.row(i); (r.id, r.ts_ns, SchedWakeup { cpu: r.cpu, tid: r.tid, target_cpu: r.target_cpu, prio: r.prio, is_new: r.is_new }.into()) }
            Self::SchedWaking(view) => { let r = view.row(i); (r.id, r.ts_ns, SchedWaking { cpu: r.cpu, tid: r.tid, target_cpu: r.target_cpu, prio: r.prio }.into()) }
            Self::Schedstat(view) => { let r = view.row(i); (r.id, r.ts_ns, Schedstat { cpu: r.cpu, level: r.level, reading_ns: r.reading_ns, interval_ns: r.interval_ns, restarted: r.restarted, counters: [r.busy_lb_count, r.busy_lb_balanced, r.busy_lb_failed, r.busy_lb_imbalance, r.busy_lb_gained, r.busy_lb_hot_gained, r.busy_lb_nobusyq, r.busy_lb_nobusyg, r.idle_lb_count, r.idle_lb_balanced, r.idle_lb_failed, r.idle_lb_imbalance, r.idle_lb_gained, r.idle_lb_hot_gained, r.idle_lb_nobusyq, r.idle_lb_nobusyg, r.newidle_lb_count, r.newidle_lb_balanced, r.newidle_lb_failed, r.newidle_lb_imbalance, r.newidle_lb_gained, r.newidle_lb_hot_gained, r.newidle_lb_nobusyq, r.newidle_lb_nobusyg, r.alb_count, r.alb_failed, r.alb_pushed, r.ttwu_wake_remote, r.ttwu_move_affine, r.ttwu_move_balance] }.into()) }
            Self::ThreadName(view) => { let r = view.row(i); (r.id, r.ts_ns, ThreadName { tid: r.tid, tgid: r.tgid, name: r.name.into() }.into()) }
            Self::ThreadSnapshot(view) => { let r = view.row(i); (r.id, r.ts_ns, ThreadSnapshot { tid: r.tid, tgid: r.tgid, ppid: r.ppid, name: r.name.into(), state: r.state, queue: r.queue, cpu: r.cpu, mask_id: known.mask(r.mask_id)?, user_mask_id: known.mask(r.user_mask_id)?, cpuset_mask_id: known.mask(r.cpuset_mask_id)?, policy: r.policy, prio: r.prio, cgroup_id: r.cgroup_id, migration_disabled: r.migration_disabled, throttled: r.throttled, cookie: r.cookie, is_kernel: r.is_kernel, per_cpu_thread: r.per_cpu_thread }.into()) }
            Self::Throttle(view) => { let r = view.row(i); (r.id, r.ts_ns, Throttle { cpu: r.cpu, tid: r.tid, throttled: r.throttled, error_ns: r.error_ns }.into()) }
        })
    }
}
