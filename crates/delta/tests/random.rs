//! Random functions and small changes of them: a function without a delta does the same on every input that is run, and where two runs differ, the condition
//! of a delta held in front of its region. The judge is the compiled program: conditions are compiled where they are told (they are C), and looked at
//! while the old version runs.
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

struct Pair {
    old: String,
    new: String,
    /// The statements of the old one.
    lines: Vec<String>,
}

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
int g1, g2, arr[4], fired; static unsigned trace;
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
/* Whether they differ, and whether they do so somewhere where no condition held. */
static int differ(F *f, F *g, F *probed) {
    int found = 0;
    for (int a = -2; a < 9; a++) for (int b = -2; b < 9; b++) for (int k = 0; k < 6; k++) {
        unsigned was = one(f, a, b, k);
        if (was == one(g, a, b, k)) continue;
        fired = 0;
        if (one(probed, a, b, k) != was) return 3;
        found |= fired ? 1 : 2;
    }
    return found;
}
"#;

/// The old version with a look at every condition in front of its region; none where something is told without one that can be looked at.
fn probed(name: &str, lines: &[String], first: u32, told: &hydrogen_evidence::delta::Function) -> String {
    let mut probes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for region in &told.regions {
        let at = region.old_lines.and_then(|(line, _)| line.checked_sub(first + 2)).unwrap_or(0) as usize;
        for delta in &region.deltas {
            let condition = match &delta.when {
                // What a call answers cannot be asked beforehand.
                When::Holds(text)
                    if !text.contains("note(") && !text.contains("overflows") && !text.contains('`') =>
                {
                    text.clone()
                }
                _ => "1".to_owned(),
            };
            let at = if condition == "1" { 0 } else { at };
            probes.entry(at).or_default().push(condition);
        }
    }
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let look: String = probes
            .get(&at)
            .into_iter()
            .flatten()
            .fold(String::new(), |text, one| text + &format!("if ({one}) fired = 1; "));
        // In front of an `else` nothing can stand; then the condition is looked at where the block begins and where it ends.
        match line.starts_with('}') && line.ends_with('{') && !look.is_empty() {
            true => out.push(format!("{look} {line} {look}")),
            false => out.push(format!("{look}{line}")),
        }
    }
    let rest: String = probes
        .range(lines.len()..)
        .flat_map(|(_, all)| all)
        .fold(String::new(), |text, one| text + &format!("if ({one}) fired = 1; "));
    out.push(rest);
    text(name, &out).replacen(&format!("int {name}("), &format!("int p{name}("), 1)
}

/// Of each pair, whether it differs in some run, and whether it does where no condition held.
fn judged(folder: &std::path::Path, old: &str, new: &str, probed: &str, count: u64) -> Vec<(bool, bool)> {
    let mut main = HARNESS.to_owned();
    for n in 0..count {
        let _ = writeln!(main, "F f{n}, h{n}, pf{n};");
    }
    main.push_str("int main(void) {\n");
    for n in 0..count {
        let _ = writeln!(main, "printf(\"%d\\n\", differ(f{n}, h{n}, pf{n}));");
    }
    main.push_str("return 0; }\n");
    let renamed = |text: &str| {
        (0..count).fold(text.to_owned(), |text, n| text.replace(&format!("int f{n}("), &format!("int h{n}(")))
    };
    let probed = format!("{HEAD}extern int fired;\n{probed}");
    let files = [("main.c", main), ("old.c", old.to_owned()), ("new.c", renamed(new)), ("probed.c", probed)];
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let built = Command::new("cc")
        .current_dir(folder)
        .args(["-w", "-O1", "-fwrapv", "-o", "judge", "main.c", "old.c", "new.c", "probed.c"])
        .status()
        .unwrap();
    assert!(built.success());
    let ran = Command::new(folder.join("judge")).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    text.lines().map(|line| (line != "0", line.parse::<u32>().unwrap() & 2 == 2)).collect()
}

#[test]
fn what_has_no_delta_does_the_same() {
    let pairs: u64 =
        std::env::var("HYDROGEN_DELTA_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
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
            texts.push(Pair { old: text(&name, &lines), new: text(&name, &changed), lines });
        }
        let (a, b) = (Compile::default().model(&old), Compile::default().model(&new));
        let known = Known::of(&a, &b);
        let told: Vec<_> = (0..BATCH)
            .map(|n| {
                let name = format!("f{n}");
                let subject = |module, function| Subject { module, function };
                deltas(subject(&a, function(&a, &name)), subject(&b, function(&b, &name)), &known)
            })
            .collect();
        let looks: String = texts
            .iter()
            .zip(&told)
            .enumerate()
            .map(|(n, (one, told))| {
                let first = function(&a, &format!("f{n}"));
                let first = a.function(first).line().unwrap();
                probed(&format!("f{n}"), &one.lines, first, told)
            })
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let judged = judged(folder.path(), &old, &new, &looks, BATCH);
        for ((told, (differs, missed)), one) in told.iter().zip(judged).zip(texts) {
            *counts
                .entry(match (told.says, differs) {
                    (Says::Same, false) => "the same, and said so",
                    (Says::Same, true) => "WRONG: said to be the same",
                    _ if missed => "WRONG: differs where no condition holds",
                    (Says::Exact, true) => "differs, exact",
                    (Says::Exact, false) => "exact, no run differs",
                    (Says::Partial, _) => "partial",
                    (Says::Summary, _) => "summary",
                })
                .or_insert(0) += 1;
            let is_vague = |one: &hydrogen_evidence::delta::Delta| one.certainty != Certainty::Exact;
            if told.says == Says::Same && differs || missed && !told.deltas().any(is_vague) {
                let said: Vec<String> = told
                    .regions
                    .iter()
                    .flat_map(|one| {
                        one.deltas.iter().map(|delta| format!("{:?} {}", one.old_lines, delta.sentence()))
                    })
                    .collect();
                wrong.push(format!("{}---\n{}---\n{}", one.old, one.new, said.join("\n")));
            }
        }
    }
    eprintln!("{counts:#?}");
    assert!(wrong.is_empty(), "{} wrong, for instance\n{}", wrong.len(), wrong[0]);
}
