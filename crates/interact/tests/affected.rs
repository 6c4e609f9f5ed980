//! What runs show to be affected by a change is among what is said to be, for random programs and random edits: deletions,
//! insertions, replacements and changed heads, with loops, jumps, calls and a global.
#![allow(clippy::unwrap_used)]

use hydrogen_interact::{Dependence, Impact, StatementId, Transition, advance_to, index_of};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone)]
enum What {
    /// A variable gets the sum of another and a number.
    Set(usize, usize, i64),
    If(usize, Vec<Statement>, Vec<Statement>),
    /// The body runs while the variable is positive; the last statement of the body takes one from it.
    While(usize, Vec<Statement>),
    Break,
    Return(usize),
    /// A variable gets what the other function gives for another.
    Call(usize, usize),
}

#[derive(Debug, Clone)]
struct Statement {
    what: What,
    line: u32,
}

const NAMES: [&str; 4] = ["x", "y", "z", "g"];

fn statement() -> impl Strategy<Value = Statement> {
    let variable = 0..NAMES.len();
    let plain = prop_oneof![
        4 => (variable.clone(), variable.clone(), -1..3i64).prop_map(|(to, from, plus)| What::Set(to, from, plus)),
        1 => Just(What::Break),
        1 => variable.clone().prop_map(What::Return),
        2 => (variable.clone(), variable.clone()).prop_map(|(to, from)| What::Call(to, from)),
    ]
    .prop_map(|what| Statement { what, line: 0 });
    plain.prop_recursive(2, 12, 3, move |inner| {
        let body = || prop::collection::vec(inner.clone(), 1..3);
        let variable = 0..NAMES.len();
        prop_oneof![
            (variable.clone(), body(), prop::collection::vec(inner.clone(), 0..2))
                .prop_map(|(on, yes, no)| What::If(on, yes, no)),
            (variable, body()).prop_map(|(on, mut body)| {
                body.push(Statement { what: What::Set(on, on, -1), line: 0 });
                What::While(on, body)
            }),
        ]
        .prop_map(|what| Statement { what, line: 0 })
    })
}

/// The two functions, and whether the second has a second parameter.
#[derive(Debug, Clone)]
struct Source {
    main: Vec<Statement>,
    helper: Vec<Statement>,
    wide: bool,
    /// The lines of the last `return` of both.
    ends: [u32; 2],
}

impl Source {
    fn text(&mut self) -> String {
        let second = if self.wide { ", long y" } else { ", int y" };
        let mut lines =
            vec!["int g;".to_owned(), format!("int helper(int x{second}) {{"), "int z = 0;".into()];
        render(&mut self.helper, false, &mut lines);
        self.ends[1] = lines.len() as u32 + 1;
        lines.extend(["return z;", "}", "int top(int x, int y) {", "int z = 0;"].map(str::to_owned));
        render(&mut self.main, false, &mut lines);
        self.ends[0] = lines.len() as u32 + 1;
        lines.extend(["return z;".to_owned(), "}".to_owned()]);
        lines.join("\n") + "\n"
    }
}

fn render(body: &mut [Statement], in_loop: bool, lines: &mut Vec<String>) {
    for statement in body {
        statement.line = lines.len() as u32 + 1;
        match &mut statement.what {
            What::Set(to, from, plus) => lines.push(format!("{} = {} + {plus};", NAMES[*to], NAMES[*from])),
            What::Break if in_loop => lines.push("break;".into()),
            What::Break => lines.push(";".into()),
            What::Return(of) => lines.push(format!("return {};", NAMES[*of])),
            What::Call(to, from) => lines.push(format!("{} = helper({}, 1);", NAMES[*to], NAMES[*from])),
            What::If(on, yes, no) => {
                lines.push(format!("if ({} > 0) {{", NAMES[*on]));
                render(yes, in_loop, lines);
                lines.push("} else {".into());
                render(no, in_loop, lines);
                lines.push("}".into());
            }
            What::While(on, body) => {
                lines.push(format!("while ({} > 0) {{", NAMES[*on]));
                render(body, true, lines);
                lines.push("}".into());
            }
        }
    }
}

