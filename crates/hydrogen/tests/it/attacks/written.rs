//! What the tool writes where others chose the name, or where they left something before: never outside, never through a link.

use super::{UNIT, Victim};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

/// An object of git's, however malformed.
fn object(victim: &Victim, kind: &str, content: &[u8]) -> String {
    let mut git = Command::new("git")
        .args(["hash-object", "-t", kind, "-w", "--stdin", "--literally"])
        .current_dir(victim.project.root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin.take().unwrap().write_all(content).unwrap();
    String::from_utf8(git.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

fn entry(mode: &str, name: &str, id: &str) -> Vec<u8> {
    let bytes = (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap());
    [format!("{mode} {name}\0").as_bytes(), &bytes.collect::<Vec<u8>>()].concat()
}

/// A commit on top of another whose tree has these entries beside `a.c`.
fn commit(victim: &Victim, tag: &str, parent: Option<&str>, body: &str, entries: &[Vec<u8>]) {
    let unit = format!("int f(int x) {{ return {body}; }}\nint main(int c, char **v) {{ return f(c); }}\n");
    let unit = object(victim, "blob", unit.as_bytes());
    let tree = object(victim, "tree", &[&entries.concat()[..], &entry("100644", "a.c", &unit)].concat());
    let parent: Vec<&str> = parent.into_iter().flat_map(|parent| ["-p", parent]).collect();
    let made =
        victim.project.git(&[&["commit-tree", &tree, "-m", tag], &parent[..]].concat()).trim().to_owned();
    victim.project.git(&["tag", tag, &made]);
}

/// Two versions whose trees have a file above the tree, which differs.
fn leading_out() -> Victim {
    let victim = Victim::new();
    for (tag, parent, body) in
        [("v1", None, "x / 2"), ("v2", Some("v1"), "x / (x - 2)"), ("v3", Some("v2"), "x / 2")]
    {
        // As deep as a checkout may lie: each step up has the file.
        let evil = object(&victim, "blob", format!("int evil = {};\n", body.len() + tag.len()).as_bytes());
        let mut tree = object(&victim, "tree", &entry("100644", "evil.c", &evil));
        for _ in 0..6 {
            let up = [entry("40000", "..", &tree), entry("100644", "evil.c", &evil)].concat();
            tree = object(&victim, "tree", &up);
        }
        commit(&victim, tag, parent, body, &[entry("40000", "..", &tree)]);
    }
    victim
}

/// Files that an attack made anywhere around the repository, or where temporary files are.
fn strays(victim: &Victim, temporary: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![victim.project.root().parent().unwrap().to_owned(), temporary.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else if entry.file_name() == "evil.c" {
                found.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn names_of_a_tree_do_not_lead_out() {
    let victim = leading_out();
    let temporary = tempfile::tempdir().unwrap();
    for line in [
        "functions v1 v2",
        "functions v1 v2 --syntax",
        "diff v1 v2",
        "interact v2 --run -- 3",
        "mine classify v1..v2 --build true --test true",
        "patch --from v2..v3 --bug a.c:1 v1 v2",
        "affects v2 --reduce REDUCED",
        "compare v1..v2 --budget 5s",
        "expose v1..v2 --budget 5s",
        "review v1..v2 --budget 10s",
    ] {
        let reduced = temporary.path().join("a/b/c/d/e/f/g/h");
        let words: Vec<String> =
            line.split(' ').map(|word| word.replace("REDUCED", &reduced.display().to_string())).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = victim.command(&words);
        let found = crate::project::run(command.env("TMPDIR", temporary.path()));
        victim.unharmed(&found);
        assert!(
            strays(&victim, temporary.path()).is_empty(),
            "{line}: {:?}\n{found:?}",
            strays(&victim, temporary.path())
        );
    }
}

#[test]
fn a_link_and_a_folder_of_one_name() {
    let victim = Victim::new();
    let home = victim.home.path().display().to_string();
    for (tag, parent, body) in
        [("v1", None, "x / 2"), ("v2", Some("v1"), "x / (x - 2)"), ("v3", Some("v2"), "x / 2")]
    {
        let link = object(&victim, "blob", home.as_bytes());
        let file = object(&victim, "blob", format!("int evil{};\n", body.len() + tag.len()).as_bytes());
        let folder = object(
            &victim,
            "tree",
            &[entry("100644", ".bashrc", &file), entry("100644", "x.c", &file)].concat(),
        );
        commit(&victim, tag, parent, body, &[entry("120000", "out", &link), entry("40000", "out", &folder)]);
    }
    for line in [
        "functions v1 v2",
        "interact v2 --run -- 3",
        "mine classify v1..v2 --build true --test true",
        "patch --from v2..v3 --bug a.c:1 v1 v2",
        "expose v1..v2 --budget 5s",
    ] {
        victim.hydrogen(&line.split(' ').collect::<Vec<_>>());
    }
}

/// Units are compiled in folders, which are made where the build is not run again.
#[test]
fn folders_of_compile_commands_are_made_inside_alone() {
    for directory in
        ["HOME/evil", "../../../../../../../../HOME/evil", "out/evil", "in/../../../../../../../HOME/evil"]
    {
        let victim = Victim::new();
        symlink(victim.home.path(), victim.project.root().join("out")).unwrap();
        let database = format!(
            r#"[{{"directory": "{directory}", "file": "a.c", "command": "cc -c a.c"}},
                {{"directory": ".", "file": "b.c", "command": "cc -c b.c"}}]"#
        );
        victim.commit(&[("a.c", UNIT), ("b.c", "int g;\n"), ("compile_commands.json", &database)]);
        victim.hydrogen(&["ir", "HEAD"]);
        victim.commit(&[("b.c", "int g = 1;\n")]);
        victim.hydrogen(&["ir", "HEAD"]);
        victim.hydrogen(&["functions", "HEAD~1", "HEAD"]);
    }
}

/// Builds that are tried one after the other, the first of which puts a link where compilers are looked for.
#[test]
fn names_of_compilers_are_not_written_through_a_link() {
    let victim = Victim::new();
    let configure = "#!/bin/sh\nbin=$(dirname $HOME)/bin; rm -rf $bin; ln -s HOME $bin; exit 1\n";
    victim.commit(&[
        ("configure", configure),
        ("Makefile", "CC = evil-cc\nall:\n\t$(CC) -c a.c\n"),
        ("a.c", UNIT),
    ]);
    victim.hydrogen(&["ir", "HEAD"]);
}

/// A test that puts links where its recording is written and read.
#[test]
fn a_recording_stays_where_it_is() {
    let victim = Victim::new();
    let program = |limit: u32| {
        format!(
            "#include <stdlib.h>\nint main(int c, char **v) {{ return c > 1 && atoi(v[1]) > {limit}; }}\n"
        )
    };
    let record = "R=$(dirname $HOME)/recorded";
    let tests = [
        "ln -sfn HOME $R",
        "mkdir -p $R; ln -sf HOME/.bashrc $R/recorder; ln -sf HOME/.bashrc $R/begin",
        "mkdir -p $R/bin; ln -sf HOME/.bashrc $R/bin/cc; ln -sfn HOME $R/real",
        "mkdir -p $R/0; ln -sfn HOME \"$R/0/laid out\"",
        "rm -rf $R/contents; ln -sfn HOME/.ssh $R/contents; mkdir -p $R/0; echo id $PWD/loot > $R/0/files",
        "ln -sfn HOME $R/contents/link; (echo link $PWD/x; echo good $PWD/x/evil) >> $R/0/files; echo evil > $R/contents/good",
    ];
    for test in tests {
        let script = format!("#!/bin/sh\n{record}\n./prog 5; code=$?\n{}\nexit $code\n", victim.fill(test));
        let makefile = "prog: a.c\n\tcc -g -o prog a.c\ncheck: prog\n\tsh ./test.sh\n";
        victim.commit(&[("Makefile", makefile), ("a.c", &program(7)), ("test.sh", &script)]);
        victim.commit(&[("a.c", &program(3))]);
        for command in ["make check", "make prog CC=/usr/bin/gcc && sh ./test.sh"] {
            victim.hydrogen(&["why", "HEAD~1..HEAD", "--test", command, "--budget", "10s"]);
        }
    }
}

/// A program natively finds in a folder what it finds in the machine.
#[test]
fn native_runs_do_not_get_what_links_lead_to() {
    let victim = Victim::new();
    let root = victim.project.root();
    std::fs::create_dir_all(root.join("data/in")).unwrap();
    std::fs::write(root.join("data/in/plain"), "plain").unwrap();
    symlink(victim.home.path().join(".ssh/id"), root.join("data/key")).unwrap();
    symlink(victim.home.path(), root.join("data/home")).unwrap();
    symlink("in/plain", root.join("data/inner")).unwrap();
    std::fs::File::create(root.join("data/huge")).unwrap().set_len(1 << 40).unwrap();
    assert!(Command::new("mkfifo").arg(root.join("data/pipe")).status().unwrap().success());
    let program = r#"
        #include <stdio.h>
        static void show(const char *name) {
            char text[64] = "nothing";
            FILE *file = fopen(name, "r");
            if (file) { if (!fgets(text, sizeof text, file)) text[0] = 0; fclose(file); }
            printf("%s: %s\n", name, text);
        }
        int main(void) {
            show("key"); show("home/.ssh/id"); show("inner"); show("in/plain");
            return 0;
        }
    "#;
    victim.project.write("a.c", program);
    let found = victim.hydrogen(&["run", "a.c", "--native", "--map", "data:/"]);
    assert_eq!(found.code, Some(0), "{found:?}");
    assert_eq!(
        found.out, "key: nothing\nhome/.ssh/id: nothing\ninner: plain\nin/plain: plain\n",
        "{found:?}"
    );
}

/// Files of a program that are saved, whatever it calls them.
#[test]
fn a_program_saves_its_files_inside_alone() {
    let victim = Victim::new();
    let program = r#"
        #include <stdio.h>
        #include <sys/stat.h>
        int main(void) {
            mkdir("/d", 0777); mkdir("/e", 0777);
            FILE *file = fopen("/d/evil.c", "w"); fputs("evil", file); fclose(file);
            rename("/d", "/e/.."); rename("/d", "/.."); rename("/d", "..");
            rename(".", "x"); rename("/e", "/e/f"); rename("/d", "/d/../d/..");
            mkdir("/d/..", 0777); remove("/e/..");
            file = fopen("../../evil.c", "w"); if (file) { fputs("evil", file); fclose(file); }
            puts("done");
            return 0;
        }
    "#;
    victim.project.write("a.c", program);
    let temporary = tempfile::tempdir().unwrap();
    let saved = temporary.path().join("one/two/saved");
    let found = victim.hydrogen(&["run", "a.c", "--native", "--files", &saved.display().to_string()]);
    assert!(found.out.contains("done"), "{found:?}");
    for folder in [temporary.path(), &temporary.path().join("one"), &temporary.path().join("one/two")] {
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1, "{found:?}");
    }
    assert!(saved.join("d/evil.c").is_file() && saved.join("evil.c").is_file(), "{found:?}");
}

/// A folder for results that the repository has already, with links in the places of the files.
#[test]
fn results_are_not_written_through_links_of_the_repository() {
    let victim = Victim::new();
    let text = |body: &str| {
        format!("int f(int x) {{ return {body}; }}\nint main(int c, char **v) {{ return f(c); }}\n")
    };
    let tests = victim.project.root().join("tests");
    std::fs::create_dir_all(tests.join("f")).unwrap();
    let bashrc = victim.home.path().join(".bashrc");
    let names = [
        "suite.json",
        "state.jsonl",
        "report.json",
        "coverage.csv",
        "0001.json",
        "0001.stdin",
        "0001.sh",
        "0001.c",
    ];
    for name in names.into_iter().chain(["f/input.json", "f/old.c", "f/new.c", "f/replay.sh", "000001.smt2"])
    {
        symlink(&bashrc, tests.join(name)).unwrap();
    }
    symlink(victim.home.path(), tests.join("001")).unwrap();
    victim.commit(&[("a.c", &text("x / 2"))]);
    victim.commit(&[("a.c", &text("x / 2 + (x == 7)"))]);
    for line in [
        "expose HEAD~1..HEAD -o tests --budget 5s",
        "explore a.c -o tests --budget 3s",
        "explore a.c --function f -o tests --budget 3s",
        "compare HEAD~1..HEAD -o tests --budget 5s",
        "why HEAD~1 HEAD --save-tests tests -- 1 2 3 4 5 6",
        "explore a.c --function f --dump-smt tests --budget 3s",
    ] {
        victim.hydrogen(&line.split(' ').collect::<Vec<_>>());
    }
}
