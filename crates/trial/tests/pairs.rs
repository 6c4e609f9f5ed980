//! Pairs of functions in Markdown: what is said of them, and that nothing wrong is said.
//!
//! A file is a class. A pair is a heading, `expect: equal` or `expect: differs`, perhaps `today: open` where the tool falls short, and two blocks of C, of
//! which the functions `f` are compared: proved first, then tried in the machine. Half of the pairs, those with `report` in their heading, were
//! set aside before anything was tuned. `HYDROGEN_PAIR` picks those whose title contains a text, for one table.
#![allow(clippy::unwrap_used)]

use hydrogen_relate::{Options, Verdict, compare_programs};
use hydrogen_testkit::{Compile, archive};
use hydrogen_trial::{
    Difference, Effort, Hidden, Proposer, Side, call_text, does_something, only_in_one, search,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
    time::{Duration, Instant},
};

#[derive(Default)]
struct Pair {
    class: String,
    name: String,
    report: bool,
    equal: bool,
    open: bool,
    assume_defined: bool,
    code: Vec<String>,
}

fn pairs(path: &Path) -> Vec<Pair> {
    let class = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = std::fs::read_to_string(path).unwrap();
    let mut found: Vec<Pair> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("## ") {
            found.push(Pair {
                class: class.clone(),
                name: name.to_owned(),
                report: name.ends_with("(report)"),
                equal: true,
                open: false,
                assume_defined: false,
                code: Vec::new(),
            });
        }
        let Some(pair) = found.last_mut() else { continue };
        match line {
            "expect: equal" => pair.equal = true,
            "expect: differs" => pair.equal = false,
            "today: open" => pair.open = true,
            "assume: defined" => pair.assume_defined = true,
            "```c" => {
                let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
                pair.code.push(code.join("\n"));
            }
            _ => {}
        }
    }
    found
}

#[derive(Default)]
struct Row {
    pairs: usize,
    decided: usize,
    slowest: f64,
}

enum Said {
    Equal,
    Differs,
    Open,
}

/// What is said of a pair, and in words why.
fn judge(pair: &Pair, time: Duration) -> (Said, String) {
    let models = [&pair.code[0], &pair.code[1]].map(|code| Compile::default().model(code));
    let programs = models.clone().map(|model| hydrogen_machine::Program::load(vec![model], archive()));
    let [old, new] = &programs;
    let sides = [old, new].map(|program| Side {
        program,
        unit: None,
        ignored: only_in_one(old, new),
        hidden: Hidden::default(),
    });
    let options = Options { assume_defined: pair.assume_defined, time, ..Options::default() };
    let wanted = BTreeSet::from(["f".to_owned()]);
    let mut found: Option<Difference> = None;
    let mut searched = None;
    let mut why = String::new();
    let mut comparison = compare_programs(
        &models[0],
        &models[1],
        Some(&wanted),
        &options,
        |_| {},
        |one, other, given| {
            let has_body = |name: &str| does_something(old, name) || does_something(new, name);
            let proposer = Proposer::new((&models[0], one), (&models[1], other), has_body);
            let deadline = Some(Instant::now() + Duration::from_secs(3));
            let effort = Effort { assume_defined: pair.assume_defined, deadline, ..Effort::default() };
            match search(&sides[0], &sides[1], given, &proposer, &effort) {
                Ok(difference) => {
                    // A difference of a callee is none of the function.
                    let before = found.take().filter(|_| searched == Some(one));
                    found = difference.or(before);
                    searched = Some(one);
                }
                Err(reason) => why = format!(" ({reason})"),
            }
            found.is_some() && searched == Some(one)
        },
    );
    match comparison.judged.remove(0).verdict {
        Verdict::Equal(proof) => {
            let words = format!("equal ({:?}, {} of {} asked)", proof.method, proof.asked, proof.obligations);
            (Said::Equal, words)
        }
        Verdict::Refuted => {
            let found = found.unwrap();
            let (module, function) = sides[0].function("f").unwrap();
            let words = format!(
                "differs at {}: {} and {}",
                call_text(module, function, &found.call),
                found.old.words(&found.new),
                found.new.words(&found.old)
            );
            (Said::Differs, words)
        }
        Verdict::Candidate(candidate) => (Said::Open, format!("open: {} may differ{why}", candidate.what)),
        Verdict::Open(reasons) => (Said::Open, format!("open: {}{why}", reasons.join("; "))),
    }
}

