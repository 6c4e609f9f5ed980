//! Pairs of functions in Markdown: what is said of them, and that nothing wrong is said.
//!
//! A file is a class. A pair is a heading, `expect: equal` or `expect: differs`, perhaps `today: open` where the prover falls short, and two blocks of C, of
//! which the functions `f` are compared. Half of the pairs, those with `report` in their heading, were set aside before anything was tuned.
#![allow(clippy::unwrap_used)]

mod common;

use common::compile;
use hydrogen_relate::{Options, Verdict, compare_programs};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
    time::Instant,
};

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

#[test]
fn pairs_are_judged_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let only = std::env::var("HYDROGEN_PAIR").ok();
    let mut table: BTreeMap<(String, bool), Row> = BTreeMap::new();
    let mut complaints = String::new();
    for pair in files.iter().flat_map(|file| pairs(file)) {
        let title = format!("{}: {}", pair.class, pair.name);
        if only.as_ref().is_some_and(|only| !title.contains(only.as_str())) {
            continue;
        }
        assert_eq!(pair.code.len(), 2, "{title} needs two blocks of code");
        let (old, new) = (compile(&pair.code[0]), compile(&pair.code[1]));
        let started = Instant::now();
        let options = Options { assume_defined: pair.assume_defined, ..Options::default() };
        let wanted = BTreeSet::from(["f".to_owned()]);
        let mut comparison = compare_programs(&old, &new, Some(&wanted), &options, |_| {});
        let verdict = comparison.judged.remove(0).verdict;
        let time = started.elapsed().as_secs_f64();
        let row = table.entry((pair.class.clone(), pair.report)).or_default();
        row.pairs += 1;
        row.slowest = row.slowest.max(time);
        let words = match &verdict {
            Verdict::Equal(proof) => {
                format!("equal ({:?}, {} of {} asked)", proof.method, proof.asked, proof.obligations)
            }
            Verdict::Candidate(candidate) => {
                format!("may differ at {:?}: {}", candidate.arguments, candidate.what)
            }
            Verdict::Refuted => "refuted".to_owned(),
            Verdict::Open(why) => format!("open: {}", why.join("; ")),
        };
        eprintln!("{title}: {words}, {time:.2} s");
        // Without a machine to run it in, an input that calls something unknown shows nothing.
        let is_open = match &verdict {
            Verdict::Open(_) => true,
            Verdict::Candidate(candidate) => !candidate.sure,
            Verdict::Equal(_) | Verdict::Refuted => false,
        };
        row.decided += usize::from(!is_open);
        match verdict {
            Verdict::Equal(_) if !pair.equal => writeln!(complaints, "WRONG {title}: {words}").unwrap(),
            Verdict::Candidate(candidate) if pair.equal && candidate.sure => {
                writeln!(complaints, "wrong {title}: {words}").unwrap()
            }
            // How far the prover comes within its time depends on how busy the machine is.
            _ if is_open != pair.open => eprintln!("NOT AS NOTED {title}: {words}"),
            _ => {}
        }
    }
    eprintln!("{:<24} {:<7} {:>5} {:>8} {:>9}", "class", "half", "pairs", "decided", "slowest");
    for ((class, report), row) in &table {
        let half = if *report { "report" } else { "tune" };
        eprintln!("{class:<24} {half:<7} {:>5} {:>8} {:>8.2}s", row.pairs, row.decided, row.slowest);
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    let (all, decided) =
        table.values().fold((0, 0), |(all, decided), row| (all + row.pairs, decided + row.decided));
    assert!(only.is_some() || decided * 100 >= all * 65, "only {decided} of {all} pairs are decided");
}
