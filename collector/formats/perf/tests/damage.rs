//! Damaged files end in an error of one line or in a trace that is reported as partial.

mod common;

use common::drawn::*;
use common::{guest, recording};
use proptest::prelude::*;
use std::time::{Duration, Instant};
use wastenot_import::Options;

/// Import whatever it is; what it says.
fn survives(bytes: &[u8]) -> Result<common::Imported, String> {
    let (_folder, path) = stored(bytes);
    let begin = Instant::now();
    let result = common::import(&path, &Options::default()).map_err(|error| error.to_string());
    assert!(begin.elapsed() < Duration::from_secs(20), "it hangs");
    if let Err(message) = &result {
        assert!(!message.contains('\n'), "one line: {message:?}");
    }
    result
}

/// Numbers that look random and are the same every time.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

fn files() -> Vec<Vec<u8>> {
    let paths = [guest("perf.data"), recording("pipe.data"), recording("zstd.data"), recording("lost.data")];
    paths.iter().map(|path| std::fs::read(path).expect("a fixture")).collect()
}

#[test]
fn a_truncated_file_is_refused_and_a_truncated_pipe_is_partial() {
    let mut random = numbers(1);
    for (n, whole) in files().iter().enumerate() {
        let mut partial = 0;
        for _ in 0..50 {
            let cut = random(whole.len());
            match survives(&whole[..cut]) {
                // Behind the records of a file are their formats: nothing can be read without them; features may be missing.
                Ok(trace) if n != 1 => {
                    assert!(cut > whole.len() * 3 / 4, "{cut}: {:?}", trace.summary);
                    assert!(!trace.summary.complete, "cut at {cut} of {}", whole.len());
                }
                Ok(trace) => {
                    assert!(!trace.summary.complete, "cut at {cut}");
                    partial += 1;
                }
                Err(_) => {}
            }
        }
        assert!(n != 1 || partial > 20, "a pipe's formats come first");
    }
}

#[test]
fn flipped_bytes_do_no_harm() {
    let mut random = numbers(2);
    for whole in files() {
        for _ in 0..30 {
            let mut bytes = whole.clone();
            for _ in 0..=random(8) {
                let at = if random(2) == 0 { random(bytes.len().min(2000)) } else { random(bytes.len()) };
                bytes[at] ^= 1 << random(8);
            }
            let _ = survives(&bytes);
        }
    }
}

/// A file with two switches around a record, as it is.
fn around(kind: u32, body: &[u8], size: Option<u16>) -> Vec<u8> {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let switch = drawn.tracepoint(SWITCH, &[1]);
    drawn.switch(switch, 100, 0, 7, 8);
    let at = drawn.records.len();
    drawn.record(kind, 0, body);
    if let Some(size) = size {
        drawn.records[at + 6..at + 8].copy_from_slice(&size.to_le_bytes());
    }
    drawn.switch(switch, 200, 0, 8, 7);
    drawn.file()
}

