//! The rules: each a file with what it concludes from which facts, for which kernels, what would refute it and where it is
//! blind. Adding one is a file and a line in the list of its question; `docs/causes` is generated from these texts.

pub mod ended_by;
pub mod not_moved_because;
mod pages;
pub mod placed_by;

pub use pages::pages;

use super::answers::{Answer, Proof, Question};
use super::kernels::{Kernels, Release};
use crate::fast_hash::FastMap;
use std::hash::{Hash, Hasher};
use wastenot_schemas::repair_kind;
use wastenot_topology::KernelRelease;

/// What there is to say about a rule.
#[derive(Debug)]
pub struct RuleText {
    /// Its name: that of its file and its page, and of its answer where no other rule gives that answer.
    pub name: &'static str,
    /// Releases for which it holds.
    pub kernels: Kernels,
    /// What it says, and from what.
    pub description: &'static str,
    /// Functions of the kernel that it refers to, and the releases in which they were read.
    pub functions: &'static str,
    /// When the answer is proved, when consistent.
    pub proof: &'static str,
    /// What would refute the answer.
    pub refuted_by: &'static str,
    /// Where it is wrong or silent.
    pub limits: &'static str,
    /// What to check or change when it is the cause, the first first.
    pub repairs: &'static [Repair],
}

/// What is to be checked or changed: `repair_kind` of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RepairKind {
    Check = repair_kind::CHECK,
    Setting = repair_kind::SETTING,
    SchedulerFeature = repair_kind::SCHEDULER_FEATURE,
    Cpuset = repair_kind::CPUSET,
    BootParameter = repair_kind::BOOT_PARAMETER,
    KernelRelease = repair_kind::KERNEL_RELEASE,
    Program = repair_kind::PROGRAM,
    Report = repair_kind::REPORT,
}

impl RepairKind {
    /// As the schema names it.
    pub fn name(self) -> &'static str {
        repair_kind::NAMES[self as usize]
    }
}

/// One thing to check or change where a rule names the cause.
#[derive(Clone, Copy, Debug)]
pub struct Repair {
    pub kind: RepairKind,
    /// Releases for which it is meant.
    pub kernels: Kernels,
    /// The bug-fix release of them from which on it is not needed.
    pub until_patch: Option<u32>,
    /// What to do, with the default of what is changed.
    pub text: &'static str,
    /// Where that stands: the kernel's source or documentation with the releases in which it was read, a manual page, a paper.
    pub source: &'static str,
}

impl Repair {
    /// Whether the sched_ext scheduler is the reason.
    pub const WITHOUT_SCHED_EXT: Self = Self::new(
        RepairKind::Setting,
        "compare without it: stop its program, or SysRq-S, which gives all threads back to the fair class",
        "Documentation/scheduler/sched-ext.rst",
    );

    /// For all releases.
    pub const fn new(kind: RepairKind, text: &'static str, source: &'static str) -> Self {
        Self { kind, kernels: Kernels::ALL, until_patch: None, text, source }
    }

    /// The same for some releases.
    pub const fn on(self, kernels: Kernels) -> Self {
        Self { kernels, ..self }
    }

    /// For the bug-fix releases of one release before a patch level.
    pub const fn before(self, release: Release, patch: u32) -> Self {
        Self { kernels: Kernels::between(release, release), until_patch: Some(patch), ..self }
    }

    /// Whether it is meant for a kernel; so is everything where that is not known. The patch level of distributions that do not
    /// name it in their releases is 0 here.
    pub fn is_for(&self, kernel: Option<&KernelRelease>) -> bool {
        let Some(kernel) = kernel else { return true };
        let needed = self.until_patch.is_none_or(|patch| kernel.version.2 < patch);
        needed && self.kernels.holds(Some(kernel.mainline())) != Some(false)
    }
}

/// A rule over the facts `C` of a case.
pub struct Rule<C: ?Sized + 'static> {
    pub about: RuleText,
    /// Where a pair is too young for the periodic balancer, this rule goes before the others.
    pub first_when_young: bool,
    pub conclude: fn(&C) -> Option<Finding>,
}

/// Events that a finding keeps.
pub const EVENTS_KEPT: usize = 3;

/// The events that a finding rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    all: [i64; EVENTS_KEPT],
    n: u8,
}

