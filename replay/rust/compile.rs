//! Compiling a workload: names become numbers, steps become flat code, and what cannot be run is refused.

use crate::masks::{CpuMask, MaskId, Masks};
use crate::program::{Instr, Ix, Policy, Step};
use crate::smt::{PRIORITIES, Speeds};
use crate::span::Time;
use crate::topology::{CpuIx, SimulatedTopology};
use crate::workload::{Object, Workload};
use wastenot_topology::CpuSet;

/// A workload that cannot be run; the text names what is wrong and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkloadError {
    /// Something is named that the workload does not have.
    Unknown {
        /// lock, barrier, pipe, semaphore, device, counter, program, bubble, cgroup, load or thread.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// A set of CPUs has none of the machine's.
    NoSuchCpus(String),
    /// A loop for ever that takes no time.
    EndlessLoop,
    /// A pipe can never hold, or a read never find, so many items.
    TooManyItems {
        /// The pipe.
        pipe: String,
        /// Items of the step.
        items: u32,
    },
    /// More of something than the engine numbers.
    TooMany(&'static str),
    /// A bubble that is within itself.
    Circle(String),
    /// A table of speeds that cannot be read.
    Load {
        /// The load.
        name: String,
        /// Why.
        why: String,
    },
    /// A priority of a hardware thread that tables of speeds do not know.
    Priority(u8),
    /// A thread of the application's balancer that is not placed when the simulation starts.
    NotPlaced(String),
    /// A happening that is later than the workload's limit, and so never happens.
    AfterLimit {
        /// Time of the happening.
        at: Time,
        /// The limit.
        limit: Time,
    },
    /// Parameters of a deadline thread that the kernel refuses.
    Deadline {
        /// The thread or program.
        name: String,
        /// Why.
        why: String,
    },
    /// An object that serves no thread.
    Empty {
        /// What it is.
        kind: &'static str,
        /// Its name.
        name: String,
    },
}

impl std::fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { kind, name } => write!(f, "{name:?} is not a {kind} of the workload"),
            Self::NoSuchCpus(list) => write!(f, "CPUs {list:?}: the machine has none of these"),
            Self::EndlessLoop => write!(f, "a loop without `times` whose body takes no time"),
            Self::TooManyItems { pipe, items } => write!(f, "pipe {pipe:?} can never hold {items} items"),
            Self::TooMany(what) => write!(f, "too many {what}"),
            Self::AfterLimit { at, limit } => {
                let seconds = |t: &Time| t.0 as f64 / 1e9;
                write!(f, "a happening at {} s is later than the limit, {} s", seconds(at), seconds(limit))
            }
            Self::Load { name, why } => write!(f, "load {name:?}: {why}"),
            Self::Priority(priority) => write!(
                f,
                "smt_priority {priority}: {} to {} (at 0, 1 and 7 a hardware thread is off, gets what is left, or is alone)",
                PRIORITIES.start(),
                PRIORITIES.end()
            ),
            Self::NotPlaced(name) => {
                write!(f, "dlrb: thread {name:?} is not there when the simulation starts; place it (`placed`)")
            }
            Self::Deadline { name, why } => write!(f, "deadline of {name:?}: {why}"),
            Self::Circle(name) => write!(f, "bubble {name:?} is within itself"),
            Self::Empty { kind, name } => write!(f, "{kind} {name:?} must serve at least one"),
        }
    }
}

impl std::error::Error for WorkloadError {}

/// Numbers of names, assigned while programs are compiled.
pub(crate) struct Names<'a> {
    workload: &'a Workload,
    topology: &'a SimulatedTopology,
    masks: &'a mut Masks,
    objects: Vec<&'a str>,
    programs: Vec<&'a str>,
    names: Vec<String>,
    marks: Vec<String>,
}

/// A workload with names resolved.
pub(crate) struct CompiledWorkload {
    pub programs: Vec<Vec<Instr>>,
    pub names: Vec<String>,
    pub marks: Vec<String>,
    pub objects: Vec<Object>,
    pub loads: Vec<Speeds>,
}

impl CompiledWorkload {
    pub fn new(workload: &Workload, topology: &SimulatedTopology, masks: &mut Masks) -> Result<Self, WorkloadError> {
        let mut names = Names {
            workload,
            topology,
            masks,
            objects: workload.objects.keys().map(String::as_str).collect(),
            programs: workload.programs.keys().map(String::as_str).collect(),
            names: Vec::new(),
            marks: Vec::new(),
        };
        for (name, object) in &workload.objects {
            let (kind, serves) = match object {
                Object::Barrier { parties, .. } => ("barrier", *parties),
                Object::Pipe { capacity } => ("pipe", *capacity),
                Object::Device { parallel } => ("device", *parallel),
                Object::Lock { .. } | Object::Semaphore { .. } | Object::Counter { .. } => continue,
            };
            if serves == 0 {
                return Err(WorkloadError::Empty { kind, name: name.clone() });
            }
        }
        deadlines(workload)?;
        let programs = workload.programs.values().map(|steps| compile(steps, &mut names)).collect::<Result<_, _>>()?;
        let objects = workload.objects.values().cloned().collect();
        let (names, marks) = (names.names, names.marks);
        Ok(Self { programs, names, marks, objects, loads: loads(workload)? })
    }
}

