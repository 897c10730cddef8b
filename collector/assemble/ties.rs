//! The order of rows with equal stamps from different sources.
//!
//! A source's own order always stands. Between sources, rows about one thread go in the order in which they can have
//! happened: waking, leaving a CPU, migrate, wakeup, entering a CPU. Where that decides nothing: snapshots, losses, forks, wakings,
//! migrates, wakeups, the rest, switches; then the sources in their order.

use crate::{Event, Row};

/// Beyond this many rows with one stamp (a clock of no use), only kind and source decide.
const EXAMINED: usize = 1024;

/// What a row says about a thread. The order is the one in which a thread can go through them at one instant, starting
/// anywhere: a source's first row about the thread tells where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Created,
    Waking,
    Leaves,
    Migrates,
    Wakes,
    Enters,
}

/// The threads of a row with their roles; tid 0 (swapper, one per CPU) is not a thread.
fn roles(row: &Row) -> [(i32, Role); 2] {
    let one = |tid, role| [(tid, role), (0, role)];
    match &row.event {
        Event::SchedSwitch(e) => [(e.prev_tid, Role::Leaves), (e.next_tid, Role::Enters)],
        Event::SchedWaking(e) => one(e.tid, Role::Waking),
        Event::SchedMigrateTask(e) => one(e.tid, Role::Migrates),
        Event::SchedWakeup(e) => one(e.tid, Role::Wakes),
        Event::RunSpan(e) => one(e.tid, Role::Enters),
        Event::ProcessFork(e) => one(e.child_tid, Role::Created),
        _ => one(0, Role::Created),
    }
}

fn rank(row: &Row) -> u8 {
    match row.event {
        Event::CpuSnapshot(_) | Event::ThreadSnapshot(_) => 0,
        Event::LostEvents(_) => 1,
        Event::ProcessFork(_) => 2,
        Event::SchedWaking(_) => 3,
        Event::SchedMigrateTask(_) => 4,
        Event::SchedWakeup(_) => 5,
        Event::SchedSwitch(_) | Event::RunSpan(_) => 7,
        Event::EventStack(_) => 8, // after the event that it belongs to
        _ => 6,
    }
}

/// Visit all rows of `lists` (each one source's rows with the same stamp, in the sources' order), once each, with the
/// number of their list.
pub fn in_causal_order<E>(lists: &[&[Row]], mut visit: impl FnMut(usize, &Row) -> Result<(), E>) -> Result<(), E> {
    let total: usize = lists.iter().map(|list| list.len()).sum();
    let mut rest: Vec<&[Row]> = lists.to_vec();
    for _ in 0..total {
        let mut best: Option<(bool, u8, usize)> = None;
        for (index, list) in rest.iter().enumerate() {
            let Some(head) = list.first() else { continue };
            let held = total <= EXAMINED && must_wait(head, index, &rest);
            let key = (held, rank(head), index);
            if best.is_none_or(|known| key < known) {
                best = Some(key);
            }
        }
        let (_, _, index) = best.expect("rows are left");
        visit(index, &rest[index][0])?;
        rest[index] = &rest[index][1..];
    }
    Ok(())
}

/// Another source still has a row about a thread of `head` that must come first.
fn must_wait(head: &Row, own: usize, rest: &[&[Row]]) -> bool {
    roles(head).into_iter().filter(|(tid, _)| *tid != 0).any(|(tid, role)| {
        rest.iter().enumerate().filter(|(index, _)| *index != own).any(|(_, list)| {
            let first = list.iter().find_map(|row| roles(row).into_iter().find(|(other, _)| *other == tid));
            first.is_some_and(|(_, theirs)| theirs < role)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SchedMigrateTask, SchedSwitch, SchedWakeup, SchedWaking};

    fn row(event: Event) -> Row {
        Row { ts_ns: 5, event }
    }
    fn switch(prev_tid: i32, next_tid: i32) -> Row {
        row(Event::from(SchedSwitch { cpu: 0, prev_tid, prev_state: 2, next_tid, ..Default::default() }))
    }
    fn waking(tid: i32) -> Row {
        row(Event::from(SchedWaking { cpu: 0, tid, prio: None, ..Default::default() }))
    }
    fn wakeup(tid: i32) -> Row {
        row(Event::from(SchedWakeup { cpu: 0, tid, target_cpu: 0, is_new: false, ..Default::default() }))
    }
    fn migrate(tid: i32) -> Row {
        row(Event::from(SchedMigrateTask { cpu: 0, tid, dest_cpu: 1, ..Default::default() }))
    }
    fn order(lists: &[&[Row]]) -> Vec<Row> {
        let mut out = Vec::new();
        in_causal_order::<()>(lists, |_, row| {
            out.push(row.clone());
            Ok(())
        })
        .unwrap();
        out
    }

    #[test]
    fn waking_migrate_wakeup_switch_of_one_thread() {
        let lists: [&[Row]; 4] = [&[switch(0, 7)], &[wakeup(7)], &[migrate(7)], &[waking(7)]];
        assert_eq!(order(&lists), [waking(7), migrate(7), wakeup(7), switch(0, 7)]);
    }

    #[test]
    fn a_thread_leaves_its_cpu_before_it_is_woken_or_enters_another() {
        let lists: [&[Row]; 3] = [&[switch(0, 7)], &[wakeup(7)], &[switch(7, 0)]];
        assert_eq!(order(&lists), [switch(7, 0), wakeup(7), switch(0, 7)]);
    }

    #[test]
    fn the_order_within_a_source_stands() {
        // CPU 0 runs thread 7 for less than the clock's resolution: its wakeup elsewhere comes first.
        let lists: [&[Row]; 2] = [&[switch(0, 7), switch(7, 0)], &[wakeup(9), wakeup(7)]];
        assert_eq!(order(&lists), [wakeup(9), wakeup(7), switch(0, 7), switch(7, 0)]);
    }

    #[test]
    fn a_row_deeper_in_another_source_is_waited_for() {
        let lists: [&[Row]; 2] = [&[switch(0, 7)], &[switch(0, 8), wakeup(7)]];
        assert_eq!(order(&lists), [switch(0, 8), wakeup(7), switch(0, 7)]);
    }

    #[test]
    fn a_circle_is_cut_by_kind_and_source() {
        let lists: [&[Row]; 2] = [&[switch(0, 1), wakeup(2)], &[switch(0, 2), wakeup(1)]];
        assert_eq!(order(&lists), [switch(0, 1), wakeup(2), switch(0, 2), wakeup(1)]);
    }
}
