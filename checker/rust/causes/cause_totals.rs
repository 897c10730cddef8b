//! Waste by answer, added up over the episodes that are over.

use std::collections::BTreeMap;

use super::answers::Answer;
use super::packed_pairs::PackedPairs;
use super::pair_answers::{AnswerLine, Cause, cause};

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
    /// Episodes whose cause has it.
    pub episodes: i64,
    /// Pairs of a thread and an idle CPU that have it, at least at times.
    pub pairs: i64,
    /// Waste of those pairs while they have it, core-ns.
    pub core_ns: i64,
}

/// Sums by grade (code of the enumeration `grade`) and answer, of the best answers alone.
#[derive(Default)]
pub struct CauseTotals {
    totals: BTreeMap<(u8, Answer), AnswerTotals>,
    lines: Vec<AnswerLine>,
}

impl CauseTotals {
    /// Add an episode that is over, with the pairs that it lists.
    pub fn add(&mut self, grade: u8, listed: &PackedPairs) {
        let mut by_cause = WasteByCause::default();
        let mut is_answered = false;
        for pair in listed.pairs() {
            pair.lines(&mut self.lines);
            for line in self.lines.iter().filter(|line| line.record.chosen) {
                let of_answer = self.totals.entry((grade, line.record.answer)).or_default();
                of_answer.core_ns += line.weight_ns;
            }
            if self.lines.is_empty() {
                continue;
            }
            is_answered = true;
            self.count_pair(grade);
            by_cause.add(cause(&self.lines), pair.ns);
        }
        if is_answered {
            for (answer, _) in by_cause.most_wasteful().0 {
                self.totals.entry((grade, answer)).or_default().episodes += 1;
            }
        }
    }

    /// Each answer counts a pair once, with whatever proofs and by whatever rules it has it.
    fn count_pair(&mut self, grade: u8) {
        let chosen: Vec<Answer> = self.lines.iter().filter(|l| l.record.chosen).map(|l| l.record.answer).collect();
        for (at, answer) in chosen.iter().enumerate() {
            if !chosen[..at].contains(answer) {
                self.totals.entry((grade, *answer)).or_default().pairs += 1;
            }
        }
    }

    /// By grade, question and answer.
    pub fn iter(&self) -> impl Iterator<Item = (u8, Answer, AnswerTotals)> + '_ {
        self.totals.iter().map(|(&(grade, answer), &totals)| (grade, answer, totals))
    }
}
