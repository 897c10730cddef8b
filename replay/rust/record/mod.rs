//! The trace of a simulation: rows of the tables a recorder writes, as Arrow batches, each table in the order of its ids.
//!
//! Memory stays flat: a table is written as soon as it has a full batch.

mod stacks;

pub use stacks::Path;

use crate::masks::{MaskId, Masks};
use crate::span::Ns;
use crate::topology::{CpuIx, SimulatedTopology};
use arrow_array::RecordBatch;
use wastenot_schemas as tables;
use wastenot_schemas::{EvidenceLevel, Sink, SinkError};

/// How much the trace shall show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// L0: also creation and end of threads. L1: also nr_running. L2: the loads that attempts saw and the CPUs scanned, too.
    /// L3: as L2, the simulator has no counters.
    pub level: EvidenceLevel,
    /// Allowed CPUs of threads.
    pub masks: bool,
    /// Throttling.
    pub throttling: bool,
    /// Interrupt work.
    pub irq: bool,
    /// Scheduling domains.
    pub domains: bool,
}

impl Default for Evidence {
    /// Everything.
    fn default() -> Self {
        Self { level: EvidenceLevel::L3, masks: true, throttling: true, irq: true, domains: true }
    }
}

impl Evidence {
    /// A level with everything that does not depend on it.
    pub fn level(level: EvidenceLevel) -> Self {
        Self { level, ..Self::default() }
    }

    /// What such a trace holds. Nothing simulated uses migration-disabled sections or cookies.
    fn recorded(&self) -> tables::RecordedEvidence {
        use tables::EvidenceKind::*;
        let without = |is_recorded: bool, why: &str| (!is_recorded).then(|| why.to_owned());
        let below = |level: EvidenceLevel| {
            without(self.level >= level, &format!("simulated with evidence below {}", level.name()))
        };
        tables::RecordedEvidence::new(|kind| match kind {
            Migrations | MigrationStacks => below(EvidenceLevel::L1),
            LoadBalanceAttempts | Placements | CpusScanned | LoadBalanceKicks => below(EvidenceLevel::L2),
            PerCpuThread | MigrationDisabled | Isolated | Cookie => None,
            DomainsBuilt => without(self.domains, "simulated without domains"),
            Cpuset | Affinity => without(self.masks, "simulated without masks"),
            Throttled => without(self.throttling, "simulated without throttling"),
            IrqBusy => without(self.irq, "simulated without interrupt work"),
            DlParameters => None,
            _ => Some("the simulator does not have it".into()),
        })
    }
}

/// A domain as a CPU has it: a row of the table `domain`.
#[derive(Clone, Debug)]
pub struct DomainRow {
    /// CPU that has the domain.
    pub cpu: CpuIx,
    /// 0 the smallest.
    pub level: i16,
    /// SMT, MC ...
    pub name: &'static str,
    /// CPUs it spans.
    pub span: Vec<CpuIx>,
    /// CPUs of its groups, of which the CPU balances for the first.
    pub groups: Vec<Vec<CpuIx>>,
    /// Shortest and longest balance interval.
    pub interval_ns: (Ns, Ns),
    /// Multiplier on a busy CPU.
    pub busy_factor: i32,
    /// Imbalance from which it acts.
    pub imbalance_pct: i32,
}

/// The server of a deadline thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeadlineServer {
    /// Time that the thread may run until each deadline.
    pub runtime_ns: Ns,
    /// From an activation to its deadline.
    pub deadline_ns: Ns,
    /// Between two activations.
    pub period_ns: Ns,
    /// Its deadline; 0: not set yet.
    pub until: Ns,
    /// Runtime that is left until then.
    pub left: i64,
    /// It has no runtime, or gave up what was left, and waits for its next period.
    pub throttled: bool,
    /// It gave up what was left of its runtime.
    pub yielded: bool,
}

/// A load-balance attempt under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptId(i64);

struct Attempt {
    id: i64,
    ts_ns: i64,
    cpu: i16,
    dst_cpu: i16,
    domain_level: Option<i16>,
    idle_type: u8,
    function: &'static str,
    end: Option<(i64, Option<i32>)>,
}

