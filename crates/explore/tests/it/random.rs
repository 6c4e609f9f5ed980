//! Random programs: terms are right, and exploring finds what trying every input finds.

use crate::generate::file;
use crate::support::{has_library, options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, ByPath, Concolic, Exploration, Options, Symbolic, explore, holds};
use hydrogen_machine::{End, Limits, Program, World};
use hydrogen_term::{Evaluator, Pool};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::OnceLock;

const FUNCTIONS: u64 = 6;

fn input(x: u8, y: u8) -> Input {
    Input { named: [("x".into(), vec![x]), ("y".into(), vec![y])].into(), ..Input::default() }
}

fn world(function: u64) -> World {
    let mut world = World::default();
    world.entry = format!("f{function}");
    world
}

/// Every term that was used has the value it stood for (INV-P6), and the input fulfils its path (INV-P1).
fn check_terms(program: &Program, symbolic: &Symbolic, input: &Input, base: &World) {
    let start = base.with_input(input);
    let mut monitor = Concolic::new(program, symbolic, &start, Pool::new());
    monitor.audit = Some(Default::default());
    // A number that does not fit its integer is a fault, and has a value all the same.
    let limits = Limits { go_on: true, ..options().limits };
    let run = program.run_with(start, limits, monitor);
    assert!(matches!(run.end, End::Exit(_)), "{:?}", run.end);
    let monitor = run.monitor;
    let audit = monitor.audit.unwrap_or_default();
    assert!(!audit.is_empty());
    let terms: Vec<_> = audit.iter().map(|(term, _)| *term).collect();
    let model = input.model(&monitor.pool, &monitor.pool.variables(&terms));
    let mut evaluator = Evaluator::new(&monitor.pool, &model);
    for (term, value) in &audit {
        assert_eq!(evaluator.bits(*term), *value, "{input:?}: {}", monitor.pool.to_c(*term));
    }
    for conjunct in &monitor.path {
        assert!(evaluator.holds(conjunct.term), "{}", monitor.pool.to_c(conjunct.term));
    }
}

/// Input goes through much of the library: reading, searching, sorting, numbers, formats, files, time.
const LIBRARY: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ctype.h>
#include <time.h>
#include <sys/stat.h>
static int less(const void *a, const void *b) { return *(unsigned char *)a - *(unsigned char *)b; }
int main(void) {
    char text[16] = {0}, copy[64]; struct stat st; struct timespec ts; int n = 0, m = 0;
    fread(text, 1, 12, stdin);
    for (char *c = text; *c; c++) *c = toupper((unsigned char)*c);
    memcpy(copy, text, 12); qsort(copy, 12, 1, less);
    printf("%.12s %d %5x|", copy, atoi(text), text[3]);
    if (sscanf(text, "%d %d", &n, &m) == 2) printf("%ld ", strtol(text + 2, 0, 0) + n * 3L + m);
    snprintf(copy, sizeof copy, "%s-%u-%c", text, (unsigned char)text[1], text[2]);
    FILE *f = fopen("t", "w+"); fputs(copy, f); rewind(f); fgets(copy, sizeof copy, f); fclose(f);
    memcpy(&ts, text, 8); clock_gettime(CLOCK_REALTIME, &ts); printf("%d ", (int)(ts.tv_sec & 1));
    memcpy(&st, text, 12); stat("t", &st); printf("%d %zu\n", (int)st.st_size, strcspn(copy, "-X"));
    char *p = strpbrk(text, "ABC"), *q = memchr(text, 'Z', 12); printf("%d %d\n", p ? (int)(p - text) : -1, q != 0);
    return strcmp(copy, text) & 0x7f;
}
"#;

/// Input goes through every kind of floating-point instruction.
const FLOATS: &str = r#"
int main(void) {
    double x; float y; int n; hydrogen_symbolic(&x, 8, "x"); hydrogen_symbolic(&y, 4, "y"); hydrogen_symbolic(&n, 4, "n");
    double a = x + y, b = x * a - n, c = -b / (x == 0 ? 1 : x);
    float f = (float)c + y * n; unsigned u = (unsigned)f; long l = (long)c; signed char s = (signed char)y; unsigned long w = (unsigned long)x;
    int k = (x < y) + 2 * (a >= b) + 4 * (f != y) + 8 * (c > 1e10) + 16 * (__builtin_isnan(c) != 0) + 32 * (__builtin_isinf(f) != 0)
        + 64 * (__builtin_isfinite(x) != 0) + 128 * !(x < c) + 256 * !(a == b) + 512 * __builtin_islessgreater(x, b);
    double d = __builtin_floor(x) + __builtin_fabs(c) - __builtin_copysign(x, y) + __builtin_trunc(b) + __builtin_rint(y) + __builtin_round(a) + __builtin_ceil(f);
    _Float16 h = (_Float16)y; h = h * h + h / (_Float16)3; d += h + (float)l + (double)u + s + (float)w;
    long bits; __builtin_memcpy(&bits, &d, 8);
    hydrogen_output("k", k); hydrogen_output("bits", bits); hydrogen_output("l", l ^ u ^ s ^ w);
    if (d > 100) return 1;
    return 0;
}
"#;

