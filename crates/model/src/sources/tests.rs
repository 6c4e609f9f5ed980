//! Walking a history gives what reading each of its trees from scratch gives.

use super::{Snapshot, Sources};
use crate::outline::{Outline, OutlineFunction};
use hydrogen_history::version::{Source, Version};
use hydrogen_history::{Objects, Repository};
use hydrogen_syntax::{Names, Options};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Test")))
        .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "test@example.org")))
        .status();
    assert!(status.expect("git runs").success(), "git {arguments:?}");
}

/// A history in which each step is a list of files to write; an empty content removes the file.
fn history(steps: &[&[(&str, &str)]]) -> (tempfile::TempDir, Vec<Version>) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    for step in steps {
        for (path, content) in *step {
            let path = folder.path().join(path);
            if content.is_empty() {
                std::fs::remove_file(path).expect("it is there");
            } else {
                std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("writable");
                std::fs::write(path, content).expect("writable");
            }
        }
        git(folder.path(), &["add", "-A"]);
        git(folder.path(), &["commit", "-q", "--allow-empty", "-m", "step"]);
    }
    let mut versions = Vec::new();
    for back in (0..steps.len()).rev() {
        let name = format!("HEAD~{back}");
        versions.extend(hydrogen_history::version::resolve(&[name], folder.path()).expect("it exists"));
    }
    (folder, versions)
}

const STEPS: &[&[(&str, &str)]] = &[
    &[
        ("a.h", "#define STOP die()\n"),
        ("a.c", "int f(int x) { if (x) STOP; return LIMIT; }\n"),
        ("n.txt", "n"),
    ],
    &[("b.h", "_Noreturn void die(void);\n"), ("d/b.c", "void g(void) { die(); f(1); }\n")],
    &[("a.h", "#define STOP die()\n#define LIMIT 3\n")],
    &[("b.h", "void die(void);\n#define LIMIT 4\n")],
    &[("a.h", ""), ("a.c", "\n\n/* down */ int e;\nint f(int x) { if (x) STOP; return LIMIT; }\n")],
    &[("d/b.c", ""), ("d/c.c", "void g(void) { die(); f(1); }\n")],
];

