//! Waste by answer, added up over the episodes that are over.

use std::collections::BTreeMap;

use super::answers::Answer;
use super::packed_pairs::PackedPairs;
use super::pair_answers::{AnswerLine, Cause, cause};
use crate::topology::{CpuIx, TracedTopology};

/// Waste by cause; of each the pair with most waste.
#[derive(Default)]
pub struct WasteByCause(BTreeMap<[Answer; 3], (i64, i64, Cause)>);

impl WasteByCause {
    /// A pair; they come in order.
    pub fn add(&mut self, cause: Cause, ns: i64) {
        let (sum, heaviest, of) = self.0.entry(cause.0.map(|(answer, _)| answer)).or_insert((0, -1, cause));
        *sum += ns;
        if ns > *heaviest {
            (*heaviest, *of) = (ns, cause);
        }
    }

    /// The cause with most waste.
    pub fn most_wasteful(self) -> Cause {
        let best = self.0.into_iter().max_by_key(|(answers, (sum, ..))| (*sum, std::cmp::Reverse(*answers)));
        best.map_or_else(Cause::unknown, |(_, (.., cause))| cause)
    }
}

/// What has one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerTotals {
    /// Episodes whose cause has it, at the node of the pair with most waste.
    pub episodes: i64,
    /// Pairs of a thread and an idle CPU that have it, at least at times.
    pub pairs: i64,
    /// Waste of those pairs while they have it, core-ns.
    pub core_ns: i64,
}

/// Grade (code of the enumeration `grade`), answer, and NUMA node of the idle CPU (-1: unknown).
pub type CauseKey = (u8, Answer, i32);

/// Sums over the best answers.
#[derive(Default)]
pub struct CauseTotals {
    totals: BTreeMap<CauseKey, AnswerTotals>,
    lines: Vec<AnswerLine>,
}

impl CauseTotals {
    /// Add an episode that is over, with the pairs that it lists.
    pub fn add(&mut self, grade: u8, listed: &PackedPairs, topology: &TracedTopology) {
        let (mut by_cause, mut heaviest) = (WasteByCause::default(), None);
        for pair in listed.pairs() {
            pair.lines(&mut self.lines);
            if self.lines.is_empty() {
                continue;
            }
            let node = topology.cpu(pair.pair.2 as CpuIx).node.map_or(-1, |node| node as i32);
            self.add_pair(grade, node);
            by_cause.add(cause(&self.lines), pair.ns);
            if heaviest.is_none_or(|(ns, _)| ns < pair.ns) {
                heaviest = Some((pair.ns, node));
            }
        }
        if let Some((_, node)) = heaviest {
            for (answer, _) in by_cause.most_wasteful().0 {
                self.totals.entry((grade, answer, node)).or_default().episodes += 1;
            }
        }
    }

    /// Each answer counts a pair once, with whatever proofs and by whatever rules it has it.
    fn add_pair(&mut self, grade: u8, node: i32) {
        let chosen = || self.lines.iter().filter(|line| line.record.chosen);
        for (at, line) in chosen().enumerate() {
            let of_answer = self.totals.entry((grade, line.record.answer, node)).or_default();
            of_answer.core_ns += line.weight_ns;
            let is_first = chosen().take(at).all(|before| before.record.answer != line.record.answer);
            of_answer.pairs += i64::from(is_first);
        }
    }

    /// By grade, question, answer and node.
    pub fn iter(&self) -> impl Iterator<Item = (CauseKey, AnswerTotals)> + '_ {
        self.totals.iter().map(|(&key, &totals)| (key, totals))
    }
}
