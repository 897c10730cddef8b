//! A second, naive checker: `docs/semantics.md` written down as directly as it reads, to hold the real one against.
//!
//! `state` replays events and notes the whole state of every stretch of time in which nothing changes; `figures` goes
//! over those stretches with brute force (`matching`) and adds up every figure; `checked_figures` reads the same figures out of the
//! checker's tables; `waits` is the wait ledger; `streams` makes traces. Nothing is incremental, nothing is shared with the checker.
#![allow(dead_code)] // each test file uses its share

pub mod checked_figures;
pub mod figures;
pub mod matching;
pub mod state;
pub mod streams;
pub mod waits;

/// A set of CPUs, one bit each.
pub type Set = u64;

pub fn members(set: Set) -> impl Iterator<Item = usize> {
    (0..64).filter(move |c| set >> c & 1 == 1)
}

fn list(set: Set) -> String {
    members(set).map(|c| c.to_string()).collect::<Vec<_>>().join(",")
}

/// The machine of a generated trace: CPUs `0..n` in groups.
#[derive(Clone, Debug)]
pub struct Machine {
    pub n: usize,
    /// Per CPU the number of its group.
    pub llc: Vec<usize>,
    pub node: Vec<usize>,
    pub core: Vec<usize>,
    pub isolated: Set,
    pub tick_ns: i64,
    /// Balance intervals of the domain over an LLC and of the one over everything; None: no domain is known.
    pub intervals_ns: Option<(i64, i64)>,
}

impl Machine {
    pub fn all(&self) -> Set {
        (1 << self.n) - 1
    }

    /// Of the CPUs numbered alike in `groups`, those with `cpu`.
    fn group(groups: &[usize], cpu: usize) -> Set {
        (0..groups.len()).filter(|&c| groups[c] == groups[cpu]).fold(0, |set, c| set | 1 << c)
    }

    pub fn siblings(&self, cpu: usize) -> Set {
        Self::group(&self.core, cpu) & !(1 << cpu)
    }

    /// Spans of the domains of a CPU with their intervals, lowest first.
    pub fn domains(&self, cpu: usize) -> Vec<(Set, i64)> {
        let Some((llc, everything)) = self.intervals_ns.filter(|_| self.isolated >> cpu & 1 == 0) else {
            return Vec::new();
        };
        vec![(Self::group(&self.llc, cpu) & !self.isolated, llc), (self.all() & !self.isolated, everything)]
    }

    /// How far apart two CPUs are: SMT sibling, LLC, node, then other nodes.
    pub fn rank(&self, a: usize, b: usize) -> u32 {
        match () {
            () if a == b => 0,
            () if self.core[a] == self.core[b] => 1,
            () if self.llc[a] == self.llc[b] => 2,
            () if self.node[a] == self.node[b] => 3,
            () => 4,
        }
    }

    /// τ of the grades in flight, expected, lasting, persistent for an idle CPU and a queue.
    pub fn tau(&self, idle: usize, queue: usize) -> [i64; 4] {
        let domains = self.domains(idle);
        let lowest = domains.iter().find(|(span, _)| span >> queue & 1 == 1);
        let interval = lowest.map_or(2_000_000 * self.n as i64, |d| d.1).max(self.tick_ns);
        let persistent = (3 * interval).min(100_000_000).max(self.tick_ns);
        [50_000, self.tick_ns, interval.min(persistent), persistent]
    }

    fn drawn(&self) -> String {
        let groups = |word: &str, groups: &[usize]| {
            let mut seen = 0;
            let mut text = String::from(word);
            for cpu in 0..self.n {
                let group = Self::group(groups, cpu);
                if seen & group == 0 {
                    text += &format!(" {}", list(group));
                    seen |= group;
                }
            }
            text
        };
        let mut lines = vec![format!("cpus 0-{}", self.n - 1), format!("tick {}ns", self.tick_ns)];
        lines.extend([groups("llc", &self.llc), groups("node", &self.node), groups("core", &self.core)]);
        if self.isolated != 0 {
            lines.push(format!("isolated {}", list(self.isolated)));
        }
        lines.join("\n")
    }
}

/// What a snapshot says of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotState {
    Running,
    Queued,
    Asleep,
}

/// An event, as the drawings write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Switch {
        cpu: i16,
        prev: i32,
        state: u8,
        next: i32,
    },
    Waking {
        tid: i32,
        last: i16,
    },
    Wakeup {
        tid: i32,
        cpu: i16,
        new: bool,
    },
    Migrate {
        tid: i32,
        from: Option<i16>,
        to: i16,
    },
    NrRunning {
        cpu: i16,
        n: i32,
    },
    Fork {
        parent: i32,
        child: i32,
    },
    Exec {
        tid: i32,
        was: i32,
    },
    Affinity {
        tid: i32,
        mask: Option<Set>,
        cpuset: Option<Set>,
    },
    MigrationDisabled {
        tid: i32,
        on: bool,
    },
    Throttle {
        tid: i32,
        on: bool,
    },
    Cookie {
        tid: i32,
        cookie: i64,
    },
    Cgroup {
        tid: i32,
        cgroup: i64,
    },
    Hotplug {
        cpu: i16,
        online: bool,
    },
    Irq {
        cpu: i16,
        dur_ns: i64,
    },
    /// The kernel's account of a run, at its start.
    Run {
        cpu: i16,
        tid: i32,
    },
    Lost {
        cpu: Option<i16>,
        end_ns: i64,
    },
    /// `current` None: offline.
    Cpu {
        cpu: i16,
        current: Option<i32>,
    },
    Thread {
        tid: i32,
        cpu: i16,
        state: SnapshotState,
        mask: Option<Set>,
        cpuset: Option<Set>,
        per_cpu: bool,
    },
}

