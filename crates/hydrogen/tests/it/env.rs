//! `hydrogen env`: what in the environment makes a program fail.

use crate::project::{Project, run, tool};
use std::path::Path;
use std::process::Command;

const GOOD: &str = "# made by hand\nname = test\nport = 8080\nuser = me\n";
const BAD: &str = "# made by a tool\nname = prod\nport = 80\nuser = srv\n";
const CHECK: &str = "#!/bin/sh\n# The service needs a port above 1024, and a folder for its pid file.\nport=$(sed -n 's/^port = //p' service.conf)\ntest \"$port\" -gt 1024 || exit 1\necho $$ > run/pid || exit 1\n";

fn place() -> Project {
    let project = Project::new();
    project.write("check.sh", CHECK);
    project.write("service.conf", GOOD);
    project.write("generated.conf", BAD);
    project
}

/// Whether a line is as written; `…` stands for anything.
fn is_as_written(line: &str, written: &str) -> bool {
    let mut parts = written.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (number, part) in parts.iter().enumerate() {
        if number + 1 == parts.len() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

fn check_output(command: &str, said: &str, written: &[&str]) {
    let lines: Vec<&str> = said.lines().collect();
    for (number, one) in written.iter().enumerate() {
        if *one == "…" {
            return;
        }
        let line = lines.get(number).copied().unwrap_or("(nothing)");
        assert!(is_as_written(line, one), "$ {command}\nwritten: {one}\nsaid:    {line}\n{said}");
    }
    assert_eq!(lines.len(), written.len(), "$ {command}\n{said}");
}

/// The commands of the documentation's story say what it says they do.
#[test]
fn the_story_is_true() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/environment.md");
    let page = std::fs::read_to_string(page).unwrap();
    let project = place();
    let path = format!("{}:/usr/bin:/bin", tool().parent().unwrap().display());
    let mut commands = 0;
    for block in page.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for entry in format!("\n{block}").split("\n$ ").skip(1) {
            let mut lines = entry.trim_end_matches('\n').split('\n');
            let command = lines.next().unwrap();
            let mut shell = Command::new("bash");
            shell.args(["-c", &format!("{command} 2>&1")]).current_dir(project.root());
            shell.env("PATH", &path).env("LC_ALL", "C.UTF-8").env("NO_COLOR", "1");
            check_output(command, &run(&mut shell).out, &lines.collect::<Vec<_>>());
            commands += 1;
        }
    }
    assert!(commands > 8, "{commands}");
}

