//! The counters as the tables of a check hold them.

use std::collections::BTreeMap;

use wastenot_checker::{BatchCollector, Counters};
use wastenot_schemas as tables;

/// Figures by name.
pub type Figures = BTreeMap<String, i64>;

macro_rules! each {
    ($kept:expr, $table:ident, $read:expr) => {
        for (_, batch) in $kept.0.iter().filter(|(name, _)| *name == tables::$table::NAME) {
            let view = tables::$table::View::try_new(batch).expect("the declared columns");
            (0..view.len()).for_each(|i| $read(view.row(i)));
        }
    };
}

fn wait_key(cgroup: Option<i64>, reason: u8, excuse: Option<u8>, culprit: Option<i64>) -> String {
    format!("wait {cgroup:?} {reason} {excuse:?} {culprit:?}")
}

/// From the tables.
pub fn of_tables(kept: &BatchCollector) -> Figures {
    let mut f = Figures::new();
    each!(kept, verdict, |r: tables::verdict::Row| {
        for (name, value) in [
            ("start_ns", r.start_ns),
            ("until_ns", r.end_ns),
            ("wasted_ns", r.wasted_ns),
            ("certain_ns", r.certain_ns),
            ("idle_while_waiting_ns", r.idle_while_waiting_ns),
            ("idle_ns", r.idle_ns),
            ("online_ns", r.online_ns),
            ("unobserved_ns", r.online_ns - r.observed_ns),
            ("busy_ns", r.busy_ns),
            ("late_wakes", r.late_wakes),
        ] {
            f.insert(name.into(), value);
        }
    });
    each!(kept, excuse_ledger, |r: tables::excuse_ledger::Row| {
        f.insert(format!("excuse {}", r.excuse), r.core_ns);
    });
    each!(kept, verdict_grade, |r: tables::verdict_grade::Row| {
        f.insert(format!("grade {}", r.grade), r.core_ns);
        f.insert(format!("episodes {}", r.grade), r.episodes);
    });
    let mut grades = BTreeMap::new();
    each!(kept, episode, |r: tables::episode::Row| {
        grades.insert(r.episode_id, r.grade);
    });
    each!(kept, attribution, |r: tables::attribution::Row| {
        if r.chosen {
            let key = format!("cause {} {} {}", grades[&r.episode_id], r.question, r.answer);
            *f.entry(key).or_default() += r.weight_ns;
        }
    });
    each!(kept, cgroup_wait, |r: tables::cgroup_wait::Row| {
        f.insert(wait_key(r.cgroup_id, r.reason, r.excuse, r.culprit_cgroup_id), r.wait_ns);
    });
    let (mut lost, mut suspect, mut read, mut applied, mut refuted) = (0, 0, 0, 0, 0);
    each!(kept, data_quality, |r: tables::data_quality::Row| match r.what {
        "lost" => lost += r.value,
        "suspect" => suspect += 1,
        "events_read" => read = r.value,
        "events_applied" => applied = r.value,
        "refuted_wait_ns" => refuted = r.value,
        _ => {}
    });
    for (name, value) in [
        ("events_lost", lost),
        ("suspect", suspect),
        ("events_read", read),
        ("events_rejected", read - applied),
        ("refuted_wait_ns", refuted),
    ] {
        f.insert(name.into(), value);
    }
    f
}

/// From the counters.
pub fn of_counters(c: &Counters) -> Figures {
    let mut f = Figures::new();
    for (name, value) in [
        ("start_ns", c.start_ns),
        ("until_ns", c.until_ns),
        ("wasted_ns", c.wasted_ns),
        ("certain_ns", c.certain_ns),
        ("idle_while_waiting_ns", c.idle_while_waiting_ns),
        ("idle_ns", c.idle_ns),
        ("online_ns", c.cpus.online_ns + c.under_way.online_ns),
        ("unobserved_ns", c.cpus.unobserved_ns + c.under_way.unobserved_ns),
        ("busy_ns", c.cpus.busy_ns + c.under_way.busy_ns),
        ("late_wakes", c.late_wakes),
        ("events_lost", c.events_lost),
        ("suspect", c.suspect.len() as i64),
        ("events_read", c.events_read),
        ("events_rejected", c.events_rejected),
        ("refuted_wait_ns", c.refuted_wait_ns),
    ] {
        f.insert(name.into(), value);
    }
    for wait in &c.waits {
        f.insert(wait_key(wait.cgroup, wait.reason, wait.excuse, wait.culprit), wait.ns);
    }
    for (at, ns) in c.excused_ns.iter().enumerate() {
        f.insert(format!("excuse {at}"), *ns);
    }
    for (at, grade) in c.grades.iter().enumerate() {
        f.insert(format!("grade {at}"), grade.core_ns);
        f.insert(format!("episodes {at}"), grade.episodes);
    }
    for cause in c.causes.iter().filter(|cause| cause.totals.pairs > 0) {
        let answer = cause.answer;
        let key = format!("cause {} {} {}", cause.grade, answer.question as u8, answer.name());
        *f.entry(key).or_default() += cause.totals.core_ns;
    }
    f
}
