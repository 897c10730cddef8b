//! Writes CTF 1.8 as LTTng's kernel tracer does: packets with times, sizes, losses and CPU; compact event headers; an index.
#![allow(dead_code)] // each user takes its share

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Byte order of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    Little,
    Big,
}

/// A channel: its contexts as TSDL, and its events.
#[derive(Clone, Debug)]
pub struct Channel {
    pub name: &'static str,
    pub context: &'static str,
    /// Names and fields as TSDL; their place is their id.
    pub events: Vec<(&'static str, &'static str)>,
}

pub const INT: &str = "integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; }";
pub const LONG: &str = "integer { size = 64; align = 8; signed = 1; encoding = none; base = 10; }";
pub const COMM: &str = "integer { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; }";

/// `$int`, `$long`, `$text name` stand for LTTng's integer types and a text of 16 bytes.
pub const SWITCH: (&str, &str) = (
    "sched_switch",
    "$text _prev_comm[16]; $int _prev_tid; $int _prev_prio; $long _prev_state; $text _next_comm[16]; $int _next_tid; $int _next_prio;",
);
pub const WAKING: (&str, &str) = ("sched_waking", "$text _comm[16]; $int _tid; $int _prio; $int _target_cpu;");
pub const WAKEUP: (&str, &str) = ("sched_wakeup", "$text _comm[16]; $int _tid; $int _prio; $int _target_cpu;");
pub const MIGRATE: (&str, &str) =
    ("sched_migrate_task", "$text _comm[16]; $int _tid; $int _prio; $int _orig_cpu; $int _dest_cpu;");
pub const ENTRY: (&str, &str) = ("lb_entry", "$address _ip; $address _parent_ip;");
pub const EXIT: (&str, &str) = ("lb_exit", "$address _ip; $address _parent_ip;");
pub const TID: &str = "$int _tid;";
pub const STACK: &str = "$uint __callstack_kernel_length; $address _callstack_kernel[ __callstack_kernel_length ];";

/// Field values of one event, in the trace's byte order.
#[derive(Clone, Debug)]
pub struct Payload {
    pub bytes: Vec<u8>,
    endian: Endian,
}

impl Payload {
    pub fn new(endian: Endian) -> Self {
        Self { bytes: Vec::with_capacity(64), endian }
    }

    pub fn int(mut self, value: i32) -> Self {
        self.put(value as u32 as u64, 4);
        self
    }

    pub fn long(mut self, value: i64) -> Self {
        self.put(value as u64, 8);
        self
    }

    pub fn text(mut self, text: &str) -> Self {
        let mut field = [0; 16];
        field[..text.len()].copy_from_slice(text.as_bytes());
        self.bytes.extend(field);
        self
    }

    pub fn stack(mut self, addresses: &[u64]) -> Self {
        self.put(addresses.len() as u64, 4);
        addresses.iter().for_each(|&address| self.put(address, 8));
        self
    }

    fn put(&mut self, value: u64, size: usize) {
        put(&mut self.bytes, self.endian, value, size);
    }
}

fn put(out: &mut Vec<u8>, endian: Endian, value: u64, size: usize) {
    match endian {
        Endian::Little => out.extend(&value.to_le_bytes()[..size]),
        Endian::Big => out.extend(&value.to_be_bytes()[8 - size..]),
    }
}

/// A trace being written.
pub struct Trace {
    folder: PathBuf,
    endian: Endian,
    uuid: [u8; 16],
    channels: Vec<Channel>,
    streams: BTreeMap<(usize, u32), Stream>,
    /// Bytes of a packet.
    pub packet: usize,
}

/// What one CPU writes into one channel.
struct Stream {
    file: BufWriter<File>,
    index: Vec<u8>,
    offset: u64,
    content: Vec<u8>,
    begin: u64,
    last: u64,
    sequence: u64,
    discarded: u64,
}

const HEADER: usize = 32 + 8 * 6 + 4;

impl Trace {
    /// Into `folder`, which is made.
    pub fn create(folder: &Path, endian: Endian, channels: Vec<Channel>) -> io::Result<Self> {
        Self::with(folder, endian, channels, 7, "kernel", "wall")
    }

    pub fn with(
        folder: &Path,
        endian: Endian,
        channels: Vec<Channel>,
        seed: u8,
        domain: &str,
        release: &str,
    ) -> io::Result<Self> {
        Self::written_by((2, 13), folder, endian, channels, seed, domain, release)
    }

