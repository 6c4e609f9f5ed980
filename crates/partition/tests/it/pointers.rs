//! What a pointer leads to that a function returns or stores: random functions beside a small edit of them, against brute force over
//! the arguments.

use super::support::limits;
use hydrogen_explore::{FunctionEntry, Symbolic};
use hydrogen_machine::{Program, World};
use hydrogen_partition::{Answers, Found, Options, Partitioner, Status, Subject};
use hydrogen_testkit::Compile;
use hydrogen_testkit::generate::Random;
use std::fmt::Write;

/// The arguments that make a difference.
const ARGUMENTS: u64 = 16;
const CASES: usize = 4;

/// Where a pointer leads.
#[derive(Clone, Debug, PartialEq)]
enum Target {
    Null,
    /// Into a string.
    Text(String, u64),
    /// Into a string, as the argument says.
    Moved(String),
    /// One of the strings of a constant table.
    Named([String; 2]),
    /// Into a constant table that no other file can name.
    Table(usize, u64),
    /// Into a variable.
    Variable(usize, u64),
    /// A new block with numbers.
    Block([i64; 2]),
    /// A new block with a string in it.
    Holder(String),
    Function(usize),
    /// Into what the caller gave.
    Given(u64),
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    Returned,
    Stored,
    Member,
    Both,
}

#[derive(Clone, Debug)]
struct Source {
    tables: [[i64; 3]; 2],
    functions: [i64; 2],
    cases: Vec<(Target, How)>,
    /// What the tables are called.
    prefix: &'static str,
    /// A string before all others, which gives them other numbers.
    before: Option<String>,
}

fn word(random: &mut Random) -> String {
    (0..1 + random.below(4)).map(|_| char::from(b'a' + random.below(3) as u8)).collect()
}

fn target(random: &mut Random) -> Target {
    match random.below(10) {
        0 => Target::Null,
        1 | 2 => {
            let text = word(random);
            let at = random.below(text.len() as u64 + 1);
            Target::Text(text, at)
        }
        3 => Target::Moved(word(random) + "z"),
        4 => Target::Named([word(random), word(random)]),
        5 => Target::Table(random.below(2) as usize, random.below(3)),
        6 => Target::Variable(random.below(2) as usize, random.below(3)),
        7 => match random.below(2) {
            0 => Target::Block([random.below(3) as i64, random.below(3) as i64]),
            _ => Target::Holder(word(random)),
        },
        8 => Target::Function(random.below(2) as usize),
        _ => Target::Given(random.below(2)),
    }
}

fn how(random: &mut Random) -> How {
    [How::Returned, How::Returned, How::Stored, How::Member, How::Both][random.below(5) as usize]
}

impl Source {
    fn new(random: &mut Random) -> Self {
        let mut number = || random.below(3) as i64;
        let tables = [[number(), number(), number()], [number(), number(), number()]];
        let functions = [number(), number()];
        let cases = (0..CASES).map(|_| (target(random), how(random))).collect();
        Self { tables, functions, cases, prefix: "table", before: None }
    }

    /// A small edit.
    fn edited(&self, random: &mut Random) -> Self {
        let mut new = self.clone();
        let at = random.below(CASES as u64) as usize;
        match random.below(9) {
            0 => new.prefix = "list",
            1 => new.before = Some("before".to_owned()),
            2 => new.tables[random.below(2) as usize][random.below(3) as usize] += 1,
            3 => new.functions[random.below(2) as usize] += 1,
            4 => new.cases[at].1 = how(random),
            5 => new.cases[at].0 = target(random),
            _ => match &mut new.cases[at].0 {
                Target::Text(text, _) | Target::Moved(text) | Target::Holder(text) => {
                    text.replace_range(0..1, ["a", "b", "Z"][random.below(3) as usize]);
                }
                Target::Named(both) => both[random.below(2) as usize].push('s'),
                Target::Table(table, place) | Target::Variable(table, place) => match random.below(2) {
                    0 => *table = 1 - *table,
                    _ => *place = (*place + 1) % 3,
                },
                Target::Block(numbers) => numbers[random.below(2) as usize] += 1,
                Target::Function(number) => *number = 1 - *number,
                Target::Given(place) => *place = 1 - *place,
                Target::Null => new.cases[at].0 = Target::Text("null".to_owned(), 0),
            },
        }
        new
    }

