//! The table `evidence`: what was recorded of every kind of evidence, and whether the trace holds any of it.

use crate::{EvidenceKind, EvidenceLevel, EvidenceState, Excuse, cpus_scanned, evidence, sched_migrate_task};
use crate::{balance_attempt, balance_kick, balance_search, dl_parameters, ext_queue, idle_exit_late, schedstat};
use arrow_array::{Array, RecordBatch};

/// Whether a kind of evidence was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Recorded {
    /// Through the whole recording.
    Throughout,
    /// Not throughout, for this reason; recordings of earlier versions do not say it.
    NotThroughout(Option<String>),
}

/// For every kind of evidence, whether it was recorded through the whole recording, and why it was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvidence {
    kinds: [Recorded; EvidenceKind::ALL.len()],
}

impl Default for RecordedEvidence {
    /// Nothing is recorded, and it is not said why.
    fn default() -> Self {
        Self { kinds: EvidenceKind::ALL.map(|_| Recorded::NotThroughout(None)) }
    }
}

impl RecordedEvidence {
    /// `why_not` gives the reason for which a kind was not recorded throughout, None where it was. With a `match` over
    /// [`EvidenceKind`] in it, a kind that is forgotten does not compile.
    pub fn new(mut why_not: impl FnMut(EvidenceKind) -> Option<String>) -> Self {
        let recorded = |why: Option<String>| match why {
            None => Recorded::Throughout,
            Some(why) => Recorded::NotThroughout(Some(why)),
        };
        Self { kinds: EvidenceKind::ALL.map(|kind| recorded(why_not(kind))) }
    }

    /// As read back: for a kind, whether it was recorded throughout, and the reason where it was not; None where nothing is
    /// said of it, which counts as not recorded.
    pub fn read_back(mut read: impl FnMut(EvidenceKind) -> Option<(bool, Option<String>)>) -> Self {
        let recorded = |read: Option<(bool, Option<String>)>| match read {
            Some((true, _)) => Recorded::Throughout,
            Some((false, why)) => Recorded::NotThroughout(why),
            None => Recorded::NotThroughout(None),
        };
        Self { kinds: EvidenceKind::ALL.map(|kind| recorded(read(kind))) }
    }

    /// From the rows of the table, which may come in several batches.
    pub fn from_views(views: &[evidence::View]) -> Self {
        Self::read_back(|kind| {
            let mut rows = views.iter().flat_map(|view| (0..view.len()).map(|i| view.row(i)));
            let row = rows.find(|row| row.kind == kind.name())?;
            Some((row.state == EvidenceState::Recorded.name(), row.why.map(str::to_owned)))
        })
    }

    /// The kind was recorded throughout: where the trace has none, none happened.
    pub fn is_recorded(&self, kind: EvidenceKind) -> bool {
        self.kinds[kind as usize] == Recorded::Throughout
    }

    /// Why the kind was not recorded throughout, where that is known.
    pub fn why_not(&self, kind: EvidenceKind) -> Option<&str> {
        match &self.kinds[kind as usize] {
            Recorded::Throughout => None,
            Recorded::NotThroughout(why) => why.as_deref(),
        }
    }

    /// Level of a recording that holds this.
    pub fn level(&self) -> EvidenceLevel {
        EvidenceLevel::of(|kind| self.is_recorded(kind))
    }

    /// The trace can show the excuse.
    pub fn shows(&self, excuse: Excuse) -> bool {
        self.is_recorded(EvidenceKind::of_excuse(excuse))
    }

    /// The rows of the table, for a trace that holds `present`.
    pub fn batch(&self, present: &PresentEvidence) -> RecordBatch {
        let mut rows = evidence::Builder::default();
        for kind in EvidenceKind::ALL {
            let state = match self.is_recorded(kind) {
                true => EvidenceState::Recorded,
                false if present.has(kind) => EvidenceState::Partial,
                false => EvidenceState::Absent,
            };
            rows.push(&evidence::Row { kind: kind.name(), state: state.name(), why: self.why_not(kind) });
        }
        rows.finish()
    }
}

