//! Each program gives the same output, errors and status in the machine and natively.

use super::support::{has_native, limits, load, native, run_native, same_if_watched, seen, tools};
use hydrogen_machine::{End, World};
use std::path::Path;

fn check(name: &str, args: &[&str]) {
    let Some(tools) = tools() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/programs");
    let source = folder.join(name).with_extension("c");
    let input = folder.join(name).with_extension("in");
    let stdin = std::fs::read(&input).unwrap_or_default();
    let program = load(tools, &source, &[]);
    let mut all = vec!["program"];
    all.extend(args);
    let world = World::new(all).with_stdin(stdin);
    let run = program.run(world.clone(), limits());
    // A watched run has its own way with threads.
    if name != "threads" {
        same_if_watched(&program, world, &run);
    }
    let found = seen(&run);
    assert!(!matches!(run.end, End::Fault(_)));
    if !has_native() {
        return hydrogen_testkit::skip("musl's own libc.a is missing (musl-dev)");
    }
    let build = tempfile::tempdir().unwrap();
    let binary = build.path().join("native");
    native(&source, &[], &binary);
    let stdin = if input.exists() { input } else { "/dev/null".into() };
    let mut expected = run_native(&binary, args, &stdin);
    // An assertion names the file by the path it was compiled with.
    expected.stderr = expected.stderr.replace(&format!("{}/", folder.display()), "");
    assert_eq!(found, expected);
}

macro_rules! programs {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name), &[]);
        }
    )*};
}

programs!(
    aborts,
    aggregates,
    atomics,
    bit_fields,
    complex_numbers,
    control,
    destructors,
    files,
    floats,
    formats,
    integers,
    jumps,
    long_double,
    numbers,
    pointers,
    recursion,
    scanning,
    signals,
    sorting,
    strings,
    threads,
    varargs,
    vectors,
    baseline
);

#[test]
fn times() {
    check("times", &["-a", "-b5", "rest"]);
}

/// Another schedule is another run of the same program, and the same one every time.
#[test]
fn schedules_decide_who_runs_when() {
    let Some(tools) = tools() else { return };
    let source = "#include <pthread.h>\n#include <stdio.h>\nstatic volatile int n; static void *add(void *p) { for (int i = 0; i < 20000; i++) { int k = n; if (k != -1) n = k + 1; } \
                  return p; }\nint main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0); pthread_create(&b, 0, add, 0); \
                  pthread_join(a, 0); pthread_join(b, 0); printf(\"%d\\n\", n); return 0; }";
    let (_folder, path) = super::support::file(source);
    let program = load(tools, &path, &[]);
    let with = |schedule: u64| {
        let mut world = World::default();
        world.schedule = schedule;
        seen(&program.run(world, limits())).stdout
    };
    let all: std::collections::BTreeSet<String> = (0..6).map(with).collect();
    assert!(all.len() > 1, "updates that are lost depend on the schedule: {all:?}");
    (0..6).for_each(|seed| assert_eq!(with(seed), with(seed)));
}

/// What waits for itself is told, and no thread's variable outlives its function.
#[test]
fn threads_that_do_wrong() {
    let Some(tools) = tools() else { return };
    let end = |body: &str| {
        let head = "#include <pthread.h>\n#include <stdlib.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int *kept;\n";
        let (_folder, path) = super::support::file(&format!("{head}{body}"));
        let run = load(tools, &path, &[]).run(World::default(), limits());
        format!("{:?}", run.end)
    };
    let main = |then: &str| {
        format!("int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); {then} }}")
    };
    let waits = "void *f(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return p; }\n".to_owned();
    assert!(end(&(waits + &main("return 0;"))).contains("every thread waits"));
    let returns = "void *f(void *p) { int local = 3; kept = &local; return p; }\n".to_owned();
    assert!(end(&(returns + &main("return *kept;"))).contains("UseAfterReturn"));
    let writes = "void *f(void *p) { int *q = malloc(8); q[2] = 1; free(q); return p; }\n".to_owned();
    assert!(end(&(writes + &main("return 0;"))).contains("OutOfBoundsWrite"));
    let deep = "int g(int n) { volatile char a[1000]; a[0] = n; return g(n + 1) + a[0]; } void *f(void *p) { g(0); return p; }\n".to_owned();
    assert!(end(&(deep + &main("return 0;"))).contains("StackExhausted"));
}

#[test]
fn two_runs_are_the_same_addresses_included() {
    let Some(tools) = tools() else { return };
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint g; int main(void) { int l; \
                  printf(\"%p %p %p %p\\n\", (void *)&g, (void *)&l, malloc(3), (void *)main); return 0; }";
    let (_folder, path) = super::support::file(source);
    let program = load(tools, &path, &[]);
    let first = program.run(World::default(), limits());
    let second = program.run(World::default(), limits());
    assert_eq!(seen(&first), seen(&second));
    assert_eq!(first.statistics, second.statistics);
    let third = load(tools, &path, &[]).run(World::default(), limits());
    assert_eq!(seen(&first), seen(&third));
}

/// In a run that is watched a thread runs where the function that made it returns, and what it shows is what it shows to nobody.
#[test]
fn threads_that_are_watched() {
    let Some(tools) = tools() else { return };
    let check = |body: &str, expected: &str| {
        let head = "#include <pthread.h>\n#include <stdio.h>\n#include <threads.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int n;\n";
        let (_folder, path) = super::support::file(&format!("{head}{body}"));
        let program = load(tools, &path, &[]);
        let run = program.run_with(World::default(), limits(), super::support::Idle);
        let shown = format!("{}{:?}", String::from_utf8_lossy(&run.world.stdout), run.end);
        assert!(shown.contains(expected), "{shown}");
        if !shown.contains("watched") {
            let unwatched = program.run(World::default(), limits());
            assert_eq!((run.end, run.world.stdout), (unwatched.end, unwatched.world.stdout));
        }
    };
    let two = "void *f(void *p) { pthread_mutex_lock(&m); n = n * 10 + *(int *)p; pthread_mutex_unlock(&m); return p; }\n\
               int main(void) { pthread_t t[2]; int a[] = {1, 2}; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, &a[i]);\n\
               n = n * 10 + 3; void *r; for (int i = 0; i < 2; i++) pthread_join(t[i], &r); printf(\"%d %d\\n\", n, *(int *)r); }";
    check(two, "123 2\nExit(0)");
    let standard = "int f(void *p) { n = 4; thrd_exit(7); }\n\
                    int main(void) { thrd_t t; int r; thrd_create(&t, f, 0); thrd_join(t, &r); printf(\"%d %d\\n\", n, r); }";
    check(standard, "4 7\nExit(0)");
    let nested = "void *g(void *p) { n += 1; return 0; } void *f(void *p) { pthread_t t; pthread_create(&t, 0, g, 0); pthread_join(t, 0); n *= 2; return 0; }\n\
                  int main(void) { pthread_t t; n = 3; pthread_create(&t, 0, f, 0); pthread_join(t, 0); printf(\"%d\\n\", n); }";
    check(nested, "8\nExit(0)");
    let waiting = "pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
                   void *f(void *p) { pthread_mutex_lock(&m); while (!n) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return p; }\n\
                   int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); n = 1; pthread_cond_signal(&c);\n\
                   pthread_mutex_unlock(&m); pthread_join(t, 0); return n; }";
    check(waiting, "a thread that waits for another one, in a run that is watched");
    check(
        "_Thread_local int own; void *f(void *p) { own++; return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return own; }",
        "thread-local",
    );
    check(
        "void *f(void *p) { return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *q = 0; return *q; }",
        "NullDereference",
    );
}
