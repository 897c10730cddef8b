//! Readings of /proc/schedstat through a recording, by a thread of their own.
//!
//! The kernel writes the text for all CPUs at once, which takes milliseconds on a large machine; the consumer must not leave
//! the rings for so long. The thread reads every 100 ms, or less often so that reading takes at most a hundredth of one CPU,
//! and passes on what changed. The kernel counts only while `kernel.sched_schedstats` is 1: after a reading without it the
//! next one is a first one.

use crate::clock::now_ns;
use crate::mask::Words;
use crate::options::SchedstatMode;
use crate::record::{Record, Schedstat};
use crate::segment::NO_CPU;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;
use wastenot_machine::schedstat::{Delta, DomainCounters, deltas, parse};

/// Time between two readings, at least.
const EVERY: Duration = Duration::from_millis(100);
/// ... and this many times what one takes, ...
const REST: u32 = 100;
/// ... but no longer than this.
const AT_MOST: Duration = Duration::from_secs(5);
/// The last reading is waited for so long.
const LAST: Duration = Duration::from_secs(1);

/// One reading.
struct Reading {
    /// When it started.
    begin_ns: u64,
    /// What changed since the previous one; None for a first one.
    changed: Option<Vec<Delta>>,
}

/// The reading thread. Dropping it restores `kernel.sched_schedstats`.
pub(crate) struct Sampler {
    stop: Sender<()>,
    readings: Receiver<Reading>,
    /// Recorded end of the previous reading.
    before_ns: Option<u64>,
    sysctl: Option<SchedstatsSysctl>,
}

/// `kernel.sched_schedstats`, set to 1 by this process. Dropping it sets 0.
struct SchedstatsSysctl {
    file: PathBuf,
    /// Sets it to 0 when this process ends without doing so. None: no shell could be started.
    watcher: Option<Child>,
}

impl SchedstatsSysctl {
    /// Script of the watcher: its standard input is a pipe that only this process holds open, and that the kernel closes when
    /// this process ends, by SIGKILL as well.
    const WATCH: &str = "trap '' HUP INT QUIT TERM; read -r _; echo 0 >\"$0\"";

    fn on(file: &Path) -> std::io::Result<Self> {
        let watcher = Command::new("/bin/sh")
            .args(["-c", Self::WATCH])
            .arg(file)
            .env_clear()
            .current_dir("/")
            .process_group(0) // not with the Ctrl-C of the terminal
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let sysctl = Self { file: file.into(), watcher: watcher.ok() };
        std::fs::write(file, "1\n")?;
        Ok(sysctl)
    }
}

impl Drop for SchedstatsSysctl {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.file, "0\n");
        if let Some(mut watcher) = self.watcher.take() {
            let _ = watcher.kill();
            let _ = watcher.wait();
        }
    }
}

impl Sampler {
    /// Start to read under `root` (`/`, or a folder with the two files). `attempts`: load-balance attempts are recorded. The
    /// error is the reason for which the counters are not read.
    pub fn start(root: &Path, wanted: SchedstatMode, attempts: bool) -> Result<Self, String> {
        let (file, switch) = (root.join("proc/schedstat"), root.join("proc/sys/kernel/sched_schedstats"));
        if wanted == SchedstatMode::Off {
            return Err("not asked for".into());
        }
        if !file.exists() {
            return Err("this kernel has no /proc/schedstat".into());
        }
        let mut sysctl = None;
        if !is_on(&switch) {
            if wanted == SchedstatMode::Auto && attempts {
                return Err("kernel.sched_schedstats is 0; load-balance attempts are recorded instead".into());
            }
            let on = SchedstatsSysctl::on(&switch);
            sysctl = Some(on.map_err(|why| format!("kernel.sched_schedstats is 0 and cannot be set: {why}"))?);
        }
        std::fs::read_to_string(&file).map_err(|e| e.to_string()).and_then(|text| require_domains(&text))?;
        let (stop, stopped) = channel();
        let (hand_over, readings) = sync_channel(1);
        let spawned = std::thread::Builder::new()
            .name("wastenot-counts".into())
            .spawn(move || read_until_stopped(&file, &switch, &stopped, &hand_over));
        spawned.map_err(|why| format!("no thread to read them: {why}"))?;
        Ok(Self { stop, readings, before_ns: None, sysctl })
    }

