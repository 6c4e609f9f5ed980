//! What a confined process can and cannot do, with all protections and with those of a poor kernel.
//!
//! Each check runs a shell script in a jail that may read the system and write one folder. The protections are chosen per process, by an
//! environment variable, so the checks without namespaces run in a second process of this test.
#![allow(clippy::unwrap_used)]

use hydrogen_jail::{
    Command, End, Exceeded, Finished, Kept, Limits, Namespaces, Policy, Process, Watch, offered, run,
};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

struct Place {
    folder: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("secret"), "hidden words").unwrap();
        Self { folder, outside }
    }

    fn policy(&self) -> Policy {
        Policy::of_the_system().writing(self.folder.path()).limited(Limits::of_a_run())
    }

    fn command(&self, script: &str) -> Command {
        Command::new("sh", self.folder.path()).args(["-c", script, "sh"]).arg(self.outside.path())
    }

    fn run_with(&self, script: &str, policy: &Policy) -> Finished {
        let watch = Watch::new(Duration::from_secs(20)).keeping(Kept::Together(1 << 20));
        run(self.command(script), policy, &watch).unwrap()
    }

    fn run(&self, script: &str) -> Finished {
        self.run_with(script, &self.policy())
    }
}

/// The script prints this and ends well.
fn check(script: &str, expect: &str) {
    let place = Place::new();
    let found = place.run(script);
    let text = String::from_utf8_lossy(&found.output);
    assert_eq!((text.trim(), &found.end), (expect, &End::Exit(0)), "{script}");
}

/// Whether this test process has namespaces.
fn isolated() -> bool {
    offered().namespaces != Namespaces::None
}

fn alive(mark: &str) -> bool {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).any(|line| line.contains(mark))
}

#[test]
fn ordinary_work_is_done() {
    check("echo hello > file && cat file && mkdir -p a/b && mv file a/b/c && cat a/b/c", "hello\nhello");
    check("echo '#include <stdio.h>' | cc -E - > /dev/null && echo found", "found");
    check("cat <&0; echo end", "end");
    check("test -x /bin/sh && test -d /usr/include && test -e /dev/null && echo there", "there");
}

#[test]
fn ends_are_told_apart() {
    let place = Place::new();
    assert_eq!(place.run("exit 3").end, End::Exit(3));
    assert_eq!(place.run("kill -SEGV $$").end, End::Signal(11));
    assert_eq!(place.run("kill -KILL $$").end, End::Signal(9));
    let missing = run(
        Command::new("/no/such/program", place.folder.path()),
        &place.policy(),
        &Watch::new(Duration::from_secs(5)),
    );
    assert!(matches!(missing.unwrap().end, End::NotStarted(text) if text.contains("/no/such/program")));
}

#[test]
fn nothing_outside_is_read_or_written() {
    check("cat $1/secret 2>/dev/null || echo no", "no");
    check("ls $1 2>/dev/null || echo no", "no");
    check("echo x 2>/dev/null > $1/new || echo no", "no");
    check("ls $HOME/.ssh ~root /home/* 2>/dev/null | head -1; echo no", "no");
    check("cat /etc/shadow 2>/dev/null || echo no", "no");
    check("ln -s $1/secret link; cat link 2>/dev/null || echo no", "no");
    check("ln $1/secret hard 2>/dev/null || echo no", "no");
    check("echo x 2>/dev/null > /usr/x || echo no", "no");
    if isolated() {
        check("chmod 777 $1/secret 2>/dev/null || echo no", "no");
        check("chmod 700 /usr 2>/dev/null || echo no", "no");
        check("test -e $1/secret || echo no", "no");
        check("echo x > /tmp/x && cat /tmp/x", "x");
    }
}

#[test]
fn the_environment_is_an_allow_list() {
    // Of this test's own environment: cargo sets many variables.
    check("env | grep -c -E '^(CARGO|RUST|HOME|SSH|GIT)' || true", "0");
    check("test -n \"$PATH\" && echo path", "path");
}

#[test]
fn there_is_no_network() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 2)\" 2>/dev/null && echo yes || echo no"
    );
    check(&script, "no");
    let place = Place::new();
    let open = Policy { network: true, ..place.policy() };
    assert_eq!(place.run_with(&script, &open).output, b"yes\n");
}

