//! The functions of libbabeltrace2 that are used, found at run time: no linking, no headers.
//!
//! Signatures and numbers are those of the C API of 2.0 (babeltrace2/*.h); 2.1 keeps them (`libbabeltrace2.so.0`, MIP 0).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;

macro_rules! opaque {
    ($($name:ident)*) => { $(
        #[repr(C)]
        pub struct $name([u8; 0]);
    )* };
}

opaque! {
    Graph Plugin Value SourceClass SinkClass Source Sink SelfSink SelfSinkConfiguration SelfComponent SelfInputPort
    InputPort OutputPort Connection MessageIterator Message ClockSnapshot ClockClass Event EventClass Stream StreamClass
    Packet Trace Field FieldClass Member Error ErrorCause
}

/// `__BT_FUNC_STATUS_*`.
pub mod status {
    pub const OK: i32 = 0;
    pub const END: i32 = 1;
    pub const AGAIN: i32 = 11;
    pub const ERROR: i32 = -1;
}

/// `BT_MESSAGE_TYPE_*`.
pub mod message {
    pub const STREAM_BEGINNING: i32 = 1 << 0;
    pub const EVENT: i32 = 1 << 2;
    pub const PACKET_BEGINNING: i32 = 1 << 3;
    pub const PACKET_END: i32 = 1 << 4;
    pub const DISCARDED_EVENTS: i32 = 1 << 5;
    pub const DISCARDED_PACKETS: i32 = 1 << 6;
    pub const INACTIVITY: i32 = 1 << 7;
}

/// `BT_FIELD_CLASS_TYPE_*`: bits that a type has.
pub mod field {
    pub const UNSIGNED: u64 = 1 << 3;
    pub const SIGNED: u64 = 1 << 4;
    pub const STRING: u64 = 1 << 9;
    pub const STRUCTURE: u64 = 1 << 10;
    pub const ARRAY: u64 = 1 << 11;
}

/// `BT_VALUE_TYPE_*`: bits that a type has.
pub mod value {
    pub const SIGNED: i32 = 1 << 4;
    pub const STRING: i32 = 1 << 6;
}

/// `BT_LOGGING_LEVEL_NONE`.
pub const LOG_NONE: c_int = 0xff;

pub type InitializeMethod =
    extern "C" fn(*mut SelfSink, *mut SelfSinkConfiguration, *const Value, *mut c_void) -> c_int;
pub type SinkMethod = extern "C" fn(*mut SelfSink) -> c_int;

macro_rules! functions {
    ($($name:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// Function `bt_<name>` of the library for each field.
        pub struct Api { $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)* }

        impl Api {
            /// Find every function in a loaded library; the error is the name of one that it lacks.
            unsafe fn find(library: *mut c_void) -> Result<Self, &'static str> {
                Ok(Self { $($name: {
                    let name = concat!("bt_", stringify!($name), "\0");
                    // SAFETY: the name ends in NUL; the function has the signature of the C header.
                    let found = unsafe { libc::dlsym(library, name.as_ptr().cast()) };
                    if found.is_null() {
                        return Err(&name[..name.len() - 1]);
                    }
                    unsafe { transmute::<*mut c_void, unsafe extern "C" fn($($arg),*) $(-> $result)?>(found) }
                },)* })
            }
        }
    };
}

