//! docs/causes says what the rules say.

use wastenot_checker::causes::rules::pages;

#[test]
fn every_rule_has_its_page_and_none_is_stale() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/causes");
    let mut expected: Vec<String> = Vec::new();
    for (name, text) in pages() {
        let written = std::fs::read_to_string(folder.join(&name)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(written == text, "docs/causes/{name} is stale: cargo run -p wastenot-checker --example rules");
        expected.push(name);
    }
    let mut there: Vec<String> = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                there.push(path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    there.sort();
    expected.sort();
    assert_eq!(there, expected);
}

#[test]
fn a_rule_is_named_as_its_file() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rust/causes/rules");
    for (page, _) in pages().into_iter().filter(|(page, _)| page.contains('/')) {
        let file = page.replace('-', "_").replace(".md", ".rs");
        assert!(folder.join(&file).exists(), "no checker/rust/causes/rules/{file}");
    }
}
