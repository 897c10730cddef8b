//! The functions of libotf2 that are used, found at run time: no linking, no headers.
//!
//! Signatures are those of the C API of OTF2 3.0 (otf2/*.h). Debian calls the library libopen-trace-format2.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;

macro_rules! opaque {
    ($($name:ident)*) => { $(
        #[repr(C)]
        pub struct $name([u8; 0]);
    )* };
}

opaque! { Reader GlobalDefReader DefReader EvtReader GlobalEvtReader GlobalDefCallbacks GlobalEvtCallbacks Attributes }

/// `OTF2_SUCCESS`, `OTF2_CALLBACK_SUCCESS`.
pub const SUCCESS: c_int = 0;

/// `OTF2_LOCATION_TYPE_CPU_THREAD`.
pub const CPU_THREAD: u8 = 1;

/// `OTF2_Paradigm`.
pub mod paradigm {
    pub const OPENMP: u8 = 3;
    pub const MPI: u8 = 4;
}

/// `OTF2_RegionRole`.
pub mod role {
    pub const PARALLEL: u8 = 5;
    pub const BARRIER: u8 = 15;
    pub const IMPLICIT_BARRIER: u8 = 16;
    pub const TASK_WAIT: u8 = 22;
    pub const COLL_ONE2ALL: u8 = 23;
    pub const COLL_OTHER: u8 = 26;
    pub const POINT2POINT: u8 = 28;
    pub const THREAD_WAIT: u8 = 33;
}

/// Names under which the library is installed: that of OTF2 itself, that of Debian.
const NAMES: [&CStr; 2] = [c"libopen-trace-format2.so.10", c"libotf2.so.10"];

pub type OnClock = extern "C" fn(*mut c_void, u64, u64, u64, u64) -> c_int;
pub type OnString = extern "C" fn(*mut c_void, u32, *const c_char) -> c_int;
pub type OnGroup = extern "C" fn(*mut c_void, u32, u32, u8, u32, u32) -> c_int;
pub type OnLocation = extern "C" fn(*mut c_void, u64, u32, u8, u64, u32) -> c_int;
pub type OnRegion = extern "C" fn(*mut c_void, u32, u32, u32, u32, u8, u8, u32, u32, u32, u32) -> c_int;
pub type OnEvent = extern "C" fn(u64, u64, *mut c_void, *mut Attributes, u32) -> c_int;

macro_rules! functions {
    ($($name:ident($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// Function `OTF2_<name>` of the library for each field.
        #[allow(non_snake_case)]
        pub struct Api { $(pub $name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)* }

        impl Api {
            /// Find every function in a loaded library; the error is the name of one that it lacks.
            unsafe fn find(library: *mut c_void) -> Result<Self, &'static str> {
                Ok(Self { $($name: {
                    let name = concat!("OTF2_", stringify!($name), "\0");
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
    Error_GetDescription(c_int) -> *const c_char;
    Reader_Open(*const c_char) -> *mut Reader;
    Reader_SetSerialCollectiveCallbacks(*mut Reader) -> c_int;
    Reader_Close(*mut Reader) -> c_int;
    Reader_GetGlobalDefReader(*mut Reader) -> *mut GlobalDefReader;
    Reader_RegisterGlobalDefCallbacks(*mut Reader, *mut GlobalDefReader, *const GlobalDefCallbacks, *mut c_void) -> c_int;
    Reader_ReadAllGlobalDefinitions(*mut Reader, *mut GlobalDefReader, *mut u64) -> c_int;
    Reader_SelectLocation(*mut Reader, u64) -> c_int;
    Reader_OpenDefFiles(*mut Reader) -> c_int;
    Reader_OpenEvtFiles(*mut Reader) -> c_int;
    Reader_GetDefReader(*mut Reader, u64) -> *mut DefReader;
    Reader_ReadAllLocalDefinitions(*mut Reader, *mut DefReader, *mut u64) -> c_int;
    Reader_CloseDefReader(*mut Reader, *mut DefReader) -> c_int;
    Reader_CloseDefFiles(*mut Reader) -> c_int;
    Reader_GetEvtReader(*mut Reader, u64) -> *mut EvtReader;
    Reader_GetGlobalEvtReader(*mut Reader) -> *mut GlobalEvtReader;
    Reader_RegisterGlobalEvtCallbacks(*mut Reader, *mut GlobalEvtReader, *const GlobalEvtCallbacks, *mut c_void) -> c_int;
    Reader_ReadAllGlobalEvents(*mut Reader, *mut GlobalEvtReader, *mut u64) -> c_int;
    GlobalDefReaderCallbacks_New() -> *mut GlobalDefCallbacks;
    GlobalDefReaderCallbacks_SetClockPropertiesCallback(*mut GlobalDefCallbacks, OnClock) -> c_int;
    GlobalDefReaderCallbacks_SetStringCallback(*mut GlobalDefCallbacks, OnString) -> c_int;
    GlobalDefReaderCallbacks_SetLocationGroupCallback(*mut GlobalDefCallbacks, OnGroup) -> c_int;
    GlobalDefReaderCallbacks_SetLocationCallback(*mut GlobalDefCallbacks, OnLocation) -> c_int;
    GlobalDefReaderCallbacks_SetRegionCallback(*mut GlobalDefCallbacks, OnRegion) -> c_int;
    GlobalEvtReaderCallbacks_New() -> *mut GlobalEvtCallbacks;
    GlobalEvtReaderCallbacks_SetEnterCallback(*mut GlobalEvtCallbacks, OnEvent) -> c_int;
    GlobalEvtReaderCallbacks_SetLeaveCallback(*mut GlobalEvtCallbacks, OnEvent) -> c_int;
}

impl Api {
    /// Load the library; the error says what is wrong with it.
    pub fn load() -> Result<Self, String> {
        // SAFETY: the names are C strings. The library is never unloaded.
        let open = |name: &CStr| unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let library = NAMES.iter().map(|name| open(name)).find(|library| !library.is_null());
        let library =
            library.ok_or("it is not installed; Debian and Ubuntu: apt-get install libopen-trace-format2-10")?;
        // SAFETY: `library` is a handle of dlopen.
        unsafe { Self::find(library) }.map_err(|name| format!("it has no function {name}"))
    }

    /// What an error code means.
    pub fn describe(&self, code: c_int) -> String {
        // SAFETY: the library returns static texts.
        let text = unsafe { (self.Error_GetDescription)(code) };
        if text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: as above.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}