    fn text(&self) -> String {
        let mut out = String::from("void *malloc(unsigned long);\n");
        let prefix = self.prefix;
        if let Some(text) = &self.before {
            let _ = writeln!(out, "const char *unrelated(void) {{ return \"{text}\"; }}");
        }
        for (number, [a, b, c]) in self.tables.iter().enumerate() {
            let _ = writeln!(out, "static const long {prefix}{number}[3] = {{ {a}, {b}, {c} }};");
            let _ = writeln!(out, "long variable{number}[3] = {{ 7, 8, 9 }};");
        }
        for (number, added) in self.functions.iter().enumerate() {
            let _ = writeln!(out, "static int function{number}(int x) {{ return x + {added}; }}");
        }
        out.push_str("const void *stored; struct box { int n; const void *p; } box;\n");
        out.push_str("const void *f(unsigned k, long *given)\n{\n  const void *p = 0;\n  switch (k & 3) {\n");
        for (at, (target, how)) in self.cases.iter().enumerate() {
            let made = match target {
                Target::Null => "p = 0;".to_owned(),
                Target::Text(text, at) => format!("p = \"{text}\" + {at};"),
                Target::Moved(text) => format!("p = \"{text}\" + (k >> 2 & 1);"),
                Target::Named([a, b]) => {
                    format!(
                        "static const char *const names[] = {{ \"{a}\", \"{b}\" }}; p = names[k >> 2 & 1];"
                    )
                }
                Target::Table(number, at) => format!("p = {prefix}{number} + {at};"),
                Target::Variable(number, at) => format!("p = variable{number} + {at};"),
                Target::Block([a, b]) => {
                    format!("long *b = malloc(16); b[0] = {a}; b[1] = {b}; p = b;")
                }
                Target::Holder(text) => {
                    format!("const char **b = malloc(8); *b = \"{text}\"; p = b;")
                }
                Target::Function(number) => format!("p = (const void *)function{number};"),
                Target::Given(at) => format!("p = given ? given + {at} : 0;"),
            };
            let kept = match how {
                How::Returned => "return p;",
                How::Stored => "stored = p; return 0;",
                How::Member => "box.n = 1; box.p = p; return 0;",
                How::Both => "stored = p; return p;",
            };
            let _ = writeln!(out, "  case {at}: {{ {made} {kept} }}");
        }
        out.push_str("  }\n  return 0;\n}\n");
        out
    }

    /// What a caller sees for an argument.
    fn seen(&self, k: u64) -> String {
        let (target, how) = &self.cases[k as usize & 3];
        let moved = (k >> 2 & 1) as usize;
        let there = match target {
            Target::Text(text, at) => format!("{text:?} + {at}"),
            Target::Moved(text) => format!("{text:?} + {moved}"),
            Target::Named(both) => format!("{:?} + 0", both[moved]),
            Target::Table(number, at) => format!("{:?} + {at}", self.tables[*number]),
            Target::Function(number) => format!("function {number} that adds {}", self.functions[*number]),
            // Whether the caller gave something makes no difference between versions.
            other => format!("{other:?}"),
        };
        // Null in a variable that was null is as before.
        match (target, how) {
            (Target::Null, How::Member) => "n".to_owned(),
            (Target::Null, _) => "null".to_owned(),
            _ => format!("{how:?} {there}"),
        }
    }

    fn program(&self) -> Program {
        Program::load(vec![Compile::default().model(&self.text())], None)
    }
}

fn explore(old: &Source, new: &Source) -> Found {
    let programs = [old.program(), new.program()];
    let entry = FunctionEntry { function: "f".into(), unit: None, depth: 2, elements: 2 };
    let symbolic = Symbolic { call: Some(entry), ..Symbolic::default() };
    let (world, limits) = (World::default(), limits());
    let subject = Subject::new(programs.iter().collect(), &world, &symbolic, &limits);
    let options = Options::default();
    let mut partitioner =
        Partitioner::new(&subject, &options, vec![symbolic.first(&world)], Answers::default());
    while partitioner.step() {}
    partitioner.finish()
}

/// `HYDROGEN_POINTERS=10000` takes more than usual.
#[test]
fn what_pointers_lead_to_is_what_brute_force_says() {
    let asked = std::env::var("HYDROGEN_POINTERS").ok().and_then(|text| text.parse().ok());
    let (mut equal, mut different) = (0, 0);
    for seed in 0..asked.unwrap_or(200u64) {
        let mut random = Random::new(seed);
        let old = Source::new(&mut random);
        let new = old.edited(&mut random);
        let found = explore(&old, &new);
        let told = || format!("{seed}\n{}\n{}", old.text(), new.text());
        assert_eq!(found.alarms, [], "{}", told());
        let differ: Vec<u64> = (0..ARGUMENTS).filter(|k| old.seen(*k) != new.seen(*k)).collect();
        // Functions that differ under one name may do the same: no difference is shown, and no equality.
        let is_code = |k: &u64| {
            let (own, other) = (&old.cases[*k as usize & 3], &new.cases[*k as usize & 3]);
            own == other && matches!(own.0, Target::Function(_))
        };
        for (_, cell) in found.differences() {
            let k = cell
                .input
                .named
                .get(b"k".as_slice())
                .map_or(0, |bytes| u64::from(bytes[0]) & (ARGUMENTS - 1));
            assert!(differ.contains(&k) && !is_code(&k), "{k} is no difference {}", told());
        }
        let is_shown = found.differences().next().is_some();
        assert_eq!(
            found.is_equal(),
            differ.is_empty(),
            "{:?} {:?} {}",
            found.status,
            found.unresolved,
            told()
        );
        assert_eq!(is_shown, differ.iter().any(|k| !is_code(k)), "{}", told());
        assert!(is_shown || found.status == Status::Complete || differ.iter().all(is_code), "{}", told());
        *if differ.is_empty() { &mut equal } else { &mut different } += 1;
    }
    assert!(equal * 8 > different && different > equal / 8, "{equal} {different}");
}
