//! Which processes have libraries of MPI or OpenMP, and what else they consist of.

use super::functions::Runtimes;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Times that a process is looked at: the first ones may come while it loads its libraries.
const LOOKS: u8 = 4;

/// The processes that were looked at.
#[derive(Default)]
pub(super) struct Processes {
    /// By pid: the program's file, and how often it was looked at.
    seen: HashMap<u32, (PathBuf, u8)>,
}

impl Processes {
    /// The files of new processes that have one of these libraries, under a path that holds for this process too. `proc` is /proc.
    pub fn new_files(&mut self, proc: &Path, wanted: Runtimes) -> Vec<PathBuf> {
        let mut files = BTreeSet::new();
        let pids: BTreeSet<u32> = std::fs::read_dir(proc)
            .map(|folder| folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
            .unwrap_or_default();
        self.seen.retain(|pid, _| pids.contains(pid));
        for pid in pids {
            let folder = proc.join(pid.to_string());
            let Ok(program) = std::fs::read_link(folder.join("exe")) else { continue };
            let (known, looks) = self.seen.entry(pid).or_default();
            if *known != program {
                (*known, *looks) = (program, 0);
            }
            if *looks >= LOOKS {
                continue;
            }
            *looks += 1;
            let Ok(maps) = std::fs::read_to_string(folder.join("maps")) else { continue };
            let root = folder.join("root");
            files.extend(files_with_runtime(&maps, wanted).into_iter().map(|path| root.join(&path[1..])));
        }
        files.into_iter().collect()
    }
}

/// The files of which a process runs code, where one of them is a library that is wanted; else none.
fn files_with_runtime(maps: &str, wanted: Runtimes) -> BTreeSet<&str> {
    let code = |line: &'_ str| line.split_ascii_whitespace().nth(1).is_some_and(|access| access.contains('x'));
    let file = |line: &'_ str| line.find('/').map(|at| at..);
    let files: BTreeSet<&str> = maps
        .lines()
        .filter(|line| code(line))
        .filter_map(|line| file(line).map(|range| &line[range]))
        .filter(|path| !path.ends_with(" (deleted)"))
        .collect();
    let is_wanted = |path: &&str| {
        Path::new(path).file_name().is_some_and(|name| Runtimes::of_file(&name.to_string_lossy()).and(wanted).any())
    };
    if files.iter().any(is_wanted) { files } else { BTreeSet::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
5500-5600 r-xp 00000000 fe:00 1 /opt/my program/app
7f00-7f10 r--p 00000000 fe:00 2 /lib/libgomp.so.1.0.0
7f10-7f20 r-xp 00001000 fe:00 2 /lib/libgomp.so.1.0.0
7f20-7f30 rw-p 00000000 00:00 0 [heap]
7f30-7f40 r-xp 00000000 fe:00 3 /tmp/gone.so (deleted)
";
    const OPENMP: Runtimes = Runtimes { openmp: true, mpi: false };

    #[test]
    fn all_code_of_a_process_with_such_a_library_is_looked_at() {
        let files: Vec<_> = files_with_runtime(MAPS, OPENMP).into_iter().collect();
        assert_eq!(files, ["/lib/libgomp.so.1.0.0", "/opt/my program/app"]);
        assert!(files_with_runtime(MAPS, Runtimes { openmp: false, mpi: true }).is_empty());
    }

    #[test]
    fn a_process_is_looked_at_a_few_times_and_again_when_it_runs_another_program() {
        let folder = tempfile::tempdir().unwrap();
        let process = folder.path().join("42");
        std::fs::create_dir(&process).unwrap();
        std::fs::write(process.join("maps"), MAPS).unwrap();
        std::os::unix::fs::symlink("/bin/a", process.join("exe")).unwrap();
        let mut processes = Processes::default();
        let mut found = || processes.new_files(folder.path(), OPENMP).len();
        assert_eq!([found(), found(), found(), found(), found()], [2, 2, 2, 2, 0]);
        std::fs::remove_file(process.join("exe")).unwrap();
        std::os::unix::fs::symlink("/bin/b", process.join("exe")).unwrap();
        assert_eq!(found(), 2);
    }
}
