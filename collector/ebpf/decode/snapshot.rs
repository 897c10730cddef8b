//! Corrects the start snapshot with the events around it.
//!
//! The snapshot is read while the machine runs: a thread's fields are read one after the other, some time after the row's
//! timestamp, and meanwhile the thread may switch, wake or migrate. The events are exact, so they decide: the state after the
//! thread's own earlier events, and the state that its next event requires (a thread that leaves a CPU was running there, one
//! that enters it was queued there). A row without such events stays as it was read.

use crate::record::Record;
use std::collections::HashMap;
use wastenot_assemble::{CpuSnapshot, Event, Row, ThreadSnapshot};
use wastenot_schemas::{queue_state, task_state};
use wastenot_topology::task_state::of_word;

/// A thread's change of place by an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceChange {
    Enters {
        cpu: i16,
    },
    /// `state` is a code of enum `task_state`; R and R+ stay queued.
    Leaves {
        cpu: i16,
        state: u8,
    },
    Wakes {
        cpu: i16,
    },
    Moves {
        orig: i16,
        dest: i16,
    },
}

/// A thread's place, as the snapshot's row has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    queue: u8,
    cpu: i16,
    state: u8,
}

fn is_runnable(state: u8) -> bool {
    matches!(state, task_state::R | task_state::R_PREEMPTED)
}

impl Place {
    fn after(before: Option<Self>, change: PlaceChange) -> Self {
        match change {
            PlaceChange::Enters { cpu } => Self { queue: queue_state::RUNNING, cpu, state: task_state::R },
            PlaceChange::Leaves { cpu, state } if is_runnable(state) => {
                Self { queue: queue_state::QUEUED, cpu, state: task_state::R }
            }
            PlaceChange::Leaves { cpu, state } => Self { queue: queue_state::OFF, cpu, state },
            PlaceChange::Wakes { cpu } => match before {
                Some(place) if place.queue == queue_state::RUNNING => Self { state: task_state::R, ..place },
                _ => Self { queue: queue_state::QUEUED, cpu, state: task_state::R },
            },
            PlaceChange::Moves { dest, .. } => match before {
                Some(place) => Self { cpu: dest, ..place },
                None => Self { queue: queue_state::UNKNOWN, cpu: dest, state: task_state::UNKNOWN },
            },
        }
    }

    /// The place that the next event requires; otherwise unchanged.
    fn before(self, next: PlaceChange) -> Self {
        match next {
            PlaceChange::Leaves { cpu, .. } => Self { queue: queue_state::RUNNING, cpu, state: task_state::R },
            PlaceChange::Enters { cpu } => Self { queue: queue_state::QUEUED, cpu, state: task_state::R },
            PlaceChange::Moves { orig, .. } => Self { cpu: orig, ..self.not_running() },
            PlaceChange::Wakes { .. } => self,
        }
    }

    fn not_running(self) -> Self {
        match self.queue {
            queue_state::RUNNING if is_runnable(self.state) => Self { queue: queue_state::QUEUED, ..self },
            queue_state::RUNNING => Self { queue: queue_state::OFF, ..self },
            _ => self,
        }
    }
}

/// Corrects the rows of a snapshot by the events around it.
#[derive(Default)]
pub struct SnapshotCorrector {
    threads: HashMap<i32, Vec<(i64, PlaceChange)>>,
    /// Time, prev and next of each switch by CPU.
    switches: HashMap<i16, Vec<(i64, i32, i32)>>,
    /// Thread that runs on each CPU according to the snapshot.
    read: HashMap<i16, i32>,
    /// Rows changed so far.
    pub corrected: u64,
}

impl SnapshotCorrector {
    /// Add a record of `cpu`'s ring.
    pub fn add(&mut self, cpu: i16, ts_ns: i64, record: &Record<'_>) {
        let mut push = |tid: i32, change| {
            if tid != 0 {
                self.threads.entry(tid).or_default().push((ts_ns, change));
            }
        };
        match *record {
            Record::Switch(r) => {
                push(r.prev_tid, PlaceChange::Leaves { cpu, state: of_word(r.state()) });
                push(r.next_tid, PlaceChange::Enters { cpu });
                self.switches.entry(cpu).or_default().push((ts_ns, r.prev_tid, r.next_tid));
            }
            Record::Wakeup(r) => push(r.tid, PlaceChange::Wakes { cpu: r.cpu as i16 }),
            Record::WakeupNew(r) => push(r.tid, PlaceChange::Wakes { cpu: r.cpu as i16 }),
            Record::Migrate(r) => push(r.tid, PlaceChange::Moves { orig: r.orig_cpu as i16, dest: r.dest_cpu as i16 }),
            Record::CpuSnapshot(r) if r.current >= 0 => {
                self.read.insert(r.cpu as i16, r.current);
            }
            _ => {}
        }
    }

