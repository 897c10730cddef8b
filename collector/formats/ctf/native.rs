//! Decodes traces on disk in this process: those whose metadata are fully known. Its records are those that the child
//! with libbabeltrace2 sends, in the same order.
//!
//! Nothing here may panic, wait or take memory without bound, whatever the bytes say: places are checked, the window
//! into a file is bounded, and a stream with damage ends.

#[cfg(test)]
mod comparison;
mod ctf2;
#[cfg(test)]
mod generated;
mod model;
mod program;
mod stream;
mod trace;
mod tsdl;

use crate::decode::{MESSAGES, PORTION};
use crate::folder::PreparedFolder;
use crate::packets;
use crate::wire::{Record, Writer};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use stream::{Broken, Stream, StreamFile};
use trace::Trace;

/// The streams of some traces, merged by time.
pub struct Decoder {
    traces: Vec<Trace>,
    /// The traces that were described to the reader.
    known: Vec<bool>,
    /// Channels by trace and stream class.
    channels: HashMap<(usize, usize), u16>,
    streams: Vec<Stream>,
    /// Time and place of each stream that has something to come; None: they have not been looked into.
    heap: Option<BinaryHeap<Reverse<(i64, usize)>>>,
    next_class: u16,
    now_ns: i64,
    packets: u64,
    ignored: u64,
    /// Files whose first packet cannot be read.
    damaged: Vec<String>,
    ended: bool,
}

impl Decoder {
    /// Decode the traces in these folders, several of one trace together. The error says why libbabeltrace2 has to.
    pub fn open(traces: &[Vec<PreparedFolder>]) -> Result<Self, String> {
        let mut new = Self {
            traces: Vec::new(),
            known: Vec::new(),
            channels: HashMap::new(),
            streams: Vec::new(),
            heap: None,
            next_class: 0,
            now_ns: i64::MIN,
            packets: 0,
            ignored: 0,
            damaged: Vec::new(),
            ended: false,
        };
        for folders in traces {
            new.add(folders)?;
        }
        let streams = new.streams.len();
        new.streams.iter_mut().enumerate().for_each(|(n, stream)| stream.share(n, streams));
        new.known = vec![false; new.traces.len()];
        Ok(new)
    }

    fn add(&mut self, folders: &[PreparedFolder]) -> Result<(), String> {
        let mut parsed = Vec::new();
        for folder in folders {
            let classes = match folder.folder.metadata() {
                text if text.starts_with('\x1e') => ctf2::parse(text),
                text => tsdl::parse(text),
            };
            parsed.push(classes.map_err(|why| format!("metadata: {why}"))?);
        }
        // Metadata grow while a session runs: the folder with the most classes says how all are read, and its streams
        // come first.
        let largest = (0..parsed.len()).rev().max_by_key(|&n| parsed[n].size()).ok_or("no folder")?;
        let trace = Trace::new(parsed.swap_remove(largest)).map_err(|why| format!("metadata: {why}"))?;
        trace.check().map_err(|why| format!("metadata: {why}"))?;
        let number = self.traces.len();
        let mut groups: Vec<(usize, Option<i64>, Vec<StreamFile>)> = Vec::new();
        let others = (0..folders.len()).filter(|&n| n != largest);
        for folder in std::iter::once(largest).chain(others).map(|n| &folders[n]) {
            for file in &folder.files {
                let file = match StreamFile::open(file, &trace) {
                    Ok(file) => file,
                    Err(why) => {
                        // As of files of which the layout is known: what has another name is of another program.
                        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                        if packets::is_stream_name(&name) {
                            self.damaged.push(format!("{}: {why}", file.path.display()));
                        }
                        continue;
                    }
                };
                let Some(head) = file.head() else { continue };
                let same = |group: &&mut (usize, Option<i64>, _)| {
                    head.stream.is_some() && (group.0, group.1) == (head.class, head.stream)
                };
                let key = (head.class, head.stream);
                match groups.iter_mut().find(same) {
                    Some((_, _, files)) => files.push(file),
                    None => groups.push((key.0, key.1, vec![file])),
                }
            }
        }
        self.traces.push(trace);
        // In the order of libbabeltrace2: by the path of the stream's earliest file.
        for (_, _, files) in &mut groups {
            files.sort_by_key(|file| file.head().map(|head| head.begin));
        }
        groups.sort_by(|(_, _, one), (_, _, other)| one[0].path.as_os_str().cmp(other[0].path.as_os_str()));
        let streams = groups.into_iter().map(|(class, _, files)| Stream::new(number, class, files));
        self.streams.extend(streams);
        Ok(())
    }

