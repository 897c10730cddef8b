//! Headers of the packets of a stream file, as LTTng lays them out.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// `magic` of a packet.
const MAGIC: u32 = 0xc1fc_1fc1;
/// `magic` of an index; its numbers are big-endian. Source: LTTng's lttng-index.h.
const INDEX_MAGIC: [u8; 4] = [0xc1, 0xf1, 0xdc, 0xc1];
/// Header of an index (bytes): magic, major, minor, length of an entry.
const INDEX_HEADER: usize = 16;

/// Where a packet has its times and sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of the packet header: magic, UUID, number of the stream class and, since 2.9, of the stream.
    header: usize,
}

/// What a stream file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamFile {
    /// All packets are whole. The index, if there is one, says the same.
    Good { packets: u64, index_fits: bool },
    /// It is laid out in a way that is not known here.
    Unknown,
    /// From `at` on it is damaged; the first `keep` bytes can be read once the patches (offset, bytes) are written over them.
    Damaged { at: u64, packets: u64, keep: u64, patches: Vec<(u64, Vec<u8>)> },
    /// No packet of this trace.
    Foreign,
}

/// `<channel>_<cpu>`, also `<channel>_<cpu>_<n>` of a session that wrote files of limited size.
pub fn is_stream_name(name: &str) -> bool {
    name.rsplit_once('_').is_some_and(|(channel, number)| {
        !channel.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    })
}

impl Layout {
    /// From the text of the metadata; None: it is not LTTng's.
    pub fn of(metadata: &str) -> Option<Self> {
        let (_, rest) = metadata.split_once("packet.header := struct {")?;
        let (header, rest) = rest.split_once('}')?;
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let header = match words(header).as_str() {
            "uint32_t magic; uint8_t uuid[16]; uint32_t stream_id;" => 24,
            "uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id;" => 32,
            _ => return None,
        };
        let (_, context) = rest.split_once("struct packet_context {")?;
        let context = words(context.split_once('}')?.0);
        let mut fields = context.split(';').filter_map(|field| field.split_whitespace().last());
        let expected = ["timestamp_begin", "timestamp_end", "content_size", "packet_size"];
        let wide = context.split(';').take(4).all(|field| field.trim_start().starts_with("uint64"));
        (wide && expected.iter().all(|name| fields.next() == Some(name))).then_some(Self { header })
    }

    fn length(self) -> usize {
        self.header + 32
    }
}

/// The numbers of a packet's header.
#[derive(Clone, Copy, Debug)]
struct Packet {
    swapped: bool,
    uuid: [u8; 16],
    begin: u64,
    end: u64,
    /// Bits of content, and of the whole packet.
    content: u64,
    size: u64,
}

fn packet(bytes: &[u8], layout: Layout) -> Option<Packet> {
    let swapped = match bytes[..4].try_into().map(u32::from_ne_bytes) {
        Ok(MAGIC) => false,
        Ok(other) if other == MAGIC.swap_bytes() => true,
        _ => return None,
    };
    let word = |n: usize| {
        let at = layout.header + 8 * n;
        let word = u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        if swapped { word.swap_bytes() } else { word }
    };
    let uuid = bytes[4..20].try_into().expect("sixteen bytes");
    Some(Packet { swapped, uuid, begin: word(0), end: word(1), content: word(2), size: word(3) })
}

impl Packet {
    fn is_sound(&self, layout: Layout) -> bool {
        let bits = 8 * layout.length() as u64;
        let sizes = self.size.is_multiple_of(8) && (bits..=self.size).contains(&self.content);
        sizes && (self.begin <= self.end || self.end == 0)
    }
}

