//! replay(record(P)) = P, and nothing of a record is believed.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::{recorded, start};
use hydrogen_env::record::{End, Event, Record};
use hydrogen_env::{Order, Replayed, decode, encode, replay};
use proptest::prelude::*;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn replayed(record: &Record) -> Replayed {
    let order = Order {
        start: &record.start,
        streams: [Stdio::null(), Stdio::null(), Stdio::null()],
        most: Some(Duration::from_secs(60)),
        linger: None,
        copied: None,
        cancel: Default::default(),
    };
    replay(record, order).unwrap()
}

/// What a record says was written to standard output.
fn written(record: &Record) -> Vec<u8> {
    let world = hydrogen_env::World::new(record);
    let mut all = Vec::new();
    for at in 0..world.calls.len() {
        if world.outputs.contains(&at) && world.calls[at].result > 0 {
            all.extend(world.calls[at].given(1).unwrap_or_default());
        }
    }
    all
}

fn check(command: &[&str]) -> Record {
    let folder = tempfile::tempdir().unwrap();
    let record = recorded(start(folder.path(), command, &[]));
    assert!(matches!(record.end, End::Ended(_)), "{command:?} {:?}", record.end);
    let again = replayed(&record);
    assert_eq!((again.diverged, again.calls), (None, record.count()), "{command:?}");
    assert_eq!(again.output, written(&record), "{command:?}");
    assert_eq!(End::Ended(again.ran.status.unwrap()), record.end, "{command:?}");
    record
}

#[test]
fn programs_replay() {
    for command in [
        &["true"][..],
        &["date", "+%N"],
        &["ls", "-l", "/"],
        &["sh", "-c", "echo hi | cat; ls / | sort | head -3"],
        &["bash", "-c", "echo $RANDOM $$; for i in 1 2 3; do (echo $i) & done; wait; exit 7"],
        &["bash", "-c", "trap 'echo caught' USR1; kill -USR1 $$; echo after"],
        &["bash", "-c", "kill -9 $$"],
        &[
            "/usr/bin/python3.11",
            "-c",
            "import os, random, time; print(os.getpid(), random.random(), time.time())",
        ],
        &[
            "/usr/bin/python3.11",
            "-c",
            "import threading\nfor i in range(4):\n  t = threading.Thread(target=print, args=(i,)); t.start(); t.join()",
        ],
        &["/usr/bin/python3.11", "-c", "import subprocess; print(subprocess.check_output(['date', '+%N']))"],
        &["perl", "-e", "print time, rand, `hostname`"],
        &["sqlite3", "a.db", "create table t(x); insert into t values (random()); select * from t"],
        &["git", "init", "."],
        &["sleep", "0.1"],
    ] {
        check(command);
    }
}

/// A part of a small program in C.
fn part() -> impl Strategy<Value = String> {
    let name = "[a-c]";
    prop_oneof![
        (name, "[a-z]{0,12}").prop_map(|(name, text)| format!(
            "{{ int fd = open(\"{name}\", O_WRONLY|O_CREAT|O_APPEND, 0644); if (fd >= 0) {{ write(fd, \"{text}\", {}); close(fd); }} }}",
            text.len()
        )),
        name.prop_map(|name| format!(
            "{{ char b[64]; int fd = open(\"{name}\", O_RDONLY); int n = fd < 0 ? -errno : read(fd, b, 64); say(n); if (n > 0) say(b[0]); if (fd >= 0) close(fd); }}"
        )),
        Just("{ int p[2]; pipe(p); write(p[1], \"xyz\", 3); char b[3]; say(read(p[0], b, 3)); close(p[0]); close(p[1]); }".into()),
        Just("{ struct timespec t; clock_gettime(CLOCK_REALTIME, &t); say(t.tv_nsec); }".into()),
        Just("{ unsigned r; getrandom(&r, sizeof r, 0); say(r % 1000); }".into()),
        Just("{ say(getpid()); say(getppid()); }".into()),
        name.prop_map(|name| format!(
            "{{ int fd = open(\"{name}\", O_RDWR|O_CREAT, 0644); ftruncate(fd, 4096); char *m = mmap(0, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE, fd, 0); if (m != MAP_FAILED) {{ say(m[0]); m[1] = 7; munmap(m, 4096); }} close(fd); }}"
        )),
        (1..4_u8).prop_map(|code| format!(
            "{{ pid_t c = fork(); if (c == 0) {{ say(getpid()); _exit({code}); }} int s; say(waitpid(c, &s, 0) == c); say(WEXITSTATUS(s)); }}"
        )),
        Just("{ int p[2]; pipe(p); pid_t c = fork(); if (c == 0) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); write(p[1], &t, sizeof t); _exit(0); } struct timespec t; read(p[0], &t, sizeof t); say(t.tv_nsec); waitpid(c, 0, 0); close(p[0]); close(p[1]); }".into()),
        Just("{ pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); say(shared); }".into()),
        Just("{ struct stat s; say(stat(\"a\", &s) ? -errno : (long)s.st_mtim.tv_nsec); }".into()),
        Just("{ void *m = malloc(300000); say(((long)m) & 0xfff); free(m); }".into()),
        Just("{ signal(SIGUSR1, caught); raise(SIGUSR1); say(shared); }".into()),
    ]
}

