//! Records of the machine's cgroups.

use crate::record::{self, CgroupInfo, CgroupInfoHead, Record, RecordError};
use std::collections::HashMap;
use std::path::Path;

/// The cgroups that a recording has already, each as it was written last.
#[derive(Default)]
pub(crate) struct CgroupRecords(HashMap<u64, Vec<u8>>);

impl CgroupRecords {
    /// Those that `bytes` has.
    pub fn of(mut bytes: &[u8]) -> Result<Self, RecordError> {
        let mut known = HashMap::new();
        while !bytes.is_empty() {
            let (_, record, length) = record::read(bytes, 0)?;
            if let Record::CgroupInfo(cgroup) = record {
                known.insert(cgroup.cgroup_id, bytes[8..length].to_vec());
            }
            bytes = &bytes[length..];
        }
        Ok(Self(known))
    }

    /// Append the cgroups that are new or changed.
    pub fn write_changed(&mut self, now: u64, base_ns: u64, out: &mut Vec<u8>) {
        // Of those that are gone nothing is kept: cgroups come and go for as long as it records.
        let mut known = std::mem::take(&mut self.0);
        for cgroup in wastenot_machine::cgroups::read(Path::new("/")).unwrap_or_default() {
            let record = Record::CgroupInfo(CgroupInfo {
                cgroup_id: cgroup.id,
                quota_ns: cgroup.quota_ns.unwrap_or(-1),
                period_ns: cgroup.period_ns.unwrap_or(-1),
                weight: cgroup.weight.unwrap_or(-1),
                path: cgroup.path.as_bytes(),
            });
            let from = out.len();
            record.write(now, base_ns, out);
            let body = &out[from + 8..];
            debug_assert!(body.len() + 8 >= CgroupInfoHead::SIZE);
            let body = match known.remove(&cgroup.id).filter(|known| known == body) {
                Some(same) => {
                    out.truncate(from);
                    same
                }
                None => body.to_vec(),
            };
            self.0.insert(cgroup.id, body);
        }
    }
}