tables::builders! {
    struct Builders {
    affinity,
    balance_attempt,
    balance_kick,
    bubble_event,
    cpus_scanned,
    cpu_hotplug,
    cpu_load,
    cpu_snapshot,
    dl_parameters,
    domain,
    domain_group,
    irq_span,
    nr_running,
    process_exec,
    process_exit,
    process_fork,
    sched_migrate_task,
    sched_switch,
    sched_wakeup,
    sched_waking,
    thread_name,
    thread_snapshot,
    throttle,
    }
}

/// Writes the events of a simulation.
pub struct Recorder<'s> {
    sink: &'s mut dyn Sink,
    evidence: Evidence,
    numbers: Vec<i16>,
    rows: Builders,
    next_id: i64,
    /// Load-balance attempts that are not written yet, in the order of their ids, and how many have not ended.
    attempts: Vec<Attempt>,
    open: usize,
    has_domains: bool,
    error: Option<SinkError>,
    modern: bool,
}

/// Appends a row, unless the sink has failed.
macro_rules! push {
    ($self:ident, $table:ident, $row:expr) => {{
        if $self.error.is_none() {
            $self.error = tables::append(&mut $self.rows.$table, &$row, $self.sink).err();
        }
    }};
}

/// A thread as its snapshot shows it.
pub(crate) struct ThreadRow<'a> {
    pub tid: i32,
    pub tgid: i32,
    pub ppid: i32,
    pub name: &'a str,
    pub queued: bool,
    pub cpu: CpuIx,
    pub masks: (MaskId, Option<MaskId>, Option<MaskId>),
    pub policy: u8,
    pub prio: i16,
    pub cgroup_id: Option<i64>,
    pub is_kernel: bool,
    pub per_cpu: bool,
}

/// What is written at the end.
pub(crate) struct TraceEnd<'a> {
    pub topology: &'a SimulatedTopology,
    pub masks: &'a Masks,
    pub release: &'a str,
    pub migration_cost_ns: Option<i64>,
    pub end_ns: Ns,
    pub command: &'a str,
    pub options: &'a str,
    pub cgroups: Vec<tables::cgroup::Row<'a>>,
}

impl<'s> Recorder<'s> {
    pub(crate) fn new(sink: &'s mut dyn Sink, evidence: Evidence, topology: &SimulatedTopology, modern: bool) -> Self {
        let numbers = topology.indices().map(|c| topology.number(c)).collect();
        let rows = Builders::default();
        let attempts = Vec::new();
        Self { sink, evidence, numbers, rows, next_id: 0, attempts, open: 0, has_domains: false, error: None, modern }
    }

    /// What the trace shows.
    pub fn evidence(&self) -> Evidence {
        self.evidence
    }

    /// Event rows so far.
    pub fn events(&self) -> i64 {
        self.next_id
    }

    /// The error of the sink, if it had one.
    pub(crate) fn error(&self) -> Option<String> {
        self.error.as_ref().map(SinkError::to_string)
    }

    #[inline]
    fn id(&mut self) -> i64 {
        self.next_id += 1;
        self.next_id - 1
    }

    #[inline]
    fn number(&self, cpu: CpuIx) -> i16 {
        self.numbers[cpu as usize]
    }

