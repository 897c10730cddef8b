//! The binary records of a recording: what the BPF programs put into their rings and the segments keep.
//!
//! The structs are generated from `schemas/records.toml`, as those of the BPF programs are. Every record begins with one 8-byte word: the kind in its low
//! byte, above it the time in nanoseconds since the recording's base (`base_ns`, 56 bits). Sizes are multiples of 8,
//! numbers little endian. The CPU that wrote a record is that of its frame (see `segment`).

use crate::mask::{Mask, Words};
use wastenot_machine::schedstat::COUNTERS;

/// A record cannot be read: the bytes are not what the recorder writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// The kind byte names no record known to this version.
    UnknownKind { kind: u8 },
    /// The record is longer than the bytes left in its frame.
    Short { kind: u8, need: usize, have: usize },
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownKind { kind } => write!(f, "record kind {kind} is not known to this version"),
            Self::Short { kind, need, have } => write!(f, "record of kind {kind} needs {need} bytes, {have} are left"),
        }
    }
}

impl std::error::Error for RecordError {}

/// Declares the fixed parts of records: fields that are read and written in order after the 8-byte head.
macro_rules! records {
    ($( $(#[$doc:meta])* $name:ident = $kind:literal, $size:literal { $( $(#[$fdoc:meta])* $field:ident : $t:ty ),* $(,)? } )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $name { $( $(#[$fdoc])* pub $field: $t ),* }

            impl $name {
                /// Kind byte of the record.
                pub const KIND: u8 = $kind;
                /// Bytes of its fixed part, head included.
                pub const SIZE: usize = $size;

                #[inline(always)]
                fn read(bytes: &[u8; $size]) -> Self {
                    let mut at = 8;
                    $( let $field = <$t as Field>::read(&bytes[at..]); at += size_of::<$t>(); )*
                    let _ = at;
                    Self { $($field),* }
                }

                fn write(&self, head: u64, out: &mut Vec<u8>) {
                    let mut bytes = [0u8; $size];
                    bytes[..8].copy_from_slice(&head.to_le_bytes());
                    let mut at = 8;
                    $( self.$field.write(&mut bytes[at..]); at += size_of::<$t>(); )*
                    let _ = at;
                    out.extend_from_slice(&bytes);
                }
            }
        )*

        /// Name, kind and fixed size of every record, by which their sizes are found.
        pub const KINDS: &[(&str, u8, usize)] = &[ $( (stringify!($name), $kind, $size) ),* ];

        /// The layout as text: kind, fixed size and fields of every record. Not its name, which can change alone.
        const DESCRIPTION: &str = concat!(
            $( $kind, ",", $size, "{", $( stringify!($field), ":", stringify!($t), ";", )* "}" ),*
        );

        /// Name of a kind, for messages and the `what` of lost events.
        pub fn kind_name(kind: u8) -> &'static str {
            match kind { $( $kind => stringify!($name), )* _ => "any" }
        }
    };
}

trait Field {
    fn read(bytes: &[u8]) -> Self;
    fn write(&self, bytes: &mut [u8]);
}

macro_rules! fields {
    ($($t:ty),*) => { $( impl Field for $t {
        #[inline(always)]
        fn read(bytes: &[u8]) -> Self {
            let mut value = [0u8; size_of::<$t>()];
            value.copy_from_slice(&bytes[..size_of::<$t>()]);
            <$t>::from_le_bytes(value)
        }
        fn write(&self, bytes: &mut [u8]) { bytes[..size_of::<$t>()].copy_from_slice(&self.to_le_bytes()); }
    } )* };
}
fields!(u8, u16, i16, u32, i32, u64, i64);

impl Field for [u8; 16] {
    fn read(bytes: &[u8]) -> Self {
        let mut value = [0u8; 16];
        value.copy_from_slice(&bytes[..16]);
        value
    }
    fn write(&self, bytes: &mut [u8]) {
        bytes[..16].copy_from_slice(self);
    }
}

include!("records.rs");

/// Hash (FNV-1a, 64 bits) of the layout of all records: it changes with a record, a field, a type or the list of
/// schedstat's counters. `meta.json` has the layout of its records; other layouts are refused.
pub const LAYOUT: u64 = {
    let mut hash = fnv_1a(DESCRIPTION, 0xcbf2_9ce4_8422_2325);
    let mut counter = 0;
    while counter < COUNTERS.len() {
        hash = fnv_1a(COUNTERS[counter], hash);
        counter += 1;
    }
    hash
};

const fn fnv_1a(text: &str, mut hash: u64) -> u64 {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
}

