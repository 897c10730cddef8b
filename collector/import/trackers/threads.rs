//! Threads: their names and processes, when they are created and exit, the masks declared for them.

use super::{Context, Output, until_nul, utf8};
use crate::{CgroupMove, DeclaredAffinity, EventKind, Exec, Exit, Fork, NewTask, Rename, StateDump, Text, Tid};
use std::collections::HashMap;
use wastenot_assemble::{
    Affinity, Cgroup, Event, MaskId, ProcessExec, ProcessExit, ProcessFork, ThreadName, ThreadSnapshot,
};
use wastenot_schemas::{cpu_of_kernel_thread, queue_state, task_state};

/// `task_newtask` and `sched_process_fork` of one new thread are not further apart (ns): kernel_clone() calls both.
const SAME_FORK_NS: u64 = 1_000_000_000;
/// The largest tid there can be (include/linux/threads.h: PID_MAX_LIMIT).
const PID_MAX: i32 = 4 << 20;

#[derive(Clone, Debug, Default)]
struct Thread {
    name: Box<[u8]>,
    /// Time of the event that gave it this name.
    named_ns: i64,
    tgid: Option<Tid>,
    /// Created in this trace and not exited since: by which event, and when.
    created: Option<(EventKind, i64)>,
    /// Its exit was recorded, and no creation since.
    exiting: bool,
}

/// The threads of a trace.
#[derive(Default)]
pub(crate) struct ThreadTracker {
    threads: ThreadTable,
    declared: Vec<(DeclaredAffinity, Option<MaskId>)>,
    /// Named threads for which no mask was declared.
    pub undeclared: u64,
}

impl ThreadTracker {
    /// For a trace whose user declared these masks; later ones win.
    pub fn new(declared: &[DeclaredAffinity]) -> Self {
        Self { declared: declared.iter().map(|d| (d.clone(), None)).collect(), ..Self::default() }
    }

    /// Every named thread has a declared mask.
    pub fn all_declared(&self) -> bool {
        !self.declared.is_empty() && self.undeclared == 0
    }

    /// The name of a thread that is known; it may be empty.
    #[inline]
    pub fn name_of(&self, tid: Tid) -> Option<&[u8]> {
        self.threads.get(tid).map(|thread| &*thread.name)
    }

    /// The thread's exit was recorded, and no creation since.
    #[inline]
    pub fn is_exiting(&self, tid: Tid) -> bool {
        self.threads.get(tid).is_some_and(|thread| thread.exiting)
    }

    /// The thread goes by this name (up to the first NUL) from now on; `<...>` and nothing mean that the tracer does not know.
    #[inline]
    pub fn name(&mut self, ts_ns: i64, tid: Tid, name: Option<Text<'_>>, out: &mut Output<'_>) {
        let Some(name) = name.map(until_nul) else { return };
        // Sources are read ahead of each other: a name that is known may have been met later in the trace than here.
        let is_known = |known: &Thread| *known.name == *name && known.named_ns <= ts_ns;
        if tid == 0 || self.threads.get(tid).is_some_and(is_known) {
            return;
        }
        if !name.is_empty() && name != b"<...>" {
            self.set_name(ts_ns, tid, name, out);
        }
    }

    #[cold]
    fn set_name(&mut self, ts_ns: i64, tid: Tid, name: &[u8], out: &mut Output<'_>) {
        let thread = self.threads.entry(tid);
        thread.name = name.into();
        thread.named_ns = ts_ns;
        let name = utf8(name);
        out.row(ts_ns, ThreadName { tid, tgid: thread.tgid, name: name.as_ref().into(), ..Default::default() }.into());
        let (is_bound, has_declarations) = (cpu_of_kernel_thread(&name).is_some(), !self.declared.is_empty());
        let fitting = self.declared.iter_mut().rev().find(|(declared, _)| declared.matches(&name));
        let is_declared = fitting.is_some();
        // A wildcard means the threads of a workload: it does not unbind a kernel thread that the kernel binds to its CPU.
        let mask = fitting
            .filter(|(declared, _)| !(is_bound && declared.has_wildcard()))
            .map(|(declared, mask)| *mask.get_or_insert_with(|| out.ids.mask(declared.cpus.words())));
        // Under a name it had before, or from its parent, it may have got a declared mask.
        if mask.is_some() || is_bound && has_declarations {
            out.row(ts_ns, Event::from(Affinity { tid, mask_id: mask, cpuset_mask_id: None, ..Default::default() }));
        }
        self.undeclared += u64::from(!is_declared);
    }

