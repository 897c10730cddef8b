//! Sessions of LTTng: the kernel's scheduler, or applications' bubbles. Both leave a CTF trace; LTTng gives no figures while it
//! records.

use crate::{RecordingError, RecordingSession, Started, Stats, Stopped, TraceForm};
use std::path::{Path, PathBuf};
use wastenot_lttng::session::{Session, SessionOptions, available, available_for_bubbles};

/// A session of LTTng into a folder that does not exist or is empty.
pub struct LttngSession {
    folder: PathBuf,
    events: Events,
    running: Option<Session>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Events {
    Kernel { stacks: bool },
    Bubbles,
}

impl LttngSession {
    /// Of the kernel's scheduler.
    pub fn of_kernel(folder: &Path, stacks: bool) -> Self {
        Self { folder: folder.to_owned(), events: Events::Kernel { stacks }, running: None }
    }

    /// Of applications' bubbles.
    pub fn of_bubbles(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), events: Events::Bubbles, running: None }
    }
}

fn refused(why: impl std::fmt::Display) -> RecordingError {
    RecordingError::Lttng(why.to_string())
}

impl RecordingSession for LttngSession {
    fn obstacle(&self) -> Option<String> {
        match self.events {
            Events::Kernel { .. } => available().err(),
            Events::Bubbles => available_for_bubbles().err(),
        }
    }

    /// Which evidence a trace of LTTng holds is known after its import.
    fn start(&mut self) -> Result<Started, RecordingError> {
        if self.running.is_some() {
            return Err(refused("the recorder runs already"));
        }
        let session = match self.events {
            Events::Kernel { stacks } => {
                Session::start(&self.folder, &SessionOptions { stacks, ..SessionOptions::default() })
            }
            Events::Bubbles => Session::start_bubbles(&self.folder),
        };
        let session = session.map_err(refused)?;
        let not_recorded = session.not_recorded().to_vec();
        self.running = Some(session);
        Ok(Started { source: "lttng".into(), not_recorded })
    }

    fn status(&self) -> Result<Stats, RecordingError> {
        self.running.as_ref().map(|_| Stats::default()).ok_or_else(|| refused("the recorder does not run"))
    }

    fn stop(&mut self, reason: &str) -> Result<Stopped, RecordingError> {
        let session = self.running.take().ok_or_else(|| refused("the recorder does not run"))?;
        session.stop().map_err(refused)?;
        Ok(Stopped { end_reason: reason.into(), stats: Stats::default(), form: TraceForm::Ctf, warnings: Vec::new() })
    }
}
