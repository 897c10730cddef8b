//! Packets into the file.

use super::ExportError;
use crate::columns;
use crate::fields::{packet, trace};
use crate::original::VERSION;
use crate::wire::{put_bytes, put_number, put_text, put_varint};
use arrow_array::RecordBatch;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The sequence of all packets; there is one writer.
const SEQUENCE: u64 = 1;
/// `SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED`.
const STATE_CLEARED: u64 = 1;
/// Written at once.
const BUFFER: usize = 1 << 18;
/// Rows of a packet.
const PACKET_ROWS: usize = 1 << 14;

/// The file under construction.
pub struct Target {
    file: BufWriter<File>,
    path: PathBuf,
    packet: Vec<u8>,
    head: Vec<u8>,
    packets: u64,
    bytes: u64,
}

impl Target {
    /// Make the file at `path` and begin it: our header is in the first packet.
    pub fn create(path: &Path) -> Result<Self, ExportError> {
        let file = File::create(path).map_err(|cause| ExportError::Io { path: path.into(), cause })?;
        let (packet, head) = Default::default();
        let file = BufWriter::with_capacity(BUFFER, file);
        let mut target = Self { file, path: path.into(), packet, head, packets: 0, bytes: 0 };
        target.packet(|out| {
            let mut header = Vec::new();
            put_number(&mut header, 1, VERSION);
            put_text(&mut header, 2, concat!("wastenot ", env!("CARGO_PKG_VERSION")));
            put_bytes(out, packet::HEADER, &header);
            put_number(out, packet::SEQUENCE_FLAGS, STATE_CLEARED);
        })?;
        Ok(target)
    }

    /// Write a packet whose fields `fill` appends.
    pub fn packet(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<(), ExportError> {
        self.packet.clear();
        fill(&mut self.packet);
        put_number(&mut self.packet, packet::TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE);
        self.head.clear();
        put_varint(&mut self.head, u64::from(trace::PACKET) << 3 | 2);
        put_varint(&mut self.head, self.packet.len() as u64);
        self.packets += 1;
        self.bytes += (self.head.len() + self.packet.len()) as u64;
        let written = self.file.write_all(&self.head).and_then(|()| self.file.write_all(&self.packet));
        written.map_err(|cause| ExportError::Io { path: self.path.clone(), cause })
    }

    /// Write a packet at a time.
    pub fn packet_at(&mut self, ts_ns: i64, field: u32, message: &[u8]) -> Result<(), ExportError> {
        self.packet(|out| {
            put_number(out, packet::TIMESTAMP, ts_ns as u64);
            put_bytes(out, field, message);
        })
    }

    /// Write rows of a table in our own form.
    pub fn rows(&mut self, table: &str, batch: &RecordBatch) -> Result<(), ExportError> {
        let mut message = Vec::new();
        for from in (0..batch.num_rows()).step_by(PACKET_ROWS) {
            let part = batch.slice(from, PACKET_ROWS.min(batch.num_rows() - from));
            message.clear();
            columns::write(table, &part, &mut message)?;
            self.packet(|out| put_bytes(out, packet::ROWS, &message))?;
        }
        Ok(())
    }

    /// All events with ids below `id` have been written.
    pub fn settled(&mut self, id: i64) -> Result<(), ExportError> {
        self.packet(|out| put_number(out, packet::SETTLED, id as u64))
    }

    /// Packets and bytes, when all has reached the file.
    pub fn finish(&mut self) -> Result<(u64, u64), ExportError> {
        self.file.flush().map_err(|cause| ExportError::Io { path: self.path.clone(), cause })?;
        Ok((self.packets, self.bytes))
    }
}