    #[inline]
    pub(crate) fn switch(&mut self, now: Ns, cpu: CpuIx, prev: (i32, u8, i16), next: (i32, i16)) {
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(cpu));
        let ((prev_tid, prev_state, prev_prio), (next_tid, next_prio)) = (prev, next);
        let (prev_prio, next_prio) = (Some(prev_prio), Some(next_prio));
        push!(
            self,
            sched_switch,
            tables::sched_switch::Row {
                id,
                ts_ns,
                cpu,
                prev_tid,
                prev_state,
                prev_prio,
                next_tid,
                next_prio,
                ..Default::default()
            }
        );
    }

    pub(crate) fn waking(&mut self, now: Ns, cpu: CpuIx, tid: i32, last: CpuIx, prio: i16) {
        let (id, ts_ns, cpu, target_cpu) = (self.id(), now as i64, self.number(cpu), Some(self.number(last)));
        push!(
            self,
            sched_waking,
            tables::sched_waking::Row { id, ts_ns, cpu, tid, target_cpu, prio: Some(prio), ..Default::default() }
        );
    }

    pub(crate) fn wakeup(&mut self, now: Ns, cpu: CpuIx, tid: i32, target: CpuIx, prio: i16, is_new: bool) {
        let (id, ts_ns, cpu, target_cpu) = (self.id(), now as i64, self.number(cpu), self.number(target));
        let row = tables::sched_wakeup::Row {
            id,
            ts_ns,
            cpu,
            tid,
            target_cpu,
            prio: Some(prio),
            is_new,
            ..Default::default()
        };
        push!(self, sched_wakeup, row);
    }

    /// The state of a deadline thread's server. `is_start`: as the recording starts, when the clock of its runqueue says nothing.
    pub(crate) fn dl_parameters(&mut self, now: Ns, cpu: CpuIx, tid: i32, server: &DeadlineServer, is_start: bool) {
        let (id, ts_ns, cpu) = (self.id(), now as i64, Some(self.number(cpu)));
        let is_set = server.until != 0;
        let row = tables::dl_parameters::Row {
            id,
            ts_ns,
            cpu,
            tid,
            runtime_ns: server.runtime_ns as i64,
            deadline_ns: server.deadline_ns as i64,
            period_ns: server.period_ns as i64,
            flags: 0,
            until_ns: (is_set && !is_start).then_some(server.until as i64),
            kernel_deadline_ns: is_set.then_some(server.until as i64),
            left_ns: is_set.then_some(server.left),
            throttled: server.throttled,
            yielded: server.yielded,
            ..Default::default()
        };
        push!(self, dl_parameters, row);
    }

    pub(crate) fn migrate(&mut self, now: Ns, cpu: CpuIx, tid: i32, from: CpuIx, to: CpuIx, path: Path) {
        if self.evidence.level < EvidenceLevel::L1 {
            return;
        }
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(cpu));
        let (orig_cpu, dest_cpu, stack_id) = (Some(self.number(from)), self.number(to), Some(path as i32));
        let row =
            tables::sched_migrate_task::Row { id, ts_ns, cpu, tid, orig_cpu, dest_cpu, stack_id, ..Default::default() };
        push!(self, sched_migrate_task, row);
    }

    pub(crate) fn nr_running(&mut self, now: Ns, cpu: CpuIx, n: u32, delta: i16) {
        if self.evidence.level < EvidenceLevel::L1 {
            return;
        }
        let (id, ts_ns, cpu, nr_running) = (self.id(), now as i64, self.number(cpu), n as i32);
        push!(self, nr_running, tables::nr_running::Row { id, ts_ns, cpu, nr_running, delta, ..Default::default() });
    }

    pub(crate) fn fork(&mut self, now: Ns, cpu: CpuIx, parent_tid: i32, child_tid: i32, child_tgid: i32) {
        let (id, ts_ns, cpu, child_tgid) = (self.id(), now as i64, self.number(cpu), Some(child_tgid));
        push!(
            self,
            process_fork,
            tables::process_fork::Row { id, ts_ns, cpu, parent_tid, child_tid, child_tgid, ..Default::default() }
        );
    }

    pub(crate) fn exec(&mut self, now: Ns, cpu: CpuIx, tid: i32) {
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(cpu));
        push!(
            self,
            process_exec,
            tables::process_exec::Row { id, ts_ns, cpu, tid, old_tid: Some(tid), ..Default::default() }
        );
    }

    pub(crate) fn exit(&mut self, now: Ns, cpu: CpuIx, tid: i32) {
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(cpu));
        push!(self, process_exit, tables::process_exit::Row { id, ts_ns, cpu, tid, ..Default::default() });
    }

    pub(crate) fn name(&mut self, now: Ns, tid: i32, tgid: i32, name: &str) {
        let (id, ts_ns, tgid) = (self.id(), now as i64, Some(tgid));
        push!(self, thread_name, tables::thread_name::Row { id, ts_ns, tid, tgid, name, ..Default::default() });
    }

    pub(crate) fn affinity(&mut self, now: Ns, cpu: CpuIx, tid: i32, masks: (MaskId, Option<MaskId>, Option<MaskId>)) {
        if !self.evidence.masks {
            return;
        }
        let (id, ts_ns, cpu) = (self.id(), now as i64, Some(self.number(cpu)));
        let (mask_id, user_mask_id, cpuset_mask_id) = mask_columns(masks);
        push!(
            self,
            affinity,
            tables::affinity::Row { id, ts_ns, cpu, tid, mask_id, user_mask_id, cpuset_mask_id, ..Default::default() }
        );
    }

    pub(crate) fn hotplug(&mut self, now: Ns, cpu: CpuIx, online: bool) {
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(cpu));
        push!(self, cpu_hotplug, tables::cpu_hotplug::Row { id, ts_ns, cpu, online, ..Default::default() });
    }

    pub(crate) fn irq(&mut self, now: Ns, cpu: CpuIx, length: Ns) {
        if !self.evidence.irq {
            return;
        }
        let (id, ts_ns, cpu, dur_ns) = (self.id(), now as i64, self.number(cpu), length as i64);
        let kind = tables::irq_kind::SOFTIRQ;
        push!(
            self,
            irq_span,
            tables::irq_span::Row { id, ts_ns, cpu, dur_ns, kind, vector: Some(3), ..Default::default() }
        );
    }

    pub(crate) fn throttle(&mut self, now: Ns, cpu: CpuIx, tid: i32, throttled: bool) {
        if !self.evidence.throttling {
            return;
        }
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(cpu));
        push!(
            self,
            throttle,
            tables::throttle::Row { id, ts_ns, cpu, tid, throttled, error_ns: 0, ..Default::default() }
        );
    }

    pub(crate) fn cpu_snapshot(&mut self, now: Ns, cpu: CpuIx, online: bool) {
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(cpu));
        let current_tid = online.then_some(0);
        push!(
            self,
            cpu_snapshot,
            tables::cpu_snapshot::Row { id, ts_ns, cpu, online, current_tid, ..Default::default() }
        );
    }

    pub(crate) fn thread_snapshot(&mut self, now: Ns, t: &ThreadRow<'_>) {
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(t.cpu));
        let (mask_id, user_mask_id, cpuset_mask_id) =
            if self.evidence.masks { mask_columns(t.masks) } else { (None, None, None) };
        let (state, queue) = match t.queued {
            true => (tables::task_state::R, tables::queue_state::QUEUED),
            false => (tables::task_state::S, tables::queue_state::OFF),
        };
        push!(
            self,
            thread_snapshot,
            tables::thread_snapshot::Row {
                id,
                ts_ns,
                tid: t.tid,
                tgid: t.tgid,
                ppid: Some(t.ppid),
                name: t.name,
                state,
                queue,
                cpu,
                mask_id,
                user_mask_id,
                cpuset_mask_id,
                policy: t.policy,
                prio: Some(t.prio),
                cgroup_id: t.cgroup_id,
                migration_disabled: false,
                throttled: false,
                cookie: 0,
                is_kernel: t.is_kernel,
                per_cpu_thread: t.per_cpu,
                ..Default::default()
            }
        );
    }

    /// A scheduler did something with a bubble; the columns that matter for the kind are given, `id` and `ts_ns` set here.
    pub fn bubble_event(&mut self, now: Ns, row: &tables::bubble_event::Row<'_>) {
        let (id, ts_ns) = (self.id(), now as i64);
        push!(self, bubble_event, tables::bubble_event::Row { id, ts_ns, ..*row });
    }

    /// A load-balance attempt starts. None where the trace does not show them.
    pub fn start_attempt(
        &mut self,
        now: Ns,
        cpu: CpuIx,
        dst_cpu: CpuIx,
        level: Option<i16>,
        idle_type: u8,
        function: &'static str,
    ) -> Option<AttemptId> {
        if self.evidence.level < EvidenceLevel::L2 {
            return None;
        }
        let (id, cpu, dst_cpu) = (self.id(), self.number(cpu), self.number(dst_cpu));
        let attempt =
            Attempt { id, ts_ns: now as i64, cpu, dst_cpu, domain_level: level, idle_type, function, end: None };
        self.attempts.push(attempt);
        self.open += 1;
        Some(AttemptId(id))
    }

    /// It ends, `duration` after its start, having pulled so many threads.
    pub fn end_attempt(&mut self, attempt: Option<AttemptId>, duration: Ns, pulled: Option<i32>) {
        let Some(AttemptId(id)) = attempt else { return };
        if let Some(a) = self.attempts.iter_mut().rev().find(|a| a.id == id) {
            a.end = Some((duration as i64, pulled));
            self.open -= 1;
        }
        if self.open == 0 {
            let mut attempts = std::mem::take(&mut self.attempts);
            for a in attempts.drain(..) {
                let Attempt { id, ts_ns, cpu, dst_cpu, domain_level, idle_type, function, .. } = a;
                let (dur_ns, pulled) = a.end.unwrap_or((0, None));
                let row = tables::balance_attempt::Row {
                    id,
                    ts_ns,
                    cpu,
                    dur_ns,
                    dst_cpu,
                    domain_level,
                    idle_type,
                    pulled,
                    function,
                    ..Default::default()
                };
                push!(self, balance_attempt, row);
            }
            self.attempts = attempts;
        }
    }

    /// A load-balance attempt read a CPU's load.
    pub fn cpu_load(&mut self, now: Ns, cpu: CpuIx, attempt: Option<AttemptId>, of: CpuIx, load: i64, nr: u32) {
        let Some(AttemptId(attempt)) = attempt else { return };
        let (id, ts_ns, cpu, of_cpu) = (self.id(), now as i64, self.number(cpu), self.number(of));
        let (attempt_id, nr_running) = (Some(attempt), Some(nr as i32));
        push!(
            self,
            cpu_load,
            tables::cpu_load::Row { id, ts_ns, cpu, attempt_id, of_cpu, load, nr_running, ..Default::default() }
        );
    }

    /// A load-balance attempt scanned these CPUs and chose one.
    pub fn cpus_scanned(&mut self, now: Ns, cpu: CpuIx, attempt: AttemptId, mask: MaskId, chosen: Option<CpuIx>) {
        if self.evidence.level < EvidenceLevel::L2 {
            return;
        }
        let (id, ts_ns, cpu) = (self.id(), now as i64, self.number(cpu));
        let (attempt_id, mask_id) = (Some(attempt.0), Some(mask as i32));
        let chosen_cpu = chosen.map(|c| self.number(c));
        let row = tables::cpus_scanned::Row { id, ts_ns, cpu, attempt_id, mask_id, chosen_cpu, ..Default::default() };
        push!(self, cpus_scanned, row);
    }

    /// The thread that had `prev` is to have the CPU `chosen`; flags as in the table `cpus_scanned`.
    pub fn placement(&mut self, now: Ns, cpu: CpuIx, tid: i32, mask: Option<MaskId>, hop: (CpuIx, CpuIx), flags: i32) {
        if self.evidence.level < EvidenceLevel::L2 {
            return;
        }
        let (id, ts_ns, cpu, mask_id) = (self.id(), now as i64, self.number(cpu), mask.map(|mask| mask as i32));
        let (prev_cpu, chosen_cpu) = (Some(self.number(hop.0)), Some(self.number(hop.1)));
        let (tid, attempt_id, wake_flags) = (Some(tid), None, Some(flags));
        let row = tables::cpus_scanned::Row {
            id,
            ts_ns,
            cpu,
            attempt_id,
            tid,
            mask_id,
            chosen_cpu,
            prev_cpu,
            wake_flags,
            ..Default::default()
        };
        push!(self, cpus_scanned, row);
    }

    /// An idle CPU is called to balance, by a kick or by its own softirq.
    pub fn kick(&mut self, now: Ns, cpu: CpuIx, target: CpuIx, kind: u8) {
        if self.evidence.level < EvidenceLevel::L2 {
            return;
        }
        let (id, ts_ns, cpu, target_cpu) = (self.id(), now as i64, self.number(cpu), self.number(target));
        push!(self, balance_kick, tables::balance_kick::Row { id, ts_ns, cpu, target_cpu, kind, ..Default::default() });
    }

    /// The domains from an instant on.
    pub fn domains(&mut self, since: Ns, domains: impl Iterator<Item = DomainRow>) {
        self.has_domains = true;
        if !self.evidence.domains {
            return;
        }
        for d in domains {
            let span: Vec<i16> = d.span.iter().map(|&c| self.number(c)).collect();
            let row = tables::domain::Row {
                since_ns: since as i64,
                cpu: self.number(d.cpu),
                level: d.level,
                name: d.name,
                span: &span,
                flags: None,
                min_interval_ns: Some(d.interval_ns.0 as i64),
                max_interval_ns: Some(d.interval_ns.1 as i64),
                busy_factor: Some(d.busy_factor),
                imbalance_pct: Some(d.imbalance_pct),
                exact: true,
            };
            push!(self, domain, row);
            if self.evidence.level >= EvidenceLevel::L2 {
                self.groups(since, &d);
            }
        }
    }

    fn groups(&mut self, since: Ns, d: &DomainRow) {
        for (place, group) in d.groups.iter().enumerate() {
            let cpus: Vec<i16> = group.iter().map(|&c| self.number(c)).collect();
            let row = tables::domain_group::Row {
                since_ns: since as i64,
                cpu: self.number(d.cpu),
                level: d.level,
                place: place as i16,
                own: place == 0,
                cpus: &cpus,
            };
            push!(self, domain_group, row);
        }
    }

    /// Writes what is left and the tables that describe the trace.
    pub(crate) fn close(mut self, c: &TraceEnd<'_>) -> Result<i64, String> {
        while self.open > 0 {
            let open = self.attempts.iter().rev().find(|a| a.end.is_none()).map(|a| AttemptId(a.id));
            self.end_attempt(open, 0, None);
        }
        let mut out = Vec::new();
        let mut machine = c.topology.machine().clone();
        machine.kernel = Some(c.release.to_owned());
        machine.migration_cost_ns = c.migration_cost_ns;
        let wrote_domains = self.has_domains || !self.evidence.domains;
        out.extend(machine.batches(0).into_iter().filter(|(name, _)| !wrote_domains || *name != tables::domain::NAME));
        if self.evidence.level >= EvidenceLevel::L1 {
            out.push((tables::stack::NAME, stacks::batch(self.modern)));
        }
        out.push((tables::mask::NAME, self.mask_batch(c.masks)));
        let mut cgroups = tables::cgroup::Builder::default();
        c.cgroups.iter().for_each(|row| cgroups.push(row));
        out.push((tables::cgroup::NAME, cgroups.finish()));
        // A simulation writes nothing of what it does not record throughout.
        let present = tables::PresentEvidence::default();
        out.push((tables::evidence::NAME, self.evidence.recorded().batch(&present)));
        out.push((tables::trace::NAME, self.trace_batch(c)));
        if let Some(why) = self.error {
            return Err(why.to_string());
        }
        self.rows.flush(self.sink).map_err(|why| why.to_string())?;
        out.into_iter().try_for_each(|(table, batch)| self.sink.batch(table, batch)).map_err(|why| why.to_string())?;
        Ok(self.next_id)
    }

    fn mask_batch(&self, masks: &Masks) -> RecordBatch {
        let mut rows = tables::mask::Builder::default();
        for (id, set) in masks.sets().iter().enumerate() {
            let cpus: Vec<i16> = set.iter().map(|c| self.number(c)).collect();
            rows.push(&tables::mask::Row { mask_id: id as i32, cpus: &cpus });
        }
        rows.finish()
    }

    fn trace_batch(&self, c: &TraceEnd<'_>) -> RecordBatch {
        let mut rows = tables::trace::Builder::default();
        rows.push(&tables::trace::Row {
            schema_version: tables::SCHEMA_VERSION,
            source: "simulation",
            recorder: concat!("wastenot-replay ", env!("CARGO_PKG_VERSION")),
            kernel: Some(c.release),
            clock: "simulated",
            epoch_ns: None,
            start_ns: 0,
            end_ns: c.end_ns as i64,
            end_reason: "source",
            complete: true,
            events: self.next_id,
            evidence_level: self.evidence.level.name(),
            notes: &[],
            unverified: &[],
            queued_wakings_only: None,
            command: Some(c.command),
            options: c.options,
        });
        rows.finish()
    }
}

fn mask_columns(masks: (MaskId, Option<MaskId>, Option<MaskId>)) -> (Option<i32>, Option<i32>, Option<i32>) {
    (Some(masks.0 as i32), masks.1.map(|m| m as i32), masks.2.map(|m| m as i32))
}
