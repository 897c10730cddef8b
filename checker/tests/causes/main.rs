//! The rules for causes on drawn traces: each answer with its proof, what rests on it, and when it must not be given.

#[path = "../common/mod.rs"]
mod common;

mod attempts;
mod domains;
mod ended_by;
mod ext;
mod not_moved_because;
mod pages;
mod paths;
mod placed_by;
mod realtime;
mod totals;

use std::collections::BTreeMap;

use wastenot_schemas as tables;
use wastenot_schemas::{EndedBy, NotMovedBecause, PlacedBy, proof, question};

/// An answer about a thread: its text, proof, rule, events.
#[derive(Clone, Debug, PartialEq)]
struct PairCause {
    answer: String,
    proof: &'static str,
    rule: Option<String>,
    events: Vec<i64>,
    weight_ns: i64,
    decisive: bool,
}

/// The heaviest chosen answer per (tid, question) over all episodes.
struct Causes(BTreeMap<(i32, &'static str), PairCause>);

impl Causes {
    /// `answer, proof` to a question about a thread; empty when nothing was asked.
    fn of(&self, tid: i32, question: &'static str) -> String {
        self.0.get(&(tid, question)).map_or(String::new(), |s| format!("{}, {}", s.answer, s.proof))
    }

    fn placed_by(&self, tid: i32) -> String {
        self.of(tid, "placed_by")
    }

    fn not_moved_because(&self, tid: i32) -> String {
        self.of(tid, "not_moved_because")
    }

    fn ended_by(&self, tid: i32) -> String {
        self.of(tid, "ended_by")
    }

    /// The answer to a question about a thread, with its rule and events; panics when there is none.
    fn cause(&self, tid: i32, question: &'static str) -> &PairCause {
        &self.0[&(tid, question)]
    }
}

/// An answer as people read it.
fn words(question: &str, answer: &str) -> String {
    let words = match question {
        "placed_by" => PlacedBy::of_name(answer).map(PlacedBy::words),
        "not_moved_because" => NotMovedBecause::of_name(answer).map(NotMovedBecause::words),
        "ended_by" => EndedBy::of_name(answer).map(EndedBy::words),
        _ => None,
    };
    words.unwrap_or_else(|| panic!("{question}: {answer}")).to_owned()
}

fn rows(result: &common::ResultTables) -> Vec<(i32, &'static str, bool, PairCause)> {
    let tids = result.tids();
    result.rows("attribution", |b| {
        let v = tables::attribution::View::try_new(b).unwrap();
        (0..v.len())
            .map(|i| v.row(i))
            .map(|r| {
                let cause = PairCause {
                    answer: words(question::NAMES[r.question as usize], r.answer),
                    proof: proof::NAMES[r.proof as usize],
                    rule: r.rule.map(str::to_owned),
                    events: r.event_ids.to_vec(),
                    weight_ns: r.weight_ns,
                    decisive: r.decisive,
                };
                (tids[r.utid as usize], question::NAMES[r.question as usize], r.chosen, cause)
            })
            .collect()
    })
}

fn why(text: &str) -> Causes {
    let mut out: BTreeMap<(i32, &'static str), PairCause> = BTreeMap::new();
    for (tid, question, _, cause) in rows(&common::check_drawn(text)).into_iter().filter(|r| r.2) {
        let best = out.entry((tid, question)).or_insert_with(|| cause.clone());
        if cause.weight_ns > best.weight_ns {
            *best = cause;
        }
    }
    Causes(out)
}

/// Four CPUs, two caches, CPUs 0 and 1 busy with 100 and 110, 2 and 3 idle, 30 ms.
const TWO_LLCS: &str = "
    cpus 0-3
    llc 0-1 2-3
    node 0-1 2-3
    window 0us 30ms
    0us cpu 0 runs 100
    0us cpu 1 runs 110
    0us cpu 2 idle
    0us cpu 3 idle
";

/// The same, with an idle CPU beside the busy ones.
const NEAR: &str = "
    cpus 0-3
    llc 0-3
    node 0-3
    window 0us 40ms
    0us cpu 0 runs 100
    0us cpu 1 idle
    0us cpu 2 runs 120
    0us cpu 3 runs 130
";
