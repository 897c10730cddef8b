//! From the file's bytes to records that wait for their turn.
//!
//! Only records that are read are kept, in the blocks where they are; of perf's own records of what was there before
//! the recording (without a time) the threads' names.

use crate::attr::{Attr, Attrs, TYPE_TRACEPOINT};
use crate::blocks::{BLOCK, Blocks, RecordPlace};
use crate::bytes::Bytes;
use crate::features::{Features, MAX_CPUS, feature};
use crate::file::OpenFile;
use crate::inflate::Inflate;
use crate::order::{Entry, Order};
use crate::record;
use crate::tracing::Tracing;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use wastenot_import::Endian;

/// Largest tracing data of a pipe.
const MAX_TRACING: usize = 64 << 20;
/// Most ids that an index may have.
const MAX_INDEX: usize = 1 << 20;
/// Threads that can have been there before.
const MAX_EXISTING: usize = 4 << 20;
/// Names of the kernel's own mapping in MMAP records; its page offset is the address of that symbol.
const KERNEL_MAPPINGS: [&[u8]; 2] = [b"[kernel.kallsyms]_text", b"[kernel.kallsyms]_stext"];

/// A stretch of a block that has been filled but not scanned.
#[derive(Clone, Copy)]
struct BlockRange {
    block: usize,
    at: usize,
    end: usize,
}

/// State of a ring.
#[derive(Clone, Copy, Default)]
pub struct Ring {
    /// Time of its last record (ns).
    pub last: u64,
    /// Records it lost, by its own records and by the counts at the end.
    pub lost: u64,
    pub lost_samples: u64,
}

/// A thread that was there before the recording.
pub struct ExistingThread {
    pub tid: i32,
    pub tgid: i32,
    /// None: it is only known to belong to this process.
    pub name: Option<[u8; 16]>,
}

/// By how much a record may be older than the one before it in its ring: an interrupt came between.
const REORDERED_NS: u64 = 1_000_000;

/// How the scan goes on.
enum ScanStep {
    /// The next record.
    Continue,
    /// The stretch is scanned; what is left of it is the start of a record.
    More,
    /// This many bytes that belong to no record follow.
    Trailing(TrailingBytes),
    /// A record of compressed ones: the stretch to inflate.
    Inflate(usize, usize),
    /// A round has ended.
    Round,
    /// A malformed record; nothing behind it can be found.
    Broken(usize),
}

enum TrailingBytes {
    Skip(u64),
    Tracing(u64),
}

/// A file of records and how far it has been read.
struct Feed {
    /// Empty for the file with the header.
    name: String,
    file: File,
    outer: BlockRange,
    inner: Option<BlockRange>,
    /// Compressed bytes in the outer block that have not been inflated.
    packed: Option<(usize, usize)>,
    inflate: Inflate,
    skip: u64,
    tracing_left: u64,
    begin: u64,
    read: u64,
    size: u64,
    ended: bool,
    /// Time of its latest record.
    latest: u64,
}

impl Feed {
    /// `size` bytes from `begin` on, where the file stands.
    fn new(name: String, file: File, begin: u64, size: u64, blocks: &mut Blocks) -> Self {
        Self {
            name,
            file,
            outer: BlockRange { block: blocks.take().unwrap_or(0), at: 0, end: 0 },
            inner: None,
            packed: None,
            inflate: Inflate::default(),
            skip: 0,
            tracing_left: 0,
            begin,
            read: 0,
            size,
            ended: false,
            latest: 0,
        }
    }

    /// Where a place in its text is, for a message.
    fn place(&self, at: u64) -> String {
        if self.name.is_empty() { format!("byte {at}") } else { format!("byte {at} of {}", self.name) }
    }
}

