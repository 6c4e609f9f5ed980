//! Joins the page's scripts and styles into one text each, hashes them for the page's content security policy, and
//! embeds the layout library when `scripts/setup.sh` has fetched it.

use std::{env, error::Error, fs, path::Path};

use sha2::{Digest, Sha256};

/// The scripts share one scope and run in this order.
const SCRIPTS: &[&str] = &[
    "dom",
    "icons",
    "model",
    "history",
    "palette",
    "collapse",
    "labels",
    "layers",
    "layout",
    "state",
    "edges",
    "viewport",
    "items",
    "draw",
    "graph",
    "paths",
    "calls",
    "function-view",
    "walk",
    "legend",
    "panel",
    "functions",
    "timeline",
    "chart",
    "overview",
    "search",
    "address",
    "keys",
    "main",
];
const STYLES: &[&str] = &[
    "base",
    "frame",
    "functions",
    "timeline",
    "graph",
    "nodes",
    "flow",
    "calls",
    "legend",
    "panel",
    "overview",
    "print",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=assets");
    println!("cargo:rerun-if-changed=vendor");
    let out = env::var("OUT_DIR")?;
    let out = Path::new(&out);

    for (names, kind) in [(SCRIPTS, "js"), (STYLES, "css")] {
        let mut joined = String::from(if kind == "js" { "\"use strict\";\n" } else { "" });
        for name in names {
            joined.push_str(&inlinable(Path::new(&format!("assets/{kind}/{name}.{kind}")))?);
        }
        fs::write(out.join(format!("page.{kind}")), &joined)?;
        fs::write(out.join(format!("page.{kind}.sha256")), base64(&Sha256::digest(&joined)))?;
    }

    // An empty library is the page's signal to lay out graphs itself.
    for name in ["elk-worker.min.js", "elk-license.md"] {
        let vendored = Path::new("vendor").join(name);
        let text = if vendored.exists() {
            inlinable(&vendored)?
        } else {
            println!(
                "cargo:warning=vendor/{name} is missing: HTML pictures use the built-in layout; run scripts/setup.sh"
            );
            String::new()
        };
        fs::write(out.join(name), text)?;
    }
    Ok(())
}

/// Reads a text that is going to stand inside `<script>` or `<style>`, where nothing can be escaped.
fn inlinable(path: &Path) -> Result<String, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lower = text.to_ascii_lowercase();
    match ["</script", "</style", "<!--"].iter().find(|tag| lower.contains(**tag)) {
        Some(tag) => Err(format!("{} contains {tag}, which would end its element", path.display()).into()),
        None => Ok(text),
    }
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = (word >> (18 - 6 * place)) & 63;
            text.push(if place <= chunk.len() { char::from(ALPHABET[digit as usize]) } else { '=' });
        }
    }
    text
}
