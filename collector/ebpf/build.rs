//! Compiles the BPF programs with clang: the recorder's for tp_btf, for tp_btf before Linux 5.12, for tp_btf in a black box and for raw_tp, and
//! the sentinel's. Nothing of the running kernel is used.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=bpf");
    println!("cargo:rerun-if-env-changed=CLANG");
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang".into());
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let architecture = match std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() {
        Ok("x86_64") => "-D__TARGET_ARCH_x86",
        _ => "-D__TARGET_ARCH_other",
    };
    for (object, source, defines) in [
        ("typed.o", "bpf/recorder.bpf.c", &["-DTYPED_POINTERS"][..]),
        ("early.o", "bpf/recorder.bpf.c", &["-DTYPED_POINTERS", "-DWITHOUT_FETCH"]),
        ("epochs.o", "bpf/recorder.bpf.c", &["-DTYPED_POINTERS", "-DEPOCHS"]),
        ("untyped.o", "bpf/recorder.bpf.c", &["-DUNTYPED_POINTERS"]),
        ("sentinel.o", "bpf/sentinel.bpf.c", &["-DTYPED_POINTERS"]),
    ] {
        let status = Command::new(&clang)
            .args(["-target", "bpf", "-mcpu=v3", "-g", "-O2", "-Wall", "-Werror", "-Wno-unused-function"])
            .args(["-Wno-unused-variable", architecture])
            .args(defines)
            .args(["-c", source, "-o"])
            .arg(Path::new(&out).join(object))
            .status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => panic!("{clang} could not compile {source} ({status})"),
            Err(error) => panic!("{clang}: {error}: the BPF programs need clang >= 14 (or name it in CLANG)"),
        }
    }
}
