//! What runs in the child: libotf2 reads the archive, and what it reports is sent on.

use crate::ffi::{Api, Attributes, CPU_THREAD, SUCCESS};
use crate::wire::Message;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// What the callbacks write to.
struct State {
    out: BufWriter<File>,
    /// Writing failed: the parent has ended.
    failed: bool,
    strings: HashMap<u32, String>,
    groups: Vec<(u32, u32)>,
    locations: Vec<(u64, u32, u8, u32)>,
    regions: Vec<(u32, u32, u8, u8)>,
    threads: Vec<u64>,
}

impl State {
    fn send(&mut self, message: &Message) {
        self.failed |= message.write(&mut self.out).is_err();
    }

    fn name(&self, id: u32) -> String {
        self.strings.get(&id).cloned().unwrap_or_default()
    }

    fn send_definitions(&mut self) {
        for (id, name) in std::mem::take(&mut self.groups) {
            let name = self.name(name);
            self.send(&Message::Group { id, name });
        }
        for (id, name, of_type, group) in std::mem::take(&mut self.locations) {
            let (name, is_thread) = (self.name(name), of_type == CPU_THREAD);
            if is_thread {
                self.threads.push(id);
            }
            self.send(&Message::Location { id, group, is_thread, name });
        }
        for (id, name, role, paradigm) in std::mem::take(&mut self.regions) {
            let name = self.name(name);
            self.send(&Message::Region { id, role, paradigm, name });
        }
        self.send(&Message::Defined);
    }
}

/// Read the archive of this anchor file and send what is in it.
pub fn read(api: &Api, anchor: &CString, out: File) -> io::Result<()> {
    let mut state = State {
        out: BufWriter::with_capacity(1 << 16, out),
        failed: false,
        strings: HashMap::new(),
        groups: Vec::new(),
        locations: Vec::new(),
        regions: Vec::new(),
        threads: Vec::new(),
    };
    // The library reads on where a file is cut, into what its buffer had before: of another archive, where this process has read
    // one. Memory is zeros for it, as in a process of its own (glibc fills it with the value's complement).
    #[cfg(target_env = "gnu")]
    // SAFETY: no memory that is in use is changed.
    unsafe {
        libc::mallopt(libc::M_PERTURB, 0xff);
    }
    // SAFETY: the pointers that are passed on come from the library and are not used after it is closed; the state outlives
    // all calls.
    let error = unsafe { read_all(api, anchor, &mut state) }.err();
    state.send(&Message::End { error });
    state.out.flush()
}

