//! perf.data by hand: any byte order, size of a long, layout of samples; as a file or as a pipe.

use std::path::PathBuf;

pub const LITTLE: bool = false;
pub const BIG: bool = true;

/// Bits of sample_type (include/uapi/linux/perf_event.h).
pub const IP: u64 = 1;
pub const TID: u64 = 1 << 1;
pub const TIME: u64 = 1 << 2;
pub const READ: u64 = 1 << 4;
pub const CALLCHAIN: u64 = 1 << 5;
pub const ID: u64 = 1 << 6;
pub const CPU: u64 = 1 << 7;
pub const PERIOD: u64 = 1 << 8;
pub const RAW: u64 = 1 << 10;
pub const IDENTIFIER: u64 = 1 << 16;
/// What perf record asks for.
pub const USUAL: u64 = IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW;

/// Ids of the tracepoints.
pub const SWITCH: u32 = 314;
pub const MIGRATE: u32 = 316;
pub const FORK: u32 = 313;
pub const OTHER: u32 = 99;
pub const IDLE: u32 = 400;
pub const FREQUENCY: u32 = 401;

pub struct Drawn {
    big: bool,
    long: usize,
    attrs: Vec<(Vec<u8>, u64, u64, Vec<u64>)>,
    features: Vec<(u32, Vec<u8>)>,
    pub records: Vec<u8>,
}

impl Drawn {
    /// A trace of a 64-bit machine with the formats of all tracepoints.
    pub fn new(big: bool) -> Self {
        Self::with_long(big, 8)
    }

    pub fn with_long(big: bool, long: usize) -> Self {
        let mut drawn = Self { big, long, attrs: Vec::new(), features: Vec::new(), records: Vec::new() };
        let tracing = drawn.tracing();
        drawn.feature(1, tracing);
        let text = drawn.text("drawn");
        drawn.feature(3, text); // every perf.data has its host's name
        drawn
    }

    pub fn u16(&self, n: u16) -> Vec<u8> {
        if self.big { n.to_be_bytes().into() } else { n.to_le_bytes().into() }
    }

    pub fn u32(&self, n: u32) -> Vec<u8> {
        if self.big { n.to_be_bytes().into() } else { n.to_le_bytes().into() }
    }

    pub fn u64(&self, n: u64) -> Vec<u8> {
        if self.big { n.to_be_bytes().into() } else { n.to_le_bytes().into() }
    }

    pub fn text(&self, text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize((bytes.len() + 64) / 64 * 64, 0);
        [self.u32(bytes.len() as u32), bytes].concat()
    }

    pub fn feature(&mut self, number: u32, data: Vec<u8>) {
        self.features.retain(|(known, _)| *known != number);
        self.features.push((number, data));
        self.features.sort();
    }

    pub fn without_feature(&mut self, number: u32) {
        self.features.retain(|(known, _)| *known != number);
    }

    /// NRCPUS.
    pub fn cpus(&mut self, count: u32) {
        let data = [self.u32(count), self.u32(count)].concat();
        self.feature(7, data);
    }

