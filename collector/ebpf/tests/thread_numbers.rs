//! Threads whose numbers others had before; in a file of its own, since all of the machine's threads get such numbers meanwhile.

mod recording;

use recording::{events, record, run};
use std::collections::HashSet;
use std::time::Duration;
use wastenot_ebpf::Options;
use wastenot_ebpf::record::Record;

/// So few numbers for threads that they are used again within seconds; as before when dropped.
struct FewThreadNumbers(String);

const PID_MAX: &str = "/proc/sys/kernel/pid_max";

impl FewThreadNumbers {
    fn set() -> Option<Self> {
        let before = std::fs::read_to_string(PID_MAX).ok()?;
        std::fs::write(PID_MAX, "3000").ok()?;
        Some(Self(before))
    }
}

impl Drop for FewThreadNumbers {
    fn drop(&mut self) {
        let _ = std::fs::write(PID_MAX, &self.0);
    }
}

fn introduced(options: Options) {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("t.part");
    let load = run("for i in 1 2 3 4 5 6; do (while :; do sleep 0.001; /bin/true; done) & done; wait");
    let meta = record(&part, options, |_| std::thread::sleep(Duration::from_millis(4500)));
    drop(load);
    if meta.is_none() {
        return;
    }
    let (events, _) = events(&part);
    let (mut forks, mut numbers, mut started) = (0, HashSet::new(), 0);
    for event in &events {
        match event.record {
            Record::Fork(fork) => {
                forks += 1;
                numbers.insert(fork.child_tid);
            }
            Record::WakeupNew(_) => started += 1,
            _ => {}
        }
    }
    println!("{forks} threads of {} numbers, {started} started", numbers.len());
    assert!(numbers.len() * 10 < forks * 9, "{} numbers for {forks} threads", numbers.len());
    assert!(forks + 8 >= started, "{forks} of {started} threads have a record of their creation");
}

/// Where constraints are kept by the numbers of threads: before bpf_mem_alloc, and with raw_tp.
#[test]
fn a_thread_whose_number_another_one_had_is_introduced_too() {
    let Some(_few) = FewThreadNumbers::set() else {
        wastenot_skips::skip(format_args!("{PID_MAX} cannot be written"));
        return;
    };
    introduced(Options { early: true, ..Options::default() });
    introduced(Options { raw_tp: true, ..Options::default() });
}
