//! Linking units into programs.

use crate::{generate, sample::*};
use expect_test::{Expect, expect};
use hydrogen_ir::*;
use proptest::prelude::*;

const HEAD: &str = r#"type %0 = i32 size 32 alloc 4 align 4
type %1 = ptr size 64 alloc 8 align 8
type %2 = fn() -> i32
"#;

/// A unit `NAME.c` whose functions are given as `linkage name: returned`, where `returned` is a number, `&function`
/// (called) or `@global` (loaded); `declare name`, and `global linkage name = number` or `extern name`.
fn unit(file: &str, lines: &[&str]) -> Module {
    let (mut globals, mut functions, mut constants) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        let words: Vec<&str> = line.split([' ', ':', '=']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            ["declare", name] => functions.push(format!("\"{name}\" external type fn() -> i32")),
            ["extern", name] => globals.push(format!("\"{name}\" external i32")),
            ["global", linkage, name, value] => {
                constants.push(format!("i32 {value}"));
                globals.push(format!("\"{name}\" {linkage} i32 = i32 {value} at 0:1:1"));
            }
            [linkage, name, value] => {
                let body = match value.chars().next() {
                    Some('&') => format!("v0: i32 = call fn() -> i32 {value}() | p0 v1: i32 = ret v0 | p0"),
                    Some('@') => format!("v0: i32 = load {value} | p0 v1: i32 = ret v0 | p0"),
                    _ => format!("v0: i32 = ret i32 {value} | p0"),
                };
                constants.push(if value.starts_with(['&', '@']) {
                    value.into()
                } else {
                    format!("i32 {value}")
                });
                functions.push(format!(
                    "\"{name}\" {linkage} type fn() -> i32 {{ span 0:1:1-2:2 piece p0 entry s0 \"\" piece p1 exit s0 \"\" \
                     body {{ block b0 \"\" {{ {body} }} }} }}"
                ));
            }
            _ => panic!("cannot read {line}"),
        }
    }
    constants.sort();
    constants.dedup();
    let mut text = format!("module \"{file}\" target \"t\"\nfile 0 \"{file}\"\n{HEAD}");
    let mut put = |kind: &str, sigil: &str, separator: &str, lines: &[String]| {
        for (index, line) in lines.iter().enumerate() {
            text.push_str(&format!("{kind} {sigil}{index} {separator}{line}\n"));
        }
    };
    put("const", "#", "= ", &constants);
    put("global", "@", "", &globals);
    put("function", "&", "", &functions);
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Links units and shows every symbol with the file of its definition and what it returns.
fn check(units: &[(&str, &[&str])], expect: Expect) {
    let modules: Vec<Module> = units.iter().map(|(file, lines)| unit(file, lines)).collect();
    modules.iter().for_each(|module| assert_eq!(verify(module), Ok(())));
    let Linked { module, conflicts, undefined, .. } = link(modules);
    assert_eq!(verify(&module), Ok(()));
    let mut lines = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        let file = function.file().map_or("nowhere", |file| module.file(file));
        let text = print_function(&module, FunctionId::at(index));
        let body: Vec<&str> =
            text.lines().filter(|line| line.trim().starts_with('v')).map(str::trim).collect();
        lines.push(format!("{} {:?} in {file}: {}", function.name, function.linkage, body.join("; ")));
    }
    for global in &module.globals {
        let file = global.location.map_or("nowhere", |location| module.file(location.file));
        let value = global.initializer.map(|id| module.constant(id));
        lines.push(format!("{} {:?} in {file}: {value:?}", global.name, global.linkage));
    }
    for Conflict { symbol, kind, kept_in, dropped_in } in conflicts {
        lines.push(format!("conflict {symbol} {kind:?}: {kept_in} over {dropped_in}"));
    }
    lines.push(format!("undefined: {undefined:?}"));
    expect.assert_eq(&lines.join("\n"));
}

