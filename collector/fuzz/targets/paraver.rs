#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wastenot_fuzz::read_bytes(bytes, wastenot_paraver::open));
