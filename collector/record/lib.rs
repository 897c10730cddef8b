//! Recording sessions: eBPF, tracefs, LTTng and applications' bubbles behind one trait.
//!
//! API: [`open`] gives the [`RecordingSession`] that [`RecordingOptions`] choose. No session does anything before `start`; each
//! ends and cleans up when it is dropped. What a killed process leaves behind in the kernel, the kernel removes (eBPF) or the
//! next session does (instances of tracefs, sessions of LTTng).

mod bubbles;
mod error;
mod fallback;
mod kernel;
mod lttng;
mod options;

pub use error::RecordingError;
pub use options::{RecordingOptions, Tracer};
pub use wastenot_ebpf::Stats;

use serde::Serialize;
use std::path::Path;
use wastenot_ebpf::{EbpfRecorder, Options, Source};

/// One recording, from its start to a folder that becomes a trace.
pub trait RecordingSession: Send {
    /// Why it cannot record here, in one line, as far as that is known without trying. Writes nothing.
    fn obstacle(&self) -> Option<String> {
        None
    }

    /// Start. When it returns, all events from here on are recorded.
    fn start(&mut self) -> Result<Started, RecordingError>;

    /// Figures so far; `ended` has the reason where recording ended by itself.
    fn status(&self) -> Result<Stats, RecordingError>;

    /// Stop with this reason: command, duration or interrupt.
    fn stop(&mut self, reason: &str) -> Result<Stopped, RecordingError>;
}

/// What a started session records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Started {
    /// `trace.source`.
    pub source: String,
    /// A line for each thing that is not recorded, with the reason.
    pub not_recorded: Vec<String>,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stopped {
    /// `trace.end_reason`: the reason given, or the one for which recording ended before.
    pub end_reason: String,
    /// Final figures.
    pub stats: Stats,
    /// What the folder holds.
    pub form: TraceForm,
    /// A line for each thing that went wrong without costing the recording.
    pub warnings: Vec<String>,
}

/// What a session leaves in its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceForm {
    /// A part folder, for `wastenot_ebpf::decode`.
    Part,
    /// A CTF trace, for import.
    Ctf,
}

/// The session into `folder` that the options choose. Nothing happens before [`RecordingSession::start`].
pub fn open(folder: &Path, options: RecordingOptions) -> Box<dyn RecordingSession> {
    let kernel: Box<dyn RecordingSession> = match options.tracer {
        Tracer::Kernel => kernel_session(folder, options.kernel),
        Tracer::Lttng => Box::new(lttng::LttngSession::of_kernel(folder, options.kernel.stacks)),
        Tracer::Bubbles => return Box::new(lttng::LttngSession::of_bubbles(folder)),
    };
    match options.with_bubbles {
        true => Box::new(bubbles::WithBubbles::new(kernel, &folder.join("bubbles"))),
        false => kernel,
    }
}

/// The session with eBPF or tracefs that `options.source` chooses.
fn kernel_session(folder: &Path, options: Options) -> Box<dyn RecordingSession> {
    match options.source {
        Source::Ebpf => Box::new(EbpfRecorder::new(folder, options)),
        Source::Tracefs => Box::new(kernel::TracefsSession::new(folder, options, Vec::new())),
        Source::Auto => Box::new(fallback::WithFallback::new(folder, options)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(folder: &Path, options: &str) -> Box<dyn RecordingSession> {
        open(folder, RecordingOptions::from_json(options).unwrap())
    }

    const ALL: [&str; 7] = [
        r#"{}"#,
        r#"{"source": "ebpf"}"#,
        r#"{"source": "tracefs"}"#,
        r#"{"source": "lttng"}"#,
        r#"{"source": "bubbles"}"#,
        r#"{"source": "tracefs", "with_bubbles": true}"#,
        r#"{"source": "lttng", "with_bubbles": true}"#,
    ];

    #[test]
    fn a_session_that_was_not_started_has_no_figures_and_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("t.part");
        for options in ALL {
            let mut session = session(&part, options);
            session.obstacle();
            assert!(session.status().is_err(), "{options}");
            let error = session.stop("interrupt").unwrap_err().to_string();
            assert!(!error.contains('\n'), "{options}: {error}");
        }
        assert!(!part.exists());
    }
}