/// The values that each line had, and how many steps are left.
struct Machine<'a> {
    source: &'a Source,
    global: i64,
    values: BTreeMap<u32, Vec<i64>>,
    steps: usize,
    depth: usize,
}

enum Next {
    On,
    Break,
    Return(i64),
}

impl Machine<'_> {
    fn run(&mut self, body: &[Statement], locals: &mut [i64; 3], in_loop: bool) -> Option<Next> {
        for statement in body {
            self.steps = self.steps.checked_sub(1)?;
            let get = |at: usize, machine: &Self| if at == 3 { machine.global } else { locals[at] };
            let value = match &statement.what {
                What::Set(_, from, plus) => get(*from, self).wrapping_add(*plus),
                What::Break => 0,
                What::Return(of) | What::If(of, ..) | What::While(of, _) => get(*of, self),
                What::Call(_, from) => {
                    let from = get(*from, self);
                    self.call(from)?
                }
            };
            if !matches!(statement.what, What::While(..))
                && (in_loop || !matches!(statement.what, What::Break))
            {
                self.values.entry(statement.line).or_default().push(value);
            }
            match &statement.what {
                What::Set(to, ..) | What::Call(to, _) if *to == 3 => self.global = value,
                What::Set(to, ..) | What::Call(to, _) => locals[*to] = value,
                What::Break if in_loop => return Some(Next::Break),
                What::Break => {}
                What::Return(_) => return Some(Next::Return(value)),
                What::If(_, yes, no) => {
                    let next = self.run(if value > 0 { yes } else { no }, locals, in_loop)?;
                    if !matches!(next, Next::On) {
                        return Some(next);
                    }
                }
                What::While(on, body) => loop {
                    self.steps = self.steps.checked_sub(1)?;
                    let value = if *on == 3 { self.global } else { locals[*on] };
                    self.values.entry(statement.line).or_default().push(value);
                    if value <= 0 {
                        break;
                    }
                    match self.run(body, locals, true)? {
                        Next::On => {}
                        Next::Break => break,
                        next @ Next::Return(_) => return Some(next),
                    }
                },
            }
        }
        Some(Next::On)
    }

    fn call(&mut self, x: i64) -> Option<i64> {
        self.depth += 1;
        if self.depth > 4 {
            return None;
        }
        let mut locals = [x, 1, 0];
        let value = self.function(&self.source.helper, self.source.ends[1], &mut locals)?;
        self.depth -= 1;
        Some(value)
    }

    fn function(&mut self, body: &[Statement], end: u32, locals: &mut [i64; 3]) -> Option<i64> {
        if let Next::Return(value) = self.run(body, locals, false)? {
            return Some(value);
        }
        self.values.entry(end).or_default().push(locals[2]);
        Some(locals[2])
    }
}

fn values(source: &Source, x: i64, y: i64) -> Option<BTreeMap<u32, Vec<i64>>> {
    let mut machine = Machine { source, global: 0, values: BTreeMap::new(), steps: 300, depth: 0 };
    machine.function(&source.main, source.ends[0], &mut [x, y, 0])?;
    Some(machine.values)
}

/// Deletes, replaces or inserts a statement somewhere.
#[derive(Debug, Clone)]
enum Edit {
    Delete(prop::sample::Index),
    Replace(prop::sample::Index, Statement),
    Insert(prop::sample::Index, Statement),
}

fn count(body: &[Statement]) -> usize {
    let inner = |it: &Statement| match &it.what {
        What::If(_, yes, no) => count(yes) + count(no),
        What::While(_, body) => count(body),
        _ => 0,
    };
    body.iter().map(|it| 1 + inner(it)).sum()
}

