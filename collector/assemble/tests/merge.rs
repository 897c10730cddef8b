//! The order of the trace, through the public API only.

use proptest::prelude::*;
use std::collections::BTreeMap;
use wastenot_assemble::*;
use wastenot_schemas::{affinity, irq_span, lost_events, sched_switch, sched_wakeup};

/// Rows given out in portions, each with what is settled after it.
struct Portions {
    rows: std::vec::IntoIter<(Vec<Row>, i64)>,
    steady: bool,
}

impl Source for Portions {
    fn name(&self) -> String {
        "portions".into()
    }
    fn is_steady(&self) -> bool {
        self.steady
    }
    fn read(&mut self, _: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let Some((portion, settled)) = self.rows.next() else { return Ok(Progress::End) };
        rows.extend(portion);
        Ok(Progress::Settled(settled))
    }
}

/// A source of these rows, `portion` at a time, whose spans reach back at most `window_ns`.
fn source(rows: Vec<Row>, portion: usize, window_ns: i64) -> Box<dyn Source> {
    let portions = rows.chunks(portion.max(1)).map(|part| {
        let clock = part.iter().filter(|row| !row.event.is_span()).map(|row| row.ts_ns).max();
        (part.to_vec(), clock.map_or(i64::MIN, |clock| clock.saturating_sub(window_ns)))
    });
    Box::new(Portions { rows: portions.collect::<Vec<_>>().into_iter(), steady: false })
}

fn switch(ts_ns: i64, cpu: i16, next_tid: i32) -> Row {
    let event = Event::from(SchedSwitch {
        cpu,
        prev_tid: 0,
        prev_state: 0,
        next_tid,
        next_prio: Some(120),
        ..Default::default()
    });
    Row { ts_ns, event }
}

fn wakeup(ts_ns: i64, cpu: i16, tid: i32) -> Row {
    Row { ts_ns, event: Event::from(SchedWakeup { cpu, tid, target_cpu: cpu, is_new: false, ..Default::default() }) }
}

fn irq(begin: i64, end: i64) -> Row {
    Row { ts_ns: begin, event: Event::from(IrqSpan { cpu: 0, dur_ns: end - begin, kind: 0, ..Default::default() }) }
}

/// The rows that an assembler wrote.
#[derive(Debug, Default, PartialEq)]
struct AssembledRows {
    /// By id: time, cpu, and the tid of a switch or wakeup, or minus the length of a span.
    rows: BTreeMap<i64, (i64, i16, i64)>,
    largest_batch: usize,
}