/// The records of a file, or of the files of a folder, one per thread of `perf record --threads`.
pub struct Stream {
    /// The file that is being read.
    feed: Feed,
    /// The others; none where there is one file, and none once one of several is damaged.
    others: Vec<Feed>,
    /// Several files.
    many: bool,
    /// One ring is in each of several files: its records are in order of time.
    ring_per_file: bool,
    /// Where records of all files are known up to, where one of several is damaged.
    pub known_until: Option<u64>,
    pub endian: Endian,
    /// Attributes, formats and features come as records.
    pub pipe: bool,
    pub attrs: Attrs,
    pub features: Features,
    pub tracing: Tracing,
    /// Number of each tracepoint that is read, by id.
    pub wanted: Vec<u16>,
    pub blocks: Blocks,
    pub order: Order,
    pub known: Vec<ExistingThread>,
    /// By CPU; records without a CPU are in the last.
    pub rings: Vec<Ring>,
    tracing_data: Vec<u8>,
    /// Why the stream ends before its end.
    pub cut: Option<String>,
    pub ignored: u64,
    pub garbled: u64,
    /// Address of the kernel's first symbol.
    pub kernel_start: Option<u64>,
    /// Some rings belong to single threads.
    pub per_thread: bool,
    /// Where its formats come from, if they are not its own.
    pub borrowed: Option<PathBuf>,
}

/// A tracepoint that is not read.
const NOT_READ: u16 = u16::MAX;

impl Stream {
    /// At the first record.
    pub fn new(opened: OpenFile) -> Self {
        let mut blocks = Blocks::default();
        let (begin, size) = opened.records;
        let feed = Feed::new(String::new(), opened.file, begin, size, &mut blocks);
        let others: Vec<Feed> =
            opened.beside.into_iter().map(|f| Feed::new(f.name, f.file, 0, f.size, &mut blocks)).collect();
        let mut stream = Self {
            feed,
            many: !others.is_empty(),
            ring_per_file: opened.attrs.rings().is_some_and(|rings| rings == others.len()),
            others,
            known_until: None,
            endian: opened.endian,
            pipe: opened.pipe,
            attrs: opened.attrs,
            features: Features::default(),
            tracing: Tracing::default(),
            wanted: vec![NOT_READ; 1 << 16],
            blocks,
            order: Order::default(),
            known: Vec::new(),
            rings: vec![Ring::default(); MAX_CPUS as usize + 1],
            tracing_data: Vec::new(),
            cut: opened.cut,
            ignored: 0,
            garbled: 0,
            kernel_start: None,
            per_thread: false,
            borrowed: None,
        };
        stream.order.backward = stream.attrs.all.iter().any(|attr| attr.backward);
        if let Some(data) = opened.features.bytes(feature::TRACING_DATA) {
            stream.set_tracing(Tracing::parse(data).unwrap_or_default());
        }
        stream.features = opened.features;
        stream
    }

    pub fn set_tracing(&mut self, tracing: Tracing) {
        for (number, point) in tracing.points.iter().enumerate() {
            if let Some(wanted) = self.wanted.get_mut(point.id as usize) {
                *wanted = number as u16;
            }
        }
        self.tracing = tracing;
    }

    /// Nothing more comes.
    pub fn is_at_end(&self) -> bool {
        self.feed.ended && self.others.is_empty()
    }

    /// The records of `perf record --threads` are there.
    pub fn has_files_beside(&self) -> bool {
        self.many
    }

    /// Share of the records that has been read.
    pub fn done(&self) -> f64 {
        let sum = |of: fn(&Feed) -> u64| of(&self.feed) + self.others.iter().map(of).sum::<u64>();
        sum(|feed| feed.read) as f64 / sum(|feed| feed.size).max(1) as f64
    }

    /// Go on by a portion: at most a block. The instant before which records can go out, where a round has ended.
    pub fn step(&mut self) -> std::io::Result<Option<u64>> {
        let before = self.feed.read;
        let round = self.step_in_file()?;
        let portion_done = self.feed.ended || self.feed.read > before;
        Ok(if self.many && portion_done { self.next_file().or(round) } else { round })
    }

