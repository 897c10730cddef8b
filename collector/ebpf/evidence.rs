//! Which kinds of evidence a recording holds, and why it lacks the others.

use crate::load::{Attach, LoadedPrograms};
use crate::meta::Meta;
use crate::missing;
use crate::options::{EventGroup, Options};
use crate::programs;
use wastenot_schemas::{EvidenceKind, RecordedEvidence};

/// Enter into `meta` what the programs record. `without_counters`: why the load balancer's counters are not read.
pub(crate) fn describe(meta: &mut Meta, options: &Options, loaded: &LoadedPrograms, without_counters: Option<&str>) {
    let recorded = RecordedEvidence::new(|kind| why_not_recorded(kind, options, loaded, without_counters));
    meta.evidence_level = recorded.level().name().into();
    meta.set_recorded(&recorded);
    meta.attach = loaded.attach.name().into();
    meta.queued_wakings_only = loaded.queued_wakings_only;
    meta.notes.extend(missing::lines(&loaded.refused));
    meta.notes.extend(loaded.instead.clone());
}

/// Whether load-balance attempts are recorded.
pub(crate) fn has_attempts(options: &Options, loaded: &LoadedPrograms) -> bool {
    why_not_by_programs(EvidenceKind::LoadBalanceAttempts, options, loaded).is_none()
}

/// Why the programs do not record a kind of evidence throughout; None where they do.
fn why_not_by_programs(kind: EvidenceKind, options: &Options, loaded: &LoadedPrograms) -> Option<String> {
    if programs::programs_of(kind).any(|program| !options.wants(program.group)) {
        return Some(NOT_ASKED_FOR.into());
    }
    let is_loaded = |name: &str| loaded.object.progs().any(|p| p.name() == name && p.autoload());
    let in_use = |group: EventGroup| programs::PROGRAMS.iter().any(|p| p.group == group && is_loaded(p.name));
    let is_without = || programs::programs_of(kind).any(|program| !in_use(program.group));
    missing::why_refused(kind, &loaded.refused)
        .or_else(|| is_without().then(|| "this kernel has nothing of it that could be probed".into()))
}

const NOT_ASKED_FOR: &str = "not asked for";

/// Why a recording does not hold a kind of evidence throughout; None where it does. `without_counters`: why the load
/// balancer's counters are not read.
fn why_not_recorded(
    kind: EvidenceKind,
    options: &Options,
    loaded: &LoadedPrograms,
    without_counters: Option<&str>,
) -> Option<String> {
    use EvidenceKind as Kind;
    let by_programs = || why_not_by_programs(kind, options, loaded);
    match kind {
        Kind::MigrationStacks if !options.stacks => Some(NOT_ASKED_FOR.into()),
        Kind::Migrations | Kind::MigrationStacks | Kind::LoadBalanceAttempts => by_programs(),
        Kind::Placements | Kind::CpusScanned | Kind::LoadBalanceKicks | Kind::IrqBusy => by_programs(),
        Kind::BalanceSearches | Kind::DomainsBuilt | Kind::LateIdleExits => by_programs(),
        Kind::SchedExt if !loaded.has_sched_ext || loaded.records_sched_ext() => None,
        Kind::SchedExt => by_programs(),
        Kind::SchedstatCounters => without_counters.map(str::to_owned),
        // Read at the start and, by the programs that are always there, at every switch and wakeup.
        Kind::PerCpuThread | Kind::MigrationDisabled | Kind::Cpuset | Kind::Affinity => None,
        Kind::Throttled | Kind::Cookie => None,
        Kind::DlParameters if loaded.attach == Attach::RawTp => {
            Some("threads that slept throughout are missing: this kernel refuses the task iterator".into())
        }
        Kind::DlParameters => None,
        Kind::Isolated => None, // from the machine's description
    }
}
