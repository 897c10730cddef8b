//! A stream of events and the machine on which it was recorded, written as a drawing.

use std::fmt;

/// A set of CPUs, one bit per CPU.
pub type Cpus = u32;

/// CPUs of a set, ascending.
pub fn cpus_of(set: Cpus) -> impl Iterator<Item = usize> {
    (0..32).filter(move |cpu| set >> cpu & 1 == 1)
}

/// A CPU list as drawings and sysfs write it.
pub fn list(set: Cpus) -> String {
    cpus_of(set).map(|cpu| cpu.to_string()).collect::<Vec<_>>().join(",")
}

/// The machine: groups of CPUs by level, each CPU in exactly one group of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    pub cpus: usize,
    /// SMT siblings; a CPU in none is a core of its own.
    pub cores: Vec<Cpus>,
    pub llcs: Vec<Cpus>,
    pub nodes: Vec<Cpus>,
    /// Pairs of nodes one hop apart; all others are two hops apart. Empty: all are one hop apart.
    pub hops: Vec<(usize, usize)>,
    pub isolated: Cpus,
}

impl Machine {
    pub fn all(&self) -> Cpus {
        (1 << self.cpus) - 1
    }

    /// The group of a level that holds a CPU; the CPU alone where none does.
    pub fn group(groups: &[Cpus], cpu: usize) -> Cpus {
        groups.iter().copied().find(|g| g >> cpu & 1 == 1).unwrap_or(1 << cpu)
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cpus 0-{}", self.cpus - 1)?;
        let groups = |g: &[Cpus]| g.iter().map(|s| list(*s)).collect::<Vec<_>>().join(" ");
        for (name, level) in [("core", &self.cores), ("llc", &self.llcs), ("node", &self.nodes)] {
            if !level.is_empty() {
                writeln!(f, "{name} {}", groups(level))?;
            }
        }
        if !self.hops.is_empty() {
            let hops: Vec<String> = self.hops.iter().map(|(a, b)| format!("{a}-{b}")).collect();
            writeln!(f, "hops {}", hops.join(" "))?;
        }
        if self.isolated != 0 {
            writeln!(f, "isolated {}", list(self.isolated))?;
        }
        Ok(())
    }
}

/// What a CPU did when it was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CpuState {
    Idle,
    Runs(i32),
    Offline,
}

/// Where a thread was when it was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    Running,
    Queued,
    Asleep,
    Unknown,
}