    /// Write the next portion of records. False: that was the last.
    pub fn decode(&mut self, writer: &mut Writer) -> bool {
        if self.ended {
            return false;
        }
        let Some(mut heap) = self.heap.take() else {
            self.heap = Some(self.start(writer));
            return true;
        };
        let mut messages = 0;
        while let Some(Reverse((mut ts_ns, at))) = heap.pop() {
            let next_ns = loop {
                self.now_ns = self.now_ns.max(ts_ns);
                let stream = &mut self.streams[at];
                match stream.take(&self.traces[stream.trace], writer) {
                    Ok(ignored) => self.ignored += u64::from(ignored),
                    Err(broken) => {
                        self.damage(at, broken, writer);
                        break None;
                    }
                }
                messages += 1;
                let Some(next_ns) = self.advance(at, writer) else { break None };
                let other = heap.peek().is_some_and(|Reverse(other)| *other < (next_ns, at));
                if other || writer.bytes.len() >= PORTION || messages >= MESSAGES {
                    break Some(next_ns);
                }
                ts_ns = next_ns;
            };
            heap.extend(next_ns.map(|next_ns| Reverse((next_ns, at))));
            if writer.bytes.len() >= PORTION || messages >= MESSAGES {
                self.write_time(writer);
                self.heap = Some(heap);
                return true;
            }
        }
        self.write_time(writer);
        writer.write(&Record::End);
        self.ended = true;
        false
    }

    /// Look into every stream.
    fn start(&mut self, writer: &mut Writer) -> BinaryHeap<Reverse<(i64, usize)>> {
        for why in std::mem::take(&mut self.damaged) {
            writer.write(&Record::Damaged { port: u32::MAX - 1, why });
        }
        let mut heap = BinaryHeap::new();
        for at in 0..self.streams.len() {
            if let Err(why) = self.enter(at, writer) {
                self.damage(at, why.into(), writer);
                continue;
            }
            heap.extend(self.advance(at, writer).map(|ts_ns| Reverse((ts_ns, at))));
        }
        writer.write(&Record::Ready);
        heap
    }

    /// Write the stream's trace and its classes, unless they are known.
    fn enter(&mut self, at: usize, writer: &mut Writer) -> Result<(), String> {
        let stream = &mut self.streams[at];
        let trace = &mut self.traces[stream.trace];
        if !std::mem::replace(&mut self.known[stream.trace], true) {
            writer.write(&Record::Trace(trace.about.clone()));
        }
        let key = (stream.trace, stream.class);
        let channel = self.channels.get(&key).copied();
        stream.channel = match channel {
            Some(channel) => channel,
            None => {
                let channel = self.channels.len() as u16;
                self.channels.insert(key, channel);
                let name = format!("{}/{}", stream.trace, trace.streams[stream.class].id);
                trace.enter(stream.class, (channel, &name), &mut self.next_class, writer)?;
                channel
            }
        };
        Ok(())
    }

    #[inline]
    fn advance(&mut self, at: usize, writer: &mut Writer) -> Option<i64> {
        let stream = &mut self.streams[at];
        match stream.advance(&self.traces[stream.trace], &mut self.packets, writer) {
            Ok(next_ns) => next_ns,
            Err(broken) => {
                self.damage(at, broken, writer);
                None
            }
        }
    }

    fn damage(&self, at: usize, Broken(why): Broken, writer: &mut Writer) {
        let Some(why) = why else { return };
        let stream = &self.streams[at];
        let why = format!("{}: {why}; what follows is lost", stream.name());
        writer.write(&Record::Damaged { port: stream.number, why });
    }

    fn write_time(&mut self, writer: &mut Writer) {
        let ignored = std::mem::take(&mut self.ignored);
        writer.write(&Record::Time { ts_ns: self.now_ns, ignored });
        writer.write(&Record::Packets(self.packets));
    }
}
