//! Truncated, corrupt and hostile files: an error of one line or a flagged part, never a panic, a hang or a wrong figure.

mod common;

use common::{Tables, drawn, export, import, story};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;
use std::path::{Path, PathBuf};
use wastenot_import::ImportSummary;

fn data(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.pftrace"))).unwrap()
}

/// Import these bytes; the error is one line.
fn read(bytes: &[u8]) -> Result<(Tables, ImportSummary), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("T.pftrace");
    std::fs::write(&path, bytes).unwrap();
    import(&path).map_err(|e| {
        let message = e.to_string();
        assert!(!message.contains('\n') && message.contains("T.pftrace"), "{message}");
        message
    })
}

/// A small export of ours.
fn exported() -> Vec<u8> {
    let mut drawing =
        "cpus 0-1\nwindow 0us 1s\n0us cpu 0 idle\n0us cpu 1 idle\n0us thread 7 a on 0 asleep\n".to_owned();
    for ms in 1..40 {
        drawing += &format!(
            "{ms}ms wakeup 7 on {c}\n{ms}ms switch {c}: 0 R -> 7\n{ms}.5ms switch {c}: 7 S -> 0\n",
            c = ms % 2
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("T.pftrace");
    export(&drawn(&drawing), &path).unwrap();
    std::fs::read(path).unwrap()
}

/// A generator of numbers: the same in every run.
fn numbers(mut seed: u64) -> impl Iterator<Item = usize> {
    std::iter::repeat_with(move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as usize
    })
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    for (name, bytes) in
        [("full", data("full")), ("compact", data("compact")), ("deflate", data("deflate")), ("ours", exported())]
    {
        let whole = story(&read(&bytes).unwrap().0);
        for at in numbers(0x5eed).take(50).map(|n| n % bytes.len()).chain([1, bytes.len() - 1]) {
            let Ok((tables, summary)) = read(&bytes[..at]) else { continue };
            let part = story(&tables);
            // A trace of another tool that ends between two packets may have been meant so.
            let tracks_only = name == "ours" && part.len() == whole.len() && part == whole;
            let between = name != "ours" && ends_between_packets(&bytes, at);
            assert!(!summary.complete || between || tracks_only, "{name}, cut at {at}");
        }
    }
}

fn ends_between_packets(bytes: &[u8], at: usize) -> bool {
    let (mut begin, mut length) = (0, 0);
    while begin < at {
        let (mut value, mut shift, mut used) = (0_usize, 0, 1);
        loop {
            let byte = bytes[begin + used];
            value |= usize::from(byte & 127) << shift;
            (shift, used) = (shift + 7, used + 1);
            if byte < 128 {
                break;
            }
        }
        length = used + value;
        begin += length;
    }
    begin == at && length > 0
}

#[test]
fn a_part_of_an_export_counts_as_lost_from_where_it_ends() {
    let bytes = exported();
    let (tables, summary) = read(&bytes[..bytes.len() / 2]).unwrap();
    assert!(!summary.complete);
    assert_eq!(story(&tables), ["0 lost_events 1000000000 - - any"], "its one window is not whole");
    assert!(summary.notes.iter().any(|note| note.starts_with("cut off")), "{:?}", summary.notes);
}

#[test]
fn what_other_cpus_did_last_is_not_known_when_a_trace_is_cut_off() {
    let bytes = data("full");
    let (tables, _) = read(&bytes[..bytes.len() - 3]).unwrap();
    let lost: Vec<String> = story(&tables).into_iter().filter(|line| line.contains("lost_events")).collect();
    assert_eq!(lost, ["2000 lost_events 3000 0 - any", "3000 lost_events 3000 1 - any"]);
}

#[test]
fn flipped_bits_are_survived() {
    for bytes in [data("full"), data("compact"), data("deflate"), exported()] {
        for (at, bit) in numbers(0xf11b).take(300).zip(numbers(0xb17)) {
            let mut damaged = bytes.clone();
            damaged[at % bytes.len()] ^= 1 << (bit % 8);
            let _ = read(&damaged);
            let _ = wastenot_perfetto::recognises(&damaged);
        }
    }
}

fn put(out: &mut Vec<u8>, mut n: u64) {
    while n > 127 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, number << 3 | 2);
    put(&mut out, bytes.len() as u64);
    out.extend_from_slice(bytes);
    out
}

fn varint(number: u64, n: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, number << 3);
    put(&mut out, n);
    out
}

/// A packet with a bundle of `cpu`.
fn bundle(cpu: u64, rest: &[Vec<u8>]) -> Vec<u8> {
    let bundle = [varint(1, cpu), rest.concat()].concat();
    field(1, &[field(1, &bundle), varint(10, 5)].concat())
}

/// A switch from swapper to 9.
fn switch(at: u64) -> Vec<u8> {
    let switch = [varint(2, 0), varint(4, 0), varint(6, 9)].concat();
    field(2, &[varint(1, at), field(4, &switch)].concat())
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; zstd_safe::compress_bound(bytes.len())];
    let size = zstd_safe::compress(&mut frame[..], bytes, 3).unwrap();
    frame.truncate(size);
    frame
}

