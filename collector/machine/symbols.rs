//! The kernel's symbols by address.

use flate2::read::GzDecoder;
use std::io::Read;
use std::path::Path;

/// Beyond this many bytes from the symbol before it an address belongs to something else.
const LARGEST_FUNCTION: u64 = 64 << 10;
/// A tracer's frames are among so many of the innermost.
const TRACER_FRAMES: usize = 10;

/// Names of functions of a kernel, by address.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    starts: Vec<u64>,
    names: Vec<Box<str>>,
}

impl Symbols {
    /// From a file as /proc/kallsyms (gzip too); empty where it is not readable or hides its addresses (kernel.kptr_restrict).
    pub fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap_or_default();
        let mut plain = Vec::new();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let _ = GzDecoder::new(&bytes[..]).take(1 << 30).read_to_end(&mut plain); // what comes before damage is of use
        } else {
            plain = bytes;
        }
        Self::parse(&String::from_utf8_lossy(&plain))
    }

    /// From the text of /proc/kallsyms; lines that are none of a function are passed over.
    pub fn parse(text: &str) -> Self {
        let mut symbols: Vec<(u64, &str)> = text
            .lines()
            .filter_map(|line| {
                let mut words = line.split_ascii_whitespace();
                let address = u64::from_str_radix(words.next()?, 16).ok()?;
                let code = matches!(words.next()?, "t" | "T" | "w" | "W");
                (code && address != 0).then_some((address, words.next()?))
            })
            .filter(|(_, name)| !name.starts_with("__pfx_"))
            .collect();
        symbols.sort_by_key(|&(address, _)| address);
        symbols.dedup_by_key(|&mut (address, _)| address);
        let (starts, names) = symbols.into_iter().map(|(address, name)| (address, name.into())).unzip();
        Self { starts, names }
    }

    /// No symbol is known.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Start address of a function.
    pub fn address(&self, name: &str) -> Option<u64> {
        self.names.iter().position(|n| &**n == name).map(|place| self.starts[place])
    }

    /// `function+0xoffset`, or the address in hex where no function can be meant: a module that was not loaded yet when the
    /// symbols were read.
    pub fn name(&self, address: u64) -> String {
        let before = self.starts.partition_point(|&start| start <= address).checked_sub(1);
        match before.map(|place| (&self.names[place], address - self.starts[place])) {
            Some((name, offset)) if offset < LARGEST_FUNCTION => format!("{name}+{offset:#x}"),
            _ => format!("{address:#x}"),
        }
    }

    /// A kernel stack, innermost frame first, with its symbols: as it was when the tracer was called.
    pub fn describe(&self, addresses: impl IntoIterator<Item = u64>) -> (Vec<u64>, Vec<String>) {
        let (mut addresses, mut names): (Vec<_>, Vec<_>) =
            addresses.into_iter().map(|address| (address, self.name(address))).unzip();
        // Frames of a tracer's module may have no names; what lies below its last named one is not the kernel's either.
        let tracers =
            names.iter().take(TRACER_FRAMES).rposition(|name| is_tracer_frame(name)).map_or(0, |last| last + 1);
        (addresses.split_off(tracers), names.split_off(tracers))
    }
}

/// A frame of the tracer itself (eBPF, LTTng, perf, ftrace): every stack begins with some.
pub fn is_tracer_frame(symbol: &str) -> bool {
    const TRACERS: [&str; 15] = [
        "bpf_",
        "__bpf_",
        "__traceiter_",
        "__traceprobe_",
        "trace_call_bpf",
        "perf_trace_",
        "perf_tp_event",
        "lttng_",
        "lib_ring_buffer",
        "__event_probe__",
        "trace_event_",
        "__ftrace_trace_stack",
        "ftrace_trace_stack",
        "stack_trace_save",
        "__trace_stack",
    ];
    TRACERS.iter().any(|prefix| symbol.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_named_by_the_symbol_before_it() {
        let symbols = Symbols::parse("0 T hidden\nff10 T __pfx_two\nff20 t two\nff00 T one\nff18 d data\n");
        assert_eq!(symbols.name(0xff0f), "one+0xf");
        assert_eq!(symbols.name(0xff20), "two+0x0");
        assert_eq!(symbols.name(0xfe00), "0xfe00");
        assert_eq!(Symbols::parse("").name(1), "0x1");
    }

    #[test]
    fn a_stack_begins_below_the_tracer() {
        let symbols = Symbols::parse("10 t exit_v9fs\n20 t try_to_wake_up\n30 t __traceiter_sched_migrate_task\n");
        let (addresses, names) = symbols.describe([0x90_000, 0x31, 0x22, 0x90_000]);
        assert_eq!((addresses, names), (vec![0x22, 0x90_000], vec!["try_to_wake_up+0x2".into(), "0x90000".into()]));
        assert_eq!(symbols.describe([0x22]).1, ["try_to_wake_up+0x2"]);
        assert_eq!(symbols.describe([0x31]).1, [""; 0]);
    }
}