    fn tracing(&self) -> Vec<u8> {
        let long = self.long;
        let common = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
            \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
        let int = |name: &str, at: usize| format!("\tfield:int {name};\toffset:{at};\tsize:4;\tsigned:1;\n");
        let comm = |name: &str, at: usize| format!("\tfield:char {name}[16];\toffset:{at};\tsize:16;\tsigned:0;\n");
        let event = |name: &str, id: u32, fields: String| {
            format!("name: {name}\nID: {id}\nformat:\n{common}{fields}\nprint fmt: \"\"\n")
        };
        let switch = [
            comm("prev_comm", 8),
            int("prev_pid", 24),
            int("prev_prio", 28),
            format!("\tfield:long prev_state;\toffset:32;\tsize:{long};\tsigned:1;\n"),
            comm("next_comm", 32 + long),
            int("next_pid", 48 + long),
            int("next_prio", 52 + long),
        ];
        let migrate = [comm("comm", 8), int("pid", 24), int("prio", 28), int("orig_cpu", 32), int("dest_cpu", 36)];
        let fork = [comm("parent_comm", 8), int("parent_pid", 24), comm("child_comm", 28), int("child_pid", 44)];
        let power = ["state", "cpu_id"].map(|name| {
            let at = if name == "state" { 8 } else { 12 };
            format!("\tfield:u32 {name};\toffset:{at};\tsize:4;\tsigned:0;\n")
        });
        let events = [
            event("sched_switch", SWITCH, switch.concat()),
            event("sched_migrate_task", MIGRATE, migrate.concat()),
            event("sched_process_fork", FORK, fork.concat()),
            event("sched_stat_runtime", OTHER, int("pid", 8)),
            event("cpu_idle", IDLE, power.concat()),
            event("cpu_frequency", FREQUENCY, power.concat()),
        ];
        let mut data = b"\x17\x08\x44tracing0.6\0".to_vec();
        data.extend([u8::from(self.big), self.long as u8]);
        data.extend(self.u32(4096));
        for name in [&b"header_page\0"[..], b"header_event\0"] {
            data.extend(name);
            data.extend(self.u64(4));
            data.extend(b"none");
        }
        data.extend(self.u32(0));
        data.extend(self.u32(1));
        data.extend(b"sched\0");
        data.extend(self.u32(events.len() as u32));
        for event in events {
            data.extend(self.u64(event.len() as u64));
            data.extend(event.as_bytes());
        }
        data.extend(self.u32(0));
        data.extend(self.u32(0));
        data.extend(self.u64(0));
        data
    }

    /// Open an event; its number.
    pub fn attr(&mut self, kind: u32, config: u32, sample_type: u64, ids: &[u64]) -> usize {
        let sample_id_all = 1u64 << 18;
        let flags = if self.big { sample_id_all.reverse_bits() } else { sample_id_all };
        let mut bytes = [self.u32(kind), self.u32(128), self.u64(config.into()), self.u64(1)].concat();
        bytes.extend([self.u64(sample_type), self.u64(0b10100), self.u64(flags)].concat()); // reads: id, lost
        bytes.resize(128, 0);
        self.attrs.push((bytes, sample_type, 0b10100, ids.to_vec()));
        self.attrs.len() - 1
    }

    /// A tracepoint laid out as usual.
    pub fn tracepoint(&mut self, config: u32, ids: &[u64]) -> usize {
        self.attr(2, config, USUAL, ids)
    }

    /// A record of this kind.
    pub fn record(&mut self, kind: u32, misc: u16, body: &[u8]) {
        let record = self.one(kind, misc, body);
        self.records.extend(record);
    }

    pub fn one(&self, kind: u32, misc: u16, body: &[u8]) -> Vec<u8> {
        [self.u32(kind), self.u16(misc), self.u16(body.len() as u16 + 8), body.to_vec()].concat()
    }

    /// A sample of an opened event.
    pub fn sample(&mut self, attr: usize, time: u64, cpu: u32, chain: &[u64], raw: &[u8]) {
        let (_, sample_type, _, ids) = &self.attrs[attr];
        let id = ids.get(cpu as usize).or(ids.first()).copied().unwrap_or(0);
        let words: Vec<(u64, Vec<u8>)> = vec![
            (IDENTIFIER, self.u64(id)),
            (IP, self.u64(0xffff_ffff_8100_0000)),
            (TID, [self.u32(7), self.u32(7)].concat()),
            (TIME, self.u64(time)),
            (ID, self.u64(id)),
            (CPU, [self.u32(cpu), self.u32(0)].concat()),
            (PERIOD, self.u64(1)),
            (READ, [self.u64(1), self.u64(id), self.u64(0)].concat()),
            (
                CALLCHAIN,
                [vec![chain.len() as u64], chain.to_vec()].concat().iter().flat_map(|&n| self.u64(n)).collect(),
            ),
        ];
        let mut body: Vec<u8> =
            words.into_iter().filter(|(bit, _)| sample_type & bit != 0).flat_map(|(_, w)| w).collect();
        if sample_type & RAW != 0 {
            let mut raw = raw.to_vec();
            raw.resize((raw.len() + 4).next_multiple_of(8) - 4, 0);
            body.extend([self.u32(raw.len() as u32), raw].concat());
        }
        self.record(9, 1, &body);
    }

