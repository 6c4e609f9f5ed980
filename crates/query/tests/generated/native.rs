//! Running generated programs under gcc's sanitizers.

use super::{Chance, PRELUDE, Program};
use hydrogen_evidence::Class;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A run of a program's last function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// Which program.
    pub program: usize,
    pub values: Vec<i64>,
    /// The n-th allocation fails where bit n is set.
    pub failing: u32,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Well,
    /// The first fault and its line.
    Fault(Class, u32),
    /// An access to an address where nothing is: outside an object, or at an index of a null pointer.
    Wild(u32),
    /// A fault that no kind stands for, or no end at all.
    Other(String),
}

/// The programs as one file.
pub fn file(programs: &[Program]) -> String {
    let mut out = PRELUDE.to_owned();
    for program in programs {
        out.push_str(&program.text());
    }
    out
}

fn harness(programs: &[Program]) -> String {
    let mut out = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <sys/wait.h>\n#include <sys/time.h>\n#include <sys/mman.h>\n\
         static unsigned failing, allocations;\n\
         static void *may_fail(void *(*get)(size_t, size_t), size_t n, size_t m) { unsigned at = allocations++;\n\
         return at < 32 && failing >> at & 1 ? 0 : get(n, m); }\n\
         static void *plain(size_t n, size_t m) { return malloc(n * m); }\n\
         #define malloc(n) may_fail(plain, n, 1)\n#define calloc(n, m) may_fail(calloc, n, m)\n\
         #include \"main.c\"\n#undef malloc\n#undef calloc\n\
         static void run(int program, long *v) {\n switch (program) {\n",
    );
    for (at, program) in programs.iter().enumerate() {
        let arguments: Vec<String> = (0..program.parameters.len()).map(|n| format!("v[{n}]")).collect();
        let _ = writeln!(
            out,
            " case {at}: {} {}({}); break;",
            program.reset,
            program.entry().name,
            arguments.join(", ")
        );
    }
    out.push_str(
        " }\n}\nstatic struct input { int program; unsigned failing; long v[3]; } inputs[1 << 16];\n\
         int main(void) {\n  int n = 0;\n  while (n < 1 << 16 && scanf(\"%d %u %ld %ld %ld\", &inputs[n].program, &inputs[n].failing, inputs[n].v, inputs[n].v + 1, inputs[n].v + 2) == 5) n++;\n\
         volatile int *at = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n\
         for (*at = 0; *at < n; (*at)++) {\n    fflush(stdout);\n    if (!fork()) {\n      dup2(1, 2);\n\
         for (; *at < n; (*at)++) { setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 200000}}, 0); failing = inputs[*at].failing; allocations = 0; run(inputs[*at].program, inputs[*at].v); }\n\
         _exit(0);\n    }\n    int status;\n    wait(&status);\n    if (*at < n) printf(\"== %d %d\\n\", *at, status);\n\
         // A program that does not end is not tried again.\n\
         if (*at < n && WIFSIGNALED(status) && WTERMSIG(status) == 14) while (*at + 1 < n && inputs[*at + 1].program == inputs[*at].program) (*at)++;\n  }\n  return 0;\n}\n",
    );
    out
}

/// Whether gcc has its sanitizers.
pub fn is_there() -> bool {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.c"), "int main(void) { return 0; }").unwrap();
    let built = build(folder.path(), "t.c", "t");
    built.is_ok() && Command::new(folder.path().join("t")).status().is_ok_and(|status| status.success())
}

fn build(folder: &Path, source: &str, to: &str) -> Result<(), String> {
    let flags = [
        "-fsanitize=address,undefined",
        "-fno-sanitize=pointer-overflow",
        "-fno-sanitize-recover=all",
        "-g",
        "-O0",
        "-w",
        "-o",
        to,
        source,
    ];
    let built =
        Command::new("gcc").args(flags).current_dir(folder).output().map_err(|error| error.to_string())?;
    match built.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&built.stderr).into_owned()),
    }
}

/// Builds the programs once, and runs all the inputs.
pub fn run(programs: &[Program], inputs: &[Input]) -> Vec<End> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.c"), file(programs)).unwrap();
    std::fs::write(folder.path().join("harness.c"), harness(programs)).unwrap();
    build(folder.path(), "harness.c", "harness")
        .unwrap_or_else(|error| panic!("{error}\n{}", file(programs)));
    let mut list = String::new();
    for input in inputs {
        let value = |at: usize| input.values.get(at).copied().unwrap_or(0);
        let _ = writeln!(list, "{} {} {} {} {}", input.program, input.failing, value(0), value(1), value(2));
    }
    std::fs::write(folder.path().join("inputs"), list).unwrap();
    let output = Command::new(folder.path().join("harness"))
        .stdin(std::fs::File::open(folder.path().join("inputs")).unwrap())
        .env(
            "ASAN_OPTIONS",
            "detect_leaks=0:allocator_may_return_null=1:print_legend=0:symbolize=0:log_path=stdout",
        )
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let mut ends = vec![End::Well; inputs.len()];
    let mut report = String::new();
    for line in symbolized(folder.path(), &String::from_utf8_lossy(&output.stdout)).lines() {
        match line.strip_prefix("== ").and_then(|rest| rest.split_once(' ')) {
            Some((at, status)) if at.parse::<usize>().is_ok() => {
                ends[at.parse::<usize>().unwrap()] = end(&report, status);
                report.clear();
            }
            _ => {
                report.push_str(line);
                report.push('\n');
            }
        }
    }
    ends
}

