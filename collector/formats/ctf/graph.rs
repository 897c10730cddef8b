//! A graph of libbabeltrace2: source components and our sink, which is set to the stream to read next.
//!
//! The library's own muxer is not used: it examines every stream for every message, and ends the whole trace when one stream is
//! damaged. Here every output port has an iterator of its own, and the reader merges.

use crate::ffi::{self, Api, status};
use std::ffi::{CStr, CString, c_int, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

/// The loaded library with its component classes.
pub struct Library {
    pub api: Api,
    fs: *const ffi::SourceClass,
    live: *const ffi::SourceClass,
    sink: *const ffi::SinkClass,
}

// SAFETY: functions and component classes are the same for the whole life of the process. Only children, which have one thread
// each, change their reference counts.
unsafe impl Send for Library {}
unsafe impl Sync for Library {}

/// What a graph reads.
#[derive(Clone, Debug)]
pub enum Input {
    /// Folders of one trace: one, or the parts into which a session was rotated.
    Folders(Vec<PathBuf>),
    /// The address of a session of lttng-relayd.
    Live(String),
}

/// The library, loaded once; the error says what is wrong.
pub fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(Library::load).as_ref().map_err(Clone::clone)
}

impl Library {
    fn load() -> Result<Self, String> {
        let api = Api::load()?;
        // SAFETY: every pointer comes from the library and every text ends in NUL.
        unsafe {
            (api.logging_set_global_level)(ffi::LOG_NONE);
            let mut plugin = null();
            // From BABELTRACE_PLUGIN_PATH and the system's folder; the plugin stays loaded.
            let found = (api.plugin_find)(c"ctf".as_ptr(), 1, 0, 1, 1, 0, &mut plugin);
            if found != status::OK {
                take_error(&api);
                return Err("its plugin ctf is missing".into());
            }
            let class = |name: &CStr| (api.plugin_borrow_source_component_class_by_name_const)(plugin, name.as_ptr());
            let (fs, live) = (class(c"fs"), class(c"lttng-live"));
            let sink = (api.component_class_sink_create)(c"wastenot".as_ptr(), consume);
            if fs.is_null() || sink.is_null() {
                return Err("its plugin ctf is of no use".into());
            }
            (api.component_class_sink_set_initialize_method)(sink, initialize);
            (api.component_class_sink_set_graph_is_configured_method)(sink, configured);
            Ok(Self { api, fs, live, sink })
        }
    }
}

/// The sink's part of a graph; the library's callbacks find it through the component's data.
struct State {
    api: &'static Api,
    /// Numbers of the ports that are read.
    ports: Vec<usize>,
    iterators: Vec<*mut ffi::MessageIterator>,
    /// Why a port has no iterator.
    refused: Vec<Option<String>>,
    /// Called before an iterator is created, since that may end the process.
    starting: Box<dyn Fn(usize)>,
    /// Port to read next, and what came of it.
    wanted: usize,
    outcome: c_int,
    messages: *const *const ffi::Message,
    count: u64,
}

/// A configured graph with one stream of messages per output port.
pub struct Graph {
    library: &'static Library,
    graph: *mut ffi::Graph,
    state: Box<State>,
    /// Number of each port that is read, among all ports, and what the library calls it.
    ports: Vec<(usize, String)>,
}

/// The messages of one read; each is the caller's to put back.
pub struct Batch {
    pub messages: *const *const ffi::Message,
    pub count: usize,
}

/// Result of a read.
pub enum ReadResult {
    Batch(Batch),
    Again,
    End,
    /// The stream is damaged here, and cannot be read on.
    Damaged(String),
}

