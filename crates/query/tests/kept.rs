//! Rulings kept between runs (F55): the same answers with and without them, nothing visited for what is kept, and nothing kept beyond its
//! validity (§3.7).
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
mod generated;

use common::{Code, blocks, compile, graph_of};
use generated::edits::edit;
use generated::{Chance, Generator, PRELUDE};
use hydrogen_evidence::{Class, Counters, Entry, Finding, Ruling, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Check, Program, Question, Shelf, Strategy};
use std::cell::RefCell;
use std::collections::BTreeMap;

#[derive(Default)]
struct Memory(RefCell<BTreeMap<[u8; 32], Vec<u8>>>);

impl Shelf for &Memory {
    fn load(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        self.0.borrow().get(key).cloned()
    }

    fn store(&self, key: &[u8; 32], value: &[u8]) {
        self.0.borrow_mut().insert(*key, value.to_vec());
    }
}

/// Asks about statements of a text, or about all, in all versions.
fn ask(
    code: &Code,
    shelf: Option<&Memory>,
    budget: Budget,
    wanted: Option<(Class, &str)>,
) -> (Vec<Finding>, Counters) {
    let graph = graph_of(code);
    let program = Program { graph: &graph, code };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), budget);
    if let Some(shelf) = shelf {
        analyst.keep_on(shelf);
    }
    let versions = VersionSet::all(code.len());
    let mut found = Vec::new();
    let asked = |node: &NodeId| match wanted {
        None => true,
        Some((_, text)) => graph.text(*node) == text.split(" #").next().unwrap(),
    };
    for node in graph.nodes().filter(asked) {
        let at = graph.node_versions(node).first().unwrap();
        let kind = wanted.map(|(kind, _)| kind);
        found.extend(analyst.judge(&Question { node, at, kind, versions: &versions, inside: false }));
    }
    (found, analyst.counters())
}

fn words(findings: &[Finding]) -> Vec<&'static str> {
    let rulings = findings.iter().flat_map(|finding| &finding.verdicts);
    rulings.map(|ruling| ruling.verdict.word()).collect()
}

/// Rulings without their examples: which values the solver has at hand depends on earlier questions, and events are numbered.
fn said(findings: &[Finding]) -> Vec<(Class, Ruling)> {
    let one = |finding: &Finding| -> Vec<(Class, Ruling)> {
        let mut rulings = finding.verdicts.clone();
        for ruling in &mut rulings {
            ruling.evidence.constraint.clear();
            ruling.evidence.model.clear();
        }
        rulings.into_iter().map(|ruling| (finding.kind, ruling)).collect()
    };
    findings.iter().flat_map(one).collect()
}

fn fixture(fixture: &str) {
    let (versions, expected) = blocks(fixture);
    for (kind, text, _) in expected {
        let ask = |code: &Code, shelf| ask(code, shelf, Budget::default(), Some((kind, &text)));
        let (scratch, work) = ask(&versions, None);
        let shelf = Memory::default();
        let (first, same_work) = ask(&versions, Some(&shelf));
        assert_eq!(first, scratch, "{text}: nothing is on the shelf");
        assert_eq!(same_work.nodes, work.nodes, "{text}");
        let (again, none) = ask(&versions, Some(&shelf));
        assert_eq!(again, scratch, "{text}: all is on the shelf");
        assert_eq!((none.nodes, none.questions), (0, 0), "{text}: everything was known");
        assert!(none.kept > 0 || work.nodes == 0, "{text} is not kept");

        let shelf = Memory::default();
        ask(&versions[..versions.len() - 1].to_vec(), Some(&shelf));
        let (found, _) = ask(&versions, Some(&shelf));
        assert_eq!(said(&found), said(&scratch), "{text}: all but the last version are on the shelf");
    }
}

