//! ARCHITECTURE.md and the manifests say what is so: crates, dependencies, the Rust that is needed.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn crates() -> BTreeSet<String> {
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap());
    let named = folders.filter(|entry| entry.path().join("Cargo.toml").exists());
    named.map(|entry| entry.file_name().into_string().unwrap()).collect()
}

/// The names in a manifest, by the section they stand in.
fn manifest(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut sections: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(head) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = head.to_owned();
        } else if let Some(name) =
            line.split(['.', '=', ' ']).next().filter(|name| !name.is_empty() && !line.starts_with('#'))
        {
            sections.entry(section.clone()).or_default().insert(name.to_owned());
        }
    }
    sections
}

fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part))
}

/// The rows of a table, as the texts of their cells.
fn rows(text: &str, head: &str) -> Vec<Vec<String>> {
    let table = text.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let rows = table.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

#[test]
fn the_diagram_and_the_table_name_every_crate() {
    let text = read("ARCHITECTURE.md");
    let diagram = text.split("```").nth(1).unwrap();
    let listed: BTreeSet<String> =
        rows(&text, "| crate | owns").iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    for name in crates() {
        assert!(has_word(diagram, &name), "the diagram does not name `{name}`");
        assert!(listed.contains(&name), "the table does not list `{name}`");
    }
    for name in listed {
        assert!(crates().contains(&name) || name == "xtask", "the table lists `{name}`, which is no crate");
    }
}

#[test]
fn every_dependency_has_its_reason() {
    let text = read("ARCHITECTURE.md");
    let listed: String = rows(&text, "| crate | reason").iter().map(|row| format!("{}\n", row[0])).collect();
    for name in &manifest(&read("Cargo.toml"))["workspace.dependencies"] {
        assert!(name.starts_with("hydrogen-") || has_word(&listed, name), "no reason is given for `{name}`");
    }
}

/// Files of a crate that a kind of dependency is for.
fn sources(folder: &Path, section: &str) -> String {
    let places: &[&str] = match section {
        "dependencies" => &["src"],
        "dev-dependencies" => &["src", "tests", "benches", "examples"],
        _ => &["build.rs"],
    };
    let mut text = String::new();
    let mut waiting: Vec<PathBuf> = places.iter().map(|place| folder.join(place)).collect();
    while let Some(path) = waiting.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => waiting.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) if path.extension().is_some_and(|it| it == "rs") => {
                let own = std::fs::read_to_string(&path).unwrap_or_default();
                // A test may take a module of another crate's tests.
                let taken = own.split("#[path = \"").skip(1).filter_map(|rest| rest.split('"').next());
                waiting.extend(taken.map(|taken| path.with_file_name(taken)));
                text.push_str(&own);
            }
            Err(_) => {}
        }
    }
    text
}

#[test]
fn every_dependency_is_used() {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let folders =
        crates().into_iter().map(|name| root().join("crates").join(name)).chain([root().join("xtask")]);
    // The crate of features is nothing but dependencies.
    for folder in folders.filter(|folder| !folder.ends_with("features")) {
        for (section, names) in manifest(&std::fs::read_to_string(folder.join("Cargo.toml")).unwrap()) {
            if !section.ends_with("dependencies") {
                continue;
            }
            let text = sources(&folder, section.rsplit('.').next().unwrap());
            for name in names {
                // It is there for the features of third-party crates, and holds no code.
                if name == "hydrogen-features" {
                    continue;
                }
                let word = name.replace('-', "_");
                assert!(has_word(&text, &word), "{}: `{name}` is not used in [{section}]", folder.display());
                used.insert(name);
            }
        }
    }
    for name in &manifest(&read("Cargo.toml"))["workspace.dependencies"] {
        assert!(used.contains(name), "no crate uses `{name}` of the workspace");
    }
}

/// The compiler that builds this is the one that is declared, or newer; no dependency declares a newer one.
#[test]
fn the_declared_rust_is_enough() {
    let numbers =
        |text: &str| -> Vec<u32> { text.split('.').map_while(|part| part.parse().ok()).take(2).collect() };
    let text = read("Cargo.toml");
    let line = text.lines().find(|line| line.starts_with("rust-version")).unwrap();
    let declared = numbers(line.split('"').nth(1).unwrap());
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = std::process::Command::new(rustc).arg("--version").output().unwrap();
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let here = numbers(version.split(' ').nth(1).unwrap());
    assert!(declared <= here, "{line}, and this is {version}");
    let metadata = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata = String::from_utf8_lossy(&metadata.stdout).into_owned();
    for part in metadata.split("\"rust_version\":\"").skip(1) {
        let needed = part.split('"').next().unwrap();
        assert!(numbers(needed) <= declared, "{line}, and a dependency needs {needed}");
    }
}

#[test]
fn no_tool_left_its_files_behind() {
    let stray = ["platform.info"];
    let folders = crates().into_iter().map(|name| root().join("crates").join(name)).chain([root()]);
    for folder in folders {
        for name in stray {
            assert!(!folder.join(name).exists(), "{} is in {}", name, folder.display());
        }
    }
}

/// The pages below a folder, and those of the root.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("docs")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap().map(|entry| entry.unwrap()) {
            let path = folder.join(entry.file_name());
            match entry.path() {
                inside if inside.is_dir() => open.push(path),
                file if file.extension().is_some_and(|ending| ending == "md") => found.push(path),
                _ => {}
            }
        }
    }
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
    found.extend(top.map(PathBuf::from));
    found
}

#[test]
fn links_between_pages_lead_somewhere() {
    for page in pages() {
        let text = read(&page);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains("://")) {
            let target = root().join(page.parent().unwrap()).join(link);
            assert!(target.exists(), "{}: nothing is at {link}", page.display());
        }
    }
}

#[test]
fn the_readme_links_every_page() {
    let readme = read("README.md");
    for page in pages().iter().filter(|page| page.parent() == Some(Path::new("docs"))) {
        let name = page.display().to_string();
        assert!(readme.contains(&format!("({name})")), "README.md does not link {name}");
    }
}

#[test]
fn places_that_the_architecture_names_are_there() {
    let text = read("ARCHITECTURE.md");
    for name in text.split('`').skip(1).step_by(2).filter(|name| name.starts_with("crates/")) {
        let plain = name.chars().all(|c| c.is_alphanumeric() || "/_.-".contains(c));
        assert!(!plain || root().join(name).exists(), "ARCHITECTURE.md names {name}, which is not there");
    }
}
