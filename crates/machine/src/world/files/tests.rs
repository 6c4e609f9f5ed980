#![allow(clippy::unwrap_used)]
use super::*;
use proptest::prelude::*;

/// Where programs start: so deep that the names below do not lead out of the test's folder.
const HERE: &str = "/u/v/w/x/";

#[derive(Debug, Clone)]
enum Act {
    Make(String),
    Create(String),
    Remove(String, bool),
    Rename(String, String),
}

fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof![4 => "[abc]", 1 => Just(".".to_owned()), 1 => Just("..".to_owned())];
    (proptest::collection::vec(part, 1..4), prop::bool::weighted(0.1))
        .prop_map(|(parts, slash)| format!("{HERE}{}{}", parts.join("/"), if slash { "/" } else { "" }))
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => name().prop_map(Act::Make),
        1 => name().prop_map(Act::Create),
        1 => (name(), any::<bool>()).prop_map(|(name, folder)| Act::Remove(name, folder)),
        3 => (name(), name()).prop_map(|(old, new)| Act::Rename(old, new)),
    ]
}

impl Act {
    fn here(&self, files: &mut Files) -> bool {
        match self {
            Act::Make(name) => files.make_folder(ROOT, name.as_bytes()).is_ok(),
            Act::Create(name) => {
                files.find(ROOT, name.as_bytes()).is_err() && files.create(ROOT, name.as_bytes()).is_ok()
            }
            Act::Remove(name, folder) => files.remove(ROOT, name.as_bytes(), *folder).is_ok(),
            Act::Rename(old, new) => {
                files.rename((ROOT, old.as_bytes()), (ROOT, new.as_bytes()), true).is_ok()
            }
        }
    }

    /// The same on the host's disk.
    fn there(&self, root: &Path) -> bool {
        let place = |name: &str| PathBuf::from(format!("{}{name}", root.display()));
        match self {
            Act::Make(name) => std::fs::create_dir(place(name)).is_ok(),
            Act::Create(name) => std::fs::File::create_new(place(name)).is_ok(),
            Act::Remove(name, true) => std::fs::remove_dir(place(name)).is_ok(),
            Act::Remove(name, false) => std::fs::remove_file(place(name)).is_ok(),
            Act::Rename(old, new) => std::fs::rename(place(old), place(new)).is_ok(),
        }
    }
}

/// All folders and files, by name.
fn all_here(files: &mut Files) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), vec![(ROOT, String::new())]);
    while let Some((id, path)) = open.pop() {
        for (name, id) in files.list(id).unwrap_or_default() {
            if !(path.is_empty() && (name == "dev" || name == "tmp")) {
                found.push(format!("{path}/{name}"));
                open.push((id, format!("{path}/{name}")));
            }
        }
    }
    found.sort();
    found
}

fn all_there(root: &Path) -> Vec<String> {
    let (mut found, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            found.push(format!("/{}", entry.path().strip_prefix(root).unwrap().display()));
            open.push(entry.path());
        }
    }
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Folders and names do what those of a disk do; above all, they stay a tree.
    #[test]
    fn names_are_as_on_a_disk(acts in proptest::collection::vec(act(), 1..30)) {
        let disk = tempfile::tempdir().unwrap();
        let mut files = Files::default();
        let mut folder = String::new();
        for part in HERE.split('/').filter(|part| !part.is_empty()) {
            folder = format!("{folder}/{part}");
            files.make_folder(ROOT, folder.as_bytes()).unwrap();
            std::fs::create_dir(format!("{}{folder}", disk.path().display())).unwrap();
        }
        for act in &acts {
            prop_assert_eq!(act.here(&mut files), act.there(disk.path()), "{:?}", act);
            prop_assert_eq!(all_here(&mut files), all_there(disk.path()), "{:?}", act);
        }
    }
}

/// What was moved with its folder is told as a file that the program made.
#[test]
fn files_move_with_their_folder() {
    let host = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(host.path().join("in/deep")).unwrap();
    std::fs::write(host.path().join("in/deep/one"), "1").unwrap();
    std::os::unix::fs::symlink("..", host.path().join("in/deep/round")).unwrap();
    let mut files = Files::default();
    files.map(host.path(), b"/").unwrap();
    files.rename((ROOT, b"/in"), (ROOT, b"/tmp/out"), true).unwrap();
    let made: Vec<String> = files.known(true).into_iter().map(|(name, _)| name.to_string()).collect();
    assert!(made.contains(&"/tmp/out/deep/one".to_owned()) && made.len() < 4, "{made:?}");
    assert_eq!(files.find(ROOT, b"/tmp/out/.."), files.find(ROOT, b"/tmp"));
    assert_eq!(files.rename((ROOT, b"/tmp/out"), (ROOT, b"/tmp"), false), Err(EEXIST));
}
