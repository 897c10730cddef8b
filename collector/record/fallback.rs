//! eBPF, and tracefs where BPF is not permitted.

use crate::kernel::TracefsSession;
use crate::{RecordingError, RecordingSession, Started, Stats, Stopped};
use std::path::{Path, PathBuf};
use wastenot_ebpf::{CaptureError, EbpfRecorder, Options};

/// Tries eBPF first. When both are refused, the error is that of eBPF, which is the one to mend.
pub struct WithFallback {
    folder: PathBuf,
    options: Options,
    running: Option<Box<dyn RecordingSession>>,
}

impl WithFallback {
    pub fn new(folder: &Path, options: Options) -> Self {
        Self { folder: folder.to_owned(), options, running: None }
    }

    fn running(&self) -> Result<&dyn RecordingSession, RecordingError> {
        self.running.as_deref().ok_or(CaptureError::State("the recorder does not run").into())
    }

    fn start_tracefs(&mut self, refused: &CaptureError) -> Result<Started, RecordingError> {
        let why = vec![format!("everything that only eBPF shows: {refused}")];
        let mut session = TracefsSession::new(&self.folder, self.options.clone(), why);
        let started = RecordingSession::start(&mut session)?;
        self.running = Some(Box::new(session));
        Ok(started)
    }
}

/// Whether tracefs may work where eBPF ended with this error.
fn is_refusal(error: &CaptureError) -> bool {
    matches!(error, CaptureError::NotPermitted { .. } | CaptureError::NoBtf | CaptureError::Refused { .. })
}

impl RecordingSession for WithFallback {
    fn start(&mut self) -> Result<Started, RecordingError> {
        if self.running.is_some() {
            return Err(CaptureError::State("the recorder runs already").into());
        }
        let existed = self.folder.exists();
        let mut ebpf = EbpfRecorder::new(&self.folder, self.options.clone());
        match RecordingSession::start(&mut ebpf) {
            Ok(started) => {
                self.running = Some(Box::new(ebpf));
                Ok(started)
            }
            Err(RecordingError::Capture(refused)) if is_refusal(&refused) => {
                if !existed && self.folder.exists() {
                    let removed = std::fs::remove_dir_all(&self.folder);
                    removed.map_err(|source| CaptureError::Io { what: self.folder.display().to_string(), source })?;
                }
                self.start_tracefs(&refused).map_err(|_| refused.into())
            }
            Err(error) => Err(error),
        }
    }

    fn status(&self) -> Result<Stats, RecordingError> {
        self.running()?.status()
    }

    fn stop(&mut self, reason: &str) -> Result<Stopped, RecordingError> {
        self.running()?;
        self.running.take().map_or_else(|| unreachable!("checked above"), |mut session| session.stop(reason))
    }
}
