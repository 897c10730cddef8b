//! What to record, and with which tracer.

use crate::error::RecordingError;
use serde_json::{Map, Value};
use wastenot_ebpf::Options;

/// Which tracer records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracer {
    /// eBPF or tracefs, as `Options::source` says.
    Kernel,
    /// LTTng's kernel tracer.
    Lttng,
    /// LTTng's user-space tracer, with applications' bubbles only.
    Bubbles,
}

/// Options of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordingOptions {
    /// Which tracer records.
    pub tracer: Tracer,
    /// Record applications' bubbles as well (LTTng-UST).
    pub with_bubbles: bool,
    /// Options of the recorders with eBPF and tracefs; LTTng takes `stacks` of them.
    pub kernel: Options,
}

impl RecordingOptions {
    /// From JSON: the keys of `wastenot_ebpf::Options`, `source` also being `lttng` or `bubbles`, and `with_bubbles`. Keys left out keep
    /// their default, unknown ones are an error.
    pub fn from_json(json: &str) -> Result<Self, RecordingError> {
        let bad = |why: String| RecordingError::Option(format!("recorder options: {why}"));
        let mut keys: Map<String, Value> = serde_json::from_str(json).map_err(|error| bad(error.to_string()))?;
        let tracer = match keys.get("source").and_then(Value::as_str) {
            Some("lttng") => Tracer::Lttng,
            Some("bubbles") => Tracer::Bubbles,
            _ => Tracer::Kernel,
        };
        if tracer != Tracer::Kernel {
            keys.remove("source");
        }
        let with_bubbles = match keys.remove("with_bubbles") {
            None => false,
            Some(Value::Bool(wanted)) => wanted,
            Some(other) => return Err(bad(format!("with_bubbles is {other}: true or false"))),
        };
        let kernel = Options::from_json(&Value::Object(keys).to_string())?;
        Ok(Self { tracer, with_bubbles, kernel })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_chooses_the_tracer() {
        let tracer = |json| RecordingOptions::from_json(json).unwrap().tracer;
        assert_eq!(tracer("{}"), Tracer::Kernel);
        assert_eq!(tracer(r#"{"source": "tracefs"}"#), Tracer::Kernel);
        assert_eq!(tracer(r#"{"source": "lttng", "stacks": false}"#), Tracer::Lttng);
        assert_eq!(tracer(r#"{"source": "bubbles"}"#), Tracer::Bubbles);
    }

    #[test]
    fn options_that_are_not_known_are_refused_in_one_line() {
        for json in [r#"{"source": "ftrace"}"#, r#"{"sauce": 1}"#, r#"{"with_bubbles": 1}"#, "[]", "{"] {
            let error = RecordingOptions::from_json(json).unwrap_err().to_string();
            assert!(error.starts_with("recorder options: ") && !error.contains('\n'), "{json}: {error}");
        }
    }
}