#[test]
fn declarations_resolve_to_definitions() {
    check(
        &[
            ("a.c", &["declare f", "extern x", "external main: &f", "external g: @x"]),
            ("b.c", &["external f: 7", "global external x = 3", "declare puts"]),
        ],
        expect![[r#"
            f External in b.c: v0: i32 = ret i32 7 | p0
            main External in a.c: v0: i32 = call fn() -> i32 &f() | p0; v1: i32 = ret v0 | p0
            g External in a.c: v0: i32 = load @x | p0; v1: i32 = ret v0 | p0
            puts External in nowhere: 
            x External in b.c: Some(Int { ty: TypeId(0), bits: 3 })
            undefined: ["puts"]"#]],
    );
}

#[test]
fn statics_stay_apart() {
    check(
        &[
            (
                "a.c",
                &["internal helper: 1", "global internal s = 1", "external a: &helper", "external a2: @s"],
            ),
            (
                "b.c",
                &["internal helper: 2", "global internal s = 2", "external b: &helper", "external b2: @s"],
            ),
        ],
        expect![[r#"
            helper Internal in a.c: v0: i32 = ret i32 1 | p0
            a External in a.c: v0: i32 = call fn() -> i32 &helper() | p0; v1: i32 = ret v0 | p0
            a2 External in a.c: v0: i32 = load @s | p0; v1: i32 = ret v0 | p0
            helper Internal in b.c: v0: i32 = ret i32 2 | p0
            b External in b.c: v0: i32 = call fn() -> i32 &helper() | p0; v1: i32 = ret v0 | p0
            b2 External in b.c: v0: i32 = load @s | p0; v1: i32 = ret v0 | p0
            s Internal in a.c: Some(Int { ty: TypeId(0), bits: 1 })
            s Internal in b.c: Some(Int { ty: TypeId(0), bits: 2 })
            undefined: []"#]],
    );
}

#[test]
fn equal_inline_definitions_merge() {
    check(
        &[("a.c", &["mergeable f: 1", "external a: &f"]), ("b.c", &["mergeable f: 1", "external b: &f"])],
        expect![[r#"
            f Mergeable in a.c: v0: i32 = ret i32 1 | p0
            a External in a.c: v0: i32 = call fn() -> i32 &f() | p0; v1: i32 = ret v0 | p0
            b External in b.c: v0: i32 = call fn() -> i32 &f() | p0; v1: i32 = ret v0 | p0
            undefined: []"#]],
    );
}

#[test]
fn different_inline_definitions_are_reported() {
    check(
        &[("a.c", &["mergeable f: 1"]), ("b.c", &["mergeable f: 2", "external b: &f"])],
        expect![[r#"
        f Mergeable in a.c: v0: i32 = ret i32 1 | p0
        b External in b.c: v0: i32 = call fn() -> i32 &f() | p0; v1: i32 = ret v0 | p0
        conflict f Different: a.c over b.c
        undefined: []"#]],
    );
}

#[test]
fn two_external_definitions_are_a_conflict_and_both_are_kept() {
    check(
        &[("a.c", &["external f: 1", "external a: &f"]), ("b.c", &["external f: 2", "external b: &f"])],
        expect![[r#"
            f External in a.c: v0: i32 = ret i32 1 | p0
            a External in a.c: v0: i32 = call fn() -> i32 &f() | p0; v1: i32 = ret v0 | p0
            f Internal in b.c: v0: i32 = ret i32 2 | p0
            b External in b.c: v0: i32 = call fn() -> i32 &f() | p0; v1: i32 = ret v0 | p0
            conflict f Duplicate: a.c over b.c
            undefined: []"#]],
    );
}

#[test]
fn strong_definitions_beat_weak_ones() {
    check(
        &[
            ("a.c", &["mergeable f: 1", "global mergeable x = 0", "external a: &f"]),
            ("b.c", &["external f: 2", "global external x = 9"]),
            ("c.c", &["global mergeable x = 0", "external c: @x"]),
        ],
        expect![[r#"
            f External in b.c: v0: i32 = ret i32 2 | p0
            a External in a.c: v0: i32 = call fn() -> i32 &f() | p0; v1: i32 = ret v0 | p0
            c External in c.c: v0: i32 = load @x | p0; v1: i32 = ret v0 | p0
            x External in b.c: Some(Int { ty: TypeId(0), bits: 9 })
            undefined: []"#]],
    );
}

#[test]
fn bodies_for_inlining_give_way() {
    check(
        &[("a.c", &["available_externally f: 1", "external a: &f"]), ("b.c", &["external f: 1"])],
        expect![[r#"
            f External in b.c: v0: i32 = ret i32 1 | p0
            a External in a.c: v0: i32 = call fn() -> i32 &f() | p0; v1: i32 = ret v0 | p0
            undefined: []"#]],
    );
}

#[test]
fn an_alias_defines_a_function_for_other_units() {
    let mut b = unit("b.c", &["external g: 5", "global external f = 0", "external use: &g"]);
    // f is an alias of g.
    b.globals[0].initializer = None;
    b.globals[0].alias_of = b.constants.iter().position(|c| matches!(c, Const::Function(_))).map(ConstId::at);
    let linked = link(vec![unit("a.c", &["declare f", "external main: &f"]), b]);
    assert_eq!(verify(&linked.module), Ok(()));
    assert_eq!(linked.undefined, Vec::<String>::new());
    let main = linked.module.find_function("a.c", "main").expect("a.c defines main");
    assert!(print_function(&linked.module, main).contains("call fn() -> i32 @f()"));
}

#[test]
fn symbols_are_found_by_file_and_name() {
    let linked = link(vec![unit("a.c", &["internal s: 1"]), unit("b.c", &["internal s: 2"])]);
    let found = |file| linked.module.find_function(file, "s");
    assert_eq!((found("a.c"), found("b.c"), found("c.c")), (Some(FunctionId(0)), Some(FunctionId(1)), None));
}

#[test]
fn one_unit_links_to_itself() {
    let linked = link(vec![sample()]);
    assert_eq!(summarize(&linked.module), summarize(&sample()));
    assert_eq!(linked.undefined, ["printf"]);
    assert_eq!(link(Vec::new()), Linked::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn linked_programs_are_sound(seed: u64) {
        let modules: Vec<Module> = (0..3).map(|n| generate::module(seed.wrapping_add(n))).collect();
        let linked = link(modules.clone());
        prop_assert_eq!(verify(&linked.module), Ok(()));
        prop_assert_eq!(link(modules), linked);
    }
}