/// Nobody looks for differences here, so that every way to a proof is tried on pairs that have one. The attacks by default, all pairs with
/// `HYDROGEN_ALL_PAIRS`.
#[test]
fn nothing_that_differs_is_proved() {
    let all = std::env::var_os("HYDROGEN_ALL_PAIRS").is_some();
    let mut wrong = String::new();
    for pair in files().iter().flat_map(|file| pairs(file)) {
        if pair.equal || pair.assume_defined || !(all || pair.class.starts_with("attacks")) {
            continue;
        }
        let [old, new] = [&pair.code[0], &pair.code[1]].map(|code| Compile::default().model(code));
        let options = Options { time: Duration::from_secs(3), ..Options::default() };
        let wanted = BTreeSet::from(["f".to_owned()]);
        let found = compare_programs(&old, &new, Some(&wanted), &options, |_| {}, |_, _, _| false);
        if matches!(found.judged[0].verdict, Verdict::Equal(_)) {
            writeln!(wrong, "{}: {}", pair.class, pair.name).unwrap();
        }
    }
    assert!(wrong.is_empty(), "proved, and yet they differ:\n{wrong}");
}

fn files() -> Vec<std::path::PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Time for a pair that is noted to be open: enough to see that nothing wrong is said.
const NOTED_OPEN: Duration = Duration::from_secs(3);

