//! What to record, and how.

use crate::config::stacks_of;
use crate::error::CaptureError;
use serde::{Deserialize, Serialize};

/// Groups of events that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventGroup {
    /// sched_switch, sched_wakeup, sched_wakeup_new: always recorded.
    Switch,
    /// Who wakes: wakeups queued to another CPU, where kicks are recorded (csd_queue_cpu); else sched_waking.
    Waking,
    /// sched_migrate_task.
    Migrate,
    /// sched_update_nr_running_tp: the runqueue's count, which is written with the switch; also the instants of affinity
    /// changes of queued threads, and ends of throttling. Before 5.13 the count is read at switches and functions are probed.
    NrRunning,
    /// fork, exec, exit, rename.
    Lifecycle,
    /// CPUs going offline and online.
    Hotplug,
    /// Interrupt work.
    Irq,
    /// Load-balance attempts, where functions can be probed.
    Balance,
    /// What attempts that move no thread find, where functions can be probed: recorded with `Balance`.
    #[serde(skip)]
    BalanceSearch,
    /// Decisions of a sched_ext scheduler, where functions can be probed: recorded with `Balance`.
    #[serde(skip)]
    SchedExt,
    /// Placements of threads by wakeup, fork and exec, where functions can be probed.
    Placement,
    /// Kicks sent to idle CPUs: by tracepoint from 6.5 on, from 5.8 on where functions can be probed. (The balancer's
    /// softirq on one comes with `Irq`.)
    Kick,
    /// CPUs that each placement scans: chosen by [`Options::cpus_scanned`] only.
    #[serde(skip)]
    CpuScans,
    /// Idle states and frequencies: chosen by [`Options::power`] only.
    #[serde(skip)]
    Power,
    /// Calls of OpenMP and MPI: chosen by [`Options::openmp`] and [`Options::mpi`] only.
    #[serde(skip)]
    Regions,
}

/// The groups recorded by default.
pub const ALL_GROUPS: [EventGroup; 10] = [
    EventGroup::Switch,
    EventGroup::Waking,
    EventGroup::Migrate,
    EventGroup::NrRunning,
    EventGroup::Lifecycle,
    EventGroup::Hotplug,
    EventGroup::Irq,
    EventGroup::Balance,
    EventGroup::Placement,
    EventGroup::Kick,
];

/// Which tracer records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// eBPF, else tracefs.
    #[default]
    Auto,
    /// eBPF only.
    Ebpf,
    /// tracefs only.
    Tracefs,
}

/// Whether the kernel's counters of its load balancer (/proc/schedstat) are read during the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchedstatMode {
    /// Where the kernel counts already; and where load-balance attempts cannot be recorded, with counting switched on.
    #[default]
    Auto,
    /// Counting is switched on for the time of the recording (`kernel.sched_schedstats`).
    On,
    /// Not read.
    Off,
}

/// Options of a recording; the JSON that `Recorder` takes has these keys, each with this default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How to record.
    pub source: Source,
    /// Recorded command, for the trace's description.
    pub command: Option<String>,
    /// Name the machine in its description.
    #[serde(skip_serializing_if = "is_true")]
    pub host: bool,
    /// Kernel stacks at migrations.
    pub stacks: bool,
    /// Kernel stacks at wakeups: who wakes.
    #[serde(skip_serializing_if = "is_false")]
    pub wakeup_stacks: bool,
    /// Kernel stacks at switches: where threads sleep, block and are preempted.
    #[serde(skip_serializing_if = "is_false")]
    pub switch_stacks: bool,
    /// Read counters at each switch.
    pub counters: bool,
    /// Read the load balancer's counters (/proc/schedstat).
    pub schedstat: SchedstatMode,
    /// Record the CPUs that each placement scans (where available_idle_cpu() is not inlined: 6.1 to 6.18, not 7.2).
    #[serde(alias = "considered")]
    pub cpus_scanned: bool,
    /// Record idle states and frequencies of CPUs.
    #[serde(skip_serializing_if = "is_false")]
    pub power: bool,
    /// Record calls of OpenMP in which threads wait, and bodies of parallel regions.
    #[serde(skip_serializing_if = "is_false")]
    pub openmp: bool,
    /// Record calls of MPI in which processes wait.
    #[serde(skip_serializing_if = "is_false")]
    pub mpi: bool,
    /// The words of the command, by which the libraries of `openmp` and `mpi` are found before it runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command_words: Vec<String>,
    /// Events to record.
    pub events: Vec<EventGroup>,
    /// Bytes of the ring of one CPU, a power of two; 0: 4 MiB, less where that would make more than 256 MiB.
    pub ring_bytes: u64,
    /// Milliseconds between two polls of the rings.
    pub poll_ms: u64,
    /// Bytes after which a new segment starts.
    pub segment_bytes: u64,
    /// Use raw_tp even where tp_btf works.
    pub raw_tp: bool,
    /// Use the programs for kernels before 5.12 on later ones too.
    #[serde(skip_serializing_if = "is_false")]
    pub early: bool,
    /// Record kicks by a probe of the function that sends them, as on kernels before 6.5, on later ones too: patching
    /// the path of their tracepoint may not end on an emulated machine.
    #[serde(skip_serializing_if = "is_false")]
    pub kicks_by_function: bool,
    /// Recording program, for the trace's description.
    pub recorder: String,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_true(value: &bool) -> bool {
    *value
}