/// Bits of `flags` in [`Fork`] and [`ThreadHead`].
pub mod flag {
    /// Kernel thread (PF_KTHREAD).
    pub const KERNEL: u32 = 1;
    /// Bound to one CPU by the kernel (PF_KTHREAD, PF_NO_SETAFFINITY, one allowed CPU).
    pub const PER_CPU: u32 = 2;
    /// `migration_disabled` > 0.
    pub const MIGRATION_DISABLED: u32 = 4;
    /// Out of quota.
    pub const THROTTLED: u32 = 8;
    /// From /proc, not from the task iterator: `queue` is a guess from the state letter.
    pub const FROM_PROC: u32 = 16;
}

/// Masks that follow an affinity or thread record, each of `words` 64-bit words; an absent mask is none or unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Masks<'a> {
    /// `cpus_ptr`, already cut by the cpuset.
    pub allowed: Option<Mask<'a>>,
    /// `user_cpus_ptr` (6.2 and later).
    pub user: Option<Mask<'a>>,
    /// `effective_cpus` of the cpuset.
    pub cpuset: Option<Mask<'a>>,
}

impl<'a> Masks<'a> {
    fn count(bits: u32) -> usize {
        (bits & 7).count_ones() as usize
    }

    fn bits(&self) -> u32 {
        u32::from(self.allowed.is_some()) | u32::from(self.user.is_some()) << 1 | u32::from(self.cpuset.is_some()) << 2
    }

    fn words(&self) -> usize {
        [self.allowed, self.user, self.cpuset].iter().flatten().map(|m| m.words().count()).max().unwrap_or(0)
    }

    fn read(bits: u32, words: usize, mut bytes: &'a [u8]) -> Self {
        let mut take = |bit: u32| {
            (bits & bit != 0).then(|| {
                let (mask, rest) = bytes.split_at(words * 8);
                bytes = rest;
                Mask::from_bytes(mask)
            })
        };
        Self { allowed: take(1), user: take(2), cpuset: take(4) }
    }

    fn write(&self, words: usize, out: &mut Vec<u8>) {
        for mask in [self.allowed, self.user, self.cpuset].into_iter().flatten() {
            out.extend(mask.words().chain(std::iter::repeat(0)).take(words).flat_map(u64::to_le_bytes));
        }
    }
}

/// A record as it is read, the borrowed parts still in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant is documented at its struct
pub enum Record<'a> {
    Switch(Switch),
    Waking(Waking),
    Wakeup(Wakeup),
    WakeupNew(WakeupNew),
    Migrate(Migrate),
    NrRunning(NrRunning),
    Fork(Fork),
    Exec(Exec),
    Exit(Exit),
    Rename(Rename),
    /// The thread's masks from now on, all of them.
    Affinity {
        tid: i32,
        masks: Masks<'a>,
    },
    MigrationDisable(MigrationDisable),
    Cookie(Cookie),
    Cgroup(Cgroup),
    Throttle(Throttle),
    Hotplug(Hotplug),
    IrqSpan(IrqSpan),
    PerfCounter(PerfCounter),
    /// `to` is on the trace's clock here, as every time that [`read`] gives.
    Lost(Lost),
    CpuSnapshot(CpuSnapshot),
    /// A thread's state at the record's time. `head.words` and `head.masks` describe `masks`.
    Thread {
        head: ThreadHead,
        masks: Masks<'a>,
    },
    Balance(Balance),
    CpuLoad(CpuLoad),
    /// CPUs scanned for `tid` (0: none) or by attempt `attempt` (0: none); without words where they are not recorded. `chosen_cpu`
    /// -1: none. `prev_cpu` -1: it and the flags are not recorded.
    CpusScanned {
        tid: i32,
        attempt: u32,
        chosen_cpu: i16,
        prev_cpu: i16,
        wake_flags: u16,
        mask: Mask<'a>,
    },
    /// A kernel stack, innermost frame first: `frames` addresses of 8 bytes, and as many lines of text.
    Stack {
        stack_id: i32,
        addresses: Words<'a>,
        symbols: &'a [u8],
    },
    /// A cgroup; quota, period and weight are negative where there is none.
    CgroupInfo {
        cgroup_id: u64,
        quota_ns: i64,
        period_ns: i64,
        weight: i32,
        path: &'a [u8],
    },
    /// A domain's counts since the previous reading (`counters` words, as `wastenot_machine::schedstat::COUNTERS`); without
    /// counters: a reading as such. The record's time is the reading's end.
    Schedstat {
        head: SchedstatHead,
        counters: Words<'a>,
    },
    Kick(Kick),
}

