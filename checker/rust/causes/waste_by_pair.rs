//! Waste and answers added up over the time of an episode, by pair and question.

use super::pair_answers::{AnswerLine, AnswerRecord, EVENTS_KEPT, least_of_heaviest, packed, weight};
use super::rules::{Answers, Finding};
use crate::fast_hash::FastMap;
use crate::pair_segment::PairKey;

/// Of these, kept beside the answer; the others go where the few answers that have more keep theirs.
const NEAR: usize = 3;
/// Answers written per pair and question: so many chosen ones, and as many alternatives.
const WRITTEN: usize = 4;
/// No answer, and no further events.
const NONE: u32 = u32::MAX;

/// A pair: its waste, and where its answers start.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PairWaste {
    key: u64,
    ns: i64,
    first: u32,
}

/// An answer about a pair, by a rule, with the time for which it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AnswerSlot {
    weight_ns: i64,
    near: [i64; NEAR],
    /// As [`AnswerRecord::packed`].
    record: u32,
    events: u8,
    /// The pair's next answer; where the events after the first three are.
    next: u32,
    far: u32,
}

/// A pair of a `WasteByPair`, for as long as nothing is added for another pair.
#[derive(Clone, Copy, Debug)]
pub struct PairIndex(u32);

/// Pairs with their waste, and answers with the time for which they were given.
#[derive(Clone, Debug, Default)]
pub struct WasteByPair {
    index: FastMap<u64, u32>,
    pairs: Vec<PairWaste>,
    slots: Vec<AnswerSlot>,
    far: Vec<[i64; EVENTS_KEPT - NEAR]>,
}

impl WasteByPair {
    /// Number of pairs.
    pub fn size(&self) -> usize {
        self.pairs.len()
    }

    /// `ns` more of the pair's waste. A new pair that would be one more than `most` makes the lighter half of the others go.
    pub fn wasted(&mut self, pair: PairKey, ns: i64, most: usize) -> PairIndex {
        let key = packed(pair);
        if let Some(&at) = self.index.get(&key) {
            self.pairs[at as usize].ns += ns;
            return PairIndex(at);
        }
        if self.pairs.len() >= most {
            self.keep_heaviest(most / 2);
        }
        let at = self.pairs.len() as u32;
        self.index.insert(key, at);
        self.pairs.push(PairWaste { key, ns, first: NONE });
        PairIndex(at)
    }

    /// The pair, if it is listed.
    pub fn find(&self, pair: PairKey) -> Option<PairIndex> {
        self.index.get(&packed(pair)).map(|&at| PairIndex(at))
    }

    /// `answers` hold for `ns` of the pair's waste; none is decisive where the thread's mask is not known.
    pub fn add(&mut self, pair: PairIndex, answers: &Answers, mask_known: bool, ns: i64) {
        let findings = [(answers.best(), true)].into_iter().chain(answers.others().map(|f| (f, false)));
        findings.for_each(|(f, chosen)| self.add_one(pair, &f.with_decisive(f.decisive && mask_known), chosen, ns));
    }

    /// One answer; `chosen`: the best.
    pub fn add_one(&mut self, pair: PairIndex, f: &Finding, chosen: bool, ns: i64) {
        self.add_record(pair, AnswerRecord::of_finding(f, chosen).packed(), f.events.as_slice(), ns);
    }

    /// One answer, as a number, and the events that it rests on.
    pub fn add_record(&mut self, pair: PairIndex, record: u32, events: &[i64], ns: i64) {
        let mut at = self.pairs[pair.0 as usize].first;
        while let Some(slot) = self.slots.get(at as usize).filter(|s| s.record != record) {
            at = slot.next;
        }
        if at == NONE {
            at = self.slots.len() as u32;
            let first = &mut self.pairs[pair.0 as usize].first;
            self.slots.push(AnswerSlot {
                weight_ns: 0,
                near: [0; NEAR],
                record,
                events: 0,
                next: std::mem::replace(first, at),
                far: NONE,
            });
        }
        let slot = &mut self.slots[at as usize];
        slot.weight_ns += ns;
        if usize::from(slot.events) < EVENTS_KEPT {
            events.iter().for_each(|&event| self.note(at as usize, event));
        }
    }

