//! A recording made here and now, read back in the order of time; and the plainest reconstruction of it.
#![allow(dead_code)] // each test file uses its part

use std::collections::{HashMap, HashSet};
use std::path::Path;
use wastenot_ebpf::record::{self, Record};
use wastenot_ebpf::segment::{Frame, NO_CPU, RecordingReader, Tail, WINDOW_NS};
use wastenot_ebpf::watch::{FlightRecorder, WatchOptions, WatchStarted};
use wastenot_ebpf::{CaptureError, EbpfRecorder, Meta, Options};
use wastenot_topology::task_state::of_word;

/// A record with its time and the CPU that wrote it, the borrowed parts leaked: tests are short.
pub struct Event {
    pub ts_ns: u64,
    pub cpu: u16,
    pub record: Record<'static>,
}

/// All records of a recording, by time; equal times in the order of writing. Checks each frame's promise on the way.
pub fn events(folder: &Path) -> (Vec<Event>, Tail) {
    let mut reader = RecordingReader::open(&folder.join("segments")).unwrap();
    let (mut frame, mut events, mut promised) = (Frame::default(), Vec::new(), 0);
    while reader.next_into(&mut frame) {
        assert!(frame.watermark_ns >= promised, "watermarks never fall");
        let bytes: &'static [u8] = Box::leak(frame.records.clone().into_boxed_slice());
        let mut at = 0;
        while at < bytes.len() {
            let (ts_ns, record, length) = record::read(&bytes[at..], reader.base_ns()).unwrap();
            let of_user = frame.cpu == NO_CPU;
            assert!(of_user || ts_ns + WINDOW_NS >= promised, "{record:?} lies {} ns behind", promised - ts_ns);
            events.push(Event { ts_ns, cpu: frame.cpu, record });
            at += length;
        }
        promised = frame.watermark_ns;
    }
    events.sort_by_key(|event| event.ts_ns);
    (events, reader.tail().unwrap().1.clone())
}

/// Record while `act` runs. `None` where BPF is not permitted: then the message has been checked and printed.
pub fn record(folder: &Path, options: Options, act: impl FnOnce(&Meta)) -> Option<Meta> {
    let mut recorder = EbpfRecorder::new(folder, options);
    match recorder.start() {
        Ok(meta) => act(&meta),
        Err(error) => {
            let message = error.to_string();
            match error {
                CaptureError::NotPermitted { .. } => assert!(message.contains("run as root"), "{message}"),
                CaptureError::NoBtf => assert!(message.contains("CONFIG_DEBUG_INFO_BTF"), "{message}"),
                _ => panic!("{message}"),
            }
            assert!(!folder.exists(), "a recording that could not start leaves nothing behind");
            wastenot_skips::skip(format_args!("nothing can be recorded here: {message}"));
            return None;
        }
    }
    Some(recorder.stop("duration").unwrap())
}

