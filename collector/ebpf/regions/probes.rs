//! Probes of user space: found, named in the recording, then attached.

use super::functions::Runtimes;
use super::objects::{ProbePoint, files_of_program, probe_points, programs_of_command};
use super::processes::Processes;
use crate::load::{LoadedPrograms, reason};
use crate::missing;
use crate::options::Options;
use crate::record::{Record, RegionName};
use libbpf_rs::{Link, ProgramMut, UprobeMultiOpts, UprobeOpts};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use wastenot_schemas::RegionKind;

/// Of one link for many probes, and of one each: at entry, at return.
pub(crate) const PROGRAMS: [&str; 4] = ["enter_regions", "leave_regions", "enter_region", "leave_region"];

/// Processes are looked at this often ...
const EVERY_NS: u64 = 1_000_000_000;
/// ... and, after an exec, so often at such intervals: a program loads its libraries a little later.
const LOOKS: u32 = 4;
const SOON_NS: u64 = 30_000_000;
/// Probes that get a link and a file descriptor each, where a kernel has no link for many.
const MOST_SINGLE: usize = 256;
/// Every process.
const ALL: i32 = -1;

/// A file whose functions have numbers, and are not probed yet.
struct NamedFile {
    path: PathBuf,
    points: Vec<ProbePoint>,
    cookies: Vec<u64>,
}

/// What is probed, and what is still looked for.
pub(crate) struct RegionProbes {
    wanted: Runtimes,
    processes: Processes,
    /// Device and inode of the files that were looked at.
    files: HashSet<(u64, u64)>,
    numbers: HashMap<(String, RegionKind), u16>,
    named: Vec<NamedFile>,
    links: Vec<Link>,
    found: Runtimes,
    /// Bodies of parallel regions are probed.
    has_bodies: bool,
    refused: BTreeSet<String>,
    next_ns: u64,
    looked_ns: u64,
    execs: u64,
    /// Looks that come soon.
    soon: u32,
    /// Files that were probed later than at the start, each with the time (ns).
    late: Vec<(String, u64)>,
    /// Notes that the description of the recording has.
    pub noted: Vec<String>,
}

impl RegionProbes {
    /// None where the options ask for no calls. The notes on programs that are not needed go.
    pub fn new(options: &Options, loaded: &mut LoadedPrograms) -> Option<Self> {
        let wanted = Runtimes { openmp: options.openmp, mpi: options.mpi };
        if !wanted.any() {
            return None;
        }
        if PROGRAMS.chunks(2).any(|pair| pair.iter().all(|name| loaded.is_in_use(name))) {
            PROGRAMS.iter().for_each(|name| drop(loaded.refused.remove(name)));
        }
        Some(Self {
            wanted,
            processes: Processes::default(),
            files: HashSet::new(),
            numbers: HashMap::new(),
            named: Vec::new(),
            links: Vec::new(),
            found: Runtimes::default(),
            has_bodies: false,
            refused: BTreeSet::new(),
            next_ns: 0,
            looked_ns: 0,
            execs: 0,
            soon: 0,
            late: Vec::new(),
            noted: Vec::new(),
        })
    }

    /// Look at the files of a command that is about to run.
    pub fn look_at_command(&mut self, words: &[String]) {
        let search = std::env::var("PATH").unwrap_or_default();
        for program in programs_of_command(words, &search) {
            let files = files_of_program(&program);
            let is_runtime = |path: &PathBuf| runtimes_of(path).and(self.wanted).any();
            // A static program has its libraries within it.
            if files.len() == 1 || files.iter().any(is_runtime) {
                files.into_iter().for_each(|file| self.look_at(file));
            }
        }
    }

    /// Look at new processes, where it is time to. `execs`: how many programs were started so far.
    pub fn look_at_processes(&mut self, now: u64, execs: u64) {
        if execs != self.execs {
            (self.execs, self.soon) = (execs, LOOKS);
            self.next_ns = self.next_ns.min(self.looked_ns + SOON_NS);
        }
        if now >= self.next_ns {
            self.looked_ns = now;
            self.next_ns = now + if self.soon > 0 { SOON_NS } else { EVERY_NS };
            self.soon = self.soon.saturating_sub(1);
            let files = self.processes.new_files(Path::new("/proc"), self.wanted);
            files.into_iter().for_each(|file| self.look_at(file));
        }
    }