    /// The trailer of records that are not samples, of an event with the usual layout.
    pub fn trailer(&self, time: u64, cpu: u32, id: u64) -> Vec<u8> {
        let tid = [self.u32(7), self.u32(7)].concat();
        [tid, self.u64(time), self.u32(cpu), self.u32(0), self.u64(id)].concat()
    }

    fn comm(name: &str) -> Vec<u8> {
        let mut bytes = name.as_bytes().to_vec();
        bytes.resize(16, 0);
        bytes
    }

    /// The raw record of a switch.
    pub fn switch_raw(&self, prev: u32, state: u64, next: u32) -> Vec<u8> {
        let mut raw = [self.u16(SWITCH as u16), self.u16(0), self.u32(prev), Self::comm("prev")].concat();
        let state = if self.long == 8 { self.u64(state) } else { self.u32(state as u32) };
        raw.extend([self.u32(prev), self.u32(120), state, Self::comm("next"), self.u32(next), self.u32(120)].concat());
        raw
    }

    pub fn switch(&mut self, attr: usize, time: u64, cpu: u32, prev: u32, next: u32) {
        let raw = self.switch_raw(prev, 1, next);
        self.sample(attr, time, cpu, &[], &raw);
    }

    pub fn migrate_raw(&self, tid: u32, from: u32, to: u32) -> Vec<u8> {
        let head = [self.u16(MIGRATE as u16), self.u16(0), self.u32(3), Self::comm("hog"), self.u32(tid)].concat();
        [head, self.u32(120), self.u32(from), self.u32(to)].concat()
    }

    /// The raw record of `cpu_idle` or `cpu_frequency`.
    pub fn power_raw(&self, event: u32, state: u32, cpu: u32) -> Vec<u8> {
        [self.u16(event as u16), self.u16(0), self.u32(0), self.u32(state), self.u32(cpu)].concat()
    }

    pub fn fork_raw(&self, parent: u32, child: u32) -> Vec<u8> {
        let head =
            [self.u16(FORK as u16), self.u16(0), self.u32(parent), Self::comm("parent"), self.u32(parent)].concat();
        [head, Self::comm("child"), self.u32(child)].concat()
    }

    /// COMM, FORK and EXIT records of a moment (0: perf's own).
    #[allow(clippy::too_many_arguments)]
    pub fn comm_record(&mut self, misc: u16, tgid: u32, tid: u32, name: &str, time: u64, cpu: u32, id: u64) {
        let body = [self.u32(tgid), self.u32(tid), Self::comm(name), self.trailer(time, cpu, id)].concat();
        self.record(3, misc, &body);
    }

    #[allow(clippy::too_many_arguments)]
    pub fn life_record(&mut self, kind: u32, tgid: u32, ptgid: u32, tid: u32, ptid: u32, time: u64, cpu: u32, id: u64) {
        let words = [tgid, ptgid, tid, ptid].map(|n| self.u32(n)).concat();
        let body = [words, self.u64(time), self.trailer(time, cpu, id)].concat();
        self.record(kind, 0, &body);
    }

    /// LOST: of the event `id`, written at `time`.
    pub fn lost(&mut self, id: u64, count: u64, time: u64, cpu: u32) {
        let body = [self.u64(id), self.u64(count), self.trailer(time, cpu, id)].concat();
        self.record(2, 0, &body);
    }

    pub fn lost_samples(&mut self, id: u64, count: u64) {
        let body = [self.u64(count), self.trailer(0, 0, id)].concat();
        self.record(13, 0, &body);
    }

    /// ID_INDEX: id, CPU, thread.
    pub fn index(&mut self, entries: &[(u64, u64, i64)]) {
        let entry = |&(id, cpu, tid): &(u64, u64, i64)| [id, 0, cpu, tid as u64].map(|n| self.u64(n)).concat();
        let body = [self.u64(entries.len() as u64), entries.iter().flat_map(entry).collect()].concat();
        self.record(69, 0, &body);
    }

