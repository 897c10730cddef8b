//! The binary records of a recording: what the BPF programs put into their rings and the segments keep.
//!
//! The structs and [`Record`] are generated from `schemas/records.toml`, as the structs of the BPF programs are. Every record begins with one 8-byte word: the kind in its low
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

/// Name of a field in the layout: what it was called before it got a use.
macro_rules! layout_name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $former:literal) => {
        $former
    };
}

/// Declares the fixed parts of records: fields that are read and written in order after the 8-byte head.
macro_rules! records {
    ($( $(#[$doc:meta])* $name:ident = $kind:literal, $size:literal {
        $( $(#[$fdoc:meta])* $field:ident $(was $former:literal)? : $t:ty ),* $(,)?
    } )*) => {
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

                /// Append the record, whose time is `time` after the base.
                fn write(&self, time: u64, out: &mut Vec<u8>) {
                    let mut bytes = [0u8; $size];
                    bytes[..8].copy_from_slice(&(time << 8 | u64::from($kind as u8)).to_le_bytes());
                    let mut at = 8;
                    $( self.$field.write(&mut bytes[at..]); at += size_of::<$t>(); )*
                    let _ = at;
                    out.extend_from_slice(&bytes);
                }
            }
        )*

        /// Name, kind and fixed size of every record, by which their sizes are found.
        pub const KINDS: &[(&str, u8, usize)] = &[ $( (stringify!($name), $kind, $size) ),* ];

        /// The layout of every record as text: kind, fixed size and fields. Not its name, which can change alone.
        const DESCRIPTIONS: &[&str] =
            &[ $( concat!($kind, ",", $size, "{", $( layout_name!($field $($former)?), ":", stringify!($t), ";", )* "}") ),* ];

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

// Mirror: bpf/records.h
const NR_RUNNING_SHIFT: u32 = 21;
const NR_RUNNING_MAX: u32 = 0x3ff;

impl Switch {
    /// The state word of prev, as `wastenot_topology::task_state::of_word` reads it.
    pub fn state(&self) -> u32 {
        self.prev_state & !(NR_RUNNING_MAX << NR_RUNNING_SHIFT)
    }

    /// The kernel's count of the CPU's runqueue, next included.
    pub fn nr_running(&self) -> Option<i32> {
        (self.prev_state >> NR_RUNNING_SHIFT & NR_RUNNING_MAX).checked_sub(1).map(|count| count as i32)
    }
}

/// Hash (FNV-1a, 64 bits) of the layout of all records: it changes with a record, a field, a type or the list of
/// schedstat's counters. `meta.json` has the layout of its records; unknown layouts are refused.
pub const LAYOUT: u64 = LAYOUTS[LAYOUTS.len() - 1];

/// The layouts of the first record, of the first two, and so on: those of versions that had fewer records, whose recordings
/// read the same.
pub const LAYOUTS: [u64; KINDS.len()] = {
    let mut layouts = [0; KINDS.len()];
    let (mut records, mut kind) = (0xcbf2_9ce4_8422_2325, 0);
    while kind < KINDS.len() {
        records = fnv_1a(DESCRIPTIONS[kind], records);
        let (mut hash, mut counter) = (records, 0);
        while counter < COUNTERS.len() {
            hash = fnv_1a(COUNTERS[counter], hash);
            counter += 1;
        }
        layouts[kind] = hash;
        kind += 1;
    }
    layouts
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

/// Bits of `state` in [`Deadline`].
pub mod deadline_state {
    /// The thread has used its runtime, or yielded, and waits for its next period.
    pub const THROTTLED: u32 = 1;
    /// It called sched_yield.
    pub const YIELDED: u32 = 2;
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

    fn write(&self, out: &mut Vec<u8>) {
        let words = self.words();
        for mask in [self.allowed, self.user, self.cpuset].into_iter().flatten() {
            out.extend(mask.words().chain(std::iter::repeat(0)).take(words).flat_map(u64::to_le_bytes));
        }
    }
}

/// Bytes of the record at the head of `bytes`.
pub fn size(bytes: &[u8]) -> Result<usize, RecordError> {
    let kind = *bytes.first().ok_or(RecordError::Short { kind: 0, need: 8, have: 0 })?;
    let fixed = match KINDS.get(usize::from(kind).wrapping_sub(1)) {
        Some(&(_, _, size)) => size,
        None => return Err(RecordError::UnknownKind { kind }),
    };
    let short = |need| RecordError::Short { kind, need, have: bytes.len() };
    if bytes.len() < fixed {
        return Err(short(fixed));
    }
    let need = fixed + tail_size(kind, bytes);
    if need > bytes.len() { Err(short(need)) } else { Ok(need) }
}

/// Read the record at the head of `bytes`: its time on the trace's clock, the record, and its length in bytes.
#[inline]
pub fn read(bytes: &[u8], base_ns: u64) -> Result<(u64, Record<'_>, usize), RecordError> {
    let length = size(bytes)?;
    let head = u64::read(bytes);
    let ts_ns = base_ns.wrapping_add(head >> 8);
    let kind = head as u8;
    let record = Record::parse(kind, &bytes[..length], base_ns).ok_or(RecordError::UnknownKind { kind })?;
    Ok((ts_ns, record, length))
}

/// The first bytes of a record that `size` has measured.
#[inline(always)]
fn fixed_part<const SIZE: usize>(bytes: &[u8]) -> &[u8; SIZE] {
    bytes.first_chunk().expect("size() checked the length")
}

/// The part of a text that fits into a record.
fn cut(text: &[u8]) -> &[u8] {
    &text[..text.len().min(65_528)]
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
        self.append(ts_ns.saturating_sub(base_ns), base_ns, out);
    }
}
