//! A session of LTTng that records the kernel's scheduler, driven by the `lttng` tool as root; or one that records applications'
//! bubbles (`collector/bubbles`), beside a recording of the kernel by another tracer.
//!
//! Two channels: `sched` with the events of [`shape_of`](wastenot_import::shape_of) that a check uses and the thread that ran, `stacks`
//! with the migrations once more and their kernel call stacks. The balancer's functions go into a third, where the kernel allows
//! probes on them. Beside the trace are `machine.json` and `kallsyms`, where the importer looks for them.
//!
//! The command lines are tested; a recording of a kernel is not, for want of one with LTTng's modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use wastenot_import::ImportError;
use wastenot_machine::Machine;
use wastenot_schemas::EvidenceKind;

/// Recorded events of the kernel, by LTTng's names; a kernel may lack all but the first.
const EVENTS: [&str; 15] = [
    "sched_switch",
    "sched_waking",
    "sched_wakeup",
    "sched_wakeup_new",
    "sched_migrate_task",
    "sched_process_fork",
    "sched_process_exec",
    "sched_process_exit",
    "task_rename",
    "irq_handler_entry",
    "irq_handler_exit",
    "irq_softirq_entry",
    "irq_softirq_exit",
    "cpuhp_enter",
    "lttng_statedump_process_state",
];
/// Functions of the balancer: before 6.10 and since.
const FUNCTIONS: [&str; 4] = ["load_balance", "newidle_balance", "sched_balance_rq", "sched_balance_newidle"];

/// How to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// Kernel stacks of migrations.
    pub stacks: bool,
    /// Entry and return of the balancer's functions.
    pub balance: bool,
    /// Size of a sub-buffer (bytes, a power of two) and how many of them each CPU has per channel.
    pub subbuffer_bytes: u64,
    /// See `subbuffer_bytes`.
    pub subbuffers: u32,
}

impl Default for SessionOptions {
    /// 4 times 1 MiB per CPU and channel: some 100,000 events.
    fn default() -> Self {
        Self { stacks: true, balance: true, subbuffer_bytes: 1 << 20, subbuffers: 4 }
    }
}

/// A running recording. Dropping it without [`stop`](Self::stop) destroys the session and keeps the recorded events.
#[derive(Debug)]
pub struct Session {
    name: String,
    folder: PathBuf,
    of_kernel: bool,
    running: bool,
    not_recorded: Vec<String>,
}

/// A command of the `lttng` tool.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    arguments: Vec<String>,
    /// What is not recorded where LTTng refuses the command, and all others with the same text; None: the recording fails.
    records: Option<String>,
}

/// Whether LTTng can record the kernel here; the error is one line: why not, and what to do.
pub fn available() -> Result<(), String> {
    // SAFETY: asks for a number.
    let root = unsafe { libc::geteuid() } == 0;
    let modules = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let built = Path::new("/lib/modules").join(release.trim());
    require(&Prerequisites {
        tool: find_tool("lttng").is_some() && find_tool("lttng-sessiond").is_some(),
        root,
        modules_supported: Path::new("/proc/modules").exists(),
        modules_forbidden: modules("/proc/sys/kernel/modules_disabled").trim() == "1",
        tracer_loaded: modules("/proc/modules").lines().any(|line| line.starts_with("lttng_")),
        tracer_built: has_tracer(&built, 6),
        release: release.trim().into(),
    })
}

/// Whether LTTng can record applications' bubbles here; the error is one line: why not, and what to do.
pub fn available_for_bubbles() -> Result<(), String> {
    match find_tool("lttng").is_some() && find_tool("lttng-sessiond").is_some() {
        true => Ok(()),
        false => Err("LTTng's tools are not installed; apt-get install lttng-tools".into()),
    }
}

/// What recording the kernel depends on.
#[derive(Clone, Debug, Default)]
struct Prerequisites {
    tool: bool,
    root: bool,
    modules_supported: bool,
    modules_forbidden: bool,
    tracer_loaded: bool,
    tracer_built: bool,
    release: String,
}

fn require(machine: &Prerequisites) -> Result<(), String> {
    let release = &machine.release;
    match () {
        () if !machine.tool => Err("LTTng's tools are not installed; apt-get install lttng-tools lttng-modules-dkms".into()),
        () if !machine.root => Err("recording the kernel with LTTng needs root".into()),
        () if machine.tracer_loaded => Ok(()),
        () if !machine.modules_supported => {
            Err("this kernel has no modules, and LTTng's tracer is one; --source ebpf needs none".into())
        }
        () if machine.modules_forbidden => {
            Err("loading modules is forbidden (kernel.modules_disabled=1), and LTTng's tracer is one; --source ebpf needs none"
                .into())
        }
        () if !machine.tracer_built => Err(format!(
            "LTTng's tracer is not built for Linux {release}; apt-get install lttng-modules-dkms linux-headers-{release}"
        )),
        () => Ok(()),
    }
}

