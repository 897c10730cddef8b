//! Saving a black box as a part folder, while the programs go on.
//!
//! The rings stop to be overwritten: from the box's first record on they keep what they hold until it is copied. No record is
//! lost at that: the programs read the limit at every record, and a quarter of each ring is free. What is copied had been
//! reserved before all programs that ran then ended, so it is complete, though no record of a ring was ever zeroed.

use super::black_box::BlackBox;
use super::epoch::Epoch;
use super::figures::SavedBox;
use super::grace::wait_for_programs;
use super::snapshot_rows::SnapshotRows;
use crate::cgroup_records::CgroupRecords;
use crate::clock::{clock_ns, now_ns};
use crate::error::CaptureError;
use crate::meta::{self, Meta};
use crate::priority;
use crate::rank_records::RankRecords;
use crate::record::{
    self, Balance, BalanceSearch, CpuSnapshot, CpuUse, EventStack, ExtAccess, ExtSearch, Fork, IrqSpan, Migrate,
    NewidleEntry, PreferredLlc, Record, RecordError, ThreadHead, kind_name,
};
use crate::ring::{DROP_KINDS, Rings};
use crate::segment::{FRAME_LIMIT, NO_CPU, SegmentWriter};
use crate::stacks::Stacks;
use crate::stats::Stats;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wastenot_machine::Machine;
use wastenot_schemas::EvidenceKind;

/// Time of the trace that is copied from all rings before the next is.
const SLICE_NS: u64 = 100_000_000;
/// The rings are emptied this often while the box goes on after the trigger, ...
const POLL: Duration = Duration::from_millis(50);
/// ... or this often where one fills up.
const POLL_FAST: Duration = Duration::from_millis(1);

/// A box to be saved.
pub(crate) struct SaveRequest {
    pub folder: PathBuf,
    /// Nanoseconds after the trigger that belong to the box.
    pub after_ns: u64,
    /// `end_reason` of the part is `watch: ` and this.
    pub reason: String,
}

/// Save what the black box holds and what follows. `is_stopped` waits for a time and says whether to end early.
pub(crate) fn save(
    of: &mut BlackBox,
    request: &SaveRequest,
    is_stopped: impl FnMut(Duration) -> bool,
) -> Result<SavedBox, CaptureError> {
    let existed = request.folder.symlink_metadata().is_ok();
    priority::raise();
    let saved = try_save(of, request, is_stopped);
    of.saving_from_ns = u64::MAX;
    (0..of.rings.cpus()).for_each(|cpu| of.rings.overwrite(cpu));
    priority::lower();
    if saved.is_err() && !existed {
        let _ = std::fs::remove_dir_all(&request.folder);
    }
    saved
}

