//! The pairs of a chunk that are listed, how long they lasted, and their causes, each determined once.

use super::{Chunk, EXPECTED, TIMED};
use crate::causes::rules::{Answers, DistinctAnswers};
use crate::causes::{AnsweredCase, CauseAnalysis, ExtDecision, SchedClass, WaiterTraits};
use crate::fast_hash::FastMap;
use crate::idle_wait_pair::IdleWaitPair;
use crate::pair_segment::PairSegment;
use crate::topology::CpuIx;

/// Segments of a chunk from which on cases are noted.
const MANY: usize = 1 << 6;

/// A pair interval, and the highest grade whose τ it exceeds.
#[derive(Clone, Copy, Debug)]
pub struct GradedPair {
    pub idle: CpuIx,
    pub queue: CpuIx,
    pub from: i64,
    pub to: i64,
    pub grade: usize,
}

/// IdleWaitPair intervals long enough for episodes that are listed, those of one pair beside each other, in order of time.
pub struct GradedPairs {
    all: Vec<GradedPair>,
    /// By pair: where its intervals begin, and where they end.
    of: FastMap<(CpuIx, CpuIx), (u32, u32)>,
}

impl GradedPairs {
    /// From the pair intervals by grade, each list holding the next.
    pub fn of(by_grade: &[Vec<IdleWaitPair>; TIMED]) -> Self {
        let key = |e: &GradedPair| (e.idle, e.queue, e.from);
        let graded =
            |p: &IdleWaitPair| GradedPair { idle: p.idle, queue: p.queue, from: p.from, to: p.to, grade: EXPECTED };
        let mut all: Vec<GradedPair> = by_grade[EXPECTED].iter().map(graded).collect();
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

    pub fn iter(&self) -> impl Iterator<Item = &GradedPair> {
        self.all.iter()
    }

    /// Highest grade of a pair.
    pub fn grade(&self, graded: u32) -> usize {
        self.all[graded as usize].grade
    }

    /// Start of a pair.
    pub fn from(&self, graded: u32) -> i64 {
        self.all[graded as usize].from
    }

    /// The first pair of the pair that is of this grade or higher.
    pub fn first(&self, idle: CpuIx, queue: CpuIx, grade: usize) -> Option<u32> {
        let &(first, end) = self.of.get(&(idle, queue))?;
        (first..end).find(|&at| self.grade(at) >= grade)
    }

    /// The segments that belong to a pair (a pair interval holds its segments whole): place of the segment, and of the
    /// graded.
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

/// Answers about the pairs of a chunk.
pub struct PairAnswers<'a, 'j> {
    analysis: &'a mut CauseAnalysis<'j>,
    pub chunk: &'a Chunk<'a>,
    pub graded_pairs: &'a GradedPairs,
    /// By pair: the answer to `not_moved_because` about threads of the fair class, a place in `given`.
    answers: Vec<Option<u32>>,
    /// By pair: the answer to `ended_by`, where that was asked; None within: the pair has not ended.
    ended: Vec<Option<Option<u32>>>,
    /// Of threads that a sched_ext scheduler runs by pair, thread and the events that decided where it waits: to *not_moved_because*.
    answers_of_ext: FastMap<(u32, u32, ExtDecision), u32>,
    given: DistinctAnswers,
}

impl<'a, 'j> PairAnswers<'a, 'j> {
    pub fn new(analysis: &'a mut CauseAnalysis<'j>, chunk: &'a Chunk<'a>, graded_pairs: &'a GradedPairs) -> Self {
        Self {
            analysis,
            chunk,
            graded_pairs,
            answers: vec![None; graded_pairs.all.len()],
            ended: vec![None; graded_pairs.all.len()],
            answers_of_ext: FastMap::default(),
            given: DistinctAnswers::default(),
        }
    }

    /// Causes are not wanted.
    pub fn without_causes(&self) -> bool {
        self.analysis.without_causes
    }

    /// What the answers about a segment of a graded pair depend on; None: on the segment itself, as of threads that are not of the fair
    /// class, or it is not worth noting.
    pub fn case(&self, s: &PairSegment, graded: u32) -> Option<AnsweredCase> {
        let fits = self.chunk.pairs.len() >= MANY && self.waiter_traits(s).class == SchedClass::Fair;
        fits.then(|| AnsweredCase { batch: self.analysis.batch(), origin: s.origin, graded })
    }

    /// What the waiting thread is.
    pub fn waiter_traits(&self, s: &PairSegment) -> WaiterTraits {
        self.analysis.wait_origin(s).traits
    }

    /// How the thread came to wait there.
    pub fn placed_by(&mut self, s: &PairSegment) -> &Answers {
        self.analysis.placed_by(s)
    }

    /// Why no CPU moved the thread of a segment, of the fair or the real-time class, earlier. Real-time threads are asked about by
    /// segment: they wait for what their CPU runs, not for what is made of the pair.
    pub fn not_moved_because(&mut self, at: u32, s: &PairSegment, class: SchedClass) -> &Answers {
        let place = if class == SchedClass::Realtime {
            let pair = IdleWaitPair { idle: s.idle, queue: s.queue, from: s.from, to: s.to };
            self.given.place(self.analysis.not_moved_because(pair, class))
        } else {
            let place = self.fair(at);
            let since = self.analysis.wait_origin(s).waits_since();
            match self.given.get(place).of_wait_since(since) {
                Some(answers) => self.given.place(&answers),
                None => place,
            }
        };
        self.given.get(place)
    }

    /// The same of a thread of sched_ext, for one of its `stays`: it waits where its scheduler put it, whatever is made of the pair.
    pub fn of_sched_ext(&mut self, at: u32, number: u32, stay: [i64; 2]) -> &Answers {
        if self.analysis.ext_log().none_in_charge(number, stay[0]) {
            let place = self.fair(at);
            return self.given.get(place);
        }
        let key = (at, number, self.analysis.ext_log().decided_by(number, stay));
        let place = self.answers_of_ext.get(&key).copied();
        let place = place.unwrap_or_else(|| {
            let answers = self.analysis.not_moved_by_sched_ext(self.pair(at), number, stay);
            let place = self.given.place(answers);
            self.answers_of_ext.insert(key, place);
            place
        });
        self.given.get(place)
    }

    /// A time, cut where a scheduler put the thread elsewhere, and where the kernel began or ceased to bypass it.
    pub fn stays(&self, number: u32, time: [i64; 2]) -> Vec<[i64; 2]> {
        self.analysis.ext_log().stays(number, time)
    }

    /// What ended the pair; None: it has not.
    pub fn ended_by(&mut self, at: u32) -> Option<&Answers> {
        let place = self.ended[at as usize].unwrap_or_else(|| {
            let pair = self.pair(at);
            let ended = self.chunk.ended || pair.to <= self.chunk.cut;
            let at_end = pair.to >= self.analysis.end_ns;
            let place = ended.then(|| self.given.place(self.analysis.ended_by(pair, pair.to, at_end)));
            self.ended[at as usize] = Some(place);
            place
        });
        place.map(|place| self.given.get(place))
    }

    fn pair(&self, at: u32) -> IdleWaitPair {
        let GradedPair { idle, queue, from, to, .. } = self.graded_pairs.all[at as usize];
        IdleWaitPair { idle, queue, from, to }
    }

    /// The answer about threads of the fair class.
    fn fair(&mut self, at: u32) -> u32 {
        self.answers[at as usize].unwrap_or_else(|| {
            let pair = self.pair(at);
            let not_moved_because = self.analysis.not_moved_because(pair, SchedClass::Fair);
            let place = self.given.place(not_moved_because);
            self.answers[at as usize] = Some(place);
            place
        })
    }
}
