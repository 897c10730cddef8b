//! The edges of a chunk that are listed, how long they lasted, and what is answered about them, each asked once.

use super::{Chunk, EXPECTED, Pair, TIMED};
use crate::causes::rules::Answers;
use crate::causes::{Judge, Stood};
use crate::fast_hash::FastMap;
use crate::spells::PairSegment;
use crate::topology::CpuIx;

/// A pair interval, and the highest grade whose τ it exceeds.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub idle: CpuIx,
    pub queue: CpuIx,
    pub from: i64,
    pub to: i64,
    pub grade: usize,
}

/// Pair intervals long enough for episodes that are listed, those of one pair beside each other, in order of time.
pub struct Edges {
    all: Vec<Edge>,
    /// By pair: where its intervals begin, and where they end.
    of: FastMap<(CpuIx, CpuIx), (u32, u32)>,
}

impl Edges {
    /// From the pair intervals by grade, each list holding the next.
    pub fn of(by_grade: &[Vec<Pair>; TIMED]) -> Self {
        let key = |e: &Edge| (e.idle, e.queue, e.from);
        let edge = |p: &Pair| Edge { idle: p.idle, queue: p.queue, from: p.from, to: p.to, grade: EXPECTED };
        let mut all: Vec<Edge> = by_grade[EXPECTED].iter().map(edge).collect();
        all.sort_unstable_by_key(key);
        for (grade, pairs) in by_grade.iter().enumerate().skip(EXPECTED + 1) {
            for p in pairs {
                let at = all.binary_search_by_key(&(p.idle, p.queue, p.from), key);
                all[at.expect("grades hold the next ones")].grade = grade;
            }
        }
        let mut of = FastMap::default();
        let mut first = 0;
        for pair in all.chunk_by(|a, b| (a.idle, a.queue) == (b.idle, b.queue)) {
            let end = first + pair.len() as u32;
            of.insert((pair[0].idle, pair[0].queue), (first, end));
            first = end;
        }
        Self { all, of }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Edge> {
        self.all.iter()
    }

    /// Highest grade of an edge.
    pub fn grade(&self, edge: u32) -> usize {
        self.all[edge as usize].grade
    }

    /// Begin of an edge.
    pub fn from(&self, edge: u32) -> i64 {
        self.all[edge as usize].from
    }

    /// The first edge of the pair that is of this grade or higher.
    pub fn first(&self, idle: CpuIx, queue: CpuIx, grade: usize) -> Option<u32> {
        let &(first, end) = self.of.get(&(idle, queue))?;
        (first..end).find(|&at| self.grade(at) >= grade)
    }

    /// The segments that belong to an edge (a pair interval holds its segments whole): place of the segment, and of the
    /// edge.
    pub fn of_segments(&self, segments: &[PairSegment]) -> Vec<(u32, u32)> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let places = segments.iter().zip(0..);
        places.filter_map(|(s, place)| Some((place, self.of_segment(s)?))).collect()
    }

    fn of_segment(&self, s: &PairSegment) -> Option<u32> {
        let &(first, end) = self.of.get(&(s.idle, s.queue))?;
        let at = first + self.all[first as usize..end as usize].partition_point(|e| e.to <= s.from) as u32;
        (at < end && self.all[at as usize].from < s.to).then_some(at)
    }
}

/// What is answered about the edges of a chunk.
pub struct Judged<'a, 'j> {
    judge: &'a mut Judge<'j>,
    pub chunk: &'a Chunk<'a>,
    pub edges: &'a Edges,
    /// By edge: answers to `not_moved_because` and, where the edge has ended, to `ended_by`, as places in `given`.
    answers: Vec<Option<(u32, Option<u32>)>>,
    given: Given,
}

/// Different answers; about most edges the same is said.
#[derive(Default)]
struct Given {
    all: Vec<Answers>,
    places: FastMap<Answers, u32>,
}

impl Given {
    fn place(&mut self, answers: &Answers) -> u32 {
        *self.places.entry(*answers).or_insert_with(|| {
            self.all.push(*answers);
            self.all.len() as u32 - 1
        })
    }
}

impl<'a, 'j> Judged<'a, 'j> {
    pub fn new(judge: &'a mut Judge<'j>, chunk: &'a Chunk<'a>, edges: &'a Edges) -> Self {
        Self { judge, chunk, edges, answers: vec![None; edges.all.len()], given: Given::default() }
    }

    /// Causes are not asked for.
    pub fn asks_nothing(&self) -> bool {
        self.judge.asks_nothing
    }

    /// How the thread came to wait there.
    pub fn placed_by(&mut self, s: &PairSegment) -> &Answers {
        self.judge.placed_by(s)
    }

    /// Why nobody moved it earlier and, where the edge has ended, what ended it; `ext`: a sched_ext scheduler runs the thread.
    pub fn edge(&mut self, at: u32, ext: impl Fn(&Judge<'j>) -> bool) -> (&Answers, Option<&Answers>) {
        let (not_moved_because, ended_by) = match self.answers[at as usize] {
            Some(known) => known,
            None => self.ask(at, ext(self.judge)),
        };
        let given = |place: u32| &self.given.all[place as usize];
        (given(not_moved_because), ended_by.map(given))
    }

    fn ask(&mut self, at: u32, ext: bool) -> (u32, Option<u32>) {
        let Edge { idle, queue, from, to, .. } = self.edges.all[at as usize];
        let stood = Stood { idle, queue, from, to };
        let ended = self.chunk.ended || to <= self.chunk.cut;
        let at_end = to >= self.judge.end_ns;
        let ended_by = ended.then(|| self.given.place(self.judge.ended_by(stood, to, at_end)));
        let answers = (self.given.place(self.judge.not_moved_because(stood, ext)), ended_by);
        self.answers[at as usize] = Some(answers);
        answers
    }
}
