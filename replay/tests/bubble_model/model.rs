//! What holds after every event, whatever it was; and what each kind of event does.

use super::sequences::{any_event, in_time, model, parts};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use wastenot_replay::bubbles::{BubbleEvent, Entity, Holder, Inconsistency, Model, Part};
use wastenot_schemas::{bubble_event_kind as kind, bubble_state, holder};

/// Every entity in one holder, which knows it; nothing inside itself; what has burst holds nothing.
fn sound(model: &Model) -> Result<(), TestCaseError> {
    let holders: BTreeMap<Entity, Holder> = model.holders().collect();
    prop_assert_eq!(model.holders().count(), holders.len(), "an entity is in one holder");
    for entity in holders.keys() {
        let mut at = holders[entity];
        for step in 0.. {
            prop_assert!(step <= holders.len(), "nothing holds itself: {:?}", entity);
            match at {
                Holder::Bubble(b) => {
                    prop_assert!(holders.contains_key(&Entity::Bubble(b)), "what holds is there: {}", b);
                    at = holders[&Entity::Bubble(b)];
                }
                _ => break,
            }
        }
        if let Entity::Bubble(id) = *entity {
            let held: BTreeSet<Entity> =
                holders.iter().filter(|(_, h)| **h == Holder::Bubble(id)).map(|(e, _)| *e).collect();
            prop_assert_eq!(&held, model.held_by(id));
            if model.bubble(id).state == bubble_state::BURST {
                prop_assert!(held.is_empty(), "bubble {} has burst and holds {:?}", id, held);
            }
            for member in model.members_of(id) {
                prop_assert!(holders.contains_key(member));
            }
        }
    }
    let members: Vec<Entity> = holders
        .keys()
        .filter_map(|e| if let Entity::Bubble(b) = e { Some(*b) } else { None })
        .flat_map(|b| model.members_of(b).iter().copied())
        .collect();
    prop_assert_eq!(members.iter().collect::<BTreeSet<_>>().len(), members.len(), "one belongs to one bubble at most");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_sequence_leaves_every_entity_in_one_holder(events in prop::collection::vec(any_event(), 0..120)) {
        let mut model = model();
        for event in in_time(events) {
            model.apply(&event);
            sound(&model)?;
        }
    }

    #[test]
    fn stays_follow_each_other_without_a_gap_and_memberships_do_not_overlap(
        events in prop::collection::vec(any_event(), 0..120),
    ) {
        let mut model = model();
        in_time(events).iter().for_each(|e| model.apply(e));
        let record = model.finish(1_000);
        let mut last: HashMap<Entity, i64> = HashMap::new();
        for pair in record.intervals.windows(2) {
            prop_assert!(pair[0].start_ns <= pair[1].start_ns);
        }
        for s in &record.intervals {
            prop_assert!(s.start_ns <= s.end_ns && s.end_ns <= 1_000);
            if let Some(before) = last.insert(s.entity, s.end_ns) {
                prop_assert_eq!(before, s.start_ns);
            }
        }
        for (entity, end) in &last {
            if let Entity::Bubble(id) = entity {
                prop_assert_eq!(*end, record.bubbles[*id as usize - 1].end_ns.unwrap_or(1_000));
            }
        }
        let mut members = record.members.clone();
        members.sort_by_key(|m| (m.entity, m.start_ns, m.end_ns));
        for pair in members.windows(2).filter(|p| p[0].entity == p[1].entity) {
            prop_assert!(pair[0].end_ns <= pair[1].start_ns, "{:?}", pair);
        }
    }
}

fn event(kind: u8, entity: Entity) -> BubbleEvent<'static> {
    let (bubble, utid) = match entity {
        Entity::Bubble(b) => (Some(b.into()), None),
        Entity::Thread(t) => (None, Some(t)),
    };
    BubbleEvent { kind, bubble, utid, ..BubbleEvent::default() }
}