/// A folder under `folder` holds LTTng's modules.
fn has_tracer(folder: &Path, depth: usize) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = entry.file_name();
        name.to_string_lossy().starts_with("lttng-tracer.ko")
            || is_folder && name != "build" && name != "source" && depth > 0 && has_tracer(&entry.path(), depth - 1)
    })
}

/// Path of a program that the shell would find.
pub fn find_tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

impl Session {
    /// Start to record the kernel into `folder`, which must not exist or be empty.
    pub fn start(folder: &Path, options: &SessionOptions) -> Result<Self, ImportError> {
        available().map_err(ImportError::Option)?;
        if !options.subbuffer_bytes.is_power_of_two() || options.subbuffer_bytes < 4096 || options.subbuffers < 2 {
            let why = "LTTng's buffers: two or more, each a power of two of at least 4096 bytes".into();
            return Err(ImportError::Option(why));
        }
        let folder = make_empty_folder(folder)?;
        let machine = Machine::read(Path::new("/")).map_err(|error| ImportError::Option(error.to_string()))?;
        let write = |name: &str, text: String| {
            let file = folder.join(name);
            fs::write(&file, text).map_err(|cause| ImportError::io(file, cause))
        };
        write("machine.json", machine.to_json())?;

        Self::run(folder, true, |name, folder| start_steps(name, folder, options))
    }

    /// Start to record applications' bubbles into `folder`, which must not exist or be empty.
    pub fn start_bubbles(folder: &Path) -> Result<Self, ImportError> {
        available_for_bubbles().map_err(ImportError::Option)?;
        Self::run(make_empty_folder(folder)?, false, bubble_steps)
    }

    fn run(folder: PathBuf, of_kernel: bool, steps: impl Fn(&str, &Path) -> Vec<Step>) -> Result<Self, ImportError> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let kind = if of_kernel { "kernel" } else { "bubbles" };
        let name = format!("wastenot-{kind}-{}-{}", std::process::id(), since.as_millis());
        remove_orphans();
        let mut session = Self { name, folder, of_kernel, running: false, not_recorded: Vec::new() };
        let (mut recorded, mut refused) = (BTreeSet::new(), BTreeMap::new());
        for step in steps(&session.name, &session.folder) {
            let done = run(&step.arguments);
            session.running = true; // from the first step on there is something to destroy
            match (step.records, done) {
                (None, done) => done?,
                (Some(what), Ok(())) => drop(recorded.insert(what)),
                (Some(what), Err(error)) => drop(refused.entry(what).or_insert(error)),
            }
        }
        refused.retain(|what, _| !recorded.contains(what));
        session.not_recorded = refused.iter().map(|(what, error)| format!("not recorded: {what} ({error})")).collect();
        Ok(session)
    }

    /// Stop the recording. Returns the folder of the trace, for import.
    pub fn stop(mut self) -> Result<PathBuf, ImportError> {
        if self.of_kernel {
            // At the end: the tracer's own functions have names once it is loaded.
            let symbols = fs::read("/proc/kallsyms").unwrap_or_default();
            fs::write(self.folder.join("kallsyms"), symbols).map_err(|cause| ImportError::io(&self.folder, cause))?;
        }
        for arguments in stop_steps(&self.name) {
            run(&arguments)?;
        }
        self.running = false;
        Ok(self.folder.clone())
    }

    /// A line for each thing that LTTng refused to record, with the reason.
    pub fn not_recorded(&self) -> &[String] {
        &self.not_recorded
    }

    /// The folder of the recording.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.running {
            for arguments in stop_steps(&self.name) {
                let _ = run(&arguments); // drop() cannot report an error
            }
        }
    }
}

/// Make the folder for a recording, or take it when it is empty.
fn make_empty_folder(folder: &Path) -> Result<PathBuf, ImportError> {
    fs::create_dir_all(folder).map_err(|cause| ImportError::io(folder, cause))?;
    let folder = fs::canonicalize(folder).map_err(|cause| ImportError::io(folder, cause))?;
    let filled = fs::read_dir(&folder).map_err(|cause| ImportError::io(&folder, cause))?.next().is_some();
    if filled {
        let why = format!("{}: not empty; a recording needs a folder of its own", folder.display());
        return Err(ImportError::Option(why));
    }
    Ok(folder)
}

