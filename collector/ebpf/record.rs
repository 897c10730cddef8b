//! The binary records of a recording: what the BPF programs put into their rings and the segments keep.
//!
//! Mirror of `bpf/records.h`; a test compares the two. Every record begins with one 8-byte word: the kind in its low
//! byte, above it the time in nanoseconds since the recording's base (`base_ns`, 56 bits). Sizes are multiples of 8,
//! numbers little endian. The CPU that wrote a record is that of its frame (see `segment`).

use crate::mask::Mask;
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

/// Place of the fixed part of a field list, read and written in order after the 8-byte head.
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

        /// Name, kind and fixed size of every record, for the test against `bpf/records.h`.
        pub const KINDS: &[(&str, u8, usize)] = &[ $( (stringify!($name), $kind, $size) ),* ];

        /// The layout in words: name, kind, fixed size and fields of every record.
        const DESCRIPTION: &str = concat!(
            $( stringify!($name), "=", $kind, ",", $size, "{", $( stringify!($field), ":", stringify!($t), ";", )* "}" ),*
        );

        /// Name and type of each field after the head, by record, for the test against `bpf/records.h`.
        pub const FIELDS: &[(&str, &[(&str, &str)])] =
            &[ $( (stringify!($name), &[ $( (stringify!($field), stringify!($t)) ),* ]) ),* ];

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

records! {
    /// `sched_switch`. `prev_state`: `__state | exit_state` as the kernel has it, bit 31 set when prev was preempted
    /// (see [`task_state`]).
    Switch = 1, 24 { prev_tid: i32, next_tid: i32, prev_prio: i16, next_prio: i16, prev_state: u32 }
    /// `sched_waking`: `cpu` is where the thread last ran.
    Waking = 2, 16 { tid: i32, cpu: u16, prio: i16 }
    /// `sched_wakeup`: `cpu` is the queue it was put on.
    Wakeup = 3, 16 { tid: i32, cpu: u16, prio: i16 }
    /// `sched_wakeup_new`: `cpu` is the queue a new thread was put on.
    WakeupNew = 4, 16 { tid: i32, cpu: u16, prio: i16 }
    /// `sched_migrate_task`. `stack_id` is negative where no stack was taken.
    Migrate = 5, 24 { tid: i32, stack_id: i32, orig_cpu: u16, dest_cpu: u16, prio: i16 }
    /// `sched_update_nr_running_tp`: the runqueue's count after the change, and the change.
    NrRunning = 6, 16 { cpu: u16, delta: i16, nr_running: u32 }
    /// `sched_process_fork`. `comm` is the child's first name; `flags` are [`flag`] bits.
    Fork = 7, 40 { parent_tid: i32, child_tid: i32, child_tgid: i32, flags: u32, comm: [u8; 16] }
    /// `sched_process_exec`.
    Exec = 8, 24 { tid: i32, old_tid: i32, tgid: i32 }
    /// `sched_process_exit`.
    Exit = 9, 16 { tid: i32 }
    /// `task_rename`: the new name.
    Rename = 10, 32 { tid: i32, tgid: i32, comm: [u8; 16] }
    /// Fixed part of [`Affinity`].
    AffinityHead = 11, 16 { tid: i32, words: u16, masks: u16 }
    /// Migration became disabled (1) or enabled (0) for the thread.
    MigrationDisable = 12, 16 { tid: i32, disabled: u32 }
    /// The thread's core-scheduling cookie changed.
    Cookie = 13, 24 { tid: i32, reserved: u32, cookie: u64 }
    /// The thread is in another cgroup of the cpu controller.
    Cgroup = 14, 24 { tid: i32, reserved: u32, cgroup_id: u64 }
    /// The thread lost (1) or regained (0) quota; the change happened at most `error_ns` before the record's time.
    Throttle = 15, 24 { tid: i32, cpu: u16, throttled: u16, error_ns: u64 }
    /// A CPU went offline (0) or came online (1).
    Hotplug = 16, 16 { cpu: u16, online: u16 }
    /// Interrupt work on a CPU that runs swapper. The record's time is its begin, so it stands later in its ring.
    /// `kind`: 0 hard, 1 soft, 2 both; `vector` of the longest part. Spans longer than 10 ms come in pieces.
    IrqSpan = 17, 16 { dur_ns: u32, vector: u16, kind: u16 }
    /// Increase of a counter over the run that ends at this switch; `counter` indexes `meta.json`'s `counters`.
    PerfCounter = 18, 24 { tid: i32, counter: u32, value: u64 }
    /// Records of `kind` that did not fit into the ring of `cpu`, between the record's time and `to` (same base).
    Lost = 19, 32 { cpu: u16, kind: u16, reserved: u32, to: u64, count: u64 }
    /// A CPU at the start. `current` is the running thread, -1 unknown.
    CpuSnapshot = 20, 16 { cpu: u16, online: u16, current: i32 }
    /// Fixed part of [`ThreadSnapshot`].
    ThreadHead = 21, 72 {
        tid: i32, tgid: i32, ppid: i32,
        /// As `Switch::prev_state`, without bit 31.
        state: u32,
        cgroup_id: u64, cookie: u64,
        cpu: u16, prio: i16, words: u16,
        /// Scheduling policy as in uapi/linux/sched.h.
        policy: u8,
        /// 0 running on `cpu`, 1 queued there, 2 off every queue, 3 unknown (enum queue_state).
        queue: u8,
        flags: u32, masks: u32, comm: [u8; 16],
    }
    /// One pass of a balance function; the record's time is its entry, so it stands later in its ring.
    /// `level` -1: newidle as a whole. `function` indexes `meta.json`'s `functions`.
    Balance = 22, 32 { dur_ns: u64, dst_cpu: u16, level: i16, idle_type: u16, function: u16, pulled: i32, attempt: u32 }
    /// The load of `of_cpu` as pass `attempt` (numbered per CPU, 0 none) saw it.
    CpuLoad = 23, 32 { of_cpu: u16, reserved: u16, attempt: u32, load: u64, nr_running: u32 }
    /// Fixed part of [`Considered`].
    ConsideredHead = 24, 24 { tid: i32, attempt: u32, chosen_cpu: i16, words: u16, prev_cpu: i16, wake_flags: u16 }
    /// Fixed part of [`Stack`].
    StackHead = 25, 16 { stack_id: i32, frames: u16, text_len: u16 }
    /// Fixed part of [`CgroupInfo`].
    CgroupInfoHead = 26, 40 { cgroup_id: u64, quota_ns: i64, period_ns: i64, weight: i32, text_len: u16 }
    /// Fixed part of [`Schedstat`].
    SchedstatHead = 27, 32 { cpu: u16, level: u16, restarted: u16, counters: u16, reading_ns: u64, interval_ns: u64 }
    /// A CPU that runs swapper is called to balance; `kind` as in enum kick_kind.
    Kick = 28, 16 { target_cpu: u16, kind: u16, reserved: u32 }
}

