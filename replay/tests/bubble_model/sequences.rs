//! Sequences of events for tests, and the machine they happen on.

use proptest::prelude::*;
use wastenot_replay::bubbles::{BubbleEvent, Model, Parts};
use wastenot_schemas::{bubble_event_kind as kind, holder};

/// Two nodes with two caches of two CPUs each.
pub fn parts() -> Parts {
    Parts::new((0..8_i16).map(|c| (c, c / 4, i32::from(c / 4), i32::from(c / 2 * 2), i32::from(c))))
}

/// An event; bubbles and threads are few so that events meet. Nearly every combination of columns, sensible or not.
pub fn any_event() -> impl Strategy<Value = BubbleEvent<'static>> {
    let entity = prop_oneof![
        5 => (0..6_i64).prop_map(|b| (Some(b), None)),
        4 => (1..7_i32).prop_map(|t| (None, Some(t))),
        1 => Just((None, None)),
    ];
    let place = prop_oneof![
        5 => (0..6_i64).prop_map(|b| (Some(holder::BUBBLE), Some(b))),
        3 => (holder::MACHINE..=holder::ASIDE, 0..3_i64).prop_map(|(h, i)| (Some(h), Some(i))),
        1 => Just((None, None)),
        1 => (0..12_u8, prop::option::of(any::<i64>())).prop_map(|(h, i)| (Some(h), i)),
    ];
    let weighted = prop_oneof![
        4 => Just(kind::INIT),
        4 => Just(kind::INSERT_THREAD),
        4 => Just(kind::INSERT_BUBBLE),
        3 => Just(kind::BURST),
        3 => Just(kind::CLOSE),
        6 => 0..kind::NAMES.len() as u8 + 1,
    ];
    (0..3_i64, weighted, entity, place, prop::option::of(-3..9_i64), prop::bool::weighted(0.05)).prop_map(
        |(step, kind, (bubble, utid), (holder, holder_id), value, snapshot)| BubbleEvent {
            ts_ns: step,
            kind,
            bubble,
            utid,
            holder,
            holder_id,
            value,
            snapshot,
            ..BubbleEvent::default()
        },
    )
}

/// Give the events ids and times (`ts_ns` was the step).
pub fn in_time(mut events: Vec<BubbleEvent<'static>>) -> Vec<BubbleEvent<'static>> {
    let mut now = 10;
    for (id, e) in (0..).zip(&mut events) {
        now += e.ts_ns;
        (e.id, e.ts_ns) = (id, now);
    }
    events
}

/// The model with two threads that end within the trace.
pub fn model() -> Model {
    let mut model = Model::new(parts());
    model.thread_ends(1, 25);
    model.thread_ends(2, 40);
    model
}

/// Events by the dozen from one seed, for long sequences.
pub fn many(n: usize, seed: u64) -> Vec<BubbleEvent<'static>> {
    let mut state = seed;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let events = (0..n).map(|_| {
        let kinds = [kind::INIT, kind::INSERT_THREAD, kind::INSERT_BUBBLE, kind::MOVE, kind::MOVE, kind::BURST];
        let more = [kind::CLOSE, kind::REGENERATE, kind::WAKE, kind::PRIORITY, kind::REMOVE, kind::DESTROY];
        let kind = if draw(3) < 2 { kinds[draw(6) as usize] } else { more[draw(6) as usize] };
        let thread = kind == kind::INSERT_THREAD || matches!(kind, kind::MOVE | kind::PRIORITY) && draw(2) == 0;
        let (bubble, utid) = if thread { (None, Some(draw(200) as i32 + 1)) } else { (Some(draw(60) as i64), None) };
        let into = kind == kind::INSERT_THREAD || kind == kind::INSERT_BUBBLE || draw(3) == 0;
        let (holder, id) = if into { (holder::BUBBLE, draw(60)) } else { (holder::NODE + draw(4) as u8, draw(8)) };
        let (holder, holder_id) = (Some(holder), Some(id as i64));
        let (ts_ns, value) = (draw(3) as i64, Some(draw(9) as i64));
        BubbleEvent { ts_ns, kind, bubble, utid, holder, holder_id, value, ..BubbleEvent::default() }
    });
    in_time(events.collect())
}