impl Graph {
    /// Over these inputs; `wanted` says by number which of their ports are read. `starting` is called with the number of each port before
    /// it is opened.
    pub fn new(
        library: &'static Library,
        inputs: &[Input],
        wanted: impl Fn(usize) -> bool,
        starting: impl Fn(usize) + 'static,
    ) -> Result<Self, String> {
        let api = &library.api;
        // SAFETY: every pointer comes from the library, every reference we own is put back exactly once; `state` lives in a box
        // that the graph does not outlive.
        unsafe {
            let graph = (api.graph_create)(0);
            if graph.is_null() {
                return Err(failure(api));
            }
            let state = State {
                api,
                ports: Vec::new(),
                iterators: Vec::new(),
                refused: Vec::new(),
                starting: Box::new(starting),
                wanted: 0,
                outcome: status::OK,
                messages: null(),
                count: 0,
            };
            let mut new = Self { library, graph, state: Box::new(state), ports: Vec::new() };
            let mut ports = Vec::new();
            for (n, input) in inputs.iter().enumerate() {
                let source = new.add_source(n, input)?;
                for port in 0..(api.component_source_get_output_port_count)(source) {
                    ports.push((api.component_source_borrow_output_port_by_index_const)(source, port));
                }
            }
            let ports: Vec<_> = ports.into_iter().enumerate().filter(|(n, _)| wanted(*n)).collect();
            new.ports = ports.iter().map(|&(n, port)| (n, new.name_of(port))).collect();
            if ports.is_empty() {
                return Ok(new);
            }
            new.state.ports = ports.iter().map(|(n, _)| *n).collect();
            let mut sink = null();
            let data: *mut State = &mut *new.state;
            let added = (api.graph_add_sink_component_with_initialize_method_data)(
                graph,
                library.sink,
                c"wastenot".as_ptr(),
                null(),
                data.cast(),
                ffi::LOG_NONE,
                &mut sink,
            );
            if added != status::OK {
                return Err(failure(api));
            }
            for (at, (_, output)) in ports.iter().enumerate() {
                let input = (api.component_sink_borrow_input_port_by_index_const)(sink, at as u64);
                if (api.graph_connect_ports)(graph, *output, input, null_mut()) != status::OK {
                    return Err(failure(api));
                }
            }
            // The first run configures the graph, and reads from nowhere.
            new.state.wanted = usize::MAX;
            if (api.graph_run_once)(graph) != status::OK {
                return Err(failure(api));
            }
            take_error(api);
            Ok(new)
        }
    }

    unsafe fn add_source(&self, n: usize, input: &Input) -> Result<*const ffi::Source, String> {
        let api = &self.library.api;
        // SAFETY: as in `new`.
        unsafe {
            let params = (api.value_map_create)();
            let list = (api.value_array_create)();
            let mut texts = Vec::new();
            let class = match input {
                Input::Folders(folders) => {
                    use std::os::unix::ffi::OsStrExt;
                    texts.extend(folders.iter().map(|folder| CString::new(folder.as_os_str().as_bytes())));
                    self.library.fs
                }
                Input::Live(url) => {
                    texts.push(CString::new(url.as_str()));
                    (api.value_map_insert_string_entry)(params, c"session-not-found-action".as_ptr(), c"fail".as_ptr());
                    self.library.live
                }
            };
            for text in texts.into_iter().flatten() {
                (api.value_array_append_string_element)(list, text.as_ptr());
            }
            (api.value_map_insert_entry)(params, c"inputs".as_ptr(), list);
            (api.value_put_ref)(list);
            let mut source = null();
            let name = CString::new(format!("source{n}")).expect("no NUL");
            let status = match class.is_null() {
                true => status::ERROR,
                false => (api.graph_add_source_component)(
                    self.graph,
                    class,
                    name.as_ptr(),
                    params,
                    ffi::LOG_NONE,
                    &mut source,
                ),
            };
            (api.value_put_ref)(params);
            if status == status::OK { Ok(source) } else { Err(failure(api)) }
        }
    }

