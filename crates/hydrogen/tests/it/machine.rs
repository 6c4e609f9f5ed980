//! `hydrogen run`. Where the C library was not fetched, these tests say so and pass.

use crate::project::{Project, Run, run};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OVERFLOW: &str = "#include <stdio.h>
#include <stdlib.h>

static char *make(int n)
{
\treturn malloc(n);
}

int main(int argc, char **argv)
{
\tchar *p = make(argc);
\tputs(\"hello\");
\tfflush(stdout);
\tp[argc] = 1;
\treturn 0;
}
";

/// The tool's answer; `None` without a C library.
fn answer(project: &Project, arguments: &[&str]) -> Option<Run> {
    let answer = project.hydrogen(arguments);
    if answer.err.contains("the C library is missing") {
        hydrogen_testkit::skip(&answer.err);
        return None;
    }
    Some(answer)
}

#[test]
fn a_heap_overflow_is_shown_with_its_lines() {
    let project = Project::new();
    project.write("overflow.c", OVERFLOW);
    let Some(run) = answer(&project, &["run", "overflow.c", "--", "one", "two"]) else { return };
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(run.out, "hello\n");
    let expected = [
        "fault: out of bounds write: write of 1 byte 0 bytes behind the end of a heap object of 3 bytes",
        "at main (overflow.c:14:10)",
        "| p[argc] = 1;",
        "allocated",
        "at make (overflow.c:6:9)",
        "| return malloc(n);",
    ];
    let mut rest = run.err.as_str();
    for words in expected {
        let at = rest.find(words).unwrap_or_else(|| panic!("`{words}` is not in order in {}", run.err));
        rest = &rest[at + words.len()..];
    }
}

#[test]
fn json_has_everything() {
    let project = Project::new();
    project.write("overflow.c", OVERFLOW);
    let Some(run) = answer(&project, &["run", "overflow.c", "--format", "json"]) else { return };
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["end"]["fault"], "out-of-bounds-write");
    assert_eq!(json["end"]["stack"][0]["line"], 14);
    assert_eq!(json["end"]["object"]["allocated"][0]["function"], "make");
    assert_eq!(json["stdout"], "hello\n");
    assert!(json["statistics"]["instructions"].as_u64().unwrap() > 100);
}

#[test]
fn status_input_environment_and_files() {
    let project = Project::new();
    project.write(
        "main.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint helper(int);\nint main(void) { char b[20]; FILE *f = fopen(\"in.txt\", \"r\"); fgets(b, 20, f); \
         fclose(f); printf(\"%s%s %d\\n\", b, getenv(\"WHO\"), getchar()); f = fopen(\"out.txt\", \"w\"); fputs(\"made\", f); fclose(f); return helper(VALUE); }",
    );
    project.write("helper.c", "int helper(int n) { return n + 2; }");
    project.write("data/in.txt", "mapped\n");
    project.write("stdin", "A");
    let arguments = [
        "run",
        "main.c",
        "helper.c",
        "--map",
        "data",
        "--stdin",
        "stdin",
        "--env",
        "WHO=me",
        "--cflags",
        "-DVALUE=5",
        "--files",
        "made",
        "--passthrough",
    ];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!((run.code, run.out.as_str()), (Some(7), "mapped\nme 65\n"), "{run:?}");
    assert_eq!(std::fs::read(project.root().join("made/out.txt")).unwrap(), b"made");
    assert!(!project.root().join("data/out.txt").exists());
}

