//! Record this machine, then print the recording's description and, with PRINT in the environment, its records:
//! `record FOLDER SECONDS [OPTIONS-JSON]`, or while a command runs: `record FOLDER -- COMMAND...` (options in OPTIONS).

use std::path::Path;
use std::process::ExitCode;
use wastenot_ebpf::record::{Record, read};
use wastenot_ebpf::segment::{Frame, RecordingReader};
use wastenot_ebpf::{EbpfRecorder, Options};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("record: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(seconds)) = (arguments.next(), arguments.next()) else {
        return Err("usage: record FOLDER SECONDS [OPTIONS-JSON], or record FOLDER -- COMMAND...".into());
    };
    let folder = Path::new(&folder);
    let meta = if seconds == "--" {
        let command: Vec<String> = arguments.collect();
        let (program, rest) = command.split_first().ok_or("record FOLDER -- COMMAND...: no command")?;
        let options = Options::from_json(std::env::var("OPTIONS").as_deref().unwrap_or("{}"))?;
        let mut recorder = EbpfRecorder::new(folder, Options { command: Some(command.join(" ")), ..options });
        recorder.start()?;
        let status = std::process::Command::new(program).args(rest).status();
        let meta = recorder.stop("command")?;
        if !status?.success() {
            return Err("the command failed".into());
        }
        meta
    } else {
        let options = Options::from_json(&arguments.next().unwrap_or_else(|| "{}".into()))?;
        let mut recorder = EbpfRecorder::new(folder, options);
        recorder.start()?;
        std::thread::sleep(std::time::Duration::from_secs_f64(seconds.parse()?));
        recorder.stop("duration")?
    };
    println!("{}", serde_json::to_string_pretty(&meta)?);

    let mut reader = RecordingReader::open(&folder.join("segments"))?;
    let (mut frame, mut frames, mut records) = (Frame::default(), 0u64, 0u64);
    while reader.next_into(&mut frame) {
        frames += 1;
        let mut rest = &frame.records[..];
        while !rest.is_empty() {
            let (ts_ns, record, length) = read(rest, reader.base_ns())?;
            if std::env::var_os("PRINT").is_some() && !matches!(record, Record::NrRunning(_)) {
                println!("{:>3} {:>12} {record:?}", frame.cpu, ts_ns.wrapping_sub(meta.start_ns) as i64);
            }
            rest = &rest[length..];
            records += 1;
        }
    }
    println!("{frames} frames, {records} records, {:?}", reader.tail());
    Ok(())
}
