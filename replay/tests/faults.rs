//! Each fault on: the checker measures waste; off, with the same seed: it goes away. And controls waste nothing.

mod common;

use common::{Verdict, machines, simulate, verdict};
use wastenot_replay::faults::FAULTS;
use wastenot_replay::provocations::{controls, provocation};
use wastenot_replay::{FaultSet, Kernel, Release, Settings};

fn share(v: &Verdict) -> f64 {
    v.wasted_ns as f64 / v.online_ns as f64
}

#[test]
fn a_fault_wastes_and_its_fix_does_not() {
    let seeds = if std::env::var("RELEASES").is_ok_and(|which| which == "all") { 1..=5 } else { 1..=2 };
    let mut shown = vec![0; FAULTS.len()];
    let mut wrong = Vec::new();
    for (i, about) in FAULTS.iter().enumerate() {
        for (name, machine) in machines() {
            let Some(p) = provocation(about.fault, &machine) else { continue };
            for seed in seeds.clone() {
                let measure = |faults| {
                    let settings = Settings { seed, ..Settings::default() };
                    let (trace, _) = simulate(&machine, &p.workload, Kernel::new(p.release, faults), &settings);
                    share(&verdict(&trace))
                };
                let (on, off) = (measure(p.beside.with(about.fault)), measure(p.beside));
                // What is wasted without it is the start: threads stay where they are until the first tick.
                if on <= 2.0 * off || off >= 0.02 {
                    wrong.push(format!("{} on {name}, seed {seed}: {on} with, {off} without", about.name));
                }
                shown[i] += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let not_shown: Vec<&str> = FAULTS.iter().zip(&shown).filter(|(_, n)| **n == 0).map(|(a, _)| a.name).collect();
    assert!(not_shown.is_empty(), "never tried: {not_shown:?}");
}

#[test]
fn controls_are_excused() {
    for (name, machine) in machines() {
        for c in controls(&machine) {
            for release in [Release::Averages, Release::Eevdf] {
                let kernel = Kernel::new(release, FaultSet::none());
                let (trace, _) = simulate(&c.machine, &c.workload, kernel, &Settings::default());
                let v = verdict(&trace);
                assert!(share(&v) < 0.001, "{} on {name} {release:?}: {v:?}", c.name);
                let Some(excuse) = c.excuse else { continue };
                let excused: i64 = v.ledger.iter().filter(|l| l.0 == excuse).map(|l| l.1).sum();
                let expected = excused as f64 / v.idle_while_waiting_ns.max(1) as f64;
                assert!(
                    v.idle_while_waiting_ns > 0 && expected > 0.95,
                    "{} on {name} {release:?}: {expected} {v:?}",
                    c.name
                );
            }
        }
    }
}
