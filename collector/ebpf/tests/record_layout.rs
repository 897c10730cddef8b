//! Records survive writing and reading, and a change of their layout does not go unnoticed.

use proptest::prelude::*;
use wastenot_ebpf::mask::{Mask, Words};
use wastenot_ebpf::record::{self, *};

const BASE: u64 = 5_000_000_000;

fn round_trip(record: Record<'_>, ts_ns: u64) {
    let mut bytes = Vec::new();
    record.write(ts_ns, BASE, &mut bytes);
    assert_eq!(bytes.len() % 8, 0);
    let length = bytes.len();
    assert_eq!(record::read(&bytes, BASE).unwrap(), (ts_ns, record, length));
    for cut in 0..length {
        assert!(matches!(record::read(&bytes[..cut], BASE), Err(RecordError::Short { .. })), "cut at {cut}");
    }
}

proptest! {
    #[test]
    fn fixed_records_round_trip(a: i32, b: i32, c: u16, d: i16, e: u32, f: u64, after in 0u64..1 << 56) {
        let ts = BASE + after;
        round_trip(Record::Switch(Switch { prev_tid: a, next_tid: b, prev_prio: d, next_prio: 120, prev_state: e, ..Default::default() }), ts);
        round_trip(Record::Wakeup(Wakeup { tid: a, cpu: c, prio: d, ..Default::default() }), ts);
        round_trip(Record::Migrate(Migrate { tid: a, stack_id: b, orig_cpu: c, dest_cpu: 1, prio: d, ..Default::default() }), ts);
        round_trip(Record::NrRunning(NrRunning { cpu: c, delta: d, nr_running: e }), ts);
        round_trip(Record::Throttle(Throttle { tid: a, cpu: c, throttled: 1, error_ns: f }), ts);
        round_trip(Record::Lost(Lost { cpu: c, kind: 3, reserved: 0, to: BASE + after, count: f }), ts);
        round_trip(Record::IrqSpan(IrqSpan { dur_ns: e, vector: c, kind: 2 }), ts);
        let (attempt, src_cpu, result, examined) = (e, d, 17, c);
        round_trip(Record::BalanceSearch(BalanceSearch { attempt, src_cpu, result, examined, hot: 3, ..Default::default() }), ts);
        round_trip(Record::PreferredLlc(PreferredLlc { attempt: e, src_cpu: d, threads: c }), ts);
        round_trip(Record::Region(Region { tid: a, region: c, enter: 1, peer: b, reserved: e }), ts);
        round_trip(Record::NewidleEntry(NewidleEntry { attempt: e, level: d, flags: c, avg_idle_ns: f }), ts);
        round_trip(Record::Deadline(Deadline { tid: a, state: e, left_ns: -(f as i64 >> 1), deadline: f, clock: f, ..Default::default() }), ts);
        round_trip(Record::ExtQueue(ExtQueue { dsq: f, tid: a, cpu: c, place: 0x104 }), ts);
        round_trip(Record::ExtSearch(ExtSearch { dur_ns: e, cpu: c }), ts);
        round_trip(Record::ExtKick(ExtKick { flags: e, target_cpu: c }), ts);
        round_trip(Record::ExtOfCgroup(ExtOfCgroup { cgroup: ts, tid: a, reserved: 0 }), ts);
        let used = CpuUse { of_cpu: c, reserved: 0, attempt: e, load: ts, nr_running: 2, util: e, runnable: a, capacity: e };
        round_trip(Record::CpuUse(used), ts);
        round_trip(Record::ExtAccess(ExtAccess { cgroup: ts, cpu: c, may_use: 1, reserved: 0 }), ts);
        round_trip(Record::EventStack(EventStack { tid: a, stack_id: b, of: 2, reserved: e }), ts);
        round_trip(Record::IdleExitLate(IdleExitLate { late_ns: f }), ts);
        round_trip(Record::CpuPower(CpuPower { value: e, cpu: c, what: 1 }), ts);
        round_trip(Record::ProcessRank(ProcessRank { tgid: a, rank: e, size: 0, variable: 4 }), ts);
        round_trip(Record::ExtChange(ExtChange { cgroup: f, what: e, reserved: 1 }), ts);
        round_trip(Record::ExtBypass(ExtBypass { begins: 1, reserved: e }), ts);
        round_trip(Record::Kick(Kick { target_cpu: c, kind: 1, until_balance: e }), ts);
    }

    #[test]
    fn records_with_masks_round_trip(tid: i32, words in prop::collection::vec(any::<u64>(), 1..64), user: bool) {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mask = Mask::from_bytes(&bytes);
        let masks = Masks { allowed: Some(mask), user: user.then_some(mask), cpuset: None };
        round_trip(Record::Affinity(Affinity { tid, masks }), BASE);
        let comm = *b"a name - 16 long";
        round_trip(Record::Thread(Thread { tid, comm, masks, ..Default::default() }), BASE + 1);
        let (chosen_cpu, prev_cpu, wake_flags) = (-1, 5, 24);
        round_trip(Record::CpusScanned(CpusScanned { tid, attempt: 2, chosen_cpu, prev_cpu, wake_flags, mask }), BASE);
        round_trip(Record::ExtIdle(ExtIdle { tid, reserved: 0, mask }), BASE);
        let counters = Words::from_bytes(&bytes);
        round_trip(Record::Schedstat(Schedstat { cpu: 7, level: 1, reading_ns: 5, counters, ..Default::default() }), BASE + 2);
    }

    #[test]
    fn texts_round_trip(text in prop::collection::vec(any::<u8>(), 0..100), id: u64) {
        let addresses: Vec<u8> = [0xffff_ffff_8100_0000u64, 1].iter().flat_map(|w| w.to_le_bytes()).collect();
        round_trip(Record::Stack(Stack { stack_id: 7, addresses: Words::from_bytes(&addresses), symbols: &text }), BASE);
        let path = &text[..];
        round_trip(Record::RegionName(RegionName { region: 7, kind: 2, reserved: 0, name: path }), BASE);
        round_trip(Record::ExtScheduler(ExtScheduler { cgroup: 1 << 40, gone: 1, reserved: 1, name: path }), BASE);
        round_trip(Record::ExtCounter(ExtCounter { cgroup: 7, value: 9, spare: 0, reserved: 0, name: path }), BASE);
        round_trip(Record::ExtState(ExtState { enabled: 1, recorded: 1, partial: 0, name: path }), BASE);
        round_trip(Record::CgroupInfo(CgroupInfo { cgroup_id: id, quota_ns: -1, period_ns: 100_000, weight: 100, path }), BASE);
    }
}

