//! Files of versions; `git ls-tree` and `git diff-tree` are the oracle.

use hydrogen_history::tree::{Change, Trees, changed_files, files, read_blob};
use hydrogen_history::version::{Source, Version};

use crate::fixture::Repo;

pub fn rich() -> Repo {
    let repo = Repo::new();
    repo.write("main.c", "int main(void) { return 0; }\n");
    repo.write("a b/c\nd.c", "x");
    repo.write(b"bad-\xff\xfe.c", "y");
    repo.write("dir/sub/deep.h", "");
    repo.write("dir.c", "order: dir.c sorts before dir/");
    repo.write("run.sh", "#!/bin/sh\n");
    std::os::unix::fs::symlink("main.c", repo.path.join("link.c")).unwrap();
    std::fs::set_permissions(repo.path.join("run.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    repo.commit("rich");
    repo
}

fn listing(version: &Version) -> Vec<(String, Vec<u8>)> {
    files(version).unwrap().into_iter().map(|file| (file.oid.to_string(), file.path.to_vec())).collect()
}

fn ls_tree(repo: &Repo, rev: &str) -> Vec<(String, Vec<u8>)> {
    let output = std::process::Command::new("git")
        .args(["ls-tree", "-r", "-z", rev])
        .current_dir(&repo.path)
        .output()
        .unwrap();
    let mut lines: Vec<_> = output
        .stdout
        .split(|b| *b == 0)
        .filter(|line| !line.is_empty())
        .map(|line| {
            let tab = line.iter().position(|b| *b == b'\t').unwrap();
            let id = std::str::from_utf8(&line[..tab]).unwrap().split(' ').nth(2).unwrap();
            (id.to_string(), line[tab + 1..].to_vec())
        })
        .collect();
    lines.sort_by(|a, b| a.1.cmp(&b.1));
    lines
}

#[test]
fn files_are_those_of_git_ls_tree() {
    let repo = rich();
    assert_eq!(listing(&repo.version("HEAD")), ls_tree(&repo, "HEAD"));
    for file in files(&repo.version("HEAD")).unwrap() {
        let content = read_blob(&repo.version("HEAD"), &file).unwrap();
        assert_eq!(hydrogen_history::Oid::of_blob(&content), file.oid);
    }
}

#[test]
fn a_directory_gives_the_same_names_as_git() {
    let repo = rich();
    let version = Version { name: "dir".into(), source: Source::Directory(repo.path.clone()) };
    assert_eq!(files(&version).unwrap(), files(&repo.version("HEAD")).unwrap());
    for file in files(&version).unwrap() {
        assert_eq!(read_blob(&version, &file).unwrap(), read_blob(&repo.version("HEAD"), &file).unwrap());
    }
}

#[test]
fn a_single_path_is_read_without_listing() {
    let repo = rich();
    let trees = Trees::new();
    let version = repo.version("HEAD");
    assert_eq!(trees.read_path(&version, "a b/c\nd.c".into()).unwrap().unwrap(), b"x");
    assert_eq!(trees.read_path(&version, "a b".into()).unwrap(), None);
    assert_eq!(trees.read_path(&version, "none/at/all".into()).unwrap(), None);
}

#[test]
fn changes_are_those_of_git_diff_tree() {
    let repo = rich();
    repo.write("main.c", "int main(void) { return 1; }\n");
    repo.write("dir/sub/new.h", "n");
    std::fs::remove_file(repo.path.join("dir.c")).unwrap();
    std::fs::remove_file(repo.path.join("link.c")).unwrap();
    repo.write("link.c/was-a-link.c", "z");
    std::fs::set_permissions(repo.path.join("run.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .unwrap();
    repo.commit("changes");
    let changed = changed_files(&repo.version("HEAD~1"), &repo.version("HEAD")).unwrap();
    let mut found: Vec<String> = changed
        .iter()
        .map(|file| {
            let letter = match file.change {
                Change::Added(_) => "A",
                Change::Deleted(_) => "D",
                Change::Modified { .. } => "M",
            };
            format!("{letter}\t{}", file.path)
        })
        .collect();
    assert!(changed.windows(2).all(|pair| pair[0].path <= pair[1].path));
    let mut expect: Vec<String> = repo
        .git(&["diff-tree", "-r", "--name-status", "--no-renames", "HEAD~1", "HEAD"])
        .lines()
        .map(String::from)
        .collect();
    found.sort();
    expect.sort();
    assert_eq!(found, expect);
    assert!(changed_files(&repo.version("HEAD"), &repo.version("HEAD")).unwrap().is_empty());
}

#[test]
fn one_reader_serves_many_threads() {
    let repo = rich();
    let trees = Trees::new();
    let version = repo.version("HEAD");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for file in trees.files(&version).unwrap() {
                    trees.read(&version, &file).unwrap();
                }
            });
        }
    });
}

#[test]
fn a_missing_object_is_named() {
    let repo = rich();
    let id = repo.git(&["rev-parse", "HEAD:main.c"]).trim().to_string();
    let version = repo.version("HEAD");
    std::fs::remove_file(repo.path.join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    let file = files(&version).unwrap().into_iter().find(|file| file.path == "main.c").unwrap();
    let message = read_blob(&version, &file).unwrap_err().to_string();
    assert!(message.contains("main.c") && message.contains("git fsck"), "{message}");
}
