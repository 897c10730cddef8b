//! What happens to CPUs: interrupt work on idle ones, counters, going offline and coming back.

mod recording;

use recording::{Event, events, record};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use wastenot_ebpf::record::Record;
use wastenot_ebpf::{Meta, Options};
use wastenot_skips::skip;

/// One test at a time: a CPU that one takes offline is missing to the others.
static MACHINE: Mutex<()> = Mutex::new(());

fn recorded(options: Options, act: impl FnOnce(&Meta)) -> Option<(Meta, Vec<Event>)> {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("t.part");
    let meta = record(&part, options, act)?;
    Some((meta, events(&part).0))
}

/// A setting of the kernel, put back at the end.
struct Setting(&'static str, String);

impl Setting {
    fn change(path: &'static str, value: &str) -> Option<Self> {
        let before = std::fs::read_to_string(path).ok()?;
        std::fs::write(path, value).ok()?;
        Some(Self(path, before))
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        let _ = std::fs::write(self.0, self.1.trim());
    }
}

fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Time in which `cpu` ran swapper, between its first and last switch.
fn idle_ns(events: &[Event], cpu: u16) -> u64 {
    let (mut since, mut idle) = (None, 0);
    for event in events.iter().filter(|event| event.cpu == cpu) {
        if let Record::Switch(s) = event.record {
            if s.prev_tid == 0 {
                idle += since.map_or(0, |since| event.ts_ns - since);
            }
            since = (s.next_tid == 0).then_some(event.ts_ns);
        }
    }
    idle
}

#[test]
fn softirq_work_on_an_idle_cpu_is_recorded() {
    // Packets that CPU 0 sends over loopback are received in the softirq of CPU 1.
    let Some(_steering) = Setting::change("/sys/class/net/lo/queues/rx-0/rps_cpus", "2") else {
        skip("receive packet steering cannot be set here");
        return;
    };
    let flood = |_: &Meta| {
        let only_cpu_0: u64 = 1;
        // SAFETY: the mask is 8 bytes long, as said; it is this thread's.
        unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, 8, &only_cpu_0) };
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        // Each message is cut into sixty packets by the softirq that receives it, which takes long enough on any machine.
        let packet: libc::c_int = 1000;
        // SAFETY: the option is as long as said. Where the kernel has no such option the flood is one of single packets.
        unsafe {
            let value = std::ptr::from_ref(&packet).cast();
            libc::setsockopt(sender.as_raw_fd(), libc::IPPROTO_UDP, libc::UDP_SEGMENT, value, 4)
        };
        let (to, begun) = (receiver.local_addr().unwrap(), Instant::now());
        while begun.elapsed() < Duration::from_millis(1500) {
            for _ in 0..20 {
                let _ = sender.send_to(&[0; 60_000], to);
            }
            // CPU 1 is to idle between them.
            std::thread::sleep(Duration::from_micros(300));
        }
    };
    let Some((_, events)) = recorded(Options::default(), flood) else { return };
    // Interrupts of CPU 1 while it ran swapper; those of other threads are recorded as well.
    let (mut spans, mut runs_swapper) = (Vec::new(), false);
    for event in events.iter().filter(|event| event.cpu == 1) {
        match event.record {
            Record::Switch(switch) => runs_swapper = switch.next_tid == 0,
            Record::IrqSpan(span) => {
                assert!((20_000..=20_000_000).contains(&span.dur_ns), "{span:?}");
                assert!(span.kind <= 2);
                if runs_swapper {
                    spans.push(u64::from(span.dur_ns));
                }
            }
            _ => {}
        }
    }
    let (idle, busy) = (idle_ns(&events, 1), spans.iter().sum::<u64>());
    println!("CPU 1 ran swapper for {idle} ns; of it {busy} ns were interrupt work, in {} spans", spans.len());
    if idle < 300_000_000 {
        return skip("other work kept CPU 1 from being idle");
    }
    assert!(busy <= idle, "no longer than swapper ran");
    // Their share of the time differs between recordings: 5 to 30 % on one machine.
    assert!(spans.len() >= 50, "the flood is received in softirqs of CPU 1");
}

#[test]
fn counters_are_read_at_switches_or_noted_as_missing() {
    let options = Options { counters: true, ..Options::default() };
    let Some((meta, events)) = recorded(options, |_| {
        for _ in 0..50 {
            std::thread::sleep(Duration::from_millis(4));
        }
    }) else {
        return;
    };
    println!("{:?} {:?}", meta.counters, meta.notes);
    let noted = meta.notes.iter().any(|text| text.starts_with("not recorded: hardware counters"));
    assert!(meta.counters.iter().any(|name| name == "cycles") != noted, "either the PMU's, or why not");
    let counted =
        events.iter().filter(|e| matches!(e.record, Record::PerfCounter(c) if c.value > 0 && c.tid > 0)).count();
    assert!(counted > 50 || meta.counters.is_empty(), "{counted}");
    let highest = events.iter().filter_map(|e| match e.record {
        Record::PerfCounter(c) => Some(c.counter),
        _ => None,
    });
    assert!(highest.max().is_none_or(|highest| (highest as usize) < meta.counters.len()));
}

#[test]
fn a_cpu_that_goes_offline_and_comes_back_is_seen_both_times() {
    const ONLINE: &str = "/sys/devices/system/cpu/cpu1/online";
    let mut times = Vec::new();
    let result = recorded(Options::default(), |_| {
        times.push(now_ns());
        if let Some(offline) = Setting::change(ONLINE, "0") {
            times.push(now_ns());
            std::thread::sleep(Duration::from_millis(100));
            times.push(now_ns());
            drop(offline);
            times.push(now_ns());
        }
    });
    let Some((_, events)) = result else { return };
    let [begun, off, back, ended] = times[..] else {
        skip("CPU 1 cannot be taken offline here");
        return;
    };
    let changes: Vec<_> = events
        .iter()
        .filter_map(|event| match event.record {
            Record::Hotplug(h) => Some((event.ts_ns, h.cpu, h.online)),
            _ => None,
        })
        .collect();
    println!("{changes:?}");
    assert_eq!(changes.iter().map(|&(_, cpu, online)| (cpu, online)).collect::<Vec<_>>(), [(1, 0), (1, 1)]);
    assert!((begun..off).contains(&changes[0].0) && (back..ended).contains(&changes[1].0), "{times:?}");
}
