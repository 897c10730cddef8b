//! The thread rows with which a box begins.
//!
//! While an epoch begins, some programs that run still have the phase of the one before. Their events come before the row of their
//! thread, which is written by the thread's next event or by the iterator. Such a row is given the time of the thread's first
//! event, and the place that this event requires.

use crate::record::{self, Record, RecordError, Thread};
use std::collections::{HashMap, HashSet};
use wastenot_schemas::queue_state;

/// `__state` of an interruptible sleep.
const SLEEPS: u32 = 1;

/// The threads in the records of the beginning of an epoch.
#[derive(Default)]
pub(crate) struct SnapshotRows<'a> {
    threads: HashMap<i32, (u64, Thread<'a>)>,
    /// Threads introduced by a fork.
    forked: HashSet<i32>,
    /// Time of the first event of each thread, and where the thread was before it.
    first: HashMap<i32, (u64, Place)>,
}

/// Where a thread was before an event.
#[derive(Clone, Copy)]
enum Place {
    Running(u16),
    Queued(u16),
    Asleep,
    OnQueueOf(u16),
    /// As the row has it.
    Any,
}

impl Place {
    fn apply(self, thread: &mut Thread<'_>) {
        match self {
            Self::Running(cpu) => (thread.queue, thread.cpu, thread.state) = (queue_state::RUNNING, cpu, 0),
            Self::Queued(cpu) => (thread.queue, thread.cpu, thread.state) = (queue_state::QUEUED, cpu, 0),
            Self::Asleep => (thread.queue, thread.state) = (queue_state::OFF, SLEEPS),
            Self::OnQueueOf(cpu) => {
                thread.cpu = cpu;
                if thread.queue == queue_state::RUNNING {
                    thread.queue = queue_state::QUEUED;
                }
            }
            Self::Any => {}
        }
    }
}

impl<'a> SnapshotRows<'a> {
    /// Add all records in `bytes`; those of user space that are no thread rows go to `others`.
    pub fn add_rows(&mut self, mut bytes: &'a [u8], base_ns: u64, others: &mut Vec<u8>) -> Result<(), RecordError> {
        while !bytes.is_empty() {
            let (ts_ns, record, length) = record::read(bytes, base_ns)?;
            match record {
                Record::Thread(thread) => self.add_thread(ts_ns, thread),
                _ => others.extend_from_slice(&bytes[..length]),
            }
            bytes = &bytes[length..];
        }
        Ok(())
    }

    /// Add a record of `cpu`'s ring.
    pub fn add(&mut self, cpu: u16, ts_ns: u64, record: &Record<'a>) {
        match *record {
            Record::Thread(thread) => return self.add_thread(ts_ns, thread),
            Record::Fork(fork) => {
                self.forked.insert(fork.child_tid);
            }
            _ => {}
        }
        for (tid, place) in places_before(cpu, record).into_iter().flatten().filter(|&(tid, _)| tid > 0) {
            let first = self.first.entry(tid).or_insert((ts_ns, place));
            if ts_ns < first.0 {
                *first = (ts_ns, place);
            }
        }
    }

    fn add_thread(&mut self, ts_ns: u64, thread: Thread<'a>) {
        let known = self.threads.entry(thread.tid).or_insert((ts_ns, thread));
        if ts_ns < known.0 {
            *known = (ts_ns, thread);
        }
    }

