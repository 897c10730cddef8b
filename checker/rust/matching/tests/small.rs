//! Random walks over small states; after every step everything equals brute force.

use super::oracle;
use super::state::{Call, Matchers};
use proptest::collection::vec;
use proptest::prelude::*;
use wastenot_topology::CpuBits;

const CPUS: usize = 6;
const WAITERS: u32 = 7;

fn op(classes: usize) -> impl Strategy<Value = Call> {
    prop_oneof![
        3 => (0..CPUS).prop_map(Call::AddCpu),
        2 => (0..CPUS).prop_map(Call::RemoveCpu),
        5 => (0..WAITERS, 0..classes, -2..3_i64, 0..CPUS as u32).prop_map(
            |(utid, class, wait_start, queue_cpu)| Call::AddWaiter { utid, class, wait_start, queue_cpu }
        ),
        2 => (0..WAITERS).prop_map(Call::RemoveWaiter),
        1 => Just(Call::Assign),
    ]
}

fn masks() -> impl Strategy<Value = Vec<CpuBits>> {
    vec(0..1_u64 << CPUS, 1..=4).prop_map(|masks| {
        let members = |mask: u64| (0..CPUS as u32).filter(move |cpu| mask >> cpu & 1 == 1);
        masks.into_iter().map(|mask| CpuBits::of(CPUS, members(mask))).collect()
    })
}

/// A walk of calls and the masks of the classes in it.
fn walk() -> impl Strategy<Value = (Vec<CpuBits>, Vec<Call>)> {
    masks().prop_flat_map(|masks| {
        let ops = vec(op(masks.len()), 1..60);
        (Just(masks), ops)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn every_step_agrees_with_brute_force((masks, ops) in walk()) {
        let mut rig = Matchers::new(CPUS, &masks);
        for op in &ops {
            rig.apply(op);
            let expected: Vec<u32> =
                oracle::canonical_set(&rig.state, &masks).iter().map(|(_, waiter)| waiter.utid).collect();
            prop_assert_eq!(rig.size(), expected.len());
            prop_assert_eq!(rig.matched(), expected.into_iter().collect());
        }
        prop_assert_eq!(rig.size(), oracle::size(&rig.state, &masks));
    }

    #[test]
    fn the_assignment_agrees_with_brute_force((masks, ops) in walk()) {
        let mut rig = Matchers::new(CPUS, &masks);
        for (at, op) in ops.iter().enumerate() {
            rig.apply(op);
            if at % 4 == 3 {
                prop_assert_eq!(rig.assign(), oracle::assignment(&rig.state, &masks));
            }
        }
        prop_assert_eq!(rig.assign(), oracle::assignment(&rig.state, &masks));
        prop_assert_eq!(rig.assign(), oracle::assignment(&rig.state, &masks), "assign has changed the state");
    }

    /// Walk A, then B undone and A's state rebuilt in another order: the answers are A's.
    #[test]
    fn answers_do_not_depend_on_history((masks, ops) in walk(), detour in vec(op(1), 0..30), seed: u64) {
        let mut straight = Matchers::new(CPUS, &masks);
        ops.iter().for_each(|op| straight.apply(op));

        let mut roundabout = Matchers::new(CPUS, &masks);
        detour.iter().for_each(|op| roundabout.apply(op));
        for op in way(&roundabout, &straight, seed) {
            roundabout.apply(&op);
        }
        prop_assert_eq!(&roundabout.state, &straight.state);
        prop_assert_eq!(roundabout.size(), straight.size());
        prop_assert_eq!(roundabout.matched(), straight.matched());
        prop_assert_eq!(roundabout.assign(), straight.assign());
    }
}

/// Calls that lead from one state to another, in an order shuffled by `seed`.
fn way(from: &Matchers, to: &Matchers, seed: u64) -> Vec<Call> {
    let mut ops: Vec<Call> = Vec::new();
    ops.extend(from.state.idle.difference(&to.state.idle).map(|&cpu| Call::RemoveCpu(cpu)));
    ops.extend(to.state.idle.difference(&from.state.idle).map(|&cpu| Call::AddCpu(cpu)));
    let gone = from.state.waiters.keys().filter(|utid| !to.state.waiters.contains_key(utid));
    ops.extend(gone.map(|&utid| Call::RemoveWaiter(utid)));
    ops.extend(to.state.waiters.iter().map(|(&utid, &(class, waiter))| Call::AddWaiter {
        utid,
        class,
        wait_start: waiter.wait_start,
        queue_cpu: waiter.queue_cpu,
    }));
    let mut state = seed;
    for at in (1..ops.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ops.swap(at, (state >> 33) as usize % (at + 1));
    }
    ops
}

/// All states of 3 CPUs, 3 waiters and 2 classes: every pair of masks, idle set, subset of waiters, class of each and
/// order of two wait starts; reached CPUs first and waiters first.
#[test]
fn all_states_of_three_cpus_and_three_waiters() {
    let mut states = 0;
    for (first, second) in (0..64_u32).map(|both| (both & 7, both >> 3)) {
        let masks: Vec<CpuBits> =
            [first, second].iter().map(|mask| CpuBits::of(3, (0..3).filter(|cpu| mask >> cpu & 1 == 1))).collect();
        for (idle, kinds) in (0..8_u32).flat_map(|idle| (0..125_u32).map(move |kinds| (idle, kinds))) {
            let cpus = (0..3).filter(|cpu| idle >> cpu & 1 == 1).map(Call::AddCpu);
            // Per waiter: absent, or one of two classes with one of two wait starts.
            let waiters = (0..3_u32).filter_map(|utid| match kinds / 5_u32.pow(utid) % 5 {
                0 => None,
                kind => Some(Call::AddWaiter {
                    utid,
                    class: (kind as usize - 1) / 2,
                    wait_start: i64::from(kind - 1) % 2,
                    queue_cpu: utid,
                }),
            });
            let forth: Vec<Call> = cpus.chain(waiters).collect();
            let mut rigs = [Matchers::new(3, &masks), Matchers::new(3, &masks)];
            forth.iter().for_each(|op| rigs[0].apply(op));
            forth.iter().rev().for_each(|op| rigs[1].apply(op));
            for mut rig in rigs {
                let expected = oracle::canonical_set(&rig.state, &masks);
                assert_eq!(rig.size(), oracle::size(&rig.state, &masks));
                assert_eq!(rig.matched(), expected.iter().map(|(_, waiter)| waiter.utid).collect());
                assert_eq!(rig.assign(), oracle::assignment(&rig.state, &masks));
                states += 1;
            }
        }
    }
    assert_eq!(states, 64 * 8 * 125 * 2);
}