/// What the layout of all records comes to (FNV-1a, 64 bits): it changes when a record, a field, a type or the list of
/// schedstat's counters does. A recording says with which it was written, and another one is not read.
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

/// Masks that follow an affinity or thread record, each of `words` 64-bit words; an absent one is none or unknown.
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
    /// A thread as it stood at the record's time. `head.words` and `head.masks` describe `masks`.
    Thread {
        head: ThreadHead,
        masks: Masks<'a>,
    },
    Balance(Balance),
    CpuLoad(CpuLoad),
    /// CPUs looked at for `tid` (0: none) or by pass `attempt` (0: none), without words where that is not told; `chosen_cpu`
    /// -1: none. `prev_cpu` -1: it and the flags are not told.
    Considered {
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
        addresses: Mask<'a>,
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
    /// What a domain counted since the reading before (`counters` words, as `wastenot_machine::schedstat::COUNTERS`); without
    /// counters: the reading itself. The record's time is the reading's end.
    Schedstat {
        head: SchedstatHead,
        counters: Mask<'a>,
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
            ConsideredHead::KIND => u16_at(18) * 8,
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
        ConsideredHead::KIND => {
            let ConsideredHead { tid, attempt, chosen_cpu, prev_cpu, wake_flags, .. } = get!(ConsideredHead);
            let mask = Mask::from_bytes(rest(ConsideredHead::SIZE));
            Record::Considered { tid, attempt, chosen_cpu, prev_cpu, wake_flags, mask }
        }
        StackHead::KIND => {
            let head = get!(StackHead);
            let (addresses, text) = rest(StackHead::SIZE).split_at(usize::from(head.frames) * 8);
            let symbols = &text[..head.text_len.into()];
            Record::Stack { stack_id: head.stack_id, addresses: Mask::from_bytes(addresses), symbols }
        }
        CgroupInfoHead::KIND => {
            let CgroupInfoHead { cgroup_id, quota_ns, period_ns, weight, text_len } = get!(CgroupInfoHead);
            let path = &rest(CgroupInfoHead::SIZE)[..text_len.into()];
            Record::CgroupInfo { cgroup_id, quota_ns, period_ns, weight, path }
        }
        SchedstatHead::KIND => {
            Record::Schedstat { head: get!(SchedstatHead), counters: Mask::from_bytes(rest(SchedstatHead::SIZE)) }
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
            Self::Considered { tid, attempt, chosen_cpu, prev_cpu, wake_flags, mask } => {
                let words = mask.words().count() as u16;
                let (tid, attempt, chosen_cpu) = (*tid, *attempt, *chosen_cpu);
                let (prev_cpu, wake_flags) = (*prev_cpu, *wake_flags);
                put!(ConsideredHead, ConsideredHead { tid, attempt, chosen_cpu, words, prev_cpu, wake_flags });
                out.extend_from_slice(mask.as_bytes());
            }
            Self::Stack { stack_id, addresses, symbols } => {
                let (frames, text) = (addresses.words().count() as u16, &symbols[..cut(symbols)]);
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
                put!(SchedstatHead, SchedstatHead { counters: counters.words().count() as u16, ..*head });
                out.extend_from_slice(counters.as_bytes());
            }
            Self::Kick(r) => put!(Kick, r),
        }
    }
}