impl Events {
    pub fn as_slice(&self) -> &[i64] {
        &self.all[..usize::from(self.n)]
    }
}

impl Hash for Events {
    /// By the first one: findings that share that share the others too, as a rule.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.all[0].hash(state);
    }
}

impl FromIterator<i64> for Events {
    /// Of more than fit, the first.
    fn from_iter<I: IntoIterator<Item = i64>>(events: I) -> Self {
        let mut kept = Self::default();
        for (slot, event) in kept.all.iter_mut().zip(events) {
            *slot = event;
            kept.n += 1;
        }
        kept
    }
}

/// What a rule found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    pub answer: Answer,
    pub proof: Proof,
    /// Place of the rule in the list of its question.
    pub rule: u8,
    /// Another decision there and then would have spared the thread its wait.
    pub decisive: bool,
    pub events: Events,
}

impl Finding {
    /// An answer that rests on these events.
    pub fn new(answer: impl Into<Answer>, proof: Proof, events: impl IntoIterator<Item = Option<i64>>) -> Option<Self> {
        let events = events.into_iter().flatten().collect();
        Some(Self { answer: answer.into(), proof, rule: NO_RULE, decisive: false, events })
    }

    /// The same of a decision that was decisive, or not.
    pub fn with_decisive(self, decisive: bool) -> Self {
        Self { decisive, ..self }
    }
}

/// No rule answers.
pub const NO_RULE: u8 = u8::MAX;

/// Answers of a question: the best first, then what else fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answers {
    pub findings: [Option<Finding>; 3],
    question: Question,
}

impl Answers {
    /// No answer.
    pub fn unknown(question: Question) -> Self {
        Self { findings: [None; 3], question }
    }

    /// The answer.
    pub fn best(&self) -> Finding {
        let unknown = || Finding {
            answer: Answer::unknown(self.question),
            proof: Proof::Unknown,
            rule: NO_RULE,
            decisive: false,
            events: Events::default(),
        };
        self.findings[0].unwrap_or_else(unknown)
    }

    /// The same answers, each decisive where `is` says so.
    pub fn with_decisive(mut self, is: impl Fn(Answer) -> bool) -> Self {
        self.findings.iter_mut().flatten().for_each(|f| f.decisive = is(f.answer));
        self
    }

    /// The same answers about a thread that waits since an event: what the CPU did as it went idle, before that, proves nothing of it.
    /// None: that changes nothing.
    pub fn of_wait_since(&self, event: i64) -> Option<Self> {
        let before = |f: &Finding| {
            f.proof == Proof::Proved
                && f.answer.is_of_newidle()
                && f.events.as_slice().first().is_some_and(|first| *first < event)
        };
        let mut answers = *self;
        let mut changed = false;
        for finding in answers.findings.iter_mut().flatten().filter(|f| before(f)) {
            (finding.proof, changed) = (Proof::Consistent, true);
        }
        changed.then_some(answers)
    }
}

/// Distinct answers, each in a place of its own; most cases share theirs.
#[derive(Default)]
pub struct DistinctAnswers {
    all: Vec<Answers>,
    places: FastMap<Answers, u32>,
}

impl DistinctAnswers {
    /// The place of these.
    pub fn place(&mut self, answers: &Answers) -> u32 {
        *self.places.entry(*answers).or_insert_with(|| {
            self.all.push(*answers);
            self.all.len() as u32 - 1
        })
    }

    /// Those in a place.
    pub fn get(&self, place: u32) -> &Answers {
        &self.all[place as usize]
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.all.len()
    }
}

/// What a rule, which is in that place of its list, concludes of a case.
#[inline(always)]
fn conclude<C: ?Sized>(rule: &Rule<C>, place: usize, case: &C, release: Option<Release>) -> Option<Finding> {
    let holds = rule.about.kernels.holds(release);
    if holds == Some(false) {
        return None;
    }
    let mut finding = (rule.conclude)(case)?;
    if holds.is_none() {
        finding.proof = finding.proof.min(Proof::Consistent);
    }
    finding.rule = place as u8;
    Some(finding)
}

/// The rules that answer, in the order in which they are asked, and what they say.
fn in_order<C: ?Sized>(
    rules: &'static [&'static Rule<C>],
    case: &C,
    release: Option<Release>,
    young: bool,
) -> impl Iterator<Item = Finding> {
    let order =
        move |first: bool| rules.iter().enumerate().filter(move |(_, r)| (young && r.first_when_young) == first);
    order(true).chain(order(false)).filter_map(move |(at, rule)| conclude(rule, at, case, release))
}