    /// Append the records of a finished reading, stamped now: the reading thread may have been preempted.
    pub fn take(&mut self, base_ns: u64, own: &mut Vec<u8>) {
        if let Ok(reading) = self.readings.try_recv() {
            self.write(&reading, base_ns, own);
        }
    }

    /// Append the last reading, and restore the sysctl.
    pub fn finish(mut self, base_ns: u64, own: &mut Vec<u8>) {
        let _ = self.stop.send(());
        while let Ok(reading) = self.readings.recv_timeout(LAST) {
            self.write(&reading, base_ns, own);
        }
        drop(self.sysctl.take());
    }

    fn write(&mut self, reading: &Reading, base_ns: u64, own: &mut Vec<u8>) {
        let now = now_ns();
        let before = self.before_ns.replace(now).filter(|_| reading.changed.is_some());
        let all = Schedstat {
            cpu: NO_CPU,
            reading_ns: now.saturating_sub(reading.begin_ns),
            interval_ns: before.map_or(0, |before| now - before),
            ..Schedstat::default()
        };
        Record::Schedstat(all).write(now, base_ns, own);
        for delta in reading.changed.iter().flatten() {
            let bytes: Vec<u8> = delta.counters.iter().flat_map(|counter| counter.to_le_bytes()).collect();
            let (cpu, level, restarted) = (delta.cpu as u16, delta.level, delta.restarted.into());
            let record = Schedstat { cpu, level, restarted, counters: Words::from_bytes(&bytes), ..all };
            Record::Schedstat(record).write(now, base_ns, own);
        }
    }
}

fn is_on(sysctl: &Path) -> bool {
    std::fs::read_to_string(sysctl).is_ok_and(|text| text.trim() == "1")
}

fn require_domains(text: &str) -> Result<(), String> {
    match parse(text) {
        Ok(domains) if domains.is_empty() => Err("/proc/schedstat has no domains".into()),
        Ok(_) => Ok(()),
        Err(why) => Err(why.to_string()),
    }
}

