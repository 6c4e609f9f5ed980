//! E-2 to E-10.

use super::support::{Result, TCAS_3, TCAS_3_FIRST, input, number, options, program, search, shapes};
use hydrogen_expose::{Class, Ended, Options, Search, Strategy};

const REACH: &str = "int main(void) {\n\
    int x = in(\"x\"), y, o;\n\
    if (x > 0) {\n\
        y = Y;\n\
        if (x - y > 0)\n\
            o = y;\n\
        else\n\
            o = 0;\n\
    } else\n\
        o = -1;\n\
    if (x > 20)\n\
        o = 10;\n\
    hydrogen_output(\"o\", o);\n\
    return 0; }";

/// E-2: one question leads to the change, the branch behind it is never turned on the way, and the two versions disagree at `x == 3`.
#[test]
fn reach_and_propagate() {
    let result = search(&REACH.replace('Y', "3"), &REACH.replace('Y', "2"), &[("x", -1)], |search| {
        assert_eq!(search.statistics.asked[&Class::Reach], 1, "{:#?}", search.log);
        assert!(
            search.log.iter().all(|asked| asked.class != Class::Reach || !asked.condition.contains("20"))
        );
        assert!(search.statistics.runs <= 4, "{:#?}", search.log);
    });
    let x = number(&result.input(), "x");
    assert!((3..=20).contains(&x), "{x}");
}

/// E-3: the changed value is not used; a branch behind it leads to its use.
#[test]
fn unused() {
    let text = "int main(void) { int x = in(\"x\"), o; int y = Y; if (x > 0) o = y; else o = 0; hydrogen_output(\"o\", o); return 0; }";
    let result = search(&text.replace('Y', "3"), &text.replace('Y', "2"), &[("x", 0)], |_| {});
    assert!(number(&result.input(), "x") > 0);
}

/// E-4: used in a branch that decides alike.
#[test]
fn same_branch() {
    let text = "int main(void) { int x = in(\"x\"), o; int y = Y; if (x - y > 0) o = y; else o = 0; hydrogen_output(\"o\", o); return 0; }";
    let result = search(&text.replace('Y', "3"), &text.replace('Y', "2"), &[("x", 0)], |search| {
        assert_eq!(search.statistics.asked.get(&Class::Disagree), Some(&1), "{:#?}", search.log);
    });
    assert_eq!(number(&result.input(), "x"), 3);
}

/// E-5: a product masks a difference, exactly and modulo 2^n.
#[test]
fn transfer_conditions() {
    let text = "int main(void) { unsigned char x = in(\"x\"), y = in(\"y\"); unsigned char a = x ^ X; hydrogen_output(\"o\", (unsigned char)(a * (y & ~EVEN))); return 0; }";
    let even = text.replace("EVEN", "1");
    // The factor is even, so the changed bit never gets through.
    let result = search(&even.replace('X', "0"), &even.replace('X', "0x80"), &[("x", 0), ("y", 2)], |_| {});
    assert!(matches!(result, Result::Same(true)));
    let any = text.replace("EVEN", "0");
    let found =
        search(&any.replace('X', "0"), &any.replace('X', "0x80"), &[("x", 0), ("y", 2)], |_| {}).input();
    assert_eq!(number(&found, "y") & 1, 1);
}

/// E-6: a branch that does not matter stands in the way of the path, not of the input.
#[test]
fn correlated_branches() {
    let text = "int main(void) { int x = in(\"x\"), o = 0, p = 0; if (x > 2) { p = 1; } if (x < 0) { o = O; } hydrogen_output(\"o\", o); return 0; }";
    let result = search(&text.replace('O', "1"), &text.replace('O', "2"), &[("x", 3)], |search| {
        let reach: Vec<_> = search.log.iter().filter(|asked| asked.class == Class::Reach).collect();
        assert_eq!(reach[0].sat, Some(false), "the whole path is in the way: {reach:#?}");
        assert_eq!(search.statistics.runs, 2, "{:#?}", search.log);
    });
    assert!(number(&result.input(), "x") < 0);
}

/// E-7: the branch before the change does not depend on the input, but what it reads was chosen by one that does.
#[test]
fn correlated_assignment() {
    let text = "int main(void) { int x = in(\"x\"), y, o = 0; if (x > 0) y = 1; else y = 0; if (y) { o = O; } hydrogen_output(\"o\", o); return 0; }";
    let result = search(&text.replace('O', "1"), &text.replace('O', "2"), &[("x", 0)], |_| {});
    assert!(number(&result.input(), "x") > 0);
}

/// E-8: no input comes to the change, and that is shown.
#[test]
fn never_reached() {
    let text = "int main(void) { int x = 1, y, o = in(\"z\"); y = x; if (y > 2) o = O; hydrogen_output(\"o\", o); return 0; }";
    let result = search(&text.replace('O', "1"), &text.replace('O', "2"), &[("z", 0)], |search| {
        assert_eq!(search.statistics.reached, None);
    });
    assert!(matches!(result, Result::Same(true)));
}

