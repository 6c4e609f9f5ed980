//! The text form.

use crate::{generate, rng::Rng};
use expect_test::{Expect, expect};
use hydrogen_ir::{Module, parse, print, verify};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_printed_parses_back(seed: u64) {
        let module = generate::module(seed);
        prop_assert_eq!(verify(&module), Ok(()));
        prop_assert_eq!(reparsed(&module), module);
    }
}

/// Parses `text` and compares the error.
fn check_error(text: &str, expect: Expect) {
    let error = parse(text).expect_err("the text is wrong");
    expect.assert_eq(&error.to_string());
}

#[test]
fn errors_have_a_place() {
    check_error("", expect![[""]]);
    check_error("module 3", expect![[""]]);
    check_error("module \"a\"\ntype %1 = i32", expect![[""]]);
    check_error("module \"a\"\ntype %0 = foo", expect![[""]]);
    check_error("module \"a\"\n  global @0 \"g\" internal i32", expect![[""]]);
    check_error("module \"a\" target \"é\" blah", expect![[""]]);
    check_error("module \"a", expect![[""]]);
    check_error("module \"\\q\"", expect![[""]]);
    check_error("module \"\\xff\"", expect![[""]]);
    check_error("module \"a\" type %0 = i99999999999", expect![[""]]);
    check_error("module \"a\" type %0 = i1 const #0 = &nobody", expect![[""]]);
    check_error("module \"a\" type %0 = void type %1 = %struct.x", expect![[""]]);
    check_error(&format!("module \"a\" type %0 = {}", "[1 x ".repeat(100_000)), expect![[""]]);
}

/// Seeded mutations of printed modules: nothing panics, and what parses prints and parses back.
#[test]
fn mutated_texts_never_panic() {
    let corpus: Vec<String> = (0..40).map(|seed| print(&generate::module(seed))).collect();
    let mut accepted = 0;
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let text = mutate(&mut rng, &corpus);
        if let Ok(module) = parse(&text) {
            accepted += 1;
            assert_eq!(reparsed(&module), module, "seed {seed}");
            let _ = verify(&module);
        }
    }
    // A mutation that is never accepted would test the error paths alone.
    assert!(accepted > 100, "only {accepted} mutations were accepted");
}

fn reparsed(module: &Module) -> Module {
    let text = print(module);
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn mutate(rng: &mut Rng, corpus: &[String]) -> String {
    let mut bytes = corpus[rng.below(corpus.len())].clone().into_bytes();
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len());
        match rng.below(6) {
            0 => bytes[at] = rng.pick(b"0123456789%#@&$\"{}[]|;:,.-> \nabz\\"),
            1 => {
                bytes.remove(at);
            }
            2 => bytes.insert(at, rng.next() as u8),
            3 => {
                // The rest of a line goes.
                let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |n| at + n);
                bytes.drain(at..end);
            }
            4 => {
                let other = corpus[rng.below(corpus.len())].as_bytes();
                let from = rng.below(other.len());
                let to = (from + rng.below(60)).min(other.len());
                bytes.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                    bytes[at + digit] = b'0' + rng.below(10) as u8;
                }
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
