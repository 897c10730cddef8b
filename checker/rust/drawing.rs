//! Tiny traces drawn as text, one sentence per event, for tests and documentation.
//!
//! ```text
//! cpus 0-3                          the machine (llc, node and core groups follow: `llc 0-1 2-3`, `node 0-3`, `core 0,1`)
//! llc unknown                       which CPUs share a cache, a node or a core is not known
//! hops 0-1 1-2                      nodes one hop apart; all others are two (without this line all are one)
//! capacity 400 0-1                  relative capacity of these CPUs; 1024 otherwise
//! isolated 3                        outside all scheduling domains
//! tick 4ms
//! unverified LTTng 9.1              what the readers have not been verified on
//! window 0us 10ms                   begin and end of the recording
//! 0us  cpu 0 idle                   a CPU as the recording begins: idle, `runs 100`, `offline`
//! 0us  thread 101 worker on 1 queued mask 0,1 cpuset 0-3    running | queued | asleep | untold; percpu; kernel;
//!                                   throttled; disabled (migration); cookie 7
//! 5us  switch 1: 100 R -> 101       prev, its state, next; 0 is swapper
//! 6us  wakeup 102 on 1              `wakeup_new 103 on 2`
//! 6us  waking 102 last 1
//! 7us  migrate 101 from 1 to 0      `migrate 101 to 0` where the origin is not told
//! 8us  fork 100 -> 105              `exec 105 was 100`, `exit 105`, `name 101 kworker/1:0`
//! 9us  affinity 101 0-3 cpuset 0-1  `affinity 101 unknown`
//! 9us  throttle 101 on              off; `migration 101 disabled`, enabled; `cookie 101 7`; `cgroup 101 12`
//! 10us offline 2                    `online 2`
//! 11us irq 0 for 30us               a softirq; `irq 0 for 30us vector 7`
//! 11us run 101 on 0 for 30us        the kernel's account of a run whose begin was not reported
//! 12us lost 1 until 90us            `lost any until 90us`
//! 13us nr_running 1 = 2
//! 20us counted from 10us            a reading of the balancer's counters; `20us counted 3 over 0 idle 2 busy 0` after it,
//!                                   `... newly 1` passes of a CPU about to idle, `... unpushed 1` stoppers that pushed nobody
//! 14us bubble insert_thread t101 to b1   see the module `drawn_bubbles`
//! 15us pass 3 over 0 newly pulled 0      domains, passes, stacks of moves: see the module `drawn_causes`
//! ```
//! Times are ns, us, ms or s, decimals allowed; `#` begins a comment; events are numbered in the order of the lines.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use wastenot_schemas as tables;
use wastenot_schemas::{queue_state, task_state};

use crate::{drawn_bubbles, drawn_causes};

/// A line that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawingError {
    /// Line, from 1.
    pub line: usize,
    pub why: String,
}

impl std::fmt::Display for DrawingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "drawing, line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for DrawingError {}

/// Batches by table name.
pub type Tables = Vec<(&'static str, RecordBatch)>;

/// The tables a drawing stands for: every event table that is used, cpu, numa_node, machine, mask and trace.
pub fn draw(text: &str) -> Result<Tables, DrawingError> {
    let mut drawing = Drawing::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if !line.is_empty() {
            let words: Vec<&str> = line.split_whitespace().collect();
            drawing.line(&words).map_err(|why| DrawingError { line: i + 1, why })?;
        }
    }
    drawing.tables()
}

type Line = Result<(), String>;

#[derive(Default)]
struct Drawing {
    cpus: Vec<i16>,
    llcs: Vec<Vec<i16>>,
    untold: bool,
    nodes: Vec<Vec<i16>>,
    cores: Vec<Vec<i16>>,
    hops: Vec<Vec<i16>>,
    capacities: Vec<(i32, Vec<i16>)>,
    isolated: Vec<i16>,
    tick_ns: Option<i64>,
    window: Option<(i64, i64)>,
    unverified: Vec<String>,
    masks: BTreeMap<Vec<i16>, i32>,
    next_id: i64,
    events: Events,
    causes: drawn_causes::Drawn,
}

