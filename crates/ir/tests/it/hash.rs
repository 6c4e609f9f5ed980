//! Content hashes.

use crate::{generate, sample::*};
use hydrogen_ir::{ContentHash, FunctionSummary, Module, exact_hash, parse, summarize, verify};
use proptest::prelude::*;

fn f(module: &Module) -> FunctionSummary {
    let summary = summarize(module);
    summary.functions.into_iter().find(|function| function.name == "f").expect("the module defines f")
}

fn code(module: &Module) -> ContentHash {
    assert_eq!(verify(module), Ok(()));
    f(module).code.expect("f has a body")
}

fn global(module: &Module, name: &str) -> ContentHash {
    let summary = summarize(module);
    summary.globals.into_iter().find(|global| global.name == name).expect("the global is defined").hash
}

fn same(edits: &[(&str, &str)]) {
    assert_eq!(code(&edited(edits)), code(&sample()), "{edits:?}");
}

fn different(edits: &[(&str, &str)]) {
    assert_ne!(code(&edited(edits)), code(&sample()), "{edits:?}");
}

#[test]
fn a_summary_names_what_a_function_is() {
    let summary = f(&sample());
    assert_eq!((summary.file.as_str(), summary.line, summary.end_line), ("a.c", 3, 9));
    assert_eq!(summary.signature, "int f(int x)");
    assert_eq!(summary.globals, ["counter", "f.seen", "table"]);
    assert_eq!((summary.piece_count, summary.instruction_count), (5, 13));
    assert_eq!(summary.code.expect("f has a body").to_string().len(), 32);
    let globals: Vec<_> =
        summarize(&sample()).globals.into_iter().map(|global| (global.name, global.line)).collect();
    assert_eq!(globals, [("counter".into(), 1), ("table".into(), 2), ("f.seen".into(), 4)]);
}

#[test]
fn names_and_places_do_not_count() {
    same(&[("\"if.then\"", "\"if.then5\""), ("\"entry\"", "\"\"")]);
    same(&[("\"struct.foo\"", "\"struct.anon.3\""), ("%struct.foo", "%struct.anon.3")]);
    same(&[("variable \"x\" parameter 0", "variable \"y\" parameter 0")]);
    same(&[("\".str\"", "\".str.17\""), ("@.str", "@.str.17")]);
    same(&[("\"f.seen\"", "\"f.seen.12\""), ("@f.seen", "@f.seen.12")]);
    same(&[("| p4 0:8:10", "| p4 0:80:1"), ("| p4 0:8:3", "| p4 1:80:1")]);
    same(&[("v2: i32 = load v0 align 4 | p2", "v2: i32 = load v0 align 4 | p3")]);
    same(&[("ctype $0 slot v0", "slot v0")]);
}

#[test]
fn the_order_of_tables_does_not_count() {
    let text = SAMPLE.replace("const #0 = i32 1\nconst #1 = i32 42", "const #0 = i32 42\nconst #1 = i32 1");
    let text = text.replace(
        "type %0 = void\ntype %1 = i1 size 1 alloc 1 align 1",
        "type %0 = i1 size 1 alloc 1 align 1\ntype %1 = void",
    );
    let text = text.replace("global @1", "global @9").replace("global @2", "global @1");
    let (table, counter) =
        (text.find("global @1 \"table\"").expect("there"), text.find("global @9").expect("there"));
    let (first, second) = (counter.min(table), counter.max(table));
    let end = second + text[second..].find('\n').expect("a line ends") + 1;
    let text = [&text[..first], &text[second..end], &text[first..second], &text[end..]].concat();
    let text = text.replace("global @9", "global @2");
    let (head, functions) = text.split_once("function &0").expect("there is a function");
    let (f, printf) = functions.split_once("function &1").expect("there are two functions");
    let text = format!("{head}function &0{printf}function &1{f}");
    assert_eq!(code(&parse(&text).unwrap_or_else(|error| panic!("{error}"))), code(&sample()));
}

