//! Programs and libraries: where the functions to probe lie in the file, and which libraries a program needs.

use super::functions::{Region, Runtimes, region};
use object::read::{ReadCache, ReadRef};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A function to probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProbePoint {
    /// Where it starts in the file.
    pub offset: u64,
    pub name: String,
    pub region: Region,
}

/// The functions to probe in a file, by their place; of several names for one place the first in order of the alphabet. Empty where it is no ELF file.
pub(super) fn probe_points(path: &Path, wanted: Runtimes) -> Vec<ProbePoint> {
    let Ok(file) = File::open(path) else { return Vec::new() };
    let cache = ReadCache::new(file);
    let Ok(elf) = object::File::parse(&cache) else { return Vec::new() };
    let mut found: BTreeMap<u64, (String, Region)> = BTreeMap::new();
    for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
        if symbol.kind() != SymbolKind::Text || !symbol.is_definition() {
            continue;
        }
        let Ok(name) = symbol.name() else { continue };
        let Some(region) = region(name, wanted) else { continue };
        let Some(offset) = file_offset(&elf, symbol.address()) else { continue };
        let name = name.split('@').next().unwrap_or(name).to_owned();
        match found.get(&offset) {
            Some((known, _)) if *known <= name => {}
            _ => drop(found.insert(offset, (name, region))),
        }
    }
    found.into_iter().map(|(offset, (name, region))| ProbePoint { offset, name, region }).collect()
}

fn file_offset<'a, R: ReadRef<'a>>(elf: &object::File<'a, R>, address: u64) -> Option<u64> {
    elf.segments().find_map(|segment| {
        let inside = address.checked_sub(segment.address())?;
        let (offset, size) = segment.file_range();
        (inside < size).then_some(offset + inside)
    })
}

/// The files that a program consists of when it is loaded with this environment: itself and its libraries. Empty where it is no program.
/// The program's own loader is asked, which lists them without running it.
pub(super) fn files_of_program(program: &Path) -> Vec<PathBuf> {
    let Some(loader) = loader_of(program) else { return Vec::new() };
    let mut files = vec![program.to_owned()];
    if let Some(loader) = loader {
        let listed =
            Command::new(loader).arg("--list").arg(program).stdin(Stdio::null()).stderr(Stdio::null()).output();
        let text = listed.map(|listed| listed.stdout).unwrap_or_default();
        files.extend(listed_libraries(&String::from_utf8_lossy(&text)));
    }
    files
}

/// The loader that an ELF program names, None in it for a static one; None where it is no ELF file.
fn loader_of(program: &Path) -> Option<Option<PathBuf>> {
    let cache = ReadCache::new(File::open(program).ok()?);
    let elf = object::File::parse(&cache).ok()?;
    let section = elf.section_by_name(".interp");
    let text = section.and_then(|section| section.data().ok().map(<[u8]>::to_vec));
    Some(text.and_then(|text| Some(PathBuf::from(String::from_utf8(text).ok()?.trim_end_matches('\0')))))
}

/// The paths of `libgomp.so.1 => /lib/x86_64-linux-gnu/libgomp.so.1 (0x00007f...)`.
fn listed_libraries(text: &str) -> Vec<PathBuf> {
    let path = |line: &str| {
        let (_, rest) = line.split_once(" => ")?;
        let path = rest.rsplit_once(" (0x").map_or(rest, |(path, _)| path).trim();
        path.starts_with('/').then(|| PathBuf::from(path))
    };
    text.lines().filter_map(path).collect()
}

/// The programs that a command may run: its words that are paths of files, or names of programs in `PATH`.
pub(super) fn programs_of_command(words: &[String], search: &str) -> Vec<PathBuf> {
    let is_file = |path: &PathBuf| path.is_file();
    let named = |word: &String| match word {
        word if word.is_empty() || word.starts_with('-') => None,
        word if word.contains('/') => Some(PathBuf::from(word)).filter(is_file),
        word => search.split(':').map(|folder| Path::new(folder).join(word)).find(is_file),
    };
    words.iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_lists_what_a_program_needs() {
        let text = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibgomp.so.1 => /lib/a b/libgomp.so.1 (0x00007f12)\n\tlibm.so.6 => not found\n";
        assert_eq!(listed_libraries(text), [PathBuf::from("/lib/a b/libgomp.so.1")]);
        let own = std::env::current_exe().unwrap();
        let files = files_of_program(&own);
        assert_eq!(files[0], own);
        assert!(files.iter().any(|file| file.to_string_lossy().contains("libc.so")), "{files:?}");
        assert!(files_of_program(Path::new("/proc/self/maps")).is_empty());
    }

    #[test]
    fn words_of_a_command_name_programs_by_path_and_by_name() {
        let words = ["sh", "-n", "4", "/bin/sh", "/no/such"].map(String::from);
        let found = programs_of_command(&words, "/nowhere:/bin");
        assert_eq!(found, [PathBuf::from("/bin/sh"), PathBuf::from("/bin/sh")]);
    }

    #[test]
    fn a_function_lies_where_its_segment_has_it_in_the_file() {
        let own = std::env::current_exe().unwrap();
        let cache = ReadCache::new(File::open(&own).unwrap());
        let elf = object::File::parse(&cache).unwrap();
        let text = elf.section_by_name(".text").unwrap();
        let (offset, _) = text.file_range().unwrap();
        assert_eq!(file_offset(&elf, text.address()), Some(offset));
        assert_eq!(file_offset(&elf, u64::MAX), None);
    }
}
