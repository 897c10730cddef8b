//! The path of every move, as the table `migration` has it.

use wastenot_schemas as tables;

use crate::NEAR;
use crate::common::check_drawn;

fn paths(text: &str) -> Vec<(&'static str, &'static str)> {
    check_drawn(text).rows("migration", |b| {
        let v = tables::migration::View::try_new(b).unwrap();
        let rows = (0..v.len()).map(|i| v.row(i));
        rows.map(|r| (tables::migration_path::NAMES[r.path as usize], tables::proof::NAMES[r.path_proof as usize]))
            .collect()
    })
}

fn path(events: &str) -> (&'static str, &'static str) {
    let all = paths(&format!("{NEAR}\n{events}\n"));
    assert_eq!(all.len(), 1, "{all:?}");
    all[0]
}

#[test]
fn a_stack_proves_it() {
    let moved = "0us thread 101 w on 2 queued\n1ms migrate 101 from 2 to 1 by sched_ext";
    assert_eq!(path(moved), ("sched_ext", "proved"));
}

#[test]
fn without_a_stack_a_move_is_named_by_what_only_one_path_does() {
    let queued = "0us thread 101 w on 2 queued";
    assert_eq!(path(&format!("{queued}\n1ms migrate 101 from 2 to 1")), ("periodic", "consistent"));
    assert_eq!(path(&format!("{queued}\n1ms migrate 101 from 2 to 0")), ("unknown", "unknown"));
    let asleep = "0us thread 101 w on 2 asleep\n1ms migrate 101 from 2 to 1";
    assert_eq!(path(asleep), ("wakeup", "consistent"));
    let pinned = "0us thread 101 w on 2 queued\n1ms affinity 101 0\n1ms migrate 101 from 2 to 0";
    assert_eq!(path(pinned), ("affinity", "consistent"));
}

#[test]
fn a_wakeup_elsewhere_without_a_move_is_one_all_the_same() {
    assert_eq!(path("0us thread 101 w on 2 asleep\n1ms wakeup 101 on 1"), ("wakeup", "consistent"));
}