    /// As this version of LTTng-modules writes it.
    pub fn written_by(
        version: (u32, u32),
        folder: &Path,
        endian: Endian,
        channels: Vec<Channel>,
        seed: u8,
        domain: &str,
        release: &str,
    ) -> io::Result<Self> {
        fs::create_dir_all(folder.join("index"))?;
        let uuid = std::array::from_fn(|n| seed.wrapping_mul(31).wrapping_add(n as u8));
        let release = if release == "wall" { "6.1.0-56-amd64" } else { release };
        let (major, minor) = version;
        let text = metadata(endian, &uuid, &channels, domain, release);
        let ours = format!("tracer_major = {major}; tracer_minor = {minor};");
        fs::write(folder.join("metadata"), text.replace("tracer_major = 2; tracer_minor = 13;", &ours))?;
        Ok(Self { folder: folder.into(), endian, uuid, channels, streams: BTreeMap::new(), packet: 64 << 10 })
    }

    pub fn payload(&self) -> Payload {
        Payload::new(self.endian)
    }

    /// Append an event; `context` and `payload` as the channel declares them.
    pub fn event(
        &mut self,
        channel: usize,
        cpu: u32,
        ts: u64,
        event: &str,
        context: &[u8],
        payload: &[u8],
    ) -> io::Result<()> {
        let id = self.channels[channel].events.iter().position(|(name, _)| *name == event).expect("declared") as u64;
        let size = 13 + context.len() + payload.len();
        let endian = self.endian;
        if self.stream(channel, cpu, ts)?.content.len() + HEADER + size > self.packet {
            self.end_packet(channel, cpu, ts)?;
        }
        let stream = self.stream(channel, cpu, ts)?;
        if stream.content.is_empty() && stream.begin == 0 {
            stream.begin = ts;
            stream.last = ts;
        }
        assert!(ts >= stream.last, "time goes on");
        if ts - stream.last < 1 << 27 && id < 31 {
            let low = ts & ((1 << 27) - 1);
            let word = if endian == Endian::Little { id | low << 5 } else { id << 27 | low };
            put(&mut stream.content, endian, word, 4);
        } else {
            stream.content.push(if endian == Endian::Little { 31 } else { 31 << 3 });
            put(&mut stream.content, endian, id, 4);
            put(&mut stream.content, endian, ts, 8);
        }
        stream.last = ts;
        stream.content.extend(context);
        stream.content.extend(payload);
        Ok(())
    }

    /// So many events were lost since the packet before; the packet ends at `ts`.
    pub fn lose(&mut self, channel: usize, cpu: u32, ts: u64, count: u64) -> io::Result<()> {
        self.stream(channel, cpu, ts)?.discarded += count;
        self.end_packet(channel, cpu, ts)
    }

    /// End the current packet at `ts`.
    pub fn end_packet(&mut self, channel: usize, cpu: u32, ts: u64) -> io::Result<()> {
        let (endian, uuid) = (self.endian, self.uuid);
        let stream = self.stream(channel, cpu, ts)?;
        let content = HEADER + stream.content.len();
        let size = content.next_multiple_of(4096);
        let mut head = Vec::with_capacity(HEADER);
        put(&mut head, endian, 0xc1fc_1fc1, 4);
        head.extend(uuid);
        put(&mut head, endian, channel as u64, 4);
        put(&mut head, endian, u64::from(cpu), 8);
        let words = [stream.begin, ts, 8 * content as u64, 8 * size as u64, stream.sequence, stream.discarded];
        words.iter().for_each(|&word| put(&mut head, endian, word, 8));
        put(&mut head, endian, u64::from(cpu), 4);
        stream.file.write_all(&head)?;
        stream.file.write_all(&stream.content)?;
        stream.file.write_all(&vec![0; size - content])?;
        let entry =
            [stream.offset, words[3], words[2], words[0], words[1], words[5], channel as u64, cpu.into(), words[4]];
        entry.iter().for_each(|word| stream.index.extend(word.to_be_bytes()));
        stream.offset += size as u64;
        stream.sequence += 1;
        stream.content.clear();
        (stream.begin, stream.last) = (ts, ts);
        Ok(())
    }

