//! What a recording lacks, and why: made from the programs that are not in use.

use crate::programs::{self, Program, Records};
use std::collections::{BTreeMap, BTreeSet};
use wastenot_schemas::EvidenceKind;

/// Why a program is not in use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    /// The kernel refused to load or attach it, with this error.
    ByKernel(String),
    /// The kernel has none of the functions that it could probe.
    NoFunction(&'static [&'static str]),
    /// The kernel has no such tracepoint.
    NoTracepoint(&'static str),
    /// The kernel does not show the address of this function, by which its events are distinguished from others.
    NoAddress(&'static str),
    /// The programs are attached as raw tracepoints, beside which no function can be probed.
    RawTp,
}

/// The programs that are not in use, each with the reason.
pub(crate) type RefusedPrograms = BTreeMap<&'static str, Refusal>;

/// What libbpf says of a program that the kernel refused, without the name of the program: the program that fails first is
/// not the only one, and its name means nothing to the reader of the note.
pub(crate) fn cause(line: &str) -> String {
    let line = line.trim().trim_start_matches("libbpf: ");
    let line = match line.strip_prefix("prog '").and_then(|rest| rest.split_once("': ")) {
        Some((_, rest)) => rest,
        None => line,
    };
    let line = line.trim_start_matches("BPF program load failed:").trim();
    line.strip_prefix('-').filter(|errno| errno.starts_with('E')).unwrap_or(line).to_owned()
}

/// A line for each thing that is not recorded and is not a kind of evidence, with the reason; sorted.
pub(crate) fn lines(refused: &RefusedPrograms) -> Vec<String> {
    let mut things: BTreeMap<&str, Vec<&'static Program>> = BTreeMap::new();
    for program in refused.keys().filter_map(|name| programs::named(name)) {
        if let Records::Other(what) = program.records {
            things.entry(what).or_default().push(program);
        }
    }
    let why = |programs: &[&'static Program]| reasons(refused, programs).unwrap_or_default();
    things.into_iter().map(|(what, programs)| format!("not recorded: {what} ({})", why(&programs))).collect()
}

/// Why a kind of evidence is not recorded: the reasons for which programs that it rests on were refused; None without any.
pub(crate) fn why_refused(kind: EvidenceKind, refused: &RefusedPrograms) -> Option<String> {
    reasons(refused, &programs::programs_of(kind).collect::<Vec<_>>())
}

fn reasons(refused: &RefusedPrograms, of: &[&'static Program]) -> Option<String> {
    let mut reasons: BTreeMap<&Refusal, Vec<&Program>> = BTreeMap::new();
    for program in of {
        if let Some(refusal) = refused.get(program.name) {
            reasons.entry(refusal).or_default().push(program);
        }
    }
    let texts: Vec<String> = reasons.into_iter().map(|(refusal, programs)| reason(refusal, &programs)).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

fn reason(refusal: &Refusal, programs: &[&Program]) -> String {
    let count = match programs.len() {
        1 => String::new(),
        n => format!("{n} "),
    };
    let plural = if programs.len() == 1 { "" } else { "s" };
    match refusal {
        Refusal::ByKernel(error) => {
            let kinds: BTreeSet<&str> = programs.iter().map(|program| program.attachment()).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            let article = if programs.len() == 1 { "a " } else { "" };
            format!("this kernel refuses {article}{count}{}{plural}: {error}", kinds.join(" and "))
                .replace(" probe and ", " and ")
        }
        Refusal::NoFunction(functions) => {
            format!("this kernel has no function {} that could be probed", functions.join(" or "))
        }
        Refusal::NoTracepoint(name) => format!("this kernel has no tracepoint {name}"),
        Refusal::NoAddress(function) => format!("/proc/kallsyms does not show the address of {function}"),
        Refusal::RawTp => "function probes need tp_btf, which this kernel refuses".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(names: &[&'static str], refusal: &Refusal) -> RefusedPrograms {
        names.iter().map(|name| (*name, refusal.clone())).collect()
    }

    #[test]
    fn a_reason_says_what_the_kernel_refuses_and_names_no_program() {
        let probes = [
            "enter_sched_balance_newidle",
            "exit_sched_balance_newidle",
            "enter_sched_balance_rq",
            "exit_sched_balance_rq",
            "exit_select_task_rq_fair",
        ];
        let eperm =
            Refusal::ByKernel(cause("libbpf: prog 'enter_sched_balance_newidle': BPF program load failed: -EPERM\n"));
        let refused = refused(&probes, &eperm);
        let why = |kind| why_refused(kind, &refused);
        assert_eq!(
            why(EvidenceKind::LoadBalanceAttempts).unwrap(),
            "this kernel refuses 4 fentry and fexit probes: EPERM"
        );
        assert_eq!(why(EvidenceKind::Placements).unwrap(), "this kernel refuses a fexit probe: EPERM");
        assert_eq!(why(EvidenceKind::CpusScanned), why(EvidenceKind::Placements));
        assert_eq!(why(EvidenceKind::Migrations), None);
        assert!(lines(&refused).is_empty());
    }

    #[test]
    fn each_program_has_the_reason_for_which_it_was_refused_itself() {
        let mut both = refused(&["enter_load_balance"], &Refusal::ByKernel("EPERM".into()));
        both.extend(refused(&["exit_load_balance", "exit_newidle_balance"], &Refusal::ByKernel("EINVAL".into())));
        both.extend(refused(&["on_exit"], &Refusal::ByKernel("EACCES".into())));
        assert_eq!(lines(&both), ["not recorded: exits (this kernel refuses a tracepoint program: EACCES)"]);
        assert_eq!(
            why_refused(EvidenceKind::LoadBalanceAttempts, &both).unwrap(),
            "this kernel refuses 2 fexit probes: EINVAL; this kernel refuses a fentry probe: EPERM"
        );
    }

    #[test]
    fn what_the_kernel_lacks_is_reported_as_such() {
        let none = refused(&["enter_available_idle_cpu"], &Refusal::NoFunction(&["available_idle_cpu"]));
        assert_eq!(
            why_refused(EvidenceKind::CpusScanned, &none).unwrap(),
            "this kernel has no function available_idle_cpu that could be probed"
        );
        let kick = refused(&["on_csd_queue"], &Refusal::NoTracepoint("csd_queue_cpu"));
        assert_eq!(
            why_refused(EvidenceKind::LoadBalanceKicks, &kick).unwrap(),
            "this kernel has no tracepoint csd_queue_cpu"
        );
    }

    #[test]
    fn a_message_of_libbpf_without_an_errno_stays() {
        assert_eq!(
            cause("prog 'x': failed to find kernel BTF type ID of 'y'"),
            "failed to find kernel BTF type ID of 'y'"
        );
    }
}
