//! Writes the pages of `docs/causes` from what the rules say of themselves: `cargo run -p wastenot-checker --example rules`.

use wastenot_checker::causes::rules::pages;

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/causes");
    std::fs::create_dir_all(&folder)?;
    for (name, text) in pages() {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}
