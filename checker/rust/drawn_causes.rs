//! What the rules for causes need in drawings: domains, passes of the balancer, what was looked at, stacks of moves.
//!
//! ```text
//! kernel 6.1                              the release
//! passes told                             every pass of the balancer is drawn, so that none drawn means none made
//! domain MC 0-3 4-7                       a level of domains, the smallest first; of each CPU the span that holds it
//! domain NUMA 0-7 pct 125 interval 16ms derived since 5ms     interval: the shortest; derived: not told by the kernel; since: a new tree from then on
//! 1ms migrate 101 from 1 to 0 by newidle  the path that the move's kernel stack tells
//! 1ms waking 101 last 1 by 2              the CPU of the waker
//! 1ms newidle 3                           a CPU about to idle looks for work
//! 1ms pass 3 over 0 newly pulled 0        the CPU it is for, the level, idle | busy | newly, how many threads it took
//! 1ms sees 2 load 1024 threads 1          the pass before looked at CPU 2
//! 1ms chose 2                             it chose that queue; `chose none`
//! 1ms cpus_scanned 101 0-3 chose 1 by 2     a placement, decided on CPU 2, looked at CPUs 0-3; without `by` on the one chosen
//! 1ms placed 101 on 1 by 2                a placement on CPU 2 chose CPU 1; what it looked at is not told
//! 1ms kick 5 by 0                         CPU 0 kicks CPU 5 to balance; `1ms softirq 5`: its balancer's softirq begins
//! ```

use wastenot_schemas::{self as tables, idle_type, kick_kind};

use crate::causes::paths::stack_of;
use crate::drawing::{Tables, cpu_list, number, time};

/// Rows of the tables that only causes read.
#[derive(Default)]
pub struct Drawn {
    pub kernel: Option<String>,
    pub passes_told: bool,
    domains: tables::domain::Builder,
    levels: i16,
    tree_ns: i64,
    stacks: Vec<&'static str>,
    attempts: tables::balance_attempt::Builder,
    loads: tables::cpu_load::Builder,
    cpus_scanned: tables::cpus_scanned::Builder,
    kicks: tables::balance_kick::Builder,
    /// The pass that is told of: its event, the CPU that made it.
    pass: Option<(i64, i16)>,
}