/// Check the headers of all packets of a file, and its index.
pub fn check(path: &Path, layout: Option<&Layout>) -> io::Result<StreamFile> {
    let Some(&layout) = layout else { return Ok(StreamFile::Unknown) };
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut index = Index::open(path);
    let mut header = vec![0; layout.length()];
    let (mut at, mut packets, mut uuid) = (0, 0, None);
    while at < length {
        let found = match file.read_exact_at(&mut header, at) {
            Ok(()) => packet(&header, layout),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
            Err(error) => return Err(error),
        };
        let found = found.filter(|packet| packet.is_sound(layout) && *uuid.get_or_insert(packet.uuid) == packet.uuid);
        let Some(found) = found else {
            let damaged = StreamFile::Damaged { at, packets, keep: at, patches: Vec::new() };
            return Ok(if at == 0 { StreamFile::Foreign } else { damaged });
        };
        let rest = length - at;
        if found.size / 8 > rest {
            // Cut off within the packet: what is there can be read as a shorter packet.
            let word = |bits: u64| if found.swapped { bits.swap_bytes() } else { bits }.to_ne_bytes().to_vec();
            let sizes = at + layout.header as u64 + 16;
            let patches = vec![(sizes, word(found.content.min(8 * rest))), (sizes + 8, word(8 * rest))];
            return Ok(StreamFile::Damaged { at: length, packets: packets + 1, keep: length, patches });
        }
        if let Some(entries) = &mut index {
            entries.compare(at, &found);
        }
        at += found.size / 8;
        packets += 1;
    }
    Ok(StreamFile::Good { packets, index_fits: index.is_none_or(|index| index.fits()) })
}

/// The index that LTTng writes beside a stream: for each packet its place, sizes and times.
struct Index {
    bytes: Vec<u8>,
    entry: usize,
    next: usize,
    fits: bool,
}

impl Index {
    fn open(stream: &Path) -> Option<Self> {
        let mut name = stream.file_name()?.to_owned();
        name.push(".idx");
        let bytes = std::fs::read(stream.parent()?.join("index").join(name)).ok()?;
        let entry =
            bytes.get(12..16).map_or(0, |word| u32::from_be_bytes(word.try_into().expect("four bytes")) as usize);
        let fits = bytes.starts_with(&INDEX_MAGIC) && entry >= 40;
        Some(Self { bytes, entry, next: INDEX_HEADER, fits })
    }

    fn compare(&mut self, offset: u64, packet: &Packet) {
        let entry = self.fits.then(|| self.bytes.get(self.next..self.next + self.entry)).flatten();
        self.fits = entry.is_some_and(|entry| {
            let word = |n: usize| u64::from_be_bytes(entry[8 * n..8 * n + 8].try_into().expect("eight bytes"));
            [word(0), word(1), word(2), word(3), word(4)]
                == [offset, packet.size, packet.content, packet.begin, packet.end]
        });
        self.next += self.entry;
    }

    fn fits(&self) -> bool {
        self.fits && self.next == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_lttngs_or_unknown() {
        let old = "trace { packet.header := struct {\n\tuint32_t magic;\n\tuint8_t  uuid[16];\n\tuint32_t stream_id;\n\t};\n};\n";
        let context = "struct packet_context {\n\tuint64_clock_monotonic_t timestamp_begin;\n\tuint64_clock_monotonic_t timestamp_end;\n\tuint64_t content_size;\n\tuint64_t packet_size;\n\tuint32_t cpu_id;\n};";
        assert_eq!(Layout::of(&format!("{old}{context}")), Some(Layout { header: 24 }));
        let new = old.replace("stream_id;", "stream_id;\n\tuint64_t stream_instance_id;");
        assert_eq!(Layout::of(&format!("{new}{context}")), Some(Layout { header: 32 }));
        assert_eq!(Layout::of(&format!("{new}{}", context.replace("content_size", "x"))), None);
        assert_eq!(Layout::of(&old.replace("magic", "other")), None);
    }

    #[test]
    fn names_of_streams() {
        assert!(is_stream_name("channel0_3") && is_stream_name("c_1_2"));
        assert!(
            !is_stream_name("notes.txt")
                && !is_stream_name("kallsyms.gz")
                && !is_stream_name("_1")
                && !is_stream_name("a_")
        );
    }
}
