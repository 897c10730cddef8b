//! Records of processes that are ranks of a parallel program, as their environment tells.
//!
//! A launcher (mpirun, srun) gives each process that it starts its rank in environment variables, which a process has from its start
//! on. /proc is listed when recording begins, and again soon after programs were started; of each process the variables are read
//! once for each program that it runs. Nothing else of an environment is kept.

use crate::record::{ProcessRank, Record};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use wastenot_schemas::rank_variable;

/// List /proc this often at most, ns; and rest so many times as long as it took.
const EVERY_NS: u64 = 200_000_000;
const REST: u64 = 49;

/// The initial pid namespace (include/linux/proc_ns.h: PROC_PID_INIT_INO).
const INITIAL: &str = "pid:[4026531836]";

/// A variable with the rank, the one with the number of all ranks, and the code of the first (`rank_variable`). Open MPI sets those
/// of PMIx too, Slurm its own beside those of PMI; the size is wanted, so these come later.
const VARIABLES: [(&[u8], &[u8], u8); 5] = [
    (b"OMPI_COMM_WORLD_RANK", b"OMPI_COMM_WORLD_SIZE", rank_variable::OMPI),
    (b"MV2_COMM_WORLD_RANK", b"MV2_COMM_WORLD_SIZE", rank_variable::MVAPICH),
    (b"PMI_RANK", b"PMI_SIZE", rank_variable::PMI),
    (b"SLURM_PROCID", b"SLURM_NTASKS", rank_variable::SLURM),
    (b"PMIX_RANK", b"PMIX_SIZE", rank_variable::PMIX),
];

/// The processes that were looked at, and the ranks that are not written yet.
#[derive(Default)]
pub(crate) struct RankRecords {
    /// By pid: the program that it ran.
    seen: HashMap<i32, PathBuf>,
    new: Vec<ProcessRank>,
    execs: u64,
    due_ns: u64,
}

impl RankRecords {
    /// Look at all processes under `proc`, which is /proc. In a pid namespace of its own they have other numbers than in the records:
    /// none is looked at.
    pub fn read_all(&mut self, proc: &Path) {
        if std::fs::read_link(proc.join("self/ns/pid")).is_ok_and(|namespace| namespace != Path::new(INITIAL)) {
            return;
        }
        let Ok(folder) = std::fs::read_dir(proc) else { return };
        let pids: Vec<i32> = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        let mut gone = std::mem::take(&mut self.seen);
        for tgid in pids {
            let folder = proc.join(tgid.to_string());
            // Kernel threads have none.
            let Ok(program) = std::fs::read_link(folder.join("exe")) else { continue };
            if gone.remove(&tgid).as_ref() != Some(&program) {
                // Empty while the process is about to run the program: look again.
                let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
                if environment.is_empty() {
                    continue;
                }
                self.new.extend(rank_of(&environment).map(|rank| ProcessRank { tgid, ..rank }));
            }
            self.seen.insert(tgid, program);
        }
    }

    /// Look again, where programs were started and it is time to. `execs`: how many were so far; `now`: ns.
    pub fn read_some(&mut self, now: u64, execs: u64, clock: impl Fn() -> u64) {
        if execs != self.execs && now >= self.due_ns {
            self.execs = execs;
            self.read_all(Path::new("/proc"));
            let end = clock();
            self.due_ns = end + EVERY_NS.max(REST * end.saturating_sub(now));
        }
    }

    /// Append those that are new.
    pub fn write_new(&mut self, now: u64, base_ns: u64, out: &mut Vec<u8>) {
        for rank in self.new.drain(..) {
            Record::ProcessRank(rank).write(now, base_ns, out);
        }
    }
}