const HEAD: &str = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <fcntl.h>\n#include <errno.h>\n#include <time.h>\n#include <signal.h>\n#include <pthread.h>\n#include <sys/mman.h>\n#include <sys/stat.h>\n#include <sys/wait.h>\n#include <sys/random.h>\nstatic long shared;\nstatic void say(long x) { char b[32]; int n = snprintf(b, 32, \"%ld\\n\", x); write(1, b, n); }\nstatic void caught(int s) { shared += s; }\nstatic void *work(void *x) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); shared += t.tv_nsec; return x; }\n";

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same calls, the same output, the same end.
    #[test]
    fn random_programs_replay(parts in prop::collection::vec(part(), 1..8)) {
        let folder = tempfile::tempdir().unwrap();
        let source = format!("{HEAD}int main(void) {{\n{}\nreturn 3; }}\n", parts.join("\n"));
        std::fs::write(folder.path().join("p.c"), source).unwrap();
        let built = Command::new("cc").args(["-w", "-pthread", "-o", "p", "p.c"]).current_dir(folder.path()).status().unwrap();
        prop_assert!(built.success());
        let program = folder.path().join("p");
        let record = recorded(start(folder.path(), &[program.to_str().unwrap()], &[]));
        let again = replayed(&record);
        prop_assert_eq!((again.diverged, again.calls), (None, record.count()));
        prop_assert_eq!(again.output, written(&record));
        prop_assert_eq!(End::Ended(again.ran.status.unwrap()), record.end.clone());
        // A record survives the way through a file.
        let bytes = encode(&record).unwrap();
        prop_assert_eq!(decode(&bytes, "x").unwrap(), record);
    }

    /// Damaged bytes are an error, at once.
    #[test]
    fn damaged_records_are_refused(at in any::<prop::sample::Index>(), bit in 0..8_u8, cut in any::<prop::sample::Index>()) {
        let bytes = encode(&small()).unwrap();
        let mut flipped = bytes.clone();
        flipped[at.index(bytes.len())] ^= 1 << bit;
        prop_assert!(decode(&flipped, "x").is_err());
        prop_assert!(decode(&bytes[..cut.index(bytes.len())], "x").is_err());
    }

    /// Whoever damages a record can make its checksum fit: then it is an error, or a record like any other.
    #[test]
    fn records_with_a_checksum_that_fits_do_no_harm(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let plain = lz4_flex::block::decompress(&encode(&small()).unwrap()[52..], 64 << 20).unwrap();
        let mut other = plain;
        // Not in the contents of libraries, which are most of it.
        let most = other.len().min(20_000);
        for (place, byte) in places {
            other[place.index(most)] = byte;
        }
        let packed = lz4_flex::block::compress(&other);
        let bytes = sealed(other.len() as u64, &packed);
        if let Ok(record) = decode(&bytes, "x") {
            let _ = hydrogen_env::show::record(&record);
            let _ = hydrogen_env::deps::text(&record);
            let world = hydrogen_env::World::new(&record);
            for resource in world.resources() {
                let _ = world.content(&resource).map(|content| content.is_whole());
            }
        }
    }

    /// Records that somebody made up are read without a panic, and replaying them ends.
    #[test]
    fn made_up_records_do_no_harm(numbers in prop::collection::vec((0..450_u64, any::<[u64; 6]>(), any::<i64>()), 0..6), place in 0..10_usize) {
        let mut record = small();
        let at = place.min(record.events.len());
        for (number, args, result) in numbers {
            let tid = record.start.tid;
            let given = vec![hydrogen_env::record::Memory { arg: 1, address: args[1], bytes: vec![1; 40] }];
            let call = hydrogen_env::record::Call { tid, number, args, result, given: given.clone(), taken: given, mapped: Some([0; 32]), is_unfinished: number % 7 == 0 };
            record.events.insert(at, Event::Call(call));
        }
        let _ = hydrogen_env::show::record(&record);
        let _ = hydrogen_env::deps::text(&record);
        let again = replayed(&record);
        prop_assert!(again.calls <= record.count());
    }
}