fn to_bubble(event: BubbleEvent<'static>, number: i64) -> BubbleEvent<'static> {
    BubbleEvent { holder: Some(holder::BUBBLE), holder_id: Some(number), ..event }
}

fn to_part(event: BubbleEvent<'static>, level: u8, id: i64) -> BubbleEvent<'static> {
    BubbleEvent { holder: Some(level), holder_id: Some(id), ..event }
}

const fn b(n: i32) -> Entity {
    Entity::Bubble(n)
}

const fn t(n: i32) -> Entity {
    Entity::Thread(n)
}

fn node(id: i32) -> Holder {
    Holder::Runqueue(Part { level: holder::NODE, id })
}

/// Bubble 1 with threads 1 and 2 and with bubble 2, which has threads 3 and 4; on the machine's runqueue. Numbers are ids.
fn nested() -> Model {
    let mut m = Model::new(parts());
    for event in [
        event(kind::INIT, b(1)),
        event(kind::INIT, b(2)),
        to_bubble(event(kind::INSERT_THREAD, t(1)), 1),
        to_bubble(event(kind::INSERT_THREAD, t(2)), 1),
        to_bubble(event(kind::INSERT_THREAD, t(3)), 2),
        to_bubble(event(kind::INSERT_THREAD, t(4)), 2),
        to_bubble(event(kind::INSERT_BUBBLE, b(2)), 1),
        event(kind::WAKE, b(1)),
    ] {
        m.apply(&event);
    }
    assert!(m.inconsistencies().is_empty());
    m
}

fn held(m: &Model) -> BTreeMap<Entity, Holder> {
    m.holders().collect()
}

#[test]
fn a_bubble_starts_on_the_machines_runqueue_with_all_it_has_inside() {
    let all = held(&nested());
    assert_eq!(all[&b(1)], Holder::MACHINE);
    assert_eq!([all[&t(1)], all[&t(2)], all[&b(2)]], [Holder::Bubble(1); 3]);
    assert_eq!([all[&t(3)], all[&t(4)]], [Holder::Bubble(2); 2]);
}

#[test]
fn a_burst_releases_exactly_what_was_inside_and_closing_brings_all_of_it_back() {
    let mut m = nested();
    m.apply(&to_part(event(kind::MOVE, b(1)), holder::NODE, 1));
    m.apply(&event(kind::BURST, b(1)));
    let all = held(&m);
    assert_eq!([all[&b(1)], all[&t(1)], all[&t(2)], all[&b(2)]], [node(1); 4]);
    assert_eq!([all[&t(3)], all[&t(4)]], [Holder::Bubble(2); 2], "an inner bubble stays closed");
    m.apply(&to_part(event(kind::BURST, b(2)), holder::LLC, 4));
    m.apply(&to_part(event(kind::MOVE, t(1)), holder::CPU, 6));
    m.apply(&event(kind::REGENERATE, b(1)));
    m.apply(&to_bubble(event(kind::MOVE, t(2)), 1));
    m.apply(&to_part(event(kind::CLOSE, b(1)), holder::MACHINE, 0));
    assert_eq!(held(&m), held(&nested()));
    assert!(m.inconsistencies().is_empty());
    assert_eq!((m.bubble(1).bursts, m.bubble(1).regenerations, m.bubble(2).regenerations), (1, 1, 1));
}

#[test]
fn what_is_inserted_after_the_burst_is_released_at_once() {
    let mut m = nested();
    m.apply(&to_part(event(kind::BURST, b(1)), holder::NODE, 0));
    m.apply(&to_bubble(event(kind::INSERT_THREAD, t(9)), 1));
    assert_eq!(held(&m)[&t(9)], node(0));
    m.apply(&event(kind::CLOSE, b(1)));
    assert_eq!(held(&m)[&t(9)], Holder::Bubble(1));
}

#[test]
fn a_destroyed_bubble_leaves_what_it_held_where_it_was() {
    let mut m = nested();
    m.apply(&event(kind::DESTROY, b(2)));
    let all = held(&m);
    assert_eq!([all[&t(3)], all[&t(4)]], [Holder::Bubble(1); 2]);
    assert_eq!(all.get(&b(2)), None);
    m.apply(&to_bubble(event(kind::INSERT_THREAD, t(5)), 2));
    assert_eq!(m.inconsistencies().keys().collect::<Vec<_>>(), [&Inconsistency::DestroyedBubble]);
    m.apply(&event(kind::INIT, b(2)));
    assert_eq!(m.inconsistencies().len(), 1, "a number may be used again");
}

#[test]
fn every_broken_event_is_named_and_harms_nothing() {
    use Inconsistency as B;
    let deep = |m: &mut Model| {
        for n in 10..100 {
            m.apply(&event(kind::INIT, b(n)));
            m.apply(&to_bubble(event(kind::INSERT_BUBBLE, b(n)), i64::from(n) - 1));
        }
    };
    type Act<'a> = (&'a dyn Fn(&mut Model), Inconsistency);
    let cases: [Act<'_>; 17] = [
        (&|m| m.apply(&to_bubble(event(kind::INSERT_BUBBLE, b(1)), 2)), B::Cycle),
        (&|m| m.apply(&to_bubble(event(kind::MOVE, b(1)), 1)), B::Cycle),
        (&|m| m.apply(&event(kind::INIT, b(1))), B::InitTwice),
        (&|m| m.apply(&event(kind::WAKE, b(77))), B::UnknownBubble),
        (&|m| m.apply(&to_bubble(event(kind::INSERT_THREAD, t(1)), 2)), B::TwoHolders),
        (&|m| m.apply(&to_bubble(event(kind::REMOVE, t(1)), 2)), B::NotMember),
        (&|m| m.apply(&to_part(event(kind::MOVE, t(1)), holder::NODE, 9)), B::NoSuchRunqueue),
        (&|m| m.apply(&to_part(event(kind::MOVE, t(1)), holder::NODE, 1 << 40)), B::NoSuchRunqueue),
        (&|m| m.apply(&BubbleEvent { holder: Some(holder::CPU), ..event(kind::MOVE, t(1)) }), B::NoSuchRunqueue),
        (&|m| m.apply(&to_part(event(kind::MOVE, t(1)), 200, 0)), B::NoSuchRunqueue),
        (&|m| m.apply(&event(kind::CLOSE, b(1))), B::NotBurst),
        (&|m| m.apply(&event(kind::BURST, b(2))), B::BurstInside),
        (&|m| (0..2).for_each(|_| m.apply(&event(kind::BURST, b(1)))), B::BurstTwice),
        (&|m| m.apply(&event(kind::MOVE, t(1))), B::Incomplete),
        (&|m| m.apply(&event(200, b(1))), B::Incomplete),
        (
            &|m| {
                m.apply(&event(kind::BURST, b(1)));
                m.apply(&to_bubble(event(kind::MOVE, t(3)), 1));
            },
            B::IntoBurst,
        ),
        (
            &|m| {
                m.apply(&event(kind::INIT, b(9)));
                deep(m);
            },
            B::TooDeep,
        ),
    ];
    for (i, (act, what)) in cases.into_iter().enumerate() {
        let mut m = nested();
        act(&mut m);
        assert_eq!(m.inconsistencies().keys().collect::<Vec<_>>(), [&what], "case {i}");
        sound(&m).unwrap();
    }
}

#[test]
fn a_thread_that_ended_is_gone_and_is_not_put_anywhere() {
    let mut m = nested();
    m.thread_ends(1, 50);
    m.apply(&BubbleEvent { ts_ns: 60, ..to_part(event(kind::MOVE, t(1)), holder::NODE, 0) });
    assert_eq!(held(&m).get(&t(1)), None);
    assert_eq!(m.inconsistencies().keys().collect::<Vec<_>>(), [&Inconsistency::EndedThread]);
}

#[test]
fn a_process_that_ends_takes_its_bubbles_with_it() {
    let mut m = Model::new(parts());
    m.process_ends(7, 50);
    m.apply(&BubbleEvent { tgid: Some(7), ..event(kind::INIT, b(1)) });
    m.apply(&BubbleEvent { tgid: Some(8), ..event(kind::INIT, b(1)) });
    m.reach(51);
    assert_eq!(held(&m).keys().collect::<Vec<_>>(), [&b(2)]);
    assert_eq!(m.bubble(1).end_ns, Some(50));
}

#[test]
fn a_state_dump_that_says_what_is_known_changes_nothing() {
    let mut m = nested();
    let before = held(&m);
    for event in [
        event(kind::INIT, b(1)),
        event(kind::INIT, b(2)),
        to_bubble(event(kind::INSERT_THREAD, t(1)), 1),
        to_bubble(event(kind::INSERT_BUBBLE, b(2)), 1),
        to_bubble(event(kind::INSERT_THREAD, t(3)), 2),
        event(kind::WAKE, b(1)),
    ] {
        m.apply(&BubbleEvent { snapshot: true, ..event });
    }
    assert_eq!(held(&m), before);
    assert!(m.inconsistencies().is_empty());
}
