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
    let mut there: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    there.sort();
    expected.sort();
    assert_eq!(there, expected);
}
