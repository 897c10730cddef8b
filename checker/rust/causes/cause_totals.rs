//! Waste by answer, added up over the episodes that are over.

use super::answers::{Answer, Proof};
use super::pair_answers::{AnswerLine, Cause, cause, most_proved};
use crate::fast_hash::FastMap;
use crate::pair_segment::PairKey;
use crate::topology::{CpuIx, TracedTopology};

/// Waste by cause, and by answer and proof.
#[derive(Default)]
pub struct WasteByCause {
    causes: FastMap<[Answer; 3], i64>,
    proofs: FastMap<(Answer, Proof), i64>,
}

impl WasteByCause {
    /// A pair of so much waste, its lines, and its cause by them.
    pub fn add(&mut self, lines: &[AnswerLine], cause: &Cause, ns: i64) {
        *self.causes.entry(cause.0.map(|(answer, _)| answer)).or_default() += ns;
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
    totals: FastMap<CauseKey, AnswerTotals>,
}

/// What is added of an episode that is over.
pub struct EpisodeTotals<'a> {
    totals: &'a mut CauseTotals,
    grade: u8,
    by_cause: WasteByCause,
    /// The most that a pair wasted, and the node of its idle CPU.
    heaviest: Option<(i64, i32)>,
}

impl CauseTotals {
    /// An episode of that grade is over.
    pub fn episode(&mut self, grade: u8) -> EpisodeTotals<'_> {
        EpisodeTotals { totals: self, grade, by_cause: WasteByCause::default(), heaviest: None }
    }

    /// In the order of grade, question, answer and node.
    pub fn iter(&self) -> impl Iterator<Item = (CauseKey, AnswerTotals)> {
        let mut all: Vec<_> = self.totals.iter().map(|(&key, &totals)| (key, totals)).collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        all.into_iter()
    }
}

impl EpisodeTotals<'_> {
    /// Add a pair that it lists, its waste, and its lines.
    pub fn add(&mut self, pair: PairKey, ns: i64, lines: &[AnswerLine], topology: &TracedTopology) {
        if lines.is_empty() {
            return;
        }
        let node = topology.cpu(pair.2 as CpuIx).node.map_or(-1, |node| node as i32);
        self.add_lines(lines, node);
        self.by_cause.add(lines, &cause(lines), ns);
        if self.heaviest.is_none_or(|(most, _)| most < ns) {
            self.heaviest = Some((ns, node));
        }
    }

    /// All of its pairs were added.
    pub fn finish(self) {
        let Some((_, node)) = self.heaviest else { return };
        for (answer, _) in self.by_cause.most_wasteful().0 {
            self.totals.totals.entry((self.grade, answer, node)).or_default().episodes += 1;
        }
    }

    /// Each answer counts a pair once, with whatever proofs and by whatever rules it has it.
    fn add_lines(&mut self, lines: &[AnswerLine], node: i32) {
        let chosen = || lines.iter().filter(|line| line.record.chosen);
        for (at, line) in chosen().enumerate() {
            let of_answer = self.totals.totals.entry((self.grade, line.record.answer, node)).or_default();
            of_answer.core_ns += line.weight_ns;
            let is_first = chosen().take(at).all(|before| before.record.answer != line.record.answer);
            of_answer.pairs += i64::from(is_first);
        }
    }
}
