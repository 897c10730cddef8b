//! What the threads of bubbles did: sums per chain of bubbles while the tables are read, per bubble at the end.

use super::lifetimes::ThreadLifetimes;
use super::parts::Parts;
use super::segments::Segments;
use super::sweep::{Concurrency, Sweep};
use super::timeline::Timeline;
use super::{Entity, Holder};
use std::collections::{BTreeSet, HashMap};
use wastenot_schemas::bubble_stat;

/// The declared tree among [`Stats::trees`].
pub const DECLARED: usize = 0;

/// Sums of the threads of one innermost bubble, which go to every bubble around it.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    run_ns: i64,
    wait_ns: i64,
    held_ns: i64,
    migrations: i64,
    llc_migrations: i64,
    cache_misses: i64,
}

/// Sums while the tables are read.
pub struct Stats<'a> {
    lives: &'a ThreadLifetimes,
    parts: &'a Parts,
    timeline: &'a Timeline,
    trees: &'a [Segments],
    sums: Vec<Vec<Sums>>,
    /// CPU time by (tree, chain, CPU).
    on_cpu: HashMap<(u8, u32, i16), i64>,
    sweep: Sweep,
    counted_misses: bool,
}

impl<'a> Stats<'a> {
    pub fn new(
        lives: &'a ThreadLifetimes,
        parts: &'a Parts,
        timeline: &'a Timeline,
        trees: &'a [Segments],
        bubbles: usize,
    ) -> Self {
        let sums = trees.iter().map(|t| vec![Sums::default(); t.chains.len()]).collect();
        let sweep = Sweep::new(bubbles, parts.llcs());
        Self { lives, parts, timeline, trees, sums, on_cpu: HashMap::new(), sweep, counted_misses: false }
    }

    /// A thread ran; called in order of `start_ns`.
    pub fn add_run(&mut self, utid: i32, cpu: i16, start_ns: i64, end_ns: i64) {
        let Some(place) = self.lives.place(utid) else { return };
        let llc = self.parts.of_cpu(cpu).map_or(0, |s| s.llc_place);
        let trees = self.trees;
        self.sweep.reach(start_ns, |tree, chain| &trees[tree as usize].chains[chain as usize]);
        for (tree, segments) in trees.iter().enumerate() {
            segments.pieces(place, start_ns, end_ns, |from, to, chain| {
                let sums = &mut self.sums[tree][chain as usize];
                sums.run_ns += to - from;
                *self.on_cpu.entry((tree as u8, chain, cpu)).or_default() += to - from;
                self.sweep.run(from, to, tree as u8, chain, llc);
                if tree == DECLARED {
                    self.timeline.runqueues(Entity::Thread(utid), from, to, &mut |from, to, holder| {
                        if let Holder::Runqueue(part) = holder
                            && self.parts.spans(part, cpu)
                        {
                            sums.held_ns += to - from;
                        }
                    });
                }
            });
        }
    }

    /// A thread was queued.
    pub fn add_wait(&mut self, utid: i32, start_ns: i64, end_ns: i64) {
        let Some(place) = self.lives.place(utid) else { return };
        for (tree, segments) in self.trees.iter().enumerate() {
            segments.pieces(place, start_ns, end_ns, |from, to, chain| {
                self.sums[tree][chain as usize].wait_ns += to - from;
            });
        }
    }

    /// A thread moved to another CPU.
    pub fn add_migration(&mut self, utid: i32, ts_ns: i64, from: i16, to: i16) {
        let far = match (self.parts.of_cpu(from), self.parts.of_cpu(to)) {
            (Some(from), Some(to)) => from.llc != to.llc,
            _ => false,
        };
        self.each(utid, ts_ns, |sums| {
            sums.migrations += 1;
            sums.llc_migrations += i64::from(far);
        });
    }

    /// A counter of cache misses was read.
    pub fn add_cache_misses(&mut self, tid: i32, ts_ns: i64, misses: i64) {
        self.counted_misses = true;
        if let Some(life) = self.lives.at(tid, ts_ns) {
            self.each(life.utid, ts_ns, |sums| sums.cache_misses += misses);
        }
    }

    fn each(&mut self, utid: i32, ts_ns: i64, mut add: impl FnMut(&mut Sums)) {
        let Some(place) = self.lives.place(utid) else { return };
        for (tree, segments) in self.trees.iter().enumerate() {
            if let Some(chain) = segments.at(place, ts_ns) {
                add(&mut self.sums[tree][chain as usize]);
            }
        }
    }