#[test]
fn a_record_is_shown_replayed_and_kept_private() {
    use std::os::unix::fs::PermissionsExt;
    let project = place();
    let recorded = project.hydrogen(&["env", "record", "-o", "a.rec", "--", "cat", "service.conf"]);
    assert_eq!((recorded.code, &recorded.out[..]), (Some(0), GOOD), "{recorded:?}");
    let mode = std::fs::metadata(project.root().join("a.rec")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let shown = project.hydrogen(&["env", "show", "a.rec"]).out;
    assert!(shown.contains("openat(AT_FDCWD, \"service.conf\", O_RDONLY"), "{shown}");
    assert!(shown.contains("The program exited with 0."), "{shown}");
    let needs = project.hydrogen(&["env", "deps", "a.rec"]).out;
    assert!(
        needs.lines().any(|line| line.contains("read(3, \"# made by hand") && line.contains("needs")),
        "{needs}"
    );
    // The replay needs no file: it is gone.
    std::fs::remove_file(project.root().join("service.conf")).unwrap();
    let replayed = project.hydrogen(&["env", "replay", "a.rec"]);
    assert_eq!((replayed.code, &replayed.out[..]), (Some(0), GOOD), "{replayed:?}");
}

#[test]
fn a_semi_replay_goes_live_behind_its_calls() {
    let project = place();
    project.hydrogen(&["env", "record", "-o", "a.rec", "--", "grep", "-q", "8080", "service.conf"]);
    let shown = project.hydrogen(&["env", "show", "a.rec"]).out;
    let read = shown.lines().find(|line| line.contains("made by hand")).unwrap();
    let number: usize = read.split_whitespace().next().unwrap().parse().unwrap();
    project.write("service.conf", BAD);
    let code = |calls: usize| {
        let calls = calls.to_string();
        project
            .hydrogen(&["env", "replay", "a.rec", "-k", &calls, "--", "grep", "-q", "8080", "service.conf"])
            .code
    };
    assert_eq!((code(0), code(number - 1), code(number)), (Some(1), Some(1), Some(0)));
}

#[test]
fn differences_are_listed() {
    let project = place();
    project.hydrogen(&["env", "record", "-o", "a.rec", "--", "cat", "service.conf"]);
    project.write("service.conf", BAD);
    let run = project.hydrogen(&["env", "diff", "a.rec", "--", "cat", "service.conf"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("service.conf: call"), "{}", run.out);
}

#[test]
fn what_is_wrong_is_said() {
    let project = place();
    project.write("not.rec", "nothing");
    for (words, said) in [
        (&["env", "show", "not.rec"][..], "no record"),
        (&["env", "show", "missing.rec"], "missing.rec"),
        (&["env", "show", "."], "no record"),
        (&["env", "record", "--", "true"], "-o FILE"),
        (&["env", "record", "-o", "a.rec", "--", "/no/such/program"], "no such program"),
        (&["env", "why", "--recorded", "not.rec", "--", "true"], "no record"),
    ] {
        let run = project.hydrogen(words);
        assert_eq!(run.code, Some(2), "{words:?} {run:?}");
        assert!(run.err.contains(said), "{words:?} {run:?}");
    }
    // A damaged record.
    project.hydrogen(&["env", "record", "-o", "a.rec", "--", "true"]);
    let mut bytes = std::fs::read(project.root().join("a.rec")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    project.write("a.rec", bytes);
    let run = project.hydrogen(&["env", "replay", "a.rec"]);
    assert!(run.code == Some(2) && run.err.contains("damaged"), "{run:?}");
}

/// The three programs of the literature, made small: a pid file below a folder that is missing, a line of a configuration, a port.
#[test]
fn three_known_cases() {
    let project = place();
    project.write("run/keep", "");
    let why = |record: &str, more: &[&str], command: &[&str]| {
        let words =
            [&["env", "why", "--recorded", record, "--format", "json"], more, &["--"], command].concat();
        let run = project.hydrogen(&words);
        serde_json::from_str::<serde_json::Value>(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"))
    };
    let at_most = |answer: &serde_json::Value| {
        let calls = answer["calls"].as_u64().unwrap() as f64;
        let replays = answer["boundary"]["replays"].as_u64().unwrap();
        assert!(replays <= calls.log2().ceil() as u64 + 2, "{answer:#}");
    };
    project.hydrogen(&["env", "record", "-o", "a.rec", "--", "sh", "-c", "echo $$ > run/pid || exit 1"]);
    std::fs::remove_dir_all(project.root().join("run")).unwrap();
    let answer = why("a.rec", &[], &["sh", "-c", "echo $$ > run/pid || exit 1"]);
    assert_eq!(answer["causes"][0]["name"], "run/pid", "{answer:#}");
    assert!(answer["boundary"]["shown"].as_str().unwrap().starts_with("openat"), "{answer:#}");
    at_most(&answer);

    let allows = "anonymous_enable=YES\nlocal_enable=NO\n";
    project.write("vsftpd.conf", allows);
    let command = ["grep", "-q", "^anonymous_enable=YES", "vsftpd.conf"];
    project.hydrogen(&[&["env", "record", "-o", "b.rec", "--"][..], &command].concat());
    project.write("vsftpd.conf", "anonymous_enable=NO\nlocal_enable=NO\nuser_list_enable=YES\n");
    let answer = why("b.rec", &[], &command);
    assert_eq!(answer["causes"][0]["details"][0]["which"], "1", "{answer:#}");
    assert!(answer["boundary"]["shown"].as_str().unwrap().starts_with("read"), "{answer:#}");
    at_most(&answer);

    // A free port, and then somebody has it.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let program = format!(
        "use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0); bind($s, sockaddr_in({port}, inet_aton('127.0.0.1'))) or exit 1; listen($s, 5); sleep 60"
    );
    let command = ["perl", "-e", &program];
    project.hydrogen(&[&["env", "record", "-o", "c.rec", "--time-limit", "1s", "--"][..], &command].concat());
    let _taken = std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
    let answer = why("c.rec", &["--alive", "1s"], &command);
    assert_eq!(answer["causes"][0]["kind"], "address", "{answer:#}");
    assert_eq!(answer["causes"][0]["results"][1], "EADDRINUSE", "{answer:#}");
    assert!(answer["boundary"]["shown"].as_str().unwrap().starts_with("bind"), "{answer:#}");
    at_most(&answer);
}

#[test]
fn nothing_survives_the_tool() {
    let project = place();
    let mark = format!("{}.5", std::process::id() + 200_000);
    let mut recorder = project
        .command()
        .args(["env", "record", "-o", "a.rec", "--", "sh", "-c", &format!("sleep {mark} & sleep {mark}")])
        .spawn()
        .unwrap();
    let alive = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines
            .filter(|line| line.starts_with(b"sleep\0"))
            .any(|line| String::from_utf8_lossy(&line).contains(&mark))
    };
    let begin = std::time::Instant::now();
    while !alive() && begin.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    while alive() {
        assert!(begin.elapsed().as_secs() < 30);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_redacted_copy_is_shown_and_not_replayed() {
    let project = place();
    project.hydrogen(&["env", "record", "-o", "a.rec", "--", "cat", "service.conf"]);
    let copied = project.hydrogen(&["env", "show", "a.rec", "--redact", "8080", "-o", "b.rec"]);
    assert_eq!(copied.code, Some(0), "{copied:?}");
    let shown = project.hydrogen(&["env", "show", "b.rec"]).out;
    assert!(!shown.contains("8080") && shown.contains("made by hand"), "{shown}");
    for words in
        [&["env", "replay", "b.rec"][..], &["env", "why", "--recorded", "b.rec", "--", "cat", "service.conf"]]
    {
        let run = project.hydrogen(words);
        assert!(run.code == Some(2) && run.err.contains("blotted out"), "{run:?}");
    }
}

#[test]
fn the_page_has_both_values() {
    let project = place();
    project.hydrogen(&["env", "record", "-o", "a.rec", "--", "grep", "-q", "8080", "service.conf"]);
    project.write("service.conf", BAD);
    let words =
        ["env", "why", "--recorded", "a.rec", "--format", "html", "--", "grep", "-q", "8080", "service.conf"];
    let page = project.hydrogen(&words).out;
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("class=cause"), "{page}");
    assert!(page.contains("port = 8080") && page.contains("made by a tool"), "{page}");
}

/// The guilty line is followed into the program: who reads it, and what is decided by it.
#[test]
fn guilty_lines_are_followed_in_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let program = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n  char line[64];\n  FILE *f = fopen(\"conf\", \"r\");\n  int port = 0;\n  if (!f) return 2;\n  while (fgets(line, sizeof line, f))\n    if (line[0] == 'p') port = atoi(line + 1);\n  if (port < 1024)\n    return 1;\n  return getenv(\"HELLO\") == NULL;\n}\n";
    std::fs::write(at("main.c"), program).unwrap();
    let compiled =
        std::process::Command::new("gcc").args(["-o", "main", "main.c"]).current_dir(folder.path()).status();
    assert!(compiled.unwrap().success());
    let run = |arguments: &[&str], hello: bool| -> String {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hydrogen"));
        command.args(["env"]).args(arguments).current_dir(folder.path()).env_remove("HELLO");
        command.env("HYDROGEN_CACHE", at("cache"));
        if hello {
            command.env("HELLO", "x");
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    std::fs::write(at("conf"), "# by hand\np8080\nx\n").unwrap();
    run(&["record", "-o", "good.rec", "--", "./main"], true);
    let why = ["why", "--recorded", "good.rec", "--source", "main.c", "--", "./main"];
    let other = run(&why, false);
    assert!(
        other.contains("main.c:12 main() decides by it") || other.contains("was not followed"),
        "{other}"
    );
    std::fs::write(at("conf"), "# by a tool\np80\ny\n").unwrap();
    let line = run(&why, true);
    assert!(line.contains("main.c:8 main() reads it"), "{line}");
    assert!(line.contains("main.c:10 main() decides by it: if (port < 1024)"), "{line}");
    assert!(line.contains("here it goes on with line 11: return 1"), "{line}");
}

/// Runs of a search reach no other machine unless the user lets them, and an answer that had to refuse a connection says so.
#[test]
fn runs_of_a_search_reach_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let program = "#include <arpa/inet.h>\n#include <stdlib.h>\nint main(void) {\n  int s = socket(AF_INET, SOCK_STREAM, 0);\n  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };\n  inet_pton(AF_INET, \"192.0.2.1\", &to.sin_addr);\n  connect(s, (struct sockaddr *)&to, sizeof to);\n  return getenv(\"OK\") == NULL;\n}\n";
    std::fs::write(folder.path().join("net.c"), program).unwrap();
    let gcc = Command::new("gcc").args(["-o", "net", "net.c"]).current_dir(folder.path()).status();
    assert!(gcc.unwrap().success());
    let run = |arguments: &[&str], ok: bool| -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hydrogen"));
        command.args(["env"]).args(arguments).current_dir(folder.path()).env_remove("OK");
        command.env("HYDROGEN_CACHE", folder.path().join("cache"));
        if ok {
            command.env("OK", "1");
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    run(&["record", "-o", "good.rec", "--", "./net"], true);
    let why = run(&["why", "--recorded", "good.rec", "--", "./net"], false);
    assert!(why.contains("variable OK: not set here"), "{why}");
    assert!(why.contains("a connection to 192.0.2.1:9 was refused"), "{why}");
}