    fn stream(&mut self, channel: usize, cpu: u32, ts: u64) -> io::Result<&mut Stream> {
        let key = (channel, cpu);
        if !self.streams.contains_key(&key) {
            let name = format!("{}_{cpu}", self.channels[channel].name);
            let file = BufWriter::new(File::create(self.folder.join(name))?);
            let index = [0xc1f1_dcc1u32, 1, 1, 72].iter().flat_map(|word| word.to_be_bytes()).collect();
            let (begin, content) = (ts, Vec::new());
            let new = Stream { file, index, offset: 0, content, begin, last: ts, sequence: 0, discarded: 0 };
            self.streams.insert(key, new);
        }
        Ok(self.streams.get_mut(&key).expect("just made"))
    }

    /// Write what is left, and the indices.
    pub fn finish(mut self) -> io::Result<()> {
        let keys: Vec<_> = self.streams.keys().copied().collect();
        for (channel, cpu) in keys {
            let last = self.streams[&(channel, cpu)].last;
            self.end_packet(channel, cpu, last)?;
        }
        for ((channel, cpu), mut stream) in self.streams {
            stream.file.flush()?;
            let name = format!("{}_{cpu}.idx", self.channels[channel].name);
            fs::write(self.folder.join("index").join(name), stream.index)?;
        }
        Ok(())
    }
}

fn metadata(endian: Endian, uuid: &[u8; 16], channels: &[Channel], domain: &str, release: &str) -> String {
    let uuid: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    let uuid = format!("{}-{}-{}-{}-{}", &uuid[..8], &uuid[8..12], &uuid[12..16], &uuid[16..20], &uuid[20..]);
    let order = if endian == Endian::Little { "le" } else { "be" };
    let mut text = format!(
        r#"/* CTF 1.8 */
typealias integer {{ size = 8; align = 8; signed = false; }} := uint8_t;
typealias integer {{ size = 32; align = 8; signed = false; }} := uint32_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := uint64_t;
typealias integer {{ size = 64; align = 8; signed = false; }} := unsigned long;
typealias integer {{ size = 5; align = 1; signed = false; }} := uint5_t;
trace {{ major = 1; minor = 8; uuid = "{uuid}"; byte_order = {order};
	packet.header := struct {{
		uint32_t magic;
		uint8_t  uuid[16];
		uint32_t stream_id;
		uint64_t stream_instance_id;
	}};
}};
env {{ hostname = "synthetic"; domain = "{domain}"; sysname = "Linux"; kernel_release = "{release}";
	tracer_name = "lttng-modules"; tracer_major = 2; tracer_minor = 13; tracer_patchlevel = 9; }};
clock {{ name = "monotonic"; uuid = "b839f3b4-b654-472b-8a51-1b7e7944b8c1"; freq = 1000000000; offset = 1795178778663472285; }};
typealias integer {{ size = 27; align = 1; signed = false; map = clock.monotonic.value; }} := uint27_clock_monotonic_t;
typealias integer {{ size = 64; align = 8; signed = false; map = clock.monotonic.value; }} := uint64_clock_monotonic_t;
struct packet_context {{
	uint64_clock_monotonic_t timestamp_begin;
	uint64_clock_monotonic_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t packet_seq_num;
	unsigned long events_discarded;
	uint32_t cpu_id;
}};
struct event_header_compact {{
	enum : uint5_t {{ compact = 0 ... 30, extended = 31 }} id;
	variant <id> {{
		struct {{ uint27_clock_monotonic_t timestamp; }} compact;
		struct {{ uint32_t id; uint64_clock_monotonic_t timestamp; }} extended;
	}} v;
}} align(8);
"#
    );
    for (id, channel) in channels.iter().enumerate() {
        let context = match channel.context {
            "" => String::new(),
            fields => format!("event.context := struct {{ {} }};", expand_types(fields)),
        };
        text += &format!(
            "stream {{ id = {id}; event.header := struct event_header_compact; packet.context := struct packet_context; {context} }};\n"
        );
        for (event, (name, fields)) in channel.events.iter().enumerate() {
            text += &format!(
                "event {{ name = \"{name}\"; id = {event}; stream_id = {id}; fields := struct {{ {} }}; }};\n",
                expand_types(fields)
            );
        }
    }
    text
}

fn expand_types(fields: &str) -> String {
    let wide = |base: u32| format!("integer {{ size = 64; align = 8; signed = 0; encoding = none; base = {base}; }}");
    fields
        .replace("$int", INT)
        .replace("$long", LONG)
        .replace("$text", COMM)
        .replace("$address", &wide(16))
        .replace("$uint", "integer { size = 32; align = 8; signed = 0; encoding = none; base = 10; }")
}
