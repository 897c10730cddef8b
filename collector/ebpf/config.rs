//! Constants that are set in the programs before the kernel verifies them.

/// Bits of [`Config::want_stacks`]: of which events kernel stacks are recorded.
pub(crate) mod stacks_of {
    pub const MOVES: u8 = 1;
    pub const WAKEUPS: u8 = 2;
    pub const SWITCHES: u8 = 4;
}

/// Mirror of `struct config` in `bpf/ring.h`, which explains the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    pub ring_mask: u64,
    pub base_ns: u64,
    pub mask_words: u32,
    pub counter_count: u32,
    pub counter_stride: u32,
    pub switch_state: u32,
    pub idle_types: [u16; 4],
    pub use_hash: u8,
    pub want_stacks: u8,
    pub all_ext: u8,
    pub want_scans: u8,
    pub watch_domains: u8,
    pub want_searches: u8,
    pub ext_task_arg: u8,
    pub ext_bypass_arg: u8,
    pub kick: u64,
    pub queued_wakeup: u64,
    pub hot_ns: u64,
    pub read_queues: u32,
    pub has_sd_flag: u32,
    pub tick_ns: u64,
}

impl Config {
    /// As the section `.rodata.config` holds it.
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(88);
        bytes.extend(self.ring_mask.to_ne_bytes());
        bytes.extend(self.base_ns.to_ne_bytes());
        for word in [self.mask_words, self.counter_count, self.counter_stride, self.switch_state] {
            bytes.extend(word.to_ne_bytes());
        }
        bytes.extend(self.idle_types.iter().flat_map(|t| t.to_ne_bytes()));
        bytes.extend([self.use_hash, self.want_stacks, self.all_ext, self.want_scans, self.watch_domains]);
        bytes.extend([self.want_searches, self.ext_task_arg, self.ext_bypass_arg]);
        bytes.extend(self.kick.to_ne_bytes());
        bytes.extend(self.queued_wakeup.to_ne_bytes());
        bytes.extend(self.hot_ns.to_ne_bytes());
        bytes.extend([self.read_queues, self.has_sd_flag].iter().flat_map(|word| word.to_ne_bytes()));
        bytes.extend(self.tick_ns.to_ne_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn config_has_the_size_of_its_c_struct() {
        assert_eq!(super::Config::default().to_bytes().len(), 88);
    }
}
