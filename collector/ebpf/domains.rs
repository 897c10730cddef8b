//! The scheduling domains of the runqueues, and records of them when they were built anew.

use crate::prepared::{PreparedPrograms, map_named};
use crate::record::{Domains, Record};
use crate::ring::Rings;
use crate::snapshot::{is_offline, run_on};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Object, ProgramMut};
use std::path::Path;
use wastenot_machine::{Domain, Machine};
use wastenot_topology::{CpuSet, set_bits};

// Mirror: bpf/domains.bpf.c
const LEVELS: usize = 12;
const LEVEL_SIZE: usize = 24 + 24 + 16 + 64 * 8;
const HEAD_SIZE: usize = 8;
const UNREAD: u32 = u32::MAX;
const GROUPS: usize = 256;
const GROUPS_SIZE: usize = 8 + GROUPS * MASK_SIZE;
const MASK_SIZE: usize = 64 * 8;

/// Bytes of JSON after which another record is begun; a record's text may have 65,528.
const MOST_BYTES: usize = 40_000;

/// The domains of every CPU that has any, as the kernel has them; an error says why they cannot be read so.
fn of_runqueues(prepared: &PreparedPrograms, machine: &Machine) -> Result<Vec<Domain>, String> {
    let object: &Object = &prepared.loaded.object;
    let program = object.progs_mut().find(|program| program.name() == "read_domains" && program.autoload());
    let Some(program) = program else { return Err("not loaded".into()) };
    let map = map_named(&prepared.loaded, "domains").map_err(|e| e.to_string())?;
    let groups = GroupReader::new(prepared);
    let mut seen = Vec::new();
    for cpu in machine.possible.iter() {
        match run_on(&program, cpu) {
            Ok(()) => {}
            Err(_) if is_offline(cpu) => continue,
            Err(error) => return Err(error.to_string()),
        }
        let found = map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).map_err(|e| e.to_string())?;
        let found = found.ok_or("its map is empty")?;
        for domain in levels(&found)? {
            let groups = groups.as_ref().and_then(|groups| groups.read(cpu, &domain));
            seen.push((cpu, Domain { groups, ..domain }));
        }
    }
    Ok(Machine::joined_domains(seen))
}

/// Reads the groups of domains, as the kernel has them.
struct GroupReader<'a> {
    program: ProgramMut<'a>,
    map: MapHandle,
}

impl<'a> GroupReader<'a> {
    /// None: the program was not loaded.
    fn new(prepared: &'a PreparedPrograms) -> Option<Self> {
        let program =
            prepared.loaded.object.progs_mut().find(|program| program.name() == "read_groups" && program.autoload())?;
        Some(Self { program, map: map_named(&prepared.loaded, "groups").ok()? })
    }

    /// Those of a domain of a CPU, in the kernel's order; None: they cannot be read, or are not those of this domain.
    fn read(&self, cpu: u32, domain: &Domain) -> Option<Vec<CpuSet>> {
        let mut asked = vec![0u8; GROUPS_SIZE];
        asked[..4].copy_from_slice(&u32::from(domain.level).to_ne_bytes());
        self.map.update(&0u32.to_ne_bytes(), &asked, MapFlags::ANY).ok()?;
        run_on(&self.program, cpu).ok()?;
        groups(&self.map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).ok()??, &domain.span)
    }
}

/// The groups in the layout of the map. None: they were not found, are too many, or are not those of a domain that spans these CPUs.
fn groups(bytes: &[u8], span: &CpuSet) -> Option<Vec<CpuSet>> {
    let count = u32::from_ne_bytes(bytes.get(4..8)?.try_into().expect("four bytes")) as usize;
    let masks = bytes.get(8..)?.chunks_exact(MASK_SIZE).take(count);
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    let groups: Vec<CpuSet> = masks.map(|mask| CpuSet::from_words(mask.chunks_exact(8).map(word))).collect();
    let all = groups.iter().fold(CpuSet::new(), |all, group| all.union(group));
    (groups.len() == count && all == *span).then_some(groups)
}

