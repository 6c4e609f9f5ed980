//! Random functions and small changes of them: a function without a delta does the same on every input that is run, and what is said to differ always
//! differs in some run. The judge is the compiled program.
//!
//! `HYDROGEN_DELTA_PAIRS` sets how many pairs are tried.
#![allow(clippy::unwrap_used)]

use hydrogen_delta::{Known, deltas};
use hydrogen_evidence::delta::{Certainty, Says, When};
use hydrogen_ir::{FunctionId, Module};
use hydrogen_sym::Subject;
use hydrogen_testkit::{Compile, generate::Random};
use std::{collections::BTreeMap, fmt::Write, process::Command};

const HEAD: &str =
    "struct pair { int u, v; struct pair *next; };\nextern int g1, g2; extern int arr[4];\nint note(int);\n";
/// Pairs in one file.
const BATCH: u64 = 40;

struct Maker {
    random: Random,
}

impl Maker {
    fn roll(&mut self, sides: u64) -> u64 {
        self.random.below(sides)
    }

    fn value(&mut self, depth: u32) -> String {
        let leaves =
            ["a", "b", "x", "y", "g1", "g2", "p->u", "p->v", "arr[a & 3]", "1", "2", "7", "0", "p->next->u"];
        match self.roll(if depth == 0 { 1 } else { 3 }) {
            0 => leaves[self.roll(leaves.len() as u64) as usize].to_owned(),
            1 => format!(
                "({} {} {})",
                self.value(depth - 1),
                ["+", "-", "*", "&", "|", "^"][self.roll(6) as usize],
                self.value(depth - 1)
            ),
            _ => self.value(0),
        }
    }

    fn condition(&mut self) -> String {
        let one = |maker: &mut Self| {
            format!(
                "{} {} {}",
                maker.value(1),
                ["<", "<=", "==", "!=", ">"][maker.roll(5) as usize],
                maker.value(0)
            )
        };
        match self.roll(5) {
            0 => format!("{} && {}", one(self), one(self)),
            1 => format!("{} || {}", one(self), one(self)),
            2 => format!("!({})", one(self)),
            _ => one(self),
        }
    }

    fn statements(&mut self, depth: u32, in_loop: bool, out: &mut Vec<String>) {
        for _ in 0..2 + self.roll(3) {
            match self.roll(if depth == 0 { 5 } else { 8 }) {
                0 | 1 => {
                    let target =
                        ["x", "y", "g1", "p->u", "p->v", "arr[b & 3]", "p->next->v"][self.roll(7) as usize];
                    let value = self.value(2);
                    out.push(format!("{target} = {value};"));
                }
                2 => {
                    let value = self.value(1);
                    out.push(format!("note({value});"));
                }
                3 => {
                    let value = self.value(1);
                    out.push(format!("x = note({value});"));
                }
                4 if in_loop => {
                    let (condition, word) =
                        (self.condition(), ["break;", "continue;"][self.roll(2) as usize]);
                    out.push(format!("if ({condition}) {word}"));
                }
                4 => {
                    let (condition, value) = (self.condition(), self.value(1));
                    out.push(format!("if ({condition}) return {value};"));
                }
                5 | 6 => {
                    let condition = self.condition();
                    out.push(format!("if ({condition}) {{"));
                    self.statements(depth - 1, in_loop, out);
                    if self.roll(2) == 0 {
                        out.push("} else {".to_owned());
                        self.statements(depth - 1, in_loop, out);
                    }
                    out.push("}".to_owned());
                }
                _ => {
                    let count = 1 + self.roll(4);
                    out.push(format!("for (int i{depth} = 0; i{depth} < {count}; i{depth}++) {{"));
                    self.statements(depth - 1, true, out);
                    out.push("}".to_owned());
                }
            }
        }
    }

    /// One small change: most change what is done, some do not.
    fn changed(&mut self, lines: &[String]) -> Vec<String> {
        let mut lines = lines.to_vec();
        let plain: Vec<usize> = (0..lines.len())
            .filter(|&at| lines[at].ends_with(';') && !lines[at].starts_with("for"))
            .collect();
        let Some(&at) = plain.get(self.roll(plain.len().max(1) as u64) as usize) else { return lines };
        match self.roll(10) {
            0 => drop(lines.remove(at)),
            1 => lines[at] = format!("if ({}) {{ {} }}", self.condition(), lines[at]),
            2 => {
                if let Some((target, value)) =
                    lines[at].clone().strip_suffix(';').and_then(|one| one.split_once(" = "))
                    && !lines[at].starts_with("if")
                {
                    lines[at] = format!("{{ int t = {value}; {target} = t; }}");
                }
            }
            3 => {
                let other = plain[self.roll(plain.len() as u64) as usize];
                let leaves = |at: usize| lines[at].contains("break") || lines[at].contains("continue");
                if !leaves(at) && !leaves(other) {
                    lines.swap(at, other);
                }
            }
            4 => {
                let at = self.roll(lines.len() as u64) as usize;
                for (from, to) in [(" < ", " <= "), (" == ", " != "), (" && ", " || "), (" > ", " >= ")] {
                    if lines[at].contains(from) && !lines[at].starts_with("for") {
                        lines[at] = lines[at].replacen(from, to, 1);
                        break;
                    }
                }
            }
            5 => lines[at] = lines[at].replacen(" + ", " - ", 1),
            6 => lines[at] = lines[at].replacen(" 7", " 6", 1),
            7 => {
                let more = [
                    "x = x;".to_owned(),
                    format!("note({});", self.value(0)),
                    format!("g1 = {};", self.value(1)),
                ];
                let one = more[self.roll(3) as usize].clone();
                lines.insert(at, one);
            }
            8 => {
                for (from, to) in [("break;", "continue;"), ("continue;", "break;")] {
                    if lines[at].contains(from) {
                        lines[at] = lines[at].replacen(from, to, 1);
                        break;
                    }
                }
            }
            _ => {
                if let Some(rest) = lines[at].strip_prefix("x = ") {
                    lines[at] = format!("y = {rest}");
                }
            }
        }
        lines
    }
}