    /// An event that an answer rests on; the first few are kept.
    fn note(&mut self, at: usize, event: i64) {
        let slot = &mut self.slots[at];
        let n = usize::from(slot.events);
        if n == EVENTS_KEPT || slot.near[..n.min(NEAR)].contains(&event) {
            return;
        }
        if n < NEAR {
            slot.near[n] = event;
            slot.events += 1;
            return;
        }
        if slot.far == NONE {
            slot.far = self.far.len() as u32;
            self.far.push([0; EVENTS_KEPT - NEAR]);
        }
        let far = &mut self.far[slot.far as usize];
        if !far[..n - NEAR].contains(&event) {
            far[n - NEAR] = event;
            slot.events += 1;
        }
    }

    /// Drop all pairs but the `n` (at least one) with most waste.
    fn keep_heaviest(&mut self, n: usize) {
        let least = least_of_heaviest(self.pairs.iter().map(|p| (p.key, p.ns)).collect(), n);
        let before = std::mem::take(self);
        for pair in before.pairs.iter().filter(|p| weight((p.key, p.ns)) >= least) {
            let to = self.pairs.len() as u32;
            self.index.insert(pair.key, to);
            self.pairs.push(PairWaste { first: NONE, ..*pair });
            let (mut from, mut last) = (pair.first, NONE);
            while let Some(slot) = before.slots.get(from as usize) {
                from = slot.next;
                let here = self.slots.len() as u32;
                let far = before.far.get(slot.far as usize).map_or(NONE, |far| {
                    self.far.push(*far);
                    self.far.len() as u32 - 1
                });
                self.slots.push(AnswerSlot { next: NONE, far, ..*slot });
                match self.slots.get_mut(last as usize) {
                    Some(last) => last.next = here,
                    None => self.pairs[to as usize].first = here,
                }
                last = here;
            }
        }
    }

    /// Nothing will be added any more: at most so many pairs stay, those with most waste, and they are put in order.
    pub fn settle(&mut self, most: usize) {
        if self.pairs.len() > most {
            self.keep_heaviest(most);
        }
        self.index = FastMap::default();
        self.pairs.sort_unstable_by_key(|p| p.key);
    }

    /// The pair in that place, and its waste.
    pub(super) fn pair(&self, place: usize) -> (u64, i64) {
        (self.pairs[place].key, self.pairs[place].ns)
    }

    /// The lines about the pair in that place of a settled record by question, the chosen ones first, the heaviest first. Where
    /// there are more than are written, the chosen ones that are left out go to the heaviest of theirs, so that the weights
    /// still add up.
    pub fn lines(&self, place: usize, out: &mut Vec<AnswerLine>) {
        out.clear();
        let mut at = self.pairs[place].first;
        while let Some(slot) = self.slots.get(at as usize) {
            at = slot.next;
            let mut events = [0; EVENTS_KEPT];
            events[..NEAR].copy_from_slice(&slot.near);
            if let Some(far) = self.far.get(slot.far as usize) {
                events[NEAR..].copy_from_slice(far);
            }
            out.push(AnswerLine {
                record: AnswerRecord::of(slot.record),
                weight_ns: slot.weight_ns,
                events,
                n: slot.events,
            });
        }
        // The latest come first in the list; in the order in which they were met they are nearly in order.
        out.reverse();
        let group = |l: &AnswerLine| (l.record.answer.question, !l.record.chosen);
        out.sort_unstable_by_key(|l| {
            let proof = std::cmp::Reverse(l.record.proof);
            (group(l), -l.weight_ns, l.record.rule, l.record.answer, proof, l.record.decisive)
        });
        let (mut first, mut kept) = (0, 0);
        for at in 0..out.len() {
            let line = out[at];
            if kept == 0 || group(&out[first]) != group(&line) {
                first = kept;
            }
            if kept - first < WRITTEN {
                out[kept] = line;
                kept += 1;
            } else if line.record.chosen {
                out[first].weight_ns += line.weight_ns;
            }
        }
        out.truncate(kept);
    }
}