functions! {
    logging_set_global_level(c_int);
    current_thread_take_error() -> *const Error;
    error_release(*const Error);
    error_get_cause_count(*const Error) -> u64;
    error_borrow_cause_by_index(*const Error, u64) -> *const ErrorCause;
    error_cause_get_message(*const ErrorCause) -> *const c_char;

    value_map_create() -> *mut Value;
    value_array_create() -> *mut Value;
    value_put_ref(*const Value);
    value_map_insert_entry(*mut Value, *const c_char, *mut Value) -> c_int;
    value_map_insert_string_entry(*mut Value, *const c_char, *const c_char) -> c_int;
    value_array_append_string_element(*mut Value, *const c_char) -> c_int;
    value_get_type(*const Value) -> c_int;
    value_string_get(*const Value) -> *const c_char;
    value_integer_signed_get(*const Value) -> i64;

    plugin_find(*const c_char, c_int, c_int, c_int, c_int, c_int, *mut *const Plugin) -> c_int;
    plugin_borrow_source_component_class_by_name_const(*const Plugin, *const c_char) -> *const SourceClass;

    graph_create(u64) -> *mut Graph;
    graph_put_ref(*const Graph);
    graph_run_once(*mut Graph) -> c_int;
    graph_add_source_component(*mut Graph, *const SourceClass, *const c_char, *const Value, c_int, *mut *const Source) -> c_int;
    graph_add_sink_component_with_initialize_method_data(
        *mut Graph, *const SinkClass, *const c_char, *const Value, *mut c_void, c_int, *mut *const Sink
    ) -> c_int;
    graph_connect_ports(*mut Graph, *const OutputPort, *const InputPort, *mut *const Connection) -> c_int;

    component_class_sink_create(*const c_char, SinkMethod) -> *mut SinkClass;
    component_class_sink_set_initialize_method(*mut SinkClass, InitializeMethod) -> c_int;
    component_class_sink_set_graph_is_configured_method(*mut SinkClass, SinkMethod) -> c_int;
    component_source_get_output_port_count(*const Source) -> u64;
    component_source_borrow_output_port_by_index_const(*const Source, u64) -> *const OutputPort;
    component_sink_borrow_input_port_by_index_const(*const Sink, u64) -> *const InputPort;
    self_component_sink_add_input_port(*mut SelfSink, *const c_char, *mut c_void, *mut *mut SelfInputPort) -> c_int;
    self_component_sink_borrow_input_port_by_index(*mut SelfSink, u64) -> *mut SelfInputPort;
    self_component_set_data(*mut SelfComponent, *mut c_void);
    self_component_get_data(*const SelfComponent) -> *mut c_void;
    port_get_name(*const OutputPort) -> *const c_char;

    message_iterator_create_from_sink_component(*mut SelfSink, *mut SelfInputPort, *mut *mut MessageIterator) -> c_int;
    message_iterator_next(*mut MessageIterator, *mut *const *const Message, *mut u64) -> c_int;
    message_iterator_put_ref(*const MessageIterator);
    message_put_ref(*const Message);
    message_get_type(*const Message) -> c_int;
    message_stream_beginning_borrow_stream_const(*const Message) -> *const Stream;
    message_event_borrow_event_const(*const Message) -> *const Event;
    message_event_borrow_default_clock_snapshot_const(*const Message) -> *const ClockSnapshot;
    message_packet_beginning_borrow_packet_const(*const Message) -> *const Packet;
    message_discarded_events_borrow_stream_const(*const Message) -> *const Stream;
    message_discarded_events_borrow_beginning_default_clock_snapshot_const(*const Message) -> *const ClockSnapshot;
    message_discarded_events_borrow_end_default_clock_snapshot_const(*const Message) -> *const ClockSnapshot;
    message_discarded_events_get_count(*const Message, *mut u64) -> c_int;
    message_discarded_packets_borrow_stream_const(*const Message) -> *const Stream;
    message_discarded_packets_borrow_beginning_default_clock_snapshot_const(*const Message) -> *const ClockSnapshot;
    message_discarded_packets_borrow_end_default_clock_snapshot_const(*const Message) -> *const ClockSnapshot;
    message_message_iterator_inactivity_borrow_clock_snapshot_const(*const Message) -> *const ClockSnapshot;
    clock_snapshot_get_value(*const ClockSnapshot) -> u64;

    event_borrow_class_const(*const Event) -> *const EventClass;
    event_borrow_stream_const(*const Event) -> *const Stream;
    event_borrow_payload_field_const(*const Event) -> *const Field;
    event_borrow_common_context_field_const(*const Event) -> *const Field;
    event_borrow_specific_context_field_const(*const Event) -> *const Field;
    packet_borrow_context_field_const(*const Packet) -> *const Field;
    packet_borrow_stream_const(*const Packet) -> *const Stream;

    stream_get_ref(*const Stream);
    stream_borrow_class_const(*const Stream) -> *const StreamClass;
    stream_borrow_trace_const(*const Stream) -> *const Trace;
    trace_borrow_environment_entry_value_by_name_const(*const Trace, *const c_char) -> *const Value;
    stream_class_get_id(*const StreamClass) -> u64;
    stream_class_get_event_class_count(*const StreamClass) -> u64;
    stream_class_borrow_event_class_by_index_const(*const StreamClass, u64) -> *const EventClass;
    stream_class_borrow_default_clock_class_const(*const StreamClass) -> *const ClockClass;
    stream_class_borrow_event_common_context_field_class_const(*const StreamClass) -> *const FieldClass;
    stream_class_borrow_packet_context_field_class_const(*const StreamClass) -> *const FieldClass;
    stream_class_discarded_events_have_default_clock_snapshots(*const StreamClass) -> c_int;
    stream_class_discarded_packets_have_default_clock_snapshots(*const StreamClass) -> c_int;
    event_class_get_name(*const EventClass) -> *const c_char;
    event_class_borrow_payload_field_class_const(*const EventClass) -> *const FieldClass;
    event_class_borrow_specific_context_field_class_const(*const EventClass) -> *const FieldClass;
    clock_class_get_frequency(*const ClockClass) -> u64;
    clock_class_get_offset(*const ClockClass, *mut i64, *mut u64);
    clock_class_origin_is_unix_epoch(*const ClockClass) -> c_int;
    clock_class_get_name(*const ClockClass) -> *const c_char;
    clock_class_get_uuid(*const ClockClass) -> *const u8;

    field_class_get_type(*const FieldClass) -> u64;
    field_class_structure_get_member_count(*const FieldClass) -> u64;
    field_class_structure_borrow_member_by_index_const(*const FieldClass, u64) -> *const Member;
    field_class_structure_member_get_name(*const Member) -> *const c_char;
    field_class_structure_member_borrow_field_class_const(*const Member) -> *const FieldClass;
    field_class_array_borrow_element_field_class_const(*const FieldClass) -> *const FieldClass;
    field_structure_borrow_member_field_by_index_const(*const Field, u64) -> *const Field;
    field_integer_signed_get_value(*const Field) -> i64;
    field_integer_unsigned_get_value(*const Field) -> u64;
    field_string_get_value(*const Field) -> *const c_char;
    field_string_get_length(*const Field) -> u64;
    field_array_get_length(*const Field) -> u64;
    field_array_borrow_element_field_by_index_const(*const Field, u64) -> *const Field;
}

impl Api {
    /// Load the library; the error says what is wrong with it.
    pub fn load() -> Result<Self, String> {
        // SAFETY: the name is a C string. The library is never unloaded.
        let library = unsafe { libc::dlopen(c"libbabeltrace2.so.0".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return Err("it is not installed".into());
        }
        // SAFETY: `library` is a handle of dlopen.
        unsafe { Self::find(library) }.map_err(|name| format!("it has no function {name}"))
    }
}

/// The text behind a pointer of the library; None for NULL.
///
/// # Safety
/// `text` is NULL or a C string that lives and stays as it is while the result is used.
pub unsafe fn text<'a>(text: *const c_char) -> Option<&'a CStr> {
    // SAFETY: as the caller promises.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}