/// A started watcher, of which `check` says whether the parts that the test needs are there. None where nothing can be
/// recorded, or where no one said that the machine is at rest.
pub fn start_watcher(json: &str, check: impl FnOnce(&WatchStarted)) -> Option<FlightRecorder> {
    if std::env::var_os("WASTENOT_TEST_WATCH").is_none() {
        wastenot_skips::skip(format_args!("needs a machine at rest; `make test-watch` runs it"));
        return None;
    }
    let watcher = FlightRecorder::new(WatchOptions::from_json(json).unwrap());
    match watcher.start() {
        Ok(started) => {
            check(&started);
            Some(watcher)
        }
        Err(error @ (CaptureError::NotPermitted { .. } | CaptureError::NoBtf)) => {
            wastenot_skips::skip(format_args!("nothing can be recorded here: {error}"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// A shell and everything it started, killed when dropped.
pub struct Load(std::process::Child);

impl Drop for Load {
    fn drop(&mut self) {
        // SAFETY: a signal to the process group that `run` made; no memory is involved.
        unsafe { libc::kill(-(self.0.id() as i32), libc::SIGKILL) };
        let _ = self.0.wait();
    }
}

/// Run a shell command in a process group of its own.
pub fn run(command: &str) -> Load {
    use std::os::unix::process::CommandExt;
    Load(std::process::Command::new("sh").arg("-c").arg(command).process_group(0).spawn().unwrap())
}

/// What contradicts what, in a reconstruction that trusts every record.
///
/// Some sandboxes run no BPF program while a thread of process 1 is current (its switch-outs, and whom it wakes, are
/// missing from every tracer). Where a thread of process 1 is seen to start running and never to stop, switches after it
/// are not held against the recorder, and neither are a few threads picked without a wakeup.
#[derive(Debug, Default)]
pub struct Contradictions {
    /// Switches after a thread of process 1 whose leaving no program saw.
    pub hidden_by_sandbox: usize,
    /// A switch whose prev is not the thread that the CPU ran.
    pub wrong_prev: Vec<String>,
    /// A thread that begins to run while another CPU runs it.
    pub two_cpus: Vec<String>,
    /// An event, other than a waking, of a thread that no thread or fork record has introduced.
    pub unknown: Vec<String>,
    /// A second thread or fork record of a living thread.
    pub twice: Vec<String>,
    /// A thread, not of process 1, that is picked although it was asleep, or from another CPU's queue.
    pub wrong_pick: Vec<String>,
    /// A wakeup of a thread that its thread record has queued. Right where the thread was preempted on its way to sleep: seldom.
    pub queued_at_wakeup: Vec<String>,
    pub switches: usize,
}

impl Contradictions {
    pub fn of(events: &[Event]) -> Self {
        let mut found = Self::default();
        let mut current: HashMap<u16, i32> = HashMap::new();
        let mut running: HashMap<i32, u16> = HashMap::new();
        let mut queued: HashMap<i32, Option<u16>> = HashMap::new(); // None: asleep
        let mut queued_by_row: HashSet<i32> = HashSet::new();
        let tasks = std::fs::read_dir("/proc/1/task").into_iter().flatten().flatten();
        let mut of_init: HashSet<i32> = tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()).collect();
        for event in events {
            if let Record::Thread(thread) = event.record
                && thread.tgid == 1
            {
                of_init.insert(thread.tid);
            }
        }
        let at = |e: &Event| format!("{} ns cpu {}: {:?}", e.ts_ns, e.cpu, e.record);
        for event in events {
            // Some virtual machines show no program the threads of process 1, their agent, or only at times.
            let introduced = |tid: i32| tid == 0 || queued.contains_key(&tid) || of_init.contains(&tid);
            match event.record {
                Record::CpuSnapshot(row) if row.online == 1 => {
                    current.insert(row.cpu, row.current);
                    running.insert(row.current, row.cpu);
                }
                Record::Thread(thread) => {
                    if queued.contains_key(&thread.tid) && thread.tgid != 1 {
                        let of_thread = format!("tid: {},", thread.tid);
                        let before =
                            events.iter().map(at).take_while(|e| *e != at(event)).filter(|e| e.contains(&of_thread));
                        let row = at(event).split(", ppid").next().map(str::to_owned);
                        found.twice.push(format!("{row:?} after {:#?}", before.take(3).collect::<Vec<_>>()));
                    }
                    let other = current.get(&thread.cpu).filter(|&&tid| tid != thread.tid && !of_init.contains(&tid));
                    if let Some(other) = other.filter(|_| thread.queue == 0) {
                        found.two_cpus.push(format!("{} while it runs {other}", at(event)));
                    }
                    queued.insert(thread.tid, (thread.queue < 2).then_some(thread.cpu));
                    if thread.queue == 1 {
                        queued_by_row.insert(thread.tid);
                    }
                }
                Record::Fork(fork) => {
                    if !introduced(fork.parent_tid) {
                        found.unknown.push(at(event));
                    }
                    if queued.insert(fork.child_tid, None).is_some() {
                        let tid = format!("tid: {},", fork.child_tid);
                        let before = events.iter().map(at).take_while(|e| *e != at(event));
                        let before: Vec<_> = before.filter(|e| e.contains(&tid)).collect();
                        found.twice.push(format!("{} after {before:#?}", at(event)));
                    }
                }
                Record::Wakeup(record::Wakeup { tid, cpu, .. })
                | Record::WakeupNew(record::WakeupNew { tid, cpu, .. }) => {
                    if !introduced(tid) {
                        found.unknown.push(at(event));
                    }
                    if queued_by_row.remove(&tid) {
                        found.queued_at_wakeup.push(at(event));
                    }
                    queued.insert(tid, Some(cpu));
                }
                Record::Migrate(m) => {
                    if !introduced(m.tid) {
                        found.unknown.push(at(event));
                    }
                    if let Some(Some(cpu)) = queued.get_mut(&m.tid) {
                        *cpu = m.dest_cpu;
                    }
                }
                Record::Switch(s) => {
                    found.switches += 1;
                    queued_by_row.remove(&s.next_tid);
                    if !introduced(s.prev_tid) || !introduced(s.next_tid) {
                        found.unknown.push(at(event));
                    }
                    let before = current.insert(event.cpu, s.next_tid);
                    if before.is_some_and(|tid| of_init.contains(&tid) && tid != s.prev_tid) {
                        found.hidden_by_sandbox += 1;
                        if let Some(hidden) = before {
                            running.remove(&hidden);
                            queued.insert(hidden, None);
                        }
                        running.remove(&s.prev_tid);
                    } else if before.is_some_and(|tid| tid != s.prev_tid) {
                        found.wrong_prev.push(format!("{} after {before:?}", at(event)));
                    }
                    if running.get(&s.prev_tid) == Some(&event.cpu) {
                        running.remove(&s.prev_tid);
                    }
                    let stays = matches!(of_word(s.state()), 0 | 1);
                    if s.prev_tid != 0 {
                        queued.insert(s.prev_tid, stays.then_some(event.cpu));
                        if matches!(of_word(s.state()), 6 | 7) {
                            queued.remove(&s.prev_tid);
                        }
                    }
                    if s.next_tid != 0 {
                        if !of_init.contains(&s.next_tid) && queued.get(&s.next_tid) != Some(&Some(event.cpu)) {
                            found.wrong_pick.push(format!("{} from {:?}", at(event), queued.get(&s.next_tid)));
                        }
                        let hidden = of_init.contains(&s.next_tid);
                        if let Some(cpu) = running.insert(s.next_tid, event.cpu).filter(|_| !hidden) {
                            found.two_cpus.push(format!("{} and on {cpu}", at(event)));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
}
