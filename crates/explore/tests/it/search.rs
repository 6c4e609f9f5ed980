//! Orders of searching, limits, threads, and going on.

use crate::support::{end, options, paths_with, program, summary};
use hydrogen_evidence::Input;
use hydrogen_explore::{Answers, ByPath, Distances, Exploration, Explorer, Options, Search, Test, explore};
use hydrogen_machine::{Limits, World};
use std::sync::Arc;

/// Three independent decisions.
const EIGHT: &str = "int main(void) { unsigned char a, b, c; hydrogen_symbolic(&a, 1, \"a\"); hydrogen_symbolic(&b, 1, \"b\");\n\
     hydrogen_symbolic(&c, 1, \"c\"); int n = 0; if (a > 9) n |= 1; if (b > 9) n |= 2; if (c > 9) n |= 4;\n\
     hydrogen_output(\"n\", n); return 0; }";

/// Every test in one line.
fn all(found: &Exploration) -> Vec<String> {
    let one = |test: &Test| format!("{:?} {:?} {}", test.input, test.from, end(test));
    found.tests.iter().map(one).collect()
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let with = |jobs: usize, search: Search| paths_with(EIGHT, &Options { jobs, search, ..options() });
    for search in [Search::Depth, Search::Generational] {
        let one = with(1, search.clone());
        assert_eq!(one.tests.len(), 8);
        assert_eq!(all(&one), all(&with(4, search)));
    }
}

#[test]
fn an_exploration_goes_on_where_it_was() {
    let program = program(EIGHT, false);
    let world = World::default();
    for search in [Search::Depth, Search::Generational] {
        let whole = Options { search, ..options() };
        let expected = explore(&program, &world, Input::default(), &whole, &ByPath);
        let short = Options { runs: 3, ..whole.clone() };
        let mut first =
            Explorer::new(&program, &world, Input::default(), &short, &ByPath, Answers::default());
        while first.round() {}
        let answers = Answers::from_earlier(first.answers().take_new());
        let found = first.finish();
        assert!(!found.is_complete() && found.missing.open > 0);
        let mut second = Explorer::new(&program, &world, Input::default(), &whole, &ByPath, answers);
        while second.round() {}
        let new = second.answers().take_new().len();
        let found = second.finish();
        assert_eq!(all(&found), all(&expected));
        assert!((new as u64) < found.asked, "what was answered is not asked again");
        assert!(found.is_complete());
    }
}

/// N-7: only sides from which the place can be reached are turned around.
#[test]
fn n7_a_directed_search_knows_the_direction() {
    let source = "int main(void) { int a, b; hydrogen_symbolic(&a, 4, \"a\"); hydrogen_symbolic(&b, 4, \"b\");\n\
         if (a) {\n\
         if (b)\n\
         hydrogen_output(\"target\", 1);\n\
         }\n\
         return 0; }";
    let program = program(source, false);
    let search = Search::Directed(Arc::new(Distances::to_line(&program, "test.c", 4).unwrap()));
    let first = Input { named: [("a".into(), vec![1, 0, 0, 0])].into(), ..Input::default() };
    let options = Options { search, ..options() };
    let found = explore(&program, &World::default(), first, &options, &ByPath);
    assert_eq!(found.reached, Some(1));
    assert_eq!((found.asked, found.missing.elsewhere), (1, 1));
    assert!(Distances::to_line(&program, "test.c", 99).is_none());
}

/// The way leads through a callee that may end the program.
#[test]
fn a_directed_search_finds_its_way_through_calls() {
    let source = "int n; void check(int v) { if (v < 10) n = 0; else n = v; }\n\
         int work(int v) { if (n > 3) { if (v == 77)\n\
         return 1;\n\
         } return 0; }\n\
         int main(void) { int a, b, junk; hydrogen_symbolic(&junk, 4, \"junk\"); hydrogen_symbolic(&a, 4, \"a\");\n\
         hydrogen_symbolic(&b, 4, \"b\"); if (junk == 1) n = 1; if (junk == 2) n = 1; if (junk == 3) n = 1; check(a); return work(b); }";
    let program = program(source, false);
    let search = Search::Directed(Arc::new(Distances::to_line(&program, "test.c", 3).unwrap()));
    let found =
        explore(&program, &World::default(), Input::default(), &Options { search, ..options() }, &ByPath);
    assert!(found.reached.is_some(), "{:?}", all(&found));
}

#[test]
fn a_loop_without_end_is_cut_and_said() {
    let source = "int main(void) { unsigned char c; hydrogen_symbolic(&c, 1, \"c\"); if (c == 7) for (;;) ; if (c == 9) return 1; return 0; }";
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let found = paths_with(source, &Options { limits, ..options() });
    assert_eq!(found.alarms, []);
    assert_eq!(found.tests.len(), 3);
    assert!(!found.is_complete());
    assert_eq!(found.missing.cut.values().sum::<u64>(), 1);
}

#[test]
fn a_symbolic_size_is_made_concrete_and_said() {
    let source = "void *malloc(unsigned long); int main(void) { unsigned n; hydrogen_symbolic(&n, 4, \"n\");\n\
         char *p = malloc((n & 0xfff) + 1); p[0] = 1; return p[0] + (n > 3); }";
    let found = paths_with(source, &options());
    assert_eq!(found.alarms, []);
    assert!(!found.is_complete());
    let why: Vec<&str> = found.missing.concretised.keys().map(|key| key.0.as_str()).collect();
    assert_eq!(why, ["an argument of `malloc`"]);
}

#[test]
fn one_of_few_lengths_is_a_term() {
    let source = "void *memset(void *, int, unsigned long); int main(void) { unsigned n; char b[8] = {0}; hydrogen_symbolic(&n, 4, \"n\");\n\
         memset(b, 1, n & 3); hydrogen_output(\"sum\", b[0] + b[1] + b[2] + b[3]); return 0; }";
    let mut found = paths_with(source, &options());
    assert!(found.is_complete(), "{:?}", found.missing);
    let sum = "0 sum=((n & 0x3) == 0 ? 0 : 1) + ((unsigned)(n & 0x3) < 2 ? 0 : 1) + ((n & 0x3) == 3 ? 1 : 0)";
    assert_eq!(summary(&mut found), [sum]);
}

#[test]
fn runs_and_time_are_limited() {
    let found = paths_with(EIGHT, &Options { runs: 2, ..options() });
    assert!(found.tests.len() >= 2 && !found.is_complete());
    let found = paths_with(EIGHT, &Options { time: std::time::Duration::ZERO, ..options() });
    // Not even the first run comes to its end.
    assert!(found.tests.is_empty() && !found.is_complete(), "{:?}", found.missing);
}