/// The command lines of a session with what applications report: events of `collector/bubbles` and of `collector/calls`.
fn bubble_steps(name: &str, folder: &Path) -> Vec<Step> {
    let step = |text: &str| {
        let arguments = text.split_whitespace().map(|word| word.replace("NAME", name)).collect();
        Step { arguments, records: None }
    };
    let mut create = step("create NAME");
    create.arguments.push(format!("--output={}", folder.display()));
    vec![
        create,
        step("enable-channel -u -s NAME --discard --subbuf-size=262144 --num-subbuf=4 bubbles"),
        step("enable-event -u -s NAME -c bubbles wastenot_bubble:*"),
        step("enable-event -u -s NAME -c bubbles wastenot_call:*"),
        step("add-context -u -s NAME -c bubbles -t vtid -t vpid"),
        step("start NAME"),
    ]
}

/// The command lines that make and start a session, without the tool's name.
fn start_steps(name: &str, folder: &Path, options: &SessionOptions) -> Vec<Step> {
    let step = |text: &str, records: Option<&str>| Step {
        arguments: text.split_whitespace().map(|word| word.replace("NAME", name)).collect(),
        records: records.map(str::to_owned),
    };
    let mut create = step("create NAME", None);
    create.arguments.push(format!("--output={}", folder.display()));
    let channel = |channel: &str| {
        let (bytes, count) = (options.subbuffer_bytes, options.subbuffers);
        step(&format!("enable-channel -k -s NAME --discard --subbuf-size={bytes} --num-subbuf={count} {channel}"), None)
    };
    let mut steps = vec![create, channel("sched")];
    for event in EVENTS {
        let records = (event != EVENTS[0]).then_some(event);
        steps.push(step(&format!("enable-event -k -s NAME -c sched {event}"), records));
    }
    steps.push(step("add-context -k -s NAME -c sched -t tid", None));
    if options.stacks {
        steps.push(channel("stacks"));
        steps.push(step("enable-event -k -s NAME -c stacks sched_migrate_task", None));
        let records = Some(EvidenceKind::MigrationStacks.words());
        steps.push(step("add-context -k -s NAME -c stacks -t callstack-kernel", records));
    }
    if options.balance {
        steps.push(channel("balance"));
        for function in FUNCTIONS {
            let records = Some(EvidenceKind::LoadBalanceAttempts.words());
            steps.push(step(&format!("enable-event -k -s NAME -c balance --function={function} {function}"), records));
        }
    }
    steps.push(step("start NAME", None));
    steps
}

fn stop_steps(name: &str) -> [Vec<String>; 2] {
    ["stop", "destroy"].map(|verb| vec![verb.to_owned(), name.to_owned()])
}

/// Destroy the sessions of recorders that were killed: they would go on recording.
fn remove_orphans() {
    let Ok(output) = Command::new("lttng").arg("list").output() else { return };
    let is_running = |pid: u32| Path::new(&format!("/proc/{pid}")).exists();
    for name in orphans(&String::from_utf8_lossy(&output.stdout), is_running) {
        let _ = run(&["destroy".to_owned(), name]);
    }
}

/// Our sessions in the list that `lttng list` prints whose process does not run.
fn orphans(list: &str, is_running: impl Fn(u32) -> bool) -> Vec<String> {
    let pid_of = |name: &str| -> Option<u32> {
        let rest = name.strip_prefix("wastenot-kernel-").or_else(|| name.strip_prefix("wastenot-bubbles-"))?;
        rest.split_once('-')?.0.parse().ok()
    };
    let words = list.split_whitespace();
    words.filter(|word| pid_of(word).is_some_and(|pid| !is_running(pid))).map(str::to_owned).collect()
}

