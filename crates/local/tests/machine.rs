//! Random small functions, run in the machine against what is said of their statements: what always fails fails whenever a run comes there, and what never
//! fails does not.
//!
//! `HYDROGEN_LOCAL` sets how many functions are tried.
#![allow(clippy::unwrap_used)]

use hydrogen_evidence::Class;
use hydrogen_ir::{FunctionId, InstructionId, Module};
use hydrogen_local::{Certainty, Found, Statement, judge};
use hydrogen_machine::{End, Monitor, Program, Step, World};
use hydrogen_term::{Engine, Limits, standard};
use hydrogen_testkit::{Compile, archive, generate::Random};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const HEAD: &str = "typedef unsigned long size_t; void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t);\n\
void free(void *); void *memset(void *, int, size_t); size_t strlen(const char *); void *memcpy(void *, const void *, size_t);\n\
struct s { int u; int v[3]; struct s *next; };\nint g; int ga[5]; int *gp; struct s gs;\n\
int note(int x) { g = g + x; ga[x & 3] = x; return g ^ x; }\nvoid give(int *p) { if (p && g == 3) *p = 7; gp = p; }\n";
/// Functions in one file.
const BATCH: u64 = 20;

struct Maker {
    random: Random,
    lines: Vec<String>,
    loops: u32,
}

