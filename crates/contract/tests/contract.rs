//! Contracts, and what they say of runs.

use hydrogen_contract::{Contract, End, Given, Run, Verdict};

fn run(end: End, out: &str) -> Run {
    Run { end, out: [("stdout".to_owned(), out.as_bytes().to_vec())].into(), values: Default::default() }
}

/// An argument, what the old version prints, and how the new one ends and what it prints.
fn check(contract: &str, argument: &str, old: &str, new: (End, &str), expected: Verdict) {
    let contract = Contract::parse(contract).expect("a contract");
    let given = Given { args: vec![b"p".to_vec(), argument.into()], ..Given::default() };
    let [old, new] = [run(End::Returned(0), old), run(new.0, new.1)];
    assert_eq!(contract.judge(&given, &old, &new), expected);
}

const DOUBLED: &str = r#"
changed_behavior large:
  requires \number(\arg(1)) > 100;
  ensures \number(\out(stdout)) == 2 * \number(\prev(\out(stdout)));
"#;

#[test]
fn inside_of_a_case_its_promise_counts() {
    check(DOUBLED, "101", "7\n", (End::Returned(0), "14\n"), Verdict::Kept);
    let broken = Verdict::Broken("`large`: `ensures` number 1 does not hold".into());
    check(DOUBLED, "101", "7\n", (End::Returned(0), "7\n"), broken);
    // What means nothing does not hold.
    let broken = Verdict::Broken("`large`: `ensures` number 1 does not hold".into());
    check(DOUBLED, "101", "7\n", (End::Returned(0), "none\n"), broken);
}

#[test]
fn outside_of_all_cases_both_must_do_the_same() {
    check(DOUBLED, "100", "7\n", (End::Returned(0), "14\n"), Verdict::Same);
    check(DOUBLED, "many", "7\n", (End::Returned(0), "14\n"), Verdict::Same);
}

/// E-38: a pure prohibition asks nothing else; with a promise, another end than returning breaks it.
#[test]
fn ends_other_than_returning() {
    let never = "changed_behavior never(trap);";
    check(
        never,
        "1",
        "",
        (End::Trap, ""),
        Verdict::Broken("the case says that the new version never ends so".into()),
    );
    check(never, "1", "", (End::Signal(6), ""), Verdict::Kept);
    check(never, "1", "", (End::Returned(1), "x"), Verdict::Kept);
    let ensures = "changed_behavior ensures true;";
    check(
        ensures,
        "1",
        "",
        (End::Trap, ""),
        Verdict::Broken("the case says that the new version returns".into()),
    );
    let signals = "changed_behavior signals(signal) true;";
    check(signals, "1", "", (End::Signal(6), ""), Verdict::Kept);
    check(
        signals,
        "1",
        "",
        (End::Returned(0), ""),
        Verdict::Broken("the case says that the new version does not return".into()),
    );
}

/// Q-22: an omitted sibling is impossible. Q-23: unmarked is the old version in `when_ensured`.
#[test]
fn when_the_old_version_ended_so() {
    let text = r#"changed_behavior when_ensured \out(stdout) == "a"; ensures \out(stdout) == "b"; also changed_behavior when_signaled(any) true; ensures \status == 0;"#;
    check(text, "1", "a", (End::Returned(0), "b"), Verdict::Kept);
    check(text, "1", "c", (End::Returned(0), "b"), Verdict::Same);
}

