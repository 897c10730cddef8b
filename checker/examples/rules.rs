//! Writes the pages of `docs/causes` from what the rules say of themselves: `cargo run -p wastenot-checker --example rules`.

use wastenot_checker::causes::rules::pages;

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/causes");
    for (path, text) in pages() {
        let page = folder.join(path);
        std::fs::create_dir_all(page.parent().unwrap_or(&folder))?;
        std::fs::write(page, text)?;
    }
    Ok(())
}
