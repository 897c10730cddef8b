//! Sessions of the recorders with eBPF and tracefs.

use crate::{RecordingError, RecordingSession, Started, Stats, Stopped, TraceForm};
use std::path::Path;
use wastenot_ebpf::{EbpfRecorder, Meta, Options, TracefsRecorder};

fn started(meta: Meta) -> Started {
    let not_recorded = meta.not_recorded();
    Started { source: meta.source, not_recorded }
}

fn stopped(meta: Meta) -> Stopped {
    Stopped {
        end_reason: meta.end_reason.unwrap_or_default(),
        stats: meta.stats.unwrap_or_default(),
        form: TraceForm::Part,
        warnings: Vec::new(),
    }
}

impl RecordingSession for EbpfRecorder {
    fn start(&mut self) -> Result<Started, RecordingError> {
        Ok(started(Self::start(self)?))
    }

    fn status(&self) -> Result<Stats, RecordingError> {
        Ok(self.stats()?)
    }

    fn stop(&mut self, reason: &str) -> Result<Stopped, RecordingError> {
        Ok(stopped(Self::stop(self, reason)?))
    }
}

/// A recording through tracefs.
pub struct TracefsSession {
    recorder: TracefsRecorder,
    not_recorded: Vec<String>,
}

impl TracefsSession {
    /// A session into `folder`; the lines of `not_recorded` come before those of the recorder.
    pub fn new(folder: &Path, options: Options, not_recorded: Vec<String>) -> Self {
        Self { recorder: TracefsRecorder::new(folder, options), not_recorded }
    }
}

impl RecordingSession for TracefsSession {
    fn start(&mut self) -> Result<Started, RecordingError> {
        Ok(started(self.recorder.start(self.not_recorded.clone())?))
    }

    fn status(&self) -> Result<Stats, RecordingError> {
        Ok(self.recorder.stats()?)
    }

    fn stop(&mut self, reason: &str) -> Result<Stopped, RecordingError> {
        Ok(stopped(self.recorder.stop(reason)?))
    }
}