#[test]
fn nothing_survives() {
    for (number, way) in ["setsid sleep", "nohup setsid sh -c 'setsid sleep", "(sleep"].iter().enumerate() {
        let mark = format!("{}{number}.25", std::process::id() + 1000);
        let close = ["", "'", ")"][number];
        let found = Place::new().run(&format!("{way} {mark} {close} >/dev/null 2>&1 & sleep 0.2; echo done"));
        assert_eq!(found.output, b"done\n");
        assert!(!alive(&mark), "{way}");
    }
}

#[test]
fn dropping_ends_everything() {
    let place = Place::new();
    let mark = format!("{}7.5", std::process::id() + 1000);
    let process =
        Process::start(place.command(&format!("setsid sleep {mark} & sleep {mark}")), &place.policy())
            .unwrap();
    let start = Instant::now();
    while !alive(&format!("sleep\0{mark}")) && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(process);
    assert!(!alive(&format!("sleep\0{mark}")));
}

#[test]
fn other_processes_cannot_be_signalled() {
    let mut other = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    if isolated() || offered().signals {
        check(&format!("kill -9 {} 2>/dev/null || echo no", other.id()), "no");
        assert!(other.try_wait().unwrap().is_none());
        Place::new().run("kill -9 -1");
        assert!(other.try_wait().unwrap().is_none());
    }
    if isolated() {
        // The shell, ps and the guard; with us there would be more.
        check("test $(ls /proc | grep -c '^[0-9]') -lt 8 && echo few", "few");
    }
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn time_output_and_cancelling_end_a_run() {
    let place = Place::new();
    let timed = |script: &str, watch: &Watch<'_>| {
        let start = Instant::now();
        let end = run(place.command(script), &place.policy(), watch).unwrap().end;
        assert!(start.elapsed() < Duration::from_secs(8), "{script}");
        end
    };
    assert_eq!(timed("sleep 60", &Watch::new(Duration::from_millis(300))), End::TimeOut);
    let mut much = Watch::new(Duration::from_secs(20)).keeping(Kept::Together(10));
    much.most_output = 100_000;
    assert_eq!(timed("yes", &much), End::Exceeded(Exceeded::Output));
    let flag = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            flag.store(true, Ordering::Relaxed);
        });
        assert_eq!(timed("sleep 60", &Watch::new(Duration::from_secs(60)).until(&flag)), End::Cancelled);
    });
}

/// Programs that try again when they may not start another one are ended, all of them and soon.
#[test]
fn processes_that_do_not_stop_are_ended() {
    // Without a namespace of its own the kernel counts no processes of the administrator's, and the bomb is the machine's.
    if !isolated() {
        return;
    }
    let bombs = [
        "f() { f | f & }; f; sleep 20",
        "while :; do sleep 60 & done",
        "sh -c 'while :; do (while :; do :; done) & done'",
        "python3 -c 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass'",
        "python3 -c 'import threading, time\nwhile True:\n  try: threading.Thread(target=time.sleep, args=(60,)).start()\n  except RuntimeError: pass'",
    ];
    for bomb in bombs {
        let place = Place::new();
        let started = Instant::now();
        let found = place.run_with(bomb, &place.policy());
        assert_eq!(found.end, End::Exceeded(Exceeded::Processes), "{bomb}");
        assert!(started.elapsed() < Duration::from_secs(10), "{bomb}: {:?}", started.elapsed());
    }
}

/// Programs run as somebody else only where somebody wanted it.
#[test]
fn files_do_not_keep_the_right_to_run_as_others() {
    let place = Place::new();
    place.run("cp /bin/true one; chmod 6755 one; mkdir in; cp one in/two; chmod u+s in/two; chmod g+s in; mkdir in/sticky; chmod 7777 in/sticky");
    let mode = |name: &str| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::symlink_metadata(place.folder.path().join(name)).unwrap().permissions().mode()
    };
    for name in ["one", "in", "in/two", "in/sticky"] {
        assert_eq!(mode(name) & 0o6000, 0, "{name}");
    }
    assert_eq!(mode("one") & 0o777, 0o755);
}