#[test]
fn mistakes_are_named_where_they_are() {
    for (text, message) in [
        ("ensures true;", "line 1, column 1: a case begins with `changed_behavior`"),
        (
            "changed_behavior\n  ensures \\out(stdout);",
            "line 2, column 22: a text is neither true nor false; compare it",
        ),
        (
            "changed_behavior requires \\status == 0;",
            "line 1, column 27: `requires` is about the input: \\arg(N), \\stdin, \\input(NAME)",
        ),
        (
            "changed_behavior ensures \\out(stdout) == 1;",
            "line 1, column 42: `==` of a text and a number, or of texts",
        ),
        ("changed_behavior ensures 1 == 1", "line 1, column 31: `;` is missing"),
        ("changed_behavior ensures x == 1;", "line 1, column 26: `x` is not known here"),
        ("changed_behavior never(sometimes);", "line 1, column 33: `sometimes`: write any, signal or trap"),
    ] {
        assert_eq!(Contract::parse(text).expect_err("a mistake").to_string(), message, "{text}");
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    for text in ["!".repeat(20_000), "(".repeat(500), format!("1{}", "+1".repeat(20_000))] {
        let error = Contract::parse(&format!("changed_behavior ensures {text} 1;")).unwrap_err();
        assert!(error.message.contains("at most") || error.message.contains("nested"), "{error}");
    }
}

/// E-39: before, the old version after, the new version after.
#[test]
fn before_is_the_same_for_both() {
    let text = r#"changed_behavior ensures \value(x) == \prev(\value(x)) + 1 && \prev(\value(x)) == \old(\value(x)) + 1
        && \old(\input(x)) == \old(\value(x)) && \prev(\old(\value(x))) == 1; ensures \out(log) == "b" && \old(\out(log)) == "a";"#;
    let contract = Contract::parse(text).expect("a contract");
    let given = Given {
        values: [("x".to_owned(), 1)].into(),
        files: [("log".to_owned(), b"a".to_vec())].into(),
        ..Given::default()
    };
    let run = |x: i128| Run {
        end: End::Returned(0),
        out: [("log".to_owned(), b"b".to_vec())].into(),
        values: [("x".to_owned(), x)].into(),
    };
    assert_eq!(contract.judge(&given, &run(2), &run(3)), Verdict::Kept);
    let broken = Verdict::Broken("the case: `ensures` number 1 does not hold".into());
    assert_eq!(contract.judge(&given, &run(2), &run(4)), broken);
    assert_eq!(contract.judge(&given, &run(1), &run(2)), broken);
}

const LETTERS: &str = r#"
changed_behavior upper:
  requires (\forall int i; 0 <= i && i < \len(\arg(1)); \arg(1)[i] >= 'a' && \arg(1)[i] <= 'z');
  ensures (\forall int i; 0 <= i && i < \len(\arg(1)); \out(stdout)[i] == \arg(1)[i] - 32);
also
changed_behavior digit:
  requires (\exists int i; 0 <= i && \len(\arg(1)) > i; \arg(1)[i] == '7');
  ensures \out(stdout) == "7";
"#;

#[test]
fn quantifiers_speak_of_every_number_of_a_range() {
    let returned = |text| (End::Returned(0), text);
    check(LETTERS, "abz", "abz", returned("ABZ"), Verdict::Kept);
    let broken = Verdict::Broken("`upper`: `ensures` number 1 does not hold".into());
    check(LETTERS, "abz", "abz", returned("ABz"), broken.clone());
    // A byte that is not there means nothing.
    check(LETTERS, "abz", "abz", returned("AB"), broken);
    check(LETTERS, "a7", "a7", returned("7"), Verdict::Kept);
    check(LETTERS, "A", "A", returned("A"), Verdict::Same);
    // Nothing is in an empty range.
    check(
        "changed_behavior requires (\\forall int i; 1 <= i && i <= 0; false); ensures false || (\\exists int i; 0 < i && i < 3; i % 2 == 0);",
        "1",
        "",
        returned(""),
        Verdict::Kept,
    );
    // A range inside of another, which depends on the outer one; and one that is too long to ask about.
    let inner = "changed_behavior ensures (\\forall int i; 2 <= i && i < 6; (\\exists int j; i < j && j <= 2 * i; j % 2 == 0));";
    check(inner, "1", "", returned(""), Verdict::Kept);
    let long = "changed_behavior ensures (\\forall long i; 0 <= i && i < 9000000000; i >= 0);";
    check(long, "1", "", returned(""), Verdict::Broken("the case: `ensures` number 1 does not hold".into()));
}

#[test]
fn mistakes_about_ranges_and_what_was_before_are_named() {
    for (text, message) in [
        ("(\\forall int i; i < 3; true)", "the range says where `i` begins and ends"),
        ("(\\forall int i; i <= i && 0 <= i; true)", "the range says where `i` begins and ends"),
        ("(\\forall i; 0 <= i && i < 3; true)", "a type and a variable belong here"),
        ("(\\exists int i; 0 < i && i < 3; true) && i == 1", "`i` is not known here"),
        ("\\old(\\status) == 0", "\\old is about what was there before"),
        ("\\old(\\len(\\out(stdout))) == 0", "\\old is about what was there before"),
        ("1[0] == 1", "`[…]` takes a byte of a text by its number"),
    ] {
        let error = Contract::parse(&format!("changed_behavior ensures {text};")).expect_err("a mistake");
        assert!(error.message.starts_with(message), "{text}: {error}");
    }
}
