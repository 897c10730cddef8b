//! The figures of the checker beside those of the reference.

use std::collections::BTreeMap;

use wastenot_checker::Options;
use wastenot_drawing::draw;
use wastenot_schemas as tables;

use crate::common::{ResultTables, check_tables};
use crate::events::Stream;
use crate::reference::{Figures, Step};

/// What the checker says of a stream.
pub fn checked(stream: &Stream) -> Figures {
    let text = stream.to_string();
    let drawn = draw(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let found = check_tables(drawn, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut figures = verdict(&found);
    let cores = |n: i32| usize::try_from(n).expect("a number of cores");
    for (start, end, wasted, certain, idle_while_waiting) in found.wasted() {
        figures.step(Step {
            start,
            end,
            wasted: cores(wasted),
            certain: cores(certain),
            idle_while_waiting: cores(idle_while_waiting),
        });
    }
    for (at, name) in tables::excuse::NAMES.iter().enumerate() {
        figures.ledger[at] = found.ledger().get(name).copied().unwrap_or(0);
    }
    for (tid, ns) in found.rows("thread", |b| {
        let v = tables::thread::View::try_new(b).unwrap();
        (0..v.len()).map(|i| (v.row(i).tid, v.row(i).avoidable_wait_ns)).collect()
    }) {
        add(&mut figures.avoidable, tid, ns);
    }
    for (cpu, ns) in found.rows("wasted_cpu", |b| {
        let v = tables::wasted_cpu::View::try_new(b).unwrap();
        (0..v.len()).map(|i| (v.row(i).cpu as usize, v.row(i).dur_ns)).collect()
    }) {
        add(&mut figures.wasted_cpu, cpu, ns);
    }
    data_quality(&found, &mut figures);
    figures
}

fn add<K: Ord>(sums: &mut BTreeMap<K, i64>, key: K, value: i64) {
    if value != 0 {
        *sums.entry(key).or_default() += value;
    }
}

fn verdict(found: &ResultTables) -> Figures {
    let rows = found.rows("verdict", |b| {
        let v = tables::verdict::View::try_new(b).unwrap();
        let r = v.row(0);
        vec![Figures {
            wasted: r.wasted_ns,
            certain: r.certain_ns,
            idle_while_waiting: r.idle_while_waiting_ns,
            wall_wasted: r.wall_wasted_ns,
            peak: r.peak_wasted as usize,
            online: r.online_ns,
            busy: r.busy_ns,
            idle: r.idle_ns,
            late_wakes: r.late_wakes,
            ..Figures::default()
        }]
    });
    rows.into_iter().next().expect("a verdict")
}

fn data_quality(found: &ResultTables, figures: &mut Figures) {
    let rows = found.rows("data_quality", |b| {
        let v = tables::data_quality::View::try_new(b).unwrap();
        let rows = (0..v.len()).map(|i| v.row(i));
        rows.map(|r| (r.what.to_owned(), r.detail.map(str::to_owned), r.cpu.map(|c| c as usize), r.value)).collect()
    });
    for (what, detail, cpu, value) in rows {
        match (what.as_str(), cpu) {
            ("contradiction", _) => figures.contradictions += value,
            ("repaired", Some(cpu)) => add(&mut figures.repaired, (detail.unwrap_or_default(), cpu), value),
            ("unobserved_ns", Some(cpu)) => add(&mut figures.unobserved, cpu, value),
            ("doubtful_wait_ns", Some(cpu)) => add(&mut figures.doubtful_wait, cpu, value),
            ("doubtful_idle_ns", Some(cpu)) => add(&mut figures.doubtful, cpu, value),
            _ => {}
        }
    }
}

/// Names of the figures that differ, and both values: the reference's first.
pub fn differences(reference: &Figures, checker: &Figures) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    macro_rules! compare {
        ($($figure:ident),*) => {
            $(if reference.$figure != checker.$figure {
                out.push((stringify!($figure), format!("{:?} != {:?}", reference.$figure, checker.$figure)));
            })*
        };
    }
    compare!(
        wasted,
        certain,
        idle_while_waiting,
        wall_wasted,
        peak,
        ledger,
        avoidable,
        wasted_cpu,
        online,
        busy,
        idle,
        unobserved,
        doubtful,
        doubtful_wait,
        contradictions,
        repaired,
        late_wakes,
        steps
    );
    out
}