/// E-9: `&&` becomes `||`; the result is used only if the other aircraft is equipped.
#[test]
fn tcas_3() {
    let (text, first) = (TCAS_3, TCAS_3_FIRST);
    let result = search(&text.replace("OP", "&&"), &text.replace("OP", "||"), &first, |_| {});
    assert_eq!(number(&result.input(), "capability"), 1);
}

/// E-10: a limit moves; only rates between the two show it.
#[test]
fn tcas_13() {
    let text = "int main(void) { int high = in(\"high\"), rate = in(\"rate\"), sep = in(\"sep\"); int enabled, o = 0;\n\
        enabled = high && (rate <= LIMIT) && (sep > 600);\n\
        if (enabled) o = 1; hydrogen_output(\"o\", o); return 0; }";
    let result = search(&text.replace("LIMIT", "600"), &text.replace("LIMIT", "700"), &[("high", 0)], |_| {});
    let rate = number(&result.input(), "rate");
    assert!(rate > 600 && rate <= 700, "{rate}");
}

/// F-B18: a refactoring gives no input, and every input was seen.
#[test]
fn refactoring() {
    let old = "int main(void) { int x = in(\"x\"), o; if (x > 3) o = x * 2; else o = x + x; hydrogen_output(\"o\", o & 7); return 0; }";
    let new = "int main(void) { int x = in(\"x\"), o; o = x + x; hydrogen_output(\"o\", o & 7); return 0; }";
    assert!(matches!(search(old, new, &[("x", 0)], |_| {}), Result::Same(true)));
}

/// A fault of one version alone is a difference.
#[test]
fn faults() {
    let text =
        "int main(void) { int x = in(\"x\"); int a[8] = {0}; if (x >= 0 && x LESS 8) a[x] = 1; return 0; }";
    let result = search(&text.replace("LESS", "<"), &text.replace("LESS", "<="), &[("x", 0)], |_| {});
    assert_eq!(number(&result.input(), "x"), 8);
}

/// A change in a macro, a table, a type or the size of an array alone is a change of the statements that use it.
#[test]
fn macros_tables_and_types() {
    let cases = [
        (
            "#define D 2\nint main(void) { int x = in(\"x\"); int o = 0; if (x == 7) o = D; return o; }",
            "D 2",
            "D 1",
        ),
        (
            "static int t[3] = {1, 2, 3};\nint main(void) { unsigned x = in(\"x\"); return x < 3 ? t[x] : 0; }",
            "2, 3}",
            "2, 4}",
        ),
        (
            "static int t[4];\nint main(void) { unsigned x = in(\"x\"); if (x < 4) t[x] = 1; return 0; }",
            "t[4]",
            "t[3]",
        ),
        (
            "typedef int T;\nint main(void) { T x = in(\"x\"); return x == 300; }",
            "typedef int",
            "typedef unsigned char",
        ),
        (
            "static const char *s = \"ab\";\nstatic const char **p = &s;\nint main(void) { int x = in(\"x\"); return x == 1 ? (*p)[1] : 0; }",
            "ab",
            "ac",
        ),
    ];
    for (text, old, new) in cases {
        search(text, &text.replace(old, new), &[("x", 0)], |_| {}).input();
    }
}

/// A call through a pointer may lead to a change.
#[test]
fn called_through_a_pointer() {
    let text = "static int one(void) { return 1; }\nstatic int two(void) { return TWO; }\nstatic int (*table[])(void) = {one, two};\n\
        int main(void) { unsigned x = in(\"x\"); int o = 0; if (x < 2) o = table[x](); return o; }";
    let result = search(&text.replace("TWO", "2"), &text.replace("TWO", "3"), &[("x", 5)], |_| {});
    assert_eq!(number(&result.input(), "x"), 1);
}

/// E12: whichever question is asked next, E-2 and E-10 are found.
#[test]
fn strategies() {
    let tcas = "int main(void) { int high = in(\"high\"), rate = in(\"rate\"), o = 0;\n\
        if (high && rate <= LIMIT) o = 1; hydrogen_output(\"o\", o); return 0; }";
    let pairs = [
        (REACH.replace('Y', "3"), REACH.replace('Y', "2"), ("x", -1)),
        (tcas.replace("LIMIT", "600"), tcas.replace("LIMIT", "700"), ("high", 0)),
    ];
    for strategy in [Strategy::Turns, Strategy::Nearest, Strategy::Random, Strategy::Alternate] {
        for (old, new, first) in &pairs {
            let (old, new) = (program(old), program(new));
            let options = Options { strategy, ..options() };
            let mut search = Search::new([&old, &new], shapes(), &options);
            assert!(search.start(0, input(&[*first])).is_none());
            assert!(matches!(search.search(usize::MAX), Ended::Found(_)), "{strategy:?}: {:#?}", search.log);
        }
    }
}