macro_rules! events {
    ($($table:ident),* $(,)?) => {
        #[derive(Default)]
        struct Events { $($table: tables::$table::Builder,)* }
        impl Events {
            fn finish(&mut self) -> Tables {
                let mut out = Tables::new();
                $(if !self.$table.is_empty() { out.push((tables::$table::NAME, self.$table.finish())); })*
                out
            }
        }
    };
}

events!(
    affinity,
    bubble_event,
    cgroup_move,
    core_cookie,
    cpu_hotplug,
    cpu_snapshot,
    irq_span,
    lost_events,
    migration_disable,
    nr_running,
    process_exec,
    process_exit,
    process_fork,
    run_span,
    sched_migrate_task,
    sched_stat_runtime,
    sched_switch,
    sched_wakeup,
    sched_waking,
    schedstat,
    thread_name,
    thread_snapshot,
    throttle,
);

impl Drawing {
    fn line(&mut self, words: &[&str]) -> Line {
        match words {
            ["cpus", list] => self.cpus = cpu_list(list)?,
            ["isolated", list] => self.isolated = cpu_list(list)?,
            ["hops", pairs @ ..] => {
                self.hops = pairs.iter().map(|p| p.split('-').map(number).collect()).collect::<Result<_, _>>()?
            }
            ["capacity", of, list] => self.capacities.push((number(of)?, cpu_list(list)?)),
            ["llc", "unknown"] => self.untold = true,
            ["llc", groups @ ..] => self.llcs = cpu_lists(groups)?,
            ["node", groups @ ..] => self.nodes = cpu_lists(groups)?,
            ["core", groups @ ..] => self.cores = cpu_lists(groups)?,
            ["kernel", release] => self.causes.kernel = Some((*release).to_owned()),
            ["passes", "told"] => self.causes.passes_told = true,
            ["domain", name, rest @ ..] => self.causes.domain(name, rest)?,
            ["tick", t] => self.tick_ns = Some(time(t)?),
            ["unverified", what @ ..] => self.unverified.push(what.join(" ")),
            ["window", from, to] => self.window = Some((time(from)?, time(to)?)),
            [at, event @ ..] => {
                let ts_ns = time(at)?;
                let id = self.next_id;
                self.next_id += 1;
                self.event(id, ts_ns, event)?;
            }
            [] => {}
        }
        Ok(())
    }

