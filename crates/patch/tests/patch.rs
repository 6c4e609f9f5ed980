//! Hunks and carried patches from Markdown fixtures: versions as ```` ```c NAME.c ```` blocks; the patch leads to the last of them, from the
//! one before or as a block `patch` says; a block `applies` has a line per version with a word per hunk.
#![allow(clippy::unwrap_used)]

use hydrogen_evidence::Applies;
use hydrogen_graph::{Fix, Graph, VersionId, VersionInfo, VersionInput};
use hydrogen_ir::Module;
use hydrogen_patch::{Carried, Files, How, as_predicted, carry, hunks};
use std::process::Command;

/// The versions with their text, what the patch is, and which hunks apply to whom.
struct Fixture {
    versions: Vec<(String, String)>,
    patch: (String, String),
    applies: String,
}

fn read(text: &str) -> Fixture {
    let (mut versions, mut applies) = (Vec::new(), String::new());
    let mut patch = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("```") else { continue };
        let body: String = lines
            .by_ref()
            .take_while(|line| !line.starts_with("```"))
            .map(|line| format!("{line}\n"))
            .collect();
        match head.split_once(' ') {
            Some((_, name)) => versions.push((name.trim_end_matches(".c").to_owned(), body)),
            None if head == "patch" => patch = body.trim().split_once(' ').map(|(a, b)| (a.into(), b.into())),
            None => applies = body,
        }
    }
    let name = |from_end: usize| versions[versions.len() - from_end].0.clone();
    let patch = patch.unwrap_or_else(|| match versions.iter().any(|(name, _)| name == "patched") {
        true => ("v4".into(), "patched".into()),
        false => (name(2), name(1)),
    });
    Fixture { versions, patch, applies }
}

fn module(text: &str) -> Vec<Module> {
    vec![hydrogen_syntax::read("main.c", text.as_bytes(), &hydrogen_syntax::Options::default()).module]
}

fn add(graph: &mut Graph, name: &str, text: &str, parents: Vec<VersionId>) -> VersionId {
    let info = VersionInfo { name: name.into(), parents, ..VersionInfo::default() };
    graph.add(VersionInput::from_modules(info, &module(text))).unwrap()
}

fn graph(fixture: &Fixture) -> (Graph, Fix) {
    let mut graph = Graph::new();
    for (name, text) in &fixture.versions {
        let before = if *name == fixture.patch.1 { graph.version(&fixture.patch.0) } else { graph.newest() };
        let parents = before.into_iter().collect();
        add(&mut graph, name, text, parents);
    }
    let fix = Fix {
        before: graph.version(&fixture.patch.0).unwrap(),
        after: graph.version(&fixture.patch.1).unwrap(),
    };
    (graph, fix)
}

/// What `git merge-file` makes of the three texts; none where it finds a conflict.
fn merged(release: &str, old: &str, new: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("release", release), ("old", old), ("new", new)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let output = Command::new("git")
        .args(["merge-file", "-p", "release", "old", "new"])
        .current_dir(&folder)
        .output()
        .unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// Hunks apply to whom the fixture says. Carried by text or by statements, the patch gives the graph that they promise, and where git
/// can merge the whole, git's text is ours (AINV-7).
fn check(text: &str) {
    let fixture = read(text);
    let (mut graph, fix) = graph(&fixture);
    let hunks = hunks(&graph, fix);
    let mut found = String::new();
    let text_of = |name: &str| fixture.versions.iter().find(|(one, _)| one == name).unwrap().1.as_str();
    let (old, new) = (text_of(&fixture.patch.0), text_of(&fixture.patch.1));
    for (name, release_text) in &fixture.versions {
        let release = graph.version(name).unwrap();
        let applies: Vec<bool> =
            hunks.iter().map(|hunk| hunk.applies(&graph, fix, release) == Applies::Yes).collect();
        let words: String = applies.iter().map(|&yes| if yes { " yes" } else { " no" }).collect();
        found += &format!("{name}{words}\n");
        if !applies.contains(&true) {
            continue;
        }
        for how in [How::Either, How::Statements] {
            let files = Files {
                old: ("main.c", old.as_bytes()),
                new: ("main.c", new.as_bytes()),
                release: release_text.as_bytes(),
            };
            let carried = carry(&graph, fix, release, &hunks, &applies, &files, how);
            let Carried { text, lost, .. } = carried;
            assert!(lost.is_empty(), "{name} {how:?}: {lost:?}");
            let text = String::from_utf8(text).unwrap();
            if how == How::Either
                && !applies.contains(&false)
                && let Some(merged) = merged(release_text, old, new)
            {
                assert_eq!(text, merged, "{name}");
            }
            let patched = add(&mut graph, &format!("{name} {how:?}"), &text, vec![release, fix.after]);
            let applied: Vec<_> =
                hunks.iter().zip(&applies).filter(|(_, yes)| **yes).map(|(hunk, _)| hunk).collect();
            assert_eq!(
                as_predicted(&graph, fix, release, patched, &applied),
                Vec::<String>::new(),
                "{name} {how:?}\n{text}"
            );
            if release == fix.before && how == How::Either {
                assert_eq!(text, new, "the whole patch on what it was made for (AINV-6)");
            }
        }
    }
    assert_eq!(found, fixture.applies);
}

#[test]
fn e01_overflow() {
    check(include_str!("fixtures/e01-overflow.md"));
}

#[test]
fn e08_release_branches() {
    check(include_str!("fixtures/e08-chunk.md"));
}

#[test]
fn other_shapes() {
    check(include_str!("fixtures/other.md"));
}

#[test]
fn what_has_no_place_is_said() {
    let fixture = read(include_str!("fixtures/other.md"));
    let (graph, fix) = graph(&fixture);
    let hunks = hunks(&graph, fix);
    let release = graph.version("taken").unwrap();
    let text_of = |name: &str| fixture.versions.iter().find(|(one, _)| one == name).unwrap().1.as_bytes();
    let files =
        Files { old: ("main.c", text_of("old")), new: ("main.c", text_of("new")), release: text_of("taken") };
    // As if all hunks applied.
    let carried = carry(&graph, fix, release, &hunks, &vec![true; hunks.len()], &files, How::Either);
    assert!(!carried.lost.is_empty());
}
