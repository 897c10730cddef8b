//! Writes a trace as LTTng records it from a kernel: `cargo run --release -p wastenot-ctf --example generate -- FOLDER EVENTS CPUS`.
//!
//! On every CPU threads wake, run for microseconds and sleep; every 16th wakeup goes to another CPU. `c1` holds the scheduler's events,
//! `cm` the migrations once more with kernel stacks, `cs` the balancer's function. The same arguments give the same bytes.

#[path = "../tests/traces/ctf.rs"]
mod ctf;

use ctf::{Channel, Endian, Payload, Trace};
use std::path::PathBuf;

/// Threads of each CPU.
const THREADS: u64 = 16;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, events, cpus] = &arguments[..] else { return Err("usage: generate FOLDER EVENTS CPUS".into()) };
    let (events, cpus): (u64, u32) = (events.parse()?, cpus.parse()?);
    let channels = vec![
        Channel { name: "c1", context: ctf::TID, events: vec![ctf::SWITCH, ctf::WAKING, ctf::WAKEUP, ctf::MIGRATE] },
        Channel { name: "cs", context: "", events: vec![ctf::ENTRY, ctf::EXIT] },
        Channel { name: "cm", context: ctf::STACK, events: vec![ctf::MIGRATE] },
    ];
    let mut trace = Trace::create(&PathBuf::from(folder).join("kernel"), Endian::Little, channels)?;
    trace.packet = 1 << 20;
    let mut generator = Generator { trace, now: 1_000_000_000, random: 0x9e37_79b9_7f4a_7c15, written: 0 };
    while generator.written < events {
        generator.round(cpus)?;
    }
    println!("{} events on {cpus} CPUs over {:.3} s", generator.written, generator.now as f64 / 1e9 - 1.0);
    Ok(generator.trace.finish()?)
}

struct Generator {
    trace: Trace,
    now: u64,
    random: u64,
    written: u64,
}

impl Generator {
    /// A number below `limit` (xorshift).
    fn random(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit
    }

    fn event(
        &mut self,
        channel: usize,
        cpu: u32,
        event: &str,
        context: Payload,
        payload: Payload,
    ) -> std::io::Result<()> {
        self.now += 100 + self.random(400);
        self.written += 1;
        self.trace.event(channel, cpu, self.now, event, &context.bytes, &payload.bytes)
    }

    fn switch(&mut self, cpu: u32, prev: (&str, i32), state: i64, next: (&str, i32)) -> std::io::Result<()> {
        let new = || Payload::new(Endian::Little);
        let fields = new().text(prev.0).int(prev.1).int(20).long(state).text(next.0).int(next.1).int(20);
        self.event(0, cpu, "sched_switch", new().int(prev.1), fields)
    }

    /// A thread is woken, runs and sleeps.
    fn round(&mut self, cpus: u32) -> std::io::Result<()> {
        let new = || Payload::new(Endian::Little);
        let cpu = self.random(cpus.into()) as u32;
        let thread = self.random(THREADS);
        let tid = 1000 + (u64::from(cpu) * THREADS + thread) as i32;
        let name = format!("worker/{cpu}:{thread}");
        let idle = format!("swapper/{cpu}");
        let woken = |target: u32| new().text(&name).int(tid).int(20).int(target as i32);
        self.event(0, cpu, "sched_waking", new().int(0), woken(cpu))?;
        let mut target = cpu;
        if self.random(16) == 0 && cpus > 1 {
            target = (cpu + 1 + self.random(u64::from(cpus) - 1) as u32) % cpus;
            let moved = new().text(&name).int(tid).int(20).int(cpu as i32).int(target as i32);
            self.event(0, cpu, "sched_migrate_task", new().int(0), moved.clone())?;
            let way = 0xffff_ffff_8100_0000 + self.random(40) * 16;
            self.event(2, cpu, "sched_migrate_task", new().stack(&[way, way + 0x40, 0xffff_ffff_8200_0000]), moved)?;
        }
        self.event(0, cpu, "sched_wakeup", new().int(0), woken(target))?;
        let target_idle = if target == cpu { idle } else { format!("swapper/{target}") };
        self.switch(target, (&target_idle, 0), 0, (&name, tid))?;
        self.now += self.random(20_000);
        self.switch(target, (&name, tid), 1, (&target_idle, 0))?;
        if self.random(8) == 0 {
            let call = || new().long(0xffff_ffff_8130_0000u64 as i64).long(0xffff_ffff_8131_0000u64 as i64);
            self.event(1, target, "lb_entry", new(), call())?;
            self.event(1, target, "lb_exit", new(), call())?;
        }
        Ok(())
    }
}
