//! Relevant-slice conditions through the C library's own code: numbers from digits, comparisons, copies, tables.
//!
//! `HYDROGEN_RANDOM=FROM..TO` checks other inputs than usual.

use super::support::{hosted, options};
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, ByRsc, Exploration, Options, Symbolic, Test, explore, holds};
use hydrogen_machine::{End, Stream, World};
use hydrogen_term::{Evaluator, Pool};
use hydrogen_testkit::generate::Random;
use hydrogen_trace::{Criterion, OutputName, Static};

/// What a test says is written for another input that fulfils its condition.
fn written(pool: &Pool, test: &Test, input: &Input) -> Vec<u8> {
    let mut bytes = test.world.stdout.clone();
    for (at, term) in test.logs.of(Stream::Stdout) {
        let model = input.model(pool, &pool.variables(&[term]));
        let value = Evaluator::new(pool, &model).value(term).as_bits().unwrap_or(0);
        bytes[at as usize] = value as u8;
    }
    bytes
}

fn random(symbolic: &Symbolic, first: &Input, number: u64) -> Input {
    const BYTES: &[u8] = b"0149 -+axz=\n\0\tkeyon";
    let mut random = Random::new(number);
    let mut input = first.clone();
    let mut fill = |bytes: &mut Vec<u8>, len: usize| {
        bytes.resize(len.max(bytes.len()), 0);
        bytes[..len].fill_with(|| BYTES[random.below(BYTES.len() as u64) as usize]);
    };
    fill(&mut input.stdin, symbolic.stdin);
    for (index, len) in &symbolic.args {
        fill(input.args.entry(*index).or_default(), *len);
    }
    for index in symbolic.numbers.keys() {
        let number = random.below(1 << 32) as i32 >> random.below(32);
        input.args.insert(*index, number.to_string().into_bytes());
    }
    input
}

/// Explores, and checks on random inputs: who fulfils a condition writes what its test says (Th-6.1, INV-R10), and each fulfils
/// one if all are known (INV-R6).
fn check(source: &str, symbolic: Symbolic, world: &World, of: Criterion) -> Option<Exploration> {
    let program = hosted(source)?;
    let statics = Static::new(&program, &["main"]);
    let criteria = [of];
    let by_rsc = ByRsc { statics: &statics, criteria: &criteria, check: true };
    let options = Options { symbolic, runs: 60, ..options() };
    let first = options.symbolic.first(world);
    let found = explore(&program, world, first.clone(), &options, &by_rsc);
    assert_eq!(found.alarms, [], "{source}");
    let asked = std::env::var("HYDROGEN_RANDOM").ok();
    let range = asked.as_deref().and_then(|text| text.split_once("..")).unwrap_or(("0", "60"));
    for number in range.0.parse::<u64>().unwrap()..range.1.parse().unwrap() {
        let input = random(&options.symbolic, &first, number);
        let run = program.run(world.with_input(&input), options.limits.clone());
        if !matches!(run.end, End::Exit(_)) {
            continue;
        }
        let fulfilled =
            |test: &&Test| test.condition().iter().all(|one| holds(&found.pool, &input, one.term));
        let tests: Vec<&Test> = found.tests.iter().filter(fulfilled).collect();
        assert!(tests.len() <= 1, "{source}\n{input:?}");
        assert!(tests.len() == 1 || !found.is_complete(), "{source}\n{input:?}");
        for test in tests {
            assert_eq!(written(&found.pool, test, &input), run.world.stdout, "{source}\n{input:?}");
        }
    }
    Some(found)
}

fn stdout() -> Criterion {
    Criterion::Output(OutputName::Descriptor(1))
}

fn args(lengths: &[(usize, usize)]) -> Symbolic {
    Symbolic { args: lengths.iter().copied().collect(), ..Symbolic::default() }
}

fn stdin(len: usize) -> Symbolic {
    Symbolic { stdin: len, ..Symbolic::default() }
}