/// The domains of one CPU, in the layout of the map.
fn levels(bytes: &[u8]) -> Result<Vec<Domain>, String> {
    let u32_at = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let u64_at = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    if bytes.len() < HEAD_SIZE + LEVELS * LEVEL_SIZE {
        return Err("the map of domains has another layout".into());
    }
    let count = match u32_at(0) {
        UNREAD => {
            return Err("the CPU's runqueue was not found, or it has more levels of domains than are known".into());
        }
        count => (count as usize).min(LEVELS),
    };
    let of = |level: usize| -> Result<Domain, String> {
        let at = HEAD_SIZE + level * LEVEL_SIZE;
        let name = &bytes[at + 48..at + 64];
        let name = &name[..name.iter().position(|&byte| byte == 0).unwrap_or(name.len())];
        let span: CpuSet = set_bits((0..64).map(|word| u64_at(at + 64 + word * 8))).collect();
        if span.len() != u32_at(at + 36) as usize {
            return Err("the span of a domain does not have as many CPUs as the kernel says".into());
        }
        Ok(Domain {
            kernel_level: Some(u32_at(at + 40) as u16),
            min_interval_ns: Some(u64_at(at) as i64 * 1_000_000),
            max_interval_ns: Some(u64_at(at + 8) as i64 * 1_000_000),
            busy_factor: Some(u32_at(at + 24) as i32),
            imbalance_pct: Some(u32_at(at + 28) as i32),
            cache_nice_tries: Some(u32_at(at + 32) as i32),
            newidle_cost_ns: Some(u64_at(at + 16) as i64),
            span_exact: true,
            parameters_exact: true,
            ..Domain::of_span(level as u16, &String::from_utf8_lossy(name), span)
        })
    };
    (0..count).map(of).collect()
}

/// Put the domains of the runqueues into a machine whose own were not all reported by the kernel, else the numbers that attempts report,
/// and the groups.
pub(crate) fn complete(prepared: &PreparedPrograms, machine: &mut Machine) {
    let Ok(domains) = of_runqueues(prepared, machine) else { return };
    if !machine.has_reported_domains() {
        return machine.set_reported_domains(domains);
    }
    machine.domains = std::mem::take(&mut machine.domains).into_iter().flat_map(|d| completed(d, &domains)).collect();
}

/// A domain with what the runqueues say besides: its number, and its groups, by which it falls into several where CPUs have other ones.
fn completed(mut known: Domain, found: &[Domain]) -> Vec<Domain> {
    let mut parts = Vec::new();
    for of_queue in found.iter().filter(|d| d.level == known.level && d.span == known.span) {
        let cpus = known.cpus.intersection(&of_queue.cpus);
        if !cpus.is_empty() {
            known.cpus = known.cpus.difference(&cpus);
            let Domain { kernel_level, ref groups, .. } = *of_queue;
            parts.push(Domain { cpus, kernel_level, groups: groups.clone(), ..known.clone() });
        }
    }
    if !known.cpus.is_empty() {
        parts.push(known);
    }
    parts
}

/// The same for the machine that was read with the programs.
pub(crate) fn complete_own(prepared: &mut PreparedPrograms) {
    let mut machine = prepared.machine.clone();
    complete(prepared, &mut machine);
    prepared.machine = machine;
}

/// The machine with its domains as it is now, as well as they can be had.
fn now(prepared: &PreparedPrograms) -> Option<Machine> {
    let mut machine = Machine::read(Path::new("/")).ok()?;
    complete(prepared, &mut machine);
    Some(machine)
}

/// Append records of the domains that hold from `since_ns` on.
pub(crate) fn write(domains: &[Domain], since_ns: u64, base_ns: u64, out: &mut Vec<u8>) {
    let mut lists = vec![Vec::new()];
    for domain in domains {
        let json = serde_json::to_vec(domain).expect("a domain has only texts, numbers and lists");
        if lists.last().is_some_and(|list| !list.is_empty() && list.len() + json.len() > MOST_BYTES) {
            lists.push(Vec::new());
        }
        if let Some(list) = lists.last_mut() {
            list.push(if list.is_empty() { b'[' } else { b',' });
            list.extend_from_slice(&json);
        }
    }
    let parts = lists.len() as u16;
    for (part, mut json) in lists.into_iter().enumerate() {
        json.extend_from_slice(if json.is_empty() { b"[]" } else { b"]" });
        Record::Domains(Domains { part: part as u16, parts, json: &json }).write(since_ns, base_ns, out);
    }
}

/// When the domains were built anew since the last call, as any CPU noticed: the first and the last time (ns).
pub(crate) fn built(rings: &Rings) -> Option<(u64, u64)> {
    let times = (0..rings.cpus()).filter_map(|cpu| rings.take_domains_built(cpu));
    times.reduce(|(first, last), (f, l)| (first.min(f), last.max(l)))
}

/// When they were built anew since the last call that read them, and the machine with them.
fn changed(
    prepared: &PreparedPrograms,
    rings: &Rings,
    unread: &mut Option<(u64, u64)>,
) -> Option<((u64, u64), Machine)> {
    // A change while they are read is noticed by the next call.
    let times =
        unread.take().into_iter().chain(built(rings)).reduce(|(f, l), (first, last)| (f.min(first), l.max(last)))?;
    let machine = now(prepared);
    if machine.is_none() {
        *unread = Some(times);
    }
    Some((times, machine?))
}