fn try_save(
    of: &mut BlackBox,
    request: &SaveRequest,
    mut is_stopped: impl FnMut(Duration) -> bool,
) -> Result<SavedBox, CaptureError> {
    let (asked_ns, begun_cpu_ns) = (now_ns(), clock_ns(libc::CLOCK_THREAD_CPUTIME_ID));
    let base_ns = of.meta.base_ns;
    // All that takes long comes before the rings are kept: they have little space then.
    of.update_domains();
    // The machine of when the box begins: its domains may have been built anew since.
    let domains_ns = of.oldest_ns(asked_ns).unwrap_or(asked_ns);
    of.saving_from_ns = domains_ns;
    let segments = create_folder(&request.folder, &of.meta, |machine| of.domains.put_into(machine, domains_ns))?;
    let (writer, stacks) = (of.segments(&segments)?, of.stacks()?);
    let no_epoch = "nothing to save: the records of the last moments do not fit into the rings (give more keep_bytes)";
    let epoch = of.first_epoch(asked_ns).ok_or(CaptureError::State(no_epoch))?;
    (0..of.rings.cpus()).for_each(|cpu| of.rings.keep_from(cpu, epoch.starts[cpu]));
    let (mut own, mut copied) = (Vec::new(), CopiedRings::of(epoch, &of.rings));
    wait_for_programs();
    let (introduced, cgroups) =
        first_rows(epoch, &of.rings, base_ns, &mut own).map_err(|e| CaptureError::Option { why: e.to_string() })?;
    copied.introduced = introduced;
    let start_ns = epoch.start_ns;
    let mut sched_ext = of.sched_ext();
    sched_ext.write_changed(start_ns, base_ns, &mut own);
    for (_, losses) in of.losses.iter().filter(|(to_ns, _)| *to_ns >= start_ns) {
        own.extend_from_slice(losses);
    }
    copied.stacks_cleared_ns = of.stacks_cleared_ns();
    let mut meta = Meta { start_ns, ..of.meta.clone() };
    meta.unverified.extend(sched_ext.unverified().map(str::to_owned));
    if copied.stacks_cleared_ns > start_ns {
        meta.lack(EvidenceKind::MigrationStacks, "there were too many; they were cleared while the box was filled");
    }
    meta.write(&request.folder)?;
    let mut part = Part { writer, own, base_ns, watermark_ns: start_ns, stacks, cgroups, stats: Stats::default() };

    let ends_ns = asked_ns.saturating_add(request.after_ns);
    let mut ended = false;
    let end_ns = loop {
        let (heads, now) = ((0..of.rings.cpus()).map(|cpu| of.rings.head(cpu)).collect::<Vec<_>>(), now_ns());
        wait_for_programs();
        copied.copy_until(&heads, now, &of.rings, &mut part)?;
        for cpu in 0..of.rings.cpus() {
            if let Some(drops) = of.rings.take_drops(cpu) {
                let from = part.own.len();
                let lost = drops.write(cpu, now_ns(), base_ns, &mut part.own);
                of.losses.push((base_ns + drops.last, part.own[from..].to_vec()));
                of.lost += lost;
                part.stats.lost += lost;
            }
        }
        if ended || now >= ends_ns {
            break now;
        }
        // The next box may begin while this one is saved.
        of.tick().map_err(|why| CaptureError::Refused { program: "each_thread", why })?;
        let poll = if copied.fullest(&of.rings) >= 4 { POLL_FAST } else { POLL };
        ended = is_stopped(poll.min(Duration::from_nanos(ends_ns.saturating_sub(now_ns()))));
    };
    (0..of.rings.cpus()).for_each(|cpu| of.rings.overwrite(cpu));
    of.update_domains();
    of.domains.write_after(domains_ns, base_ns, &mut part.own);
    let oldest_ns = of.oldest_ns(end_ns).unwrap_or(end_ns);
    of.losses.retain(|(to_ns, _)| *to_ns >= oldest_ns);
    let stats = part.finish(&copied.counts, end_ns, begun_cpu_ns)?;
    meta.end_ns = Some(end_ns);
    meta.end_reason = Some(format!("watch: {}", request.reason));
    meta.stats = Some(stats.clone());
    meta.write(&request.folder)?;
    Ok(SavedBox {
        folder: request.folder.clone(),
        asked_ns,
        start_ns,
        end_ns,
        kept_ns: asked_ns - start_ns,
        whole: of.is_whole(start_ns, asked_ns),
        events: copied.counts.iter().sum(),
        lost: stats.lost,
        write_ns: now_ns() - end_ns,
        end_reason: meta.end_reason.unwrap_or_default(),
        stats,
    })
}

/// The folder with all but segments. Without an end in `meta.json` it is that of a recorder that was killed.
fn create_folder(folder: &Path, meta: &Meta, put_domains: impl FnOnce(&mut Machine)) -> Result<PathBuf, CaptureError> {
    let mut machine = Machine::read(Path::new("/"))
        .map_err(|e| CaptureError::Option { why: format!("the machine cannot be described: {e}") })?;
    put_domains(&mut machine);
    let segments = folder.join("segments");
    std::fs::create_dir(folder).map_err(CaptureError::file(folder))?;
    std::fs::create_dir(&segments).map_err(CaptureError::file(&segments))?;
    meta::write_file(folder, "machine.json", machine.to_json().as_bytes())?;
    meta.write(folder)?;
    Ok(segments)
}

/// Append the rows with which the box begins; returns the threads and the cgroups that they introduce.
fn first_rows(
    epoch: &Epoch,
    rings: &Rings,
    base_ns: u64,
    own: &mut Vec<u8>,
) -> Result<(HashSet<i32>, CgroupRecords), RecordError> {
    let (mut rows, mut others) = (SnapshotRows::default(), Vec::new());
    rows.add_rows(&epoch.rows, base_ns, &mut others)?;
    for cpu in 0..rings.cpus() {
        let mut at = epoch.starts[cpu];
        while at < epoch.settled[cpu] {
            let (ts_ns, record, length) = record::read(rings.record_at(cpu, at), base_ns)?;
            rows.add(cpu as u16, ts_ns, &record);
            at += length as u64;
        }
    }
    let introduced = rows.write(base_ns, own);
    own.extend_from_slice(&others);
    Ok((introduced, CgroupRecords::of(&others)?))
}

/// What has been copied of each ring, and what of it belongs to the box.
struct CopiedRings {
    start_ns: u64,
    settled: Vec<u64>,
    at: Vec<u64>,
    introduced: HashSet<i32>,
    counts: [u64; DROP_KINDS],
    stacks: Vec<i32>,
    /// Stacks of migrations before this instant are gone.
    stacks_cleared_ns: u64,
    /// Rows of threads that a fork on another CPU may have introduced.
    rows: Vec<u8>,
    pending: Vec<Vec<u8>>,
}

