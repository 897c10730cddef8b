//! What was opened (`struct perf_event_attr`) and how its samples are laid out.
//!
//! Source: include/uapi/linux/perf_event.h, tools/perf/util/evsel.c (evsel__parse_sample).

use crate::bytes::Bytes;
use std::collections::HashMap;
use wastenot_import::Endian;

/// Bits of `sample_type`, in the order of the words of a sample up to the period.
pub mod sample {
    pub const IP: u64 = 1 << 0;
    pub const TID: u64 = 1 << 1;
    pub const TIME: u64 = 1 << 2;
    pub const ADDR: u64 = 1 << 3;
    pub const READ: u64 = 1 << 4;
    pub const CALLCHAIN: u64 = 1 << 5;
    pub const ID: u64 = 1 << 6;
    pub const CPU: u64 = 1 << 7;
    pub const PERIOD: u64 = 1 << 8;
    pub const STREAM_ID: u64 = 1 << 9;
    pub const RAW: u64 = 1 << 10;
    pub const IDENTIFIER: u64 = 1 << 16;
}

/// `perf_event_attr.type` of tracepoints.
pub const TYPE_TRACEPOINT: u32 = 2;
/// Size of the oldest `perf_event_attr`; written as 0 then.
const OLDEST_SIZE: usize = 64;

/// One opened event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attr {
    pub kind: u32,
    /// A tracepoint's id.
    pub config: u64,
    pub layout: Layout,
    /// `clockid` where the samples are not stamped by perf's own clock.
    pub clock: Option<i32>,
    /// Its ring is written from the end to the start.
    pub backward: bool,
}

impl Attr {
    /// It is the tracepoint of this id.
    pub fn is_tracepoint(&self, id: u32) -> bool {
        self.kind == TYPE_TRACEPOINT && self.config == u64::from(id)
    }

    /// From its bytes; also its size in the file.
    pub fn parse(bytes: Bytes<'_>) -> Option<(Self, usize)> {
        let size = match bytes.u32(4)? as usize {
            0 => OLDEST_SIZE,
            size => size,
        };
        if size < OLDEST_SIZE || size > bytes.data.len() {
            return None;
        }
        // Bit fields begin at the other end of the word on big-endian machines.
        let flags = match bytes.endian {
            Endian::Little => bytes.u64(40)?,
            Endian::Big => bytes.u64(40)?.reverse_bits(),
        };
        let flag = |bit: u32| flags >> bit & 1 == 1;
        let (sample_id_all, use_clockid, write_backward) = (flag(18), flag(25), flag(27));
        let clock = if use_clockid && size >= 96 { bytes.i32(92) } else { None };
        let layout = Layout::new(bytes.u64(24)?, bytes.u64(32)?, sample_id_all);
        Some((Self { kind: bytes.u32(0)?, config: bytes.u64(8)?, layout, clock, backward: write_backward }, size))
    }
}

/// Places in a sample's body (what follows the record's header).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub sample_type: u64,
    read_format: u64,
    sample_id_all: bool,
    id: Option<usize>,
    time: Option<usize>,
    cpu: Option<usize>,
    /// Where the parts of variable size begin.
    fixed: usize,
}

/// The end of every record that is not a sample (`struct sample_id`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trailer {
    pub time: Option<u64>,
    pub cpu: Option<u32>,
    pub id: Option<u64>,
}

/// The parts of a sample of variable size.
#[derive(Clone, Copy)]
pub struct Variable<'a> {
    /// Addresses of the call chain, 8 bytes each.
    pub chain: &'a [u8],
    /// The tracepoint's own record.
    pub raw: &'a [u8],
}

impl Layout {
    fn new(sample_type: u64, read_format: u64, sample_id_all: bool) -> Self {
        use sample::*;
        let mut fixed = 0;
        let mut place = |bit: u64| {
            let at = fixed;
            let there = sample_type & bit != 0;
            fixed += if there { 8 } else { 0 };
            there.then_some(at)
        };
        let identifier = place(IDENTIFIER);
        let (_ip, _tid, time, _addr) = (place(IP), place(TID), place(TIME), place(ADDR));
        let (id, _stream, cpu, _period) = (place(ID), place(STREAM_ID), place(CPU), place(PERIOD));
        Self { sample_type, read_format, sample_id_all, id: identifier.or(id), time, cpu, fixed }
    }

    pub fn has(&self, bits: u64) -> bool {
        self.sample_type & bits == bits
    }

    #[inline]
    pub fn id(&self, body: Bytes<'_>) -> Option<u64> {
        body.u64(self.id?)
    }

    #[inline]
    pub fn time(&self, body: Bytes<'_>) -> Option<u64> {
        body.u64(self.time?)
    }

    #[inline]
    pub fn cpu(&self, body: Bytes<'_>) -> Option<u32> {
        body.u32(self.cpu?)
    }

