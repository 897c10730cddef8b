//! What this kernel and this user may do, and what evidence a recording can hold in consequence.
//!
//! Nothing is concluded from versions: the smallest program of each kind is loaded and attached, and taken away again.

mod checks;
mod system;
pub(crate) mod tiny;

use serde::Serialize;
use wastenot_schemas::{EvidenceKind, EvidenceLevel, Excuse};

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Works.
    Ok,
    /// Not there: not built into the kernel, not installed, not mounted.
    Missing,
    /// There, but not for this user or not on this machine.
    Refused,
    /// Cannot be found out.
    Unknown,
}

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Stable name.
    pub key: &'static str,
    /// How it came out.
    pub state: State,
    /// What was seen.
    pub detail: String,
    /// Error number of the system call that failed (errno(3)); None where it works or no system call said so.
    pub errno: Option<i32>,
    /// What of a recording rests on it.
    pub needed_for: &'static str,
    /// wastenot records by it; the others are for other tools.
    pub used_by_wastenot: bool,
    /// What to do or install when it does not work: a sentence.
    pub advice: Option<&'static str>,
}

/// All checks and what follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Examination {
    /// Version of this JSON.
    pub format: u32,
    /// Kernel release.
    pub kernel: String,
    /// Effective user is root.
    pub root: bool,
    /// Source that `record` would use: `ebpf`, `tracefs` or `none`.
    pub source: &'static str,
    /// How its programs would be attached: `tp_btf`, `raw_tp`, or nothing.
    pub attach: Option<&'static str>,
    /// Evidence level of such a recording; `none` when nothing can be recorded.
    pub evidence_level: &'static str,
    /// Excuses that it could not show.
    pub excuses_not_recorded: Vec<&'static str>,
    /// Every check, in the order in which a person would read them.
    pub checks: Vec<Check>,
}

impl Examination {
    /// As JSON, one line; the keys are stable.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("an examination has only texts, numbers and lists")
    }

    fn new(checks: Vec<Check>) -> Self {
        let works = |key: &str| checks.iter().any(|check| check.key == key && check.state == State::Ok);
        let attach = match (works("btf"), works("tp_btf"), works("raw_tp")) {
            (true, true, _) => Some("tp_btf"),
            (true, false, true) => Some("raw_tp"),
            _ => None,
        };
        let rings = works("mmap_array");
        let source = match attach {
            Some(_) if rings => "ebpf",
            _ if works("tracefs") && works("tracefs_instance") => "tracefs",
            _ => "none",
        };
        let stacks = source == "ebpf" && works("stacks");
        let level = EvidenceLevel::of(|kind| match kind {
            EvidenceKind::MigrationStacks => stacks,
            EvidenceKind::LoadBalanceAttempts => works("fentry"),
            EvidenceKind::SchedstatCounters => works("schedstat"),
            _ => false,
        });
        let evidence_level = if source == "none" { "none" } else { level.name() };
        let by_tracefs = |excuse| crate::tracefs::why_not_recorded(EvidenceKind::of_excuse(excuse));
        let excuses_not_recorded = match source {
            "ebpf" => Vec::new(),
            "tracefs" => {
                Excuse::ALL.into_iter().filter(|&excuse| by_tracefs(excuse).is_some()).map(Excuse::name).collect()
            }
            _ => wastenot_schemas::excuse::NAMES.to_vec(),
        };
        // SAFETY: a plain system call without arguments.
        let root = unsafe { libc::geteuid() } == 0;
        let attach = attach.filter(|_| source == "ebpf");
        Self { format: 2, kernel: system::kernel(), root, source, attach, evidence_level, excuses_not_recorded, checks }
    }
}

/// Try everything. Takes some milliseconds and leaves nothing behind.
pub fn examine() -> Examination {
    let verbose = libbpf_rs::set_print(None);
    let checks = checks::all();
    libbpf_rs::set_print(verbose);
    Examination::new(checks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examined(working: &[&'static str]) -> Examination {
        let check = |&key| Check {
            key,
            state: State::Ok,
            detail: String::new(),
            errno: None,
            needed_for: "",
            used_by_wastenot: true,
            advice: None,
        };
        Examination::new(working.iter().map(check).collect())
    }

    #[test]
    fn the_level_is_that_of_the_programs_that_work() {
        let base = ["btf", "tp_btf", "mmap_array"];
        let with = |more: &[&'static str]| examined(&[&base[..], more].concat()).evidence_level;
        assert_eq!((with(&[]), with(&["stacks"]), with(&["fentry"])), ("L0", "L1", "L0"));
        assert_eq!((with(&["stacks", "fentry"]), with(&["stacks", "fentry", "schedstat"])), ("L2", "L3"));
        assert_eq!((with(&["stacks", "schedstat"]), with(&["schedstat"])), ("L3", "L0"));
    }

    #[test]
    fn without_bpf_tracefs_records_and_says_what_it_cannot_show() {
        let fallback = examined(&["tracefs", "tracefs_instance"]);
        assert_eq!((fallback.source, fallback.attach, fallback.evidence_level), ("tracefs", None, "L0"));
        assert!(fallback.excuses_not_recorded.contains(&"throttled"));
        let nothing = examined(&[]);
        assert_eq!((nothing.source, nothing.evidence_level), ("none", "none"));
    }

    #[test]
    fn every_check_has_its_own_key_and_says_what_to_do_when_it_fails() {
        let found = examine();
        let mut keys: Vec<&str> = found.checks.iter().map(|check| check.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), found.checks.len());
        for check in &found.checks {
            assert!(!check.detail.is_empty() && !check.needed_for.is_empty(), "{check:?}");
            assert_eq!(check.state == State::Ok, check.advice.is_none(), "{check:?}");
        }
    }
}