#[test]
fn what_is_computed_counts() {
    different(&[("add nsw", "sub nsw")]);
    different(&[("add nsw", "add")]);
    different(&[("icmp sgt", "icmp sge")]);
    different(&[("br v3, b1, b2", "br v3, b2, b1")]);
    different(&[("const #1 = i32 42", "const #1 = i32 43"), ("i32 42)", "i32 43)")]);
    different(&[("load @counter align 4", "load @counter align 8")]);
    different(&[("load @counter align 4", "load @counter align 4 volatile")]);
    different(&[("(@.str, i32 42)", "(@counter, i32 42)")]);
    different(&[("phi [b0 i32 1", "phi [b0 i32 0")]);
    different(&[("store v6, @f.seen", "store v6, @counter")]);
    different(&[("\"printf\"", "\"fprintf\""), ("&printf", "&fprintf")]);
    different(&[("\"counter\"", "\"count\""), ("@counter", "@count")]);
    different(&[("alloca i32, i32 1", "alloca ptr, i32 1")]);
}

#[test]
fn string_literals_count_by_content() {
    different(&[("\"hi\\x00\"", "\"ho\\x00\"")]);
}

#[test]
fn layouts_count_as_far_as_they_are_seen() {
    different(&[("offsets [0, 8]", "offsets [0, 4]")]);
    // The address of a variable is that of its first member.
    different(&[("{ i32, ptr }", "{ ptr, ptr }")]);
    // The size is seen by those who step over something, make room for it or copy it.
    let grown = ("size 128 alloc 16", "size 192 alloc 24");
    same(&[grown]);
    same(&[("struct \"struct.foo\"", "struct packed \"struct.foo\"")]);
    let stepping = ("@table, [i32 0, i32 1]", "@table, [i32 1, i32 1]");
    assert_ne!(code(&edited(&[stepping])), code(&edited(&[stepping, grown])));
    let allocating = ("alloca i32, i32 1", "alloca %struct.foo, i32 1");
    assert_ne!(code(&edited(&[allocating])), code(&edited(&[allocating, grown])));
    let exact = |module: &Module| exact_hash(module, hydrogen_ir::FunctionId(0));
    assert_ne!(exact(&edited(&[grown])), exact(&sample()));
}

#[test]
fn types_of_used_globals_count() {
    // `char g[8]` → `char g[16]` changes its users though they say the same.
    different(&[("\"f.seen\" internal i32 align 4 = i32 0", "\"f.seen\" internal ptr align 4")]);
}

#[test]
fn values_of_named_globals_count_in_their_own_hash() {
    let changed =
        edited(&[("external i32 ctype $0 align 4 = i32 0", "external i32 ctype $0 align 4 = i32 1")]);
    assert_eq!(code(&changed), code(&sample()));
    assert_ne!(global(&changed, "counter"), global(&sample(), "counter"));
    let relocated = edited(&[("%struct.foo, @table, [", "%struct.foo, @counter, [")]);
    assert_ne!(global(&relocated, "table"), global(&sample(), "table"));
    for edit in ["counter\" external i32 constant", "counter\" external i32 thread_local"] {
        let changed = edited(&[("counter\" external i32", edit)]);
        assert_ne!(global(&changed, "counter"), global(&sample(), "counter"), "{edit}");
    }
    let moved = edited(&[("at 0:1:5", "at 0:17:5")]);
    assert_eq!(global(&moved, "counter"), global(&sample(), "counter"));
}

