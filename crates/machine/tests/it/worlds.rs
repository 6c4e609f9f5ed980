//! The outside: files, environment, clock, and what is refused.

use super::support::{file, limits, load, run, seen, tools};
use hydrogen_machine::{End, World};

#[test]
fn a_mapped_folder_is_read_and_never_written() {
    let Some(tools) = tools() else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::write(folder.path().join("sub/data.txt"), "from the host\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("out")).unwrap();
    let source = "#include <stdio.h>\nint main(void) { char b[50]; FILE *f = fopen(\"sub/data.txt\", \"r+\"); fgets(b, 50, f); fputs(b, stdout); \
                  fseek(f, 0, SEEK_SET); fputs(\"changed\", f); fclose(f); f = fopen(\"new\", \"w\"); fputs(\"made\", f); fclose(f); \
                  printf(\"%d %d\\n\", fopen(\"out\", \"r\") == 0, fopen(\"/etc/passwd\", \"r\") == 0); return 0; }";
    let (_folder, path) = file(source);
    let world = World::default().with_folder(folder.path(), "/").unwrap();
    let run = load(tools, &path, &[]).run(world, limits());
    assert_eq!(seen(&run).stdout, "from the host\n1 1\n");
    let changed: Vec<_> = run
        .world
        .changed_files()
        .iter()
        .map(|(name, content)| (name.to_string(), content.to_vec()))
        .collect();
    let expected = [("/new", "made"), ("/sub/data.txt", "changede host\n")];
    assert_eq!(changed, expected.map(|(name, content)| (name.to_owned(), content.as_bytes().to_vec())));
    assert_eq!(std::fs::read(folder.path().join("sub/data.txt")).unwrap(), b"from the host\n");
    assert!(!folder.path().join("new").exists());
}

#[test]
fn environment_clock_and_sleep() {
    let Some(tools) = tools() else { return };
    let source = "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\nint main(void) { time_t a = time(0); sleep(3); \
                  printf(\"%s %ld %ld\\n\", getenv(\"NAME\"), (long)a, (long)(time(0) - a)); return 0; }";
    let (_folder, path) = file(source);
    let mut world = World::default().with_clock(1_000_000);
    world.environment.push("NAME=value".into());
    let run = load(tools, &path, &[]).run(world, limits());
    assert_eq!(seen(&run).stdout, "value 1000000 3\n");
}

#[test]
fn what_is_refused_is_in_the_ledger() {
    let source = "#include <errno.h>\n#include <stdio.h>\n#include <sys/socket.h>\n#include <sys/syscall.h>\n#include <unistd.h>\nint main(void) { int a = fork(), b = socket(AF_INET, SOCK_STREAM, 0), c = fork(), d = syscall(SYS_mount); return a == -1 && b == -1 && c == -1 && d == -1 && errno == ENOSYS ? 0 : 1; }";
    let Some(run) = run(source) else { return };
    assert_eq!(run.end, End::Exit(0));
    let ledger: Vec<&str> = run.world.ledger().map(|(note, _)| note).collect();
    assert_eq!(
        ledger,
        [
            "a new process or thread was asked for and refused",
            "a socket was asked for and refused",
            "the system call `mount` is not supported",
        ]
    );
}

/// A program that calls functions that nobody has the code of.
fn closed(body: &str) -> Option<hydrogen_machine::Run> {
    let archive = tools()?;
    let (_folder, path) = file(&format!(
        "#include <stdio.h>\n#include <stdlib.h>\nint put(const char *); void hint(int); char *name(void);\n{body}"
    ));
    Some(load(archive, &path, &[]).run(World::default(), limits()))
}

#[test]
fn functions_without_code_are_called_until_they_decide() {
    let Some(run) = closed("int main(void) { hint(1); int r = put(\"x\"); puts(\"on\"); r = 3; return r; }")
    else {
        return;
    };
    assert_eq!((&run.end, run.world.stdout.as_slice()), (&End::Exit(3), &b"on\n"[..]));
    let notes: Vec<&str> = run.world.ledger().map(|(note, _)| note).collect();
    assert!(notes.iter().any(|note| note.starts_with("`put` has no body")), "{notes:?}");
    let run = closed("int main(void) { puts(\"on\"); if (put(\"x\") > 0)\n return 1; return 0; }").unwrap();
    assert!(matches!(&run.end, End::Unresolved(name, _) if name == "put"), "{:?}", run.end);
    assert_eq!(run.world.stdout, b"on\n");
}

#[test]
fn what_goes_wrong_behind_them_is_possible_and_no_fault() {
    let Some(run) = closed("int main(void) { int a[2] = {0}; volatile int i = 2; hint(1); return a[i]; }")
    else {
        return;
    };
    assert!(matches!(&run.end, End::Unresolved(name, _) if name == "hint"), "{:?}", run.end);
    let possible = |note: &str| note.starts_with("possible, if `hint` can answer so: out of bounds read");
    assert!(run.world.ledger().any(|(note, _)| possible(note)));
    let run = closed("int main(void) { char *n = name(); return *n; }").unwrap();
    assert!(matches!(&run.end, End::Unresolved(name, _) if name == "name"), "{:?}", run.end);
}

#[test]
fn pipes_lead_back_to_the_program() {
    let source = "#include <errno.h>\n#include <fcntl.h>\n#include <string.h>\n#include <unistd.h>\nint main(void) { int p[2]; char b[8] = {0};\n\
                  if (pipe(p) || write(p[1], \"abcd\", 4) != 4 || read(p[0], b, 2) != 2 || read(p[0], b + 2, 8 - 2) != 2 || strcmp(b, \"abcd\")) return 1;\n\
                  if (read(p[0], b, 1) != -1 || errno != EAGAIN) return 2; close(p[1]); return read(p[0], b, 1); }";
    let Some(run) = run(source) else { return };
    assert_eq!(run.end, End::Exit(0));
    assert!(run.world.changed_files().is_empty());
}

#[test]
fn timers_send_their_signals() {
    let Some(archive) = tools() else { return };
    let run = |source: &str| {
        let (_folder, path) = file(source);
        load(archive, &path, &[]).run(World::default(), limits())
    };
    let head = "#include <signal.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\nstatic volatile int rang; static void ring(int s) { rang += s == SIGALRM; }\n";
    // While the program computes, while it sleeps, and while it waits.
    let run_on = |body: &str| run(&format!("{head}int main(void) {{ signal(SIGALRM, ring); {body} }}"));
    let ticks = run_on(
        "struct itimerval t = {{0, 1000}, {0, 1000}}; setitimer(ITIMER_REAL, &t, 0); while (rang < 5) ; return 0;",
    );
    assert_eq!(ticks.end, End::Exit(0));
    assert!(ticks.statistics.steps < 20_000_000, "{}", ticks.statistics.steps);
    let asleep = run_on(
        "alarm(2); unsigned left = sleep(10); return left == 8 && rang == 1 && alarm(0) == 0 ? 0 : 1;",
    );
    assert_eq!(asleep.end, End::Exit(0));
    assert_eq!(run_on("alarm(3); pause(); return rang - 1;").end, End::Exit(0));
    assert_eq!(
        run("#include <unistd.h>\nint main(void) { alarm(1); for (;;) pause(); }").end,
        End::Signal(14)
    );
}