impl Maker {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.below(from.len() as u64) as usize]
    }

    fn value(&mut self, depth: u32) -> String {
        match self.random.below(if depth == 0 { 2 } else { 5 }) {
            0 => self.pick(&["0", "1", "2", "3", "4", "7", "-1", "16", "40"]).to_owned(),
            1 => self.pick(&["a", "b", "x", "y", "(int)n", "g", "t[1]", "a & 3", "b & 7"]).to_owned(),
            2 => format!(
                "({} {} {})",
                self.value(depth - 1),
                self.pick(&["+", "-", "*", "&", "|"]),
                self.value(depth - 1)
            ),
            3 => format!(
                "({} {} {})",
                self.value(depth - 1),
                self.pick(&["/", "%", "<<", ">>"]),
                self.value(0)
            ),
            _ => self.value(0),
        }
    }

    fn pointer(&mut self) -> &'static str {
        self.pick(&["p", "q", "h", "gp", "s->v", "t"])
    }

    fn condition(&mut self) -> String {
        match self.random.below(6) {
            0 => self
                .pick(&["p", "q", "h", "s", "!p", "!q", "!h", "!s", "q == p", "h == q", "s == s->next"])
                .to_owned(),
            1 => format!("{} && {}", self.simple(), self.simple()),
            2 => format!("{} || {}", self.simple(), self.simple()),
            _ => self.simple(),
        }
    }

    fn simple(&mut self) -> String {
        format!("{} {} {}", self.value(1), self.pick(&["<", "<=", "==", "!=", ">", ">="]), self.value(0))
    }

    fn statement(&mut self, depth: u32, in_loop: bool) {
        let line = match self.random.below(if depth == 0 { 22 } else { 27 }) {
            0 | 1 => format!("{} = {};", self.pick(&["x", "y", "g", "n"]), self.value(2)),
            2 => format!("t[{}] = {};", self.value(1), self.value(1)),
            3 => format!("x = t[{}];", self.value(1)),
            4 => format!("{}[{}] = {};", self.pointer(), self.value(1), self.value(0)),
            5 => format!("x = {}[{}];", self.pointer(), self.value(0)),
            6 => format!("*{} = {};", self.pick(&["p", "q", "h"]), self.value(0)),
            7 => format!("h = malloc({});", self.pick(&["4", "16", "n * 4", "(size_t)(a & 7)", "sizeof *s"])),
            8 => self.pick(&["h = calloc(n, 4);", "h = realloc(h, 8);", "q = calloc(2, 4);"]).to_owned(),
            9 | 10 => format!("free({});", self.pick(&["h", "q", "p", "gp", "s", "t"])),
            11 => format!(
                "q = {};",
                self.pick(&["p", "h", "t", "&t[2]", "0", "&x", "h + 1", "p + 1", "ga", "&s->v[1]", "gp"])
            ),
            12 => format!("h = {};", self.pick(&["q", "0", "p"])),
            13 => self
                .pick(&[
                    "gp = q;",
                    "gp = h;",
                    "gp = &g;",
                    "{ int z = 3; q = &z; }",
                    "s = &gs;",
                    "s = s->next;",
                    "s->next = s;",
                ])
                .to_owned(),
            14 => format!("s->{} = {};", self.pick(&["u", "v[1]", "v[a]", "v[x & 3]"]), self.value(0)),
            15 => format!("y = s->{};", self.pick(&["u", "v[2]", "v[b]", "next->u"])),
            16 => format!("x = note({});", self.value(0)),
            17 => format!("give({});", self.pick(&["p", "q", "h", "&y", "t"])),
            18 => format!(
                "memset({}, 0, {});",
                self.pick(&["t", "q", "h", "p"]),
                self.pick(&["16", "n", "(size_t)(a & 31)", "0"])
            ),
            19 => self
                .pick(&["ga[x] = 1;", "y = ga[a & 7];", "ga[b] = x;", "*gp = 3;", "x = ga[y & 3];"])
                .to_owned(),
            20 if in_loop => format!("if ({}) {}", self.condition(), self.pick(&["break;", "continue;"])),
            20 | 21 => format!("if ({}) return {};", self.condition(), self.value(0)),
            22..=24 => {
                let condition = self.condition();
                self.lines.push(format!("if ({condition}) {{"));
                self.statements(depth - 1, in_loop);
                if self.random.below(2) == 0 {
                    self.lines.push("} else {".to_owned());
                    self.statements(depth - 1, in_loop);
                }
                "}".to_owned()
            }
            25 => {
                let number = self.loops;
                self.loops += 1;
                let count = self.pick(&["3", "n", "a & 3", "5"]);
                self.lines.push(format!(
                    "for (unsigned i{number} = 0; i{number} < {count} && i{number} < 9; i{number}++) {{"
                ));
                self.statements(depth - 1, true);
                let own = self.pick(&["t", "q", "ga"]);
                self.lines.push(format!("{own}[i{number}] = x;"));
                "}".to_owned()
            }
            _ => {
                let number = self.loops;
                self.loops += 1;
                let condition = self.condition();
                self.lines
                    .push(format!("for (int k{number} = 0; k{number} < 4 && ({condition}); k{number}++) {{"));
                self.statements(depth - 1, true);
                "}".to_owned()
            }
        };
        self.lines.push(line);
    }

    fn statements(&mut self, depth: u32, in_loop: bool) {
        for _ in 0..1 + self.random.below(4) {
            self.statement(depth, in_loop);
        }
    }

    fn function(&mut self, number: u64) -> String {
        self.lines.clear();
        self.loops = 0;
        for _ in 0..4 {
            self.statements(2, false);
        }
        let mut out = format!("int f{number}(int a, int b, unsigned n, int *p, struct s *s) {{\n");
        out.push_str("int x = a;\nint y = b;\nint t[4] = {1, 2, 3, 4};\nint *q = 0;\nint *h = 0;\n");
        self.lines.iter().for_each(|line| writeln!(out, "{line}").unwrap());
        out.push_str("return x + y;\n}\n");
        out
    }
}

/// Calls function number `argv[1]` with what the other arguments say.
fn main_of(count: u64) -> String {
    let mut out = String::from(
        "static int number(const char *t) { int n = 0, m = 0; if (*t == '-') { m = 1; t++; } while (*t) n = n * 10 + (*t++ - '0'); return m ? -n : n; }\n\
         int main(int argc, char **argv) {\nint own[6] = {5, 4, 3, 2, 1, 0}; struct s one = {1, {2, 3, 4}, 0}, two = {5, {6, 7, 8}, &one};\n\
         int a = number(argv[2]), b = number(argv[3]), k = number(argv[5]); unsigned n = number(argv[4]);\n\
         int *p = k == 0 ? 0 : k == 1 ? own : k == 2 ? malloc(12) : own + 2;\nif (p) { p[0] = 1; p[1] = 2; }\n\
         struct s *s = k == 1 ? 0 : k == 2 ? &one : &two;\nif (k == 3) gp = own;\nswitch (number(argv[1])) {\n",
    );
    for number in 0..count {
        writeln!(out, "case {number}: f{number}(a, b, n, p, s); break;").unwrap();
    }
    out.push_str("}\nreturn 0; }\n");
    out
}