fn assemble(sources: Vec<Box<dyn Source>>) -> (AssembledRows, Report, Interner) {
    let mut assembled = AssembledRows::default();
    let (report, ids) = Assembler::new(sources, Interner::default())
        .run(&mut |table: &'static str, batch: arrow_array::RecordBatch| {
            assembled.largest_batch = assembled.largest_batch.max(batch.num_rows());
            let mut put = |id, row| assert!(assembled.rows.insert(id, row).is_none(), "id {id} twice");
            match table {
                "sched_switch" => {
                    let view = sched_switch::View::try_new(&batch).unwrap();
                    (0..view.len()).map(|i| view.row(i)).for_each(|r| put(r.id, (r.ts_ns, r.cpu, r.next_tid.into())));
                }
                "sched_wakeup" => {
                    let view = sched_wakeup::View::try_new(&batch).unwrap();
                    (0..view.len()).map(|i| view.row(i)).for_each(|r| put(r.id, (r.ts_ns, r.cpu, r.tid.into())));
                }
                "irq_span" => {
                    let view = irq_span::View::try_new(&batch).unwrap();
                    (0..view.len()).map(|i| view.row(i)).for_each(|r| put(r.id, (r.ts_ns, r.cpu, -r.dur_ns)));
                }
                "lost_events" => {
                    let view = lost_events::View::try_new(&batch).unwrap();
                    (0..view.len()).map(|i| view.row(i)).for_each(|r| put(r.id, (r.ts_ns, -1, r.end_ns)));
                }
                other => panic!("unexpected table {other}"),
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(assembled.rows.keys().copied().collect::<Vec<_>>(), (0..report.events).collect::<Vec<_>>(), "dense ids");
    (assembled, report, ids)
}

fn in_order(assembled: &AssembledRows) -> Vec<(i64, i16, i64)> {
    assembled.rows.values().copied().collect()
}

proptest! {
    #[test]
    fn the_merge_is_a_stable_sort_by_time(
        mut sources in prop::collection::vec(prop::collection::vec(0i64..200, 0..60), 0..6),
        portion in 1usize..20,
    ) {
        let mut expected = Vec::new();
        let mut inputs = Vec::new();
        for (cpu, stamps) in sources.iter_mut().enumerate() {
            stamps.sort_unstable();
            let rows: Vec<Row> = stamps.iter().enumerate().map(|(n, &ts)| switch(ts, cpu as i16, n as i32 + 1)).collect();
            expected.extend(stamps.iter().enumerate().map(|(n, &ts)| (ts, cpu as i16, n as i64 + 1)));
            inputs.push(source(rows, portion, 0));
        }
        expected.sort_by_key(|&(ts, ..)| ts);
        let (assembled, report, _) = assemble(inputs);
        let got = in_order(&assembled);
        // Equal as multisets per stamp, and each source's own order stands.
        prop_assert_eq!(got.iter().map(|r| r.0).collect::<Vec<_>>(), expected.iter().map(|r| r.0).collect::<Vec<_>>());
        for cpu in 0..sources.len() as i16 {
            let of = |rows: &[(i64, i16, i64)]| rows.iter().filter(|r| r.1 == cpu).copied().collect::<Vec<_>>();
            prop_assert_eq!(of(&got), of(&expected));
        }
        prop_assert_eq!(report.span_ns, expected.first().map(|f| (f.0, expected[expected.len() - 1].0)));
        prop_assert!(report.odd_sources.is_empty());
    }

    #[test]
    fn portions_do_not_change_the_result(
        sources in prop::collection::vec(prop::collection::vec((0i64..40, any::<bool>(), 1i32..6), 0..40), 1..4),
        one in 1usize..9, other in 1usize..9,
    ) {
        let build = |portion: usize| {
            sources.iter().enumerate().map(|(cpu, rows)| {
                let mut rows = rows.clone();
                rows.sort_by_key(|r| r.0);
                let rows = rows.into_iter().map(|(ts, wakes, tid)| {
                    if wakes { wakeup(ts, cpu as i16, tid) } else { switch(ts, cpu as i16, tid) }
                });
                source(rows.collect(), portion, 0)
            }).collect::<Vec<_>>()
        };
        prop_assert_eq!(in_order(&assemble(build(one)).0), in_order(&assemble(build(other)).0));
    }

    #[test]
    fn spans_are_sorted_by_their_start_and_none_is_lost(
        steps in prop::collection::vec((1i64..30, 0i64..25), 1..80), portion in 1usize..12,
    ) {
        // At each step of the clock a span that began up to 25 ns ago may end, then a switch follows.
        let (mut clock, mut arrivals, mut expected) = (100, Vec::new(), Vec::new());
        for (n, (step, back)) in steps.iter().enumerate() {
            clock += step;
            if *back > 0 {
                arrivals.push(irq(clock - back, clock));
                expected.push((clock - back, 0, -back));
            }
            arrivals.push(switch(clock, 0, n as i32 + 1));
            expected.push((clock, 0, n as i64 + 1));
        }
        expected.sort_by_key(|r| r.0);
        let (assembled, report, _) = assemble(vec![source(arrivals, portion, 25)]);
        let mut got = in_order(&assembled);
        prop_assert!(got.is_sorted_by_key(|r| r.0));
        got.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(got, expected);
        prop_assert!(report.odd_sources.is_empty());
    }
}

#[test]
fn a_span_goes_before_the_wakeups_inside_it() {
    let rows = vec![wakeup(50, 0, 7), wakeup(60, 0, 8), irq(40, 70), switch(80, 0, 7)];
    let (assembled, ..) = assemble(vec![source(rows, 2, 40)]);
    assert_eq!(in_order(&assembled), [(40, 0, -30), (50, 0, 7), (60, 0, 8), (80, 0, 7)]);
}

#[test]
fn a_span_later_than_the_window_begins_at_its_edge_and_is_counted() {
    let rows = vec![switch(100, 0, 1), switch(200, 0, 2), irq(50, 210), switch(220, 0, 3)];
    let (assembled, report, _) = assemble(vec![source(rows, 2, 0)]);
    assert_eq!(in_order(&assembled), [(100, 0, 1), (200, 0, 2), (200, 0, -10), (220, 0, 3)]);
    assert_eq!(report.odd_sources[0].oddities, Oddities { late: 1, ..Oddities::default() });
}

#[test]
fn a_clock_that_steps_back_is_held_and_counted() {
    let (assembled, report, _) =
        assemble(vec![source(vec![switch(10, 0, 1), switch(7, 0, 2), switch(11, 0, 3)], 9, 0)]);
    assert_eq!(in_order(&assembled), [(10, 0, 1), (10, 0, 2), (11, 0, 3)]);
    assert_eq!(report.odd_sources[0].oddities, Oddities { clock_steps: 1, ..Oddities::default() });
}

#[test]
fn rows_of_a_steady_clock_are_put_in_order() {
    let portion = (vec![switch(10, 0, 1), switch(7, 0, 2), switch(11, 0, 3)], 5);
    let late = (vec![switch(4, 0, 4)], 11);
    let (assembled, report, _) =
        assemble(vec![Box::new(Portions { rows: vec![portion, late].into_iter(), steady: true })]);
    assert_eq!(in_order(&assembled), [(5, 0, 4), (7, 0, 2), (10, 0, 1), (11, 0, 3)]);
    assert_eq!(report.odd_sources[0].oddities, Oddities { late: 1, ..Oddities::default() });
}

#[test]
fn a_single_stamp_far_ahead_is_left_out_and_a_long_silence_is_not() {
    const HOUR: i64 = 3_600_000_000_000;
    for portion in 1..4 {
        let rows = vec![switch(10, 0, 1), switch(HOUR, 0, 2), switch(20, 0, 3), switch(2 * HOUR, 0, 4)];
        let (assembled, report, _) = assemble(vec![source(rows, portion, 0)]);
        assert_eq!(in_order(&assembled), [(10, 0, 1), (20, 0, 3), (2 * HOUR, 0, 4)]);
        assert_eq!(report.odd_sources[0].oddities, Oddities { outliers: 1, ..Oddities::default() });
    }
}

#[test]
fn a_loss_is_placed_at_its_start() {
    let mut ids = Interner::default();
    let lost = LostEvents { end_ns: 90, cpu: Some(0), count: Some(3), what: ids.text("any") };
    let rows = vec![switch(50, 0, 1), switch(95, 0, 2), Row { ts_ns: 60, event: Event::LostEvents(Box::new(lost)) }];
    let mut order = Vec::new();
    let (report, _) = Assembler::new(vec![source(rows, 3, 50)], ids)
        .run(&mut |table: &'static str, _: arrow_array::RecordBatch| {
            order.push(table);
            Ok(())
        })
        .unwrap();
    assert_eq!((report.events, report.span_ns), (3, Some((50, 95))));
    assert_eq!(order, ["lost_events", "sched_switch"]);
}

#[test]
fn batches_are_full_and_no_larger() {
    let rows = (0..BATCH_ROWS as i64 + 5).map(|n| switch(n, 0, 1)).collect();
    let (assembled, report, _) = assemble(vec![source(rows, 5000, 0)]);
    assert_eq!((assembled.largest_batch, report.events), (BATCH_ROWS, BATCH_ROWS as i64 + 5));
}

#[test]
fn no_source_gives_an_empty_trace() {
    let (assembled, report, _) = assemble(Vec::new());
    assert_eq!((assembled, report), (AssembledRows::default(), Report::default()));
}

#[test]
fn what_the_receiver_refuses_ends_the_run_with_its_own_words() {
    let refused = Assembler::new(vec![source(vec![switch(1, 0, 1)], 1, 0)], Interner::default())
        .run(&mut |_: &'static str, _: arrow_array::RecordBatch| Err("disk full".into()));
    assert_eq!(refused.err().unwrap().to_string(), "disk full");
}

#[test]
fn masks_reach_the_columns_as_ids_of_the_mask_table() {
    let mut ids = Interner::default();
    let (low, high) = (ids.mask_of_cpus([0]), ids.mask_of_cpus([0, 1]));
    let row = |ts_ns, mask| Row {
        ts_ns,
        event: Event::from(Affinity { tid: 5, mask_id: Some(mask), cpuset_mask_id: Some(low), ..Default::default() }),
    };
    let mut masks = Vec::new();
    Assembler::new(vec![source(vec![row(1, high), row(2, low)], 9, 0)], ids)
        .run(&mut |_: &'static str, batch: arrow_array::RecordBatch| {
            let view = affinity::View::try_new(&batch).unwrap();
            masks.extend((0..view.len()).map(|i| (view.row(i).mask_id, view.row(i).cpuset_mask_id)));
            Ok(())
        })
        .unwrap();
    assert_eq!(masks, [(Some(2), Some(1)), (Some(1), Some(1))]);
}

#[test]
fn a_source_that_settles_nothing_still_needs_bounded_memory() {
    // Two sources, one longer than what may be held; neither ever says what is settled: rows go out all the same, in order, none lost.
    const ROWS: [i64; 2] = [1_200_000, 100_000];
    let unsettled = |cpu: i16| {
        let portions = (0..ROWS[cpu as usize] / 50_000)
            .map(|part| ((0..50_000).map(|n| switch(part * 50_000 + n, cpu, 1)).collect(), i64::MIN));
        let rows: Vec<(Vec<Row>, i64)> = portions.collect();
        Box::new(Portions { rows: rows.into_iter(), steady: true }) as Box<dyn Source>
    };
    let (mut last, mut rows) = (i64::MIN, 0);
    let (report, _) = Assembler::new(vec![unsettled(0), unsettled(1)], Interner::default())
        .run(&mut |_: &'static str, batch: arrow_array::RecordBatch| {
            let view = sched_switch::View::try_new(&batch).unwrap();
            for i in 0..view.len() {
                assert!(view.row(i).ts_ns >= last && view.row(i).id == rows);
                (last, rows) = (view.row(i).ts_ns, rows + 1);
            }
            Ok(())
        })
        .unwrap();
    assert_eq!((report.events, report.odd_sources.len()), (ROWS[0] + ROWS[1], 0));
}