/// Refuses parameters of deadline threads that no kernel takes.
fn deadlines(workload: &Workload) -> Result<(), WorkloadError> {
    fn in_steps(steps: &[Step]) -> Result<(), String> {
        steps.iter().try_for_each(|step| match step {
            Step::Policy(Policy::Deadline(parameters)) => parameters.check(),
            Step::Repeat { body, .. } | Step::Share { body, .. } => in_steps(body),
            _ => Ok(()),
        })
    }
    let fail = |name: &str, why| WorkloadError::Deadline { name: name.to_owned(), why };
    for row in &workload.threads {
        if let Policy::Deadline(parameters) = row.policy {
            parameters.check().map_err(|why| fail(row.name.as_ref().unwrap_or(&row.program), why))?;
        }
    }
    workload.programs.iter().try_for_each(|(name, steps)| in_steps(steps).map_err(|why| fail(name, why)))
}

/// The tables of speeds of a workload; threads must name one of them, and have a priority that these know.
fn loads(workload: &Workload) -> Result<Vec<Speeds>, WorkloadError> {
    for row in &workload.threads {
        if let Some(name) = row.load.as_ref().filter(|name| !workload.loads.contains_key(*name)) {
            return Err(WorkloadError::Unknown { kind: "load", name: name.clone() });
        }
        if !PRIORITIES.contains(&row.smt_priority) {
            return Err(WorkloadError::Priority(row.smt_priority));
        }
    }
    let read = |(name, table): (&String, &crate::smt::SpeedTable)| {
        table.read().map_err(|why| WorkloadError::Load { name: name.clone(), why })
    };
    workload.loads.iter().map(read).collect()
}

macro_rules! object_names {
    ($($method:ident: $pattern:pat => $kind:literal;)*) => {
        $(pub fn $method(&self, name: &str) -> Result<Ix, WorkloadError> {
            match self.workload.objects.get(name) {
                Some($pattern) => number(self.objects.iter().position(|n| *n == name).unwrap_or(0), "objects"),
                _ => Err(WorkloadError::Unknown { kind: $kind, name: name.to_owned() }),
            }
        })*
    };
}

impl Names<'_> {
    object_names! {
        lock: Object::Lock { .. } => "lock";
        barrier: Object::Barrier { .. } => "barrier";
        semaphore: Object::Semaphore { .. } => "semaphore";
        device: Object::Device { .. } => "device";
        counter: Object::Counter { .. } => "counter";
    }

    pub fn pipe(&self, name: &str, items: u32) -> Result<Ix, WorkloadError> {
        match self.workload.objects.get(name) {
            Some(Object::Pipe { capacity }) if *capacity < items => {
                Err(WorkloadError::TooManyItems { pipe: name.to_owned(), items })
            }
            Some(Object::Pipe { .. }) => number(self.objects.iter().position(|n| *n == name).unwrap_or(0), "objects"),
            _ => Err(WorkloadError::Unknown { kind: "pipe", name: name.to_owned() }),
        }
    }

    pub fn program(&self, name: &str) -> Result<Ix, WorkloadError> {
        let at = self.programs.iter().position(|n| *n == name);
        number(at.ok_or(WorkloadError::Unknown { kind: "program", name: name.to_owned() })?, "programs")
    }

    pub fn name(&mut self, name: &str) -> Result<Ix, WorkloadError> {
        intern(&mut self.names, name, "names")
    }

    pub fn mark(&mut self, name: &str) -> Result<Ix, WorkloadError> {
        intern(&mut self.marks, name, "marks")
    }

    pub fn mask(&mut self, set: &CpuSet) -> Result<MaskId, WorkloadError> {
        Ok(self.masks.intern(&usable(self.topology.bits(set), set)?))
    }
}

fn number(at: usize, what: &'static str) -> Result<Ix, WorkloadError> {
    Ix::try_from(at).map_err(|_| WorkloadError::TooMany(what))
}

fn intern(list: &mut Vec<String>, name: &str, what: &'static str) -> Result<Ix, WorkloadError> {
    let at = list.iter().position(|n| n == name).unwrap_or_else(|| {
        list.push(name.to_owned());
        list.len() - 1
    });
    number(at, what)
}

