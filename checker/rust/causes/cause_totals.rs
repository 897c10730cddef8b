//! Waste by answer, added up over the episodes that are over.

use std::collections::BTreeMap;

use super::answers::{Answer, Proof};
use super::packed_pairs::PackedPairs;
use super::pair_answers::{AnswerLine, Cause, cause, most_proved};
use crate::topology::{CpuIx, TracedTopology};

/// Waste by cause, and by answer and proof.
#[derive(Default)]
pub struct WasteByCause {
    causes: BTreeMap<[Answer; 3], i64>,
    proofs: BTreeMap<(Answer, Proof), i64>,
}

impl WasteByCause {
    /// A pair of so much waste, and its lines.
    pub fn add(&mut self, lines: &[AnswerLine], ns: i64) {
        *self.causes.entry(cause(lines).0.map(|(answer, _)| answer)).or_default() += ns;
        for line in lines.iter().filter(|line| line.record.chosen) {
            *self.proofs.entry((line.record.answer, line.record.proof)).or_default() += line.weight_ns;
        }
    }

    /// The cause with most waste; each answer with the proof that it has for most of its time, of two as much the weaker.
    pub fn most_wasteful(self) -> Cause {
        let best = self.causes.iter().max_by_key(|(answers, sum)| (**sum, std::cmp::Reverse(**answers)));
        let Some((answers, _)) = best else { return Cause::unknown() };
        Cause(answers.map(|answer| {
            let of =
                [Proof::Unknown, Proof::Consistent, Proof::Proved].map(|proof| (proof, self.weight(answer, proof)));
            (answer, most_proved(of))
        }))
    }

    fn weight(&self, answer: Answer, proof: Proof) -> i64 {
        self.proofs.get(&(answer, proof)).copied().unwrap_or(0)
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
            by_cause.add(&self.lines, pair.ns);
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
