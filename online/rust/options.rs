//! Options of a watch.

use crate::error::WatchError;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::PathBuf;
use wastenot_checker::{Options, TIMED_GRADES, TableSet};

/// Options of a watch; the JSON that `ExactWatch` takes has these keys, each with this default.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WatchOptions {
    /// Options of the recorder (`wastenot_ebpf::Options`).
    pub recorder: wastenot_ebpf::Options,
    /// Write the same frames to this part folder, which must not exist.
    pub also_part: Option<PathBuf>,
    /// Bytes of records that may wait for the walk; beyond, they stay in the rings, and what does not fit there is lost and counted.
    pub most_waiting_bytes: usize,
    /// τ of the grades in ns, by name.
    pub thresholds_ns: HashMap<String, i64>,
    /// Determine no causes.
    pub without_causes: bool,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            recorder: wastenot_ebpf::Options::default(),
            also_part: None,
            most_waiting_bytes: 64 << 20,
            thresholds_ns: HashMap::new(),
            without_causes: false,
        }
    }
}

impl WatchOptions {
    /// From JSON; keys left out keep their default, unknown ones are an error.
    pub fn from_json(json: &str) -> Result<Self, WatchError> {
        serde_json::from_str(json).map_err(|e| WatchError::Option(e.to_string()))
    }

    /// Options of the check.
    pub fn check(&self) -> Result<Options, WatchError> {
        let mut options =
            Options { tables: TableSet::Verdict, without_causes: self.without_causes, ..Options::default() };
        for (grade, ns) in &self.thresholds_ns {
            let at = TIMED_GRADES.iter().position(|name| name == grade).ok_or_else(|| {
                WatchError::Option(format!("threshold {grade}: no such grade; one of {}", TIMED_GRADES.join(", ")))
            })?;
            options.thresholds_ns[at] = Some(*ns);
        }
        options.validate().map_err(|why| WatchError::Option(why.to_string()))?;
        Ok(options)
    }
}
