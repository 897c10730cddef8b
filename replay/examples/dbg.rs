#[path = "../tests/common/mod.rs"]
mod common;
use common::{machines, simulate, verdict};
use wastenot_replay::provocations::provocation;
use wastenot_replay::{Kernel, Settings};
fn main() {
    let mut a = std::env::args().skip(1);
    let f: wastenot_replay::Fault = a.next().unwrap().parse().unwrap();
    let m = a.next().unwrap();
    for (name, machine) in machines() {
        if name != m {
            continue;
        }
        let p = provocation(f, &machine).unwrap();
        for on in [true, false] {
            let faults = if on { p.beside.with(f) } else { p.beside };
            let (t, o) = simulate(&machine, &p.workload, Kernel::new(p.release, faults), &Settings::default());
            let v = verdict(&t);
            println!(
                "on {on} {:?} rows {} wasted {} grades {:?} ep {:?} busy {} idle {} online {}\n{:?}",
                o.marks, o.rows, v.wasted_ns, v.grades, v.episodes, v.busy_ns, v.idle_ns, v.online_ns, v.trust
            );
            println!("  {:?}", o.progress);
            for table in ["sched_switch", "sched_migrate_task", "sched_wakeup", "balance_attempt", "irq_span"] {
                let n: usize = t.iter().filter(|x| x.0 == table).map(|x| x.1.num_rows()).sum();
                print!("{table} {n}  ");
            }
            println!();
            let mut by = std::collections::BTreeMap::new();
            for (n, b) in &t {
                if *n == "sched_migrate_task" {
                    let v = wastenot_schemas::sched_migrate_task::View::try_new(b).unwrap();
                    for i in 0..b.num_rows() {
                        *by.entry(v.row(i).stack_id).or_insert(0) += 1;
                    }
                }
            }
            dump(&t, 49_000_000, 80_000_000);
            println!("  moves by path {by:?}");
        }
    }
}
#[allow(dead_code)]
fn dump(t: &common::Tables, from: i64, to: i64) {
    for (n, b) in t {
        if *n == "sched_migrate_task" {
            let v = wastenot_schemas::sched_migrate_task::View::try_new(b).unwrap();
            for i in 0..b.num_rows() {
                let r = v.row(i);
                if r.ts_ns > from && r.ts_ns < to {
                    println!("{} {} {:?}->{} {:?}", r.ts_ns, r.tid, r.orig_cpu, r.dest_cpu, r.stack_id);
                }
            }
        }
    }
}