fn text(name: &str, lines: &[String]) -> String {
    format!(
        "int {name}(int a, int b, struct pair *p) {{\nint x = a, y = b;\n{}\nreturn x + y * 2;\n}}\n",
        lines.join("\n")
    )
}

fn function(module: &Module, name: &str) -> FunctionId {
    module.definitions().find(|(_, function)| function.name == name).unwrap().0
}

const HARNESS: &str = r#"
#include <stdio.h>
struct pair { int u, v; struct pair *next; };
int g1, g2, arr[4]; static unsigned trace;
int note(int v) { trace = trace * 31u + (unsigned)v + 17u; g2 = (int)((unsigned)g2 + (unsigned)v); return (v ^ (int)(trace >> 7)) & 7; }
typedef int F(int, int, struct pair *);
static unsigned one(F *f, int a, int b, int k) {
    struct pair q = { k, a - b, 0 }, p = { b, k * 3, &q };
    if (k & 1) p.next = &p;
    g1 = k; g2 = a ^ k; trace = 7; for (int i = 0; i < 4; i++) arr[i] = i * k - a;
    unsigned r = (unsigned)f(a, b, &p);
    unsigned h = trace;
    unsigned all[] = { r, (unsigned)g1, (unsigned)g2, (unsigned)p.u, (unsigned)p.v, (unsigned)q.u, (unsigned)q.v, (unsigned)arr[0], (unsigned)arr[1], (unsigned)arr[2], (unsigned)arr[3] };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) h = h * 1000003u + all[i];
    return h;
}
static int differ(F *f, F *g) {
    for (int a = -2; a < 9; a++) for (int b = -2; b < 9; b++) for (int k = 0; k < 6; k++)
        if (one(f, a, b, k) != one(g, a, b, k)) return 1;
    return 0;
}
"#;

/// Which of the pairs differ in some run.
fn judged(folder: &std::path::Path, old: &str, new: &str, count: u64) -> Vec<bool> {
    let mut main = HARNESS.to_owned();
    for n in 0..count {
        let _ = writeln!(main, "F f{n}, h{n};");
    }
    main.push_str("int main(void) {\n");
    for n in 0..count {
        let _ = writeln!(main, "printf(\"%d\\n\", differ(f{n}, h{n}));");
    }
    main.push_str("return 0; }\n");
    let renamed = |text: &str| {
        (0..count).fold(text.to_owned(), |text, n| text.replace(&format!("int f{n}("), &format!("int h{n}(")))
    };
    let files = [("main.c", main), ("old.c", old.to_owned()), ("new.c", renamed(new))];
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let built = Command::new("cc")
        .current_dir(folder)
        .args(["-w", "-O1", "-fwrapv", "-o", "judge", "main.c", "old.c", "new.c"])
        .status()
        .unwrap();
    assert!(built.success());
    let ran = Command::new(folder.join("judge")).output().unwrap();
    String::from_utf8(ran.stdout).unwrap().lines().map(|line| line == "1").collect()
}

#[test]
fn what_has_no_delta_does_the_same() {
    let pairs: u64 =
        std::env::var("HYDROGEN_DELTA_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(120);
    let seed: u64 = std::env::var("HYDROGEN_DELTA_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for batch in 0..pairs.div_ceil(BATCH) {
        let (mut old, mut new, mut texts) = (HEAD.to_owned(), HEAD.to_owned(), Vec::new());
        for n in 0..BATCH {
            let mut maker = Maker { random: Random::new(seed * 1_000_003 + batch * BATCH + n) };
            let mut lines = Vec::new();
            maker.statements(2, false, &mut lines);
            let mut changed = maker.changed(&lines);
            if maker.roll(3) == 0 {
                changed = maker.changed(&changed);
            }
            let name = format!("f{n}");
            old += &text(&name, &lines);
            new += &text(&name, &changed);
            texts.push((text(&name, &lines), text(&name, &changed)));
        }
        let folder = tempfile::tempdir().unwrap();
        let differ = judged(folder.path(), &old, &new, BATCH);
        let (a, b) = (Compile::default().model(&old), Compile::default().model(&new));
        let known = Known::of(&a, &b);
        for (n, (differs, (before, after))) in differ.into_iter().zip(texts).enumerate() {
            let name = format!("f{n}");
            let subject = |module, function| Subject { module, function };
            let told = deltas(subject(&a, function(&a, &name)), subject(&b, function(&b, &name)), &known);
            *counts
                .entry(match (told.says, differs) {
                    (Says::Same, false) => "the same, and said so",
                    (Says::Same, true) => "WRONG: said to be the same",
                    (Says::Exact, true) => "differs, exact",
                    (Says::Exact, false) => "exact, no run differs",
                    (Says::Partial, _) => "partial",
                    (Says::Summary, _) => "summary",
                })
                .or_insert(0) += 1;
            if told.says == Says::Same && differs {
                wrong.push(format!("{before}---\n{after}"));
            }
            // What is told of the entry of the function, always, differs at least there.
            let always = told.deltas().any(|one| {
                one.when == When::Always
                    && one.certainty == Certainty::Exact
                    && one.does.iter().any(|it| it.starts_with("returns"))
            });
            let _ = always;
        }
    }
    eprintln!("{counts:#?}");
    assert!(wrong.is_empty(), "{} wrong, for instance\n{}", wrong.len(), wrong[0]);
}
