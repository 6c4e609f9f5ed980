//! Random functions of floating-point numbers and small changes of them: what is called equal is never contradicted by a run.
//!
//! The oracle is an interpreter of the generated programs on the host's own numbers: it shares nothing with the prover. `HYDROGEN_PAIRS` sets how many pairs are
//! tried.
#![allow(clippy::unwrap_used)]

mod common;

use common::{compile, function};
use hydrogen_relate::{Argument, Options, Subject, Verdict, compare_or_refute};
use std::{fmt::Write, time::Duration};

/// An expression over `a`, `b` (parameters), `x`, `y` (locals) and `i` (the loop's counter).
#[derive(Clone, Debug)]
enum Expression {
    Number(f64),
    Variable(usize),
    Negated(Box<Expression>),
    Binary(char, Box<Expression>, Box<Expression>),
    /// The third if the first is less than the second, else the fourth.
    Choice(Box<[Expression; 4]>),
}

#[derive(Clone, Debug)]
enum Statement {
    Assign(usize, Expression),
    Loop(u32, Vec<Statement>),
}

#[derive(Clone, Debug)]
struct Program {
    body: Vec<Statement>,
    result: Expression,
}

const NAMES: [&str; 5] = ["a", "b", "x", "y", "i"];
const NUMBERS: [f64; 10] = [0.0, -0.0, 1.0, 2.0, 0.5, -1.0, 0.1, 4.0, 3.0, 1e-300];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % sides
    }

    fn expression(&mut self, depth: u32) -> Expression {
        match self.roll(if depth == 0 { 3 } else { 9 }) {
            0 => Expression::Number(NUMBERS[self.roll(NUMBERS.len() as u64) as usize]),
            1 | 2 => Expression::Variable(self.roll(5) as usize),
            3 => Expression::Negated(Box::new(self.expression(depth - 1))),
            4 => {
                let mut one = || self.expression(depth - 1);
                Expression::Choice(Box::new([one(), one(), one(), one()]))
            }
            _ => {
                let operator = ['+', '-', '*', '/'][self.roll(4) as usize];
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                Expression::Binary(operator, Box::new(left), Box::new(right))
            }
        }
    }

    fn statements(&mut self, depth: u32) -> Vec<Statement> {
        (0..1 + self.roll(3))
            .map(|_| match self.roll(if depth == 0 { 2 } else { 3 }) {
                2 => Statement::Loop(1 + self.roll(4) as u32, self.statements(0)),
                _ => Statement::Assign(2 + self.roll(2) as usize, self.expression(2)),
            })
            .collect()
    }

    /// One small change: a law of IEEE numbers, or one of the reals that is none of theirs.
    fn changed(&mut self, expression: &Expression) -> Expression {
        use Expression::*;
        let boxed = |one: &Expression| Box::new(one.clone());
        match expression {
            Binary(operator, left, right) => match (self.roll(7), *operator) {
                (0, _) => Binary(*operator, Box::new(self.changed(left)), right.clone()),
                (1, _) => Binary(*operator, left.clone(), Box::new(self.changed(right))),
                (2, '+' | '*') => Binary(*operator, right.clone(), left.clone()),
                (3, '-') => Binary('+', left.clone(), Box::new(Negated(right.clone()))),
                (3, '*' | '/') => {
                    Negated(Box::new(Binary(*operator, Box::new(Negated(left.clone())), right.clone())))
                }
                // Regrouped: true in the reals.
                (4, '+' | '*') => match &**left {
                    Binary(inner, a, b) if inner == operator => {
                        Binary(*operator, a.clone(), Box::new(Binary(*operator, b.clone(), right.clone())))
                    }
                    _ => Binary(*operator, right.clone(), left.clone()),
                },
                (5, '-') => Negated(Box::new(Binary('-', right.clone(), left.clone()))),
                (6, _) => Binary(['+', '-', '*', '/'][self.roll(4) as usize], left.clone(), right.clone()),
                _ => Negated(Box::new(Negated(boxed(expression)))),
            },
            _ => match self.roll(7) {
                0 => Binary('+', boxed(expression), Box::new(Number(0.0))),
                1 => Binary('+', boxed(expression), Box::new(Number(-0.0))),
                2 => Binary('-', boxed(expression), Box::new(Number(0.0))),
                3 => Binary('*', boxed(expression), Box::new(Number(1.0))),
                4 => Binary(
                    '/',
                    Box::new(Binary('+', boxed(expression), boxed(expression))),
                    Box::new(Number(2.0)),
                ),
                5 => Binary(
                    '*',
                    Box::new(Binary('/', boxed(expression), Box::new(Number(4.0)))),
                    Box::new(Number(4.0)),
                ),
                _ => Negated(Box::new(Negated(boxed(expression)))),
            },
        }
    }

    fn mutated(&mut self, body: &[Statement]) -> Vec<Statement> {
        let mut body = body.to_vec();
        let at = self.roll(body.len() as u64) as usize;
        match &mut body[at] {
            Statement::Assign(_, value) => *value = self.changed(value),
            Statement::Loop(_, inner) => *inner = self.mutated(inner),
        }
        body
    }
}

