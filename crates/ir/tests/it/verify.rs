//! The verifier: one seeded fault per invariant.

use crate::sample::{edited, sample};
use expect_test::{Expect, expect};
use hydrogen_ir::verify;

/// Replaces texts of the sample and compares what the verifier says.
fn check(edits: &[(&str, &str)], expect: Expect) {
    let violations = verify(&edited(edits)).expect_err("the module is broken");
    let lines: Vec<String> = violations.iter().map(|violation| violation.to_string()).collect();
    expect.assert_eq(&lines.join("\n"));
}

#[test]
fn the_sample_is_sound() {
    assert_eq!(verify(&sample()), Ok(()));
}

#[test]
fn ir_1_ids_are_in_range() {
    check(&[("{ i32, ptr }", "{ i32, %99 }")], expect!["IR-1: type %6: type %99 does not exist"]);
    check(&[("= #9 at", "= #88 at")], expect!["IR-1: global `table`: constant #88 does not exist"]);
    check(
        &[("ctype $0 align", "ctype $7 align")],
        expect!["IR-1: global `counter`: C type $7 does not exist"],
    );
    check(
        &[("const #4 = &printf", "const #4 = &9"), ("&printf(", "#4(")],
        expect!["IR-1: constant #4: function &9 does not exist"],
    );
    check(&[("const #11 = &f", "const #11 = @12")], expect!["IR-1: constant #11: global @12 does not exist"]);
    check(
        &[("const #11 = &f", "const #11 = blockaddress &f b3")],
        expect!["IR-1: constant #11: block b3 does not exist"],
    );
    check(&[("jump b2", "jump b3")], expect!["IR-1: function `f`, v8: block b3 does not exist"]);
    check(
        &[("add nsw v9, v10", "add nsw v9, v99")],
        expect!["IR-1: function `f`, v11: instruction v99 does not exist"],
    );
    check(&[("store a0", "store a1")], expect!["IR-1: function `f`, v1: parameter a1 does not exist"]);
    check(&[("ret v11 | p4", "ret v11 | p5")], expect!["IR-1: function `f`, v12: piece p5 does not exist"]);
    check(&[("p4 0:8:3\n", "p4 7:8:3\n")], expect!["IR-1: function `f`, v12: file 7 does not exist"]);
    check(
        &[("flow p0 -> p2", "flow p0 -> p9")],
        expect!["IR-1: function `f`, flow p0 -> p9: piece p9 does not exist"],
    );
    check(
        &[("slot v0", "slot v77")],
        expect!["IR-1: function `f`, variable `x`: instruction v77 does not exist"],
    );
    check(
        &[("\"printf\" v4", "\"printf\" v40")],
        expect!["IR-1: function `f`, call 0: instruction v40 does not exist"],
    );
}

#[test]
fn ir_2_types_are_finite() {
    check(&[("{ i32, ptr }", "{ i32, %6 }")], expect!["IR-2: type %6: contains itself"]);
    check(&[("offsets [0, 8]", "offsets [0]")], expect!["IR-2: type %6: has 2 fields and 1 offsets"]);
}

#[test]
fn ir_3_constants_are_finite() {
    check(&[("[i32 1, #8]", "[i32 1, #9]")], expect!["IR-3: constant #9: contains itself"]);
}

