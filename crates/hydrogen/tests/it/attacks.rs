//! Repositories that mean harm, and the real tool run on them.
//!
//! Every attack has the same victim: a home with a key, a token in the environment, an agent's socket, a process, a work tree. What an
//! attack got hold of, it writes into files named `loot*` in its checkout, which the tests read. See docs/security.md.

mod named_files;
mod prepared;
mod said;
mod sizes;
mod written;

use crate::project::{Project, Run, run};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

pub const KEY: &str = "the-private-key";
const TOKEN: &str = "the-token";
pub const UNIT: &str = "int f(int x) { return x + 1; }\n";
/// What its model has.
pub const MODELLED: &str = "\"f\" external";

/// Whom the repository attacks.
pub struct Victim {
    pub project: Project,
    pub home: tempfile::TempDir,
    process: Child,
    _agent: UnixListener,
}

impl Victim {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".ssh")).unwrap();
        std::fs::write(home.path().join(".ssh/id"), KEY).unwrap();
        std::fs::write(home.path().join(".bashrc"), "# mine\n").unwrap();
        let agent = UnixListener::bind(home.path().join("agent")).unwrap();
        let process = Command::new("sleep").arg("300").spawn().unwrap();
        Self { project: Project::new(), home, process, _agent: agent }
    }

    /// What stands for a path or a number in the attack.
    pub fn fill(&self, text: &str) -> String {
        text.replace("HOME", &self.home.path().display().to_string())
            .replace("PID", &self.process.id().to_string())
            .replace("TREE", &self.project.root().display().to_string())
    }

    pub fn commit(&self, files: &[(&str, &str)]) {
        let files: Vec<(&str, String)> = files.iter().map(|(name, text)| (*name, self.fill(text))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        self.project.commit(&files);
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.project.command();
        command.args(arguments).env("HOME", self.home.path()).env("GITHUB_TOKEN", TOKEN);
        command.env("SSH_AUTH_SOCK", self.home.path().join("agent"));
        command
    }

    pub fn hydrogen(&self, arguments: &[&str]) -> Run {
        let start = Instant::now();
        let found = run(&mut self.command(arguments));
        assert!(start.elapsed() < Duration::from_secs(100), "{arguments:?} does not end: {found:?}");
        self.unharmed(&found);
        found
    }

    /// Nothing was taken and nothing was changed.
    pub fn unharmed(&self, found: &Run) {
        for text in [&found.out, &found.err, &self.loot()] {
            assert!(!text.contains(KEY) && !text.contains(TOKEN), "{found:?}\n{}", self.loot());
            assert!(!text.contains('\x1b'), "{found:?}");
        }
        let read = |name: &str| std::fs::read_to_string(self.home.path().join(name)).unwrap();
        assert_eq!((read(".bashrc").as_str(), read(".ssh/id").as_str()), ("# mine\n", KEY), "{found:?}");
        let mut names: Vec<String> = std::fs::read_dir(self.home.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, [".bashrc", ".ssh", "agent"], "{found:?}");
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        assert!(!stat.contains(") Z "), "the user's process was ended: {found:?}");
    }

    /// What the attack wrote into its checkout.
    fn loot(&self) -> String {
        let mut all = String::new();
        let mut open = vec![self.project.cache().join("checkouts")];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let is_loot = entry.file_name().to_string_lossy().starts_with("loot");
                let found = entry.metadata().unwrap();
                if found.is_dir() {
                    open.push(entry.path());
                } else if is_loot && found.is_file() {
                    all.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()));
                }
            }
        }
        all
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A compile command of the repository's own choice. The unit is modelled all the same, and what was left out is named.
fn compile_with(options: &str, named: &str) {
    let victim = Victim::new();
    let database =
        format!(r#"[{{"directory": ".", "file": "a.c", "command": "cc -c {options} a.c -o a.o"}}]"#);
    victim.commit(&[("a.c", UNIT), ("compile_commands.json", &database), ("evil.so", "no library")]);
    let found = victim.hydrogen(&["ir", "HEAD"]);
    assert_eq!(found.code, Some(0), "{options}: {found:?}");
    assert!(found.out.contains(MODELLED), "{options}: {found:?}");
    assert!(found.err.contains(named), "{options}: {found:?}");
}

#[test]
fn options_that_write() {
    compile_with("-Xclang -dependency-file -Xclang HOME/.bashrc -Xclang -MT -Xclang x", "-dependency-file");
    compile_with("-Xclang -header-include-file -Xclang HOME/.bashrc", "-header-include-file");
    compile_with("-Xclang -stats-file=HOME/.bashrc", "-stats-file");
    compile_with("-Xclang -opt-record-file -Xclang HOME/.bashrc -Rpass=.*", "-opt-record-file");
}

#[test]
fn options_that_write_quietly() {
    compile_with("-MD -MF HOME/.bashrc", "");
    compile_with("-o HOME/.bashrc -save-temps=obj", "-save-temps");
    compile_with("-fmodules -fmodules-cache-path=HOME/cache", "-fmodules");
    compile_with("-ftime-trace=HOME/.bashrc -serialize-diagnostics HOME/.bashrc", "-ftime-trace");
}

#[test]
fn options_that_load_and_run() {
    compile_with("-fplugin=evil.so", "-fplugin");
    compile_with("-fpass-plugin=evil.so -Xclang -load -Xclang evil.so", "-load");
    compile_with("-B . -specs=evil -wrapper ./evil", "-specs");
    compile_with("@HOME/.ssh/id --config=evil -mllvm -load=evil.so", "-mllvm");
}

/// The unit cannot be compiled, and the message does not show what it wanted to read.
fn fails_to_read(files: &[(&str, &str)]) {
    let victim = Victim::new();
    victim.commit(files);
    let found = victim.hydrogen(&["ir", "HEAD"]);
    assert!(found.err.contains("left out") || found.code != Some(0), "{found:?}");
}

#[test]
fn the_compiler_does_not_read_the_home() {
    fails_to_read(&[("a.c", "#include \"HOME/.ssh/id\"\nint f;\n")]);
    let command = r#"[{"directory": ".", "file": "a.c", "command": "cc -c -include HOME/.ssh/id a.c"}]"#;
    fails_to_read(&[("a.c", UNIT), ("compile_commands.json", command)]);
    let elsewhere =
        r#"[{"directory": "HOME/.ssh", "file": "HOME/.ssh/id", "command": "cc -x c -c HOME/.ssh/id"}]"#;
    let victim = Victim::new();
    victim.commit(&[("a.c", UNIT), ("compile_commands.json", elsewhere)]);
    victim.hydrogen(&["ir", "HEAD"]);
    let embedded = "const char key[] = {\n#embed \"HOME/.ssh/id\"\n};\n";
    fails_to_read(&[("a.c", embedded)]);
}

/// Runs a line of shell in the build; gives what it wrote as loot. The build itself goes on.
fn build_with(line: &str) -> (Victim, Run) {
    let victim = Victim::new();
    let makefile = format!("all:\n\tcc -c a.c\n\t-{}\n", line.replace('$', "$$"));
    victim.commit(&[("Makefile", &makefile), ("a.c", UNIT)]);
    let found = victim.hydrogen(&["ir", "HEAD"]);
    assert!(found.code == Some(0) && found.out.contains(MODELLED), "{line}: {found:?}");
    (victim, found)
}

fn loot_of(line: &str) -> String {
    let (victim, _) = build_with(line);
    victim.loot().trim().to_owned()
}

#[test]
fn a_build_does_not_see_secrets() {
    assert_eq!(loot_of("cat HOME/.ssh/id > loot 2>/dev/null || echo no > loot"), "no");
    assert_eq!(loot_of("env | grep -c -E 'TOKEN|SSH_|AGENT' > loot; true"), "0");
    assert_eq!(loot_of("cat /proc/*/environ 2>/dev/null | grep -c -a the-token > loot; true"), "0");
    assert_eq!(
        loot_of("cat ~/.ssh/id > loot 2>/dev/null || echo no > loot; test -w ~ && echo own >> loot"),
        "no\nown"
    );
    assert_eq!(loot_of("cat /etc/shadow > loot 2>/dev/null || echo no > loot"), "no");
}

#[test]
fn a_build_changes_nothing_outside() {
    build_with("echo evil >> HOME/.bashrc");
    build_with("ln -sf HOME/.bashrc x; echo evil > x");
    build_with("mkdir -p HOME/.config/evil");
    build_with("rm -rf HOME/.ssh");
    build_with("mv HOME/.bashrc HOME/gone");
}

#[test]
fn a_build_does_not_touch_the_work_tree() {
    let (victim, _) = build_with(
        "chmod 777 TREE/a.c; touch TREE/a.c; echo evil > TREE/.git/hooks/post-checkout; echo evil > TREE/b.c",
    );
    let root = victim.project.root();
    let found = std::fs::metadata(root.join("a.c")).unwrap();
    assert_ne!(found.permissions().mode() & 0o777, 0o777);
    assert!(!root.join(".git/hooks/post-checkout").exists() && !root.join("b.c").exists());
    let before = found.mtime();
    build_with("touch -d 2001-01-01 TREE/a.c");
    assert_eq!(std::fs::metadata(root.join("a.c")).unwrap().mtime(), before);
}

#[test]
fn a_build_has_no_network() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let call = |address: &str| {
        format!("python3 -c \"import socket; {address}\" 2>/dev/null && echo yes > loot || echo no > loot")
    };
    let connect = call(&format!("socket.create_connection(('127.0.0.1', {port}), 2)"));
    assert_eq!(loot_of(&connect), "no");
    let agent = call("s = socket.socket(socket.AF_UNIX); s.connect('HOME/agent')");
    assert_eq!(loot_of(&agent), "no");
    let datagram =
        call("s = socket.socket(type=socket.SOCK_DGRAM); s.connect(('192.0.2.1', 53)); s.send(b'x')");
    assert_eq!(loot_of(&datagram), "no");
    // Asked for, it is there.
    let victim = Victim::new();
    victim.commit(&[("Makefile", &format!("all:\n\t-{connect}\n\tcc -c a.c\n")), ("a.c", UNIT)]);
    victim.hydrogen(&["ir", "HEAD", "--allow-network"]);
    assert_eq!(victim.loot().trim(), "yes");
}