/// Bytes of the record at the head of `bytes`.
pub fn size(bytes: &[u8]) -> Result<usize, RecordError> {
    let kind = *bytes.first().ok_or(RecordError::Short { kind: 0, need: 8, have: 0 })?;
    let fixed = match KINDS.get(usize::from(kind).wrapping_sub(1)) {
        Some(&(_, _, size)) => size,
        None => return Err(RecordError::UnknownKind { kind }),
    };
    let short = |need| RecordError::Short { kind, need, have: bytes.len() };
    let fixed_part = bytes.get(..fixed).ok_or_else(|| short(fixed))?;
    let u16_at = |at: usize| usize::from(u16::read(&fixed_part[at..]));
    let text = |length: usize| length.div_ceil(8) * 8;
    let need = fixed
        + match kind {
            AffinityHead::KIND => u16_at(12) * 8 * Masks::count(u16_at(14) as u32),
            ThreadHead::KIND => u16_at(44) * 8 * Masks::count(u32::read(&fixed_part[52..])),
            CpusScannedHead::KIND => u16_at(18) * 8,
            StackHead::KIND => u16_at(12) * 8 + text(u16_at(14)),
            CgroupInfoHead::KIND => text(u16_at(36)),
            SchedstatHead::KIND => u16_at(14) * 8,
            _ => 0,
        };
    if need > bytes.len() { Err(short(need)) } else { Ok(need) }
}

/// Read the record at the head of `bytes`: its time on the trace's clock, the record, and its length in bytes.
#[inline]
pub fn read(bytes: &[u8], base_ns: u64) -> Result<(u64, Record<'_>, usize), RecordError> {
    let length = size(bytes)?;
    let head = u64::read(bytes);
    let ts_ns = base_ns.wrapping_add(head >> 8);
    macro_rules! get {
        ($name:ident) => {
            $name::read(bytes[..$name::SIZE].try_into().expect("size() checked the length"))
        };
    }
    let rest = |fixed: usize| &bytes[fixed..length];
    let record = match head as u8 {
        Switch::KIND => Record::Switch(get!(Switch)),
        Waking::KIND => Record::Waking(get!(Waking)),
        Wakeup::KIND => Record::Wakeup(get!(Wakeup)),
        WakeupNew::KIND => Record::WakeupNew(get!(WakeupNew)),
        Migrate::KIND => Record::Migrate(get!(Migrate)),
        NrRunning::KIND => Record::NrRunning(get!(NrRunning)),
        Fork::KIND => Record::Fork(get!(Fork)),
        Exec::KIND => Record::Exec(get!(Exec)),
        Exit::KIND => Record::Exit(get!(Exit)),
        Rename::KIND => Record::Rename(get!(Rename)),
        AffinityHead::KIND => {
            let head = get!(AffinityHead);
            let masks = Masks::read(u32::from(head.masks), head.words.into(), rest(AffinityHead::SIZE));
            Record::Affinity { tid: head.tid, masks }
        }
        MigrationDisable::KIND => Record::MigrationDisable(get!(MigrationDisable)),
        Cookie::KIND => Record::Cookie(get!(Cookie)),
        Cgroup::KIND => Record::Cgroup(get!(Cgroup)),
        Throttle::KIND => Record::Throttle(get!(Throttle)),
        Hotplug::KIND => Record::Hotplug(get!(Hotplug)),
        IrqSpan::KIND => Record::IrqSpan(get!(IrqSpan)),
        PerfCounter::KIND => Record::PerfCounter(get!(PerfCounter)),
        Lost::KIND => {
            let lost = get!(Lost);
            Record::Lost(Lost { to: base_ns.wrapping_add(lost.to), ..lost })
        }
        CpuSnapshot::KIND => Record::CpuSnapshot(get!(CpuSnapshot)),
        ThreadHead::KIND => {
            let head = get!(ThreadHead);
            Record::Thread { head, masks: Masks::read(head.masks, head.words.into(), rest(ThreadHead::SIZE)) }
        }
        Balance::KIND => Record::Balance(get!(Balance)),
        CpuLoad::KIND => Record::CpuLoad(get!(CpuLoad)),
        CpusScannedHead::KIND => {
            let CpusScannedHead { tid, attempt, chosen_cpu, prev_cpu, wake_flags, .. } = get!(CpusScannedHead);
            let mask = Mask::from_bytes(rest(CpusScannedHead::SIZE));
            Record::CpusScanned { tid, attempt, chosen_cpu, prev_cpu, wake_flags, mask }
        }
        StackHead::KIND => {
            let head = get!(StackHead);
            let (addresses, text) = rest(StackHead::SIZE).split_at(usize::from(head.frames) * 8);
            let symbols = &text[..head.text_len.into()];
            Record::Stack { stack_id: head.stack_id, addresses: Words::from_bytes(addresses), symbols }
        }
        CgroupInfoHead::KIND => {
            let CgroupInfoHead { cgroup_id, quota_ns, period_ns, weight, text_len } = get!(CgroupInfoHead);
            let path = &rest(CgroupInfoHead::SIZE)[..text_len.into()];
            Record::CgroupInfo { cgroup_id, quota_ns, period_ns, weight, path }
        }
        SchedstatHead::KIND => {
            Record::Schedstat { head: get!(SchedstatHead), counters: Words::from_bytes(rest(SchedstatHead::SIZE)) }
        }
        Kick::KIND => Record::Kick(get!(Kick)),
        kind => return Err(RecordError::UnknownKind { kind }),
    };
    Ok((ts_ns, record, length))
}

