//! The pairs of an episode that is over, and their answers, packed: they are most of the result of a long trace.

use super::pair_answers::{AnswerLine, AnswerRecord, EVENTS_KEPT, PAIRS, least_of_heaviest, packed, unpacked, weight};
use super::waste_by_pair::WasteByPair;
use crate::pair_segment::PairKey;

/// Pairs of the episodes of one kind that are over: if there are more, those that list most list half as many, …
const LISTED: usize = 1 << 21;
/// … but an episode never lists fewer than so many for that.
const FEWEST: usize = 64;

/// Pairs in order, each with its waste and its lines. Numbers are kept as differences, in as many bytes as they need.
#[derive(Clone, Debug, Default)]
pub struct PackedPairs {
    n: usize,
    /// The answers of all pairs.
    records: Vec<AnswerRecord>,
    bytes: Vec<u8>,
}

/// A pair.
#[derive(Clone, Copy)]
pub struct PackedPair<'a> {
    pub pair: PairKey,
    pub ns: i64,
    records: &'a [AnswerRecord],
    lines: &'a [u8],
}

impl PackedPairs {
    /// What an episode lists that is over: the pairs with most waste, at most so many; `see` is given each with its waste and
    /// its lines.
    pub fn of(mut waste: WasteByPair, most: usize, mut see: impl FnMut(PairKey, i64, &[AnswerLine])) -> Self {
        waste.settle(most);
        let (mut listed, mut lines, mut bytes) = (Self::default(), Vec::new(), Vec::new());
        let mut before = 0;
        for place in 0..waste.size() {
            let (key, ns) = waste.pair(place);
            waste.lines(place, &mut lines);
            see(unpacked(key), ns, &lines);
            bytes.clear();
            lines.iter().for_each(|line| listed.pack(line, ns, &mut bytes));
            listed.push(key - before, ns, &bytes);
            before = key;
        }
        listed.bytes.shrink_to_fit();
        listed
    }

    /// Number of pairs.
    pub fn size(&self) -> usize {
        self.n
    }

    /// Keep the pairs with most waste, at most so many (at least one).
    pub fn shorten(&mut self, most: usize) {
        if self.n <= most {
            return;
        }
        let least = least_of_heaviest(self.pairs().map(|e| (packed(e.pair), e.ns)).collect(), most);
        let mut fewer = Self { records: self.records.clone(), ..Self::default() };
        let mut before = 0;
        for e in self.pairs().filter(|e| weight((packed(e.pair), e.ns)) >= least) {
            fewer.push(packed(e.pair) - before, e.ns, e.lines);
            before = packed(e.pair);
        }
        fewer.bytes.shrink_to_fit();
        *self = fewer;
    }

    /// The pairs in order.
    pub fn pairs(&self) -> impl Iterator<Item = PackedPair<'_>> {
        let (mut left, mut key) = (ByteReader(&self.bytes), 0);
        (0..self.n).map(move |_| {
            key += left.number();
            let ns = left.number() as i64;
            let len = left.number() as usize;
            PackedPair { pair: unpacked(key), ns, records: &self.records, lines: left.take(len) }
        })
    }

    fn push(&mut self, further: u64, ns: i64, lines: &[u8]) {
        self.n += 1;
        [further, ns as u64, lines.len() as u64].into_iter().for_each(|number| write(number, &mut self.bytes));
        self.bytes.extend_from_slice(lines);
    }

    fn pack(&mut self, line: &AnswerLine, ns: i64, out: &mut Vec<u8>) {
        let place = self.records.iter().position(|record| *record == line.record).unwrap_or_else(|| {
            self.records.push(line.record);
            self.records.len() - 1
        });
        write(place as u64, out);
        // Most answers hold all the time.
        write(zigzag(ns - line.weight_ns), out);
        write(u64::from(line.n), out);
        let mut before = 0;
        for &event in line.events() {
            write(zigzag(event.wrapping_sub(before)), out);
            before = event;
        }
    }
}

impl PackedPair<'_> {
    /// The answers of the pair: by question, the chosen answers first, the heaviest first.
    pub fn lines(&self, out: &mut Vec<AnswerLine>) {
        out.clear();
        let mut left = ByteReader(self.lines);
        while !left.0.is_empty() {
            let record = self.records[left.number() as usize];
            let weight_ns = self.ns - unzigzag(left.number());
            let n = left.number() as u8;
            let (mut events, mut event) = ([0; EVENTS_KEPT], 0i64);
            for slot in &mut events[..usize::from(n)] {
                event = event.wrapping_add(unzigzag(left.number()));
                *slot = event;
            }
            out.push(AnswerLine { record, weight_ns, events, n });
        }
    }
}