const HOUR: i64 = 3_600_000_000_000;

fn name(ts_ns: i64, tid: i32) -> Row {
    Row { ts_ns, event: ThreadName { tid, name: "late".into(), ..Default::default() }.into() }
}

#[test]
fn a_few_stamps_far_ahead_are_left_out_but_names_stay() {
    for portion in 1..6 {
        let rows = vec![switch(10, 0, 1), name(HOUR, 2), switch(HOUR, 0, 2), switch(HOUR + 1, 0, 3), switch(20, 0, 4)];
        let mut names = Vec::new();
        let (report, _) = Assembler::new(vec![source(rows, portion, 0)], Interner::default())
            .run(&mut |table: &'static str, batch: arrow_array::RecordBatch| {
                if table == "thread_name" {
                    let view = wastenot_schemas::thread_name::View::try_new(&batch).unwrap();
                    names.extend((0..view.len()).map(|i| (view.row(i).ts_ns, view.row(i).tid)));
                }
                Ok(())
            })
            .unwrap();
        assert_eq!((report.events, report.span_ns), (3, Some((10, 20))));
        assert_eq!(report.odd_sources[0].oddities, Oddities { outliers: 2, ..Oddities::default() });
        assert_eq!(names, [(10, 2)]);
    }
}

#[test]
fn a_first_stamp_far_ahead_is_left_out_and_a_second_one_far_back_is_not_its_proof() {
    for portion in 1..4 {
        let rows = vec![switch(HOUR, 0, 1), switch(10, 0, 2), switch(20, 0, 3), switch(30, 0, 4)];
        let (assembled, report, _) = assemble(vec![source(rows, portion, 0)]);
        assert_eq!(in_order(&assembled), [(10, 0, 2), (20, 0, 3), (30, 0, 4)]);
        assert_eq!(report.odd_sources[0].oddities.outliers, 1);
    }
    let rows = vec![switch(HOUR, 0, 1), switch(10, 0, 2), switch(HOUR + 20, 0, 3), switch(HOUR + 30, 0, 4)];
    let (assembled, report, _) = assemble(vec![source(rows, 2, 0)]);
    assert_eq!((assembled.rows.len(), report.odd_sources[0].oddities.clock_steps), (4, 1));
}

