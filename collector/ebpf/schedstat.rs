//! Readings of /proc/schedstat through a recording, by a thread of their own.
//!
//! The kernel writes the text for all CPUs at once; on a large machine that takes milliseconds, for which the consumer must
//! not leave the rings. The thread reads every 100 ms, or so seldom that reading takes a hundredth of one CPU, and hands over
//! what changed. The kernel counts only while `kernel.sched_schedstats` is 1: a reading without it begins anew, since
//! counters that stand still say nothing then.

use crate::mask::Mask;
use crate::meta::now_ns;
use crate::options::Counting;
use crate::record::{Record, SchedstatHead};
use crate::segment::NO_CPU;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;
use wastenot_machine::schedstat::{Delta, Domain, deltas, parse};
use wastenot_schemas::EvidenceKind;

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
    /// Its begin.
    begin_ns: u64,
    /// What changed since the one before; None: there was none that counts.
    changed: Option<Vec<Delta>>,
}

/// The thread that reads. Dropping it leaves the kernel's switch as it was found.
pub(crate) struct Sampler {
    stop: Sender<()>,
    readings: Receiver<Reading>,
    /// End of the reading before, as it was recorded.
    before_ns: Option<u64>,
    switch: Option<Switch>,
}

/// `kernel.sched_schedstats`, switched on by us.
struct Switch {
    file: PathBuf,
    /// Switches it off when this process has ended without doing so. None: there is no shell to do it.
    watcher: Option<Child>,
}

impl Switch {
    /// What the watcher runs: its standard input is a pipe whose other end only this process holds, and which the kernel closes
    /// however this process ends, SIGKILL included.
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
        let switch = Self { file: file.into(), watcher: watcher.ok() };
        std::fs::write(file, "1\n")?;
        Ok(switch)
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.file, "0\n");
        if let Some(mut watcher) = self.watcher.take() {
            let _ = watcher.kill();
            let _ = watcher.wait();
        }
    }
}

impl Sampler {
    /// Begin to read under `root` (`/`, or a folder with the two files). `passes`: the balancer's passes are recorded. None,
    /// with the reason where something is missing that was asked for.
    pub fn start(root: &Path, wanted: Counting, passes: bool) -> (Option<Self>, Option<String>) {
        let (file, switch) = (root.join("proc/schedstat"), root.join("proc/sys/kernel/sched_schedstats"));
        let what = EvidenceKind::SchedstatCounters.words();
        let missing = |why: String| (None, Some(format!("not recorded: {what} ({why})")));
        if wanted == Counting::Off {
            return (None, None);
        }
        if !file.exists() {
            let asked = wanted == Counting::On || !passes;
            return if asked { missing("this kernel has no /proc/schedstat".into()) } else { (None, None) };
        }
        let mut ours = None;
        if !is_on(&switch) {
            if wanted == Counting::Auto && passes {
                return (None, None);
            }
            match Switch::on(&switch) {
                Ok(on) => ours = Some(on),
                Err(why) => return missing(format!("kernel.sched_schedstats is 0 and cannot be set: {why}")),
            }
        }
        if let Err(why) = std::fs::read_to_string(&file).map_err(|e| e.to_string()).and_then(|text| told(&text)) {
            return missing(why);
        }
        let (stop, stopped) = channel();
        let (hand_over, readings) = sync_channel(1);
        let spawned = std::thread::Builder::new()
            .name("wastenot-counts".into())
            .spawn(move || read_on(&file, &switch, &stopped, &hand_over));
        match spawned {
            Ok(_) => (Some(Self { stop, readings, before_ns: None, switch: ours }), None),
            Err(why) => missing(format!("no thread to read them: {why}")),
        }
    }

    /// Append the records of a reading that is at hand. It is stamped now: the thread that read may have been kept waiting.
    pub fn take(&mut self, base_ns: u64, own: &mut Vec<u8>) {
        if let Ok(reading) = self.readings.try_recv() {
            self.write(&reading, base_ns, own);
        }
    }

    /// Append the last reading, and leave the kernel as it was.
    pub fn finish(mut self, base_ns: u64, own: &mut Vec<u8>) {
        let _ = self.stop.send(());
        while let Ok(reading) = self.readings.recv_timeout(LAST) {
            self.write(&reading, base_ns, own);
        }
        drop(self.switch.take());
    }