/// The reports with lines instead of addresses: one look at the debug information for all of them.
fn symbolized(folder: &Path, reports: &str) -> String {
    let address = |line: &str| {
        let frame = line.trim_start().strip_prefix('#')?;
        frame.split_once("/harness+")?.1.split(')').next().map(str::to_owned)
    };
    let mut addresses: Vec<String> = reports.lines().filter_map(address).collect();
    addresses.sort();
    addresses.dedup();
    if addresses.is_empty() {
        return reports.to_owned();
    }
    let found =
        Command::new("addr2line").arg("-e").arg(folder.join("harness")).args(&addresses).output().unwrap();
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    let places: std::collections::BTreeMap<&str, &str> =
        addresses.iter().map(String::as_str).zip(found.lines()).collect();
    let mut out = String::new();
    for line in reports.lines() {
        match address(line).and_then(|address| places.get(address.as_str()).copied()) {
            Some(place) => out.push_str(&format!("#0 {place}")),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// What a sanitizer's report says.
fn end(report: &str, status: &str) -> End {
    let other = || {
        End::Other(format!("{status}: {}", report.lines().find(|line| !line.trim().is_empty()).unwrap_or("")))
    };
    if let Some(line) = report.lines().find(|line| line.contains("runtime error: ")) {
        let (place, message) = line.split_once(" runtime error: ").unwrap_or(("", line));
        let number = place.split_once("main.c:").and_then(|(_, rest)| rest.split(':').next()?.parse().ok());
        let kinds: [(&str, Class); 10] = [
            ("signed integer overflow", Class::SignedOverflow),
            ("negation of", Class::SignedOverflow),
            ("division by zero", Class::Division),
            ("division of", Class::SignedOverflow),
            ("shift exponent", Class::Shift),
            ("index ", Class::Overflow),
            ("load of null pointer", Class::Null),
            ("store to null pointer", Class::Null),
            ("member access within null pointer", Class::Null),
            ("null pointer passed", Class::Null),
        ];
        let kind = kinds.iter().find(|(text, _)| message.starts_with(text));
        return match (kind, number) {
            (Some((_, kind)), Some(number)) => End::Fault(*kind, number),
            _ => other(),
        };
    }
    let Some(head) = report.lines().find(|line| line.contains("ERROR: AddressSanitizer: ")) else {
        return other();
    };
    let number = report
        .lines()
        .filter(|line| line.trim_start().starts_with('#'))
        .find_map(|line| line.split_once("main.c:")?.1.split([':', ' ']).next()?.parse().ok());
    let kinds = [
        ("heap-buffer-overflow", Class::Overflow),
        ("stack-buffer-overflow", Class::Overflow),
        ("stack-buffer-underflow", Class::Overflow),
        ("global-buffer-overflow", Class::Overflow),
        ("unknown-crash", Class::Overflow),
        ("heap-use-after-free", Class::UseAfterFree),
        ("attempting double-free", Class::DoubleFree),
        ("negative-size-param", Class::Sign),
        ("SEGV on unknown address 0x00000000", Class::Null),
    ];
    if let (true, Some(number)) = (head.contains("SEGV on unknown address"), number)
        && !head.contains("address 0x00000000")
    {
        return End::Wild(number);
    }
    let kind = kinds.iter().find(|(text, _)| head.contains(text));
    match (kind, number) {
        (Some((_, kind)), Some(number)) => End::Fault(*kind, number),
        _ => other(),
    }
}

/// Inputs to try a program with.
pub fn inputs(chance: &mut Chance, program: usize, parameters: usize, count: usize) -> Vec<Input> {
    const POOL: [i64; 24] = [
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        -1,
        -2,
        -5,
        15,
        31,
        32,
        64,
        100,
        255,
        256,
        2147483647,
        -2147483648,
    ];
    let one = |chance: &mut Chance| Input {
        program,
        values: (0..parameters)
            .map(|_| if chance.percent(60) { *chance.one(&POOL[..12]) } else { *chance.one(&POOL) })
            .collect(),
        failing: if chance.percent(75) { 0 } else { chance.below(8) as u32 },
    };
    let mut all: Vec<Input> = (0..count).map(|_| one(chance)).collect();
    all.sort();
    all.dedup();
    all
}