    /// Go on with the file that is the furthest behind. The instant before which the records of all files are there.
    ///
    /// Files of single rings are in order of time. Where several rings share one, nothing says where a round of them
    /// ends (`perf record` marks no rounds in folders), and all records wait for the end.
    fn next_file(&mut self) -> Option<u64> {
        // The file with the header comes first: it may hold what describes the others.
        if self.feed.name.is_empty() && !self.feed.ended {
            return None;
        }
        if let Some(at) = (0..self.others.len()).min_by_key(|&at| self.others[at].latest) {
            if self.feed.ended {
                self.feed = self.others.swap_remove(at);
            } else if self.others[at].latest < self.feed.latest {
                std::mem::swap(&mut self.feed, &mut self.others[at]);
            }
        }
        let least = self.others.iter().chain([&self.feed]).filter(|feed| !feed.ended).map(|feed| feed.latest).min()?;
        self.order.settled(if self.ring_per_file { least.saturating_sub(REORDERED_NS) } else { 0 })
    }

    fn step_in_file(&mut self) -> std::io::Result<Option<u64>> {
        if let Some(inner) = self.feed.inner.filter(|inner| inner.at < inner.end) {
            match self.scan(inner, true) {
                ScanStep::More => {}
                ScanStep::Broken(size) => self.broken(size),
                _ => return Ok(self.order.overflow(&self.blocks)),
            }
        }
        if self.feed.ended {
            return Ok(None);
        }
        if self.feed.packed.is_some() {
            self.inflate();
            return Ok(self.order.overflow(&self.blocks));
        }
        if self.feed.skip > 0 || self.feed.tracing_left > 0 {
            self.skip_trailing();
        }
        let mut round = None;
        match self.scan(self.feed.outer, false) {
            ScanStep::Continue | ScanStep::Inflate(..) => {}
            ScanStep::Round => round = self.order.round(),
            ScanStep::More => self.fill()?,
            ScanStep::Trailing(TrailingBytes::Skip(bytes)) => self.feed.skip = bytes,
            ScanStep::Trailing(TrailingBytes::Tracing(bytes)) => self.feed.tracing_left = bytes,
            ScanStep::Broken(size) => self.broken(size),
        }
        Ok(round.or_else(|| self.order.overflow(&self.blocks)))
    }

    fn broken(&mut self, size: usize) {
        let at = self.feed.place(self.feed.begin + self.feed.read - (self.feed.outer.end - self.feed.outer.at) as u64);
        let inside =
            if self.feed.packed.is_some() || self.feed.inner.is_some() { "a compressed record before " } else { "" };
        self.stop(format!("{inside}{at} holds a record of {size} bytes, which cannot be; nothing behind it was read"));
    }

    /// Nothing behind this is read; of other files neither what came later, since nothing would be known of this one's CPUs.
    fn stop(&mut self, why: String) {
        self.cut.get_or_insert(why);
        self.feed.ended = true;
        if self.many {
            self.known_until = Some(self.feed.latest);
            self.others.clear();
        }
    }