fn write_text(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(text);
    out.resize(out.len().next_multiple_of(8), 0);
}

impl Record<'_> {
    /// Append the record as the BPF programs lay it out. `ts_ns` (and a loss's end) must not lie before `base_ns`.
    /// A text is cut at 65,528 bytes.
    pub fn write(&self, ts_ns: u64, base_ns: u64, out: &mut Vec<u8>) {
        out.resize(out.len().next_multiple_of(8), 0);
        let head = |kind: u8| (ts_ns.saturating_sub(base_ns) << 8) | u64::from(kind);
        let cut = |text: &'_ [u8]| text.len().min(65_528);
        macro_rules! put {
            ($name:ident, $record:expr) => {
                $record.write(head($name::KIND), out)
            };
        }
        match self {
            Self::Switch(r) => put!(Switch, r),
            Self::Waking(r) => put!(Waking, r),
            Self::Wakeup(r) => put!(Wakeup, r),
            Self::WakeupNew(r) => put!(WakeupNew, r),
            Self::Migrate(r) => put!(Migrate, r),
            Self::NrRunning(r) => put!(NrRunning, r),
            Self::Fork(r) => put!(Fork, r),
            Self::Exec(r) => put!(Exec, r),
            Self::Exit(r) => put!(Exit, r),
            Self::Rename(r) => put!(Rename, r),
            Self::Affinity { tid, masks } => {
                let words = masks.words();
                put!(AffinityHead, AffinityHead { tid: *tid, words: words as u16, masks: masks.bits() as u16 });
                masks.write(words, out);
            }
            Self::MigrationDisable(r) => put!(MigrationDisable, r),
            Self::Cookie(r) => put!(Cookie, r),
            Self::Cgroup(r) => put!(Cgroup, r),
            Self::Throttle(r) => put!(Throttle, r),
            Self::Hotplug(r) => put!(Hotplug, r),
            Self::IrqSpan(r) => put!(IrqSpan, r),
            Self::PerfCounter(r) => put!(PerfCounter, r),
            Self::Lost(r) => put!(Lost, Lost { to: r.to.saturating_sub(base_ns), ..*r }),
            Self::CpuSnapshot(r) => put!(CpuSnapshot, r),
            Self::Thread { head, masks } => {
                let words = masks.words();
                put!(ThreadHead, ThreadHead { words: words as u16, masks: masks.bits(), ..*head });
                masks.write(words, out);
            }
            Self::Balance(r) => put!(Balance, r),
            Self::CpuLoad(r) => put!(CpuLoad, r),
            Self::CpusScanned { tid, attempt, chosen_cpu, prev_cpu, wake_flags, mask } => {
                let words = mask.words().count() as u16;
                let (tid, attempt, chosen_cpu) = (*tid, *attempt, *chosen_cpu);
                let (prev_cpu, wake_flags) = (*prev_cpu, *wake_flags);
                put!(CpusScannedHead, CpusScannedHead { tid, attempt, chosen_cpu, words, prev_cpu, wake_flags });
                out.extend_from_slice(mask.as_bytes());
            }
            Self::Stack { stack_id, addresses, symbols } => {
                let (frames, text) = (addresses.iter().count() as u16, &symbols[..cut(symbols)]);
                put!(StackHead, StackHead { stack_id: *stack_id, frames, text_len: text.len() as u16 });
                out.extend_from_slice(addresses.as_bytes());
                write_text(text, out);
            }
            Self::CgroupInfo { cgroup_id, quota_ns, period_ns, weight, path } => {
                let path = &path[..cut(path)];
                let (cgroup_id, quota_ns, period_ns, weight) = (*cgroup_id, *quota_ns, *period_ns, *weight);
                let text_len = path.len() as u16;
                put!(CgroupInfoHead, CgroupInfoHead { cgroup_id, quota_ns, period_ns, weight, text_len });
                write_text(path, out);
            }
            Self::Schedstat { head, counters } => {
                put!(SchedstatHead, SchedstatHead { counters: counters.iter().count() as u16, ..*head });
                out.extend_from_slice(counters.as_bytes());
            }
            Self::Kick(r) => put!(Kick, r),
        }
    }
}