    fn look_at(&mut self, path: PathBuf) {
        let Ok(file) = std::fs::metadata(&path) else { return };
        if !self.files.insert((file.dev(), file.ino())) {
            return;
        }
        let points = probe_points(&path, self.wanted);
        if points.is_empty() {
            return;
        }
        for point in &points {
            self.has_bodies |= point.region.kind == RegionKind::Work;
            self.found.mpi |= point.name.starts_with("PMPI_");
            self.found.openmp |= point.region.kind == RegionKind::Parallel;
        }
        let cookies = points.iter().map(|point| self.cookie(point)).collect();
        self.named.push(NamedFile { path, points, cookies });
    }

    fn cookie(&mut self, point: &ProbePoint) -> u64 {
        let next = u16::try_from(self.numbers.len()).unwrap_or(u16::MAX);
        let number = *self.numbers.entry((point.name.clone(), point.region.kind)).or_insert(next);
        u64::from(point.region.peer) << 16 | u64::from(number)
    }

    /// Whether functions are named that are not probed yet.
    pub fn has_new(&self) -> bool {
        !self.named.is_empty()
    }

    /// Append the names of the functions that are not probed yet: they come before the first record of one.
    pub fn write_names(&self, now: u64, base_ns: u64, out: &mut Vec<u8>) {
        for (point, cookie) in self.named.iter().flat_map(|file| file.points.iter().zip(&file.cookies)) {
            let (region, kind) = (*cookie as u16, u16::from(point.region.kind.code()));
            let name = RegionName { region, kind, reserved: 0, name: point.name.as_bytes() };
            Record::RegionName(name).write(now, base_ns, out);
        }
    }

    /// Probe the functions whose names are written. `late_ns`: how long after the start, if it is not the start.
    pub fn attach(&mut self, loaded: &LoadedPrograms, late_ns: Option<u64>) {
        for file in std::mem::take(&mut self.named) {
            match attach_file(loaded, &file, true) {
                Ok(links) => {
                    self.links.extend(links);
                    let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    self.late.extend(late_ns.map(|ns| (name, ns)));
                }
                Err(why) => drop(self.refused.insert(why)),
            }
        }
    }

    /// No function is probed from here on.
    pub fn detach(&mut self) {
        self.links.clear();
    }

    /// A line for each thing that is not recorded.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (is_missing, what, libraries) in [
            (self.wanted.openmp && !self.found.openmp, "OpenMP", "libgomp, libomp or libiomp5"),
            (self.wanted.mpi && !self.found.mpi, "MPI", "libmpi or libmpich"),
        ] {
            if is_missing {
                notes.push(format!(
                    "not recorded: calls of {what} (no {libraries} in the command or a running process)"
                ));
            }
        }
        if self.found.openmp && !self.has_bodies {
            let why = "no symbols of them in the program: it is stripped";
            notes.push(format!("not recorded: when threads execute parallel regions of OpenMP ({why})"));
        }
        let late =
            |(file, ns): &(String, u64)| format!("calls of {file} are recorded from +{:.3} s on", *ns as f64 / 1e9);
        notes.extend(self.late.iter().map(late));
        let refused =
            |why: &String| format!("not recorded: calls of OpenMP and MPI (this kernel refuses uprobes: {why})");
        notes.extend(self.refused.iter().map(refused));
        notes
    }
}

fn runtimes_of(path: &Path) -> Runtimes {
    path.file_name().map(|name| Runtimes::of_file(&name.to_string_lossy())).unwrap_or_default()
}

/// Returns first: they are reported only of calls that are entered from then on. `by_one_link`: where the kernel has links for many probes.
fn attach_file(loaded: &LoadedPrograms, file: &NamedFile, by_one_link: bool) -> Result<Vec<Link>, String> {
    let [enter_many, leave_many, enter_one, leave_one] =
        PROGRAMS.map(|name| loaded.object.progs_mut().find(|p| p.name() == name && p.autoload()));
    let mut why = None;
    if let (true, Some(enter), Some(leave)) = (by_one_link, enter_many, leave_many) {
        match many(&leave, file, true).and_then(|leave| Ok(vec![leave, many(&enter, file, false)?])) {
            Ok(links) => return Ok(links),
            Err(error) => why = Some(error),
        }
    }
    let (Some(enter), Some(leave)) = (enter_one, leave_one) else {
        return Err(why.map_or_else(|| "the programs cannot be loaded".into(), |error| missing::cause(&reason(&error))));
    };
    if file.points.len() > MOST_SINGLE {
        return Err(format!("{} has {} functions, each would need a probe", file.path.display(), file.points.len()));
    }
    let one = |program: &ProgramMut<'_>, at: usize, retprobe: bool| {
        let opts = UprobeOpts { cookie: file.cookies[at], retprobe, ..UprobeOpts::default() };
        program.attach_uprobe_with_opts(ALL, &file.path, file.points[at].offset as usize, opts)
    };
    let links: libbpf_rs::Result<Vec<Link>> =
        (0..file.points.len()).flat_map(|at| [one(&leave, at, true), one(&enter, at, false)]).collect();
    links.map_err(|error| missing::cause(&reason(&error)))
}

