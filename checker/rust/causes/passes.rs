//! Passes of the balancer while waste is under way, found by the CPU that they were for and the level of the domain.

use super::witness::{Pass, Verdict, is_newly_idle};
use crate::topology::CpuIx;
use std::collections::VecDeque;
use std::ops::Range;
use wastenot_schemas::idle_type;

/// Passes kept; of more, the first are dropped.
const KEPT: usize = 1 << 15;

/// Passes of one CPU over one level that are looked at for one edge; of more, the latest.
const LOOKED_AT: usize = 64;

/// Levels of domains told apart on one CPU; passes over more are known by their CPU alone.
const LEVELS: usize = 32;

/// Those that were made for CPUs about to idle are not among them.
#[derive(Debug, Default)]
pub struct PassLog {
    /// By CPU that they were for: levels, and the passes over each by their begin.
    of: Vec<Vec<(i16, VecDeque<Pass>)>>,
    /// All passes by their begin.
    all: VecDeque<Seen>,
    /// The latest begin of a pass that was dropped for want of room.
    dropped: Option<i64>,
}

/// A pass by itself.
#[derive(Clone, Copy, Debug)]
struct Seen {
    t: i64,
    until: i64,
    by_idle: bool,
    moved: bool,
    /// CPU and place of the level in its list; None: not told.
    of: Option<(CpuIx, u8)>,
}

/// A pass that moved somebody and was under way at `to` ended what ended then: it did not leave it standing.
fn ended(moved: bool, until: i64, to: i64) -> bool {
    moved && until >= to
}