    /// Read on, behind what is left of the outer block.
    fn fill(&mut self) -> std::io::Result<()> {
        let left = self.feed.outer.end - self.feed.outer.at;
        let Some(next) = self.blocks.take() else {
            self.stop("too many records wait for their order".into());
            return Ok(());
        };
        let BlockRange { block, at, end } = self.feed.outer;
        let tail = self.blocks.bytes(block)[at..end].to_vec();
        self.blocks.bytes_mut(next)[..left].copy_from_slice(&tail);
        self.blocks.release(block);
        let space = usize::try_from(self.feed.size - self.feed.read).unwrap_or(BLOCK).min(BLOCK - left);
        let mut got = 0;
        while got < space {
            match self.feed.file.read(&mut self.blocks.bytes_mut(next)[left + got..left + space]) {
                Ok(0) => break,
                Ok(count) => got += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.feed.read += got as u64;
        self.feed.outer = BlockRange { block: next, at: 0, end: left + got };
        if got == 0 {
            self.feed.ended = true;
            let unfinished = self.feed.inner.is_some_and(|inner| inner.at < inner.end);
            if left > 0 || self.feed.skip > 0 || self.feed.tracing_left > 0 || unfinished {
                self.stop(format!(
                    "the file ends within a record that begins at {}",
                    self.feed.place(self.feed.begin + self.feed.read - left as u64)
                ));
            }
        }
        Ok(())
    }

    /// Bytes that belong to no record.
    fn skip_trailing(&mut self) {
        let there = (self.feed.outer.end - self.feed.outer.at) as u64;
        let wanted = self.feed.tracing_left.min(there);
        let at = self.feed.outer.at;
        self.tracing_data.extend_from_slice(&self.blocks.bytes(self.feed.outer.block)[at..at + wanted as usize]);
        let skipped = self.feed.skip.min(there - wanted);
        self.feed.outer.at += (wanted + skipped) as usize;
        self.feed.skip -= skipped;
        self.feed.tracing_left -= wanted;
        if wanted > 0 && self.feed.tracing_left == 0 {
            let data = std::mem::take(&mut self.tracing_data);
            self.set_tracing(Tracing::parse(&data).unwrap_or_default());
        }
    }

    /// Inflate what fits into a block.
    fn inflate(&mut self) {
        let Some((from, to)) = self.feed.packed else { return };
        let feed = match self.feed.inner {
            Some(feed) if feed.end < BLOCK => feed,
            old => {
                let Some(block) = self.blocks.take() else {
                    return self.stop("too many records wait for their order".into());
                };
                let mut left = 0;
                if let Some(BlockRange { block: old, at, end }) = old {
                    left = end - at;
                    let tail = self.blocks.bytes(old)[at..end].to_vec();
                    self.blocks.bytes_mut(block)[..left].copy_from_slice(&tail);
                    self.blocks.release(old);
                }
                BlockRange { block, at: 0, end: left }
            }
        };
        let packed = self.blocks.lend(self.feed.outer.block);
        let result = self.feed.inflate.step(&packed[from..to], &mut self.blocks.bytes_mut(feed.block)[feed.end..]);
        self.blocks.put_back(self.feed.outer.block, packed);
        self.feed.inner = Some(feed);
        match result {
            Ok((read, written)) => {
                let full = feed.end + written == BLOCK;
                self.feed.inner = Some(BlockRange { end: feed.end + written, ..feed });
                // zstd may hold back what did not fit: ask again until a block is not filled.
                let done = from + read == to && !full || read == 0 && written == 0;
                self.feed.packed = (!done).then_some((from + read, to));
            }
            Err(why) => {
                let at = self.feed.place(self.feed.begin + self.feed.read - (self.feed.outer.end - from) as u64);
                self.stop(format!("the compressed records at {at} are damaged ({why}); nothing behind was read"));
            }
        }
    }

    /// Scan a feed up to a record that must be handled.
    fn scan(&mut self, feed: BlockRange, is_inner: bool) -> ScanStep {
        let bytes = self.blocks.lend(feed.block);
        let mut at = feed.at;
        let next = loop {
            let all = Bytes::new(&bytes[..feed.end], self.endian);
            let (Some(kind), Some(misc), Some(size)) = (all.u32(at), all.u16(at + 4), all.u16(at + 6)) else {
                break ScanStep::More;
            };
            let size = usize::from(size);
            if size < record::HEADER {
                break ScanStep::Broken(size);
            }
            let Some(body) = bytes.get(at + record::HEADER..(at + size).min(feed.end)) else { break ScanStep::More };
            if at + size > feed.end {
                break ScanStep::More;
            }
            let place = RecordPlace::new(feed.block, at);
            let body = Bytes::new(body, self.endian);
            at += size;
            match self.record(kind, misc, body, place, is_inner) {
                ScanStep::Continue => {}
                ScanStep::Inflate(from, to) => {
                    let begin = at - size + record::HEADER;
                    self.feed.packed = Some((begin + from, begin + to));
                    break ScanStep::Inflate(from, to);
                }
                other => break other,
            }
        };
        self.blocks.put_back(feed.block, bytes);
        let feed = BlockRange { at, ..feed };
        if is_inner {
            self.feed.inner = Some(feed);
        } else {
            self.feed.outer = feed;
        }
        next
    }

    #[inline]
    fn record(&mut self, kind: u32, misc: u16, body: Bytes<'_>, place: RecordPlace, is_inner: bool) -> ScanStep {
        match kind {
            record::SAMPLE => self.sample(body, place),
            record::COMM | record::FORK | record::EXIT => self.thread(kind, body, place),
            record::LOST => self.lost(body, place),
            record::LOST_SAMPLES if misc & record::MISC_LOST_SAMPLES_BPF == 0 => self.lost_samples(body),
            record::MMAP => self.mapping(body),
            record::FINISHED_ROUND => return ScanStep::Round,
            record::ID_INDEX => self.index(body),
            record::HEADER_ATTR if self.pipe => self.attr(body),
            record::HEADER_FEATURE if self.pipe => self.feature(body),
            record::HEADER_TRACING_DATA => {
                let size = u64::from(body.u32(0).unwrap_or(0));
                let keep = self.pipe && size <= MAX_TRACING as u64 && !is_inner;
                return ScanStep::Trailing(if keep { TrailingBytes::Tracing(size) } else { TrailingBytes::Skip(size) });
            }
            record::AUXTRACE if !is_inner => return ScanStep::Trailing(TrailingBytes::Skip(body.u64(0).unwrap_or(0))),
            record::COMPRESSED if !is_inner => return ScanStep::Inflate(0, body.data.len()),
            record::COMPRESSED2 if !is_inner => {
                let size = body.u64(0).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
                return ScanStep::Inflate(8.min(body.data.len()), size.saturating_add(8).min(body.data.len()));
            }
            _ => {}
        }
        ScanStep::Continue
    }

    #[inline]
    fn sample(&mut self, body: Bytes<'_>, place: RecordPlace) {
        let Some(number) = self.attrs.of_sample(body) else {
            self.garbled += 1;
            return;
        };
        let Attr { kind, layout, .. } = &self.attrs.all[usize::from(number)];
        if *kind != TYPE_TRACEPOINT {
            self.ignored += 1;
            return;
        }
        let variable = layout.variable(body);
        let (Some(time), Some(cpu), Some(variable)) = (layout.time(body), layout.cpu(body), variable) else {
            self.garbled += 1;
            return;
        };
        let common_type = Bytes::new(variable.raw, self.endian).u16(0);
        let wanted = common_type.is_some_and(|id| self.wanted[usize::from(id)] != NOT_READ);
        if !wanted {
            self.ignored += 1;
        }
        if time == 0 || time > i64::MAX as u64 || cpu >= MAX_CPUS {
            self.garbled += u64::from(wanted);
            return;
        }
        self.rings[cpu as usize].last = time;
        self.feed.latest = self.feed.latest.max(time);
        if wanted {
            self.order.push(Entry { time, place, attr: number }, cpu as usize, time, &mut self.blocks);
        }
    }

    fn ring_of(cpu: Option<u32>) -> usize {
        cpu.filter(|&cpu| cpu < MAX_CPUS).unwrap_or(MAX_CPUS) as usize
    }

    /// COMM, FORK, EXIT: a moment in a thread's life, or, without a time, a thread that was there before.
    fn thread(&mut self, kind: u32, body: Bytes<'_>, place: RecordPlace) {
        let trailer = self.attrs.trailer(body);
        let own = if kind == record::COMM { None } else { body.u64(16) };
        let Some(time) = trailer.time.or(own).filter(|&time| time > 0) else { return self.known(kind, body) };
        if time > i64::MAX as u64 {
            self.garbled += 1;
            return;
        }
        let ring = Self::ring_of(trailer.cpu);
        self.rings[ring].last = time;
        self.order.push(Entry { time, place, attr: 0 }, ring, time, &mut self.blocks);
    }

    fn known(&mut self, kind: u32, body: Bytes<'_>) {
        let (name, tid) = match kind {
            record::COMM => {
                let mut name = [0; 16];
                let comm = body.data.get(8..).unwrap_or_default();
                let length = comm.len().min(name.len());
                name[..length].copy_from_slice(&comm[..length]);
                (Some(name), body.i32(4))
            }
            record::FORK => (None, body.i32(8)),
            _ => return,
        };
        if let (Some(tgid), Some(tid)) = (body.i32(0), tid)
            && self.known.len() < MAX_EXISTING
        {
            self.known.push(ExistingThread { tid, tgid, name });
        }
    }

    /// Records were lost between the ring's last one and this.
    fn lost(&mut self, body: Bytes<'_>, place: RecordPlace) {
        let trailer = self.attrs.trailer(body);
        let cpu = trailer.cpu.or_else(|| self.attrs.cpus.get(&body.u64(0)?).copied());
        let ring = Self::ring_of(cpu);
        let count = body.u64(8).unwrap_or(0);
        let lost_ns = trailer.time.filter(|&time| time > 0 && time <= i64::MAX as u64);
        let Some(lost_ns) = lost_ns.or((self.rings[ring].last > 0).then_some(self.rings[ring].last)) else {
            self.garbled += 1;
            return;
        };
        self.rings[ring].lost = self.rings[ring].lost.saturating_add(count);
        let since = match self.rings[ring].last {
            0 => lost_ns,
            last => last.min(lost_ns),
        };
        self.order.push(Entry { time: since, place, attr: 0 }, ring, lost_ns, &mut self.blocks);
    }

    /// Counts per event, read when the recording ends.
    fn lost_samples(&mut self, body: Bytes<'_>) {
        let trailer = self.attrs.trailer(body);
        let cpu = match trailer.time {
            Some(time) if time > 0 => trailer.cpu,
            _ => trailer.id.and_then(|id| self.attrs.cpus.get(&id).copied()), // perf's own: its CPU is always 0
        };
        let ring = &mut self.rings[Self::ring_of(cpu)];
        ring.lost_samples = ring.lost_samples.saturating_add(body.u64(0).unwrap_or(0));
    }

    fn mapping(&mut self, body: Bytes<'_>) {
        let name = body.data.get(32..).unwrap_or_default();
        if self.kernel_start.is_none() && KERNEL_MAPPINGS.iter().any(|known| name.starts_with(known)) {
            self.kernel_start = body.u64(24).filter(|&address| address != 0);
        }
    }

    /// Which CPU each id counts on: entries of id, index, CPU, thread.
    fn index(&mut self, body: Bytes<'_>) {
        let count = body.u64(0).map_or(0, |n| usize::try_from(n).unwrap_or(usize::MAX));
        for at in (8..body.data.len()).step_by(32).take(count) {
            let (Some(id), Some(cpu), Some(tid)) = (body.u64(at), body.u64(at + 16), body.u64(at + 24)) else { return };
            self.per_thread |= tid as i64 > 0;
            if let Some(cpu) = u32::try_from(cpu).ok().filter(|&cpu| cpu < MAX_CPUS)
                && self.attrs.cpus.len() < MAX_INDEX
            {
                self.attrs.cpus.insert(id, cpu);
            }
        }
    }

    fn attr(&mut self, body: Bytes<'_>) {
        let Some((attr, size)) = Attr::parse(body) else {
            self.garbled += 1;
            return;
        };
        self.order.backward |= attr.backward;
        let ids = (size..body.data.len()).step_by(8).filter_map(|at| body.u64(at));
        self.attrs.push(attr, ids);
    }

    fn feature(&mut self, body: Bytes<'_>) {
        if let (Some(number), Some(data)) = (body.u64(0), body.data.get(8..)) {
            self.features.insert(u32::try_from(number).unwrap_or(u32::MAX), data.to_vec());
        }
    }
}