/// A file with any content.
fn sealed(length: u64, packed: &[u8]) -> Vec<u8> {
    let mut bytes = encode(&small()).unwrap();
    bytes.truncate(52);
    bytes[12..20].copy_from_slice(&length.to_le_bytes());
    let mut hasher = blake3::Hasher::new();
    hasher.update(&length.to_le_bytes()).update(packed);
    bytes[20..52].copy_from_slice(hasher.finalize().as_bytes());
    bytes.extend_from_slice(packed);
    bytes
}

fn small() -> Record {
    use std::sync::OnceLock;
    static SMALL: OnceLock<Record> = OnceLock::new();
    SMALL.get_or_init(|| recorded(start(Path::new("/"), &["true"], &[]))).clone()
}

#[test]
fn a_length_that_lies_is_refused() {
    let good = encode(&small()).unwrap();
    for length in [0_u64, 1, 1 << 33, u64::MAX] {
        let bytes = sealed(length, &good[52..]);
        assert!(decode(&bytes, "x").unwrap_err().to_string().contains("damaged"), "{length}");
    }
    assert!(decode(b"", "x").is_err() && decode(b"ELF", "x").is_err());
    let mut other = good;
    other[8] = 9;
    assert!(decode(&other, "x").unwrap_err().to_string().contains("version 9"));
}

#[test]
fn a_replay_that_goes_another_way_says_where() {
    let mut record = recorded(start(Path::new("/"), &["cat", "/etc/hostname"], &[]));
    let call = record.events.iter_mut().rev().find_map(|event| match event {
        Event::Call(call) if call.number == 257 => Some(call),
        _ => None,
    });
    call.unwrap().given[0].bytes = b"/etc/passwd".to_vec();
    let again = replayed(&record);
    assert!(again.diverged.unwrap().contains("\"/etc/passwd\""));
}

fn alive(mark: &str) -> bool {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).any(|line| line.contains(mark))
}

