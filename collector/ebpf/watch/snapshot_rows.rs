//! The thread rows with which a box begins.
//!
//! While an epoch begins, some programs that run still have the phase of the one before. Their events come before the row of their
//! thread, which is written by the thread's next event or by the iterator. Such a row is given the time of the thread's first
//! event: readers take from the event where the thread was (see `decode/snapshot.rs`).

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
    /// Time of the first event of each thread, and whether it is a wakeup.
    first: HashMap<i32, (u64, bool)>,
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

    /// Add a record of a ring.
    pub fn add(&mut self, ts_ns: u64, record: &Record<'a>) {
        let wakes = matches!(record, Record::Wakeup(_) | Record::WakeupNew(_));
        match *record {
            Record::Thread(thread) => return self.add_thread(ts_ns, thread),
            Record::Fork(fork) => {
                self.forked.insert(fork.child_tid);
            }
            _ => {}
        }
        for tid in threads_of(record).into_iter().flatten().filter(|&tid| tid > 0) {
            let first = self.first.entry(tid).or_insert((ts_ns, wakes));
            if ts_ns < first.0 {
                *first = (ts_ns, wakes);
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
            let Some(&(first_ns, wakes)) = self.first.get(&thread.tid) else { continue };
            if first_ns < *ts_ns {
                *ts_ns = first_ns;
                if wakes {
                    (thread.queue, thread.state) = (queue_state::OFF, SLEEPS);
                }
            }
        }
        rows.sort_by_key(|(ts_ns, thread)| (*ts_ns, thread.tid));
        for (ts_ns, thread) in rows {
            Record::Thread(thread).write(ts_ns, base_ns, out);
        }
        introduced
    }
}

/// The threads whose state a record changes or requires.
fn threads_of(record: &Record<'_>) -> [Option<i32>; 2] {
    match *record {
        Record::Switch(r) => [Some(r.prev_tid), Some(r.next_tid)],
        Record::Wakeup(r) => [Some(r.tid), None],
        Record::WakeupNew(r) => [Some(r.tid), None],
        Record::Migrate(r) => [Some(r.tid), None],
        Record::Fork(r) => [Some(r.parent_tid), None],
        Record::Exec(r) => [Some(r.tid), None],
        Record::Exit(r) => [Some(r.tid), None],
        Record::Rename(r) => [Some(r.tid), None],
        Record::Affinity(r) => [Some(r.tid), None],
        Record::MigrationDisable(r) => [Some(r.tid), None],
        Record::Cookie(r) => [Some(r.tid), None],
        Record::Cgroup(r) => [Some(r.tid), None],
        Record::Throttle(r) => [Some(r.tid), None],
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
        rings.iter().for_each(|(ts_ns, record)| rows.add(*ts_ns, record));
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
        assert_eq!(found, (vec![(40, 7, OFF), (50, 8, OFF)], vec![7, 8]));
    }

    #[test]
    fn a_thread_that_is_woken_before_its_row_was_asleep() {
        let wakeup = |ts_ns, tid| (ts_ns, Record::Wakeup(Wakeup { tid, ..Wakeup::default() }));
        let found = rows(&[(50, thread(7, RUNNING))], &[wakeup(30, 7), (35, switch(0, 7))]);
        assert_eq!(found.0, [(30, 7, OFF)]);
        // An event before the wakeup decides.
        let found = rows(&[(50, thread(7, RUNNING))], &[wakeup(30, 7), (20, switch(7, 0))]);
        assert_eq!(found.0, [(20, 7, RUNNING)]);
    }

    #[test]
    fn a_forked_thread_has_no_row_and_others_have_one() {
        let fork = Record::Fork(Fork { parent_tid: 5, child_tid: 7, ..Fork::default() });
        let found = rows(&[(50, thread(7, OFF))], &[(10, fork), (12, thread(5, RUNNING)), (14, thread(5, OFF))]);
        assert_eq!(found, (vec![(10, 5, RUNNING)], vec![5, 7]));
    }
}