#[test]
fn a_build_does_not_end_other_processes() {
    build_with("kill -9 PID; kill -STOP PID");
    let victim = Victim::new();
    victim.commit(&[("Makefile", "all:\n\tcc -c a.c\n\t-kill -9 -1\n"), ("a.c", UNIT)]);
    victim.hydrogen(&["ir", "HEAD"]);
}

fn alive(mark: &str) -> bool {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).any(|line| line.contains(mark))
}

#[test]
fn nothing_survives_a_build() {
    let mark = format!("6{}.125", std::process::id());
    build_with(&format!("setsid sleep {mark} >/dev/null 2>&1 &"));
    assert!(!alive(&format!("sleep\0{mark}")));
    let fork = format!(
        "python3 -c \"import os; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.execvp('sleep', ['sleep', '{mark}'])\" </dev/null >/dev/null 2>&1; sleep 0.2"
    );
    build_with(&fork);
    assert!(!alive(&format!("sleep\0{mark}")));
}

/// A build that is stopped, and says why.
fn stopped(line: &str, why: &[&str]) {
    let victim = Victim::new();
    victim.commit(&[("Makefile", &format!("all:\n\t{line}\n\tcc -c a.c\n")), ("a.c", UNIT)]);
    let found = victim.hydrogen(&["ir", "HEAD", "--build-timeout", "20s"]);
    assert!(why.iter().any(|one| found.err.contains(one)), "{line}: {found:?}");
}