#[test]
fn line_numbers_passed_to_calls_move_with_the_line() {
    // assert(x) on line 42 is the same as assert(x) on line 43 …
    let at = |line: &str| {
        [
            (
                "v4: i32 = call fn(ptr, i32, ...) -> i32 &printf(@.str, i32 42) | p3 0:6:5".to_string(),
                format!("v4: i32 = call fn(ptr, i32, ...) -> i32 &printf(@.str, i32 {line}) | p3 0:{line}:5"),
            ),
            ("const #1 = i32 42".to_string(), format!("const #1 = i32 {line}")),
        ]
    };
    let with = |line: &str, text: &str| {
        let edits = at(line);
        let edits = edits.iter().map(|(from, to)| (from.as_str(), to.as_str()));
        code(&edited(&edits.chain([("LINE", text)]).collect::<Vec<_>>()))
    };
    assert_eq!(with("42", "LINE"), with("43", "LINE"));
    // … but a literal is a number, whatever line it stands on.
    assert_ne!(with("42", "42"), with("43", "43"));
    // And a number that is no line stays a number.
    assert_ne!(with("42", "LINE"), code(&sample()));
}

#[test]
fn line_numbers_in_texts_move_with_the_line() {
    let at = |line: &str, number: &str, text: &str| {
        let (place, bytes) = (format!("i32 42) | p3 0:{line}:5"), format!("\"{number}\\x00\""));
        code(&edited(&[("i32 42) | p3 0:6:5", &place), ("\"hi\\x00\"", &bytes), ("LINE", text)]))
    };
    assert_eq!(at("52", "52", "LINE"), at("53", "53", "LINE"));
    // A number that the statement writes itself, and one that is no line of it, is a part of the text.
    assert_ne!(at("52", "52", "V52"), at("53", "53", "V53"));
    assert_ne!(at("52", "52", "LINE"), at("53", "54", "LINE"));
}

#[test]
fn the_last_line_of_a_long_call_is_a_line_too() {
    let at = |first: u32, last: u32| {
        let call = format!("i32 {last}) | p3 0:{first}:5");
        let span = format!("0:{first}:5-{last}:24");
        let constant = format!("const #1 = i32 {last}");
        code(&edited(&[
            ("i32 42) | p3 0:6:5", &call),
            ("0:6:5-6:24", &span),
            ("const #1 = i32 42", &constant),
        ]))
    };
    assert_eq!(at(50, 52), at(60, 62));
    assert_ne!(at(50, 52), at(60, 63));
}

#[test]
fn second_static_locals_stay_apart() {
    // Two variables `seen` of f, numbered by the compiler, are not the same variable.
    let two = |first: &str, second: &str, used: &str| {
        let tail = "function &0";
        let other = format!("global @4 \"{second}\" internal i32 align 4 = i32 0\nfunction &0");
        edited(&[
            ("global @3 \"f.seen\"", &format!("global @3 \"{first}\"")),
            ("@f.seen", &format!("@\"{used}\"")),
            (tail, &other),
        ])
    };
    assert_ne!(code(&two("f.seen", "f.seen.1", "f.seen")), code(&two("f.seen", "f.seen.1", "f.seen.1")));
    assert_eq!(code(&two("f.seen", "f.seen.1", "f.seen.1")), code(&two("f.seen", "f.seen.9", "f.seen.9")));
}