    /// What a trace says of a thread beside its events (a process tree, saved command lines).
    pub fn describe(&mut self, ts_ns: i64, tid: Tid, tgid: Option<Tid>, name: Option<Text<'_>>, out: &mut Output<'_>) {
        if tid <= 0 {
            return;
        }
        let thread = self.threads.entry(tid);
        if tgid.is_some() && thread.tgid != tgid {
            thread.tgid = tgid;
            let known = std::mem::take(&mut thread.name); // a row of its own, with its process
            let name = name.map(until_nul).filter(|name| !name.is_empty()).map_or(known, Into::into);
            return self.name(ts_ns, tid, Some(&name), out);
        }
        self.name(ts_ns, tid, name, out);
    }

    /// `sched_process_fork`
    pub fn fork(&mut self, at: &Context, event: &Fork<'_>, out: &mut Output<'_>) {
        self.name(at.ts_ns, event.parent_tid, event.parent_comm, out);
        let child = (event.child_tid, event.child_tgid, event.child_comm);
        self.create(EventKind::Fork, at, event.parent_tid, child, out);
    }

    /// `task_newtask`. None: its parent is not known.
    pub fn new_task(&mut self, at: &Context, event: &NewTask<'_>, out: &mut Output<'_>) -> Option<()> {
        let parent_tid = at.running?;
        let tgid = event.process(|| self.threads.get(parent_tid).and_then(|parent| parent.tgid));
        self.create(EventKind::NewTask, at, parent_tid, (event.tid, tgid, event.comm), out);
        Some(())
    }

