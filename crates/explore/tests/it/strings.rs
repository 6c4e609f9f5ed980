//! Functions on texts as terms: the same as musl's own code, and fewer paths.

use crate::support::{end, has_library, options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, ByPath, Concolic, Conjunct, Exploration, Options, Symbolic, explore};
use hydrogen_machine::{Limits, Program, World};
use hydrogen_term::{Evaluator, Pool, Term};

/// All functions on two arguments of three bytes and a character; pointers are the same in every run, as all arguments are of the same length.
const ALL: &str = "#include <stdio.h>\n#include <string.h>\n\
    int main(int c, char **v) { char *a = v[1], *b = v[2]; char x = v[3][0];\n\
    long r[8] = {0}; r[0] = strlen(a); r[1] = strcmp(a, b); r[2] = strncmp(a, b, 2); r[3] = memcmp(a, b, 3);\n\
    r[4] = (long)strchr(a, x); r[5] = (long)memchr(a, x, 3); r[6] = strcmp(a, \"ab\"); r[7] = (long)strchr(b, 'b');\n\
    for (int i = 0; i < 8; i++) hydrogen_output(\"r\", r[i]); return 0; }";

fn symbolic() -> Symbolic {
    Symbolic { args: [(1, 3), (2, 3), (3, 1)].into(), ..Symbolic::default() }
}

/// One run whose terms are taken, and used to say what every other input gives.
fn terms(program: &Program, symbolic: &Symbolic, input: &Input) -> (Pool, Vec<Term>, Vec<Conjunct>) {
    let world = World::new(["p"]).with_input(input);
    let mut monitor = Concolic::new(program, symbolic, &world, Pool::new());
    monitor.summaries = true;
    let run = program.run_with(world, Limits::default(), monitor);
    (run.monitor.pool, run.monitor.outputs.iter().map(|one| one.value).collect(), run.monitor.path)
}

fn input(a: &[u8], b: &[u8], x: u8) -> Input {
    let args = [(1, a.to_vec()), (2, b.to_vec()), (3, vec![x])];
    Input { args: args.into(), ..Input::default() }
}

/// All texts of three bytes over a small alphabet, with a zero anywhere.
fn texts() -> Vec<[u8; 3]> {
    const ALPHABET: [u8; 4] = [0, b'a', b'b', 0xff];
    let all = ALPHABET.iter().flat_map(|a| ALPHABET.iter().flat_map(|b| ALPHABET.map(|c| [*a, *b, c])));
    all.collect()
}

#[test]
fn terms_are_what_the_library_computes() {
    if !has_library() {
        return;
    }
    let program = program(ALL, true);
    let symbolic = symbolic();
    let (pool, terms, _) = terms(&program, &symbolic, &input(b"abc", b"abd", b'c'));
    assert!(terms.iter().all(|term| pool.as_bits(*term).is_none()), "all of them depend on the input");
    let all = texts();
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        for x in [b'a', 0] {
            let input = input(a, b, x);
            let run = program.run(World::new(["p"]).with_input(&input), Limits::default());
            let model = input.model(&pool, &pool.variables(&terms));
            let mut evaluator = Evaluator::new(&pool, &model);
            for (at, (term, (_, value))) in terms.iter().zip(&run.world.named_outputs).enumerate() {
                assert_eq!(evaluator.bits(*term) as u64, *value, "{a:?} {b:?} {x} {at}");
            }
        }
    }
}

#[test]
fn numbers_are_what_the_library_reads() {
    if !has_library() {
        return;
    }
    let source = "#include <stdlib.h>\nint main(int c, char **v) { char *e; hydrogen_output(\"r\", atoi(v[1])); hydrogen_output(\"r\", atol(v[1]));\n\
        hydrogen_output(\"r\", strtol(v[1], &e, 10)); hydrogen_output(\"r\", e - v[1]); return 0; }";
    let program = program(source, true);
    let symbolic = Symbolic { args: [(1, 3)].into(), ..Symbolic::default() };
    const ALPHABET: [u8; 7] = [0, b' ', b'-', b'+', b'0', b'7', b'x'];
    let all: Vec<[u8; 3]> =
        ALPHABET.iter().flat_map(|a| ALPHABET.iter().flat_map(|b| ALPHABET.map(|c| [*a, *b, c]))).collect();
    // One of the two ways to go, with and without a number, is that of each text.
    let ways = [
        terms(&program, &symbolic, &input(b"-7 ", b"", 0)),
        terms(&program, &symbolic, &input(b"x  ", b"", 0)),
    ];
    for text in &all {
        let input = Input { args: [(1, text.to_vec())].into(), ..Input::default() };
        let run = program.run(World::new(["p"]).with_input(&input), Limits::default());
        let mut fitting = 0;
        for (pool, terms, path) in &ways {
            if !path.iter().all(|one| hydrogen_explore::holds(pool, &input, one.term)) {
                continue;
            }
            fitting += 1;
            let model = input.model(pool, &pool.variables(terms));
            let mut evaluator = Evaluator::new(pool, &model);
            for (at, (term, (_, value))) in terms.iter().zip(&run.world.named_outputs).enumerate() {
                assert_eq!(evaluator.bits(*term) as u64, *value, "{text:?} {at}");
            }
        }
        assert_eq!(fitting, 1, "{text:?}");
    }
}

/// Explores with terms or with paths.
fn explored(source: &str, symbolic: Symbolic, summaries: bool, faults: bool) -> Exploration {
    let program = program(source, true);
    let world = World::new(["p"]);
    let options = Options { symbolic, summaries, faults, ..options() };
    let found = explore(&program, &world, options.symbolic.first(&world), &options, &ByPath);
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    found
}

#[test]
fn fewer_paths_lead_to_the_same_ends() {
    if !has_library() {
        return;
    }
    let source = "#include <string.h>\nint main(int c, char **v) { if (strcmp(v[1], \"on\") == 0) return 1; if (strcmp(v[1], \"off\") == 0) return 2;\n\
        if (strchr(v[1], '=')) return 3; if (strlen(v[1]) > 2) return 4; return 0; }";
    let symbolic = Symbolic { args: [(1, 4)].into(), ..Symbolic::default() };
    let ends = |found: &Exploration| {
        let mut ends: Vec<String> = found.tests.iter().map(end).collect();
        ends.sort();
        ends.dedup();
        ends
    };
    let (terms, paths) =
        (explored(source, symbolic.clone(), true, false), explored(source, symbolic, false, false));
    assert_eq!(ends(&terms), ends(&paths));
    assert_eq!(terms.tests.len(), 5);
    assert!(paths.tests.len() > 10);
}

#[test]
fn a_text_without_an_end_is_a_fault() {
    if !has_library() {
        return;
    }
    let source = "#include <string.h>\nint main(int c, char **v) { char copy[4]; memcpy(copy, v[1], 3); copy[3] = 'x';\n\
        return strlen(copy) > 2; }";
    let symbolic = Symbolic { args: [(1, 3)].into(), ..Symbolic::default() };
    let found = explored(source, symbolic, true, true);
    let ends: Vec<String> = found.tests.iter().map(end).collect();
    assert_eq!(ends.len(), 2, "{ends:?}");
    assert!(ends.iter().any(|end| end.starts_with("out-of-bounds")), "{ends:?}");
}
