//! The same event recorded by several channels is one event.

use std::collections::{HashMap, VecDeque};

/// A copy comes no later than this after the first (ns). The probes of a tracepoint take their stamps one after the other; on a
/// stalling virtual machine 390 ms were seen between them.
const WINDOW_NS: i64 = 10_000_000_000;
/// Events that wait for their copies, at most.
const MOST: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };
/// Events of one key that are compared: with two channels the first decides, since all that wait come from the same one.
const STEPS: usize = 64;

/// An event that not all channels have brought so far.
#[derive(Debug)]
struct Entry {
    key: u64,
    ts_ns: i64,
    /// Channels that have brought it, as bits.
    seen: u64,
    /// The row that waits for a copy's stack.
    row: Option<u64>,
    /// All channels have brought it.
    whole: bool,
    /// The next entry of the same key.
    next: Option<u64>,
}

/// Events whose copies may still come.
#[derive(Debug, Default)]
pub struct Copies {
    entries: VecDeque<Entry>,
    /// Number of the first of `entries`.
    first: u64,
    /// First and last entry of a key.
    chains: HashMap<u64, (u64, u64)>,
    /// CPU, and until when events of it are being lost.
    losses: Vec<(i16, i64)>,
}

/// What an event is.
#[derive(Debug, PartialEq, Eq)]
pub enum CopyCheck {
    /// It was not recorded before.
    First,
    /// It was; the row of the first, if that waits for a stack.
    Copy(Option<u64>),
}

impl Copies {
    /// The event of `key` (CPU, kind and payload) as `channel` brings it; `all` channels record the kind (both as bits). Copies are
    /// matched in order of occurrence; where events of the CPU were lost, with the nearest.
    pub fn check(&mut self, key: u64, cpu: i16, ts_ns: i64, channel: u64, all: u64) -> CopyCheck {
        self.expire(ts_ns);
        let nearest = self.losses.iter().any(|&(of, until_ns)| of == cpu && ts_ns <= until_ns);
        let Some(&(head, tail)) = self.chains.get(&key) else { return CopyCheck::First };
        let mut found = (nearest && self.entry(tail).seen & channel == 0).then_some(tail);
        let mut at = Some(head);
        for _ in 0..STEPS {
            let Some(number) = at.filter(|_| found.is_none()) else { break };
            let entry = self.entry(number);
            at = entry.next;
            found = (entry.seen & channel == 0).then_some(number);
        }
        let Some(number) = found else { return CopyCheck::First };
        let entry = self.entry(number);
        entry.seen |= channel;
        entry.whole = entry.seen & all == all;
        let row = entry.row;
        self.shorten(key);
        CopyCheck::Copy(row)
    }

    /// A first event, of which other channels may bring copies; `row` waits for their stack.
    pub fn expect(&mut self, key: u64, ts_ns: i64, channel: u64, row: Option<u64>) {
        let number = self.first + self.entries.len() as u64;
        self.entries.push_back(Entry { key, ts_ns, seen: channel, row, whole: false, next: None });
        match self.chains.get_mut(&key) {
            None => {
                self.chains.insert(key, (number, number));
            }
            Some((_, tail)) => {
                let before = std::mem::replace(tail, number);
                self.entry(before).next = Some(number);
            }
        }
    }

    /// Events of `cpu` are lost up to this instant.
    pub fn lost(&mut self, cpu: i16, until_ns: i64) {
        self.losses.push((cpu, until_ns));
    }

    fn entry(&mut self, number: u64) -> &mut Entry {
        &mut self.entries[(number - self.first) as usize]
    }

    /// Take whole entries from the front of a chain.
    fn shorten(&mut self, key: u64) {
        let Some(&(mut head, tail)) = self.chains.get(&key) else { return };
        while self.entry(head).whole {
            match self.entry(head).next {
                Some(next) => head = next,
                None => {
                    self.chains.remove(&key);
                    return;
                }
            }
        }
        self.chains.insert(key, (head, tail));
    }

    fn expire(&mut self, now_ns: i64) {
        let oldest_ns = now_ns.saturating_sub(WINDOW_NS);
        self.losses.retain(|&(_, until_ns)| until_ns >= oldest_ns);
        while self.entries.len() > MOST || self.entries.front().is_some_and(|entry| entry.ts_ns < oldest_ns) {
            let key = self.entries[0].key;
            self.entries[0].whole = true;
            if self.chains.get(&key).is_some_and(|(head, _)| *head == self.first) {
                self.shorten(key);
            }
            self.entries.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CopyCheck::*;

    const ALL: u64 = 0b11;
    const S: i64 = 1_000_000_000;

    /// A first event expects copies.
    fn bring(copies: &mut Copies, key: u64, ts_ns: i64, channel: u64, row: u64) -> CopyCheck {
        let verdict = copies.check(key, 0, ts_ns, channel, ALL);
        if verdict == First {
            copies.expect(key, ts_ns, channel, Some(row));
        }
        verdict
    }

    #[test]
    fn a_copy_is_found_once_and_in_order() {
        let mut copies = Copies::default();
        assert_eq!(bring(&mut copies, 7, 1, 1, 10), First);
        assert_eq!(bring(&mut copies, 7, 2, 1, 11), First, "the channel brings the same again: another event");
        assert_eq!(bring(&mut copies, 8, 2, 2, 12), First);
        assert_eq!(bring(&mut copies, 7, 3, 2, 13), Copy(Some(10)));
        assert_eq!(bring(&mut copies, 7, 4, 2, 14), Copy(Some(11)));
        assert_eq!(bring(&mut copies, 7, 5, 2, 15), First);
        assert_eq!(bring(&mut copies, 7, 6, 1, 16), Copy(Some(15)), "whichever channel is first");
    }

    #[test]
    fn three_channels_make_one_event() {
        let mut copies = Copies::default();
        let mut check = |ts_ns, channel| {
            let verdict = copies.check(7, 0, ts_ns, channel, 0b111);
            if verdict == First {
                copies.expect(7, ts_ns, channel, Some(ts_ns as u64));
            }
            verdict
        };
        assert_eq!([check(1, 1), check(2, 2), check(3, 1)], [First, Copy(Some(1)), First]);
        assert_eq!([check(4, 4), check(5, 4), check(6, 2)], [Copy(Some(1)), Copy(Some(3)), Copy(Some(3))]);
        assert_eq!(check(7, 2), First);
    }

    #[test]
    fn where_events_were_lost_the_nearest_is_the_copy() {
        let mut copies = Copies::default();
        bring(&mut copies, 7, 1, 1, 10);
        copies.lost(0, 100);
        bring(&mut copies, 7, 50, 1, 11);
        assert_eq!(bring(&mut copies, 7, 51, 2, 12), Copy(Some(11)));
    }

    #[test]
    fn an_old_event_is_forgotten_and_memory_stays_bounded() {
        let mut copies = Copies::default();
        bring(&mut copies, 7, 0, 1, 10);
        assert_eq!(bring(&mut copies, 7, 11 * S, 2, 11), First);
        for n in 0..3 * MOST as u64 {
            bring(&mut copies, n % 1000, 12 * S, 1, n);
        }
        assert!(copies.entries.len() <= MOST + 1 && copies.chains.len() <= 1001);
        bring(&mut copies, 7, 100 * S, 2, 1);
        assert!(copies.entries.len() == 1 && copies.chains.len() == 1);
    }
}
