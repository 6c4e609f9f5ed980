//! The cache under kill, damage, full disks and company.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hydrogen_history::cache::{Cache, Error, Stored, Warning};

const PLENTY: u64 = 1 << 30;

fn key(number: u64) -> [u8; 32] {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes());
    key[8..16].copy_from_slice(&number.to_le_bytes());
    key
}

fn value(number: u64) -> Vec<u8> {
    format!("value {number} ").repeat(1 + (number % 400) as usize).into_bytes()
}

fn open(path: &Path) -> Cache {
    Cache::open(path, PLENTY).unwrap()
}

fn values_of(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![path.join("v1/values")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files.sort();
    files
}

#[test]
fn what_is_put_is_got_also_by_the_next_process() {
    let dir = tempfile::tempdir().unwrap();
    let cache = open(dir.path());
    assert_eq!(cache.get("ir", &key(1)), None);
    assert_eq!(cache.put("ir", &key(1), b"one"), Stored::Stored);
    assert_eq!(cache.put("ir", &key(1), b"one"), Stored::Stored);
    assert_eq!(cache.put("empty", &key(1), b""), Stored::Stored);
    assert_eq!(cache.get("ir", &key(1)).unwrap(), b"one");
    assert_eq!(cache.get("other", &key(1)), None, "kinds are separate");
    drop(cache);
    let cache = open(dir.path());
    assert_eq!(cache.get("ir", &key(1)).unwrap(), b"one");
    assert_eq!(cache.get("empty", &key(1)).unwrap(), b"");
    let stats = cache.stats();
    assert_eq!(stats.kinds["ir"].entries, 1);
    assert_eq!((stats.total().entries, stats.limit), (2, PLENTY));
    assert_eq!(cache.clear().total().entries, 2);
    assert_eq!(cache.stats().total().entries, 0);
    assert_eq!(cache.get("ir", &key(1)), None);
    assert_eq!(cache.put("ir", &key(1), b"one"), Stored::Stored);
    assert_eq!(cache.take_warnings(), []);
}

#[test]
fn the_least_recently_used_goes_first() {
    let dir = tempfile::tempdir().unwrap();
    let block = 4096;
    let cache = Cache::open(dir.path(), 20 * block).unwrap();
    for number in 0..20 {
        cache.put("k", &key(number), &[number as u8]);
        std::thread::sleep(Duration::from_millis(2));
    }
    cache.flush();
    assert_eq!(cache.stats().total().entries, 20, "at the limit is not over it");
    // The next one is over the limit: down to nine tenths, oldest first.
    cache.put("k", &key(20), b"x");
    cache.flush();
    let left: Vec<u64> = (0..21).filter(|n| cache.get("k", &key(*n)).is_some()).collect();
    assert_eq!(left, (3..21).collect::<Vec<_>>());
}

#[test]
fn a_use_keeps_a_value() {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::open(dir.path(), 10 * 4096).unwrap();
    for number in 0..10 {
        cache.put("k", &key(number), b"x");
    }
    std::thread::sleep(Duration::from_millis(5));
    // Before the index has heard of the writes, so the use counts at once.
    cache.get("k", &key(0)).unwrap();
    std::thread::sleep(Duration::from_millis(5));
    cache.put("k", &key(10), b"x");
    cache.flush();
    assert!(cache.get("k", &key(0)).is_some());
    assert!(cache.get("k", &key(10)).is_some());
    assert_eq!(cache.stats().total().entries, 9);
}

#[test]
fn a_damaged_value_is_a_miss_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    let cache = open(dir.path());
    for number in 0..3 {
        cache.put("k", &key(number), &value(300));
    }
    let files = values_of(dir.path());
    let mut bytes = fs::read(&files[0]).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&files[0], &bytes).unwrap();
    fs::write(&files[1], b"").unwrap();
    fs::copy(&files[2], &files[0]).unwrap();
    let hits = (0..3).filter(|n| cache.get("k", &key(*n)).is_some()).count();
    assert_eq!(hits, 1, "truncated, and moved to a wrong name");
    assert_eq!(values_of(dir.path()).len(), 1);
    assert!(matches!(cache.take_warnings()[..], [Warning::Damaged { .. }]));
    assert_eq!(cache.put("k", &key(0), b"again"), Stored::Stored);
}