#[test]
fn walking_reads_what_reading_from_scratch_reads() {
    let (folder, versions) = history(STEPS);
    let repository = Repository::discover(folder.path()).expect("a repository");
    let objects = Objects::new(&repository);
    // Also with a store that forgets everything at once.
    for budget in [1 << 20, 0] {
        let sources = Sources::new(budget);
        let outlines = Outline::sources(budget);
        let mut snapshot = Snapshot::default();
        // Forward, backward, and with jumps.
        for at in [0, 1, 2, 3, 4, 5, 4, 3, 0, 5, 1] {
            let Source::Commit(commit) = &versions[at].source else { panic!("commits") };
            snapshot.advance(&sources, &objects, &commit.tree).expect("readable");
            let trees = hydrogen_history::tree::Trees::new();
            let files = trees.files(&versions[at]).expect("readable");
            let read = |file| trees.read(&versions[at], file).expect("readable");
            let mut known = Names::default();
            for file in files.iter().filter(|file| file.path.ends_with(b".h")) {
                known.merge(hydrogen_syntax::names(&read(file)));
            }
            assert_eq!(**snapshot.known(), known, "step {at}");
            let options = Options { known: Some(Arc::new(known)), ..Options::default() };
            let all: Vec<_> = files.iter().filter(|file| super::is_c(file)).collect();
            assert_eq!(all, snapshot.files().collect::<Vec<_>>());
            for file in all {
                let expect = hydrogen_syntax::read(&file.path.to_string(), &read(file), &options);
                let unit = sources.unit(&objects, file, snapshot.known()).expect("readable");
                assert_eq!(*unit, expect, "step {at}, {}", file.path);
                let outline = outlines.unit(&objects, file, snapshot.known()).expect("readable");
                let functions: Vec<_> = outline.functions.iter().map(OutlineFunction::function).collect();
                assert_eq!(functions, expect.module.functions, "step {at}, {}", file.path);
                let prints: Vec<_> = outline.functions.iter().map(|one| (one.line, one.print())).collect();
                let summaries = hydrogen_ir::summarize(&expect.module).functions;
                assert_eq!(prints, summaries.iter().map(|one| (one.line, one.print)).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn a_step_names_the_files_to_read_again() {
    let (folder, versions) = history(STEPS);
    let objects = Objects::new(&Repository::discover(folder.path()).expect("a repository"));
    let sources = Sources::new(1 << 20);
    let mut snapshot = Snapshot::default();
    let mut read = Vec::new();
    for version in &versions {
        let Source::Commit(commit) = &version.source else { panic!("commits") };
        let step = snapshot.advance(&sources, &objects, &commit.tree).expect("readable");
        let files = step.reread(&snapshot);
        read.push(files.iter().map(|file| file.path.to_string()).collect::<Vec<_>>().join(" "));
        for file in files {
            sources.unit(&objects, file, snapshot.known()).expect("readable");
        }
    }
    // `b.h` says that `die` does not return, which matters to `d/b.c`, and through the macro `STOP` to `a.c`.
    let expect = ["a.c a.h", "a.c a.h b.h d/b.c", "a.c a.h", "a.c a.h b.h d/b.c", "a.c b.h", "d/c.c"];
    assert_eq!(read, expect);
}

/// The cost of a step follows the change, however many files there are and however little is kept of them.
#[test]
fn a_header_costs_the_files_that_mention_its_names() {
    let sources: Vec<(String, String)> =
        (0..60).map(|at| (format!("f{at:02}.c"), format!("int f{at}(void) {{ return X{at}; }}\n"))).collect();
    let first: Vec<(&str, &str)> = sources.iter().map(|(path, text)| (&**path, &**text)).collect();
    let steps: &[&[(&str, &str)]] = &[
        &first,
        &[("x.h", "#define X7 1\n")],
        &[("README", "words\n")],
        &[("x.h", "#define X9 1\n"), ("f20.c", "int f20(void) { return X7; }\n")],
        &[("x.h", "#define X7 1\n")],
    ];
    let (folder, versions) = history(steps);
    let objects = Objects::new(&Repository::discover(folder.path()).expect("a repository"));
    for budget in [1 << 20, 0] {
        let sources = Sources::new(budget);
        let mut snapshot = Snapshot::default();
        let mut read = Vec::new();
        for version in &versions {
            let Source::Commit(commit) = &version.source else { panic!("commits") };
            let step = snapshot.advance(&sources, &objects, &commit.tree).expect("readable");
            let files = step.reread(&snapshot);
            read.push(files.iter().map(|file| file.path.to_string()).collect::<Vec<_>>().join(" "));
            for file in files {
                sources.unit(&objects, file, snapshot.known()).expect("readable");
            }
        }
        let expect = ["f07.c x.h", "", "f07.c f09.c f20.c x.h", "f07.c f09.c f20.c x.h"];
        assert_eq!(read[1..], expect, "{budget}");
    }
}

/// A tree that is looked at from another one is as it is where one goes there.
#[test]
fn a_glance_sees_what_going_there_sees() {
    let (folder, versions) = history(STEPS);
    let objects = Objects::new(&Repository::discover(folder.path()).expect("a repository"));
    let tree = |at: usize| match &versions[at].source {
        Source::Commit(commit) => commit.tree.clone(),
        _ => panic!("commits"),
    };
    for (there, here) in (0..STEPS.len()).flat_map(|a| (0..STEPS.len()).map(move |b| (a, b))) {
        let sources = Sources::new(1 << 20);
        let mut went = Snapshot::default();
        let mut arrive = |at: usize| {
            let step = went.advance(&sources, &objects, &tree(at)).expect("readable");
            for file in step.reread(&went) {
                sources.unit(&objects, file, went.known()).expect("readable");
            }
            let files: Vec<String> = step.reread(&went).iter().map(|file| file.path.to_string()).collect();
            (files, went.clone())
        };
        let (_, was) = arrive(there);
        let (read, mut is) = arrive(here);
        let known = Arc::clone(is.known());
        let glance = is.glance(&sources, &objects, &tree(there)).expect("readable");
        assert_eq!(glance.known, *was.known(), "{there} from {here}");
        assert!(*is.known() == known && is.known().stamp() == known.stamp());
        // What is read anew on the way, as far as that tree has it; and what is gone behind it.
        let had = |path: &String| was.file(path.as_bytes()).is_some();
        let mut expect: Vec<String> = read.into_iter().filter(had).collect();
        expect.extend(
            was.files().map(|file| file.path.to_string()).filter(|it| is.file(it.as_bytes()).is_none()),
        );
        expect.sort();
        let files: Vec<String> = glance.files.iter().map(|file| file.path.to_string()).collect();
        assert_eq!(files, expect, "{there} from {here}");
    }
}