/// The CPU a happening or a start names.
pub(crate) fn cpu_named(topology: &SimulatedTopology, cpu: u32) -> Result<CpuIx, WorkloadError> {
    topology.index(cpu).ok_or_else(|| WorkloadError::NoSuchCpus(cpu.to_string()))
}

/// Turns steps into flat code. Fails on names that the workload does not have and on loops for ever that take no time.
pub(crate) fn compile(steps: &[Step], names: &mut Names<'_>) -> Result<Vec<Instr>, WorkloadError> {
    let mut code = Vec::new();
    block(steps, names, &mut code)?;
    code.push(Instr::Exit);
    Ok(code)
}

fn block(steps: &[Step], names: &mut Names<'_>, code: &mut Vec<Instr>) -> Result<(), WorkloadError> {
    for step in steps {
        let instr = match step {
            Step::Run(span) => Instr::Run(*span),
            Step::Sleep(span) => Instr::Sleep(*span),
            Step::Timer(timer) => Instr::Timer(*timer),
            Step::Io { device, latency } => Instr::Io { device: names.device(device)?, latency: *latency },
            Step::Lock(lock) => Instr::Lock(names.lock(lock)?),
            Step::Unlock(lock) => Instr::Unlock(names.lock(lock)?),
            Step::Barrier(barrier) => Instr::Barrier(names.barrier(barrier)?),
            Step::Write { pipe, items } => Instr::Write { pipe: names.pipe(pipe, *items)?, items: *items },
            Step::Read { pipe, items } => Instr::Read { pipe: names.pipe(pipe, *items)?, items: *items },
            Step::Post(semaphore) => Instr::Post(names.semaphore(semaphore)?),
            Step::Wait(semaphore) => Instr::Wait(names.semaphore(semaphore)?),
            Step::Fork { program, count, name, threads, bubble } => Instr::Fork {
                program: names.program(program)?,
                count: *count,
                name: name.as_deref().map(|n| names.name(n)).transpose()?,
                threads: *threads,
                bubble: *bubble,
            },
            Step::Join(left) => Instr::Join(*left),
            Step::Exec(name) => Instr::Exec(names.name(name)?),
            Step::Yield => Instr::Yield,
            Step::Affinity(set) => Instr::Affinity(names.mask(set)?),
            Step::Nice(nice) => Instr::Nice((*nice).clamp(-20, 19)),
            Step::Policy(policy) => Instr::Policy(*policy),
            Step::Mark(name) => Instr::Mark(names.mark(name)?),
            Step::Iteration => Instr::Iteration,
            Step::Exit => Instr::Exit,
            Step::Repeat { times, body } => {
                if times.is_none() && !body.iter().any(takes_time) {
                    return Err(WorkloadError::EndlessLoop);
                }
                let start = code.len();
                code.push(Instr::Exit);
                block(body, names, code)?;
                code.push(Instr::Again { start: start as u32 });
                code[start] = Instr::Repeat { times: *times, end: code.len() as u32 };
                continue;
            }
            Step::Share { counter, body } => {
                let counter = names.counter(counter)?;
                let start = code.len();
                code.push(Instr::Exit);
                block(body, names, code)?;
                code.push(Instr::Jump(start as u32));
                code[start] = Instr::Ticket { counter, end: code.len() as u32 };
                continue;
            }
        };
        code.push(instr);
    }
    Ok(())
}

/// True for a step that certainly takes simulated time each time it is done.
fn takes_time(step: &Step) -> bool {
    match step {
        Step::Run(span) => span.longest() > 0,
        Step::Sleep(_) | Step::Timer(_) | Step::Io { .. } | Step::Fork { .. } | Step::Exit => true,
        Step::Lock(_) | Step::Unlock(_) | Step::Barrier(_) | Step::Write { .. } | Step::Read { .. } => true,
        Step::Post(_) | Step::Wait(_) | Step::Yield | Step::Exec(_) => true,
        Step::Repeat { times, body } => times.is_none_or(|n| n > 0) && body.iter().any(takes_time),
        Step::Share { .. } | Step::Join(_) | Step::Affinity(_) | Step::Nice(_) | Step::Policy(_) => false,
        Step::Mark(_) | Step::Iteration => false,
    }
}

/// A set of kernel CPU numbers must name at least one CPU of the machine.
pub(crate) fn usable(mask: CpuMask, set: &CpuSet) -> Result<CpuMask, WorkloadError> {
    if mask.is_empty() { Err(WorkloadError::NoSuchCpus(set.to_string())) } else { Ok(mask) }
}