#[test]
fn an_impossible_record_ends_the_trace_at_its_place() {
    for size in [0, 7] {
        let trace = survives(&around(9, &[], Some(size))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((trace.switches().len(), trace.summary.complete), (1, false));
        assert!(trace.summary.notes.iter().any(|note| note.contains(&format!("a record of {size} bytes"))));
    }
    let trace = survives(&around(9, &[], Some(u16::MAX))).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((trace.switches().len(), trace.summary.complete), (1, false));
}

#[test]
fn hostile_contents_are_counted_and_passed_over() {
    let word = |n: u64| n.to_le_bytes();
    let sample = |chain: u64| {
        let head = [word(1), word(0), word(7), word(150), word(0), word(1)].concat();
        [head, word(chain).to_vec(), vec![0; 32]].concat()
    };
    for body in [vec![], vec![0; 8], sample(u64::MAX), sample(1 << 61), sample(5)] {
        let trace = survives(&around(9, &body, None)).unwrap_or_else(|error| panic!("{error}"));
        let counts = &trace.summary.counts;
        assert_eq!((trace.switches().len(), counts.garbled + counts.ignored), (2, 1), "{body:?}");
        assert!(trace.summary.complete);
    }
    // Bodies too short for what they are, absurd counts.
    for kind in [1, 2, 3, 4, 7, 13, 64, 66, 69, 71, 80, 81, 83] {
        for body in [vec![], vec![0xff; 4], vec![0xff; 16], vec![0xff; 64], vec![0; 48]] {
            let _ = survives(&around(kind, &body, None));
        }
    }
}

#[test]
fn sections_beyond_the_file_and_absurd_sizes_are_refused() {
    let whole = std::fs::read(guest("perf.data")).expect("a fixture");
    // Attribute size; offset and size of attributes, of records; bits of features.
    for at in [16, 24, 32, 40, 48, 72, 80] {
        for value in [0, 1, 17, 1 << 20, 1 << 40, u64::MAX, u64::MAX - 100, i64::MAX as u64] {
            let mut bytes = whole.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let _ = survives(&bytes);
        }
    }
    // The table of features behind the records.
    let table = 936 + 91_368;
    for at in (table..table + 16 * 23).step_by(8) {
        for value in [0, 1, 1 << 40, u64::MAX, u64::MAX - 8] {
            let mut bytes = whole.clone();
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let _ = survives(&bytes);
        }
    }
}

#[test]
fn absurd_features_describe_no_machine() {
    for (feature, words) in
        [(7, vec![u32::MAX; 2]), (7, vec![0; 2]), (13, vec![u32::MAX; 9]), (14, vec![u32::MAX; 9]), (20, vec![1; 9])]
    {
        let mut drawn = Drawn::new(LITTLE);
        let switch = drawn.tracepoint(SWITCH, &[1]);
        drawn.switch(switch, 100, 0, 7, 8);
        drawn.cpus(4);
        drawn.feature(feature, words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let trace = import(&drawn.file());
        assert_eq!(trace.switches().len(), 1);
        assert!(trace.summary.notes.iter().any(|note| note.contains("topology")), "{:?}", trace.summary.notes);
    }
}

#[test]
fn a_bomb_goes_off_within_bounds() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let switch = drawn.tracepoint(SWITCH, &[1]);
    drawn.switch(switch, 100, 0, 7, 8);
    // 256 MB of records that are not read, in some kB.
    let nothing = drawn.one(10, 0, &[0; 65_520]);
    let plain: Vec<u8> = nothing.repeat(16);
    let mut stream = zstd_safe::CCtx::create();
    let mut packed = Vec::with_capacity(1 << 20);
    let mut buffer = vec![0; 1 << 20];
    for _ in 0..256 {
        let mut input = zstd_safe::InBuffer::around(&plain[..]);
        while input.pos() < plain.len() {
            let mut output = zstd_safe::OutBuffer::around(&mut buffer[..]);
            stream.compress_stream(&mut output, &mut input).expect("compressed");
            packed.extend_from_slice(output.as_slice());
        }
    }
    let mut output = zstd_safe::OutBuffer::around(&mut buffer[..]);
    stream.flush_stream(&mut output).expect("flushed");
    packed.extend_from_slice(output.as_slice());
    packed.chunks(60_000).for_each(|part| drawn.record(81, 0, part));
    drawn.switch(switch, 200, 0, 8, 7);
    let file = drawn.file();
    assert!(file.len() < 1 << 20, "{} bytes", file.len());
    let before = resident();
    let trace = survives(&file).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(trace.switches().len(), 2);
    assert!(resident() < before + 64, "{} MB more", resident() - before);
}

/// Largest resident memory so far (MB).
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("VmHWM");
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).expect("kB") / 1024
}

#[test]
fn many_records_without_rounds_or_order_stay_within_bounds() {
    // Times run backwards from chunk to chunk: nothing can be put in order once too much waits; nothing is lost.
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let switch = drawn.tracepoint(SWITCH, &[1]);
    for n in 0..20_000u64 {
        drawn.switch(switch, 1_000_000_000 - 40_000 * (n / 1000) + n % 1000, 0, 7, 8);
        if n % 1000 == 999 {
            (0..9).for_each(|_| drawn.finished_round());
        }
    }
    let trace = import(&drawn.file());
    assert_eq!(trace.switches().len(), 20_000);
    trace.assert_in_order();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_behind_a_magic_do_no_harm(
        big in any::<bool>(), pipe in any::<bool>(), bytes in prop::collection::vec(any::<u8>(), 0..4000),
    ) {
        let magic: &[u8] = if big { b"2ELIFREP" } else { b"PERFILE2" };
        let size = if pipe { 16u64 } else { 104 };
        let size = if big { size.to_be_bytes() } else { size.to_le_bytes() };
        let _ = survives(&[magic, &size, &bytes].concat());
    }

    #[test]
    fn random_records_between_real_ones_do_no_harm(
        big in any::<bool>(), records in prop::collection::vec((0u32..90, any::<u16>(), prop::collection::vec(any::<u8>(), 0..120)), 0..40),
    ) {
        let mut drawn = Drawn::new(big);
        drawn.cpus(2);
        let switch = drawn.attr(2, SWITCH, USUAL | CALLCHAIN, &[1, 2]);
        for (n, (kind, misc, body)) in records.iter().enumerate() {
            drawn.switch(switch, 1000 + n as u64, n as u32 % 2, 7, 8);
            drawn.record(*kind, *misc, body);
        }
        let _ = survives(&drawn.file());
        let _ = survives(&drawn.pipe());
    }
}