#[test]
fn ir_4_constants_fit_their_types() {
    check(
        &[("const #1 = i32 42", "const #1 = i32 4294967296"), ("i32 42)", "#1)")],
        expect!["IR-4: constant #1: 4294967296 has more than 32 bits"],
    );
    check(&[(r#""hi\x00""#, r#""hi""#)], expect!["IR-4: constant #2: 2 bytes for 3"]);
    check(&[("[i32 1, #8]", "[i32 1]")], expect!["IR-4: constant #9: 1 elements for 2"]);
    check(
        &[("const #1 = i32 42", "const #1 = i32 0x42"), ("i32 42)", "#1)")],
        expect!["IR-4: constant #1: a floating-point number needs a floating-point type"],
    );
}

#[test]
fn ir_5_initialisers_fill_their_globals() {
    check(
        &[("external i32 ctype $0 align 4 = i32 0", "external i32 ctype $0 align 4 = #9")],
        expect!["IR-5: global `counter`: 16 bytes initialise 4 bytes"],
    );
    check(
        &[("= i32 0 at 0:4:3", "= @counter at 0:4:3")],
        expect!["IR-5: global `f.seen`: an address initialises something that is no pointer"],
    );
    check(
        &[("= i32 0 at 0:4:3", "= i32 0 alias @counter at 0:4:3")],
        expect!["IR-5: global `f.seen`: is an alias and has a value of its own"],
    );
}

#[test]
fn ir_6_blocks_partition_the_instructions() {
    check(
        &[
            ("block b1 \"if.then\" {", "block b1 \"if.then\" { } block b2 \"\" {"),
            ("block b2 \"if.end\"", "block b3 \"\""),
        ],
        expect!["IR-6: function `f`, block b1: is empty"],
    );
    check(
        &[("jump b2", "jump b0")],
        expect![[r#"
        IR-6: function `f`, block b0: b1 leads back to the entry
        IR-9: function `f`, v9: its blocks are not the block's predecessors"#]],
    );
    let mut module = sample();
    module.functions[0].body.as_mut().expect("f has a body").blocks[1].first.0 = 7;
    let violations = verify(&module).expect_err("b1 begins too late");
    expect!["IR-6: function `f`, block b1: begins with v7 instead of v6"]
        .assert_eq(&violations[0].to_string());
}

#[test]
fn ir_7_terminators_end_blocks() {
    check(
        &[("v8: void = jump b2", "v8: void = fence seq_cst")],
        expect!["IR-7: function `f`, block b1: has no terminator"],
    );
    check(
        &[("v7: void = store v6, @f.seen align 4", "v7: void = unreachable")],
        expect!["IR-7: function `f`, v7: ends the block too early"],
    );
}

#[test]
fn ir_8_phis_lead_their_block() {
    check(
        &[
            ("v9: i32 = phi [b0 i32 1, b1 v6]", "v9: i32 = load @counter"),
            ("v10: i32 = load @counter align 4", "v10: i32 = phi [b0 i32 1, b1 v6]"),
        ],
        expect!["IR-8: function `f`, v10: a φ stands behind another instruction"],
    );
}

#[test]
fn ir_9_phis_have_a_value_per_edge() {
    check(
        &[("phi [b0 i32 1, b1 v6]", "phi [b0 i32 1]")],
        expect!["IR-9: function `f`, v9: its blocks are not the block's predecessors"],
    );
    check(
        &[("phi [b0 i32 1, b1 v6]", "phi [b0 i32 1, b0 i32 1]")],
        expect!["IR-9: function `f`, v9: its blocks are not the block's predecessors"],
    );
    check(
        &[("br v3, b1, b2", "br v3, b2, b2"), ("phi [b0 i32 1, b1 v6]", "phi [b0 i32 1, b0 i32 0, b1 v6]")],
        expect!["IR-9: function `f`, v9: has two values for b0"],
    );
}

#[test]
fn ir_10_operands_have_the_right_types() {
    check(&[("br v3", "br v2")], expect!["IR-10: function `f`, v5: the condition is i1"]);
    check(
        &[("store a0, v0", "store a0, v2"), ("v2: i32 = load v0", "v2: i32 = load v2")],
        expect![[r#"
            IR-10: function `f`, v1: needs a pointer
            IR-10: function `f`, v2: needs a pointer
            IR-11: function `f`, v1: uses v2, which is not always computed before
            IR-11: function `f`, v2: uses v2, which is not always computed before"#]],
    );
    check(
        &[("add nsw v9, v10", "add nsw v9, v0")],
        expect!["IR-10: function `f`, v11: operands and result have different types"],
    );
    check(
        &[("v3: i1 = icmp sgt v2, i32 0", "v3: i1 = icmp sgt v2, v0")],
        expect!["IR-10: function `f`, v3: compares values of different types"],
    );
    check(
        &[("v3: i1 = icmp", "v3: i32 = icmp")],
        expect![[r#"
        IR-10: function `f`, v3: a comparison gives i1
        IR-10: function `f`, v5: the condition is i1"#]],
    );
    check(
        &[("(@.str, i32 42)", "(@.str)")],
        expect!["IR-10: function `f`, v4: the number of arguments is not that of the parameters"],
    );
    check(
        &[("(@.str, i32 42)", "(i32 42, i32 42)")],
        expect!["IR-10: function `f`, v4: an argument has another type than its parameter"],
    );
    check(&[("ret v11", "ret")], expect!["IR-10: function `f`, v12: returns nothing"]);
    check(
        &[("ret v11", "ret @counter")],
        expect!["IR-10: function `f`, v12: returns a value of another type"],
    );
    check(
        &[("v4: i32 = call", "v4: i8 = call")],
        expect!["IR-10: function `f`, v4: the result is not what is returned"],
    );
    check(
        &[("br v3, b1, b2", "switch v3, b1 [i32 0 -> b2]")],
        expect!["IR-10: function `f`, v5: a case has another type than the value"],
    );
}

#[test]
fn ir_11_values_are_computed_before_use() {
    check(
        &[("add nsw v9, v10", "add nsw v9, v6")],
        expect!["IR-11: function `f`, v11: uses v6, which is not always computed before"],
    );
    check(
        &[("store a0, v0", "store v2, v0")],
        expect!["IR-11: function `f`, v1: uses v2, which is not always computed before"],
    );
    check(
        &[("phi [b0 i32 1, b1 v6]", "phi [b0 v6, b1 v6]")],
        expect!["IR-11: function `f`, v9: uses v6, which is not always computed before"],
    );
}

#[test]
fn unreachable_blocks_may_use_anything() {
    let module = edited(&[("br v3, b1, b2", "jump b2"), ("phi [b0 i32 1, b1 v6]", "phi [b0 i32 1, b1 v10]")]);
    assert_eq!(verify(&module), Ok(()));
}

#[test]
fn ir_12_functions_agree_with_their_types() {
    check(
        &[("param \"x\" i32", "param \"x\" ptr")],
        expect!["IR-12: function `f`, parameter a0: its type differs from the function's"],
    );
    check(
        &[("\"f\" external type fn(i32) -> i32", "\"f\" external")],
        expect!["IR-12: function `f`, head: a function with a body has a type"],
    );
    check(
        &[("\"f\" external type fn(i32) -> i32", "\"f\" external type ptr")],
        expect!["IR-12: function `f`, head: its type is not a function's"],
    );
    check(
        &[("param \"x\" i32", "param \"x\" i32 param \"y\" i32")],
        expect!["IR-12: function `f`, head: 2 parameters for 1"],
    );
}

#[test]
fn ir_13_pieces_begin_with_entry_and_exit() {
    check(&[("piece p0 entry", "piece p0 exit")], expect!["IR-13: function `f`, piece p0: is not the entry"]);
    check(&[("piece p1 exit", "piece p1 entry")], expect!["IR-13: function `f`, piece p1: is not the exit"]);
    check(
        &[("piece p4 return", "piece p4 exit")],
        expect!["IR-13: function `f`, piece p4: is a second entry or exit"],
    );
    check(
        &[(
            "\"printf\" external type fn(ptr, i32, ...) -> i32\n",
            "\"printf\" external { piece p0 entry s0 \"\" piece p1 exit s0 \"\" }",
        )],
        expect!["IR-13: function `printf`, pieces: a declaration has no pieces"],
    );
}

#[test]
fn ir_14_flow_is_sorted_and_unique() {
    check(
        &[("flow p2 -> p4 false", "flow p2 -> p3 true")],
        expect!["IR-14: function `f`, flow p2 -> p3: repeats the edge before it, or should stand before it"],
    );
    check(
        &[("flow p3 -> p4 next", "flow p2 -> p3 false")],
        expect!["IR-14: function `f`, flow p2 -> p3: repeats the edge before it, or should stand before it"],
    );
}

#[test]
fn ir_15_flow_starts_at_the_entry_and_ends_at_the_exit() {
    check(
        &[("flow p4 -> p1 next", "flow p4 -> p0 next")],
        expect!["IR-15: function `f`, flow p4 -> p0: flows into the entry"],
    );
    check(
        &[("flow p0 -> p2 next", "flow p0 -> p2 next flow p1 -> p2 next")],
        expect!["IR-15: function `f`, flow p1 -> p2: flows out of the exit"],
    );
}

#[test]
fn ir_16_spans_do_not_run_backwards() {
    check(
        &[("0:5:7-5:12", "0:5:7-5:6")],
        expect!["IR-16: function `f`, piece p2: the span ends at 5:6, before 5:7"],
    );
    check(
        &[("span 0:3:1-9:2", "span 0:3:1-2:2")],
        expect!["IR-16: function `f`, head: the span ends at 2:2, before 3:1"],
    );
}

#[test]
fn ir_17_calls_are_calls() {
    check(&[("\"printf\" v4", "\"printf\" v3")], expect!["IR-17: function `f`, call 0: v3 is no call"]);
    check(
        &[("call p3 \"printf\" v4", "call p4 \"printf\" v4")],
        expect!["IR-17: function `f`, call 0: v4 belongs to p3, not to p4"],
    );
}
