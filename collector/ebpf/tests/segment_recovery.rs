//! A recording that was cut or damaged at any byte reads as a prefix of what was written, and says so.

use proptest::prelude::*;
use std::fs;
use wastenot_ebpf::segment::{Frame, HEADER, RecordingReader, SegmentReader, SegmentWriter, Tail, path};

fn frames() -> Vec<Frame> {
    let noise = |n: usize| (0..n).map(|i| (i * i * 31 % 251) as u8).collect::<Vec<u8>>();
    [(0, noise(64)), (1, vec![7; 4000]), (0, Vec::new()), (u16::MAX, noise(800))]
        .into_iter()
        .enumerate()
        .map(|(i, (cpu, records))| Frame { cpu, watermark_ns: 1000 + i as u64, records })
        .collect()
}

fn write(folder: &std::path::Path, roll: u64, frames: &[Frame], finish: bool) {
    let mut writer = SegmentWriter::create(folder, 123_456_789, roll).unwrap();
    for frame in frames {
        writer.frame(frame.cpu, frame.watermark_ns, &frame.records).unwrap();
    }
    if finish {
        writer.finish().unwrap();
    }
}

fn read(bytes: &[u8]) -> (Vec<Frame>, Tail) {
    let mut reader = SegmentReader::new(bytes);
    let (mut all, mut frame) = (Vec::new(), Frame::default());
    while reader.next_into(&mut frame) {
        all.push(frame.clone());
    }
    (all, reader.tail().unwrap().clone())
}

#[test]
fn a_finished_segment_gives_back_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), u64::MAX, &frames(), true);
    let bytes = fs::read(path(folder.path(), 0)).unwrap();
    assert_eq!(read(&bytes), (frames(), Tail::Finished { last: true }));
    assert_eq!(SegmentReader::new(&bytes[..]).base_ns(), 123_456_789);
}

#[test]
fn cut_at_every_byte_the_whole_frames_before_it_remain() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), u64::MAX, &frames(), true);
    let bytes = fs::read(path(folder.path(), 0)).unwrap();
    let mut most = 0;
    for cut in 0..bytes.len() {
        let (got, tail) = read(&bytes[..cut]);
        assert_eq!(got, frames()[..got.len()], "cut at {cut}");
        assert!(matches!(tail, Tail::Truncated { offset } if offset <= cut as u64), "cut at {cut}: {tail:?}");
        most = most.max(got.len());
    }
    assert_eq!(most, frames().len(), "only the end mark is missing at the last cut");
}

#[test]
fn a_recording_continues_over_its_segments() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 1, &frames(), true);
    let mut reader = RecordingReader::open(folder.path()).unwrap();
    let (mut all, mut frame) = (Vec::new(), Frame::default());
    while reader.next_into(&mut frame) {
        all.push(frame.clone());
    }
    assert_eq!(all, frames());
    assert_eq!(reader.tail(), Some((4, &Tail::Finished { last: true })));
}

#[test]
fn a_missing_segment_ends_the_readable_part() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), 1, &frames(), true);
    fs::remove_file(path(folder.path(), 2)).unwrap();
    let mut reader = RecordingReader::open(folder.path()).unwrap();
    let mut frame = Frame::default();
    assert!(reader.next_into(&mut frame));
    assert!(!reader.next_into(&mut frame));
    assert_eq!(reader.tail(), Some((1, &Tail::Finished { last: false })));
}

#[test]
fn a_foreign_file_is_named_as_such() {
    let (got, tail) = read(&[b'x'; 100]);
    assert!(got.is_empty());
    assert_eq!(tail, Tail::Corrupt { offset: 0, why: "no segment of wastenot" });
}

proptest! {
    #[test]
    fn a_flipped_bit_never_gives_wrong_records(at in 0usize..1_200, bit in 0u8..8) {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), u64::MAX, &frames(), false);
        let mut bytes = fs::read(path(folder.path(), 0)).unwrap();
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        let (got, tail) = read(&bytes);
        prop_assert_eq!(&got[..], &frames()[..got.len()]);
        prop_assert!(got.len() < frames().len());
        prop_assert!(matches!(tail, Tail::Corrupt { offset, .. } if offset <= at as u64), "{:?}", tail);
        prop_assert!(at >= HEADER || got.is_empty());
    }
}