    fn event(&mut self, id: i64, ts_ns: i64, words: &[&str]) -> Line {
        let masks = &mut self.masks;
        if self.causes.event(id, ts_ns, words, &mut |list| masks.id_of(list))? {
            return Ok(());
        }
        let e = &mut self.events;
        match words {
            ["switch", cpu, prev, state, "->", next] => e.sched_switch.push(&tables::sched_switch::Row {
                id,
                ts_ns,
                cpu: number(cpu.trim_end_matches(':'))?,
                prev_tid: number(prev)?,
                prev_state: state_code(state)?,
                prev_prio: None,
                next_tid: number(next)?,
                next_prio: None,
            }),
            [what @ ("wakeup" | "wakeup_new"), tid, "on", cpu] => {
                let (cpu, is_new) = (number(cpu)?, *what == "wakeup_new");
                let tid = number(tid)?;
                e.sched_wakeup.push(&tables::sched_wakeup::Row {
                    id,
                    ts_ns,
                    cpu,
                    tid,
                    target_cpu: cpu,
                    prio: None,
                    is_new,
                });
            }
            ["waking", tid, "last", cpu, by @ ..] => {
                let waker = match by {
                    ["by", cpu] => number(cpu)?,
                    _ => 0,
                };
                let target_cpu = Some(number(cpu)?);
                e.sched_waking.push(&tables::sched_waking::Row {
                    id,
                    ts_ns,
                    cpu: waker,
                    tid: number(tid)?,
                    target_cpu,
                    prio: None,
                });
            }
            ["migrate", tid, "from", from, "to", to] => self.migrate(id, ts_ns, tid, (Some(from), to), None)?,
            ["migrate", tid, "from", from, "to", to, "by", path] => {
                self.migrate(id, ts_ns, tid, (Some(from), to), Some(path))?;
            }
            ["migrate", tid, "to", to] => self.migrate(id, ts_ns, tid, (None, to), None)?,
            ["nr_running", cpu, "=", n] => {
                let (cpu, nr_running) = (number(cpu)?, number(n)?);
                e.nr_running.push(&tables::nr_running::Row { id, ts_ns, cpu, nr_running, delta: 0 });
            }
            ["fork", parent, "->", child] => e.process_fork.push(&tables::process_fork::Row {
                id,
                ts_ns,
                cpu: 0,
                parent_tid: number(parent)?,
                child_tid: number(child)?,
                child_tgid: None,
            }),
            ["exec", tid, "was", old] => {
                let (tid, old_tid) = (number(tid)?, Some(number(old)?));
                e.process_exec.push(&tables::process_exec::Row { id, ts_ns, cpu: 0, tid, old_tid });
            }
            ["exit", tid] => e.process_exit.push(&tables::process_exit::Row { id, ts_ns, cpu: 0, tid: number(tid)? }),
            ["name", tid, name @ ..] => {
                let name = name.join(" ");
                e.thread_name.push(&tables::thread_name::Row { id, ts_ns, tid: number(tid)?, tgid: None, name: &name });
            }
            ["affinity", tid, mask, rest @ ..] => {
                let tid = number(tid)?;
                let mask_id = if *mask == "unknown" { None } else { Some(self.mask(mask)?) };
                let cpuset_mask_id = match rest {
                    ["cpuset", list] => Some(self.mask(list)?),
                    [] => None,
                    _ => return Err(format!("after the mask: {rest:?}; only `cpuset LIST` may follow")),
                };
                let row =
                    tables::affinity::Row { id, ts_ns, cpu: None, tid, mask_id, user_mask_id: None, cpuset_mask_id };
                self.events.affinity.push(&row);
            }
            ["throttle", tid, on @ ("on" | "off")] => e.throttle.push(&tables::throttle::Row {
                id,
                ts_ns,
                cpu: 0,
                tid: number(tid)?,
                throttled: *on == "on",
                error_ns: 0,
            }),
            ["migration", tid, on @ ("disabled" | "enabled")] => {
                let (tid, disabled) = (number(tid)?, *on == "disabled");
                e.migration_disable.push(&tables::migration_disable::Row { id, ts_ns, cpu: None, tid, disabled });
            }
            ["cookie", tid, cookie] => {
                let (tid, cookie) = (number(tid)?, number(cookie)?);
                e.core_cookie.push(&tables::core_cookie::Row { id, ts_ns, cpu: None, tid, cookie });
            }
            ["cgroup", tid, cgroup] => {
                let (tid, cgroup_id) = (number(tid)?, number(cgroup)?);
                e.cgroup_move.push(&tables::cgroup_move::Row { id, ts_ns, cpu: None, tid, cgroup_id });
            }
            [what @ ("offline" | "online"), cpu] => {
                let (cpu, online) = (number(cpu)?, *what == "online");
                e.cpu_hotplug.push(&tables::cpu_hotplug::Row { id, ts_ns, cpu, online });
            }
            ["irq", cpu, "for", dur, rest @ ..] => {
                let (cpu, dur_ns) = (number(cpu)?, time(dur)?);
                let kind = tables::irq_kind::SOFTIRQ;
                let vector = match rest {
                    [] => None,
                    ["vector", vector] => Some(number(vector)?),
                    _ => return Err(format!("{:?}: vector N", rest.join(" "))),
                };
                e.irq_span.push(&tables::irq_span::Row { id, ts_ns, cpu, dur_ns, kind, vector });
            }
            ["run", tid, "on", cpu, "for", dur] => {
                let (cpu, tid, dur_ns) = (number(cpu)?, number(tid)?, time(dur)?);
                e.run_span.push(&tables::run_span::Row { id, ts_ns, cpu, tid, dur_ns });
            }
            ["account", tid, "on", cpu, "for", dur] => {
                let (cpu, tid, runtime_ns) = (number(cpu)?, number(tid)?, time(dur)?);
                e.sched_stat_runtime.push(&tables::sched_stat_runtime::Row { id, ts_ns, cpu, tid, runtime_ns });
            }
            ["counted", "from", before] => {
                let (reading_ns, interval_ns) = (1_000, ts_ns - time(before)?);
                let row = tables::schedstat::Row { id, ts_ns, reading_ns, interval_ns, ..Default::default() };
                e.schedstat.push(&row);
            }
            ["counted", cpu, "over", level, "idle", idle, "busy", busy] => {
                e.schedstat.push(&tables::schedstat::Row {
                    id,
                    ts_ns,
                    cpu: Some(number(cpu)?),
                    level: Some(number(level)?),
                    idle_lb_count: number(idle)?,
                    busy_lb_count: number(busy)?,
                    ..Default::default()
                });
            }
            ["counted", cpu, "over", level, what @ ("newly" | "unpushed"), n] => {
                let (cpu, level, n) = (Some(number(cpu)?), Some(number(level)?), number(n)?);
                let row = tables::schedstat::Row { id, ts_ns, cpu, level, ..Default::default() };
                e.schedstat.push(&match *what {
                    "newly" => tables::schedstat::Row { newidle_lb_count: n, ..row },
                    _ => tables::schedstat::Row { alb_count: n, alb_failed: n, ..row },
                });
            }
            ["lost", cpu, "until", end] => {
                let cpu = if *cpu == "any" { None } else { Some(number(cpu)?) };
                let end_ns = time(end)?;
                e.lost_events.push(&tables::lost_events::Row { id, ts_ns, end_ns, cpu, count: None, what: "any" });
            }
            ["bubble", words @ ..] => e.bubble_event.push(&drawn_bubbles::row(id, ts_ns, words)?),
            ["cpu", cpu, "idle"] => self.cpu_snapshot(id, ts_ns, cpu, true, Some(0))?,
            ["cpu", cpu, "runs", tid] => self.cpu_snapshot(id, ts_ns, cpu, true, Some(number(tid)?))?,
            ["cpu", cpu, "offline"] => self.cpu_snapshot(id, ts_ns, cpu, false, None)?,
            ["thread", tid, name, "on", cpu, queue, rest @ ..] => {
                self.thread(id, ts_ns, (tid, name, cpu, queue), rest)?
            }
            _ => return Err(format!("{:?} is no event that can be drawn", words.join(" "))),
        }
        Ok(())
    }