/// Edits the statement with this number, in the order of the source; the rest of the number comes back.
fn edit(body: &mut Vec<Statement>, mut number: usize, what: &Edit) -> Result<(), usize> {
    for at in 0..body.len() {
        if number == 0 {
            match what {
                Edit::Delete(_) => drop(body.remove(at)),
                Edit::Replace(_, with) => body[at] = with.clone(),
                Edit::Insert(_, new) => body.insert(at, new.clone()),
            }
            return Ok(());
        }
        number -= 1;
        let lists: Vec<&mut Vec<Statement>> = match &mut body[at].what {
            What::If(_, yes, no) => vec![yes, no],
            What::While(_, body) => vec![body],
            _ => Vec::new(),
        };
        for list in lists {
            match edit(list, number, what) {
                Ok(()) => return Ok(()),
                Err(rest) => number = rest,
            }
        }
    }
    Err(number)
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<prop::sample::Index>;
    let one = prop_oneof![
        3 => at().prop_map(Edit::Delete),
        1 => (at(), statement()).prop_map(|(at, with)| Edit::Replace(at, with)),
        1 => (at(), statement()).prop_map(|(at, new)| Edit::Insert(at, new)),
    ];
    prop::collection::vec(one, 1..4)
}

fn step(old: &str, new: &str, compiled: bool) -> Transition {
    let mut index = index_of([("a.c", old.as_bytes())]);
    let touched = advance_to(&mut index, [("a.c", new.as_bytes())]);
    let read = |text: &str| {
        let unit = hydrogen_syntax::read("a.c", text.as_bytes(), &hydrogen_syntax::Options::default());
        let units = vec![Arc::new(unit)];
        if !compiled {
            return Dependence::of(units);
        }
        let files = BTreeMap::from([("a.c".to_owned(), text.to_owned())]);
        let program = hydrogen_ir::link(hydrogen_testkit::Compile::default().models(&files)).module;
        Dependence::with_code(units, &program)
    };
    Transition::new(index, &touched, read(old), read(new))
}

/// How many programs are compiled; more with `HYDROGEN_CASES`.
fn compiled_cases() -> u32 {
    std::env::var("HYDROGEN_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(24)
}

fn line(dependence: &Dependence, at: StatementId) -> Option<u32> {
    let (_, function, piece) = dependence.place(at);
    Some(function.pieces[piece as usize].span?.start.line)
}

fn two_functions() -> impl Strategy<Value = (Vec<Statement>, Vec<Statement>, Vec<Edit>, bool)> {
    let main = prop::collection::vec(statement(), 1..6);
    let helper = prop::collection::vec(statement(), 1..4);
    (main, helper, edits(), prop::bool::weighted(0.1))
}

/// Whatever differs between runs before and after the edits is among what is said to be affected.
fn check(
    (main, helper, edits, wide): (Vec<Statement>, Vec<Statement>, Vec<Edit>, bool),
    compiled: bool,
) -> Result<(), TestCaseError> {
    let mut before = Source { main, helper, wide: false, ends: [0, 0] };
    let mut after = before.clone();
    after.wide = wide;
    for change in &edits {
        let (Edit::Delete(at) | Edit::Replace(at, _) | Edit::Insert(at, _)) = change;
        let (first, second) = (count(&after.main), count(&after.helper));
        if first + second == 0 {
            break;
        }
        let number = at.index(first + second);
        let (body, number) =
            if number < first { (&mut after.main, number) } else { (&mut after.helper, number - first) };
        edit(body, number, change).unwrap();
    }
    let (old, new) = (before.text(), after.text());
    let step = step(&old, &new, compiled);
    let impact = Impact::of(&step);
    prop_assert!(impact.not_followed.is_empty(), "{:?}", impact.not_followed);
    let affected = impact.affected();
    let pairs: Vec<(u32, u32, StatementId)> = (0..step.old.len() as u32)
        .filter_map(|at| {
            let new = step.same.new_of(StatementId(at))?;
            Some((line(&step.old, StatementId(at))?, line(&step.new, new)?, new))
        })
        .collect();
    for x in -1..3 {
        for y in 0..2 {
            let (Some(was), Some(is)) = (values(&before, x, y), values(&after, x, y)) else { continue };
            for &(old_line, new_line, statement) in &pairs {
                let differs = was.get(&old_line) != is.get(&new_line);
                prop_assert!(
                    !differs || affected.contains(&statement),
                    "({x}, {y}): line {old_line} has {:?}, line {new_line} has {:?}\n{old}\n{new}",
                    was.get(&old_line),
                    is.get(&new_line)
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_runs_show_is_said(input in two_functions()) {
        check(input, false)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: compiled_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_runs_show_is_said_of_compiled_code(input in two_functions()) {
        check(input, true)?;
    }
}