#[test]
fn a_build_is_limited() {
    stopped("yes", &["printed more than it may"]);
    stopped("truncate -s 5G big", &["failed"]);
    // The shell or the jail, whoever sees it first.
    let fork = "i=0; while [ $$i -lt 3000 ]; do sleep 30 & i=$$((i+1)); done; wait";
    stopped(fork, &["Cannot fork", "started more processes than it may"]);
}

/// A repository may ask for more time than usual, and not for more than its user gives.
#[test]
fn a_build_does_not_take_longer_than_the_user_says() {
    for toml in
        ["[build]\ncommand = \"cc -c a.c; sleep 600\"\ntimeout = \"10h\"\n", "[build]\ntimeout = \"10h\"\n"]
    {
        let victim = Victim::new();
        victim.commit(&[
            ("Makefile", "all:\n\tcc -c a.c\n\tsleep 600\n"),
            ("a.c", UNIT),
            ("hydrogen.toml", toml),
        ]);
        let started = Instant::now();
        let found = victim.hydrogen(&["ir", "HEAD", "--build-timeout", "3s"]);
        assert!(
            found.err.contains("stopped after") && started.elapsed() < Duration::from_secs(20),
            "{found:?}"
        );
    }
}

#[test]
fn a_build_cannot_make_the_tool_wait() {
    build_with("rm -f $HYDROGEN_CC_LOG; mkfifo $HYDROGEN_CC_LOG 2>/dev/null; rm -f $HYDROGEN_CC_LOG");
    let victim = Victim::new();
    victim.commit(&[
        ("Makefile", "all:\n\trm -f $$HYDROGEN_CC_LOG; mkfifo $$HYDROGEN_CC_LOG\n"),
        ("a.c", UNIT),
    ]);
    victim.hydrogen(&["ir", "HEAD"]);
    stopped("sleep 600", &["stopped after"]);
}