impl CopiedRings {
    fn of(epoch: &Epoch, rings: &Rings) -> Self {
        Self {
            start_ns: epoch.start_ns,
            settled: epoch.settled.clone(),
            at: epoch.starts.clone(),
            introduced: HashSet::new(),
            counts: [0; DROP_KINDS],
            stacks: Vec::new(),
            stacks_cleared_ns: 0,
            rows: Vec::new(),
            pending: vec![Vec::new(); rings.cpus()],
        }
    }

    /// Copy up to `heads`, which were read at `now`, in slices of time: every frame's promise holds, and each ring has space soon.
    fn copy_until(&mut self, heads: &[u64], now: u64, rings: &Rings, part: &mut Part) -> Result<(), CaptureError> {
        while part.watermark_ns < now {
            let until_ns = now.min(part.watermark_ns + SLICE_NS);
            let last = until_ns == now;
            for (cpu, &head) in heads.iter().enumerate() {
                let until_ns = if last { u64::MAX } else { until_ns };
                self.copy(cpu, head, until_ns, part.base_ns, rings)
                    .map_err(|e| CaptureError::Option { why: format!("ring of CPU {cpu}: {e}") })?;
                rings.keep_from(cpu, self.at[cpu]);
            }
            self.take_new_rows(part)?;
            part.write_stacks(&mut self.stacks);
            part.write_frames(&mut self.pending, until_ns)?;
        }
        Ok(())
    }

    fn copy(&mut self, cpu: usize, head: u64, until_ns: u64, base_ns: u64, rings: &Rings) -> Result<(), RecordError> {
        while self.at[cpu] < head {
            let bytes = rings.record_at(cpu, self.at[cpu]);
            let word = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
            let (ts_ns, kind, size) = (base_ns + (word >> 8), word as u8, record::size(bytes)?);
            if ts_ns > until_ns {
                break;
            }
            if self.is_wanted(cpu, kind, ts_ns, &bytes[..size], base_ns) {
                self.counts[usize::from(kind) % DROP_KINDS] += 1;
                self.pending[cpu].extend_from_slice(&bytes[..size]);
            }
            self.at[cpu] += size as u64;
        }
        Ok(())
    }

    fn is_wanted(&mut self, cpu: usize, kind: u8, ts_ns: u64, bytes: &[u8], base_ns: u64) -> bool {
        let settled = self.at[cpu] >= self.settled[cpu];
        match kind {
            // Of the epoch's beginning all are among the first rows; later ones are of later epochs, or new.
            ThreadHead::KIND => {
                self.rows.extend_from_slice(if settled { bytes } else { &[] });
                false
            }
            Fork::KIND => {
                if let Ok((_, Record::Fork(fork), _)) = record::read(bytes, base_ns) {
                    self.introduced.insert(fork.child_tid);
                }
                true
            }
            CpuSnapshot::KIND => !settled,
            // They carry their start.
            IrqSpan::KIND
            | Balance::KIND
            | CpuUse::KIND
            | BalanceSearch::KIND
            | NewidleEntry::KIND
            | PreferredLlc::KIND
            | ExtAccess::KIND
            | ExtSearch::KIND => ts_ns >= self.start_ns,
            Migrate::KIND if ts_ns < self.stacks_cleared_ns => {
                if let Ok((_, Record::Migrate(migrate), _)) = record::read(bytes, base_ns) {
                    let without = Migrate { stack_id: -1, ..migrate };
                    Record::Migrate(without).write(ts_ns, base_ns, &mut self.pending[cpu]);
                    self.counts[usize::from(kind)] += 1;
                }
                false
            }
            EventStack::KIND if ts_ns < self.stacks_cleared_ns => false,
            Migrate::KIND | EventStack::KIND => {
                self.stacks.push(i32::from_le_bytes(bytes[12..16].try_into().expect("4 bytes")));
                true
            }
            _ => true,
        }
    }

    /// Of the rows of the slice, give those of threads that nothing has introduced to the box.
    fn take_new_rows(&mut self, part: &mut Part) -> Result<(), CaptureError> {
        let mut rest = self.rows.as_slice();
        while !rest.is_empty() {
            let (_, record, length) =
                record::read(rest, part.base_ns).map_err(|e| CaptureError::Option { why: e.to_string() })?;
            if let Record::Thread(thread) = record
                && self.introduced.insert(thread.tid)
            {
                part.own.extend_from_slice(&rest[..length]);
            }
            rest = &rest[length..];
        }
        self.rows.clear();
        Ok(())
    }