/// The output of the program itself.
fn output(program: &Program, function: u64, input: &Input) -> u64 {
    let run = program.run(world(function).with_input(input), options().limits);
    assert!(matches!(run.end, End::Exit(0)), "{:?}", run.end);
    run.world.named_outputs[0].1
}

/// Every input of the domain is in exactly one test's condition, and that test's expression gives its output (INV-P4, INV-R10).
fn check_partition(program: &Program, function: u64, found: &Exploration) {
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    let mut used = BTreeSet::new();
    for x in 0..4 {
        for y in 0..4 {
            let input = input(x, y);
            let fits: Vec<usize> = (0..found.tests.len())
                .filter(|test| found.tests[*test].path.iter().all(|one| holds(&found.pool, &input, one.term)))
                .collect();
            let [one] = fits.as_slice() else { panic!("f{function}({x}, {y}) is in tests {fits:?}") };
            used.insert(*one);
            let value = found.tests[*one].outputs[0].value;
            let model = input.model(&found.pool, &found.pool.variables(&[value]));
            let said = Evaluator::new(&found.pool, &model).bits(value) as u64;
            assert_eq!(said, output(program, function, &input), "f{function}({x}, {y})");
        }
    }
    // Nothing is explored that no input does.
    let whole = found.tests.iter().filter(|test| matches!(test.end, End::Exit(_))).count();
    assert_eq!(used.len(), whole, "f{function}");
}

/// The places where inputs of the domain fault.
fn faults<'a>(ends: impl Iterator<Item = &'a End>) -> BTreeSet<(String, u32, u32)> {
    let fault = |end: &End| match end {
        End::Fault(fault) => {
            let place = &fault.stack[0];
            Some((fault.kind.name().to_owned(), place.line, place.column))
        }
        _ => None,
    };
    ends.filter_map(fault).collect()
}

/// Looking for faults finds those that trying every input finds.
fn check_faults(program: &Program, function: u64) {
    let options = Options { faults: true, ..options() };
    let found = explore(program, &world(function), Input::default(), &options, &ByPath);
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    let all = (0..16).map(|number| world(function).with_input(&input(number / 4, number % 4)));
    let ends: Vec<End> = all.map(|world| program.run(world, options.limits.clone()).end).collect();
    assert_eq!(faults(found.tests.iter().map(|test| &test.end)), faults(ends.iter()), "f{function}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn terms_have_the_values_they_stand_for(seed in 0u64..1 << 40, x in 0u8..4, y in 0u8..4) {
        let program = program(&file(seed, FUNCTIONS, false), false);
        for function in 0..FUNCTIONS {
            check_terms(&program, &Symbolic::default(), &input(x, y), &world(function));
        }
    }

    #[test]
    fn terms_have_their_values_in_floating_point(
        (x, y, n) in (any::<u64>(), any::<u32>(), any::<i32>()), small in 0..4u8,
    ) {
        static PROGRAM: OnceLock<Program> = OnceLock::new();
        let program = PROGRAM.get_or_init(|| program(FLOATS, false));
        let (x, y, n) = match small {
            0 => (x, y, n),
            1 => ((f64::from(x as i16) / 16.0).to_bits(), (f32::from(y as i8) / 4.0).to_bits(), n % 100),
            2 => (0x7ff0_0000_0000_0000 | x >> 12, y, n),
            _ => (f64::from(x as i32).to_bits(), y, n % 1000),
        };
        let named = [
            ("x".into(), x.to_le_bytes().to_vec()),
            ("y".into(), y.to_le_bytes().to_vec()),
            ("n".into(), n.to_le_bytes().to_vec()),
        ];
        check_terms(program, &Symbolic::default(), &Input { named: named.into(), ..Input::default() }, &World::default());
    }

    #[test]
    fn terms_have_their_values_in_the_library(
        text in prop::collection::vec(prop_oneof![b' '..=b'~', Just(b'7'), Just(b' '), any::<u8>()], 12),
    ) {
        if has_library() {
            static PROGRAM: OnceLock<Program> = OnceLock::new();
            let program = PROGRAM.get_or_init(|| program(LIBRARY, true));
            let symbolic = Symbolic { stdin: 12, ..Symbolic::default() };
            let input = Input { stdin: text, ..Input::default() };
            check_terms(program, &symbolic, &input, &World::default());
        }
    }

    #[test]
    fn faults_are_those_of_every_input(seed in 0u64..1 << 40) {
        let program = program(&file(seed, FUNCTIONS, true), false);
        (0..FUNCTIONS).for_each(|function| check_faults(&program, function));
    }

    #[test]
    fn paths_are_those_of_every_input(seed in 0u64..1 << 40) {
        let program = program(&file(seed, FUNCTIONS, false), false);
        for function in 0..FUNCTIONS {
            let found = explore(&program, &world(function), Input::default(), &options(), &ByPath);
            check_partition(&program, function, &found);
            // From another input, in another order, they are the same paths (INV-R8).
            let search = hydrogen_explore::Search::Generational;
            let other = Options { search, jobs: 3, ..options() };
            let again = explore(&program, &world(function), input(3, 1), &other, &ByPath);
            check_partition(&program, function, &again);
        }
    }
}
