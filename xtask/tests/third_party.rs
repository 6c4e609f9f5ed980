//! What `deny.toml` says about third-party crates holds, also where cargo-deny is not installed: their licences, that they come from the
//! one registry, and that no dependency takes any version.

use std::collections::BTreeSet;
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

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

fn packages() -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    metadata["packages"].as_array().expect("a list of packages").clone()
}

fn deny() -> toml::Table {
    std::fs::read_to_string(root().join("deny.toml"))
        .expect("deny.toml is there")
        .parse()
        .expect("it is TOML")
}

#[test]
fn third_party_crates_have_allowed_licences() {
    let allowed: Vec<String> = deny()["licenses"]["allow"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let refused: Vec<String> = packages()
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(|text| fulfilled(text, &allowed)))
        .map(|package| format!("{} {}: {}", package["name"], package["version"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "not allowed by deny.toml:\n{}", refused.join("\n"));
}

#[test]
fn third_party_crates_come_from_one_registry() {
    assert_eq!(deny()["sources"]["unknown-git"].as_str(), Some("deny"));
    let sources: BTreeSet<String> =
        packages().iter().filter_map(|package| package["source"].as_str().map(str::to_owned)).collect();
    let others: Vec<&String> = sources.iter().filter(|source| !source.starts_with("registry+")).collect();
    assert!(others.is_empty(), "not from a registry: {others:?}");
    assert_eq!(sources.len(), 1, "more than one registry: {sources:?}");
}

#[test]
fn no_dependency_takes_any_version() {
    assert_eq!(deny()["bans"]["wildcards"].as_str(), Some("deny"));
    for package in packages() {
        // Crates of the workspace have no source; what others ask for is not ours to say.
        if package["source"].is_string() {
            continue;
        }
        for dependency in package["dependencies"].as_array().expect("a list of dependencies") {
            let any = dependency["req"] == "*" && dependency["path"].is_null();
            assert!(!any, "{} takes any version of {}", package["name"], dependency["name"]);
        }
    }
}
