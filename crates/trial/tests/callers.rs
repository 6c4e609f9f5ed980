//! What a program's own code and tests call a function with.
#![allow(clippy::unwrap_used)]

use hydrogen_evidence::Value;
use hydrogen_ir::{FunctionId, Module};
use hydrogen_testkit::Compile;
use hydrogen_trial::{Given, Proposer, made, texts};

const CODE: &str = "struct row { const char *text; char kept[8]; };\n\
    struct row table[] = {{\"in a table\", \"inside\"}};\n\
    int match(const char *re, const char *s, int n, int flags) { return re[0] == s[0] ? n : flags; }\n\
    int test(const char *x, int m) { return match(\"[a-z]\", \"K\", 1, 2) + match(x, \"\", m, 0) + match(x, x, m, m) + match(0, x, m, m); }\n";

fn module() -> Module {
    Compile { header: "", flags: &[] }.model(CODE)
}

fn text(text: &str) -> Option<Given> {
    Some(Given::Text(text.as_bytes().to_vec()))
}

/// Calls of which nothing can be read, or that an object is missing, say nothing.
#[test]
fn calls_are_read() {
    let number = |number| Some(Given::Number(number));
    let all = made(&module(), "match");
    assert_eq!(
        all,
        [vec![text("[a-z]"), text("K"), number(1), number(2)], vec![None, text(""), None, number(0)]]
    );
    assert!(made(&module(), "test").is_empty());
}

/// Tests that are driven by a table hold their texts there.
#[test]
fn texts_are_found_in_tables() {
    let all = texts(&module());
    for wanted in ["in a table", "inside", "[a-z]", "K"] {
        assert!(all.iter().any(|one| one == wanted.as_bytes()), "{wanted}");
    }
}

/// What is known of a call is in the proposal; a number behind a text is its length where nobody says otherwise, and no object is left over.
#[test]
fn a_call_is_made_like_it() {
    let module = module();
    let at = module.functions.iter().position(|one| one.name == "match").unwrap();
    let here = (&module, FunctionId::at(at));
    let proposer = Proposer::new(here, here, |_| true);
    assert_eq!(proposer.text_parameters(), [0, 1]);
    let call = proposer.like(&[text("[a-z]"), text("Kl")], 1);
    let Value::Object(second, 0) = call.arguments[1].value else { panic!("{call:?}") };
    assert_eq!(call.objects[second].cells.len(), 2);
    assert_eq!(call.arguments[2].value, Value::number(32, 2), "{call:?}");
    assert_eq!(call.objects.len(), 2, "{call:?}");
}

/// Variables are followed to what was stored in them, and what is passed by its address is room of that size.
#[test]
fn variables_and_room_are_read() {
    let module = Compile { header: "", flags: &[] }.model(
        "struct pair { int a, b; };\nint take(const char *s, unsigned long n, struct pair *out, int *count) { return out[0].a + *count + s[n]; }\n\
         int test(void) { const char *s = \"text\"; struct pair all[3]; int count = 3; return take(s, 4, all, &count); }\n",
    );
    let wanted = vec![
        text("text"),
        Some(Given::Number(4)),
        Some(Given::Room(24, None)),
        Some(Given::Room(4, Some(3))),
    ];
    assert_eq!(made(&module, "take"), std::slice::from_ref(&wanted));
    let at = module.functions.iter().position(|one| one.name == "take").unwrap();
    let here = (&module, FunctionId::at(at));
    let call = Proposer::new(here, here, |_| true).like(&wanted, 1);
    let sizes: Vec<u64> = call.objects.iter().map(|object| object.size).collect();
    assert_eq!(sizes, [5, 24, 4], "{call:?}");
    assert_eq!(call.objects[2].cells[0].value, Value::number(32, 3));
}