    /// Call chain and raw data; None where the sample is shorter than it says, or has no raw data.
    #[inline]
    pub fn variable<'a>(&self, body: Bytes<'a>) -> Option<Variable<'a>> {
        let mut rest = body.from(self.fixed)?;
        if self.has(sample::READ) {
            rest = rest.from(self.read_size(rest)?)?;
        }
        let mut chain: &[u8] = &[];
        if self.has(sample::CALLCHAIN) {
            let size = usize::try_from(rest.u64(0)?).ok()?.checked_mul(8)?;
            chain = rest.data.get(8..size.checked_add(8)?)?;
            rest = rest.from(8 + size)?;
        }
        if !self.has(sample::RAW) {
            return None;
        }
        let size = rest.u32(0)? as usize;
        Some(Variable { chain, raw: rest.data.get(4..size.checked_add(4)?)? })
    }

    /// Size of the counts that `PERF_SAMPLE_READ` puts into a sample (`struct read_format`).
    fn read_size(&self, at: Bytes<'_>) -> Option<usize> {
        const TIMES: u64 = 0b11;
        const ID: u64 = 1 << 2;
        const GROUP: u64 = 1 << 3;
        const LOST: u64 = 1 << 4;
        let bits = |mask: u64| (self.read_format & mask).count_ones() as usize;
        let words = match self.read_format & GROUP {
            0 => 1 + bits(TIMES | ID | LOST),
            _ => usize::try_from(at.u64(0)?).ok()?.checked_mul(1 + bits(ID | LOST))?.checked_add(1 + bits(TIMES))?,
        };
        words.checked_mul(8)
    }

    /// The trailer of a record that is not a sample; nothing is known where events have none.
    pub fn trailer(&self, body: Bytes<'_>) -> Trailer {
        use sample::*;
        let mut trailer = Trailer::default();
        if !self.sample_id_all {
            return trailer;
        }
        let mut end = body.data.len();
        // From the last word to the first.
        for bit in [IDENTIFIER, CPU, STREAM_ID, ID, TIME, TID] {
            if self.sample_type & bit == 0 {
                continue;
            }
            let Some(at) = end.checked_sub(8) else { return Trailer::default() };
            match bit {
                IDENTIFIER => trailer.id = body.u64(at),
                ID => trailer.id = trailer.id.or(body.u64(at)),
                CPU => trailer.cpu = body.u32(at),
                TIME => trailer.time = body.u64(at),
                _ => {}
            }
            end = at;
        }
        trailer
    }
}

/// The opened events and the numbers (`id`) by which records name them.
#[derive(Default)]
pub struct Attrs {
    pub all: Vec<Attr>,
    /// Ids are given out one after the other: a table from the least on, and a map for those that are far away.
    base: u64,
    near: Vec<u16>,
    far: HashMap<u64, u16>,
    /// CPU of an id, where the file has an index of them.
    pub cpus: HashMap<u64, u32>,
    /// All samples are laid out alike.
    pub uniform: bool,
    /// Most ids of one event: it has one in each ring.
    most_ids: usize,
}

/// More opened events than this are damage.
const MAX_ATTRS: usize = 1 << 14;
/// Ids within this reach of the first lie in the table.
const NEAR: u64 = 1 << 20;

impl Attrs {
    pub fn push(&mut self, attr: Attr, ids: impl Iterator<Item = u64>) -> bool {
        if self.all.len() >= MAX_ATTRS {
            return false;
        }
        let number = self.all.len() as u16;
        let mut count = 0;
        for id in ids {
            count += 1;
            if self.near.is_empty() {
                self.base = id;
            }
            match id.checked_sub(self.base) {
                Some(far) if far < NEAR => {
                    let at = far as usize;
                    self.near.resize(self.near.len().max(at + 1), u16::MAX);
                    self.near[at] = number;
                }
                _ => _ = self.far.insert(id, number),
            }
        }
        self.most_ids = self.most_ids.max(count);
        self.uniform = self.all.first().is_none_or(|first| self.uniform && first.layout == attr.layout);
        self.all.push(attr);
        true
    }

    /// Rings that the events were opened in; None where no ids are known.
    pub fn rings(&self) -> Option<usize> {
        (self.most_ids > 0).then_some(self.most_ids)
    }

    #[inline]
    fn of_id(&self, id: u64) -> Option<u16> {
        let near = id.checked_sub(self.base).and_then(|at| self.near.get(usize::try_from(at).ok()?));
        near.copied().filter(|&number| number != u16::MAX).or_else(|| self.far.get(&id).copied())
    }

    /// Which event a sample is of; None where its id is not known.
    #[inline]
    pub fn of_sample(&self, body: Bytes<'_>) -> Option<u16> {
        let first = self.all.first()?;
        // Where layouts differ the id comes first in all of them (PERF_SAMPLE_IDENTIFIER).
        match first.layout.id(body) {
            Some(id) => self.of_id(id),
            None => Some(0),
        }
    }

    /// The layout of the trailer of a record that is not a sample.
    pub fn trailer(&self, body: Bytes<'_>) -> Trailer {
        let Some(first) = self.all.first() else { return Trailer::default() };
        let identified = self.all.iter().all(|attr| attr.layout.has(sample::IDENTIFIER));
        let last = body.data.len().checked_sub(8).and_then(|at| body.u64(at));
        let attr = last.filter(|_| identified && !self.uniform).and_then(|id| self.of_id(id));
        attr.map_or(first, |number| &self.all[usize::from(number)]).layout.trailer(body)
    }

    /// Layouts differ and nothing says which one a sample has.
    pub fn ambiguous(&self) -> bool {
        !self.uniform && !self.all.iter().all(|attr| attr.layout.has(sample::IDENTIFIER))
    }
}