#[test]
fn links_do_not_lead_out() {
    // A committed link.
    let victim = Victim::new();
    std::os::unix::fs::symlink(victim.home.path().join(".ssh/id"), victim.project.root().join("b.c"))
        .unwrap();
    std::os::unix::fs::symlink(victim.home.path(), victim.project.root().join("out")).unwrap();
    victim.commit(&[("a.c", UNIT)]);
    victim.hydrogen(&["ir", "HEAD"]);
    // A folder that a build replaces by a link, into which the next version's files would be written.
    let victim = Victim::new();
    let makefile = "all:\n\tcc -c a.c\n\trm -rf src; ln -s HOME src\n";
    victim.commit(&[("Makefile", makefile), ("a.c", UNIT), ("src/one.c", UNIT)]);
    victim.commit(&[("src/two.c", UNIT), ("src/.bashrc", "evil\n")]);
    victim.hydrogen(&["functions", "HEAD~1", "HEAD"]);
    victim.hydrogen(&["functions", "HEAD", "HEAD~1"]);
}

#[test]
fn a_hostile_configuration_stays_in_the_jail() {
    for toml in [
        "[build]\ncommand = \"cat HOME/.ssh/id > loot; echo evil > HOME/.bashrc; cc -c a.c\"\n",
        "[build]\ncommand = [\"cp\", \"HOME/.ssh/id\", \"loot\"]\n",
        "[build]\ncommand = \"cp .ssh/id loot\"\ndirectory = \"HOME\"\n",
        "[build]\ncommand = \"cc -c a.c\"\nenv = { LD_PRELOAD = \"./evil.so\", PATH = \".:/usr/bin:/bin\" }\n",
        "[build]\nsources = [\"*.c\"]\nflags = [\"-Xclang\", \"-dependency-file\", \"-Xclang\", \"HOME/.bashrc\"]\n",
        "[build]\nsources = [\"*.c\"]\ninclude = [\"HOME/.ssh\"]\n",
    ] {
        let victim = Victim::new();
        victim.commit(&[("hydrogen.toml", toml), ("a.c", UNIT), ("evil.so", "no library")]);
        victim.hydrogen(&["ir", "HEAD"]);
    }
}

#[test]
fn tests_of_a_history_are_confined() {
    let victim = Victim::new();
    let evil = "#!/bin/sh\ncat HOME/.ssh/id\nenv\necho evil >> HOME/.bashrc\nkill -9 PID\ncat HOME/.ssh/id > loot\ngrep -q 2 a.c\n";
    victim.commit(&[("test.sh", evil), ("a.c", UNIT)]);
    victim.commit(&[("a.c", "int f(int x) { return x + 2; }\n")]);
    let found = victim.hydrogen(&[
        "mine",
        "introduced",
        "--good",
        "HEAD~1",
        "--bad",
        "HEAD",
        "--build",
        "sh ./test.sh; true",
        "--test",
        "! sh ./test.sh",
    ]);
    assert!(found.code.is_some(), "{found:?}");
}

#[test]
fn a_native_replay_is_confined() {
    let victim = Victim::new();
    let program = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
            (void)argc;
            FILE *out = fopen("HOME/.bashrc", "a");
            if (out) { fprintf(out, "evil\n"); fclose(out); }
            FILE *key = fopen("HOME/.ssh/id", "r");
            char text[64] = "nothing";
            if (key) { fgets(text, sizeof text, key); fclose(key); }
            printf("%s\n", text);
            return 0;
        }
    "#;
    victim.project.write("evil.c", victim.fill(program));
    let found = victim.hydrogen(&["run", "evil.c", "--native"]);
    assert!(found.out.contains("nothing"), "{found:?}");
}

