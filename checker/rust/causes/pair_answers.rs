//! Answers about a pair of a thread and an idle CPU, as they are stored and written.

use super::answers::{Answer, Proof, Question};
use super::rules::Finding;
use crate::pair_segment::PairKey;

/// Events kept of one answer.
pub(super) const EVENTS_KEPT: usize = 8;

/// Pairs of an episode of a timed grade.
pub const PAIRS: usize = 1 << 16;

/// An answer, and the rule that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerRecord {
    pub answer: Answer,
    /// The best answer, not an alternative.
    pub chosen: bool,
    pub proof: Proof,
    /// Another decision would have spared the thread its wait.
    pub decisive: bool,
    pub rule: u8,
}

impl AnswerRecord {
    /// What a rule found.
    pub fn of_finding(f: &Finding, chosen: bool) -> Self {
        Self { answer: f.answer, chosen, proof: f.proof, decisive: f.decisive, rule: f.rule }
    }

    /// As one number.
    pub fn packed(self) -> u32 {
        let flags = u32::from(self.chosen) << 7 | u32::from(self.decisive) << 6 | self.proof as u32;
        u32::from(self.answer.packed()) << 16 | flags << 8 | u32::from(self.rule)
    }

    /// From that number.
    pub fn of(packed: u32) -> Self {
        let flags = packed >> 8 & 0xff;
        let (answer, proof) = (Answer::of((packed >> 16) as u16), Proof::of(flags as u8 & 0x3f));
        Self { answer, chosen: flags >> 7 != 0, proof, decisive: flags & 0x40 != 0, rule: packed as u8 }
    }
}

/// The best answers to the three questions about a short wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShortAnswers {
    /// As [`AnswerRecord::packed`].
    pub records: [u32; 3],
    /// The number of events that each rests on.
    pub events: [u8; 3],
}

impl ShortAnswers {
    /// How many events they rest on.
    pub fn n_events(&self) -> usize {
        self.events.iter().map(|&n| usize::from(n)).sum()
    }

    /// Set the answer to a question, and append the events that it rests on.
    pub fn set(&mut self, question: Question, f: &Finding, events: &mut Vec<i64>) {
        let of = f.events.as_slice();
        events.extend_from_slice(of);
        self.records[question as usize] = AnswerRecord::of_finding(f, true).packed();
        self.events[question as usize] = of.len() as u8;
    }
}

/// An answer about a pair, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLine {
    pub record: AnswerRecord,
    pub weight_ns: i64,
    pub(super) events: [i64; EVENTS_KEPT],
    pub(super) n: u8,
}

impl AnswerLine {
    /// The first events that it rests on.
    pub fn events(&self) -> &[i64] {
        &self.events[..usize::from(self.n)]
    }
}

/// A pair as one number, in the same order.
pub(super) fn packed((utid, queue, idle): PairKey) -> u64 {
    debug_assert!(queue < 1 << 16 && idle < 1 << 16);
    u64::from(utid) << 32 | u64::from(queue) << 16 | u64::from(idle)
}

pub(super) fn unpacked(key: u64) -> PairKey {
    ((key >> 32) as u32, (key >> 16) as u32 & 0xffff, key as u32 & 0xffff)
}

/// How heavy a pair is: by its waste, of equal ones the first.
pub(super) fn weight((key, ns): (u64, i64)) -> (i64, std::cmp::Reverse<u64>) {
    (ns, std::cmp::Reverse(key))
}

/// The lightest of the `n` heaviest pairs, of which there are more.
pub(super) fn least_of_heaviest(pairs: Vec<(u64, i64)>, n: usize) -> (i64, std::cmp::Reverse<u64>) {
    let mut weights: Vec<_> = pairs.into_iter().map(weight).collect();
    let at = weights.len() - n;
    *weights.select_nth_unstable(at).1
}

/// The three answers of a pair or an episode, each with its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause(pub [(Answer, Proof); 3]);

impl Cause {
    /// Nothing is known.
    pub fn unknown() -> Self {
        Self(Question::ALL.map(|q| (Answer::unknown(q), Proof::Unknown)))
    }

    /// The answer to a question: a code of the enumeration of its name.
    pub fn code(&self, question: Question) -> u8 {
        self.0[question as usize].0.code()
    }

    /// How sure that is.
    pub fn proof(&self, question: Question) -> u8 {
        self.0[question as usize].1 as u8
    }
}

/// Of a pair's waste what other decisions would have prevented, core-ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preventable {
    /// Another placement; another decision of the balancer.
    pub placement: i64,
    pub balancing: i64,
    /// In both: either of the two, for at least so long.
    pub either: i64,
}

impl Preventable {
    /// Of a pair with so much waste, by its lines.
    pub fn of(lines: &[AnswerLine], ns: i64) -> Self {
        let by = |question: Question| {
            let decisive =
                |l: &&AnswerLine| l.record.chosen && l.record.decisive && l.record.answer.question == question;
            lines.iter().filter(decisive).map(|l| l.weight_ns).sum::<i64>().min(ns)
        };
        let (placement, balancing) = (by(Question::PlacedBy), by(Question::NotMovedBecause));
        Self { placement, balancing, either: (placement + balancing - ns).max(0) }
    }

    /// Add another pair's.
    pub fn add(&mut self, of: Self) {
        self.placement += of.placement;
        self.balancing += of.balancing;
        self.either += of.either;
    }
}

/// The proof with most weight, of two as much the weaker.
pub(super) fn most_proved(weights: [(Proof, i64); 3]) -> Proof {
    let best = weights.into_iter().max_by_key(|&(proof, weight)| (weight, std::cmp::Reverse(proof)));
    best.map_or(Proof::Unknown, |(proof, _)| proof)
}

/// The cause of a pair by its lines: per question the answer with most weight, and the proof that it has for most of that.
pub fn cause(lines: &[AnswerLine]) -> Cause {
    let mut cause = Cause::unknown();
    let mut best = [i64::MIN; 3];
    let chosen = || lines.iter().filter(|l| l.record.chosen);
    for line in chosen() {
        let of_question = || chosen().filter(|l| l.record.answer.question == line.record.answer.question);
        if line.weight_ns > 0 && of_question().nth(1).is_none() {
            cause.0[line.record.answer.question as usize] = (line.record.answer, line.record.proof);
            continue;
        }
        let of_answer = || chosen().filter(|l| l.record.answer == line.record.answer);
        let weight = of_answer().map(|l| l.weight_ns).sum();
        let question = line.record.answer.question as usize;
        if weight > best[question] {
            best[question] = weight;
            let by_proof = [Proof::Unknown, Proof::Consistent, Proof::Proved]
                .map(|proof| (proof, of_answer().filter(|l| l.record.proof == proof).map(|l| l.weight_ns).sum()));
            cause.0[question] = (line.record.answer, most_proved(by_proof));
        }
    }
    cause
}