#[test]
fn packets_compressed_with_zstd_are_read_as_those_that_are_not() {
    let plain: Vec<Vec<u8>> = (1..400).map(|n| bundle(n % 4, &[switch(10 * n)])).collect();
    let (first, rest) = plain.split_at(150);
    let frames = [zstd(&rest[..100].concat()), zstd(&rest[100..].concat())].concat();
    let one = field(1, &field(133, &zstd(&first.concat())));
    let two = field(1, &[varint(10, 1), field(133, &frames)].concat());
    let (expected, found) = (read(&plain.concat()).unwrap(), read(&[one, two].concat()).unwrap());
    assert_eq!(story(&found.0), story(&expected.0));
    assert!(found.1.complete, "{:?}", found.1.notes);
    assert_eq!(story(&found.0).iter().filter(|line| line.contains("sched_switch")).count(), 399);
}

#[test]
fn hostile_packets_are_left_out_and_the_rest_is_read() {
    let good = [bundle(0, &[switch(10)]), bundle(0, &[switch(30)])].concat();
    let stack_of = |n: usize| (0..n).fold(bundle(0, &[switch(20)]), |inner, _| field(1, &field(50, &deflated(&inner))));
    let long_name = field(
        2,
        &[varint(1, 20), field(4, &[field(1, &[b'x'; 70_000]), varint(2, 0), varint(4, 0), varint(6, 9)].concat())]
            .concat(),
    );
    let hostile: [(&str, Vec<u8>, bool); 15] = [
        ("an inflated packet of 65 MiB", field(1, &field(50, &deflated(&vec![0; 65 << 20]))), false),
        ("compressed garbage", field(1, &field(50, b"no zlib stream")), false),
        ("compressed within compressed", stack_of(3), true),
        ("zstd of 65 MiB", field(1, &field(133, &zstd(&vec![0; 65 << 20]))), false),
        ("zstd cut short", field(1, &field(133, b"(\xb5\x2f\xfd")), false),
        ("zstd garbage", field(1, &field(133, b"no frame")), false),
        ("a CPU that cannot be", bundle(1 << 40, &[switch(20)]), false),
        ("no CPU", field(1, &field(1, &switch(20))), false),
        ("a stamp that cannot be", bundle(0, &[switch(u64::MAX)]), true),
        ("an event without a stamp", bundle(0, &[field(2, &field(4, &varint(2, 0)))]), false),
        ("an event cut short", bundle(0, &[field(2, b"\x08")]), false),
        ("columns of unequal length", bundle(0, &[field(4, &[field(1, &[20, 1]), field(3, &[9])].concat())]), false),
        ("names that are not there", bundle(0, &[field(4, &compact(&[99]))]), true),
        ("a name of 70,000 bytes", bundle(0, &[long_name]), true),
        ("nothing", field(1, &[]), true),
    ];
    for (what, packet, complete) in hostile {
        let bytes = [bundle(0, &[switch(10)]), packet, bundle(0, &[switch(30)])].concat();
        let (tables, summary) = read(&bytes).unwrap_or_else(|e| panic!("{what}: {e}"));
        let events = story(&tables);
        assert!(events.iter().any(|line| line.starts_with("10 sched_switch")), "{what}: {events:?}");
        assert!(events.iter().any(|line| line.starts_with("30 sched_switch")), "{what}: {events:?}");
        assert_eq!(summary.complete, complete, "{what}: {:?}", summary.notes);
        let lost = events.iter().any(|line| line.starts_with("10 lost_events"));
        let elsewhere = ["a CPU that cannot be", "no CPU"].contains(&what);
        assert_eq!(lost, !complete && !elsewhere, "{what}: {events:?}");
    }
    assert!(read(&good).unwrap().1.complete);
}

/// A waking in the compact form whose name has these indices.
fn compact(names: &[u8]) -> Vec<u8> {
    let one = |number, value: u8| field(number, &[value]);
    [one(7, 20), one(8, 9), one(9, 0), one(10, 120), field(11, names), field(5, b"a")].concat()
}

#[test]
fn hostile_files_end_in_one_line() {
    for (what, bytes) in [
        ("a packet of 16 EiB", vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
        ("a packet longer than the file", vec![0x0a, 0xff, 0xff, 0x03, 0x08]),
        ("a number without end", vec![0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ("an empty file", vec![]),
        ("no events", field(1, &varint(10, 5))),
        ("bundles without switches", bundle(0, &[])),
    ] {
        let message = read(&bytes).map(|(tables, _)| story(&tables)).unwrap_err();
        assert!(message.len() < 300, "{what}: {message}");
    }
}

#[test]
fn packets_that_the_service_dropped_are_a_loss_on_every_cpu_of_the_writer() {
    let dropped = field(1, &[varint(10, 5), varint(42, 1)].concat());
    let bytes = [
        bundle(0, &[switch(10)]),
        bundle(1, &[switch(15)]),
        dropped,
        bundle(0, &[switch(30)]),
        bundle(0, &[switch(40)]),
    ];
    let (tables, _) = read(&bytes.concat()).unwrap();
    let lost: Vec<String> = story(&tables).into_iter().filter(|line| line.contains("lost_events")).collect();
    assert_eq!(lost, ["10 lost_events 30 0 - any", "15 lost_events 40 1 - any"]);
}