impl Drawn {
    /// The event that these words tell; None when they tell none of these.
    pub fn event(
        &mut self,
        id: i64,
        ts_ns: i64,
        words: &[&str],
        mask: &mut dyn FnMut(&str) -> Result<i32, String>,
    ) -> Result<bool, String> {
        match words {
            ["newidle", cpu] => self.attempt(id, ts_ns, number(cpu)?, None, idle_type::NEWLY_IDLE, None),
            ["pass", cpu, "over", level, kind, "pulled", n] => {
                let idle = match *kind {
                    "idle" => idle_type::IDLE,
                    "busy" => idle_type::NOT_IDLE,
                    "newly" => idle_type::NEWLY_IDLE,
                    other => return Err(format!("{other}: idle, busy or newly")),
                };
                let level = if *level == "?" { None } else { Some(number(level)?) };
                self.attempt(id, ts_ns, number(cpu)?, Some(level), idle, Some(number(n)?));
            }
            ["sees", of, "load", load, "threads", n] => {
                let (attempt, cpu) = self.pass.ok_or("no pass before it")?;
                let (of_cpu, load, nr_running) = (number(of)?, number(load)?, Some(number(n)?));
                let row = tables::cpu_load::Row { id, ts_ns, cpu, attempt_id: Some(attempt), of_cpu, load, nr_running };
                self.loads.push(&row);
            }
            ["chose", src] => {
                let (attempt, cpu) = self.pass.ok_or("no pass before it")?;
                let chosen_cpu = if *src == "none" { None } else { Some(number(src)?) };
                let attempt_id = Some(attempt);
                let mask_id = Some(mask("0")?);
                let row =
                    tables::cpus_scanned::Row { id, ts_ns, cpu, attempt_id, mask_id, chosen_cpu, ..Default::default() };
                self.cpus_scanned.push(&row);
            }
            ["cpus_scanned", tid, list, "chose", chosen, by @ ..] => {
                let (tid, mask_id, chosen_cpu) = (Some(number(tid)?), Some(mask(list)?), Some(number(chosen)?));
                let cpu = match by {
                    [] => number(chosen)?,
                    ["by", cpu] => number(cpu)?,
                    _ => return Err("after the CPU chosen only: by CPU".into()),
                };
                let row = tables::cpus_scanned::Row { id, ts_ns, cpu, tid, mask_id, chosen_cpu, ..Default::default() };
                self.cpus_scanned.push(&row);
            }
            ["placed", tid, "on", cpu, "by", by] => {
                let (tid, chosen_cpu, cpu) = (Some(number(tid)?), Some(number(cpu)?), number(by)?);
                let row = tables::cpus_scanned::Row { id, ts_ns, cpu, tid, chosen_cpu, ..Default::default() };
                self.cpus_scanned.push(&row);
            }
            ["kick", target, "by", cpu] => self.kick(id, ts_ns, number(cpu)?, number(target)?, kick_kind::SENT),
            ["softirq", cpu] => self.kick(id, ts_ns, number(cpu)?, number(cpu)?, kick_kind::SOFTIRQ),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn attempt(&mut self, id: i64, ts_ns: i64, cpu: i16, level: Option<Option<i16>>, idle: u8, pulled: Option<i32>) {
        self.pass = Some((id, cpu));
        self.attempts.push(&tables::balance_attempt::Row {
            id,
            ts_ns,
            cpu,
            dur_ns: 0,
            dst_cpu: cpu,
            domain_level: level.flatten(),
            idle_type: idle,
            pulled,
            function: if level.is_some() { "sched_balance_rq" } else { "sched_balance_newidle" },
        });
    }

    fn kick(&mut self, id: i64, ts_ns: i64, cpu: i16, target_cpu: i16, kind: u8) {
        self.kicks.push(&tables::balance_kick::Row { id, ts_ns, cpu, target_cpu, kind });
    }

    /// A line `domain NAME SPAN ...`.
    pub fn domain(&mut self, name: &str, words: &[&str]) -> Result<(), String> {
        let (mut spans, mut pct, mut interval, mut exact) = (Vec::new(), None, None, true);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "pct" => pct = Some(number(words.next().ok_or("pct: a number must follow")?)?),
                "interval" => interval = Some(time(words.next().ok_or("interval: a time must follow")?)?),
                "derived" => exact = false,
                "since" => {
                    let since = time(words.next().ok_or("since: a time must follow")?)?;
                    if since != self.tree_ns {
                        (self.tree_ns, self.levels) = (since, 0);
                    }
                }
                list => spans.push(cpu_list(list)?),
            }
        }
        let all: std::collections::BTreeSet<i16> = spans.iter().flatten().copied().collect();
        for cpu in all {
            let span = spans.iter().find(|s| s.contains(&cpu)).expect("from these spans");
            // Where spans overlap, the one that the CPU stands first in.
            let span = spans.iter().find(|s| s.first() == Some(&cpu)).unwrap_or(span);
            let mut span = span.clone();
            span.sort_unstable();
            self.domains.push(&tables::domain::Row {
                since_ns: self.tree_ns,
                cpu,
                level: self.levels,
                name,
                span: &span,
                flags: None,
                min_interval_ns: interval,
                max_interval_ns: interval.map(|ns| 2 * ns),
                busy_factor: None,
                imbalance_pct: pct,
                exact,
            });
        }
        self.levels += 1;
        Ok(())
    }

    /// The id of a stack that tells a path.
    pub fn stack(&mut self, path: &str) -> Result<i32, String> {
        let function = stack_of(path).ok_or_else(|| format!("{path}: no path of a move"))?;
        let at = self.stacks.iter().position(|f| *f == function).unwrap_or_else(|| {
            self.stacks.push(function);
            self.stacks.len() - 1
        });
        Ok(at as i32)
    }

    /// The tables that were used.
    pub fn tables(&mut self) -> Tables {
        let mut out = Tables::new();
        let mut stacks = tables::stack::Builder::default();
        for (i, function) in self.stacks.iter().enumerate() {
            let symbols = ["set_task_cpu+0x1", function];
            stacks.push(&tables::stack::Row { stack_id: i as i32, addresses: &[1, 2], symbols: &symbols });
        }
        for (name, used, batch) in [
            (tables::domain::NAME, !self.domains.is_empty(), self.domains.finish()),
            (tables::stack::NAME, !self.stacks.is_empty(), stacks.finish()),
            (tables::balance_attempt::NAME, !self.attempts.is_empty(), self.attempts.finish()),
            (tables::cpu_load::NAME, !self.loads.is_empty(), self.loads.finish()),
            (tables::cpus_scanned::NAME, !self.cpus_scanned.is_empty(), self.cpus_scanned.finish()),
            (tables::balance_kick::NAME, !self.kicks.is_empty(), self.kicks.finish()),
        ] {
            if used {
                out.push((name, batch));
            }
        }
        out
    }
}