#[test]
fn the_hot_records_are_small() {
    assert_eq!((Switch::SIZE, Waking::SIZE, Wakeup::SIZE, NrRunning::SIZE), (24, 16, 16, 16));
}

#[test]
fn the_count_of_a_runqueue_stands_above_the_state_of_a_switch() {
    let read = |prev_state| {
        let switch = Switch { prev_state, ..Default::default() };
        (switch.state(), switch.nr_running())
    };
    assert_eq!(read(0x402), (0x402, None), "before format 4, and where the count is not known");
    assert_eq!(read(0x402 | 1 << 21), (0x402, Some(0)));
    assert_eq!(read(0x8000_0000 | 0x3ff << 21), (0x8000_0000, Some(1022)));
    assert_eq!(read(0x10_0000), (0x10_0000, None), "a state that a tracer without numbers did not name");
}

#[test]
fn an_unknown_kind_is_refused() {
    assert_eq!(record::read(&[200; 64], BASE), Err(RecordError::UnknownKind { kind: 200 }));
    assert_eq!(record::read(&[0; 64], BASE), Err(RecordError::UnknownKind { kind: 0 }));
}

/// Recordings say with which layout they were written, and another one is refused: a change is made knowingly.
#[test]
fn a_change_of_the_records_changes_the_layout() {
    assert_eq!(
        format!("{LAYOUT:016x}"),
        "3fb4cac04b6fac2d",
        "the records changed. Recordings with fewer records are read; those in which a record had other fields are refused. \
         To go on reading them, keep their layout in `meta::EQUAL_LAYOUTS`; then write the new one here, and raise \
         `format::FORMAT` where a reader must distinguish them"
    );
}

/// A version with more records reads the recordings of this one: the layout of these is one of its own.
#[test]
fn a_record_added_at_the_end_leaves_the_layouts_before_it() {
    assert_eq!((LAYOUTS.len(), LAYOUTS[27]), (KINDS.len(), 0x2026_93c4_37c7_d04b));
}