/// So many rows 1 us apart from `start` on.
fn steady_rows(start: i64, count: i64) -> Vec<Row> {
    (0..count).map(|n| switch(start + n * 1_000, 1, 7)).collect()
}

fn assemble_without_strays(sources: Vec<Box<dyn Source>>) -> Report {
    let assembler = Assembler::new(sources, Interner::default()).setting_strays_aside(true);
    assembler.run(&mut |_: &'static str, _: arrow_array::RecordBatch| Ok(())).unwrap().0
}

#[test]
fn few_events_far_from_the_rest_are_set_aside_and_reported() {
    let old = || source(vec![name(5, 3), switch(5, 0, 3), switch(9, 0, 4)], 1, 0);
    let late = || source(vec![switch(9 * HOUR, 2, 5)], 1, 0);
    let rest = (HOUR, HOUR + 999_000);
    let report = assemble_without_strays(vec![old(), source(steady_rows(HOUR, 1000), 64, 0), late()]);
    let before = Strays { events: 2, span_ns: (5, 9), gap_ns: HOUR - 9, before: true };
    let after = Strays { events: 1, span_ns: (9 * HOUR, 9 * HOUR), gap_ns: 8 * HOUR - 999_000, before: false };
    assert_eq!(report.strays, [before, after]);
    assert_eq!((report.events, report.span_ns), (1001, Some(rest)), "the name of thread 3 stays");

    // So few in all that the second gap comes before much is passed on.
    let report = assemble_without_strays(vec![source(steady_rows(HOUR, 150), 64, 0), late()]);
    assert_eq!((report.events, report.strays.as_slice()), (150, &[Strays { gap_ns: 8 * HOUR - 149_000, ..after }][..]));
}

#[test]
fn what_is_more_than_a_hundredth_or_nearer_than_ten_minutes_or_exempt_is_kept() {
    let kept = |sources: Vec<Box<dyn Source>>, rows: i64| {
        let report = assemble_without_strays(sources);
        assert_eq!((report.events, report.strays.len()), (rows, 0));
    };
    let few = |at: i64, count: i64| source(steady_rows(at, count), 8, 0);
    kept(vec![few(0, 11), few(HOUR, 1000)], 1011);
    kept(vec![few(0, 1000), few(HOUR, 11)], 1011);
    kept(vec![few(0, 2), few(HOUR, 2)], 4);
    kept(vec![few(0, 1), few(HOUR / 7, 1000), few(2 * HOUR / 7, 1)], 1002);
    kept(vec![few(0, 6000), few(HOUR, 900_000)], 906_000);
    // An hour apart, but the rest takes half an hour itself.
    let slow: Vec<Row> = (0..1000).map(|n| switch(HOUR + n * HOUR / 2000, 0, 1)).collect();
    kept(vec![few(0, 1), source(slow, 10, 0)], 1001);

    let sources: Vec<Box<dyn Source>> = vec![few(0, 1), few(HOUR, 1000)];
    let (assembled, report, _) = assemble(sources);
    assert_eq!((assembled.rows.len(), report.strays.len()), (1001, 0), "nothing is set aside unless that is asked for");
}

/// Rows with gaps of hours between them: `count` squared rows each, so many hours after the last ones.
fn none_is_lost(steps: &[(usize, i64)]) {
    let mut rows = Vec::new();
    let mut at = 0;
    for &(count, gap) in steps {
        at += gap * gap * HOUR;
        rows.extend(steady_rows(at, (count * count) as i64));
        at += (count * count) as i64 * 1_000;
    }
    let all = rows.len() as i64;
    let report = assemble_without_strays(vec![source(rows, 100, 0)]);
    let aside: usize = report.strays.iter().map(|strays| strays.events).sum();
    assert_eq!(report.events + aside as i64, all);
    // A hundred others for each, at each end.
    assert!(report.strays.iter().all(|strays| strays.events as i64 * 100 <= report.events), "{report:?}");
}

#[test]
fn both_ends_may_lose_a_hundredth_each() {
    none_is_lost(&[(2, 0), (40, 1), (58, 0), (7, 1)]);
}

proptest! {
    #[test]
    fn rows_are_passed_on_or_set_aside_and_none_is_lost(steps in prop::collection::vec((0usize..60, 0i64..4), 1..6)) {
        none_is_lost(&steps);
    }
}
