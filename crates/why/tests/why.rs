//! `why` on the worked examples of the specification: ```` ```why [path|plain] [source] [predicates] x=1 stdin=a ```` and the answer.

#[path = "why/laws.rs"]
mod laws;
#[path = "why/mutants.rs"]
mod mutants;
#[path = "why/support.rs"]
mod support;

use hydrogen_testkit::{Fixture, fixtures};
use hydrogen_why::Mode;
use support::{ask, input, program, told};

fn check(fixture: &Fixture, name: &str) {
    let programs: Vec<_> = fixture.versions.iter().map(|files| program(&files["main.c"])).collect();
    let [Some(old), Some(new)] = programs.as_slice() else { return };
    let (mut expected, mut answers) = (String::new(), String::new());
    for block in fixture.blocks_of("why") {
        let has = |word: &str| block.head.iter().any(|one| one == word);
        let mode = match () {
            () if has("path") => Mode::Path,
            () if has("plain") => Mode::Plain,
            () => Mode::Relevant,
        };
        let found = told(&ask(old, new, &input(&block.head[1..]), mode, [has("source"), has("predicates")]));
        let head = block.head.join(" ");
        expected.push_str(&format!("```{head}\n{}```\n", block.text));
        answers.push_str(&format!("```{head}\n{found}```\n"));
    }
    assert!(answers == expected, "{name}.md:\n{answers}");
}

fixtures!(
    "fixtures",
    check,
    e12 = "e12-reordered-tests",
    e13 = "e13-missing-else",
    e13_nine = "e13-nine-checks",
    e15 = "e15-other-implementation",
    e16 = "e16-rectified-input",
    e17 = "e17-sequence-number",
    e18 = "e18-latent",
    e19 = "e19-forward",
    e20 = "e20-reverse",
    e22 = "e22-escape",
    e24 = "e24-irrelevant",
    e35 = "e35-lines",
    e36 = "e36-forgotten-assignment",
    e37 = "e37-wrong-argument",
    n8 = "n8-assignment",
    e14 = "e14-two-errors",
    e21 = "e21-plain",
    n3 = "n3-not-concretised",
    crash = "crash",
    initial_value = "initial-value",
    redefined = "macro",
    negated = "negated",
    inside_a_call = "inside-a-call",
    printed = "printed",
    printed_text = "printed-text",
    same = "same-program",
    returned_sign = "returned-sign",
);