#[test]
fn limits_hold() {
    let place = Place::new();
    let mut policy = place.policy();
    policy.limits.file = Some(1 << 20);
    let found = place.run_with("head -c 3000000 /dev/zero > big; stat -c %s big", &policy);
    assert_eq!(String::from_utf8_lossy(&found.output).lines().last(), Some("1048576"));
    policy.limits.file = None;
    policy.limits.processes = Some(20);
    // Without a namespace a bomb that has no end would be a test on everybody else.
    let bomb = match isolated() {
        true => "bomb() { bomb | bomb & }; bomb; sleep 3",
        false => "for i in $(seq 60); do sleep 3 & done; sleep 3",
    };
    let bomb = place.run_with(bomb, &policy);
    // Where the kernel refuses first, the shell gives up.
    assert!(bomb.end != End::Exit(0) || bomb.tail.contains("Cannot fork"), "{:?} {}", bomb.end, bomb.tail);
    policy.limits.processes = None;
    policy.limits.memory = Some(100 << 20);
    let eater = place.run_with("python3 -c 'x = bytearray(400 << 20); import time; time.sleep(10)'", &policy);
    assert_eq!(eater.end, End::Exceeded(Exceeded::Memory));
    policy.limits.memory = None;
    policy.limits.disk = Some(50 << 20);
    let filler =
        place.run_with("for i in $(seq 200); do head -c 2000000 /dev/zero > f$i; done; sleep 3", &policy);
    assert_eq!(filler.end, End::Exceeded(Exceeded::Disk));
}

#[test]
fn streams_go_where_they_should() {
    let place = Place::new();
    let watch = Watch::new(Duration::from_secs(20)).keeping(Kept::Apart(3));
    let found = run(place.command("echo output; echo errors >&2"), &place.policy(), &watch).unwrap();
    assert_eq!((&*found.output, &*found.errors), (&b"out"[..], &b"err"[..]));
    assert!(found.tail.contains("output") && found.tail.contains("errors"));
    let lines = std::sync::Mutex::new(Vec::new());
    let keep = |line: &str| lines.lock().unwrap().push(line.to_owned());
    let mut watch = Watch::new(Duration::from_secs(20)).keeping(Kept::Together(0));
    watch.lines = Some(&keep);
    run(place.command("echo one; sleep 0.1; echo two"), &place.policy(), &watch).unwrap();
    assert_eq!(*lines.lock().unwrap(), ["one", "two"]);
}

#[test]
fn a_trusted_process_is_supervised_only() {
    let mark = format!("{}8.5", std::process::id() + 1000);
    let command = Command::new("sh", "/").args(["-c", &format!("sleep {mark} & cat")]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = Process::start(command, &Policy::trusted(Limits::default())).unwrap();
    use std::io::{Read, Write};
    process.take_stdin().unwrap().write_all(b"to and fro").unwrap();
    let mut text = [0; 10];
    process.take_stdout().unwrap().read_exact(&mut text).unwrap();
    assert_eq!(&text, b"to and fro");
    drop(process);
    // Ended, but perhaps not yet gone: nobody waits for a background process of a trusted one.
    let start = Instant::now();
    while alive(&mark) {
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn links_on_the_way_are_followed() {
    let place = Place::new();
    let link = place.outside.path().join("link");
    std::os::unix::fs::symlink(place.folder.path(), &link).unwrap();
    let policy = Policy::of_the_system().writing(&link);
    let command = Command::new("sh", &link).args(["-c", "echo x > file && cat file"]);
    let watch = Watch::new(Duration::from_secs(20)).keeping(Kept::Together(100));
    let found = run(command, &policy, &watch).unwrap();
    assert_eq!(found.output, b"x\n", "{}", found.tail);
}

/// The same checks where the kernel has no namespaces for us.
#[test]
fn a_poor_kernel_protects_too() {
    if std::env::var_os("HYDROGEN_JAIL_WITHOUT").is_some() {
        return;
    }
    let own = std::env::current_exe().unwrap();
    let output = std::process::Command::new(own)
        .args(["--test-threads", "2"])
        .env("HYDROGEN_JAIL_WITHOUT", "namespaces")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(Path::new("/proc/self").exists());
}
