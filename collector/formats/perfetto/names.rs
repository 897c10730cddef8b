//! Processes and threads as the process scanner reports them, from time to time.

use crate::cpu::SharedReader;
use crate::fields::{packet, tree};
use crate::packets::PacketPlace;
use crate::wire::{Message, Value};
use std::rc::Rc;
use wastenot_assemble::{Error, Interner, Progress, Row, Source};

/// Packets read at once.
const PORTION: usize = 64;

/// The source of names.
pub struct Names {
    /// Packets with their times.
    packets: std::vec::IntoIter<(i64, PacketPlace)>,
    common: Rc<SharedReader>,
    last_ns: i64,
    buffer: Vec<u8>,
}

impl Names {
    /// The packets with process trees and their times.
    pub fn new(packets: Vec<(i64, PacketPlace)>, common: Rc<SharedReader>) -> Self {
        Self { packets: packets.into_iter(), common, last_ns: i64::MIN, buffer: Vec::new() }
    }

    fn tree(&self, bytes: &[u8], ids: &mut Interner, rows: &mut Vec<Row>) {
        let mut translator = self.common.translator.borrow_mut();
        for (field, value) in Message::new(bytes).flatten() {
            let (mut tid, mut tgid, mut name, mut is_comm) = (None, None, None, false);
            for (inner, value) in Message::new(value.bytes()).flatten() {
                let number = i32::try_from(value.number()).ok();
                match (field, inner, value) {
                    (tree::PROCESSES, tree::PROCESS_PID, _) => (tid, tgid) = (number, number),
                    (tree::PROCESSES, tree::PROCESS_CMDLINE, Value::Bytes(text)) => name = name.or(Some(text)),
                    (tree::PROCESSES, tree::PROCESS_CMDLINE_IS_COMM, _) => is_comm = value.number() != 0,
                    (tree::THREADS, tree::THREAD_TID, _) => tid = number,
                    (tree::THREADS, tree::THREAD_TGID, _) => tgid = number,
                    (tree::THREADS, tree::THREAD_NAME, Value::Bytes(text)) => name = Some(text),
                    _ => {}
                }
            }
            // A command line is not the name that the scheduler's events have.
            let name = name.filter(|_| field == tree::THREADS || is_comm);
            if let Some(tid) = tid {
                translator.thread(self.last_ns, tid, tgid, name, ids, rows);
            }
        }
    }
}

impl Source for Names {
    fn name(&self) -> String {
        "process trees".into()
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let mut buffer = std::mem::take(&mut self.buffer);
        for _ in 0..PORTION {
            let Some((ts_ns, place)) = self.packets.next() else { return Ok(Progress::End) };
            self.last_ns = self.last_ns.max(ts_ns);
            let read = self.common.packets.borrow_mut().read(place, &mut buffer);
            read.map_err(|why| Error::Source { source: self.name(), why })?;
            for (field, value) in Message::new(&buffer).flatten() {
                if field == packet::PROCESS_TREE {
                    self.tree(value.bytes(), ids, rows);
                }
            }
        }
        self.buffer = buffer;
        Ok(Progress::Settled(self.last_ns))
    }
}