    fn migrate(
        &mut self,
        id: i64,
        ts_ns: i64,
        tid: &str,
        (from, to): (Option<&str>, &str),
        path: Option<&str>,
    ) -> Line {
        let stack_id = path.map(|path| self.causes.stack(path)).transpose()?;
        let orig_cpu = from.map(number).transpose()?;
        let (tid, dest_cpu) = (number(tid)?, number(to)?);
        let row = tables::sched_migrate_task::Row { id, ts_ns, cpu: dest_cpu, tid, orig_cpu, dest_cpu, stack_id };
        self.events.sched_migrate_task.push(&row);
        Ok(())
    }

    fn cpu_snapshot(&mut self, id: i64, ts_ns: i64, cpu: &str, online: bool, current_tid: Option<i32>) -> Line {
        let cpu = number(cpu)?;
        self.events.cpu_snapshot.push(&tables::cpu_snapshot::Row { id, ts_ns, cpu, online, current_tid });
        Ok(())
    }

    fn thread(
        &mut self,
        id: i64,
        ts_ns: i64,
        (tid, name, cpu, queue): (&str, &str, &str, &str),
        rest: &[&str],
    ) -> Line {
        let (state, queue) = match queue {
            "running" => (task_state::R, queue_state::RUNNING),
            "queued" => (task_state::R, queue_state::QUEUED),
            "asleep" => (task_state::S, queue_state::OFF),
            "untold" => (task_state::UNKNOWN, queue_state::UNKNOWN),
            other => return Err(format!("{other}: running, queued, asleep or untold")),
        };
        let (mut mask_id, mut cpuset_mask_id, mut per_cpu_thread, mut is_kernel) = (None, None, false, false);
        let (mut throttled, mut migration_disabled, mut cookie) = (false, false, 0);
        let mut policy = tables::policy::NORMAL;
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            let mut list = || words.next().ok_or_else(|| format!("{word}: a CPU list must follow"));
            match *word {
                "mask" => mask_id = Some(self.masks.id_of(list()?)?),
                "cpuset" => cpuset_mask_id = Some(self.masks.id_of(list()?)?),
                "percpu" => (per_cpu_thread, is_kernel) = (true, true),
                "kernel" => is_kernel = true,
                "ext" => policy = tables::policy::EXT,
                "throttled" => throttled = true,
                "disabled" => migration_disabled = true,
                "cookie" => cookie = number(words.next().ok_or("cookie: a number must follow")?)?,
                other => {
                    return Err(format!("{other}: mask, cpuset, percpu, kernel, ext, throttled, disabled or cookie"));
                }
            }
        }
        let (tid, cpu) = (number(tid)?, number(cpu)?);
        self.events.thread_snapshot.push(&tables::thread_snapshot::Row {
            id,
            ts_ns,
            tid,
            tgid: tid,
            ppid: None,
            name,
            state,
            queue,
            cpu,
            mask_id,
            user_mask_id: None,
            cpuset_mask_id,
            policy,
            prio: None,
            cgroup_id: None,
            migration_disabled,
            throttled,
            cookie,
            is_kernel,
            per_cpu_thread,
        });
        Ok(())
    }

    fn mask(&mut self, list: &str) -> Result<i32, String> {
        self.masks.id_of(list)
    }

    fn tables(mut self) -> Result<Tables, DrawingError> {
        if self.cpus.is_empty() {
            return Err(DrawingError { line: 1, why: "no `cpus LIST` line: the machine is not drawn".into() });
        }
        let mut out = self.events.finish();
        out.extend(self.causes.tables());
        let group = |groups: &[Vec<i16>], cpu: i16| groups.iter().find(|g| g.contains(&cpu)).map(|g| g[0]);
        let place = |groups: &[Vec<i16>], cpu: i16| groups.iter().position(|g| g.contains(&cpu)).unwrap_or(0) as i16;
        let mut cpus = tables::cpu::Builder::default();
        for &cpu in &self.cpus {
            cpus.push(&tables::cpu::Row {
                cpu,
                online: true,
                node: if self.untold { -1 } else { place(&self.nodes, cpu) },
                package: if self.untold { -1 } else { i32::from(place(&self.nodes, cpu)) },
                llc: if self.untold {
                    -1
                } else {
                    i32::from(group(&self.llcs, cpu).or(group(&self.nodes, cpu)).unwrap_or(self.cpus[0]))
                },
                core: if self.untold { -1 } else { i32::from(group(&self.cores, cpu).unwrap_or(cpu)) },
                smt: 0,
                capacity: self
                    .capacities
                    .iter()
                    .find(|(_, of)| of.contains(&cpu))
                    .map_or(1024, |(capacity, _)| *capacity),
                isolated: self.isolated.contains(&cpu),
                nohz_full: false,
            });
        }
        out.push((tables::cpu::NAME, cpus.finish()));
        let mut nodes = tables::numa_node::Builder::default();
        for (i, group) in self.nodes.iter().enumerate() {
            let near =
                |j: i16| self.hops.is_empty() || self.hops.iter().any(|p| p.contains(&j) && p.contains(&(i as i16)));
            let distance = |j: usize| {
                if i == j {
                    10
                } else if near(j as i16) {
                    20
                } else {
                    30
                }
            };
            let distances: Vec<i32> = (0..self.nodes.len()).map(distance).collect();
            nodes.push(&tables::numa_node::Row {
                node: i as i16,
                cpus: group,
                distances: &distances,
                memory_bytes: None,
            });
        }
        out.push((tables::numa_node::NAME, nodes.finish()));
        let mut machine = tables::machine::Builder::default();
        let n = self.cpus.len() as i32;
        machine.push(&tables::machine::Row {
            arch: None,
            model: None,
            kernel: self.causes.kernel.as_deref(),
            cmdline: None,
            tick_ns: self.tick_ns.unwrap_or(crate::topology::DEFAULT_TICK_NS),
            cpus_online: n,
            cpus_possible: n,
            snapshot: "{}",
        });
        out.push((tables::machine::NAME, machine.finish()));
        let mut masks = tables::mask::Builder::default();
        for (cpus, &mask_id) in &self.masks {
            masks.push(&tables::mask::Row { mask_id, cpus });
        }
        out.push((tables::mask::NAME, masks.finish()));
        if let Some((start_ns, end_ns)) = self.window {
            out.push((tables::trace::NAME, self.trace(start_ns, end_ns)));
        }
        Ok(out)
    }

    fn trace(&self, start_ns: i64, end_ns: i64) -> RecordBatch {
        let unverified: Vec<&str> = self.unverified.iter().map(String::as_str).collect();
        let passes_told = self.causes.passes_told;
        let evidence = tables::evidence_names(|kind| passes_told && kind == tables::EvidenceKind::LoadBalanceAttempts);
        let (recorded, unrecorded) = tables::split_excuses(|_| true);
        let mut trace = tables::trace::Builder::default();
        trace.push(&tables::trace::Row {
            schema_version: tables::SCHEMA_VERSION,
            source: "drawn",
            recorder: "drawing",
            kernel: self.causes.kernel.as_deref(),
            clock: "drawn",
            epoch_ns: None,
            start_ns,
            end_ns,
            end_reason: "source",
            complete: true,
            events: self.next_id,
            evidence: if passes_told { "L2" } else { "L0" },
            recorded_evidence: &evidence,
            recorded_excuses: &recorded,
            unrecorded_excuses: &unrecorded,
            degraded: &[],
            unverified: &unverified,
            command: None,
            options: "{}",
        });
        trace.finish()
    }
}