    fn write(&mut self, reading: &Reading, base_ns: u64, own: &mut Vec<u8>) {
        let now = now_ns();
        let before = self.before_ns.replace(now).filter(|_| reading.changed.is_some());
        let head = SchedstatHead {
            cpu: NO_CPU,
            reading_ns: now.saturating_sub(reading.begin_ns),
            interval_ns: before.map_or(0, |before| now - before),
            ..SchedstatHead::default()
        };
        Record::Schedstat { head, counters: Mask::from_bytes(&[]) }.write(now, base_ns, own);
        for delta in reading.changed.iter().flatten() {
            let head =
                SchedstatHead { cpu: delta.cpu as u16, level: delta.level, restarted: delta.restarted.into(), ..head };
            let bytes: Vec<u8> = delta.counters.iter().flat_map(|counter| counter.to_le_bytes()).collect();
            Record::Schedstat { head, counters: Mask::from_bytes(&bytes) }.write(now, base_ns, own);
        }
    }
}

fn is_on(switch: &Path) -> bool {
    std::fs::read_to_string(switch).is_ok_and(|text| text.trim() == "1")
}

fn told(text: &str) -> Result<(), String> {
    match parse(text) {
        Ok(domains) if domains.is_empty() => Err("the kernel tells no domains".into()),
        Ok(_) => Ok(()),
        Err(why) => Err(why.to_string()),
    }
}

fn read_on(file: &Path, switch: &Path, stopped: &Receiver<()>, hand_over: &SyncSender<Reading>) {
    let mut before: Option<Vec<Domain>> = None;
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
            // Once more: what was counted since the reading before.
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
    fn rows(bytes: &[u8]) -> Vec<(SchedstatHead, Option<u64>)> {
        let (mut rest, mut rows) = (bytes, Vec::new());
        while !rest.is_empty() {
            let (_, record, length) = read(rest, 0).unwrap();
            let Record::Schedstat { head, counters } = record else { panic!("another record: {record:?}") };
            rows.push((head, counters.words().nth(8)));
            rest = &rest[length..];
        }
        rows
    }

    #[test]
    fn what_is_counted_between_the_first_and_the_last_reading_is_recorded_once() {
        let root = machine(10, "1\n");
        let (sampler, why) = Sampler::start(root.path(), Counting::Auto, true);
        let (mut sampler, mut own) = (sampler.unwrap(), Vec::new());
        assert_eq!(why, None);
        while own.is_empty() {
            sampler.take(0, &mut own);
        }
        std::fs::write(root.path().join("proc/schedstat.new"), text(17)).unwrap();
        std::fs::rename(root.path().join("proc/schedstat.new"), root.path().join("proc/schedstat")).unwrap();
        sampler.finish(0, &mut own);
        let rows = rows(&own);
        assert_eq!((rows[0].0.cpu, rows[0].0.interval_ns), (NO_CPU, 0), "the first reading counts nothing");
        let counted: Vec<_> =
            rows.iter().filter_map(|(head, idle)| idle.map(|idle| (head.cpu, head.level, idle))).collect();
        assert_eq!(counted, [(0, 0, 7)]);
        assert_eq!(switch(&root), "1\n", "it was on before");
    }

    #[test]
    fn the_switch_is_put_back() {
        let root = machine(10, "0\n");
        let (sampler, _) = Sampler::start(root.path(), Counting::Auto, false);
        assert_eq!(switch(&root), "1\n", "passes are not recorded: counters are the only evidence");
        sampler.unwrap().finish(0, &mut Vec::new());
        assert_eq!(switch(&root), "0\n");
        let (sampler, _) = Sampler::start(root.path(), Counting::On, true);
        drop(sampler);
        assert_eq!(switch(&root), "0\n");
    }

    /// The process that the next test kills.
    #[test]
    #[ignore = "runs until it is killed"]
    fn a_recorder_to_be_killed() {
        let root = PathBuf::from(std::env::var_os("SCHEDSTAT_ROOT").expect("set by the test that starts this one"));
        let sampler = Sampler::start(&root, Counting::On, true);
        assert!(sampler.0.is_some(), "{:?}", sampler.1);
        std::thread::sleep(Duration::from_secs(60));
    }

    #[test]
    fn the_switch_is_put_back_when_the_recorder_is_killed() {
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
    fn counters_that_stand_still_are_not_read() {
        let root = machine(10, "0\n");
        assert!(matches!(Sampler::start(root.path(), Counting::Auto, true), (None, None)));
        assert!(matches!(Sampler::start(root.path(), Counting::Off, false), (None, None)));
        std::fs::write(root.path().join("proc/schedstat"), "version 99\n").unwrap();
        let why = Sampler::start(root.path(), Counting::On, true).1.unwrap();
        assert!(why.contains("version 99: 15, 16 and 17 are known"), "{why}");
        std::fs::remove_file(root.path().join("proc/schedstat")).unwrap();
        let why = Sampler::start(root.path(), Counting::Auto, false).1.unwrap();
        assert!(why.contains("this kernel has no /proc/schedstat"), "{why}");
    }
}