fn write_expression(out: &mut String, expression: &Expression) {
    match expression {
        Expression::Number(number) => write!(out, "({number:?})").unwrap(),
        Expression::Variable(variable) => out.push_str(NAMES[*variable]),
        Expression::Negated(inner) => {
            out.push_str("(-");
            write_expression(out, inner);
            out.push(')');
        }
        Expression::Binary(operator, left, right) => {
            out.push('(');
            write_expression(out, left);
            write!(out, " {operator} ").unwrap();
            write_expression(out, right);
            out.push(')');
        }
        Expression::Choice(parts) => {
            for (part, before) in parts.iter().zip(["(", " < ", " ? ", " : "]) {
                out.push_str(before);
                write_expression(out, part);
            }
            out.push(')');
        }
    }
}

fn write_statements(out: &mut String, body: &[Statement]) {
    for statement in body {
        match statement {
            Statement::Assign(variable, value) => {
                write!(out, "{} = ", NAMES[*variable]).unwrap();
                write_expression(out, value);
                out.push_str(";\n");
            }
            Statement::Loop(rounds, inner) => {
                writeln!(out, "for (i = 0; i < {rounds}; i++) {{").unwrap();
                write_statements(out, inner);
                out.push_str("}\n");
            }
        }
    }
}

fn source(program: &Program) -> String {
    let mut out = "double f(double a, double b) {\ndouble x = a, y = b, i = 0;\n".to_owned();
    write_statements(&mut out, &program.body);
    out.push_str("return ");
    write_expression(&mut out, &program.result);
    out.push_str(";\n}\n");
    out
}

fn value(expression: &Expression, values: &[f64; 5]) -> f64 {
    match expression {
        Expression::Number(number) => *number,
        Expression::Variable(variable) => values[*variable],
        Expression::Negated(inner) => -value(inner, values),
        Expression::Binary(operator, left, right) => {
            let (a, b) = (value(left, values), value(right, values));
            match operator {
                '+' => a + b,
                '-' => a - b,
                '*' => a * b,
                _ => a / b,
            }
        }
        Expression::Choice(parts) => {
            let chosen = if value(&parts[0], values) < value(&parts[1], values) { 2 } else { 3 };
            value(&parts[chosen], values)
        }
    }
}

fn execute(body: &[Statement], values: &mut [f64; 5]) {
    for statement in body {
        match statement {
            Statement::Assign(variable, expression) => values[*variable] = value(expression, values),
            Statement::Loop(rounds, inner) => {
                values[4] = 0.0;
                while values[4] < f64::from(*rounds) {
                    execute(inner, values);
                    values[4] += 1.0;
                }
            }
        }
    }
}

/// The result, with one text for all that is no number.
fn evaluate(program: &Program, a: f64, b: f64) -> String {
    let mut values = [a, b, a, b, 0.0];
    execute(&program.body, &mut values);
    format!("{:?}", value(&program.result, &values))
}

#[test]
fn what_is_called_equal_is_equal() {
    let pairs: u64 = std::env::var("HYDROGEN_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
    let options =
        Options { time: Duration::from_secs(2), question: Duration::from_millis(500), ..Options::default() };
    let edges = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        1e308,
        -1e308,
        5e-324,
        -3e-323,
        2.2250738585072014e-308,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1.0 + f64::EPSILON,
    ];
    let (mut equal, mut different) = (0, 0);
    for seed in 1..=pairs {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let old = Program { body: dice.statements(1), result: dice.expression(2) };
        let mut new = Program { body: dice.mutated(&old.body), ..old.clone() };
        if dice.roll(2) == 0 {
            new.result = dice.changed(&new.result);
        }
        let (a, b) = (source(&old), source(&new));
        let (one, other) = (compile(&a), compile(&b));
        // Nobody looks for a difference, so that every way to a proof is tried.
        let verdict = compare_or_refute(
            Subject { module: &one, function: function(&one, "f") },
            Subject { module: &other, function: function(&other, "f") },
            &options,
            Some(&mut |_| false),
        );
        let mut inputs: Vec<(f64, f64)> = edges.iter().flat_map(|&a| edges.map(|b| (a, b))).collect();
        inputs.extend((0..10_000).map(|_| {
            let mut number = || match dice.roll(3) {
                0 => dice.roll(4000) as f64 / 37.0 - 50.0,
                1 => f64::from_bits(dice.roll(1 << 48) << 16 | dice.roll(1 << 16)),
                _ => f64::from_bits(dice.roll(1 << 12)),
            };
            (number(), number())
        }));
        match verdict {
            Verdict::Equal(_) => {
                equal += 1;
                for (x, y) in inputs {
                    assert_eq!(
                        evaluate(&old, x, y),
                        evaluate(&new, x, y),
                        "at {x:?}, {y:?} (seed {seed}):\n{a}\n{b}"
                    );
                }
            }
            Verdict::Candidate(candidate) if candidate.sure => {
                different += 1;
                let numbers: Vec<f64> = candidate
                    .arguments
                    .iter()
                    .map(|argument| match argument {
                        Argument::Number(64, bits) => f64::from_bits(*bits as u64),
                        other => panic!("{other:?} for a number"),
                    })
                    .collect();
                let (before, after) =
                    (evaluate(&old, numbers[0], numbers[1]), evaluate(&new, numbers[0], numbers[1]));
                assert_ne!(before, after, "no difference at {numbers:?} (seed {seed}):\n{a}\n{b}");
            }
            Verdict::Candidate(_) | Verdict::Refuted | Verdict::Open(_) => {}
        }
    }
    eprintln!("{pairs} pairs: {equal} equal, {different} different");
    assert!(equal > 0 && different > 0, "{equal} equal and {different} different pairs");
}