    pub fn finished_round(&mut self) {
        self.record(68, 0, &[]);
    }

    /// The file.
    pub fn file(&self) -> Vec<u8> {
        let magic: &[u8] = if self.big { b"2ELIFREP" } else { b"PERFILE2" };
        let ids_at = 104u64;
        let ids: Vec<u8> =
            self.attrs.iter().flat_map(|(_, _, _, ids)| ids.iter().flat_map(|&id| self.u64(id))).collect();
        let attrs_at = ids_at + ids.len() as u64;
        let mut attrs = Vec::new();
        let mut at = ids_at;
        for (bytes, _, _, ids) in &self.attrs {
            let size = 8 * ids.len() as u64;
            attrs.extend([bytes.clone(), self.u64(at), self.u64(size)].concat());
            at += size;
        }
        let data_at = attrs_at + attrs.len() as u64;
        let mut bitmap = [0u64; 4];
        for (number, _) in &self.features {
            bitmap[*number as usize / 64] |= 1 << (number % 64);
        }
        // A bitmap of longs: on 32-bit big-endian machines the low half of each 64 bits comes first.
        let word = |word: u64| match (self.big, self.long) {
            (true, 4) => [self.u32(word as u32), self.u32((word >> 32) as u32)].concat(),
            _ => self.u64(word),
        };
        let mut file = [magic.to_vec(), self.u64(104), self.u64(144)].concat();
        for (offset, size) in [(attrs_at, attrs.len()), (data_at, self.records.len()), (0, 0)] {
            file.extend([self.u64(offset), self.u64(size as u64)].concat());
        }
        bitmap.iter().for_each(|&bits| file.extend(word(bits)));
        file.extend([ids, attrs, self.records.clone()].concat());
        let mut at = file.len() as u64 + 16 * self.features.len() as u64;
        for (_, data) in &self.features {
            file.extend([self.u64(at), self.u64(data.len() as u64)].concat());
            at += data.len() as u64;
        }
        self.features.iter().for_each(|(_, data)| file.extend(data));
        file
    }

    /// Bytes of [`Self::file`] behind the records.
    pub fn features_size(&self) -> usize {
        self.features.iter().map(|(_, data)| 16 + data.len()).sum()
    }

    /// The same through a pipe.
    pub fn pipe(&self) -> Vec<u8> {
        let magic: &[u8] = if self.big { b"2ELIFREP" } else { b"PERFILE2" };
        let mut pipe = [magic.to_vec(), self.u64(16)].concat();
        for (bytes, _, _, ids) in &self.attrs {
            let ids: Vec<u8> = ids.iter().flat_map(|&id| self.u64(id)).collect();
            pipe.extend(self.one(64, 0, &[bytes.clone(), ids].concat()));
        }
        for (number, data) in &self.features {
            if *number == 1 {
                let mut padded = data.clone();
                padded.resize(data.len().next_multiple_of(8), 0);
                pipe.extend(self.one(66, 0, &self.u32(padded.len() as u32)));
                pipe.extend(padded);
            } else {
                pipe.extend(self.one(80, 0, &[self.u64((*number).into()), data.clone()].concat()));
            }
        }
        pipe.extend(&self.records);
        pipe
    }
}

/// A file with these bytes, gone with the folder.
pub fn stored(bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for tests");
    let path = folder.path().join("perf.data");
    std::fs::write(&path, bytes).expect("written");
    (folder, path)
}

/// Import drawn bytes that can be imported.
pub fn import(bytes: &[u8]) -> super::Imported {
    let (_folder, path) = stored(bytes);
    super::imported(&path)
}

/// Why bytes cannot be imported, without the path.
pub fn refusal(bytes: &[u8]) -> String {
    let (_folder, path) = stored(bytes);
    let message = match super::import(&path, &Default::default()) {
        Ok(_) => panic!("imported"),
        Err(error) => error.to_string(),
    };
    assert!(!message.contains('\n'), "one line: {message:?}");
    message.replace(&format!("{}: ", path.display()), "")
}
