//! The process protocol and the reading of models, without a good solver at the other end.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::sort::Sort;

fn asks(program: &str, arguments: &[&str], limits: Limits) -> Answer {
    let mut pool = Pool::new();
    let x = pool.var("x", Sort::Bits(32));
    let two = pool.bits(32, 2);
    let constraint = pool.ult(x, two);
    Smtlib::new(program, arguments).check(&pool, &[constraint], &limits)
}

fn short() -> Limits {
    Limits { time: Duration::from_millis(200), memory: 512, ..Limits::default() }
}

#[test]
fn a_missing_program_is_unknown() {
    let answer = asks("no-such-solver-anywhere", &[], short());
    assert!(
        matches!(answer, Answer::Unknown(Reason::Missing(ref what)) if what.contains("no-such-solver")),
        "{answer:?}"
    );
    assert!(Smtlib::new("no-such-solver-anywhere", &[]).probe().is_err());
}

#[test]
fn a_program_that_ends_is_a_crash() {
    let answer = asks("sh", &["-c", "echo 'it hurts' >&2; exit 3"], short());
    assert!(
        matches!(answer, Answer::Unknown(Reason::Crashed(ref what)) if what.contains("it hurts")),
        "{answer:?}"
    );
}

#[test]
fn a_program_that_hangs_is_killed() {
    // It greets properly, then says nothing more.
    let script = "while read line; do case $line in *mark-1*) echo hydrogen-mark-1;; esac; done";
    let started = Instant::now();
    let answer = asks("sh", &["-c", script], short());
    assert_eq!(answer, Answer::Unknown(Reason::Timeout));
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_program_that_lies_about_models_is_not_believed() {
    let script = "n=0; while read line; do case $line in *mark*) n=$((n+1)); \
        [ $n = 2 ] && echo sat; [ $n = 3 ] && echo '((x #x00000007))'; echo hydrogen-mark-$n;; esac; done";
    let limits = Limits { time: Duration::from_secs(5), memory: 512, ..Limits::default() };
    let answer = asks("sh", &["-c", script], limits);
    assert!(matches!(answer, Answer::Unknown(Reason::Unsupported(_))), "{answer:?}");
}

#[test]
fn a_crash_is_forgotten_with_the_next_question() {
    let mut pool = Pool::new();
    let x = pool.var("x", Sort::Bits(32));
    let two = pool.bits(32, 2);
    let constraint = pool.ult(x, two);
    let mut solver = Smtlib::z3();
    assert!(solver.check(&pool, &[constraint], &Limits::default()).is_sat());
    let session = solver.sessions.get_mut("QF_AUFBV").unwrap();
    session.process.ask("(exit)", Instant::now() + Duration::from_secs(5)).unwrap_err();
    assert!(matches!(
        solver.check(&pool, &[constraint], &Limits::default()),
        Answer::Unknown(Reason::Crashed(_))
    ));
    assert!(solver.check(&pool, &[constraint], &Limits::default()).is_sat());
}

fn check_model(text: &str, name: &str, sort: Sort, expected: &str) {
    let parsed = sexpr::parse(text).unwrap();
    let mut definitions = Definitions::default();
    definitions.read_model(&parsed).unwrap();
    let value = definitions.variable(name, sort);
    assert_eq!(format!("{value:?}"), expected);
}

#[test]
fn models_of_arrays_come_in_many_forms() {
    let sort = Sort::Array { index: 8, element: 8 };
    let wanted = "Ok(Some(Array(ArrayValue { index: 8, element: 8, default: 0, entries: {3: 7} })))";
    check_model("((define-fun a () S (store ((as const S) #x00) #x03 #x07)))", "a", sort, wanted);
    check_model(
        "(model (define-fun a () S (_ as-array k!0)) (define-fun k!0 ((x B)) B (ite (= x #x03) #x07 #x00)))",
        "a",
        sort,
        wanted,
    );
    check_model(
        "((define-fun a () S (lambda ((x B)) (ite (= #x03 x) (_ bv7 8) #b00000000))))",
        "a",
        sort,
        wanted,
    );
    check_model(
        "((define-fun a () S b) (define-fun b () S (store ((as const S) #x00) #x03 #x07)))",
        "a",
        sort,
        wanted,
    );
    check_model(
        "((define-fun a () S (let ((a!1 (store ((as const S) #x00) #x03 #x07))) (let ((v #x00)) (store a!1 #x04 v)))))",
        "a",
        sort,
        wanted,
    );
    check_model("((define-fun a () S (let ((b b)) b)))", "a", sort, "Err(\"the value of a cannot be read\")");
    check_model("((define-fun a () S c))", "a", sort, "Err(\"the value of a cannot be read\")");
    check_model("((define-fun b () S c))", "a", sort, "Ok(None)");
}

proptest! {
    #[test]
    fn garbage_is_no_model_and_no_panic(text in "(\\(|\\)|define-fun|store|ite|=|and|x|\\|a b\\||\"|lambda|_|as|const|as-array|let|#x0[0-9]|bv3| |\n|;){0,60}") {
        for text in [text.clone(), format!("((define-fun x () S {text}))"), format!("((define-fun x ((y S)) S {text}))")] {
            let Some(parsed) = sexpr::parse(&text) else { continue };
            let mut definitions = Definitions::default();
            let _ = definitions.read_values(&parsed);
            let _ = definitions.read_model(&parsed);
            let _ = definitions.variable("x", Sort::Bits(8));
            let _ = definitions.variable("x", Sort::Array { index: 8, element: 8 });
            let _ = definitions.function("x");
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = sexpr::parse(&text);
    }
}

#[test]
fn circular_definitions_end() {
    let text = "((define-fun x () B y) (define-fun y () B x) (define-fun f ((a B)) B (g a)) (define-fun g ((a B)) B (f a)))";
    let parsed = sexpr::parse(text).unwrap();
    let mut definitions = Definitions::default();
    definitions.read_model(&parsed).unwrap();
    assert!(definitions.variable("x", Sort::Bits(8)).is_err());
    assert!(definitions.function("f").is_err());
    // Arrays that name each other.
    assert!(definitions.variable("x", Sort::Array { index: 8, element: 8 }).is_err());
}
