//! What leads on from where the effect of a change ends: INFECT, U, M, each in the exact form for two versions.

use super::support::{TCAS_3, TCAS_3_FIRST, input, number, options, program, shapes};
use hydrogen_evidence::Input;
use hydrogen_evidence::exposed::Class;
use hydrogen_expose::{Asked, Ended, Search};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the change-effect graph of an input asks for.
fn asked(old: &str, new: &str, first: &[(&str, i32)]) -> Vec<Asked> {
    let (old, new) = (program(old), program(new));
    let options = options();
    let mut search = Search::new([&old, &new], shapes(), &options);
    search.lead_on(0, &input(first))
}

/// The inputs that answer the questions of one kind.
fn answers(asked: &[Asked], class: Class) -> Vec<Input> {
    asked.iter().filter(|one| one.class == class).filter_map(|one| one.input.clone()).collect()
}

/// the changed statement computes the same with the first input, and nothing can come of it; an input on which it does not.
#[test]
fn infect() {
    let text = "int main(void) { int x = in(\"x\"), y = in(\"y\"), k = in(\"k\"), m; m = x OP y; if (k == 5) hydrogen_output(\"o\", m); return 0; }";
    let asked = asked(&text.replace("OP", "&"), &text.replace("OP", "|"), &[("x", 3), ("y", 3)]);
    let found = answers(&asked, Class::Infect);
    assert!(!found.is_empty(), "{asked:#?}");
    for input in found {
        let (x, y) = (number(&input, "x"), number(&input, "y"));
        assert_ne!(x & y, x | y);
    }
}

/// E-3: nobody uses what was changed; the branch on whose other side it is used.
#[test]
fn unused() {
    let text = "int main(void) { int x = in(\"x\"), z = in(\"z\"), o, p = 0; int y = Y; if (z > 7) p = 1; if (x > 0) o = y; else o = p; hydrogen_output(\"o\", o); return 0; }";
    let asked = asked(&text.replace('Y', "3"), &text.replace('Y', "2"), &[("x", 0)]);
    let found = answers(&asked, Class::Use);
    assert!(!found.is_empty(), "{asked:#?}");
    // The other branch does not lead to a use, and is not asked about.
    assert!(found.iter().all(|input| number(input, "x") > 0 && number(input, "z") <= 7), "{asked:#?}");
}

/// E-5: a product hides the change; exactly an odd factor shows it, not any but 0.
#[test]
fn masked() {
    let text = "int main(void) { unsigned char x = in(\"x\"), y = in(\"y\"), a, b; a = x ^ X; b = a * y; if (in(\"k\") == 9) hydrogen_output(\"o\", b); return 0; }";
    let asked = asked(&text.replace('X', "0"), &text.replace('X', "0x80"), &[("x", 0), ("y", 2)]);
    let found = answers(&asked, Class::Unmask);
    assert!(!found.is_empty(), "{asked:#?}");
    assert!(found.iter().any(|input| number(input, "y") & 1 == 1), "{asked:#?}");
}

/// The same within one statement: the product differs, what is left of it does not, until the factor is odd.
#[test]
fn masked_within() {
    let text = "int main(void) { int x = in(\"x\"), y = in(\"y\"), a; unsigned char b; a = x ^ X; b = (unsigned char)(a * y); if (in(\"k\") == 9) hydrogen_output(\"o\", b); return 0; }";
    let asked = asked(&text.replace('X', "0"), &text.replace('X', "0x80"), &[("x", 0), ("y", 2)]);
    let found = answers(&asked, Class::Unmask);
    assert!(found.iter().any(|input| number(input, "y") & 1 == 1), "{asked:#?}");
}

/// E-9: `tcas_equipped` is turned, so that what changed is used.
#[test]
fn tcas_3() {
    let (text, first) = (TCAS_3, TCAS_3_FIRST);
    let asked = asked(&text.replace("OP", "&&"), &text.replace("OP", "||"), &first);
    let found = answers(&asked, Class::Use);
    assert!(found.iter().any(|input| number(input, "capability") == 1), "{asked:#?}");
}

/// A refactoring that computes the same everywhere: the questions are there, and none has an answer.
#[test]
fn refactoring() {
    let text = "int main(void) { unsigned x = in(\"x\"), o; o = EXPR; if (x > 3) o = o + 1; hydrogen_output(\"o\", o); return 0; }";
    let asked = asked(&text.replace("EXPR", "x * 2"), &text.replace("EXPR", "x + x"), &[("x", 1)]);
    assert!(asked.iter().all(|one| one.sat != Some(true)), "{asked:#?}");
}

/// A search that asks about a run once more, which the clock then cuts, goes on without it.
#[test]
fn runs_that_are_cut() {
    let text = "int main(void) { int x = in(\"x\"), y, z = 0; if (x < 0 || x > 100) return 0; y = x * 3 MORE; if (y > 150) z = 1; hydrogen_output(\"o\", z); return 0; }";
    let (old, new) = (program(&text.replace("MORE", "")), program(&text.replace("MORE", "+ (x > 100)")));
    let clock = Arc::new(AtomicBool::new(false));
    let mut options = options();
    options.limits.interrupt = Some(Arc::clone(&clock));
    let mut search = Search::new([&old, &new], shapes(), &options);
    assert!(search.start(0, input(&[("x", 7)])).is_none());
    clock.store(true, Ordering::Relaxed);
    while search.open() > 0 {
        assert!(!matches!(search.search(usize::MAX), Ended::Found(_)));
    }
    assert!(search.log.iter().any(|one| one.class == Class::Disagree), "{:#?}", search.log);
}
