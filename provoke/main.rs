//! The workloads without Python, for guests: `provoke NAME SECONDS [THREADS [SEED]]`.

use std::process::ExitCode;
use wastenot_provoke::{Settings, find, run};

fn main() -> ExitCode {
    match provoke() {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("provoke: {error}");
            ExitCode::from(2)
        }
    }
}

fn provoke() -> Result<String, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, seconds, rest @ ..] = &arguments[..] else {
        return Err("usage: provoke NAME SECONDS [THREADS [SEED]]".into());
    };
    let threads = rest.first().map(|text| text.parse()).transpose()?;
    let seed = rest.get(1).map_or(Ok(1), |text| text.parse())?;
    let workload = find(name)?;
    let done = run(workload, &Settings::new(seed, seconds.parse()?, threads)?, || true)?;
    Ok(format!("{name}: {} {} by {} in {:.2} s", done.work, workload.unit, done.threads, done.took.as_secs_f64()))
}
