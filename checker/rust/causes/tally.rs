//! Answers added up over the time of an episode, by pair and question.

use std::collections::{BTreeMap, HashMap};

use super::answers::{Answer, Proof, Question};
use super::rules::{Answers, Found};

/// (utid, CPU it waited on, idle CPU).
pub type PairKey = (u32, u32, u32);

/// Events kept of one answer.
const EVIDENCE: usize = 8;
/// Answers written per pair and question: so many chosen ones, and as many alternatives.
const WRITTEN: usize = 4;

/// Which answer, by which rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    pair: PairKey,
    answer: Answer,
    chosen: bool,
    proof: Proof,
    rule: u8,
}

/// An answer about a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub pair: PairKey,
    pub answer: Answer,
    pub chosen: bool,
    pub proof: Proof,
    pub rule: u8,
    pub weight_ns: i64,
    pub evidence: Vec<i64>,
}

/// Answers with the time for which they were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    sums: HashMap<Key, (i64, Vec<i64>)>,
}

impl Tally {
    /// `answers` hold for `ns` of the pair's waste.
    pub fn add(&mut self, pair: PairKey, answers: &Answers, ns: i64) {
        self.add_one(pair, &answers.best(), true, ns);
        for found in answers.others() {
            self.add_one(pair, &found, false, ns);
        }
    }

    /// One answer; `chosen`: the best.
    pub fn add_one(&mut self, pair: PairKey, f: &Found, chosen: bool, ns: i64) {
        let key = Key { pair, answer: f.answer, chosen, proof: f.proof, rule: f.rule };
        let (sum, evidence) = self.sums.entry(key).or_default();
        *sum += ns;
        for event in f.evidence.iter().flatten() {
            if evidence.len() < EVIDENCE && !evidence.contains(event) {
                evidence.push(*event);
            }
        }
    }

    /// The lines about each pair and question, heaviest first. Where there are more than are written, the chosen ones that are
    /// left out go to the heaviest of theirs, so that the weights still add up.
    pub fn lines(&self) -> Vec<Line> {
        let mut all: Vec<Line> = self
            .sums
            .iter()
            .map(|(k, (ns, evidence))| Line {
                pair: k.pair,
                answer: k.answer,
                chosen: k.chosen,
                proof: k.proof,
                rule: k.rule,
                weight_ns: *ns,
                evidence: evidence.clone(),
            })
            .collect();
        let group = |l: &Line| (l.pair, l.answer.question, !l.chosen);
        all.sort_by_key(|l| (group(l), -l.weight_ns, l.rule, l.answer, std::cmp::Reverse(l.proof)));
        let mut out: Vec<Line> = Vec::new();
        let mut first = 0;
        for line in all {
            if out.get(first).is_none_or(|l| group(l) != group(&line)) {
                first = out.len();
            }
            if out.len() - first < WRITTEN {
                out.push(line);
            } else if line.chosen {
                out[first].weight_ns += line.weight_ns;
            }
        }
        out
    }
}

/// The three answers of a pair or an episode, each with its proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause(pub [(Answer, Proof); 3]);

impl Cause {
    /// The answer to a question, as it is written.
    pub fn text(&self, question: Question) -> &'static str {
        self.0[question as usize].0.name()
    }

    /// How sure that is.
    pub fn proof(&self, question: Question) -> u8 {
        self.0[question as usize].1 as u8
    }
}

/// The cause of each pair among these lines: per question the answer with most weight, and its heaviest proof.
pub fn causes(lines: &[Line]) -> BTreeMap<PairKey, Cause> {
    let mut out: BTreeMap<PairKey, Cause> = BTreeMap::new();
    let mut weights: BTreeMap<(PairKey, Answer), i64> = BTreeMap::new();
    for line in lines.iter().filter(|l| l.chosen) {
        *weights.entry((line.pair, line.answer)).or_default() += line.weight_ns;
    }
    let unknown = |q| (Answer::unknown(q), Proof::Unknown);
    let mut best: BTreeMap<(PairKey, Question), i64> = BTreeMap::new();
    for line in lines.iter().filter(|l| l.chosen) {
        let weight = weights[&(line.pair, line.answer)];
        let question = line.answer.question;
        let cause = out.entry(line.pair).or_insert_with(|| Cause(super::answers::QUESTIONS.map(unknown)));
        // Lines come heaviest first: the first of the heaviest answer has its heaviest proof.
        if best.get(&(line.pair, question)).is_none_or(|b| weight > *b) {
            best.insert((line.pair, question), weight);
            cause.0[question as usize] = (line.answer, line.proof);
        }
    }
    out
}
