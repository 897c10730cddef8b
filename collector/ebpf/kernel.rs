//! What this kernel is, from its BTF: which functions and fields it has, and in which form.

use crate::config::Config;
use crate::error::CaptureError;
use crate::sched_ext;
use libbpf_rs::btf::types::{Enum, Func, FuncProto, Ptr, Struct, Typedef};
use libbpf_rs::btf::{Btf, BtfKind};
use libbpf_rs::{HasSize, ReferencesType};
use std::ffi::OsStr;
use std::path::Path;

/// Tells when a runqueue's length changes; programs may use it from 5.13 on.
pub(crate) const QUEUE_LENGTHS: &str = "sched_update_nr_running_tp";

/// The kernel's types.
pub struct Kernel {
    btf: Btf<'static>,
}

impl Kernel {
    /// Read /sys/kernel/btf/vmlinux.
    pub fn read() -> Result<Self, CaptureError> {
        if !Path::new("/sys/kernel/btf/vmlinux").exists() {
            return Err(CaptureError::NoBtf);
        }
        let btf = Btf::from_vmlinux().map_err(|e| CaptureError::NotPermitted { why: e.to_string() })?;
        Ok(Self { btf })
    }

    /// Whether the kernel has a function of this name that programs could be attached to.
    pub fn has_function(&self, name: &str) -> bool {
        self.btf.type_by_name::<Func<'_>>(name).is_some()
    }

    /// Whether the kernel has a tracepoint of this name.
    pub fn has_tracepoint(&self, name: &str) -> bool {
        self.btf.type_by_name::<Typedef<'_>>(&format!("btf_trace_{name}")).is_some()
    }

    /// Whether a struct has a field.
    pub fn has_field(&self, of: &str, field: &str) -> bool {
        self.btf
            .type_by_name::<Struct<'_>>(of)
            .is_some_and(|s| s.iter().any(|member| member.name == Some(OsStr::new(field))))
    }

    /// Whether schedulers can be loaded (sched_ext, 6.12).
    pub fn has_sched_ext(&self) -> bool {
        self.btf.type_by_name::<Struct<'_>>("sched_ext_ops").is_some()
    }

    /// Fill in what the programs must know of this kernel.
    pub(crate) fn fit(&self, config: &mut Config) {
        config.switch_state = self.switch_state();
        config.idle_types = self.idle_types();
        config.read_queues = u32::from(!self.has_tracepoint(QUEUE_LENGTHS) && self.has_field("cfs_rq", "rq"));
        config.has_sd_flag = u32::from(self.argument("select_task_rq_fair", "sd_flag").is_some());
        // Before bpf_mem_alloc, task storage was allocated with kmalloc, which may wake kswapd under a runqueue's lock.
        config.use_hash = u8::from(!self.has_field("bpf_local_storage_map", "bpf_ma"));
        config.all_ext = u8::from(sched_ext::takes_all(Path::new(sched_ext::FOLDER)));
        let enqueues = ["scx_dispatch_enqueue", "dispatch_enqueue"];
        config.ext_task_arg = enqueues.iter().find_map(|function| self.argument(function, "p")).unwrap_or(0);
        config.ext_bypass_arg = self.argument("scx_bypass", "bypass").unwrap_or(0);
    }

    /// Place of an argument of that name among those of a function.
    fn argument(&self, function: &str, name: &str) -> Option<u8> {
        let function = self.btf.type_by_name::<Func<'_>>(function)?;
        let proto = FuncProto::try_from(function.referenced_type()).ok()?;
        proto.iter().position(|parameter| parameter.name == Some(OsStr::new(name))).map(|place| place as u8)
    }

    /// Place of prev_state among the arguments of sched_switch.
    fn switch_state(&self) -> u32 {
        let proto = self
            .btf
            .type_by_name::<Typedef<'_>>("btf_trace_sched_switch")
            .and_then(|typedef| Ptr::try_from(typedef.referenced_type()).ok())
            .and_then(|pointer| FuncProto::try_from(pointer.referenced_type()).ok());
        let Some(proto) = proto else { return 0 };
        // The first parameter is the tracepoint's own data; `preempt` is a bool, prev_state the integer that is not a bool.
        let place = proto.iter().skip(1).position(|parameter| {
            self.btf.type_by_id::<libbpf_rs::btf::BtfType<'_>>(parameter.ty).is_some_and(|ty| {
                let ty = ty.skip_mods_and_typedefs();
                ty.kind() == BtfKind::Int && libbpf_rs::btf::types::Int::try_from(ty).is_ok_and(|int| int.size() == 4)
            })
        });
        place.filter(|place| [1, 3].contains(place)).unwrap_or(0) as u32
    }

    /// enum idle_type (idle 0, not_idle 1, newly_idle 2, unknown 3) by the value of the kernel's enum cpu_idle_type.
    fn idle_types(&self) -> [u16; 4] {
        let mut types = [3; 4];
        if let Some(of_kernel) = self.btf.type_by_name::<Enum<'_>>("cpu_idle_type") {
            for member in of_kernel.iter() {
                let ours = match member.name.and_then(OsStr::to_str) {
                    Some("CPU_IDLE") => 0,
                    Some("CPU_NOT_IDLE" | "__CPU_NOT_IDLE") => 1,
                    Some("CPU_NEWLY_IDLE") => 2,
                    _ => continue,
                };
                if let Some(place) = usize::try_from(member.value).ok().and_then(|value| types.get_mut(value)) {
                    *place = ours;
                }
            }
        }
        types
    }
}