    unsafe fn name_of(&self, port: *const ffi::OutputPort) -> String {
        // SAFETY: `port` is one of the graph's.
        let name = unsafe { ffi::text((self.library.api.port_get_name)(port)) };
        name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Ports that are read, in the order of the sources.
    pub fn ports(&self) -> usize {
        self.ports.len()
    }

    /// Number of the port among all of the inputs.
    pub fn number(&self, port: usize) -> usize {
        self.ports[port].0
    }

    /// What the library calls the port: trace, stream class, file.
    pub fn name(&self, port: usize) -> &str {
        &self.ports[port].1
    }

    /// The next messages of a port. Those of its last read must have been put back.
    pub fn read(&mut self, port: usize) -> ReadResult {
        let api = &self.library.api;
        if let Some(why) = self.state.refused.get_mut(port).and_then(Option::take) {
            return ReadResult::Damaged(why);
        }
        if self.state.iterators.get(port).is_none_or(|iterator| iterator.is_null()) {
            return ReadResult::End;
        }
        self.state.wanted = port;
        self.state.outcome = status::END;
        // SAFETY: the graph is whole.
        let ran = unsafe { (api.graph_run_once)(self.graph) };
        // An error may be left although messages came: the iterator met it behind them. It must not stay, because the library
        // ends the process when it is called with one.
        let left = take_error(api);
        let outcome = if ran == status::OK { self.state.outcome } else { ran };
        match outcome {
            status::OK => ReadResult::Batch(Batch { messages: self.state.messages, count: self.state.count as usize }),
            status::AGAIN => ReadResult::Again,
            status::END => ReadResult::End,
            other => ReadResult::Damaged(left.unwrap_or_else(|| format!("libbabeltrace2 reports error {other}"))),
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        let api = &self.library.api;
        // SAFETY: the iterators and the graph are ours and put back once.
        unsafe {
            for iterator in self.state.iterators.drain(..).filter(|iterator| !iterator.is_null()) {
                (api.message_iterator_put_ref)(iterator);
            }
            (api.graph_put_ref)(self.graph);
        }
        take_error(api);
    }
}

/// The state behind a component of ours.
unsafe fn state<'a>(component: *mut ffi::SelfSink) -> Option<&'a mut State> {
    let api = &library().ok()?.api;
    // SAFETY: `initialize` has set the data to a `State` that outlives the component. A sink's pointer is its component's.
    unsafe { (api.self_component_get_data)(component.cast_const().cast()).cast::<State>().as_mut() }
}

extern "C" fn initialize(
    component: *mut ffi::SelfSink,
    _: *mut ffi::SelfSinkConfiguration,
    _: *const ffi::Value,
    data: *mut c_void,
) -> c_int {
    // SAFETY: `data` is the `State` that `Graph::new` gave.
    unsafe {
        let state = &*data.cast::<State>();
        (state.api.self_component_set_data)(component.cast(), data);
        for port in 0..state.ports.len() {
            let name = CString::new(format!("in{port}")).expect("no NUL");
            let added =
                (state.api.self_component_sink_add_input_port)(component, name.as_ptr(), null_mut(), null_mut());
            if added != status::OK {
                return added;
            }
        }
    }
    status::OK
}

extern "C" fn configured(component: *mut ffi::SelfSink) -> c_int {
    // SAFETY: called by the library with a component of ours.
    unsafe {
        let Some(state) = state(component) else { return status::ERROR };
        for (port, &number) in state.ports.iter().enumerate() {
            (state.starting)(number);
            let mut iterator = null_mut();
            let input = (state.api.self_component_sink_borrow_input_port_by_index)(component, port as u64);
            let made = (state.api.message_iterator_create_from_sink_component)(component, input, &mut iterator);
            let why = take_error(state.api);
            state.refused.push((made != status::OK).then(|| why.unwrap_or_else(|| "it cannot be opened".into())));
            state.iterators.push(if made == status::OK { iterator } else { null_mut() });
        }
    }
    status::OK
}

extern "C" fn consume(component: *mut ffi::SelfSink) -> c_int {
    // SAFETY: called by the library with a component of ours.
    unsafe {
        let Some(state) = state(component) else { return status::ERROR };
        if let Some(&iterator) = state.iterators.get(state.wanted) {
            state.outcome = (state.api.message_iterator_next)(iterator, &mut state.messages, &mut state.count);
        }
    }
    status::OK
}

fn failure(api: &Api) -> String {
    take_error(api).unwrap_or_else(|| "libbabeltrace2 refuses it".into())
}

/// The error of this thread in one line: its first cause, without the library's memory addresses. None: there is none.
pub fn take_error(api: &Api) -> Option<String> {
    // SAFETY: the error is ours once taken, its causes live as long as it does.
    unsafe {
        let error = (api.current_thread_take_error)();
        if error.is_null() {
            return None;
        }
        let causes = (0..(api.error_get_cause_count)(error)).filter_map(|n| {
            let message = (api.error_cause_get_message)((api.error_borrow_cause_by_index)(error, n));
            ffi::text(message).map(|message| one_line(&message.to_string_lossy()))
        });
        let causes: Vec<String> = causes.collect();
        (api.error_release)(error);
        // The first cause is the innermost; one that names the file is more helpful.
        let named = causes.iter().find(|cause| cause.contains('/') || cause.contains("metadata"));
        named.or(causes.first()).cloned()
    }
}

/// Without line breaks, and without `name-addr=0x...` and what else only the library's authors can use.
fn one_line(message: &str) -> String {
    let words = message.split_whitespace().filter(|word| !word.contains("addr=") && !word.contains("handle-"));
    let line = words.collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches([',', '.', ':']);
    line.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_cause_becomes_one_line_without_addresses() {
        let cause = "Cannot handle state:\n  msg-it-addr=0x55ae187c7db0, state=PACKET, x=1.";
        assert_eq!(one_line(cause), "Cannot handle state: state=PACKET, x=1");
    }
}