unsafe fn read_all(api: &Api, anchor: &CString, state: &mut State) -> Result<(), String> {
    let user = std::ptr::from_mut(state).cast::<c_void>();
    let checked = |code: c_int, what: &str| match code {
        SUCCESS => Ok(()),
        code => Err(format!("{what}: {}", api.describe(code))),
    };
    // SAFETY: as the caller promises; every pointer is checked where the library may return NULL.
    unsafe {
        let reader = (api.Reader_Open)(anchor.as_ptr());
        if reader.is_null() {
            return Err("the anchor file cannot be read, or what belongs to it is not beside it".into());
        }
        checked((api.Reader_SetSerialCollectiveCallbacks)(reader), "setting up")?;
        let definitions = (api.Reader_GetGlobalDefReader)(reader);
        if definitions.is_null() {
            return Err("it has no global definitions (its .def file)".into());
        }
        let on = (api.GlobalDefReaderCallbacks_New)();
        (api.GlobalDefReaderCallbacks_SetClockPropertiesCallback)(on, on_clock);
        (api.GlobalDefReaderCallbacks_SetStringCallback)(on, on_string);
        (api.GlobalDefReaderCallbacks_SetLocationGroupCallback)(on, on_group);
        (api.GlobalDefReaderCallbacks_SetLocationCallback)(on, on_location);
        (api.GlobalDefReaderCallbacks_SetRegionCallback)(on, on_region);
        checked((api.Reader_RegisterGlobalDefCallbacks)(reader, definitions, on, user), "definitions")?;
        let mut count = 0;
        checked((api.Reader_ReadAllGlobalDefinitions)(reader, definitions, &mut count), "definitions")?;
        state.send_definitions();
        for &location in &state.threads {
            checked((api.Reader_SelectLocation)(reader, location), "choosing a location")?;
        }
        // An archive need not have definitions of single locations.
        let has_local = (api.Reader_OpenDefFiles)(reader) == SUCCESS;
        checked((api.Reader_OpenEvtFiles)(reader), "opening the events")?;
        for &location in &state.threads {
            if has_local {
                let local = (api.Reader_GetDefReader)(reader, location);
                if !local.is_null() {
                    checked((api.Reader_ReadAllLocalDefinitions)(reader, local, &mut count), "local definitions")?;
                    (api.Reader_CloseDefReader)(reader, local);
                }
            }
            if (api.Reader_GetEvtReader)(reader, location).is_null() {
                return Err(format!("the events of location {location} cannot be read"));
            }
        }
        if has_local {
            (api.Reader_CloseDefFiles)(reader);
        }
        let events = (api.Reader_GetGlobalEvtReader)(reader);
        if events.is_null() {
            return Err("its events cannot be read".into());
        }
        let on = (api.GlobalEvtReaderCallbacks_New)();
        (api.GlobalEvtReaderCallbacks_SetEnterCallback)(on, on_enter);
        (api.GlobalEvtReaderCallbacks_SetLeaveCallback)(on, on_leave);
        checked((api.Reader_RegisterGlobalEvtCallbacks)(reader, events, on, user), "events")?;
        checked((api.Reader_ReadAllGlobalEvents)(reader, events, &mut count), "events")?;
        (api.Reader_Close)(reader);
    }
    Ok(())
}

/// The state behind the pointer that callbacks get.
fn state<'a>(user: *mut c_void) -> &'a mut State {
    // SAFETY: it is the state that was registered; the library calls one callback at a time.
    unsafe { &mut *user.cast::<State>() }
}

extern "C" fn on_clock(user: *mut c_void, resolution: u64, offset: u64, length: u64, _: u64) -> c_int {
    state(user).send(&Message::Clock { resolution, offset, length });
    SUCCESS
}

extern "C" fn on_string(user: *mut c_void, id: u32, text: *const c_char) -> c_int {
    if !text.is_null() {
        // SAFETY: a C string of the library.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        state(user).strings.insert(id, text);
    }
    SUCCESS
}

extern "C" fn on_group(user: *mut c_void, id: u32, name: u32, _: u8, _: u32, _: u32) -> c_int {
    state(user).groups.push((id, name));
    SUCCESS
}

extern "C" fn on_location(user: *mut c_void, id: u64, name: u32, of_type: u8, _: u64, group: u32) -> c_int {
    state(user).locations.push((id, name, of_type, group));
    SUCCESS
}

#[allow(clippy::too_many_arguments)]
extern "C" fn on_region(
    user: *mut c_void,
    id: u32,
    name: u32,
    _: u32,
    _: u32,
    role: u8,
    paradigm: u8,
    _: u32,
    _: u32,
    _: u32,
    _: u32,
) -> c_int {
    state(user).regions.push((id, name, role, paradigm));
    SUCCESS
}

fn on_event(location: u64, time: u64, user: *mut c_void, region: u32, enter: bool) -> c_int {
    let state = state(user);
    state.send(&Message::Event { location, time, region, enter });
    c_int::from(state.failed) // 1: OTF2_CALLBACK_INTERRUPT
}

extern "C" fn on_enter(location: u64, time: u64, user: *mut c_void, _: *mut Attributes, region: u32) -> c_int {
    on_event(location, time, user, region, true)
}

extern "C" fn on_leave(location: u64, time: u64, user: *mut c_void, _: *mut Attributes, region: u32) -> c_int {
    on_event(location, time, user, region, false)
}
