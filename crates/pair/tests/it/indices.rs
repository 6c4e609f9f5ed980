//! The same instance in two versions (P-2), at the places where it is easy to go wrong.

use super::support::{input, program, run};
use hydrogen_machine::World;
use hydrogen_pair::{Alignment, Pair, Ran, Statement};
use std::collections::BTreeSet;

/// The statements that the first version executes, each with what the second has for it: the same (`=`), the same statement with
/// other values (`≠`), or nothing (`-`).
fn check(old: &str, new: &str, values: &[(&str, i32)], expect: &[&str]) {
    let (old, new) = (program(old), program(new));
    let mut pair = Pair::new(&[&old, &new]);
    let runs = run(&mut pair, &World::default(), &input(values));
    runs.iter().for_each(injective);
    let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
    assert_eq!(alignment.by_order, 0);
    let unequal: BTreeSet<u32> =
        alignment.unequal(&runs[0].instances, &runs[1].instances).map(|(first, _)| first).collect();
    let told = (0u32..).zip(&runs[0].instances.all).map(|(at, instance)| {
        let Statement::Graph(node) = pair.nodes.statement(instance.node) else { panic!("of the program") };
        let sign = match alignment.second_of[at as usize] {
            None => '-',
            Some(_) if unequal.contains(&at) => '≠',
            Some(_) => '=',
        };
        format!("{sign} {}", pair.nodes.graph().label(*node))
    });
    assert_eq!(told.collect::<Vec<_>>(), expect);
}

/// No two instances of a run are the same.
pub fn injective(ran: &Ran) {
    let mut seen = BTreeSet::new();
    for instance in &ran.instances.all {
        assert!(seen.insert((instance.index, instance.node)), "{instance:?} twice");
    }
}

#[test]
fn a_statement_more_moves_nothing_else() {
    let old =
        "int main(void) { int a = in(\"a\"); int s = 0; for (int i = 0; i < a; i++) s += i; return s; }";
    let new = "int main(void) { int a = in(\"a\"); int s = 0; for (int i = 0; i < a; i++) { s ^= 1; s += i; } return s; }";
    let (one, two) = (program(old), program(new));
    let mut pair = Pair::new(&[&one, &two]);
    let runs = run(&mut pair, &World::default(), &input(&[("a", 3)]));
    let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
    assert_eq!(alignment.pairs().count(), runs[0].instances.all.len());
    assert_eq!(runs[1].instances.all.len(), runs[0].instances.all.len() + 3);
    let differ = alignment.unequal(&runs[0].instances, &runs[1].instances).count();
    // `s` is 0, 1, 3 in the old version and 1, 1, 2 in the new one; `return s` computes nothing of its own.
    assert_eq!(differ, 2);
}

#[test]
fn calls_recursion_and_early_returns() {
    let source = "static int f(int n) { if (n > 3) return n; if (n == 2) { return f(n + 1) + f(n + 2); } return f(n + 1); }\
        int main(void) { return f(in(\"a\")) + f(1); }";
    let (old, new) = (program(source), program(source));
    let mut pair = Pair::new(&[&old, &new]);
    let runs = run(&mut pair, &World::default(), &input(&[("a", 0)]));
    injective(&runs[0]);
    let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
    assert!(alignment.second_of.iter().all(Option::is_some));
}

#[test]
fn a_new_return_that_is_not_taken_changes_nothing() {
    let old = "int main(void) { int a = in(\"a\"); if (a == 9) a = 1; for (int i = 0; i < 3; i++) a += i; return a; }";
    let new = "int main(void) { int a = in(\"a\"); if (a == 9) return 1; for (int i = 0; i < 3; i++) a += i; return a; }";
    let (one, two) = (program(old), program(new));
    let mut pair = Pair::new(&[&one, &two]);
    let runs = run(&mut pair, &World::default(), &input(&[("a", 0)]));
    let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
    assert!(alignment.second_of.iter().all(Option::is_some));
    assert_eq!(
        (alignment.by_order, alignment.unequal(&runs[0].instances, &runs[1].instances).count()),
        (0, 0)
    );
}

#[test]
fn loops_without_a_condition_jumps_into_loops_and_switches() {
    let sources = [
        // The exit is behind a call.
        "static int n; static int stop(void) { return ++n > 3; } int main(void) { for (;;) { if (stop()) break; } return n; }",
        // Into the middle of a loop, and between two of them.
        "int main(void) { int a = in(\"a\"), s = 0; if (a) goto inside; top: s += 1; inside: s += 10; if (s < 50) goto top; return s; }",
        "int main(void) { int a = in(\"a\"), s = 0; if (a) goto two; one: s += 1; if (s > 30) return s; goto two; two: s += 3; goto one; }",
        // Duff's device.
        "int main(void) { int a = in(\"a\"), s = 0, n = 3; switch (a & 3) { case 0: do { s += 1; case 1: s += 2; case 2: s += 4; } while (--n > 0); } return s; }",
        "int main(void) { int s = 0; for (int i = 0; i < 4; i++) { switch (i) { case 1: continue; case 2: s += 5; break; default: s++; } s *= 2; } return s; }",
        "int main(void) { int a = 5; while (a--) ; do a++; while (a < 3); return a; }",
    ];
    for source in sources {
        for value in [0, 1, 2] {
            let (old, new) = (program(source), program(source));
            let mut pair = Pair::new(&[&old, &new]);
            let runs = run(&mut pair, &World::default(), &input(&[("a", value)]));
            assert!(runs[0].outcome.is_whole(), "{source}: {:?}", runs[0].outcome.ending);
            injective(&runs[0]);
            let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
            assert!(alignment.second_of.iter().all(Option::is_some), "{source}");
        }
    }
}