    /// Call after all records around the snapshot were added.
    pub fn complete(&mut self) {
        // Stable: records of one ring with equal stamps keep their order.
        self.threads.values_mut().for_each(|changes| changes.sort_by_key(|(ts_ns, _)| *ts_ns));
        self.switches.values_mut().for_each(|switches| switches.sort_by_key(|(ts_ns, ..)| *ts_ns));
    }

    /// Correct a row of the snapshot.
    pub fn correct(&mut self, row: &mut Row) {
        let ts_ns = row.ts_ns;
        let changed = match &mut row.event {
            Event::CpuSnapshot(CpuSnapshot { cpu, current_tid, .. }) => {
                let right = self.current_at(*cpu, ts_ns).or(*current_tid);
                std::mem::replace(current_tid, right) != right
            }
            Event::ThreadSnapshot(thread) => {
                let read = Place { queue: thread.queue, cpu: thread.cpu, state: thread.state };
                let right = self.place_at(thread, read, ts_ns);
                (thread.queue, thread.cpu, thread.state) = (right.queue, right.cpu, right.state);
                read != right
            }
            _ => false,
        };
        self.corrected += u64::from(changed);
    }

    /// The thread that runs on a CPU at an instant according to the switches.
    fn current_at(&self, cpu: i16, ts_ns: i64) -> Option<i32> {
        let switches = self.switches.get(&cpu)?;
        let after = switches.partition_point(|(at, ..)| *at < ts_ns);
        match after.checked_sub(1) {
            Some(before) => Some(switches[before].2),
            None => switches.first().map(|(_, prev, _)| *prev),
        }
    }