    /// Largest share of a ring that waits to be copied, in 1/8.
    fn fullest(&self, rings: &Rings) -> u64 {
        (0..rings.cpus()).map(|cpu| (rings.head(cpu) - self.at[cpu]) * 8 / rings.size()).max().unwrap_or(0)
    }
}

/// The part folder that is written.
struct Part {
    writer: SegmentWriter,
    /// Records of user space.
    own: Vec<u8>,
    base_ns: u64,
    watermark_ns: u64,
    stacks: Option<Stacks>,
    cgroups: CgroupRecords,
    stats: Stats,
}

impl Part {
    fn write_stacks(&mut self, ids: &mut Vec<i32>) {
        let Some(stacks) = &mut self.stacks else { return ids.clear() };
        for id in ids.drain(..) {
            if Stacks::is_new(stacks.written_mut(), id) {
                stacks.write(id, now_ns(), self.base_ns, &mut self.own);
            }
        }
    }

    /// Write what is pending; everything before `watermark_ns` is then written.
    fn write_frames(&mut self, pending: &mut [Vec<u8>], watermark_ns: u64) -> Result<(), CaptureError> {
        let rings = pending.iter_mut().enumerate().map(|(cpu, pending)| (cpu as u16, pending));
        let mut frames: Vec<(u16, &[u8])> = Vec::new();
        // Rows of threads have the times of their first events: they come first.
        for (cpu, bytes) in [(NO_CPU, &self.own)].into_iter().chain(rings.map(|(cpu, bytes)| (cpu, &*bytes))) {
            frames.extend(frames_of(bytes).map(|frame| (cpu, frame)));
        }
        let last = frames.len().saturating_sub(1);
        for (i, (cpu, bytes)) in frames.into_iter().enumerate() {
            self.stats.record_bytes += bytes.len() as u64;
            let promised_ns = if i == last { watermark_ns } else { self.watermark_ns };
            self.writer.frame(cpu, promised_ns, bytes).map_err(CaptureError::io("writing a segment"))?;
        }
        self.watermark_ns = watermark_ns;
        pending.iter_mut().for_each(Vec::clear);
        self.own.clear();
        self.stats.polls += 1;
        Ok(())
    }

    /// Write the rest and the end mark; returns the figures.
    fn finish(mut self, counts: &[u64; DROP_KINDS], end_ns: u64, begun_cpu_ns: u64) -> Result<Stats, CaptureError> {
        self.cgroups.read_all();
        self.cgroups.write_changed(now_ns(), self.base_ns, &mut self.own);
        let mut ranks = RankRecords::default();
        ranks.read_all(Path::new("/proc"));
        // Events: at the end, or the box would last until they are read.
        ranks.write_new(end_ns, self.base_ns, &mut self.own);
        self.write_frames(&mut [], self.watermark_ns)?;
        let mut stats = self.stats;
        stats.stored_bytes = self.writer.finish().map_err(CaptureError::io("writing a segment"))?;
        stats.consumer_cpu_ns = clock_ns(libc::CLOCK_THREAD_CPUTIME_ID) - begun_cpu_ns;
        for (kind, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            stats.records.insert(kind_name(kind as u8).into(), count);
        }
        Ok(stats)
    }
}

/// The parts of `bytes` that fit into a frame each, cut between records.
fn frames_of(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let mut end = if rest.len() <= FRAME_LIMIT { rest.len() } else { 0 };
        while end < rest.len() {
            match record::size(&rest[end..]) {
                Ok(size) if end + size <= FRAME_LIMIT => end += size,
                _ => break,
            }
        }
        let (frame, after) = rest.split_at(end);
        rest = after;
        (!frame.is_empty()).then_some(frame)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Thread;

    #[test]
    fn rows_of_very_many_threads_are_cut_into_frames_between_records() {
        let mut bytes = Vec::new();
        for tid in 0..200_000 {
            Record::Thread(Thread { tid, ..Thread::default() }).write(1, 0, &mut bytes);
        }
        let frames: Vec<&[u8]> = frames_of(&bytes).collect();
        assert!(frames.len() == bytes.len().div_ceil(FRAME_LIMIT), "{} frames of {} bytes", frames.len(), bytes.len());
        assert_eq!(frames.concat(), bytes);
        for frame in frames {
            assert!(frame.len() <= FRAME_LIMIT);
            let (_, record, length) = record::read(frame, 0).unwrap();
            assert!(matches!(record, Record::Thread(_)) && frame.len().is_multiple_of(length));
        }
        assert_eq!(frames_of(&[]).count(), 0);
    }
}
