//! The recorder that the options and the kernel allow: eBPF, or tracefs where BPF is not permitted.

use crate::consumer::Stats;
use crate::error::CaptureError;
use crate::meta::Meta;
use crate::options::{Options, Source};
use crate::recorder::Recorder;
use crate::tracefs::TracefsRecorder;
use std::path::{Path, PathBuf};

/// A recording by whichever source [`Options::source`] names. Dropping it ends the recording.
pub struct Capture {
    folder: PathBuf,
    options: Options,
    /// Why eBPF was not used though it was tried.
    fallen_back: Option<String>,
    by: By,
}

enum By {
    Nothing,
    Ebpf(Box<Recorder>),
    Tracefs(Box<TracefsRecorder>),
}

impl Capture {
    /// A recorder into `folder`, which must not exist. Nothing happens before `start`.
    pub fn new(folder: &Path, options: Options) -> Self {
        Self { folder: folder.to_owned(), options, fallen_back: None, by: By::Nothing }
    }

    /// Begin, as [`Recorder::start`]. With [`Source::Auto`], what eBPF refuses is tried with tracefs; when both refuse, the
    /// error is that of eBPF, which is the one to mend.
    pub fn start(&mut self) -> Result<Meta, CaptureError> {
        if !matches!(self.by, By::Nothing) {
            return Err(CaptureError::State("the recorder runs already"));
        }
        match self.options.source {
            Source::Ebpf => self.start_ebpf(),
            Source::Tracefs => self.start_tracefs(),
            Source::Auto => {
                let existed = self.folder.exists();
                let refused = match self.start_ebpf() {
                    Err(
                        error
                        @ (CaptureError::NotPermitted { .. } | CaptureError::NoBtf | CaptureError::Refused { .. }),
                    ) => error,
                    done => return done,
                };
                if !existed && self.folder.exists() {
                    std::fs::remove_dir_all(&self.folder).map_err(CaptureError::file(&self.folder))?;
                }
                self.fallen_back = Some(refused.to_string());
                self.start_tracefs().map_err(|_| refused)
            }
        }
    }

    fn start_ebpf(&mut self) -> Result<Meta, CaptureError> {
        let mut recorder = Box::new(Recorder::new(&self.folder, self.options.clone()));
        let meta = recorder.start()?;
        self.by = By::Ebpf(recorder);
        Ok(meta)
    }

    fn start_tracefs(&mut self) -> Result<Meta, CaptureError> {
        let mut recorder = Box::new(TracefsRecorder::new(&self.folder, self.options.clone()));
        let why = self.fallen_back.iter().map(|why| format!("everything that only eBPF shows: {why}"));
        let meta = recorder.start(why.collect())?;
        self.by = By::Tracefs(recorder);
        Ok(meta)
    }

    /// Figures so far, as [`Recorder::stats`].
    pub fn stats(&self) -> Result<Stats, CaptureError> {
        match &self.by {
            By::Nothing => Err(CaptureError::State("the recorder does not run")),
            By::Ebpf(recorder) => recorder.stats(),
            By::Tracefs(recorder) => recorder.stats(),
        }
    }

    /// End, as [`Recorder::stop`].
    pub fn stop(&mut self, reason: &str) -> Result<Meta, CaptureError> {
        match &mut self.by {
            By::Nothing => Err(CaptureError::State("the recorder does not run")),
            By::Ebpf(recorder) => recorder.stop(reason),
            By::Tracefs(recorder) => recorder.stop(reason),
        }
    }
}
