//! The pairs of an episode that is over, and what is said of each, packed: most of what a long trace leaves are these.

use super::answers::{Answer, Proof};
use super::tally::{EVIDENCE, PAIRS, PairKey, Tally, packed, unpacked};

/// Pairs of the episodes of one kind that are over: if there are more, those that list most list half as many, …
const LISTED: usize = 1 << 21;
/// … but an episode never lists fewer than so many for that.
const FEWEST: usize = 64;

/// What is said, and by which rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    pub answer: Answer,
    /// The best answer, not an alternative.
    pub chosen: bool,
    pub proof: Proof,
    pub rule: u8,
}

impl Said {
    /// As one number.
    pub fn packed(self) -> u32 {
        let flags = u32::from(self.chosen) << 7 | self.proof as u32;
        u32::from(self.answer.packed()) << 16 | flags << 8 | u32::from(self.rule)
    }

    /// From that number.
    pub fn of(packed: u32) -> Self {
        let flags = packed >> 8 & 0xff;
        let (answer, proof) = (Answer::of((packed >> 16) as u16), Proof::of(flags as u8 & 0x7f));
        Self { answer, chosen: flags >> 7 != 0, proof, rule: packed as u8 }
    }
}

/// An answer about a pair, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub said: Said,
    pub weight_ns: i64,
    pub(super) events: [i64; EVIDENCE],
    pub(super) n: u8,
}

impl Line {
    /// The events it rests on, the first ones that were met.
    pub fn evidence(&self) -> &[i64] {
        &self.events[..usize::from(self.n)]
    }
}

/// Pairs in order, each with its waste and its lines. Numbers are kept as differences, in as many bytes as they need.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    kept: usize,
    /// What is said of any pair.
    said: Vec<Said>,
    bytes: Vec<u8>,
}

/// A pair.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub pair: PairKey,
    pub ns: i64,
    said: &'a [Said],
    lines: &'a [u8],
}

impl Listed {
    /// What an episode lists that is over: the pairs with most waste, at most so many.
    pub fn of(mut tally: Tally, most: usize) -> Self {
        tally.settle(most);
        let (mut listed, mut lines, mut bytes) = (Self::default(), Vec::new(), Vec::new());
        let mut before = 0;
        for place in 0..tally.kept() {
            let (key, ns) = tally.pair(place);
            tally.lines(place, &mut lines);
            bytes.clear();
            lines.iter().for_each(|line| listed.pack(line, ns, &mut bytes));
            listed.push(key - before, ns, &bytes);
            before = key;
        }
        listed.bytes.shrink_to_fit();
        listed
    }

    /// Pairs kept.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// Keep the pairs with most waste, at most so many (at least one).
    pub fn shorten(&mut self, most: usize) {
        if self.kept <= most {
            return;
        }
        let least = least_of_heaviest(self.pairs().map(|e| (packed(e.pair), e.ns)).collect(), most);
        let mut fewer = Self { said: self.said.clone(), ..Self::default() };
        let mut before = 0;
        for e in self.pairs().filter(|e| weight((packed(e.pair), e.ns)) >= least) {
            fewer.push(packed(e.pair) - before, e.ns, e.lines);
            before = packed(e.pair);
        }
        fewer.bytes.shrink_to_fit();
        *self = fewer;
    }

    /// The pairs in order.
    pub fn pairs(&self) -> impl Iterator<Item = Entry<'_>> {
        let (mut left, mut key) = (Bytes(&self.bytes), 0);
        (0..self.kept).map(move |_| {
            key += left.number();
            let ns = left.number() as i64;
            let len = left.number() as usize;
            Entry { pair: unpacked(key), ns, said: &self.said, lines: left.take(len) }
        })
    }

    fn push(&mut self, further: u64, ns: i64, lines: &[u8]) {
        self.kept += 1;
        [further, ns as u64, lines.len() as u64].into_iter().for_each(|number| write(number, &mut self.bytes));
        self.bytes.extend_from_slice(lines);
    }

    fn pack(&mut self, line: &Line, ns: i64, out: &mut Vec<u8>) {
        let place = self.said.iter().position(|said| *said == line.said).unwrap_or_else(|| {
            self.said.push(line.said);
            self.said.len() - 1
        });
        write(place as u64, out);
        // Most answers hold all the time.
        write(zigzag(ns - line.weight_ns), out);
        write(u64::from(line.n), out);
        let mut before = 0;
        for &event in line.evidence() {
            write(zigzag(event.wrapping_sub(before)), out);
            before = event;
        }
    }
}