/// What an environment, `NAME=VALUE` with a zero byte after each, says of the process's rank.
fn rank_of(environment: &[u8]) -> Option<ProcessRank> {
    let value = |name: &[u8]| -> Option<u32> {
        let of_name = |entry: &'_ [u8]| entry.strip_prefix(name)?.strip_prefix(b"=").map(<[u8]>::to_vec);
        let found = environment.split(|&byte| byte == 0).find_map(of_name)?;
        std::str::from_utf8(&found).ok()?.parse::<u32>().ok().filter(|&value| i32::try_from(value).is_ok())
    };
    VARIABLES.iter().find_map(|&(rank, size, variable)| {
        let rank = value(rank)?;
        let size = value(size).filter(|&size| size > rank).unwrap_or(0);
        Some(ProcessRank { tgid: 0, rank, size, variable: variable.into() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record;

    #[test]
    fn the_rank_and_the_size_are_those_of_one_launcher() {
        let rank = |text: &str| rank_of(text.replace(' ', "\0").as_bytes()).map(|r| (r.rank, r.size, r.variable as u8));
        assert_eq!(
            rank("A=1 PMIX_RANK=2 OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4"),
            Some((2, 4, rank_variable::OMPI))
        );
        assert_eq!(rank("PMI_RANK=0 PMI_SIZE=2 SLURM_PROCID=7 SLURM_NTASKS=9"), Some((0, 2, rank_variable::PMI)));
        assert_eq!(rank("SLURM_PROCID=7 "), Some((7, 0, rank_variable::SLURM)));
        assert_eq!(
            rank("MV2_COMM_WORLD_RANK=3 MV2_COMM_WORLD_SIZE=3"),
            Some((3, 0, rank_variable::MVAPICH)),
            "no such size"
        );
        for none in ["", "PMI_RANK=", "PMI_RANK=-1", "PMI_RANK=x", "XPMI_RANK=1", "PMI_RANKS=1", "PMI_RANK=4294967295"]
        {
            assert_eq!(rank(none), None, "{none}");
        }
    }

    #[test]
    fn a_process_is_read_once_for_each_program_that_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let process = folder.path().join("42");
        let run = |program: &str, environment: &str| {
            let _ = std::fs::remove_file(process.join("exe"));
            std::os::unix::fs::symlink(program, process.join("exe")).unwrap();
            std::fs::write(process.join("environ"), environment.replace(' ', "\0")).unwrap();
        };
        std::fs::create_dir_all(&process).unwrap();
        std::fs::create_dir_all(folder.path().join("43")).unwrap(); // as of a kernel thread
        let mut ranks = RankRecords::default();
        let mut written = || {
            ranks.read_all(folder.path());
            let mut out = Vec::new();
            ranks.write_new(7, 0, &mut out);
            (!out.is_empty()).then(|| match record::read(&out, 0).unwrap() {
                (7, Record::ProcessRank(r), length) if length == out.len() => (r.tgid, r.rank, r.size),
                other => panic!("{other:?}"),
            })
        };
        run("/usr/bin/mpirun", "HOME=/");
        assert_eq!(written(), None);
        run("/usr/bin/program", "");
        assert_eq!(written(), None, "not there yet");
        run("/usr/bin/program", "PMI_RANK=1 PMI_SIZE=2");
        assert_eq!(written(), Some((42, 1, 2)));
        assert_eq!(written(), None);
        std::fs::remove_dir_all(&process).unwrap();
        assert_eq!(written(), None);
        std::fs::create_dir_all(&process).unwrap();
        run("/usr/bin/program", "PMI_RANK=0 PMI_SIZE=2");
        assert_eq!(written(), Some((42, 0, 2)), "another process of that number");
        let own = folder.path().join("self/ns");
        std::fs::create_dir_all(&own).unwrap();
        std::os::unix::fs::symlink("pid:[4026532201]", own.join("pid")).unwrap();
        run("/usr/bin/another", "PMI_RANK=1 PMI_SIZE=2");
        assert_eq!(written(), None, "in a namespace of its own");
        std::fs::remove_file(own.join("pid")).unwrap();
        std::os::unix::fs::symlink(INITIAL, own.join("pid")).unwrap();
        assert_eq!(written(), Some((42, 1, 2)));
    }

    #[test]
    fn processes_are_listed_again_after_programs_were_started_and_some_time() {
        let mut ranks = RankRecords::default();
        let own = i32::try_from(std::process::id()).unwrap();
        ranks.read_some(1, 0, || 2);
        assert!(ranks.seen.is_empty(), "none was started");
        ranks.read_some(1, 1, || 2);
        assert!(ranks.seen.remove(&own).is_some());
        ranks.read_some(EVERY_NS, 2, || EVERY_NS);
        assert!(!ranks.seen.contains_key(&own), "too soon");
        ranks.read_some(EVERY_NS + 2, 2, || EVERY_NS + 2);
        assert!(ranks.seen.contains_key(&own));
    }
}