/// The first answer that a rule gives, as [`ask`] chooses it.
pub fn ask_for_best<C: ?Sized>(
    rules: &'static [&'static Rule<C>],
    case: &C,
    release: Option<Release>,
    young: bool,
) -> Option<Finding> {
    in_order(rules, case, release, young).next()
}

/// Ask the rules in order. The first that answers is chosen; of the others, those with another answer are kept.
pub fn ask<C: ?Sized>(
    question: Question,
    rules: &'static [&'static Rule<C>],
    case: &C,
    release: Option<Release>,
    young: bool,
) -> Answers {
    let mut answers = Answers { findings: [None; 3], question };
    let mut n = 0;
    for finding in in_order(rules, case, release, young) {
        if answers.findings[..n].iter().flatten().any(|f| f.answer == finding.answer) {
            continue;
        }
        answers.findings[n] = Some(finding);
        n += 1;
        if n == answers.findings.len() {
            break;
        }
    }
    answers
}

/// The list of a question's rules, `RULES`, and `best`, which asks for the best answer alone. Its calls are direct, so that
/// the compiler can inline them. No rule of such a question is asked earlier when the pair is young.
macro_rules! rules_in_order {
    ($question:ident, $facts:ty: $($rule:ident),*) => {
        /// The rules in the order in which they are asked.
        pub const RULES: &[&Rule<$facts>] = &[$(&$rule::RULE),*];

        /// The best answer.
        pub fn best(case: &$facts, release: Option<Release>) -> Finding {
            let mut place = 0;
            $(
                const { assert!(!$rule::RULE.first_when_young) };
                if let Some(finding) = conclude(&$rule::RULE, place, case, release) {
                    return finding;
                }
                place += 1;
            )*
            debug_assert!(place == RULES.len());
            Answers::unknown(Question::$question).best()
        }
    };
}
use rules_in_order;

/// What there is to say about the rule of a finding.
pub fn about(question: Question, rule: u8) -> Option<&'static RuleText> {
    let at = rule as usize;
    match question {
        Question::PlacedBy => placed_by::RULES.get(at).map(|r| &r.about),
        Question::NotMovedBecause => not_moved_because::RULES.get(at).map(|r| &r.about),
        Question::EndedBy => ended_by::RULES.get(at).map(|r| &r.about),
    }
}

/// Every rule with its question, in the order in which they are asked.
pub fn all() -> impl Iterator<Item = (Question, &'static RuleText)> {
    let of = |question, abouts: Vec<&'static RuleText>| abouts.into_iter().map(move |a| (question, a));
    of(Question::PlacedBy, placed_by::RULES.iter().map(|r| &r.about).collect())
        .chain(of(Question::NotMovedBecause, not_moved_because::RULES.iter().map(|r| &r.about).collect()))
        .chain(of(Question::EndedBy, ended_by::RULES.iter().map(|r| &r.about).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_release_has_repaired_is_not_advised_to_it() {
        let repair =
            Repair::new(RepairKind::KernelRelease, "boot 6.1.160 or later", "its change log").before((6, 1), 160);
        let is_for = |text| repair.is_for(KernelRelease::parse(text).as_ref());
        assert!(is_for("6.1.153") && is_for("6.1.0-56-amd64") && repair.is_for(None));
        assert!(!is_for("6.1.160") && !is_for("6.12.43") && !is_for("5.10.0"));
    }

    #[test]
    fn every_rule_of_a_question_has_a_name_of_its_own_and_says_what_would_refute_it() {
        let mut names: Vec<_> = all().map(|(question, about)| (question as u8, about.name)).collect();
        for (_, a) in all() {
            assert!(a.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{}", a.name);
            for text in [a.description, a.functions, a.proof, a.refuted_by, a.limits] {
                assert!(!text.is_empty(), "{}", a.name);
            }
            assert!(!a.repairs.is_empty(), "{}", a.name);
            for repair in a.repairs {
                assert!(
                    !repair.text.is_empty() && !repair.text.ends_with('.') && !repair.source.is_empty(),
                    "{}",
                    a.name
                );
            }
        }
        let before = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), before);
        assert!(before < usize::from(NO_RULE));
    }
}