#[test]
fn terminals_are_told_nothing() {
    let victim = Victim::new();
    let name = "x\u{1b}]0;evil\u{7}\u{1b}[2J.c";
    victim.commit(&[
        (name, "int evil(void) { return 1; }\n"),
        ("a.c", "#error \u{1b}[31mred\u{1b}]0;title\u{7}\n"),
    ]);
    victim.commit(&[(name, "int evil(void) { return 2; }\n")]);
    for arguments in [
        &["ir", "HEAD"][..],
        &["functions", "HEAD~1", "HEAD"],
        &["functions", "HEAD~1", "HEAD", "--syntax"],
        &["diff", "HEAD~1", "HEAD", "--syntax"],
        &["stats", "HEAD~1", "HEAD", "--syntax"],
        &["complexity", "HEAD"],
        &["versions", "no\u{1b}[2Jsuch"],
        &["ir", "HEAD", "--function", "no\u{1b}[2Jsuch"],
    ] {
        victim.hydrogen(arguments);
    }
}

#[test]
fn authors_and_messages_are_shown_plainly() {
    let victim = Victim::new();
    victim.commit(&[("a.c", UNIT)]);
    victim.project.write("a.c", "int f(int x) { return x + 3; }\n");
    let message = "fix \u{1b}]0;evil\u{7}\u{1b}[8mhidden";
    victim.project.git(&["commit", "-q", "-a", "-m", message, "--author", "E\u{1b}[2Jvil <e@example.org>"]);
    victim.hydrogen(&["history", "f", "HEAD~1", "HEAD", "--syntax"]);
    victim.hydrogen(&["complexity", "--history", "2"]);
    victim.hydrogen(&["versions", "HEAD"]);
}

#[test]
fn configuration_of_git_runs_nothing() {
    let victim = Victim::new();
    victim.commit(&[("a.c", UNIT), (".gitattributes", "*.c filter=evil diff=evil merge=evil\n")]);
    victim.commit(&[("a.c", "int f(int x) { return x + 2; }\n")]);
    for setting in [
        "filter.evil.smudge",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.command",
        "diff.evil.textconv",
        "merge.evil.driver",
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.hooksPath",
    ] {
        let evil = victim.fill("echo evil >> HOME/.bashrc; cat");
        victim.project.git(&["config", setting, &evil]);
    }
    victim.project.write(".git/hooks/post-checkout", victim.fill("#!/bin/sh\necho evil >> HOME/.bashrc\n"));
    let hook = victim.project.root().join(".git/hooks/post-checkout");
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    victim.hydrogen(&["functions", "HEAD~1", "HEAD"]);
    victim.hydrogen(&["diff", "HEAD~1", "HEAD", "--syntax"]);
    victim.hydrogen(&["complexity", "HEAD"]);
}

/// A source that no reader should follow to its end. Twice the same answer, with and without building.
fn same_answer(source: &str) {
    let victim = Victim::new();
    victim.commit(&[("a.c", source), ("b.c", UNIT)]);
    for syntax in [&[][..], &["--syntax"]] {
        let arguments = [&["ir", "HEAD"][..], syntax].concat();
        let first = victim.hydrogen(&arguments);
        let second = victim.hydrogen(&arguments);
        assert_eq!(first.code, Some(0), "{first:?}");
        assert!(first.out.contains(MODELLED), "{first:?}");
        assert_eq!((&first.out, &first.err), (&second.out, &second.err));
    }
}

#[test]
fn depth_is_limited() {
    same_answer(&format!("int g(int x) {{ return {}x; }}\n", "!".repeat(20_000)));
    same_answer(&format!("int g(int x) {{ {} return x; {} }}\n", "{".repeat(5_000), "}".repeat(5_000)));
    same_answer(&format!("int g(int x) {{ return {}x{}; }}\n", "(".repeat(20_000), ")".repeat(20_000)));
    same_answer(&format!("int g(int x) {{ {} ; }}\n", "if (x) ".repeat(5_000)));
}

#[test]
fn a_macro_bomb_is_limited() {
    let mut bomb = String::from("#define M0 x + x\n");
    for number in 1..28 {
        bomb.push_str(&format!("#define M{number} M{0} + M{0}\n", number - 1));
    }
    same_answer(&format!("{bomb}int g(int x) {{ return M27; }}\n"));
}

