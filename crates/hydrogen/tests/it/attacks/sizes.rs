//! Repositories that are small until they are unpacked.

use crate::attacks::{UNIT, Victim};
use std::time::{Duration, Instant};

/// A folder that holds the same folder ten times, and so on: `10^depth` files.
fn bomb(victim: &Victim, depth: u32) {
    let project = &victim.project;
    project.write("a.c", UNIT);
    let blob = project.git(&["hash-object", "-w", "a.c"]).trim().to_owned();
    let make = |entries: String| {
        project.write("entries", entries);
        let root = project.root();
        let file = std::fs::File::open(root.join("entries")).unwrap();
        let output =
            std::process::Command::new("git").arg("mktree").current_dir(&root).stdin(file).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let mut tree = make((0..10).map(|at| format!("100644 blob {blob}\tf{at}.c\n")).collect());
    for _ in 1..depth {
        tree = make((0..10).map(|at| format!("040000 tree {tree}\td{at}\n")).collect());
    }
    let commit = project.git(&["commit-tree", &tree, "-m", "a bomb"]).trim().to_owned();
    project.git(&["tag", "-f", "bomb", &commit]);
}

fn ends(victim: &Victim, words: &[&str], most: Duration) -> crate::project::Run {
    let started = Instant::now();
    let found = victim.hydrogen(words);
    assert!(started.elapsed() < most, "{words:?} took {:?}: {found:?}", started.elapsed());
    found
}

#[test]
fn a_tree_of_trees_is_not_listed() {
    let victim = Victim::new();
    victim.commit(&[("a.c", UNIT)]);
    bomb(&victim, 10);
    for words in [
        &["ir", "bomb"][..],
        &["functions", "HEAD", "bomb", "--syntax"],
        &["functions", "HEAD", "bomb"],
        &["diff", "HEAD", "bomb", "--syntax"],
        &["versions", "--files", "bomb"],
        &["complexity", "bomb"],
        &["stats", "bomb", "--syntax"],
    ] {
        let found = ends(&victim, words, Duration::from_secs(30));
        assert!(found.code.is_some_and(|code| code == 2 || code == 3), "{words:?}: {found:?}");
        assert!((found.err.clone() + &found.out).contains("--files-limit"), "{words:?}: {found:?}");
    }
    // The option is what the message says.
    bomb(&victim, 2);
    let found = victim.hydrogen(&["versions", "--files", "bomb", "--files-limit", "20"]);
    assert!(found.err.contains("more than 20 files"), "{found:?}");
    let found = victim.hydrogen(&["versions", "--files", "bomb", "--files-limit", "200"]);
    assert_eq!(found.code, Some(0), "{found:?}");
}

#[test]
fn folders_inside_of_each_other_are_limited() {
    let victim = Victim::new();
    victim.commit(&[("a.c", UNIT)]);
    let project = &victim.project;
    let blob = project.git(&["hash-object", "-w", "a.c"]).trim().to_owned();
    let mut entry = format!("100644 blob {blob}\ta.c\n");
    for _ in 0..700 {
        project.write("entries", &entry);
        let root = project.root();
        let file = std::fs::File::open(root.join("entries")).unwrap();
        let output =
            std::process::Command::new("git").arg("mktree").current_dir(&root).stdin(file).output().unwrap();
        entry = format!("040000 tree {}\td\n", String::from_utf8(output.stdout).unwrap().trim());
    }
    let tree = entry.split_whitespace().nth(2).unwrap();
    let commit = project.git(&["commit-tree", tree, "-m", "deep"]).trim().to_owned();
    let found = ends(&victim, &["ir", &commit], Duration::from_secs(30));
    assert!(found.code == Some(2) && found.err.contains("longer than the system allows"), "{found:?}");
}

#[test]
fn large_files_are_not_unpacked() {
    let victim = Victim::new();
    // Zeros: 100 KB in the repository.
    victim.project.write("big.c", vec![b'\n'; 40 << 20]);
    victim.commit(&[("a.c", UNIT)]);
    let found = ends(&victim, &["ir", "HEAD", "--size-limit", "80M"], Duration::from_secs(60));
    assert!(found.err.contains("big.c") && found.err.contains("--size-limit"), "{found:?}");
    assert!(found.code == Some(0), "the rest is read: {found:?}");
    let found = ends(&victim, &["ir", "HEAD", "--syntax", "--size-limit", "80M"], Duration::from_secs(60));
    assert!(found.err.contains("--size-limit"), "{found:?}");
    // All files together.
    let victim = Victim::new();
    for at in 0..6 {
        victim.project.write(&format!("part{at}.bin"), vec![at; 3 << 20]);
    }
    victim.commit(&[("a.c", UNIT)]);
    let found = ends(&victim, &["ir", "HEAD", "--size-limit", "16M"], Duration::from_secs(60));
    assert!(found.err.contains("part0.bin") && found.err.contains("--size-limit"), "{found:?}");
    let found = ends(&victim, &["ir", "HEAD", "--size-limit", "30M"], Duration::from_secs(60));
    assert_eq!(found.code, Some(0), "{found:?}");
}

/// What a compiler reads has no end, or takes one that nobody waits for.
#[test]
fn what_has_no_end_is_not_included() {
    let twice = "#ifndef DEPTH\n#define DEPTH 0\n#endif\n#if __INCLUDE_LEVEL__ < 60\n#include \"twice.h\"\n#include \"twice.h\"\n#endif\n";
    for (text, header) in [
        ("#include \"/dev/zero\"\n", ""),
        ("#include \"/dev/urandom\"\n", ""),
        ("#include \"/dev/tty\"\n", ""),
        ("#include \"/proc/kmsg\"\n", ""),
        ("#include \"twice.h\"\nint g;\n", twice),
    ] {
        let victim = Victim::new();
        victim.commit(&[("a.c", text), ("twice.h", header), ("b.c", UNIT)]);
        let words = ["ir", "HEAD", "--build-timeout", "4s"];
        let found = ends(&victim, &words, Duration::from_secs(25));
        assert!(found.code == Some(0) && found.err.contains("a.c"), "{text}: {found:?}");
        if !header.is_empty() {
            assert!(found.err.contains("--build-timeout"), "{text}: {found:?}");
        }
    }
}

/// Every file is a trap: together they take what one may take, not as many times.
#[test]
fn many_traps_take_no_longer_than_one() {
    let victim = Victim::new();
    let twice = "#if __INCLUDE_LEVEL__ < 60\n#include \"twice.h\"\n#include \"twice.h\"\n#endif\n";
    let mut files = vec![("twice.h".to_owned(), twice.to_owned()), ("b.c".to_owned(), UNIT.to_owned())];
    files.extend((0..12).map(|at| (format!("trap{at}.c"), format!("#include \"twice.h\"\nint g{at};\n"))));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    victim.commit(&files);
    ends(&victim, &["ir", "HEAD", "--build-timeout", "6s"], Duration::from_secs(30));
}

/// A message of spaces: a few kilobytes in the repository. It is not unpacked to be looked at.
#[test]
fn messages_without_an_end_are_not_read() {
    let victim = Victim::new();
    victim.commit(&[("a.c", UNIT)]);
    let project = &victim.project;
    let [tree, parent] =
        ["HEAD^{tree}", "HEAD"].map(|what| project.git(&["rev-parse", what]).trim().to_owned());
    let person = "E <e@example.org> 1700000000 +0000";
    let head = format!("tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\n\n");
    project.write("commit", [head.as_bytes(), &vec![b'x'; 100 << 20]].concat());
    let made = project.git(&["hash-object", "-t", "commit", "-w", "commit"]);
    project.git(&["tag", "large", made.trim()]);
    for words in [
        &["versions", "large"][..],
        &["ir", "large"],
        &["functions", "HEAD", "large", "--syntax"],
        &["complexity", "large"],
        &["check", "HEAD..large"],
        &["history", "f", "HEAD", "large", "--syntax"],
    ] {
        let found = ends(&victim, words, Duration::from_secs(20));
        assert_eq!(found.code, Some(2), "{words:?}: {}", found.err);
        assert!(found.err.contains("are not read"), "{words:?}: {}", found.err);
    }
}
