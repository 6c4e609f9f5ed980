//! Versions as directories.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use hydrogen_history::checkout::{Checkouts, Problem};
use hydrogen_history::tree;
use hydrogen_history::version::{Source, Version};
use proptest::prelude::*;

use crate::fixture::Repo;
use crate::trees::rich;

/// Path, kind and content id of everything below a directory; empty folders too.
fn contents(root: &Path) -> BTreeMap<String, String> {
    let version = Version { name: "x".into(), source: Source::Directory(root.to_path_buf()) };
    let files = tree::files(&version).unwrap();
    files
        .into_iter()
        .map(|file| (format!("{:?}", file.path), format!("{:?} {}", file.kind, file.oid)))
        .collect()
}

fn expected(version: &Version) -> BTreeMap<String, String> {
    let files = tree::files(version).unwrap();
    files
        .into_iter()
        .map(|file| (format!("{:?}", file.path), format!("{:?} {}", file.kind, file.oid)))
        .collect()
}

#[test]
fn a_lease_holds_exactly_the_version() {
    let repo = rich();
    let checkouts = Checkouts::open(&repo.dir.path().join("slots")).unwrap();
    let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
    assert_eq!(contents(lease.path()), expected(&repo.version("HEAD")));
    assert_eq!(lease.problems(), []);
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "the work tree is untouched");
    let times: Vec<i64> = ["main.c", "dir.c", "run.sh"]
        .map(|name| fs::metadata(lease.path().join(name)).unwrap().mtime())
        .to_vec();
    assert!(
        times.windows(2).all(|pair| pair[0] == pair[1]),
        "make sees nothing newer than anything: {times:?}"
    );
}

#[test]
fn moving_a_slot_writes_only_what_differs() {
    let repo = rich();
    repo.write("main.c", "changed");
    repo.commit("two");
    let checkouts = Checkouts::open(&repo.dir.path().join("slots")).unwrap();
    let inode = |path: &Path| fs::metadata(path.join("dir.c")).unwrap().ino();
    let first = {
        let lease = checkouts.lease(&repo.version("HEAD~1")).unwrap();
        inode(lease.path())
    };
    let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
    assert_eq!(inode(lease.path()), first, "the file that did not change was not written again");
    assert_eq!(fs::read(lease.path().join("main.c")).unwrap(), b"changed");
}

#[test]
fn droppings_and_damage_of_a_build_are_gone() {
    let repo = rich();
    let checkouts = Checkouts::open(&repo.dir.path().join("slots")).unwrap();
    {
        let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
        let root = lease.path();
        fs::write(root.join("main.o"), "object").unwrap();
        fs::create_dir_all(root.join("build/x")).unwrap();
        fs::write(root.join("build/x/y"), "").unwrap();
        fs::set_permissions(root.join("build/x"), fs::Permissions::from_mode(0o500)).unwrap();
        fs::write(root.join("main.c"), "int main(void) { return 7; }\n").unwrap();
        fs::remove_file(root.join("dir.c")).unwrap();
        fs::remove_file(root.join("link.c")).unwrap();
        fs::create_dir(root.join("link.c")).unwrap();
        fs::set_permissions(root.join("run.sh"), fs::Permissions::from_mode(0o644)).unwrap();
        fs::remove_dir_all(root.join("dir")).unwrap();
        std::os::unix::fs::symlink("/", root.join("dir")).unwrap();
        fs::write(lease.scratch().join("log"), "").unwrap();
    }
    let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
    assert_eq!(contents(lease.path()), expected(&repo.version("HEAD")));
    assert!(!lease.path().join("build").exists());
    assert_eq!(fs::read_dir(lease.scratch()).unwrap().count(), 0);
}

#[test]
fn a_change_of_the_same_size_in_the_same_instant_is_seen() {
    let repo = rich();
    let checkouts = Checkouts::open(&repo.dir.path().join("slots")).unwrap();
    for _ in 0..20 {
        let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
        assert_eq!(fs::read(lease.path().join("a b/c\nd.c")).unwrap(), b"x");
        let file = fs::File::options().write(true).open(lease.path().join("a b/c\nd.c")).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, b"z", 0).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).unwrap();
    }
}

#[test]
fn a_slot_whose_manifest_is_lost_or_damaged_is_rewritten() {
    let repo = rich();
    let slots = repo.dir.path().join("slots");
    let checkouts = Checkouts::open(&slots).unwrap();
    for damage in 0..2 {
        let root = checkouts.lease(&repo.version("HEAD")).unwrap().path().to_path_buf();
        fs::write(root.join("main.c"), "half").unwrap();
        fs::write(root.join("left-over"), "half").unwrap();
        let manifest = slots.join("slot-000/manifest");
        match damage {
            0 => fs::remove_file(&manifest).unwrap(),
            _ => {
                let mut bytes = fs::read(&manifest).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                fs::write(&manifest, bytes).unwrap();
            }
        }
        let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
        assert_eq!(contents(lease.path()), expected(&repo.version("HEAD")));
    }
}

#[test]
fn slots_grow_and_are_given_back() {
    let repo = rich();
    let slots = repo.dir.path().join("slots");
    let checkouts = Checkouts::open(&slots).unwrap();
    let version = repo.version("HEAD");
    let one = checkouts.lease(&version).unwrap();
    let two = Checkouts::open(&slots).unwrap().lease(&version).unwrap();
    assert_ne!(one.path(), two.path());
    let first = one.path().to_path_buf();
    drop(one);
    let three = checkouts.lease(&version).unwrap();
    assert_eq!(three.path(), first);
    drop((two, three));
    assert_eq!(fs::read_dir(&slots).unwrap().count(), 2);
}

