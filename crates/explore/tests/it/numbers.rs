//! Arguments that are numbers: one symbol each, whose digits follow from it.

use crate::support::{end, has_library, options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, ByPath, Concolic, Exploration, Options, Symbolic, explore, holds};
use hydrogen_machine::{End, World};
use hydrogen_term::{Evaluator, Pool};

/// Explores a program with these arguments; for every other input given, one condition is fulfilled, whose run ends as that of the
/// input, and every term has its value.
fn check(source: &str, what: &[&str], args: &[&str], others: &[&[&str]]) -> Option<Exploration> {
    has_library().then_some(())?;
    let program = program(source, true);
    let world = World::new(std::iter::once("program").chain(args.iter().copied()));
    let what: Vec<String> = what.iter().map(|one| (*one).to_owned()).collect();
    let symbolic = Symbolic::parse(&what, &world.args).expect("what is symbolic");
    let options = Options { symbolic, ..options() };
    let found = explore(&program, &world, options.symbolic.first(&world), &options, &ByPath);
    assert_eq!(found.alarms, []);
    for other in others {
        let args = (1..).zip(other.iter().map(|arg| arg.as_bytes().to_vec()));
        let input = Input { args: args.collect(), ..Input::default() };
        let world = world.with_input(&input);
        let mut monitor = Concolic::new(&program, &options.symbolic, &world, Pool::new());
        monitor.audit = Some(Default::default());
        let run = program.run_with(world, options.limits.clone(), monitor);
        let (pool, audit) = (&run.monitor.pool, run.monitor.audit.as_ref().unwrap());
        for (term, value) in audit {
            let model = input.model(pool, &pool.variables(&[*term]));
            let unused = 128 - pool.width(*term);
            assert_eq!(Evaluator::new(pool, &model).bits(*term), value << unused >> unused, "{other:?}");
        }
        let fits =
            |path: &[hydrogen_explore::Conjunct]| path.iter().all(|one| holds(&found.pool, &input, one.term));
        let tests: Vec<_> = found.tests.iter().filter(|test| fits(&test.path)).collect();
        assert_eq!(tests.len(), 1, "{other:?} {:?}", found.missing);
        assert_eq!(tests[0].end, run.end, "{other:?}");
    }
    Some(found)
}

fn ends(found: &Exploration) -> Vec<String> {
    let mut ends: Vec<String> = found.tests.iter().map(end).collect();
    ends.sort();
    ends
}

const SOME: &[&[&str]] =
    &[&["0"], &["7"], &["-1"], &["42"], &["-42"], &["100"], &["2147483647"], &["-2147483648"]];

#[test]
fn a_number_that_is_read_is_one_symbol() {
    for read in [
        "atoi(v[1])",
        "atol(v[1])",
        "strtol(v[1], 0, 10)",
        "strtol(v[1], 0, 0)",
        "(sscanf(v[1], \"%d\", &s), s)",
    ] {
        let source = format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {{ int s = 0, n = {read};\n\
             if (n == 42) return 1; if (n < 0) return 2; return 0; }}"
        );
        let Some(found) = check(&source, &["arg:1:int"], &["5"], SOME) else { return };
        assert!(found.is_complete(), "{read} {:?}", found.missing);
        assert_eq!(ends(&found), ["exit 0", "exit 1", "exit 2"], "{read}");
    }
}

#[test]
fn the_end_of_a_number_is_a_zero() {
    let source = "#include <stdlib.h>\nint main(int c, char **v) { char *end; long n = strtol(v[1], &end, 10);\n\
        if (end == v[1] || *end) return 3; if (n > 1000) return 1; return 0; }";
    let Some(found) = check(source, &["arg:1:int"], &["5"], SOME) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(ends(&found), ["exit 0", "exit 1"]);
}

#[test]
fn who_looks_at_the_sign_learns_the_sign() {
    let source = "#include <stdlib.h>\nint main(int c, char **v) { if (v[1][0] == '-') return 3; if (atoi(v[1]) == 5) return 1; return 0; }";
    let Some(found) = check(source, &["arg:1:int"], &["0"], SOME) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(ends(&found), ["exit 0", "exit 1", "exit 3"]);
}

#[test]
fn who_looks_at_digits_learns_how_many_there_are() {
    let source = "#include <string.h>\n#include <stdlib.h>\nint main(int c, char **v) { if (strlen(v[1]) == 3 && v[1][1] == '4') { if (atoi(v[1]) > 500) return 1; return 0; } return 2; }";
    let Some(found) = check(source, &["arg:1:int"], &["0"], SOME) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    let ends = ends(&found);
    assert!(ends.contains(&"exit 0".into()) && ends.contains(&"exit 1".into()), "{ends:?}");
    assert!(found.tests.len() < 40, "{}", found.tests.len());
}

#[test]
fn a_text_that_is_written_to_is_no_number_any_more() {
    let source = "#include <stdlib.h>\nint main(int c, char **v) { if (v[1][0]) v[1][0] = '9'; if (atoi(v[1]) == 95) return 1; return 0; }";
    let Some(found) = check(source, &["arg:1:int:0..99"], &["0"], &[&["0"], &["15"], &["99"], &["5"]]) else {
        return;
    };
    assert!(found.is_complete(), "{:?}", found.missing);
    let ends = ends(&found);
    assert!(ends.contains(&"exit 0".into()) && ends.contains(&"exit 1".into()), "{ends:?}");
}

#[test]
fn only_allowed_numbers_are_tried() {
    let source = "#include <stdlib.h>\nint main(int c, char **v) { switch (atoi(v[1])) { case 0: return 5; case 1: return 6; case 2: return 7;\n\
        case 3: return 8; default: return 9; } }";
    let Some(found) = check(source, &["arg:1:int:1..3"], &["1"], &[&["1"], &["2"], &["3"]]) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(ends(&found), ["exit 6", "exit 7", "exit 8"]);
}

#[test]
fn texts_are_printable_and_lines_keep_their_ends() {
    let source = "#include <stdio.h>\nint main(int c, char **v) { int n = 0, ch; if (v[1][0] == '\\t') return 9; if (v[1][0] == 'x') return 8;\n\
        while ((ch = getchar()) != EOF) if (ch == '\\n') n++; return n > 1 ? 1 : 0; }";
    if !has_library() {
        return;
    }
    let program = program(source, true);
    let world = World::new(["program", "a"]).with_stdin("q");
    let what = ["arg:1:string:1".to_owned(), "stdin:lines:1x2".to_owned()];
    let symbolic = Symbolic::parse(&what, &world.args).expect("what is symbolic");
    let options = Options { symbolic, ..options() };
    let found = explore(&program, &world, options.symbolic.first(&world), &options, &ByPath);
    assert!(found.is_complete(), "{:?} {:?}", found.missing, found.alarms);
    let mut ends: Vec<_> = found.tests.iter().map(|test| test.end.clone()).collect();
    ends.sort_by_key(|end| format!("{end:?}"));
    ends.dedup();
    assert_eq!(ends, [End::Exit(0), End::Exit(1), End::Exit(8)]);
    assert!(found.tests.iter().all(|test| test.input.stdin.len() == 3 && test.input.stdin[2] == b'\n'));
}