fn damage_index(dir: &Path, damage: impl FnOnce(&mut Vec<u8>)) -> (Cache, Vec<Warning>) {
    {
        let cache = open(dir);
        for number in 0..200 {
            cache.put("k", &key(number), &value(number));
        }
    }
    let index = dir.join("v1/index.redb");
    let mut bytes = fs::read(&index).unwrap();
    damage(&mut bytes);
    fs::write(&index, bytes).unwrap();
    let cache = open(dir);
    let warnings = cache.take_warnings();
    (cache, warnings)
}

#[test]
fn a_corrupted_index_is_moved_aside_and_rebuilt() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 4] = [
        ("garbage", |bytes| *bytes = b"not a database".to_vec()),
        ("header", |bytes| bytes[..512].fill(0xff)),
        ("half", |bytes| bytes.truncate(bytes.len() / 2)),
        ("text", |bytes| bytes.iter_mut().for_each(|b| *b = b'x')),
    ];
    for (name, damage) in damages {
        let dir = tempfile::tempdir().unwrap();
        let (cache, warnings) = damage_index(dir.path(), damage);
        assert!(matches!(&warnings[..], [Warning::IndexRebuilt { .. }]), "{name}: {warnings:?}");
        assert!(dir.path().join("v1/index.damaged").exists());
        for number in 0..200 {
            assert_eq!(cache.get("k", &key(number)), Some(value(number)), "{name}");
        }
        drop(cache);
        assert_eq!(open(dir.path()).take_warnings(), [], "{name}: healed");
    }
}

/// Whatever happens to the index, values are served and stored.
#[test]
fn no_damage_of_the_index_costs_a_value() {
    for seed in 0..12usize {
        let dir = tempfile::tempdir().unwrap();
        let (cache, _) = damage_index(dir.path(), |bytes| {
            let length = bytes.len();
            for step in 0..64 {
                bytes[(seed * 7919 + step * 104_729) % length] ^= 0x5a;
            }
        });
        for number in 0..200 {
            assert_eq!(cache.get("k", &key(number)), Some(value(number)));
        }
        assert_eq!(cache.put("k", &key(999), b"new"), Stored::Stored);
        cache.gc();
        assert_eq!(cache.get("k", &key(999)).unwrap(), b"new");
    }
}

/// Not a test of its own: the body of the child processes below.
#[test]
fn child_writer() {
    let Ok(dir) = std::env::var("HYDROGEN_TEST_CACHE") else { return };
    let count: u64 = std::env::var("HYDROGEN_TEST_COUNT").unwrap().parse().unwrap();
    let cache = open(Path::new(&dir));
    for number in 0..count {
        assert_eq!(cache.put("k", &key(number), &value(number)), Stored::Stored);
        assert_eq!(cache.get("k", &key(number)), Some(value(number)));
        if number % 50 == 0 {
            cache.flush();
        }
    }
}