/// Which statements of a function a run came to.
struct Came<'p> {
    program: &'p Program,
    module: &'p Module,
    function: FunctionId,
    came: BTreeSet<usize>,
}

impl Monitor for Came<'_> {
    fn step(&mut self, step: Step<'_>) {
        let Some((_, function)) = self.program.model(step.site.function) else { return };
        let own = self.module.function(self.function);
        if function.name != own.name {
            return;
        }
        let Some(&origin) = step.code.origin.get(step.site.pc as usize) else { return };
        // What is done on the way to a join may be noted at the jump of either side.
        let body = own.body.as_ref().unwrap();
        let piece = body.instruction(origin).piece;
        let first = body.instructions.iter().position(|one| one.piece == piece);
        if first == Some(origin.index()) {
            self.came.insert(piece.index());
        }
    }
}

fn judged(module: &Module, function: FunctionId) -> BTreeMap<usize, Found> {
    let body = module.function(function).body.as_ref().unwrap();
    let mut pieces: BTreeMap<usize, BTreeSet<InstructionId>> = BTreeMap::new();
    for (at, instruction) in body.instructions.iter().enumerate() {
        pieces.entry(instruction.piece.index()).or_default().insert(InstructionId::at(at));
    }
    let mut engine = Engine::new(standard(), Limits { work: 200_000, ..Limits::default() }).alone();
    let one = |(piece, instructions): (usize, BTreeSet<InstructionId>)| {
        let found = judge(&Statement { module, function, instructions }, &mut engine).ok()?;
        Some((piece, found))
    };
    pieces.into_iter().filter_map(one).collect()
}

#[derive(Default, Debug)]
struct Count {
    always: u64,
    never: u64,
    sometimes: u64,
    told: u64,
    statements: u64,
    runs: u64,
    faults: u64,
    confirmed: u64,
}