/// Whether an addition may overflow is a condition only where its operand depends on the input: it must not be a pivot.
#[test]
fn numbers_from_digits() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint up, down, inh;\n\
        static int f(void) { return inh ? up + 100 : up; }\n\
        static int g(void) { int r; if (f() > down) r = 1; else r = up >= 400; return r; }\n\
        int main(int argc, char **argv) { up = atoi(argv[1]); down = atoi(argv[2]); inh = atoi(argv[3]);\n\
        printf(\"%d\\n\", g()); return 0; }";
    let world = World::new(["program", "400", "400", "0"]);
    check(source, args(&[(1, 1), (2, 1), (3, 1)]), &world, Criterion::Everything);
}

/// What reads a number takes as many steps as there are digits, and decides nothing.
#[test]
fn numbers_as_symbols() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint up, down, inh;\n\
        static int f(void) { return inh ? up + 100 : up; }\n\
        static int g(void) { int r; if (f() > down) r = 1; else r = up >= 400; return r; }\n\
        int main(int argc, char **argv) { char *e; up = atoi(argv[1]); down = strtol(argv[2], &e, 10); if (*e) return 1;\n\
        sscanf(argv[3], \"%d\", &inh); printf(\"%d\\n\", g()); return 0; }";
    let world = World::new(["program", "400", "-7", "0"]);
    let symbolic = Symbolic::parse(&["arg:*".to_owned()], &world.args).expect("all arguments");
    let Some(found) = check(source, symbolic, &world, Criterion::Everything) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(found.tests.len(), 6);
}

#[test]
fn strtol_and_its_end() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint table[4] = {7, 5, 3, 1};\n\
        int main(int argc, char **argv) { char *e; long n = strtol(argv[1], &e, 10); int unused = 0;\n\
        if (*e == 'k') n *= 2; if (argv[2][0] == 'x') unused = n / 3;\n\
        printf(\"%d\\n\", table[n & 3]); return unused; }";
    check(source, args(&[(1, 2), (2, 1)]), &World::new(["program", "1k", "y"]), stdout());
}

#[test]
fn scanf_and_a_sum() {
    let source = "#include <stdio.h>\nint main(void) { int a = 1, b = 2, n = scanf(\"%d %d\", &a, &b);\n\
        if (n == 2 && a > b) { int t = a; a = b; b = t; }\n if (n > 0) printf(\"%d\", b - a); else puts(\"none\"); return 0; }";
    check(source, stdin(3), &World::default().with_stdin("4 1"), stdout());
}

#[test]
fn strings_compared_and_copied() {
    let source = "#include <stdio.h>\n#include <string.h>\nstruct option { const char *name; int value; } all[] = {{\"on\", 3}, {\"key\", 5}};\n\
        int main(int argc, char **argv) { char copy[8]; int value = 0; size_t n = strlen(argv[1]);\n\
        if (n > 7) n = 7; memcpy(copy, argv[1], n); copy[n] = 0;\n\
        for (int i = 0; i < 2; i++) if (strcmp(copy, all[i].name) == 0) { value = all[i].value; break; }\n\
        if (value) printf(\"%d\\n\", value + (argv[2][0] == 'a')); return 0; }";
    check(source, args(&[(1, 3), (2, 1)]), &World::new(["program", "on", "a"]), stdout());
}

#[test]
fn a_table_by_hash() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nstruct node { int key, count; struct node *next; };\nstatic struct node *slots[4]; static int made;\n\
        static struct node *find(int key) { struct node **at = &slots[key & 3];\n\
        for (; *at; at = &(*at)->next) if ((*at)->key == key) return *at;\n\
        *at = calloc(1, sizeof **at); (*at)->key = key; made++; return *at; }\n\
        int main(void) { for (int i = 0; i < 3; i++) { int c = getchar(); if (c == ' ') continue; find(c & 7)->count++; }\n\
        struct node *n = find(1); printf(\"%d\\n\", n->count); return made > 2; }";
    check(source, stdin(3), &World::default().with_stdin("aab"), stdout());
}
