//! Real programs in two environments. What is right was written down before the first run.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::{Case, PLAIN};

const OPEN_FILES: usize = 7;

/// Those that the search was worked on with.
const WORKED_ON: &[Case] = &[
    Case {
        name: "python reads a configuration",
        good: "printf '[server]\\n# the port\\nport = 8080\\nhost = a\\n' > app.ini; printf 'import configparser,sys\\nc = configparser.ConfigParser()\\nc.read(\"app.ini\")\\nsys.exit(c.getint(\"server\", \"port\") != 8080)\\n' > app.py",
        bad: "printf '[server]\\n# a port\\nport = 80\\nhost = b\\n' > app.ini",
        command: &["/usr/bin/python3.11", "app.py"],
        cause: ("path", "app.ini"),
        detail: "port = 8080",
        ..PLAIN
    },
    Case {
        name: "git in another home",
        good: "mkdir home other; printf '[user]\\n\\temail = a@b.example\\n' > home/.gitconfig",
        command: &["git", "config", "user.email"],
        good_vars: &["HOME=$PWD/home"],
        bad_vars: &["HOME=$PWD/other"],
        cause: ("variable", "variable HOME"),
        ..PLAIN
    },
    Case {
        name: "grep in another locale",
        good: "printf '\\303\\251\\n' > words",
        command: &["grep", "-q", "^.$", "words"],
        bad_vars: &["LC_ALL=C"],
        cause: ("variable", "variable LC_ALL"),
        ..PLAIN
    },
    Case {
        name: "bash with another umask",
        good: "true",
        command: &["bash", "-c", "rm -f new; : > new; test $(stat -c %a new) = 644"],
        bad_start: |start| start.umask = 0o077,
        cause: ("umask", "umask"),
        ..PLAIN
    },
    Case {
        name: "python with fewer open files",
        good: "true",
        command: &["/usr/bin/python3.11", "-c", "all = [open('/dev/null') for _ in range(200)]"],
        bad_start: |start| start.limits[OPEN_FILES] = (100, 4096),
        cause: ("limit", "limit of open files"),
        ..PLAIN
    },
    Case {
        name: "a folder for the pid file is missing",
        good: "mkdir run",
        bad: "rm -r run",
        command: &["bash", "-c", "echo $$ > run/pid || exit 1"],
        cause: ("path", "run/pid"),
        detail: "ENOENT",
        ..PLAIN
    },
    Case {
        name: "git with a stale lock",
        good: "git init -q .; echo x > file",
        bad: "rm .git/index; : > .git/index.lock",
        command: &["git", "add", "file"],
        cause: ("path", ".git/index.lock"),
        detail: "EEXIST",
        ..PLAIN
    },
    Case {
        name: "the case of a name",
        good: "echo x > data.txt",
        bad: "mv data.txt Data.txt",
        command: &["cat", "data.txt"],
        cause: ("path", "data.txt"),
        detail: "ENOENT",
        ..PLAIN
    },
    Case {
        name: "sqlite reads another database",
        good: "sqlite3 app.db 'create table conf(port); insert into conf values (8080)'",
        bad: "rm app.db; sqlite3 app.db 'create table conf(haven); insert into conf values (8080)'",
        command: &["sqlite3", "app.db", "select port from conf"],
        cause: ("path", "app.db"),
        ..PLAIN
    },
    Case {
        name: "make includes another file",
        good: "printf 'include local.mk\\nall:\\n\\t@test $(MODE) = fast\\n' > Makefile; printf '# set here\\nMODE = fast\\nNAME = a\\n' > local.mk",
        bad: "printf '# set there\\nMODE = slow\\nNAME = b\\n' > local.mk",
        command: &["make"],
        cause: ("path", "local.mk"),
        detail: "MODE = fast",
        ..PLAIN
    },
];