/// Append what holds since the domains were built anew, where they were since the last call. Of several changes since then, the
/// domains in between are not known: those read now are taken to hold from the first on, and are written again with the last.
/// Times of changes after which they could not be read stay in `unread` until the next call.
pub(crate) fn write_changed(
    prepared: &PreparedPrograms,
    rings: &Rings,
    unread: &mut Option<(u64, u64)>,
    base_ns: u64,
    out: &mut Vec<u8>,
) {
    let Some(((first_ns, last_ns), machine)) = changed(prepared, rings, unread) else { return };
    write(&machine.domains, first_ns, base_ns, out);
    if last_ns > first_ns {
        write(&machine.domains, last_ns, base_ns, out);
    }
}

/// The machine from a while ago to now: read at the start, and whenever its domains had been built anew.
pub(crate) struct DomainLog {
    logged: Vec<LoggedMachine>,
    unread: Option<(u64, u64)>,
}

/// The machine, whose domains hold from an instant on.
struct LoggedMachine {
    since_ns: u64,
    machine: Machine,
}

impl DomainLog {
    /// With the domains that the machine was read with.
    pub fn new(machine: &Machine) -> Self {
        Self { logged: vec![LoggedMachine { since_ns: 0, machine: machine.clone() }], unread: None }
    }

    /// Read them again where they were built anew; as [`write_changed`].
    pub fn update(&mut self, prepared: &PreparedPrograms, rings: &Rings) {
        let Some(((first_ns, last_ns), machine)) = changed(prepared, rings, &mut self.unread) else { return };
        if last_ns > first_ns {
            self.push(first_ns, machine.clone());
        }
        self.push(last_ns, machine);
    }

    fn push(&mut self, since_ns: u64, machine: Machine) {
        let at = self.logged.partition_point(|logged| logged.since_ns <= since_ns);
        self.logged.insert(at, LoggedMachine { since_ns, machine });
    }

    /// Forget what no longer holds at `since_ns`.
    pub fn forget_before(&mut self, since_ns: u64) {
        self.logged.drain(..self.at_or_first(since_ns));
    }

    fn at_or_first(&self, ts_ns: u64) -> usize {
        self.logged.partition_point(|logged| logged.since_ns <= ts_ns).saturating_sub(1)
    }

    /// Give the machine of now what held at an instant, as far back as it is known: domains, and which CPUs were online, isolated or
    /// in a partition. A change of these builds the domains anew.
    pub fn put_into(&self, machine: &mut Machine, ts_ns: u64) {
        let Some(LoggedMachine { machine: then, .. }) = self.logged.get(self.at_or_first(ts_ns)) else { return };
        *machine = Machine {
            preemption: machine.preemption.take(),
            migration_cost_ns: machine.migration_cost_ns,
            ..then.clone()
        };
    }