impl EvidenceLevel {
    /// The level of a trace that `holds` these kinds of evidence. Without the stacks of moves it is the lowest.
    pub fn of(holds: impl Fn(EvidenceKind) -> bool) -> Self {
        match holds(EvidenceKind::MigrationStacks) {
            true if holds(EvidenceKind::SchedstatCounters) => Self::L3,
            true if holds(EvidenceKind::LoadBalanceAttempts) => Self::L2,
            true => Self::L1,
            false => Self::L0,
        }
    }
}

/// The kinds of evidence of which the trace has an event at least, found while its tables are written.
#[derive(Clone, Debug, Default)]
pub struct PresentEvidence {
    present: [bool; EvidenceKind::ALL.len()],
}

impl PresentEvidence {
    /// Take note of what a batch of `table` holds.
    pub fn add(&mut self, table: &str, batch: &RecordBatch) {
        for kind in EvidenceKind::ALL {
            let Some((of_table, column)) = rows_of(kind).filter(|(of_table, _)| *of_table == table) else { continue };
            let column = batch.schema_ref().index_of(column).unwrap_or_else(|_| panic!("{of_table} has no {column}"));
            self.present[kind as usize] |= batch.column(column).null_count() < batch.num_rows();
        }
    }

    /// The trace has an event of this kind.
    pub fn has(&self, kind: EvidenceKind) -> bool {
        self.present[kind as usize]
    }
}

/// The table that holds the events of a kind, and the column that is not NULL in them. Of what excuses rest on, a part tells
/// nothing.
fn rows_of(kind: EvidenceKind) -> Option<(&'static str, &'static str)> {
    use EvidenceKind as Kind;
    match kind {
        Kind::Migrations => Some((sched_migrate_task::NAME, "tid")),
        Kind::MigrationStacks => Some((sched_migrate_task::NAME, "stack_id")),
        Kind::LoadBalanceAttempts => Some((balance_attempt::NAME, "id")),
        Kind::Placements => Some((cpus_scanned::NAME, "tid")),
        Kind::CpusScanned => Some((cpus_scanned::NAME, "mask_id")),
        Kind::LoadBalanceKicks => Some((balance_kick::NAME, "id")),
        Kind::SchedstatCounters => Some((schedstat::NAME, "id")),
        Kind::BalanceSearches => Some((balance_search::NAME, "id")),
        Kind::SchedExt => Some((ext_queue::NAME, "id")),
        Kind::LateIdleExits => Some((idle_exit_late::NAME, "id")),
        Kind::DlParameters => Some((dl_parameters::NAME, "id")),
        _ => None,
    }
}

/// What files of the versions before 5 say of their evidence, in lists: of version 2 and before, the level, the excuses that
/// could *not* be recorded, and notes.
#[derive(Clone, Debug, Default)]
pub struct EvidenceLists {
    /// Kinds recorded throughout; None before version 3.
    pub recorded_evidence: Option<Vec<String>>,
    /// Excuses that can be shown; None before version 3.
    pub recorded_excuses: Option<Vec<String>>,
    /// The other excuses.
    pub unrecorded_excuses: Vec<String>,
    /// Notes for people.
    pub notes: Vec<String>,
}

/// First words of the notes by which recorders, before version 3, said that load-balance attempts were not recorded. Nothing
/// else said it: these notes are read here, and by the upgrader of files, and by nothing else.
const NO_ATTEMPTS: &str = "passes of the load balancer";