#[test]
fn a_jump_out_of_calls_and_a_callback_of_the_library() {
    let source = "#include <setjmp.h>\n#include <stdlib.h>\n#include <stdio.h>\n\
        static jmp_buf place; static int n;\n\
        static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n\
        static void deep(int k) { if (k == 0) longjmp(place, ++n); for (int i = 0; i < 2; i++) deep(k - 1); }\n\
        int main(void) { int t[] = {3, 1, 2}; qsort(t, 3, sizeof *t, order);\n\
        int r = setjmp(place); if (r < 3) deep(2); int *p = malloc(4); *p = t[0]; printf(\"%d %d\\n\", r, *p); return t[2]; }\n";
    let (Some(old), Some(new)) = (hydrogen_testkit::hosted(source), hydrogen_testkit::hosted(source)) else {
        return;
    };
    let mut pair = Pair::new(&[&old, &new]);
    let runs = run(&mut pair, &World::default(), &input(&[]));
    assert_eq!(runs[0].outcome.stdout, b"3 1\n", "{:?}", runs[0].outcome);
    injective(&runs[0]);
    let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
    assert!(alignment.second_of.iter().all(Option::is_some));
    assert_eq!(
        (alignment.by_order, alignment.unequal(&runs[0].instances, &runs[1].instances).count()),
        (0, 0)
    );
}

#[test]
fn pointers_are_compared_by_who_made_them() {
    // The new version allocates once more before: addresses differ, objects do not.
    let old =
        "#include <stdlib.h>\nint main(void) { int *p = malloc(8); p[1] = 3; int *q = p + 1; return *q; }\n";
    let new = "#include <stdlib.h>\nint main(void) { free(malloc(8)); int *p = malloc(8); p[1] = 3; int *q = p + 1; return *q; }\n";
    let (Some(one), Some(two)) = (hydrogen_testkit::hosted(old), hydrogen_testkit::hosted(new)) else {
        return;
    };
    let mut pair = Pair::new(&[&one, &two]);
    let runs = run(&mut pair, &World::default(), &input(&[]));
    let alignment = Alignment::of(&runs[0].instances, &runs[1].instances);
    let mut lines = BTreeSet::new();
    for (a, _) in alignment.unequal(&runs[0].instances, &runs[1].instances) {
        lines.extend(pair.nodes.line(0, runs[0].instances.all[a as usize].node).map(|it| it.1));
    }
    assert_eq!(lines, BTreeSet::new());
}

/// By reasoning: the new version has another `int b = …`, so the old one's has no partner; of what follows only `b + c` is computed
/// from it. A statement that computes nothing, as `return v` of a variable in a register, is executed too.
#[test]
fn a_changed_value_shows_where_it_is_used() {
    let old = "int main(void) { int a = in(\"a\"); int b = a + 1; int c = 7; return b + c; }";
    let new = "int main(void) { int a = in(\"a\"); int b = a + 2; int c = 7; return b + c; }";
    let expect = [
        "= int a = in(\"a\")",
        "= hydrogen_symbolic(&v, 4, n)",
        "= return v",
        "= exit",
        "- int b = a + 1",
        "= int c = 7",
        "≠ return b + c",
        "= exit",
    ];
    check(old, new, &[("a", 1)], &expect);
}

/// Whether a variable has an address, and so lies in memory, changes no statement that does not take it.
#[test]
fn a_variable_may_move_from_a_register_to_memory() {
    let old = "static int f(int n) { int k = n; if (n == 77) { n = 1; } int m = k; k = k + m; return k; } int main(void) { return f(in(\"a\")); }";
    let new = "static int f(int n) { int k = n; if (n == 77) { *&k = 1; } int m = k; k = k + m; return k; } int main(void) { return f(in(\"a\")); }";
    let expect = [
        "= return f(in(\"a\"))",
        "= hydrogen_symbolic(&v, 4, n)",
        "= return v",
        "= exit",
        "= int k = n",
        "= if (n == 77)",
        "= int m = k",
        "= k = k + m",
        "= return k",
        "= exit",
        "= exit",
    ];
    check(old, new, &[("a", 1)], &expect);
}