impl Entry<'_> {
    /// What is said of the pair: by question, the chosen answers first, the heaviest first.
    pub fn lines(&self, out: &mut Vec<Line>) {
        out.clear();
        let mut left = Bytes(self.lines);
        while !left.0.is_empty() {
            let said = self.said[left.number() as usize];
            let weight_ns = self.ns - unzigzag(left.number());
            let n = left.number() as u8;
            let (mut events, mut event) = ([0; EVIDENCE], 0i64);
            for slot in &mut events[..usize::from(n)] {
                event = event.wrapping_add(unzigzag(left.number()));
                *slot = event;
            }
            out.push(Line { said, weight_ns, events, n });
        }
    }
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

/// Numbers of seven bits a byte, the low ones first; the eighth says that more follow.
fn write(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
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
pub struct Bound {
    kept: usize,
    most: usize,
}

impl Default for Bound {
    fn default() -> Self {
        Self { kept: 0, most: PAIRS }
    }
}

impl Bound {
    /// An episode is over: what it lists.
    pub fn close(&mut self, tally: Tally) -> Listed {
        let listed = Listed::of(tally, self.most);
        self.kept += listed.kept();
        listed
    }

    /// Where all of them together list too many pairs, those that list most list fewer.
    pub fn enforce<'a>(&mut self, all: impl Iterator<Item = &'a mut Listed>) {
        if self.kept <= LISTED || self.most <= FEWEST {
            return;
        }
        self.most /= 2;
        self.kept = 0;
        for listed in all {
            listed.shorten(self.most);
            self.kept += listed.kept();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::causes::answers::{EndedBy, PlacedBy};
    use crate::causes::rules::Found;

    /// Pairs of threads 1 … n, each with a waste of 1000 ns times its number and two answers about it.
    fn tally(n: u32) -> Tally {
        let mut tally = Tally::default();
        for utid in (1..=n).rev() {
            let ns = 1000 * i64::from(utid);
            let pair = tally.wasted((utid, 7, 65_535), ns, PAIRS);
            let events = [Some(i64::MAX), Some(i64::MIN), Some(-1)];
            let wakeup = Found::new(PlacedBy::Wakeup, Proof::Proved, events).expect("it is one");
            tally.add_one(pair, &wakeup, true, ns);
            let end = Found::new(EndedBy::EndOfTrace, Proof::Consistent, []).expect("it is one");
            tally.add_one(pair, &end, false, ns + 1);
        }
        tally
    }

    fn threads(listed: &Listed) -> Vec<(u32, i64)> {
        listed.pairs().map(|e| (e.pair.0, e.ns)).collect()
    }

    #[test]
    fn what_is_packed_comes_back() {
        let listed = Listed::of(tally(3), PAIRS);
        assert_eq!(threads(&listed), [(1, 1000), (2, 2000), (3, 3000)]);
        let last = listed.pairs().last().expect("there are three");
        assert_eq!(last.pair, (3, 7, 65_535));
        let mut lines = Vec::new();
        last.lines(&mut lines);
        let short = |l: &Line| (l.said.answer.name(), l.said.chosen, l.weight_ns, l.evidence().to_vec());
        let said: Vec<_> = lines.iter().map(short).collect();
        let wakeup = ("wakeup", true, 3000, vec![i64::MAX, i64::MIN, -1]);
        assert_eq!(said, [wakeup, ("end_of_trace", false, 3001, vec![])]);
    }

    #[test]
    fn the_lightest_go_at_once_and_later() {
        let mut listed = Listed::of(tally(9), 5);
        assert_eq!(threads(&listed), [(5, 5000), (6, 6000), (7, 7000), (8, 8000), (9, 9000)]);
        listed.shorten(2);
        assert_eq!(threads(&listed), [(8, 8000), (9, 9000)]);
        listed.shorten(2);
        assert_eq!(listed.kept(), 2);
        let mut lines = Vec::new();
        listed.pairs().for_each(|e| e.lines(&mut lines));
        assert_eq!(lines.len(), 2);
    }
}