impl Default for Options {
    fn default() -> Self {
        Self {
            source: Source::Auto,
            command: None,
            host: true,
            stacks: true,
            wakeup_stacks: false,
            switch_stacks: false,
            counters: false,
            schedstat: SchedstatMode::Auto,
            cpus_scanned: false,
            power: false,
            openmp: false,
            mpi: false,
            command_words: Vec::new(),
            events: ALL_GROUPS.to_vec(),
            ring_bytes: 0,
            poll_ms: 10,
            segment_bytes: 64 << 20,
            raw_tp: false,
            early: false,
            kicks_by_function: false,
            recorder: concat!("wastenot ", env!("CARGO_PKG_VERSION")).into(),
        }
    }
}

impl Options {
    /// From JSON; keys left out keep their default, unknown ones are an error.
    pub fn from_json(json: &str) -> Result<Self, CaptureError> {
        serde_json::from_str(json).map_err(|e| CaptureError::Option { why: format!("recorder options: {e}") })
    }

    pub(crate) fn wants(&self, group: EventGroup) -> bool {
        match group {
            EventGroup::Switch => true,
            EventGroup::CpuScans => self.cpus_scanned,
            EventGroup::Power => self.power,
            EventGroup::Regions => self.openmp || self.mpi,
            EventGroup::BalanceSearch | EventGroup::SchedExt => self.events.contains(&EventGroup::Balance),
            EventGroup::Placement => self.cpus_scanned || self.events.contains(&group),
            _ => self.events.contains(&group),
        }
    }

    /// Of which events kernel stacks are recorded: bits of [`stacks_of`].
    pub(crate) fn stacks_of(&self) -> u8 {
        let bit = |wanted: bool, bit| if wanted { bit } else { 0 };
        bit(self.stacks && self.wants(EventGroup::Migrate), stacks_of::MOVES)
            | bit(self.wakeup_stacks, stacks_of::WAKEUPS)
            | bit(self.switch_stacks, stacks_of::SWITCHES)
    }

    /// Bytes of each ring on a machine with so many CPUs.
    pub(crate) fn ring_size(&self, cpus: usize) -> Result<u64, CaptureError> {
        match self.ring_bytes {
            0 => {
                let share = ((256 << 20) / cpus.max(1) as u64).clamp(256 << 10, 4 << 20);
                Ok(1 << share.ilog2())
            }
            n if n.is_power_of_two() && (65_536..=1 << 28).contains(&n) => Ok(n),
            n => Err(CaptureError::Option {
                why: format!("ring_bytes is {n}: give a power of two between 65536 and 268435456"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_share_256_mib() {
        let of = |cpus| Options::default().ring_size(cpus).unwrap();
        assert_eq!((of(2), of(64), of(256), of(4096)), (4 << 20, 4 << 20, 1 << 20, 256 << 10));
        assert!(Options { ring_bytes: 100_000, ..Options::default() }.ring_size(2).is_err());
    }

    #[test]
    fn unknown_options_are_refused() {
        assert!(Options::from_json(r#"{"stacks": false}"#).is_ok_and(|o| !o.stacks && o.poll_ms == 10));
        let error = Options::from_json(r#"{"stack": false}"#).unwrap_err().to_string();
        assert!(error.contains("unknown field `stack`"), "{error}");
    }

    #[test]
    fn calls_are_recorded_on_request_only_and_not_mentioned_otherwise() {
        let (plain, openmp) = (Options::default(), Options { openmp: true, ..Options::default() });
        assert_eq!([&plain, &openmp].map(|options| options.wants(EventGroup::Regions)), [false, true]);
        let json = serde_json::to_string(&plain).unwrap();
        assert!(!["openmp", "mpi", "command_words", "power"].iter().any(|key| json.contains(key)), "{json}");
        assert_eq!(Options::from_json(&serde_json::to_string(&openmp).unwrap()).unwrap(), openmp);
    }

    #[test]
    fn options_of_older_recordings_are_read() {
        assert!(Options::from_json(r#"{"considered": true}"#).is_ok_and(|options| options.cpus_scanned));
    }
}
