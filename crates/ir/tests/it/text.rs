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
    check_error("", expect!["line 1, column 1: expected `module`, found the end"]);
    check_error("module 3", expect!["line 1, column 8: expected a string, found `3`"]);
    check_error("module \"a\"\ntype %1 = i32", expect!["line 2, column 6: expected %0 here, found %1"]);
    check_error("module \"a\"\ntype %0 = foo", expect!["line 2, column 11: expected a type, found `foo`"]);
    check_error(
        "module \"a\"\n  global @0 \"g\" internal i32",
        expect!["line 2, column 26: this type is not in the table"],
    );
    check_error(
        "module \"a\" target \"é\" blah",
        expect!["line 1, column 23: expected a declaration, found `blah`"],
    );
    check_error("module \"a", expect!["line 1, column 8: this string has no end"]);
    check_error("module \"\\q\"", expect!["line 1, column 9: unknown escape"]);
    check_error("module \"\\xff\"", expect!["line 1, column 8: expected text in UTF-8"]);
    check_error(
        "module \"a\" type %0 = i99999999999",
        expect!["line 1, column 22: expected a type, found `i99999999999`"],
    );
    check_error(
        "module \"a\" type %0 = i1 const #0 = &nobody",
        expect!["line 1, column 36: no function is named `nobody`"],
    );
    check_error(
        "module \"a\" type %0 = void type %1 = %struct.x",
        expect!["line 1, column 37: expected a type, found `%struct.x`"],
    );
    check_error(
        &format!("module \"a\" type %0 = {}", "[1 x ".repeat(100_000)),
        expect!["line 1, column 342: types are nested too deeply"],
    );
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

/// The sample is written exactly as the printer writes.
#[test]
fn the_sample_prints_as_it_is_written() {
    assert_eq!(print(&crate::sample::sample()), crate::sample::SAMPLE);
}

#[test]
fn one_function_is_readable_on_its_own() {
    let text = hydrogen_ir::print_function(&crate::sample::sample(), hydrogen_ir::FunctionId(0));
    expect![[r#"
        ; file 0 is "a.c"
        function &0 "f" external type fn(i32) -> i32 ctype "int" {
          signature "int f(int x)"
          span 0:3:1-9:2
          param "x" i32
          piece p0 entry s0 ""
          piece p1 exit s0 ""
          piece p2 if s0 "x > 0" 0:5:7-5:12
          piece p3 expression s1 "printf(\"hi\", LINE);" 0:6:5-6:24
          piece p4 return s2 "return counter;" 0:8:3-8:18
          flow p0 -> p2 next
          flow p2 -> p3 true
          flow p2 -> p4 false
          flow p3 -> p4 next
          flow p4 -> p1 next
          call p3 "printf" v4
          variable "x" parameter 0 ctype "int" slot v0 at 0:3:11
          body {
            block b0 "entry" {
              v0: ptr = alloca i32, i32 1 align 4 | p0
              v1: void = store a0, v0 align 4 | p0 0:3:11
              v2: i32 = load v0 align 4 | p2 0:5:7
              v3: i1 = icmp sgt v2, i32 0 | p2 0:5:9
              v4: i32 = call fn(ptr, i32, ...) -> i32 &printf(@.str "hi\x00", i32 42) | p3 0:6:5
              v5: void = br v3, b1, b2 | p2 0:5:7
            }
            block b1 "if.then" {
              v6: i32 = load expr ptr gep inbounds %struct.foo, @table, [i32 0, i32 1] align 4 | p3 0:6:5
              v7: void = store v6, @f.seen align 4 | p3 0:6:5
              v8: void = jump b2 | p3 0:6:5
            }
            block b2 "if.end" {
              v9: i32 = phi [b0 i32 1, b1 v6] | p4 0:8:10
              v10: i32 = load @counter align 4 | p4 0:8:10
              v11: i32 = add nsw v9, v10 | p4 0:8:10
              v12: void = ret v11 | p4 0:8:3
            }
          }
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn c_types_are_spelled_as_in_c() {
    let module = parse(
        r#"module "a.c"
ctype $0 = basic "char" size 8 signed
ctype $1 = qualified "const" $0
ctype $2 = pointer $1
ctype $3 = qualified "restrict" $2
ctype $4 = struct "node" size 64 { "next" $5 at 0 size 64 }
ctype $5 = pointer $4
ctype $6 = array $5 [3] []
ctype $7 = function $4 ($3, ...)
ctype $8 = pointer $7
ctype $9 = enum size 32 { "A" = -1 }
ctype $10 = function $9 ($10)
"#,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<String> = (0..11).map(|id| module.ctype_name(hydrogen_ir::CTypeId(id))).collect();
    expect![[r#"
        char
        const char
        const char *
        const char * restrict
        struct node
        struct node *
        struct node * [3][]
        struct node (const char * restrict, ...)
        struct node (const char * restrict, ...) *
        enum {…}
        enum {…} (enum {…} (enum {…} (enum {…} (enum {…} (… (…))))))"#]]
    .assert_eq(&names.join("\n"));
}