#[test]
fn a_version_runs_as_it_was() {
    let first = [
        (
            "prog.c",
            "#include <stdio.h>\nint answer(void);\nint main(void) { printf(\"%d\\n\", answer()); return 0; }",
        ),
        ("answer.c", "int answer(void) { return 1; }"),
        ("tool.c", "int main(void) { return 9; }"),
    ];
    let second = [("answer.c", "int answer(void) { return 2; }")];
    let project = Project::with_versions(&[&first, &second]);
    let Some(run) = answer(&project, &["run", "v1", "--unit", "prog.c"]) else { return };
    assert_eq!((run.code, run.out.as_str()), (Some(0), "1\n"), "{run:?}");
    assert_eq!(project.hydrogen(&["run", "v2", "--unit", "prog.c"]).out, "2\n");
    let run = project.hydrogen(&["run", "v2"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("--unit") && run.err.contains("tool.c"), "{}", run.err);
}

/// A file that is compiled twice is two units, and a program has the one that its link names.
#[test]
fn a_program_is_linked_of_what_its_own_link_names() {
    let main = "#include <stdio.h>\nint size(void);\nint other(void);\nint main(void) { printf(\"%d %d %d\\n\", size(), other(), KIND); return 0; }";
    let makefile = "all: small large\nsmall: small.o libs.a main.c\n\tcc -DKIND=1 -o small main.c small.o -L. -ls\n\
                    large: large.o main.o other.o\n\tcc -o large main.o large.o other.o\nmain.o: main.c\n\tcc -DKIND=2 -c main.c\n\
                    small.o: size.c\n\tcc -DSIZE=8 -c size.c -o small.o\nlarge.o: size.c\n\tcc -DSIZE=64 -c size.c -o large.o\n\
                    libs.a: other.c\n\tcc -DOTHER=3 -c other.c -o o.o && ar rcs libs.a o.o\nother.o: other.c\n\tcc -c other.c\n";
    let files = [
        ("main.c", main),
        ("size.c", "int size(void) { return SIZE; }"),
        ("other.c", "#ifndef OTHER\n#define OTHER 4\n#endif\nint other(void) { return OTHER; }"),
        ("Makefile", makefile),
    ];
    let project = Project::with_versions(&[&files]);
    let Some(run) = answer(&project, &["run", "v1", "--unit", "large", "--native"]) else { return };
    assert_eq!((run.code, run.out.as_str()), (Some(0), "64 4 2\n"), "{run:?}");
    assert!(run.err.contains("natively"), "{run:?}");
    let run = project.hydrogen(&["run", "v1", "--unit", "small"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "8 3 1\n"), "{run:?}");
    // One of them is taken where none is named, and that is said.
    let run = project.hydrogen(&["run", "v1"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "64 4 2\n"), "{run:?}");
    assert!(run.err.contains("`large` is taken") && run.err.contains("small"), "{}", run.err);
}

/// A signal that asks to end is obeyed at once, whatever the tool does just then.
#[test]
fn a_signal_ends_every_command_within_a_second() {
    let project = Project::new();
    project.write(
        "busy.c",
        "#include <stdio.h>\nint main(void) { int c = getchar(); for (volatile long i = 0; i < 400000000; i++) if (i == c) putchar(c); return 0; }",
    );
    project.write("in", "a");
    // The library is there, and so is the program's model.
    let Some(_) = answer(&project, &["run", "busy.c", "--steps", "1000"]) else { return };
    let commands: [&[&str]; 4] = [
        &["run", "busy.c", "--stdin", "in"],
        &["slice", "busy.c", "--stdin", "in", "--of", "exit", "--steps", "400000000"],
        &["slice", "busy.c", "--stdin", "in", "--of", "exit", "--steps", "3000000"],
        &["explore", "busy.c", "--symbolic", "stdin:1", "--steps", "400000000"],
    ];
    for (at, command) in commands.into_iter().enumerate() {
        let mut child =
            project.command().args(command).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        if child.try_wait().unwrap().is_some() {
            assert_eq!(at, 2, "{command:?} ended by itself");
            continue;
        }
        let asked = Instant::now();
        assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
        let status = child.wait().unwrap();
        // Ten seconds stand for one: this is a debug build, and other tests run at the same time.
        assert!(asked.elapsed() < Duration::from_secs(10), "{command:?} took {:?}", asked.elapsed());
        // The short one may come to its limit at the very moment.
        let ended = [Some(143), (at == 2).then_some(2)];
        assert!(ended.contains(&status.code()), "{command:?}: {status}");
    }
}

/// Where implementations go on, a run can; the faults are told all the same.
#[test]
fn a_run_goes_on_behind_a_fault() {
    let project = Project::new();
    project.write(
        "old.c",
        "#include <stdio.h>\n#include <limits.h>\nint main(int argc, char **argv) {\n\tint n = INT_MAX, unset[2], *p = unset;\n\
         \tn += argc;\n\tif (p[1] == 123456)\n\t\tputs(\"odd\");\n\tprintf(\"%d\\n\", n);\n\treturn 4;\n}\n",
    );
    let Some(stopped) = answer(&project, &["run", "old.c"]) else { return };
    assert_eq!((stopped.code, stopped.out.as_str()), (Some(1), ""), "{stopped:?}");
    let run = project.hydrogen(&["run", "old.c", "--faults", "continue"]);
    assert_eq!((run.code, run.out.as_str()), (Some(1), "-2147483648\n"), "{run:?}");
    for words in ["signed overflow", "old.c:5", "uninitialised", "old.c:6", "exit status 4"] {
        assert!(run.err.contains(words), "`{words}` is not in {}", run.err);
    }
    let json = project.hydrogen(&["run", "old.c", "--faults", "continue", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["behind"].as_array().map(Vec::len), Some(2), "{json}");
    assert_eq!(json["end"]["status"], 4);
}

/// A program with a harmless old fault in its first lines, and what it prints behind that.
fn old_fault(sum: &str, last: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <limits.h>\nint main(int argc, char **argv) {{\n\tint x = atoi(argv[1]);\n\
         \tint old = {sum};\n\tif (old == 7) puts(\"odd\");\n\tprintf(\"%d\\n\", {last});\n\treturn 0;\n}}\n"
    )
}

const WRAPS: &str = "INT_MAX + argc";

/// Asks about a program with the fault and another version of it.
fn behind_the_fault(new: &str, command: &[&str]) -> crate::project::Run {
    let old = old_fault(WRAPS, "x > 10");
    let project = Project::with_versions(&[&[("a.c", &old)], &[("a.c", new)]]);
    project.hydrogen(&[&[command[0], "v1..v2", "--faults", "continue"], &command[1..]].concat())
}

/// A program with a harmless old fault is compared behind it, and the fault is part of what comes out.
#[test]
fn compare_goes_on_behind_a_fault() {
    let compare = ["compare", "--inputs", "arg:1:int", "--", "3"];
    let run = behind_the_fault(&old_fault(WRAPS, "x >= 10"), &compare);
    assert_eq!(run.code, Some(1), "{run:?}");
    let writes = "exits with 0, went on behind signed overflow, writes \"1\\n\"";
    for part in ["differs  arg 1: \"10\"", writes, "natively the same"] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let run = behind_the_fault(&old_fault(WRAPS, "!(x <= 10)"), &compare);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("equal: proved for every input"), "{run:?}");
}

#[test]
fn a_fault_that_is_gone_is_a_difference() {
    let compare = ["compare", "--inputs", "arg:1:int", "--no-native", "--budget", "5s"];
    let sound = old_fault("0", "x > 10");
    let run = behind_the_fault(&sound, &[&compare[..], &["--", "3"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    let said = ["v1: exits with 0, went on behind signed overflow", "v2: exits with 0, writes"];
    assert!(said.iter().all(|part| run.out.contains(part)), "{run:?}");
    // Unless inputs with faults are left out.
    let run = behind_the_fault(&sound, &[&compare[..], &["--assume-defined", "--", "3"]].concat());
    assert!(!run.out.contains("differs  "), "{run:?}");
    // Without the option the fault is where both runs end.
    let other = old_fault(WRAPS, "x >= 10");
    let run = behind_the_fault(&other, &[&compare[..], &["--faults", "stop", "--", "3"]].concat());
    assert_eq!(run.code, Some(2), "an option is given once: {run:?}");
}

#[test]
fn expose_goes_on_behind_a_fault() {
    let run = behind_the_fault(&old_fault(WRAPS, "x >= 10"), &["expose", "--", "3"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    for part in ["exit 0, went on behind signed overflow", "out: 0", "out: 1", "natively, both the same"] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
}

#[test]
fn why_goes_on_behind_a_fault() {
    let other = old_fault(WRAPS, "x >= 10");
    let run = behind_the_fault(&other, &["why", "--", "10"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("a.c:8: ") && run.out.contains("x >= 10"), "{run:?}");
    let run = behind_the_fault(&other, &["why", "--format", "json", "--", "10"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert!(run.out.contains("exit status 0, went on behind signed overflow"), "{json}");
}

/// Threads of a program take turns; who watches a run sees none, and says so.
#[test]
fn a_program_with_a_thread_runs() {
    let project = Project::new();
    project.write(
        "two.c",
        "#include <pthread.h>\n#include <stdio.h>\nstatic void *work(void *p) { *(int *)p = 5; return p; }\n\
         int main(void) { pthread_t t; int n = 0; if (pthread_create(&t, 0, work, &n)) return 9; pthread_join(t, 0); printf(\"%d\\n\", n); return 0; }",
    );
    let Some(run) = answer(&project, &["run", "two.c", "--native"]) else { return };
    assert_eq!((run.code, run.out.as_str()), (Some(0), "5\n"), "{run:?}");
    assert_eq!(project.hydrogen(&["run", "two.c", "--schedule", "11"]).out, "5\n");
    let slice = project.hydrogen(&["slice", "two.c"]);
    assert!(slice.err.contains("thread"), "{slice:?}");
    // One order of many is explored: that is all that is known.
    let explored = project.hydrogen(&["explore", "two.c", "--symbolic", "stdin:1"]);
    assert_eq!(explored.code, Some(3), "{explored:?}");
    assert!(explored.out.contains("complete for one order of threads"), "{explored:?}");
    let json = project.hydrogen(&["explore", "two.c", "--symbolic", "stdin:1", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["complete"], false, "{json}");
    let source = std::fs::read_to_string(project.root().join("two.c")).unwrap();
    project.write("same.c", source.replace("*(int *)p = 5", "int five = 5; *(int *)p = five"));
    let two = ["compare", "old=two.c", "new=same.c", "--inputs", "stdin:1", "--no-native"];
    let compared = project.hydrogen(&two);
    assert_eq!(compared.code, Some(3), "{compared:?}");
    assert!(compared.out.contains("other orders of threads were not looked at"), "{compared:?}");
}

#[test]
fn limits_and_gaps_are_told_apart() {
    let project = Project::new();
    project.write("endless.c", "int main(void) { for (;;) ; }");
    project.write("gap.c", "void nowhere(void);\nint main(void) {\n nowhere();\n}");
    project.write("asm.c", "int main(void) { __asm__(\"rdtscp\"); return 0; }");
    project.write("none.c", "int f(void) { return 0; }");
    let check = |arguments: &[&str], code: i32, words: &[&str]| {
        let Some(run) = answer(&project, arguments) else { return };
        assert_eq!(run.code, Some(code), "{run:?}");
        words.iter().for_each(|word| assert!(run.err.contains(word), "`{word}` is not in {}", run.err));
    };
    check(&["run", "endless.c", "--steps", "100000"], 3, &["the limit on steps", "endless.c:1"]);
    // Nothing depends on what it gives.
    check(&["run", "gap.c"], 0, &["`nowhere` has no body"]);
    check(&["run", "asm.c"], 3, &["rdtscp", "asm.c:1"]);
    check(&["run", "none.c"], 2, &["no unit defines `main`", "--entry"]);
    check(&["run", "none.c", "--entry", "f"], 0, &["exit status 0"]);
    check(&["run", "missing.c"], 2, &["does not exist"]);
}

#[test]
fn without_the_library_plain_programs_still_run() {
    let project = Project::new();
    project.write("plain.c", "int main(int argc, char **argv) { return argc; }");
    project.write("library.c", "int puts(const char *);\nint main(void) {\n puts(\"x\");\n return 0; }");
    let without =
        |arguments: &[&str]| run(project.command().env("HYDROGEN_MUSL", "/nowhere").args(arguments));
    let plain = without(&["run", "plain.c", "--passthrough", "--", "x"]);
    assert_eq!(plain.code, Some(2), "{plain:?}");
    assert!(plain.err.contains("the C library is missing"), "{plain:?}");
    let library = without(&["run", "library.c"]);
    assert_eq!(library.code, Some(2));
    assert!(library.err.contains("`puts`") && library.err.contains("library.c:3"), "{library:?}");
}

/// A program that reads more than its memory holds gets the null pointer, as natively, and the ledger says so.
#[test]
fn input_larger_than_the_memory_is_survived() {
    let project = Project::new();
    project.write(
        "big.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n\tsize_t size = 0, room = 1 << 16, got;\n\tchar *all = malloc(room);\n\
         \twhile ((got = fread(all + size, 1, room - size, stdin)) > 0)\n\t\tif ((size += got) == room) {\n\
         \t\t\tchar *more = realloc(all, room *= 2);\n\t\t\tif (!more) { free(all); return 5; }\n\t\t\tall = more;\n\t\t}\n\
         \tprintf(\"%zu\\n\", size);\n\tfree(all);\n\treturn 0;\n}\n",
    );
    project.write("in", vec![b'x'; 3_000_000]);
    let arguments = ["run", "big.c", "--stdin", "in", "--memory", "1M", "--passthrough"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.err.contains("memory is full"), "{}", run.err);
    assert_eq!(project.hydrogen(&["run", "big.c", "--stdin", "in"]).out, "3000000\n");
}

const LIST: &str = "struct node { struct node *next; int n; };
static int sum(const int *a, int n) { int s = 0; while (n--) s += *a++; return s; }
int max3(int a, int b, int c) { int m = a > b ? a : b; return m > c ? m : c; }
int length(struct node *p) { int n = 0; while (p && n < 3) { p = p->next; n++; } return n; }
int use(void) { return sum(0, 0); }
";

#[test]
fn a_function_is_called_with_its_arguments() {
    let project = Project::new();
    project.write("list.c", LIST);
    let arguments = ["run", "list.c", "--function", "sum", "--native", "--", "[1,2,-9]", "3"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in ["hydrogen:   result = -6\n", "hydrogen:   a[2] = -9\n", "hydrogen: natively the same\n"] {
        assert!(run.err.contains(line), "{run:?}");
    }
    let run = project.hydrogen(&["run", "list.c", "--function", "sum", "--", "[1,2]", "3"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("out of bounds read"), "{run:?}");
}

#[test]
fn a_function_is_no_entry_point() {
    let project = Project::new();
    project.write("list.c", LIST);
    let Some(run) = answer(&project, &["explore", "list.c", "--entry", "max3"]) else { return };
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("call it with --function max3"), "{run:?}");
}

#[test]
fn a_function_finds_globals_functions_and_numbers_and_native_tests_agree() {
    let project = Project::new();
    let source = "static int mode = 5; void set(int m) { mode = m; }\n\
        static int twice(int n) { return 2 * n; } int (*const all[])(int) = {twice};\n\
        int use(int (*run)(int), double weight) { if (!run) return mode == 3; return weight > 2.0 ? run(mode) : 0; }\n";
    project.write("use.c", source);
    let arguments = ["explore", "use.c", "--function", "use", "--all", "--native"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("natively, 3 of 3 tests do the same"), "{run:?}");
    assert!(run.out.contains("global variables that it reads may hold anything"), "{run:?}");
}

#[test]
fn a_function_is_explored_with_its_memory() {
    let project = Project::new();
    project.write("list.c", LIST);
    let Some(run) = answer(&project, &["explore", "list.c", "--function", "length", "--all", "-o", "tests"])
    else {
        return;
    };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("complete within --shape depth=3,elements=4"), "{run:?}");
    assert!(run.out.contains("length(p = &<p>) with <p>: 16 bytes, p->next = &<p>"), "{run:?}");
    let again = ["run", "list.c", "--function", "length", "--native", "--test", "tests/0002.json"];
    let run = project.hydrogen(&again);
    assert!(run.err.contains("natively the same"), "{run:?}");
}

/// A left shift that C leaves undefined and compilers define: a run that goes on behind it says so, and one that is strict ends there.
#[test]
fn a_run_says_that_it_went_on_behind_a_shift() {
    let project = Project::with_versions(&[&[(
        "a.c",
        "int main(int n, char **v) { int x = -n; return (x << 2) + 4; }\n",
    )]]);
    let run = project.hydrogen(&["run", "a.c"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("--strict"), "{run:?}");
    let run = project.hydrogen(&["run", "a.c", "--strict"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let run = project.hydrogen(&["impact", "--bug", "a.c:1@v1", "--kind", "shift", "v1"]);
    assert!(!run.out.contains("present") || run.out.contains("with --strict alone"), "{run:?}");
}
