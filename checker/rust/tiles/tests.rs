//! The levels of detail against sums by brute force, on random rows.

use std::collections::HashMap;

use proptest::prelude::*;
use wastenot_schemas::{cpu_slice, migration, migration_path, runqueue, tile_base, tile_load, tile_measure, tile_run};

use super::base_level::BaseLevel;
use super::top_threads::{KEPT, TopThreads};
use super::{SHIFT, TileBatches, Tiles};

/// What one bin of the tables says.
#[derive(Default, Debug, Clone, PartialEq)]
struct Bin {
    busy: i64,
    idle: i64,
    unobserved: i64,
    best: Vec<(i32, i64)>,
}

/// (level, bin, cpu)
type TileKey = (u8, i64, i16);

fn runs(ready: &TileBatches) -> HashMap<TileKey, Bin> {
    let mut out = HashMap::new();
    for (_, batch) in ready.iter().filter(|(t, _)| *t == tile_run::NAME) {
        let view = tile_run::View::try_new(batch).unwrap();
        for r in (0..view.len()).map(|i| view.row(i)) {
            let pairs = [(r.utid1, r.ns1), (r.utid2, r.ns2), (r.utid3, r.ns3), (r.utid4, r.ns4)];
            let best = pairs.iter().filter_map(|(u, ns)| u.map(|u| (u, *ns))).collect();
            let bin = Bin { busy: r.busy_ns, idle: r.idle_ns, unobserved: r.unobserved_ns, best };
            let within = i64::from(r.bin) + r.bins <= 64;
            assert!(
                r.bins >= 1 && (within || r.bin == 0 && r.bins % 64 == 0),
                "a row stays in its tile, or fills several"
            );
            for b in 0..r.bins {
                let key = (r.level, r.tile * 64 + i64::from(r.bin) + b, r.cpu);
                assert!(out.insert(key, bin.clone()).is_none(), "one row per bin: {key:?}");
            }
        }
    }
    out
}

fn loads(ready: &TileBatches) -> HashMap<(TileKey, u8), i64> {
    let mut out = HashMap::new();
    for (_, batch) in ready.iter().filter(|(t, _)| *t == tile_load::NAME) {
        let view = tile_load::View::try_new(batch).unwrap();
        for r in (0..view.len()).map(|i| view.row(i)) {
            for b in 0..r.bins {
                let key = (r.level, r.tile * 64 + i64::from(r.bin) + b, r.cpu);
                assert!(out.insert((key, r.measure), r.value).is_none(), "one row per bin: {key:?}");
            }
        }
    }
    out
}

fn lowest(ready: &TileBatches) -> Vec<(i64, u8)> {
    let (_, batch) = ready.iter().find(|(t, _)| *t == tile_base::NAME).unwrap();
    let view = tile_base::View::try_new(batch).unwrap();
    (0..view.len()).map(|i| (view.row(i).start_ns, view.row(i).level)).collect()
}

/// A drawn trace: per CPU slices of some lengths without gaps, and queue lengths.
#[derive(Debug, Clone)]
struct DrawnTiles {
    slices: Vec<Vec<(i64, Option<i32>)>>,
    queues: Vec<Vec<(i64, i32)>>,
    moves: Vec<(i64, i16)>,
}

fn drawn() -> impl Strategy<Value = DrawnTiles> {
    // Lengths from 1 ns to some ms, so that bins hold many slices and slices many bins.
    let length = (0u32..23, 0i64..1000).prop_map(|(e, x)| (1i64 << e) + x * (1i64 << e) / 1000);
    let who = prop_oneof![Just(None), Just(Some(0)), (1i32..40).prop_map(Some)];
    let slices = prop::collection::vec(prop::collection::vec((length.clone(), who), 1..120), 1..4);
    let queues = prop::collection::vec(prop::collection::vec((length, 0i32..4), 1..120), 1..4);
    let moves = prop::collection::vec((0i64..20_000_000, 0i16..4), 0..50);
    (slices, queues, moves).prop_map(|(slices, queues, mut moves)| {
        moves.sort_unstable();
        DrawnTiles { slices, queues, moves }
    })
}

const ORIGIN: i64 = 1_000_000_007;