/// Run `lttng`; the error is its last line.
fn run(arguments: &[String]) -> Result<(), ImportError> {
    let output = Command::new("lttng").args(arguments).output();
    let output = match output {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => output,
        Err(cause) => return Err(ImportError::Option(format!("lttng cannot be run: {cause}"))),
    };
    let printed = [output.stderr, output.stdout].concat();
    let printed = String::from_utf8_lossy(&printed);
    let line = printed.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no reason given");
    Err(ImportError::Option(format!("lttng {}: {}", arguments.join(" "), line.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(options: &SessionOptions) -> Vec<String> {
        let steps = start_steps("s", Path::new("/tmp/a b"), options);
        steps
            .iter()
            .map(|step| format!("{}{}", if step.records.is_some() { "?" } else { "" }, step.arguments.join(" ")))
            .collect()
    }

    #[test]
    fn the_command_lines_of_a_recording() {
        let all = lines(&SessionOptions::default());
        assert_eq!(all[0], "create s --output=/tmp/a b");
        assert_eq!(all[1], "enable-channel -k -s s --discard --subbuf-size=1048576 --num-subbuf=4 sched");
        assert_eq!(all[2], "enable-event -k -s s -c sched sched_switch");
        assert_eq!(all[3], "?enable-event -k -s s -c sched sched_waking");
        let rest = &all[2 + EVENTS.len()..];
        assert_eq!(
            rest,
            [
                "add-context -k -s s -c sched -t tid",
                "enable-channel -k -s s --discard --subbuf-size=1048576 --num-subbuf=4 stacks",
                "enable-event -k -s s -c stacks sched_migrate_task",
                "?add-context -k -s s -c stacks -t callstack-kernel",
                "enable-channel -k -s s --discard --subbuf-size=1048576 --num-subbuf=4 balance",
                "?enable-event -k -s s -c balance --function=load_balance load_balance",
                "?enable-event -k -s s -c balance --function=newidle_balance newidle_balance",
                "?enable-event -k -s s -c balance --function=sched_balance_rq sched_balance_rq",
                "?enable-event -k -s s -c balance --function=sched_balance_newidle sched_balance_newidle",
                "start s",
            ]
        );
        let folder = &start_steps("s", Path::new("/tmp/a b"), &SessionOptions::default())[0].arguments[2];
        assert_eq!(folder, "--output=/tmp/a b", "a folder with a space stays one argument");
        let few = lines(&SessionOptions { stacks: false, balance: false, ..SessionOptions::default() });
        assert_eq!(few.len(), all.len() - 8);
        assert_eq!(stop_steps("s").map(|step| step.join(" ")), ["stop s", "destroy s"]);
    }

    #[test]
    fn the_command_lines_of_bubbles() {
        let steps = bubble_steps("s", Path::new("/tmp/a b"));
        let lines: Vec<String> = steps.iter().map(|step| step.arguments.join(" ")).collect();
        assert_eq!(
            lines,
            [
                "create s --output=/tmp/a b",
                "enable-channel -u -s s --discard --subbuf-size=262144 --num-subbuf=4 bubbles",
                "enable-event -u -s s -c bubbles wastenot_bubble:*",
                "enable-event -u -s s -c bubbles wastenot_call:*",
                "add-context -u -s s -c bubbles -t vtid -t vpid",
                "start s",
            ]
        );
    }

    #[test]
    fn sessions_of_killed_recorders_are_orphans_and_others_are_not() {
        let list = "Available recording sessions:\n  1) wastenot-bubbles-10-99 [active]\n  2) wastenot-kernel-11-98 [inactive]\n  \
                    3) mine [active]\n  4) wastenot-kernel-x [active]\n";
        assert_eq!(orphans(list, |pid| pid == 11), ["wastenot-bubbles-10-99"]);
        assert_eq!(orphans(list, |_| false), ["wastenot-bubbles-10-99", "wastenot-kernel-11-98"]);
    }

    #[test]
    fn where_it_cannot_record_the_reason_is_one_line() {
        let able = Prerequisites {
            tool: true,
            root: true,
            modules_supported: true,
            modules_forbidden: false,
            tracer_loaded: false,
            tracer_built: true,
            release: "6.1.0".into(),
        };
        assert_eq!(require(&able), Ok(()));
        for (machine, word) in [
            (Prerequisites { tool: false, ..able.clone() }, "not installed"),
            (Prerequisites { root: false, ..able.clone() }, "root"),
            (Prerequisites { modules_supported: false, ..able.clone() }, "no modules"),
            (Prerequisites { modules_forbidden: true, ..able.clone() }, "modules_disabled"),
            (Prerequisites { tracer_built: false, ..able.clone() }, "linux-headers-6.1.0"),
        ] {
            let why = require(&machine).unwrap_err();
            assert!(why.contains(word) && !why.contains('\n'), "{why}");
        }
        let loaded = Prerequisites { tracer_loaded: true, tracer_built: false, ..able };
        assert_eq!(require(&loaded), Ok(()));
        println!("here: {:?}", available());
    }

    #[test]
    fn a_session_that_cannot_record_is_not_started() {
        let dir = tempfile::tempdir().unwrap();
        if available().is_ok() {
            return wastenot_skips::inapplicable("LTTng can record here");
        }
        let error = Session::start(dir.path(), &SessionOptions::default()).unwrap_err().to_string();
        assert!(!error.contains('\n'), "{error}");
        assert!(fs::read_dir(dir.path()).unwrap().next().is_none(), "nothing is left behind");
    }
}
