//! The pages of `docs/causes`, from what the rules say of themselves.

use super::super::answers::Question;
use super::super::kernels::Kernels;
use super::{RuleText, all};

const HEAD: &str =
    "<!-- Generated from checker/rust/causes/rules by `cargo run -p wastenot-checker --example rules`. -->\n\n";

/// Every page: path below `docs/causes` (a folder per question) and text.
pub fn pages() -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = all().map(|(q, a)| (path(q, a), page(q, a))).collect();
    out.push(("README.md".to_owned(), index()));
    out
}

fn path(question: Question, a: &RuleText) -> String {
    format!("{}/{}.md", wastenot_schemas::question::NAMES[question as usize], a.name)
}

fn title(question: Question) -> &'static str {
    match question {
        Question::PlacedBy => "placed_by: how a thread came to wait there",
        Question::NotMovedBecause => "not_moved_because: why nothing moved it earlier",
        Question::EndedBy => "ended_by: what ended it",
    }
}

fn page(question: Question, a: &RuleText) -> String {
    let sections = [
        ("What it says, and from what", a.description),
        ("Functions of the kernel, and the releases they were read in", a.functions),
        ("Proof", a.proof),
        ("What would refute it", a.refuted_by),
        ("Limits", a.limits),
    ];
    let kernels = match a.kernels.to_string().as_str() {
        "all" => "all releases".to_owned(),
        range => format!("releases {range}"),
    };
    let mut out =
        format!("{HEAD}# {}\n\n{}; {kernels}. Terms: [glossary](../../glossary.md).\n", a.name, title(question));
    for (heading, text) in sections {
        out.push_str(&format!("\n## {heading}\n\n{}\n", sentence(text)));
    }
    out.push_str("\n## What to check or change\n\n");
    for repair in a.repairs {
        let kind = repair.kind.name().replace('_', " ");
        let kernels = match repair.kernels {
            Kernels::ALL => String::new(),
            some => format!(" (releases {some})"),
        };
        out.push_str(&format!("- {kind}{kernels}: {} Source: {}\n", sentence(repair.text), sentence(repair.source)));
    }
    out
}

/// A text as a sentence: with a capital (unless it starts with the name of a file) and a full stop.
fn sentence(text: &str) -> String {
    let first = text.split([' ', ':']).next().unwrap_or(text);
    let mut letters = text.chars();
    let mut out = match letters.next() {
        Some(c) if !first.contains(['/', '_']) => c.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    };
    if !out.ends_with('.') {
        out.push('.');
    }
    out
}

fn index() -> String {
    let mut out = format!(
        "{HEAD}# Why a core was wasted: the rules\n\n\
         Three questions are asked of every pair (waiting thread, idle CPU) of an episode; `docs/semantics.md` defines them and\n\
         the three levels of proof. Rules are asked in this order: the first that answers is chosen, others with another answer\n\
         are kept as alternatives (table `attribution`). Where waste is younger than two balance intervals, the rules about CPUs\n\
         going idle come before those about load-balance attempts. A rule outside its kernel releases is not asked; where the release is not\n\
         known, a rule that is bound to releases proves nothing. Terms: [glossary](../glossary.md).\n"
    );
    for question in Question::ALL {
        out.push_str(&format!("\n## {}\n\n| rule | kernels | |\n| --- | --- | --- |\n", title(question)));
        for (q, a) in all().filter(|(q, _)| *q == question) {
            let first =
                a.description.split_inclusive(['.', ':']).next().unwrap_or(a.description).trim_end_matches(['.', ':']);
            out.push_str(&format!("| [{}]({}) | {} | {} |\n", a.name, path(q, a), a.kernels, first));
        }
    }
    out
}