/// All rows, in the order in which a walk would write them: by end.
fn walked(d: &DrawnTiles) -> (Tiles, TileBatches) {
    let mut rows: Vec<(i64, u8, i16, i64, i64)> = Vec::new(); // end, kind, cpu, dur, what
    for (cpu, slices) in d.slices.iter().enumerate() {
        let mut t = 0;
        for (dur, who) in slices {
            t += dur;
            rows.push((t, 0, cpu as i16, *dur, who.map_or(-1, i64::from)));
        }
    }
    for (cpu, queues) in d.queues.iter().enumerate() {
        let mut t = 0;
        for (dur, queued) in queues {
            t += dur;
            rows.push((t, 1, cpu as i16, *dur, i64::from(*queued)));
        }
    }
    rows.extend(d.moves.iter().map(|&(t, cpu)| (t, 2, cpu, 0, 0)));
    rows.sort_by_key(|r| (r.0, r.1));
    // Fine from the start, so that short traces see many levels and changes of the base.
    let base = BaseLevel::starting(0, 1 << 20);
    let (mut tiles, mut ready) = (Tiles { base, ..Tiles::default() }, TileBatches::new());
    tiles.begin(ORIGIN);
    for (end, kind, cpu, dur_ns, what) in rows {
        let start_ns = ORIGIN + end - dur_ns;
        match kind {
            0 => {
                let utid = (what >= 0).then_some(what as i32);
                let observed = utid.is_some();
                let row = cpu_slice::Row { cpu, start_ns, dur_ns, utid, end_state: None, observed };
                tiles.slice(&row, &mut ready);
            }
            1 => {
                let row = runqueue::Row { cpu, start_ns, dur_ns, queued: what as i32, running: true };
                tiles.queue(&row, &mut ready);
            }
            _ => {
                let row = migration::Row {
                    event_id: 0,
                    ts_ns: start_ns,
                    utid: 1,
                    orig_cpu: 0,
                    dest_cpu: cpu,
                    distance: 0,
                    queued: true,
                    orig_runnable: 0,
                    dest_runnable: 0,
                    needless: false,
                    stack_id: None,
                    path: migration_path::UNKNOWN,
                    path_proof: 0,
                };
                tiles.migration(&row, &mut ready);
            }
        }
    }
    tiles.finish(&mut ready);
    (tiles, ready)
}

