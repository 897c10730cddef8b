//! How many rows a second the assembler takes, on one core:
//! `cargo run --release -p wastenot-assemble --example assemble_rows [sources] [rows per source]`. The rows are those of a
//! busy trace: waking, wakeup, two changes of nr_running, two switches.

use std::time::Instant;
use wastenot_assemble::*;

struct Busy {
    cpu: i16,
    /// Mean time between two rows of this source: the machine's rate stays the same whatever the number of sources.
    step_ns: i64,
    clock_ns: i64,
    left: usize,
}

impl Source for Busy {
    fn name(&self) -> String {
        format!("cpu {}", self.cpu)
    }

    fn read(&mut self, _: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let cpu = self.cpu;
        let portion = self.left.min(4096);
        for n in 0..portion {
            self.clock_ns +=
                self.step_ns * [1, 1, 2, 1, 4, 3][n % 6] / 2 + (n as i64 * 7919 + i64::from(cpu) * 104_729) % 97;
            let event = match n % 6 {
                0 => Event::from(SchedWaking {
                    cpu,
                    tid: 100,
                    target_cpu: Some(cpu),
                    prio: Some(120),
                    ..Default::default()
                }),
                1 | 4 => Event::from(NrRunning { cpu, nr_running: 1, delta: 1, ..Default::default() }),
                2 => Event::from(SchedWakeup {
                    cpu,
                    tid: 100,
                    target_cpu: cpu,
                    prio: Some(120),
                    is_new: false,
                    ..Default::default()
                }),
                3 => Event::from(SchedSwitch {
                    cpu,
                    prev_tid: 0,
                    prev_state: 0,
                    prev_prio: Some(120),
                    next_tid: 100,
                    next_prio: Some(120),
                    ..Default::default()
                }),
                _ => Event::from(SchedSwitch {
                    cpu,
                    prev_tid: 100,
                    prev_state: 2,
                    prev_prio: Some(120),
                    next_tid: 0,
                    next_prio: Some(120),
                    ..Default::default()
                }),
            };
            rows.push(Row { ts_ns: self.clock_ns, event });
        }
        self.left -= portion;
        Ok(if self.left == 0 { Progress::End } else { Progress::Settled(self.clock_ns - 20_000_000) })
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>().expect("a number"));
    let sources = arguments.next().unwrap_or(2);
    let each = arguments.next().unwrap_or(20_000_000 / sources);
    let mut millions: Vec<f64> = (0..5)
        .map(|_| {
            let busy = |cpu| {
                let (cpu, clock_ns, step_ns) = (cpu as i16, cpu as i64, 500 * sources as i64);
                Box::new(Busy { cpu, step_ns, clock_ns, left: each }) as Box<dyn Source>
            };
            let mut batches = 0;
            let begin = Instant::now();
            let (report, _) = Assembler::new((0..sources).map(busy).collect(), Interner::default())
                .run(&mut |_: &'static str, batch: arrow_array::RecordBatch| {
                    batches += std::hint::black_box(batch).num_rows();
                    Ok(())
                })
                .expect("nothing refuses");
            report.events as f64 / begin.elapsed().as_secs_f64() / 1e6
        })
        .collect();
    millions.sort_by(f64::total_cmp);
    println!("{sources} sources: {:.1} M rows/s (median of 5, {:.1} to {:.1})", millions[2], millions[0], millions[4]);
}