    /// Per `bubble_id`, from 1 on. `declared` gives what a declared bubble states: expected CPU time, bursts, regenerations.
    pub fn finish(mut self, bubbles: usize, declared: impl Fn(i32) -> (Option<i64>, i64, i64)) -> bubble_stat::Builder {
        let trees = self.trees;
        self.sweep.reach(i64::MAX, |tree, chain| &trees[tree as usize].chains[chain as usize]);
        let together = self.sweep.finish();
        let mut all: Vec<BubbleSums> = vec![BubbleSums::default(); bubbles + 1];
        for (tree, sums) in self.sums.iter().enumerate() {
            for (chain, sums) in trees[tree].chains.iter().zip(sums) {
                for &id in chain.iter() {
                    all[id as usize].add(sums, tree == DECLARED);
                }
            }
        }
        for (&(tree, chain, cpu), &ns) in &self.on_cpu {
            for &id in trees[tree as usize].chains[chain as usize].iter() {
                *all[id as usize].on_cpu.entry(cpu).or_default() += ns;
            }
        }
        for (place, life) in self.lives.iter().enumerate() {
            for segments in trees {
                let mine = segments.of(place);
                let bubbles: BTreeSet<i32> =
                    mine.iter().flat_map(|s| &*segments.chains[s.chain as usize]).copied().collect();
                bubbles.into_iter().for_each(|id| all[id as usize].threads += 1);
                for &id in mine.last().map_or(&[][..], |s| &segments.chains[s.chain as usize]) {
                    all[id as usize].avoidable_wait_ns += life.avoidable_wait_ns;
                }
            }
        }
        let mut out = bubble_stat::Builder::default();
        for id in 1..=bubbles as i32 {
            out.push(&all[id as usize].row(id, &together[id as usize], self.parts, self.counted_misses, declared(id)));
        }
        out
    }
}

#[derive(Clone, Default)]
struct BubbleSums {
    sums: Sums,
    declared: bool,
    threads: i32,
    avoidable_wait_ns: i64,
    on_cpu: HashMap<i16, i64>,
}

impl BubbleSums {
    fn add(&mut self, s: &Sums, declared: bool) {
        let t = &mut self.sums;
        t.run_ns += s.run_ns;
        t.wait_ns += s.wait_ns;
        t.held_ns += s.held_ns;
        t.migrations += s.migrations;
        t.llc_migrations += s.llc_migrations;
        t.cache_misses += s.cache_misses;
        self.declared |= declared;
    }

    fn row(
        &self,
        bubble_id: i32,
        together: &Concurrency,
        parts: &Parts,
        counted_misses: bool,
        (expected_ns, bursts, regenerations): (Option<i64>, i64, i64),
    ) -> bubble_stat::Row {
        let used = || self.on_cpu.iter().filter_map(|(cpu, ns)| Some((parts.of_cpu(*cpu)?, *ns)));
        let (mut llcs, mut nodes): (HashMap<i32, i64>, HashMap<i16, i64>) = Default::default();
        for (at, ns) in used() {
            *llcs.entry(at.llc).or_default() += ns;
            *nodes.entry(at.node).or_default() += ns;
        }
        // The longest; of equal ones the lowest number.
        let main_llc = llcs.iter().max_by_key(|(llc, ns)| (**ns, std::cmp::Reverse(**llc)));
        let main_node = nodes.iter().max_by_key(|(node, ns)| (**ns, std::cmp::Reverse(**node)));
        let spread = |t: &Concurrency| (t.caches_ns as i128 * 1000 / i128::from(t.active_ns)) as i32;
        bubble_stat::Row {
            bubble_id,
            threads: self.threads,
            peak_threads: together.peak as i32,
            run_ns: self.sums.run_ns,
            active_ns: together.active_ns,
            wait_ns: self.sums.wait_ns,
            avoidable_wait_ns: self.avoidable_wait_ns,
            expected_ns,
            cache_misses: counted_misses.then_some(self.sums.cache_misses),
            migrations: self.sums.migrations,
            llc_migrations: self.sums.llc_migrations,
            cpus: self.on_cpu.len() as i32,
            llcs: llcs.len() as i32,
            nodes: nodes.len() as i32,
            main_llc: main_llc.map(|m| *m.0),
            main_llc_ns: main_llc.map_or(0, |m| *m.1),
            main_node: main_node.map(|m| *m.0),
            main_node_ns: main_node.map_or(0, |m| *m.1),
            spread: (together.active_ns > 0).then(|| spread(together)),
            held_ns: self.declared.then_some(self.sums.held_ns),
            bursts,
            regenerations,
        }
    }
}