fn spawn_writer(dir: &Path, count: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "caches::child_writer"])
        .env("HYDROGEN_TEST_CACHE", dir)
        .env("HYDROGEN_TEST_COUNT", count.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_kill_at_any_moment_leaves_a_cache_that_opens() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..15u64 {
        let mut child = spawn_writer(dir.path(), u64::MAX);
        std::thread::sleep(Duration::from_millis(30 + 17 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let cache = open(dir.path());
        assert_eq!(cache.take_warnings(), [], "round {round}");
        let stored = cache.stats().total().entries;
        let whole = (0..stored + 10).filter(|n| cache.get("k", &key(*n)) == Some(value(*n))).count() as u64;
        assert_eq!(whole, stored, "every value that is there is whole");
        cache.gc();
        assert_eq!(cache.stats().total().entries, stored);
    }
}

#[test]
fn two_processes_and_this_one_use_it_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut children = [spawn_writer(dir.path(), 600), spawn_writer(dir.path(), 600)];
    let cache = open(dir.path());
    for number in 0..600 {
        assert_eq!(cache.put("k", &key(number + 300), &value(number + 300)), Stored::Stored);
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert!((0..900).all(|n| cache.get("k", &key(n)) == Some(value(n))));
    assert_eq!(cache.stats().total().entries, 900);
    assert_eq!(cache.take_warnings(), []);
}

/// A file system of its own; mounting needs root.
struct Mount(tempfile::TempDir);

impl Mount {
    fn new(test: &str, options: &str) -> Option<Mount> {
        let dir = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(dir.path())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !mounted {
            hydrogen_testkit::skip(&format!("{test}: it needs root to mount a small file system"));
            return None;
        }
        Some(Mount(dir))
    }

    fn remount_read_only(&self) {
        let status = Command::new("mount").args(["-o", "remount,ro"]).arg(self.0.path()).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_stores_nothing_and_fails_nothing() {
    let Some(mount) = Mount::new("a_full_disk_stores_nothing_and_fails_nothing", "size=6m") else { return };
    let cache = open(mount.0.path());
    let mut noise = vec![0; 300_000];
    blake3::Hasher::new().finalize_xof().fill(&mut noise);
    let outcomes: Vec<Stored> = (0..60).map(|n| cache.put("k", &key(n), &noise)).collect();
    assert_eq!(outcomes[0], Stored::Stored);
    assert_eq!(*outcomes.last().unwrap(), Stored::NotStored);
    cache.flush();
    for (number, outcome) in outcomes.iter().enumerate() {
        assert_eq!(cache.get("k", &key(number as u64)).is_some(), *outcome == Stored::Stored);
    }
    let warnings = cache.take_warnings();
    assert_eq!(warnings.iter().filter(|w| matches!(w, Warning::DiskFull { .. })).count(), 1, "{warnings:?}");
    assert!(!warnings.iter().any(|w| matches!(w, Warning::IndexRebuilt { .. })), "{warnings:?}");
    drop(cache);
    let cache = open(mount.0.path());
    assert!(cache.get("k", &key(0)).is_some());
    cache.clear();
    assert_eq!(cache.put("k", &key(0), &noise), Stored::Stored);
}

#[test]
fn a_disk_that_was_full_before_is_no_failure() {
    let Some(mount) = Mount::new("a_disk_that_was_full_before_is_no_failure", "size=1m") else { return };
    let mut filler = fs::File::create(mount.0.path().join("filler")).unwrap();
    while std::io::Write::write_all(&mut filler, &[0; 4096]).is_ok() {}
    let cache = open(mount.0.path());
    assert_eq!(cache.put("k", &key(0), b"x"), Stored::NotStored);
    assert_eq!(cache.get("k", &key(0)), None);
    assert!(!cache.take_warnings().is_empty());
}

#[test]
fn a_read_only_cache_is_read() {
    let Some(mount) = Mount::new("a_read_only_cache_is_read", "size=16m") else { return };
    open(mount.0.path()).put("k", &key(0), b"zero");
    mount.remount_read_only();
    let cache = open(mount.0.path());
    let warnings = cache.take_warnings();
    assert!(matches!(&warnings[..], [Warning::ReadOnly { .. }]), "{warnings:?}");
    assert_eq!(cache.get("k", &key(0)).unwrap(), b"zero");
    assert_eq!(cache.put("k", &key(1), b"one"), Stored::NotStored);
    assert_eq!(cache.stats().total().entries, 1);
    cache.gc();
    cache.clear();
    assert_eq!(cache.get("k", &key(0)).unwrap(), b"zero");
    assert_eq!(cache.take_warnings(), []);
}

#[test]
fn a_file_in_the_place_of_the_cache_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(matches!(Cache::open(file.path(), PLENTY), Err(Error::NotADirectory { .. })));
}

/// Not a limit that fails on a slow machine, but a figure to look at.
#[test]
fn small_gets_are_fast() {
    let dir = tempfile::tempdir().unwrap();
    let cache = open(dir.path());
    let count = 5000;
    let start = Instant::now();
    for number in 0..count {
        cache.put("k", &key(number), &value(number % 100));
    }
    let put = start.elapsed();
    let start = Instant::now();
    for number in 0..count {
        cache.get("k", &key(number)).unwrap();
    }
    let got = start.elapsed();
    drop(cache);
    let start = Instant::now();
    drop(open(dir.path()));
    let reopened = start.elapsed();
    eprintln!("{count} puts {put:?}, {count} gets {got:?}, open {reopened:?}");
}
