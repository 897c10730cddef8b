//! Waste and answers added up over the time of an episode, by pair and question.

use super::pair_answers::{AnswerLine, AnswerRecord, EVENTS_KEPT, ShortAnswers, least_of_heaviest, packed, weight};
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

/// Answers of a pair that were given last: up to three to each question.
const RECENT: usize = 9;

/// What a pair's answers were given for: a batch of segments, and in it how the thread came to wait and the graded pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnsweredCase {
    pub batch: u32,
    pub origin: u32,
    pub graded: u32,
}

/// The answers that were given last about a pair.
#[derive(Clone, Debug)]
struct RecentAnswers {
    case: Option<AnsweredCase>,
    /// What ends the pair is not among them.
    unresolved: bool,
    n: u8,
    /// Where they are among the answers.
    slots: [u32; RECENT],
    /// They hold for so much more than their weights say, core-ns.
    ns: i64,
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
    /// By pair: what was added last by case, and where the answers to the three questions are that were added last; as far as
    /// something was.
    recent: Vec<RecentAnswers>,
    latest: Vec<[u32; 3]>,
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

    /// The answers that were given last hold for `ns` more of the pair's waste, if they were given for this case: whether what
    /// ends the pair is not among them. Else the answers that are added next are those for this case.
    pub fn add_again(&mut self, pair: PairIndex, case: Option<AnsweredCase>, ns: i64) -> Option<bool> {
        if case.is_none() && self.recent.is_empty() {
            return None;
        }
        let recent = of_pair(&mut self.recent, pair, &RecentAnswers::NONE);
        if case.is_some() && recent.case == case {
            recent.ns += ns;
            return Some(recent.unresolved);
        }
        recent.settle(&mut self.slots);
        // Those added next are often the same, in the same order.
        (recent.case, recent.unresolved, recent.n) = (case, false, 0);
        None
    }

    /// What ends the pair is not known yet in the case whose answers are added.
    pub fn leave_open(&mut self, pair: PairIndex) {
        if let Some(recent) = self.recent.get_mut(pair.0 as usize) {
            recent.unresolved = true;
        }
    }

    /// The pair, if it is listed.
    pub fn find(&self, pair: PairKey) -> Option<PairIndex> {
        self.index.get(&packed(pair)).map(|&at| PairIndex(at))
    }

    /// `answers` hold for `ns` of the pair's waste; none is decisive where the thread's mask is not known.
    pub fn add(&mut self, pair: PairIndex, answers: &Answers, mask_known: bool, ns: i64) {
        match &answers.findings[0] {
            Some(best) => self.add_one(pair, best, true, mask_known, ns),
            None => self.add_one(pair, &answers.best(), true, mask_known, ns),
        }
        answers.findings[1..].iter().flatten().for_each(|f| self.add_one(pair, f, false, mask_known, ns));
    }

    /// The same of answers that belong to no case: those about what was left open.
    pub fn add_late(&mut self, pair: PairIndex, answers: &Answers, ns: i64) {
        self.add_again(pair, None, ns);
        self.add(pair, answers, true, ns);
    }

    /// One answer; `chosen`: the best.
    pub(super) fn add_one(&mut self, pair: PairIndex, f: &Finding, chosen: bool, mask_known: bool, ns: i64) {
        let record =
            AnswerRecord { decisive: f.decisive && mask_known, ..AnswerRecord::of_finding(f, chosen) }.packed();
        let Some(recent) = self.recent.get(pair.0 as usize) else {
            let at = self.slot(pair, record);
            return self.add_to(at, f.events.as_slice(), ns);
        };
        let n = usize::from(recent.n);
        let latest = recent.slots.get(n).copied();
        let known = latest.filter(|&at| self.slots.get(at as usize).is_some_and(|slot| slot.record == record));
        let at = known.unwrap_or_else(|| self.slot(pair, record));
        self.add_to(at, f.events.as_slice(), ns);
        let recent = &mut self.recent[pair.0 as usize];
        match recent.slots.get_mut(n) {
            Some(slot) => (*slot, recent.n) = (at, recent.n + 1),
            None => recent.case = None,
        }
    }

    /// The answers to the three questions hold for `ns` of the pair's waste, and rest on these events.
    pub fn add_short(&mut self, pair: PairIndex, answers: &ShortAnswers, events: &[i64], ns: i64) {
        let mut events = events;
        for (question, (record, n)) in answers.records.into_iter().zip(answers.events).enumerate() {
            let (of_answer, later) = events.split_at(usize::from(n));
            events = later;
            let latest = of_pair(&mut self.latest, pair, &[NONE; 3])[question];
            let known = self.slots.get(latest as usize).is_some_and(|slot| slot.record == record);
            let at = if known { latest } else { self.slot(pair, record) };
            self.latest[pair.0 as usize][question] = at;
            self.add_to(at, of_answer, ns);
        }
    }