/// Judges the pairs whose title contains a text; complains of wrong answers, and where fewer are decided than this share.
fn judge_all(only: &str, at_least: usize) {
    if archive().is_none() {
        return;
    }
    let is_asked = std::env::var_os("HYDROGEN_PAIR").is_some();
    let mut table: BTreeMap<(String, bool), Row> = BTreeMap::new();
    let mut complaints = String::new();
    for pair in files().iter().flat_map(|file| pairs(file)) {
        let title = format!("{}: {}", pair.class, pair.name);
        if !title.contains(only) {
            continue;
        }
        assert_eq!(pair.code.len(), 2, "{title} needs two blocks of code");
        let started = Instant::now();
        let time = if pair.open && !is_asked { NOTED_OPEN } else { Options::default().time };
        let (said, words) = judge(&pair, time);
        let time = started.elapsed().as_secs_f64();
        let row = table.entry((pair.class.clone(), pair.report)).or_default();
        row.pairs += 1;
        row.slowest = row.slowest.max(time);
        row.decided += usize::from(!matches!(said, Said::Open));
        eprintln!("{title}: {words}, {time:.2} s");
        match said {
            Said::Equal if !pair.equal => writeln!(complaints, "WRONG {title}: {words}").unwrap(),
            Said::Differs if pair.equal => writeln!(complaints, "WRONG {title}: {words}").unwrap(),
            // How far the prover comes within its time depends on how busy the machine is.
            Said::Open if !pair.open => eprintln!("NOT AS NOTED {title}: {words}"),
            Said::Equal | Said::Differs if pair.open => eprintln!("NOT AS NOTED {title}: {words}"),
            _ => {}
        }
    }
    eprintln!("{:<24} {:<7} {:>5} {:>8} {:>9}", "class", "half", "pairs", "decided", "slowest");
    for ((class, report), row) in &table {
        let half = if *report { "report" } else { "tune" };
        eprintln!("{class:<24} {half:<7} {:>5} {:>8} {:>8.2}s", row.pairs, row.decided, row.slowest);
    }
    for report in [false, true] {
        let rows = table.iter().filter(|((_, half), _)| *half == report);
        let (all, decided) =
            rows.fold((0, 0), |(all, decided), (_, row)| (all + row.pairs, decided + row.decided));
        eprintln!("{:<24} {:<7} {all:>5} {decided:>8}", "all", if report { "report" } else { "tune" });
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    let (all, decided) =
        table.values().fold((0, 0), |(all, decided), row| (all + row.pairs, decided + row.decided));
    assert!(decided * 100 >= all * at_least, "only {decided} of {all} pairs are decided");
}

/// One test for each class, so that they run side by side.
macro_rules! classes {
    ($($test:ident $class:literal)*) => {
        $(#[test]
        fn $test() {
            judge_all(concat!($class, ":"), 50);
        })*

        #[test]
        fn every_class_has_its_test() {
            let listed = BTreeSet::from([$($class.to_owned()),*]);
            let stem = |path: &std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
            assert_eq!(files().iter().map(stem).collect::<BTreeSet<String>>(), listed);
        }
    };
}

classes! {
    arrays_and_strings "arrays-and-strings"
    attacks "attacks"
    attacks_on_loops "attacks-on-loops"
    attacks_on_rules "attacks-on-rules"
    bit_tricks "bit-tricks"
    calls "calls"
    collected_arrays "collected-arrays"
    collected_loops "collected-loops"
    collected_numbers "collected-numbers"
    collected_recursion "collected-recursion"
    doubles "doubles"
    integer_loops "integer-loops"
    numeric_different "numeric-different"
    numeric_equal "numeric-equal"
    numeric_programs "numeric-programs"
    overflow "overflow"
    published "published"
    published_longer "published-longer"
    published_numbers "published-numbers"
    recursion "recursion"
    state_machines "state-machines"
    structures "structures"
    tables "tables"
    worked_examples "worked-examples"
}

/// Those that `HYDROGEN_PAIR` picks, in one table: an empty text picks all.
#[test]
fn pairs_are_judged_right() {
    if let Ok(only) = std::env::var("HYDROGEN_PAIR") {
        judge_all(&only, 0);
    }
}

#[test]
fn what_the_old_version_defines_is_shown_first() {
    if archive().is_none() {
        return;
    }
    let code = [
        "int f(const char *s) { return s[0]; }",
        "int f(const char *s) { if (!s) return 0; return s[0] == 'z' ? 1 : s[0]; }",
    ];
    let pair = Pair { code: code.map(str::to_owned).to_vec(), ..Pair::default() };
    let (said, words) = judge(&pair, Options::default().time);
    assert!(matches!(said, Said::Differs), "{words}");
    assert!(words.contains("\"z"), "{words}");
    // Where only a null pointer tells them apart, that is shown.
    let code = ["int f(const char *s) { return s[0]; }", "int f(const char *s) { return s ? s[0] : 0; }"];
    let (said, words) =
        judge(&Pair { code: code.map(str::to_owned).to_vec(), ..Pair::default() }, Options::default().time);
    assert!(matches!(said, Said::Differs) && words.contains("NULL"), "{words}");
}

#[test]
fn a_variable_that_one_version_alone_has_is_no_difference() {
    if archive().is_none() {
        return;
    }
    let code = [
        "int f(int n) { return n * 3 / 3 - n; }",
        "int seen; int f(int n) { seen = n; return n * 3 / 3 - n; }",
    ];
    let (said, words) =
        judge(&Pair { code: code.map(str::to_owned).to_vec(), ..Pair::default() }, Options::default().time);
    assert!(!matches!(said, Said::Differs), "{words}");
}

#[test]
fn large_memory_is_compared_without_a_text_of_it() {
    if archive().is_none() {
        return;
    }
    let body = |last: &str| {
        format!(
            "#include <stdlib.h>\nchar *f(void) {{ char *p = calloc(1, 30000000); if (p) p[29999999] = {last}; return p; }}"
        )
    };
    let code = [body("1"), body("2")].to_vec();
    let (said, words) = judge(&Pair { code, ..Pair::default() }, Options::default().time);
    assert!(matches!(said, Said::Differs), "{words}");
}
