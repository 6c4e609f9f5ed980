//! Who wrote a statement: not whoever moved it, and not whoever mended a file that could not be read.
#![allow(clippy::unwrap_used)]

use hydrogen_history::{Objects, Repository};
use hydrogen_series::{Origins, Sought, Sure};
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Commits the texts of `a.c` one after the other; the number of the commit that wrote a line of the last one, and how sure that is.
fn origin(versions: &[&str], line: u32, text: &str) -> (usize, Sure) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q", "."]);
    let mut commits = Vec::new();
    for version in versions {
        std::fs::write(root.join("a.c"), version).unwrap();
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "-m", "step"]);
        commits.push(git(root, &["rev-parse", "HEAD"]).trim().to_owned());
    }
    let repository = Repository::open(&root.join(".git")).unwrap();
    let objects = Objects::new(&repository);
    let sought = Sought { file: "a.c".into(), line, text: text.into(), function: false };
    let found = Origins::new(&objects).of(commits.last().unwrap(), sought).unwrap().unwrap();
    (commits.iter().position(|commit| *commit == found.commit.commit).unwrap(), found.sure)
}

const LONG: &str = "total_of_all_values = total_of_all_values + 1";

#[test]
fn a_statement_that_moved_was_written_before() {
    let one = format!("int total_of_all_values;\nvoid f(int a) {{\n  {LONG};\n  a = 2;\n}}\n");
    let other_place = format!("int total_of_all_values;\nvoid f(int a) {{\n  a = 2;\n  {LONG};\n}}\n");
    assert_eq!(origin(&[&one, &other_place], 4, LONG), (0, Sure::Yes));
    let extracted = format!(
        "int total_of_all_values;\nstatic void count(void) {{\n  {LONG};\n}}\nvoid f(int a) {{\n  count();\n  a = 2;\n}}\n"
    );
    assert_eq!(origin(&[&one, &extracted], 3, LONG), (0, Sure::Yes));
    assert_eq!(origin(&[&one, &extracted], 6, "count()"), (1, Sure::Yes));
    // A second one of the same text is new: the first is still there.
    let copied = format!("{one}void g(void) {{\n  {LONG};\n}}\n");
    assert_eq!(origin(&[&one, &copied], 7, LONG), (1, Sure::Yes));
}

#[test]
fn mending_a_file_writes_nothing_behind_the_mended_place() {
    let whole = "int f(int a) {\n  if (a) {\n    a = 1;\n  }\n  return a;\n}\nint g(int b) {\n  b = b * 3;\n  return b;\n}\n";
    let broken = whole.replacen("    a = 1;\n  }\n", "    a = 1;\n", 1);
    assert_eq!(origin(&[whole, &broken, whole], 8, "b = b * 3"), (0, Sure::Yes));
    // Where no version before can be read, it is not known who wrote it.
    let (commit, sure) = origin(&[&broken, whole], 8, "b = b * 3");
    assert!(commit == 0 || sure == Sure::Unread, "{commit} {sure:?}");
}