/// A partial clone, or a damaged one: what is not there costs its file.
#[test]
fn a_file_whose_content_is_missing_is_left_out() {
    let repo = Repo::new();
    repo.write("main.c", "int main(void) { return 0; }\n");
    repo.write("data.bin", "large");
    repo.commit("both");
    let blob = repo.git(&["rev-parse", "HEAD:data.bin"]);
    let (folder, name) = blob.trim().split_at(2);
    fs::remove_file(repo.path.join(".git/objects").join(folder).join(name)).unwrap();
    let checkouts = Checkouts::open(&repo.dir.path().join("slots")).unwrap();
    let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
    assert!(lease.path().join("main.c").exists() && !lease.path().join("data.bin").exists());
    assert!(matches!(lease.problems(), [Problem::Unreadable { path, .. }] if path == "data.bin"));
}

#[test]
fn links_out_of_the_version_and_submodules_are_reported() {
    let repo = rich();
    std::os::unix::fs::symlink("/etc/passwd", repo.path.join("absolute")).unwrap();
    std::os::unix::fs::symlink("../../outside", repo.path.join("dir/up")).unwrap();
    std::os::unix::fs::symlink("../main.c", repo.path.join("dir/fine")).unwrap();
    let other = Repo::new();
    other.write("f", "f");
    other.commit("sub");
    repo.git(&["submodule", "--quiet", "add", other.path.to_str().unwrap(), "third party"]);
    repo.commit("links");
    let brought = Checkouts::open(&repo.dir.path().join("brought")).unwrap();
    let lease = brought.lease(&repo.version("HEAD")).unwrap();
    assert_eq!(fs::read_to_string(lease.path().join("third party/f")).unwrap(), "f");
    assert!(!lease.problems().iter().any(|one| matches!(one, Problem::Submodule { .. })));
    // As in a clone, before `git submodule update --init`.
    fs::remove_dir_all(repo.path.join(".git/modules")).unwrap();
    fs::remove_dir_all(repo.path.join("third party")).unwrap();
    let checkouts = Checkouts::open(&repo.dir.path().join("slots")).unwrap();
    let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
    assert_eq!(
        lease.problems(),
        [
            Problem::EscapingSymlink { path: "absolute".into(), target: "/etc/passwd".into() },
            Problem::EscapingSymlink { path: "dir/up".into(), target: "../../outside".into() },
            Problem::Submodule { path: "third party".into() },
        ]
    );
    assert!(fs::symlink_metadata(lease.path().join("absolute")).is_err());
    assert_eq!(fs::read_dir(lease.path().join("third party")).unwrap().count(), 0);
    assert!(lease.path().join("dir/fine").exists());
    drop(lease);
    // Twice: the submodule's folder and the refused links survive the reuse of the slot.
    let lease = checkouts.lease(&repo.version("HEAD")).unwrap();
    assert_eq!(lease.problems().len(), 3);
    assert!(lease.path().join("third party").is_dir());
}

#[test]
fn a_directory_version_is_copied_and_not_touched() {
    let repo = rich();
    let before = contents(&repo.path);
    let version = Version { name: "dir".into(), source: Source::Directory(repo.path.clone()) };
    let checkouts = Checkouts::open(&repo.dir.path().join("slots")).unwrap();
    let lease = checkouts.lease(&version).unwrap();
    assert_eq!(contents(lease.path()), before);
    fs::write(lease.path().join("main.c"), "other").unwrap();
    assert_eq!(contents(&repo.path), before);
}

/// A small tree: paths from a tiny alphabet collide often, as files and as folders.
fn tree_of_files() -> impl Strategy<Value = BTreeMap<String, (u8, u8)>> {
    proptest::collection::btree_map("[ab](/[ab]){0,2}", (0..3u8, 0..3u8), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn a_reused_slot_equals_a_fresh_one(trees in proptest::collection::vec(tree_of_files(), 1..5), dirty in any::<u8>()) {
        let repo = Repo::new();
        let checkouts = Checkouts::open(&repo.dir.path().join("reused")).unwrap();
        for (round, files) in trees.iter().enumerate() {
            for name in ["a", "b"] {
                let path = repo.path.join(name);
                if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
                    fs::remove_dir_all(&path).unwrap();
                } else {
                    let _ = fs::remove_file(&path);
                }
            }
            for (path, (content, kind)) in files {
                let place = repo.path.join(path);
                if fs::create_dir_all(place.parent().unwrap()).is_err() || fs::symlink_metadata(&place).is_ok() {
                    continue;
                }
                match kind {
                    2 => std::os::unix::fs::symlink(format!("t{content}"), &place).unwrap(),
                    _ => {
                        fs::write(&place, [b'0' + content]).unwrap();
                        fs::set_permissions(&place, fs::Permissions::from_mode(if *kind == 1 { 0o755 } else { 0o644 })).unwrap();
                    }
                }
            }
            repo.commit("round");
            let version = repo.version("HEAD");
            let fresh = Checkouts::open(&repo.dir.path().join(format!("fresh{round}"))).unwrap().lease(&version).unwrap();
            let reused = checkouts.lease(&version).unwrap();
            prop_assert_eq!(contents(reused.path()), contents(fresh.path()));
            prop_assert_eq!(contents(reused.path()), expected(&version));
            if dirty & (1 << round) != 0 {
                let _ = fs::write(reused.path().join("a"), "dirt");
                let _ = fs::write(reused.path().join("b"), "dirt");
            }
        }
    }
}
