//! What the load balancer counted, from files: perf.data of `perf sched stats record`, or texts of /proc/schedstat.

use std::io::Read;
use std::path::Path;
use wastenot_import::ImportError;
use wastenot_machine::schedstat::{Delta, DomainCounters, deltas, parse};

/// Longest text of /proc/schedstat: 4,096 CPUs of six domains take 10 MB.
const LONGEST: u64 = 256 << 20;

/// What was counted between the first and the last reading of the files, and the name of each domain (empty: not recorded). Of
/// `before` alone it has to hold two.
pub fn counted(before: &Path, after: Option<&Path>) -> Result<Vec<(Delta, String)>, ImportError> {
    let mut readings = readings(before)?;
    let last = match after {
        Some(after) => self::readings(after)?.pop(),
        None if readings.len() > 1 => readings.pop(),
        None => {
            let why = "only one reading; give a later one as well, since two are compared";
            return Err(ImportError::damaged(before, why));
        }
    };
    let (first, last) = (readings.into_iter().next().unwrap_or_default(), last.unwrap_or_default());
    let place = |of: &Delta| last.binary_search_by_key(&(of.cpu, of.level), |d| (d.cpu, d.level));
    let name = |of: &Delta| place(of).map(|at| last[at].name.clone()).unwrap_or_default();
    Ok(deltas(&first, &last).into_iter().map(|delta| (delta, name(&delta))).collect())
}

/// The readings in a file, at least one.
fn readings(path: &Path) -> Result<Vec<Vec<DomainCounters>>, ImportError> {
    let io = |cause| ImportError::io(path, cause);
    let mut head = Vec::new();
    let file = || std::fs::File::open(path).map_err(io);
    file()?.take(64).read_to_end(&mut head).map_err(io)?;
    if wastenot_perf::recognises(&head) {
        let readings: Vec<_> =
            wastenot_perf::schedstat::readings(path)?.into_iter().map(|reading| reading.domains).collect();
        if readings.is_empty() {
            let why = "nothing that the load balancer counted in it: such a file comes from perf sched stats record";
            return Err(ImportError::damaged(path, why));
        }
        return Ok(readings);
    }
    let mut bytes = Vec::new();
    file()?.take(LONGEST).read_to_end(&mut bytes).map_err(io)?;
    if !bytes.starts_with(b"version ") {
        return Err(ImportError::damaged(
            path,
            "neither a text of /proc/schedstat nor perf.data of perf sched stats record; `wastenot import` makes a \
             trace of other recordings",
        ));
    }
    let domains = parse(&String::from_utf8_lossy(&bytes)).map_err(|why| ImportError::damaged(path, why.to_string()))?;
    Ok(vec![domains])
}
