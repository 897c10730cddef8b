//! Figures as JSON: names of the enumerations, times in ns.

use serde_json::{Map, Value, json};
use wastenot_checker::{Counters, CpuTimes, FinishedEpisode, LedgerRow};
use wastenot_schemas::{excuse, grade, proof, question, wait_reason};

fn times(of: &CpuTimes) -> Value {
    json!({ "online_ns": of.online_ns, "busy_ns": of.busy_ns, "unobserved_ns": of.unobserved_ns })
}

/// All counters.
pub fn counters_to_json(c: &Counters) -> Value {
    let mut all = without_waits(c);
    all["waits"] = waits_to_json(&c.waits);
    all
}

/// Rows of the wait ledger.
pub(crate) fn waits_to_json(rows: &[LedgerRow]) -> Value {
    let wait = |row: &LedgerRow| {
        json!({
            "cgroup_id": row.cgroup, "reason": wait_reason::NAMES[usize::from(row.reason)],
            "excuse": row.excuse.map(|code| excuse::NAMES[usize::from(code)]),
            "culprit_cgroup_id": row.culprit, "wait_ns": row.ns,
        })
    };
    rows.iter().map(wait).collect()
}

/// All counters but the wait ledger, which is long where there are many cgroups.
pub(crate) fn without_waits(c: &Counters) -> Value {
    let excused: Map<String, Value> =
        excuse::NAMES.iter().zip(c.excused_ns).map(|(name, ns)| ((*name).to_owned(), ns.into())).collect();
    let of_grade = |(name, g): (&&str, wastenot_checker::GradeCounter)| {
        ((*name).to_owned(), json!({ "episodes": g.episodes, "core_ns": g.core_ns }))
    };
    let grades: Map<String, Value> = grade::NAMES.iter().zip(c.grades).map(of_grade).collect();
    let causes: Vec<Value> = c
        .causes
        .iter()
        .map(|cause| {
            json!({
                "grade": grade::NAMES[usize::from(cause.grade)], "node": cause.node,
                "question": question::NAMES[cause.answer.question as usize], "answer": cause.answer.name(),
                "episodes": cause.totals.episodes, "pairs": cause.totals.pairs, "core_ns": cause.totals.core_ns,
            })
        })
        .collect();
    json!({
        "start_ns": c.start_ns, "until_ns": c.until_ns,
        "events_read": c.events_read, "events_rejected": c.events_rejected, "events_lost": c.events_lost,
        "wasted_ns": c.wasted_ns, "certain_ns": c.certain_ns, "idle_while_waiting_ns": c.idle_while_waiting_ns,
        "excused_ns": excused, "grades": grades, "ungraded_ns": c.ungraded_ns, "causes": causes,
        "forgotten_wait_ns": c.forgotten_wait_ns, "refuted_wait_ns": c.refuted_wait_ns,
        "idle_ns": c.idle_ns, "cpus": times(&c.cpus), "under_way": times(&c.under_way),
        "late_wakes": c.late_wakes, "contradictions": c.contradictions, "suspect": c.suspect,
        "threads": c.threads, "forgotten_threads": c.forgotten_threads,
    })
}

/// An episode that is over.
pub fn episode_to_json(e: &FinishedEpisode) -> Value {
    json!({
        "grade": grade::NAMES[usize::from(e.grade)], "severity": grade::NAMES[usize::from(e.severity)],
        "start_ns": e.start_ns, "end_ns": e.end_ns, "core_ns": e.core_ns, "total_core_ns": e.total_core_ns,
        "peak": e.peak, "idle_cpus": e.idle_cpus, "overloaded_cpus": e.overloaded_cpus, "threads": e.threads,
        "placed_by": e.placed_by, "not_moved_because": e.not_moved_because, "ended_by": e.ended_by,
        "proof": proof::NAMES[usize::from(e.proof)],
    })
}