/// Numbers of seven bits a byte, the low ones first; the eighth says that more follow.
fn write(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
            shift += 7;
        }
        number
    }

    fn take(&mut self, n: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(n);
        self.0 = rest;
        taken
    }
}

/// Small numbers of either sign as small numbers.
fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Bounds the pairs of the episodes that are over.
pub struct PairLimit {
    n: usize,
    most: usize,
}

impl Default for PairLimit {
    fn default() -> Self {
        Self { n: 0, most: PAIRS }
    }
}

impl PairLimit {
    /// Add the pairs of an episode that is over; `see` as of [`PackedPairs::of`].
    pub fn close(&mut self, waste: WasteByPair, see: impl FnMut(PairKey, i64, &[AnswerLine])) -> PackedPairs {
        let listed = PackedPairs::of(waste, self.most, see);
        self.n += listed.size();
        listed
    }

    /// An episode that lists so many pairs was handed out.
    pub fn release(&mut self, pairs: usize) {
        self.n -= pairs;
    }

    /// Where all of them together list too many pairs, those that list most list fewer.
    pub fn enforce<'a>(&mut self, all: impl Iterator<Item = &'a mut PackedPairs>) {
        if self.n <= LISTED || self.most <= FEWEST {
            return;
        }
        self.most /= 2;
        self.n = 0;
        for listed in all {
            listed.shorten(self.most);
            self.n += listed.size();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::answers::{EndedBy, PlacedBy, Proof};
    use crate::causes::rules::Finding;

    /// Pairs of threads 1 … n, each with a waste of 1000 ns times its number and two answers about it.
    fn waste(n: u32) -> WasteByPair {
        let mut waste = WasteByPair::default();
        for utid in (1..=n).rev() {
            let ns = 1000 * i64::from(utid);
            let pair = waste.wasted((utid, 7, 65_535), ns, PAIRS);
            let events = [Some(i64::MAX), Some(i64::MIN), Some(-1)];
            let wakeup = Finding::new(PlacedBy::Wakeup, Proof::Proved, events).expect("it is one");
            waste.add_one(pair, &wakeup, true, true, ns);
            let end = Finding::new(EndedBy::EndOfTrace, Proof::Consistent, []).expect("it is one");
            waste.add_one(pair, &end, false, true, ns + 1);
        }
        waste
    }

    fn threads(listed: &PackedPairs) -> Vec<(u32, i64)> {
        listed.pairs().map(|e| (e.pair.0, e.ns)).collect()
    }

    #[test]
    fn packed_values_are_unpacked_unchanged() {
        let listed = PackedPairs::of(waste(3), PAIRS, |_, _, _| {});
        assert_eq!(threads(&listed), [(1, 1000), (2, 2000), (3, 3000)]);
        let last = listed.pairs().last().expect("there are three");
        assert_eq!(last.pair, (3, 7, 65_535));
        let mut lines = Vec::new();
        last.lines(&mut lines);
        let short = |l: &AnswerLine| (l.record.answer.name(), l.record.chosen, l.weight_ns, l.events().to_vec());
        let stored: Vec<_> = lines.iter().map(short).collect();
        let wakeup = ("wakeup", true, 3000, vec![i64::MAX, i64::MIN, -1]);
        assert_eq!(stored, [wakeup, ("end_of_trace", false, 3001, vec![])]);
    }

    #[test]
    fn the_lightest_go_at_once_and_later() {
        let mut listed = PackedPairs::of(waste(9), 5, |_, _, _| {});
        assert_eq!(threads(&listed), [(5, 5000), (6, 6000), (7, 7000), (8, 8000), (9, 9000)]);
        listed.shorten(2);
        assert_eq!(threads(&listed), [(8, 8000), (9, 9000)]);
        listed.shorten(2);
        assert_eq!(listed.size(), 2);
        let mut lines = Vec::new();
        listed.pairs().for_each(|e| e.lines(&mut lines));
        assert_eq!(lines.len(), 2);
    }
}