    /// A thread was created: one row, though two tracepoints record it. Sources are read ahead of each other, so that its exit
    /// may have been read before: only the other tracepoint, close by, is of the same thread.
    fn create(
        &mut self,
        kind: EventKind,
        at: &Context,
        parent_tid: Tid,
        (child_tid, child_tgid, comm): (Tid, Option<Tid>, Option<Text<'_>>),
        out: &mut Output<'_>,
    ) {
        let &Context { ts_ns, cpu, .. } = at;
        let child = self.threads.entry(child_tid);
        if child.created.is_some_and(|(other, at_ns)| other != kind && at_ns.abs_diff(ts_ns) <= SAME_FORK_NS) {
            return;
        }
        *child = Thread { created: Some((kind, ts_ns)), tgid: child_tgid, ..Thread::default() };
        out.row(ts_ns, Event::from(ProcessFork { cpu, parent_tid, child_tid, child_tgid, ..Default::default() }));
        self.name(ts_ns, child_tid, comm, out);
    }

    /// `sched_process_exec`
    pub fn exec(&mut self, at: &Context, event: &Exec, out: &mut Output<'_>) {
        self.threads.entry(event.tid).tgid = Some(event.tid);
        out.row(
            at.ts_ns,
            Event::from(ProcessExec { cpu: at.cpu, tid: event.tid, old_tid: event.old_tid, ..Default::default() }),
        );
    }

    /// `sched_process_exit`
    pub fn exit(&mut self, at: &Context, event: &Exit<'_>, out: &mut Output<'_>) {
        let thread = self.threads.entry(event.tid);
        (thread.created, thread.exiting) = (None, true);
        out.row(at.ts_ns, Event::from(ProcessExit { cpu: at.cpu, tid: event.tid, ..Default::default() }));
    }

    /// `task_rename`. None: it is not known which thread.
    pub fn rename(&mut self, at: &Context, event: &Rename<'_>, out: &mut Output<'_>) -> Option<()> {
        self.name(at.ts_ns, event.tid.or(at.running)?, event.newcomm, out);
        Some(())
    }

    /// `cgroup_attach_task`
    pub fn cgroup_move(&mut self, at: &Context, event: &CgroupMove<'_>, out: &mut Output<'_>) {
        let (tid, cgroup_id) = (event.tid, event.dst_id);
        if let Some(path) = event.dst_path {
            out.ids.describe_cgroup(cgroup_id, Cgroup { path: utf8(path).into(), ..Cgroup::default() });
        }
        self.name(at.ts_ns, tid, event.comm, out);
        out.row(at.ts_ns, Event::CgroupMove(wastenot_assemble::CgroupMove { cpu: Some(at.cpu), tid, cgroup_id }));
    }

    /// LTTng's state dump: status of a thread (enum lttng_process_status in lttng-statedump-impl.c), some time after the tracing began.
    /// Of a runnable thread it does not say whether it runs or is queued: it is WAIT_FORK for every fair thread, and WAIT_CPU for
    /// every real-time thread, the running ones included.
    pub fn state_dump(&mut self, at: &Context, event: &StateDump<'_>, out: &mut Output<'_>) {
        const UNNAMED: i64 = 0; // neither runnable nor asleep: stopped, traced, parked
        const WAIT_FORK: i64 = 1;
        const WAIT_CPU: i64 = 2;
        const EXIT: i64 = 3;
        const ZOMBIE: i64 = 4;
        const WAIT: i64 = 5;
        const RUN: i64 = 6;
        const DEAD: i64 = 7;
        const KERNEL: i64 = 1;
        let (ts_ns, tid) = (at.ts_ns, event.tid);
        if tid == 0 {
            return;
        }
        let tgid = event.tgid.unwrap_or(tid);
        self.threads.entry(tid).tgid = Some(tgid);
        let Some(cpu) = event.of_cpu else {
            return self.name(ts_ns, tid, event.name, out);
        };
        let (state, queue) = match event.status {
            Some(WAIT_FORK | WAIT_CPU) => (task_state::R, queue_state::UNKNOWN),
            Some(RUN) => (task_state::R, queue_state::RUNNING),
            Some(WAIT) => (task_state::S, queue_state::OFF),
            Some(ZOMBIE) => (task_state::Z, queue_state::OFF),
            Some(EXIT | DEAD) => (task_state::X, queue_state::OFF),
            Some(UNNAMED) => (task_state::UNKNOWN, queue_state::OFF),
            _ => (task_state::UNKNOWN, queue_state::UNKNOWN),
        };
        let snapshot = ThreadSnapshot {
            tid,
            tgid,
            ppid: event.ppid,
            name: utf8(event.name.unwrap_or(b"")).into(),
            state,
            queue,
            cpu,
            user_mask_id: None,
            policy: 0,
            cgroup_id: None,
            migration_disabled: false,
            throttled: false,
            cookie: 0,
            is_kernel: event.thread_type == Some(KERNEL),
            per_cpu_thread: false,
            ..Default::default()
        };
        out.row(ts_ns, Event::ThreadSnapshot(Box::new(snapshot)));
        self.name(ts_ns, tid, event.name, out);
    }
}

/// Threads by tid: a table for the tids that kernels give out, a map for what damage makes of them.
#[derive(Default)]
struct ThreadTable {
    /// Place in `known` by tid, and one more; 0: none.
    places: Vec<u32>,
    known: Vec<Thread>,
    beyond_pid_max: HashMap<Tid, u32>,
}

impl ThreadTable {
    #[inline]
    fn get(&self, tid: Tid) -> Option<&Thread> {
        let place = if (0..PID_MAX).contains(&tid) {
            self.places.get(tid as usize).copied().filter(|&place| place != 0)
        } else {
            self.beyond_pid_max.get(&tid).copied()
        };
        place.map(|place| &self.known[place as usize - 1])
    }

    fn entry(&mut self, tid: Tid) -> &mut Thread {
        let next = self.known.len() as u32 + 1;
        let place = if (0..PID_MAX).contains(&tid) {
            let at = tid as usize;
            if at >= self.places.len() {
                self.places.resize((at + 1).next_power_of_two(), 0);
            }
            &mut self.places[at]
        } else {
            self.beyond_pid_max.entry(tid).or_default()
        };
        if *place == 0 {
            *place = next;
            self.known.push(Thread::default());
        }
        &mut self.known[*place as usize - 1]
    }
}