#[test]
fn rings_of_private_globals_end() {
    // Two private globals that point to each other hash alike from wherever they are entered.
    let ring = |first: &str, second: &str| {
        format!(
            r#"module "r.c" target ""
type %0 = ptr
type %1 = fn() -> ptr
const #0 = @a
const #1 = @b
global @0 "{first}" internal ptr private = @{second}
global @1 "{second}" internal ptr private = @{first}
function &0 "f" external type fn() -> ptr {{
  piece p0 entry s0 ""
  piece p1 exit s0 ""
  body {{ block b0 "" {{ v0: ptr = ret @a | p0 }} }}
}}
function &1 "g" external type fn() -> ptr {{
  piece p0 entry s0 ""
  piece p1 exit s0 ""
  body {{ block b0 "" {{ v0: ptr = ret @b | p0 }} }}
}}
"#
        )
    };
    let one = parse(&ring("a", "b")).unwrap_or_else(|error| panic!("{error}"));
    let other = parse(&ring("b", "a")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(code(&one), code(&other));
    assert_eq!(summarize(&one).functions[0].code, summarize(&one).functions[1].code);
}

#[test]
fn text_hashes_follow_the_statement_graph() {
    let text = |edits: &[(&str, &str)]| f(&edited(edits)).print.text;
    let base = f(&sample()).print.text;
    assert_eq!(text(&[("0:8:3-8:18", "0:80:3-80:18")]), base);
    assert_eq!(text(&[("add nsw", "sub nsw")]), base);
    assert_ne!(text(&[("\"x > 0\"", "\"x > 1\"")]), base);
    assert_ne!(text(&[("piece p2 if", "piece p2 while")]), base);
    assert_ne!(text(&[("p2 -> p3 true", "p2 -> p3 false")]), base);
    assert_ne!(text(&[("p3 -> p4 next", "p3 -> p1 next")]), base);
}

/// Gives every symbol a name of its own, so that linking only moves table entries about.
fn named_apart(mut module: Module, prefix: &str) -> Module {
    for (index, function) in module.functions.iter_mut().enumerate() {
        function.name = format!("{prefix}f{index}");
    }
    for (index, global) in module.globals.iter_mut().enumerate() {
        global.name = format!("{prefix}g{index}");
    }
    module
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn hashes_are_stable_over_storage(seed: u64) {
        let module = generate::module(seed);
        let back = hydrogen_ir::decode(&hydrogen_ir::encode(&module)).expect("own bytes are readable");
        prop_assert_eq!(summarize(&back), summarize(&module));
    }

    #[test]
    fn hashes_do_not_depend_on_table_order(seed: u64) {
        let module = named_apart(generate::module(seed), "");
        let other = named_apart(generate::module(seed.wrapping_add(1)), "other.");
        let expected = summarize(&module);
        let found = summarize(&hydrogen_ir::link(vec![other, module]).module);
        for function in expected.functions {
            let found = found.functions.iter().find(|found| found.name == function.name);
            let found = found.expect("nothing is lost");
            prop_assert_eq!((found.code, found.print, &found.globals), (function.code, function.print, &function.globals));
        }
        for global in expected.globals {
            let found = found.globals.iter().find(|found| found.name == global.name).expect("nothing is lost");
            prop_assert_eq!(found.hash, global.hash);
        }
    }
}

fn exact(module: &Module) -> ContentHash {
    assert_eq!(verify(module), Ok(()));
    let (id, _) =
        module.definitions().find(|(_, function)| function.name == "f").expect("the module defines f");
    exact_hash(module, id).expect("f has a body")
}

#[test]
fn the_exact_hash_sees_what_an_analysis_sees() {
    let check = |edits: &[(&str, &str)], same: bool| {
        assert_eq!(exact(&edited(edits)) == exact(&sample()), same, "{edits:?}");
    };
    // Names of the compiler and places do not count.
    check(&[("\"if.then\"", "\"if.then5\""), ("\"entry\"", "\"\"")], true);
    check(&[("\".str\"", "\".str.17\""), ("@.str", "@.str.17")], true);
    check(&[("\"f.seen\"", "\"f.seen.12\""), ("@f.seen", "@f.seen.12")], true);
    check(&[("| p4 0:8:10", "| p4 0:80:1"), ("| p4 0:8:3", "| p4 1:80:1")], true);
    // Names of variables, pieces, C types and values of globals do.
    check(&[("variable \"x\" parameter 0", "variable \"y\" parameter 0")], false);
    check(&[("v2: i32 = load v0 align 4 | p2", "v2: i32 = load v0 align 4 | p3")], false);
    check(&[("ctype $0 slot v0", "slot v0")], false);
    check(&[("const #1 = i32 42", "const #1 = i32 43"), ("i32 42)", "i32 43)")], false);
    check(&[("align 4 = i32 0 at 0:1:5", "align 4 = i32 1 at 0:1:5")], false);
}
