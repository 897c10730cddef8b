// SPDX-License-Identifier: Apache-2.0
//! The recorder that speaks to Perfetto: an instant track event of the category `wastenot_bubble` per call, named like the events of
//! LTTng, with the same fields as debug annotations. A system tracing service (traced) is asked for; where
//! `WASTENOT_BUBBLE_PERFETTO` names a file, the process records itself instead and writes the file when it ends.

use perfetto_sdk::heap_buffer::HeapBuffer;
use perfetto_sdk::pb_msg::{PbMsg, PbMsgWriter};
use perfetto_sdk::producer::{Backends, Producer, ProducerInitArgsBuilder};
use perfetto_sdk::protos::config::data_source_config::DataSourceConfig;
use perfetto_sdk::protos::config::trace_config::{TraceConfig, TraceConfigBufferConfig, TraceConfigDataSource};
use perfetto_sdk::protos::config::track_event::track_event_config::TrackEventConfig;
use perfetto_sdk::tracing_session::TracingSession;
use perfetto_sdk::track_event::{EventContext, TrackEvent, TrackEventDebugArg, TrackEventType};
use perfetto_sdk::{track_event_categories, track_event, track_event_category_enabled};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs::File;
use std::io::Write;
use std::ptr;
use std::sync::Mutex;

track_event_categories! {
    pub mod categories {
        ("wastenot_bubble", "Which threads work together, as the application says", []),
    }
}
use categories as perfetto_te_ns;

/// Buffer of a recording by the process itself (KiB): some 300,000 events; older ones are overwritten.
const BUFFER_KB: u32 = 32 * 1024;
/// Shared memory between threads and the service (KiB). With the default of 256 a burst of events fills it, and packets are
/// dropped without a word.
const SHARED_KB: u32 = 4 * 1024;

/// `struct bubble_event` of `src/event.h`.
#[repr(C)]
pub struct Event {
    kind: c_int,
    bubble: u64,
    tid: i32,
    holder: u8,
    holder_id: u64,
    value: i64,
    name: *const c_char,
    status: i32,
    dump: u8,
}

/// `struct bubble_recorder` of `src/event.h`.
#[repr(C)]
pub struct Recorder {
    listening: extern "C" fn() -> c_int,
    kinds: extern "C" fn() -> c_int,
    record: extern "C" fn(*mut c_void, *const Event),
    context: *mut c_void,
}

// SAFETY: nothing in it is ever written.
unsafe impl Sync for Recorder {}

extern "C" fn listening() -> c_int {
    track_event_category_enabled!("wastenot_bubble").into()
}

/// In the order of `enum bubble_event_kind`.
const NAMES: [&CStr; 15] = [
    c"init",
    c"attach",
    c"insert_thread",
    c"insert_bubble",
    c"remove",
    c"wake",
    c"priority",
    c"burst_level",
    c"slice",
    c"expect",
    c"move",
    c"burst",
    c"regenerate",
    c"close",
    c"destroy",
];

extern "C" fn record(_: *mut c_void, event: *const Event) {
    // SAFETY: the library calls with an event that outlives the call.
    let event = unsafe { &*event };
    let name = if event.dump != 0 { Some(&c"statedump") } else { NAMES.get(event.kind as usize) };
    let Some(name) = name else { return };
    track_event!("wastenot_bubble", TrackEventType::Instant(name.as_ptr()), |context: &mut EventContext| {
        annotate(context, event);
    });
}

fn annotate(context: &mut EventContext, event: &Event) {
    if event.dump != 0 {
        context.add_debug_arg("kind", TrackEventDebugArg::Int64(event.kind.into()));
    }
    context.add_debug_arg("bubble", TrackEventDebugArg::Uint64(event.bubble));
    context.add_debug_arg("tid", TrackEventDebugArg::Int64(event.tid.into()));
    context.add_debug_arg("holder", TrackEventDebugArg::Uint64(event.holder.into()));
    context.add_debug_arg("holder_id", TrackEventDebugArg::Uint64(event.holder_id));
    context.add_debug_arg("value", TrackEventDebugArg::Int64(event.value));
    context.add_debug_arg("status", TrackEventDebugArg::Int64(event.status.into()));
    if !event.name.is_null() {
        // SAFETY: the library's names end with a NUL and outlive the call.
        let name = unsafe { CStr::from_ptr(event.name) };
        context.add_debug_arg("name", TrackEventDebugArg::String(&name.to_string_lossy()));
    }
}

/// A recording of the process by itself.
struct Own {
    session: TracingSession,
    file: File,
}

// SAFETY: used by one thread at a time, under the lock; Perfetto's sessions are not bound to a thread.
unsafe impl Send for Own {}

static OWN: Mutex<Option<Own>> = Mutex::new(None);

extern "C" fn finish() {
    let Ok(mut own) = OWN.lock() else { return };
    let Some(Own { mut session, file }) = own.take() else { return };
    session.stop_blocking();
    let file = Mutex::new(file);
    session.read_trace_blocking(move |data, _more| {
        if let Ok(mut file) = file.lock() {
            let _ = file.write_all(data); // at the end of a process an error cannot be reported
        }
    });
}

fn configuration() -> Option<Vec<u8>> {
    let writer = PbMsgWriter::new();
    let buffer = HeapBuffer::new(writer.stream_writer());
    let mut message = PbMsg::new(&writer).ok()?;
    {
        let mut config = TraceConfig { msg: &mut message };
        config.set_buffers(|buffers: &mut TraceConfigBufferConfig| {
            buffers.set_size_kb(BUFFER_KB);
        });
        config.set_data_sources(|sources: &mut TraceConfigDataSource| {
            sources.set_config(|source: &mut DataSourceConfig| {
                source.set_name("track_event");
                source.set_track_event_config(|events: &mut TrackEventConfig| {
                    events.set_enabled_categories("wastenot_bubble");
                });
            });
        });
    }
    message.finalize();
    let mut bytes = vec![0; writer.stream_writer().get_written_size()];
    buffer.copy_into(&mut bytes);
    Some(bytes)
}

fn record_myself(path: &std::ffi::OsStr) -> Option<()> {
    let file = File::create(path).map_err(|e| eprintln!("wastenot-bubble: {}: {e}", path.display())).ok()?;
    let mut session = TracingSession::in_process().ok()?;
    session.setup(&configuration()?);
    session.start_blocking();
    *OWN.lock().ok()? = Some(Own { session, file });
    // SAFETY: registers a function that lives as long as the process.
    unsafe { libc_atexit(finish) };
    Some(())
}

unsafe extern "C" {
    #[link_name = "atexit"]
    fn libc_atexit(function: extern "C" fn()) -> c_int;
}

/// Entry point: the recorder, or null where Perfetto is not available.
#[unsafe(no_mangle)]
pub extern "C" fn wastenot_bubble_recorder() -> *const Recorder {
    static RECORDER: Recorder = Recorder { listening, kinds: listening, record, context: ptr::null_mut() };

    let file = std::env::var_os("WASTENOT_BUBBLE_PERFETTO").filter(|file| !file.is_empty());
    let backend = if file.is_some() { Backends::IN_PROCESS } else { Backends::SYSTEM };
    Producer::init(ProducerInitArgsBuilder::new().backends(backend).shmem_size_hint_kb(SHARED_KB).build());
    TrackEvent::init();
    if categories::register().is_err() {
        return ptr::null();
    }
    match file {
        Some(file) if record_myself(&file).is_none() => ptr::null(),
        _ => &RECORDER,
    }
}
