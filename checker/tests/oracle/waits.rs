//! The wait ledger: of every runnable thread at every instant, why it does not run.

use std::collections::BTreeMap;

use wastenot_schemas::wait_reason as reason;

use super::figures::may_use;
use super::state::{Instant, State, Waiter, Work};
use super::{Machine, Set};

/// (cgroup, reason, excuse, cgroup waited for).
pub type Key = (Option<i64>, u8, Option<u8>, Option<i64>);

/// A thread at an instant: what it waits for, and, where that is its CPU, which one.
type Why = (Key, Option<usize>);

/// The rows of the ledger, and the time that later events refute and that stays in it.
pub fn ledger(m: &Machine, state: &State, pairs: &[Vec<(usize, usize, usize)>]) -> (BTreeMap<Key, i64>, i64) {
    let whys: Vec<BTreeMap<usize, Why>> = state.instants.iter().zip(pairs).map(|(s, p)| of_instant(m, s, p)).collect();
    let mut rows: BTreeMap<Key, i64> = BTreeMap::new();
    for (s, whys) in state.instants.iter().zip(&whys) {
        whys.values().for_each(|(key, _)| *rows.entry(*key).or_default() += s.to - s.from);
    }
    let mut refuted = 0;
    for &(utid, from, to) in &state.refuted {
        refuted += to - from;
        let before = state.instants.partition_point(|s| s.from < to);
        let mut same = None;
        for at in (0..before).rev().take_while(|&at| state.instants[at].from >= from) {
            let (s, Some(&(key, Some(cpu)))) = (&state.instants[at], whys[at].get(&utid)) else { break };
            if *same.get_or_insert((key.0, cpu, s.work[cpu])) != (key.0, cpu, s.work[cpu]) {
                break;
            }
            *rows.get_mut(&key).expect("counted") -= s.to - s.from;
            refuted -= s.to - s.from;
        }
    }
    rows.retain(|_, ns| *ns != 0);
    (rows, refuted)
}

fn of_instant(m: &Machine, s: &Instant, pairs: &[(usize, usize, usize)]) -> BTreeMap<usize, Why> {
    let matched = |utid: usize| pairs.iter().any(|pair| pair.0 == utid);
    let taken: Set = pairs.iter().fold(0, |set, pair| set | 1 << pair.2);
    let left = s.idle & !s.irq & !taken;
    let mut others: Vec<&Waiter> = s.waiters.iter().filter(|w| !w.throttled && !matched(w.utid)).collect();
    others.sort_by_key(|w| (w.wait_start, w.utid));
    let confined: BTreeMap<usize, u8> =
        others.iter().take(left.count_ones() as usize).map(|w| (w.utid, excuse(m, s, w, left))).collect();
    let why = |&(utid, cpu, throttled, cgroup): &(usize, usize, bool, Option<i64>)| {
        let standing = |reason, excuse| ((cgroup, reason, excuse, None), None);
        let why = match confined.get(&utid) {
            _ if throttled => standing(reason::OWN_QUOTA, None),
            _ if matched(utid) => standing(reason::AVOIDABLE, None),
            Some(excuse) => standing(reason::CONFINED, Some(*excuse)),
            None => {
                let (reason, culprit) = behind(cgroup, s.work[cpu]);
                ((cgroup, reason, None, culprit), Some(cpu))
            }
        };
        (utid, why)
    };
    s.runnable.iter().map(why).collect()
}

/// The excuse with which none of these idle CPUs is left to the waiter.
fn excuse(m: &Machine, s: &Instant, w: &Waiter, left: Set) -> u8 {
    let k = (1..=8).find(|&k| may_use(m, s, w, k) & left == 0);
    k.expect("the matching is a maximum one") as u8 - 1
}

fn behind(waiter: Option<i64>, work: Work) -> (u8, Option<i64>) {
    match work {
        Work::Swapper => (reason::WAKEUP_LATENCY, None),
        Work::Interrupts => (reason::INTERRUPTS, None),
        Work::Unknown => (reason::UNKNOWN, None),
        Work::Thread { cgroup, realtime: true, .. } if waiter.is_none() || waiter != cgroup => (reason::RT_DL, cgroup),
        Work::Thread { kernel: true, .. } => (reason::KERNEL_THREADS, None),
        Work::Thread { cgroup, .. } if waiter.is_none() || cgroup.is_none() => (reason::UNKNOWN_CGROUP, None),
        Work::Thread { cgroup, .. } if waiter == cgroup => (reason::OWN_THREADS, None),
        Work::Thread { cgroup, .. } => (reason::NEIGHBOUR, cgroup),
    }
}