#[test]
fn fixtures_have_the_same_rulings() {
    fixture(include_str!("fixtures/e01-overflow.md"));
    fixture(include_str!("fixtures/e09-chunks.md"));
    fixture(include_str!("fixtures/errata.md"));
    fixture(include_str!("fixtures/paths.md"));
    fixture(include_str!("fixtures/leaks.md"));
    fixture(include_str!("fixtures/elements.md"));
    fixture(include_str!("fixtures/kinds.md"));
    fixture(include_str!("fixtures/honest.md"));
    fixture(include_str!("fixtures/found.md"));
    fixture(include_str!("fixtures/e02-multiplication.md"));
}

/// The verdicts of the only statement of a text in the last version, when all versions before are on the shelf, one by one.
fn after(sources: &[&str], kind: Class, text: &str, expect: &str) {
    let code: Code = sources.iter().map(|source| vec![compile(source)]).collect();
    let shelf = Memory::default();
    for version in &code[..code.len() - 1] {
        ask(&vec![version.clone()], Some(&shelf), Budget::default(), Some((kind, text)));
    }
    let last = code.last().unwrap().clone();
    let (found, counters) = ask(&vec![last.clone()], Some(&shelf), Budget::default(), Some((kind, text)));
    let (scratch, _) = ask(&vec![last], None, Budget::default(), Some((kind, text)));
    assert_eq!(said(&found), said(&scratch));
    let word = found[0].verdicts[0].verdict.word();
    let how = if counters.kept > 0 { "kept" } else { "new" };
    assert_eq!(format!("{word}, {how}"), expect);
}

/// E15 and the other conditions of validity (§3.7 a–c).
#[test]
fn what_a_ruling_rests_on_must_be_there() {
    let caller = "int f(void) { int a[4] = {0}; int i = 0; set(&i); return a[i]; }\n";
    let callee = |n: u32| format!("static void set(int *p) {{ *p = {n}; }}\n{caller}");
    let check = |first: &str, second: &str, expect: &str| {
        after(&[first, second], Class::Overflow, "return a[i]", expect);
    };
    // A callee that was entered.
    check(&callee(3), &callee(4), "present, new");
    check(&callee(3), &callee(3), "absent, kept");
    after(&[&callee(3), &callee(4), &callee(3)], Class::Overflow, "return a[i]", "absent, kept");
    // Lines that moved, and other functions.
    check(
        &callee(3),
        &format!("/* new */\n\nint g;\n{}int h(int a) {{ return a; }}\n", callee(3)),
        "absent, kept",
    );
    // A callee that was skipped, because it did not matter.
    let skipped = |body: &str| {
        format!(
            "int g;\nstatic int *at;\nstatic void inner(void) {{ {body} }}\nstatic void outer(void) {{ inner(); }}\n\
                 int f(void) {{ int a[4] = {{0}}; int i = 1; at = &i; outer(); return a[i]; }}\n"
        )
    };
    check(&skipped("g = 5;"), &skipped("*at = 5;"), "present, new");
    // A callee that had no body, or one elsewhere.
    let declared = format!("void set(int *p);\n{caller}");
    check(&declared, &callee(3), "absent, new");
    // A caller.
    let called = |n: u32| {
        format!(
            "static int f(int i) {{ int a[4] = {{0}}; return a[i]; }}\nint main(void) {{ return f({n}); }}\n"
        )
    };
    check(&called(3), &called(4), "present, new");
    let more = format!("{}int g(void) {{ return f(7); }}\n", called(3).replace("main", "first"));
    check(&called(3), &more, "present, new");
    // A type, a constant, the value of a constant table.
    let sized = |n: u32| {
        format!(
            "typedef struct {{ int a[{n}]; }} t;\nint f(void) {{ t x = {{0}}; int i = 5; return x.a[i]; }}\n"
        )
    };
    after(&[&sized(8), &sized(4)], Class::Overflow, "return x.a[i]", "present, new");
    let table = |n: u32| {
        format!(
            "static const int at[2] = {{1, {n}}};\nint f(void) {{ int a[4] = {{0}}; int i = at[1]; return a[i]; }}\n"
        )
    };
    check(&table(2), &table(8), "present, new");
    // E12: the size of a global, with the same text.
    let global = |n: u32| {
        format!(
            "#include <string.h>\nchar g[{n}];\nvoid f(const char *s) {{ if (strlen(s) < 12) strcpy(g, s); }}\n"
        )
    };
    after(&[&global(16), &global(8)], Class::Overflow, "strcpy(g, s)", "present, new");
}