trait Interned {
    fn id_of(&mut self, list: &str) -> Result<i32, String>;
}

impl Interned for BTreeMap<Vec<i16>, i32> {
    fn id_of(&mut self, list: &str) -> Result<i32, String> {
        let next = self.len() as i32;
        Ok(*self.entry(cpu_list(list)?).or_insert(next))
    }
}

pub(crate) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text}: not a number that fits"))
}

pub(crate) fn time(text: &str) -> Result<i64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let unit = match &text[split..] {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return Err(format!("{text}: a time needs a unit (ns, us, ms, s)")),
    };
    let value: f64 = number(&text[..split])?;
    Ok((value * unit).round() as i64)
}

pub(crate) fn cpu_list(text: &str) -> Result<Vec<i16>, String> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (number::<i16>(from)?, number::<i16>(to)?);
        cpus.extend(from..=to);
    }
    Ok(cpus)
}

fn cpu_lists(groups: &[&str]) -> Result<Vec<Vec<i16>>, String> {
    groups.iter().map(|g| cpu_list(g)).collect()
}

fn state_code(text: &str) -> Result<u8, String> {
    let at = task_state::NAMES.iter().position(|n| *n == text);
    at.map(|i| i as u8).ok_or_else(|| format!("{text}: no task state; one of {}", task_state::NAMES.join(" ")))
}