impl EvidenceLists {
    /// As the table `evidence` says it, for a recording of this level.
    pub fn recorded(&self, level: &str) -> RecordedEvidence {
        use EvidenceKind as Kind;
        // A level that no version had says nothing.
        let level = EvidenceLevel::of_name(level).unwrap_or(EvidenceLevel::L0);
        let lacks_attempts = self.notes.iter().any(|note| note.starts_with(NO_ATTEMPTS));
        let is_named = |list: &[String], kind: Kind| list.iter().any(|name| name == kind.name());
        let evidence = |kind, before_3| self.recorded_evidence.as_ref().map_or(before_3, |list| is_named(list, kind));
        let excuse = |kind| match &self.recorded_excuses {
            Some(list) => is_named(list, kind),
            None => !is_named(&self.unrecorded_excuses, kind),
        };
        RecordedEvidence::read_back(|kind| {
            let is_recorded = match kind {
                Kind::Migrations | Kind::MigrationStacks => evidence(kind, level >= EvidenceLevel::L1),
                Kind::LoadBalanceAttempts => evidence(kind, level >= EvidenceLevel::L2 && !lacks_attempts),
                Kind::SchedstatCounters => evidence(kind, level == EvidenceLevel::L3),
                Kind::Placements | Kind::CpusScanned | Kind::LoadBalanceKicks => evidence(kind, false),
                Kind::PerCpuThread | Kind::MigrationDisabled | Kind::Cpuset | Kind::Affinity => excuse(kind),
                Kind::Throttled | Kind::Isolated | Kind::Cookie | Kind::IrqBusy => excuse(kind),
                _ => false, // a kind that came with version 5 or later
            };
            Some((is_recorded, None))
        })
    }

