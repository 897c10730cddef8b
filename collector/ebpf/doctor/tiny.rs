//! The smallest BPF programs there are, tried on the running kernel: loaded, attached, detached.

use crate::mounts::tracefs;
use libbpf_rs::libbpf_sys as sys;
use std::ffi::{CString, c_int};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// One instruction as the kernel reads it (include/uapi/linux/bpf.h: struct bpf_insn).
#[repr(C)]
struct Instruction {
    code: u8,
    registers: u8,
    offset: i16,
    immediate: i32,
}

const fn op(code: u8, registers: u8, immediate: i32) -> Instruction {
    Instruction { code, registers, offset: 0, immediate }
}

/// `return 0`.
const RETURN_ZERO: [Instruction; 2] = [op(0xb7, 0, 0), op(0x95, 0, 0)];

fn checked(result: c_int) -> io::Result<OwnedFd> {
    match result {
        // SAFETY: a descriptor that the kernel has just given to this process, which has no other owner.
        fd if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        error => Err(io::Error::from_raw_os_error(-error)),
    }
}

fn text(name: &str) -> CString {
    CString::new(name).expect("names have no NUL")
}

/// A kind of program and how it hooks on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// `tp_btf`: a tracepoint with typed arguments.
    TpBtf,
    /// `raw_tp`.
    RawTp,
    /// `fentry`.
    Fentry,
    /// `iter/task` and the like.
    Iterator,
    /// A classic tracepoint through perf.
    Tracepoint,
    /// A kprobe through perf.
    Kprobe,
}

/// Load a program that returns 0 and attach it to `target`, then take both away.
pub fn attach(hook: Hook, target: &str) -> io::Result<()> {
    let program = load(hook, target, &RETURN_ZERO)?;
    let name = text(target);
    // SAFETY: the descriptors are open for the calls, the texts end with NUL, and NULL options mean defaults.
    let link = match hook {
        Hook::TpBtf | Hook::Fentry => {
            checked(unsafe { sys::bpf_raw_tracepoint_open(std::ptr::null(), program.as_raw_fd()) })?
        }
        Hook::RawTp => checked(unsafe { sys::bpf_raw_tracepoint_open(name.as_ptr(), program.as_raw_fd()) })?,
        Hook::Iterator => {
            let link = unsafe { sys::bpf_link_create(program.as_raw_fd(), 0, sys::BPF_TRACE_ITER, std::ptr::null()) };
            let link = checked(link)?;
            checked(unsafe { sys::bpf_iter_create(link.as_raw_fd()) })?
        }
        Hook::Tracepoint | Hook::Kprobe => attach_by_perf(hook, target, &program)?,
    };
    drop(link);
    Ok(())
}

fn load(hook: Hook, target: &str, code: &[Instruction]) -> io::Result<OwnedFd> {
    let (kind, attach) = match hook {
        Hook::TpBtf => (sys::BPF_PROG_TYPE_TRACING, Some(sys::BPF_TRACE_RAW_TP)),
        Hook::Fentry => (sys::BPF_PROG_TYPE_TRACING, Some(sys::BPF_TRACE_FENTRY)),
        Hook::Iterator => (sys::BPF_PROG_TYPE_TRACING, Some(sys::BPF_TRACE_ITER)),
        Hook::RawTp => (sys::BPF_PROG_TYPE_RAW_TRACEPOINT, None),
        Hook::Tracepoint => (sys::BPF_PROG_TYPE_TRACEPOINT, None),
        Hook::Kprobe => (sys::BPF_PROG_TYPE_KPROBE, None),
    };
    // SAFETY: all-zero is a valid value of this plain C struct.
    let mut options: sys::bpf_prog_load_opts = unsafe { std::mem::zeroed() };
    options.sz = size_of::<sys::bpf_prog_load_opts>() as sys::size_t;
    if let Some(attach) = attach {
        // SAFETY: the text ends with NUL.
        let id = unsafe { sys::libbpf_find_vmlinux_btf_id(text(target).as_ptr(), attach) };
        if id < 0 {
            return Err(io::Error::from_raw_os_error(-id));
        }
        options.expected_attach_type = attach;
        options.attach_btf_id = id as u32;
    }
    // SAFETY: code and options live through the call; Instruction has the layout of bpf_insn.
    checked(unsafe {
        sys::bpf_prog_load(
            kind,
            text("wastenot_probe").as_ptr(),
            c"GPL".as_ptr(),
            code.as_ptr().cast(),
            code.len() as sys::size_t,
            &mut options,
        )
    })
}

