//! What the files beside a `.prv` say: `.pcf` names states and values of events, `.row` names CPUs and threads.

use std::collections::HashMap;
use std::path::Path;

/// Larger files of names are not read (bytes).
const MOST_BYTES: u64 = 64 << 20;

/// Numbers of threads go no further (PID_MAX_LIMIT, include/linux/threads.h).
const MOST_TID: i32 = 1 << 22;

/// Names of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Of states.
    pub states: HashMap<u32, String>,
    /// Of values of events, by type and value.
    pub values: HashMap<(u64, i64), String>,
}

impl Names {
    /// From the text of a `.pcf`. Lines that are not understood are passed over.
    pub fn parse(text: &str) -> Self {
        let mut names = Self::default();
        let mut section = "";
        let mut types: Vec<u64> = Vec::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() {
                continue;
            }
            if line.starts_with(|c: char| c.is_ascii_uppercase()) {
                if line == "EVENT_TYPE" || !matches!(line, "VALUES") {
                    types.clear();
                }
                section = line;
                continue;
            }
            let mut words = line.splitn(2, char::is_whitespace);
            let (Some(number), rest) = (words.next(), words.next().unwrap_or("").trim()) else { continue };
            match section {
                "STATES" => {
                    if let Ok(state) = number.parse() {
                        names.states.insert(state, rest.to_owned());
                    }
                }
                "EVENT_TYPE" => types.extend(rest.split_whitespace().next().and_then(|t| t.parse::<u64>().ok())),
                "VALUES" => {
                    if let Ok(value) = number.parse() {
                        names.values.extend(types.iter().map(|of| ((*of, value), rest.to_owned())));
                    }
                }
                _ => {}
            }
        }
        names
    }
}

/// Names of CPUs and threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowNames {
    /// `LEVEL CPU`.
    pub cpus: Vec<String>,
    /// `LEVEL THREAD`.
    pub threads: Vec<String>,
}

impl RowNames {
    /// From the text of a `.row`.
    pub fn parse(text: &str) -> Self {
        let mut names = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let mut words = line.split_whitespace();
            if words.next() != Some("LEVEL") {
                continue;
            }
            let level = words.next().unwrap_or("");
            let size = words.last().and_then(|size| size.parse::<usize>().ok()).unwrap_or(0);
            let of: Vec<String> = lines.by_ref().take(size).map(|name| name.trim().to_owned()).collect();
            match level {
                "CPU" => names.cpus = of,
                "THREAD" => names.threads = of,
                _ => {}
            }
        }
        names
    }

    /// The number of a CPU of the trace (from 0) on the machine: our own exports name it `CPU n`.
    pub fn cpu(&self, place: usize) -> Option<i16> {
        self.cpus.get(place)?.strip_prefix("CPU ")?.parse().ok().filter(|cpu| *cpu >= 0)
    }

    /// Name and tid of a thread in an export of ours: `rank 0: name (tid)`.
    pub fn rank(&self, place: usize) -> Option<(&str, i32)> {
        let (rank, rest) = self.threads.get(place)?.split_once(": ")?;
        let (name, tid) = rest.strip_suffix(')')?.rsplit_once(" (")?;
        rank.strip_prefix("rank ")?;
        Some((name, tid.parse().ok().filter(|tid| (1..=MOST_TID).contains(tid))?))
    }
}

/// The text of the file beside `trace` with this extension; None where there is none that can be read.
pub fn beside(trace: &Path, extension: &str) -> Option<String> {
    let file = trace.with_extension(extension);
    let length = std::fs::metadata(&file).ok().filter(std::fs::Metadata::is_file)?.len();
    (length <= MOST_BYTES).then(|| std::fs::read(file).ok())?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_share_a_list_of_values_all_have_its_names() {
        let names = Names::parse(
            "DEFAULT_OPTIONS\n\nSTATES\n0    Idle\n1    Running\n\nSTATES_COLOR\n0    {1,2,3}\n\n\
             EVENT_TYPE\n9    50000001    MPI Point-to-point\n9    50000002    MPI Collective\nVALUES\n8   MPI_Barrier\n0   End\n\n\
             EVENT_TYPE\n0    90000001    Iteration\n",
        );
        assert_eq!(names.states.get(&1).map(String::as_str), Some("Running"));
        assert_eq!(names.values.get(&(50000002, 8)).map(String::as_str), Some("MPI_Barrier"));
        assert_eq!(names.values.get(&(50000001, 8)).map(String::as_str), Some("MPI_Barrier"));
        assert_eq!(names.values.len(), 4);
    }

    #[test]
    fn rows_of_our_exports_name_ranks_with_their_numbers() {
        let rows = RowNames::parse(
            "LEVEL CPU SIZE 2\nCPU 0\nCPU 7\n\nLEVEL THREAD SIZE 2\nrank 0: a (b) c (101)\nTHREAD 1.1.1\n",
        );
        assert_eq!((rows.cpu(1), rows.cpu(2)), (Some(7), None));
        assert_eq!((rows.rank(0), rows.rank(1)), (Some(("a (b) c", 101)), None));
    }
}