#[test]
fn what_was_cut_short_is_not_kept() {
    let code = vec![vec![compile(
        "int f(int n) { int a[4] = {0}; int i = n; if (n < 0 || n > 3) return 0; for (int k = 0; k < 2; k++) a[k] = k; return a[i]; }\n",
    )]];
    let kind = Some((Class::Overflow, "return a[i]"));
    let shelf = Memory::default();
    let none = Budget { question: 0, ..Budget::default() };
    let (cut, counters) = ask(&code, Some(&shelf), none, kind);
    assert_eq!((words(&cut), counters.kept), (vec!["unknown"], 0));
    let few = Budget { steps: 1, ..Budget::default() };
    assert_eq!(words(&ask(&code, Some(&shelf), few, kind).0), ["unknown"]);
    assert_eq!(ask(&code, Some(&shelf), few, kind).1.kept, 0);
    let (found, counters) = ask(&code, Some(&shelf), Budget::default(), kind);
    assert_eq!((words(&found), counters.kept), (vec!["absent"], 0));
    assert_eq!(ask(&code, Some(&shelf), Budget::default(), kind).1.kept, 1);
}

#[test]
fn damaged_entries_are_computed_again() {
    let code = vec![vec![compile("int f(int n) { int a[4] = {0}; return a[n]; }\n")]];
    let kind = Some((Class::Overflow, "return a[n]"));
    let shelf = Memory::default();
    let (first, _) = ask(&code, Some(&shelf), Budget::default(), kind);
    let whole = shelf.0.borrow().clone();
    assert_eq!(whole.len(), 1);
    for (key, bytes) in &whole {
        for length in 0..bytes.len() {
            shelf.0.borrow_mut().insert(*key, bytes[..length].to_vec());
            let (again, counters) = ask(&code, Some(&shelf), Budget::default(), kind);
            assert_eq!((again == first, counters.kept), (true, 0), "{length} bytes of {}", bytes.len());
        }
    }
    // The damaged entry was replaced by a whole one.
    assert_eq!(*shelf.0.borrow(), whole);
}

/// The same findings by all strategies, with an empty shelf, a full one, and that of an earlier change (AINV-4).
#[test]
fn changes_are_checked_the_same_way() {
    let (code, _) = blocks(include_str!("fixtures/e01-overflow.md"));
    let run = |old: usize, new: usize, strategy, shelf: Option<&Memory>| {
        let graph = graph_of(&code);
        let program = Program { graph: &graph, code: &code };
        let mut analyst =
            Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
        if let Some(shelf) = shelf {
            analyst.keep_on(shelf);
        }
        let (old, new) = (VersionId::at(old), VersionId::at(new));
        let check = Check { old, new, kinds: &Class::FAULTS, strategy, strict: true };
        let found = analyst.check(&check, &mut |_, _| {});
        (said(&found), analyst.counters())
    };
    for strategy in [Strategy::Demand, Strategy::Cached] {
        let shelf = Memory::default();
        run(1, 2, strategy, Some(&shelf));
        let (scratch, all) = run(2, 3, strategy, None);
        let (found, some) = run(2, 3, strategy, Some(&shelf));
        assert_eq!(found, scratch);
        let (again, none) = run(2, 3, strategy, Some(&shelf));
        assert_eq!(again, scratch);
        assert!(some.questions < all.questions, "{some:?} {all:?}");
        assert_eq!(none.questions, 0, "{none:?}");
    }
}

