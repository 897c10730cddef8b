//! The version of a part folder.

/// Version of the folder's layout: of `meta.json` and of what it does not say itself, the records (`record::LAYOUT`).
///
/// Formats 1 and 2 have lists in the place of `kinds`, format 1 not all of them. The records of format 1 grew without a new number: schedstat readings (kind 27), kicks (28), and
/// the previous CPU and the flags of a placement (24), which no program wrote before. Records of all versions of format 1
/// read the same, so its folders are read. Format 4 has `nr_running` in switch records (bits that were 0) in the place of `nr_running` records, and in `meta.json`
/// `queued_wakings_only`. Format 5 has what a kick is for, and in bits that were 0 when a CPU's next attempts are due.
pub const FORMAT: u32 = 5;
