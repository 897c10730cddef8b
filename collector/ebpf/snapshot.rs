//! The threads and CPUs when recording starts. Why no thread is in two places: `bpf/constraints.h`.

use crate::clock::now_ns;
use crate::mask::Mask;
use crate::record::{CpuSnapshot, Masks, Record, Thread, flag};
use libbpf_rs::{Iter, Object, ProgramInput, ProgramMut};
use std::io::Read;
use std::path::Path;
use wastenot_schemas::{queue_state, task_state};
use wastenot_topology::CpuSet;
use wastenot_topology::task_state::{of_word, to_word};

const ON_THAT_CPU: u32 = 1;

/// Have each online CPU record what it runs, into its own ring; offline CPUs are recorded here.
pub(crate) fn cpus(object: &Object, possible: &CpuSet, base_ns: u64, own: &mut Vec<u8>) -> Result<(), String> {
    let program = object.progs_mut().find(|program| program.name() == "this_cpu" && program.autoload());
    let Some(program) = program else { return Err("not loaded".into()) };
    for cpu in possible.iter() {
        match run_on(&program, cpu) {
            Ok(()) => {}
            // ENXIO: the CPU is offline.
            Err(_) if is_offline(cpu) => {
                let row = CpuSnapshot { cpu: cpu as u16, online: 0, current: -1 };
                Record::CpuSnapshot(row).write(now_ns(), base_ns, own);
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// Run a program on a CPU.
pub(crate) fn run_on(program: &ProgramMut<'_>, cpu: u32) -> libbpf_rs::Result<()> {
    let mut context = [0u8; 8];
    let mut input = ProgramInput::default();
    (input.context_in, input.cpu, input.flags) = (Some(&mut context[..]), cpu, ON_THAT_CPU);
    program.test_run(input).map(|_| ())
}

pub(crate) fn is_offline(cpu: u32) -> bool {
    std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu{cpu}/online")).is_ok_and(|text| text.trim() == "0")
}

/// Threads by the kernel's task iterator. The records come out of the kernel as they are written.
pub(crate) fn threads(object: &Object, own: &mut Vec<u8>) -> Result<(), String> {
    read_iterator(object, "each_thread", own)
}

/// Run an iterator program over all that it visits; appends what it writes.
pub(crate) fn read_iterator(object: &Object, name: &str, out: &mut Vec<u8>) -> Result<(), String> {
    let program = object.progs_mut().find(|program| program.name() == name && program.autoload());
    let Some(program) = program else { return Err("not loaded".into()) };
    let link = program.attach().map_err(|e| e.to_string())?;
    let mut rows = Iter::new(&link).map_err(|e| e.to_string())?;
    rows.read_to_end(out).map_err(|e| e.to_string())?;
    Ok(())
}

/// Threads from /proc, where the iterator is refused. It does not distinguish running from queued: both are R.
pub(crate) fn threads_of_proc(base_ns: u64, own: &mut Vec<u8>) -> Result<(), String> {
    let ts_ns = now_ns();
    for thread in wastenot_machine::threads::snapshot(Path::new("/")).map_err(|e| e.to_string())? {
        let mut comm = [0; 16];
        let name = thread.comm.as_bytes();
        let length = name.len().min(15);
        comm[..length].copy_from_slice(&name[..length]);
        let is_off = !matches!(of_word(to_word(thread.state)), task_state::R | task_state::UNKNOWN);
        let flags = flag::FROM_PROC
            | if thread.is_kernel { flag::KERNEL } else { 0 }
            | if thread.per_cpu { flag::PER_CPU } else { 0 };
        let (allowed, cpuset) = (words(&thread.allowed), thread.cpuset.as_ref().map(words));
        let masks = Masks {
            allowed: Some(Mask::from_bytes(&allowed)),
            user: None,
            cpuset: cpuset.as_deref().map(Mask::from_bytes),
        };
        let record = Thread {
            tid: thread.tid,
            tgid: thread.tgid,
            ppid: thread.ppid,
            state: to_word(thread.state),
            cgroup_id: thread.cgroup_id.unwrap_or(0),
            cpu: thread.cpu as u16,
            prio: thread.prio,
            policy: thread.policy,
            queue: if is_off { queue_state::OFF } else { queue_state::UNKNOWN },
            flags,
            comm,
            masks,
            ..Thread::default()
        };
        Record::Thread(record).write(ts_ns, base_ns, own);
    }
    Ok(())
}

fn words(cpus: &CpuSet) -> Vec<u8> {
    let mut words = vec![0u64; cpus.iter().max().map_or(1, |last| last as usize / 64 + 1)];
    for cpu in cpus.iter() {
        words[cpu as usize / 64] |= 1 << (cpu % 64);
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