/// E15: a change of the callee alone breaks the caller, which is found however much is known of the caller.
#[test]
fn a_changed_callee_opens_its_caller() {
    let text = |n: u32| {
        format!(
            "static void set(int *p) {{ *p = {n}; }}\nint f(void) {{ int a[4] = {{0}}; int i = 0; set(&i); return a[i]; }}\n"
        )
    };
    let code: Code = vec![vec![compile(&text(3))], vec![compile(&text(4))]];
    let graph = graph_of(&code);
    let program = Program { graph: &graph, code: &code };
    for strategy in [Strategy::Demand, Strategy::Cached] {
        let shelf = Memory::default();
        ask(&vec![code[0].clone()], Some(&shelf), Budget::default(), None);
        let mut analyst =
            Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
        analyst.keep_on(&shelf);
        let (old, new) = (VersionId::at(0), VersionId::at(1));
        let check = Check { old, new, kinds: &Class::FAULTS, strategy, strict: true };
        let found = analyst.check(&check, &mut |_, _| {});
        let new = found.iter().filter(|finding| finding.status == Some(hydrogen_evidence::Status::New));
        let told: Vec<&str> = new.map(|finding| finding.location.text.as_str()).collect();
        assert_eq!(told, ["return a[i]"], "{strategy:?}");
        assert!(analyst.counters().kept > 0, "what is said of the older version is known");
    }
}

/// Random histories: with the rulings of the versions before, the newest version gets the rulings that it gets from nothing.
#[test]
fn histories_have_the_same_rulings() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number("HYDROGEN_SEED", 1), number("HYDROGEN_COUNT", 2));
    let budget =
        Budget { steps: 300, terms: 800, rounds: 1, more_rounds: 1, question: u64::MAX, ..Budget::default() };
    let (mut compared, mut kept, mut undecided) = (0, 0, 0);
    for seed in first..first + count {
        let mut generator = Generator::new(seed);
        generator.heap = seed.is_multiple_of(2);
        let mut all = vec![generator.program(0)];
        let mut chance = Chance::new(seed ^ 0x77);
        for _ in 0..2 {
            let mut next = all.last().unwrap().clone();
            // Any function, so that only a callee may change.
            let at = chance.below(next.functions.len());
            edit(&mut chance, &mut next.functions[at], "x > 1", "y = 3;", "");
            all.push(next);
        }
        let texts = all.iter().map(|one| format!("{PRELUDE}{}", one.text()));
        let code: Code = texts.clone().map(|text| vec![compile(&text)]).collect();
        let shelf = Memory::default();
        ask(&code[..2].to_vec(), Some(&shelf), budget, None);
        let (found, counters) = ask(&code, Some(&shelf), budget, None);
        let (scratch, _) = ask(&code, None, budget, None);
        kept += counters.kept;
        for ((_, left), (kind, right)) in said(&found).into_iter().zip(said(&scratch)) {
            compared += 1;
            let open = |ruling: &Ruling| matches!(ruling.verdict, Verdict::Unknown | Verdict::Present);
            if (left.verdict, &left.ledger) == (right.verdict, &right.ledger) {
                continue;
            }
            // Versions of one question share its limit of steps: fewer of them may be decided where more are not.
            let cut = |ruling: &Ruling| ruling.ledger.iter().any(Entry::is_cut);
            if cut(&left) || cut(&right) {
                continue;
            }
            // Which model the solver has at hand can decide between present and unknown, and that depends on earlier questions.
            assert!(open(&left) && open(&right), "seed {seed}: {kind:?} {left:?} {right:?}");
            undecided += 1;
        }
        let (again, _) = ask(&code, Some(&shelf), budget, None);
        assert_eq!(said(&again), said(&found), "seed {seed}");
    }
    println!("{count} histories, {compared} rulings, {kept} kept, {undecided} are present or unknown");
    assert!(kept * 2 > compared, "few rulings are kept");
    assert!(undecided * 50 <= compared, "too many rulings depend on what is kept");
}
