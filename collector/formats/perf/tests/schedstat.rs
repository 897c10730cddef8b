//! Files of `perf sched stats record`: a real one, beside what `perf sched stats report` says of it; and files made from the
//! definition of their records, for versions and byte orders that no machine at hand writes.

mod common;

use common::drawn::{BIG, Drawn, LITTLE};
use std::path::PathBuf;
use wastenot_machine::schedstat::{COUNTERS, DomainCounters, deltas};
use wastenot_perf::schedstat::readings;

const CPU: u32 = 85;
const DOMAIN: u32 = 86;

/// A file with the one event that `perf sched stats record` opens (PERF_COUNT_SW_DUMMY).
fn stats(big: bool) -> Drawn {
    let mut drawn = Drawn::new(big);
    drawn.attr(1, 9, 0, &[1]);
    drawn
}

fn record(d: &Drawn, kind: u32, body: &[u8]) -> Vec<u8> {
    // perf fills up to 8 bytes.
    let mut body = body.to_vec();
    body.resize(body.len().next_multiple_of(8), 0);
    d.one(kind, 0, &body)
}

/// A reading of two CPUs with a domain each; `count` is idle's lb_count.
fn reading(d: &mut Drawn, version: u16, jiffies: u64, count: u32) {
    for cpu in 0..2 {
        let head = [d.u64(jiffies), d.u32(cpu), d.u16(version), d.u16(0)].concat();
        let of_cpu = record(d, CPU, &[head.clone(), vec![0; 48]].concat());
        let imbalance: &[u32] = if version == 17 { &[1, 2, 3, 4] } else { &[10] };
        let of = |count: u32| [&[count, 7, 1], imbalance, &[3, 2, 5, 6]].concat();
        let types = match version {
            15 => [of(count), of(100), of(200)],
            _ => [of(100), of(count), of(200)],
        };
        let mut numbers = types.concat();
        numbers.extend([2, 1, 1, 0, 0, 0, 0, 0, 0, 11, 12, 13]);
        let numbers: Vec<u8> = numbers.iter().flat_map(|n| d.u32(*n)).collect();
        let of_domain = record(d, DOMAIN, &[head, numbers].concat());
        d.records.extend([of_cpu, of_domain].concat());
    }
}

/// perf 7.3.4 on Linux 7.2, 8 CPUs in two nodes (tests/data/README.md).
#[test]
fn a_real_file_says_what_perf_reports_of_it() {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let read = readings(&data.join("sched-stats.data")).unwrap();
    assert_eq!(read.iter().map(|r| r.jiffies).collect::<Vec<_>>(), [4_294_905_888, 4_294_907_743]);
    let place = |d: &DomainCounters| (d.cpu, d.name.clone(), d.span.to_i16s());
    let places: Vec<_> = read[1].domains.iter().map(place).collect();
    let nodes = |cpu: u32| if cpu < 4 { vec![0, 1, 2, 3] } else { vec![4, 5, 6, 7] };
    let expected: Vec<_> =
        (0..8).flat_map(|cpu| [(cpu, "MC".into(), nodes(cpu)), (cpu, "NUMA".into(), (0..8).collect())]).collect();
    assert_eq!(places, expected);
    let reported = std::fs::read_to_string(data.join("sched-stats.txt")).unwrap();
    let changed = deltas(&read[0].domains, &read[1].domains);
    let said = changed.iter().map(|delta| {
        assert!(!delta.restarted);
        let counted = delta.counters.map(|n| n.to_string()).join(" ");
        format!("{} {} {counted}\n", delta.cpu, ["MC", "NUMA"][usize::from(delta.level)])
    });
    assert_eq!(said.collect::<String>(), reported);
}

fn written(d: &Drawn, name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, d.file()).unwrap();
    (folder, path)
}

fn of(counters: &[u64; 30], name: &str) -> u64 {
    counters[COUNTERS.iter().position(|c| *c == name).unwrap()]
}

#[test]
fn two_readings_of_any_version_and_byte_order_differ_by_what_was_counted() {
    for (version, order) in [(15, LITTLE), (16, BIG), (17, LITTLE), (17, BIG)] {
        let mut d = stats(order);
        reading(&mut d, version, 4_295_000_000, 30);
        reading(&mut d, version, 4_295_002_500, 34);
        let (_folder, path) = written(&d, "perf.data");
        let read = readings(&path).unwrap();
        assert_eq!(read.iter().map(|r| r.jiffies).collect::<Vec<_>>(), [4_295_000_000, 4_295_002_500]);
        let changed = deltas(&read[0].domains, &read[1].domains);
        assert_eq!(
            changed.iter().map(|d| (d.cpu, d.level, d.restarted)).collect::<Vec<_>>(),
            [(0, 0, false), (1, 0, false)]
        );
        assert_eq!(of(&changed[0].counters, "idle_lb_count"), 4);
        assert_eq!(changed[0].counters.iter().sum::<u64>(), 4);
        assert_eq!(of(&read[0].domains[0].counters, "busy_lb_imbalance"), 10);
        assert_eq!(of(&read[0].domains[0].counters, "ttwu_move_balance"), 13);
    }
}

#[test]
fn other_files_of_perf_have_no_readings() {
    let mut other = stats(LITTLE);
    other.finished_round();
    let (_folder, path) = written(&other, "perf.data");
    assert_eq!(readings(&path).unwrap(), []);
    std::fs::write(&path, "no perf.data").unwrap();
    assert!(readings(&path).unwrap_err().to_string().contains("not a perf.data file"));
}

#[test]
fn damaged_records_end_in_one_line() {
    let mut d = stats(LITTLE);
    reading(&mut d, 17, 1, 30);
    let whole = d.records.clone();
    let said = |records: Vec<u8>| {
        let mut d = stats(LITTLE);
        d.records = records;
        readings(&written(&d, "perf.data").1).map(|_| ()).map_err(|e| e.to_string())
    };
    let mut later = stats(LITTLE);
    reading(&mut later, 18, 1, 30);
    assert!(said(later.records).unwrap_err().contains("version 18: 15, 16 and 17 are known"));
    let mut sizeless = whole.clone();
    sizeless[6..8].fill(0);
    assert!(said(sizeless).unwrap_err().contains("a record of no size"));
    for cut in 0..whole.len() {
        if let Err(why) = said(whole[..cut].to_vec()) {
            assert!(!why.contains('\n'), "{why}");
        }
    }
}