fn many(program: &ProgramMut<'_>, file: &NamedFile, retprobe: bool) -> libbpf_rs::Result<Link> {
    let opts = UprobeMultiOpts {
        offsets: file.points.iter().map(|point| point.offset as _).collect(),
        cookies: file.cookies.clone(),
        retprobe,
        ..UprobeMultiOpts::default()
    };
    program.attach_uprobe_multi_with_opts(ALL, &file.path, "", opts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CaptureError;
    use crate::load::Attach;
    use crate::meta::Meta;
    use crate::prepared::PreparedPrograms;
    use crate::record::{self, Region};
    use crate::ring::DROP_KINDS;
    use wastenot_machine::Symbols;

    /// Under a name by which it is probed; the fourth argument is the peer.
    #[unsafe(no_mangle)]
    #[inline(never)]
    #[allow(non_snake_case)]
    extern "C" fn PMPI_Bcast(buffer: u64, _count: i32, _datatype: u64, _root: i32) -> u64 {
        std::hint::black_box(buffer)
    }

    fn regions(records: &[u8]) -> Vec<Region> {
        let (mut at, mut found) = (0, Vec::new());
        while at < records.len() {
            let (_, record, length) = record::read(&records[at..], 0).unwrap();
            if let Record::Region(region) = record {
                found.push(region);
            }
            at += length;
        }
        found
    }

    #[test]
    fn calls_are_recorded_by_one_link_for_many_and_by_one_link_each() {
        let options = Options { mpi: true, ..Options::default() };
        let load = || {
            let symbols = Symbols::read(Path::new("/proc/kallsyms"));
            PreparedPrograms::load(&options, &Meta::at_start("ebpf", &options), &symbols, Attach::TpBtf)
        };
        let own = std::env::current_exe().unwrap();
        let points = probe_points(&own, Runtimes { openmp: false, mpi: true });
        assert_eq!(points.iter().map(|point| point.name.as_str()).collect::<Vec<_>>(), ["PMPI_Bcast"]);
        for by_one_link in [true, false] {
            let prepared = match load() {
                Err(error @ (CaptureError::NotPermitted { .. } | CaptureError::NoBtf)) => {
                    return wastenot_skips::skip(error);
                }
                loaded => loaded.unwrap(),
            };
            let mut rings = prepared.map_rings().unwrap();
            let file = NamedFile { path: own.clone(), points: points.clone(), cookies: vec![4 << 16 | 7] };
            let links = attach_file(&prepared.loaded, &file, by_one_link).unwrap();
            rings.set_on(true);
            (0..3).for_each(|root| assert_eq!(PMPI_Bcast(5, 1, 2, root), 5));
            rings.set_on(false);
            drop(links);
            PMPI_Bcast(5, 1, 2, 9);
            let mut found = Vec::new();
            for cpu in 0..rings.cpus() {
                let mut records = Vec::new();
                rings.drain(cpu, &mut records, 1 << 20, &mut [0; DROP_KINDS], |_| ()).unwrap();
                found.extend(regions(&records));
            }
            // SAFETY: no arguments, no effects.
            let tid = unsafe { libc::gettid() };
            assert!(found.iter().all(|region| (region.tid, region.region) == (tid, 7)), "{found:?}");
            let mut enters: Vec<i32> = found.iter().filter(|r| r.enter != 0).map(|r| r.peer).collect();
            enters.sort_unstable(); // the thread may have changed its CPU
            assert_eq!(enters, if cfg!(target_arch = "x86_64") { vec![0, 1, 2] } else { vec![i32::MIN; 3] });
            assert_eq!(found.iter().filter(|region| region.enter == 0).count(), 3, "{by_one_link}");
        }
    }
}