fn batch(seed: u64, size: u64, count: &mut Count) {
    let Some(archive) = archive() else { return };
    let mut maker = Maker { random: Random::new(seed), lines: Vec::new(), loops: 0 };
    let mut text = HEAD.to_owned();
    (0..size).for_each(|number| text.push_str(&maker.function(number)));
    text.push_str(&main_of(size));
    let module = Compile::default().model(&text);
    let program = Program::load(vec![module.clone()], Some(archive));
    let lines: Vec<&str> = text.lines().collect();
    for number in 0..size {
        let name = format!("f{number}");
        let function = module.definitions().find(|(_, one)| one.name == name).unwrap().0;
        let found = judged(&module, function);
        for one in found.values() {
            count.statements += 1;
            for certainty in one.classes.values() {
                match certainty {
                    Certainty::Always => count.always += 1,
                    Certainty::Never => count.never += 1,
                    Certainty::Sometimes { when } => {
                        count.sometimes += 1;
                        count.told += u64::from(when.is_some());
                    }
                }
            }
        }
        for input in 0..24u64 {
            let roll = |maker: &mut Maker, all: &[&str]| maker.pick(all).to_owned();
            let numbers =
                ["0", "1", "2", "3", "4", "5", "7", "8", "16", "40", "-1", "-3", "2147483647", "100000"];
            let arguments = [
                "test".to_owned(),
                number.to_string(),
                roll(&mut maker, &numbers),
                roll(&mut maker, &numbers),
                roll(&mut maker, &numbers),
                (input % 4).to_string(),
            ];
            let limits = hydrogen_machine::Limits { steps: 200_000, ..Default::default() };
            let watch = Came { program: &program, module: &module, function, came: BTreeSet::new() };
            let run = program.run_with(World::new(arguments.clone()), limits, watch);
            count.runs += 1;
            let fault = match &run.end {
                End::Fault(fault) => Some(fault),
                End::Exit(_) => None,
                _ => continue,
            };
            // What is not set is another fault than those that are looked at, and may hide them.
            let class = fault.map(|fault| fault.kind.class());
            if class == Some(Class::Uninitialised) {
                continue;
            }
            count.faults += u64::from(class.is_some());
            let line = fault
                .and_then(|fault| fault.stack.iter().find(|frame| frame.function == name))
                .map(|frame| frame.line);
            let innermost =
                fault.and_then(|fault| fault.stack.first()).is_some_and(|frame| frame.function == name);
            let story = |what: &str, piece: usize| {
                let piece = &module.function(function).pieces[piece];
                let mut own = Vec::new();
                let from = lines.iter().position(|line| line.contains(&format!(" {name}("))).unwrap();
                for (at, line) in lines.iter().enumerate().skip(from) {
                    own.push(format!("{:4} {line}", at + 1));
                    if *line == "}"
                        && line.len() == 1
                        && lines
                            .get(at + 1)
                            .is_none_or(|next| next.starts_with("int f") || next.starts_with("static"))
                    {
                        break;
                    }
                }
                format!(
                    "seed {seed}: {what}\n`{}` {:?}\n{arguments:?}\n{:#?}\n{}",
                    piece.text,
                    piece.span,
                    run.end,
                    own.join("\n")
                )
            };
            for (&piece, found) in &found {
                let text = &module.function(function).pieces[piece];
                let Some(at) = text.span.map(|span| span.start.line) else { continue };
                let always: BTreeSet<Class> = found
                    .classes
                    .iter()
                    .filter(|(_, certainty)| **certainty == Certainty::Always)
                    .map(|(class, _)| *class)
                    .collect();
                if !always.is_empty() && run.monitor.came.contains(&piece) {
                    // A number that runs over ends a run of the machine; compiled code goes on to the fault.
                    // Whether the block of a variable has ended is not followed here: that access fails in any case.
                    let ends = |class| {
                        always.contains(&class)
                            || matches!(class, Class::SignedOverflow | Class::UseAfterFree)
                    };
                    let fails = line == Some(at) && class.is_some_and(ends);
                    assert!(fails, "{}", story(&format!("said to fail always: {always:?}"), piece));
                    count.confirmed += 1;
                }
                // Pieces of one line are not told apart by a fault.
                if let (Some(class), true, true) = (class, line == Some(at), innermost) {
                    let never = found.classes.get(&class) == Some(&Certainty::Never);
                    let alone = is_alone(&module, function, piece, at);
                    assert!(!(never && alone), "{}", story(&format!("said never to fail: {class:?}"), piece));
                }
            }
        }
    }
}

/// Whether a piece is the only one of its line.
fn is_alone(module: &Module, function: FunctionId, piece: usize, line: u32) -> bool {
    let pieces = &module.function(function).pieces;
    let here = |one: &hydrogen_ir::Piece| {
        one.span.is_some_and(|span| span.start.line <= line && line <= span.end.line)
    };
    pieces.iter().enumerate().all(|(at, one)| at == piece || !here(one))
}

#[test]
fn the_machine_contradicts_nothing() {
    let wanted: u64 = std::env::var("HYDROGEN_LOCAL").ok().and_then(|text| text.parse().ok()).unwrap_or(240);
    let base: u64 = std::env::var("HYDROGEN_LOCAL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut count = Count::default();
    for at in 0..wanted.div_ceil(BATCH) {
        batch(base + at, BATCH, &mut count);
    }
    println!("{count:?}");
    if archive().is_some() {
        assert!(
            count.always > 0 && count.never > 0 && count.sometimes > 0 && count.confirmed > 0,
            "{count:?}"
        );
    }
}
