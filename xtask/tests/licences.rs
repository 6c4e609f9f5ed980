//! Every third-party crate has a licence that `deny.toml` allows.

use std::path::Path;
use std::process::Command;

/// Whether an expression such as `MIT OR Apache-2.0` can be fulfilled. Of one with `AND`, every licence it names must be allowed, which
/// is stricter than it says and needs no reading of brackets.
fn fulfilled(expression: &str, allowed: &[String]) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ").replace(" AND ", " OR ");
    let mut names = plain.split(" OR ").map(str::trim);
    let mut is_allowed = |name: &str| allowed.iter().any(|one| one == name);
    if expression.contains(" AND ") { names.all(&mut is_allowed) } else { names.any(&mut is_allowed) }
}

#[test]
fn third_party_crates_have_allowed_licences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let deny: toml::Table = std::fs::read_to_string(root.join("deny.toml"))
        .expect("deny.toml is there")
        .parse()
        .expect("it is TOML");
    let allowed: Vec<String> = deny["licenses"]["allow"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(|text| fulfilled(text, &allowed)))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "not allowed by deny.toml:\n{}", refused.join("\n"));
}