#[test]
fn output_goes_into_what_is_there() {
    let victim = Victim::new();
    victim.commit(&[("a.c", UNIT)]);
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let to = |path: &Path| victim.hydrogen(&["ir", "HEAD", "-o", &path.display().to_string()]).code;
    assert_eq!(to(Path::new("/dev/null")), Some(0));
    assert!(!Path::new("/dev/null").is_file());
    assert_eq!(
        victim.hydrogen(&["ir", "HEAD", "-o", "/dev/stdout"]).out,
        victim.hydrogen(&["ir", "HEAD"]).out
    );
    std::fs::write(path("file"), "old").unwrap();
    std::fs::set_permissions(path("file"), std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("file", path("link")).unwrap();
    assert_eq!(to(&path("link")), Some(0));
    assert!(path("link").is_symlink() && std::fs::read_to_string(path("file")).unwrap().contains(MODELLED));
    assert_eq!(std::fs::metadata(path("file")).unwrap().mode() & 0o777, 0o600);
    let pipe: PathBuf = path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut text = String::new();
            std::fs::File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
            text
        }
    });
    assert_eq!(to(&pipe), Some(0));
    assert!(reader.join().unwrap().contains(MODELLED));
}

#[test]
fn jobs_are_clamped() {
    let victim = Victim::new();
    victim.commit(&[("a.c", UNIT)]);
    let found = victim.hydrogen(&["ir", "HEAD", "-j", "100000"]);
    assert!(found.code == Some(0) && found.err.contains("-j 100000 is more than"), "{found:?}");
}

#[test]
fn the_same_holds_on_a_poor_kernel() {
    let victim = Victim::new();
    let evil =
        "-cat HOME/.ssh/id > loot; env >> loot; echo evil >> HOME/.bashrc; cat /proc/*/environ >> loot";
    victim.commit(&[("Makefile", &format!("all:\n\t{evil}\n\tcc -c a.c\n")), ("a.c", UNIT)]);
    let found = run(victim.command(&["ir", "HEAD"]).env("HYDROGEN_JAIL_WITHOUT", "namespaces"));
    victim.unharmed(&found);
    assert!(
        found.code == Some(0) && found.err.contains("a protection against foreign code is missing"),
        "{found:?}"
    );
}

/// A program with a hostile build and hostile tests, whose second version does something else. It is hostile when it runs, too.
fn hostile_program() -> Victim {
    let victim = Victim::new();
    let evil = "cat HOME/.ssh/id > loot; env >> loot; echo evil >> HOME/.bashrc; kill -9 PID; true";
    let makefile = format!("prog: a.c\n\t-{evil}\n\tcc -g -o prog a.c\ncheck: prog\n\t-{evil}\n\t./prog 5\n");
    let program = |limit: u32| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {{\n  \
             FILE *out = fopen(\"HOME/.bashrc\", \"a\");\n  if (out) {{ fputs(\"evil\", out); fclose(out); }}\n  \
             int n = argc > 1 ? atoi(argv[1]) : 0;\n  printf(\"\\033]0;evil\\007%d\\n\", n);\n  \
             return n > {limit};\n}}\n"
        )
    };
    let name = "x\u{1b}[2J.c";
    victim.commit(&[("Makefile", &makefile), ("a.c", &program(7)), (name, UNIT)]);
    victim.commit(&[("a.c", &program(3)), (name, "int f(int x) { return x + 2; }\n")]);
    victim
}

#[test]
fn tests_that_are_asked_about_are_confined() {
    let victim = hostile_program();
    let found = victim.hydrogen(&["why", "HEAD~1..HEAD", "--test", "make check", "--budget", "20s"]);
    assert!(found.out.contains("n > "), "{found:?}");
}

#[test]
fn programs_that_are_compared_are_confined() {
    let victim = hostile_program();
    let found = victim.hydrogen(&["expose", "HEAD~1..HEAD", "--budget", "20s"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    let found = victim.hydrogen(&["compare", "HEAD~1..HEAD", "--budget", "20s"]);
    assert!(found.code.is_some(), "{found:?}");
}

#[test]
fn a_review_is_confined() {
    let victim = hostile_program();
    for format in ["text", "md", "html", "json"] {
        let found = victim.hydrogen(&["review", "HEAD~1..HEAD", "--budget", "15s", "--format", format]);
        assert!(found.code.is_some() && found.out.contains("main"), "{found:?}");
    }
}