#[test]
fn what_does_not_end_is_ended() {
    let mark = format!("{}.75", std::process::id() + 100_000);
    let begin = Instant::now();
    for script in [
        format!("sleep {mark}"),
        format!("setsid sleep {mark} & sleep {mark} & wait"),
        format!("trap '' TERM INT HUP; (trap '' TERM; sleep {mark}); sleep {mark}"),
        "while :; do :; done".into(),
        "f() { f | f & }; f".into(),
    ] {
        let mut begun = start(Path::new("/tmp"), &["bash", "-c", &script], &[]);
        begun.limits[6] = (400, 400);
        let options = hydrogen_env::Options {
            streams: [Stdio::null(), Stdio::null(), Stdio::null()],
            most: Some(Duration::from_millis(700)),
            linger: None,
            cancel: Default::default(),
        };
        let record = hydrogen_env::record_run(begun, options).unwrap().record;
        assert!(matches!(record.end, End::Partial(_)), "{script}: {:?}", record.end);
        assert!(!alive(&mark), "{script}");
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}

#[test]
fn strange_programs_are_refused_or_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str, source: &str, options: &[&str]| {
        std::fs::write(folder.path().join(format!("{name}.c")), source).unwrap();
        let mut command = Command::new("cc");
        command.args(options).args(["-w", "-o", name, &format!("{name}.c")]).current_dir(folder.path());
        command
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
            .then(|| folder.path().join(name).to_str().unwrap().to_owned())
    };
    let run = |path: &str| recorded(start(folder.path(), &[path], &[]));
    if let Some(path) =
        build("static", "#include <stdio.h>\nint main(void) { puts(\"x\"); return 0; }\n", &["-static"])
    {
        let record = run(&path);
        assert_eq!(record.end, End::Ended(0));
        assert_eq!(replayed(&record).diverged, None);
    }
    let traces =
        "#include <sys/ptrace.h>\nint main(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0) == -1 ? 5 : 0; }\n";
    assert_eq!(run(&build("traces", traces, &[]).unwrap()).end, End::Ended(5 << 8));
    let forks = "#include <unistd.h>\n#include <sys/wait.h>\nint main(void) { int s; pid_t c = vfork(); if (c == 0) { execlp(\"true\", \"true\", (char *)0); _exit(1); } wait(&s); return s; }\n";
    let record = run(&build("vforks", forks, &[]).unwrap());
    assert_eq!(record.end, End::Ended(0));
    assert_eq!(replayed(&record).diverged, None);
    let rings = "#include <sys/syscall.h>\n#include <unistd.h>\n#include <errno.h>\nint main(void) { return syscall(425, 1, 0) == -1 && errno == ENOSYS ? 4 : 0; }\n";
    assert_eq!(run(&build("rings", rings, &[]).unwrap()).end, End::Ended(4 << 8));
    let clock = "#include <x86intrin.h>\nint main(void) { unsigned long a = __rdtsc(), b = __rdtsc(); return b - a == 1000 ? 6 : 0; }\n";
    let mut begun = start(folder.path(), &[&build("clock", clock, &[]).unwrap()], &[]);
    begun.traps_clock = true;
    let record = recorded(begun);
    assert_eq!(record.end, End::Ended(6 << 8));
    assert_eq!(replayed(&record).diverged, None);
    let small = folder.path().join("small");
    std::fs::write(&small, thirty_two()).unwrap();
    std::fs::set_permissions(&small, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let record = run(small.to_str().unwrap());
    assert!(matches!(&record.end, End::Partial(why) if why.contains("32-bit")), "{:?}", record.end);
    let faults = "#include <signal.h>\n#include <unistd.h>\nstatic void h(int s) { _exit(9); }\nint main(void) { signal(SIGSEGV, h); *(volatile int *)0 = 1; return 0; }\n";
    let record = run(&build("faults", faults, &[]).unwrap());
    assert_eq!(record.end, End::Ended(9 << 8));
    assert_eq!(replayed(&record).diverged, None);
    let spins = "#include <pthread.h>\nstatic volatile int stop;\nstatic void *w(void *x) { while (!stop); return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); stop = 1; pthread_join(t, 0); return 0; }\n";
    let record = run(&build("spins", spins, &["-pthread"]).unwrap());
    assert!(
        matches!(&record.end, End::Ended(0))
            || matches!(&record.end, End::Partial(why) if why.contains("computed")),
        "{:?}",
        record.end
    );
}

/// A program of the 32-bit predecessor that only ends: a head, one segment, `exit(0)`.
fn thirty_two() -> Vec<u8> {
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let half = |file: &mut Vec<u8>, all: &[u16]| all.iter().for_each(|one| file.extend(one.to_le_bytes()));
    let word = |file: &mut Vec<u8>, all: &[u32]| all.iter().for_each(|one| file.extend(one.to_le_bytes()));
    half(&mut file, &[2, 3]);
    word(&mut file, &[1, 0x0804_8054, 52, 0, 0]);
    half(&mut file, &[52, 32, 1, 40, 0, 0]);
    word(&mut file, &[1, 0, 0x0804_8000, 0x0804_8000, 96, 96, 5, 0x1000]);
    file.extend([0x31, 0xdb, 0x31, 0xc0, 0x40, 0xcd, 0x80, 0x90, 0x90, 0x90, 0x90, 0x90]);
    file
}