/// Priority with which every event names a thread: some are of a real-time class.
pub fn priority(tid: i32) -> i16 {
    if tid % 5 == 3 { 49 } else { 120 }
}

impl Event {
    fn drawn(&self) -> String {
        let on = |on: &bool, yes: &'static str, no: &'static str| if *on { yes } else { no };
        let set = |word: &str, set: &Option<Set>| set.map_or(String::new(), |s| format!(" {word} {}", list(s)));
        match self {
            Self::Switch { cpu, prev, state, next } => {
                let state = wastenot_schemas::task_state::NAMES[*state as usize];
                format!("switch {cpu}: {prev} {state} -> {next} prio {}", priority(*next))
            }
            Self::Waking { tid, last } => format!("waking {tid} last {last}"),
            Self::Wakeup { tid, cpu, new } => format!("{} {tid} on {cpu}", on(new, "wakeup_new", "wakeup")),
            Self::Migrate { tid, from: Some(from), to } => format!("migrate {tid} from {from} to {to}"),
            Self::Migrate { tid, from: None, to } => format!("migrate {tid} to {to}"),
            Self::NrRunning { cpu, n } => format!("nr_running {cpu} = {n}"),
            Self::Fork { parent, child } => format!("fork {parent} -> {child}"),
            Self::Exec { tid, was } => format!("exec {tid} was {was}"),
            Self::Affinity { tid, mask, cpuset } => {
                format!("affinity {tid} {}{}", mask.map_or("unknown".to_owned(), list), set("cpuset", cpuset))
            }
            Self::MigrationDisabled { tid, on: o } => format!("migration {tid} {}", on(o, "disabled", "enabled")),
            Self::Throttle { tid, on: o } => format!("throttle {tid} {}", on(o, "on", "off")),
            Self::Cookie { tid, cookie } => format!("cookie {tid} {cookie}"),
            Self::Cgroup { tid, cgroup } => format!("cgroup {tid} {cgroup}"),
            Self::Hotplug { cpu, online } => format!("{} {cpu}", on(online, "online", "offline")),
            Self::Irq { cpu, dur_ns } => format!("irq {cpu} for {dur_ns}ns"),
            Self::Run { cpu, tid } => format!("run {tid} on {cpu} for 1us"),
            Self::Lost { cpu: Some(cpu), end_ns } => format!("lost {cpu} until {end_ns}ns"),
            Self::Lost { cpu: None, end_ns } => format!("lost any until {end_ns}ns"),
            Self::Cpu { cpu, current: Some(0) } => format!("cpu {cpu} idle"),
            Self::Cpu { cpu, current: Some(tid) } => format!("cpu {cpu} runs {tid}"),
            Self::Cpu { cpu, current: None } => format!("cpu {cpu} offline"),
            Self::Thread { tid, cpu, state, mask, cpuset, per_cpu } => {
                let state = match state {
                    SnapshotState::Running => "running",
                    SnapshotState::Queued => "queued",
                    SnapshotState::Asleep => "asleep",
                };
                let bound = if *per_cpu { " percpu" } else { "" };
                let (mask, cpuset, prio) = (set("mask", mask), set("cpuset", cpuset), priority(*tid));
                format!("thread {tid} t on {cpu} {state}{mask}{cpuset}{bound} prio {prio}")
            }
        }
    }
}

/// A generated trace.
#[derive(Clone, Debug)]
pub struct Trace {
    pub machine: Machine,
    /// End of the recording; it begins at 0.
    pub end_ns: i64,
    pub events: Vec<(i64, Event)>,
}

impl Trace {
    /// As a drawing (domains cannot be drawn; see [`Trace::tables`]).
    pub fn drawn(&self) -> String {
        let mut lines = vec![self.machine.drawn(), format!("window 0ns {}ns", self.end_ns)];
        lines.extend(self.events.iter().map(|(t, e)| format!("{t}ns {}", e.drawn())));
        lines.join("\n")
    }

    /// The tables that the checker reads.
    pub fn tables(&self) -> Vec<(&'static str, arrow_array::RecordBatch)> {
        use wastenot_schemas::domain;
        let mut tables = wastenot_drawing::draw(&self.drawn()).unwrap_or_else(|e| panic!("{e}"));
        let mut domains = domain::Builder::default();
        for cpu in 0..self.machine.n {
            for (level, (span, interval)) in self.machine.domains(cpu).into_iter().enumerate() {
                let span: Vec<i16> = members(span).map(|c| c as i16).collect();
                domains.push(&domain::Row {
                    since_ns: 0,
                    cpu: cpu as i16,
                    level: level as i16,
                    name: ["LLC", "ALL"][level],
                    span: &span,
                    flags: None,
                    min_interval_ns: None,
                    max_interval_ns: Some(interval),
                    busy_factor: None,
                    imbalance_pct: None,
                    exact: true,
                });
            }
        }
        tables.push((domain::NAME, domains.finish()));
        tables
    }
}
