//! Folders that somebody else prepared before the tool came, and what builds leave in those that stay.

use super::{UNIT, Victim};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::Path;

/// Everything that keeps something between runs.
const COMMANDS: &[&str] = &[
    "run a.c",
    "slice a.c",
    "depends a.c",
    "explore a.c --budget 3s",
    "compare HEAD~1..HEAD --budget 3s",
    "compare HEAD~1..HEAD --inputs arg:1:2 --budget 3s -- 12",
    "expose HEAD~1..HEAD --budget 3s",
    "why HEAD~1 HEAD -- 3",
    "review HEAD~1..HEAD --budget 3s",
    "explain x",
    "check HEAD~1..HEAD --budget 3s",
    "delta HEAD~1..HEAD",
    "mine introduced --good HEAD~1 --bad HEAD --build true --test false",
    "doctor",
    "cache",
    "cache clear",
    "cache clean",
];

fn victim() -> Victim {
    let victim = Victim::new();
    let text = |body: &str| {
        format!("int f(int x) {{ return {body}; }}\nint main(int c, char **v) {{ return f(c); }}\n")
    };
    victim.commit(&[("a.c", &text("x / 2"))]);
    victim.commit(&[("a.c", &text("x / (x - 1)"))]);
    victim
}

/// What is precious to the victim: a folder with files that have the names of ours.
fn precious(place: &Path) {
    std::fs::create_dir_all(place.join("klee")).unwrap();
    for name in ["hydrogen.h", "lock", "index.redb", "manifest", "a.json", "CACHEDIR.TAG"] {
        std::fs::write(place.join(name), "precious").unwrap();
    }
}

fn is_whole(place: &Path) -> bool {
    let files = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.is_file()).collect();
    files.len() == 6
        && files.iter().all(|path| std::fs::read_to_string(path).unwrap() == "precious")
        && std::fs::read_dir(place.join("klee")).unwrap().count() == 0
}

/// Runs all commands with a cache that is prepared anew each time; nothing outside of it is touched, and it is refused.
fn refused(prepare: impl Fn(&Path, &Path)) {
    let victim = victim();
    let place = victim.project.root().parent().unwrap().join("precious");
    for line in COMMANDS {
        let cache = victim.project.cache();
        let _ = std::fs::remove_dir_all(&cache);
        let _ = std::fs::remove_file(&cache);
        let _ = std::fs::remove_dir_all(&place);
        precious(&place);
        std::fs::create_dir(&cache).unwrap();
        prepare(&cache, &place);
        let found = victim.hydrogen(&line.split(' ').collect::<Vec<_>>());
        assert!(is_whole(&place), "{line}: {found:?}");
        assert_ne!(found.code, Some(0), "{line}: {found:?}");
        let said = found.out.clone() + &found.err;
        let why = ["belongs to another user", "is a link", "everybody can write"];
        assert!(why.iter().any(|why| said.contains(why)), "{line}: {found:?}");
    }
}

const KEPT: [&str; 6] = ["include", "explore", "compare", "reviews", "checkouts", "v1"];

#[test]
fn links_in_the_cache_are_not_followed() {
    refused(|cache, precious| KEPT.iter().for_each(|name| symlink(precious, cache.join(name)).unwrap()));
}

/// Only the administrator can make folders of other users.
#[test]
fn a_cache_of_somebody_else_is_not_used() {
    if std::fs::metadata(Victim::new().project.root()).unwrap().uid() != 0 {
        return;
    }
    refused(|cache, _| {
        std::fs::set_permissions(cache, PermissionsExt::from_mode(0o1777)).unwrap();
        chown(cache, Some(4242), None).unwrap();
    });
    // One's own, in which another user put something while everybody could.
    refused(|cache, precious| {
        symlink(precious, cache.join("include")).unwrap();
        lchown(cache.join("include"), Some(4242), None).unwrap();
        std::fs::set_permissions(cache, PermissionsExt::from_mode(0o1777)).unwrap();
    });
    refused(|cache, precious| {
        std::fs::create_dir_all(cache.join("explore/deep")).unwrap();
        symlink(precious.join("a.json"), cache.join("explore/deep/a.jsonl")).unwrap();
        lchown(cache.join("explore/deep/a.jsonl"), Some(4242), None).unwrap();
        std::fs::set_permissions(cache, PermissionsExt::from_mode(0o770)).unwrap();
    });
}

#[test]
fn everybody_can_write_into_a_folder_of_the_cache() {
    refused(|cache, _| {
        for name in KEPT {
            std::fs::create_dir(cache.join(name)).unwrap();
            std::fs::set_permissions(cache.join(name), PermissionsExt::from_mode(0o777)).unwrap();
        }
    });
}

/// Whatever a build, a test or a native run does to modes.
#[test]
fn nothing_stays_that_runs_as_somebody_else() {
    for line in [
        "cp /bin/true evil-su; chmod 4755 evil-su; chmod 2755 evil-su .",
        "cp /bin/true evil-su; chmod u+s,g+s evil-su; mkdir -p d/e; cp evil-su d/e; chmod 6755 d/e/evil-su; chmod 0 d",
        "cp /bin/true $HOME/evil-su; chmod 6755 $HOME/evil-su; cp -p $HOME/evil-su $TMPDIR; chmod 3777 $TMPDIR",
        "python3 -c \"import os; os.open('evil-su', os.O_CREAT | os.O_WRONLY, 0o6755)\"; chmod +s evil-su",
        "install -m 6755 /bin/true evil-su; ln evil-su evil-other",
    ] {
        let victim = Victim::new();
        let makefile = format!("all:\n\tcc -c a.c\n\t-{}\n", line.replace('$', "$$"));
        victim.commit(&[("Makefile", &makefile), ("a.c", UNIT)]);
        let found = victim.hydrogen(&["ir", "HEAD"]);
        assert_eq!(found.code, Some(0), "{line}: {found:?}");
        let mut open = vec![victim.project.cache()];
        while let Some(path) = open.pop() {
            let stat = std::fs::symlink_metadata(&path).unwrap();
            assert_eq!(stat.mode() & 0o6000, 0, "{line}: {}", path.display());
            if path == victim.project.cache() || path.file_name().is_some_and(|name| name == "checkouts") {
                assert_eq!(stat.mode() & 0o077, 0, "{}", path.display());
            }
            if stat.is_dir() {
                open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
    }
}

/// In a folder where everybody writes, nobody else's file or link is in the way of a result.
#[test]
fn results_are_not_written_through_guessed_names() {
    let victim = victim();
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    std::fs::write(&precious, "precious").unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    // As many names as the tool could have had, if it took them from its number.
    let own = std::process::id();
    for number in own..own + 3000 {
        symlink(&precious, out.join(format!(".hydrogen-{number}.mode"))).unwrap();
    }
    let to = out.join("ir.txt").display().to_string();
    let found = victim.hydrogen(&["ir", "HEAD", "-o", &to]);
    assert_eq!(found.code, Some(0), "{found:?}");
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
}
