//! Per thread: in which bubbles it was, from innermost to outermost, and from when to when.

use super::lifetimes::ThreadLifetimes;
use super::tree::Tree;
use super::{Entity, MAX_DEPTH};
use std::collections::HashMap;

/// A time in which a thread was in the same bubbles.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub start_ns: i64,
    pub end_ns: i64,
    /// Bubbles, as a place in [`Segments::chains`].
    pub chain: u32,
}

/// The segments of all threads in one tree.
#[derive(Debug, Default)]
pub struct Segments {
    /// Per thread (by its place in [`ThreadLifetimes`]) where its segments start; one more at the end.
    offsets: Vec<u32>,
    all: Vec<Segment>,
    pub chains: Vec<Box<[i32]>>,
}

impl Segments {
    pub fn new(tree: &Tree, lives: &ThreadLifetimes) -> Self {
        let mut above: HashMap<i32, Vec<(i64, i64, i32)>> = HashMap::new();
        for m in &tree.members {
            if let Entity::Bubble(id) = m.entity {
                above.entry(id).or_default().push((m.start_ns, m.end_ns, m.bubble));
            }
        }
        above.values_mut().for_each(|intervals| intervals.sort_unstable());
        let mut of: Vec<Vec<Segment>> = vec![Vec::new(); lives.len()];
        let mut known: HashMap<Box<[i32]>, u32> = HashMap::new();
        let mut chains: Vec<Box<[i32]>> = Vec::new();
        for m in &tree.members {
            let Entity::Thread(utid) = m.entity else { continue };
            let Some(place) = lives.place(utid) else { continue };
            let mut keep = |start_ns: i64, end_ns: i64, chain: &[i32]| {
                let chain = known.get(chain).copied().unwrap_or_else(|| {
                    known.insert(chain.into(), chains.len() as u32);
                    chains.push(chain.into());
                    chains.len() as u32 - 1
                });
                of[place].push(Segment { start_ns, end_ns, chain });
            };
            if m.start_ns < m.end_ns {
                expand(&above, m.bubble, (m.start_ns, m.end_ns), &mut Vec::new(), &mut keep);
            } else {
                keep(m.start_ns, m.end_ns, &at_instant(&above, m.bubble, m.start_ns));
            }
        }
        let (mut offsets, mut all) = (vec![0], Vec::new());
        for mut mine in of {
            mine.sort_by_key(|s| (s.start_ns, s.end_ns));
            all.extend(mine);
            offsets.push(all.len() as u32);
        }
        Self { offsets, all, chains }
    }

    /// Of the thread at a place, in order of time.
    pub fn of(&self, place: usize) -> &[Segment] {
        &self.all[self.offsets[place] as usize..self.offsets[place + 1] as usize]
    }

    /// Call `visit(from, to, chain)` for each part of a time.
    #[inline]
    pub fn pieces(&self, place: usize, start_ns: i64, end_ns: i64, mut visit: impl FnMut(i64, i64, u32)) {
        let mine = self.of(place);
        let first = if mine.len() < 2 { 0 } else { mine.partition_point(|s| s.end_ns <= start_ns) };
        for s in mine[first..].iter().take_while(|s| s.start_ns < end_ns) {
            let (from, to) = (s.start_ns.max(start_ns), s.end_ns.min(end_ns));
            if from < to {
                visit(from, to, s.chain);
            }
        }
    }

    /// The bubbles of the thread at an instant; its end belongs to it.
    pub fn at(&self, place: usize, ts_ns: i64) -> Option<u32> {
        let mine = self.of(place);
        let next = mine.partition_point(|s| s.start_ns <= ts_ns);
        mine[..next].last().filter(|s| ts_ns <= s.end_ns).map(|s| s.chain)
    }
}

/// The bubbles above one during a time that is not empty, piece by piece.
fn expand(
    above: &HashMap<i32, Vec<(i64, i64, i32)>>,
    bubble: i32,
    (start, end): (i64, i64),
    chain: &mut Vec<i32>,
    out: &mut dyn FnMut(i64, i64, &[i32]),
) {
    chain.push(bubble);
    let intervals = above.get(&bubble).filter(|_| chain.len() <= MAX_DEPTH).map_or(&[][..], |s| s);
    let mut reached = start;
    let first = intervals.partition_point(|s| s.1 <= start);
    for &(from, to, parent) in intervals[first..].iter().take_while(|s| s.0 < end) {
        let (from, to) = (from.max(reached), to.min(end));
        if from < to {
            if reached < from {
                out(reached, from, chain);
            }
            expand(above, parent, (from, to), chain, out);
            reached = to;
        }
    }
    if reached < end {
        out(reached, end, chain);
    }
    chain.pop();
}

/// The same for an instant.
fn at_instant(above: &HashMap<i32, Vec<(i64, i64, i32)>>, bubble: i32, at: i64) -> Vec<i32> {
    let up = |b: &i32| above.get(b)?.iter().rfind(|s| s.0 <= at && at <= s.1).map(|s| s.2);
    std::iter::successors(Some(bubble), up).take(MAX_DEPTH).collect()
}