    /// Append records of those that hold since after `start_ns`.
    pub fn write_after(&self, start_ns: u64, base_ns: u64, out: &mut Vec<u8>) {
        for logged in self.logged.iter().filter(|logged| logged.since_ns > start_ns) {
            write(&logged.machine.domains, logged.since_ns, base_ns, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record;

    #[test]
    fn a_cpus_domains_are_read_from_the_maps_layout() {
        let mut bytes = vec![0u8; HEAD_SIZE + LEVELS * LEVEL_SIZE];
        bytes[0] = 1;
        bytes[HEAD_SIZE] = 2;
        bytes[HEAD_SIZE + 8] = 4;
        bytes[HEAD_SIZE + 24] = 16;
        bytes[HEAD_SIZE + 28] = 117;
        bytes[HEAD_SIZE + 36] = 2;
        bytes[HEAD_SIZE + 40] = 2;
        bytes[HEAD_SIZE + 48..HEAD_SIZE + 50].copy_from_slice(b"MC");
        bytes[HEAD_SIZE + 64] = 0b11;
        let found = levels(&bytes).unwrap();
        assert_eq!((found.len(), found[0].kernel_level), (1, Some(2)));
        assert_eq!((found[0].name.as_str(), found[0].span.to_string()), ("MC", "0-1".to_owned()));
        assert_eq!((found[0].min_interval_ns, found[0].max_interval_ns), (Some(2_000_000), Some(4_000_000)));
        assert_eq!((found[0].busy_factor, found[0].imbalance_pct), (Some(16), Some(117)));
        bytes[HEAD_SIZE + 36] = 3;
        assert!(levels(&bytes).unwrap_err().contains("as many CPUs"));
        bytes[..4].copy_from_slice(&UNREAD.to_ne_bytes());
        assert!(levels(&bytes).is_err() && levels(&[]).is_err());
    }

    #[test]
    fn the_groups_of_a_domain_are_read_from_the_maps_layout() {
        let mut bytes = vec![0u8; GROUPS_SIZE];
        bytes[4] = 2;
        bytes[8] = 0b11;
        bytes[8 + MASK_SIZE] = 0b110;
        let span = |cpus: &str| cpus.parse::<CpuSet>().unwrap();
        assert_eq!(groups(&bytes, &span("0-2")), Some(vec![span("0-1"), span("1-2")]));
        assert_eq!(groups(&bytes, &span("0-3")), None, "a CPU of the domain in none");
        assert_eq!(groups(&bytes, &span("0-1")), None, "a CPU outside the domain");
        bytes[4..8].copy_from_slice(&UNREAD.to_ne_bytes());
        assert!(groups(&bytes, &span("0-2")).is_none() && groups(&[], &span("0")).is_none());
    }

    #[test]
    fn a_domain_that_the_kernel_reported_gets_the_groups_of_each_cpu() {
        let set = |cpus: &str| cpus.parse::<CpuSet>().unwrap();
        let of = |cpus: &str| Domain { cpus: set(cpus), ..Domain::of_span(1, "NUMA", set("0-5")) };
        let grouped = |cpus: &str, first: &str, second: &str| Domain {
            kernel_level: Some(4),
            groups: Some(vec![set(first), set(second)]),
            ..of(cpus)
        };
        let found = [grouped("0-1", "0-3", "2-5"), grouped("2-3", "2-5", "0-3")];
        let known = Domain { flags: Some("SD_NUMA".into()), ..of("0-5") };
        let all = completed(known.clone(), &found);
        assert_eq!(all.iter().map(|d| d.cpus.to_string()).collect::<Vec<_>>(), ["0-1", "2-3", "4-5"]);
        assert_eq!(all.iter().map(|d| d.kernel_level).collect::<Vec<_>>(), [Some(4), Some(4), None]);
        assert!(all[0].groups == found[0].groups && all[1].groups == found[1].groups && all[2].groups.is_none());
        assert!(all.iter().all(|d| d.flags == known.flags));
    }

    #[test]
    fn domains_of_the_largest_machines_fit_into_records() {
        let all: wastenot_topology::CpuSet = (0..4096).filter(|cpu| cpu % 2 == 0).collect();
        let one =
            Domain { name: "NUMA".into(), span: all.clone(), cpus: all, ..levels(&one_level()).unwrap().remove(0) };
        let mut out = Vec::new();
        write(&vec![one; 3], 5, 0, &mut out);
        let (mut at, mut parts) = (0, 0);
        while at < out.len() {
            let (ts_ns, read, length) = record::read(&out[at..], 0).unwrap();
            let Record::Domains(part) = read else { panic!("{read:?}") };
            assert_eq!((ts_ns, part.part, part.parts), (5, parts, 2));
            assert!(serde_json::from_slice::<Vec<Domain>>(part.json).is_ok());
            (at, parts) = (at + length, parts + 1);
        }
        assert_eq!(parts, 2);
        out.clear();
        write(&[], 7, 0, &mut out);
        let Record::Domains(none) = record::read(&out, 0).unwrap().1 else { panic!() };
        assert_eq!((none.part, none.parts, none.json), (0, 1, &b"[]"[..]));
    }

    #[test]
    fn a_log_knows_what_held_when() {
        let mut machine = Machine::of_cpus(2, None, None);
        let domain = levels(&one_level()).unwrap().remove(0);
        let mut log = DomainLog::new(&machine);
        for (since_ns, count) in [(10, 2), (20, 1)] {
            let mut then = Machine::of_cpus(2, None, None);
            then.domains = vec![domain.clone(); count];
            then.online = (0..count as u32).collect();
            log.push(since_ns, then);
        }
        let mut at = |log: &DomainLog, ts_ns| {
            log.put_into(&mut machine, ts_ns);
            machine.domains.len()
        };
        assert_eq!([5, 10, 19, 20, 99].map(|t| at(&log, t)), [0, 2, 2, 1, 1]);
        let mut now = Machine { preemption: Some("lazy".into()), ..Machine::of_cpus(2, None, None) };
        log.put_into(&mut now, 20);
        assert_eq!((now.online.to_string(), now.preemption.as_deref()), ("0".to_owned(), Some("lazy")));
        log.forget_before(15);
        assert_eq!([5, 12, 20].map(|t| at(&log, t)), [2, 2, 1]);
        let mut out = Vec::new();
        log.write_after(12, 0, &mut out);
        assert_eq!(record::read(&out, 0).unwrap().0, 20);
    }

    fn one_level() -> Vec<u8> {
        let mut bytes = vec![0u8; HEAD_SIZE + LEVELS * LEVEL_SIZE];
        bytes[0] = 1;
        bytes
    }
}
