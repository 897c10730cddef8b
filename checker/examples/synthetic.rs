//! Speed of a check (reconstruction, ledger, episodes, causes; without the tables that are made on demand) over synthetic events in memory.
//!
//! `cargo run --release -p wastenot-checker --example synthetic [-- EVENTS [MACHINE]]` prints a line per machine: events per
//! second of processor time in user mode (median of five runs), the same without causes and how much longer it takes with
//! them (runs of either kind take turns), the largest resident memory beyond that of the events, the share of time with idle
//! CPUs beside waiting threads, and the share wasted.

use arrow_array::{RecordBatch, RecordBatchIterator};
use wastenot_checker::{BatchReader, Options, TableSet, check};
use wastenot_schemas as tables;
use wastenot_schemas::{Sink, SinkError};

const BATCH: usize = 122_880;
/// Runs with causes, and as many without.
const RUNS: usize = 5;

/// xorshift64*: small, seeded, good enough to stir a scheduler.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % n
    }
}

struct Machine {
    name: &'static str,
    cpus: usize,
    threads: usize,
    masks: usize,
    /// Chance in 100 that a step wakes a thread rather than lets one stop.
    wake: usize,
    /// CPUs that a wakeup scans for an idle one, and queues that an idle CPU scans for a thread to pull.
    scan: usize,
}

#[derive(Default)]
struct SyntheticTrace {
    tables: Vec<(&'static str, Vec<RecordBatch>)>,
}

impl SyntheticTrace {
    fn add(&mut self, table: &'static str, batch: RecordBatch) {
        match self.tables.iter_mut().find(|(name, _)| *name == table) {
            Some((_, list)) => list.push(batch),
            None => self.tables.push((table, vec![batch])),
        }
    }

    fn inputs(&self) -> Vec<(String, BatchReader)> {
        let reader = |list: &Vec<RecordBatch>| -> BatchReader {
            let schema = list[0].schema();
            Box::new(RecordBatchIterator::new(list.clone().into_iter().map(Ok), schema))
        };
        self.tables.iter().map(|(name, list)| ((*name).to_owned(), reader(list))).collect()
    }
}

/// Events of a small random scheduler: threads sleep, wake on a random allowed CPU, are preempted, fall asleep.
struct Generator {
    built: SyntheticTrace,
    switch: tables::sched_switch::Builder,
    waking: tables::sched_waking::Builder,
    wakeup: tables::sched_wakeup::Builder,
    nr_running: tables::nr_running::Builder,
    migrate: tables::sched_migrate_task::Builder,
    id: i64,
    now: i64,
}

macro_rules! push {
    ($self:ident, $field:ident, $module:ident, $row:expr) => {{
        $self.$field.push(&$row);
        $self.id += 1;
        if $self.$field.len() == BATCH {
            let batch = $self.$field.finish();
            $self.built.add(tables::$module::NAME, batch);
        }
    }};
}

impl Generator {
    fn switch(&mut self, cpu: usize, prev: usize, prev_state: u8, next: usize) {
        let (id, ts_ns) = (self.id, self.now);
        let (prev_tid, next_tid) = (prev as i32, next as i32);
        let (prev_prio, next_prio) = (Some(120), Some(120));
        let cpu = cpu as i16;
        let row = tables::sched_switch::Row {
            id,
            ts_ns,
            cpu,
            prev_tid,
            prev_state,
            prev_prio,
            next_tid,
            next_prio,
            ..Default::default()
        };
        push!(self, switch, sched_switch, row);
    }

    fn wake(&mut self, cpu: usize, thread: usize) {
        let (id, ts_ns, cpu, tid) = (self.id, self.now, cpu as i16, thread as i32);
        let waking = tables::sched_waking::Row {
            id,
            ts_ns,
            cpu,
            tid,
            target_cpu: Some(cpu),
            prio: Some(120),
            ..Default::default()
        };
        push!(self, waking, sched_waking, waking);
        let (id, prio) = (self.id, Some(120));
        let wakeup = tables::sched_wakeup::Row {
            id,
            ts_ns,
            cpu,
            tid,
            target_cpu: cpu,
            prio,
            is_new: false,
            ..Default::default()
        };
        push!(self, wakeup, sched_wakeup, wakeup);
    }

    fn migrate(&mut self, thread: usize, from: usize, to: usize) {
        let (id, ts_ns, tid) = (self.id, self.now, thread as i32);
        let (orig_cpu, dest_cpu) = (Some(from as i16), to as i16);
        let row =
            tables::sched_migrate_task::Row { id, ts_ns, cpu: dest_cpu, tid, orig_cpu, dest_cpu, ..Default::default() };
        push!(self, migrate, sched_migrate_task, row);
    }