    /// Where a pair's answer is, a new one if need be.
    fn slot(&mut self, pair: PairIndex, record: u32) -> u32 {
        let mut at = self.pairs[pair.0 as usize].first;
        while let Some(slot) = self.slots.get(at as usize).filter(|s| s.record != record) {
            at = slot.next;
        }
        if at == NONE {
            at = self.slots.len() as u32;
            let first = &mut self.pairs[pair.0 as usize].first;
            let next = std::mem::replace(first, at);
            self.slots.push(AnswerSlot { weight_ns: 0, near: [0; NEAR], record, events: 0, next, far: NONE });
        }
        at
    }

    /// An answer holds for `ns` more, and rests on these events.
    fn add_to(&mut self, at: u32, events: &[i64], ns: i64) {
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

    /// All weights say for how long answers hold.
    fn settle_recent(&mut self) {
        self.recent.iter_mut().for_each(|recent| recent.settle(&mut self.slots));
    }

    /// Drop all pairs but the `n` (at least one) with most waste.
    fn keep_heaviest(&mut self, n: usize) {
        let least = least_of_heaviest(self.pairs.iter().map(|p| (p.key, p.ns)).collect(), n);
        self.settle_recent();
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
        self.settle_recent();
        (self.recent, self.latest) = Default::default();
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

/// What is noted of a pair.
fn of_pair<'a, T: Clone>(all: &'a mut Vec<T>, pair: PairIndex, none: &T) -> &'a mut T {
    let at = pair.0 as usize;
    if at >= all.len() {
        all.resize(at + 1, none.clone());
    }
    &mut all[at]
}

impl RecentAnswers {
    const NONE: Self = Self { case: None, unresolved: false, n: 0, slots: [NONE; RECENT], ns: 0 };

    fn settle(&mut self, slots: &mut [AnswerSlot]) {
        let ns = std::mem::take(&mut self.ns);
        if ns > 0 {
            self.slots[..usize::from(self.n)].iter().for_each(|&at| slots[at as usize].weight_ns += ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::causes::answers::{NotMovedBecause, PlacedBy, Proof, Question};

    fn answers(of: u32) -> [Answers; 2] {
        let proof = if of.is_multiple_of(2) { Proof::Proved } else { Proof::Consistent };
        let placed = Finding::new(PlacedBy::Wakeup, proof, [Some(i64::from(of))]);
        let other = Finding::new(NotMovedBecause::AllPinned, proof, [Some(9), None]);
        let mut all = [Question::PlacedBy, Question::NotMovedBecause].map(Answers::unknown);
        (all[0].findings[0], all[1].findings[1]) = (placed, other);
        all
    }

    fn listed(mut waste: WasteByPair) -> Vec<(u64, i64, Vec<AnswerLine>)> {
        waste.settle(3);
        let of = |place| {
            let mut lines = Vec::new();
            waste.lines(place, &mut lines);
            let (key, ns) = waste.pair(place);
            (key, ns, lines)
        };
        (0..waste.size()).map(of).collect()
    }

    proptest! {
        /// Pairs come and go, each segment with the answers of its case, or late: with or without noting the case the record is the
        /// same.
        #[test]
        fn answers_given_again_weigh_as_if_they_were_added(
            segments in prop::collection::vec((0u32..6, 0u32..3, 1i64..50, prop::bool::weighted(0.2)), 0..120),
        ) {
            let [mut direct, mut again] = [(); 2].map(|()| WasteByPair::default());
            for (utid, origin, ns, is_late) in segments {
                let pair = direct.wasted((utid, 1, 2), ns, 4);
                answers(origin).iter().for_each(|a| direct.add(pair, a, true, ns));
                let pair = again.wasted((utid, 1, 2), ns, 4);
                let case = AnsweredCase { batch: 1, origin, graded: 0 };
                if is_late {
                    answers(origin).iter().for_each(|a| again.add_late(pair, a, ns));
                } else if again.add_again(pair, Some(case), ns).is_none() {
                    answers(origin).iter().for_each(|a| again.add(pair, a, true, ns));
                }
            }
            prop_assert_eq!(listed(direct), listed(again));
        }
    }
}