impl PassLog {
    /// None yet, on a machine of so many CPUs.
    pub fn new(n: usize) -> Self {
        Self { of: vec![Vec::new(); n], ..Self::default() }
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// There were none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// A pass was made.
    pub fn push(&mut self, pass: Pass) {
        if is_newly_idle(pass.idle) {
            return;
        }
        if self.all.len() == KEPT {
            self.drop_first();
        }
        let place = pass.level.and_then(|level| self.place(pass.dst, level));
        if let Some(place) = place {
            insert(&mut self.of[pass.dst as usize][usize::from(place)].1, pass, |pass| pass.t);
        }
        let by_idle = pass.idle != idle_type::NOT_IDLE;
        let moved = pass.verdict == Verdict::Moved;
        let of = place.map(|place| (pass.dst, place));
        insert(&mut self.all, Seen { t: pass.t, until: pass.until, by_idle, moved, of }, |seen| seen.t);
    }

    /// Passes for a CPU over a domain of this level that began in `[from, to)` and left standing what ended at `to`; of many,
    /// the latest.
    pub fn over(&self, cpu: CpuIx, level: i16, from: i64, to: i64) -> impl Iterator<Item = &Pass> {
        let range = |passes: &VecDeque<Pass>| {
            let Range { start, end } = within(passes, from, to, |pass| pass.t);
            start.max(end.saturating_sub(LOOKED_AT))..end
        };
        let some = self.passes(cpu, level).map(|passes| passes.range(range(passes)));
        some.into_iter().flatten().filter(move |pass| !ended(pass.verdict == Verdict::Moved, pass.until, to))
    }

    /// How many passes for a CPU over a domain of this level began in `[from, to)`.
    pub fn count(&self, cpu: CpuIx, level: i16, from: i64, to: i64) -> usize {
        self.passes(cpu, level).map_or(0, |passes| within(passes, from, to, |pass| pass.t).len())
    }

    fn passes(&self, cpu: CpuIx, level: i16) -> Option<&VecDeque<Pass>> {
        self.of[cpu as usize].iter().find(|(of, _)| *of == level).map(|(_, passes)| passes)
    }

    /// An idle CPU made a pass over some domain that began in `[from, to)` and did not end what ended at `to`.
    pub fn any_by_idle(&self, from: i64, to: i64) -> bool {
        self.any(from, to, |seen| seen.by_idle)
    }

    /// Of some pass that began in `[from, to)` the domain is not told; or not all of them are known any more.
    pub fn any_untold(&self, from: i64, to: i64) -> bool {
        self.dropped.is_some_and(|t| t >= from) || self.any(from, to, |seen| seen.of.is_none())
    }

    fn any(&self, from: i64, to: i64, fits: impl Fn(&Seen) -> bool) -> bool {
        let mut within = self.all.range(within(&self.all, from, to, |seen| seen.t)).rev();
        within.any(|seen| fits(seen) && !ended(seen.moved, seen.until, to))
    }

    /// Nothing before `cut` is asked for any more.
    pub fn forget_before(&mut self, cut: i64) {
        while self.all.front().is_some_and(|seen| seen.t < cut) {
            self.forget_first();
        }
        if self.dropped.is_some_and(|t| t < cut) {
            self.dropped = None;
        }
    }

    fn drop_first(&mut self) {
        self.dropped = self.dropped.max(self.all.front().map(|seen| seen.t));
        self.forget_first();
    }

    fn forget_first(&mut self) {
        if let Some((cpu, place)) = self.all.pop_front().and_then(|seen| seen.of) {
            self.of[cpu as usize][usize::from(place)].1.pop_front();
        }
    }

    fn place(&mut self, cpu: CpuIx, level: i16) -> Option<u8> {
        let levels = &mut self.of[cpu as usize];
        let known = levels.iter().position(|(of, _)| *of == level);
        if known.is_none() {
            if levels.len() == LEVELS {
                return None;
            }
            levels.push((level, VecDeque::new()));
        }
        Some(known.unwrap_or(levels.len() - 1) as u8)
    }
}

/// Passes are told when they end, so the next to come may have begun a little earlier than the latest.
fn insert<T>(list: &mut VecDeque<T>, item: T, t: impl Fn(&T) -> i64) {
    let mut at = list.len();
    while at > 0 && t(&list[at - 1]) > t(&item) {
        at -= 1;
    }
    list.insert(at, item);
}

fn within<T>(list: &VecDeque<T>, from: i64, to: i64, t: impl Fn(&T) -> i64) -> Range<usize> {
    let start = list.partition_point(|item| t(item) < from);
    start..list.partition_point(|item| t(item) < to).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(t: i64, dst: CpuIx, level: Option<i16>, verdict: Verdict) -> Pass {
        Pass { t, until: t + 5, event: t, dst, level, idle: idle_type::IDLE, verdict, seen: true }
    }

    fn log(passes: &[(i64, CpuIx, Option<i16>)]) -> PassLog {
        let mut log = PassLog::new(4);
        passes.iter().for_each(|&(t, dst, level)| log.push(pass(t, dst, level, Verdict::Unknown)));
        log
    }

    #[test]
    fn passes_are_found_by_cpu_level_and_time() {
        // The second was told after the third, which began later.
        let log = log(&[(10, 1, Some(0)), (30, 1, Some(0)), (20, 1, Some(0)), (25, 2, Some(0)), (26, 1, Some(1))]);
        let times = |cpu, level, from, to| log.over(cpu, level, from, to).map(|pass| pass.t).collect::<Vec<_>>();
        assert_eq!(times(1, 0, 10, 30), [10, 20]);
        assert_eq!(times(1, 0, 11, 31), [20, 30]);
        assert_eq!((times(1, 1, 0, 99), times(3, 0, 0, 99)), (vec![26], vec![]));
        assert_eq!((log.count(1, 0, 0, 99), log.any_by_idle(31, 99), log.any_by_idle(30, 99)), (3, false, true));
    }

    #[test]
    fn the_pass_that_ends_a_wait_is_none_that_saw_it() {
        let mut log = PassLog::new(4);
        log.push(pass(10, 1, Some(0), Verdict::Moved));
        assert_eq!(log.over(1, 0, 0, 15).count(), 0, "it moved somebody at 15");
        assert_eq!(log.over(1, 0, 0, 16).count(), 1, "the wait went on after it");
        assert!(!log.any_by_idle(0, 15) && log.any_by_idle(0, 16));
    }

    #[test]
    fn that_there_was_none_is_not_said_of_a_time_whose_passes_were_dropped() {
        let many: Vec<_> = (0..KEPT as i64 + 2).map(|t| (t, 2, Some(0))).collect();
        let mut log = log(&many);
        assert_eq!((log.len(), log.count(2, 0, 0, 4)), (KEPT, 2));
        assert!(log.any_untold(1, 4) && !log.any_untold(2, 4));
        log.forget_before(100);
        assert_eq!((log.len(), log.count(2, 0, 0, 101)), (KEPT - 98, 1));
        assert!(!log.any_untold(0, 4), "nobody asks about that time any more");
    }

    #[test]
    fn a_pass_whose_domain_is_not_told_may_have_been_over_any() {
        let log = log(&[(10, 1, None), (20, 1, Some(0))]);
        assert!(log.any_untold(10, 11) && !log.any_untold(11, 99));
    }
}
