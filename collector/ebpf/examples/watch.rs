//! `watch SECONDS [FOLDER [OPTIONS-JSON]]`: watch this machine, printing figures every second; at the end save the black box into
//! FOLDER.

use std::path::Path;
use std::time::Duration;
use wastenot_ebpf::watch::{FlightRecorder, WatchOptions};

fn run(arguments: &[String]) -> Result<(), String> {
    let [seconds, rest @ ..] = arguments else { return Err("watch SECONDS [FOLDER [OPTIONS-JSON]]".into()) };
    let seconds: u64 = seconds.parse().map_err(|_| format!("{seconds}: give a number of seconds"))?;
    let json = rest.get(1).map_or("{}", String::as_str);
    let options = WatchOptions::from_json(json).map_err(|e| e.to_string())?;
    let watcher = FlightRecorder::new(options);
    let text = |value: Result<String, serde_json::Error>| value.map_err(|e| e.to_string());
    println!("{}", text(serde_json::to_string(&watcher.start().map_err(|e| e.to_string())?))?);
    for _ in 0..seconds {
        std::thread::sleep(Duration::from_secs(1));
        println!("{}", text(serde_json::to_string(&watcher.status().map_err(|e| e.to_string())?))?);
    }
    if let Some(folder) = rest.first() {
        let saved = watcher.save(Path::new(folder), 0, "end").map_err(|e| e.to_string())?;
        println!("{}", text(serde_json::to_string(&saved))?);
    }
    watcher.stop().map(drop).map_err(|e| e.to_string())
}

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}