    fn place_at(&self, thread: &ThreadSnapshot, read: Place, ts_ns: i64) -> Place {
        let changes = self.threads.get(&thread.tid).map_or(&[][..], Vec::as_slice);
        let (earlier, later) = changes.split_at(changes.partition_point(|(at, _)| *at < ts_ns));
        let placed = earlier.iter().fold(None, |place, (_, change)| Some(Place::after(place, *change)));
        let place = match placed {
            Some(place) if place.queue != queue_state::UNKNOWN => place,
            Some(moved) => Place { cpu: moved.cpu, ..read },
            None => read,
        };
        if let Some((_, next)) = later.first() {
            return place.before(*next);
        }
        if placed.is_some() {
            return place;
        }
        // No events of the thread itself; but a CPU runs one thread.
        let on = |cpu: i16| self.current_at(cpu, ts_ns).or_else(|| self.read.get(&cpu).copied());
        if read.queue == queue_state::RUNNING && on(read.cpu).is_some_and(|current| current != thread.tid) {
            return read.not_running();
        }
        if read.queue != queue_state::RUNNING && on(read.cpu) == Some(thread.tid) {
            return Place { queue: queue_state::RUNNING, state: task_state::R, ..read };
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{CpuSnapshot, Migrate, Switch, Wakeup};

    const RUNNING: u8 = queue_state::RUNNING;
    const QUEUED: u8 = queue_state::QUEUED;
    const OFF: u8 = queue_state::OFF;

    fn switch(prev_tid: i32, prev_state: u32, next_tid: i32) -> Record<'static> {
        Record::Switch(Switch { prev_tid, next_tid, prev_prio: 120, next_prio: 120, prev_state, ..Default::default() })
    }

    /// What thread 7's row, read at 100 as (queue, cpu, state), becomes among these (cpu, time, record).
    fn corrected(read: (u8, i16, u8), records: &[(i16, i64, Record<'static>)]) -> (u8, i16, u8) {
        let mut corrector = SnapshotCorrector::default();
        records.iter().for_each(|(cpu, ts_ns, record)| corrector.add(*cpu, *ts_ns, record));
        corrector.complete();
        let mut interner = wastenot_assemble::Interner::default();
        let mut rows = Vec::new();
        let thread = crate::record::Thread { tid: 7, queue: read.0, cpu: read.1 as u16, ..Default::default() };
        let thread = Record::Thread(thread);
        super::super::rows::push(u16::MAX, 100, &thread, &mut Default::default(), &mut interner, &mut rows);
        let Event::ThreadSnapshot(row) = &mut rows[0].event else { panic!("a thread's record gives a thread's row") };
        row.state = read.2;
        corrector.correct(&mut rows[0]);
        let Event::ThreadSnapshot(row) = &rows[0].event else { panic!("its kind does not change") };
        assert_eq!(corrector.corrected, u64::from((row.queue, row.cpu, row.state) != read));
        (row.queue, row.cpu, row.state)
    }

    #[test]
    fn a_row_without_contradiction_stays() {
        assert_eq!(corrected((OFF, 3, task_state::S), &[]), (OFF, 3, task_state::S));
        assert_eq!(corrected((QUEUED, 3, 0), &[(3, 90, switch(8, 1, 9))]), (QUEUED, 3, 0));
    }

    #[test]
    fn earlier_events_of_the_thread_decide() {
        assert_eq!(corrected((OFF, 3, task_state::S), &[(1, 90, switch(0, 0, 7))]), (RUNNING, 1, task_state::R));
        let left = [(1, 80, switch(0, 0, 7)), (1, 90, switch(7, 2, 0))];
        assert_eq!(corrected((RUNNING, 1, 0), &left), (OFF, 1, task_state::D));
        let moved = [
            (1, 80, switch(7, 0, 8)),
            (0, 90, Record::Migrate(Migrate { tid: 7, orig_cpu: 1, dest_cpu: 2, ..Default::default() })),
        ];
        assert_eq!(corrected((QUEUED, 1, 0), &moved), (QUEUED, 2, task_state::R));
    }

    #[test]
    fn a_wakeup_does_not_take_a_running_thread_off_its_cpu() {
        let records = [
            (1, 80, switch(0, 0, 7)),
            (1, 90, Record::Wakeup(Wakeup { tid: 7, cpu: 1, prio: 120, ..Default::default() })),
        ];
        assert_eq!(corrected((RUNNING, 1, 0), &records), (RUNNING, 1, task_state::R));
    }

    #[test]
    fn a_thread_that_leaves_a_cpu_next_was_running_and_one_that_enters_was_queued() {
        assert_eq!(corrected((OFF, 1, task_state::S), &[(1, 100, switch(7, 1, 0))]), (RUNNING, 1, task_state::R));
        assert_eq!(corrected((RUNNING, 1, 0), &[(1, 101, switch(0, 0, 7))]), (QUEUED, 1, task_state::R));
    }

    #[test]
    fn one_cpu_runs_one_thread() {
        assert_eq!(corrected((RUNNING, 1, 0), &[(1, 90, switch(0, 0, 8))]), (QUEUED, 1, task_state::R));
        let current = Record::CpuSnapshot(CpuSnapshot { cpu: 1, online: 1, current: 7 });
        assert_eq!(corrected((QUEUED, 1, 0), &[(-1, 99, current)]), (RUNNING, 1, task_state::R));
    }

    #[test]
    fn the_cpus_current_thread_follows_its_switches() {
        let mut corrector = SnapshotCorrector::default();
        corrector.add(1, 90, &switch(0, 0, 7));
        corrector.add(2, 110, &switch(9, 1, 0));
        corrector.complete();
        for (cpu, read, right) in [(1, 0, 7), (2, 0, 9), (3, 5, 5)] {
            let event =
                Event::CpuSnapshot(wastenot_assemble::CpuSnapshot { cpu, online: true, current_tid: Some(read) });
            let mut row = Row { ts_ns: 100, event };
            corrector.correct(&mut row);
            assert_eq!(
                row.event,
                Event::CpuSnapshot(wastenot_assemble::CpuSnapshot { cpu, online: true, current_tid: Some(right) })
            );
        }
        assert_eq!(corrector.corrected, 2);
    }
}
