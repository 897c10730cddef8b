//! The options of a file: trace-cmd's description of the recording.

use crate::bytes::Bytes;
use wastenot_import::Endian;

/// Numbers of the options (trace-cmd.dat.v7(5), OPTIONS SECTION).
pub mod option {
    pub const DONE: u16 = 0;
    pub const DATE: u16 = 1;
    pub const CPUSTAT: u16 = 2;
    pub const BUFFER: u16 = 3;
    pub const TRACECLOCK: u16 = 4;
    pub const UNAME: u16 = 5;
    pub const OFFSET: u16 = 7;
    pub const CPUCOUNT: u16 = 8;
    pub const VERSION: u16 = 9;
    pub const TRACEID: u16 = 11;
    pub const TIME_SHIFT: u16 = 12;
    pub const GUEST: u16 = 13;
    pub const TSC2NSEC: u16 = 14;
    pub const HEADER_INFO: u16 = 16;
    pub const FTRACE_EVENTS: u16 = 17;
    pub const EVENT_FORMATS: u16 = 18;
    pub const KALLSYMS: u16 = 19;
    pub const CMDLINES: u16 = 21;
    pub const BUFFER_TEXT: u16 = 22;
}

/// The options that are used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordingOptions {
    /// `uname`: kernel name, node, release, architecture.
    pub uname: Option<String>,
    /// Version of trace-cmd.
    pub version: Option<String>,
    /// The clock of the top buffer.
    pub clock: Option<String>,
    /// Added to a stamp, this is the wall clock (ns).
    pub date_ns: Option<i64>,
    /// To be added to every stamp (ns).
    pub offset_ns: i64,
    pub cpus: Option<u32>,
    pub trace_id: Option<u64>,
    /// The file is a guest's; the number of the host's trace.
    pub host: Option<u64>,
    /// The file is a host's; name and number of each guest's trace.
    pub guests: Vec<(String, u64)>,
    /// Multiplier and shift from cycles to ns.
    pub cycles: Option<(u32, u32)>,
    /// Per CPU of the top buffer: events that the kernel says were lost.
    pub lost: Vec<(u32, u64)>,
    /// Statistics of an instance follow.
    pub instance_stats: bool,
}

impl RecordingOptions {
    /// Take an option; one of a wrong size is ignored.
    pub fn take(&mut self, id: u16, data: &[u8], endian: Endian) {
        let mut bytes = Bytes::new(data, endian);
        match id {
            option::DATE => self.date_ns = number(data).and_then(|us| us.checked_mul(1000)),
            option::OFFSET => self.offset_ns = self.offset_ns.saturating_add(number(data).unwrap_or(0)),
            option::CPUSTAT => self.take_stats(&text(data)),
            option::TRACECLOCK => self.clock = chosen_clock(&text(data)),
            option::UNAME => self.uname = Some(text(data).trim().into()),
            option::VERSION => self.version = Some(text(data).trim().into()),
            option::CPUCOUNT => self.cpus = bytes.u32(),
            option::TRACEID => self.trace_id = bytes.u64(),
            option::TIME_SHIFT => self.host = bytes.u64(),
            option::GUEST => {
                let name = bytes.text().map(|name| String::from_utf8_lossy(name).into_owned());
                self.guests.extend(name.zip(bytes.u64()));
            }
            option::TSC2NSEC => {
                let options = bytes.u32().zip(bytes.u32());
                self.cycles = options.filter(|&(multiplier, shift)| multiplier > 0 && shift < 64);
            }
            _ => {}
        }
    }

    /// Text of `per_cpu/cpuN/stats`.
    fn take_stats(&mut self, stats: &str) {
        if stats.trim_start().starts_with("Buffer:") {
            self.instance_stats = true;
        }
        let of = |key: &str| {
            let line = stats.lines().find_map(|line| line.trim().strip_prefix(key))?;
            line.trim().parse::<u64>().ok()
        };
        if let Some(cpu) = of("CPU:").filter(|_| !self.instance_stats) {
            let lost = ["overrun:", "commit overrun:", "dropped events:"].iter().filter_map(|key| of(key));
            self.lost.push((cpu as u32, lost.fold(0, u64::saturating_add)));
        }
    }

    /// Kernel release and architecture: trace-cmd leaves the node out or not, so they are counted from the ends.
    pub fn kernel(&self) -> (Option<String>, Option<String>) {
        let words: Vec<&str> = self.uname.as_deref().unwrap_or("").split_whitespace().collect();
        let arch = (words.len() >= 3).then(|| words[words.len() - 1].to_owned());
        let release =
            words.iter().skip(1).find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'));
        (release.map(|&word| word.to_owned()), arch)
    }
}

fn text(data: &[u8]) -> String {
    let end = data.iter().position(|&b| b == 0).unwrap_or(data.len());
    String::from_utf8_lossy(&data[..end]).into_owned()
}

/// A number as strtoll(text, 0) reads it.
fn number(data: &[u8]) -> Option<i64> {
    let text = text(data);
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let n = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -n } else { n })
}

/// `local [global] counter`: the one in brackets.
pub fn chosen_clock(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    rest.split_once(']').map(|(clock, _)| clock.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(id: u16, data: &[u8]) -> RecordingOptions {
        let mut options = RecordingOptions::default();
        options.take(id, data, Endian::Little);
        options
    }

    #[test]
    fn options_are_read_as_trace_cmd_writes_them() {
        assert_eq!(options(option::DATE, b"0x5f5e100\0").date_ns, Some(100_000_000_000));
        assert_eq!(options(option::OFFSET, b"-25\0").offset_ns, -25);
        assert_eq!(options(option::TRACECLOCK, b"local [mono] boot\n\0").clock.as_deref(), Some("mono"));
        assert_eq!(options(option::TSC2NSEC, &[3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).cycles, Some((3, 2)));
        assert_eq!(options(option::TSC2NSEC, &[3, 0, 0, 0, 64, 0, 0, 0]).cycles, None);
        assert_eq!(options(option::GUEST, b"vm\0\x07\0\0\0\0\0\0\0").guests, [("vm".to_owned(), 7)]);
        assert_eq!(options(option::GUEST, b"vm").guests, []);
        for (uname, release) in [("Linux rig 6.1.0-56-amd64 x86_64", "6.1.0-56-amd64"), ("Linux 5.4.0 x86_64", "5.4.0")]
        {
            let kernel = options(option::UNAME, uname.as_bytes()).kernel();
            assert_eq!(kernel, (Some(release.into()), Some("x86_64".into())));
        }
    }

    #[test]
    fn losses_of_the_top_buffer_are_reported_per_cpu() {
        let mut options =
            options(option::CPUSTAT, b"CPU: 3\nentries: 9\noverrun: 5\ncommit overrun: 1\ndropped events: 2\n\0");
        options.take(option::CPUSTAT, b"\nBuffer: other\n\n", Endian::Little);
        options.take(option::CPUSTAT, b"CPU: 3\noverrun: 50\n", Endian::Little);
        assert_eq!(options.lost, [(3, 8)]);
    }
}