/// Those that are only reported on.
const REPORTED: &[Case] = &[
    Case {
        name: "perl without a module",
        good: "mkdir lib; printf 'package Foo; 1;\\n' > lib/Foo.pm",
        bad: "rm lib/Foo.pm",
        command: &["perl", "-Ilib", "-MFoo", "-e", "1"],
        cause: ("path", "lib/Foo.pm"),
        ..PLAIN
    },
    Case {
        name: "python without a module",
        good: "mkdir lib; printf 'x = 1\\n' > lib/extra.py",
        bad: "rm lib/extra.py",
        command: &["/usr/bin/python3.11", "-B", "-c", "import extra"],
        good_vars: &["PYTHONPATH=lib"],
        bad_vars: &["PYTHONPATH=lib"],
        cause: ("path", "lib/extra.py"),
        ..PLAIN
    },
    Case {
        name: "tar of a list",
        good: "echo a > one; echo b > two; printf 'one\\ntwo\\n' > list",
        bad: "printf 'one\\nthree\\n' > list",
        command: &["tar", "cf", "/dev/null", "-T", "list"],
        cause: ("path", "list"),
        detail: "two",
        ..PLAIN
    },
    Case {
        name: "a hook of git",
        good: "git init -q .; git config user.email a@b.example; git config user.name a; echo x > file; git add file",
        bad: "rm -rf .git; git init -q .; git config user.email a@b.example; git config user.name a; git add file; mkdir -p .git/hooks; printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        command: &["git", "commit", "-q", "-m", "one"],
        cause: ("path", ".git/hooks/pre-commit"),
        ..PLAIN
    },
    Case {
        name: "another program is found first",
        good: "mkdir a b; printf '#!/bin/sh\\nexit 0\\n' > a/tool; printf '#!/bin/sh\\nexit 3\\n' > b/tool; chmod +x a/tool b/tool",
        command: &["bash", "-c", "tool"],
        good_vars: &["PATH=$PWD/a:$PWD/b:/usr/bin:/bin"],
        bad_vars: &["PATH=$PWD/b:$PWD/a:/usr/bin:/bin"],
        cause: ("variable", "variable PATH"),
        ..PLAIN
    },
    Case {
        name: "the time zone",
        good: "true",
        command: &["date", "+%Z"],
        good_vars: &["TZ=CET-1"],
        bad_vars: &["TZ=UTC0"],
        oracle: Some("grep -q CET $1"),
        cause: ("variable", "variable TZ"),
        ..PLAIN
    },
    Case {
        name: "a folder holds one name more",
        good: "mkdir plugins; touch plugins/a.ok plugins/b.ok",
        bad: "touch plugins/broken plugins/c.ok",
        command: &["find", "plugins", "-name", "broken", "-exec", "false", "{}", "+"],
        cause: ("path", "plugins"),
        detail: "broken",
        ..PLAIN
    },
    Case {
        name: "a link leads elsewhere",
        good: "mkdir one two; echo good > one/state; echo bad > two/state; ln -s one current",
        bad: "ln -sfn two current",
        command: &["grep", "-q", "good", "current/state"],
        cause: ("path", "current/state"),
        detail: "good",
        ..PLAIN
    },
    Case {
        name: "jq reads other data",
        good: "printf '{\\n \"name\": \"x\",\\n \"level\": 3\\n}\\n' > in.json",
        bad: "printf '{\\n \"name\": \"y\",\\n \"level\": null\\n}\\n' > in.json",
        command: &["jq", "-e", ".level", "in.json"],
        cause: ("path", "in.json"),
        detail: "level",
        ..PLAIN
    },
    Case {
        name: "another library",
        good: "echo 'int level(void) { return 0; }' > level.c; cc -shared -fPIC -o liblevel.so level.c; echo 'int level(void); int main(void) { return level(); }' > app.c; cc -o app app.c -L. -llevel -Wl,-rpath,$PWD",
        bad: "echo 'int level(void) { return 4; }' > level.c; cc -shared -fPIC -o liblevel.so level.c",
        command: &["$PWD/app"],
        cause: ("path", "liblevel.so"),
        detail: "Package",
        ..PLAIN
    },
];

fn all(cases: &[Case]) -> (usize, usize, String) {
    let (mut causes, mut details, mut words) = (0, 0, String::new());
    for case in cases {
        let begin = std::time::Instant::now();
        let (cause, detail, told) = case.judge(&case.answer());
        causes += usize::from(cause);
        details += usize::from(cause && detail);
        words += &format!(
            "{} {} {:?} {told}\n",
            if cause { "+" } else { "-" },
            if cause && detail { "+" } else { "-" },
            begin.elapsed()
        );
    }
    (causes, details, words)
}

#[test]
fn the_cause_is_found() {
    let (causes, details, words) = all(WORKED_ON);
    println!("{words}");
    assert!((causes, details) >= (9, 8), "{causes} {details}\n{words}");
}

#[test]
fn the_cause_is_found_in_new_cases() {
    let (causes, details, words) = all(REPORTED);
    println!("{words}");
    assert!((causes, details) >= (8, 7), "{causes} {details}\n{words}");
}

/// Where nothing differs, or chance decides, no cause is named.
#[test]
fn no_cause_is_made_up() {
    let same: &[&[&str]] = &[
        &["true"],
        &["date"],
        &["ls", "/"],
        &["sort", "/etc/passwd"],
        &["/usr/bin/python3.11", "-c", "print(1)"],
        &["bash", "-c", "ls / | sort | head -2"],
        &["sqlite3", ":memory:", "select random()"],
    ];
    for command in same {
        let answer = Case { command, good: "true", bad: "true", ..PLAIN }.answer();
        assert_eq!(
            (answer.outcome, answer.causes.len()),
            (hydrogen_env::Outcome::PassesHere, 0),
            "{command:?}"
        );
    }
    let flaky: &[&[&str]] = &[
        &["bash", "-c", "exit $(( $$ % 2 ))"],
        &["/usr/bin/python3.11", "-c", "import os, sys; sys.exit(os.getpid() % 3 != 0)"],
        &["bash", "-c", "exit $(( $(cut -d' ' -f4 /proc/self/stat) % 2 ))"],
    ];
    for command in flaky {
        for _ in 0..3 {
            let answer =
                Case { command, good: "true", bad: "true", oracle: Some("test $2 = 0"), ..PLAIN }.answer();
            assert!(answer.causes.is_empty(), "{command:?} {:?}", answer.causes);
        }
    }
}
