//! What to watch, and how much to keep.

use crate::error::CaptureError;
use crate::options::Options;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What wakes the sentinel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookClock {
    /// A timer of BPF, else a software clock of one CPU.
    #[default]
    Auto,
    /// A timer of BPF (5.15 and later).
    Timer,
    /// A software clock of one CPU (perf_event_open).
    PerfEvent,
}

/// Options of [`super::FlightRecorder`]: these, and those of a recording.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default)]
pub struct WatchOptions {
    /// Nanoseconds before a trigger that the black box is to hold.
    pub keep_ns: u64,
    /// Bytes of the rings of all CPUs together; `ring_bytes` takes precedence.
    pub keep_bytes: u64,
    /// Nanoseconds between two looks of the sentinel.
    pub look_ns: u64,
    /// Nanoseconds after which a violation without a break is a hit.
    pub hit_ns: u64,
    /// No black box.
    pub sentinel_only: bool,
    /// What wakes the sentinel.
    pub look_clock: LookClock,
    /// Options of the events in the black box. `schedstat` and `poll_ms` have no effect.
    #[serde(skip)]
    pub events: Options,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            keep_ns: 10_000_000_000,
            keep_bytes: 64 << 20,
            look_ns: 1_000_000,
            hit_ns: 5_000_000,
            sentinel_only: false,
            look_clock: LookClock::Auto,
            events: Options::default(),
        }
    }
}

const OWN: [&str; 6] = ["keep_ns", "keep_bytes", "look_ns", "hit_ns", "sentinel_only", "look_clock"];

impl WatchOptions {
    /// From JSON: the keys of [`WatchOptions`] and of [`Options`]. Keys left out keep their default, unknown ones are an error.
    pub fn from_json(json: &str) -> Result<Self, CaptureError> {
        let bad = |why: String| CaptureError::Option { why: format!("watch options: {why}") };
        let keys: Map<String, Value> = serde_json::from_str(json).map_err(|error| bad(error.to_string()))?;
        let (own, of_events): (Map<_, _>, Map<_, _>) =
            keys.into_iter().partition(|(key, _)| OWN.contains(&key.as_str()));
        let mut options: Self = serde_json::from_value(own.into()).map_err(|error| bad(error.to_string()))?;
        options.events = Options::from_json(&Value::Object(of_events).to_string())?;
        if !(100_000..=1_000_000_000).contains(&options.look_ns) {
            return Err(bad(format!("look_ns is {}: give 100000 (0.1 ms) to 1000000000 (1 s)", options.look_ns)));
        }
        if options.hit_ns == 0 {
            return Err(bad("hit_ns is 0: give the nanoseconds after which a violation is a hit".into()));
        }
        if options.events.raw_tp || options.events.early {
            return Err(bad("raw_tp or early: a black box needs tp_btf of Linux 5.12 or later".into()));
        }
        Ok(options)
    }

    /// The options of the events, with rings for a machine of so many CPUs.
    pub(crate) fn with_rings(&self, cpus: usize) -> Options {
        let mut events = self.events.clone();
        if events.ring_bytes == 0 {
            let share = (self.keep_bytes / cpus.max(1) as u64).clamp(64 << 10, 1 << 28);
            events.ring_bytes = 1 << share.ilog2();
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_a_recording_and_more() {
        let options =
            WatchOptions::from_json(r#"{"keep_ns": 5, "stacks": false, "look_clock": "perf_event"}"#).unwrap();
        assert_eq!((options.keep_ns, options.events.stacks, options.look_clock), (5, false, LookClock::PerfEvent));
        for json in [r#"{"keep": 1}"#, r#"{"look_ns": 1}"#, r#"{"hit_ns": 0}"#, r#"{"raw_tp": true}"#, "[]", "{"] {
            let error = WatchOptions::from_json(json).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{json}: {error}");
        }
    }

    #[test]
    fn the_rings_of_all_cpus_share_the_bytes_to_keep() {
        let of = |cpus| WatchOptions::default().with_rings(cpus).ring_bytes;
        assert_eq!((of(2), of(3), of(64), of(4096)), (32 << 20, 16 << 20, 1 << 20, 64 << 10));
    }
}