    /// The notes that say more than the evidence does.
    pub fn other_notes(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().filter(|note| !note.starts_with(NO_ATTEMPTS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SchemaMismatch, schedstat};

    fn rows(batch: &RecordBatch) -> Result<Vec<(String, String, Option<String>)>, SchemaMismatch> {
        let view = evidence::View::try_new(batch)?;
        let owned = |row: evidence::Row<'_>| (row.kind.to_owned(), row.state.to_owned(), row.why.map(str::to_owned));
        Ok((0..view.len()).map(|i| owned(view.row(i))).collect())
    }

    fn moves(stack_ids: &[Option<i32>]) -> RecordBatch {
        let mut moves = sched_migrate_task::Builder::default();
        for (id, &stack_id) in (0..).zip(stack_ids) {
            moves.push(&sched_migrate_task::Row { id, stack_id, ..Default::default() });
        }
        moves.finish()
    }

    #[test]
    fn every_kind_has_a_row_and_a_reason_where_it_was_not_recorded_throughout() {
        let recorded =
            RecordedEvidence::new(|kind| (kind != EvidenceKind::Cookie).then(|| format!("no {}", kind.name())));
        let mut present = PresentEvidence::default();
        present.add(sched_migrate_task::NAME, &moves(&[None, None]));
        present.add(schedstat::NAME, &schedstat::Builder::default().finish());
        let rows = rows(&recorded.batch(&present)).unwrap();
        let kinds: Vec<&str> = rows.iter().map(|(kind, ..)| kind.as_str()).collect();
        assert_eq!(kinds, EvidenceKind::ALL.map(EvidenceKind::name));
        for (kind, state, why) in rows {
            let (expected, reason) = match kind.as_str() {
                "cookie" => ("recorded", None),
                "migrations" => ("partial", Some("no migrations".to_owned())),
                _ => ("absent", Some(format!("no {kind}"))),
            };
            assert_eq!((state.as_str(), why), (expected, reason), "{kind}");
        }
    }

    #[test]
    fn the_level_rests_on_stacks_of_moves_then_on_counters_then_on_attempts() {
        use EvidenceKind::{LoadBalanceAttempts as Attempts, MigrationStacks as Stacks, SchedstatCounters as Counters};
        let of = |held: &[EvidenceKind]| EvidenceLevel::of(|kind| held.contains(&kind));
        assert_eq!(
            (of(&[]), of(&[Attempts, Counters]), of(&[Stacks])),
            (EvidenceLevel::L0, EvidenceLevel::L0, EvidenceLevel::L1)
        );
        assert_eq!((of(&[Stacks, Attempts]), of(&[Stacks, Counters])), (EvidenceLevel::L2, EvidenceLevel::L3));
        assert_eq!(of(&[Stacks, Attempts, Counters]), EvidenceLevel::L3);
        assert_eq!(
            (RecordedEvidence::default().level(), RecordedEvidence::new(|_| None).level()),
            (EvidenceLevel::L0, EvidenceLevel::L3)
        );
    }

    #[test]
    fn stacks_are_present_where_a_move_has_one() {
        let mut present = PresentEvidence::default();
        present.add(sched_migrate_task::NAME, &moves(&[]));
        assert!(!present.has(EvidenceKind::Migrations));
        present.add(sched_migrate_task::NAME, &moves(&[None]));
        assert!(present.has(EvidenceKind::Migrations) && !present.has(EvidenceKind::MigrationStacks));
        present.add(sched_migrate_task::NAME, &moves(&[None, Some(1)]));
        assert!(present.has(EvidenceKind::MigrationStacks));
    }

    #[test]
    fn rows_are_read_as_they_were_written_and_a_kind_without_one_is_not_recorded() {
        let recorded = RecordedEvidence::new(|kind| (kind as u8).is_multiple_of(2).then(|| "odd".into()));
        let view = evidence::View::try_new(&recorded.batch(&PresentEvidence::default())).unwrap();
        assert_eq!(RecordedEvidence::from_views(&[view]), recorded);
        let batch = recorded.batch(&PresentEvidence::default());
        let parts = [batch.slice(0, 3), batch.slice(3, batch.num_rows() - 3)];
        let views = parts.map(|part| evidence::View::try_new(&part).unwrap());
        assert_eq!(RecordedEvidence::from_views(&views), recorded, "in two batches");
        let less = evidence::View::try_new(&recorded.batch(&PresentEvidence::default()).slice(2, 5)).unwrap();
        let less = RecordedEvidence::from_views(&[less]);
        assert!(!less.is_recorded(EvidenceKind::MigrationStacks) && less.is_recorded(EvidenceKind::Placements));
        assert!(Excuse::ALL.into_iter().all(|excuse| !RecordedEvidence::default().shows(excuse)));
    }

    #[test]
    fn lists_of_earlier_versions_say_the_same() {
        let notes = vec!["passes of the load balancer of load_balance: EPERM".to_owned(), "odd".to_owned()];
        let of_2 = EvidenceLists { unrecorded_excuses: vec!["cookie".into()], ..EvidenceLists::default() };
        let names = |recorded: RecordedEvidence| -> Vec<&str> {
            let kinds = EvidenceKind::ALL.into_iter().filter(|&kind| recorded.is_recorded(kind));
            kinds.take_while(|&kind| kind < EvidenceKind::PerCpuThread).map(EvidenceKind::name).collect()
        };
        assert_eq!(names(of_2.recorded("L2")), ["migrations", "migration_stacks", "load_balance_attempts"]);
        assert!(!of_2.recorded("L2").shows(Excuse::Cookie) && of_2.recorded("L2").shows(Excuse::Affinity));
        let of_2 = EvidenceLists { notes, ..of_2 };
        assert_eq!(names(of_2.recorded("L3")), ["migrations", "migration_stacks", "schedstat_counters"]);
        assert_eq!(of_2.other_notes().collect::<Vec<_>>(), ["odd"]);
        let of_4 = EvidenceLists {
            recorded_evidence: Some(vec!["placements".into()]),
            recorded_excuses: Some(vec!["affinity".into()]),
            ..EvidenceLists::default()
        };
        assert_eq!(names(of_4.recorded("L3")), ["placements"]);
        assert!(of_4.recorded("L3").shows(Excuse::Affinity) && !of_4.recorded("L3").shows(Excuse::Throttled));
    }
}
