//! The first line of a `.prv`: its length and unit, and the threads of each application.
//!
//! `#Paraver (DATE):LENGTH[_ns]:NODES(CPUS,...):APPLICATIONS:TASKS(THREADS:NODE,...)[,COMMUNICATORS]:...`
//! (BSC: Paraver trace file description).

use wastenot_import::parallel::MOST_THREADS;

/// How a `.prv` starts.
pub const MARK: &[u8] = b"#Paraver (";

/// A first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Nanoseconds of one unit of time.
    pub unit_ns: i64,
    /// Length of the trace (ns).
    pub length_ns: i64,
    /// Number of CPUs, 0 where it is not said.
    pub cpus: u32,
    /// Threads of each task of each application.
    pub applications: Vec<Vec<u32>>,
}

impl Header {
    /// From the line. The error says what is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let after_date = line.split_once("):").ok_or("it has no date in brackets")?.1;
        let (length, rest) = after_date.split_once(':').ok_or("it ends after the date")?;
        let (digits, unit_ns) = match length.strip_suffix("_ns") {
            Some(digits) => (digits, 1),
            None => (length.strip_suffix("_us").unwrap_or(length), 1000),
        };
        let units: i64 = digits.parse().map_err(|_| format!("{length:?} is not a length of time"))?;
        let length_ns = units.checked_mul(unit_ns).filter(|ns| *ns >= 0);
        let length_ns = length_ns.ok_or_else(|| format!("{length:?} is not a length of time"))?;
        let (nodes, rest) = list_and_rest(rest).ok_or("its list of nodes has no end")?;
        let cpus = match nodes.split_once('(') {
            Some((_, list)) => list
                .trim_end_matches(')')
                .split(',')
                .try_fold(0u32, |sum, n| sum.checked_add(n.parse().ok()?))
                .ok_or_else(|| format!("{nodes:?} is not a list of nodes"))?,
            None => 0,
        };
        let (count, mut rest) = rest.split_once(':').ok_or("it has no applications")?;
        let count: usize = count.parse().map_err(|_| format!("{count:?} is not a number of applications"))?;
        let mut applications = Vec::new();
        let mut threads = 0;
        for _ in 0..count.min(MOST_THREADS) {
            let (application, more) = list_and_rest(rest).ok_or("its list of tasks has no end")?;
            let tasks = tasks(application).ok_or_else(|| format!("{application:?} is not a list of tasks"))?;
            threads += tasks.iter().map(|n| *n as usize).sum::<usize>();
            if threads > MOST_THREADS {
                return Err(format!("it has more than {MOST_THREADS} threads, which is all that can be read"));
            }
            applications.push(tasks);
            rest = more;
        }
        if threads == 0 {
            return Err("it has no threads".into());
        }
        Ok(Self { unit_ns, length_ns, cpus, applications })
    }
}

/// A field up to its colon, which may hold a list in brackets with colons in it, and what comes after it.
fn list_and_rest(text: &str) -> Option<(&str, &str)> {
    let colon = text.find(':');
    let end = match text.find('(') {
        Some(open) if colon.is_none_or(|colon| open < colon) => {
            let close = open + text[open..].find(')')?;
            text[close..].find(':').map_or(text.len(), |colon| close + colon)
        }
        _ => colon.unwrap_or(text.len()),
    };
    Some((&text[..end], text.get(end + 1..).unwrap_or("")))
}

/// `4(1:1,1:1,2:2,2:2),5`: threads of each task. The number of communicators behind it is not needed.
fn tasks(application: &str) -> Option<Vec<u32>> {
    let (count, list) = application.split_once('(')?;
    let (list, _) = list.split_once(')')?;
    let tasks: Option<Vec<u32>> = list.split(',').map(|task| task.split(':').next()?.parse().ok()).collect();
    tasks.filter(|tasks| count.parse() == Ok(tasks.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_have_tasks_and_these_threads() {
        let line = "#Paraver (05/06/2012 at 14:31):1500_ns:2(2,4):2:2(1:1,2:2),3:1(1:1)";
        let header = Header { unit_ns: 1, length_ns: 1500, cpus: 6, applications: vec![vec![1, 2], vec![1]] };
        assert_eq!(Header::parse(line), Ok(header));
        let header = Header::parse("#Paraver (05/06/12 at 14:31):15:0:1:1(1:1)").unwrap();
        assert_eq!((header.unit_ns, header.length_ns, header.cpus), (1000, 15000, 0));
    }

    #[test]
    fn what_is_not_such_a_line_is_named() {
        for (line, why) in [
            ("#Paraver (x", "no date"),
            ("#Paraver (x):", "ends after"),
            ("#Paraver (x):abc:1(1):1:1(1:1)", "not a length"),
            ("#Paraver (x):9223372036854775807:1(1):1:1(1:1)", "not a length"),
            ("#Paraver (x):-1_ns:1(1):1:1(1:1)", "not a length"),
            ("#Paraver (x):1:1(1)", "no applications"),
            ("#Paraver (x):1:1(a):1:1(1:1)", "not a list of nodes"),
            ("#Paraver (x):1:1(1):x:1(1:1)", "number of applications"),
            ("#Paraver (x):1:1(1):1:2(1:1)", "not a list of tasks"),
            ("#Paraver (x):1:1(1):1:1(99999:1)", "more than 8192 threads"),
            ("#Paraver (x):1:1(1):0:", "no threads"),
        ] {
            let error = Header::parse(line).unwrap_err();
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}
