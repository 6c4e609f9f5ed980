//! Files that a repository names: only those inside of it are read, and only if they are plain files of a sensible size.

use crate::attacks::{KEY, UNIT, Victim};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const OLD: &str = "int f(int x) { return x; }\nint main(void) { return f(1); }\n";
const CONTRACTS: &str = "pure frobnicate\n";

/// Everything that may stand behind a name, with what is said of it; nothing is said of what is read.
const NAMES: &[(&str, &str)] = &[
    ("HOME/.ssh/id", "leads out of"),
    ("../../../../../../HOME/.ssh/id", "leads out of"),
    ("../outside", "leads out of"),
    ("in/../../outside", "leads out of"),
    ("/dev/zero", "leads out of"),
    ("/proc/self/environ", "leads out of"),
    ("link-to-key", "leads out of"),
    ("link-up", "leads out of"),
    ("link-to-home/.ssh/id", "leads out of"),
    ("in/link-to-home/.ssh/id", "leads out of"),
    ("link-to-proc/environ", "leads out of"),
    ("link-to-device", "leads out of"),
    ("link-to-link", "leads out of"),
    ("pipe", "not a regular file"),
    ("link-to-pipe", "not a regular file"),
    ("socket", "not a regular file"),
    ("in", "not a regular file"),
    ("huge", "larger than"),
    ("round", "too many links"),
    ("bytes", "not UTF-8"),
    ("none", "no such file"),
    ("in/contracts", ""),
    ("./in/../in/contracts", ""),
    ("link-inside", ""),
    ("folder/contracts", ""),
];

/// A work tree with all of these.
fn victim() -> Victim {
    let victim = Victim::new();
    let root = victim.project.root();
    std::fs::create_dir(root.join("in")).unwrap();
    std::fs::write(root.join("in/contracts"), CONTRACTS).unwrap();
    std::fs::write(root.parent().unwrap().join("outside"), KEY).unwrap();
    std::fs::write(root.join("bytes"), b"\xff\xfe").unwrap();
    std::fs::File::create(root.join("huge")).unwrap().set_len(1 << 40).unwrap();
    let key = victim.home.path().join(".ssh/id");
    let home = victim.home.path();
    let links: [(&str, &Path); 12] = [
        ("link-to-key", &key),
        ("link-up", Path::new("../outside")),
        ("link-to-home", home),
        ("in/link-to-home", home),
        ("link-to-proc", Path::new("/proc/self")),
        ("link-to-device", Path::new("/dev/zero")),
        ("link-to-link", Path::new("link-to-key")),
        ("link-to-pipe", Path::new("pipe")),
        ("round", Path::new("round")),
        ("link-inside", Path::new("in/contracts")),
        ("folder", Path::new("in")),
        ("nowhere", Path::new("no/such")),
    ];
    for (name, target) in links {
        symlink(target, root.join(name)).unwrap();
    }
    assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
    drop(std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap());
    victim
}

/// Runs a command that must end at once, and takes nothing.
fn at_once(victim: &Victim, words: &[&str]) -> crate::project::Run {
    let started = Instant::now();
    let found = victim.hydrogen(words);
    assert!(started.elapsed() < Duration::from_secs(30), "{words:?}: {found:?}");
    found
}

#[test]
fn contracts_are_read_inside_of_the_tree_alone() {
    let victim = victim();
    let project = &victim.project;
    // Only what is checked is committed: what else lies there is in the work tree.
    for text in [OLD, "int f(int x) { return x + 1; }\nint main(void) { return f(1); }\n"] {
        project.write("a.c", text);
        project.git(&["add", "a.c"]);
        project.git(&["commit", "-q", "-m", "a change"]);
    }
    for (name, said) in NAMES {
        let name = victim.fill(name);
        project.write("hydrogen.toml", format!("[analysis]\ncontracts = [\"{name}\"]\n"));
        let found = at_once(&victim, &["check", "HEAD~1..HEAD"]);
        match *said {
            "" => assert!(!found.err.contains("cannot read"), "{name}: {found:?}"),
            said => {
                assert_eq!(found.code, Some(2), "{name}: {found:?}");
                assert!(found.err.contains("contracts") && found.err.contains(said), "{name}: {found:?}");
            }
        }
    }
}

#[test]
fn the_configuration_itself_is_read_inside_of_the_tree_alone() {
    let victim = victim();
    victim.project.write("a.c", UNIT);
    victim.project.git(&["add", "a.c"]);
    victim.project.git(&["commit", "-q", "-m", "one"]);
    let place = victim.project.root().join("hydrogen.toml");
    for target in ["HOME/.ssh/id", "/dev/zero", "../outside", "pipe", "link-to-home/.ssh/id", "huge", "round"]
    {
        symlink(victim.fill(target), &place).unwrap();
        let found = at_once(&victim, &["ir", "HEAD"]);
        assert!(found.code == Some(2) && found.err.contains("cannot read"), "{target}: {found:?}");
        // The same folder as a version.
        let found = at_once(&victim, &["ir", "here=."]);
        assert!(found.code == Some(2), "{target}: {found:?}");
        std::fs::remove_file(&place).unwrap();
    }
    assert!(Command::new("mkfifo").arg(&place).status().unwrap().success());
    let found = at_once(&victim, &["ir", "HEAD"]);
    assert!(found.code == Some(2) && found.err.contains("not a regular file"), "{found:?}");
}

/// A file says itself of which file a line is, and lines are shown with what was found.
#[test]
fn a_line_of_another_file_is_not_shown() {
    let victim = Victim::new();
    for place in ["HOME/.ssh/id", "../../../../../../../HOME/.ssh/id", "/dev/zero"] {
        let text = format!("int main(int c, char **v) {{\n#line 1 \"{place}\"\n  return c / (c - 1);\n}}\n");
        victim.project.write("a.c", victim.fill(&text));
        for words in [
            &["run", "a.c"][..],
            &["slice", "a.c"],
            &["depends", "a.c"],
            &["explore", "a.c", "--budget", "5s"],
        ] {
            at_once(&victim, words);
        }
    }
}

/// What a build leaves in the place of files that are read after it.
#[test]
fn what_a_build_leaves_is_read_inside_of_the_checkout_alone() {
    for line in [
        "ln -sf HOME/.ssh/id compile_commands.json",
        "ln -sf /dev/zero compile_commands.json",
        "mkfifo compile_commands.json",
        "rm -rf src; ln -s HOME/.ssh src",
        "ln -sf /dev/zero src/b.c; ln -sf HOME/.ssh/id src/c.h",
        "mkfifo src/d.c src/e.h",
    ] {
        let victim = Victim::new();
        let makefile = format!("all:\n\tcc -c a.c\n\t-{line}\n");
        victim.commit(&[("Makefile", &makefile), ("a.c", UNIT), ("src/x.c", UNIT)]);
        let found = at_once(&victim, &["ir", "HEAD"]);
        assert_eq!(found.code, Some(0), "{line}: {found:?}");
    }
}
