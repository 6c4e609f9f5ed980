//! Recursion against loops: proved, and the proofs are accepted by the checker with another solver.
#![allow(clippy::unwrap_used)]

mod common;

use common::{compile, function};
use hydrogen_relate::{Options, Proof, Subject, Verdict, check, compare};
use hydrogen_term::Smtlib;
use std::time::Duration;

/// The proof of two functions `f`, if there is one; checked again.
fn proved(old: &str, new: &str) -> Option<Proof> {
    let (old, new) = (compile(old), compile(new));
    let [old, new] = [&old, &new].map(|module| Subject { module, function: function(module, "f") });
    let options = Options { time: Duration::from_secs(90), ..Options::default() };
    let Verdict::Equal(proof) = compare(old, new, &options) else { return None };
    let certificate = proof.certificate.as_ref().unwrap();
    assert_eq!(check(certificate, old, new, Box::new(Smtlib::z3()), Duration::from_secs(90)), Ok(()));
    Some(proof)
}

const FIBONACCI: &str = "unsigned f(unsigned n) { if (n < 2) return n; return f(n - 1) + f(n - 2); }";
const LOOP: &str = "unsigned f(unsigned n) { unsigned a = 0, b = 1; while (n > 0) { unsigned t = a + b; a = b; b = t; n--; } return a; }";

#[test]
fn a_loop_keeps_values_of_the_recursive_function() {
    assert!(proved(FIBONACCI, LOOP).is_some());
    assert!(proved(LOOP, FIBONACCI).is_some(), "either way round");
}

#[test]
fn a_loop_that_begins_with_other_values_is_not_proved() {
    assert!(proved(FIBONACCI, &LOOP.replace("b = 1", "b = 2")).is_none());
    assert!(proved(FIBONACCI, &LOOP.replace("n > 0", "n > 1")).is_none());
}

#[test]
fn functions_that_call_each_other_are_a_loop() {
    let old = "static int odd(unsigned n);\nstatic int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }\nstatic int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }\nint f(unsigned n) { return even(n); }";
    let new = "int f(unsigned n) { int r = 1; while (n > 0) { r = !r; n--; } return r; }";
    assert!(proved(old, new).is_some());
    assert!(proved(old, &new.replace("r = 1", "r = 0")).is_none());
}

#[test]
fn what_does_not_end_proves_nothing() {
    let old = "unsigned f(unsigned n) { if (n == 0) return 0; return f(n) + 1; }";
    let new = "unsigned f(unsigned n) { if (n == 0) return 5; return f(1) + 1; }";
    assert!(proved(old, new).is_none());
}