/// A thread as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadState {
    pub tid: i32,
    pub name: &'static str,
    pub cpu: usize,
    pub place: Place,
    pub mask: Option<Cpus>,
    pub cpuset: Option<Cpus>,
    pub kernel: bool,
    pub per_cpu: bool,
    pub throttled: bool,
    pub disabled: bool,
    pub cookie: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Switch {
        cpu: usize,
        prev: i32,
        state: &'static str,
        next: i32,
    },
    Wakeup {
        tid: i32,
        cpu: usize,
        new: bool,
    },
    Waking {
        tid: i32,
        cpu: usize,
    },
    Migrate {
        tid: i32,
        from: Option<usize>,
        to: usize,
    },
    Fork {
        parent: i32,
        child: i32,
    },
    Exec {
        tid: i32,
        old: i32,
    },
    Exit {
        tid: i32,
    },
    Name {
        tid: i32,
        name: &'static str,
    },
    /// A change of the mask, and of the cpuset; None is unknown.
    Affinity {
        tid: i32,
        mask: Option<Cpus>,
        cpuset: Option<Cpus>,
    },
    Throttle {
        tid: i32,
        on: bool,
    },
    MigrationDisable {
        tid: i32,
        on: bool,
    },
    Cookie {
        tid: i32,
        cookie: i64,
    },
    Hotplug {
        cpu: usize,
        online: bool,
    },
    Irq {
        cpu: usize,
        ns: i64,
    },
    Run {
        tid: i32,
        cpu: usize,
        ns: i64,
    },
    Lost {
        cpu: Option<usize>,
        end: i64,
    },
    NrRunning {
        cpu: usize,
        n: i32,
    },
    Cpu {
        cpu: usize,
        state: CpuState,
    },
    Thread(ThreadState),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Time, ns.
    pub at: i64,
    pub what: What,
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}ns ", self.at)?;
        let on = |on: bool| if on { "on" } else { "off" };
        match &self.what {
            What::Switch { cpu, prev, state, next } => write!(f, "switch {cpu}: {prev} {state} -> {next}"),
            What::Wakeup { tid, cpu, new: false } => write!(f, "wakeup {tid} on {cpu}"),
            What::Wakeup { tid, cpu, new: true } => write!(f, "wakeup_new {tid} on {cpu}"),
            What::Waking { tid, cpu } => write!(f, "waking {tid} last {cpu}"),
            What::Migrate { tid, from: Some(from), to } => write!(f, "migrate {tid} from {from} to {to}"),
            What::Migrate { tid, from: None, to } => write!(f, "migrate {tid} to {to}"),
            What::Fork { parent, child } => write!(f, "fork {parent} -> {child}"),
            What::Exec { tid, old } => write!(f, "exec {tid} was {old}"),
            What::Exit { tid } => write!(f, "exit {tid}"),
            What::Name { tid, name } => write!(f, "name {tid} {name}"),
            What::Affinity { tid, mask, cpuset } => {
                write!(f, "affinity {tid} {}", mask.map_or("unknown".to_owned(), list))?;
                cpuset.map_or(Ok(()), |set| write!(f, " cpuset {}", list(set)))
            }
            What::Throttle { tid, on: is } => write!(f, "throttle {tid} {}", on(*is)),
            What::MigrationDisable { tid, on } => {
                write!(f, "migration {tid} {}", if *on { "disabled" } else { "enabled" })
            }
            What::Cookie { tid, cookie } => write!(f, "cookie {tid} {cookie}"),
            What::Hotplug { cpu, online } => write!(f, "{} {cpu}", if *online { "online" } else { "offline" }),
            What::Irq { cpu, ns } => write!(f, "irq {cpu} for {ns}ns"),
            What::Run { tid, cpu, ns } => write!(f, "run {tid} on {cpu} for {ns}ns"),
            What::Lost { cpu: Some(cpu), end } => write!(f, "lost {cpu} until {end}ns"),
            What::Lost { cpu: None, end } => write!(f, "lost any until {end}ns"),
            What::NrRunning { cpu, n } => write!(f, "nr_running {cpu} = {n}"),
            What::Cpu { cpu, state: CpuState::Idle } => write!(f, "cpu {cpu} idle"),
            What::Cpu { cpu, state: CpuState::Runs(tid) } => write!(f, "cpu {cpu} runs {tid}"),
            What::Cpu { cpu, state: CpuState::Offline } => write!(f, "cpu {cpu} offline"),
            What::Thread(t) => write!(f, "{t}"),
        }
    }
}

impl fmt::Display for ThreadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            Place::Running => "running",
            Place::Queued => "queued",
            Place::Asleep => "asleep",
            Place::Unknown => "unknown",
        };
        write!(f, "thread {} {} on {} {place}", self.tid, self.name, self.cpu)?;
        for (word, set) in [("mask", self.mask), ("cpuset", self.cpuset)] {
            set.map_or(Ok(()), |set| write!(f, " {word} {}", list(set)))?;
        }
        let flags = [
            ("kernel", self.kernel && !self.per_cpu),
            ("percpu", self.per_cpu),
            ("throttled", self.throttled),
            ("disabled", self.disabled),
        ];
        flags.iter().filter(|(_, set)| *set).try_for_each(|(word, _)| write!(f, " {word}"))?;
        if self.cookie != 0 { write!(f, " cookie {}", self.cookie) } else { Ok(()) }
    }
}

/// A whole stream: the machine, the recording's begin and end, a tick, and the events in the order of their ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    pub machine: Machine,
    pub start: i64,
    pub end: i64,
    pub tick: i64,
    pub events: Vec<Event>,
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}tick {}ns\nwindow {}ns {}ns\n", self.machine, self.tick, self.start, self.end)?;
        self.events.iter().try_for_each(|e| writeln!(f, "{e}"))
    }
}