fn read_until_stopped(file: &Path, switch: &Path, stopped: &Receiver<()>, hand_over: &SyncSender<Reading>) {
    let mut before: Option<Vec<DomainCounters>> = None;
    loop {
        let begin_ns = now_ns();
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let domains = parse(&text).ok().filter(|_| is_on(switch));
        let took = Duration::from_nanos(now_ns().saturating_sub(begin_ns));
        if let Some(domains) = domains {
            let changed = before.as_deref().map(|before| deltas(before, &domains));
            before = Some(domains);
            if hand_over.send(Reading { begin_ns, changed }).is_err() {
                return;
            }
        } else {
            before = None;
        }
        match stopped.recv_timeout((took * REST).clamp(EVERY, AT_MOST)) {
            Err(RecvTimeoutError::Timeout) => {}
            // One more reading: the counts since the previous one.
            Ok(()) => {
                let begin_ns = now_ns();
                let domains = std::fs::read_to_string(file).ok().and_then(|text| parse(&text).ok());
                if let (Some(before), Some(domains)) = (before, domains.filter(|_| is_on(switch))) {
                    let changed = Some(deltas(&before, &domains));
                    let _ = hand_over.send(Reading { begin_ns, changed });
                }
                return;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::read;

    fn text(count: u64) -> String {
        let types = format!("{count} 1 0 0 0 0 0 1 ").repeat(3);
        format!("version 16\ntimestamp 1\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 3 {types}0 0 0 0 0 0 0 0 0 0 0 0\n")
    }

    fn machine(count: u64, switch: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("proc/sys/kernel")).unwrap();
        std::fs::write(root.path().join("proc/schedstat"), text(count)).unwrap();
        std::fs::write(root.path().join("proc/sys/kernel/sched_schedstats"), switch).unwrap();
        root
    }

    fn switch(root: &tempfile::TempDir) -> String {
        std::fs::read_to_string(root.path().join("proc/sys/kernel/sched_schedstats")).unwrap()
    }

    /// Heads of the records, and idle's lb_count of each.
    fn rows(bytes: &[u8]) -> Vec<(Schedstat<'_>, Option<u64>)> {
        let (mut rest, mut rows) = (bytes, Vec::new());
        while !rest.is_empty() {
            let (_, record, length) = read(rest, 0).unwrap();
            let Record::Schedstat(row) = record else { panic!("another record: {record:?}") };
            rows.push((row, row.counters.iter().nth(8)));
            rest = &rest[length..];
        }
        rows
    }

    #[test]
    fn counts_between_the_first_and_the_last_reading_are_recorded_once() {
        let root = machine(10, "1\n");
        let mut sampler = Sampler::start(root.path(), SchedstatMode::Auto, true).unwrap();
        let mut own = Vec::new();
        while own.is_empty() {
            sampler.take(0, &mut own);
        }
        std::fs::write(root.path().join("proc/schedstat.new"), text(17)).unwrap();
        std::fs::rename(root.path().join("proc/schedstat.new"), root.path().join("proc/schedstat")).unwrap();
        sampler.finish(0, &mut own);
        let rows = rows(&own);
        assert_eq!((rows[0].0.cpu, rows[0].0.interval_ns), (NO_CPU, 0), "the first reading has no counts");
        let counted: Vec<_> =
            rows.iter().filter_map(|(head, idle)| idle.map(|idle| (head.cpu, head.level, idle))).collect();
        assert_eq!(counted, [(0, 0, 7)]);
        assert_eq!(switch(&root), "1\n", "it was on before");
    }

    #[test]
    fn the_sysctl_is_restored() {
        let root = machine(10, "0\n");
        let sampler = Sampler::start(root.path(), SchedstatMode::Auto, false);
        assert_eq!(switch(&root), "1\n", "attempts are not recorded: counters are the only evidence");
        sampler.unwrap().finish(0, &mut Vec::new());
        assert_eq!(switch(&root), "0\n");
        let sampler = Sampler::start(root.path(), SchedstatMode::On, true);
        drop(sampler);
        assert_eq!(switch(&root), "0\n");
    }

    /// The process that the next test kills.
    #[test]
    #[ignore = "runs until it is killed"]
    fn a_recorder_to_be_killed() {
        let root = PathBuf::from(std::env::var_os("SCHEDSTAT_ROOT").expect("set by the test that starts this one"));
        let sampler = Sampler::start(&root, SchedstatMode::On, true);
        assert!(sampler.is_ok(), "{:?}", sampler.err());
        std::thread::sleep(Duration::from_secs(60));
    }

    #[test]
    fn the_sysctl_is_restored_when_the_recorder_is_killed() {
        let root = machine(10, "0\n");
        let becomes = |wanted: &str| {
            let until = std::time::Instant::now() + Duration::from_secs(20);
            while switch(&root) != wanted && std::time::Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
            switch(&root)
        };
        let mut recorder = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "schedstat::tests::a_recorder_to_be_killed"])
            .env("SCHEDSTAT_ROOT", root.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        assert_eq!(becomes("1\n"), "1\n");
        recorder.kill().unwrap(); // SIGKILL
        recorder.wait().unwrap();
        assert_eq!(becomes("0\n"), "0\n");
    }

    #[test]
    fn disabled_counters_are_not_read() {
        let root = machine(10, "0\n");
        let why_not = |mode, attempts| Sampler::start(root.path(), mode, attempts).err().unwrap();
        assert!(why_not(SchedstatMode::Auto, true).ends_with("load-balance attempts are recorded instead"));
        assert_eq!(why_not(SchedstatMode::Off, false), "not asked for");
        std::fs::write(root.path().join("proc/schedstat"), "version 99\n").unwrap();
        let why = why_not(SchedstatMode::On, true);
        assert!(why.contains("version 99: 15, 16 and 17 are known"), "{why}");
        std::fs::remove_file(root.path().join("proc/schedstat")).unwrap();
        let why = why_not(SchedstatMode::Auto, false);
        assert!(why.contains("this kernel has no /proc/schedstat"), "{why}");
    }
}