    /// Append the rows; returns the threads that are introduced by them or by a fork.
    pub fn write(self, base_ns: u64, out: &mut Vec<u8>) -> HashSet<i32> {
        let mut introduced = self.forked;
        let mut rows: Vec<(u64, Thread<'a>)> = self.threads.into_values().collect();
        rows.retain(|(_, thread)| introduced.insert(thread.tid));
        for (ts_ns, thread) in &mut rows {
            let Some(&(first_ns, place)) = self.first.get(&thread.tid) else { continue };
            if first_ns < *ts_ns {
                *ts_ns = first_ns;
                place.apply(thread);
            }
        }
        rows.sort_by_key(|(ts_ns, thread)| (*ts_ns, thread.tid));
        for (ts_ns, thread) in rows {
            Record::Thread(thread).write(ts_ns, base_ns, out);
        }
        introduced
    }
}

/// The threads whose state a record of `cpu` changes or requires, each with its place before.
fn places_before(cpu: u16, record: &Record<'_>) -> [Option<(i32, Place)>; 2] {
    let one = |tid, place| [Some((tid, place)), None];
    match *record {
        Record::Switch(r) => [Some((r.prev_tid, Place::Running(cpu))), Some((r.next_tid, Place::Queued(cpu)))],
        Record::Wakeup(r) => one(r.tid, Place::Asleep),
        Record::WakeupNew(r) => one(r.tid, Place::Asleep),
        Record::Migrate(r) => one(r.tid, Place::OnQueueOf(r.orig_cpu)),
        Record::Fork(r) => one(r.parent_tid, Place::Running(cpu)),
        Record::Exec(r) => one(r.tid, Place::Running(cpu)),
        Record::Exit(r) => one(r.tid, Place::Running(cpu)),
        Record::Rename(r) => one(r.tid, Place::Any),
        Record::Affinity(r) => one(r.tid, Place::Any),
        Record::MigrationDisable(r) => one(r.tid, Place::Any),
        Record::Cookie(r) => one(r.tid, Place::Any),
        Record::Cgroup(r) => one(r.tid, Place::Any),
        Record::Throttle(r) => one(r.tid, Place::Any),
        _ => [None, None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Fork, Switch, Wakeup};

    fn thread(tid: i32, queue: u8) -> Record<'static> {
        Record::Thread(Thread { tid, queue, ..Thread::default() })
    }

    fn switch(prev_tid: i32, next_tid: i32) -> Record<'static> {
        Record::Switch(Switch { prev_tid, next_tid, ..Switch::default() })
    }

    /// Time, thread and queue of the rows; and the threads introduced.
    fn rows(iterator: &[(u64, Record<'_>)], rings: &[(u64, Record<'static>)]) -> (Vec<(u64, i32, u8)>, Vec<i32>) {
        let (mut bytes, mut others, mut out) = (Vec::new(), Vec::new(), Vec::new());
        iterator.iter().for_each(|(ts_ns, record)| record.write(*ts_ns, 0, &mut bytes));
        let mut rows = SnapshotRows::default();
        rows.add_rows(&bytes, 0, &mut others).unwrap();
        rings.iter().for_each(|(ts_ns, record)| rows.add(3, *ts_ns, record));
        let mut introduced: Vec<i32> = rows.write(0, &mut out).into_iter().collect();
        introduced.sort_unstable();
        let (mut rest, mut found) = (out.as_slice(), Vec::new());
        while !rest.is_empty() {
            let (ts_ns, record, length) = record::read(rest, 0).unwrap();
            let Record::Thread(thread) = record else { panic!("{record:?}") };
            found.push((ts_ns, thread.tid, thread.queue));
            rest = &rest[length..];
        }
        (found, introduced)
    }

    const OFF: u8 = queue_state::OFF;
    const RUNNING: u8 = queue_state::RUNNING;

    #[test]
    fn a_row_that_comes_after_an_event_of_its_thread_takes_the_events_time() {
        let found = rows(&[(50, thread(7, OFF)), (50, thread(8, OFF))], &[(40, switch(7, 0)), (60, switch(0, 8))]);
        assert_eq!(found, (vec![(40, 7, RUNNING), (50, 8, OFF)], vec![7, 8]));
    }

    #[test]
    fn a_thread_that_is_woken_before_its_row_was_asleep() {
        let wakeup = |ts_ns, tid| (ts_ns, Record::Wakeup(Wakeup { tid, ..Wakeup::default() }));
        let found = rows(&[(50, thread(7, RUNNING))], &[wakeup(30, 7), (35, switch(0, 7))]);
        assert_eq!(found.0, [(30, 7, OFF)]);
        // An event before the wakeup decides.
        let found = rows(&[(50, thread(7, OFF))], &[wakeup(30, 7), (20, switch(7, 0))]);
        assert_eq!(found.0, [(20, 7, RUNNING)]);
        let found = rows(&[(50, thread(7, RUNNING))], &[(20, switch(0, 7))]);
        assert_eq!(found.0, [(20, 7, queue_state::QUEUED)]);
    }

    #[test]
    fn a_forked_thread_has_no_row_and_others_have_one() {
        let fork = Record::Fork(Fork { parent_tid: 5, child_tid: 7, ..Fork::default() });
        let found = rows(&[(50, thread(7, OFF))], &[(10, fork), (12, thread(5, RUNNING)), (14, thread(5, OFF))]);
        assert_eq!(found, (vec![(10, 5, RUNNING)], vec![5, 7]));
    }
}
