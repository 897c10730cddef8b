//! The threads of a trace, found by tid and time, and when processes ended.

use super::read::{BubbleError, Tables};
use std::collections::HashMap;
use wastenot_schemas::{process, thread, thread_snapshot};

/// One thread, as the checker left it.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)] // columns of `thread`
pub struct ThreadLifetime {
    pub utid: i32,
    pub tid: i32,
    pub tgid: Option<i32>,
    pub upid: Option<i32>,
    pub parent: Option<i32>,
    pub cgroup: Option<i64>,
    pub name: Option<Box<str>>,
    pub is_kernel: bool,
    /// None: existed before.
    pub start_ns: Option<i64>,
    /// None: alive at the end.
    pub end_ns: Option<i64>,
    pub avoidable_wait_ns: i64,
    /// Parent process by the snapshot.
    pub ppid: Option<i32>,
    /// Cgroup by the snapshot.
    pub first_cgroup: Option<i64>,
}

/// All threads but swapper, by utid.
#[derive(Debug, Default)]
pub struct ThreadLifetimes {
    all: Vec<ThreadLifetime>,
    by_tid: HashMap<i32, Vec<u32>>,
    process_names: HashMap<i32, Box<str>>,
}

impl ThreadLifetimes {
    /// From `thread`, `process` and `thread_snapshot`.
    pub(super) fn read(tables: &mut Tables) -> Result<Self, BubbleError> {
        let mut all = Vec::new();
        tables.each(thread::NAME, |batch| {
            let view = thread::View::try_new(&batch)?;
            all.extend((0..view.len()).map(|i| view.row(i)).filter(|r| r.utid != 0).map(|r| ThreadLifetime {
                utid: r.utid,
                tid: r.tid,
                tgid: r.tgid,
                upid: r.upid,
                parent: r.parent_utid,
                cgroup: r.cgroup_id,
                name: r.name.map(Into::into),
                is_kernel: r.is_kernel == Some(true),
                start_ns: r.start_ns,
                end_ns: r.end_ns,
                avoidable_wait_ns: r.avoidable_wait_ns,
                ppid: None,
                first_cgroup: None,
            }));
            Ok(())
        })?;
        let mut lives = Self::new(all);
        tables.each(process::NAME, |batch| {
            let view = process::View::try_new(&batch)?;
            let named = (0..view.len()).map(|i| view.row(i)).filter_map(|r| Some((r.upid, r.name?.into())));
            lives.process_names.extend(named);
            Ok(())
        })?;
        tables.each(thread_snapshot::NAME, |batch| {
            let view = thread_snapshot::View::try_new(&batch)?;
            for r in (0..view.len()).map(|i| view.row(i)) {
                if let Some(at) = lives.place_at(r.tid, r.ts_ns) {
                    let life = &mut lives.all[at];
                    life.ppid = life.ppid.or(r.ppid);
                    life.first_cgroup = life.first_cgroup.or(r.cgroup_id);
                }
            }
            Ok(())
        })?;
        Ok(lives)
    }

    /// Of these threads.
    pub fn new(mut all: Vec<ThreadLifetime>) -> Self {
        all.sort_by_key(|l| l.utid);
        all.dedup_by_key(|l| l.utid);
        let mut by_tid: HashMap<i32, Vec<u32>> = HashMap::new();
        for (i, life) in all.iter().enumerate() {
            by_tid.entry(life.tid).or_default().push(i as u32);
        }
        Self { all, by_tid, process_names: HashMap::new() }
    }

    /// Every thread, by utid.
    pub fn iter(&self) -> impl Iterator<Item = &ThreadLifetime> {
        self.all.iter()
    }

    /// Number of threads.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// True without threads.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Place of a thread among all.
    pub fn place(&self, utid: i32) -> Option<usize> {
        let near = usize::try_from(utid).ok()?.wrapping_sub(1); // utids are dense from 1 on, as a rule
        if self.all.get(near).is_some_and(|l| l.utid == utid) {
            return Some(near);
        }
        self.all.binary_search_by_key(&utid, |l| l.utid).ok()
    }

    /// The thread of this utid.
    pub fn get(&self, utid: i32) -> Option<&ThreadLifetime> {
        self.place(utid).map(|i| &self.all[i])
    }

    /// The thread that holds `tid` at an instant: the first one that is alive then, else the last that was.
    pub fn at(&self, tid: i32, ts_ns: i64) -> Option<&ThreadLifetime> {
        self.place_at(tid, ts_ns).map(|i| &self.all[i])
    }

    fn place_at(&self, tid: i32, ts_ns: i64) -> Option<usize> {
        let mine = self.by_tid.get(&tid)?;
        let born = || mine.iter().copied().filter(|i| self.all[*i as usize].start_ns.is_none_or(|s| s <= ts_ns));
        let alive = born().find(|i| self.all[*i as usize].end_ns.is_none_or(|e| e >= ts_ns));
        alive.or_else(|| born().next_back()).or(mine.first().copied()).map(|i| i as usize)
    }

    /// The leader of a process at the start of the trace, else its first thread.
    pub fn leader(&self, tgid: i32) -> Option<&ThreadLifetime> {
        self.by_tid.get(&tgid)?.first().map(|i| &self.all[*i as usize])
    }

    /// Name of a process.
    pub fn process_name(&self, upid: i32) -> Option<&str> {
        self.process_names.get(&upid).map(|n| &**n)
    }

    /// When the last thread of a process ended; None when one lives on, or the process is not known.
    pub fn process_end(&self, tgid: i32) -> Option<i64> {
        let mine = || self.all.iter().filter(|l| l.tgid == Some(tgid));
        if mine().any(|l| l.end_ns.is_none()) {
            return None;
        }
        mine().filter_map(|l| l.end_ns).max()
    }
}