fn overlap(a: i64, b: i64, c: i64, d: i64) -> i64 {
    (b.min(d) - a.max(c)).max(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn every_bin_is_the_sum_of_its_slices(d in drawn()) {
        let (_, ready) = walked(&d);
        let (found, loads, lowest) = (runs(&ready), loads(&ready), lowest(&ready));
        let reached: i64 = d.slices.iter().map(|s| s.iter().map(|x| x.0).sum()).max().unwrap();
        let top = found.keys().map(|k| k.0).max().unwrap();
        prop_assert!(reached <= 64 << (SHIFT + u32::from(top)), "the highest level is one tile");
        // Every bin that is stored is right.
        for ((level, bin, cpu), content) in &found {
            let shift = SHIFT + u32::from(*level);
            let (from, to) = (bin << shift, (bin + 1) << shift);
            let mut exact: HashMap<i32, i64> = HashMap::new();
            let (mut t, mut busy, mut idle, mut unobserved) = (0, 0, 0, 0);
            for (dur, who) in &d.slices[*cpu as usize] {
                let ns = overlap(t, t + dur, from, to);
                t += dur;
                match who {
                    None => unobserved += ns,
                    Some(0) => idle += ns,
                    Some(u) => {
                        busy += ns;
                        *exact.entry(*u).or_default() += ns;
                    }
                }
            }
            prop_assert_eq!((content.busy, content.idle, content.unobserved), (busy, idle, unobserved));
            exact.retain(|_, ns| *ns > 0);
            let allowed = if exact.len() <= KEPT { 0 } else { busy / (KEPT as i64 + 1) };
            for (utid, ns) in &content.best {
                let true_ns = exact.get(utid).copied().unwrap_or(0);
                prop_assert!(*ns <= true_ns && true_ns - ns <= allowed, "{utid}: {ns} of {true_ns}, {allowed}");
            }
            let mut times: Vec<i64> = exact.values().copied().collect();
            times.sort_unstable_by_key(|ns| std::cmp::Reverse(*ns));
            for (place, true_ns) in times.iter().take(4).enumerate() {
                let said = content.best.get(place).map_or(0, |b| b.1);
                prop_assert!(true_ns - said <= allowed, "place {place}: {said} where the thread there has {true_ns}");
            }
        }
        // Every bin of a stored level that anything lies in is stored.
        for (i, (start, base)) in lowest.iter().enumerate() {
            let (start, end) = (start - ORIGIN, lowest.get(i + 1).map_or(i64::MAX, |n| n.0 - ORIGIN));
            for (cpu, slices) in d.slices.iter().enumerate() {
                let mut t = 0;
                for (dur, _) in slices {
                    let (from, to) = (t.max(start), (t + dur).min(end));
                    t += dur;
                    for level in *base..=top {
                        if from < to {
                            let shift = SHIFT + u32::from(level);
                            prop_assert!(found.contains_key(&(level, from >> shift, cpu as i16)));
                            prop_assert!(found.contains_key(&(level, (to - 1) >> shift, cpu as i16)));
                        }
                    }
                }
            }
        }
        // The loads: each bin is right, and nothing is missing at the highest level.
        for ((( level, bin, cpu), measure), value) in &loads {
            let shift = SHIFT + u32::from(*level);
            let (from, to) = (bin << shift, (bin + 1) << shift);
            let exact: i64 = if *measure == tile_measure::WAITING {
                let mut t = 0;
                d.queues[*cpu as usize].iter().map(|(dur, queued)| {
                    t += dur;
                    overlap(t - dur, t, from, to) * i64::from(*queued)
                }).sum()
            } else {
                d.moves.iter().filter(|(t, c)| c == cpu && *t >= from && *t < to).count() as i64
            };
            prop_assert_eq!(*value, exact);
        }
        let sum = |measure: u8| -> i64 {
            loads.iter().filter(|(((l, ..), m), _)| *l == top && *m == measure).map(|(_, v)| v).sum()
        };
        prop_assert_eq!(sum(tile_measure::MIGRATIONS), d.moves.len() as i64);
        let queued: i64 = d.queues.iter().flatten().map(|(dur, q)| dur * i64::from(*q)).sum();
        prop_assert_eq!(sum(tile_measure::WAITING), queued);
    }

    #[test]
    fn a_summary_errs_by_at_most_its_share_however_it_was_merged(
        parts in prop::collection::vec(prop::collection::vec((0u32..60, 1i64..1000), 0..60), 1..20)
    ) {
        let mut exact: HashMap<u32, i64> = HashMap::new();
        let mut all = TopThreads::default();
        for part in &parts {
            let mut one = TopThreads::default();
            for (utid, ns) in part {
                one.add(*utid, *ns);
                *exact.entry(*utid).or_default() += ns;
            }
            all.merge(&one);
        }
        let total: i64 = exact.values().sum();
        let allowed = if exact.len() <= KEPT { 0 } else { total / (KEPT as i64 + 1) };
        let mut times: Vec<(i64, u32)> = exact.iter().map(|(u, ns)| (*ns, *u)).collect();
        times.sort_unstable_by_key(|(ns, _)| std::cmp::Reverse(*ns));
        for (place, said) in all.best().iter().enumerate() {
            let best = times.get(place).map_or(0, |t| t.0);
            prop_assert!(best - said.map_or(0, |s| s.1) <= allowed);
            if let Some((utid, ns)) = said {
                prop_assert!(*ns <= exact[utid] && exact[utid] - ns <= allowed);
            }
        }
    }
}

#[test]
fn a_gap_takes_as_many_rows_however_long_it_is() {
    let rows = |gap: i64| {
        let (mut tiles, mut ready) = (Tiles::default(), TileBatches::new());
        tiles.begin(0);
        for (start_ns, dur_ns, utid) in [(0, 1_000, 1), (1_000, gap, 0), (1_000 + gap, 1_000, 1)] {
            for cpu in 0..2 {
                let row = cpu_slice::Row { cpu, start_ns, dur_ns, utid: Some(utid), end_state: None, observed: true };
                tiles.slice(&row, &mut ready);
                tiles.queue(&runqueue::Row { cpu, start_ns, dur_ns, queued: 1, running: true }, &mut ready);
            }
        }
        tiles.finish(&mut ready);
        ready.iter().map(|(_, batch)| batch.num_rows()).sum::<usize>()
    };
    let second = 1_000_000_000;
    assert!(rows(second) < 200, "{}", rows(second));
    assert!(rows(1_000_000 * second) < 1_000, "{}", rows(1_000_000 * second));
    assert!(rows(4_000_000_000 * second) < 2_000, "{}", rows(4_000_000_000 * second));
}

#[test]
fn queued_time_beyond_64_bits_is_reported_not_wrapped() {
    let (mut tiles, mut ready) = (Tiles::default(), TileBatches::new());
    tiles.begin(0);
    let row = runqueue::Row { cpu: 0, start_ns: 0, dur_ns: 1 << 61, queued: 500, running: true };
    tiles.queue(&row, &mut ready);
    tiles.finish(&mut ready);
    assert!(tiles.overflowed);
}

#[test]
fn rows_stay_few_beside_the_slices() {
    // Dense, then idle for long, then dense again: 8 CPUs.
    let mut tiles = Tiles::default();
    let (mut ready, mut slices) = (TileBatches::new(), 0);
    tiles.begin(0);
    let mut t = 0;
    for (dur, n) in [(2_000, 200_000), (50_000_000, 400), (3_000, 200_000), (1_000_000, 5_000)] {
        for i in 0..n {
            for cpu in 0..8 {
                let utid = Some(1 + (i * 7 + i32::from(cpu)) % 100);
                let row = cpu_slice::Row { cpu, start_ns: t, dur_ns: dur, utid, end_state: None, observed: true };
                tiles.slice(&row, &mut ready);
                slices += 1;
            }
            t += dur;
        }
    }
    tiles.finish(&mut ready);
    let rows: usize = ready.iter().map(|(_, b)| b.num_rows()).sum();
    assert!(rows * 2 < slices, "{rows} rows for {slices} slices");
}
