//! Every fault of the kernel model, on and off, on four machines with five seeds each: what the checker measures.
//!
//! `cargo run --release -p wastenot-replay --example faults [-- FAULT]` prints, per fault and machine, the wasted share of the
//! machine with the fault on and off (the least and the most over the seeds), and how much of it outlasts a tick.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Verdict, machines, simulate, verdict};
use wastenot_replay::faults::{FAULTS, Fault};
use wastenot_replay::provocations::{controls, provocation};
use wastenot_replay::{FaultSet, Kernel, Settings};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

fn share(v: &Verdict) -> f64 {
    100.0 * v.wasted_ns as f64 / v.online_ns as f64
}

fn range(of: &[f64]) -> String {
    let (least, most) = of.iter().fold((f64::MAX, f64::MIN), |(a, b), &x| (a.min(x), b.max(x)));
    format!("{least:>6.2}–{most:<6.2}")
}

fn main() {
    let only: Option<Fault> =
        std::env::args().nth(1).filter(|a| a != "controls").map(|name| name.parse().unwrap_or_else(|e| panic!("{e}")));
    let controls_only = std::env::args().nth(1).is_some_and(|a| a == "controls");
    println!("wasted, percent of the machine (least–most of five seeds)");
    println!("{:<20} {:<10} {:>13} {:>13} {:>9}", "fault", "machine", "on", "off", "on/off");
    for about in FAULTS.iter().filter(|a| !controls_only && only.is_none_or(|f| f == a.fault)) {
        for (name, machine) in machines() {
            let Some(p) = provocation(about.fault, &machine) else { continue };
            let measure = |faults: FaultSet, seed: u64| {
                let settings = Settings { seed, ..Settings::default() };
                let (trace, _) = simulate(&machine, &p.workload, Kernel::new(p.release, faults), &settings);
                share(&verdict(&trace))
            };
            let on: Vec<f64> = SEEDS.map(|s| measure(p.beside.with(about.fault), s)).collect();
            let off: Vec<f64> = SEEDS.map(|s| measure(p.beside, s)).collect();
            let worst = on.iter().zip(&off).map(|(on, off)| on / off.max(1e-6)).fold(f64::MAX, f64::min);
            println!("{:<20} {:<10} {} {} {:>9.0}", about.name, name, range(&on), range(&off), worst);
        }
    }
    if only.is_some() {
        return;
    }
    println!("\ncontrols: percent of the machine wasted, idle while waiting, excused by the expected excuse");
    for (name, machine) in machines() {
        for c in controls(&machine) {
            let mut figures = (Vec::new(), Vec::new(), Vec::new());
            for seed in SEEDS {
                let settings = Settings { seed, ..Settings::default() };
                let kernel = Kernel::new(wastenot_replay::Release::Eevdf, FaultSet::none());
                let (trace, _) = simulate(&c.machine, &c.workload, kernel, &settings);
                let v = verdict(&trace);
                let excused: i64 = v.ledger.iter().filter(|l| Some(l.0) == c.excuse).map(|l| l.1).sum();
                let percent = |ns: i64| 100.0 * ns as f64 / v.online_ns as f64;
                figures.0.push(percent(v.wasted_ns));
                figures.1.push(percent(v.idle_while_waiting_ns));
                figures.2.push(percent(excused));
            }
            println!("{:<20} {:<10} {} {} {}", c.name, name, range(&figures.0), range(&figures.1), range(&figures.2));
        }
    }
}