    fn nr_running(&mut self, cpu: usize, n: usize, delta: i16) {
        let (id, ts_ns, cpu, nr_running) = (self.id, self.now, cpu as i16, n as i32);
        push!(
            self,
            nr_running,
            nr_running,
            tables::nr_running::Row { id, ts_ns, cpu, nr_running, delta, ..Default::default() }
        );
    }
}

fn build(m: &Machine, events: i64) -> SyntheticTrace {
    let mut random = Random(42);
    let mut g = Generator {
        built: SyntheticTrace::default(),
        switch: Default::default(),
        waking: Default::default(),
        wakeup: Default::default(),
        nr_running: Default::default(),
        migrate: Default::default(),
        id: 0,
        now: 0,
    };
    let masks: Vec<Vec<i16>> = (0..m.masks)
        .map(|k| {
            let all = 0..m.cpus as i16;
            if k == 0 { all.collect() } else { all.filter(|_| random.below(100) < 20 + 3 * k).collect() }
        })
        .map(|set: Vec<i16>| if set.is_empty() { vec![0] } else { set })
        .collect();
    let (mut snapshot, mut cpu_snapshot) =
        (tables::thread_snapshot::Builder::default(), tables::cpu_snapshot::Builder::default());
    for cpu in 0..m.cpus as i16 {
        let (id, ts_ns) = (g.id, 0);
        cpu_snapshot.push(&tables::cpu_snapshot::Row {
            id,
            ts_ns,
            cpu,
            online: true,
            current_tid: Some(0),
            ..Default::default()
        });
        g.id += 1;
    }
    for thread in 1..=m.threads {
        snapshot.push(&tables::thread_snapshot::Row {
            id: g.id,
            ts_ns: 0,
            tid: thread as i32,
            tgid: 1,
            name: "worker",
            state: tables::task_state::S,
            queue: tables::queue_state::OFF,
            cpu: masks[thread % m.masks][0],
            mask_id: Some((thread % m.masks) as i32),
            cpuset_mask_id: None,
            policy: tables::policy::NORMAL,
            cgroup_id: None,
            migration_disabled: false,
            throttled: false,
            cookie: 0,
            is_kernel: false,
            per_cpu_thread: false,
            ..Default::default()
        });
        g.id += 1;
    }
    let mut running = vec![0usize; m.cpus];
    let mut queues: Vec<Vec<usize>> = vec![Vec::new(); m.cpus];
    let mut asleep: Vec<usize> = (1..=m.threads).collect();
    while g.id < events {
        g.now += 200 + random.below(3000) as i64;
        if !asleep.is_empty() && random.below(100) < m.wake {
            let at = random.below(asleep.len());
            let thread = asleep.swap_remove(at);
            let mask = &masks[thread % m.masks];
            // As in the kernel: scan a few CPUs for an idle one, else take the last.
            let mut cpu = mask[random.below(mask.len())] as usize;
            for _ in 0..m.scan {
                if running[cpu] == 0 {
                    break;
                }
                cpu = mask[random.below(mask.len())] as usize;
            }
            queues[cpu].push(thread);
            g.nr_running(cpu, queues[cpu].len() + usize::from(running[cpu] != 0), 1);
            g.wake(cpu, thread);
            if running[cpu] == 0 {
                g.now += 1500;
                let next = queues[cpu].remove(0);
                g.switch(cpu, 0, tables::task_state::R, next);
                running[cpu] = next;
            }
        } else {
            let cpu = random.below(m.cpus);
            if running[cpu] == 0 {
                continue;
            }
            let prev = running[cpu];
            let preempted = !queues[cpu].is_empty() && random.below(4) == 0;
            let state = if preempted { tables::task_state::R_PREEMPTED } else { tables::task_state::S };
            if preempted {
                queues[cpu].push(prev);
            } else {
                asleep.push(prev);
                g.nr_running(cpu, queues[cpu].len(), -1);
            }
            if queues[cpu].is_empty() {
                // As in newidle balancing: scan other queues for a thread that may run here.
                for from in (0..m.scan).map(|_| random.below(m.cpus)).filter(|&from| from != cpu) {
                    let fits = |&thread: &usize| masks[thread % m.masks].binary_search(&(cpu as i16)).is_ok();
                    if let Some(at) = queues[from].iter().position(fits) {
                        let thread = queues[from].remove(at);
                        g.migrate(thread, from, cpu);
                        queues[cpu].push(thread);
                        break;
                    }
                }
            }
            let next = if queues[cpu].is_empty() { 0 } else { queues[cpu].remove(0) };
            g.switch(cpu, prev, state, next);
            running[cpu] = next;
        }
    }
    finish(g, m, &masks, snapshot.finish(), cpu_snapshot.finish())
}

fn finish(
    mut g: Generator,
    m: &Machine,
    masks: &[Vec<i16>],
    snapshot: RecordBatch,
    cpus_at: RecordBatch,
) -> SyntheticTrace {
    g.built.add(tables::cpu_snapshot::NAME, cpus_at);
    g.built.add(tables::thread_snapshot::NAME, snapshot);
    let rest = [
        (tables::sched_switch::NAME, g.switch.finish()),
        (tables::sched_waking::NAME, g.waking.finish()),
        (tables::sched_wakeup::NAME, g.wakeup.finish()),
        (tables::nr_running::NAME, g.nr_running.finish()),
        (tables::sched_migrate_task::NAME, g.migrate.finish()),
    ];
    rest.into_iter().for_each(|(name, batch)| g.built.add(name, batch));
    let mut cpus = tables::cpu::Builder::default();
    for cpu in 0..m.cpus as i16 {
        let (node, llc) = (cpu / 16, i32::from(cpu / 8) * 8);
        cpus.push(&tables::cpu::Row {
            cpu,
            online: true,
            node,
            package: i32::from(node),
            llc,
            core: i32::from(cpu / 2) * 2,
            smt: cpu % 2,
            capacity: 1024,
            isolated: false,
            nohz_full: false,
        });
    }
    g.built.add(tables::cpu::NAME, cpus.finish());
    let mut rows = tables::mask::Builder::default();
    for (i, cpus) in masks.iter().enumerate() {
        rows.push(&tables::mask::Row { mask_id: i as i32, cpus });
    }
    g.built.add(tables::mask::NAME, rows.finish());
    g.built
}

/// Drops everything but the figures.
#[derive(Default)]
struct Figures {
    verdict: Option<(i64, i64, i64)>,
    upper_wall: i64,
    rows: usize,
}

impl Sink for Figures {
    fn batch(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError> {
        self.rows += batch.num_rows();
        if table == tables::verdict::NAME {
            let v = tables::verdict::View::try_new(&batch)?;
            let r = v.row(0);
            self.verdict = Some((r.end_ns - r.start_ns, r.wasted_ns, r.online_ns));
            self.upper_wall = r.wall_idle_while_waiting_ns;
        }
        Ok(())
    }
}

/// Processor time of this process in user mode so far.
fn user_seconds() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: getrusage fills the structure, and cannot fail with these arguments.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_utime.tv_sec as f64 + usage.ru_utime.tv_usec as f64 / 1e6
}

/// A size of this process's memory in MB, as `/proc/self/status` names it.
fn memory_mb(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<f64>().unwrap_or(0.0) / 1e3
}

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

fn main() {
    let events: i64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(5_000_000);
    let machines = [
        Machine { name: "2 CPUs, 40 threads, 1 mask", cpus: 2, threads: 40, masks: 1, wake: 40, scan: 0 },
        Machine { name: "8 CPUs, 100 threads, 4 masks", cpus: 8, threads: 100, masks: 4, wake: 45, scan: 2 },
        Machine { name: "64 CPUs, 1,000 threads, 20 masks", cpus: 64, threads: 1000, masks: 20, wake: 46, scan: 2 },
        Machine { name: "256 CPUs, 600 threads, no balancing", cpus: 256, threads: 600, masks: 4, wake: 45, scan: 0 },
        Machine {
            name: "1,024 CPUs, 4,000 threads, 20 masks",
            cpus: 1024,
            threads: 4000,
            masks: 20,
            wake: 42,
            scan: 16,
        },
    ];
    let only: Option<usize> = std::env::args().nth(2).and_then(|n| n.parse().ok());
    for m in machines.iter().enumerate().filter(|(i, _)| only.is_none_or(|o| o == *i)).map(|(_, m)| m) {
        let built = build(m, events);
        let before = memory_mb("VmRSS:");
        let mut seconds = [const { Vec::new() }; 2];
        let mut figures = Figures::default();
        for run in 0..2 * RUNS {
            let without_causes = run % 2 == 0;
            figures = Figures::default();
            let inputs = built.inputs();
            let options = Options { without_causes, tables: TableSet::Verdict, ..Options::default() };
            let start = user_seconds();
            check(inputs, &options, &mut figures).unwrap_or_else(|e| panic!("{e}"));
            seconds[usize::from(without_causes)].push(user_seconds() - start);
        }
        let [with, without] = seconds.map(median);
        let (span, wasted, online) = figures.verdict.expect("the check wrote a verdict");
        println!(
            "{:<39} {:>6.2} M events/s  {:>6.2} without causes  {:>+6.1} % time for them  {:>6.1} MB  \
             idle beside waiting {:>5.1} % of the time, wasted {:>5.1} % of the cores, {} rows out",
            m.name,
            events as f64 / with / 1e6,
            events as f64 / without / 1e6,
            100.0 * (with / without - 1.0),
            memory_mb("VmHWM:") - before,
            100.0 * figures.upper_wall as f64 / span as f64,
            100.0 * wasted as f64 / online as f64,
            figures.rows,
        );
    }
}
