//! A recording of the kernel, and applications' bubbles beside it.

use crate::lttng::LttngSession;
use crate::{RecordingError, RecordingSession, Started, Stats, Stopped};
use std::path::Path;

/// Records with another session and, in a folder within its own, applications' bubbles with LTTng.
pub struct WithBubbles {
    kernel: Box<dyn RecordingSession>,
    bubbles: LttngSession,
}

impl WithBubbles {
    pub fn new(kernel: Box<dyn RecordingSession>, folder: &Path) -> Self {
        Self { kernel, bubbles: LttngSession::of_bubbles(folder) }
    }
}

impl RecordingSession for WithBubbles {
    fn obstacle(&self) -> Option<String> {
        self.kernel.obstacle().or_else(|| self.bubbles.obstacle())
    }

    /// The kernel's session comes first: it makes the folder.
    fn start(&mut self) -> Result<Started, RecordingError> {
        let mut started = self.kernel.start()?;
        match self.bubbles.start() {
            Ok(bubbles) => {
                started.not_recorded.extend(bubbles.not_recorded);
                Ok(started)
            }
            Err(error) => {
                let _ = self.kernel.stop("interrupt");
                Err(error)
            }
        }
    }

    fn status(&self) -> Result<Stats, RecordingError> {
        self.kernel.status()
    }

    /// Bubbles that are lost do not cost the recording.
    fn stop(&mut self, reason: &str) -> Result<Stopped, RecordingError> {
        let bubbles = self.bubbles.stop(reason);
        let mut stopped = self.kernel.stop(reason)?;
        stopped.warnings.extend(bubbles.err().map(|error| format!("bubbles: {error}")));
        Ok(stopped)
    }
}