/// Take a kernel stack: a stack map, and a raw_tp program that calls bpf_get_stackid (helper 27) on it.
pub fn take_stack() -> io::Result<()> {
    let stacks = map(sys::BPF_MAP_TYPE_STACK_TRACE, 4, 8 * 16, 16, 0)?;
    let code = [
        op(0x18, 0x12, stacks.as_raw_fd()), // r2 = map (BPF_PSEUDO_MAP_FD in the source register)
        op(0x00, 0, 0),
        op(0xb7, 0x03, 0), // r3 = 0
        op(0x85, 0, 27),   // call bpf_get_stackid; r1 is the context
        op(0xb7, 0, 0),
        op(0x95, 0, 0),
    ];
    load(Hook::RawTp, "sched_switch", &code).map(drop)
}

/// Whether the kernel loads a program with an atomic addition that returns a value (BPF_FETCH, 5.12); false too where it loads none.
pub fn fetches() -> bool {
    const STACK: u8 = 0x1a; // source r1, destination r10
    let code = [
        op(0xb7, 1, 0),                                                         // r1 = 0
        Instruction { code: 0x7b, registers: STACK, offset: -8, immediate: 0 }, // *(r10 - 8) = r1
        Instruction { code: 0xdb, registers: STACK, offset: -8, immediate: 1 }, // r1 = fetch_add(r10 - 8, r1)
        op(0xb7, 0, 0),
        op(0x95, 0, 0),
    ];
    load(Hook::RawTp, "sched_switch", &code).is_ok()
}

/// Create a map; it goes when the descriptor is dropped.
pub fn map(kind: sys::bpf_map_type, key: u32, value: u32, entries: u32, flags: u32) -> io::Result<OwnedFd> {
    // SAFETY: all-zero is a valid value of this plain C struct, which lives through the call.
    let mut options: sys::bpf_map_create_opts = unsafe { std::mem::zeroed() };
    options.sz = size_of::<sys::bpf_map_create_opts>() as sys::size_t;
    options.map_flags = flags;
    // SAFETY: as above; the name ends with NUL.
    checked(unsafe { sys::bpf_map_create(kind, c"wastenot_probe".as_ptr(), key, value, entries, &options) })
}

/// Have the kernel measure BPF programs, until the descriptor is dropped.
pub fn statistics() -> io::Result<OwnedFd> {
    // SAFETY: no pointers are passed.
    checked(unsafe { sys::bpf_enable_stats(sys::BPF_STATS_RUN_TIME) })
}

/// Open a counter of this thread (perf_event_open(2)): `kind` and `config` as in struct perf_event_attr.
pub fn counter(kind: u32, config: u64) -> io::Result<OwnedFd> {
    perf_event(kind, config, 0, 0, -1)
}

fn perf_event(kind: u32, config: u64, config1: u64, pid: c_int, cpu: c_int) -> io::Result<OwnedFd> {
    // SAFETY: all-zero is a valid value of this plain C struct, which lives through the call.
    let mut attributes: sys::perf_event_attr = unsafe { std::mem::zeroed() };
    attributes.type_ = kind;
    attributes.size = size_of::<sys::perf_event_attr>() as u32;
    attributes.config = config;
    attributes.__bindgen_anon_3.config1 = config1;
    let attributes: *const sys::perf_event_attr = &attributes;
    // SAFETY: see above; flag 8 is PERF_FLAG_FD_CLOEXEC.
    let fd = unsafe { libc::syscall(libc::SYS_perf_event_open, attributes, pid, cpu, -1, 8) };
    if fd < 0 { Err(io::Error::last_os_error()) } else { checked(fd as c_int) }
}

fn attach_by_perf(hook: Hook, target: &str, program: &OwnedFd) -> io::Result<OwnedFd> {
    const TRACEPOINT: u32 = 2; // PERF_TYPE_TRACEPOINT
    let number = |path: &str| -> io::Result<u64> {
        std::fs::read_to_string(path)?.trim().parse().map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
    };
    let name = text(target);
    let event = match hook {
        Hook::Kprobe => {
            let kind = number("/sys/bus/event_source/devices/kprobe/type")? as u32;
            perf_event(kind, 0, name.as_ptr() as u64, -1, 0)?
        }
        _ => {
            let tracefs = tracefs().ok_or(io::ErrorKind::NotFound)?;
            let id = number(&format!("{}/events/sched/{target}/id", tracefs.display()))?;
            perf_event(TRACEPOINT, id, 0, -1, 0)?
        }
    };
    const SET_BPF: libc::c_ulong = 0x4004_2408; // PERF_EVENT_IOC_SET_BPF
    // SAFETY: both descriptors are open; the request takes a descriptor as its argument.
    match unsafe { libc::ioctl(event.as_raw_fd(), SET_BPF as _, program.as_raw_fd()) } {
        0 => Ok(event),
        _ => Err(io::Error::last_os_error()),
    }
}
