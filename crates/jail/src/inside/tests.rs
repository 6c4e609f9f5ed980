#![allow(clippy::unwrap_used)]
use super::*;
use std::fs;
use std::os::unix::fs::symlink;

/// A tree with all that a repository may hold, beside a secret.
struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        fs::create_dir_all(root.join("in/deep")).unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        fs::write(folder.path().join("home/key"), "secret").unwrap();
        for name in ["plain", "in/plain", "in/deep/plain"] {
            fs::write(root.join(name), "plain").unwrap();
        }
        fs::File::create(root.join("huge")).unwrap().set_len(MOST + 1).unwrap();
        rustix::fs::mknodat(CWD, root.join("pipe"), rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        drop(std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap());
        let links = [
            ("to-plain", "in/plain"),
            ("in/up", "../plain"),
            ("in/deep/over", "../../in/deep/../plain"),
            ("folder", "in/deep"),
            ("chain", "to-plain"),
            ("out", "../secret"),
            ("in/out", "../../secret"),
            ("away", "/etc/passwd"),
            ("home", "../home"),
            ("in/home", "/proc/self/cwd"),
            ("device", "/dev/zero"),
            ("round", "round"),
            ("ping", "pong"),
            ("pong", "ping"),
            ("nowhere", "no/such"),
            ("to-pipe", "pipe"),
        ];
        for (name, target) in links {
            symlink(target, root.join(name)).unwrap();
        }
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    /// The same answer by the kernel's way and by ours.
    fn check(&self, name: &str, expect: &str) {
        let root = self.root();
        let tree = openat(CWD, &root, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
        let own = walk::open(&root, &tree, Path::new(name)).and_then(|file| content(file, MOST));
        for (way, found) in [("kernel", read(&root, Path::new(name), MOST)), ("own", own)] {
            let found = match found {
                Ok(bytes) => String::from_utf8(bytes).unwrap(),
                Err(refused) => refused.to_string(),
            };
            assert!(found.starts_with(expect), "{name} by {way}: {found}");
        }
    }
}

#[test]
fn what_is_inside_is_read() {
    let tree = Tree::new();
    for name in [
        "plain",
        "./plain",
        "in/plain",
        "in/../plain",
        "in/deep/../plain",
        "to-plain",
        "chain",
        "in/up",
        "in/deep/over",
        "folder/plain",
        "folder/../plain",
    ] {
        tree.check(name, "plain");
    }
}

#[test]
fn what_leads_out_is_refused() {
    let tree = Tree::new();
    let absolute = tree.folder.path().join("secret").display().to_string();
    for name in [
        "../secret",
        "in/../../secret",
        "/etc/passwd",
        "/dev/zero",
        &absolute,
        "out",
        "in/out",
        "away",
        "home/key",
        "in/home/x",
        "device",
        "folder/../../../secret",
    ] {
        tree.check(name, "it leads out of");
    }
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let tree = Tree::new();
    for name in ["in", "folder", "pipe", "to-pipe"] {
        tree.check(name, "it is not a regular file");
    }
    tree.check("socket", "it is not a regular file");
    tree.check("huge", "it is larger than");
    tree.check("round", "there are too many links");
    tree.check("ping", "there are too many links");
    for name in ["none", "nowhere", "plain/x", "in/none/x"] {
        tree.check(name, "there is no such file");
    }
}

#[test]
fn what_was_left_behind_is_no_link() {
    let tree = Tree::new();
    let read = |name: &str| read_left(&tree.root().join(name), 5);
    assert_eq!(read("plain").unwrap(), b"plain");
    for name in ["out", "device", "to-plain", "pipe", "socket", "huge", "in"] {
        assert!(read(name).is_err(), "{name}");
    }
    assert!(matches!(read_left(&tree.root().join("plain"), 4), Err(Refused::TooLarge { most: 4 })));
    assert!(matches!(read_named(Path::new("/dev/zero"), 4), Err(Refused::NotAFile("a device"))));
    assert_eq!(read_named(&tree.root().join("chain"), 5).unwrap(), b"plain");
}
